/*
 * The key map for readers: `kedge config keys` and the section "Keys" of docs/terminal.md. Pure.
 */
#pragma once

#include "base/json.h"
#include "tui/term/keymap.h"

/* Tables, one for each group. Caller frees. */
char *keymap_markdown(const Keymap *self);
char *keymap_text(const Keymap *self); // ends with a newline
/* {"tui.editor.undo": {"keys": ["ctrl+-"], "group": "editor", "description": "…"}}. New
   reference. */
json_t *keymap_json(const Keymap *self);
