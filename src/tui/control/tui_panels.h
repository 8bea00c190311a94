/*
 * TuiPanels: what is open above or in place of the editor. A list to choose from or a question, and
 * the viewer. Its files (tui_panels.c, ask.c, pick_*.c, review.c) write it, by tui_own.h; all
 * others read it and call what is declared here. The loop's thread.
 */
#pragma once

#include "tui/control/tree_rows.h"
#include "tui/view/panel.h"
#include "tui/view/viewer.h"

typedef struct Tui Tui; // tui_state.h

typedef struct TuiPanels {
    Panel *panel;           // NULL: none
    GPtrArray *old_panels;  // closed, and not freed yet
    GPtrArray *questions;   // of json_t *: those that are open
    bool is_asking;         // the panel is the first of the questions
    bool is_question_drawn; // its first frame was
    bool is_choosing;       // the last answer was one of several; the question may come again
    Viewer *viewer;         // NULL: closed
    char *shown;            // what an external editor is to show next; NULL: nothing
    TreeFilter tree_filter; // of the navigator
    size_t setting_group;   // that the menu shows, from 1 on; 0: all
} TuiPanels;

TuiPanels *tui_panels_new(void);
void tui_panels_free(TuiPanels *self);

/* Takes the panel over, in the place of the one that was there. */
void tui_open_panel(Tui *tui, Panel *panel);
void tui_close_panel(Tui *tui);
void tui_free_old_panels(Tui *tui); // when none of them is in the middle of its own key
void tui_set_tree_filter(Tui *tui, TreeFilter filter);

// ---- ask.c: questions of the conversation ----

void tui_open_question(Tui *tui, json_t *question);
void tui_close_question(Tui *tui, const json_t *closed);
void tui_show_question(Tui *tui); // the first, where no panel is open
void tui_note_question_drawn(Tui *tui);
