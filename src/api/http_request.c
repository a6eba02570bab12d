/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "api/http_request.h"

#include <string.h>
#include <strings.h>

static enum MHD_Result find_body(void *arg, enum MHD_ValueKind kind, const char *key,
                                 const char *value)
{
    bool *found = arg;
    (void)kind;
    *found = *found || strcasecmp(key, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0 ||
             (strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 &&
              (value == NULL || strcmp(value, "0") != 0));
    return MHD_YES;
}

bool cuzk_http_has_body(struct MHD_Connection *c)
{
    bool found = false;
    (void)MHD_get_connection_values(c, MHD_HEADER_KIND, find_body, &found);
    return found;
}

static enum MHD_Result find_odd_name(void *arg, enum MHD_ValueKind kind, const char *key,
                                     const char *value)
{
    static const char token[] = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    bool *found = arg;
    (void)kind;
    (void)value;
    *found = *found || key[0] == '\0' || key[strspn(key, token)] != '\0';
    return MHD_YES;
}

bool cuzk_http_has_odd_name(struct MHD_Connection *c)
{
    bool found = false;
    (void)MHD_get_connection_values(c, MHD_HEADER_KIND, find_odd_name, &found);
    return found;
}

static enum MHD_Result count_hosts(void *arg, enum MHD_ValueKind kind, const char *key,
                                   const char *value)
{
    (void)kind;
    (void)value;
    *(unsigned *)arg += strcasecmp(key, MHD_HTTP_HEADER_HOST) == 0 ? 1 : 0;
    return MHD_YES;
}

bool cuzk_http_target(const char **path, char *host, struct MHD_Connection *c, const char *url)
{
    const char *given = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    size_t n = given != NULL ? strlen(given) : 0;
    unsigned hosts = 0;
    (void)MHD_get_connection_values(c, MHD_HEADER_KIND, count_hosts, &hosts);
    *path = url;
    if (strncasecmp(url, "http://", 7) == 0) {
        given = url + 7;
        n = strcspn(given, "/");
        *path = given[n] == '\0' ? "/" : given + n;
    }
    if (hosts > 1 || n >= CUZK_HOST_MAX) {
        return false;
    }
    if (n > 0) {
        memcpy(host, given, n);
    }
    host[n] = '\0';
    return true;
}
