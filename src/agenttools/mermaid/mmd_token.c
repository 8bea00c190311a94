/*
 * Reads tokens by tables of rules, and keeps the open blocks (mmd_parser.h).
 */
#include "agenttools/mermaid/mmd_parser.h"
#include "base/str.h"

#include <stdarg.h>

void mmd_read_to(MmdParser *p, int kind, const char *stop)
{
    p->token = (MmdToken) { .kind = kind, .start = p->at, .stop = stop };
    p->at = stop;
}

/* The end of the white space at p->at; each run of it is looked at once. */
static const char *white_end(MmdParser *p)
{
    if (!p->white_end || p->at < p->white_start || p->at > p->white_end) {
        p->white_start = p->at;
        p->white_end = mmd_skip_white(p->at, p->end);
    }
    return p->white_end;
}

static const char *match_rule(MmdParser *p, const char *pattern)
{
    bool has_white = str_has_prefix(pattern, "\\s*");
    return has_white ? mmd_scan(p, white_end(p), pattern + 3) : mmd_scan(p, p->at, pattern);
}

static void change_mode(MmdParser *p, unsigned then)
{
    if (then & MMD_CLOSE && p->mode_count > 0)
        p->mode_count--;
    unsigned opened = then & ~MMD_CLOSE;
    if (opened != 0 && p->mode_count < MMD_MODES_MAX) {
        p->modes[p->mode_count++] = opened;
    } else if (opened != 0) {
        p->at = p->token.start;
        mmd_read_to(p, MMD_BAD, p->at);
    }
}

bool mmd_read_rule(MmdParser *p, const MmdTokenRule *rules, unsigned mode)
{
    for (; rules->kind != 0; rules++) {
        bool counts = rules->modes == 0 || (rules->modes & mode) != 0;
        const char *stop = counts ? match_rule(p, rules->pattern) : NULL;
        if (!stop)
            continue;
        mmd_read_to(p, rules->kind, stop);
        change_mode(p, rules->then);
        return true;
    }
    return false;
}

void mmd_read_any(MmdParser *p, const MmdTokenRule *rules, unsigned mode)
{
    if (!mmd_read_rule(p, rules, mode))
        mmd_read_to(p, (unsigned char)*p->at, g_utf8_next_char(p->at));
}

bool mmd_read_accessibility(MmdParser *p, bool ignores_case)
{
    static const char *const forms[][3] = {
        { "acc(Title|Descr)\\s*:\\s*.*", "accDescr\\s*{", "accDescr\\s*{[^}]*}" },
        { "(?i)acc(Title|Descr)\\s*:\\s*.*", "(?i)accDescr\\s*{", "(?i)accDescr\\s*{[^}]*}" },
    };
    const char *const *form = forms[ignores_case];
    const char *line = mmd_scan(p, p->at, form[0]), *open = mmd_scan(p, p->at, form[1]);
    if (!line && !open)
        return false;
    const char *stop = line ? line : mmd_scan(p, p->at, form[2]);
    if (!stop)
        mmd_unclosed(p, open - 1, "accDescr", "'}'");
    else if (line == p->end)
        mmd_expected(p, line, "a text after 'accTitle:' or 'accDescr:'");
    mmd_read_to(p, stop && line != p->end ? MMD_WHOLE : MMD_BROKEN, stop ? stop : p->end);
    return true;
}

const char *mmd_direction(MmdParser *p, const char *pattern)
{
    if (p->no_direction && p->at < p->no_direction)
        return NULL;
    p->no_direction = mmd_line_end(p->at, p->end);
    for (const char *at = p->at; at < p->no_direction; at++) {
        const char *stop = mmd_scan(p, at, pattern);
        if (stop)
            return mmd_line_end(stop, p->end);
    }
    return NULL;
}

bool mmd_advance(MmdParser *p)
{
    p->last = p->token;
    p->grammar->read(p);
    return true;
}

bool mmd_is(const MmdParser *p, int kind)
{
    return p->token.kind == kind;
}

bool mmd_is_any(const MmdParser *p, const int *kinds)
{
    while (*kinds != 0 && *kinds != p->token.kind)
        kinds++;
    return *kinds != 0;
}

bool mmd_is_line_end(const MmdParser *p)
{
    return mmd_is(p, MMD_NEWLINE) || mmd_is(p, MMD_END);
}

char *mmd_token_text(const MmdToken *token)
{
    return g_strndup(token->start, (size_t)(token->stop - token->start));
}

bool mmd_accept(MmdParser *p, int kind)
{
    return mmd_is(p, kind) && mmd_advance(p);
}

bool mmd_need(MmdParser *p, int kind, const char *what)
{
    return mmd_accept(p, kind) || p->grammar->expected(p, what);
}

bool mmd_need_other(MmdParser *p, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return p->grammar->expected(p, what);
}

bool mmd_open_block(MmdParser *p, const char *opened)
{
    g_array_append_val(p->blocks, opened);
    return true;
}

const char *mmd_block(const MmdParser *p)
{
    guint count = p->blocks->len;
    return count > 0 ? g_array_index(p->blocks, const char *, count - 1) : NULL;
}

bool mmd_fail_close(MmdParser *p, const char *close)
{
    mmd_fail(p, MMD_SYNTAX, p->token.start, "%s closes nothing", close);
    return mmd_hint(p, "no open block to close");
}

bool mmd_close_block(MmdParser *p, const char *close)
{
    if (p->blocks->len == 0)
        return mmd_fail_close(p, close);
    g_array_set_size(p->blocks, p->blocks->len - 1);
    return mmd_advance(p);
}
