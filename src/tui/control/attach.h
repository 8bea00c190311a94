/*
 * Images that go along with what is written: each stands in the text as "[Image #1]" (agent-core
 * §7.4). The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

enum { LIMIT_ATTACHED_IMAGES = 20 }; // that are kept; an older one is only a text then

/* The image of the clipboard; it takes its time, and what comes of it is said. */
void attach_clipboard(Tui *self);
/* A piece of a paste that was written: when all of it is the path of an image, or several, they are
   attached besides, and Backspace takes each away. Whatever else it is, nothing happens. */
void attach_pasted(Tui *self, const char *text, size_t size, bool is_last);
/* A message of `text`, with the images that it names. New reference. */
json_t *attach_message(const Tui *self, const char *text);
void attach_end(Tui *self);
