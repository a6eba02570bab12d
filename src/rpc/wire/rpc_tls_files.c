/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "rpc/wire/rpc_tls_files.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/wire/rpc_tls.h"
#include "sys/file.h"

#define MAX_CERT ((size_t)1 << 20)
#define MAX_CAS  ((size_t)16 << 20)

static cuzk_status fail_file(const char *what, const char *path, cuzk_err *err)
{
    char reason[160];
    cuzk_rpc_tls_reason(reason, sizeof(reason));
    return CUZK_FAIL(err, CUZK_E_INVALID, "TLS %s %s: %s", what, path, reason);
}

/* *bio refers to c->data, which must stay until BIO_free(*bio). */
static cuzk_status open_file(BIO **bio, cuzk_content *c, const char *what, const char *path,
                             size_t max, cuzk_err *err)
{
    CUZK_TRY(cuzk_content_read(c, path, max, err));
    if (c->size == 0) {
        cuzk_content_free(c);
        return CUZK_FAIL(err, CUZK_E_INVALID, "TLS %s %s: the file is empty", what, path);
    }
    *bio = BIO_new_mem_buf(c->data, (int)c->size);
    if (*bio == NULL) {
        cuzk_content_free(c);
        return CUZK_FAIL(err, CUZK_E_NOMEM, "TLS %s %s: out of memory", what, path);
    }
    return CUZK_OK;
}

/* The file may hold a key. */
static void close_file(BIO *bio, cuzk_content *c)
{
    (void)BIO_free(bio);
    explicit_bzero(c->data, c->size);
    cuzk_content_free(c);
}

/* For OpenSSL's readers: there is no password, and nobody is asked for one. arg: bool, that one was wanted. */
static int no_password(char *buf, int size, int rwflag, void *arg)
{
    bool *wanted = arg;
    (void)buf;
    (void)size;
    (void)rwflag;
    if (wanted != NULL) {
        *wanted = true;
    }
    return -1;
}

/* The last reader found no further "-----BEGIN": the end of the file, not an error. */
static bool is_end(void)
{
    const unsigned long e = ERR_peek_last_error();
    return ERR_GET_LIB(e) == ERR_LIB_PEM && ERR_GET_REASON(e) == PEM_R_NO_START_LINE;
}

static bool read_chain(SSL_CTX *ctx, BIO *bio)
{
    X509 *x = PEM_read_bio_X509_AUX(bio, NULL, no_password, NULL);
    if (x == NULL) {
        if (is_end()) { /* a word that is clearer than "no start line" */
            ERR_raise(ERR_LIB_X509, X509_R_NO_CERTIFICATE_FOUND);
        }
        return false;
    }
    const bool used = SSL_CTX_use_certificate(ctx, x) == 1 && SSL_CTX_clear_chain_certs(ctx) == 1;
    X509_free(x);
    if (!used) {
        return false;
    }
    while ((x = PEM_read_bio_X509(bio, NULL, no_password, NULL)) != NULL) {
        if (SSL_CTX_add0_chain_cert(ctx, x) != 1) {
            X509_free(x);
            return false;
        }
    }
    if (!is_end()) {
        return false;
    }
    ERR_clear_error();
    return true;
}

static cuzk_status use_key(SSL_CTX *ctx, const char *path, cuzk_err *err)
{
    cuzk_content c = {.data = NULL};
    BIO *bio = NULL;
    bool encrypted = false, fits = false;
    CUZK_TRY(open_file(&bio, &c, "key", path, MAX_CERT, err));
    EVP_PKEY *k = PEM_read_bio_PrivateKey(bio, NULL, no_password, &encrypted);
    const bool found = k != NULL;
    close_file(bio, &c);
    if (found) {
        fits = SSL_CTX_use_PrivateKey(ctx, k) == 1 && SSL_CTX_check_private_key(ctx) == 1;
        EVP_PKEY_free(k);
    }
    if (encrypted || !found) {
        ERR_clear_error();
        return CUZK_FAIL(err, CUZK_E_INVALID, "TLS key %s: %s", path,
                         encrypted ? "it is encrypted; a key without a password is needed"
                                   : "no private key in PEM");
    }
    return fits ? CUZK_OK : fail_file("key", path, err);
}

cuzk_status cuzk_rpc_tls_use_cert(SSL_CTX *ctx, const char *cert, const char *key, cuzk_err *err)
{
    cuzk_content c = {.data = NULL};
    BIO *bio = NULL;
    ERR_clear_error();
    CUZK_TRY(open_file(&bio, &c, "certificate", cert, MAX_CERT, err));
    const bool chain = read_chain(ctx, bio);
    close_file(bio, &c);
    return chain ? use_key(ctx, key, err) : fail_file("certificate", cert, err);
}

static bool is_listed(const STACK_OF(X509_NAME) * names, const X509_NAME *name)
{
    for (int i = 0; i < sk_X509_NAME_num(names); i++) {
        if (X509_NAME_cmp(sk_X509_NAME_value(names, i), name) == 0) {
            return true;
        }
    }
    return false;
}

static bool list_name(STACK_OF(X509_NAME) * names, X509 *x)
{
    const X509_NAME *name = X509_get_subject_name(x);
    if (name == NULL || is_listed(names, name)) {
        return name != NULL;
    }
    X509_NAME *own = X509_NAME_dup(name);
    if (own == NULL || sk_X509_NAME_push(names, own) == 0) {
        X509_NAME_free(own);
        return false;
    }
    return true;
}

/* The certificates and lists of revoked ones in bio, at least one certificate; names may be NULL. */
static bool trust_all(SSL_CTX *ctx, BIO *bio, STACK_OF(X509_NAME) * names)
{
    X509_STORE *store = SSL_CTX_get_cert_store(ctx);
    STACK_OF(X509_INFO) *all = PEM_X509_INFO_read_bio(bio, NULL, no_password, NULL);
    bool ok = all != NULL;
    int n = 0;
    for (int i = 0; ok && i < sk_X509_INFO_num(all); i++) {
        const X509_INFO *x = sk_X509_INFO_value(all, i);
        if (x->x509 != NULL) {
            ok = X509_STORE_add_cert(store, x->x509) == 1 &&
                 (names == NULL || list_name(names, x->x509));
            n++;
        }
        if (ok && x->crl != NULL) {
            ok = X509_STORE_add_crl(store, x->crl) == 1;
        }
    }
    if (ok && n == 0) {
        ERR_raise(ERR_LIB_X509, X509_R_NO_CERTIFICATE_FOUND);
        ok = false;
    }
    sk_X509_INFO_pop_free(all, X509_INFO_free);
    return ok;
}

cuzk_status cuzk_rpc_tls_trust(SSL_CTX *ctx, const char *ca, STACK_OF(X509_NAME) * *names,
                               cuzk_err *err)
{
    cuzk_content c = {.data = NULL};
    BIO *bio = NULL;
    STACK_OF(X509_NAME) *list = NULL;
    ERR_clear_error();
    if (names != NULL) {
        *names = NULL;
        list = sk_X509_NAME_new_null();
        if (list == NULL) {
            return CUZK_FAIL(err, CUZK_E_NOMEM, "TLS CA %s: out of memory", ca);
        }
    }
    cuzk_status st = open_file(&bio, &c, "CA", ca, MAX_CAS, err);
    if (st == CUZK_OK) {
        st = trust_all(ctx, bio, list) ? CUZK_OK : fail_file("CA", ca, err);
        close_file(bio, &c);
    }
    if (st != CUZK_OK) {
        sk_X509_NAME_pop_free(list, X509_NAME_free);
    } else if (names != NULL) {
        *names = list;
    }
    return st;
}

cuzk_status cuzk_rpc_tls_trust_system(SSL_CTX *ctx, cuzk_err *err)
{
    cuzk_err missing;
    const char *env = getenv(X509_get_default_cert_file_env());
    const bool named = env != NULL && env[0] != '\0';
    const char *file = named ? env : X509_get_default_cert_file();
    const cuzk_status st = cuzk_rpc_tls_trust(ctx, file, NULL, named ? err : &missing);
    if (st != CUZK_OK && named) {
        return st;
    }
    if (st == CUZK_E_CANCELLED) {
        return CUZK_FAIL(err, st, "%s: interrupted while it was read", file);
    }
    ERR_clear_error();
    return SSL_CTX_set_default_verify_dir(ctx) == 1 ? CUZK_OK
                                                    : fail_file("CA", "of the system", err);
}
