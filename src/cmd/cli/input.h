/*
 * What a person hands in beside the flags: standard input and `@file` arguments (agent-core §1.4).
 */
#pragma once

#include "tool/settings.h"

/* Standard input to its end, as valid UTF-8; LIMIT beyond `max_bytes`. When nothing comes for two
   seconds, standard error says once what is waited for. */
bool input_read_stdin(size_t max_bytes, char **ret_text, GError **error);

typedef struct InitialInput {
    json_t *message;    // the first user message, or NULL when there is none
    GPtrArray *prompts; // of char *: the further prompts, in order
} InitialInput;

void initial_input_clear(InitialInput *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(InitialInput, initial_input_clear)

/* Something to send. */
bool initial_input_has_prompt(const InitialInput *self);

/* `words` are the messages and @files of the command line; blank ones count as none. `stdin_text`
   may be NULL. `settings` say how images go along. Warnings about skipped files go to `warnings`.
   NOT_FOUND `File not found: <abs path>`. */
bool input_build(const GPtrArray *words, const char *stdin_text, const char *cwd,
                 const Settings *settings, GPtrArray *warnings, InitialInput *ret_input,
                 GError **error);
