/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_GROTH16_DEVICE_STREAM_H
#define CUZK_GROTH16_DEVICE_STREAM_H

/*
 * Points that stream from where the parameters are, their file: the host keeps none of them. What
 * streams are slices of the file's sections, encoded and unsplit; the device decodes and splits them
 * anew each time. Two small buffers on the host are filled and sent in turn.
 */

#include "device_internal.h"

/**
 * Part of a section that streams: points [first, first + n), which have slots [bit, bit + n_bits) and
 * [full, full + n_fulls) of the section's arrays. bit is a multiple of 64: slots before the slice's
 * own and behind them hold infinity meanwhile. Section h has neither: its points are bases as they are.
 */
typedef struct device_slice {
    uint8_t section; /* cuzk_srs_section */
    bool sum_bits, sum_fulls;
    uint64_t first, n;
    uint64_t bit, n_bits;
    uint64_t full, n_fulls;
} device_slice;

/**
 * The next slice of all that streams, in the order of the file; false: all slices are done. *s begins zeroed.
 * slice: slots of a G1 array at a time, as a plan has it. Only with k->from_file.
 */
bool device_slice_next(device_slice *s, const cuzk_device_key *k, uint64_t slice);
#define DEVICE_MOST_PARTS 3u
/**
 * Parts of a slice, which are slices too: 2^lg of them would be as long as the first, each later one is as long as all
 * before it. lg < DEVICE_MOST_PARTS. They need no more memory than the slice. Returns their number: lg + 1, or 1 when the slice is too short.
 */
uint32_t device_slice_parts(device_slice out[DEVICE_MOST_PARTS], const device_slice *s,
                            const cuzk_device_key *k, unsigned lg);
/** Device bytes of its points as they come, and of what they are split to. */
uint64_t device_slice_input(const device_slice *s);
uint64_t device_slice_split(const device_slice *s);

/** Arrays of a section's bit and full wires; DEVICE_ARRAYS: h has none of the latter. */
device_array device_bits_of(cuzk_srs_section s);
device_array device_fulls_of(cuzk_srs_section s);

/** True when the parameters are a file that can be read again. */
bool device_stream_possible(const cuzk_srs *srs);
/**
 * Sets k->stream. The file of srs stays open for it; parameters that are no file are read through srs,
 * which must outlive the key then. piece: points of a buffer, 0: chosen.
 */
CUZK_NODISCARD cuzk_status device_stream_open(cuzk_device_key *k, const cuzk_srs *srs,
                                              uint64_t piece, cuzk_err *err);
/** Fine without k->stream. */
void device_stream_close(cuzk_device_key *k);
/**
 * Locks in the page cache the sections that stream, section h first, while they take at most `most` bytes in all. What
 * cannot be locked is read instead: no failure. Then the device's copies of them are timed, for the plans. small_pages:
 * also where that is slow because the pages are small.
 */
void device_stream_lock(cuzk_device_key *k, uint64_t most, bool small_pages);
/** Picoseconds for a byte of the section on its way to the device. */
uint32_t device_stream_ps(const cuzk_device_key *k, cuzk_srs_section s);
/** Host bytes of the buffers. */
uint64_t device_stream_host_bytes(const cuzk_device_key *k);
/** Points as the parameters have them: encoded from a .params file, else decoded. */
CUZK_NODISCARD cuzk_status device_stream_read(const cuzk_device_key *k, cuzk_srs_section s,
                                              uint64_t first, uint64_t n, void *dst,
                                              const cuzk_cancel *cancel, cuzk_err *err);
/** E_IO, naming it, when the file has been changed since. Fine without k->stream. */
CUZK_NODISCARD cuzk_status device_stream_check(const cuzk_device_key *k, cuzk_err *err);
/**
 * The status of a failed call: the points were valid when they were loaded, so an invalid point is E_IO now. Fine
 * without k->stream.
 */
cuzk_status device_stream_failure(const cuzk_device_key *k, cuzk_status st, cuzk_err *err);

/** Slices on their way through two device buffers. */
typedef struct device_feed {
    cuzk_device_key *k;
    device_lane *lane;
    const cuzk_cancel *cancel;
    const device_slice *slices; /* [n] */
    uint32_t n;
    uint8_t *d_input[2], *d_split;
    uint8_t *
        d_first; /* where slice 0 goes: in d_input[0], or to memory that is free until it has been summed */
} device_feed;

/**
 * Sends slice 0, to d_first: after what lane->copy waits for (cuzk_accel_wait), which must be all that uses d_first.
 * Blocks.
 */
CUZK_NODISCARD cuzk_status device_feed_begin(device_feed *f, cuzk_err *err);
/** Enqueues the making of slice i's points, which are valid until the next take. */
CUZK_NODISCARD cuzk_status device_feed_take(device_feed *f, uint32_t i, const uint8_t **d_bits,
                                            const uint8_t **d_fulls, cuzk_err *err);
/** Sends slice i + 1, if there is one, while the device works on slice i. Blocks. */
CUZK_NODISCARD cuzk_status device_feed_ahead(device_feed *f, uint32_t i, cuzk_err *err);

#endif /* CUZK_GROTH16_DEVICE_STREAM_H */
