/*
 * Text primitives of github-tool §0.1, and building of line lists. Pure. Strings belong to the
 * caller.
 */
#pragma once

#include "base/json.h"

char *text_norm(const char *text);       // norm_text
char *text_norm_block(const char *text); // norm_block
char *text_first_line(const char *text);
char *text_one_line(
    const char *text); // one_line: what should be one line, though its author wrote more
char *text_sha12(const char *sha);
char *text_author(const json_t *user);       // "@login", name, or NULL
char *text_labels(const json_t *labels);     // "a, b", or NULL
char *text_percent_encode(const char *text); // pct()
char *text_fence(const char *text);          // backticks that enclose the text in Markdown
/* With real line breaks for each literal `\n` outside code; NULL: they are not clearly meant. */
char *text_body_lines(const char *text);
bool text_parse_posint(const char *text, int64_t *ret_value);

/* L(): one_line of the value; appends "<indent><label>: <value>\n" unless the value is missing. */
void text_line(GString *out, const char *indent, const char *label, const char *value);
/* The same for obj[key] of any scalar type: numbers and booleans print, empty strings are missing.
 */
void text_line_json(GString *out, const char *indent, const char *label, const json_t *object,
                    const char *key);
/* A scalar as text; NULL when missing. Caller frees. */
char *text_scalar(const json_t *value);
