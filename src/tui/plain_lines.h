/*
 * What a person types in a terminal that edits its lines itself, as messages: a line each; one that
 * ends in a backslash goes on in the next. One thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct PlainLines PlainLines;

PlainLines *plain_lines_new(void);
void plain_lines_free(PlainLines *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PlainLines, plain_lines_free)

void plain_lines_push(PlainLines *self, const char *data, size_t size);

/* The next message that is whole, valid UTF-8 and without control characters but LF and TAB; NULL:
   none yet. One of LIMIT_CONSOLE_BYTES is whole, however it ends. Caller frees. */
char *plain_lines_next(PlainLines *self);

/* A message has begun: the next line goes on with it. */
bool plain_lines_goes_on(const PlainLines *self);

/* Drops what is there. */
void plain_lines_forget(PlainLines *self);
