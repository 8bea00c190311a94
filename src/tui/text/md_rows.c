/*
 * md4c's events to rows (md_rows.h).
 *
 * The text is given to md4c as a heading: so it is never a block of another kind, whatever it
 * begins with. '\f' stands around it, which for md4c is a blank that it does not take away.
 */
#include "tui/text/md_rows.h"

#include "base/str.h"
#include "tui/text/clean.h"

#include <md4c.h>
#include <string.h>

#define GUARD             "\f"
#define MAX_SPANS         256 // in one another that have a look of their own
#define MAX_ADDRESS       2048
#define DEFINITIONS_BYTES ((size_t)16 * 1024) // that one text may use

typedef struct Span {
    MD_SPANTYPE type;
    Style style; // before it
} Span;

typedef struct Inline {
    const MdInline *spec;
    GPtrArray *out;
    RowBuilder *builder;
    Style style;
    Span spans[MAX_SPANS];
    unsigned depth;
    unsigned links; // links and pictures in one another; the first one counts
    char *address;  // of it
    char *link;     // the same when it may be followed
    GString *shown; // its text
    bool is_at_blank;
} Inline;

// ---- text ----

static void inline_put(Inline *self, const char *text, size_t size, Style style)
{
    row_builder_add(self->builder, text, (gssize)size, style, self->link);
    if (self->shown)
        g_string_append_len(self->shown, text, (gssize)size);
}

static void end_line(Inline *self)
{
    g_ptr_array_add(self->out, row_builder_take(self->builder));
    self->is_at_blank = true;
}

/* Runs of blanks are one. */
static void put_text(Inline *self, const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t end = i;
        while (end < size && !strchr(" \f\v\n", text[end]))
            end++;
        inline_put(self, text + i, end - i, self->style);
        self->is_at_blank &= end == i;
        if (end == size)
            return;
        if (text[end] == '\v') {
            end_line(self);
        } else if (text[end] != '\f' && !self->is_at_blank) {
            inline_put(self, " ", 1, self->style);
            self->is_at_blank = true;
        }
        i = end + 1;
    }
}

static void put_code(Inline *self, const char *text, size_t size)
{
    g_autofree char *line = g_strndup(text, size);
    g_strdelimit(line, "\f\v\n", ' ');
    inline_put(self, line, size, self->style);
    self->is_at_blank = false;
}

/* What cannot be seen, or commands a terminal, is U+FFFD. */
static void append_entity(GString *out, const char *entity, size_t size)
{
    static const struct {
        const char *name, *text;
    } names[] = {
        { "&amp;", "&" },    { "&lt;", "<" },     { "&gt;", ">" },     { "&quot;", "\"" },
        { "&apos;", "'" },   { "&nbsp;", " " },   { "&copy;", "©" },   { "&reg;", "®" },
        { "&trade;", "™" },  { "&hellip;", "…" }, { "&mdash;", "—" },  { "&ndash;", "–" },
        { "&larr;", "←" },   { "&rarr;", "→" },   { "&uarr;", "↑" },   { "&darr;", "↓" },
        { "&times;", "×" },  { "&divide;", "÷" }, { "&plusmn;", "±" }, { "&deg;", "°" },
        { "&le;", "≤" },     { "&ge;", "≥" },     { "&ne;", "≠" },     { "&bull;", "•" },
        { "&middot;", "·" }, { "&euro;", "€" },   { "&pound;", "£" },  { "&sect;", "§" },
        { "&laquo;", "«" },  { "&raquo;", "»" },  { "&ldquo;", "“" },  { "&rdquo;", "”" },
        { "&lsquo;", "‘" },  { "&rsquo;", "’" },  { "&check;", "✓" },  { "&infin;", "∞" },
    };
    g_autofree char *name = g_strndup(entity, size);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (strcmp(name, names[i].name) == 0) {
            g_string_append(out, names[i].text);
            return;
        }
    if (size < 4 || name[1] != '#') {
        g_string_append(out, name);
        return;
    }
    bool is_hex = name[2] == 'x' || name[2] == 'X';
    guint64 code = g_ascii_strtoull(name + (is_hex ? 3 : 2), NULL, is_hex ? 16 : 10);
    bool is_character = code > 0 && code <= 0x10ffff && g_unichar_validate((gunichar)code);
    char character[8] = { 0 };
    g_unichar_to_utf8(is_character ? (gunichar)code : 0xfffd, character);
    g_autofree char *clean = clean_text(character, 1);
    g_string_append(out, clean[0] ? clean : "\xef\xbf\xbd");
}

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
    Inline *self = data;
    if (type == MD_TEXT_CODE) {
        put_code(self, text, size);
    } else if (type == MD_TEXT_ENTITY) {
        g_autoptr(GString) decoded = g_string_new(NULL);
        append_entity(decoded, text, size);
        put_text(self, decoded->str, decoded->len);
    } else {
        put_text(self, text, size);
    }
    return 0;
}

// ---- links ----

static char *attribute_text(const MD_ATTRIBUTE *attribute)
{
    GString *out = g_string_new(NULL);
    for (size_t i = 0; attribute->text && attribute->substr_offsets[i] < attribute->size; i++) {
        const char *part = attribute->text + attribute->substr_offsets[i];
        size_t size = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];
        if (attribute->substr_types[i] == MD_TEXT_ENTITY)
            append_entity(out, part, size);
        else
            g_string_append_len(out, part, (gssize)size);
    }
    g_strdelimit(out->str, "\f\v\n", ' ');
    return g_string_free(out, FALSE);
}

/* As OSC 8 takes it: printable ASCII. NULL: not one that we lead to. Caller frees. */
static char *link_of(const char *address)
{
    static const char *const schemes[] = { "http://", "https://", "mailto:", "file://" };
    bool is_known = false;
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++)
        is_known |= g_ascii_strncasecmp(address, schemes[i], strlen(schemes[i])) == 0;
    if (!is_known || strlen(address) > MAX_ADDRESS)
        return NULL;
    GString *out = g_string_new(NULL);
    for (const char *p = address; *p; p++) {
        if (*p > ' ' && *p < 0x7f)
            g_string_append_c(out, *p);
        else
            g_string_append_printf(out, "%%%02X", (unsigned char)*p);
    }
    return g_string_free(out, FALSE);
}

static const char *without_scheme(const char *address)
{
    static const char *const schemes[] = { "http://", "https://", "mailto:" };
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++)
        if (str_has_prefix(address, schemes[i]))
            return address + strlen(schemes[i]);
    return address;
}

static bool says_address(const Inline *self)
{
    return strcmp(self->shown->str, self->address) == 0 ||
           strcmp(self->shown->str, without_scheme(self->address)) == 0;
}

static void begin_link(Inline *self, const MD_ATTRIBUTE *address)
{
    if (self->links++ > 0)
        return;
    self->address = attribute_text(address);
    self->link = self->spec->has_links ? link_of(self->address) : NULL;
    self->shown = g_string_new(NULL);
    self->style.fg = TOKEN_MD_LINK;
    self->style.attributes |= self->link ? STYLE_UNDERLINE : 0;
}

/* The text may say anything; the address says where it leads. */
static void end_link(Inline *self)
{
    if (self->links == 0 || --self->links > 0)
        return;
    if (self->address[0] && !says_address(self)) {
        Style style = self->style;
        style.fg = TOKEN_MD_LINK_URL;
        bool has_text = self->shown->len > 0;
        g_autofree char *shown =
            has_text ? g_strdup_printf(" (%s)", self->address) : g_strdup(self->address);
        inline_put(self, shown, strlen(shown), style);
        self->is_at_blank = false;
    }
    g_clear_pointer(&self->address, g_free);
    g_clear_pointer(&self->link, g_free);
    g_string_free(g_steal_pointer(&self->shown), TRUE);
}

// ---- spans ----

static int on_enter_span(MD_SPANTYPE type, void *detail, void *data)
{
    Inline *self = data;
    if (self->depth == MAX_SPANS)
        return 0;
    self->spans[self->depth++] = (Span) { type, self->style };
    switch (type) {
    case MD_SPAN_EM:
        self->style.attributes |= STYLE_ITALIC;
        break;
    case MD_SPAN_STRONG:
        self->style.attributes |= STYLE_BOLD;
        break;
    case MD_SPAN_DEL:
        self->style.attributes |= STYLE_STRIKE;
        break;
    case MD_SPAN_CODE:
        self->style.fg = TOKEN_MD_CODE;
        break;
    case MD_SPAN_A:
        begin_link(self, &((MD_SPAN_A_DETAIL *)detail)->href);
        break;
    case MD_SPAN_IMG:
        begin_link(self, &((MD_SPAN_IMG_DETAIL *)detail)->src);
        break;
    case MD_SPAN_U:
    case MD_SPAN_LATEXMATH:
    case MD_SPAN_LATEXMATH_DISPLAY:
    case MD_SPAN_WIKILINK:
        break; // not asked for
    }
    return 0;
}

static void end_innermost(Inline *self)
{
    const Span *span = &self->spans[self->depth - 1];
    if (span->type == MD_SPAN_A || span->type == MD_SPAN_IMG)
        end_link(self);
    self->style = span->style;
    self->depth--;
}

/* md4c ends some spans that it never began ("www.a~b ~~c~"). */
static int on_leave_span(MD_SPANTYPE type, void *detail G_GNUC_UNUSED, void *data)
{
    Inline *self = data;
    unsigned index = self->depth;
    while (index > 0 && self->spans[index - 1].type != type)
        index--;
    while (index > 0 && self->depth >= index)
        end_innermost(self);
    return 0;
}

static int on_block(MD_BLOCKTYPE type G_GNUC_UNUSED, void *detail G_GNUC_UNUSED,
                    void *data G_GNUC_UNUSED)
{
    return 0;
}

// ---- the whole ----

char *md_definition_key(const char *label, size_t size)
{
    g_autofree char *text = g_strndup(label, size);
    g_strdelimit(text, "\n\v\f", ' ');
    g_autofree char *folded = g_utf8_casefold(g_strstrip(text), -1);
    g_auto(GStrv) words = g_strsplit(folded, " ", -1);
    GString *key = g_string_new(NULL);
    for (size_t i = 0; words[i]; i++)
        if (words[i][0])
            g_string_append_printf(key, "%s%s", key->len > 0 ? " " : "", words[i]);
    return g_string_free(key, FALSE);
}

/* Those that the text names, since md4c knows a document only. */
static void append_definitions(GHashTable *definitions, const char *text, size_t size, GString *out)
{
    g_autoptr(GHashTable) used = g_hash_table_new(NULL, NULL);
    const char *end = text + size;
    for (const char *at = text; (at = memchr(at, '[', (size_t)(end - at)));) {
        const char *label = ++at;
        while (at < end && *at != '[' && *at != ']')
            at++;
        if (at == end || *at != ']')
            continue;
        g_autofree char *key = md_definition_key(label, (size_t)(at - label));
        const char *line = g_hash_table_lookup(definitions, key);
        if (line && out->len + strlen(line) < DEFINITIONS_BYTES &&
            g_hash_table_add(used, (void *)line))
            g_string_append_printf(out, "%s\n", line);
    }
}

void md_inline_rows(const MdInline *spec, const char *text, size_t size, GPtrArray *out)
{
    static const MD_PARSER parser = {
        .flags = MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML,
        .enter_block = on_block,
        .leave_block = on_block,
        .enter_span = on_enter_span,
        .leave_span = on_leave_span,
        .text = on_text,
    };
    g_autoptr(GString) document = g_string_new(NULL);
    if (spec->definitions && g_hash_table_size(spec->definitions) > 0)
        append_definitions(spec->definitions, text, size, document);
    g_string_append(document, "\n# " GUARD);
    size_t start = document->len;
    g_string_append_len(document, text, (gssize)size);
    g_string_append(document, GUARD);
    g_strdelimit(document->str + start, "\n", ' ');
    if (spec->parsed_bytes)
        *spec->parsed_bytes += document->len;
    g_autoptr(RowBuilder) builder = row_builder_new();
    Inline self = { .spec = spec, .out = out, .builder = builder, .style = spec->style };
    md_parse(document->str, (MD_SIZE)document->len, &parser, &self);
    while (self.depth > 0)
        end_innermost(&self);
    end_line(&self);
}
