/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef CUZK_API_ANSWER_READY_TEXT_H
#define CUZK_API_ANSWER_READY_TEXT_H

#include "api/answer/text_buf.h"
#include "engine/engine_status.h"

/** The body of /readyz while jobs are taken: "ready", and a line for each GPU with what it can do with each circuit. */
void cuzk_ready_text(cuzk_text_buf *b, const cuzk_engine_status *s);

#endif /* CUZK_API_ANSWER_READY_TEXT_H */
