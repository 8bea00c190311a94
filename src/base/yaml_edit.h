/*
 * One change in a YAML text that leaves every other byte as it is: comments, order, quotes, line
 * ends and what we do not know.
 *
 * The places are those of its tree (yaml_tree.h), the new text is spliced in, and the result is
 * parsed again: it must say what the old text said with this one change, or nothing is done. What
 * cannot be changed faithfully (a value that an alias stands for, one with comments inside that
 * would be lost) is refused with the line and the reason. Pure; thread safe.
 */
#pragma once

#include "base/json.h"

/* Sets the value at `path` (keys from the root, NULL-terminated, at least one), making maps on the
   way; NULL removes it, and the maps that this leaves empty. `name` prefixes messages. The caller
   frees *ret_text, which equals `text` when there is nothing to change. PROTOCOL: the text is
   broken or cannot be changed faithfully. */
bool yaml_edit(const char *text, size_t size, const char *name, const char *const *path,
               const json_t *value, char **ret_text, GError **error);
