/*
 * Roles: models for kinds of work (agent-core §2.10). `modelRoles` of the settings names them, or
 * --smol, --slow, --plan, or KEDGE_SMOL_MODEL and the like, in the opposite order. A selector
 * `kedge/smol` (or `pi/smol`) means the role's model. Besides the roles below a person may have
 * others, as `modelRoles` names them.
 *
 * Thread safe. What is looked up belongs to the registry.
 */
#pragma once

#include "model/registry.h"

#define MODEL_ROLE_DEFAULT "default"
#define MODEL_ROLE_SMOL    "smol"
#define MODEL_ROLE_SLOW    "slow"
#define MODEL_ROLE_PLAN    "plan"
#define MODEL_ROLE_VISION  "vision"
#define MODEL_ROLE_COMMIT  "commit"

/* `modelRoles`, in the place of what it was: role → selector, or several, the first that can be
   used first: a list, or a text with commas. NULL: none. */
void model_roles_set(ModelRegistry *self, const json_t *roles);
/* For this run; wins over the settings and the environment. */
void model_roles_override(ModelRegistry *self, const char *role, const char *selector);

/* Whom somebody has chosen for which role, of those that can be used: {"smol":"acme/small-2"}. New
   reference. */
json_t *model_roles_chosen(const ModelRegistry *self);

/* The model that somebody chose for the role and that can be used. False: there is none; then
 *ret_warning (may be NULL; caller frees) is what a person must be told of it, or NULL. */
bool model_role_configured(const ModelRegistry *self, const char *role, ModelChoice *ret_choice,
                           char **ret_warning);

/* The first model that somebody chose for the role, though it may not be used: why is what
   model_role_configured() warns of. False: what was chosen is none, or no one chose. */
bool model_role_named(const ModelRegistry *self, const char *role, ModelChoice *ret_choice);

/* The model for that kind of work. Where no one has chosen one: for `smol` and `slow` a small or
   large one of the provider, and maker, of `like`; for `vision` one that takes images; else `like`.
   `like` is the model of the conversation; NULL: that of `default`. False: no model can be used. */
bool model_role_choose(const ModelRegistry *self, const char *role, const Model *like,
                       ModelChoice *ret_choice);
