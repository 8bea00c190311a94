/*
 * What `retry.fallbackChains` says (agent-core §3.7): for each role the models that take over, one
 * after the other, when its model fails. Pure; thread safe.
 */
#pragma once

#include "model/registry.h"
#include "tool/settings.h"

/* The list of that role, borrowed from the settings; NULL: there is none. */
const json_t *fallback_chain_of(const Settings *settings, const char *role);
/* The role whose chain comes after `model`: `default`, unless the model is the one that somebody
   has chosen for another role that has a chain, and not for `default`. Borrowed from the settings.
 */
const char *fallback_chain_role(const Settings *settings, const ModelRegistry *registry,
                                const Model *model);
/* "provider/id" or "provider/id:level" of a chain; NULL: no one has it, or there is no key for it.
 *level is left alone where none is said. */
const Model *fallback_chain_find(const ModelRegistry *registry, const char *selector,
                                 ThinkingLevel *level);
