/*
 * YAML in diagrams: front matter, and the attributes of a flowchart's node. Private to this folder.
 */
#pragma once

#include "base/json.h"

/* On failure *ret_reason says why, and *ret_line in which line of `text`; *ret_value is untouched.
 */
bool mmd_yaml_parse(const char *text, json_t **ret_value, char **ret_reason, size_t *ret_line);
