/*
 * mmd_clean.h. Each step copies what it keeps, with the origin of every byte; the real parser does
 * steps 2 to 4 twice, which is why front matter may also follow comments or blank lines.
 */
#include "agenttools/mermaid/mmd_clean.h"

#include "agenttools/mermaid/mmd_parser.h"
#include "base/str.h"
#include "base/yaml.h"

typedef struct Piece { // text and where it comes from
    GString *text;
    GArray *origin;
} Piece;

static Piece piece_new(size_t size)
{
    return (Piece) { g_string_sized_new(size), g_array_sized_new(FALSE, FALSE, 4, (guint)size) };
}

/* Takes over `next`. */
static void replace_with(MmdClean *self, Piece next)
{
    g_string_free(self->text, TRUE);
    g_array_unref(self->origin);
    self->text = next.text;
    self->origin = next.origin;
}

static const char *text_end(const MmdClean *self)
{
    return self->text->str + self->text->len;
}

static void mmd_clean_keep(const MmdClean *self, const char *start, const char *stop, Piece *to)
{
    if (start == stop)
        return;
    g_string_append_len(to->text, start, stop - start);
    g_array_append_vals(to->origin,
                        (const uint32_t *)(void *)self->origin->data + (start - self->text->str),
                        (guint)(stop - start));
}

static void append_byte(Piece *to, char byte, size_t origin)
{
    uint32_t at = (uint32_t)origin;
    g_string_append_c(to->text, byte);
    g_array_append_val(to->origin, at);
}

static size_t origin_at(const MmdClean *self, const char *at)
{
    size_t index = (size_t)(at - self->text->str);
    return index < self->origin->len ? g_array_index(self->origin, uint32_t, index) : 0;
}

/* CRLF and CR become LF. */
static void take_document(const char *document, size_t size, MmdClean *self)
{
    Piece piece = piece_new(size + 1);
    for (size_t i = 0; i < size; i++) {
        bool is_return = document[i] == '\r';
        append_byte(&piece, is_return ? '\n' : document[i], i);
        if (is_return && i + 1 < size && document[i + 1] == '\n')
            i++;
    }
    self->text = piece.text;
    self->origin = piece.origin;
}

/* `="x"` inside an HTML tag becomes `='x'`, so that it does not end a quoted label. */
static void soften_attribute_quotes(GString *text)
{
    char *end = text->str + text->len, *close;
    for (char *open = text->str; (open = memchr(open, '<', (size_t)(end - open))); open++) {
        if (!mmd_match(open, end, "<\\w"))
            continue;
        if (!(close = memchr(open, '>', (size_t)(end - open))))
            return;
        for (char *c = open; c < close; c++) {
            char *quote =
                c[0] == '=' && c[1] == '"' ? memchr(c + 2, '"', (size_t)(close - c - 1)) : NULL;
            if (!quote || quote > close)
                continue;
            c[1] = *quote = '\'';
            c = quote;
        }
        open = close;
    }
}

bool mmd_yaml_parse(const char *text, json_t **ret_value, char **ret_reason, size_t *ret_line)
{
    g_autoptr(GError) error = NULL;
    int line = 0;
    if (yaml_parse_at(text, strlen(text), ret_value, &line, &error))
        return true;
    *ret_line = (size_t)MAX(line, 1);
    *ret_reason = g_strdup(error->message);
    return false;
}

// ---- front matter ----

typedef struct FrontMatter {
    const char *body, *body_end;
    size_t indent;   // of every line, as the text begins
    const char *end; // of the closing line and the blank lines after it
} FrontMatter;

/* The place after a line of `---` and white space, indented as the text is, and its line end; NULL:
   it is another line. */
static const char *match_mark_line(const MmdClean *self, const char *at, size_t indent)
{
    const char *end = text_end(self);
    bool is_indented = (size_t)(end - at) >= indent && memcmp(at, self->text->str, indent) == 0;
    return is_indented ? mmd_match(at + indent, end, "---\\h*\n") : NULL;
}

static bool find_front_matter(const MmdClean *self, FrontMatter *ret_found)
{
    const char *start = self->text->str, *end = text_end(self);
    size_t indent = (size_t)(mmd_match(start, end, "\\h*") - start);
    const char *body = match_mark_line(self, start, indent);
    if (!body)
        return false;
    for (const char *at = body; (at = mmd_line_end(at, end)) < end;) {
        const char *close = match_mark_line(self, ++at, indent);
        if (!close)
            continue;
        *ret_found = (FrontMatter) { body, at, indent, mmd_match(close, end, "(\\h*\n)*") };
        return true;
    }
    return false;
}

static void set_main_branch(MmdClean *self, const json_t *config)
{
    const char *name = json_string_value(json_get_path(config, "gitGraph.mainBranchName"));
    if (!name)
        return;
    g_free(self->main_branch);
    self->main_branch = g_strdup(name);
}

/* The front matter is not YAML, as line `line` of it shows. */
static void set_problem(MmdClean *self, const char *reason, size_t line, const FrontMatter *found)
{
    self->problem = g_strdup_printf("front matter is not valid YAML: %s", reason);
    const char *at = found->body;
    while (line-- > 1 && mmd_line_end(at, text_end(self)) + 1 < found->body_end)
        at = mmd_line_end(at, text_end(self)) + 1;
    self->problem_at = origin_at(self, at);
}

static bool take_front_matter(MmdClean *self)
{
    FrontMatter found;
    if (!find_front_matter(self, &found))
        return true;

    g_autoptr(GString) yaml = g_string_new(NULL);
    for (const char *at = found.body, *stop; at < found.body_end; at = stop + 1) {
        stop = mmd_line_end(at, text_end(self));
        bool is_indented =
            (size_t)(stop - at) >= found.indent && memcmp(at, self->text->str, found.indent) == 0;
        at += is_indented ? found.indent : 0;
        g_string_append_len(yaml, at, stop - at);
        g_string_append_c(yaml, '\n');
    }

    g_autoptr(json_t) value = NULL;
    g_autofree char *reason = NULL;
    size_t line;
    if (!mmd_yaml_parse(yaml->str, &value, &reason, &line)) {
        set_problem(self, reason, line, &found);
        return false;
    }
    set_main_branch(self, json_get_object(value, "config"));

    Piece rest = piece_new(self->text->len);
    mmd_clean_keep(self, found.end, text_end(self), &rest);
    replace_with(self, rest);
    return true;
}

// ---- directives and comments ----

/* The object of an `init` directive: JSON in which strings may have single quotes. */
static void read_init(MmdClean *self, const char *text, const char *stop)
{
    g_autofree char *json = g_strndup(text, (size_t)(stop - text));
    g_autoptr(json_t) config = NULL;
    if (json_parse_text(g_strdelimit(json, "'", '"'), &config, NULL))
        set_main_branch(self, config);
}

/*
 * The end of the directive at `at`, a `%%{`; NULL when it is none. Its content is a name and, after
 * an optional colon, either one word or anything up to `}%%`.
 */
static const char *directive_end(MmdClean *self, const char *at)
{
    const char *end = text_end(self), *name = mmd_match(at, end, "%%{\\s*(?=\\w)");
    if (!name)
        return NULL;
    const char *value = mmd_match(name, end, "\\w+\\s*(:\\s*)?"), *stop;
    if (!(stop = mmd_match(value, end, "\\w+"))) {
        stop = g_strstr_len(value, end - value, "}%%");
        if (!stop && !self->has_open_directive) {
            self->has_open_directive = true;
            self->open_directive_at = origin_at(self, at);
        }
        stop = stop ? stop : end;
        if (str_has_prefix(name, "init"))
            read_init(self, value, stop);
    }
    return mmd_match(stop, end, "\\s*(}%%)?");
}

static void remove_directives(MmdClean *self)
{
    Piece kept = piece_new(self->text->len);
    const char *done = self->text->str, *end = text_end(self);
    for (const char *at = done; (at = g_strstr_len(at, end - at, "%%{"));) {
        const char *stop = directive_end(self, at);
        if (stop) {
            mmd_clean_keep(self, done, at, &kept);
            done = stop;
        }
        at = stop ? stop : at + 1;
    }
    mmd_clean_keep(self, done, end, &kept);
    replace_with(self, kept);
}

/* Comment lines with the blank lines before them, and all white space at the start. A `%%` with
   nothing after it stays. */
static void remove_comment_lines(MmdClean *self)
{
    Piece kept = piece_new(self->text->len);
    const char *end = text_end(self);
    for (const char *at = self->text->str, *next; at < end; at = next) {
        const char *ink = mmd_skip_white(at, end);
        next = mmd_match(ink, end, ".*\n?");
        if (!mmd_match(ink, end, "%%[^\n{]"))
            mmd_clean_keep(self, kept.text->len == 0 ? ink : at, next, &kept);
    }
    replace_with(self, kept);
}

/* In a `style` or `classDef` line with a `#colour`, the last semicolon is dropped; else `end`. */
static const char *dropped_semicolon(const char *start, const char *end, const char *word)
{
    const char *at = g_strstr_len(start, end - start, word);
    // `:` and no white space before the `#`
    at = at ? mmd_match(at + strlen(word), end, "([^:]|:[^\\s#]*(?!#))*:[^\\s#]*#") : NULL;
    const char *last = at ? g_strrstr_len(at, end - at, ";") : NULL;
    return last ? last : end;
}

static void remove_style_semicolons(MmdClean *self, const char *word)
{
    Piece kept = piece_new(self->text->len);
    for (const char *at = self->text->str, *end = text_end(self), *next; at < end; at = next) {
        const char *stop = mmd_line_end(at, end), *dropped = dropped_semicolon(at, stop, word);
        next = MIN(stop + 1, end);
        mmd_clean_keep(self, at, dropped, &kept);
        mmd_clean_keep(self, dropped + (dropped < stop), next, &kept);
    }
    replace_with(self, kept);
}

static void mark_entities(GString *text)
{
    for (char *at = text->str; (at = strchr(at, '#')); at++) {
        const char *stop = mmd_match(at, text->str + text->len, "#\\w+;");
        if (!stop)
            continue;
        *at = MMD_ENTITY_OPEN;
        at += stop - at - 1;
        *at = MMD_ENTITY_CLOSE;
    }
}

void mmd_clean_clear(MmdClean *self)
{
    if (self->text)
        g_string_free(self->text, TRUE);
    g_clear_pointer(&self->origin, g_array_unref);
    g_free(self->main_branch);
    g_free(self->problem);
    *self = (MmdClean) { 0 };
}

void mmd_clean(const char *document, size_t size, MmdClean *ret_clean)
{
    g_assert(size < UINT32_MAX);
    MmdClean *self = ret_clean;
    *self = (MmdClean) { 0 };
    take_document(document, size, self);
    soften_attribute_quotes(self->text);
    for (int pass = 0; pass < 2 && !self->problem; pass++) {
        if (!take_front_matter(self))
            return;
        remove_directives(self);
        remove_comment_lines(self);
    }
    remove_style_semicolons(self, "style");
    remove_style_semicolons(self, "classDef");
    mark_entities(self->text);

    Piece whole = { g_steal_pointer(&self->text), g_steal_pointer(&self->origin) };
    append_byte(&whole, '\n', size);
    self->text = whole.text;
    self->origin = whole.origin;
}
