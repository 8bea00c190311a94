/*
 * JSON values of a YAML tree (yaml_tree.h), by the rules of task-engine §2.1.
 *
 * An alias becomes a copy: the values of the result are independent of each other. What aliases add
 * is counted before it is copied, so that an alias bomb costs no memory.
 */
#include "base/yaml.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <string.h>

#define CORE_TAG  "tag:yaml.org,2002:"
#define MERGE_KEY "<<"

typedef struct Reader {
    GHashTable *anchors; // name, borrowed from the tree → json_t *; NULL: none so far
    size_t node_count;
} Reader;

static json_t *read_node(Reader *self, const YamlNode *node, size_t level, GError **error);

// Adds up the nodes of `value`, keys included; *depth is the deepest nesting from `level` on.
static size_t yaml_measure(const json_t *value, size_t level, size_t *depth)
{
    size_t count = 1;
    *depth = MAX(*depth, level);
    if (json_is_array(value)) {
        json_each (value, index, item)
            count += yaml_measure(item, level + 1, depth);
    } else if (json_is_object(value)) {
        json_each_member (value, key, item)
            count += 1 + yaml_measure(item, level + 1, depth);
    }
    return count;
}

// ---- scalars ----

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
static bool is_number(const char *text)
{
    char *end = NULL;
    g_ascii_strtod(text, &end);
    // it reads such numbers, and others that have letters
    return end > text && *end == '\0' && text[strspn(text, "+-.0123456789eE")] == '\0';
}

// 0x… and 0o…; NULL when `text` is none.
static json_t *based_number(const char *text)
{
    int base = str_has_prefix(text, "0x") ? 16 : str_has_prefix(text, "0o") ? 8 : 0;
    if (base == 0 || text[2] == '\0')
        return NULL;
    int64_t integer = 0;
    double number = 0;
    bool has_overflow = false;
    for (const char *p = text + 2; *p != '\0'; p++) {
        int digit = g_ascii_xdigit_value(*p);
        if (digit < 0 || digit >= base)
            return NULL;
        has_overflow |= __builtin_mul_overflow(integer, base, &integer) ||
                        __builtin_add_overflow(integer, digit, &integer);
        number = number * base + digit;
    }
    return has_overflow ? json_real(number) : json_integer(integer);
}

// A plain scalar by the YAML 1.2 core schema; infinities and NaN, unknown to JSON, stay text.
static json_t *resolve_plain(const char *text)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const trues[] = { "true", "True", "TRUE", NULL };
    static const char *const falses[] = { "false", "False", "FALSE", NULL };
    // most texts begin as none of these does
    if (!strchr("~nNtTfF+-.0123456789", *text)) // which finds NUL, too
        return json_text(text);
    if (g_strv_contains(nulls, text))
        return json_null();
    if (g_strv_contains(trues, text))
        return json_true();
    if (g_strv_contains(falses, text))
        return json_false();

    int64_t integer;
    if (str_parse_int(*text == '+' && g_ascii_isdigit(text[1]) ? text + 1 : text, &integer))
        return json_integer(integer);
    json_t *value = based_number(text);
    if (!value && is_number(text))
        value = json_real(g_ascii_strtod(text, NULL)); // NULL for what is infinite
    return value ? value : json_text(text);
}

// Quoted scalars are text; a tag (NULL: none) can say otherwise, tags that are not of the core
// schema say nothing.
static bool is_text(const YamlNode *scalar)
{
    const char *tag = scalar->tag;
    static const char *const resolved[] = { CORE_TAG "int", CORE_TAG "float", CORE_TAG "bool",
                                            CORE_TAG "null", NULL };
    if (!tag)
        return !scalar->is_plain;
    if (strcmp(tag, "!") == 0 || strcmp(tag, CORE_TAG "str") == 0)
        return true;
    return !scalar->is_plain && !g_strv_contains(resolved, tag);
}

// ---- anchors ----

// An anchor may be set again; aliases mean the last one before them.
static void set_anchor(Reader *self, const YamlNode *node, json_t *value)
{
    if (!node->anchor || !value)
        return;
    if (!self->anchors)
        self->anchors = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, json_free);
    g_hash_table_replace(self->anchors, (gpointer)node->anchor, json_incref(value));
}

// What an alias means, borrowed; NULL with an error.
static const json_t *find_anchor(const Reader *self, const YamlNode *alias, GError **error)
{
    const json_t *value = self->anchors ? g_hash_table_lookup(self->anchors, alias->anchor) : NULL;
    if (!value)
        yaml_fail_at(alias->line, error, "unknown anchor \"%s\"", alias->anchor);
    return value;
}

static json_t *read_alias(Reader *self, const YamlNode *alias, size_t level, GError **error)
{
    const json_t *value = find_anchor(self, alias, error);
    if (!value)
        return NULL;
    size_t depth = 0;
    self->node_count += yaml_measure(value, level, &depth) - 1; // as a node it was counted
    if (depth > LIMIT_YAML_DEPTH || self->node_count > LIMIT_YAML_NODES) {
        yaml_fail_too_complex(error);
        return NULL;
    }
    return json_deep_copy(value);
}

// ---- maps ----

// The text of a key; NULL with an error. Caller frees.
static char *read_key(Reader *self, const YamlNode *key, GError **error)
{
    if (key->kind != YAML_ALIAS) {
        if (key->anchor)
            json_decref(read_node(self, key, 0, NULL));
        return g_strdup(key->text);
    }
    const json_t *value = find_anchor(self, key, error);
    if (!value)
        return NULL;
    if (json_is_string(value))
        return g_strdup(json_string_value(value));
    if (!json_is_object(value) && !json_is_array(value))
        return json_to_text(value);
    yaml_fail_at(key->line, error, "a mapping key must be a scalar");
    return NULL;
}

// Whether `name` is not yet in `object`, nor, as the merge key, was read (`is_merging`).
static bool check_new(const YamlNode *map, const YamlNode *key, const char *name,
                      const json_t *object, bool is_merging, GError **error)
{
    bool is_merge_again = is_merging && strcmp(name, MERGE_KEY) == 0;
    if (!is_merge_again && !json_object_get(object, name))
        return true;
    const YamlNode *first = yaml_map_key(map, name); // NULL: all of them are aliases
    g_autofree char *shown = utf8_ellipsize(name, 100);
    return yaml_fail_at(key->line, error, "mapping key \"%s\" already defined at line %d", shown,
                        first ? first->line : key->line);
}

static bool check_merge(const json_t *value, int line, GError **error)
{
    bool is_good = json_is_object(value) || json_is_array(value);
    json_each (value, index, item)
        is_good = is_good && json_is_object(item);
    return is_good ||
           yaml_fail_at(line, error, "a merge key needs a mapping or a list of mappings");
}

// Adds what `merged`, an object or several, says and `object` does not: the first one wins.
// Without copying: what is merged was copied, and counted, when it was read.
static void yaml_merge(json_t *object, json_t *merged)
{
    if (json_is_object(merged))
        json_object_update_missing(object, merged);
    json_each (merged, index, item)
        json_object_update_missing(object, item);
}

static json_t *read_map(Reader *self, const YamlNode *map, size_t level, GError **error)
{
    g_autoptr(json_t) object = json_object();
    g_autoptr(json_t) merged = NULL; // the value of the merge key
    yaml_map_foreach (map, key) {
        g_autofree char *name = read_key(self, key, error);
        if (!name || !check_new(map, key, name, object, merged != NULL, error))
            return NULL;
        json_t *value = read_node(self, key + 1, level + 1, error);
        if (!value)
            return NULL;
        bool is_merge = key->is_plain && !key->tag && strcmp(name, MERGE_KEY) == 0;
        if (is_merge)
            merged = value;
        else
            json_object_set_new_nocheck(object, name, value);
        if (is_merge && !check_merge(merged, key[1].line, error))
            return NULL;
    }
    yaml_merge(object, merged);
    return g_steal_pointer(&object);
}

// ---- nodes ----

static json_t *read_list(Reader *self, const YamlNode *list, size_t level, GError **error)
{
    g_autoptr(json_t) array = json_array();
    for (const YamlNode *item = list + 1; item < list + list->size; item += item->size) {
        json_t *value = read_node(self, item, level + 1, error);
        if (!value)
            return NULL;
        json_append_take(array, value);
    }
    return g_steal_pointer(&array);
}

// The value of a node, in `level` lists and maps; NULL with an error. New reference.
static json_t *read_node(Reader *self, const YamlNode *node, size_t level, GError **error)
{
    if (node->kind == YAML_ALIAS)
        return read_alias(self, node, level, error);
    json_t *value = node->kind == YAML_MAP    ? read_map(self, node, level, error)
                    : node->kind == YAML_LIST ? read_list(self, node, level, error)
                    : is_text(node)           ? json_text(node->text)
                                              : resolve_plain(node->text);
    set_anchor(self, node, value);
    return value;
}

static bool read_tree(const char *text, YamlTree *ret_tree, json_t **ret_value, GError **error)
{
    g_auto(YamlTree) tree = { 0 };
    if (!yaml_tree_read(text, &tree, error))
        return false;
    const YamlNode *root = yaml_tree_root(&tree);
    Reader reader = { .node_count = tree.nodes->len };
    json_t *value = root ? read_node(&reader, root, 0, error) : json_null();
    g_clear_pointer(&reader.anchors, g_hash_table_unref);
    if (!value)
        return false;
    *ret_value = value;
    *ret_tree = tree;
    tree = (YamlTree) { 0 };
    return true;
}

static bool read_bounded(const char *text, size_t size, YamlTree *ret_tree, json_t **ret_value,
                         GError **error)
{
    if (size > LIMIT_CONFIG_FILE_BYTES)
        return yaml_fail_too_complex(error);
    g_autofree char *valid = utf8_from_bytes(text, size);
    return read_tree(valid, ret_tree, ret_value, error);
}

bool yaml_parse_at(const char *text, size_t size, json_t **ret_value, int *ret_line, GError **error)
{
    g_auto(YamlTree) tree = { 0 };
    g_autoptr(GError) fault = NULL;
    if (read_bounded(text, size, &tree, ret_value, &fault))
        return true;
    *ret_line = fault->code;
    return fail_with(error, fault->code > 0 ? KEDGE_ERROR_PROTOCOL : KEDGE_ERROR_LIMIT, "%s",
                     fault->message);
}

bool yaml_parse_tree(const char *text, size_t size, const char *name, YamlTree *ret_tree,
                     json_t **ret_value, GError **error)
{
    g_autoptr(GError) fault = NULL;
    if (read_bounded(text, size, ret_tree, ret_value, &fault))
        return true;
    g_autofree char *before = name ? g_strconcat(name, ": ", NULL) : g_strdup("");
    if (fault->code == 0)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%syaml: %s", before, fault->message);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "%syaml: line %d: %s", before, fault->code,
                     fault->message);
}

bool yaml_parse(const char *text, size_t size, const char *name, json_t **ret_value, GError **error)
{
    g_auto(YamlTree) tree = { 0 };
    return yaml_parse_tree(text, size, name, &tree, ret_value, error);
}

bool yaml_read_file(const char *path, json_t **ret_value, GError **error)
{
    g_autofree char *data = NULL;
    size_t size;
    if (!file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, &size, error))
        return false;
    return yaml_parse(data, size, path, ret_value, error);
}
