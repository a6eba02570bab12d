/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_RPC_CERTS_H
#define CUZK_TEST_RPC_CERTS_H

/** Makes a CA and certificates of it in dir: ca.pem, NAME.pem and NAME.key; fails the case on errors. */
void certs_make_ca(const char *dir, const char *ca);
/** ca: the name given to certs_make_ca in this case. The name is localhost and 127.0.0.1. */
void certs_make(const char *dir, const char *ca, const char *name);
/** The same with a common name of its own. */
void certs_make_as(const char *dir, const char *ca, const char *name, const char *cn);

#endif /* CUZK_TEST_RPC_CERTS_H */
