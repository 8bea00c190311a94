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

/* What the settings of a project, which strangers may have written, may do. */
typedef enum {
    SETTING_ANYWHERE,    // set it: it harms nobody, whatever its value
    SETTING_USER_ONLY,   // nothing: it guards the user; a value is ignored, and that is said
    SETTING_USER_COSTS,  // nothing: it costs money or skips a person; a change of the user's counts
                         // at the next prompt, as with SETTING_ANYWHERE
    SETTING_WITH_TRUST,  // set it once the person trusted the repository: not yet
    SETTING_MAY_TIGHTEN, // make it stricter; whoever reads it sees to that
    SETTING_MAY_LOWER,   // a smaller number, or a value nearer to the first of `values`
    SETTING_MAY_CAP,     // the same for a number of which 0 means no limit
    SETTING_MAY_TURN_ON, // true
    SETTING_MAY_TURN_OFF, // false
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
