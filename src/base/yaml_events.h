/*
 * The events of a YAML text, by libyaml: what is written, before it means anything. For the readers
 * of base/ only (yaml.c, yaml_places.c). Pure; thread safe.
 *
 * libyaml knows three more line breaks than YAML 1.2, which is what we read: U+0085, U+2028 and
 * U+2029. A text that has one is refused: what looks like one line would be two.
 */
#pragma once

#include "base/error.h"

#include <glib.h>
#include <yaml.h>

/* `event` is freed afterwards. False with an error ends the reading. */
typedef bool (*YamlOnEvent)(const yaml_event_t *event, void *user_data, GError **error);

/* `text` is valid UTF-8 without NUL. The marks of events count characters, those after a byte order
   mark. What is not YAML is KEDGE_ERROR_PROTOCOL: "yaml: line N: <reason>"; too many %TAG
   directives are KEDGE_ERROR_LIMIT. */
bool yaml_events_read(const char *text, size_t size, YamlOnEvent on_event, void *user_data,
                      GError **error);
