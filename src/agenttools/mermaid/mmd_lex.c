/*
 * What the lexers of all types are made of (mmd_lex.h).
 */
#include "agenttools/mermaid/mmd_lex.h"

#include "base/utf8.h"

#include <stdarg.h>

const char *mmd_match_direction(const char *at, const char *end, bool ignores_case)
{
    static const MmdRule directions[] = { { "TB" }, { "BT" }, { "RL" }, { "LR" }, { NULL } };
    unsigned how = ignores_case ? MMD_NOCASE : 0;
    const char *line_end = mmd_line_end(at, end);
    for (; at < line_end; at++) {
        const char *word_end = mmd_match_as(how, at, line_end, "direction");
        const char *value = word_end != NULL ? mmd_skip_white_from(word_end, end) : NULL;
        if (value != word_end && mmd_match_any(directions, how, value, end))
            return mmd_line_end(value, end);
    }
    return NULL;
}

bool mmd_match_accessibility(const char *at, const char *end, bool ignores_case,
                             MmdAccessibility *ret_found)
{
    unsigned how = ignores_case ? MMD_NOCASE : 0;
    const char *title = mmd_match_as(how, at, end, "accTitle");
    const char *description = mmd_match_as(how, at, end, "accDescr");
    const char *stop = title != NULL ? title : description;
    if (!stop)
        return false;
    stop = mmd_skip_white_from(stop, end);
    if (stop < end && *stop == ':') { // the text may begin on a later line
        stop = mmd_line_end(mmd_skip_white_from(stop + 1, end), end);
        *ret_found = (MmdAccessibility) { .stop = stop };
        return true;
    }
    if (!description || stop == end || *stop != '{')
        return false;
    const char *close = memchr(stop, '}', (size_t)(end - stop));
    *ret_found = (MmdAccessibility) { close != NULL ? close + 1 : end, stop, close == NULL };
    return true;
}

bool mmd_take_accessibility(MmdParser *p, bool *ret_taken)
{
    MmdAccessibility found;
    *ret_taken = mmd_match_accessibility(p->at, p->end, true, &found);
    if (*ret_taken && found.is_open)
        return mmd_fail_open(p, p->end, found.brace, NULL, "expected '}' to close accDescr");
    p->at = *ret_taken ? found.stop : p->at;
    return true;
}

bool mmd_take_strict_accessibility(MmdParser *p, const MmdAccessibility *found)
{
    p->at = found->stop;
    if (found->is_open)
        return mmd_unclosed(p, found->brace, "accDescr", "'}'");
    return found->brace != NULL || found->stop < p->end ||
           mmd_expected(p, found->stop, "a text after 'accTitle:' or 'accDescr:'");
}

const MmdRule *mmd_match_rule(const MmdRule *rules, unsigned how, unsigned mode, const char *at,
                              const char *end)
{
    for (; rules->literal; rules++) {
        bool counts = rules->modes == 0 || (rules->modes & mode) != 0;
        if (counts && mmd_match_as(how, at, end, rules->literal))
            return rules;
    }
    return NULL;
}

const char *mmd_match_any(const MmdRule *rules, unsigned how, const char *at, const char *end)
{
    const MmdRule *rule = mmd_match_rule(rules, how, 0, at, end);
    return rule != NULL ? at + strlen(rule->literal) : NULL;
}

bool mmd_match_token(const MmdRule *rules, unsigned how, unsigned mode, const char *at,
                     const char *end, MmdToken *ret_token)
{
    const MmdRule *rule = mmd_match_rule(rules, how, mode, at, end);
    if (!rule)
        return false;
    const char *stop = at + strlen(rule->literal);
    *ret_token = (MmdToken) { rule->kind, at, stop, how & MMD_WORDS ? rule->literal : NULL };
    return true;
}

const char *mmd_direction_here(MmdParser *p, bool ignores_case)
{
    if (p->no_direction && p->at < p->no_direction)
        return NULL;
    p->no_direction = mmd_line_end(p->at, p->end);
    return mmd_match_direction(p->at, p->end, ignores_case);
}

char *mmd_excerpt(const char *start, const char *stop)
{
    g_autofree char *text = g_strndup(start, (size_t)(stop - start));
    g_strdelimit(text, "\n", ' ');
    return utf8_ellipsize(text, MMD_FOUND_CHARS);
}

const char *mmd_blame(const MmdParser *p, const char *at)
{
    at = mmd_skip_blanks_from(at, p->end);
    if (at < p->end && *at != '\n')
        return at;
    const char *stop = mmd_trim_end(p->text, at);
    return stop > p->text ? g_utf8_prev_char(stop) : at;
}

/* Does the line of `at` begin as a Markdown fence? */
static bool is_in_fence_line(const MmdParser *p, const char *at)
{
    const char *start = mmd_skip_blanks_from(mmd_line_start(p, at), p->end);
    return mmd_match(start, p->end, "```") != NULL || mmd_match(start, p->end, "~~~") != NULL;
}

bool mmd_expected(MmdParser *p, const char *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    const char *place = mmd_blame(p, at);
    mmd_fail(p, MMD_SYNTAX, place, "expected %s, found %s", what, mmd_found(p, at));
    return is_in_fence_line(p, place) && mmd_hint(p, "Remove the Markdown fence");
}

bool mmd_expected_no_keyword(MmdParser *p, const char *at, const char *stop, const char *what)
{
    stop = mmd_trim_end(at, stop);
    return mmd_fail(p, MMD_SYNTAX, at, "expected %s, found the keyword '%.*s'", what,
                    (int)(stop - at), at);
}

bool mmd_unclosed(MmdParser *p, const char *opened, const char *what, const char *close)
{
    mmd_fail_open(p, mmd_blame(p, p->end), opened, NULL, "%s is not closed: expected %s", what,
                  close);
    return mmd_hint(p, "%s opened at line %zu is not closed", what, mmd_line_of(p, opened));
}

bool mmd_enter(MmdParser *p, const char *where)
{
    if (p->depth >= MMD_DEPTH_MAX)
        return mmd_fail(p, MMD_SYNTAX, where, "blocks are nested more than %d deep", MMD_DEPTH_MAX);
    p->depth++;
    return true;
}

void mmd_leave(MmdParser *p)
{
    g_assert(p->depth > 0);
    p->depth--;
}

bool mmd_begin(MmdParser *p, const char *header)
{
    if (!mmd_is_word_char(*p->at))
        return true;
    g_autofree char *expected =
        g_strdup_printf("a blank or the end of the line after '%s'", header);
    return mmd_unexpected(p, expected);
}
