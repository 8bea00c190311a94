/*
 * What the files that choose a model share. Internal to model.
 */
#pragma once

#include "model/registry_private.h"

/* Bytes of the date at the end of an id, with its dash: 9 of "x-20250929", 11 of "x-2025-09-29";
   0 without one. */
size_t select_date_size(const char *id);

/* What follows the last slash. Borrowed. */
const char *select_last_segment(const char *id);
/* An id without its date, in one spelling. Caller frees. */
char *select_canonical_spelling(const char *id);
/* The same for all entries of one model: its id without provider and date, in one spelling. Caller
   frees. */
char *select_canonical_id(const Model *model);

/* Of two models that mean the same: usable before unusable, deprecated last, undated before dated,
   the newest date first, the maker before OpenRouter. */
bool select_is_better(const ModelRegistry *self, const Model *a, const Model *b);

/* By the first numbers of their ids that differ; dates do not count. */
int select_compare_versions(const Model *a, const Model *b);

/* `text` without its `:level`, which goes to `choice`; NULL: it has none. Caller frees. */
char *select_without_level(const char *text, ModelChoice *choice);
/* model_registry_select() for who has select_lock, of a selector that names no role. */
bool select_plain(ModelRegistry *self, const char *selector, const char *provider,
                  ModelChoice *ret_choice, GError **error);

/* By the words of `text`; a version that is named is never changed. False: several could be meant,
   which the error lists. True with choice->model NULL: none. */
bool select_fuzzy(ModelRegistry *self, const char *text, const char *provider, ModelChoice *choice,
                  GError **error);
/* "provider/id" of the one model of a provider that `text` could mean, or NULL. Caller frees. */
char *select_nearest(const ModelRegistry *self, const char *provider, const char *text);
/* Why `text` finds nothing though a deprecated model has its words, or NULL. Caller frees. */
char *select_deprecated(const ModelRegistry *self, const char *provider, const char *text);
