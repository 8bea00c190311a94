/*
 * What a call of edit does to files, worked out in memory before the first is touched (agent-tools
 * §3.3.9, §3.3.11): each entry on what those before it have made. One thread at a time.
 */
#pragma once

#include "tool/tool.h"
#include "tools/edit/patch_envelope.h"

typedef struct PatchPlan PatchPlan;

typedef struct PatchBudget { // what is left for all plans of a call together
    size_t bytes;            // of files that are opened
    size_t steps;            // of finding hunks
} PatchBudget;

PatchBudget patch_budget_full(void);

/* Borrows `call` and `budget`. */
PatchPlan *patch_plan_new(ToolCall *call, bool is_fuzzy, PatchBudget *budget);
void patch_plan_free(PatchPlan *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PatchPlan, patch_plan_free)

/* What names the file of `asked` among those of a call, through whatever links. Caller frees. */
char *patch_plan_key(const char *asked, const char *cwd);

typedef struct PatchDone { // what an entry does, once the plan is carried out
    char *text;            // "Updated a.c"
    json_t *details;       // op, diff, firstChangedLine, move
} PatchDone;

void patch_done_clear(PatchDone *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PatchDone, patch_done_clear)

/* Past the guards of each file it names. After a failure the plan is good for nothing. */
bool patch_plan_add(PatchPlan *self, const PatchEntry *entry, PatchDone *ret_done, GError **error);

/* Can all of it be written? */
bool patch_plan_prepare(PatchPlan *self, GError **error);

/* After patch_plan_prepare(). `done` gets what was done, and after a failure `left` what was not,
   one behind the other ("wrote a.c, deleted b.c"); both are borrowed. A move overwrites nothing. */
bool patch_plan_carry_out(PatchPlan *self, GString *done, GString *left, GError **error);

/* All that it would do. */
void patch_plan_list(const PatchPlan *self, GString *left);
