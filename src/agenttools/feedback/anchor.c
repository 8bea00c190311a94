/*
 * Placing anchors in a text. Most of them still sit where they were, and finding that out costs no
 * more than a look, because the text is measured once: where its lines begin, and where every so
 * many code points are. Only what moved is searched for.
 */
#include "agenttools/feedback/anchor.h"

#include "agenttools/answer.h"
#include "agenttools/feedback/edit_text.h"
#include "base/field.h"
#include "base/str.h"

#define MAX_OFFSET        ((int64_t)1 << 30)
#define MAX_TEXT_CHARS    65536
#define MAX_CONTEXT_CHARS 64
#define CHARS_PER_MARK    1024
#define SEARCH_BYTES      ((int64_t)4 << 30) // looked at for all anchors of a text: a second or two
#define SEARCH_COST       6                  // of comparing a byte of context, as against searching

struct AnchorText {
    char *text;
    size_t size;
    GArray *lines;        // of size_t: where each begins
    GArray *marks;        // of size_t: where code point n * CHARS_PER_MARK begins
    int64_t search_bytes; // left to spend
};

static const char *const anchor_types[] = { "text-selection", "line", "hidden-anchor", NULL };
#define ANCHOR_TYPE_FIELD                                                                          \
    {                                                                                              \
        "type", FIELD_ENUM, 0, .is_required = true, .values = anchor_types                         \
    }

static const FieldDef selection_fields[] = {
    ANCHOR_TYPE_FIELD,
    { "startOffset", FIELD_INTEGER, 0, .is_required = true, .max = MAX_OFFSET },
    { "endOffset", FIELD_INTEGER, 0, .is_required = true, .min = 1, .max = MAX_OFFSET },
    { "selectedText", FIELD_STRING, 0, .is_required = true, .max_chars = MAX_TEXT_CHARS },
    { "contextBefore", FIELD_STRING, 0, .max_chars = MAX_CONTEXT_CHARS },
    { "contextAfter", FIELD_STRING, 0, .max_chars = MAX_CONTEXT_CHARS },
    { 0 },
};

static const FieldDef line_fields[] = {
    ANCHOR_TYPE_FIELD,
    { "lineNumber", FIELD_INTEGER, 0, .is_required = true, .min = 1, .max = MAX_OFFSET },
    { "lineContent", FIELD_STRING, 0, .is_required = true, .max_chars = MAX_TEXT_CHARS },
    { 0 },
};

static const FieldDef hidden_fields[] = {
    ANCHOR_TYPE_FIELD,
    { "anchorId", FIELD_STRING, 0, .is_required = true, .refuses_blank = true,
      .max_chars = MAX_TEXT_CHARS },
    { "anchorText", FIELD_STRING, 0, .max_chars = MAX_TEXT_CHARS },
    { 0 },
};

static bool has_type(const json_t *anchor, const char *type)
{
    return g_strcmp0(json_get_text(anchor, "type"), type) == 0;
}

bool anchor_check(const json_t *anchor, GError **error)
{
    // so that problems name "anchor.startOffset"
    const FieldDef fields[] = {
        { "anchor", FIELD_OBJECT, 0, .is_required = true,
          .item_fields = has_type(anchor, "text-selection") ? selection_fields
                         : has_type(anchor, "line")         ? line_fields
                                                            : hidden_fields },
        { 0 },
    };
    g_autoptr(json_t) wrapped = json_object();
    json_object_set(wrapped, "anchor", (json_t *)anchor);
    g_autoptr(GPtrArray) problems = field_problems_new();
    g_autoptr(GPtrArray) unknown = field_problems_new();
    const json_t *checked = NULL;
    g_autoptr(json_t) arguments = NULL;
    field_check(fields, wrapped, &checked, &arguments, problems, unknown);
    bool is_backwards =
        has_type(anchor, "text-selection") &&
        json_get_int(anchor, "endOffset", 0) <= json_get_int(anchor, "startOffset", 0);
    if (problems->len == 0 && !is_backwards)
        return true;
    const FieldProblem *problem = problems->len > 0 ? problems->pdata[0] : NULL;
    return answer_error_field(
        error, problem ? problem->path : "anchor.endOffset", "Validation failed: %s",
        problem ? problem->text : "anchor.endOffset must be greater than anchor.startOffset");
}

void anchor_place_clear(AnchorPlace *self)
{
    g_clear_pointer(&self->anchor, json_decref);
}

static bool begins_char(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

AnchorText *anchor_text_new(const char *text)
{
    AnchorText *self = g_new0(AnchorText, 1);
    self->text = edit_text_plain(text);
    self->size = strlen(self->text);
    self->lines = g_array_new(FALSE, FALSE, sizeof(size_t));
    self->marks = g_array_new(FALSE, FALSE, sizeof(size_t));
    self->search_bytes = SEARCH_BYTES;
    size_t chars = 0;
    bool begins_line = true;
    for (size_t i = 0; i < self->size; i++) {
        if (begins_char(self->text[i]) && chars++ % CHARS_PER_MARK == 0)
            g_array_append_val(self->marks, i);
        if (begins_line)
            g_array_append_val(self->lines, i);
        begins_line = self->text[i] == '\n';
    }
    return self;
}

void anchor_text_limit_search(AnchorText *self, int64_t bytes)
{
    self->search_bytes = bytes;
}

void anchor_text_free(AnchorText *self)
{
    if (!self)
        return;
    g_free(self->text);
    g_array_unref(self->lines);
    g_array_unref(self->marks);
    g_free(self);
}

/* How many of the ascending `places` are at or before `at`. */
static size_t count_up_to(const GArray *places, size_t at)
{
    size_t low = 0, high = places->len;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g_array_index(places, size_t, middle) <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where code point number `chars` begins; NULL when the text has no such. */
static const char *place_of(const AnchorText *self, int64_t chars)
{
    if (chars < 0 || chars / CHARS_PER_MARK >= self->marks->len)
        return NULL;
    const char *place =
        self->text + g_array_index(self->marks, size_t, (size_t)(chars / CHARS_PER_MARK));
    for (int64_t left = chars % CHARS_PER_MARK; left > 0 && *place; left--)
        place = g_utf8_next_char(place);
    return *place ? place : NULL;
}

static int64_t chars_before(const AnchorText *self, const char *place)
{
    size_t mark = count_up_to(self->marks, (size_t)(place - self->text));
    if (mark == 0)
        return 0;
    const char *from = self->text + g_array_index(self->marks, size_t, mark - 1);
    return (int64_t)(mark - 1) * CHARS_PER_MARK + g_utf8_strlen(from, place - from);
}

static int64_t line_at(const AnchorText *self, const char *place)
{
    return (int64_t)count_up_to(self->lines, (size_t)(place - self->text));
}

/* How many code points at the end of `context` stand right before `place`. */
static size_t match_before(const AnchorText *self, const char *place, const char *context)
{
    size_t chars = 0;
    const char *p = context + strlen(context);
    while (p > context && place > self->text && p[-1] == place[-1]) {
        p--;
        place--;
        chars += begins_char(*p);
    }
    return chars;
}

/* How many code points at the start of `context` stand from `place` on. */
static size_t match_after(const char *place, const char *context)
{
    size_t chars = 0;
    while (*context && *context == *place) {
        chars += begins_char(*context);
        context++;
        place++;
    }
    return begins_char(*context) ? chars : chars - 1; // the last one matched only in part
}

typedef struct Selection { // of an anchor, with CRLF as LF
    char *text, *before, *after;
} Selection;

static void selection_clear(Selection *self)
{
    g_free(self->text);
    g_free(self->before);
    g_free(self->after);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Selection, selection_clear)

static char *plain_member(const json_t *anchor, const char *key)
{
    const char *text = json_get_text(anchor, key);
    return edit_text_plain(text ? text : "");
}

/* The one place of the text, or the one that fits both contexts best; NULL when there is none. */
static const char *search_selection(AnchorText *self, const Selection *selection)
{
    size_t size = strlen(selection->text);
    size_t context =
        (size_t)(g_utf8_strlen(selection->before, -1) + g_utf8_strlen(selection->after, -1));
    const char *best = NULL, *end = self->text + self->size, *from = self->text, *place;
    size_t best_score = 0, count = 0;
    bool is_tied = false;
    while (self->search_bytes > 0 &&
           (place = memmem(from, (size_t)(end - from), selection->text, size))) {
        size_t score = match_before(self, place, selection->before) +
                       match_after(place + size, selection->after);
        if (count == 0 || score > best_score) {
            best = place;
            best_score = score;
            is_tied = false;
        } else if (score == best_score) {
            is_tied = true;
        }
        if (is_tied && best_score == context)
            return NULL; // two that nothing can be better than
        count++;
        self->search_bytes -= place - from + SEARCH_COST * ((int64_t)score + 1);
        from = place + 1;
    }
    if (self->search_bytes <= 0)
        return NULL; // not all of the text was looked at
    self->search_bytes -= end - from;
    return count == 1 || (!is_tied && best_score * 2 > context) ? best : NULL;
}

static void place_orphan(const json_t *anchor, AnchorPlace *ret_place)
{
    *ret_place = (AnchorPlace) { .anchor = json_incref((json_t *)anchor), .is_orphaned = true };
}

static void locate_selection(AnchorText *self, const json_t *anchor, AnchorPlace *ret_place)
{
    g_auto(Selection) selection = {
        .text = plain_member(anchor, "selectedText"),
        .before = plain_member(anchor, "contextBefore"),
        .after = plain_member(anchor, "contextAfter"),
    };
    int64_t start = json_get_int(anchor, "startOffset", -1);
    const char *place = NULL;
    if (*selection.text) {
        place = place_of(self, start);
        if (!place || !str_has_prefix(place, selection.text))
            place = search_selection(self, &selection);
    }
    if (!place) {
        place_orphan(anchor, ret_place);
        return;
    }
    start = chars_before(self, place);
    size_t size = strlen(selection.text);
    *ret_place = (AnchorPlace) {
        .anchor = json_copy((json_t *)anchor),
        .line = line_at(self, place),
        .end_line = line_at(self, place + size - 1),
    };
    json_set_int(ret_place->anchor, "startOffset", start);
    json_set_int(ret_place->anchor, "endOffset", start + g_utf8_strlen(selection.text, -1));
}

typedef struct Span {
    const char *text;
    size_t size;
} Span;

static Span anchor_trimmed(const char *text, size_t size)
{
    for (; size > 0 && g_ascii_isspace(*text); size--)
        text++;
    while (size > 0 && g_ascii_isspace(text[size - 1]))
        size--;
    return (Span) { text, size };
}

/* Line `number`, which must exist, without its newline. */
static Span line_of(const AnchorText *self, int64_t number)
{
    size_t from = g_array_index(self->lines, size_t, (size_t)(number - 1));
    size_t to = (size_t)number < self->lines->len
                    ? g_array_index(self->lines, size_t, (size_t)number)
                    : self->size;
    return (Span) { self->text + from, to - from - (self->text[to - 1] == '\n') };
}

static bool has_line(AnchorText *self, int64_t number, Span want)
{
    if (number < 1 || number > (int64_t)self->lines->len)
        return false;
    Span line = line_of(self, number);
    Span got = anchor_trimmed(line.text, line.size);
    self->search_bytes -= (int64_t)(line.size - got.size) + 1;
    return got.size == want.size && memcmp(got.text, want.text, got.size) == 0;
}

/* The same trimmed line nearest to the old number; of two, the later one, since texts grow. */
static int64_t search_line(AnchorText *self, int64_t number, Span want)
{
    if (has_line(self, number, want))
        return number;
    int64_t count = (int64_t)self->lines->len;
    int64_t near = CLAMP(number, 1, MAX(count, 1));
    for (int64_t distance = 0; distance < count && self->search_bytes > 0; distance++) {
        if (has_line(self, near + distance, want))
            return near + distance;
        if (has_line(self, near - distance, want))
            return near - distance;
    }
    return 0;
}

static void locate_line(AnchorText *self, const json_t *anchor, AnchorPlace *ret_place)
{
    const char *content = json_get_text(anchor, "lineContent");
    int64_t number = json_get_int(anchor, "lineNumber", 0);
    int64_t line =
        content ? search_line(self, number, anchor_trimmed(content, strlen(content))) : 0;
    if (line == 0) {
        place_orphan(anchor, ret_place);
        return;
    }
    *ret_place =
        (AnchorPlace) { .anchor = json_copy((json_t *)anchor), .line = line, .end_line = line };
    json_set_int(ret_place->anchor, "lineNumber", line);
}

/* Where `<a id="…">` stands: shown as an anchor of that line. */
static void locate_hidden(AnchorText *self, const json_t *anchor, AnchorPlace *ret_place)
{
    const char *id = json_get_text(anchor, "anchorId");
    const char *place = NULL;
    for (size_t i = 0; id && *id && !place && i < 2; i++) {
        g_autofree char *tag = g_strdup_printf(i == 0 ? "<a id=\"%s\"" : "<a id='%s'", id);
        if (self->search_bytes > 0)
            place = memmem(self->text, self->size, tag, strlen(tag));
        self->search_bytes -= (int64_t)self->size;
    }
    if (!place) {
        place_orphan(anchor, ret_place);
        return;
    }
    int64_t line = line_at(self, place);
    Span content = line_of(self, line);
    *ret_place = (AnchorPlace) { .anchor = json_object(), .line = line, .end_line = line };
    json_set_text(ret_place->anchor, "type", "line");
    json_set_int(ret_place->anchor, "lineNumber", line);
    json_set_take(ret_place->anchor, "lineContent", json_text_n(content.text, content.size));
}

void anchor_text_locate(AnchorText *self, const json_t *anchor, AnchorPlace *ret_place)
{
    if (!anchor || json_is_null(anchor))
        *ret_place = (AnchorPlace) { .anchor = json_null() };
    else if (has_type(anchor, "text-selection"))
        locate_selection(self, anchor, ret_place);
    else if (has_type(anchor, "line"))
        locate_line(self, anchor, ret_place);
    else if (has_type(anchor, "hidden-anchor"))
        locate_hidden(self, anchor, ret_place);
    else
        place_orphan(anchor, ret_place);
}
