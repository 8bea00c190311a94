/*
 * What a walk over a session's entries needs to know of each, without the entry itself, which may
 * have to be read from the file (entry_list.h). Never changed; lives as long as the session.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>

typedef struct EntryUsage { // of an answer
    int64_t calls;
    int64_t input, output, cache_read, cache_write, total;
    double cost;
} EntryUsage;

EntryUsage entry_usage_of(const json_t *message);

typedef struct EntryHead {
    const char *id;        // "": none
    const char *parent_id; // NULL: a root
    const char *type;
    const char *role, *tool; // of its message: role and toolName; "": none
    const EntryUsage *usage; // of an assistant's message; NULL: it is none
    int64_t pruned_at;       // of its message: when its output was taken out; 0: never
} EntryHead;
