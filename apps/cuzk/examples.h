/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_APPS_EXAMPLES_H
#define CUZK_APPS_EXAMPLES_H

/** The examples of a command ("cuzk prove porep"), one a line, without a line feed at the end; NULL: none. */
const char *examples_of(const char *command);

#endif /* CUZK_APPS_EXAMPLES_H */
