/* See hidden_unshown.h. A parser says which bytes are text, code and HTML; what is none of these is
   looked through for titles. */
#include "base/hidden_unshown.h"

#include "base/str.h"

#include <glib.h>
#include <md4c.h>
#include <stdint.h>
#include <string.h>

enum { BYTE_MARK, BYTE_TEXT, BYTE_HTML, BYTE_CODE };

#define BLANKS " \t\r\n"

typedef struct Cut { // from <= i < to
    size_t from, to;
} Cut;

typedef struct Page {
    const char *text;
    size_t size;
    unsigned char *kinds; // of each byte
    GArray *cuts;         // of Cut
    size_t scan_left;     // bytes that may be looked at for the ends of elements
    unsigned images;      // that the parser is in
    Cut image;            // what stands for the outer one
    size_t line, line_first, line_seen;
    bool has_table, is_of_one;
} Page;

static void page_clear(Page *self)
{
    g_free(self->kinds);
    g_array_unref(self->cuts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Page, page_clear)

/* More than a word. */
static bool is_saying(const Page *self, size_t from, size_t to)
{
    while (from < to && strchr(BLANKS, self->text[from]))
        from++;
    while (to > from && strchr(BLANKS, self->text[to - 1]))
        to--;
    for (; from < to; from++)
        if (strchr(BLANKS, self->text[from]) || str_has_prefix(self->text + from, "&#") ||
            str_has_prefix(self->text + from, "&nbsp"))
            return true;
    return false;
}

static void page_cut(Page *self, size_t from, size_t to)
{
    const Cut cut = { from, to };
    if (from < to)
        g_array_append_val(self->cuts, cut);
}

// ---- images ----

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *page_)
{
    Page *self = page_;
    if (text < self->text || text + size > self->text + self->size)
        return 0; // the parser's own
    size_t at = (size_t)(text - self->text);
    int kind = type == MD_TEXT_CODE ? BYTE_CODE : type == MD_TEXT_HTML ? BYTE_HTML : BYTE_TEXT;
    memset(self->kinds + at, kind, size);
    if (self->images > 0) {
        self->image.from = MIN(self->image.from, at);
        self->image.to = MAX(self->image.to, at + size);
    }
    return 0;
}

static int on_enter(MD_SPANTYPE type, void *detail G_GNUC_UNUSED, void *page_)
{
    Page *self = page_;
    if (type == MD_SPAN_IMG && self->images++ == 0)
        self->image = (Cut) { self->size, 0 };
    return 0;
}

/* One that leads nowhere is shown as its text. */
static int on_leave(MD_SPANTYPE type, void *detail, void *page_)
{
    Page *self = page_;
    if (type != MD_SPAN_IMG || --self->images > 0)
        return 0;
    const MD_SPAN_IMG_DETAIL *image = detail;
    if (image->src.size > 0 && self->image.from < self->image.to &&
        is_saying(self, self->image.from, self->image.to))
        page_cut(self, self->image.from, self->image.to);
    return 0;
}

static int on_block(MD_BLOCKTYPE type, void *detail G_GNUC_UNUSED, void *page)
{
    ((Page *)page)->has_table |= type == MD_BLOCK_TABLE;
    return 0;
}

// ---- titles ----

static size_t skip_blanks(const Page *self, size_t at)
{
    return at + strspn(self->text + at, BLANKS);
}

static bool is_mark(const Page *self, size_t at)
{
    return at < self->size && self->kinds[at] == BYTE_MARK;
}

/* Behind the address of a link. */
static size_t address_end(const Page *self, size_t at)
{
    bool is_in_angles = self->text[at] == '<';
    while (is_mark(self, at) && !strchr(is_in_angles ? ">\n" : BLANKS, self->text[at]))
        at++;
    return at + (is_in_angles && is_mark(self, at));
}

/* `at` is behind `](` or `]:`. All of a title is marks, so what is text ends the search. */
static void cut_title(Page *self, size_t at)
{
    size_t end = address_end(self, skip_blanks(self, at));
    size_t open = skip_blanks(self, end);
    if (open == end || !is_mark(self, open) || !strchr("\"'(", self->text[open]))
        return;
    char quote = self->text[open] == '(' ? ')' : self->text[open];
    size_t close = open + 1;
    while (is_mark(self, close) && self->text[close] != quote)
        close += self->text[close] == '\\' && is_mark(self, close + 1) ? 2 : 1;
    if (is_mark(self, close) && is_saying(self, open + 1, close))
        page_cut(self, end, close + 1);
}

// ---- fences and tables ----

/* The line that `at` is in, and the first byte of it that is neither blank nor the mark of a list
   or a quotation. Each byte is looked at once: `at` only grows. */
static void page_find_line(Page *self, size_t at)
{
    size_t was = self->line;
    for (; self->line_seen < at; self->line_seen++)
        if (self->text[self->line_seen] == '\n')
            self->line = self->line_seen + 1;
    if (self->line != was || at == 0)
        self->line_first = self->line + strspn(self->text + self->line, " \t\r>-*+.)0123456789");
}

static bool is_all_marks(const Page *self, size_t from, size_t to)
{
    while (from < to && self->kinds[from] == BYTE_MARK)
        from++;
    return from == to;
}

/* `at` is at a fence, maybe: the first word after it is the language, which colours tell of; no one
   sees the rest of the line. Behind the fence. */
static size_t cut_info(Page *self, size_t at)
{
    size_t word = at + strspn(self->text + at, self->text[at] == '`' ? "`" : "~");
    if (word - at < 3 || at != self->line_first)
        return word;
    size_t end = word + strcspn(self->text + word, "\n");
    size_t first = word + strspn(self->text + word, " \t");
    if (is_all_marks(self, self->line, end) && is_saying(self, first, end))
        page_cut(self, first + strcspn(self->text + first, BLANKS), end);
    return word;
}

/* `at` is between two cells. In a row that is longer than the head of its table the last ones are
   not shown; all of such a one is marks, and the text of a link would not be. */
static void cut_cell(Page *self, size_t at)
{
    size_t from = at + 1, to = from + strcspn(self->text + from, "|\n");
    bool is_row = self->has_table && self->text[self->line_first] != '[';
    const char *cell = self->text + from;
    if (is_row && is_all_marks(self, from, to) && is_saying(self, from, to) &&
        !g_strstr_len(cell, (gssize)(to - from), "]("))
        page_cut(self, from, to);
}

// ---- HTML ----

typedef struct Tag {
    const char *name; // in the text
    size_t name_size;
    size_t end;    // after it
    uint64_t seen; // which of the attributes
    bool is_close, is_hidden;
    bool is_shown; // one of the elements
} Tag;

/* What GitHub leaves of HTML; another tag is gone from the page, and what it holds is shown. */
static const char *const elements[] = {
    "a",       "abbr",       "b",       "bdo",     "blockquote", "br",     "caption", "cite",
    "code",    "dd",         "del",     "details", "dfn",        "div",    "dl",      "dt",
    "em",      "figcaption", "figure",  "h1",      "h2",         "h3",     "h4",      "h5",
    "h6",      "hr",         "i",       "img",     "ins",        "kbd",    "li",      "mark",
    "ol",      "p",          "picture", "pre",     "q",          "rp",     "rt",      "ruby",
    "s",       "samp",       "small",   "source",  "span",       "strike", "strong",  "sub",
    "summary", "sup",        "table",   "tbody",   "td",         "tfoot",  "th",      "thead",
    "time",    "tr",         "tt",      "ul",      "var",        "video",  "wbr",     NULL
};

/* Attributes that a page goes by. Each but an address is one word; another one is a word itself. */
static const char *const attributes[] = {
    "align",  "alt",     "autoplay", "border",   "checked", "cite",     "class",   "color",
    "cols",   "colspan", "controls", "datetime", "dir",     "disabled", "headers", "height",
    "hidden", "href",    "hspace",   "id",       "lang",    "loop",     "media",   "muted",
    "name",   "open",    "poster",   "rel",      "role",    "rowspan",  "scope",   "span",
    "src",    "srcset",  "start",    "style",    "target",  "title",    "type",    "valign",
    "value",  "vspace",  "width",    NULL
};

/* Its place in a list of lower-case names; the list's length: it is not in it. */
static size_t name_find(const char *const *names, const char *name, size_t size)
{
    size_t i = 0;
    while (names[i] && (strlen(names[i]) != size || g_ascii_strncasecmp(names[i], name, size) != 0))
        i++;
    return i;
}

static bool is_html(const Page *self, size_t at)
{
    return at < self->size && self->kinds[at] == BYTE_HTML;
}

static bool is_address(const char *name, size_t size)
{
    static const char *const names[] = { "href", "src", "srcset", "cite", NULL };
    return names[name_find(names, name, size)] != NULL;
}

/* One attribute from `at` on; the place after it. What it says is cut, if `is_wanted`, with the
   blanks before it. */
static size_t take_attribute(Page *self, size_t before, size_t at, Tag *tag, bool is_wanted)
{
    size_t name = at;
    while (is_html(self, at) && !strchr(BLANKS "=>/", self->text[at]))
        at++;
    size_t name_size = at - name, from = at, to = at;
    size_t equals = skip_blanks(self, at);
    if (is_html(self, equals) && self->text[equals] == '=') {
        from = skip_blanks(self, equals + 1);
        char quote = is_html(self, from) && strchr("\"'", self->text[from]) ? self->text[from] : 0;
        from += quote != 0;
        for (to = from; is_html(self, to) &&
                        (quote ? self->text[to] != quote : !strchr(BLANKS ">", self->text[to]));)
            to++;
        at = to + (quote && is_html(self, to)); // the parser may have ended its HTML before
    }
    at = MAX(at, name + 1);
    G_STATIC_ASSERT(G_N_ELEMENTS(attributes) <= 64);
    size_t place = name_find(attributes, self->text + name, name_size);
    uint64_t bit = (uint64_t)1 << place;
    bool is_word = !attributes[place] || (tag->seen & bit) != 0; // the first of a name counts
    bool is_saying_more = !is_address(self->text + name, name_size) && is_saying(self, from, to);
    bool is_hidden = name_size == 6 && g_ascii_strncasecmp(self->text + name, "hidden", 6) == 0;
    tag->seen |= bit;
    tag->is_hidden = tag->is_hidden || (is_hidden && tag->is_shown);
    if (is_wanted && (is_word || is_saying_more))
        page_cut(self, before, at);
    return at;
}

/* The tag at `at`; false: there is none. `is_wanted`: what its attributes say is cut. */
static bool take_tag(Page *self, size_t at, bool is_wanted, Tag *ret_tag)
{
    if (!is_html(self, at) || self->text[at] != '<')
        return false;
    Tag tag = { .is_close = self->text[at + 1] == '/' };
    size_t name = at + 1 + tag.is_close;
    if (!is_html(self, name) || !g_ascii_isalpha(self->text[name]))
        return false;
    tag.name = self->text + name;
    tag.name_size = strcspn(tag.name, BLANKS "/>");
    tag.is_shown = elements[name_find(elements, tag.name, tag.name_size)] != NULL;
    size_t start = name + tag.name_size;
    at = start;
    while (is_html(self, at) && self->text[at] != '>') {
        size_t next = at + strspn(self->text + at, BLANKS "/");
        if (!is_html(self, next) || self->text[next] == '>')
            at = next;
        else
            at = take_attribute(self, at, next, &tag, is_wanted && !tag.is_close);
    }
    if (tag.is_close && is_wanted && is_saying(self, start, at))
        page_cut(self, start, at);
    tag.end = at + is_html(self, at);
    *ret_tag = tag;
    return true;
}

/* What a browser without ruby would show: text up to the next tag, since its end may be left out.
 */
static void cut_fallback(Page *self, const Tag *tag)
{
    size_t end = tag->end;
    if (tag->is_close || tag->name_size != 2 || g_ascii_strncasecmp(tag->name, "rp", 2) != 0)
        return;
    while (end < self->size && !(is_html(self, end) && self->text[end] == '<'))
        end++;
    if (is_saying(self, tag->end, end))
        page_cut(self, tag->end, end);
}

static bool is_same_name(const Tag *a, const Tag *b)
{
    return a->name_size == b->name_size && g_ascii_strncasecmp(a->name, b->name, a->name_size) == 0;
}

static bool is_void(const Tag *tag)
{
    static const char *const names[] = { "img", "br", "hr", "source", "wbr", NULL };
    return names[name_find(names, tag->name, tag->name_size)] != NULL;
}

/* Behind the element that `open` begins. */
static size_t element_end(Page *self, const Tag *open)
{
    unsigned depth = is_void(open) ? 0 : 1;
    size_t at = open->end;
    while (depth > 0 && at < self->size && at - open->end < self->scan_left) {
        Tag tag = { .end = at + 1, .name_size = 0 };
        if (take_tag(self, at, false, &tag) && is_same_name(open, &tag))
            depth += tag.is_close ? -1 : 1;
        at = tag.end;
    }
    self->scan_left -= MIN(self->scan_left, at - open->end);
    if (depth == 0)
        return at;
    const char *gap = self->is_of_one ? NULL : strstr(self->text + open->end, "\n\n");
    return gap ? (size_t)(gap - self->text) : self->size;
}

// ---- all of it ----

static void look_through(Page *self)
{
    for (size_t at = 0; at < self->size;) {
        Tag tag;
        if (take_tag(self, at, true, &tag)) {
            size_t end = tag.is_hidden && !tag.is_close ? element_end(self, &tag) : tag.end;
            if (end > tag.end || tag.is_hidden)
                page_cut(self, at, end);
            cut_fallback(self, &tag);
            at = end;
            continue;
        }
        char mark = is_mark(self, at) ? self->text[at] : '\0';
        page_find_line(self, at);
        if (mark == ']' && (self->text[at + 1] == '(' || self->text[at + 1] == ':'))
            cut_title(self, at + 2);
        if (mark == '|')
            cut_cell(self, at);
        at = mark == '`' || mark == '~' ? cut_info(self, at) : at + 1;
    }
}

static int compare_cuts(const void *a_, const void *b_)
{
    const Cut *a = a_, *b = b_;
    int order = (a->from > b->from) - (a->from < b->from);
    return order != 0 ? order : (a->to < b->to) - (a->to > b->to);
}

static char *without_cuts(const Page *self, size_t *count)
{
    GString *out = g_string_sized_new(self->size);
    size_t done = 0;
    g_array_sort(self->cuts, compare_cuts);
    for (guint i = 0; i < self->cuts->len; i++) {
        const Cut *cut = &g_array_index(self->cuts, Cut, i);
        if (cut->from < done)
            continue; // within another
        g_string_append_len(out, self->text + done, (gssize)(cut->from - done));
        done = cut->to;
        (*count)++;
    }
    g_string_append(out, self->text + done);
    return g_string_free(out, FALSE);
}

char *hidden_unshown_remove(const char *text, bool is_of_one, size_t *count)
{
    static const char *const signs[] = { "<", "![", "](", "]:", "```", "~~~", "|" };
    size_t sign = 0;
    while (sign < G_N_ELEMENTS(signs) && !strstr(text, signs[sign]))
        sign++;
    if (sign == G_N_ELEMENTS(signs))
        return NULL;
    size_t size = strlen(text);
    g_auto(Page) self = {
        .text = text,
        .size = size,
        .kinds = g_malloc0(size + 1),
        .cuts = g_array_new(FALSE, FALSE, sizeof(Cut)),
        .scan_left = 8 * size,
        .is_of_one = is_of_one,
    };
    const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
        .enter_block = on_block,
        .leave_block = on_block,
        .enter_span = on_enter,
        .leave_span = on_leave,
        .text = on_text,
    };
    md_parse(text, (MD_SIZE)size, &parser, &self);
    look_through(&self);
    return self.cuts->len > 0 ? without_cuts(&self, count) : NULL;
}
