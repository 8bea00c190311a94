/*
 * JSON values as YAML text that yaml_parse() reads as the same values. Pure; thread safe.
 */
#pragma once

#include "base/json.h"

/* On one line, for any place: `true`, `7`, `name`, `"a: b"`, `[a, b]`, `{k: v}`. */
void yaml_write_inline(const json_t *value, GString *out);

/* `key: value` on lines of their own, indented by `indent` spaces, maps as blocks below their key;
   `newline` ends each line. */
void yaml_write_pair(const char *key, const json_t *value, size_t indent, const char *newline,
                     GString *out);

/* In double quotes, whatever it is; readers of YAML 1.1 take it for the same text. */
void yaml_write_quoted(const char *text, GString *out);

/* The items of a list, one below the other from column `indent` on, with maps and lists as blocks
   and texts of several lines as `|`. For files that people read. */
void yaml_write_items(const json_t *list, size_t indent, GString *out);
