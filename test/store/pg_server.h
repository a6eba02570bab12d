/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_TEST_STORE_PG_SERVER_H
#define CUZK_TEST_STORE_PG_SERVER_H

/*
 * A PostgreSQL server of the test program's own, in a temporary folder, reached through a unix socket. It is started
 * at the first call and ends with the program. PostgreSQL does not run as root: then it runs as the user
 * postgres, or as nobody. Where it is not installed, the case is skipped. With CUZK_TEST_PG in the environment, the tests
 * of a build share what initdb makes (0.9 seconds), as copies (0.1 seconds).
 */

/** The URL of an empty schema that is the running case's. Valid until the next case. */
const char *pg_server_url(void);
/** The folder of its socket, ".s.PGSQL.5432" in it. */
const char *pg_server_folder(void);
/** Stops the server as a crash would (SIGQUIT), starts it again and waits until it answers. From the main thread. */
void pg_server_restart(void);
/** Runs statements in the schema of the case; fails the case when they fail. Returns the first field, malloc'd, or NULL. */
char *pg_server_sql(const char *sql);

#endif /* CUZK_TEST_STORE_PG_SERVER_H */
