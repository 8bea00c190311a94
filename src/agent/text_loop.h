/*
 * Notices that a model writes the same text over and over (safety §9.1). Of one stream and its
 * thread.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

#define TEXT_LOOP_PROBLEM "The answer was stopped: it repeated the same text over and over"

typedef struct TextLoop {
    GArray *tail; // the newest characters, as gunichar
    size_t fresh; // so many of them were not looked at yet
} TextLoop;

void text_loop_init(TextLoop *self);
void text_loop_clear(TextLoop *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(TextLoop, text_loop_clear)

/* More text has come. True: what came last is nothing but one piece of prose, six times or more. */
bool text_loop_feed(TextLoop *self, const char *text);
/* What comes next is another text. */
void text_loop_reset(TextLoop *self);
