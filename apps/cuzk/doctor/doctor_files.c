/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Configuration, parameters, store. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "apps/cuzk/params/network.h"
#include "base/alloc.h"
#include "prover/keys/network_files.h"

#ifdef CUZK_FLEET
#    include "store/pg/pg_status.h"
#endif

#include "doctor.h"

void doctor_config(doctor *d)
{
    cuzk_err err = {0};
    const char *path = d->config_path != NULL ? d->config_path : cuzk_config_default_path();
    if (path == NULL) {
        doctor_say(d, FINDING_NOTE, "configuration",
                   "no file at " CUZK_CONFIG_ORIGINAL_PATH " or " CUZK_CONFIG_PACKAGED_PATH
                   ": every key has its default");
        cuzk_ignore(cuzk_config_create(&d->config, &err));
        return;
    }
    cuzk_config_issues *issues = cuzk_alloc_zero(1, sizeof(*issues));
    if (issues == NULL) {
        doctor_say(d, FINDING_PROBLEM, "configuration", "out of memory");
        return;
    }
    const cuzk_status st = cuzk_config_load(&d->config, path, issues, &err);
    if (st != CUZK_OK) {
        doctor_say(d, FINDING_PROBLEM, "configuration", "%s", err.msg);
        doctor_next(d, FINDING_PROBLEM, "cuzk serve --check-config --config %s", path);
    } else if (issues->warnings > 0) {
        doctor_say(d, FINDING_NOTE, "configuration", "%s: %zu warnings, the first: %s", path,
                   issues->warnings, issues->n > 0 ? issues->item[0].text : "");
        doctor_next(d, FINDING_NOTE, "cuzk serve --check-config --config %s", path);
    } else {
        doctor_say(d, FINDING_GOOD, "configuration", "%s", path);
    }
    cuzk_free(issues);
}

/* What a kind and size need: both files. */
typedef struct need {
    bool any, all, checked, wrong;
} need;

static need look(const char *folder, const char *kind, uint64_t sector_bytes)
{
    size_t n;
    need r = {false, true, true, false};
    const cuzk_network_file *all = cuzk_network_files(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i].kind, kind) != 0 || all[i].sector_bytes != sector_bytes) {
            continue;
        }
        const cuzk_file_state s = cuzk_network_file_state(&all[i], folder);
        r.any = r.any || s != CUZK_FILE_ABSENT;
        r.all = r.all && (s == CUZK_FILE_PRESENT || s == CUZK_FILE_CHECKED);
        r.checked = r.checked && s == CUZK_FILE_CHECKED;
        r.wrong = r.wrong || s == CUZK_FILE_WRONG_SIZE || s == CUZK_FILE_UNREADABLE;
    }
    return r;
}

/* One sector size of which at least one file is there; counts the kinds that can be proved. */
static unsigned one_size(doctor *d, uint64_t sector_bytes)
{
    static const char *const kinds[] = {"winning", "window", "porep", "update"};
    char there[128] = "", lacking[128] = "", size[32], what[40];
    unsigned usable = 0;
    bool any = false, checked = true, wrong = false;
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
        const need r = look(d->params, kinds[k], sector_bytes);
        char *list = r.all ? there : lacking;
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof(there) - used, "%s%s", used > 0 ? ", " : "", kinds[k]);
        usable += r.all;
        any = any || r.any;
        checked = checked && (!r.all || r.checked);
        wrong = wrong || r.wrong;
        if (r.all && k == 0 && d->smallest_winning == 0) {
            d->smallest_winning = sector_bytes;
        }
    }
    if (!any) {
        return 0;
    }
    (void)snprintf(what, sizeof(what), "%s", network_size_text(size, sector_bytes));
    doctor_say(d,
               wrong                            ? FINDING_PROBLEM
               : lacking[0] != '\0' || !checked ? FINDING_NOTE
                                                : FINDING_GOOD,
               what, "parameters for %s%s%s%s%s", there[0] != '\0' ? there : "nothing",
               lacking[0] != '\0' ? "; absent for " : "", lacking,
               wrong ? "; a file has the wrong size or cannot be read" : "",
               usable > 0 && !checked ? "; digests not checked yet" : "");
    if (wrong) {
        doctor_next(d, FINDING_PROBLEM, "cuzk params list --params %s", d->params);
    } else if (usable > 0 && !checked) {
        doctor_next(d, FINDING_NOTE, "cuzk params check %s", d->params);
    }
    return usable;
}

void doctor_params(doctor *d)
{
    cuzk_params_dir dir;
    cuzk_err err = {0};
    struct stat st;
    size_t n;
    unsigned usable = 0;
    uint64_t last = 0;
    const char *given =
        d->config != NULL && d->config->param_cache[0] != '\0' ? d->config->param_cache : NULL;
    if (cuzk_params_dir_choose(&dir, given, &err) != CUZK_OK) {
        doctor_say(d, FINDING_PROBLEM, "parameters", "%s", err.msg);
        return;
    }
    const char *origin = given != NULL ? "srs.param_cache" : dir.origin;
    (void)snprintf(d->params, sizeof(d->params), "%s", dir.path);
    if (stat(dir.path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        doctor_say(d, FINDING_PROBLEM, "parameters", "%s (%s): no such folder", dir.path, origin);
        doctor_next(d, FINDING_PROBLEM,
                    "cuzk params fetch 32GiB --params %s --from URL   (docs/parameters.md)",
                    dir.path);
        return;
    }
    const cuzk_network_file *all = cuzk_network_files(&n);
    for (size_t i = 0; i < n; i++) {
        if (all[i].sector_bytes != last) {
            last = all[i].sector_bytes;
            usable += one_size(d, last);
        }
    }
    if (usable == 0) {
        doctor_say(d, FINDING_PROBLEM, "parameters",
                   "%s (%s): no proof kind of any sector size has its files", dir.path, origin);
        doctor_next(d, FINDING_PROBLEM,
                    "cuzk params fetch 32GiB --params %s --from URL   (docs/parameters.md)",
                    dir.path);
    } else {
        doctor_say(d, FINDING_GOOD, "parameters", "%s (%s)", dir.path, origin);
    }
}

#ifdef CUZK_FLEET
/* With store.url: checks that the database answers, and lists who shares it. */
static void doctor_shared_store(doctor *d)
{
    const cuzk_config *c = d->config;
    const cuzk_pg_config pg = {
        .url = c->store_url,
        .password_file = c->store_password_file[0] == '\0' ? NULL : c->store_password_file,
        .retry_ms = 2000};
    cuzk_pg_fleet_status s;
    cuzk_err err = {.msg = ""};
    const cuzk_status st = cuzk_pg_fleet_status_read(&s, &pg, &err);
    size_t alive = 0;
    if (st == CUZK_E_NOT_FOUND) {
        doctor_say(d, FINDING_GOOD, "store", "%s; the first daemon makes them", err.msg);
        return;
    }
    if (st != CUZK_OK) {
        doctor_say(d, FINDING_PROBLEM, "store", "%s", err.msg);
        return;
    }
    for (size_t i = 0; i < s.n_members; i++) {
        alive += s.members[i].is_alive ? 1 : 0;
    }
    doctor_say(d, FINDING_GOOD, "store", "a shared queue: %zu daemons, %" PRIu64 " jobs wait",
               alive, s.queued);
    cuzk_pg_fleet_status_free(&s);
}
#else
static void doctor_shared_store(doctor *d)
{
    doctor_say(d, FINDING_PROBLEM, "store", "store.url: this program was built without libpq");
}
#endif

void doctor_store(doctor *d)
{
    struct statvfs fs;
    char folder[4096];
    const char *given = d->config == NULL ? "auto" : d->config->store_path;
    const bool automatic = strcmp(given, "auto") == 0;
    if (d->config != NULL && d->config->store_url[0] != '\0') {
        doctor_shared_store(d);
        return;
    }
    if (strcmp(given, "memory") == 0) {
        doctor_say(d, FINDING_NOTE, "store",
                   "store.path is \"memory\": accepted jobs do not survive a restart");
        return;
    }
    (void)snprintf(folder, sizeof(folder), "%s", automatic ? "/var/lib/cuzk/jobs.db" : given);
    char *slash = strrchr(folder, '/');
    if (slash != NULL && slash != folder) {
        *slash = '\0';
    }
    if (statvfs(folder, &fs) != 0) {
        doctor_say(
            d, automatic ? FINDING_NOTE : FINDING_PROBLEM, "store",
            "%s is not there, or not readable by this user%s", folder,
            automatic
                ? ": a daemon started by hand keeps its jobs in memory only; the service makes the folder"
                : "");
        if (!automatic) {
            doctor_next(d, FINDING_PROBLEM, "mkdir -p %s", folder);
        }
        return;
    }
    if ((fs.f_flag & ST_RDONLY) != 0) {
        doctor_say(d, automatic ? FINDING_NOTE : FINDING_PROBLEM, "store",
                   "%s is on a file system that is mounted read-only: the daemon %s", folder,
                   automatic ? "keeps its jobs in memory only" : "does not start");
        return;
    }
    const uint64_t room = (uint64_t)fs.f_bavail * fs.f_frsize;
    const uint64_t wanted = d->config == NULL ? 0 : d->config->store_max_size;
    if (room < wanted) {
        doctor_say(d, FINDING_NOTE, "store",
                   "%s: %" PRIu64 " MiB are free, store.max_size is %" PRIu64 " MiB", folder,
                   room >> 20, wanted >> 20);
    } else {
        doctor_say(d, FINDING_GOOD, "store", "%s, %" PRIu64 " MiB free", folder, room >> 20);
    }
}
