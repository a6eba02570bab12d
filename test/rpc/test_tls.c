/* SPDX-License-Identifier: MIT OR Apache-2.0 */
/* TLS, client certificates and tokens, by our own client and by a bare OpenSSL one. */
#include <fcntl.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "rpc/wire/rpc_address.h"
#include "rpc/wire/rpc_grpc.h"
#include "rpc/wire/rpc_tls.h"
#include "sys/file.h"
#include "sys/pool.h"

#include "certs.h"
#include "rpc_fixture.h"
#include "test.h"

typedef struct tls_fixture {
    cuzk_engine *engine;
    cuzk_rpc_server *server;
    char address[64];
    char ca[320], other_ca[320], cert[320], key[320], client_cert[320], client_key[320],
        other_cert[320], other_key[320];
} tls_fixture;

static void path(char *out, const char *file)
{
    (void)snprintf(out, 320, "%s/%s", test_tmpdir(), file);
}

static void start_with(tls_fixture *f, bool mutual, const char *token,
                       const cuzk_rpc_callers *certs)
{
    cuzk_err err;
    const cuzk_rpc_listen listen[] = {{.address = "https://127.0.0.1:0"}};
    memset(f, 0, sizeof(*f));
    certs_make_ca(test_tmpdir(), "ca");
    certs_make_ca(test_tmpdir(), "otherca");
    certs_make(test_tmpdir(), "ca", "server");
    certs_make(test_tmpdir(), "ca", "client");
    certs_make(test_tmpdir(), "otherca", "other");
    path(f->ca, "ca.pem");
    path(f->other_ca, "otherca.pem");
    path(f->cert, "server.pem");
    path(f->key, "server.key");
    path(f->client_cert, "client.pem");
    path(f->client_key, "client.key");
    path(f->other_cert, "other.pem");
    path(f->other_key, "other.key");
    f->engine = fake_engine_create();
    const cuzk_rpc_server_config c = {.engine = f->engine,
                                      .listen = listen,
                                      .n_listen = 1,
                                      .tls_cert = f->cert,
                                      .tls_key = f->key,
                                      .tls_client_ca = mutual ? f->ca : NULL,
                                      .token = token,
                                      .certs = certs};
    CHECK_OK(cuzk_rpc_server_create(&f->server, &c, &err), &err);
    CHECK_OK(cuzk_rpc_server_start(f->server, &err), &err);
    (void)snprintf(f->address, sizeof(f->address), "https://127.0.0.1:%u",
                   cuzk_rpc_server_port(f->server, 0));
}

static void start(tls_fixture *f, bool mutual, const char *token)
{
    start_with(f, mutual, token, NULL);
}

static void stop(tls_fixture *f)
{
    cuzk_rpc_server_destroy(f->server);
    fake_engine_destroy(f->engine);
}

/* One proof of n bytes of input; the status of the whole. */
static cuzk_status prove(const cuzk_rpc_client_config *config, size_t n, cuzk_err *err)
{
    cuzk_rpc_client *c = NULL;
    cuzk_rpc_result r;
    uint8_t want[192];
    CUZK_TRY(cuzk_rpc_client_create(&c, config, err));
    uint8_t *data = calloc(1, n);
    CHECK(data != NULL);
    data[n - 1] = 1;
    const cuzk_job_request q = {.kind = CUZK_JOB_POREP, .vanilla_proof = {data, n}};
    const cuzk_status st = cuzk_rpc_client_prove(c, &q, &r, err);
    if (st == CUZK_OK) {
        fake_engine_proof(want, &q);
        CHECK(r.proof_size == 192);
        CHECK_MEM(r.proof, want, 192);
        cuzk_rpc_result_free(&r);
    }
    free(data);
    cuzk_rpc_client_destroy(c);
    return st;
}

static void tls(void)
{
    tls_fixture f;
    cuzk_err err = {.code = CUZK_OK};
    start(&f, false, NULL);
    cuzk_rpc_client_config c = {.address = f.address, .tls_ca = f.ca, .timeout_ms = PEER_PATIENCE};
    cuzk_rpc_stats stats = {.connections_now = 0};
    cuzk_rpc_server_get_stats(f.server, &stats);
    const uint64_t now = (uint64_t)time(NULL);
    CHECK_MSG(stats.certificate_expires > now &&
                  stats.certificate_expires < now + 100 * 366 * 86400ull,
              "the certificate ends at %llu", (unsigned long long)stats.certificate_expires);
    CHECK_OK(prove(&c, 1, &err), &err);
    CHECK_OK(prove(&c, 9 << 20, &err), &err);
    c.tls_name = "localhost";
    CHECK_OK(prove(&c, 100, &err), &err);
    c.tls_name = "elsewhere.example";
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_IO);
    CHECK(strstr(err.msg, "mismatch") != NULL);
    c.tls_name = NULL;
    c.tls_ca = f.other_ca;
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_IO);
    c.tls_ca = f.key;
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "server.key") != NULL);
    c.tls_ca = f.ca;
    c.address = f.address + 8; /* no TLS to a TLS port */
    c.timeout_ms = 2000;
    CHECK(prove(&c, 1, &err) != CUZK_OK);
    c.address = f.address;
    CHECK_OK(prove(&c, 1, &err), &err);
    stop(&f);
}

static void mutual_tls(void)
{
    tls_fixture f;
    cuzk_err err;
    start(&f, true, NULL);
    cuzk_rpc_client_config c = {.address = f.address, .tls_ca = f.ca, .timeout_ms = PEER_PATIENCE};
    CHECK(prove(&c, 1, &err) != CUZK_OK); /* no certificate */
    c.tls_cert = f.other_cert;
    c.tls_key = f.other_key;
    CHECK(prove(&c, 1, &err) != CUZK_OK); /* of another CA */
    c.tls_cert = f.client_cert;
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID); /* not its key */
    c.tls_key = NULL;
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID);
    c.tls_key = f.client_key;
    CHECK_OK(prove(&c, 100000, &err), &err);
    CHECK_U64(fake_engine_accepted(f.engine), 1);
    stop(&f);
}

/* The role of a certificate is that of its name; one that is not listed may do nothing. */
static void roles_of_certificates(void)
{
    static const char *const methods[] = {
        "/cuzk.v1.ProvingEngine/GetStatus", "/cuzk.v1.ProvingEngine/SubmitProof",
        "/cuzk.v1.ProvingEngine/EvictSRS", "/grpc.health.v1.Health/Check"};
    static const struct {
        const char *name;
        bool allowed[4];
    } who[] = {{"watcher", {true, false, false, true}},
               {"Big Miner Ltd", {true, true, false, true}},
               {"boss", {true, true, true, true}},
               {"stranger", {false, false, false, true}},
               {"watcher\n", {false, false, false, true}}};
    static const char text[] = "watcher observe\n\"Big Miner Ltd\" submit\nboss administer\n";
    static cuzk_rpc_callers certs;
    tls_fixture f;
    cuzk_err err;
    certs.n = 0;
    CHECK_OK(cuzk_rpc_callers_parse(&certs, "f", text, sizeof(text) - 1, false, &err), &err);
    start_with(&f, true, NULL, &certs);
    for (size_t i = 0; i < sizeof(who) / sizeof(who[0]); i++) {
        char cert[320], key[320];
        certs_make_as(test_tmpdir(), "ca", "caller", who[i].name);
        path(cert, "caller.pem");
        path(key, "caller.key");
        cuzk_rpc_client *c = NULL;
        const cuzk_rpc_client_config config = {.address = f.address,
                                               .tls_ca = f.ca,
                                               .tls_cert = cert,
                                               .tls_key = key,
                                               .timeout_ms = PEER_PATIENCE};
        CHECK_OK(cuzk_rpc_client_create(&c, &config, &err), &err);
        for (size_t m = 0; m < 4; m++) {
            uint8_t *reply = NULL;
            size_t n = 0;
            const cuzk_bytes none = {(const uint8_t *)"", 0};
            const cuzk_status st = cuzk_rpc_client_call(c, methods[m], &none, 1, &reply, &n, &err);
            const bool denied =
                st != CUZK_OK && cuzk_rpc_client_code(c) == CUZK_GRPC_PERMISSION_DENIED;
            CHECK_MSG(denied == !who[i].allowed[m], "%s, %s: %s", who[i].name, methods[m], err.msg);
            cuzk_free(st == CUZK_OK ? reply : NULL);
        }
        cuzk_rpc_client_destroy(c);
    }
    stop(&f);
}

static void token(void)
{
    tls_fixture f;
    cuzk_err err;
    uint64_t v = 0;
    cuzk_rpc_client *client = NULL;
    start(&f, false, "correct horse");
    cuzk_rpc_client_config c = {.address = f.address, .tls_ca = f.ca, .timeout_ms = PEER_PATIENCE};
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID);
    CHECK(strstr(err.msg, "UNAUTHENTICATED") != NULL);
    c.token = "correct hors";
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID);
    c.token = "correct horsey";
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID);
    c.token = "correct horse";
    CHECK_OK(prove(&c, 1, &err), &err);
    c.token = NULL; /* probes need none */
    CHECK_OK(cuzk_rpc_client_create(&client, &c, &err), &err);
    CHECK_OK(cuzk_rpc_client_health(client, "", &v, &err), &err);
    cuzk_rpc_client_destroy(client);
    CHECK_U64(fake_engine_accepted(f.engine), 1);
    CHECK(cuzk_rpc_token_matches("t", "bearer t", 8));
    CHECK(!cuzk_rpc_token_matches("t", "t", 1));
    CHECK(!cuzk_rpc_token_matches("t", "Basic t", 7));
    stop(&f);
}

/* Another certificate and token for connections and calls to come; those that are there stay. */
static void renewed(void)
{
    tls_fixture f;
    cuzk_err err;
    uint64_t v = 0;
    cuzk_rpc_secrets *x = NULL;
    cuzk_rpc_client *old = NULL;
    start(&f, false, "correct horse");
    cuzk_rpc_client_config c = {.address = f.address,
                                .tls_ca = f.ca,
                                .token = "correct horse",
                                .timeout_ms = PEER_PATIENCE};
    CHECK_OK(cuzk_rpc_client_create(&old, &c, &err), &err);
    CHECK_OK(cuzk_rpc_client_health(old, "", &v, &err), &err); /* it is connected */
    CHECK_STATUS(cuzk_rpc_secrets_read(&x, f.cert, f.other_key, NULL, NULL, NULL, NULL, &err),
                 CUZK_E_INVALID);
    CHECK_STATUS(cuzk_rpc_secrets_read(&x, "/nowhere", f.key, NULL, NULL, NULL, NULL, &err),
                 CUZK_E_NOT_FOUND);
    CHECK(strstr(err.msg, "/nowhere") != NULL && x == NULL);
    CHECK_OK(prove(&c, 1, &err), &err);

    CHECK_OK(cuzk_rpc_secrets_read(&x, f.other_cert, f.other_key, NULL, NULL, NULL, NULL, &err),
             &err);
    CHECK_OK(cuzk_rpc_server_renew(f.server, x, &err), &err); /* the token stays */
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_IO);
    c.tls_ca = f.other_ca;
    CHECK_OK(prove(&c, 1, &err), &err);
    CHECK_OK(cuzk_rpc_client_health(old, "", &v, &err), &err);

    CHECK_OK(cuzk_rpc_secrets_read(&x, NULL, NULL, NULL, "battery staple", NULL, NULL, &err), &err);
    CHECK_OK(cuzk_rpc_server_renew(f.server, x, &err), &err);
    CHECK_STATUS(prove(&c, 1, &err), CUZK_E_INVALID);
    c.token = "battery staple";
    CHECK_OK(prove(&c, 1, &err), &err);

    /* clients must show a certificate from now on */
    CHECK_OK(cuzk_rpc_secrets_read(&x, f.cert, f.key, f.ca, NULL, NULL, NULL, &err), &err);
    CHECK_OK(cuzk_rpc_server_renew(f.server, x, &err), &err);
    c.tls_ca = f.ca;
    CHECK(prove(&c, 1, &err) != CUZK_OK);
    c.tls_cert = f.client_cert;
    c.tls_key = f.client_key;
    CHECK_OK(prove(&c, 1, &err), &err);
    cuzk_rpc_client_destroy(old);
    stop(&f);

    start(&f, false, NULL); /* no token can come where none was */
    CHECK_OK(cuzk_rpc_secrets_read(&x, NULL, NULL, NULL, "battery staple", NULL, NULL, &err), &err);
    CHECK_STATUS(cuzk_rpc_server_renew(f.server, x, &err), CUZK_E_INVALID);
    cuzk_rpc_secrets_free(x);
    stop(&f);
}

/* true: the handshake succeeded. */
static bool handshake(const tls_fixture *f, int max_version, const char *alpn, size_t n)
{
    cuzk_rpc_address a;
    cuzk_err err;
    int fd = -1;
    CHECK_OK(cuzk_rpc_address_parse(&a, f->address, &err), &err);
    CHECK_OK(cuzk_rpc_address_connect(&fd, &a, PEER_PATIENCE, NULL, &err), &err);
    CHECK(fcntl(fd, F_SETFL, 0) == 0); /* blocking again */
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    CHECK(ctx != NULL);
    SSL_CTX_set_security_level(ctx, 0);
    CHECK(SSL_CTX_set_min_proto_version(ctx, TLS1_VERSION) == 1 &&
          SSL_CTX_set_max_proto_version(ctx, max_version) == 1);
    SSL *s = SSL_new(ctx);
    CHECK(s != NULL && SSL_set_fd(s, fd) == 1);
    if (n > 0) {
        CHECK(SSL_set_alpn_protos(s, (const unsigned char *)alpn, (unsigned)n) == 0);
    }
    const bool ok = SSL_connect(s) == 1;
    char in[8];
    const bool kept = ok && SSL_read(s, in, sizeof(in)) > 0; /* the server's SETTINGS */
    SSL_free(s);
    SSL_CTX_free(ctx);
    (void)close(fd);
    return kept;
}

static void versions_and_alpn(void)
{
    tls_fixture f;
    start(&f, false, NULL);
    CHECK(handshake(&f, TLS1_3_VERSION, "\x02h2", 3));
    CHECK(handshake(&f, TLS1_2_VERSION, "\x02h2", 3));
    CHECK(handshake(&f, TLS1_2_VERSION, "\x08http/1.1\x02h2", 12));
    CHECK(!handshake(&f, TLS1_1_VERSION, "\x02h2", 3));
    CHECK(!handshake(&f, TLS1_3_VERSION, "\x08http/1.1", 9));
    CHECK(!handshake(&f, TLS1_3_VERSION, "", 0));
    stop(&f);
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* Appends the file from to the file to. */
static void append(const char *to, const char *from)
{
    char buf[8192];
    FILE *in = fopen(from, "r"), *out = fopen(to, "a");
    CHECK(in != NULL && out != NULL);
    const size_t n = fread(buf, 1, sizeof(buf), in);
    CHECK(n > 0 && fwrite(buf, 1, n, out) == n && fclose(out) == 0 && fclose(in) == 0);
}

/* A server with these files is refused with the status, and the message has both texts. */
static void refused(const char *cert, const char *key, const char *ca, cuzk_status want,
                    const char *file, const char *text)
{
    cuzk_err err;
    SSL_CTX *ctx = NULL;
    const cuzk_status st = cuzk_rpc_tls_server(&ctx, cert, key, ca, &err);
    CHECK_MSG(st == want, "%s: %d", file, (int)st);
    CHECK_MSG(strstr(err.msg, file) != NULL && strstr(err.msg, text) != NULL, "%s: %s", file,
              err.msg);
}

static void encrypt(const char *path, const char *key)
{
    FILE *in = fopen(key, "r"), *out = fopen(path, "w");
    CHECK(in != NULL && out != NULL);
    EVP_PKEY *k = PEM_read_PrivateKey(in, NULL, NULL, NULL);
    CHECK(PEM_write_PKCS8PrivateKey(out, k, EVP_aes_128_cbc(), "secret", 6, NULL, NULL) == 1);
    EVP_PKEY_free(k);
    CHECK(fclose(out) == 0 && fclose(in) == 0);
}

/* Files in the place of a certificate, a key or an authority that are nothing of the kind. */
static void odd_files(void)
{
    char ca[320], cert[320], key[320], other_key[320], text[320], empty[320], locked[320];
    const char *dir = test_tmpdir();
    certs_make_ca(dir, "ca");
    certs_make(dir, "ca", "server");
    certs_make(dir, "ca", "other");
    path(ca, "ca.pem");
    path(cert, "server.pem");
    path(key, "server.key");
    path(other_key, "other.key");
    path(text, "text.pem");
    path(empty, "empty.pem");
    path(locked, "locked.key");
    write_text(text, "not a certificate\n");
    write_text(empty, "");
    encrypt(locked, key);
    refused(dir, key, NULL, CUZK_E_INVALID, dir, "is a directory");
    refused(text, key, NULL, CUZK_E_INVALID, "certificate", "no certificate found");
    refused(empty, key, NULL, CUZK_E_INVALID, empty, "is empty");
    refused("/dev/zero", key, NULL, CUZK_E_INVALID, "/dev/zero", "without an end");
    refused(cert, dir, NULL, CUZK_E_INVALID, dir, "is a directory");
    refused(cert, text, NULL, CUZK_E_INVALID, text, "no private key");
    refused(cert, cert, NULL, CUZK_E_INVALID, cert, "no private key");
    refused(cert, locked, NULL, CUZK_E_INVALID, locked, "is encrypted");
    refused(cert, other_key, NULL, CUZK_E_INVALID, other_key, "key values mismatch");
    refused(cert, key, text, CUZK_E_INVALID, text, "no certificate found");
    refused(cert, key, key, CUZK_E_INVALID, key, "no certificate found");
    refused(cert, key, dir, CUZK_E_INVALID, dir, "is a directory");
    append(text, cert); /* text in front of a certificate is passed over; half a one is not */
    append(text, ca);
    FILE *f = fopen(text, "a");
    CHECK(f != NULL && fputs("-----BEGIN CERTIFICATE-----\nMIIB\n", f) >= 0 && fclose(f) == 0);
    refused(text, key, NULL, CUZK_E_INVALID, text, "bad end line");
}

/* Chains, text between certificates, and an authority that is there twice. */
static void several_certificates(void)
{
    char ca[320], other_ca[320], cert[320], key[320], chain[320], cas[320];
    cuzk_err err;
    SSL_CTX *ctx = NULL;
    STACK_OF(X509) *behind = NULL;
    certs_make_ca(test_tmpdir(), "ca");
    certs_make_ca(test_tmpdir(), "otherca");
    certs_make(test_tmpdir(), "ca", "server");
    path(ca, "ca.pem");
    path(other_ca, "otherca.pem");
    path(cert, "server.pem");
    path(key, "server.key");
    path(chain, "chain.pem");
    path(cas, "cas.pem");
    write_text(chain, "the server's\n");
    append(chain, cert);
    append(chain, ca);
    append(chain, other_ca);
    write_text(cas, "");
    append(cas, ca);
    append(cas, ca);
    append(cas, other_ca);
    CHECK_OK(cuzk_rpc_tls_server(&ctx, chain, key, cas, &err), &err);
    CHECK(SSL_CTX_get0_chain_certs(ctx, &behind) == 1 && sk_X509_num(behind) == 2);
    CHECK(sk_X509_NAME_num(SSL_CTX_get_client_CA_list(ctx)) == 2);
    CHECK(SSL_CTX_get0_certificate(ctx) != NULL && SSL_CTX_check_private_key(ctx) == 1);
    SSL_CTX_free(ctx);
}

/* Named pipes that nobody writes: a requested end ends the wait. */
static void pipes(void)
{
    static cuzk_cancel end = {.requested = true};
    char ca[320], cert[320], key[320], fifo[320];
    cuzk_err err;
    SSL_CTX *ctx = NULL;
    certs_make_ca(test_tmpdir(), "ca");
    certs_make(test_tmpdir(), "ca", "server");
    path(ca, "ca.pem");
    path(cert, "server.pem");
    path(key, "server.key");
    path(fifo, "fifo");
    CHECK(mkfifo(fifo, 0600) == 0);
    cuzk_file_interrupt_by(&end);
    refused(fifo, key, NULL, CUZK_E_CANCELLED, fifo, "interrupted");
    refused(cert, fifo, NULL, CUZK_E_CANCELLED, fifo, "interrupted");
    refused(cert, key, fifo, CUZK_E_CANCELLED, fifo, "interrupted");
    CHECK(cuzk_rpc_tls_client(&ctx, fifo, NULL, NULL, &err) == CUZK_E_CANCELLED);
    CHECK(setenv("SSL_CERT_FILE", fifo, 1) == 0);
    CHECK(cuzk_rpc_tls_client(&ctx, NULL, NULL, NULL, &err) == CUZK_E_CANCELLED);
    CHECK(setenv("SSL_CERT_FILE", cert, 1) == 0);
    CHECK_OK(cuzk_rpc_tls_client(&ctx, NULL, NULL, NULL, &err), &err);
    SSL_CTX_free(ctx);
    CHECK(setenv("SSL_CERT_FILE", key, 1) == 0);
    CHECK(cuzk_rpc_tls_client(&ctx, NULL, NULL, NULL, &err) == CUZK_E_INVALID);
    CHECK(unsetenv("SSL_CERT_FILE") == 0);
    CHECK_OK(cuzk_rpc_tls_client(&ctx, NULL, NULL, NULL, &err), &err);
    SSL_CTX_free(ctx);
    cuzk_file_interrupt_by(NULL);
}

static const cuzk_case cases[] = {CASE(tls),
                                  CASE(mutual_tls),
                                  CASE(roles_of_certificates),
                                  CASE(token),
                                  CASE(renewed),
                                  CASE(versions_and_alpn),
                                  CASE(odd_files),
                                  CASE(several_certificates),
                                  CASE(pipes)};
TEST_MAIN("rpc/tls", cases)
