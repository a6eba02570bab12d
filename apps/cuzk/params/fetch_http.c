/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "network.h"

enum { QUIET_SECONDS = 30, CONNECT_SECONDS = 20, REDIRECTS = 5 };

/* One transfer. A server that does not resume sends the whole file: then the file is emptied first. */
typedef struct transfer {
    CURL *curl;
    FILE *f;
    uint64_t from, at, most;
    uint64_t range_first; /* of Content-Range; from: none was sent */
    bool started, restarted, wrong_range, too_long, disk_failed;
    int os_code;
    fetch_progress progress;
    void *arg;
    const cuzk_cancel *cancel;
} transfer;

/* Content-Range: bytes FIRST-LAST/TOTAL. Each response of a redirect chain begins anew. */
static size_t on_header(char *line, size_t size, size_t n, void *arg)
{
    transfer *t = arg;
    const size_t length = size * n;
    char text[128];
    const size_t copied = length < sizeof(text) - 1 ? length : sizeof(text) - 1;
    memcpy(text, line, copied);
    text[copied] = '\0';
    if (strncmp(text, "HTTP/", 5) == 0) {
        t->range_first = t->from;
    } else if (strncasecmp(text, "content-range:", 14) == 0) {
        const char *unit = strstr(text, "bytes ");
        t->range_first = unit == NULL ? UINT64_MAX : strtoull(unit + 6, NULL, 10);
    }
    return length;
}

/* Before the first byte: is this the range that was asked for, or the whole file? */
static bool begin(transfer *t)
{
    long http = 0;
    (void)curl_easy_getinfo(t->curl, CURLINFO_RESPONSE_CODE, &http);
    t->started = true;
    t->at = t->from;
    if (t->from > 0 && (http != 206 || t->range_first != t->from)) {
        if (http == 206) {
            t->wrong_range = true; /* nothing of it can be used */
            return false;
        }
        t->restarted = true;
        t->at = 0;
        if (fseeko(t->f, 0, SEEK_SET) != 0 || ftruncate(fileno(t->f), 0) != 0) {
            t->disk_failed = true;
            t->os_code = errno;
            return false;
        }
    }
    return true;
}

static size_t on_body(char *data, size_t size, size_t n, void *arg)
{
    transfer *t = arg;
    const size_t length = size * n;
    if (!t->started && !begin(t)) {
        return 0;
    }
    if (t->most != 0 && length > t->most - t->at) {
        t->too_long = true;
        return 0;
    }
    if (fwrite(data, 1, length, t->f) != length) {
        t->disk_failed = true;
        t->os_code = errno;
        return 0;
    }
    t->at += length;
    if (t->progress != NULL) {
        t->progress(t->arg, length);
    }
    return length;
}

static int on_tick(void *arg, curl_off_t dl_total, curl_off_t dl, curl_off_t ul_total,
                   curl_off_t ul)
{
    const transfer *t = arg;
    (void)dl_total;
    (void)dl;
    (void)ul_total;
    (void)ul;
    return cuzk_cancel_requested(t->cancel) ? 1 : 0;
}

static void set_options(transfer *t, const char *url, char *message)
{
    CURL *c = t->curl;
    (void)curl_easy_setopt(c, CURLOPT_URL, url);
#if LIBCURL_VERSION_NUM >= 0x075500
    (void)curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    (void)curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    (void)curl_easy_setopt(c, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    (void)curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    (void)curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 1L);
    (void)curl_easy_setopt(c, CURLOPT_MAXREDIRS, (long)REDIRECTS);
    (void)curl_easy_setopt(c, CURLOPT_FAILONERROR, 1L);
    (void)curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    (void)curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    (void)curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
    (void)curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)QUIET_SECONDS);
    (void)curl_easy_setopt(c, CURLOPT_USERAGENT, "cuzk/" CUZK_VERSION_STR);
    (void)curl_easy_setopt(c, CURLOPT_ERRORBUFFER, message);
    (void)curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    (void)curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
    (void)curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    (void)curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
    (void)curl_easy_setopt(c, CURLOPT_XFERINFOFUNCTION, on_tick);
    (void)curl_easy_setopt(c, CURLOPT_XFERINFODATA, t);
    (void)curl_easy_setopt(c, CURLOPT_NOPROGRESS, 0L);
    if (t->from > 0) {
        char range[32];
        (void)snprintf(range, sizeof(range), "%" PRIu64 "-", t->from);
        (void)curl_easy_setopt(c, CURLOPT_RANGE, range);
    }
}

static cuzk_status outcome(const transfer *t, CURLcode code, long http, const char *url,
                           const char *path, const char *message, cuzk_err *err)
{
    if (t->disk_failed) {
        return CUZK_FAIL_OS(err, CUZK_E_IO, t->os_code, "%s: cannot be written", path);
    }
    if (t->wrong_range) {
        return CUZK_FAIL(err, CUZK_E_IO, "%s: the server sent another range than the one asked for",
                         url);
    }
    if (t->too_long) {
        return CUZK_FAIL(err, CUZK_E_FORMAT,
                         "%s: longer than the %" PRIu64 " bytes of the network's file", url,
                         t->most);
    }
    switch ((int)code) {
    case CURLE_OK: return CUZK_OK;
    case CURLE_ABORTED_BY_CALLBACK: return CUZK_FAIL(err, CUZK_E_CANCELLED, "cancelled");
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
        return CUZK_FAIL(err, CUZK_E_INVALID, "%s: not a URL that can be fetched (http or https)",
                         url);
    case CURLE_HTTP_RETURNED_ERROR:
        return http == 404 || http == 410
                   ? CUZK_FAIL(err, CUZK_E_NOT_FOUND, "%s: the server does not have it", url)
                   : CUZK_FAIL(err, CUZK_E_IO, "%s: the server answers %ld", url, http);
    default:
        return CUZK_FAIL(err, CUZK_E_IO, "%s: %s", url,
                         message[0] != '\0' ? message : curl_easy_strerror(code));
    }
}

cuzk_status fetch_http(fetch_result *out, const char *url, const char *path, uint64_t most,
                       fetch_progress progress, void *arg, const cuzk_cancel *cancel, cuzk_err *err)
{
    char message[CURL_ERROR_SIZE] = "";
    transfer t = {.most = most, .progress = progress, .arg = arg, .cancel = cancel};
    memset(out, 0, sizeof(*out));
    t.f = fopen(path, "ab");
    if (t.f == NULL || fseeko(t.f, 0, SEEK_END) != 0) {
        const int os = errno;
        if (t.f != NULL) {
            (void)fclose(t.f);
        }
        return CUZK_FAIL_OS(err, CUZK_E_IO, os, "%s: cannot be opened for writing", path);
    }
    const off_t have = ftello(t.f);
    t.from = have > 0 ? (uint64_t)have : 0;
    t.curl = curl_easy_init();
    cuzk_status st;
    if (t.curl == NULL) {
        st = CUZK_FAIL(err, CUZK_E_NOMEM, "%s: out of memory", url);
    } else {
        set_options(&t, url, message);
        const CURLcode code = curl_easy_perform(t.curl);
        (void)curl_easy_getinfo(t.curl, CURLINFO_RESPONSE_CODE, &out->http_status);
        st = outcome(&t, code, out->http_status, url, path, message, err);
        curl_easy_cleanup(t.curl);
    }
    out->bytes = t.started ? t.at : t.from;
    out->restarted = t.restarted;
    if ((fflush(t.f) != 0 || fsync(fileno(t.f)) != 0) && st == CUZK_OK) {
        st = CUZK_FAIL_OS(err, CUZK_E_IO, errno, "%s: cannot be written", path);
    }
    if (fclose(t.f) != 0 && st == CUZK_OK) {
        st = CUZK_FAIL_OS(err, CUZK_E_IO, errno, "%s: cannot be written", path);
    }
    return st;
}
