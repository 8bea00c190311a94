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

typedef struct PlainMessage {
    char *text;    // valid UTF-8 without control characters but LF and TAB
    bool is_early; // it had begun when plain_lines_mark_early() was called
    bool is_cut;   // a line of it is as long as a terminal takes: no one knows what followed
} PlainMessage;

void plain_message_clear(PlainMessage *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PlainMessage, plain_message_clear)

/* The next message that is whole; false: none yet. One of LIMIT_CONSOLE_BYTES is whole, however it
   ends. */
bool plain_lines_next(PlainLines *self, PlainMessage *ret_message);

/* A message has begun: the next line goes on with it. */
bool plain_lines_goes_on(const PlainLines *self);
/* What is there of a line that has not ended; NULL: nothing. Caller frees. */
char *plain_lines_begun(const PlainLines *self);
void plain_lines_mark_early(PlainLines *self);

/* Drops what is there. */
void plain_lines_forget(PlainLines *self);
