/*
 * A Row: one line of styled text. It is a row of the screen when it is wrapped, and before that a
 * line of any length, as wrap.h takes it. Its text is clean (clean.h) and has no line ends.
 *
 * Immutable once made and shared by reference; one thread. The functions that take a Row to keep
 * say so; a GPtrArray of rows has row_unref() as its free function (rows_new()).
 */
#pragma once

#include "tui/text/picture.h"
#include "tui/text/style.h"

typedef struct RowRun {
    uint32_t size; // bytes of the text
    Style style;
    char *link; // an address; NULL: none
} RowRun;

typedef struct Row {
    int ref_count;
    int cells;
    uint32_t size;
    uint32_t run_count;
    bool is_prompt; // the first of what a person has said: a terminal with marks is told of it
    char *text;
    RowRun *runs;
    Picture *picture; // that covers this blank row and its neighbours with the same; NULL: none
} Row;

Row *row_ref(Row *self);
void row_unref(Row *self); // NULL is allowed
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Row, row_unref)

GPtrArray *rows_new(void);

Row *row_of(const char *text, Style style);
/* The same, with is_prompt. Caller unrefs. */
Row *row_of_prompt(const Row *self);
/* A blank row that `picture` covers; takes a reference of its own. Caller unrefs. */
Row *row_of_picture(Picture *picture);
bool row_equal(const Row *a, const Row *b);
/* At most `cells` wide; "…" says what was cut, in the style of what comes before it. Caller
   unrefs. */
Row *row_cut(const Row *self, int cells);
/* `size` bytes from `offset` on, both at boundaries of clusters. Caller unrefs. */
Row *row_part(const Row *self, size_t offset, size_t size);

typedef struct RowPlace { // where the last part was found; { 0 } at first
    uint32_t run;
    size_t offset;
} RowPlace;

/* The run that `offset` is in: for a walk from the start to the end, which costs the row once. */
const RowRun *row_run_at(const Row *self, RowPlace *place, size_t offset);

typedef struct RowBuilder RowBuilder;

RowBuilder *row_builder_new(void);
void row_builder_free(RowBuilder *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RowBuilder, row_builder_free)

/* `size` -1: to its end. `link` may be NULL. */
void row_builder_add(RowBuilder *self, const char *text, gssize size, Style style,
                     const char *link);
void row_builder_add_row(RowBuilder *self, const Row *row);

/* Parts of one row in their order, as row_run_at(). */
void row_builder_add_part(RowBuilder *self, const Row *row, RowPlace *place, size_t offset,
                          size_t size);
void row_builder_fill(RowBuilder *self, int cells, Style style); // blanks up to that width
int row_builder_cells(const RowBuilder *self);
/* What was added; the builder begins again. Caller unrefs. */
Row *row_builder_take(RowBuilder *self);
