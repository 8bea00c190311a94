/*
 * mmd_clean.h. Each step copies what it keeps, with the origin of every byte; the real parser does
 * steps 2 to 4 twice, which is why front matter may also follow comments or blank lines.
 */
#include "agenttools/mermaid/mmd_clean.h"

#include "agenttools/mermaid/mmd_parser.h"
#include "agenttools/mermaid/mmd_yaml.h"

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

static void keep(const MmdClean *self, size_t start, size_t stop, Piece *to)
{
    if (start == stop)
        return;
    g_string_append_len(to->text, self->text->str + start, (gssize)(stop - start));
    g_array_append_vals(to->origin, (const uint32_t *)(void *)self->origin->data + start,
                        (guint)(stop - start));
}

static void append_byte(Piece *to, char byte, size_t origin)
{
    uint32_t at = (uint32_t)origin;
    g_string_append_c(to->text, byte);
    g_array_append_val(to->origin, at);
}

static size_t origin_at(const MmdClean *self, size_t index)
{
    return index < self->origin->len ? g_array_index(self->origin, uint32_t, index) : 0;
}

static size_t skip_white(const GString *text, size_t at)
{
    size_t size;
    while ((size = mmd_white_size(text->str + at, text->str + text->len)) > 0)
        at += size;
    return at;
}

static size_t skip_word(const GString *text, size_t at)
{
    while (at < text->len && (g_ascii_isalnum(text->str[at]) || text->str[at] == '_'))
        at++;
    return at;
}

static bool stands_at(const GString *text, size_t at, const char *literal)
{
    size_t size = strlen(literal);
    return text->len - at >= size && memcmp(text->str + at, literal, size) == 0;
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
        if (!g_ascii_isalnum(open[1]) && open[1] != '_')
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

typedef struct FrontMatter { // offsets in the text
    size_t body, body_end;
    size_t indent; // of every line
    size_t end;    // of the closing line and the blank lines after it
} FrontMatter;

static size_t line_end_of(const GString *text, size_t at)
{
    return (size_t)(mmd_line_end(text->str + at, text->str + text->len) - text->str);
}

/* `---` and then only white space; `indent` before it are those of the text's first bytes. */
static bool is_mark_line(const GString *text, size_t at, size_t indent)
{
    return text->len - at >= indent + 3 && memcmp(text->str + at, text->str, indent) == 0 &&
           stands_at(text, at + indent, "---") &&
           mmd_match(text->str + at + indent + 3, text->str + text->len, "\\h*(\n|$)");
}

static bool find_front_matter(const GString *text, FrontMatter *ret_found)
{
    size_t indent = 0;
    const char *end = text->str + text->len;
    for (size_t size;
         text->str[indent] != '\n' && (size = mmd_white_size(text->str + indent, end)) > 0;)
        indent += size;
    if (!is_mark_line(text, 0, indent) || line_end_of(text, 0) == text->len)
        return false;

    size_t body = line_end_of(text, 0) + 1;
    for (size_t at = line_end_of(text, body) + 1; at < text->len; at = line_end_of(text, at) + 1) {
        if (!is_mark_line(text, at, indent) || line_end_of(text, at) == text->len)
            continue;
        size_t after = at + indent + 3;
        size_t next = skip_white(text, after);
        while (text->str[next - 1] != '\n') // the indent of the line after it stays
            next--;
        *ret_found = (FrontMatter) { body, at, indent, next };
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
    size_t at = found->body;
    while (line-- > 1 && line_end_of(self->text, at) + 1 < found->body_end)
        at = line_end_of(self->text, at) + 1;
    self->problem_at = origin_at(self, at);
}

static bool take_front_matter(MmdClean *self)
{
    FrontMatter found;
    if (!find_front_matter(self->text, &found))
        return true;

    g_autoptr(GString) yaml = g_string_new(NULL);
    for (size_t at = found.body; at < found.body_end; at = line_end_of(self->text, at) + 1) {
        const char *line = self->text->str + at;
        size_t size = line_end_of(self->text, at) - at;
        bool is_indented = size >= found.indent && memcmp(line, self->text->str, found.indent) == 0;
        size_t skipped = is_indented ? found.indent : 0;
        g_string_append_len(yaml, line + skipped, (gssize)(size - skipped));
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
    keep(self, found.end, self->text->len, &rest);
    replace_with(self, rest);
    return true;
}

/* The object of an `init` directive: JSON in which strings may have single quotes. */
static void read_init(MmdClean *self, const char *name, const char *text, size_t size)
{
    if (!g_str_has_prefix(name, "init"))
        return;
    g_autofree char *json = g_strndup(text, size);
    g_autoptr(json_t) config = NULL;
    if (json_parse_text(g_strdelimit(json, "'", '"'), &config, NULL))
        set_main_branch(self, config);
}

/*
 * The end of the directive at `at`, a `%%{`; `at` when it is none. Its content is a name and, after
 * an optional colon, either one word or anything up to `}%%`.
 */
static size_t directive_end(MmdClean *self, size_t at)
{
    const GString *text = self->text;
    size_t name = skip_white(text, at + 3), name_end = skip_word(text, name);
    if (name_end == name)
        return at;

    size_t value = skip_white(text, name_end);
    if (value < text->len && text->str[value] == ':')
        value = skip_white(text, value + 1);
    size_t end = skip_word(text, value);
    if (end == value) {
        const char *close = g_strstr_len(text->str + value, (gssize)(text->len - value), "}%%");
        if (!close && !self->has_open_directive) {
            self->has_open_directive = true;
            self->open_directive_at = origin_at(self, at);
        }
        end = close != NULL ? (size_t)(close - text->str) : text->len;
        g_autofree char *word = g_strndup(text->str + name, name_end - name);
        read_init(self, word, text->str + value, end - value);
    }
    end = skip_white(text, end);
    return stands_at(text, end, "}%%") ? end + 3 : end;
}

static void remove_directives(MmdClean *self)
{
    Piece kept = piece_new(self->text->len);
    size_t done = 0;
    const char *found;
    for (size_t at = 0;
         (found = g_strstr_len(self->text->str + at, (gssize)(self->text->len - at), "%%{"));) {
        size_t start = (size_t)(found - self->text->str);
        size_t end = directive_end(self, start);
        if (end == start) {
            at = start + 1;
            continue;
        }
        keep(self, done, start, &kept);
        done = at = end;
    }
    keep(self, done, self->text->len, &kept);
    replace_with(self, kept);
}

/* Comment lines with the blank lines before them, and all white space at the start. A `%%` with
   nothing after it stays. */
static void remove_comment_lines(MmdClean *self)
{
    const GString *text = self->text;
    Piece kept = piece_new(text->len);
    size_t at = 0;
    while (at < text->len) {
        size_t ink = skip_white(text, at), line_end = line_end_of(text, ink);
        bool is_comment =
            stands_at(text, ink, "%%") && line_end > ink + 2 && text->str[ink + 2] != '{';
        size_t next = MIN(line_end + 1, text->len);
        if (!is_comment)
            keep(self, kept.text->len == 0 ? ink : at, next, &kept);
        at = next;
    }
    replace_with(self, kept);
}

/* In a `style` or `classDef` line with a `#colour`, the last semicolon is dropped. */
static size_t dropped_semicolon(const GString *text, size_t start, size_t end, const char *word)
{
    const char *found = g_strstr_len(text->str + start, (gssize)(end - start), word);
    if (!found)
        return end;
    bool is_in_value = false;
    for (size_t at = (size_t)(found - text->str) + strlen(word); at < end; at++) {
        if (text->str[at] == ':')
            is_in_value = true;
        else if (mmd_white_size(text->str + at, text->str + end) > 0)
            is_in_value = false;
        else if (text->str[at] == '#' && is_in_value) {
            const char *last = g_strrstr_len(text->str + at, (gssize)(end - at), ";");
            return last != NULL ? (size_t)(last - text->str) : end;
        }
    }
    return end;
}

static void remove_style_semicolons(MmdClean *self, const char *word)
{
    const GString *text = self->text;
    Piece kept = piece_new(text->len);
    for (size_t at = 0; at < text->len;) {
        size_t end = line_end_of(text, at), next = MIN(end + 1, text->len);
        size_t dropped = dropped_semicolon(text, at, end, word);
        keep(self, at, dropped, &kept);
        if (dropped < end)
            keep(self, dropped + 1, next, &kept);
        else
            keep(self, end, next, &kept);
        at = next;
    }
    replace_with(self, kept);
}

static void mark_entities(GString *text)
{
    for (size_t at = 0; at < text->len; at++) {
        if (text->str[at] != '#')
            continue;
        size_t end = skip_word(text, at + 1);
        if (end == at + 1 || end >= text->len || text->str[end] != ';')
            continue;
        text->str[at] = MMD_ENTITY_OPEN;
        text->str[end] = MMD_ENTITY_CLOSE;
        at = end;
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
