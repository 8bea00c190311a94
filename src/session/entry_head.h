/*
 * What a walk over a session's entries needs to know of each, without the entry itself, which may
 * have to be read from the file (entry_list.h). Never changed; lives as long as the session.
 */
#pragma once

typedef struct EntryHead {
    const char *id;        // "": none
    const char *parent_id; // NULL: a root
    const char *type;
    const char *role, *tool; // of its message: role and toolName; "": none
} EntryHead;
