/*
 * YAML into JSON, through libyaml, by the rules of task-engine §2.1: YAML 1.2 core schema
 * (`on`, `yes` are strings), anchors, merge keys; duplicate keys refused; bounded depth and size.
 */
#pragma once

#include "base/json.h"
#include "base/yaml_tree.h"

/* `name` (a path) prefixes messages: "<name>: yaml: line N: <reason>". An empty document gives
   JSON null. */
bool yaml_parse(const char *text, size_t size, const char *name, json_t **ret_value,
                GError **error);
/* The same for who words a message of their own: *ret_line (0: none), and an error without name and
   line. */
bool yaml_parse_at(const char *text, size_t size, json_t **ret_value, int *ret_line,
                   GError **error);
/* With the places that it has in `text`, which they fit when that is valid UTF-8. */
bool yaml_parse_tree(const char *text, size_t size, const char *name, YamlTree *ret_tree,
                     json_t **ret_value, GError **error);
/* Bounded by LIMIT_CONFIG_FILE_BYTES. NOT_FOUND when absent. */
bool yaml_read_file(const char *path, json_t **ret_value, GError **error);
