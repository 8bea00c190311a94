/*
 * Drawing rows as a table of text (agent-tools §3.1.7): columns of at most 40, lines of at most 120
 * characters on the screen, cells cut with "…". Memory is bounded by the cells, which are cut when
 * they are added. One thread at a time.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct TextTable TextTable;

TextTable *text_table_new(void);
void text_table_free(TextTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TextTable, text_table_free)

/* The columns first; then the cells, row by row. */
void text_table_add_column(TextTable *self, const char *name);
void text_table_add_cell(TextTable *self, const char *text);
bool text_table_is_full(const TextTable *self); // no more rows are to be added

/* Lines without a final LF; "(no rows)" for none. Caller frees. */
char *text_table_draw(const TextTable *self);
