/*
 * Places in a YAML text, from the marks of libfyaml's events (yaml_places.h).
 */
#include "base/yaml_places.h"

#include "base/utf8.h"

#include <libfyaml.h>
#include <string.h>

typedef struct Level {
    YamlPlace *place; // the map or list that is open
    YamlPair *pair;   // maps: the pair whose value comes next, or NULL
} Level;

typedef struct Finder {
    const char *text;
    size_t size;
    YamlPlaces *places;
    GArray *levels;  // Level
    size_t last_end; // behind the last byte of content so far
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

/* The text of a scalar with its quotes; a block scalar begins on the line behind its sign. */
static void scalar_span(Finder *self, struct fy_event *event, size_t *ret_start, size_t *ret_end)
{
    struct fy_token *token = event->scalar.value;
    const struct fy_mark *from = token ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *to = token ? fy_token_end_mark(token) : NULL;
    *ret_start = *ret_end = self->last_end;
    if (!from || !to)
        return;
    enum fy_scalar_style style = fy_token_scalar_style(token);
    size_t quote = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED ? 1 : 0;
    *ret_start = MIN(from->input_pos, self->size) - quote;
    *ret_end = MIN(to->input_pos + quote, self->size);
    if (style == FYSS_LITERAL || style == FYSS_FOLDED)
        *ret_end = trim_end(self, *ret_start, *ret_end);
    g_array_append_vals(self->places->scalars, (size_t[]) { *ret_start, *ret_end }, 2);
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

static void add_key(Finder *self, struct fy_event *event, size_t start, size_t end)
{
    YamlPair *pair = g_new0(YamlPair, 1);
    size_t size = 0;
    struct fy_token *token = event->scalar.value;
    const char *text = token ? fy_token_get_text(token, &size) : NULL;
    pair->key = text ? utf8_from_bytes(text, size) : g_strdup("");
    pair->start = start;
    pair->end = end;
    while (pair->column < start && self->text[start - pair->column - 1] != '\n')
        pair->column++;
    const struct fy_mark *mark = fy_event_start_mark(event);
    pair->line = mark ? mark->line + 1 : 1;
    pair->colon = find_colon(self, end);
    Level *level = top(self);
    g_ptr_array_add(level->place->pairs, pair);
    level->pair = pair;
    self->last_end = pair->colon ? pair->colon : end;
}

static void on_scalar(Finder *self, struct fy_event *event)
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

static void on_alias(Finder *self, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_end_mark(event);
    if (is_key(self)) { // `*name: value`: a key that nobody asks for by its name
        size_t end = mark ? mark->input_pos : self->last_end;
        YamlPair *pair = g_new0(YamlPair, 1);
        pair->key = g_strdup("");
        pair->start = pair->end = end;
        g_ptr_array_add(top(self)->place->pairs, pair);
        top(self)->pair = pair;
        return;
    }
    YamlPlace *place = next_value(self);
    self->last_end = mark ? MIN(mark->input_pos, self->size) : self->last_end;
    if (place)
        *place = (YamlPlace) { .kind = YAML_ALIAS, .start = self->last_end, .end = self->last_end };
}

static void on_start(Finder *self, struct fy_event *event)
{
    const struct fy_mark *mark = fy_event_start_mark(event);
    size_t start = mark ? MIN(mark->input_pos, self->size) : self->last_end;
    bool is_map = event->type == FYET_MAPPING_START;
    YamlPlace *place = next_value(self);
    if (place) {
        *place = (YamlPlace) { .kind = is_map ? YAML_MAP : YAML_LIST, .start = start };
        place->is_flow = start < self->size && self->text[start] == (is_map ? '{' : '[');
        place->pairs = is_map ? g_ptr_array_new_with_free_func(pair_free) : NULL;
        if (place->is_flow)
            self->last_end = start + 1;
    }
    // a map inside of a list has no place: its keys are read over
    g_array_append_val(self->levels, (Level) { .place = place });
}

static void on_end(Finder *self, struct fy_event *event)
{
    const struct fy_mark *from = fy_event_start_mark(event);
    const struct fy_mark *to = fy_event_end_mark(event);
    if (from && to && to->input_pos > from->input_pos) // a bracket; a block ends with its last item
        self->last_end = MIN(to->input_pos, self->size);
    YamlPlace *place = top(self)->place;
    if (place)
        place->end = self->last_end;
    g_array_set_size(self->levels, self->levels->len - 1);
}

static void on_event(Finder *self, struct fy_event *event)
{
    switch (event->type) {
    case FYET_SCALAR:
        on_scalar(self, event);
        break;
    case FYET_ALIAS:
        on_alias(self, event);
        break;
    case FYET_MAPPING_START:
    case FYET_SEQUENCE_START:
        on_start(self, event);
        break;
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END:
        on_end(self, event);
        break;
    default:
        break;
    }
}

bool yaml_places_find(const char *text, size_t size, YamlPlaces *ret_places, GError **error)
{
    // a diag of our own: libfyaml's default prints warnings
    const struct fy_diag_cfg diag_cfg = { .level = FYET_ERROR, .module_mask = ~0U };
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    fy_diag_set_collect_errors(diag, true);
    const struct fy_parse_cfg cfg = { .flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = diag };
    struct fy_parser *parser = fy_parser_create(&cfg);
    g_assert(parser != NULL);
    *ret_places = (YamlPlaces) { .scalars = g_array_new(FALSE, FALSE, sizeof(size_t)) };
    Finder finder = {
        .text = text,
        .size = size,
        .places = ret_places,
        .levels = g_array_new(FALSE, FALSE, sizeof(Level)),
    };
    bool is_good = fy_parser_set_string(parser, text, size) == 0;
    struct fy_event *event = NULL;
    while (is_good && (event = fy_parser_parse(parser)) != NULL) {
        on_event(&finder, event);
        fy_parser_event_free(parser, event);
    }
    is_good = is_good && !fy_parser_get_stream_error(parser);
    g_array_unref(finder.levels);
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    if (is_good)
        return true;
    yaml_places_clear(ret_places);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "yaml: cannot be read");
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
