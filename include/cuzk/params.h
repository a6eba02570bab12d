/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_PARAMS_H
#define CUZK_PARAMS_H

/*
 * Parameter files (bellperson's .params and .vk): the network's list, checking, opening, making.
 * Calls are blocking and use threads of their own while they run; a progress function is the way to stop one (E_CANCELLED),
 * and is called from the caller's thread or one of the call's, never from two at once. Lists and opened files do not change:
 * any number of threads may use one. Paths are copied; texts of options are read during the call only.
 *
 *   for (size_t i = 0; i < cuzk_params_count(); i++) {
 *       cuzk_params_file f = {.struct_size = sizeof(f)};
 *       if (cuzk_params_get(&f, i) == CUZK_OK && f.sector_bytes == 2048) {
 *           printf("%s: %d\n", f.name, (int)cuzk_params_state(i, NULL));
 *       }
 *   }
 */
#include <cuzk/cuzk.h>
#include <cuzk/filecoin.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of files in the network's list. */
CUZK_API size_t cuzk_params_count(void);

/** One file of a list. Strings are static; of a cuzk_params_list they live as long as the list. */
typedef struct cuzk_params_file {
    uint32_t struct_size;  /* set by the caller */
    int32_t kind;          /* CUZK_KIND_...; -1: another (aggregation, circuits that nobody uses) */
    const char *name;      /* without a folder; ends in .params, .vk or .srs */
    const char *cid;       /* on IPFS */
    const char *digest;    /* 32 hex digits: first 16 bytes of BLAKE2b-512 of the file */
    uint64_t sector_bytes; /* 0: for every size */
    uint64_t bytes;        /* size of the file; 0: not known */
    const char *kind_name; /* "porep", "winning", "window", "update", "aggregate" or "other" */
} cuzk_params_file;

/** E_NOT_FOUND: index is not below cuzk_params_count. E_INVALID: struct_size. */
CUZK_API cuzk_status cuzk_params_get(cuzk_params_file *out, size_t index);

/** What is known of a copy of a file without reading it. */
enum {
    CUZK_PARAMS_ABSENT = 0,
    CUZK_PARAMS_WRONG_SIZE = 1,
    CUZK_PARAMS_PRESENT = 2, /* the size is right, or not known; the digest was not compared */
    CUZK_PARAMS_CHECKED = 3, /* the digest was right, and the file has not changed since */
    CUZK_PARAMS_UNREADABLE = 4,
    CUZK_PARAMS_WRONG_DIGEST = 5 /* a caller's finding; no function below gives it */
};
/** CUZK_PARAMS_... of file index in folder (NULL: as cuzk_vk_load); ABSENT for an index out of range. */
CUZK_API int32_t cuzk_params_state(size_t index, const char *folder);
/** "absent", "wrong size", "not checked" (PRESENT), "checked", "unreadable", "wrong digest"; "unknown" for another
 * number. Static. */
CUZK_API const char *cuzk_params_state_name(int32_t state);

/** The list of a network: the files, and what is known of the copies in a folder. */
typedef struct cuzk_params_list cuzk_params_list;
/**
 * Reads the list of another network, JSON in the form of the network's parameters.json: an object with a member
 * "NAME": {"cid": TEXT, "digest": HEX, "sector_size": BYTES} for each file, 96 at most. A name that the network's own
 * list has gets its kind and size from there. name: what the list is called in messages. E_FORMAT names place and field;
 * E_NOMEM.
 */
CUZK_API cuzk_status cuzk_params_list_read(cuzk_params_list **out, const uint8_t *json,
                                           size_t json_bytes, const char *name, cuzk_error *error);
/** NULL is fine. @thread no other call on list. */
CUZK_API void cuzk_params_list_destroy(cuzk_params_list *list);
/** As cuzk_params_count, cuzk_params_get and cuzk_params_state, of a list. list NULL: the network's own. */
CUZK_API size_t cuzk_params_list_count(const cuzk_params_list *list);
CUZK_API cuzk_status cuzk_params_list_get(cuzk_params_file *out, const cuzk_params_list *list,
                                          size_t index);
CUZK_API int32_t cuzk_params_list_state(const cuzk_params_list *list, size_t index,
                                        const char *folder);
/**
 * Notes in folder (NULL: as cuzk_vk_load) that the digest of its copy of file index was right just now, so that the
 * state is CHECKED until the copy changes. E_NOT_FOUND: index, or no copy; E_IO: the folder cannot be written.
 */
CUZK_API cuzk_status cuzk_params_list_note(const cuzk_params_list *list, size_t index,
                                           const char *folder, cuzk_error *error);

/**
 * Digest of any file: first 16 bytes of BLAKE2b-512. progress is optional: step "digest", bytes read, size of the file.
 * E_NOT_FOUND, E_IO, E_NOMEM, E_CANCELLED.
 */
CUZK_API cuzk_status cuzk_params_digest(uint8_t digest[16], const char *path,
                                        cuzk_progress_fn progress, void *progress_arg,
                                        cuzk_error *error);

enum {
    CUZK_CHECK_DIGEST = 1, /* compare the digest */
    CUZK_CHECK_POINTS = 2  /* every point is on the curve and in the subgroup */
};
typedef struct cuzk_params_check_options {
    uint32_t struct_size;
    uint32_t checks;    /* CUZK_CHECK_... added up; 0: all of them */
    const char *digest; /* 32 hex digits; NULL: that of the network's file of the same name */
    uint32_t threads;   /* 0: all CPUs of the process */
    uint32_t reserved;  /* 0 */
    /** Optional: "points", 0 of 0, ten times a second; then "digest", bytes read. */
    cuzk_progress_fn progress;
    void *progress_arg;
} cuzk_params_check_options;

/**
 * Checks a .params or .vk file; options NULL: everything. The layout is always checked. E_NOT_FOUND:
 * no such file, or the digest is to be compared and the network has no file of this name; E_DIGEST;
 * E_FORMAT, E_ENCODING, E_NOT_ON_CURVE, E_NOT_IN_GROUP, E_INFINITY name section and index; E_IO;
 * E_CANCELLED. A network file whose digest was right is noted in its folder (docs/parameters.md).
 */
CUZK_API cuzk_status cuzk_params_check(const char *path, const cuzk_params_check_options *options,
                                       cuzk_error *error);

/** An opened .params file. */
typedef struct cuzk_params cuzk_params;

/**
 * Opens and indexes; checks layout and verifying key, not the other points. The file stays open, and may not be changed,
 * until cuzk_params_close. E_NOT_FOUND, E_IO, E_NOMEM; E_FORMAT, E_ENCODING, E_NOT_ON_CURVE, E_NOT_IN_GROUP, E_INFINITY:
 * what is wrong with it. Errors name the file.
 */
CUZK_API cuzk_status cuzk_params_open(cuzk_params **out, const char *path, cuzk_error *error);

/** What is checked of every point. */
enum {
    CUZK_POINTS_UNCHECKED = 0,
    CUZK_POINTS_ON_CURVE = 1,
    CUZK_POINTS_IN_GROUP = 2 /* on the curve, and in the subgroup */
};
typedef struct cuzk_params_open_options {
    uint32_t struct_size;
    int32_t points;    /* CUZK_POINTS_... */
    uint32_t threads;  /* 0: all CPUs of the process */
    uint32_t reserved; /* 0 */
    /** Optional: "points", 0 of 0, ten times a second: a way to stop. */
    cuzk_progress_fn progress;
    void *progress_arg;
} cuzk_params_open_options;
/** As cuzk_params_open, and checks the points as options say; NULL: it is cuzk_params_open. E_CANCELLED. */
CUZK_API cuzk_status cuzk_params_open_with(cuzk_params **out, const char *path,
                                           const cuzk_params_open_options *options,
                                           cuzk_error *error);
/** NULL is fine. @thread no other call on p. */
CUZK_API void cuzk_params_close(cuzk_params *p);

typedef struct cuzk_params_info {
    uint32_t struct_size;         /* set by the caller */
    uint32_t public_inputs;       /* ONE not counted */
    uint64_t h, l, a, b_g1, b_g2; /* points of each section */
    uint32_t has_transcript;      /* 1: a ceremony's transcript is behind the sections; else 0 */
    uint32_t contributions;       /* in the transcript */
    uint8_t circuit_hash[64];     /* of the transcript; else zeros */
    int32_t chain;                /* CUZK_CHAIN_...: how the contributions follow one another */
    uint32_t chain_at;            /* of CHAIN_HASH and CHAIN_STEP: which contribution, from 0 */
} cuzk_params_info;

/**
 * The chain of a transcript's contributions by the rules of the network's ceremony tool. Another tool may map hashes to
 * points in another way, so that a chain that does not hold is no error of the file. UNCHECKED unless the file was
 * opened with CUZK_POINTS_IN_GROUP.
 */
enum {
    CUZK_CHAIN_UNCHECKED = 0,
    CUZK_CHAIN_HOLDS = 1, /* each is a step from the one before, the last to the key's delta */
    CUZK_CHAIN_HASH = 2,  /* a contribution's hash is not that of what is before it */
    CUZK_CHAIN_STEP = 3,  /* hashes agree; a contribution is no step */
    CUZK_CHAIN_DELTA = 4  /* all steps hold; the key's delta in G2 is another than that in G1 */
};
/** E_INVALID: struct_size. */
CUZK_API cuzk_status cuzk_params_get_info(cuzk_params_info *out, const cuzk_params *p);
/** The verifying key inside; free with cuzk_vk_destroy. E_NOMEM. */
CUZK_API cuzk_status cuzk_params_vk(cuzk_vk **out, const cuzk_params *p, cuzk_error *error);

enum {
    CUZK_MAKE_INSECURE_SEED =
        1,                /* toxic waste from seed: equal files each time, anybody can forge */
    CUZK_MAKE_REPLACE = 2 /* overwrite files */
};
/** The compiled circuit of cuzk_params_make. */
typedef struct cuzk_params_made {
    uint32_t struct_size;   /* set by the caller */
    uint32_t lg_domain;     /* log2 of the size of the FFT */
    uint64_t constraints;   /* rows of the circuit */
    uint64_t public_inputs; /* ONE not counted */
    uint64_t aux_wires;     /* the other wires */
    uint64_t compile_ns;    /* time of compiling */
} cuzk_params_made;
typedef struct cuzk_params_make_options {
    uint32_t struct_size;
    uint32_t flags; /* CUZK_MAKE_... added up */
    uint64_t seed;
    uint32_t threads;  /* 0: all CPUs of the process */
    uint32_t reserved; /* 0 */
    /** Optional: "compiled" once, 0 of 0, when `made` is filled; then the section's name and points made. */
    cuzk_progress_fn progress;
    void *progress_arg;
    /** Optional; the caller's, its struct_size set. Filled even if the call fails later on. */
    cuzk_params_made *made;
} cuzk_params_make_options;

/**
 * Makes .params and .vk of a Filecoin circuit in folder, under the network's names, on the CPU. For
 * tests and private networks: proofs under them are valid nowhere else. Needs the memory of the
 * compiled circuit and some 130 MiB. E_EXISTS unless replaced; E_NOT_FOUND: no such folder; E_INVALID: no such circuit;
 * E_IO, E_NOMEM; E_CANCELLED: the folder is as before.
 */
CUZK_API cuzk_status cuzk_params_make(const char *folder, int32_t kind, uint64_t sector_bytes,
                                      const cuzk_params_make_options *options, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_PARAMS_H */
