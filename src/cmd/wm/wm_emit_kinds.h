/*
 * The sub-commands of `kedge wm emit` (task-engine §6.4): one a kind of item, with its flags.
 */
#pragma once

#include "cmd/cli/cmd.h"
#include "wm/task/policy.h"

typedef struct WmEmitKind {
    WmKind kind;
    const char *summary;
    const FieldDef *fields;      // named as the item's fields; and body_file
    const char *const *required; // names of flags, NULL-terminated; NULL: none
    const char *example;         // after "kedge wm emit "
} WmEmitKind;

/* In the order of the kinds; ends with one without a summary. */
extern const WmEmitKind wm_emit_kinds[];

/* What the flags are decoded into; items are made of the JSON that is kept beside it. */
typedef struct WmEmitFlags {
    const char *texts[4], *target, *temporary_id, *body_file;
    const json_t *lists[2];
    int64_t numbers[2];
    bool is_draft;
} WmEmitFlags;
