/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_FILECOIN_H
#define CUZK_FILECOIN_H

/*
 * Verification of Filecoin's proofs from what the chain knows: numbers and commitments. The public
 * inputs are derived from these alone. No threads, no global state; files only in cuzk_vk_load.
 *
 *   cuzk_seal_claim claim = {.struct_size = sizeof(claim), .registered_proof = 8, ...};
 *   cuzk_vk *vk;
 *   if (cuzk_vk_load(&vk, CUZK_KIND_POREP, 34359738368, NULL, &error) == CUZK_OK &&
 *       cuzk_verify_seal(vk, proof, proof_bytes, &claim, &error) == CUZK_OK) { ... proven ... }
 *
 * Every 32-byte value is in the byte order of the chain. Anything but CUZK_OK means: not proven. Bytes and claims are read
 * during the call only; any number of threads may use one key. Verification takes some MiB for the time of the call: E_NOMEM.
 */
#include <cuzk/cuzk.h>
#include <cuzk/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Kinds of proof. */
enum {
    CUZK_KIND_POREP = 0,   /* ProveCommit */
    CUZK_KIND_WINNING = 1, /* WinningPoSt */
    CUZK_KIND_WINDOW = 2,  /* one partition of a WindowPoSt */
    CUZK_KIND_UPDATE = 3   /* SnapDeals (empty sector update) */
};

/** "porep", "winning", "window", "update"; "unknown" for another number. Static. */
CUZK_API const char *cuzk_kind_name(int32_t kind);
/** Partitions of a whole proof of a registered type, 192 bytes each; 0: there is no such type.
 * WinningPoSt: 1. WindowPoSt: 1, since each partition is a proof of its own. */
CUZK_API uint32_t cuzk_kind_partitions(int32_t kind, uint64_t registered_proof);
/** Sector size in bytes of a registered type; 0: there is no such type. */
CUZK_API uint64_t cuzk_kind_sector_bytes(int32_t kind, uint64_t registered_proof);

/**
 * The verifying key of a circuit: the .vk file in folder, or else the key inside its .params file.
 * folder NULL: $FIL_PROOFS_PARAMETER_CACHE, or else /var/tmp/filecoin-proof-parameters. E_NOT_FOUND
 * names folder and file; E_FORMAT and others name the file. Free with cuzk_vk_destroy.
 */
CUZK_API cuzk_status cuzk_vk_load(cuzk_vk **out, int32_t kind, uint64_t sector_bytes,
                                  const char *folder, cuzk_error *error);

enum {
    CUZK_CLAIM_ONE_PARTITION = 1, /* the proof is of `partition` alone: 192 bytes */
    CUZK_CLAIM_REPLICA_ID =
        2 /* seal: replica_id counts, miner_id, sector_number and ticket do not */
};

/** What a PoRep proof says. */
typedef struct cuzk_seal_claim {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t registered_proof; /* RegisteredSealProof, 0 to 19 */
    uint64_t miner_id;         /* actor id */
    uint64_t sector_number;
    uint8_t ticket[32]; /* SealRandomness */
    uint8_t seed[32];   /* InteractiveRandomness; not used by non-interactive types */
    uint8_t comm_r[32]; /* sealed CID's hash */
    uint8_t comm_d[32]; /* unsealed CID's hash */
    uint32_t flags;     /* CUZK_CLAIM_... added up */
    uint32_t partition; /* with ONE_PARTITION; else 0 */
    uint8_t replica_id[32];
} cuzk_seal_claim;

/**
 * proof: [partitions * 192] in the order of partitions; another length is E_INVALID. vk: of
 * CUZK_KIND_POREP and the type's sector size. E_PROOF_FALSE names the partition; E_INVALID: the
 * claim has no such type, flag or partition, or a commitment that is no field element.
 */
CUZK_API cuzk_status cuzk_verify_seal(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                                      const cuzk_seal_claim *claim, cuzk_error *error);

/**
 * Public inputs of the claim's partitions, one after another, for <cuzk/verify.h> and
 * <cuzk/aggregate.h>: out [capacity * 32] little-endian gets *n. E_INVALID with *n set when capacity is
 * less; other errors as cuzk_verify_seal.
 */
CUZK_API cuzk_status cuzk_seal_inputs(uint8_t *out, size_t capacity, size_t *n,
                                      const cuzk_seal_claim *claim, cuzk_error *error);

/** A sector as the chain knows it: 40 bytes, this layout for ever. */
typedef struct cuzk_sector {
    uint64_t number;
    uint8_t comm_r[32];
} cuzk_sector;

/** What a WinningPoSt or one partition of a WindowPoSt says. */
typedef struct cuzk_post_claim {
    uint32_t struct_size;
    uint32_t partition;         /* WindowPoSt: its index in the deadline's proof. Else 0 */
    uint64_t registered_proof;  /* RegisteredPoStProof, 0 to 14 */
    const cuzk_sector *sectors; /* [n_sectors] those of the partition, in order */
    size_t n_sectors;           /* WinningPoSt: 1 */
    uint8_t randomness[32];     /* the two highest bits of the last byte are ignored */
    uint64_t sector_bytes;      /* other than 0: the proof is of kind and sectors of this size */
    int32_t kind;               /* with sector_bytes: CUZK_KIND_WINNING or CUZK_KIND_WINDOW */
    uint32_t reserved;          /* 0 */
} cuzk_post_claim;

/**
 * proof: 192 bytes. With sector_bytes, registered_proof does not count: for sizes that have no
 * registered type; a WindowPoSt is then of V1_1. Errors as cuzk_verify_seal.
 */
CUZK_API cuzk_status cuzk_verify_post(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                                      const cuzk_post_claim *claim, cuzk_error *error);

/** What a SnapDeals proof says. */
typedef struct cuzk_update_claim {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t registered_proof; /* RegisteredUpdateProof, 0 to 4 */
    uint8_t comm_r_old[32];
    uint8_t comm_r_new[32];
    uint8_t comm_d_new[32];
    uint64_t sector_bytes; /* other than 0: this size, and registered_proof does not count */
    uint32_t flags;        /* CUZK_CLAIM_ONE_PARTITION or 0 */
    uint32_t partition;    /* with ONE_PARTITION; else 0 */
} cuzk_update_claim;

/** proof: [partitions * 192] in the order of partitions. Errors as cuzk_verify_seal. */
CUZK_API cuzk_status cuzk_verify_update(const cuzk_vk *vk, const uint8_t *proof, size_t proof_bytes,
                                        const cuzk_update_claim *claim, cuzk_error *error);

#ifdef __cplusplus
}
#endif

#endif /* CUZK_FILECOIN_H */
