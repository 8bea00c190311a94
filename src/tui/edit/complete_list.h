/*
 * The list of what can be taken: its items, the selected one, and its rows. One thread.
 */
#pragma once

#include "tui/text/row.h"

typedef struct CompleteEntry {
    char *name;                  // as it is shown: "/model", "src/main.c"
    const char *argument, *help; // constant; may be NULL
    bool is_removal;             // is taken, but not sent
} CompleteEntry;

typedef struct CompleteList {
    GArray *entries; // of CompleteEntry
    guint selected;
    bool is_moved; // by a person
    bool is_path;  // a name that is too long loses its beginning
} CompleteList;

void complete_list_init(CompleteList *self);
void complete_list_destroy(CompleteList *self);
void complete_list_empty(CompleteList *self);
/* Returns the new entry, which may be changed until the next is added. */
CompleteEntry *complete_list_add(CompleteList *self, const char *sign, const char *name,
                                 const char *argument, const char *help);
/* The selected one, or NULL; borrowed. */
const CompleteEntry *complete_list_selected(const CompleteList *self);
/* By so many, around the ends with `wraps`. */
void complete_list_move(CompleteList *self, int count, bool wraps);

/* `shown`: entries at a time. Never more than `max_rows`; the last one counts where not all are
   shown and there is room for it. */
void complete_list_rows(const CompleteList *self, const Theme *theme, int width, int shown,
                        int max_rows, GPtrArray *out);
