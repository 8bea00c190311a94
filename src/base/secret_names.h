/*
 * Which environment variables hold secrets, and who may have them (common §6, §10). Pure.
 */
#pragma once

#include <stdbool.h>

typedef enum {
    SECRET_NONE,
    SECRET_KEY,     // a provider's key, and KEDGE_ and PI_ names ending in _KEY, _TOKEN, _SECRET:
                    // children only when the user passes the name
    SECRET_TOKEN,   // GitHub's tokens: children get them
    SECRET_ACTIONS, // the runner's own, with GITHUB_ACTIONS=true: no child, whatever is passed
} SecretKind;

SecretKind secret_kind(const char *name);

/* True for a variable that holds a model or search provider's credential (agent-core §2.11). */
bool secret_is_provider_key(const char *name);
