/*
 * What was written to GitHub, as it happens: `<run dir>/applied.jsonl`. Before an item is applied a
 * line says that it begins; each of its steps that must not happen twice, and its end, have a line
 * with what came out. Every line is on the disk before the program goes on.
 *
 * The run's directory may come from an agent, so each line carries a seal that needs the token. A
 * line without it is no proof of anything: what it speaks of is looked for on GitHub, as is an item
 * that began and did not end. One at a time; whoever applies holds the run's lock.
 */
#pragma once

#include "base/json.h"

#include <stdint.h>

#define APPLY_CLOCKS_DIFFER_MS ((int64_t)15 * 60 * 1000) // ours and GitHub's

#define APPLY_RECORD_NAME "applied.jsonl"
#define APPLY_FALLBACK    (-1) // the index of the comment that stands for no items at all

typedef enum {
    APPLY_NEW,  // nothing of it can have been written
    APPLY_OPEN, // something may have been
    APPLY_DONE, // all of it was
} ApplyState;

typedef struct ApplyRecord ApplyRecord;

/* `seal` gives the seal of a text (caller frees). A link, or what is no regular file, is refused.
 */
bool apply_record_open(const char *run_dir, char *(*seal)(const void *user_data, const char *text),
                       const void *user_data, ApplyRecord **ret_record, GError **error);
void apply_record_free(ApplyRecord *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ApplyRecord, apply_record_free)

/* No item can have been written before then (2026-04-20T10:06:07Z). With `is_rerun` items without a
   line count as APPLY_OPEN, too: this job has run before, elsewhere. */
void apply_record_set_start(ApplyRecord *self, const char *since, bool is_rerun);

/* Of the item with this index and this content. */
ApplyState apply_record_state(const ApplyRecord *self, int64_t index, const char *hash);
/* What came out of an APPLY_DONE one ({"number","url","id"}); NULL: nothing to tell. Borrowed. */
const json_t *apply_record_result(const ApplyRecord *self, int64_t index, const char *hash);
/* The same of a step; NULL: it has no line. */
const json_t *apply_record_step(const ApplyRecord *self, int64_t index, const char *hash,
                                const char *step);
/* When an APPLY_OPEN one began, at the earliest: less what clocks may differ by. "" when no one
   knows. Caller frees. */
char *apply_record_since(const ApplyRecord *self, int64_t index, const char *hash);
/* Did something else than this item make the object with this id? */
bool apply_record_has_id(const ApplyRecord *self, int64_t id);

bool apply_record_begin(ApplyRecord *self, int64_t index, const char *hash, const char *kind,
                        GError **error);
bool apply_record_add_step(ApplyRecord *self, int64_t index, const char *hash, const char *step,
                           const json_t *result, GError **error);
/* `is_done` false: it failed, and no step of it is in doubt. */
bool apply_record_end(ApplyRecord *self, int64_t index, const char *hash, bool is_done,
                      const json_t *result, GError **error);
