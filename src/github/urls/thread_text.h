/*
 * Review threads as Markdown: grouped, with what is resolved or outdated and the lines that a
 * thread speaks about. Pure.
 */
#pragma once

#include "base/json.h"

/* `threads` are the nodes of GraphQL's reviewThreads, NULL: none. `file` NULL: of every file. */
void thread_text_append(GString *out, const json_t *threads, const char *file);
/* One of them, whatever file it is about. */
void thread_text_append_one(GString *out, const json_t *thread);
