/*
 * Lists to choose from, each a panel (agent-core §7.9): models, sessions, messages, the tree,
 * settings, themes, prompts, keys, commands. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

void pick_model(Tui *self);
void pick_model_for_session(Tui *self);
void pick_session(Tui *self);
void pick_branch(Tui *self); // from before a message, in a new session
void pick_tree(Tui *self);
void pick_setting(Tui *self);
void pick_theme(Tui *self);
void pick_prompt(Tui *self); // of the history
void pick_key_help(Tui *self);
void pick_command(Tui *self);                   // to be written into the editor
void pick_found(Tui *self, const json_t *list); // of SlashDoor.choose

void pick_provider(Tui *self); // to give its key
/* The same where no model can be used yet. */
void pick_provider_at_start(Tui *self);

/* SlashDoor.ask_key: the next line is that provider's key, and is not shown. */
void pick_ask_key(const char *provider, void *self);
