/*
 * Matches the patterns of tokens (mmd_parser.h), which are read where they are written: a pattern
 * is never compiled, so tables of them are constant. No choice is taken back, which bounds the time
 * by the text's length.
 */
#include "agenttools/mermaid/mmd_parser.h"

#include "base/utf8.h"

typedef struct Matcher {
    const char *end; // of the text
    bool ignores_case;
} Matcher;

size_t mmd_white_size(const char *at, const char *end)
{
    if (at >= end)
        return 0;
    unsigned char first = (unsigned char)*at;
    if (first < 0x80)
        return first == ' ' || (first >= '\t' && first <= '\r') ? 1 : 0;

    gunichar c = g_utf8_get_char(at);
    return utf8_is_white(c) ? (size_t)(g_utf8_next_char(at) - at) : 0;
}

const char *mmd_skip_white(const char *at, const char *end)
{
    size_t size;
    while ((size = mmd_white_size(at, end)) > 0)
        at += size;
    return at;
}

const char *mmd_line_end(const char *at, const char *end)
{
    const char *found = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return found ? found : end;
}

const char *mmd_trim_end(const char *start, const char *stop)
{
    while (stop > start && mmd_white_size(g_utf8_prev_char(stop), stop) > 0)
        stop = g_utf8_prev_char(stop);
    return stop;
}

/* The end of the choice that begins at `pattern`, or goes on there: a `|`, a `)` or the end. */
static const char *choice_end(const char *pattern)
{
    for (unsigned depth = 0;; pattern++) {
        if (*pattern == '\\')
            pattern++;
        else if (*pattern == '[')
            while (*++pattern != ']')
                pattern += *pattern == '\\';
        else if (*pattern == '(')
            depth++;
        else if (*pattern == '\0' || (depth == 0 && (*pattern == '|' || *pattern == ')')))
            return pattern;
        else if (*pattern == ')')
            depth--;
    }
}

/* The end of the item at `item`: a character, an escape, a set or a group. */
static const char *item_end(const char *item)
{
    if (*item == '[') {
        while (*++item != ']')
            item += *item == '\\';
    } else if (*item == '(') {
        do {
            item = choice_end(item + 1);
        } while (*item == '|');
    } else if (*item == '\\') {
        item++;
    }
    return item + 1;
}

static bool is_word_char(char c)
{
    return g_ascii_isalnum(c) || c == '_';
}

static bool is_letter(gunichar c)
{
    return c >= 0x80 && c <= 0xffff && g_unichar_isalpha(c);
}

/* Does the escape `\name` stand for the character at `at`? */
static bool escape_has(const Matcher *self, char name, const char *at)
{
    switch (name) {
    case 's':
        return mmd_white_size(at, self->end) > 0;
    case 'h':
        return *at != '\n' && mmd_white_size(at, self->end) > 0;
    case 'd':
        return g_ascii_isdigit(*at);
    case 'w':
        return is_word_char(*at);
    case 'e':
        return *at == MMD_ENTITY_OPEN || *at == MMD_ENTITY_CLOSE;
    case 'u':
        return (unsigned char)*at >= 0x80;
    case 'x':
        return (unsigned char)*at >= 0x80 && g_utf8_get_char(at) >= 0xc0;
    case 'b':
        return g_utf8_get_char(at) <= 0xffff;
    case 'l':
        return is_letter(g_utf8_get_char(at));
    default:
        return *at == name;
    }
}

/* Does the set `[…]` hold the character at `at`? */
static bool set_has(const Matcher *self, const char *set, const char *at)
{
    bool is_inverse = *++set == '^';
    set += is_inverse;
    while (*set != ']') {
        bool has_it;
        if (*set == '\\') {
            has_it = escape_has(self, set[1], at);
            set += 2;
        } else if (set[1] == '-') {
            has_it = *at >= set[0] && *at <= set[2];
            set += 3;
        } else {
            has_it = *at == *set++;
        }
        if (has_it)
            return !is_inverse;
    }
    return is_inverse;
}

static const char *match_choice(const Matcher *self, const char *pattern, const char *at);

/* The place after one item of the pattern; NULL: something else is there. */
static const char *match_item(const Matcher *self, const char *item, const char *at)
{
    if (*item == '(' && item[1] == '?')
        return !match_choice(self, item + 3, at) == (item[2] == '!') ? at : NULL;
    if (*item == '(')
        return match_choice(self, item + 1, at);
    if (*item == '\\' && item[1] == '>')
        return at < self->end && is_word_char(*at) ? NULL : at;
    if (*item == '$')
        return at >= self->end ? at : NULL;
    if (at >= self->end)
        return NULL;

    bool fits;
    if (*item == '[')
        fits = set_has(self, item, at);
    else if (*item == '\\')
        fits = escape_has(self, item[1], at);
    else if (*item == '.')
        fits = *at != '\n';
    else
        fits =
            *at == *item || (self->ignores_case && g_ascii_tolower(*at) == g_ascii_tolower(*item));
    return fits ? g_utf8_next_char(at) : NULL;
}

/* The items from *pattern up to the end of their choice; NULL: not all fit. */
static const char *match_items(const Matcher *self, const char **pattern, const char *at)
{
    while (**pattern != '\0' && **pattern != '|' && **pattern != ')') {
        const char *item = *pattern, *next = match_item(self, item, at);
        const char *sign = item_end(item);
        bool is_optional = *sign == '*' || *sign == '?';
        *pattern = sign + (is_optional || *sign == '+');
        if (!next && !is_optional)
            return NULL;
        if (*sign == '*' || *sign == '+') {
            for (const char *more = next; more && more > at;) {
                next = at = more;
                more = match_item(self, item, at);
            }
        }
        at = next ? next : at;
    }
    return at;
}

/* The first choice that fits. */
static const char *match_choice(const Matcher *self, const char *pattern, const char *at)
{
    for (;; pattern++) {
        const char *stop = match_items(self, &pattern, at);
        if (stop)
            return stop;
        if (!strchr(pattern, '|')) // most patterns: no other choice, even in a group around it
            return NULL;
        pattern = choice_end(pattern);
        if (*pattern != '|')
            return NULL;
    }
}

const char *mmd_match(const char *at, const char *end, const char *pattern)
{
    bool ignores_case = strncmp(pattern, "(?i)", 4) == 0;
    const Matcher matcher = { end, ignores_case };
    return match_choice(&matcher, pattern + (ignores_case ? 4 : 0), at);
}

const char *mmd_scan(const MmdParser *p, const char *at, const char *pattern)
{
    return mmd_match(at, p->end, pattern);
}

bool mmd_skip(MmdParser *p, const char *pattern)
{
    const char *stop = mmd_match(p->at, p->end, pattern);
    p->at = stop ? stop : p->at;
    return stop != NULL;
}

bool mmd_at_end(const MmdParser *p)
{
    return p->at >= p->end;
}

bool mmd_has_word(const MmdParser *p, const char *at, const char *word)
{
    size_t size = strlen(word);
    return (size_t)(p->end - at) >= size && g_ascii_strncasecmp(at, word, size) == 0 &&
           mmd_scan(p, at + size, "\\>");
}
