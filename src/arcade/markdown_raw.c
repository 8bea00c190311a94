/*
 * Blocks of raw HTML, token by token (markdown_raw.h).
 */
#include "arcade/markdown_raw.h"

#include "arcade/markdown_link.h"

typedef enum { TAG_NONE, TAG_BREAK, TAG_DETAILS, TAG_DETAILS_END, TAG_SUMMARY } Tag;

typedef struct Token {
    Tag tag;
    bool is_open;       // of <details open>
    const char *inside; // of a summary
    size_t inside_size;
    const char *end; // behind it
} Token;

static bool is_tag(const char *at, const char *end, const char *name, const char **ret_end)
{
    size_t size = strlen(name);
    if ((size_t)(end - at) < size || g_ascii_strncasecmp(at, name, size) != 0)
        return false;
    at += size;
    while (at < end && (g_ascii_isspace(*at) || *at == '/'))
        at++;
    if (at == end || *at != '>')
        return false;
    *ret_end = at + 1;
    return true;
}

/* <summary>text</summary>; what is inside is text, whatever it looks like. */
static bool is_summary(const char *at, const char *end, Token *ret_token)
{
    const char *inside = NULL;
    if (at >= end || !is_tag(at, end, "<summary", &inside))
        return false;
    for (const char *close = inside; close < end; close++) {
        const char *after = NULL;
        if (*close == '<' && is_tag(close, end, "</summary", &after)) {
            *ret_token = (Token) { .tag = TAG_SUMMARY,
                                   .inside = inside,
                                   .inside_size = (size_t)(close - inside),
                                   .end = after };
            return true;
        }
    }
    return false;
}

/* `summaries`: behind the last </summary>, so that none is looked for where there is none. */
static Token token_at(const char *at, const char *end, const char *summaries)
{
    Token token = { 0 };
    if (is_tag(at, end, "<br", &token.end))
        token.tag = TAG_BREAK;
    else if (is_tag(at, end, "<details", &token.end))
        token.tag = TAG_DETAILS;
    else if (is_tag(at, end, "<details open", &token.end) ||
             is_tag(at, end, "<details open=\"\"", &token.end))
        token = (Token) { .tag = TAG_DETAILS, .is_open = true, .end = token.end };
    else if (is_tag(at, end, "</details", &token.end))
        token.tag = TAG_DETAILS_END;
    else
        is_summary(at, summaries, &token);
    return token;
}

bool raw_is_break(const char *text, size_t size)
{
    const char *end = NULL;
    return is_tag(text, text + size, "<br", &end) && end == text + size;
}

static size_t count_lines(const char *from, const char *to)
{
    size_t count = 0;
    for (; from < to; from++)
        count += *from == '\n';
    return count;
}

static bool is_blank(const char *from, const char *to)
{
    for (; from < to; from++)
        if (!g_ascii_isspace(*from))
            return false;
    return true;
}

/* An element with text; its lines are known. */
static void put_element(Html *self, const char *tag, const char *rest, const char *from,
                        const char *to, size_t line)
{
    html_begin_block(self, tag);
    html_put(self, rest);
    html_escape(self->out, from, (size_t)(to - from));
    if (line > 0)
        lines_add(self->lines, (Span) { line, line + count_lines(from, to - (to > from)) });
    html_end_block(self, NULL);
    g_string_append_printf(self->out, "</%s>\n", tag);
}

static void put_text(Html *self, const char *from, const char *to, size_t line)
{
    if (!is_blank(from, to))
        put_element(self, "pre", " class=\"html\">", from, to, line);
}

static bool has_details_here(const Html *self)
{
    unsigned count = self->details->len;
    return count > 0 && g_array_index(self->details, unsigned, count - 1) == self->open->len;
}

static void end_innermost(Html *self)
{
    html_put(self, "</details>\n");
    g_array_set_size(self->details, self->details->len - 1);
}

void raw_end_details(Html *self)
{
    while (has_details_here(self))
        end_innermost(self);
}

/* False when it is only text here. */
static bool put_token(Html *self, const Token *token, size_t line)
{
    switch (token->tag) {
    case TAG_BREAK:
        html_put(self, "<br>\n");
        return true;
    case TAG_DETAILS:
        html_put(self, token->is_open ? "<details open>\n" : "<details>\n");
        g_array_append_val(self->details, self->open->len);
        return true;
    case TAG_DETAILS_END:
        if (!has_details_here(self))
            return false;
        end_innermost(self);
        return true;
    case TAG_SUMMARY:
        if (!has_details_here(self))
            return false;
        put_element(self, "summary", ">", token->inside, token->inside + token->inside_size, line);
        return true;
    default:
        return false;
    }
}

/* Behind the last end of a summary; the start when there is none. */
static const char *last_summary(const GString *raw)
{
    for (size_t at = raw->len; at > 0; at--) {
        const char *after = NULL;
        if (raw->str[at - 1] == '<' &&
            is_tag(raw->str + at - 1, raw->str + raw->len, "</summary", &after))
            return after;
    }
    return raw->str;
}

void raw_begin(Html *self)
{
    self->raw = g_string_new(NULL);
    self->raw_line = 0;
}

void raw_add(Html *self, const char *text, size_t size)
{
    size_t line = lines_at(self->lines, text);
    if (self->raw_line == 0 && line > 0)
        self->raw_line = line - count_lines(self->raw->str, self->raw->str + self->raw->len);
    g_string_append_len(self->raw, text, (gssize)size);
}

void raw_end(Html *self)
{
    g_autoptr(GString) raw = g_steal_pointer(&self->raw);
    const char *end = raw->str + raw->len, *text = raw->str, *summaries = last_summary(raw);
    bool is_known = self->raw_line > 0;
    size_t line = self->raw_line, text_line = line; // of `at`, and of `text`
    for (const char *at = raw->str; at < end;) {
        Token token = *at == '<' ? token_at(at, end, summaries) : (Token) { 0 };
        if (token.tag == TAG_NONE) {
            line += is_known && *at == '\n';
            at++;
            continue;
        }
        put_text(self, text, at, text_line);
        bool is_done = put_token(self, &token, line);
        text = is_done ? token.end : at;
        text_line = line;
        line += is_known ? count_lines(at, token.end) : 0;
        if (is_done)
            text_line = line;
        at = token.end;
    }
    put_text(self, text, end, text_line);
}
