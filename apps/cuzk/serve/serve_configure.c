/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config_value.h"
#include "sys/file.h"

#include "serve.h"

static cuzk_status load(serve *s)
{
    const char *path =
        s->options.config_path != NULL ? s->options.config_path : cuzk_config_default_path();
    if (path == NULL) { /* as the original: defaults */
        return cuzk_config_create(&s->config, &s->err);
    }
    CUZK_TRY(cuzk_config_load(&s->config, path, s->issues, &s->err));
    s->config_path = path;
    return CUZK_OK;
}

static cuzk_status apply_options(serve *s)
{
    const serve_options *o = &s->options;
    cuzk_config *c = s->config;
    const char *why = NULL;
    for (uint32_t i = 0; i < o->n_listen; i++) {
        if (!cuzk_config_check_listen(o->listen[i], &why)) {
            return CUZK_FAIL(&s->err, CUZK_E_INVALID, "--listen %.200s: %s", o->listen[i], why);
        }
        c->listen.item[i] = o->listen[i];
        c->listen.n = i + 1;
    }
    if (o->http_listen != NULL) {
        if (!cuzk_config_check_listen(o->http_listen, &why)) {
            return CUZK_FAIL(&s->err, CUZK_E_INVALID, "--http-listen %.200s: %s", o->http_listen,
                             why);
        }
        c->http_listen = o->http_listen;
    }
    return CUZK_OK;
}

/* The parameter folder of the original, when nothing else names a folder and that one exists. */
static void default_params(serve *s)
{
    static const char theirs[] = "/data/zk/params";
    struct stat st;
    if (s->config->param_cache[0] == '\0' && stat(theirs, &st) == 0 && S_ISDIR(st.st_mode)) {
        s->config->param_cache = theirs;
    }
}

cuzk_status serve_configure(serve *s)
{
    CUZK_TRY(load(s));
    CUZK_TRY(cuzk_config_environment(s->config, &s->env, (const char *const *)environ, &s->err));
    CUZK_TRY(apply_options(s));
    default_params(s);
    return serve_read_callers(s);
}

bool serve_rust_log_is_clear(const serve *s)
{
    cuzk_log_level level;
    const char *v = s->env.rust_log;
    return v == NULL || v[0] == '\0' || cuzk_log_level_from_rust(&level, v);
}

cuzk_log_level serve_log_level(const serve *s)
{
    cuzk_log_level level = CUZK_LOG_INFO;
    if (s->options.log_level != NULL) {
        (void)cuzk_log_level_parse(&level, s->options.log_level);
    } else if (s->env.rust_log == NULL || !cuzk_log_level_from_rust(&level, s->env.rust_log)) {
        (void)cuzk_log_level_parse(&level, s->config->log_level);
    }
    return level;
}
