/*
 * YAML changed in place (yaml_edit.h): find the place, splice, and read the result again.
 */
#include "base/yaml_edit.h"

#include "base/yaml.h"
#include "base/yaml_write.h"

typedef struct Edit {
    const char *text;
    size_t size;
    const char *newline;
    const char *const *path;
    size_t depth; // keys in `path`
    YamlTree tree;
    GString *result;
    // the keys along the path that there are, and the map in which each is
    GPtrArray *keys; // const YamlNode *, borrowed
    GPtrArray *maps; // const YamlNode *, borrowed
} Edit;

static void edit_clear(Edit *self)
{
    yaml_tree_clear(&self->tree);
    g_clear_pointer(&self->keys, g_ptr_array_unref);
    g_clear_pointer(&self->maps, g_ptr_array_unref);
    if (self->result)
        g_string_free(self->result, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Edit, edit_clear)

static bool yaml_edit_refuse(int line, const char *reason, GError **error)
{
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "line %d: %s", line, reason);
}

/* `text` with the bytes of [start, end) replaced. */
static void edit_splice(Edit *self, size_t start, size_t end, const char *with)
{
    self->result = g_string_sized_new(self->size + strlen(with));
    g_string_append_len(self->result, self->text, (gssize)start);
    g_string_append(self->result, with);
    g_string_append_len(self->result, self->text + end, (gssize)(self->size - end));
}

/* After the line break at or after `from`, or the end of the text. */
static size_t next_line(const Edit *self, size_t from)
{
    const char *found = memchr(self->text + from, '\n', self->size - from);
    return found ? (size_t)(found - self->text) + 1 : self->size;
}

/* The bytes before a key in its line. */
static size_t column_of(const Edit *self, const YamlNode *key)
{
    const char *newline = memrchr(self->text, '\n', key->start);
    return key->start - (newline ? (size_t)(newline - self->text) + 1 : 0);
}

/* Whole lines in between; a last line without an end gets one. */
static void insert_lines(Edit *self, size_t at, const char *lines)
{
    bool is_open = at > 0 && self->text[at - 1] != '\n';
    g_autofree char *with = g_strconcat(is_open ? self->newline : "", lines, NULL);
    edit_splice(self, at, at, with);
}

/* {path[from]: {… : value}} without the outermost key. New reference. */
static json_t *edit_nest(const Edit *self, size_t from, const json_t *value)
{
    json_t *inner = json_deep_copy(value);
    for (size_t i = self->depth; i-- > from;) {
        json_t *outer = json_object();
        json_set_take(outer, self->path[i], inner);
        inner = outer;
    }
    return inner;
}

static char *pair_lines(const Edit *self, size_t from, size_t indent, const json_t *value)
{
    g_autoptr(json_t) inner = edit_nest(self, from + 1, value);
    g_autoptr(GString) lines = g_string_new(NULL);
    yaml_write_pair(self->path[from], inner, indent, self->newline, lines);
    return g_string_free(g_steal_pointer(&lines), FALSE);
}

static bool insert_into_flow(Edit *self, const YamlNode *map, size_t from, const json_t *value)
{
    g_autoptr(json_t) inner = edit_nest(self, from, value);
    g_autoptr(GString) text = g_string_new(NULL);
    yaml_write_inline(inner, text); // "{key: value}"
    g_string_truncate(text, text->len - 1);
    g_string_erase(text, 0, 1);
    const YamlNode *last = NULL;
    yaml_map_foreach (map, key)
        last = key;
    if (last)
        g_string_prepend(text, ", ");
    size_t at = last ? last[1].end : map->start + 1;
    edit_splice(self, at, at, text->str);
    return true;
}

/* A key that `map` does not have yet, after its last one. */
static bool insert_into_map(Edit *self, const YamlNode *map, size_t from, const json_t *value)
{
    if (map->is_flow)
        return insert_into_flow(self, map, from, value);
    g_autofree char *lines = pair_lines(self, from, column_of(self, map + 1), value);
    insert_lines(self, next_line(self, map->end), lines);
    return true;
}

/* Into a file that says nothing yet, or below a key without a value. */
static bool insert_into_nothing(Edit *self, size_t from, const json_t *value)
{
    if (from == 0) {
        g_autofree char *lines = pair_lines(self, 0, 0, value);
        insert_lines(self, self->size, lines);
        return true;
    }
    const YamlNode *key = self->keys->pdata[from - 1];
    const YamlNode *map = self->maps->pdata[from - 1];
    if (!map->is_flow) {
        g_autofree char *lines = pair_lines(self, from, column_of(self, key) + 2, value);
        insert_lines(self, next_line(self, key->colon), lines);
        return true;
    }
    g_autoptr(json_t) inner = edit_nest(self, from, value);
    g_autoptr(GString) text = g_string_new(" ");
    yaml_write_inline(inner, text);
    edit_splice(self, key->colon, key->colon, text->str);
    return true;
}

static bool check_no_comment(const Edit *self, const YamlNode *key, GError **error)
{
    if (!yaml_tree_has_comment(&self->tree, self->text, key->start, key[1].end))
        return true;
    g_autofree char *reason =
        g_strdup_printf("the value of %s has a comment inside, which would be lost", key->text);
    return yaml_edit_refuse(key->line, reason, error);
}

static bool replace_value(Edit *self, const YamlNode *key, size_t from, const json_t *value,
                          GError **error)
{
    if (!check_no_comment(self, key, error))
        return false;
    const YamlNode *map = self->maps->pdata[from - 1];
    g_autoptr(json_t) inner = edit_nest(self, from, value);
    g_autoptr(GString) text = g_string_new(NULL);
    bool is_block = key[1].kind == YAML_MAP && !key[1].is_flow;
    if (is_block && !map->is_flow && json_object_size(inner) > 0) {
        size_t column = column_of(self, key);
        yaml_write_pair("k", inner, column, self->newline, text); // for any key
        g_string_truncate(text, text->len - strlen(self->newline));
        g_string_erase(text, 0, (gssize)(column + strlen("k:")));
    } else {
        g_string_append_c(text, ' ');
        yaml_write_inline(inner, text);
    }
    edit_splice(self, key->colon, key[1].end, text->str);
    return true;
}

/* How far the path goes in the text: fills `keys` and `maps`. */
static void edit_follow(Edit *self)
{
    const YamlNode *map = yaml_tree_root(&self->tree);
    for (size_t i = 0; i < self->depth; i++) {
        const YamlNode *key = yaml_map_key(map, self->path[i]);
        if (!key)
            return;
        g_ptr_array_add(self->maps, (gpointer)map);
        g_ptr_array_add(self->keys, (gpointer)key);
        map = key + 1;
    }
}

static bool check_found(const Edit *self, GError **error)
{
    for (unsigned i = 0; i < self->keys->len; i++) {
        const YamlNode *key = self->keys->pdata[i];
        if (key->colon == 0)
            return yaml_edit_refuse(key->line,
                                    "the key is written in a form that cannot be changed "
                                    "in place",
                                    error);
        if (key[1].kind == YAML_ALIAS)
            return yaml_edit_refuse(key->line, "the value is an alias of another place", error);
    }
    return true;
}

static bool edit_set(Edit *self, const json_t *old, const json_t *value, GError **error)
{
    size_t found = self->keys->len;
    const YamlNode *last = found > 0 ? self->keys->pdata[found - 1] : NULL;
    if (found == self->depth)
        return replace_value(self, last, found, value, error);
    const YamlNode *there = last ? last + 1 : yaml_tree_root(&self->tree);
    if (there && there->kind == YAML_MAP)
        return insert_into_map(self, there, found, value);
    if (!there || there->kind == YAML_ABSENT)
        return insert_into_nothing(self, found, value);
    for (size_t i = 0; i < found; i++)
        old = json_object_get(old, self->path[i]);
    if (last && json_is_null(old))
        return replace_value(self, last, found, value, error);
    g_autofree char *reason =
        g_strdup_printf("%s must be a map", last ? last->text : "the whole file");
    return yaml_edit_refuse(last ? last->line : 1, reason, error);
}

static bool remove_from_flow(Edit *self, const YamlNode *map, const YamlNode *key)
{
    size_t start = key->start;
    size_t end = key[1].end;
    size_t next = end;
    while (next < map->end && g_ascii_isspace(self->text[next]))
        next++;
    if (next < map->end && self->text[next] == ',') {
        end = next + 1;
        while (end < map->end && self->text[end] == ' ')
            end++;
    } else { // the last one: the comma before it goes
        size_t before = start;
        while (before > map->start + 1 && g_ascii_isspace(self->text[before - 1]))
            before--;
        start = self->text[before - 1] == ',' ? before - 1 : start;
    }
    edit_splice(self, start, end, "");
    return true;
}

/* The whole lines of the pair; a comment after it goes along. */
static bool remove_lines(Edit *self, const YamlNode *key, GError **error)
{
    size_t start = key->start - column_of(self, key);
    for (size_t i = start; i < key->start; i++)
        if (self->text[i] != ' ')
            return yaml_edit_refuse(key->line, "the key does not begin its line", error);
    edit_splice(self, start, next_line(self, key[1].end), "");
    return true;
}

/* The outermost pair that goes: a map that would be empty goes too, unless a comment in it would be
   lost. */
static size_t removed_level(const Edit *self)
{
    size_t level = self->depth - 1;
    while (level > 0) {
        const YamlNode *map = self->maps->pdata[level];
        const YamlNode *outer = self->keys->pdata[level - 1];
        bool has_others = map->size > 2 + map[2].size; // itself, a key and its value
        if (has_others ||
            yaml_tree_has_comment(&self->tree, self->text, outer->start, outer[1].end))
            break;
        level--;
    }
    return level;
}

static bool edit_unset(Edit *self, size_t level, GError **error)
{
    const YamlNode *key = self->keys->pdata[level];
    const YamlNode *map = self->maps->pdata[level];
    if (!check_no_comment(self, key, error))
        return false;
    return map->is_flow ? remove_from_flow(self, map, key) : remove_lines(self, key, error);
}

/* What the text is to say afterwards. New reference. */
static json_t *edit_expected(const Edit *self, const json_t *old, const json_t *value, size_t level)
{
    json_t *root = json_is_object(old) ? json_deep_copy(old) : json_object();
    json_t *object = root;
    size_t last = value ? self->depth - 1 : level;
    for (size_t i = 0; i < last; i++) {
        json_t *inner = json_object_get(object, self->path[i]);
        if (!json_is_object(inner)) {
            inner = json_object();
            json_set_take(object, self->path[i], inner);
        }
        object = inner;
    }
    if (value)
        json_set_take(object, self->path[last], json_deep_copy(value));
    else
        json_object_del(object, self->path[last]);
    return root;
}

/* A block map that lost its last key reads as null: the same for us. */
static void nulls_to_maps(json_t *root, const Edit *self)
{
    json_t *object = root;
    for (size_t i = 0; i + 1 < self->depth && json_is_object(object); i++) {
        json_t *inner = json_object_get(object, self->path[i]);
        if (json_is_null(inner))
            json_set_take(object, self->path[i], json_object());
        object = json_object_get(object, self->path[i]);
    }
}

static bool check_result(const Edit *self, json_t *want, GError **error)
{
    g_autoptr(json_t) got = NULL;
    if (!yaml_parse(self->result->str, self->result->len, NULL, &got, NULL))
        return yaml_edit_refuse(1, "cannot be changed in place without breaking it", error);
    if (json_is_null(got)) {
        json_decref(got);
        got = json_object();
    }
    nulls_to_maps(got, self);
    nulls_to_maps(want, self);
    return json_equal(got, want) ||
           yaml_edit_refuse(1, "cannot be changed in place without changing something else", error);
}

static bool has_path(const Edit *self, const json_t *old)
{
    for (size_t i = 0; i < self->depth && old; i++)
        old = json_object_get(old, self->path[i]);
    return old != NULL;
}

static bool edit_change(Edit *self, const json_t *old, const json_t *value, GError **error)
{
    edit_follow(self);
    if (!check_found(self, error))
        return false;
    if (!value && self->keys->len < self->depth)
        return !has_path(self, old) ||
               yaml_edit_refuse(1, "the value comes from another place, through a merge key",
                                error);
    size_t level = value ? 0 : removed_level(self);
    if (value ? !edit_set(self, old, value, error) : !edit_unset(self, level, error))
        return false;
    g_autoptr(json_t) want = edit_expected(self, old, value, level);
    return check_result(self, want, error);
}

bool yaml_edit(const char *text, size_t size, const char *name, const char *const *path,
               const json_t *value, char **ret_text, GError **error)
{
    g_auto(Edit) edit = {
        .text = text,
        .size = size,
        .newline = memmem(text, size, "\r\n", 2) ? "\r\n" : "\n",
        .path = path,
        .depth = g_strv_length((char **)path),
        .keys = g_ptr_array_new(),
        .maps = g_ptr_array_new(),
    };
    g_assert(edit.depth > 0);
    g_autoptr(json_t) old = NULL;
    if (!yaml_parse_tree(text, size, name, &edit.tree, &old, error))
        return false;
    bool is_good = g_utf8_validate_len(text, size, NULL) ||
                   yaml_edit_refuse(1, "holds bytes that are no UTF-8", error);
    if (!is_good || !edit_change(&edit, old, value, error)) {
        g_prefix_error(error, "%s: ", name);
        return false;
    }
    *ret_text = edit.result ? g_strdup(edit.result->str) : g_strndup(text, size);
    return true;
}
