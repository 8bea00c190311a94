/*
 * Scaffolding for tests of the Mermaid validator: the corpora of tests/data/mermaid.
 */
#pragma once

#include "unit.h"

#include "agenttools/mermaid/mmd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"

/* The text of a file of the corpora. Caller frees. */
static inline char *mmd_data_text(const char *name)
{
    g_autofree char *path = g_build_filename(TEST_DATA_DIR, "mermaid", name, NULL);
    g_autoptr(GError) error = NULL;
    char *text = NULL;
    if (!file_read(path, 1 * MIB, &text, NULL, &error))
        fail_msg("%s", error->message);
    return text;
}

/* One row of an expected.tsv, by its first columns. */
typedef struct MmdRow {
    char **fields; // file, diagram_type, error_class, line, line_min, line_max …
    char *text;    // of the file
} MmdRow;

static inline void mmd_row_free(void *row_)
{
    MmdRow *row = row_;
    g_strfreev(row->fields);
    g_free(row->text);
    g_free(row);
}

/* The rows of a corpus, "valid" or "invalid". */
static inline GPtrArray *mmd_corpus(const char *kind)
{
    GPtrArray *rows = g_ptr_array_new_with_free_func(mmd_row_free);
    g_autofree char *name = g_build_filename(kind, "expected.tsv", NULL);
    g_autofree char *table = mmd_data_text(name);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(table), "\n", -1);
    for (char **line = lines + 1; *line; line++) {
        MmdRow *row = g_new0(MmdRow, 1);
        row->fields = g_strsplit(*line, "\t", -1);
        g_autofree char *file = g_build_filename(kind, row->fields[0], NULL);
        row->text = mmd_data_text(file);
        g_ptr_array_add(rows, row);
    }
    return rows;
}

/* A file of JSON lines as an array. New reference. */
static inline json_t *mmd_data_lines(const char *name)
{
    g_autofree char *text = mmd_data_text(name);
    g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
    json_t *list = json_array();
    for (char **line = lines; *line; line++) {
        json_t *value = NULL;
        assert_true(json_parse_text(*line, &value, NULL));
        json_append_take(list, value);
    }
    return list;
}

static inline void mmd_check_text(const char *text, MmdVerdict *ret_verdict)
{
    mmd_check(text, strlen(text), ret_verdict);
}

/* The first error; NULL: none. Borrowed. */
static inline const MmdError *mmd_first_error(const MmdVerdict *verdict)
{
    return verdict->errors->len > 0 ? g_ptr_array_index(verdict->errors, 0) : NULL;
}
