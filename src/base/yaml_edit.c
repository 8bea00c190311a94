/*
 * YAML changed in place (yaml_edit.h): find the place, splice, and read the result again.
 */
#include "base/yaml_edit.h"

#include "base/utf8.h"
#include "base/yaml.h"
#include "base/yaml_places.h"
#include "base/yaml_write.h"

typedef struct Edit {
    const char *text;
    size_t size;
    const char *newline;
    const char *const *path;
    size_t depth; // keys in `path`
    YamlPlaces places;
    GString *result;
    // the pairs along the path that there are, and the map in which each is
    GPtrArray *pairs; // YamlPair *, borrowed
    GPtrArray *maps;  // YamlPlace *, borrowed
} Edit;

static void edit_clear(Edit *self)
{
    yaml_places_clear(&self->places);
    g_clear_pointer(&self->pairs, g_ptr_array_unref);
    g_clear_pointer(&self->maps, g_ptr_array_unref);
    if (self->result)
        g_string_free(self->result, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Edit, edit_clear)

static bool refuse(int line, const char *reason, GError **error)
{
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "line %d: %s", line, reason);
}

/* `text` with the bytes of [start, end) replaced. */
static void splice(Edit *self, size_t start, size_t end, const char *with)
{
    self->result = g_string_sized_new(self->size + strlen(with));
    g_string_append_len(self->result, self->text, (gssize)start);
    g_string_append(self->result, with);
    g_string_append_len(self->result, self->text + end, (gssize)(self->size - end));
}

/* Behind the line break at or after `from`, or the end of the text. */
static size_t next_line(const Edit *self, size_t from)
{
    const char *found = memchr(self->text + from, '\n', self->size - from);
    return found ? (size_t)(found - self->text) + 1 : self->size;
}

/* Whole lines in between; a last line without an end gets one. */
static void insert_lines(Edit *self, size_t at, const char *lines)
{
    bool is_open = at > 0 && self->text[at - 1] != '\n';
    g_autofree char *with = g_strconcat(is_open ? self->newline : "", lines, NULL);
    splice(self, at, at, with);
}

/* {path[from]: {… : value}} without the outermost key. New reference. */
static json_t *nest(const Edit *self, size_t from, const json_t *value)
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
    g_autoptr(json_t) inner = nest(self, from + 1, value);
    g_autoptr(GString) lines = g_string_new(NULL);
    yaml_write_pair(self->path[from], inner, indent, self->newline, lines);
    return g_string_free(g_steal_pointer(&lines), FALSE);
}

static bool insert_into_flow(Edit *self, const YamlPlace *map, size_t from, const json_t *value)
{
    g_autoptr(json_t) inner = nest(self, from, value);
    g_autoptr(GString) text = g_string_new(NULL);
    yaml_write_inline(inner, text); // "{key: value}"
    g_string_truncate(text, text->len - 1);
    g_string_erase(text, 0, 1);
    const YamlPair *last = map->pairs->len > 0 ? map->pairs->pdata[map->pairs->len - 1] : NULL;
    if (last)
        g_string_prepend(text, ", ");
    size_t at = last ? MAX(last->value.end, last->end) : map->start + 1;
    splice(self, at, at, text->str);
    return true;
}

/* A key that `map` does not have yet, behind its last one. */
static bool insert_into_map(Edit *self, const YamlPlace *map, size_t from, const json_t *value)
{
    if (map->is_flow)
        return insert_into_flow(self, map, from, value);
    const YamlPair *first = map->pairs->pdata[0];
    g_autofree char *lines = pair_lines(self, from, first->column, value);
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
    const YamlPair *pair = self->pairs->pdata[from - 1];
    const YamlPlace *map = self->maps->pdata[from - 1];
    if (!map->is_flow) {
        g_autofree char *lines = pair_lines(self, from, pair->column + 2, value);
        insert_lines(self, next_line(self, pair->colon), lines);
        return true;
    }
    g_autoptr(json_t) inner = nest(self, from, value);
    g_autoptr(GString) text = g_string_new(" ");
    yaml_write_inline(inner, text);
    splice(self, pair->colon, pair->colon, text->str);
    return true;
}

static bool check_no_comment(const Edit *self, const YamlPair *pair, GError **error)
{
    if (!yaml_places_have_comment(&self->places, self->text, pair->start, pair->value.end))
        return true;
    g_autofree char *reason =
        g_strdup_printf("the value of %s has a comment inside, which would be lost", pair->key);
    return refuse(pair->line, reason, error);
}

static bool replace_value(Edit *self, const YamlPair *pair, size_t from, const json_t *value,
                          GError **error)
{
    if (!check_no_comment(self, pair, error))
        return false;
    const YamlPlace *map = self->maps->pdata[from - 1];
    g_autoptr(json_t) inner = nest(self, from, value);
    g_autoptr(GString) text = g_string_new(NULL);
    bool is_block = pair->value.kind == YAML_MAP && !pair->value.is_flow;
    if (is_block && !map->is_flow && json_object_size(inner) > 0) {
        yaml_write_pair("k", inner, pair->column, self->newline, text); // for any key
        g_string_truncate(text, text->len - strlen(self->newline));
        g_string_erase(text, 0, (gssize)(pair->column + strlen("k:")));
    } else {
        g_string_append_c(text, ' ');
        yaml_write_inline(inner, text);
    }
    splice(self, pair->colon, MAX(pair->value.end, pair->colon), text->str);
    return true;
}

/* How far the path goes in the text: fills `pairs` and `maps`. */
static void follow(Edit *self)
{
    const YamlPlace *place = &self->places.root;
    for (size_t i = 0; i < self->depth && place->kind == YAML_MAP; i++) {
        YamlPair *pair = yaml_place_pair(place, self->path[i]);
        if (!pair)
            return;
        g_ptr_array_add(self->maps, (void *)place);
        g_ptr_array_add(self->pairs, pair);
        place = &pair->value;
    }
}

static bool check_found(const Edit *self, GError **error)
{
    for (unsigned i = 0; i < self->pairs->len; i++) {
        const YamlPair *pair = self->pairs->pdata[i];
        if (pair->colon == 0)
            return refuse(MAX(pair->line, 1),
                          "the key is written in a form that cannot be changed "
                          "in place",
                          error);
        if (pair->value.kind == YAML_ALIAS)
            return refuse(pair->line, "the value is an alias of another place", error);
    }
    return true;
}

static bool set(Edit *self, const json_t *old, const json_t *value, GError **error)
{
    size_t found = self->pairs->len;
    const YamlPair *last = found > 0 ? self->pairs->pdata[found - 1] : NULL;
    if (found == self->depth)
        return replace_value(self, last, found, value, error);
    const YamlPlace *place = last ? &last->value : &self->places.root;
    if (place->kind == YAML_MAP)
        return insert_into_map(self, place, found, value);
    if (place->kind == YAML_ABSENT)
        return insert_into_nothing(self, found, value);
    const json_t *there = old;
    for (size_t i = 0; i < found; i++)
        there = json_object_get(there, self->path[i]);
    if (last && json_is_null(there))
        return replace_value(self, last, found, value, error);
    g_autofree char *reason =
        g_strdup_printf("%s must be a map", last ? last->key : "the whole file");
    return refuse(last ? last->line : 1, reason, error);
}

static bool remove_from_flow(Edit *self, const YamlPlace *map, const YamlPair *pair)
{
    size_t start = pair->start;
    size_t end = MAX(pair->value.end, pair->end);
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
    splice(self, start, end, "");
    return true;
}

/* The whole lines of the pair; a comment behind it goes along. */
static bool remove_lines(Edit *self, const YamlPair *pair, GError **error)
{
    size_t start = pair->start - pair->column;
    for (size_t i = start; i < pair->start; i++)
        if (self->text[i] != ' ')
            return refuse(pair->line, "the key does not begin its line", error);
    splice(self, start, next_line(self, MAX(pair->value.end, pair->end)), "");
    return true;
}

/* The outermost pair that goes: a map that would be empty goes too, unless a comment in it would be
   lost. */
static size_t removed_level(const Edit *self)
{
    size_t level = self->depth - 1;
    while (level > 0) {
        const YamlPlace *map = self->maps->pdata[level];
        const YamlPair *outer = self->pairs->pdata[level - 1];
        if (map->pairs->len > 1 ||
            yaml_places_have_comment(&self->places, self->text, outer->start, outer->value.end))
            break;
        level--;
    }
    return level;
}

static bool unset(Edit *self, size_t level, GError **error)
{
    const YamlPair *pair = self->pairs->pdata[level];
    const YamlPlace *map = self->maps->pdata[level];
    if (!check_no_comment(self, pair, error))
        return false;
    return map->is_flow ? remove_from_flow(self, map, pair) : remove_lines(self, pair, error);
}

/* What the text is to say afterwards. New reference. */
static json_t *expected(const Edit *self, const json_t *old, const json_t *value, size_t level)
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
        return refuse(1, "cannot be changed in place without breaking it", error);
    if (json_is_null(got)) {
        json_decref(got);
        got = json_object();
    }
    nulls_to_maps(got, self);
    nulls_to_maps(want, self);
    return json_equal(got, want) ||
           refuse(1, "cannot be changed in place without changing something else", error);
}

static bool has_path(const Edit *self, const json_t *old)
{
    for (size_t i = 0; i < self->depth && old; i++)
        old = json_object_get(old, self->path[i]);
    return old != NULL;
}

static bool change(Edit *self, const json_t *old, const json_t *value, GError **error)
{
    if (!yaml_places_find(self->text, self->size, &self->places, error))
        return false;
    follow(self);
    if (!check_found(self, error))
        return false;
    if (!value && self->pairs->len < self->depth)
        return !has_path(self, old) ||
               refuse(1, "the value comes from another place, through a merge key", error);
    size_t level = value ? 0 : removed_level(self);
    if (value ? !set(self, old, value, error) : !unset(self, level, error))
        return false;
    g_autoptr(json_t) want = expected(self, old, value, level);
    return check_result(self, want, error);
}

bool yaml_edit(const char *text, size_t size, const char *name, const char *const *path,
               const json_t *value, char **ret_text, GError **error)
{
    g_autoptr(json_t) old = NULL;
    if (!yaml_parse(text, size, name, &old, error))
        return false;
    g_auto(Edit) edit = {
        .text = text,
        .size = size,
        .newline = memmem(text, size, "\r\n", 2) ? "\r\n" : "\n",
        .path = path,
        .depth = g_strv_length((char **)path),
        .pairs = g_ptr_array_new(),
        .maps = g_ptr_array_new(),
    };
    g_assert(edit.depth > 0);
    bool is_good =
        g_utf8_validate_len(text, size, NULL) || refuse(1, "holds bytes that are no UTF-8", error);
    if (!is_good || !change(&edit, old, value, error)) {
        g_prefix_error(error, "%s: ", name);
        return false;
    }
    *ret_text = edit.result ? g_strdup(edit.result->str) : g_strndup(text, size);
    return true;
}
