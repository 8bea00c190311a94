/*
 * Values of settings as a person types and reads them (agent-core §1.8), by the type that the table
 * gives their key. Pure; thread safe.
 */
#pragma once

#include "base/json.h"
#include "tool/settings_keys.h"

/* "boolean", "number", "string", "enum", "array", "record". */
const char *setting_type_name(SettingType type);

/* Whether a value is of the key's type. */
bool setting_value_fits(const SettingKey *key, const json_t *value);
/* "must be a number", "must be one of off, low". Caller frees. */
char *setting_wanted(const SettingKey *key);

/* Text → value. FAILED with the sentences of the specification: "Invalid number: V". */
bool setting_value_parse(const SettingKey *key, const char *text, json_t **ret_value,
                         GError **error);

/* Strings as they are, the rest as JSON; "" for NULL and null. Caller frees. */
char *setting_value_text(const json_t *value);
