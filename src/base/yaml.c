/*
 * YAML into JSON, through libfyaml's event parser, by the rules of task-engine §2.1.
 *
 * Events, not libfyaml's document tree: so the budget of nodes and the depth are checked while
 * reading, before an alias bomb has cost memory, and every message has a line. Aliases become
 * copies: the values of the result are independent of each other.
 */
#include "base/yaml.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <libfyaml.h>
#include <math.h>
#include <string.h>

#define CORE_TAG  "tag:yaml.org,2002:"
#define MERGE_KEY "<<"

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
    struct fy_parser *parser;
    GArray *frames;      // Frame
    GArray *key_lines;   // int: of the keys, but merge keys, of the mappings in `frames`
    GHashTable *anchors; // name → json_t *
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

static int line_of(struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    return mark == NULL ? 1 : mark->line + 1;
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

// Not always valid UTF-8: escapes can stand for anything. Belongs to the token.
static const char *token_bytes(struct fy_token *token, size_t *ret_size)
{
    *ret_size = 0;
    const char *bytes = token == NULL ? NULL : fy_token_get_text(token, ret_size);
    return bytes == NULL ? "" : bytes;
}

static char *token_text(struct fy_token *token)
{
    size_t size;
    const char *bytes = token_bytes(token, &size);
    return utf8_from_bytes(bytes, size);
}

static char *anchor_name(struct fy_event *event)
{
    struct fy_token *token = fy_event_get_anchor_token(event);
    return token == NULL ? NULL : token_text(token);
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

// An anchor may be set again; aliases mean the last one before them. Takes `name` and the
// reference.
static void set_anchor(Reader *self, char *name, json_t *value)
{
    if (name != NULL)
        g_hash_table_replace(self->anchors, name, value);
    else
        json_decref(value);
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

static bool on_scalar(Reader *self, struct fy_event *event, GError **error)
{
    if (!count_nodes(self, 1, error))
        return false;

    struct fy_token *token = event->scalar.value;
    size_t size;
    const char *bytes = token_bytes(token, &size);
    g_autofree char *tag = event->scalar.tag == NULL ? NULL : token_text(event->scalar.tag);
    bool is_plain = token == NULL || fy_token_scalar_style(token) == FYSS_PLAIN;
    bool is_text = is_text_scalar(tag, is_plain);
    char *anchor = anchor_name(event);
    g_autoptr(json_t) value = NULL;
    bool is_key = wants_key(self);
    if (!is_key || anchor != NULL)
        value = is_text ? json_text_n(bytes, size) : resolve_plain(bytes, size);
    set_anchor(self, anchor, json_incref(value));

    int line = line_of(event);
    if (!is_key)
        return add_value(self, g_steal_pointer(&value), line, error);
    char *key = utf8_from_bytes(bytes, size);
    bool is_merge = is_plain && tag == NULL && strcmp(key, MERGE_KEY) == 0;
    return set_key(self, key, is_merge, line, error);
}

static bool on_alias(Reader *self, struct fy_event *event, GError **error)
{
    int line = line_of(event);
    g_autofree char *name = token_text(event->alias.anchor);
    const json_t *value = g_hash_table_lookup(self->anchors, name);
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

static bool on_start(Reader *self, struct fy_event *event, GError **error)
{
    if (self->frames->len >= LIMIT_YAML_DEPTH)
        return fail_too_complex(error);
    if (!count_nodes(self, 1, error))
        return false;
    if (wants_key(self))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "yaml: line %d: a mapping key must be a scalar", line_of(event));

    Frame frame = { .anchor = anchor_name(event) };
    if (event->type == FYET_MAPPING_START) {
        frame.value = json_object();
        frame.first_line = self->key_lines->len;
    } else {
        frame.value = json_array();
    }
    g_array_append_val(self->frames, frame);
    return true;
}

static bool on_end(Reader *self, struct fy_event *event, GError **error)
{
    Frame *frame = top_frame(self);
    // Without copying: what is merged was copied, and counted, when it was read.
    for (size_t i = 0; frame->merges != NULL && i < frame->merges->len; i++)
        json_object_update_missing(frame->value, frame->merges->pdata[i]);

    json_t *value = json_incref(frame->value);
    if (frame->anchor != NULL)
        set_anchor(self, g_steal_pointer(&frame->anchor), json_incref(value));
    if (json_is_object(value))
        g_array_set_size(self->key_lines, frame->first_line);
    g_array_set_size(self->frames, self->frames->len - 1);
    return add_value(self, value, line_of(event), error);
}

static bool on_event(Reader *self, struct fy_event *event, GError **error)
{
    switch (event->type) {
    case FYET_DOCUMENT_START:
        if (self->root != NULL)
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: a second document",
                             line_of(event));
        return true;
    case FYET_SCALAR:
        return on_scalar(self, event, error);
    case FYET_ALIAS:
        return on_alias(self, event, error);
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START:
        return on_start(self, event, error);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        return on_end(self, event, error);
    default:
        return true;
    }
}

static bool fail_with_diag(struct fy_diag *diag, GError **error)
{
    void *iterator = NULL;
    const struct fy_diag_error *first = fy_diag_errors_iterate(diag, &iterator);
    if (first == NULL)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: cannot be read");
    g_autofree char *reason = utf8_from_bytes(first->msg, strlen(first->msg));
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: line %d: %s", MAX(first->line, 1),
                     g_strchomp(reason));
}

static bool read_events(Reader *self, struct fy_diag *diag, GError **error)
{
    for (;;) {
        struct fy_event *event = fy_parser_parse(self->parser);
        if (event == NULL)
            return !fy_parser_get_stream_error(self->parser) || fail_with_diag(diag, error);
        bool is_good = on_event(self, event, error);
        fy_parser_event_free(self->parser, event);
        if (!is_good)
            return false;
    }
}

// `text` is valid UTF-8 and outlives the parser.
static bool parse_valid(const char *text, size_t size, json_t **ret_value, GError **error)
{
    // A diag of our own that collects: libfyaml's default prints on stderr.
    const struct fy_diag_cfg diag_cfg = { .level = FYET_ERROR, .module_mask = ~0U };
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = diag };
    struct fy_parser *parser = fy_parser_create(&cfg);
    g_assert(parser != NULL);

    g_auto(Reader) reader = {
        .parser = parser,
        .frames = g_array_new(FALSE, TRUE, sizeof(Frame)),
        .key_lines = g_array_new(FALSE, FALSE, sizeof(int)),
        .anchors = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, decref_value),
    };
    g_array_set_clear_func(reader.frames, frame_clear);
    bool is_good = fy_parser_set_string(parser, text, size) == 0 ? read_events(&reader, diag, error)
                                                                 : fail_with_diag(diag, error);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (!is_good)
        return false;
    *ret_value = reader.root != NULL ? g_steal_pointer(&reader.root) : json_null();
    return true;
}

/* A tab behind an explicit key (`? key`) makes libfyaml 0.7.12, the Debian 12 one, use memory that
   it has freed (github.com/pantoniou/libfyaml/issues/57): such a text does not reach it. */
static bool has_tab_and_explicit_key(const char *text)
{
    if (strchr(text, '\t') == NULL)
        return false;
    for (const char *p = strchr(text, '?'); p != NULL; p = strchr(p + 1, '?')) {
        bool is_start = p == text || strchr(" \t\r\n[{,:-?", p[-1]) != NULL;
        if (is_start && (p[1] == '\0' || g_ascii_isspace(p[1])))
            return true;
    }
    return false;
}

bool yaml_parse(const char *text, size_t size, const char *name, json_t **ret_value, GError **error)
{
    bool is_good;
    if (size > LIMIT_CONFIG_FILE_BYTES) {
        is_good = fail_too_complex(error);
    } else {
        g_autofree char *valid = utf8_from_bytes(text, size);
        is_good = has_tab_and_explicit_key(valid)
                      ? fail_with(error, KEDGE_ERROR_PROTOCOL,
                                  "yaml: tabs and explicit keys (? key) do not go together")
                      : parse_valid(valid, strlen(valid), ret_value, error);
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
