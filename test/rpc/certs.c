/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#include "certs.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>

#include "test.h"

static FILE *open_file(const char *dir, const char *name, const char *ext, const char *mode)
{
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%s.%s", dir, name, ext);
    FILE *f = fopen(path, mode);
    CHECK_MSG(f != NULL, "%s", path);
    return f;
}

static void extend(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx_nodb(&ctx);
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *e = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    CHECK(e != NULL && X509_add_ext(cert, e, -1) == 1);
    X509_EXTENSION_free(e);
}

static X509 *new_cert(const char *name, EVP_PKEY *key, long serial)
{
    X509 *c = X509_new();
    CHECK(c != NULL && X509_set_version(c, 2) == 1);
    CHECK(ASN1_INTEGER_set(X509_get_serialNumber(c), serial) == 1);
    CHECK(X509_gmtime_adj(X509_getm_notBefore(c), -3600) != NULL);
    CHECK(X509_gmtime_adj(X509_getm_notAfter(c), 3600) != NULL);
    CHECK(X509_set_pubkey(c, key) == 1);
    CHECK(X509_NAME_add_entry_by_txt(X509_get_subject_name(c), "CN", MBSTRING_ASC,
                                     (const unsigned char *)name, -1, -1, 0) == 1);
    return c;
}

static void save(const char *dir, const char *name, X509 *cert, EVP_PKEY *key)
{
    FILE *f = open_file(dir, name, "pem", "w");
    CHECK(PEM_write_X509(f, cert) == 1 && fclose(f) == 0);
    f = open_file(dir, name, "key", "w");
    CHECK(PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL) == 1 && fclose(f) == 0);
}

void certs_make_ca(const char *dir, const char *ca)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *c = new_cert(ca, key, 1);
    CHECK(X509_set_issuer_name(c, X509_get_subject_name(c)) == 1);
    extend(c, c, NID_basic_constraints, "critical,CA:TRUE");
    extend(c, c, NID_key_usage, "critical,keyCertSign");
    CHECK(X509_sign(c, key, EVP_sha256()) > 0);
    save(dir, ca, c, key);
    X509_free(c);
    EVP_PKEY_free(key);
}

void certs_make_as(const char *dir, const char *ca, const char *name, const char *cn)
{
    FILE *f = open_file(dir, ca, "pem", "r");
    X509 *issuer = PEM_read_X509(f, NULL, NULL, NULL);
    CHECK(issuer != NULL && fclose(f) == 0);
    f = open_file(dir, ca, "key", "r");
    EVP_PKEY *issuer_key = PEM_read_PrivateKey(f, NULL, NULL, NULL);
    CHECK(issuer_key != NULL && fclose(f) == 0);
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *c = new_cert(cn, key, 2);
    CHECK(X509_set_issuer_name(c, X509_get_subject_name(issuer)) == 1);
    extend(c, issuer, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
    CHECK(X509_sign(c, issuer_key, EVP_sha256()) > 0);
    save(dir, name, c, key);
    X509_free(c);
    X509_free(issuer);
    EVP_PKEY_free(key);
    EVP_PKEY_free(issuer_key);
}

void certs_make(const char *dir, const char *ca, const char *name)
{
    certs_make_as(dir, ca, name, name);
}
