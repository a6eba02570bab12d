/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Host, cards, clock. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timex.h>
#include <time.h>

#include "cpu/cpu.h"
#include "sys/host_memory.h"
#include "sys/pool.h"

#include "doctor.h"

#if CUZK_HAVE_CUDA
#    include "accel/cuda/cuda_accel.h"
#    include "apps/cuzk/remote/ability_text.h"
#    include "prover/needs/expected_time.h"
#endif

enum {
    LEAST_GIB = 8,     /* the daemon with one card, parameters streamed from their file */
    GOOD_FILES = 4096, /* open files; a connection takes one */
    FIRST_YEAR = 2024
};

void doctor_host(doctor *d)
{
    const uint64_t total = cuzk_host_memory_total() >> 30,
                   available = cuzk_host_memory_available() >> 30;
    char cpu[128];
    struct rlimit files;
    doctor_say(d, FINDING_GOOD, "processor", "%u cores for this process; %s", cuzk_cpu_count(),
               cuzk_cpu_describe(cuzk_cpu_detect(), cpu, sizeof(cpu)));
    if (total < LEAST_GIB) {
        doctor_say(d, FINDING_PROBLEM, "memory",
                   "%" PRIu64 " GiB; proofs of 32 GiB sectors on a card need %d GiB", total,
                   LEAST_GIB);
        doctor_next(d, FINDING_PROBLEM, "use a machine with at least %d GiB of memory", LEAST_GIB);
    } else {
        doctor_say(d, FINDING_GOOD, "memory", "%" PRIu64 " GiB, %" PRIu64 " GiB available", total,
                   available);
    }
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max < GOOD_FILES) {
        doctor_say(d, FINDING_NOTE, "open files",
                   "at most %" PRIu64 "; a daemon with many clients wants %d (ulimit -n)",
                   (uint64_t)files.rlim_max, GOOD_FILES);
    } else {
        doctor_say(d, FINDING_GOOD, "open files", "enough");
    }
}

#if CUZK_HAVE_CUDA
/* Each kind of proof of 32 and 64 GiB sectors on a card, by its memory, as the daemon's status has it. */
static void card_kinds(doctor *d, const char *what, const cuzk_accel_props *p)
{
    static const uint64_t sectors[] = {(uint64_t)32 << 30, (uint64_t)64 << 30};
    for (size_t i = 0; i < 2 * (size_t)CUZK_CIRCUIT_N_KINDS; i++) {
        cuzk_circuit_spec spec;
        cuzk_device_needs needs;
        cuzk_err none;
        char id[32], line[200];
        const cuzk_circuit_kind kind = (cuzk_circuit_kind)(i % CUZK_CIRCUIT_N_KINDS);
        if (cuzk_circuit_spec_of(&spec, kind, sectors[i / CUZK_CIRCUIT_N_KINDS], &none) !=
                CUZK_OK ||
            cuzk_device_needs_of(&needs, &spec, &none) != CUZK_OK) {
            continue;
        }
        const uint64_t memory = cuzk_device_bytes_for(kind, p->memory_total);
        const cuzk_device_ability can = cuzk_device_ability_of(&needs, memory);
        const cuzk_expected_time t = cuzk_expected_time_of(&spec, p->name, memory);
        (void)snprintf(id, sizeof(id), "%s %s", cuzk_circuit_kind_name(kind), spec.shape->name);
        const ability_words words = {id,
                                     cuzk_device_ability_name(can),
                                     can == CUZK_DEVICE_RESIDENT ? needs.resident_bytes
                                                                 : needs.streamed_bytes,
                                     memory,
                                     (uint32_t)(t.seconds * 1e3 + 0.5),
                                     t.is_measured};
        doctor_say(d, can == CUZK_DEVICE_CANNOT ? FINDING_NOTE : FINDING_GOOD, what, "%s",
                   ability_text(line, sizeof(line), &words));
    }
}

static void one_card(doctor *d, uint32_t ordinal)
{
    cuzk_accel *dev = NULL;
    cuzk_accel_props p;
    cuzk_err err = {0};
    char what[16];
    (void)snprintf(what, sizeof(what), "card %u", ordinal);
    const cuzk_status st = cuzk_accel_cuda_open(&dev, ordinal, 0, &err);
    if (st == CUZK_E_DEV_NOMEM) {
        doctor_say(d, FINDING_NOTE, what, "in use by another program (a daemon?): %s", err.msg);
        return;
    }
    if (st != CUZK_OK) {
        doctor_say(d, FINDING_PROBLEM, what, "%s", err.msg);
        doctor_next(d, FINDING_PROBLEM, "nvidia-smi");
        return;
    }
    cuzk_accel_get_props(dev, &p);
    doctor_say(d, FINDING_GOOD, what, "%s, %s, %" PRIu64 " MiB usable", p.name, p.id,
               p.memory_total >> 20);
    card_kinds(d, what, &p);
    cuzk_accel_close(dev);
}

void doctor_cards(doctor *d)
{
    const int driver = cuzk_accel_cuda_driver_version();
    const uint32_t n = cuzk_accel_cuda_count();
    if (driver == 0) {
        doctor_say(d, FINDING_NOTE, "cards", "no NVIDIA driver: proofs are made on the CPU");
        doctor_next(d, FINDING_NOTE,
                    "install the NVIDIA driver (docs/provider.md), then cuzk doctor");
        return;
    }
    /* A driver knows all minor versions of its major one. */
    const long needed = strtol(CUZK_CUDA_VERSION_STR, NULL, 10);
    if (driver / 1000 < needed) {
        doctor_say(
            d, FINDING_PROBLEM, "driver",
            "too old: it is for CUDA %d.%d, and this program needs one for CUDA %ld.0 or later",
            driver / 1000, driver % 1000 / 10, needed);
        doctor_next(d, FINDING_PROBLEM,
                    "install a newer NVIDIA driver (docs/provider.md), then cuzk doctor");
        return;
    }
    doctor_say(d, FINDING_GOOD, "driver",
               "for CUDA %d.%d; this program was built with CUDA %s for %s", driver / 1000,
               driver % 1000 / 10, CUZK_CUDA_VERSION_STR, CUZK_CUDA_CLASSES_STR);
    if (n == 0) {
        doctor_say(d, FINDING_PROBLEM, "cards", "there is a driver, and no card that it knows");
        doctor_next(d, FINDING_PROBLEM, "nvidia-smi");
    }
    for (uint32_t i = 0; i < n; i++) {
        one_card(d, i);
    }
}
#else
void doctor_cards(doctor *d)
{
    doctor_say(d, FINDING_NOTE, "cards",
               "this program is built without CUDA: proofs are made on the CPU");
    doctor_next(
        d, FINDING_NOTE,

        "install the package cuzk instead of cuzk-cpu, or build with -DCUZK_CUDA=ON (docs/cuda.md)");
}
#endif

void doctor_clock(doctor *d)
{
    const time_t now = time(NULL);
    struct tm tm;
    struct timex t;
    char text[32] = "?";
    memset(&t, 0, sizeof(t));
    if (gmtime_r(&now, &tm) != NULL) {
        (void)strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S UTC", &tm);
    }
    if (gmtime_r(&now, &tm) == NULL || tm.tm_year + 1900 < FIRST_YEAR) {
        doctor_say(d, FINDING_PROBLEM, "clock", "%s: wrong", text);
        doctor_next(d, FINDING_PROBLEM, "timedatectl set-ntp true");
        return;
    }
    const int state = adjtimex(&t);
    if (state == TIME_ERROR || (t.status & STA_UNSYNC) != 0) {
        doctor_say(d, FINDING_NOTE, "clock", "%s, not synchronised: results are kept by this clock",
                   text);
    } else {
        doctor_say(d, FINDING_GOOD, "clock", "%s, synchronised", text);
    }
}
