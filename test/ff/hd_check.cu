/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The lane arithmetic of ff/fr_hd.h and ff/fp_hd.h: device results equal host results, on random
 * and edge values. Exit 0 equal, 1 different or CUDA error, 77 no device.
 */
#include <cstdio>
#include <cstring>

#include "ff/fp_hd.h"
#include "ff/fr_hd.h"

#define COUNT 4096

typedef struct lane {
    cuzk_fp a, b, p_add, p_sub, p_mul, p_neg;
    cuzk_fr r, s, r_add, r_sub, r_mul, r_neg;
} lane;

static __host__ __device__ void compute(lane *l)
{
    cuzk_fp_add_hd(&l->p_add, &l->a, &l->b);
    cuzk_fp_sub_hd(&l->p_sub, &l->a, &l->b);
    cuzk_fp_mul_hd(&l->p_mul, &l->a, &l->b);
    cuzk_fp_neg_hd(&l->p_neg, &l->a);
    cuzk_fr_add_hd(&l->r_add, &l->r, &l->s);
    cuzk_fr_sub_hd(&l->r_sub, &l->r, &l->s);
    cuzk_fr_mul_hd(&l->r_mul, &l->r, &l->s);
    cuzk_fr_neg_hd(&l->r_neg, &l->r);
}

static __global__ void kernel(lane *lanes)
{
    compute(&lanes[blockIdx.x * blockDim.x + threadIdx.x]);
}

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

/* 0, 1, mod - 1, or random below mod (the top limb is cut until it fits). */
static void fill(uint64_t *out, const uint64_t *mod, int n, uint64_t *state)
{
    const uint64_t kind = next(state) % 8;
    for (int i = 0; i < n; i++) {
        out[i] = kind < 2 ? (i == 0 ? kind : 0) : kind == 2 ? mod[i] : next(state);
    }
    if (kind == 2) {
        out[0]--;
    } else if (kind > 2) {
        out[n - 1] %= mod[n - 1];
    }
}

static bool is_ok(cudaError_t e, const char *what)
{
    if (e != cudaSuccess) {
        std::printf("%s: %s\n", what, cudaGetErrorString(e));
    }
    return e == cudaSuccess;
}

int main()
{
    static const uint64_t q[6] = CUZK_FP_MOD_LIMBS, r[4] = CUZK_FR_MOD_LIMBS;
    static lane host[COUNT], device[COUNT];
    uint64_t state = 1;
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("skipped: no CUDA device\n");
        return 77;
    }
    for (int i = 0; i < COUNT; i++) {
        fill(host[i].a.l, q, 6, &state);
        fill(host[i].b.l, q, 6, &state);
        fill(host[i].r.l, r, 4, &state);
        fill(host[i].s.l, r, 4, &state);
    }
    lane *d = nullptr;
    bool ok = is_ok(cudaMalloc((void **)&d, sizeof(host)), "cudaMalloc") &&
              is_ok(cudaMemcpy(d, host, sizeof(host), cudaMemcpyHostToDevice), "copy in");
    if (ok) {
        kernel<<<COUNT / 128, 128>>>(d);
        ok = is_ok(cudaGetLastError(), "launch") &&
             is_ok(cudaMemcpy(device, d, sizeof(host), cudaMemcpyDeviceToHost), "copy out");
    }
    int bad = 0;
    for (int i = 0; ok && i < COUNT; i++) {
        compute(&host[i]);
        bad += std::memcmp(&host[i], &device[i], sizeof(lane)) != 0;
    }
    (void)cudaFree(d);
    std::printf("%d of %d lanes differ\n", bad, COUNT);
    return ok && bad == 0 ? 0 : 1;
}
