/*
 * Where in a YAML text the keys and values are: the map of a text that is to be changed in place
 * (yaml_edit.h). Only maps are opened; what is in a list has no places of its own. Pure; thread
 * safe.
 */
#pragma once

#include "base/error.h"

#include <glib.h>

typedef enum { YAML_ABSENT, YAML_SCALAR, YAML_ALIAS, YAML_LIST, YAML_MAP } YamlKind;

typedef struct YamlPlace {
    YamlKind kind;     // YAML_ABSENT: an empty value, written with no byte at all
    bool is_flow;      // { } or [ ]
    size_t start, end; // of its text; `end` is behind its last byte that is no white space
    GPtrArray *pairs;  // YAML_MAP: of YamlPair *
} YamlPlace;

typedef struct YamlPair {
    char *key;
    size_t start, end; // of the key's text, quotes included
    size_t column;     // bytes before it in its line
    int line;          // from 1
    size_t colon;      // behind the colon; 0: the key is written in another way (`? key`)
    YamlPlace value;
} YamlPair;

typedef struct YamlPlaces {
    YamlPlace root;
    GArray *scalars; // size_t pairs, start and end of every scalar, in order of the text
} YamlPlaces;

void yaml_places_clear(YamlPlaces *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(YamlPlaces, yaml_places_clear)

/* `text` is one that yaml_parse() takes, and valid UTF-8. */
bool yaml_places_find(const char *text, size_t size, YamlPlaces *ret_places, GError **error);

/* Borrowed; NULL when the place is no map or has no such key. */
YamlPair *yaml_place_pair(const YamlPlace *self, const char *key);

/* Whether there is a comment between two offsets, outside of every scalar. */
bool yaml_places_have_comment(const YamlPlaces *self, const char *text, size_t start, size_t end);
