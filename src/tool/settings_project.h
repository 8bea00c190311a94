/*
 * What a project's settings may do to the user's (common §3): a repository's files are written by
 * whoever wrote the repository, so they choose how the work is done, and otherwise only tighten.
 * Pure; thread safe.
 */
#pragma once

#include "base/json.h"
#include "tool/settings_keys.h"

/* Why a project has no say in keys of this scope at all; NULL: it has. */
const char *settings_project_refusal(SettingScope scope);

/* Keys that stay as they are while a conversation goes on (settings_reload()). */
bool setting_is_guard(SettingScope scope);

/* Takes out of `project`, the content of the file `path`, what it may not set over `user`.
   `warnings` (may be NULL) gets one text for each. */
void settings_project_restrict(json_t *project, const json_t *user, const char *path,
                               GPtrArray *warnings);
