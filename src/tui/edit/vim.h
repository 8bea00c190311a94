/*
 * The keys of vim in an editor (the setting `editor.mode`): modes, counts, operators with motions
 * and text objects, visual selections, registers, undo and redo, and `.`. Lines are those of the
 * text, not rows of the screen; a folded paste is one character. What is no key of vim's is left to
 * the editor's own keys. One thread.
 */
#pragma once

#include "tui/edit/editor.h"
#include "tui/term/input.h"

enum { LIMIT_VIM_COUNT = 9999, LIMIT_VIM_STATES = 200, LIMIT_VIM_STATE_BYTES = 32 * 1024 * 1024 };

typedef struct Vim Vim;

Vim *vim_new(Editor *editor); // borrowed; begins by inserting
void vim_free(Vim *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Vim, vim_free)

/* EDITOR_UNUSED: the key is for the editor itself or for the program. `is_bound`: it has a meaning
   there, so that Alt with it is no Escape that came with the next key. */
EditorResult vim_press(Vim *self, KeyPress key, bool is_bound, gint64 now_ms);
/* Another text begins: as at the start, with the registers kept. */
void vim_begin(Vim *self);
bool vim_is_inserting(const Vim *self);
/* "NORMAL", or with what was begun: "NORMAL 2d"; borrowed until the next key. */
const char *vim_label(Vim *self);
