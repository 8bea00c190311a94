/*
 * Rows for good that wait for their frame: what a frame takes of them always fits into the
 * terminal's queue, so that none is ever refused and lost. Pure.
 */
#pragma once

#include "tui/text/row.h"

/* The first of `rows`, removed from there: as many as surely make no more than `max_bytes` bytes,
   at least one. A picture is not parted. */
GPtrArray *backlog_take(GPtrArray *rows, size_t max_bytes);
