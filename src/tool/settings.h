/*
 * Settings (agent-core §5): effective value = override, else project, else global, else the default
 * of the table in settings_keys.c. Dotted keys; files nest them. Project files never loosen what
 * guards the user (common §3).
 *
 * Immutable once loaded; thread safe; shared by reference.
 */
#pragma once

#include "base/json.h"

typedef struct Settings Settings;

/* Reads <agent dir>/config.yml (made of an earlier settings.json when there is none) and, below
   `cwd`, .kedge/settings.json and .kedge/config.yml. A file that does not parse counts as empty.
   `warnings` (may be NULL) gets one text per problem. */
Settings *settings_load(const char *agent_dir, const char *cwd, GPtrArray *warnings);
/* Defaults only, with `overrides` (nested object, may be NULL) on top, as if from the user: for
 * tests. */
Settings *settings_new(const json_t *overrides);
/* The same with `changes` (nested object) on top, as if the user had set them. */
Settings *settings_with(const Settings *self, const json_t *changes);
/* One of the files that it was loaded from is another now. Three stats. */
bool settings_have_changed(const Settings *self);
/* Whose project files were read; NULL: none were. Borrowed. */
const char *settings_cwd(const Settings *self);
/* The same again, of its files as they are now. What guards the user (every key that a project may
   not simply set) stays as it was: while a conversation goes on, it may be the model that writes.
   When a file does not parse, everything stays, and `warnings` says so. */
Settings *settings_reload(const Settings *self, GPtrArray *warnings);
Settings *settings_ref(Settings *self);
void settings_unref(Settings *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Settings, settings_unref)

/* The key must be in the table. Borrowed results. A value of the wrong type gives the default. */
bool settings_get_bool(const Settings *self, const char *key);
int64_t settings_get_int(const Settings *self, const char *key);
double settings_get_number(const Settings *self, const char *key);
const char *settings_get_text(const Settings *self, const char *key); // NULL when unset
const json_t *settings_get_json(const Settings *self,
                                const char *key); // object or array; NULL when unset

/* The value a layer itself gives, for rules where layers must be told apart; NULL when it gives
 * none. */
const json_t *settings_user_json(const Settings *self, const char *key);
const json_t *settings_project_json(const Settings *self, const char *key);

typedef enum { SETTING_FROM_DEFAULT, SETTING_FROM_USER, SETTING_FROM_PROJECT } SettingOrigin;

/* Which layer the effective value of a key of the table comes from; for a map the highest that says
   something. */
SettingOrigin settings_origin(const Settings *self, const char *key);

/* What the user's file says that no key of the table covers: of a newer release, or a typing
   mistake. Owns its dotted names. */
GPtrArray *settings_unknown_keys(const Settings *self);
/* One warning about all of them, or none. */
void settings_warn_unknown(const Settings *self, GPtrArray *warnings);
/* One of them was meant to guard the user (gh.polcy): "no setting is called …", borrowed, or NULL.
   As an error: for what is about to run something. */
const char *settings_guard_mistake(const Settings *self);
bool settings_check_guards(const Settings *self, GError **error);
