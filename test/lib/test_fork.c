/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * What <cuzk/cuzk.h> says of fork: a child process uses the keys of its parent, starts calls and provers of its own, while
 * threads of a prover of the parent are at work. And what it says of the process: signals and locale stay as they are.
 */
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuzk/params.h>
#include <cuzk/prove.h>

#include "test.h"

#define CHILDREN  4
#define ZKEY      "test/vectors/snarkjs/mixed.zkey"
#define WTNS      "test/vectors/circom/mixed.wtns"
#define CEREMONY  "fuzz/corpus/params/ceremony.params"
#define CHILD_MAX 600 /* seconds; a child that hangs is ended by SIGALRM */

#if defined(__SANITIZE_THREAD__)
#    define MAY_START_THREADS false /* ThreadSanitizer ends a child that does */
#elif defined(__has_feature)
#    if __has_feature(thread_sanitizer)
#        define MAY_START_THREADS false
#    endif
#endif
#ifndef MAY_START_THREADS
#    define MAY_START_THREADS true
#endif

static cuzk_error error; /* of the last call that failed */

/* Fails the case with the error's text unless the call gives CUZK_OK. */
#define NEED(call)                                                                        \
    do {                                                                                  \
        const cuzk_status st_ = (call);                                                   \
        CHECK_MSG(st_ == CUZK_OK, "%s: %s %s", #call, cuzk_status_name(st_), error.text); \
    } while (0)

/* Read once, and kept. */
static cuzk_input read_witness(void)
{
    static cuzk_input in;
    if (in.data == NULL) {
        in.data = test_read_file(WTNS, &in.size);
    }
    return in;
}

static cuzk_prove_request circom_request(const cuzk_input *witness, const cuzk_circom_key *key)
{
    return (cuzk_prove_request){.struct_size = sizeof(cuzk_prove_request),
                                .kind = CUZK_KIND_CIRCOM,
                                .inputs = witness,
                                .n_inputs = 1,
                                .circom_key = key};
}

/* Verifies with the parent's key and with one of its own; 0: as it should be. */
static int verify_in_child(const cuzk_vk *vk, const uint8_t proof[192], const uint8_t *inputs,
                           size_t n)
{
    uint8_t bytes[8192];
    cuzk_vk *own = NULL;
    const size_t size = cuzk_vk_bytes(vk);
    if (cuzk_verify(vk, proof, 192, inputs, n) != CUZK_VERIFY_OK || size > sizeof(bytes)) {
        return 1;
    }
    cuzk_vk_write(vk, bytes);
    if (cuzk_vk_read(&own, bytes, size) != CUZK_VERIFY_OK) {
        return 2;
    }
    const int bad = cuzk_verify(own, proof, 192, inputs, n) != CUZK_VERIFY_OK ? 3 : 0;
    cuzk_vk_destroy(own);
    return bad;
}

/* Calls that start threads, and a prover of its own. */
static int work_in_child(const cuzk_input *witness)
{
    const cuzk_params_open_options open = {
        .struct_size = sizeof(open), .points = CUZK_POINTS_IN_GROUP, .threads = 2};
    const cuzk_prover_options options = {
        .struct_size = sizeof(options), .threads = 2, .devices = "cpu"};
    cuzk_params *params = NULL;
    cuzk_prover *p = NULL;
    cuzk_circom_key *key = NULL;
    uint8_t proof[192];
    size_t n = 0;
    if (cuzk_params_open_with(&params, CEREMONY, &open, NULL) != CUZK_OK) {
        return 11;
    }
    cuzk_params_close(params);
    if (cuzk_prover_create(&p, &options, NULL) != CUZK_OK ||
        cuzk_circom_key_load(&key, p, ZKEY, NULL) != CUZK_OK) {
        return 12;
    }
    const cuzk_prove_request rq = circom_request(witness, key);
    if (cuzk_prover_prove(p, proof, sizeof(proof), &n, &rq, NULL) != CUZK_OK || n != 192) {
        return 13;
    }
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
    return 0;
}

static void await_child(pid_t child)
{
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK_MSG(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ended with %s %d",
              WIFEXITED(status) ? "status" : "signal",
              WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

static void children_of_a_busy_parent(void)
{
    const cuzk_prover_options options = {
        .struct_size = sizeof(options), .threads = 2, .workers = 2, .devices = "cpu"};
    const cuzk_input witness = read_witness();
    cuzk_prover *p = NULL;
    cuzk_circom_key *key = NULL;
    cuzk_task *first = NULL, *tasks[2 * CHILDREN] = {NULL};
    uint8_t proof[192], inputs[64 * 32];
    size_t n = 0;
    NEED(cuzk_prover_create(&p, &options, &error));
    NEED(cuzk_circom_key_load(&key, p, ZKEY, &error));
    const cuzk_prove_request rq = circom_request(&witness, key);
    NEED(cuzk_prover_submit(&first, p, &rq, &error));
    (void)cuzk_task_wait(first, -1);
    NEED(cuzk_task_result(first, proof, sizeof(proof), NULL, &error));
    NEED(cuzk_task_public(first, inputs, 64, &n, &error));
    cuzk_task_destroy(first);
    for (size_t i = 0; i < CHILDREN; i++) {
        NEED(cuzk_prover_submit(&tasks[2 * i], p, &rq, &error));
        NEED(cuzk_prover_submit(&tasks[2 * i + 1], p, &rq, &error));
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            (void)alarm(CHILD_MAX);
            int bad = verify_in_child(cuzk_circom_key_vk(key), proof, inputs, n);
            if (bad == 0 && MAY_START_THREADS) {
                bad = work_in_child(&witness);
            }
            _exit(bad);
        }
        await_child(child);
    }
    for (size_t i = 0; i < sizeof(tasks) / sizeof(tasks[0]); i++) {
        (void)cuzk_task_wait(tasks[i], -1);
        NEED(cuzk_task_result(tasks[i], proof, sizeof(proof), NULL, &error));
        cuzk_task_destroy(tasks[i]);
    }
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
}

/* No handler is installed, no signal is blocked in the caller's thread, the locale is what it was. */
static void the_process_stays_as_it_was(void)
{
    const cuzk_prover_options options = {
        .struct_size = sizeof(options), .threads = 2, .devices = "cpu"};
    struct sigaction before[32], after;
    sigset_t mask_before, mask_after;
    char locale[64];
    cuzk_prover *p = NULL;
    cuzk_circom_key *key = NULL;
    uint8_t proof[192];
    size_t n = 0;
    const cuzk_input witness = read_witness();
    for (int sig = 1; sig < 32; sig++) {
        CHECK(sigaction(sig, NULL, &before[sig]) == 0);
    }
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask_before) == 0);
    (void)snprintf(locale, sizeof(locale), "%s", setlocale(LC_ALL, NULL));
    NEED(cuzk_prover_create(&p, &options, &error));
    NEED(cuzk_circom_key_load(&key, p, ZKEY, &error));
    const cuzk_prove_request rq = circom_request(&witness, key);
    NEED(cuzk_prover_prove(p, proof, sizeof(proof), &n, &rq, &error));
    cuzk_circom_key_destroy(key);
    cuzk_prover_destroy(p);
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask_after) == 0);
    for (int sig = 1; sig < 32; sig++) {
        CHECK(sigaction(sig, NULL, &after) == 0);
        CHECK_MSG(after.sa_handler == before[sig].sa_handler, "the handler of signal %d", sig);
        CHECK(sigismember(&mask_after, sig) == sigismember(&mask_before, sig));
    }
    CHECK(strcmp(locale, setlocale(LC_ALL, NULL)) == 0);
}

static const cuzk_case cases[] = {CASE(children_of_a_busy_parent),
                                  CASE(the_process_stays_as_it_was)};
TEST_MAIN("lib/fork", cases)
