/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "log/log.h"

static const struct {
    const char *name;
    cuzk_log_level level;
} levels[] = {{"off", CUZK_LOG_OFF},      {"error", CUZK_LOG_ERROR}, {"warn", CUZK_LOG_WARN},
              {"warning", CUZK_LOG_WARN}, {"info", CUZK_LOG_INFO},   {"debug", CUZK_LOG_DEBUG},
              {"trace", CUZK_LOG_TRACE}};

const char *cuzk_log_level_name(cuzk_log_level level)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (levels[i].level == level) {
            return levels[i].name;
        }
    }
    return "?";
}

static bool parse_n(cuzk_log_level *out, const char *text, size_t n)
{
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        if (strlen(levels[i].name) == n && strncasecmp(levels[i].name, text, n) == 0) {
            *out = levels[i].level;
            return true;
        }
    }
    return false;
}

bool cuzk_log_level_parse(cuzk_log_level *out, const char *text)
{
    return parse_n(out, text, strlen(text));
}

bool cuzk_log_level_from_rust(cuzk_log_level *out, const char *spec)
{
    bool have_own = false, have_bare = false;
    cuzk_log_level own = CUZK_LOG_OFF, bare = CUZK_LOG_OFF, level;
    while (*spec != '\0') {
        spec += strspn(spec, ", ");
        const size_t n = strcspn(spec, ", ");
        const char *eq = memchr(spec, '=', n);
        if (eq == NULL) {
            if (parse_n(&level, spec, n)) {
                bare = level;
                have_bare = true;
            }
        } else if (n >= 4 && strncmp(spec, "cuzk", 4) == 0 &&
                   parse_n(&level, eq + 1, n - (size_t)(eq + 1 - spec)) &&
                   (!have_own || level > own)) {
            own = level;
            have_own = true;
        }
        spec += n;
    }
    if (have_own || have_bare) {
        *out = have_own ? own : bare;
    }
    return have_own || have_bare;
}

bool cuzk_log_is_journal(int fd, const char *journal_stream)
{
    struct stat st;
    char id[64];
    if (journal_stream == NULL || fstat(fd, &st) != 0) {
        return false;
    }
    (void)snprintf(id, sizeof(id), "%" PRIuMAX ":%" PRIuMAX, (uintmax_t)st.st_dev,
                   (uintmax_t)st.st_ino);
    return strcmp(id, journal_stream) == 0;
}
