/*
 * Places in a YAML text, from the marks of its events (yaml_places.h).
 */
#include "base/yaml_places.h"

#include "base/utf8.h"
#include "base/yaml_events.h"

#include <string.h>

typedef struct Level {
    YamlPlace *place; // the map or list that is open
    YamlPair *pair;   // maps: the pair whose value comes next, or NULL
    bool is_flow;
} Level;

typedef struct Finder {
    const char *text;
    size_t size;
    YamlPlaces *places;
    GArray *levels;  // Level
    size_t last_end; // behind the last byte of content so far
    size_t index;    // marks count characters: that of the last mark,
    size_t offset;   // and its byte
} Finder;

static void place_clear(YamlPlace *self)
{
    g_clear_pointer(&self->pairs, g_ptr_array_unref);
}

static void pair_free(void *pair_)
{
    YamlPair *pair = pair_;
    place_clear(&pair->value);
    g_free(pair->key);
    g_free(pair);
}

void yaml_places_clear(YamlPlaces *self)
{
    place_clear(&self->root);
    g_clear_pointer(&self->scalars, g_array_unref);
}

static size_t trim_end(const Finder *self, size_t start, size_t end)
{
    while (end > start && g_ascii_isspace(self->text[end - 1]))
        end--;
    return end;
}

/* The byte at a mark. Marks come nearly in order: from one to the next it is a short way. */
static size_t byte_at(Finder *self, const yaml_mark_t *mark)
{
    const char *at = self->text + self->offset, *end = self->text + self->size;
    for (; self->index < mark->index && at < end; self->index++)
        at = g_utf8_next_char(at);
    for (; self->index > mark->index; self->index--)
        at = g_utf8_prev_char(at);
    self->offset = (size_t)(at - self->text);
    return self->offset;
}

static size_t skip_blanks_and_comments(const Finder *self, size_t start)
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

/* Behind the anchor and the tag that stand at `start`, with which an event begins. */
static size_t skip_properties(const Finder *self, size_t start)
{
    while (start < self->size && (self->text[start] == '&' || self->text[start] == '!')) {
        while (start < self->size && !g_ascii_isspace(self->text[start]))
            start++;
        start = skip_blanks_and_comments(self, start);
    }
    return start;
}

/* The text of a scalar with its quotes; a block scalar begins on the line behind its sign. */
static void scalar_span(Finder *self, const yaml_event_t *event, size_t *ret_start, size_t *ret_end)
{
    size_t start = byte_at(self, &event->start_mark), end = byte_at(self, &event->end_mark);
    yaml_scalar_style_t style = event->data.scalar.style;
    *ret_start = *ret_end = self->last_end;
    if (event->data.scalar.anchor || event->data.scalar.tag)
        start = skip_properties(self, start);
    if (end <= start) // it is written with no byte
        return;
    if (style == YAML_LITERAL_SCALAR_STYLE || style == YAML_FOLDED_SCALAR_STYLE) {
        const char *sign_end = memchr(self->text + start, '\n', end - start);
        start = sign_end ? (size_t)(sign_end - self->text) + 1 : end;
        end = trim_end(self, start, end);
    }
    *ret_start = start;
    *ret_end = end;
    g_array_append_vals(self->places->scalars, (size_t[]) { start, end }, 2);
}

static Level *top(Finder *self)
{
    return self->levels->len == 0 ? NULL
                                  : &g_array_index(self->levels, Level, self->levels->len - 1);
}

/* Where the next value is noted; NULL: it is in a list, or a key. */
static YamlPlace *next_value(Finder *self)
{
    Level *level = top(self);
    if (!level)
        return &self->places->root;
    if (!level->pair || !level->place)
        return NULL;
    YamlPair *pair = level->pair;
    level->pair = NULL;
    return &pair->value;
}

static bool is_key(Finder *self)
{
    const Level *level = top(self);
    return level && level->place && level->place->kind == YAML_MAP && !level->pair;
}

/* Behind the colon of a key that ends at `end`; 0 when none follows on the line. */
static size_t find_colon(const Finder *self, size_t end)
{
    while (end < self->size && (self->text[end] == ' ' || self->text[end] == '\t'))
        end++;
    return end < self->size && self->text[end] == ':' ? end + 1 : 0;
}

static void add_key(Finder *self, const yaml_event_t *event, size_t start, size_t end)
{
    YamlPair *pair = g_new0(YamlPair, 1);
    pair->key = utf8_from_bytes((const char *)event->data.scalar.value, event->data.scalar.length);
    pair->start = start;
    pair->end = end;
    while (pair->column < start && self->text[start - pair->column - 1] != '\n')
        pair->column++;
    pair->line = (int)event->start_mark.line + 1;
    pair->colon = find_colon(self, end);
    Level *level = top(self);
    g_ptr_array_add(level->place->pairs, pair);
    level->pair = pair;
    self->last_end = pair->colon ? pair->colon : end;
}

static void on_scalar(Finder *self, const yaml_event_t *event)
{
    size_t start = 0;
    size_t end = 0;
    scalar_span(self, event, &start, &end);
    if (is_key(self)) {
        add_key(self, event, start, end);
        return;
    }
    YamlPlace *place = next_value(self);
    self->last_end = MAX(end, self->last_end);
    if (place)
        *place = (YamlPlace) { .kind = end > start ? YAML_SCALAR : YAML_ABSENT,
                               .start = start,
                               .end = self->last_end };
}

static void on_alias(Finder *self, const yaml_event_t *event)
{
    size_t end = byte_at(self, &event->end_mark);
    if (is_key(self)) { // `*name: value`: a key that nobody asks for by its name
        YamlPair *pair = g_new0(YamlPair, 1);
        pair->key = g_strdup("");
        pair->start = pair->end = end;
        g_ptr_array_add(top(self)->place->pairs, pair);
        top(self)->pair = pair;
        return;
    }
    YamlPlace *place = next_value(self);
    self->last_end = end;
    if (place)
        *place = (YamlPlace) { .kind = YAML_ALIAS, .start = end, .end = end };
}

static void on_start(Finder *self, const yaml_event_t *event, YamlKind kind, bool is_flow)
{
    size_t start = skip_properties(self, byte_at(self, &event->start_mark));
    YamlPlace *place = next_value(self);
    if (place) {
        *place = (YamlPlace) { .kind = kind, .start = start, .is_flow = is_flow };
        place->pairs = kind == YAML_MAP ? g_ptr_array_new_with_free_func(pair_free) : NULL;
        if (is_flow)
            self->last_end = start + 1;
    }
    // a map inside of a list has no place: its keys are read over
    g_array_append_val(self->levels, ((Level) { .place = place, .is_flow = is_flow }));
}

static void on_end(Finder *self, const yaml_event_t *event)
{
    if (top(self)->is_flow) // a bracket; a block ends with its last item
        self->last_end = byte_at(self, &event->end_mark);
    YamlPlace *place = top(self)->place;
    if (place)
        place->end = self->last_end;
    g_array_set_size(self->levels, self->levels->len - 1);
}

static bool on_event(const yaml_event_t *event, void *finder, GError **error)
{
    (void)error;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        on_scalar(finder, event);
        break;
    case YAML_ALIAS_EVENT:
        on_alias(finder, event);
        break;
    case YAML_MAPPING_START_EVENT:
        on_start(finder, event, YAML_MAP,
                 event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE);
        break;
    case YAML_SEQUENCE_START_EVENT:
        on_start(finder, event, YAML_LIST,
                 event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        on_end(finder, event);
        break;
    default:
        break;
    }
    return true;
}

bool yaml_places_find(const char *text, size_t size, YamlPlaces *ret_places, GError **error)
{
    *ret_places = (YamlPlaces) { .scalars = g_array_new(FALSE, FALSE, sizeof(size_t)) };
    Finder finder = {
        .text = text,
        .size = size,
        .places = ret_places,
        .levels = g_array_new(FALSE, FALSE, sizeof(Level)),
        .offset = utf8_bom_size(text, size),
    };
    bool is_good = yaml_events_read(text, size, on_event, &finder, error);
    g_array_unref(finder.levels);
    if (!is_good)
        yaml_places_clear(ret_places);
    return is_good;
}

YamlPair *yaml_place_pair(const YamlPlace *self, const char *key)
{
    for (unsigned i = 0; self->pairs && i < self->pairs->len; i++) {
        YamlPair *pair = self->pairs->pdata[i];
        if (strcmp(pair->key, key) == 0)
            return pair;
    }
    return NULL;
}

bool yaml_places_have_comment(const YamlPlaces *self, const char *text, size_t start, size_t end)
{
    unsigned next = 0;
    for (size_t i = start; i < end; i++) {
        while (next < self->scalars->len && g_array_index(self->scalars, size_t, next + 1) <= i)
            next += 2;
        bool is_scalar =
            next < self->scalars->len && g_array_index(self->scalars, size_t, next) <= i;
        if (text[i] == '#' && !is_scalar && (i == 0 || g_ascii_isspace(text[i - 1])))
            return true;
    }
    return false;
}
