/*
 * Review threads as Markdown: grouped, with what is resolved or outdated and the lines that a
 * thread speaks about. Pure.
 */
#pragma once

#include "base/json.h"

/* `threads` are the nodes of GraphQL's reviewThreads, NULL: none. `file` NULL: of every file;
   `line` 0: of every line, else those whose lines, as they are shown, have it among them. How many
   there are. */
size_t thread_text_append(GString *out, const json_t *threads, const char *file, int64_t line);
/* One of them, whatever file it is about. */
void thread_text_append_one(GString *out, const json_t *thread);
