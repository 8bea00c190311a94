/*
 * Jupyter notebooks as text that can be read and edited (agent-tools §3.1.10): each cell is a
 * marker, `# %% [code] cell:3`, and its source below. Thread safe.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>

bool notebook_is(const char *path); // by its name

/* `shown` names the file in messages. Caller frees. */
bool notebook_to_text(const char *json, size_t size, const char *shown, char **ret_text,
                      GError **error);

/* What the file is to hold when its text has become `text`. A marker's `cell:N` keeps metadata and
   outputs of that cell of `json` (NULL: a new notebook). USAGE when a source of `json` has a line
   that is like a marker. Caller frees. */
bool notebook_from_text(const char *json, size_t size, const char *shown, const char *text,
                        char **ret_json, GError **error);

/* The same for the notebook at `path`, which may not be there. */
bool notebook_file_from_text(const char *path, const char *shown, const char *text, char **ret_json,
                             GError **error);

/* Is `content` a notebook itself, and no text of one? */
bool notebook_is_json(const char *content);
