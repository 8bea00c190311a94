/*
 * Events and messages written down in C, and rows of text of others, for tests of the transcript.
 */
#pragma once

#include "tui_rows.h"

#include "base/json.h"

/* JSON with ' in place of ". */
static inline json_t *parse_quoted(const char *quoted)
{
    g_autofree char *text = g_strdelimit(g_strdup(quoted), "'", '"');
    json_t *value = NULL;
    GError *error = NULL;
    if (!json_parse_text(text, &value, &error))
        fail_msg("%s: %s", text, error->message);
    return value;
}

/* Rows joined with LF; fails when one is too wide or has a control character. Caller frees. */
static inline char *clean_rows_text(const GPtrArray *rows, int width)
{
    assert_rows_fit("rows", rows, width);
    char *text = rows_text(rows);
    for (const char *p = text; *p; p++) {
        if (((unsigned char)*p < ' ' && *p != '\n') || *p == 0x7f)
            fail_msg("control character in '%s'", text);
    }
    return text;
}

static inline void assert_text(const char *name, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("%s:\n%s\nis wanted, got\n%s", name, want, got);
}
