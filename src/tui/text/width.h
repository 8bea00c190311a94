/*
 * Clusters of characters and the cells that they take on a terminal (tui §5.2). Text is valid
 * UTF-8. Pure, but for width_set_ambiguous().
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* What characters of ambiguous width take (1 or 2, setting display.ambiguousWidth); once, before
   anything is measured. */
void width_set_ambiguous(int cells);

int text_cells(const char *text, size_t size);

/* The bytes of the cluster at the start of `text`; 0 when `size` is. *ret_cells may be NULL. */
size_t cluster_size(const char *text, size_t size, int *ret_cells);
/* Where the cluster that ends at `offset` begins. */
size_t cluster_start(const char *text, size_t offset);
/* Terminals disagree on its width: emoji of several characters, and what Unicode may have given a
   meaning since our tables were made. */
bool cluster_is_unsure(const char *cluster, size_t size);
