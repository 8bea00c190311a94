/*
 * What the two halves of choosing a model share. Internal to model.
 */
#pragma once

#include "model/registry_private.h"

/* Bytes of the date at the end of an id, with its dash: 9 of "x-20250929", 11 of "x-2025-09-29";
   0 without one. */
size_t select_date_size(const char *id);

/* What stands behind the last slash. Borrowed. */
const char *select_last_segment(const char *id);
/* The same for all entries of one model: its id without provider and date, in one spelling. Caller
   frees. */
char *select_canonical_id(const Model *model);

/* Of two models that mean the same: usable before unusable, deprecated last, undated before dated,
   the newest date first, the maker before OpenRouter. */
bool select_is_better(const ModelRegistry *self, const Model *a, const Model *b);

/* By the first numbers of their ids that differ; dates do not count. */
int select_compare_versions(const Model *a, const Model *b);

/* model_registry_select() for who has select_lock; `depth` roles have led to it. */
bool select_locked(ModelRegistry *self, const char *selector, const char *provider, unsigned depth,
                   ModelChoice *ret_choice, GError **error);
/* The same of model_role_configured() and model_role_choose() (model_roles.c). */
bool role_configured_locked(ModelRegistry *self, const char *role, unsigned depth,
                            ModelChoice *ret_choice, char **ret_warning);
bool role_choose_locked(ModelRegistry *self, const char *role, const Model *like, unsigned depth,
                        ModelChoice *ret_choice);
/* The role that `kedge/ROLE` means; NULL: it is no such selector. Caller frees. */
char *role_of_selector(const ModelRegistry *self, const char *selector);

/* By the words of `text`; a version that is named is never changed. False: several could be meant,
   which the error lists. True with choice->model NULL: none. */
bool select_fuzzy(ModelRegistry *self, const char *text, const char *provider, ModelChoice *choice,
                  GError **error);
/* "provider/id" of the one model of a provider that `text` could mean, or NULL. Caller frees. */
char *select_nearest(const ModelRegistry *self, const char *provider, const char *text);
/* Why `text` finds nothing though a deprecated model has its words, or NULL. Caller frees. */
char *select_deprecated(const ModelRegistry *self, const char *provider, const char *text);
