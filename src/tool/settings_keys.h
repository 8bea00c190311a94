/*
 * The table of settings: one row per dotted key, with type, default and who may set it (agent-core
 * §5.6, gh-policy §16). Only keys that some code reads are here.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    SETTING_BOOLEAN,
    SETTING_NUMBER,
    SETTING_STRING,
    SETTING_ENUM,
    SETTING_ARRAY,
    SETTING_RECORD,
} SettingType;

typedef enum {
    SETTING_ANYWHERE,    // user and project files
    SETTING_USER_ONLY,   // a project's value is ignored, and that is said
    SETTING_WITH_TRUST,  // a project's value counts once the person trusted the repository: not yet
    SETTING_MAY_TIGHTEN, // a project's value only makes it stricter; whoever reads it sees to that
} SettingScope;

typedef struct SettingKey {
    const char *key;
    SettingType type;
    const char *default_json; // "null": unset
    SettingScope scope;
    const char *const *values; // SETTING_ENUM
    const char *help;
} SettingKey;

/* Borrowed; NULL for an unknown key. */
const SettingKey *setting_key_find(const char *key);
const SettingKey *setting_keys_all(size_t *ret_count);
