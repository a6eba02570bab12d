/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * Sealed sectors of 32 and 64 GiB as sparse files. On the disk are only the leaves that are not zero and, in the files of
 * the trees, the nodes that lie next to the path of a challenge. Every other node of a tree is a hole: it reads
 * as zeros, which is no node of the tree, so a proof that reads another place does not lead to the root. The bytes that
 * the process read are counted by the kernel, too.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "vanilla/generate/sparse_tree.h"
#include "vanilla/sealed/sealed.h"

#include "test.h"

#define DISCARDED \
    2u /* rows that tree-r-last leaves out, as sealing software has it for these sizes */
#define LEVELS     9u /* of a base tree */
#define BLOCK      ((uint64_t)512 * 32)
#define PATH_BYTES ((LEVELS - DISCARDED - 1) * (uint64_t)8 * 32)

typedef struct sector {
    const cuzk_sector_shape *shape;
    char dir[256], replica[300];
    cuzk_sparse_tree tree;
    const cuzk_hashes *h;
} sector;

static int sparse_file(const char *path, uint64_t bytes)
{
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    CHECK_MSG(fd >= 0, "%s", path);
    if (ftruncate(fd, (off_t)bytes) != 0) {
        (void)close(fd);
        cuzk_test_skip("the file system has no sparse files of this size");
    }
    return fd;
}

static void put(int fd, uint64_t node, const cuzk_node *value)
{
    CHECK(pwrite(fd, value->b, 32, (off_t)(node * 32)) == 32);
}

static int by_index(const void *a, const void *b)
{
    const uint64_t x = ((const cuzk_sparse_node *)a)->index,
                   y = ((const cuzk_sparse_node *)b)->index;
    return x < y ? -1 : x > y;
}

/* Replica and tree of a sector that has zeros everywhere but in leaves [n], which are sorted. */
static void sector_make(sector *s, const char *name, uint64_t bytes, cuzk_sparse_node *leaves,
                        size_t n, const cuzk_hashes *h)
{
    uint8_t arity[16];
    cuzk_err err;
    const cuzk_node zero = {{0}};
    *s = (sector){.shape = cuzk_sector_shape_of(bytes), .h = h};
    (void)snprintf(s->dir, sizeof(s->dir), "%s/%s", test_tmpdir(), name);
    (void)snprintf(s->replica, sizeof(s->replica), "%s/replica", s->dir);
    CHECK(mkdir(s->dir, 0700) == 0);
    if (n > 0) {
        qsort(leaves, n, sizeof(*leaves), by_index);
    }
    const unsigned levels = cuzk_tree_levels(s->shape, arity);
    CHECK_OK(cuzk_sparse_tree_build(&s->tree, CUZK_TREE_POSEIDON, arity, levels, &zero, leaves, n,
                                    h, &err),
             &err);
    const int fd = sparse_file(s->replica, bytes);
    for (size_t i = 0; i < n; i++) {
        put(fd, leaves[i].index, &leaves[i].value);
    }
    CHECK(close(fd) == 0);
}

/* Nodes of tree k, in its file, that stand next to the path of a leaf. */
static void put_path(int fd, const sector *s, uint64_t leaf)
{
    const uint64_t k = leaf >> (3 * LEVELS);
    uint64_t row_start = 0;
    for (unsigned row = DISCARDED + 1; row < LEVELS; row++) {
        const uint64_t first = leaf >> (3 * row) & ~(uint64_t)7,
                       n = (uint64_t)1 << (3 * (LEVELS - row));
        for (uint64_t i = 0; i < 8; i++) {
            put(fd, row_start + first + i - k * n, cuzk_sparse_tree_node(&s->tree, row, first + i));
        }
        row_start += n;
    }
}

/* The cache of a sector that is finalised: p_aux and tree-r-last, with the paths of challenges [n] only. */
static void cache_make(const sector *s, const uint64_t *challenges, size_t n)
{
    char path[300];
    const unsigned n_trees = 8u * (s->shape->top_arity != 0 ? s->shape->top_arity : 1u);
    uint64_t nodes = 0;
    cuzk_node aux[2] = {{{7}}, *cuzk_sparse_tree_root(&s->tree)};
    for (unsigned row = DISCARDED + 1; row <= LEVELS; row++) {
        nodes += (uint64_t)1 << (3 * (LEVELS - row));
    }
    for (unsigned k = 0; k < n_trees; k++) {
        (void)snprintf(path, sizeof(path), "%s/sc-02-data-tree-r-last-%u.dat", s->dir, k);
        const int fd = sparse_file(path, nodes * 32);
        for (size_t i = 0; i < n; i++) {
            if (challenges[i] >> (3 * LEVELS) == k) {
                put_path(fd, s, challenges[i]);
            }
        }
        put(fd, nodes - 1, cuzk_sparse_tree_node(&s->tree, LEVELS, k));
        CHECK(close(fd) == 0);
    }
    (void)snprintf(path, sizeof(path), "%s/p_aux", s->dir);
    const int fd = sparse_file(path, 0);
    CHECK(write(fd, aux, sizeof(aux)) == (ssize_t)sizeof(aux) && close(fd) == 0);
}

/* Bytes that the process has read so far, of any file, as the kernel counts them. */
static uint64_t kernel_bytes_read(void)
{
    unsigned long long n = 0;
    FILE *f = fopen("/proc/self/io", "r");
    if (f == NULL) {
        cuzk_test_skip("no /proc/self/io");
    }
    CHECK(fscanf(f, "rchar: %llu", &n) == 1);
    CHECK(fclose(f) == 0);
    return n;
}

typedef struct reading {
    uint64_t bytes, ns;
} reading;

static reading reading_begin(void)
{
    return (reading){kernel_bytes_read(), cuzk_clock_ns()};
}

/* want: what a sector's proof may read. The count of the kernel has /proc/self/io and p_aux, too. */
static void reading_end(const reading *r, const char *what, uint64_t own, uint64_t want)
{
    const uint64_t bytes = kernel_bytes_read() - r->bytes;
    printf("      %s: %llu bytes read, %.3f s\n", what, (unsigned long long)bytes,
           (double)(cuzk_clock_ns() - r->ns) / 1e9);
    CHECK_U64(own, want);
    CHECK_MSG(bytes >= want && bytes <= want + 8192, "%llu bytes read, not %llu",
              (unsigned long long)bytes, (unsigned long long)want);
}

static void post(uint64_t bytes, bool is_window, const char *what, const cuzk_hashes *h)
{
    sector s;
    cuzk_err err;
    cuzk_sealed *sealed = NULL;
    cuzk_post_input *in;
    uint64_t challenge[CUZK_WINNING_SECTORS];
    cuzk_sparse_node leaves[2 * CUZK_WINNING_SECTORS];
    const unsigned n = is_window ? CUZK_WINDOW_CHALLENGES : CUZK_WINNING_SECTORS;
    cuzk_post_statement st = {.type = {.number = UINT64_MAX,
                                       .sector_bytes = bytes,
                                       .is_window = is_window,
                                       .is_v1_2 = is_window}};
    test_bytes(st.randomness.b, 31);
    for (unsigned i = 0; i < n; i++) {
        challenge[i] = cuzk_post_leaf_challenge(&st.randomness, 77, i, bytes / 32);
        for (unsigned k = 0; k < 2; k++) { /* the leaf, and another one of its block */
            leaves[2 * i + k].index = challenge[i] ^ (k * 311);
            test_bytes(leaves[2 * i + k].value.b, 31);
            leaves[2 * i + k].value.b[31] = 0;
        }
    }
    sector_make(&s, what, bytes, leaves, (size_t)2 * n, h);
    cache_make(&s, challenge, n);
    const reading r = reading_begin();
    CHECK_OK(cuzk_sealed_open(&sealed, s.replica, s.dir, h, &err), &err);
    CHECK_OK(cuzk_post_input_create(&in, &err), &err);
    CHECK_OK(cuzk_sealed_post(in, sealed, 77, &st, 0, &err), &err);
    const uint64_t trees = 8u * (s.shape->top_arity != 0 ? s.shape->top_arity : 1u);
    reading_end(&r, what, cuzk_sealed_bytes_read(sealed), trees * 32 + n * (BLOCK + PATH_BYTES));
    CHECK_OK(cuzk_post_check(in, &st, h, NULL, NULL, &err), &err);
    cuzk_post_input_destroy(in);
    cuzk_sealed_close(sealed);
    cuzk_sparse_tree_free(&s.tree);
}

static void posts(void)
{
    cuzk_err err;
    cuzk_hashes *h;
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    post((uint64_t)32 << 30, true, "WindowPoSt, 32 GiB", h);
    post((uint64_t)64 << 30, true, "WindowPoSt, 64 GiB", h);
    post((uint64_t)32 << 30, false, "WinningPoSt, 32 GiB", h);
    cuzk_hashes_destroy(h);
}

/* tree-d of zeros: the apex of a partition, and the siblings of challenges [n]. Returns its root. */
static cuzk_node data_tree(const sector *s, uint32_t partition, const uint32_t *challenges,
                           size_t n)
{
    char path[300];
    cuzk_err err;
    cuzk_sparse_tree t;
    uint8_t arity[CUZK_SPARSE_MAX_LEVELS];
    const unsigned levels = s->shape->lg_nodes, apex = s->shape->apex_leaves;
    const unsigned apex_row = levels - (unsigned)__builtin_ctz(s->shape->update_partitions) -
                              (unsigned)__builtin_ctz(apex);
    const cuzk_node zero = {{0}};
    memset(arity, 2, sizeof(arity));
    CHECK_OK(
        cuzk_sparse_tree_build(&t, CUZK_TREE_SHA256, arity, levels, &zero, NULL, 0, s->h, &err),
        &err);
    (void)snprintf(path, sizeof(path), "%s/sc-02-data-tree-d.dat", s->dir);
    const uint64_t nodes = ((uint64_t)2 << levels) - 1;
    const int fd = sparse_file(path, nodes * 32);
    uint64_t row_start = 0;
    for (unsigned row = 0; row < levels; row++) {
        for (size_t i = 0; i < n; i++) {
            put(fd, row_start + ((challenges[i] >> row) ^ 1), cuzk_sparse_tree_node(&t, row, 0));
        }
        for (unsigned i = 0; row == apex_row && i < apex; i++) {
            put(fd, row_start + (uint64_t)partition * apex + i, cuzk_sparse_tree_node(&t, row, 0));
        }
        row_start += (uint64_t)1 << (levels - row);
    }
    const cuzk_node root = *cuzk_sparse_tree_root(&t);
    put(fd, nodes - 1, &root);
    CHECK(close(fd) == 0);
    cuzk_sparse_tree_free(&t);
    return root;
}

/* One of sixteen partitions of an update; the two replicas differ in a leaf that is not challenged. */
static void update(void)
{
    enum { PARTITION = 11 };
    sector from, to;
    cuzk_err err;
    cuzk_hashes *h;
    cuzk_sealed *a = NULL, *b = NULL;
    cuzk_update_input *in = NULL;
    cuzk_update_statement st;
    cuzk_node digest, aux[2] = {{{7}}, {{0}}};
    cuzk_fr x[2], y;
    uint32_t node[UINT8_MAX];
    uint64_t challenge[UINT8_MAX];
    cuzk_sparse_node leaf = {.index = 5, .value = {{9}}};
    CHECK_OK(cuzk_hashes_create(&h, &err), &err);
    sector_make(&from, "old", (uint64_t)32 << 30, NULL, 0, h);
    sector_make(&to, "new", (uint64_t)32 << 30, &leaf, 1, h);
    aux[1] = *cuzk_sparse_tree_root(&to.tree);
    CHECK(cuzk_fr_from_bytes_le(&x[0], aux[0].b) && cuzk_fr_from_bytes_le(&x[1], aux[1].b));
    cuzk_poseidon_hash(&y, h->p2, x);
    cuzk_fr_to_bytes_le(digest.b, &y);
    CHECK_OK(cuzk_update_challenges(node, to.shape, h->p2, &digest, PARTITION, &err), &err);
    const unsigned n = to.shape->update_challenges;
    for (unsigned i = 0; i < n; i++) {
        challenge[i] = node[i];
    }
    cache_make(&from, challenge, n);
    cache_make(&to, challenge, n);
    const cuzk_node comm_d = data_tree(&to, PARTITION, node, n);
    const reading r = reading_begin();
    CHECK_OK(cuzk_sealed_open(&a, from.replica, from.dir, h, &err), &err);
    CHECK_OK(cuzk_sealed_open(&b, to.replica, to.dir, h, &err), &err);
    CHECK_OK(cuzk_sealed_update(&in, &st, a, b, PARTITION, &err), &err);
    const uint64_t data =
        n * (1 + (uint64_t)to.shape->lg_nodes) * 32 + 32 + (uint64_t)to.shape->apex_leaves * 32;
    reading_end(&r, "SnapDeals, a partition, 32 GiB",
                cuzk_sealed_bytes_read(a) + cuzk_sealed_bytes_read(b),
                2 * (8 * 32 + n * (BLOCK + PATH_BYTES)) + data);
    CHECK_MEM(st.comm_d_new.b, comm_d.b, 32);
    CHECK_MEM(st.comm_r_new.b, digest.b, 32);
    CHECK_OK(cuzk_update_check(in, &st, h, NULL, NULL, &err), &err);
    cuzk_update_input_destroy(in);
    cuzk_sealed_close(a);
    cuzk_sealed_close(b);
    cuzk_sparse_tree_free(&from.tree);
    cuzk_sparse_tree_free(&to.tree);
    cuzk_hashes_destroy(h);
}

static const cuzk_case cases[] = {CASE(posts), CASE(update)};
TEST_MAIN("vanilla/sealed_large", cases)
