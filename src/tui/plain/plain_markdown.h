/*
 * Markdown as a screen reader should hear it: without marks. Headings and quotes are named, items
 * of lists and emphasis are bare, code begins and ends in words, the cells of a table come with the
 * names of their columns. A line at a time, as it arrives; only the head of a table waits for the
 * line after it. Pure.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct PlainMarkdown { // { 0 } at the start of a text
    char fence;                // of the code that is open: ` or ~; 0: none is
    size_t fence_size;
    char **head;   // cells that may be the head of a table; NULL: none
    bool is_table; // they are
    bool is_quote; // the line before was one
} PlainMarkdown;

void plain_markdown_clear(PlainMarkdown *self);

/* What is said of a line, or of a part of one that was cut; `is_start`: it begins one. Several
   lines at most. Caller frees. NULL: nothing. */
char *plain_markdown_line(PlainMarkdown *self, const char *line, bool is_start);
/* After the last line: what still waits; NULL: nothing. Caller frees. */
char *plain_markdown_finish(PlainMarkdown *self);
/* Not to be cut at a sentence: code, a row of a table, or an emphasis that is open at `size`. */
bool plain_markdown_is_whole(const PlainMarkdown *self, const char *line, size_t size);
