/*
 * A table of Markdown as rows that fit a width (tui §5.4): the widest columns shrink, to 8 cells
 * each; where that is not enough, every row is lines "name: value". After MD_TABLE_HELD rows the
 * widths are fixed, and rows settle as they come. One thread.
 */
#pragma once

#include "tui/text/md_rows.h"

enum { MD_TABLE_HELD = 50 };

typedef struct MdTable MdTable;

/* `delimiter` is "| --- | :-: |". NULL: the two do not make a table. */
MdTable *md_table_new(const char *head, size_t head_size, const char *delimiter, size_t size);
void md_table_free(MdTable *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MdTable, md_table_free)

void md_table_add(MdTable *self, const char *line, size_t size);
/* The source of the last line. Borrowed. */
const char *md_table_last_line(const MdTable *self);
/* Appends rows of at most `width` cells that have settled since the last call; all at the end. */
void md_table_take(MdTable *self, const MdInline *spec, const Theme *theme, int width, bool is_end,
                   GPtrArray *out);
