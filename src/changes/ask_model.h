/*
 * A model for a command that asks it for one text, without a session and without tools.
 */
#pragma once

#include "agent/summary.h"

typedef struct AskModel {
    HttpClient *http;
    ModelRegistry *registry;
    Settings *settings;
    const Model *model; // borrowed from the registry
    bool is_named;
    const char *role; // whose fallback chain follows it; borrowed, NULL: as its own says
} AskModel;

void ask_model_clear(AskModel *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(AskModel, ask_model_clear)

/* Takes ownership of `settings`. The model that `selector` names; NULL: the first of these roles
   (NULL-terminated) that the settings name and that can be used, else the default one. NOT_FOUND
   says what to do. */
bool ask_model_open(Settings *settings, const char *cwd, const char *selector,
                    const char *const *roles, AskModel *ret_self, GError **error);

/* To ask it; borrows from `self`. */
SummaryContext ask_model_context(const AskModel *self);
