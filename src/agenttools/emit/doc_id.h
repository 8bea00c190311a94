/*
 * Document ids in the front matter of Markdown files (agent-tools-cli §4.7): `rp1_doc_id` or
 * `kedge_doc_id`. Pure.
 */
#pragma once

#include "base/error.h"

#define LIMIT_FRONT_MATTER_BYTES ((size_t)64 * 1024)

/* The id, or NULL when there is none. Front matter that cannot be read, or an id that is none, is
   told in `warnings` (of char *), where `name` stands for the file. Caller frees. */
char *doc_id_read(const char *text, size_t size, const char *name, GPtrArray *warnings);

/* The text with `kedge_doc_id: ID` in its front matter, which is made when there is none;
   byte-order mark and line ends are kept. Caller frees. */
char *doc_id_stamp(const char *text, size_t size, const char *doc_id, size_t *ret_size);
