/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "circuit/param_name.h"

#include "test.h"

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

/* SHA-256 in the published file names (docs/params-format.md#names). */
static const uint64_t sizes[5] = {2 * KIB, 8 * MIB, 512 * MIB, 32 * GIB, 64 * GIB};
static const char *const trees[5] = {"8-0-0", "8-0-0", "8-0-0", "8-8-0", "8-8-2"};
static const char *const sums[CUZK_CIRCUIT_N_KINDS][5] = {
    {"032d3138d22506ec0082ed72b2dcba18df18477904e35bafee82b3793b06832f",
     "ecd683648512ab1765faa2a5f14bab48f676e633467f0aa8aad4b55dcb0652bb",
     "6babf46ce344ae495d558e7770a585b2382d54f225af8ed0397b8be7c3fcd472",
     "82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820",
     "96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2"},
    {"3ea05428c9d11689f23529cde32fd30aabd50f7d2c93657c1d3650bca3e8ea9e",
     "50c7368dea9593ed0989e70974d28024efa9d156d585b7eea1be22b2e753f331",
     "7d739b8cf60f1b0709eeebee7730e297683552e4b69cab6984ec0285663c5781",
     "559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e",
     "b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c"},
    {"0170db1f394b35d995252228ee359194b13199d259380541dc529fb0099096b0",
     "5294475db5237a2e83c3e52fd6c2b03859a1831d45ed08c4f35dbf9a803165a9",
     "0cfb4f178bbb71cf2ecfcd42accce558b27199ab4fb59cb78f2483fe21ef36d9",
     "0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc",
     "2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def"},
    {"fb9e095bebdd77511c0269b967b4d87ba8b8a525edaa0e165de23ba454510194",
     "92180959e1918d26350b8e6cfe217bbdd0a2d8de51ebec269078b364b715ad63",
     "61fa69f38b9cc771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c",
     "3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18",
     "102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7"}};

static void published_names(void)
{
    static const char *const format[CUZK_CIRCUIT_N_KINDS] = {
        "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-%s-sha256_hasher-%s.%s",
        "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-%s-%s.%s",
        "v28-proof-of-spacetime-fallback-merkletree-poseidon_hasher-%s-%s.%s",
        "v28-empty-sector-update-merkletree-poseidon_hasher-%s-%s.%s"};
    static const char *const ext[3] = {"params", "vk", "meta"};
    for (unsigned k = 0; k < CUZK_CIRCUIT_N_KINDS; k++) {
        for (unsigned i = 0; i < 5; i++) {
            cuzk_circuit_spec spec;
            CHECK_STATUS(cuzk_circuit_spec_of(&spec, (cuzk_circuit_kind)k, sizes[i], NULL),
                         CUZK_OK);
            for (unsigned f = 0; f < 3; f++) {
                char got[CUZK_PARAM_NAME_BYTES], want[CUZK_PARAM_NAME_BYTES];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
                (void)snprintf(want, sizeof(want), format[k], trees[i], sums[k][i], ext[f]);
#pragma GCC diagnostic pop
                CHECK_STR(cuzk_param_file_name(got, &spec, (cuzk_param_file)f), want);
            }
        }
    }
}

static void identifiers(void)
{
    static const struct {
        cuzk_circuit_kind kind;
        uint64_t bytes;
        const char *want;
    } t[] = {
        {CUZK_CIRCUIT_POREP, 32 * GIB,
         "layered_drgporep::PublicParams{ graph: stacked_graph::StackedGraph{expansion_degree: 8 "
         "base_graph: drgraph::BucketGraph{size: 1073741824; degree: 6; hasher: poseidon_hasher} "
         "}, challenges: LayerChallenges { layers: 11, max_count: 18 }, tree: "
         "merkletree-poseidon_hasher-8-8-0 }"},
        {CUZK_CIRCUIT_WINNING, 2 * KIB,
         "FallbackPoSt::PublicParams{sector_size: 2048, challenge_count: 1, sector_count: 66}"},
        {CUZK_CIRCUIT_WINDOW, 64 * GIB,
         "FallbackPoSt::PublicParams{sector_size: 68719476736, challenge_count: 10, "
         "sector_count: 2300}"},
        {CUZK_CIRCUIT_UPDATE, 8 * MIB, "empty_sector_update::PublicParams{ sector_nodes: 262144 }"},
    };
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        cuzk_circuit_spec spec;
        char got[CUZK_PARAM_ID_BYTES];
        CHECK_STATUS(cuzk_circuit_spec_of(&spec, t[i].kind, t[i].bytes, NULL), CUZK_OK);
        CHECK_STR(cuzk_param_identifier(got, &spec), t[i].want);
    }
}

/* Sizes without published parameters; the beginnings of their sums are known. */
static void test_sizes(void)
{
    static const struct {
        uint64_t bytes;
        const char *start;
    } t[] = {{4 * KIB, "8-2-0-sha256_hasher-71fadf77"},
             {16 * KIB, "8-8-0-sha256_hasher-5d6414be"},
             {32 * KIB, "8-8-2-sha256_hasher-2a21b24b"}};
    const char *front = "v28-stacked-proof-of-replication-merkletree-poseidon_hasher-";
    for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        cuzk_circuit_spec spec;
        char got[CUZK_PARAM_NAME_BYTES], want[CUZK_PARAM_NAME_BYTES];
        CHECK_STATUS(cuzk_circuit_spec_of(&spec, CUZK_CIRCUIT_POREP, t[i].bytes, NULL), CUZK_OK);
        (void)cuzk_param_file_name(got, &spec, CUZK_PARAM_FILE_PARAMS);
        const int n = snprintf(want, sizeof(want), "%s%s", front, t[i].start);
        got[n] = '\0';
        CHECK_STR(got, want);
    }
}

static const cuzk_case cases[] = {CASE(published_names), CASE(identifiers), CASE(test_sizes)};
TEST_MAIN("circuit/param_name", cases)
