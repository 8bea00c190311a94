/*
 * What a person calls a setting: a key of the table, or one entry of a map in it
 * (`modelRoles.default`, `gh.hostPolicy.github.com`). Pure; thread safe.
 */
#pragma once

#include "base/json.h"
#include "tool/settings_keys.h"

typedef struct SettingPath {
    const SettingKey *key; // borrowed
    char *entry;           // of a map; NULL: the setting itself
    char **parts;          // the keys in the file, from the root
} SettingPath;

void setting_path_clear(SettingPath *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SettingPath, setting_path_clear)

/* FAILED "Unknown setting: NAME". */
bool setting_path_parse(const char *name, SettingPath *ret_path, GError **error);

/* Text → value; an entry of a map is JSON where it is a number, a list or a map, else text. */
bool setting_path_parse_value(const SettingPath *self, const char *text, json_t **ret_value,
                              GError **error);

/* Takes the value of a dotted key out of nested objects; false: there was none. */
bool setting_path_remove(json_t *object, const char *dotted);
