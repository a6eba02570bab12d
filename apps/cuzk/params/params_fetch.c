/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "apps/cuzk/commands.h"
#include "base/clock.h"
#include "sys/file.h"

#include "network.h"

enum { OPT_FROM = 0x300, OPT_BY_CID, ATTEMPTS = 4, URL_BYTES = 2048 };

static const struct argp_option options[] = {
    {"from", OPT_FROM, "URL", 0,
     "A mirror (URL/NAME), or a gateway to IPFS (a URL that ends in /ipfs: URL/CID)", 0},
    {"by-cid", OPT_BY_CID, NULL, 0, "Ask for URL/CID whatever the URL ends in", 0},
    NETWORK_OPTION_PARAMS,
    NETWORK_OPTIONS,
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    network_opts *o = state->input;
    switch (key) {
    case OPT_FROM: o->url = arg; return 0;
    case OPT_BY_CID: o->by_cid = true; return 0;
    case ARGP_KEY_END:
        if (o->size == NULL || o->url == NULL) {
            argp_error(state, "needs a sector SIZE and --from URL");
        }
        return 0;
    default: return network_parse(key, arg, state);
    }
}

typedef struct downloading {
    network_opts *o;
    uint64_t done, total; /* bytes, for the bar */
} downloading;

static void on_bytes(void *arg, uint64_t n)
{
    downloading *d = arg;
    d->done += n;
    app_progress(&d->o->a, "fetch", d->done < d->total ? d->done : d->total - 1, d->total);
}

static cuzk_status make_url(char out[URL_BYTES], const network_opts *o, const cuzk_params_file *f,
                            cuzk_err *err)
{
    size_t n = strlen(o->url);
    while (n > 0 && o->url[n - 1] == '/') {
        n--;
    }
    const bool gateway = o->by_cid || (n >= 5 && strncmp(o->url + n - 5, "/ipfs", 5) == 0);
    const int written = snprintf(out, URL_BYTES, "%.*s/%s", (int)(n < URL_BYTES ? n : URL_BYTES),
                                 o->url, gateway ? f->cid : f->name);
    if (written < 0 || written >= URL_BYTES) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "--from: the URL is too long");
    }
    return CUZK_OK;
}

/* The digest of the downloaded part; a wrong one is deleted, since no part of it can be trusted. */
static cuzk_status check_part(downloading *d, const cuzk_params_file *f, const char *part,
                              const char *url)
{
    app *a = &d->o->a;
    char hex[33];
    CUZK_TRY(network_digest(hex, part, app_stop, a, &a->err));
    if (strcmp(hex, f->digest) != 0) {
        (void)unlink(part);
        return CUZK_FAIL(&a->err, CUZK_E_DIGEST,
                         "%s: digest %s, the network's file has %s; the download was deleted", url,
                         hex, f->digest);
    }
    return CUZK_OK;
}

/* Attempts until the file is whole. Each attempt that brings bytes renews the number of attempts. */
static cuzk_status download(downloading *d, const cuzk_params_file *f, const char *part,
                            const char *url)
{
    app *a = &d->o->a;
    cuzk_status st = CUZK_OK;
    uint64_t before = 0;
    for (unsigned failures = 0; failures < ATTEMPTS;) {
        fetch_result r;
        if (cuzk_cancel_requested(a->cancel)) {
            return CUZK_FAIL(&a->err, CUZK_E_CANCELLED, "cancelled; the next fetch continues %s",
                             part);
        }
        st = fetch_http(&r, url, part, f->bytes, on_bytes, d, a->cancel, &a->err);
        if (r.restarted) {
            app_note(a, "%s: the server does not resume, so the file was begun again", url);
        }
        if (st == CUZK_OK && f->bytes != 0 && r.bytes < f->bytes) {
            st = CUZK_FAIL(&a->err, CUZK_E_IO, "%s: ended after %" PRIu64 " of %" PRIu64 " bytes",
                           url, r.bytes, f->bytes);
        }
        if (st == CUZK_E_FORMAT || r.http_status == 416) {
            (void)unlink(part); /* too long, or no range of the server's file: begin again */
            r.bytes = 0;
        } else if (st == CUZK_OK || !cuzk_status_is_retryable(st)) {
            return st;
        }
        failures = r.bytes > before ? 1 : failures + 1;
        before = r.bytes;
        app_note(a, "%s; trying again", a->err.msg);
        const struct timespec pause = {failures > 1 ? 1L << (failures - 2) : 0, 200000000};
        (void)nanosleep(&pause, NULL);
    }
    return st;
}

static cuzk_status fetch_one(downloading *d, size_t i)
{
    network_opts *o = d->o;
    const cuzk_params_file *f = &o->chosen[i];
    char path[CUZK_PATH_BYTES], part[CUZK_PATH_BYTES + 8], url[URL_BYTES];
    struct stat have;
    CUZK_TRY(network_path(path, o, f, &o->a.err));
    (void)snprintf(part, sizeof(part), "%s.part", path);
    CUZK_TRY(make_url(url, o, f, &o->a.err));
    if (stat(part, &have) != 0 || f->bytes == 0 || (uint64_t)have.st_size != f->bytes) {
        if (stat(part, &have) == 0 && have.st_size > 0) {
            on_bytes(d, (uint64_t)have.st_size);
        }
        CUZK_TRY(download(d, f, part, url));
    }
    CUZK_TRY(check_part(d, f, part, url));
    if (rename(part, path) != 0) {
        return CUZK_FAIL_OS(&o->a.err, CUZK_E_IO, errno, "%s: cannot be renamed to %s", part, path);
    }
    cuzk_ignore(cuzk_params_list_note(o->listed, o->index[i], o->dir.path, NULL));
    return CUZK_OK;
}

/* The folder, made if need be, and room for what is missing, before the first byte. */
static cuzk_status prepare(const network_opts *o, uint64_t need, cuzk_err *err)
{
    struct statvfs fs;
    struct stat st;
    if (mkdir(o->dir.path, 0755) != 0 && errno != EEXIST) {
        const int os = errno;
        return CUZK_FAIL_OS(err, cuzk_path_status(os), os, "%s (%s): cannot be made", o->dir.path,
                            o->dir.origin);
    }
    if (stat(o->dir.path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s (%s): is not a folder", o->dir.path,
                         o->dir.origin);
    }
    if (access(o->dir.path, W_OK | X_OK) != 0 || statvfs(o->dir.path, &fs) != 0) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, errno, "%s (%s): cannot be written", o->dir.path,
                            o->dir.origin);
    }
    const uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    if (room < need) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s: needs %" PRIu64 " MiB, %" PRIu64 " MiB are free",
                         o->dir.path, need >> 20, room >> 20);
    }
    return CUZK_OK;
}

static cuzk_status work(network_opts *o)
{
    int32_t states[NETWORK_FILES_MAX];
    downloading d = {o, 0, 1};
    uint64_t need = 0, fetched = 0;
    if (strncmp(o->url, "http://", 7) != 0 && strncmp(o->url, "https://", 8) != 0) {
        return CUZK_FAIL(&o->a.err, CUZK_E_INVALID,
                         "--from wants http://... or https://..., not '%s'", o->url);
    }
    CUZK_TRY(network_choose(o));
    for (size_t i = 0; i < o->n; i++) {
        struct stat have;
        char part[CUZK_PATH_BYTES + 8];
        states[i] = network_state(o, i);
        if (states[i] == CUZK_PARAMS_ABSENT || states[i] == CUZK_PARAMS_WRONG_SIZE) {
            const int n =
                snprintf(part, sizeof(part), "%s/%s.part", o->dir.path, o->chosen[i].name);
            const uint64_t got = n > 0 && (size_t)n < sizeof(part) && stat(part, &have) == 0
                                     ? (uint64_t)have.st_size
                                     : 0;
            d.total += o->chosen[i].bytes;
            need += o->chosen[i].bytes > got ? o->chosen[i].bytes - got : 0;
        }
    }
    CUZK_TRY(prepare(o, need, &o->a.err));
    for (size_t i = 0; i < o->n; i++) {
        if (states[i] == CUZK_PARAMS_ABSENT || states[i] == CUZK_PARAMS_WRONG_SIZE) {
            CUZK_TRY(fetch_one(&d, i));
            states[i] = CUZK_PARAMS_CHECKED;
            fetched++;
        }
    }
    app_progress(&o->a, "fetch", d.total, d.total);
    network_report(o, states);
    app_u64(&o->a, "files_fetched", fetched);
    app_seconds(&o->a, "total", cuzk_clock_ns() - o->a.started_ns);
    return CUZK_OK;
}

int cmd_params_fetch(int argc, char **argv)
{
    static const struct argp_child children[] = {APP_CHILD_FEW, {0}};
    static const struct argp argp = {
        options,
        parse,
        "SIZE",
        "Download the network's parameter files that a folder lacks. A download that breaks off is continued, now or by "
        "the next fetch; a file appears under its name when its digest is right.\v"
        "Examples:\n  cuzk params fetch 32GiB --from https://mirror.example/params\n"
        "  cuzk params fetch 32GiB --from https://gateway.example/ipfs --kind winning",
        children,
        NULL,
        NULL};
    return network_run(argc, argv, &argp, work);
}
