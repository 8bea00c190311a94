/*
 * Questions of kedge's own, asked in the same dialog as the conversation's (view/dialog.h): a text,
 * or one of some options, about one subject. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

/* `text` NULL: the person did not answer. Both are borrowed. */
typedef void (*PickAnswer)(Tui *tui, const char *subject, const char *text);

void pick_ask_text(Tui *tui, const char *title, const char *prefill, const char *subject,
                   PickAnswer answered);
/* `options` ends with NULL; the first one is the default. */
void pick_ask_option(Tui *tui, const char *title, const char *const *options, const char *subject,
                     PickAnswer answered);
