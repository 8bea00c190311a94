/*
 * What a file of settings says that no key of the table covers: of a newer release, or a typing
 * mistake. A guard that is mistyped would guard nothing, so it is an error. Pure.
 */
#pragma once

#include "base/json.h"
#include "tool/settings_keys.h"

/* The dotted names in `layer`. Owns them. */
GPtrArray *settings_unknown_names(const json_t *layer);
/* The key that such a name was meant to be; NULL: none is like it. Borrowed. */
const SettingKey *settings_unknown_meant(const char *name);
/* "no setting is called gh.polcy; did you mean gh.policy?" Caller frees. */
char *settings_unknown_text(const char *name);
/* The first that was meant to be a guard, as a text; NULL: none. Caller frees. */
char *settings_unknown_guard(const json_t *layer);
