/*
 * kedge's own environment variables (common §3): KEDGE_X, or PI_X when that is unset.
 * An empty value counts as unset. Reads only; nothing here changes the environment. Keys and tokens
 * are not in it: base/secrets.h has them.
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

/* `${NAME}` and `${NAME:-default}` replaced by what the environment has; a name that is unset and
   has no default stays as it is written. Caller frees. */
char *env_expand(const char *text);

/* The environment for children (common §6): what kedge was started with, without model-provider
   keys and without KEDGE_ and PI_ names ending in _KEY, _TOKEN or _SECRET, but for those that
   `pass` (NULL or NULL-terminated) names; never the tokens of the Actions runner. Caller frees with
   g_strfreev(). */
char **env_for_child(const char *const *pass);
/* The same without any token of GitHub: for a program that kedge starts for a purpose of its own.
 */
char **env_for_helper(void);
/* `env.inherit: safe`: a list of harmless names, and what `pass` names; no token of GitHub. */
char **env_for_safe_child(const char *const *pass);
/* All of it but the tokens of the Actions runner: for an agent program, which asks models itself.
 */
char **env_for_agent(void);
/* Takes keys and tokens out of an environment, for what needs none of them. */
void env_drop_secrets(char **env);
