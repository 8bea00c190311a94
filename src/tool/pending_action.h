/*
 * What a call has prepared and shown, and what waits for a word to be carried out or dropped
 * (agent-tools §3.11): the tool `resolve` gives it, another door may. One at a time in a
 * conversation; a new one drops the one before. Thread safe.
 */
#pragma once

#include "tool/tool.h"

typedef struct PendingAction {
    char *label;        // "AST Edit: 2 replacements in 1 file"
    const char *source; // the tool that shows it; constant
    GPtrArray *paths;   // of char *: the files it would write; NULL: none is known
    /* Carries it out for the call that says so, which the gate has allowed to write. */
    bool (*apply)(ToolCall *call, void *data, ToolResult *result, GError **error);
    void *data;
    GDestroyNotify destroy; // of `data`
} PendingAction;

void pending_action_free(PendingAction *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PendingAction, pending_action_free)

/* Takes over `action`. */
void pending_action_set(ToolContext *context, PendingAction *action);
/* NULL: there is none. The caller's from then on. */
PendingAction *pending_action_take(ToolContext *context);
/* What it is; NULL: there is none. Caller frees. */
char *pending_action_label(ToolContext *context);
/* The files it would write; empty: none is known. Caller unrefs. */
GPtrArray *pending_action_paths(ToolContext *context);
/* Is the model to be told that something waits? Says yes a few times for each action, so that a
   model that does not listen is not told for ever. */
bool pending_action_remind(ToolContext *context);
