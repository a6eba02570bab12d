/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include <string.h>

#include "config/config_value.h"

#include "test.h"

#define BAD UINT64_MAX
#define GIB ((uint64_t)1 << 30)

typedef struct row {
    const char *text;
    uint64_t value;
} row;

static void check(bool (*parse)(uint64_t *, const char *, const char **), const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v = 77;
        const char *why = NULL;
        const bool ok = parse(&v, rows[i].text, &why);
        CHECK_MSG(ok == (rows[i].value != BAD), "\"%s\"", rows[i].text);
        if (ok) {
            CHECK_MSG(v == rows[i].value, "\"%s\": %" PRIu64, rows[i].text, v);
        } else {
            CHECK_MSG(why != NULL && why[0] != '\0', "\"%s\"", rows[i].text);
            CHECK_U64(v, 77);
        }
    }
}
#define CHECK_ROWS(parse, rows) check((parse), (rows), sizeof(rows) / sizeof((rows)[0]))

/* The original read "1.5GiB" and "1TiB" as 50 GiB. */
static void sizes(void)
{
    static const row rows[] = {{"0", 0},
                               {"1073741824", GIB},
                               {"1.5GiB", GIB * 3 / 2},
                               {"1TiB", GIB << 10},
                               {"512MiB", GIB / 2},
                               {"512 MiB", GIB / 2},
                               {"512mib", GIB / 2},
                               {"1KiB", 1024},
                               {"10kB", 10000},
                               {"10KB", 10000},
                               {"2GB", 2000000000},
                               {"3MB", 3000000},
                               {"1TB", 1000000000000},
                               {"7B", 7},
                               {"0.1GiB", 107374182},
                               {"0.000000000001TB", 1},
                               {"9223372036854775807", INT64_MAX},
                               {"9223372036854775808", BAD},
                               {"8388608TiB", BAD},
                               {"18446744073709551616", BAD},
                               {"", BAD},
                               {" 1", BAD},
                               {"1 ", BAD},
                               {"1  GiB", BAD},
                               {"-1", BAD},
                               {"+1", BAD},
                               {"GiB", BAD},
                               {"1G", BAD},
                               {"1GiBs", BAD},
                               {"1e9", BAD},
                               {"0x10", BAD},
                               {"1.GiB", BAD},
                               {".5GiB", BAD},
                               {"1.5", BAD},
                               {"1.5B", BAD},
                               {"1.0000000000001GiB", BAD},
                               {"1,5GiB", BAD},
                               {"auto", BAD}};
    CHECK_ROWS(cuzk_config_parse_size, rows);
}

static void durations(void)
{
    static const row rows[] = {{"0", 0},
                               {"5", 5000},
                               {"5m", 300000},
                               {"30s", 30000},
                               {"250ms", 250},
                               {"1h", 3600000},
                               {"1h30m", 5400000},
                               {"2d", 172800000},
                               {"1d2h3m4s5ms", 93784005},
                               {"", BAD},
                               {"m", BAD},
                               {"5x", BAD},
                               {"5 m", BAD},
                               {"30m1h", BAD},
                               {"1m1m", BAD},
                               {"1m30", BAD},
                               {"-1s", BAD},
                               {"1.5h", BAD},
                               {"5M", BAD},
                               {"99999999999999d", BAD},
                               {"106751d", 106751ULL * 86400000},
                               {"106752d", BAD}};
    CHECK_ROWS(cuzk_config_parse_duration, rows);
}

static void modes(void)
{
    static const row rows[] = {{"0660", 0660}, {"660", 0660}, {"0777", 0777}, {"000", 0},
                               {"", BAD},      {"66", BAD},   {"6600", BAD},  {"0668", BAD},
                               {"0o660", BAD}, {"rw", BAD}};
    CHECK_ROWS(cuzk_config_parse_mode, rows);
}

static void addresses(void)
{
    static const struct {
        const char *text;
        bool ok, wildcard, local;
    } rows[] = {{"127.0.0.1:9820", true, false, true},
                {"0.0.0.0:9820", true, true, false},
                {"[::]:9820", true, true, false},
                {"[::1]:0", true, false, true},
                {":9820", true, true, false},
                {"localhost:1", true, false, true},
                {"prover.example:65535", true, false, false},
                {"http://0.0.0.0:1", true, true, false},
                {"https://h:1", true, false, false},
                {"unix:///run/curio/cuzk.sock", true, false, true},
                {"unix:/run/x", true, false, true},
                {"unix:x", true, false, true},
                {"", false, false, false},
                {"9820", false, false, false},
                {"host", false, false, false},
                {"h:", false, false, false},
                {"h:65536", false, false, false},
                {"h:1x", false, false, false},
                {"a b:1", false, false, false},
                {"::1:9820", false, false, false},
                {"[::1:9820", false, false, false},
                {"[]:9820", false, false, false},
                {"unix:", false, false, false},
                {"unix://", false, false, false},
                {"ftp://h:1", false, false, false},
                {"unix:///aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                 false, false, false}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *why = NULL;
        CHECK_MSG(cuzk_config_check_listen(rows[i].text, &why) == rows[i].ok, "%s", rows[i].text);
        CHECK(rows[i].ok == (why == NULL));
        if (rows[i].ok) {
            CHECK_MSG(cuzk_config_listen_is_wildcard(rows[i].text) == rows[i].wildcard, "%s",
                      rows[i].text);
            CHECK_MSG(cuzk_config_listen_is_local(rows[i].text) == rows[i].local, "%s",
                      rows[i].text);
        }
    }
}

static const cuzk_case cases[] = {CASE(sizes), CASE(durations), CASE(modes), CASE(addresses)};
TEST_MAIN("config/value", cases)
