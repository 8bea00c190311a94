/*
 * Finding and cutting out what the automaton of forms knows (mask.h).
 *
 * The text is scanned once. What was found are ranges, united where they overlap. Of a text that
 * comes in pieces everything before the earliest byte that may still become part of a range goes
 * out.
 */
#include "base/mask.h"

#include "base/mask_forms.h"
#include "base/secrets.h"

#define BASE64_BEFORE 3 // characters beside a base64 form that hold bits of the value, or of its
#define BASE64_AFTER  4 // neighbours in a group, with the padding
#define BREAK_AFTER                                                                                \
    8 // a line may end within a form after so many characters, not before: what was
      // printed last need not wait only because it ends in a letter or two

typedef struct Range {
    size_t start, end;
} Range;

struct MaskFilter {
    MaskForms *forms; // NULL: nothing is known
    GString *pending; // scanned up to `scanned`
    size_t scanned;
    uint32_t node;
    unsigned after; // characters that the last range may still take
    GArray *ranges; // of Range, in order, apart from one another
};

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_base64(char c)
{
    return g_ascii_isalnum(c) || strchr("+/-_=", c) != NULL;
}

/* The node behind the line end at `at`: one LF or CR LF is passed over, an empty line is not. */
static uint32_t after_line_end(const MaskForms *forms, uint32_t node, const char *text, size_t at)
{
    bool is_second = at > 0 && is_line_end(text[at - 1]);
    bool is_crlf = is_second && text[at - 1] == '\r' && text[at] == '\n';
    bool is_far = g_array_index(forms->nodes, MaskNode, node).depth >= BREAK_AFTER;
    return is_far && (!is_second || is_crlf) ? node : 0;
}

MaskFilter *mask_filter_new(void)
{
    MaskFilter *self = g_new0(MaskFilter, 1);
    self->forms = mask_forms_get();
    self->pending = g_string_new(NULL);
    self->ranges = g_array_new(FALSE, FALSE, sizeof(Range));
    return self;
}

void mask_filter_free(MaskFilter *self)
{
    if (!self)
        return;
    mask_forms_unref(self->forms);
    explicit_bzero(self->pending->str, self->pending->len);
    g_string_free(self->pending, TRUE);
    g_array_free(self->ranges, TRUE);
    g_free(self);
}

/* Where `length` characters that end at `end` began; line ends within do not count. */
static size_t walk_back(const char *text, size_t end, size_t length)
{
    size_t at = end;
    while (length > 0 && at > 0) {
        at--;
        if (!is_line_end(text[at]))
            length--;
    }
    return at;
}

/* Is the character at `at` the second half of a backslash escape? */
static bool is_escaped(const char *text, size_t at)
{
    size_t backslashes = 0;
    while (at > backslashes && text[at - backslashes - 1] == '\\')
        backslashes++;
    return backslashes % 2 == 1;
}

static void add_range(MaskFilter *self, size_t end, const MaskNode *node)
{
    const char *text = self->pending->str;
    size_t start = walk_back(text, end, node->match);
    for (int i = 0; node->is_base64 && i < BASE64_BEFORE && start > 0; i++) {
        if (!is_base64(text[start - 1]) || is_escaped(text, start - 1))
            break;
        start--;
    }
    if (text[start] != '\\' && is_escaped(text, start))
        start++; // in JSON that letter belongs to what is before it

    while (self->ranges->len > 0) {
        const Range *last = &g_array_index(self->ranges, Range, self->ranges->len - 1);
        if (last->end < start)
            break;
        start = MIN(start, last->start);
        g_array_set_size(self->ranges, self->ranges->len - 1);
    }
    const Range range = { start, end };
    g_array_append_val(self->ranges, range);
    self->after = node->is_base64 ? BASE64_AFTER : 0;
}

/* The bits at the end of a base64 form go with it. */
static void extend_last(MaskFilter *self, size_t at)
{
    self->after = is_base64(self->pending->str[at]) ? self->after - 1 : 0;
    Range *last = &g_array_index(self->ranges, Range, self->ranges->len - 1);
    if (is_base64(self->pending->str[at]))
        last->end = MAX(last->end, at + 1);
}

static void mask_filter_scan(MaskFilter *self)
{
    const char *text = self->pending->str;
    size_t size = self->pending->len;
    for (size_t i = self->scanned; i < size; i++) {
        if (self->after > 0) {
            extend_last(self, i);
        } else if (self->node == 0) { // most of most texts
            while (i < size && self->forms->first[(uint8_t)text[i]] == 0)
                i++;
            if (i == size)
                break;
        }
        if (is_line_end(text[i])) {
            self->node = after_line_end(self->forms, self->node, text, i);
            continue;
        }
        self->node = mask_forms_next(self->forms, self->node, (uint8_t)text[i]);
        const MaskNode *node = &g_array_index(self->forms->nodes, MaskNode, self->node);
        if (node->match > 0)
            add_range(self, i + 1, node);
    }
    self->scanned = size;
}

/* The first byte that must wait. */
static size_t held_from(const MaskFilter *self)
{
    size_t size = self->pending->len;
    size_t from = size;
    if (self->node != 0) {
        const MaskNode *node = &g_array_index(self->forms->nodes, MaskNode, self->node);
        size_t start = walk_back(self->pending->str, size, node->depth);
        from = start - MIN(start, BASE64_BEFORE + 1);
        while (from > 0 && (self->pending->str[from] & 0xc0) == 0x80)
            from--;
    }
    for (unsigned i = self->ranges->len; i > 0; i--) {
        const Range *range = &g_array_index(self->ranges, Range, i - 1);
        if (range->end > from || (self->after > 0 && range->end == size))
            from = MIN(from, range->start);
    }
    return from;
}

/* Everything before `end`, which is in no range. */
static void mask_filter_emit(MaskFilter *self, size_t end, GString *out)
{
    size_t at = 0;
    unsigned done = 0;
    for (; done < self->ranges->len; done++) {
        const Range *range = &g_array_index(self->ranges, Range, done);
        if (range->end > end)
            break;
        g_string_append_len(out, self->pending->str + at, (gssize)(range->start - at));
        g_string_append(out, MASK_TEXT);
        at = range->end;
    }
    g_string_append_len(out, self->pending->str + at, (gssize)(end - at));
    if (done > 0)
        g_array_remove_range(self->ranges, 0, done);
    for (unsigned i = 0; i < self->ranges->len; i++) {
        Range *range = &g_array_index(self->ranges, Range, i);
        range->start -= end;
        range->end -= end;
    }
    g_string_erase(self->pending, 0, (gssize)end);
    self->scanned -= end;
    if (self->ranges->len == 0)
        self->after = 0;
}

void mask_filter_push(MaskFilter *self, const char *text, size_t size, GString *out)
{
    if (!self->forms) {
        g_string_append_len(out, text, (gssize)size);
        return;
    }
    g_string_append_len(self->pending, text, (gssize)size);
    mask_filter_scan(self);
    mask_filter_emit(self, held_from(self), out);
}

void mask_filter_finish(MaskFilter *self, GString *out)
{
    mask_filter_emit(self, self->pending->len, out);
    self->node = 0;
}

char *mask_text(const char *text)
{
    g_autoptr(MaskFilter) filter = mask_filter_new();
    GString *out = g_string_new(NULL);
    mask_filter_push(filter, text, strlen(text), out);
    mask_filter_finish(filter, out);
    return g_string_free(out, FALSE);
}

/* Without copying the text: most hold nothing. */
bool mask_finds(const char *text, size_t size)
{
    g_autoptr(MaskForms) forms = mask_forms_get();
    uint32_t node = 0;
    for (size_t i = 0; forms && i < size; i++) {
        if (node == 0 && forms->first[(uint8_t)text[i]] == 0)
            continue;
        if (is_line_end(text[i])) {
            node = after_line_end(forms, node, text, i);
            continue;
        }
        node = mask_forms_next(forms, node, (uint8_t)text[i]);
        if (g_array_index(forms->nodes, MaskNode, node).match > 0)
            return true;
    }
    return false;
}

bool mask_finds_in_json(const json_t *value)
{
    if (json_is_string(value))
        return mask_finds(json_string_value(value), json_string_length(value));
    if (json_is_array(value)) {
        for (size_t i = 0; i < json_array_size(value); i++)
            if (mask_finds_in_json(json_array_get(value, i)))
                return true;
    }
    json_each_member (value, key, inner)
        if (mask_finds_in_json(inner))
            return true;
    return false;
}

static json_t *copy_masked(const json_t *value)
{
    if (json_is_string(value)) {
        g_autofree char *masked = mask_text(json_string_value(value));
        return json_text(masked);
    }
    if (json_is_array(value)) {
        json_t *copy = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_append_take(copy, copy_masked(json_array_get(value, i)));
        return copy;
    }
    if (!json_is_object(value))
        return json_deep_copy(value);
    json_t *copy = json_object();
    json_each_member (value, key, inner)
        json_set_take(copy, key, copy_masked(inner));
    return copy;
}

json_t *mask_json(json_t *value)
{
    if (secrets_count_known() == 0 || !mask_finds_in_json(value))
        return json_incref(value);
    return copy_masked(value);
}
