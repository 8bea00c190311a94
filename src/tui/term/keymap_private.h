/*
 * What the files of the key map share. Private to term/.
 */
#pragma once

#include "tui/term/keymap.h"

enum { KEYMAP_KEYS = 8 }; // of one action

typedef struct ActionRow {
    const char *id, *keys; // default keys, with blanks between
    KeyGroup group;
    const char *old; // what it was called before ids had prefixes; NULL: as the id ends
    const char *help;
} ActionRow;

typedef struct ActionKeys {
    KeyPress keys[KEYMAP_KEYS];
    unsigned count;
} ActionKeys;

struct Keymap {
    ActionKeys of[ACTION_COUNT];
};

const ActionRow *action_row(Action action);
bool action_keys_have(const ActionKeys *self, KeyPress key);
void action_keys_remove(ActionKeys *self, KeyPress key);

/* keybindings.json over the defaults. */
void keymap_apply_file(Keymap *self, const char *path, GPtrArray *warnings);

/* The key whose name is like `name`, which is none; NULL: there is none. Caller frees. */
char *key_name_nearest(const char *name);
