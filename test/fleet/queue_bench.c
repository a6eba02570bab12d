/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/*
 * The shared queue alone: how many jobs 1 to 64 processes claim, start and end in a second, and how long a job
 * waits from accepting to its claim. Not a test; bench_queue.py starts a server and runs it:
 *
 *     queue_bench URL JOBS          one line per number of processes
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/pg/pg_store.h"

#include "libpq-fe.h"

#define LATENCY_JOBS 200
#define LATENCY_MS   20

static void die(const char *what, const char *why)
{
    (void)fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static cuzk_job_store join(const char *url, const char *name)
{
    cuzk_job_store s;
    cuzk_err err = {.msg = ""};
    const cuzk_pg_member m = {.name = name, .address = "", .version = "bench"};
    const cuzk_pg_config c = {.url = url, .member = &m, .retry_ms = 60000};
    if (cuzk_pg_store_open(&s, &c, NULL, &err) != CUZK_OK) {
        die("open", err.msg);
    }
    return s;
}

static uint64_t sql(const char *url, const char *text)
{
    PGconn *c = PQconnectdb(url);
    PGresult *r = PQexec(c, text);
    if (PQresultStatus(r) != PGRES_TUPLES_OK && PQresultStatus(r) != PGRES_COMMAND_OK) {
        die(text, PQerrorMessage(c));
    }
    const uint64_t v = PQntuples(r) > 0 ? strtoull(PQgetvalue(r, 0, 0), NULL, 10) : 0;
    PQclear(r);
    PQfinish(c);
    return v;
}

static void put(cuzk_job_store *s, uint64_t number)
{
    static uint8_t input[1024], proof[192];
    char id[64];
    cuzk_err err = {.msg = ""};
    (void)proof;
    (void)snprintf(id, sizeof(id), "job %llu", (unsigned long long)number);
    cuzk_job_record r = {.number = number, .job_id = id, .class_base = 2, .error = ""};
    r.request = (cuzk_job_request){.kind = CUZK_JOB_POREP,
                                   .request_id = {(const uint8_t *)id, strlen(id)},
                                   .vanilla_proof = {input, sizeof(input)}};
    memcpy(r.content, &number, sizeof(number));
    if (s->put(s->arg, &r, &err) != CUZK_OK) {
        die("put", err.msg);
    }
}

static void end_one(void *arg, const cuzk_job_record *j)
{
    cuzk_job_store *s = arg;
    static uint8_t proof[1920];
    cuzk_err err = {.msg = ""};
    cuzk_job_record r = *j;
    r.state = CUZK_JOB_COMPLETED;
    r.proof = (cuzk_bytes){proof, sizeof(proof)};
    if (s->shared->start(s->arg, r.number, &err) != CUZK_OK ||
        s->finish(s->arg, &r, &err) != CUZK_OK) {
        die("end", err.msg);
    }
}

static volatile sig_atomic_t stop;

static void on_term(int sig)
{
    (void)sig;
    stop = 1;
}

/* One claimer: waits for its standard input to be closed, then works until SIGTERM. */
static int claimer(const char *url, const char *name)
{
    char c;
    cuzk_err err = {.msg = ""};
    (void)signal(SIGTERM, on_term);
    cuzk_job_store s = join(url, name);
    (void)write(STDOUT_FILENO, "r", 1);
    while (read(STDIN_FILENO, &c, 1) > 0) {
    }
    while (stop == 0) {
        if (s.shared->claim(s.arg, 1, NULL, 0, end_one, &s, &err) != CUZK_OK) {
            die("claim", err.msg);
        }
        s.shared->wait(s.arg, stop == 0 ? 2 : 0);
    }
    s.destroy(s.arg);
    return 0;
}

typedef struct crew {
    pid_t pid[64];
    int n, go, ready;
} crew;

static void start_crew(crew *w, const char *url, int n)
{
    int in[2], out[2];
    if (pipe(in) != 0 || pipe(out) != 0) {
        die("pipe", "no descriptors");
    }
    w->n = n;
    for (int i = 0; i < n; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "claimer-%d", i);
        w->pid[i] = fork();
        if (w->pid[i] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            (void)dup2(in[0], STDIN_FILENO);
            (void)dup2(out[1], STDOUT_FILENO);
            (void)close(in[1]);
            (void)execl("/proc/self/exe", "queue_bench", "claimer", url, name, (char *)NULL);
            _exit(127);
        }
    }
    (void)close(in[0]);
    (void)close(out[1]);
    w->go = in[1];
    for (int i = 0; i < n; i++) {
        char c;
        if (read(out[0], &c, 1) != 1) {
            die("claimer", "it does not start");
        }
    }
    (void)close(out[0]);
}

static void end_crew(crew *w)
{
    for (int i = 0; i < w->n; i++) {
        (void)kill(w->pid[i], SIGTERM);
    }
    for (int i = 0; i < w->n; i++) {
        (void)waitpid(w->pid[i], NULL, 0);
    }
}

static void pause_ms(long ms)
{
    const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

static void wait_over(const char *url)
{
    while (sql(url, "SELECT count(*) FROM cuzk_job WHERE state < 2") != 0) {
        pause_ms(20);
    }
}

static void measure(cuzk_job_store *s, const char *url, uint64_t *number, int n, uint64_t jobs)
{
    static const char latency[] =
        "SELECT coalesce((percentile_cont(%s) WITHIN GROUP (ORDER BY"
        " extract(epoch FROM claimed_at - accepted_at) * 1e6))::bigint, 0) FROM cuzk_job";
    char text[300];
    crew w;
    (void)sql(url, "DELETE FROM cuzk_job");
    const uint64_t put_from = cuzk_clock_ns();
    for (uint64_t i = 0; i < jobs; i++) {
        put(s, (*number)++);
    }
    const double put_s = (double)(cuzk_clock_ns() - put_from) / 1e9;
    start_crew(&w, url, n);
    const uint64_t from = cuzk_clock_ns();
    (void)close(w.go);
    wait_over(url);
    const double claim_s = (double)(cuzk_clock_ns() - from) / 1e9;
    const uint64_t bytes = sql(url, "SELECT pg_total_relation_size('cuzk_job')");
    (void)sql(url, "DELETE FROM cuzk_job");
    for (int i = 0; i < LATENCY_JOBS; i++) {
        put(s, (*number)++);
        pause_ms(LATENCY_MS);
    }
    wait_over(url);
    (void)snprintf(text, sizeof(text), latency, "0.5");
    const uint64_t p50 = sql(url, text);
    (void)snprintf(text, sizeof(text), latency, "0.99");
    const uint64_t p99 = sql(url, text);
    end_crew(&w);
    (void)printf(
        "%3d processes: %7.0f jobs/s claimed, started and ended; %6.0f puts/s of one process; "
        "submit to claim %6.1f ms median, %6.1f ms 99 %%; %llu bytes a job with indexes\n",
        n, (double)jobs / claim_s, (double)jobs / put_s, (double)p50 / 1e3, (double)p99 / 1e3,
        (unsigned long long)(bytes / jobs));
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    uint64_t number = 0;
    if (argc == 4 && strcmp(argv[1], "claimer") == 0) {
        return claimer(argv[2], argv[3]);
    }
    if (argc != 3) {
        die("usage", "queue_bench URL JOBS");
    }
    cuzk_job_store s = join(argv[1], "front");
    if (s.load(s.arg, NULL, NULL, &number, NULL) != CUZK_OK) {
        die("load", "no number");
    }
    for (int n = 1; n <= 64; n *= 2) {
        measure(&s, argv[1], &number, n, strtoull(argv[2], NULL, 10));
    }
    s.destroy(s.arg);
    return 0;
}
