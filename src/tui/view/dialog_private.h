/*
 * What the files of a question share: its state, what it says, its rows.
 */
#pragma once

#include "tui/edit/editor.h"
#include "tui/view/dialog.h"

typedef enum {
    DIALOG_APPROVAL, // may a call run?
    DIALOG_OPTIONS,
    DIALOG_TEXT,
} DialogKind;

typedef struct Dialog {
    Panel panel;
    DialogSpec spec;
    DialogKind kind;
    json_t *question;
    Keymap *own_keymap; // NULL: the spec has one
    Editor *input;      // reasons, words of one's own
    bool is_typing;     // into it
    bool is_entered;    // by Tab or Up: letters are answers, whatever the editor holds
    bool is_left;       // by Tab: the keys are the editor's
    bool is_explained;
    bool is_allowance_cut; // there is no room for all that [s] allows
    size_t option;         // the marked one
    size_t number;         // digits so far
    size_t top;            // first row of what is asked that is on screen
    size_t hidden;         // rows of it that are not
    size_t page;           // rows of it that are
    gint64 quiet_until;
    KeyPress last_key;
    gint64 last_key_at;
    GPtrArray *body; // what is asked, as rows; NULL: to be made
    int body_width;
} Dialog;

// ---- dialog_state.c ----

/* Keys may answer: the editor is empty, or the person has gone into the question. */
bool dialog_is_active(const Dialog *self);
size_t dialog_option_count(const Dialog *self);
const char *dialog_option(const Dialog *self, size_t index);
/* What [s] allows for the rest of the session; NULL: it is not offered. Borrowed. */
const char *dialog_allowance(const Dialog *self);
/* Text of others as it is shown: secrets masked, what cannot be seen made visible. Caller frees. */
char *dialog_clean(const char *text, int tab_width);

// ---- dialog_text.c ----

/* Appends what is asked: with `is_explained` all there is. */
void dialog_body_rows(const json_t *question, bool is_explained, int tab_width, int width,
                      GPtrArray *out);

// ---- dialog_change.c ----

/* The change that a call would make, as a clean diff; NULL: the arguments do not say. Caller
   frees. */
char *dialog_change(const json_t *question, int tab_width);
/* The argument that the change was made of: it need not be said twice. */
bool dialog_change_covers(const json_t *question, const char *key);

// ---- dialog_rows.c: PanelClass.rows ----

void dialog_rows(Panel *panel, int width, int max_rows, GPtrArray *out, int *ret_row,
                 int *ret_column);
