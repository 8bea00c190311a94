/*
 * Completion while a person types (tui §7, agent-core §7.5): "/" commands, "#" editor actions, "@"
 * files, Tab paths. Commands come from a table; files are listed and matched on workers, cancelled
 * by the next key; typing never waits. One thread, that of the loop.
 */
#pragma once

#include "base/loop.h"
#include "tui/edit/editor.h"

typedef struct CompleteItem {
    const char *name, *argument, *help; // argument and help may be NULL
    bool is_removal;                    // is last among those that fit, and Enter never sends it
    bool is_word; // means another one: listed when it is typed whole, or nothing else fits
} CompleteItem;

typedef struct CompleteSpec {
    Loop *loop;
    const char *cwd;
    const CompleteItem *commands, *actions; // end with an entry without a name; constant; NULL:
                                            // none
    int max_rows;                           // setting autocompleteMaxVisible
    const Theme *theme;                     // borrowed
    LoopFunc on_change;                     // the list has come, or gone
    void *user_data;
} CompleteSpec;

typedef struct Completer Completer;

Completer *completer_new(const CompleteSpec *spec);
void completer_free(Completer *self);
/* Other commands in place of those of the spec, as constant; an open list is closed. */
void completer_set_commands(Completer *self, const CompleteItem *commands);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Completer, completer_free)

/* After each change of the editor. */
void completer_update(Completer *self, Editor *editor);
/* Tab: what fits at the cursor, and be it paths of a plain word. One that is alone is taken at
   once, also when it comes later: `editor` is borrowed until the next call of these three. */
void completer_force(Completer *self, Editor *editor);
void completer_close(Completer *self);
bool completer_is_open(const Completer *self);
/* Of KEYS_LIST; taking a row changes the editor. False: nothing of the list's, as is Enter while
   the list is not yet that of what stands there. *ret_submits: a command without arguments, or "#"
   and the id of an action, was taken by Enter, which sends it. */
bool completer_act(Completer *self, Action action, Editor *editor, bool *ret_submits);
void completer_rows(const Completer *self, int width, int max_rows, GPtrArray *out);
void completer_set_theme(Completer *self, const Theme *theme);
