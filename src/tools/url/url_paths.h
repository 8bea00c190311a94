/*
 * Internal URLs in what a shell gets: they become the paths of their files (agent-tools §3.4,
 * step 5). Thread safe.
 *
 * A URL counts where it is a word of a command or begins one, quoted as a whole or not at all. One
 * in the middle of a quoted text, or in a here-document, is text and stays as it is: a commit
 * message may name an artifact.
 */
#pragma once

#include "tool/context.h"

/* Paths come quoted; folders for what is to be written are made. Caller frees. */
bool url_paths_in_command(ToolContext *context, const char *command, char **ret_command,
                          GError **error);
/* A value that is a URL as a whole, unquoted; any other is copied. Caller frees. */
bool url_paths_in_value(ToolContext *context, const char *value, char **ret_value, GError **error);
/* The same for every value of an object. New reference; NULL for NULL. */
bool url_paths_in_values(ToolContext *context, const json_t *values, json_t **ret_values,
                         GError **error);
