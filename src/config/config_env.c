/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* Environment variables that users of the original and of the proofs libraries have set for years. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/text/utf8.h"
#include "config/config_value.h"

#include "config_internal.h"

typedef enum effect {
    RECOGNISED, /* read by the module that uses it */
    MAPPED,     /* gives key its value when the file does not */
    IGNORED
} effect;

typedef struct variable {
    const char *name;
    effect effect;
    const char *key;
} variable;

/* Where two are mapped to one key, the first of this list that is set wins; the other's value must be one, too. */
static const variable variables[] = {
    {"RUST_LOG", RECOGNISED, NULL},
    {"CUDA_VISIBLE_DEVICES", RECOGNISED, NULL}, /* by the CUDA runtime */
    {"CUDA_DEVICE_ORDER", RECOGNISED, NULL},
    {"NO_COLOR", RECOGNISED, NULL},
    {"CUZK_ADDR", RECOGNISED, NULL}, /* by the commands that talk to a daemon */
    {"CUZK_TOKEN", RECOGNISED, NULL},
    {"CUZK_COMMIT", RECOGNISED, NULL}, /* by cuzk bench */
    {"FIL_PROOFS_PARAMETER_CACHE", MAPPED, "srs.param_cache"},
    {"BELLMAN_NO_GPU", MAPPED, "gpus.cpu_only"},
    {"RAYON_NUM_THREADS", MAPPED, "synthesis.threads"},
    {"BELLMAN_NUM_CPUS", MAPPED, "synthesis.threads"},
    {"EC_GPU_NUM_THREADS", MAPPED, "synthesis.threads"},
    {"CUZK_TIMING", MAPPED, "logging.timeline"},
    {"FIL_PROOFS_VERIFY_PRODUCTION_PARAMS", IGNORED, NULL},
    {"FIL_PROOFS_GPU_FRAMEWORK", IGNORED, NULL},
    {"BELLMAN_GPU_FRAMEWORK", IGNORED, NULL},
    {"BELLMAN_CUSTOM_GPU", IGNORED, NULL},
    {"RUST_GPU_TOOLS_CUSTOM_GPU", IGNORED, NULL},
    {"BELLPERSON_GPUS_PER_LOCK", IGNORED, NULL},
    {"BELLMAN_CPU_UTILIZATION", IGNORED, NULL},
    {"BELLMAN_CUDA_NVCC_ARGS", IGNORED, NULL},
    {"BELLMAN_VERIFIER", IGNORED, NULL},
    {"HARMONY_OVERRIDE_GPUS", IGNORED, NULL},
    {"HARMONY_GPU_OVERPROVISION_FACTOR", IGNORED, NULL},
    {"CUZK_GPU_THREADS", IGNORED, NULL},
    {"CUZK_VALIDATE_PARTITIONS", IGNORED, NULL},
    {"CUZK_DISABLE_PCE", IGNORED, NULL},
    {"CUZK_DISABLE_SPLIT_PROVE", IGNORED, NULL},
};
#define N_VARIABLES (sizeof(variables) / sizeof(variables[0]))

/* Appends a to a blank-separated list; what does not fit is left out. */
static void append(char *list, size_t cap, const char *a, size_t n_a)
{
    const size_t used = strlen(list);
    (void)snprintf(list + used, cap - used, "%s%.*s", used == 0 ? "" : " ", (int)n_a, a);
}

/* The same for "NAME=VALUE:KEY"; a long value is cut. */
static void append_mapped(char *list, size_t cap, const variable *var, const char *v)
{
    char text[160], shown[64];
    const int n = snprintf(text, sizeof(text), "%s=%s:%s", var->name,
                           cuzk_utf8_clean(shown, sizeof(shown), v, strlen(v)), var->key);
    append(list, cap, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

/* The value of name, or NULL. */
static const char *value_of(const char *const *environment, const char *name)
{
    const size_t n = strlen(name);
    for (; *environment != NULL; environment++) {
        if (strncmp(*environment, name, n) == 0 && (*environment)[n] == '=') {
            return *environment + n + 1;
        }
    }
    return NULL;
}

static bool known(const char *name, size_t n)
{
    for (size_t i = 0; i < N_VARIABLES; i++) {
        if (strlen(variables[i].name) == n && strncmp(variables[i].name, name, n) == 0) {
            return true;
        }
    }
    return false;
}

static void find_unknown(cuzk_config_env *out, const char *const *environment)
{
    static const char *const prefixes[] = {"CUZK_", "BELLMAN_", "BELLPERSON_", "FIL_PROOFS_"};
    for (; *environment != NULL; environment++) {
        const size_t n = strcspn(*environment, "=");
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
            const size_t k = strlen(prefixes[i]);
            if (n > k && strncmp(*environment, prefixes[i], k) == 0 && !known(*environment, n)) {
                append(out->unknown, sizeof(out->unknown), *environment, n);
            }
        }
    }
}

/* Words in any case; false: not understood. An empty value is no. */
static bool parse_bool(bool *out, const char *v)
{
    static const char *const yes[] = {"1", "true", "yes", "on"}, *const no[] = {"", "0", "false",
                                                                                "no", "off"};
    for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++) {
        if (strcasecmp(v, yes[i]) == 0) {
            *out = true;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
        if (strcasecmp(v, no[i]) == 0) {
            *out = false;
            return true;
        }
    }
    return false;
}

static cuzk_status apply(cuzk_config *c, const config_key *k, const variable *var, const char *v,
                         cuzk_err *err)
{
    const char *why = "", *kept = NULL;
    uint64_t n = 0;
    bool ok = true;
    if (k->type == T_BOOL) {
        bool is = false;
        ok = parse_bool(&is, v);
        why = ok ? "" : "1, true, yes, on, 0, false, no or off is expected";
        *(bool *)config_field(c, k) = is;
    } else if (k->type == T_NUMBER || k->type == T_NUMBER_AUTO) {
        why = "a whole number is expected";
        ok = strspn(v, "0123456789") == strlen(v) && cuzk_config_parse_size(&n, v, &why) &&
             config_set_integer(c, k, (int64_t)n, &why);
    } else {
        CUZK_TRY(cuzk_config_keep(c, &kept, v, err));
        ok = config_set_text(c, k, kept, &why);
    }
    if (!ok) {
        char shown[96];
        return CUZK_FAIL(err, CUZK_E_INVALID, "environment variable %s=%s: not a value of %s%s%s",
                         var->name, cuzk_utf8_clean(shown, sizeof(shown), v, strlen(v)), k->path,
                         why[0] == '\0' ? "" : ": ", why);
    }
    return CUZK_OK;
}

/* The variable before this one that gave the key its value; NULL: none, so the file did. */
static const variable *first_of(const variable *var, const char *const *environment)
{
    for (const variable *x = variables; x < var; x++) {
        const char *v = value_of(environment, x->name);
        if (x->effect == MAPPED && strcmp(x->key, var->key) == 0 && v != NULL && v[0] != '\0') {
            return x;
        }
    }
    return NULL;
}

/* Another variable has set the key, whose value stays. The value of this one is only checked. */
static cuzk_status check_second(cuzk_config *c, const char *const *environment, const variable *var,
                                const char *v, cuzk_err *err)
{
    const config_key *k = &config_keys[config_find(var->key)];
    const variable *first = first_of(var, environment);
    CUZK_TRY(apply(c, k, var, v, err));
    return first != NULL ? apply(c, k, first, value_of(environment, first->name), err) : CUZK_OK;
}

cuzk_status cuzk_config_environment(cuzk_config *c, cuzk_config_env *out,
                                    const char *const *environment, cuzk_err *err)
{
    bool from_file[N_VARIABLES];
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < N_VARIABLES; i++) {
        from_file[i] = variables[i].effect == MAPPED && cuzk_config_is_given(c, variables[i].key);
    }
    for (size_t i = 0; i < N_VARIABLES; i++) {
        const variable *var = &variables[i];
        const size_t n = strlen(var->name);
        const char *v = value_of(environment, var->name);
        if (v == NULL) {
            continue;
        }
        if (var->effect == RECOGNISED) {
            append(out->recognised, sizeof(out->recognised), var->name, n);
        } else if (var->effect == IGNORED || v[0] == '\0') {
            append(out->ignored, sizeof(out->ignored), var->name, n);
        } else if (from_file[i]) {
            append(out->ignored, sizeof(out->ignored), var->name, n);
        } else if (cuzk_config_is_given(c, var->key)) {
            CUZK_TRY(check_second(c, environment, var, v, err));
            append(out->ignored, sizeof(out->ignored), var->name, n);
        } else {
            const size_t k = config_find(var->key);
            CUZK_TRY(apply(c, &config_keys[k], var, v, err));
            config_block_of(c)->given[k] = true;
            append_mapped(out->mapped, sizeof(out->mapped), var, v);
        }
    }
    find_unknown(out, environment);
    out->rust_log = value_of(environment, "RUST_LOG");
    return CUZK_OK;
}
