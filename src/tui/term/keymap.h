/*
 * Which key means what (agent-core §7.4): actions with their default keys, changed by
 * keybindings.json. The table is also what the key reference in docs/terminal.md and /hotkeys are
 * made of. Immutable once loaded; one thread.
 */
#pragma once

#include "tui/term/input.h"

typedef enum {
    ACTION_NONE,
    /* the editor */
    ACTION_SUBMIT,
    ACTION_NEW_LINE,
    ACTION_CURSOR_UP,
    ACTION_CURSOR_DOWN,
    ACTION_CURSOR_LEFT,
    ACTION_CURSOR_RIGHT,
    ACTION_WORD_LEFT,
    ACTION_WORD_RIGHT,
    ACTION_LINE_START,
    ACTION_LINE_END,
    ACTION_DELETE_BACKWARD,
    ACTION_DELETE_FORWARD,
    ACTION_DELETE_WORD_BACKWARD,
    ACTION_DELETE_WORD_FORWARD,
    ACTION_DELETE_TO_LINE_START,
    ACTION_DELETE_TO_LINE_END,
    ACTION_YANK,
    ACTION_YANK_POP,
    ACTION_UNDO,
    ACTION_PAGE_UP,
    ACTION_PAGE_DOWN,
    ACTION_JUMP_FORWARD,
    ACTION_JUMP_BACKWARD,
    ACTION_TAB,
    /* the program */
    ACTION_INTERRUPT,
    ACTION_CLEAR,
    ACTION_EXIT,
    ACTION_SUSPEND,
    ACTION_THINKING_CYCLE,
    ACTION_THINKING_TOGGLE,
    ACTION_MODEL_CYCLE_FORWARD,
    ACTION_MODEL_CYCLE_BACKWARD,
    ACTION_MODEL_SELECT,
    ACTION_MODEL_SELECT_TEMPORARY,
    ACTION_TOOLS_EXPAND,
    ACTION_TOOLS_OPEN_LAST,
    ACTION_EDITOR_EXTERNAL,
    ACTION_FOLLOW_UP,
    ACTION_DEQUEUE,
    ACTION_PASTE_IMAGE,
    ACTION_COPY_LINE,
    ACTION_COPY_PROMPT,
    ACTION_HISTORY_SEARCH,
    ACTION_PLAN_TOGGLE,
    ACTION_SESSION_NEW,
    ACTION_SESSION_TREE,
    ACTION_SESSION_FORK,
    ACTION_SESSION_RESUME,
    /* lists, questions and the viewer */
    ACTION_LIST_UP,
    ACTION_LIST_DOWN,
    ACTION_LIST_PAGE_UP,
    ACTION_LIST_PAGE_DOWN,
    ACTION_LIST_FIRST,
    ACTION_LIST_LAST,
    ACTION_LIST_ACCEPT,
    ACTION_LIST_CANCEL,
    ACTION_LIST_TAB,    // the next tab, or into a question
    ACTION_LIST_RENAME, // ctrl+r
    ACTION_LIST_DELETE, // ctrl+d
    ACTION_TREE_FILTER_NEXT,
    ACTION_TREE_FILTER_PREVIOUS,
    ACTION_TREE_LABEL,
    ACTION_COUNT,
} Action;

typedef enum { KEYS_EDITOR, KEYS_APP, KEYS_LIST } KeyGroup;

typedef struct Keymap Keymap;

/* `path` (keybindings.json) may be NULL or not exist. What is wrong in it goes to `warnings` (of
   char *; may be NULL), and the rest holds. */
Keymap *keymap_load(const char *path, GPtrArray *warnings);
void keymap_free(Keymap *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Keymap, keymap_free)

/* Where a person's own keys are. Caller frees. */
char *keymap_path(const char *agent_dir);

/* ACTION_NONE: the key means nothing there. */
Action keymap_find(const Keymap *self, KeyGroup group, KeyPress key);
/* "ctrl+p, alt+n"; "" when it has none. Caller frees. */
char *keymap_keys(const Keymap *self, Action action);
const char *action_id(Action action);   // "tui.editor.undo"
const char *action_help(Action action); // one line
KeyGroup action_group(Action action);

char *key_name(KeyPress key); // "ctrl+p"; caller frees
bool key_parse(const char *name, KeyPress *ret_key);
/* The character that a key types; 0: none. */
uint32_t key_character(KeyPress key);
