/*
 * A list of items as a panel: what most pickers are (pick.h). The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"
#include "tui/view/select.h"

typedef struct PickItem {
    char *text;   // what is shown, and looked through; clean when it is of others
    char *detail; // after it, dim; NULL: none
    char *meant;  // an id, a name: what choosing it means
    bool is_current;
} PickItem;

typedef struct PickList PickList;

typedef struct PickSpec {
    const char *title, *hint, *empty; // constant; hint may be NULL
    bool keeps_order;
    bool is_tall; // half of the window, not a third
    void (*chosen)(Tui *tui, const char *meant);
    void (*cancelled)(Tui *tui);                // NULL: nothing
    void (*moved)(Tui *tui, const char *meant); // NULL: nothing
    /* Another key; NULL: there is none. `item` NULL: the list is empty. */
    PanelResult (*key)(PickList *self, const PickItem *item, KeyPress key, Action action);
} PickSpec;

GPtrArray *pick_items_new(void);
/* `text` of others is made clean. */
void pick_items_add(GPtrArray *items, const char *text, const char *detail, const char *meant,
                    bool is_current);

/* Opens the panel with the items (taken over), at the current one, else at `selected`. The panel
   owns what is returned. */
PickList *pick_list_open(Tui *tui, GPtrArray *items, size_t selected, const PickSpec *spec);
/* New items; NULL with an error. On a worker. */
typedef GPtrArray *(*PickFill)(void *data, Cancel *cancel, GError **error);
/* The same, and the items come when they are there; what is typed meanwhile looks through them
   then. Takes `data`; `spec` is copied. */
void pick_list_open_later(Tui *tui, const PickSpec *spec, PickFill fill, void *data,
                          GDestroyNotify free_data);
Tui *pick_list_tui(const PickList *self);
/* Other items in their place, at the current one, else at `selected`. */
void pick_list_set(PickList *self, GPtrArray *items, size_t selected);
void pick_list_set_title(PickList *self, const char *title);
