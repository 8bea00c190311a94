/*
 * A panel: what stands in place of the completion list, below the editor, and takes the keys: a
 * selector, a dialog, a question. It writes nothing, does not know its place, and is made and freed
 * by its controller.
 */
#pragma once

#include "tui/term/keymap.h"
#include "tui/text/row.h"

typedef enum {
    PANEL_UNUSED, // the key is the editor's
    PANEL_TAKEN,
    PANEL_CHANGED, // to be drawn again
    PANEL_DONE,    // it has called what it was made for, and is to be freed
} PanelResult;

typedef struct Panel Panel;

typedef struct PanelClass {
    /* At most `max_rows`, at least one. *ret_row -1: the cursor stays in the editor. */
    void (*rows)(Panel *self, int width, int max_rows, GPtrArray *out, int *ret_row,
                 int *ret_column);
    /* `action` by KEYS_LIST. */
    PanelResult (*key)(Panel *self, KeyPress key, Action action, gint64 now_ms);
    void (*free)(Panel *self);
    /* A piece of a paste; NULL: it is the editor's, too. */
    PanelResult (*paste)(Panel *self, const char *text, size_t size, bool is_last);
    void (*set_theme)(Panel *self, const Theme *theme); // borrowed; NULL: it has none
    bool covers_editor; // the editor is not drawn; what is typed is the panel's
} PanelClass;

struct Panel { // first member of each
    const PanelClass *class;
};

void panel_free(Panel *self); // NULL is allowed
/* PANEL_UNUSED: it is the editor's. It never answers anything. */
PanelResult panel_paste(Panel *self, const char *text, size_t size, bool is_last);
/* Another one, before the one that it was made with goes away. */
void panel_set_theme(Panel *self, const Theme *theme);
