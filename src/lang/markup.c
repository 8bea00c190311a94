/*
 * HTML, XML and what is built on them: comments between tags, attribute values that only look like
 * some, and the languages inside of <script> and <style>.
 */
#include "lang/lexer_state.h"

#include <string.h>

typedef struct Tag {
    size_t name, name_end;
    size_t attributes, end; // up to its >
    bool is_closed_itself;
} Tag;

/* In HTML `<!-->` is a whole comment. */
static void add_comment(Lexer *self, bool is_html)
{
    static const BlockMark mark = { "<!--", "-->", 0 };
    static const BlockMark empty = { "<!-", "->", 0 }; // <!-->, <!--->
    bool is_empty =
        is_html && (lexer_has(self, self->at, "<!-->") || lexer_has(self, self->at, "<!--->"));
    lexer_add_block(self, is_empty ? &empty : &mark);
}

/* At `<` with a letter or / behind it: goes behind the tag. */
static Tag read_tag(Lexer *self)
{
    Tag tag = { .name = self->at + 1 };
    self->at = tag.name;
    while (self->at < self->end && !strchr(" \t\n\f/>", self->text[self->at]))
        self->at++;
    tag.name_end = tag.attributes = self->at;
    while (self->at < self->end && self->text[self->at] != '>') {
        char c = self->text[self->at];
        // a quote begins a value only behind =
        if ((c == '"' || c == '\'') &&
            lexer_before(self, lexer_code_before(self, self->at)) == '=') {
            const Literal value = {
                .tag = self->text + self->at,
                .tag_size = 1,
                .flags = STRING_LINES,
            };
            literal_open(self, 1, &value);
        } else {
            tag.is_closed_itself = c == '/';
            self->at++;
        }
    }
    tag.end = self->at;
    self->at = MIN(self->at + 1, self->end);
    return tag;
}

/* The value of an attribute, in small letters; NULL when the tag has none such. Caller frees. */
static char *lexer_attribute(const Lexer *self, const Tag *tag, const char *name)
{
    size_t size = strlen(name);
    for (size_t place = tag->attributes; place + size < tag->end; place++) {
        bool is_start = g_ascii_isspace(self->text[place]);
        if (!is_start || g_ascii_strncasecmp(self->text + place + 1, name, size) != 0)
            continue;
        size_t value = place + 1 + size;
        if (value >= tag->end || self->text[value] != '=')
            continue;
        value++;
        size_t end = value;
        bool is_quoted = end < tag->end && strchr("\"'", self->text[end]) != NULL;
        const char *stop = is_quoted ? (self->text[end] == '"' ? "\"" : "'") : " \t\n";
        value += is_quoted;
        for (end = value; end < tag->end && !strchr(stop, self->text[end]);)
            end++;
        return g_ascii_strdown(self->text + value, (gssize)(end - value));
    }
    return NULL;
}

/* What <script …> holds; NULL: text. */
static const Language *script_language(const Lexer *self, const Tag *tag)
{
    g_autofree char *type = lexer_attribute(self, tag, "type");
    g_autofree char *lang = lexer_attribute(self, tag, "lang");
    const char *kind = lang != NULL ? lang : type != NULL ? type : "";
    if (strcmp(kind, "tsx") == 0 || strcmp(kind, "jsx") == 0)
        return self->find_language(kind);
    if (strcmp(kind, "ts") == 0 || strstr(kind, "typescript"))
        return self->find_language("typescript");
    bool is_script = *kind == '\0' || strcmp(kind, "js") == 0 || strcmp(kind, "module") == 0 ||
                     strstr(kind, "javascript") != NULL || strstr(kind, "ecmascript") != NULL;
    return is_script ? self->find_language("javascript") : NULL;
}

static const Language *style_language(const Lexer *self, const Tag *tag)
{
    g_autofree char *lang = lexer_attribute(self, tag, "lang");
    if (lang && (strcmp(lang, "scss") == 0 || strcmp(lang, "less") == 0))
        return self->find_language(lang);
    return lang == NULL || strcmp(lang, "css") == 0 || strcmp(lang, "postcss") == 0
               ? self->find_language("css")
               : NULL;
}

/* Where `</name` stands, in any case. */
static size_t find_end_tag(const Lexer *self, const char *name)
{
    size_t place = lexer_find(self, self->at, "</");
    while (place < self->end && !lexer_has_nocase(self, place + 2, name))
        place = lexer_find(self, place + 2, "</");
    return place;
}

/* Behind an opening tag whose content is no markup: passes it. */
static void read_raw_element(Lexer *self, const Tag *tag)
{
    static const char *const names[] = { "script", "style", "textarea", "title" };
    size_t size = tag->name_end - tag->name;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (strlen(names[i]) != size || !lexer_has_nocase(self, tag->name, names[i]))
            continue;
        const Language *language = i == 0   ? script_language(self, tag)
                                   : i == 1 ? style_language(self, tag)
                                            : NULL;
        size_t start = self->at, end = find_end_tag(self, names[i]);
        if (language)
            lexer_run_inner(self, language, start, end);
        self->at = end;
        return;
    }
}

static void read_markup(Lexer *self, bool is_html)
{
    while (self->at < self->end) {
        size_t open = lexer_find(self, self->at, "<");
        self->at = open;
        if (open == self->end)
            return;
        char next = lexer_peek(self, 1);
        if (lexer_has(self, open, "<!--")) {
            add_comment(self, is_html);
        } else if (lexer_has(self, open, "<![CDATA[")) {
            self->at = MIN(lexer_find(self, open, "]]>") + 3, self->end);
        } else if (g_ascii_isalpha(next) || next == '/' || next == '_' || next == ':') {
            Tag tag = read_tag(self);
            if (is_html && !tag.is_closed_itself)
                read_raw_element(self, &tag);
        } else {
            self->at++;
        }
    }
}

void machine_html(Lexer *self)
{
    read_markup(self, true);
}

void machine_xml(Lexer *self)
{
    read_markup(self, false);
}

// ---- at the top, to the next ---: Astro's script. ----
static void read_front_matter(Lexer *self)
{
    while (self->at < self->end && g_ascii_isspace(self->text[self->at]))
        self->at++;
    if (!lexer_has(self, self->at, "---"))
        return;
    size_t start = self->at + 3, end = lexer_find(self, start, "\n---");
    lexer_run_inner(self, self->find_language("typescript"), start, end);
    self->at = MIN(end + 4, self->end);
}

void machine_component(Lexer *self)
{
    if (strcmp(self->language->name, "astro") == 0)
        read_front_matter(self);
    read_markup(self, true);
}
