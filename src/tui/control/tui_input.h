/*
 * TuiInput: what a person types. Editor, keys, completion, attachments, drafts and what was asked
 * before. Its files (tui_input.c, act.c, attach.c, draft.c, external.c, keys.c, slash_door.c,
 * vim_use.c) write it, by tui_own.h; all others read it and call what is declared here. The loop's
 * thread.
 */
#pragma once

#include "tui/control/key_table.h"
#include "tui/edit/complete.h"
#include "tui/edit/recall.h"
#include "tui/edit/vim.h"
#include "tui/term/input.h"

typedef struct Tui Tui;           // tui_state.h
typedef struct External External; // external.h
typedef struct Draft Draft;       // draft.h

typedef struct TuiInput {
    Keymap *keymap;
    Editor *editor;
    Vim *vim;                 // its keys, as long as `editor.mode` wants them
    GPtrArray *attached;      // of json_t *: the images that it may name
    unsigned attached_before; // how many were, that are not kept any more
    GQueue attaching;         // of Attaching: those that are being read
    GString *pasted;          // of a paste that goes on; NULL: none does
    Recall *recall;
    Completer *completer;
    CompleteItem *commands, *actions; // what it offers
    External *external;               // an editor that is open; NULL: none
    void (*after_external)(Tui *tui); // what waited for its end
    Draft *draft;                     // where what is written is kept
    bool is_unfocused;                // the window is
    bool awaits_recall;               // Up was pressed before the prompts were read
    gint64 last_key_at;               // by time_monotonic_ms()
    KeyRole last_role;
    gint64 last_role_at; // 0: another key came since
} TuiInput;

TuiInput *tui_input_new(void);
void tui_input_open(Tui *tui, GPtrArray *warnings);
void tui_input_free(TuiInput *self);

// ---- keys.c ----

void tui_on_input(const InputEvent *event, void *tui);
void tui_on_recall(void *tui); // what was asked before has been read

// ---- vim_use.c ----

Vim *tui_vim(Tui *tui); // as the setting is now; NULL: other keys

// ---- act.c ----

void tui_act(Tui *tui, Action action);
void tui_do(Tui *tui, Deed deed);
