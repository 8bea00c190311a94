/*
 * Reads the nodes of a YAML text and their places from the events of libyaml's parser.
 */
#include "base/yaml_tree.h"

#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <string.h>
#include <yaml.h>

#define MAX_TAG_DIRECTIVES 100

// Room that is made at once: nearly no text needs more.
#define USUAL_NODES      64
#define USUAL_TEXT_BYTES 1024

typedef struct Level { // a map or list that is open
    guint node;
    bool has_key; // a map's key was read, and its value is next
} Level;

typedef struct Reader {
    const char *text;
    size_t size;
    YamlTree *tree;
    Level levels[LIMIT_YAML_DEPTH];
    guint depth;
    size_t last_end; // after the last byte of content so far
    size_t index;    // marks count characters: that of the last mark,
    size_t offset;   // and its byte
} Reader;

void yaml_tree_clear(YamlTree *self)
{
    g_clear_pointer(&self->nodes, g_array_unref);
    g_clear_pointer(&self->texts, g_string_chunk_free);
}

bool yaml_fail_at(int line, GError **error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_propagate_error(error, g_error_new_valist(g_quark_from_static_string("yaml-fault"), line,
                                                format, arguments));
    va_end(arguments);
    return false;
}

bool yaml_fail_too_complex(GError **error)
{
    return yaml_fail_at(0, error, "document too complex");
}

// ---- places ----

/* The byte at a mark. Marks come nearly in order: from one to the next it is a short way. */
static size_t byte_at(Reader *self, const yaml_mark_t *mark)
{
    const char *at = self->text + self->offset, *end = self->text + self->size;
    for (; self->index < mark->index && at < end; self->index++)
        at = g_utf8_next_char(at);
    for (; self->index > mark->index; self->index--)
        at = g_utf8_prev_char(at);
    self->offset = (size_t)(at - self->text);
    return self->offset;
}

static size_t skip_blanks_and_comments(const Reader *self, size_t start)
{
    bool is_comment = false;
    for (; start < self->size; start++) {
        char c = self->text[start];
        is_comment = c == '#' || (is_comment && c != '\n');
        if (!is_comment && !g_ascii_isspace(c))
            break;
    }
    return start;
}

/* Where a node with an anchor or a tag begins: both are before it, and count as its event. */
static size_t skip_properties(const Reader *self, size_t start)
{
    while (start < self->size && (self->text[start] == '&' || self->text[start] == '!')) {
        while (start < self->size && !g_ascii_isspace(self->text[start]))
            start++;
        start = skip_blanks_and_comments(self, start);
    }
    return start;
}

/* The text of a scalar with its quotes; a block scalar begins on the line after its sign. */
static void find_span(Reader *self, const yaml_event_t *event, YamlNode *node)
{
    size_t start = byte_at(self, &event->start_mark), end = byte_at(self, &event->end_mark);
    yaml_scalar_style_t style = event->data.scalar.style;
    node->start = node->end = self->last_end;
    if (node->anchor || node->tag)
        start = skip_properties(self, start);
    if (end <= start) // it is written with no byte
        return;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        const char *sign_end = memchr(self->text + start, '\n', end - start);
        start = sign_end ? (size_t)(sign_end - self->text) + 1 : end;
        while (end > start && g_ascii_isspace(self->text[end - 1]))
            end--;
    }
    node->start = start;
    node->end = end;
}

/* After the colon of a key that ends at `end`; 0 when none follows on the line. */
static size_t find_colon(const Reader *self, size_t end)
{
    while (end < self->size && (self->text[end] == ' ' || self->text[end] == '\t'))
        end++;
    return end < self->size && self->text[end] == ':' ? end + 1 : 0;
}

// ---- nodes ----

static YamlNode *node_at(const Reader *self, guint index)
{
    return &g_array_index(self->tree->nodes, YamlNode, index);
}

static int line_of(const yaml_event_t *event)
{
    return (int)event->start_mark.line + 1;
}

/* Whether a key comes next. */
static bool wants_key(const Reader *self)
{
    const Level *level = self->depth > 0 ? &self->levels[self->depth - 1] : NULL;
    return level && !level->has_key && node_at(self, level->node)->kind == YAML_MAP;
}

static const char *keep_text(const Reader *self, const yaml_char_t *text)
{
    return text ? g_string_chunk_insert(self->tree->texts, (const char *)text) : NULL;
}

static bool add_node(Reader *self, const yaml_event_t *event, YamlNode *node, GError **error)
{
    if (self->tree->nodes->len >= LIMIT_YAML_NODES)
        return yaml_fail_too_complex(error);
    bool is_key = wants_key(self);
    if (self->depth > 0)
        self->levels[self->depth - 1].has_key = is_key;
    if (is_key && node->kind != YAML_ALIAS) {
        node->kind = YAML_SCALAR; // also when it is empty
        node->colon = find_colon(self, node->end);
    }
    self->last_end = MAX(self->last_end, MAX(node->end, node->colon));
    node->line = line_of(event);
    node->size = 1;
    g_array_append_vals(self->tree->nodes, node, 1);
    return true;
}

static bool add_scalar(Reader *self, const yaml_event_t *event, GError **error)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t size = event->data.scalar.length;
    // in quotes an escape can mean a NUL
    g_autofree char *valid = strlen(text) < size ? utf8_from_bytes(text, size) : NULL;
    YamlNode node = {
        .is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
        .text = g_string_chunk_insert(self->tree->texts, valid ? valid : text),
        .anchor = keep_text(self, event->data.scalar.anchor),
        .tag = keep_text(self, event->data.scalar.tag),
    };
    find_span(self, event, &node);
    node.kind = node.end > node.start ? YAML_SCALAR : YAML_ABSENT;
    return add_node(self, event, &node, error);
}

static bool add_alias(Reader *self, const yaml_event_t *event, GError **error)
{
    size_t end = byte_at(self, &event->end_mark);
    YamlNode node = { .kind = YAML_ALIAS, .start = end, .end = end, .text = "" };
    node.anchor = keep_text(self, event->data.alias.anchor);
    return add_node(self, event, &node, error);
}

/* A map or list, with its anchor (NULL: none). */
static bool open_level(Reader *self, const yaml_event_t *event, YamlKind kind, bool is_flow,
                       const yaml_char_t *anchor, GError **error)
{
    if (self->depth >= LIMIT_YAML_DEPTH)
        return yaml_fail_too_complex(error);
    if (wants_key(self))
        return yaml_fail_at(line_of(event), error, "a mapping key must be a scalar");
    size_t start = skip_properties(self, byte_at(self, &event->start_mark));
    YamlNode node = { .kind = kind, .is_flow = is_flow, .start = start };
    node.anchor = keep_text(self, anchor);
    node.end = is_flow ? start + 1 : 0;
    guint index = self->tree->nodes->len;
    if (!add_node(self, event, &node, error))
        return false;
    self->levels[self->depth++] = (Level) { index, false };
    return true;
}

static void close_level(Reader *self, const yaml_event_t *event)
{
    guint index = self->levels[--self->depth].node;
    YamlNode *node = node_at(self, index);
    if (node->is_flow) // a bracket; a block ends with its last item
        self->last_end = byte_at(self, &event->end_mark);
    node->end = self->last_end;
    node->size = self->tree->nodes->len - index;
}

static bool take_event(Reader *self, const yaml_event_t *event, GError **error)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return self->tree->nodes->len == 0 ||
               yaml_fail_at(line_of(event), error, "a second document");
    case YAML_SCALAR_EVENT:
        return add_scalar(self, event, error);
    case YAML_ALIAS_EVENT:
        return add_alias(self, event, error);
    case YAML_MAPPING_START_EVENT:
        return open_level(self, event, YAML_MAP,
                          event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE,
                          event->data.mapping_start.anchor, error);
    case YAML_SEQUENCE_START_EVENT:
        return open_level(self, event, YAML_LIST,
                          event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE,
                          event->data.sequence_start.anchor, error);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        close_level(self, event);
        return true;
    default:
        return true;
    }
}

// ---- the parser ----

static bool check_breaks(const char *text, GError **error)
{
    static const struct {
        const char *bytes, *name, *escape;
    } breaks[] = {
        { "\xc2\x85", "U+0085", "\\N" },
        { "\xe2\x80\xa8", "U+2028", "\\L" },
        { "\xe2\x80\xa9", "U+2029", "\\P" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(breaks); i++) {
        const char *found = strstr(text, breaks[i].bytes);
        if (found)
            return yaml_fail_at((int)str_count_lines(text, (size_t)(found - text)), error,
                                "the line separator %s cannot be used here (as %s in double "
                                "quotes it can)",
                                breaks[i].name, breaks[i].escape);
    }
    return true;
}

/* libyaml compares each of these lines with all before it. */
static bool check_directives(const char *text, GError **error)
{
    const char *at = text;
    for (int count = 0; (at = strstr(at, "%TAG")); at++)
        if ((at == text || at[-1] == '\n' || at[-1] == '\r') && ++count > MAX_TAG_DIRECTIVES)
            return yaml_fail_too_complex(error);
    return true;
}

static bool fail_with_problem(const yaml_parser_t *parser, const char *text, size_t size,
                              GError **error)
{
    const char *problem = parser->problem ? parser->problem : "cannot be read";
    if (parser->error == YAML_READER_ERROR)
        return yaml_fail_at((int)str_count_lines(text, MIN(parser->problem_offset, size)), error,
                            "%s (U+%04X)", problem, (unsigned)parser->problem_value);
    int line = (int)parser->problem_mark.line + 1, from = (int)parser->context_mark.line + 1;
    if (!parser->context)
        return yaml_fail_at(line, error, "%s", problem);
    if (from == line)
        return yaml_fail_at(line, error, "%s, %s", problem, parser->context);
    return yaml_fail_at(line, error, "%s, %s from line %d on", problem, parser->context, from);
}

/* libyaml's marks count from after a byte order mark. */
static bool read_events(Reader *self, GError **error)
{
    const char *text = self->text + self->offset;
    size_t size = self->size - self->offset;
    if (!check_breaks(text, error) || !check_directives(text, error))
        return false;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        g_error("yaml: out of memory");
    yaml_parser_set_input_string(&parser, (const yaml_char_t *)text, size);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    bool is_good = true, is_end = false;
    while (is_good && !is_end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            is_good = fail_with_problem(&parser, text, size, error);
            break;
        }
        is_end = event.type == YAML_STREAM_END_EVENT;
        is_good = take_event(self, &event, error);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    return is_good;
}

bool yaml_tree_read(const char *text, YamlTree *ret_tree, GError **error)
{
    g_auto(YamlTree) tree = {
        .nodes = g_array_sized_new(FALSE, FALSE, sizeof(YamlNode), USUAL_NODES),
        .texts = g_string_chunk_new(USUAL_TEXT_BYTES),
    };
    size_t size = strlen(text);
    Reader reader = {
        .text = text, .size = size, .tree = &tree, .offset = utf8_bom_size(text, size)
    };
    if (!read_events(&reader, error))
        return false;
    *ret_tree = tree;
    tree = (YamlTree) { 0 };
    return true;
}

// ---- finding ----

const YamlNode *yaml_tree_root(const YamlTree *self)
{
    return self->nodes && self->nodes->len > 0 ? &g_array_index(self->nodes, YamlNode, 0) : NULL;
}

const YamlNode *yaml_map_key(const YamlNode *map, const char *key)
{
    if (!map || map->kind != YAML_MAP)
        return NULL;
    yaml_map_foreach (map, node)
        if (node->kind == YAML_SCALAR && strcmp(node->text, key) == 0)
            return node;
    return NULL;
}

bool yaml_tree_has_comment(const YamlTree *self, const char *text, size_t start, size_t end)
{
    const YamlNode *node = yaml_tree_root(self), *last = node + self->nodes->len;
    for (size_t i = start; i < end; i++) {
        while (node < last && (node->kind != YAML_SCALAR || node->end <= i))
            node++;
        bool is_scalar = node < last && node->start <= i;
        if (text[i] == '#' && !is_scalar && (i == 0 || g_ascii_isspace(text[i - 1])))
            return true;
    }
    return false;
}
