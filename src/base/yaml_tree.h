/*
 * A YAML text as the tree that is written there, with the place of every node: what its values
 * (yaml.h), its changes (yaml_edit.h) and the lines of complaints are taken from. Pure; thread
 * safe.
 *
 * The nodes are one array in the order of the text. In a map keys and values take turns; a key is
 * one node, a scalar or an alias.
 *
 * libyaml knows three more line breaks than YAML 1.2, which is what we read: U+0085, U+2028 and
 * U+2029. A text that has one is refused: what looks like one line would be two.
 */
#pragma once

#include "base/error.h"

#include <glib.h>

typedef enum {
    YAML_ABSENT, // an empty value, written with no byte at all
    YAML_SCALAR,
    YAML_ALIAS,
    YAML_LIST,
    YAML_MAP
} YamlKind;

typedef struct YamlNode {
    YamlKind kind;
    guint size;               // in nodes: itself and all inside of it
    bool is_flow;             // { } or [ ]
    bool is_plain;            // a scalar without quotes, and no block
    int line;                 // where it begins, from 1
    size_t start, end;        // its text, quotes included, without white space after it
    size_t colon;             // keys: after the colon; 0: written in another way (`? key`)
    const char *text;         // scalars; aliases: of what
    const char *anchor, *tag; // NULL: none
} YamlNode;

typedef struct YamlTree {
    GArray *nodes; // YamlNode; of an empty text none
    GStringChunk *texts;
} YamlTree;

void yaml_tree_clear(YamlTree *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(YamlTree, yaml_tree_clear)

/* `text` is valid UTF-8. What is wrong is a fault (below). */
bool yaml_tree_read(const char *text, YamlTree *ret_tree, GError **error);

const YamlNode *yaml_tree_root(const YamlTree *self); // NULL: the text is empty

/* Visits the keys of a map; the value of one is `key + 1`. */
#define yaml_map_foreach(map, key)                                                                 \
    for (const YamlNode *key = (map) + 1; key < (map) + (map)->size; key += 1 + key[1].size)

/* Its node in a map; NULL when `map` is NULL or none, or has no such key. */
const YamlNode *yaml_map_key(const YamlNode *map, const char *key);

/* Whether there is a comment between two offsets, outside of every scalar. */
bool yaml_tree_has_comment(const YamlTree *self, const char *text, size_t start, size_t end);

/* Faults, for yaml.c: errors whose code is the line, 0 for what is too large or too deep; yaml.c
   makes errors of the house of them. Both return false. */
bool yaml_fail_at(int line, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
bool yaml_fail_too_complex(GError **error);
