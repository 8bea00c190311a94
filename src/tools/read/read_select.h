/*
 * The line selector at the end of a read path (agent-tools §3.1.2). Pure.
 */
#pragma once

#include "base/error.h"

#include <stdint.h>

typedef struct ReadSelect {
    char *path; // without the selector
    bool has_range;
    int64_t start; // 1-based; 1 without a range
    int64_t end;   // 0: open
    bool is_raw;
    bool wants_conflicts; // `:conflicts`, alone
} ReadSelect;

void read_select_clear(ReadSelect *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ReadSelect, read_select_clear)

/* Splits `asked`, taking at most `max_parts` (1 or 2) parts of a selector off it; what is none
   stays in the path. USAGE for a selector that cannot be meant. */
bool read_select_parse(const char *asked, int max_parts, ReadSelect *ret_select, GError **error);
