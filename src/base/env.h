/*
 * kedge's own environment variables (spec/common.md §3): KEDGE_X, or PI_X when that is unset.
 * An empty value counts as unset. Reads only; nothing here changes the environment.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* `name` without prefix: env_get("AGENT_DIR") reads KEDGE_AGENT_DIR, then PI_AGENT_DIR. */
const char *env_get(const char *name);

/* Any variable, with its whole name; NULL when unset or empty. */
const char *env_get_raw(const char *name);

/* A name that a shell could set: letters, digits and _, no digit first. */
bool env_is_name(const char *name);

/* True for `1 y yes true on` in any case. */
bool env_flag(const char *name);

/* Milliseconds or counts; `fallback` when unset or not a non-negative decimal. */
gint64 env_int(const char *name, gint64 fallback);

/* The environment for children (common §6): ours without model-provider keys and without KEDGE_ and
   PI_ names ending in _KEY, _TOKEN or _SECRET; `pass` (NULL or NULL-terminated) names exceptions.
   Caller frees with g_strfreev(). */
char **env_for_child(const char *const *pass);

/* True for a variable that holds a model provider's credential (agent-core §2.11). */
bool env_is_provider_key(const char *name);
