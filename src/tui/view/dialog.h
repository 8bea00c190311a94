/*
 * A question to a person, as a panel (tui §8, common §4, safety §10.1): whether a call may run,
 * what to choose, a text to give. What was typed before it could be read never answers it: 1. what
 * is there at its first frame is the editor's (the controller's duty); 2. so are keys in the 400 ms
 * after it, and after each that comes too early; 3. letters answer only while the editor is empty
 * or the person has gone into the question by Tab or Up; Enter is no.
 */
#pragma once

#include "base/json.h"
#include "tui/term/keymap.h"
#include "tui/view/panel.h"

typedef enum {
    DIALOG_ALLOWED,
    DIALOG_ALLOWED_SESSION,
    DIALOG_EDIT, // the text of the call is to be changed, before it is asked about again
    DIALOG_REFUSED,
    DIALOG_CHOSEN,
    DIALOG_PASSED,
    DIALOG_STOP, // Esc: no, and the run stops
} DialogAnswer;

typedef struct DialogSpec {
    const json_t *question; // the event of agent/questions.h; a reference is taken
    const Theme *theme;     // borrowed
    size_t waiting;         // after it
    int tab_width;
    gint64 shown_at_ms;   // of its first frame; 0: the person has asked for it, and is in it
    const Keymap *keymap; // of what is typed into it; borrowed; NULL: the default keys
    bool (*is_editor_empty)(void *user_data);
    bool (*has_focus)(void *user_data); // of the terminal; NULL: it always has
    /* `text`: the choice, or the reason; NULL: none. And it is PANEL_DONE. */
    void (*answered)(DialogAnswer answer, const char *text, void *user_data);
    void (*freed)(void *user_data); // may be NULL
    void *user_data;
} DialogSpec;

Panel *dialog_new(const DialogSpec *spec);
/* The focus has come or gone: keys that come too soon after it answer nothing, as at first. */
void dialog_note_focus(Panel *self, gint64 now_ms);
void dialog_set_waiting(Panel *self, size_t waiting);
