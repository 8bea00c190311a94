/*
 * YAML into JSON, from the events of the text (yaml_events.h), by the rules of task-engine §2.1.
 *
 * The budget of nodes and the depth are checked while reading, before an alias bomb has cost
 * memory, and every message has a line. Aliases become copies: the values of the result are
 * independent of each other.
 */
#include "base/yaml.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/yaml_events.h"

#include <math.h>
#include <string.h>

#define CORE_TAG  "tag:yaml.org,2002:"
#define MERGE_KEY "<<"

// Room that is made at once: nearly no text needs more.
#define USUAL_DEPTH 8
#define USUAL_KEYS  32

// A mapping or sequence that is being read.
typedef struct Frame {
    json_t *value;
    char *anchor;      // NULL: none
    guint first_line;  // mappings: where the lines of its keys begin in the reader's
    int merge_line;    // mappings: of the merge key; 0: none so far
    char *key;         // mappings: the key whose value comes next, or NULL
    bool is_merge;     // `key` is a merge key
    GPtrArray *merges; // json_t *: objects to merge at the end, the first wins; NULL: none
} Frame;

typedef struct Reader {
    GArray *frames;      // Frame
    GArray *key_lines;   // int: of the keys, but merge keys, of the mappings in `frames`
    GHashTable *anchors; // name → json_t *; NULL: none so far
    json_t *root;        // NULL until the document's value is complete
    size_t node_count;
} Reader;

static void frame_clear(void *frame_)
{
    Frame *frame = frame_;
    json_decref(frame->value);
    g_free(frame->anchor);
    g_free(frame->key);
    g_clear_pointer(&frame->merges, g_ptr_array_unref);
}

static void reader_clear(Reader *self)
{
    g_clear_pointer(&self->frames, g_array_unref);
    g_clear_pointer(&self->key_lines, g_array_unref);
    g_clear_pointer(&self->anchors, g_hash_table_unref);
    json_decref(self->root);
    self->root = NULL;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

static void decref_value(void *value)
{
    json_decref(value);
}

static Frame *top_frame(Reader *self)
{
    return self->frames->len == 0 ? NULL
                                  : &g_array_index(self->frames, Frame, self->frames->len - 1);
}

static int line_of(const yaml_event_t *event)
{
    return (int)event->start_mark.line + 1;
}

static bool fail_too_complex(GError **error)
{
    return fail_with(error, KEDGE_ERROR_LIMIT, "yaml: document too complex");
}

static bool count_nodes(Reader *self, size_t count, GError **error)
{
    self->node_count += count;
    return self->node_count <= LIMIT_YAML_NODES || fail_too_complex(error);
}

// Adds up the nodes of `value`, keys included; *depth is the deepest nesting from `level` on.
static size_t measure(const json_t *value, size_t level, size_t *depth)
{
    size_t count = 1;
    size_t index;
    json_t *item;
    const char *key;
    *depth = MAX(*depth, level);
    if (json_is_array(value)) {
        json_array_foreach (value, index, item)
            count += measure(item, level + 1, depth);
    } else if (json_is_object(value)) {
        json_object_foreach ((json_t *)value, key, item)
            count += 1 + measure(item, level + 1, depth);
    }
    return count;
}

// [0-9]* at `*p`; returns how many.
static size_t skip_digits(const char **p)
{
    const char *start = *p;
    while (g_ascii_isdigit(**p))
        (*p)++;
    return (size_t)(*p - start);
}

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
static bool is_number(const char *text)
{
    const char *p = text + (*text == '-' || *text == '+');
    size_t digits = skip_digits(&p);
    if (*p == '.') {
        p++;
        size_t fraction = skip_digits(&p);
        if (digits == 0 && fraction == 0)
            return false;
    } else if (digits == 0) {
        return false;
    }
    if (*p == 'e' || *p == 'E') {
        p++;
        p += *p == '-' || *p == '+';
        if (skip_digits(&p) == 0)
            return false;
    }
    return *p == '\0';
}

// 0x… and 0o…; NULL when `text` is none.
static json_t *based_number(const char *text)
{
    int base = g_str_has_prefix(text, "0x") ? 16 : g_str_has_prefix(text, "0o") ? 8 : 0;
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
static json_t *resolve_plain(const char *bytes, size_t size)
{
    static const char *const nulls[] = { "", "~", "null", "Null", "NULL", NULL };
    static const char *const trues[] = { "true", "True", "TRUE", NULL };
    static const char *const falses[] = { "false", "False", "FALSE", NULL };
    // most texts begin as none of these does
    if (size > 0 && !strchr("~nNtTfF+-.0123456789", *bytes))
        return json_text_n(bytes, size);
    g_autofree char *text = utf8_from_bytes(bytes, size);
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
    if (value == NULL && is_number(text))
        value = json_real(g_ascii_strtod(text, NULL)); // NULL for what is infinite
    return value != NULL ? value : json_text(text);
}

// Takes the reference `value` as the value of the key `<<`.
static bool add_merge(Frame *frame, json_t *value_, int line, GError **error)
{
    g_autoptr(json_t) value = value_;
    if (frame->merges == NULL)
        frame->merges = g_ptr_array_new_with_free_func(decref_value);
    if (json_is_object(value)) {
        g_ptr_array_add(frame->merges, g_steal_pointer(&value));
        return true;
    }
    bool is_mergeable = json_is_array(value);
    size_t index;
    json_t *item;
    json_array_foreach (value, index, item) {
        is_mergeable = is_mergeable && json_is_object(item);
        if (is_mergeable)
            g_ptr_array_add(frame->merges, json_incref(item));
    }
    if (is_mergeable)
        return true;
    return fail_with(error, KEDGE_ERROR_PROTOCOL,
                     "yaml: line %d: a merge key needs a mapping or a list of mappings", line);
}

// A complete value, in its place. Takes the reference.
static bool add_value(Reader *self, json_t *value, int line, GError **error)
{
    Frame *frame = top_frame(self);
    if (frame == NULL) {
        self->root = value;
        return true;
    }
    if (json_is_array(frame->value)) {
        json_append_take(frame->value, value);
        return true;
    }
    g_autofree char *key = g_steal_pointer(&frame->key);
    if (frame->is_merge)
        return add_merge(frame, value, line, error);
    json_object_set_new_nocheck(frame->value, key, value); // set_key() got it valid
    return true;
}

static bool wants_key(Reader *self)
{
    const Frame *frame = top_frame(self);
    return frame != NULL && json_is_object(frame->value) && frame->key == NULL;
}

// Where `key` was in `frame`; 0: nowhere. The object has its keys in the order of their lines.
static int line_of_key(const Reader *self, const Frame *frame, const char *key)
{
    if (frame->merge_line != 0 && strcmp(key, MERGE_KEY) == 0)
        return frame->merge_line;
    if (json_object_get(frame->value, key) == NULL)
        return 0;
    guint index = frame->first_line;
    const char *other;
    json_t *value;
    json_object_foreach (frame->value, other, value) {
        if (strcmp(other, key) == 0)
            break;
        index++;
    }
    return g_array_index(self->key_lines, int, index);
}

// Takes `key`.
static bool set_key(Reader *self, char *key, bool is_merge, int line, GError **error)
{
    Frame *frame = top_frame(self);
    frame->key = key;
    frame->is_merge = is_merge;
    int first_line = line_of_key(self, frame, key);
    if (first_line != 0) {
        g_autofree char *shown = utf8_ellipsize(key, 100);
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "yaml: line %d: mapping key \"%s\" already defined at line %d", line,
                         shown, first_line);
    }
    if (is_merge)
        frame->merge_line = line;
    else
        g_array_append_val(self->key_lines, line);
    return true;
}

// An anchor may be set again; aliases mean the last one before them. `name` may be NULL.
static void set_anchor(Reader *self, const char *name, json_t *value)
{
    if (name == NULL)
        return;
    if (self->anchors == NULL)
        self->anchors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, decref_value);
    g_hash_table_replace(self->anchors, g_strdup(name), json_incref(value));
}

// Quoted scalars are text; a tag (NULL: none) can say otherwise, tags that are not of the core
// schema say nothing.
static bool is_text_scalar(const char *tag, bool is_plain)
{
    static const char *const resolved[] = { CORE_TAG "int", CORE_TAG "float", CORE_TAG "bool",
                                            CORE_TAG "null", NULL };
    if (tag == NULL)
        return !is_plain;
    if (strcmp(tag, "!") == 0 || strcmp(tag, CORE_TAG "str") == 0)
        return true;
    return !is_plain && !g_strv_contains(resolved, tag);
}

static bool on_scalar(Reader *self, const yaml_event_t *event, GError **error)
{
    if (!count_nodes(self, 1, error))
        return false;

    // valid, but where quotes hold escapes: those can stand for a NUL
    const char *bytes = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    const char *tag = (const char *)event->data.scalar.tag;
    const char *anchor = (const char *)event->data.scalar.anchor;
    bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool is_text = is_text_scalar(tag, is_plain);
    g_autoptr(json_t) value = NULL;
    bool is_key = wants_key(self);
    if (!is_key || anchor != NULL)
        value = is_text ? json_text_n(bytes, size) : resolve_plain(bytes, size);
    set_anchor(self, anchor, value);

    int line = line_of(event);
    if (!is_key)
        return add_value(self, g_steal_pointer(&value), line, error);
    char *key = is_plain ? g_strndup(bytes, size) : utf8_from_bytes(bytes, size);
    bool is_merge = is_plain && tag == NULL && strcmp(key, MERGE_KEY) == 0;
    return set_key(self, key, is_merge, line, error);
}

static bool on_alias(Reader *self, const yaml_event_t *event, GError **error)
{
    int line = line_of(event);
    const char *name = (const char *)event->data.alias.anchor;
    const json_t *value = self->anchors == NULL ? NULL : g_hash_table_lookup(self->anchors, name);
    if (value == NULL)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: unknown anchor \"%s\"", line,
                         name);
    if (wants_key(self)) {
        if (json_is_object(value) || json_is_array(value))
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             "yaml: line %d: a mapping key must be a scalar", line);
        if (!count_nodes(self, 1, error))
            return false;
        char *key =
            json_is_string(value) ? g_strdup(json_string_value(value)) : json_to_text(value);
        return set_key(self, key, false, line, error);
    }

    size_t depth = 0;
    size_t count = measure(value, self->frames->len, &depth);
    if (depth > LIMIT_YAML_DEPTH)
        return fail_too_complex(error);
    if (!count_nodes(self, count, error))
        return false;
    return add_value(self, json_deep_copy(value), line, error);
}

// A mapping, or a sequence, with its anchor (NULL: none).
static bool on_start(Reader *self, const yaml_event_t *event, bool is_map,
                     const yaml_char_t *anchor, GError **error)
{
    if (self->frames->len >= LIMIT_YAML_DEPTH)
        return fail_too_complex(error);
    if (!count_nodes(self, 1, error))
        return false;
    if (wants_key(self))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "yaml: line %d: a mapping key must be a scalar", line_of(event));

    Frame frame = { .value = is_map ? json_object() : json_array(),
                    .anchor = g_strdup((const char *)anchor),
                    .first_line = self->key_lines->len };
    g_array_append_val(self->frames, frame);
    return true;
}

static bool on_end(Reader *self, const yaml_event_t *event, GError **error)
{
    Frame *frame = top_frame(self);
    // Without copying: what is merged was copied, and counted, when it was read.
    for (size_t i = 0; frame->merges != NULL && i < frame->merges->len; i++)
        json_object_update_missing(frame->value, frame->merges->pdata[i]);

    json_t *value = json_incref(frame->value);
    set_anchor(self, frame->anchor, value);
    if (json_is_object(value))
        g_array_set_size(self->key_lines, frame->first_line);
    g_array_set_size(self->frames, self->frames->len - 1);
    return add_value(self, value, line_of(event), error);
}

static bool on_event(const yaml_event_t *event, void *user_data, GError **error)
{
    Reader *self = user_data;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (self->root != NULL)
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: a second document",
                             line_of(event));
        return true;
    case YAML_SCALAR_EVENT:
        return on_scalar(self, event, error);
    case YAML_ALIAS_EVENT:
        return on_alias(self, event, error);
    case YAML_MAPPING_START_EVENT:
        return on_start(self, event, true, event->data.mapping_start.anchor, error);
    case YAML_SEQUENCE_START_EVENT:
        return on_start(self, event, false, event->data.sequence_start.anchor, error);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return on_end(self, event, error);
    default:
        return true;
    }
}

static bool parse_valid(const char *text, json_t **ret_value, GError **error)
{
    g_auto(Reader) reader = {
        .frames = g_array_sized_new(FALSE, TRUE, sizeof(Frame), USUAL_DEPTH),
        .key_lines = g_array_sized_new(FALSE, FALSE, sizeof(int), USUAL_KEYS),
    };
    g_array_set_clear_func(reader.frames, frame_clear);
    if (!yaml_events_read(text, strlen(text), on_event, &reader, error))
        return false;
    *ret_value = reader.root != NULL ? g_steal_pointer(&reader.root) : json_null();
    return true;
}

bool yaml_parse(const char *text, size_t size, const char *name, json_t **ret_value, GError **error)
{
    bool is_good;
    if (size > LIMIT_CONFIG_FILE_BYTES) {
        is_good = fail_too_complex(error);
    } else {
        g_autofree char *valid = utf8_from_bytes(text, size);
        is_good = parse_valid(valid, ret_value, error);
    }
    if (!is_good && name != NULL)
        g_prefix_error(error, "%s: ", name);
    return is_good;
}

bool yaml_read_file(const char *path, json_t **ret_value, GError **error)
{
    g_autofree char *data = NULL;
    size_t size;
    if (!file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, &size, error))
        return false;
    return yaml_parse(data, size, path, ret_value, error);
}
