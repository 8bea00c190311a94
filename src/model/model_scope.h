/*
 * The models that a person has picked to choose among (--models, enabledModels): the first is the
 * one of a new conversation, and cycling goes through them in order.
 */
#pragma once

#include "model/registry.h"

/* Of ModelChoice: what the patterns name that can be used, each model once. A pattern with `*`, `?`
   or `[` is for `provider/id` or `id`; another is a selector. Both may end in `:level`. What cannot
   be taken goes to `warnings`, as texts. NULL: nothing is left. Caller frees with g_array_unref().
 */
GArray *model_scope_resolve(ModelRegistry *registry, const char *const *patterns,
                            GPtrArray *warnings);

/* Likewise of the setting `cycleOrder`, a list of roles: their models in that order, `role` set.
   Where no one has chosen one for `default`, `smol` and `slow`, what fits; NULL: no one has for any
   of the roles. */
GArray *model_scope_of_roles(ModelRegistry *registry, const json_t *roles);
