/*
 * Comments in Markdown (hidden_markdown.h). A parser says which bytes are code, which are HTML and
 * which are no text at all; what begins and ends a comment is then looked for byte by byte, also
 * where the text around a removed comment makes another.
 */
#include "base/hidden_markdown.h"

#include "base/str.h"

#include <glib.h>
#include <md4c.h>
#include <string.h>

#define COMMENT_START "<!--"
#define COMMENT_END   "-->"

enum { BYTE_UNSEEN, BYTE_TEXT, BYTE_HTML, BYTE_CODE };

typedef struct Scan {
    const char *text;
    size_t size;
    unsigned char *kinds; // of each byte
} Scan;

// ---- the parser ----

static int on_text(MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *scan_)
{
    Scan *self = scan_;
    bool is_ours = text >= self->text && text + size <= self->text + self->size;
    int kind = type == MD_TEXT_CODE ? BYTE_CODE : type == MD_TEXT_HTML ? BYTE_HTML : BYTE_TEXT;
    if (is_ours)
        memset(self->kinds + (text - self->text), kind, size);
    return 0;
}

static int on_span(MD_SPANTYPE type G_GNUC_UNUSED, void *detail G_GNUC_UNUSED,
                   void *scan G_GNUC_UNUSED)
{
    return 0;
}

static int on_block(MD_BLOCKTYPE type G_GNUC_UNUSED, void *detail G_GNUC_UNUSED,
                    void *scan G_GNUC_UNUSED)
{
    return 0;
}

static void scan_clear(Scan *self)
{
    g_free(self->kinds);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scan, scan_clear)

static Scan scan_begin(const char *text, bool has_code)
{
    size_t size = strlen(text);
    Scan self = { .text = text, .size = size, .kinds = g_malloc0(size + 1) };
    const MD_PARSER parser = {
        .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS,
        .enter_block = on_block,
        .leave_block = on_block,
        .enter_span = on_span,
        .leave_span = on_span,
        .text = on_text,
    };
    if (has_code)
        md_parse(text, (MD_SIZE)size, &parser, &self);
    return self;
}

// ---- <!-- … --> ----

static bool ends_with(const GString *text, size_t from, const char *end)
{
    size_t size = strlen(end);
    return text->len >= from + size && memcmp(text->str + text->len - size, end, size) == 0;
}

/* `\<` in a paragraph is a character that is shown; in HTML the backslash says nothing. */
static bool is_escaped(const Scan *self, const GString *out, size_t at)
{
    size_t slashes = 0, start = out->len - strlen(COMMENT_START);
    while (slashes < start && out->str[start - 1 - slashes] == '\\')
        slashes++;
    return self->kinds[at] == BYTE_TEXT && slashes % 2 == 1;
}

/* Where a comment begins that is empty at once: `<!-->`, `<!--->`; how long the rest of it is. */
static size_t rest_of_empty(const char *rest)
{
    return str_has_prefix(rest, ">") ? 1 : str_has_prefix(rest, "->") ? 2 : 0;
}

/* Takes the comment off that begins at `open`; how many bytes it was, when it had several lines. */
static size_t take_comment(GString *out, gssize open)
{
    const char *comment = out->str + open;
    size_t size = strchr(comment, '\n') ? strlen(comment) : 0;
    g_string_truncate(out, (gsize)open);
    return size;
}

/* `<? … ?>`, `<![CDATA[ … ]]>` and `<!WORD … >` of HTML: a browser shows none of it. How long what
   begins at `at` is, at most to the end of the HTML; 0: nothing of the kind does. */
static size_t instruction_size(const Scan *self, size_t at)
{
    const char *text = self->text + at;
    const char *end = str_has_prefix(text, "<?")                               ? "?>"
                      : str_has_prefix(text, "<![CDATA[")                      ? "]]>"
                      : str_has_prefix(text, "<!") && g_ascii_isalpha(text[2]) ? ">"
                                                                               : NULL;
    if (!end || self->kinds[at] != BYTE_HTML)
        return 0;
    size_t size = 0;
    while (at + size < self->size && self->kinds[at + size] <= BYTE_HTML &&
           self->kinds[at + size] != BYTE_TEXT) {
        if (str_has_prefix(text + size, end))
            return size + strlen(end);
        size++;
    }
    return size;
}

static char *scan_remove_html(const Scan *self, size_t *count, size_t *long_bytes)
{
    GString *out = g_string_sized_new(self->size);
    gssize open = -1; // where in `out` the comment began that has not ended
    for (size_t at = 0; at < self->size; at++) {
        bool is_code = self->kinds[at] == BYTE_CODE, is_end = false;
        size_t instruction = open < 0 ? instruction_size(self, at) : 0;
        if (instruction > 0) {
            (*count)++;
            at += instruction - 1;
            continue;
        }
        g_string_append_c(out, self->text[at]);
        if (open >= 0) {
            is_end = ends_with(out, (size_t)open + strlen(COMMENT_START), COMMENT_END);
        } else if (!is_code && ends_with(out, 0, COMMENT_START) && !is_escaped(self, out, at)) {
            size_t rest = rest_of_empty(self->text + at + 1);
            open = (gssize)(out->len - strlen(COMMENT_START));
            is_end = rest > 0;
            at += rest;
            (*count)++;
        }
        if (is_end) {
            *long_bytes += take_comment(out, open);
            open = -1;
        }
    }
    if (open >= 0)
        *long_bytes += take_comment(out, open);
    return g_string_free(out, FALSE);
}

// ---- [//]: # (…) ----

static bool is_unseen(const Scan *self, size_t from, size_t to)
{
    for (; from < to; from++)
        if (self->kinds[from] != BYTE_UNSEEN)
            return false;
    return true;
}

static size_t skip_blanks(const char *text, size_t at, size_t end)
{
    while (at < end && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
        at++;
    return at;
}

static size_t line_end(const Scan *self, size_t at)
{
    const char *newline = memchr(self->text + at, '\n', self->size - at);
    return newline ? (size_t)(newline - self->text) : self->size;
}

/* A definition of a link that leads nowhere says something in its title only. Where that would
   begin; 0: it is none. */
static size_t comment_target_end(const Scan *self, size_t at, size_t end)
{
    const char *text = self->text;
    size_t label = skip_blanks(text, at, end);
    const char *close =
        label < end && text[label] == '[' ? memchr(text + label, ']', end - label) : NULL;
    if (!close || close + 1 >= text + end || close[1] != ':')
        return 0;
    size_t target = skip_blanks(text, (size_t)(close - text) + 2, end);
    size_t size = target < end && text[target] == '#'                                  ? 1
                  : target + 1 < end && text[target] == '<' && text[target + 1] == '>' ? 2
                                                                                       : 0;
    size_t after = target + size;
    bool is_whole = size > 0 && (after == end || g_ascii_isspace(text[after]));
    return is_whole && is_unseen(self, at, end) ? after : 0;
}

/* The end of the line in which the title ends, which can have several. */
static size_t comment_end(const Scan *self, size_t at, size_t end)
{
    const char *text = self->text;
    at = skip_blanks(text, at, end);
    bool is_below = at == end && end < self->size;
    at = is_below ? skip_blanks(text, end + 1, self->size) : at;
    if (at >= self->size || !strchr("(\"'", text[at]))
        return end;
    char quote = text[at] == '(' ? ')' : text[at];
    const char *close = memchr(text + at + 1, quote, self->size - at - 1);
    size_t last = close ? line_end(self, (size_t)(close - text)) : end;
    return is_unseen(self, end, last) ? last : end;
}

static char *scan_remove_definitions(const Scan *self, size_t *count)
{
    GString *out = g_string_sized_new(self->size);
    for (size_t at = 0; at < self->size;) {
        size_t end = line_end(self, at), title = comment_target_end(self, at, end);
        if (title > 0) {
            (*count)++;
            end = comment_end(self, title, end);
        } else {
            g_string_append_len(out, self->text + at, (gssize)(MIN(end + 1, self->size) - at));
        }
        at = end + 1;
    }
    return g_string_free(out, FALSE);
}

// ---- both ----

char *hidden_markdown_remove(const char *text, bool has_code, size_t *count, size_t *long_bytes)
{
    g_autofree char *rest = NULL;
    if (strstr(text, "]:")) {
        g_auto(Scan) scan = scan_begin(text, has_code);
        rest = scan_remove_definitions(&scan, count);
    }
    const char *left = rest ? rest : text;
    if (!strstr(left, "<!") && !strstr(left, "<?"))
        return rest ? g_steal_pointer(&rest) : g_strdup(text);
    g_auto(Scan) scan = scan_begin(left, has_code);
    return scan_remove_html(&scan, count, long_bytes);
}
