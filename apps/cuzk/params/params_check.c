/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "apps/cuzk/commands.h"
#include "base/clock.h"

#include "network.h"

static const struct argp_option options[] = {NETWORK_OPTIONS, NETWORK_OPTION_POINTS, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    network_opts *o = state->input;
    switch (key) {
    case OPT_NET_POINTS: o->points = true; return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1) {
            argp_error(state, "too many arguments");
        }
        *(state->arg_num == 0 ? &o->given : &o->size) = arg;
        return 0;
    default: return network_parse(key, arg, state);
    }
}

/* The files that are there, shared out among the threads of the pool; each is hashed by one thread. */
typedef struct checking {
    network_opts *o;
    int32_t states[NETWORK_FILES_MAX];
    cuzk_status status[NETWORK_FILES_MAX];
    cuzk_err errors[NETWORK_FILES_MAX];
    _Atomic uint64_t done;
    uint64_t total;
} checking;

/* The bar belongs to the calling thread, which hashes too; the other threads only count. */
typedef struct counter {
    checking *c;
    uint64_t seen; /* bytes of the file so far */
    bool draws;
} counter;

static int32_t count(void *arg, const char *step, uint64_t read, uint64_t size)
{
    counter *k = arg;
    const uint64_t more = read - k->seen;
    const uint64_t done = atomic_fetch_add(&k->c->done, more) + more;
    (void)size;
    k->seen = read;
    if (k->draws) {
        app_progress(&k->c->o->a, step, done, k->c->total);
    }
    return cuzk_cancel_requested(k->c->o->a.cancel) ? 1 : 0;
}

static cuzk_status check_one(checking *c, size_t i, bool draws)
{
    const cuzk_params_file *f = &c->o->chosen[i];
    char path[CUZK_PATH_BYTES], hex[33];
    counter k = {c, 0, draws};
    CUZK_TRY(network_path(path, c->o, f, &c->errors[i]));
    CUZK_TRY(network_digest(hex, path, count, &k, &c->errors[i]));
    if (strcmp(hex, f->digest) != 0) {
        return CUZK_FAIL(&c->errors[i], CUZK_E_DIGEST, "%s: digest %s, the network's file has %s",
                         path, hex, f->digest);
    }
    return CUZK_OK;
}

static cuzk_status check_range(void *arg, size_t begin, size_t end, unsigned worker)
{
    checking *c = arg;
    for (size_t i = begin; i < end; i++) {
        if (c->states[i] == CUZK_PARAMS_PRESENT || c->states[i] == CUZK_PARAMS_CHECKED) {
            c->status[i] = check_one(c, i, worker == 0);
            if (c->status[i] == CUZK_E_DIGEST) {
                c->states[i] = CUZK_PARAMS_WRONG_DIGEST;
            }
        }
    }
    return CUZK_OK;
}

/* Every point of a .params file. */
static cuzk_status check_points(network_opts *o, const cuzk_params_file *f, cuzk_err *err)
{
    char path[CUZK_PATH_BYTES];
    cuzk_params *opened = NULL;
    cuzk_error error = {.text = ""};
    const cuzk_params_open_options how = {.struct_size = sizeof(how),
                                          .points = CUZK_POINTS_IN_GROUP,
                                          .threads = o->a.threads,
                                          .progress = app_stop,
                                          .progress_arg = &o->a};
    CUZK_TRY(network_path(path, o, f, err));
    CUZK_TRY(app_public_error(err, cuzk_params_open_with(&opened, path, &how, &error), &error));
    cuzk_params_close(opened);
    return CUZK_OK;
}

/* First failure, or how many of the files are absent. */
static cuzk_status verdict(checking *c)
{
    network_opts *o = c->o;
    size_t absent = 0, good = 0;
    cuzk_status st = CUZK_OK;
    for (size_t i = 0; i < o->n; i++) {
        absent += c->states[i] == CUZK_PARAMS_ABSENT;
        good += c->status[i] == CUZK_OK && c->states[i] == CUZK_PARAMS_CHECKED;
        if (c->states[i] == CUZK_PARAMS_WRONG_SIZE || c->states[i] == CUZK_PARAMS_UNREADABLE) {
            c->status[i] = CUZK_FAIL(
                &c->errors[i], c->states[i] == CUZK_PARAMS_UNREADABLE ? CUZK_E_IO : CUZK_E_DIGEST,
                "%s/%s: %s, the network's file has %" PRIu64 " bytes", o->dir.path,
                o->chosen[i].name, cuzk_params_state_name(c->states[i]), o->chosen[i].bytes);
        }
        if (c->status[i] != CUZK_OK && st == CUZK_OK) {
            st = c->status[i]; /* shown at the end */
            o->a.err = c->errors[i];
        } else if (c->status[i] != CUZK_OK) {
            app_note(&o->a, "%s", c->errors[i].msg);
        }
    }
    app_u64(&o->a, "files_right", good);
    app_u64(&o->a, "files_absent", absent);
    app_seconds(&o->a, "total", cuzk_clock_ns() - o->a.started_ns);
    if (st == CUZK_OK && good == 0) {
        return CUZK_FAIL(&o->a.err, CUZK_E_NOT_FOUND, "%s (%s): none of these files is there",
                         o->dir.path, o->dir.origin);
    }
    return st;
}

static cuzk_status work(network_opts *o)
{
    static checking c; /* too large for the stack */
    memset(&c, 0, sizeof(c));
    c.o = o;
    CUZK_TRY(network_choose(o));
    o->dir.origin = "the command line";
    for (size_t i = 0; i < o->n; i++) {
        c.states[i] = network_state(o, i);
        if (c.states[i] == CUZK_PARAMS_PRESENT || c.states[i] == CUZK_PARAMS_CHECKED) {
            c.total += o->chosen[i].bytes;
        }
    }
    CUZK_TRY(cuzk_parallel_for(o->a.pool, o->a.cancel, o->n, 1, check_range, &c));
    app_progress(&o->a, "check", c.total, c.total);
    for (size_t i = 0; i < o->n; i++) {
        if (c.status[i] != CUZK_OK ||
            (c.states[i] != CUZK_PARAMS_PRESENT && c.states[i] != CUZK_PARAMS_CHECKED)) {
            continue;
        }
        if (o->points && strstr(o->chosen[i].name, ".params") != NULL) {
            c.status[i] = check_points(o, &o->chosen[i], &c.errors[i]);
        }
        if (c.status[i] == CUZK_OK) {
            c.states[i] = CUZK_PARAMS_CHECKED;
            cuzk_ignore(cuzk_params_list_note(o->listed, o->index[i], o->dir.path,
                                              NULL)); /* a folder that cannot be written */
        }
    }
    network_report(o, c.states);
    return verdict(&c);
}

int cmd_params_check_folder(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD, {0}};
    static const struct argp argp = {
        options,
        parse,
        "FOLDER [SIZE]",
        "Compare the network's parameter files in a folder with their digests. What was right is noted in the folder, "
        "so that other commands know it without reading the files again.\v"
        "Examples:\n  cuzk params check /var/tmp/filecoin-proof-parameters 32GiB",
        children,
        NULL,
        NULL};
    return network_run(argc, argv, &argp, work);
}
