/*
 * Checks quadrant charts (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_lines.h"

enum { // signs are their own kinds: - : , #
    QUADRANT_SPACE = MMD_KINDS,
    QUADRANT_AXIS,   // x-axis, y-axis
    QUADRANT_NUMBER, // quadrant-1 … quadrant-4
    QUADRANT_ARROW,  // -->
    QUADRANT_CLASS_DEF,
    QUADRANT_STRING,
    QUADRANT_CLASS, // :::name
    QUADRANT_POINT, // : [x, y], whole
    QUADRANT_HEADER,
    QUADRANT_WORD // a letter run, digits, or one of !$%'?/ … : what names are made of
};

/* `0`, `1`, `0.25`; nothing else, and no sign. The point may be any character. */
#define COORDINATE "\\s*(0([^\n]\\d+)?|1)(?![.\\d])\\s*"

static const MmdTokenRule comments[] = {
    { MMD_NOTHING, "%%.*|" MMD_ODD_COMMENT("%%") },
    { MMD_NEWLINE, "\n+" }, // or a semicolon
    { MMD_WHOLE, "(?i)title\\>.*" },
    { 0 },
};

/* Blanks around some words belong to the token. */
static const MmdTokenRule rules[] = {
    { QUADRANT_ARROW, " *--+> *" },
    { QUADRANT_AXIS, "(?i) *(x|y)-axis *" },
    { QUADRANT_NUMBER, "(?i) *quadrant-[1-4] *" },
    { QUADRANT_HEADER, "(?i) *quadrantChart *" },
    { QUADRANT_CLASS_DEF, "(?i)classDef\\>" },
    { QUADRANT_STRING, "\"`[^`\"]+`\"" },
    { MMD_NOTHING, "\"``\"" },
    { MMD_BROKEN, "\"`[^`\"]*$" },
    { MMD_BAD, "\"`[^`\"]*" },
    { QUADRANT_STRING, "\"[^\"]+\"" },
    { MMD_NOTHING, "\"\"" },
    { MMD_BROKEN, "\"[^\"]*$" },
    { QUADRANT_CLASS, ":::\\w+" },
    { MMD_BAD, "(?=:::)" },
    { QUADRANT_POINT, "\\s*:\\s*\\[" COORDINATE "," COORDINATE "\\] *" },
    { MMD_BROKEN, "\\s*:\\s*\\[" },
    { QUADRANT_WORD, "[A-Za-z]+|\\d+|[\\u\\e]+|[!$%&'*+.=`?\\\\_/]" },
    { '-', "-+" }, // not one by one, of which each would look for the arrow's end
    { ':', ":" },
    { ',', "," },
    { '#', "#" },
    { MMD_NEWLINE, ";" },
    { QUADRANT_SPACE, "[ \t\v\f]+" }, // white space beyond ASCII is part of a name
    { MMD_BAD, "(?=.|\n)" },
    { 0 },
};

// ---- tokens ----

/* After `: [`: what is wrong with the place. */
static void fail_point(MmdParser *p)
{
    const char *opened = p->at - 1, *expected = "a number from 0 to 1, such as 0.5 (1, not 1.0)";
    if (mmd_skip(p, COORDINATE) && !mmd_skip(p, ","))
        expected = "','";
    else if (p->at[-1] == ',' && mmd_skip(p, COORDINATE))
        expected = "']'";
    mmd_skip(p, "\\s*");
    const char *where = p->at;
    while (where > opened + 1 && g_ascii_isspace(where[-1])) // it is missing at the end of a line
        where--;
    mmd_fail_open(p, where, opened, "write the place as [0.3, 0.6], both from 0 to 1",
                  "expected %s, found %s", expected, mmd_found(p, where));
}

static void read_token(MmdParser *p)
{
    do {
        bool is_label = false;
        const char *start = p->at;
        if (mmd_at_end(p))
            mmd_read_to(p, MMD_END, start);
        else if (mmd_read_rule(p, comments, 0))
            continue;
        else if (!lines_take_accessibility(p, &is_label))
            p->token = (MmdToken) { .kind = MMD_BROKEN, .start = start, .stop = start };
        else if (is_label)
            p->token = (MmdToken) { .kind = MMD_WHOLE, .start = start, .stop = p->at };
        else if (mmd_read_rule(p, rules, 0) && mmd_is(p, MMD_BAD))
            p->token.start = p->at;
        else if (mmd_is(p, MMD_BROKEN) && *start == '"')
            mmd_fail_open(p, p->end, start, NULL, "expected '\"' to close the text");
        else if (mmd_is(p, MMD_BROKEN))
            fail_point(p);
    } while (mmd_is(p, MMD_NOTHING));
}

static bool mmd_quadrant_expected(MmdParser *p, const char *what)
{
    const char *at = p->token.start;
    return !mmd_is(p, MMD_BROKEN) &&
           mmd_fail(p, MMD_SYNTAX, at, "expected %s, found %s", what, mmd_found(p, at));
}

// ---- statements ----

static bool is_text_part(const MmdParser *p)
{
    return mmd_is_any(p, MMD_ANY(QUADRANT_WORD, ',', '#'));
}

/* A name: words, or a quoted text and words. */
static bool take_text(MmdParser *p, const char *what)
{
    if (!mmd_is(p, QUADRANT_STRING) && !is_text_part(p))
        return mmd_need_other(p, "%s", what);
    do {
        mmd_advance(p);
    } while (is_text_part(p) || mmd_is_any(p, MMD_ANY(QUADRANT_SPACE, '-')));
    return true;
}

static bool is_hex_colour(const char *value)
{
    size_t mark = *value == '#' ? 1 : 0;
    size_t digits = strspn(value + mark, "0123456789abcdefABCDEF");
    return (digits == 3 || digits == 6) && value[mark + digits] == '\0';
}

static bool is_number(const char *value, const char *unit)
{
    size_t digits = strspn(value, "0123456789");
    return digits > 0 && strcmp(value + digits, unit) == 0;
}

/* One `key: value` of a point or a class; `text` is changed. */
static bool check_style(MmdParser *p, const char *where, char *text)
{
    g_strdelimit(text, "\x01", '#');
    g_auto(GStrv) parts = g_strsplit(text, ":", -1);
    const char *key = parts[0] ? g_strstrip(parts[0]) : "";
    const char *value = parts[0] && parts[1] ? g_strstrip(parts[1]) : "";
    bool is_colour = strcmp(key, "color") == 0 || strcmp(key, "stroke-color") == 0;
    if (is_colour)
        return is_hex_colour(value) ||
               mmd_fail(p, MMD_SEMANTIC, where, "%s must be a hex colour such as #f96, not '%s'",
                        key, value);
    if (strcmp(key, "radius") == 0)
        return is_number(value, "") ||
               mmd_fail(p, MMD_SEMANTIC, where, "radius must be a number, not '%s'", value);
    if (strcmp(key, "stroke-width") == 0)
        return is_number(value, "px") ||
               mmd_fail(p, MMD_SEMANTIC, where,
                        "stroke-width must be a number of pixels such as 2px, not '%s'", value);
    return mmd_fail(p, MMD_SEMANTIC, where,
                    "'%s' is no style of a point: radius, color, stroke-color, stroke-width", key);
}

/* `radius: 5, color: #f96`. */
static bool take_styles(MmdParser *p)
{
    do {
        const char *start = p->token.start;
        g_autoptr(GString) text = g_string_new(NULL);
        for (; mmd_is_any(p, MMD_ANY(QUADRANT_WORD, ':', QUADRANT_SPACE, '#', '-')); mmd_advance(p))
            g_string_append_len(text, p->token.start, p->token.stop - p->token.start);
        if (text->len == 0)
            return mmd_need_other(p, "a style such as radius: 5");
        if (!check_style(p, start, text->str))
            return false;
    } while (mmd_accept(p, ','));
    return true;
}

static bool take_class_def(MmdParser *p)
{
    mmd_advance(p);
    if (!mmd_is(p, QUADRANT_SPACE) || p->token.stop - p->token.start != 1)
        return mmd_need_other(p, "one blank after classDef");
    mmd_advance(p);
    const char *name = p->token.start;
    while (is_text_part(p) || mmd_is_any(p, MMD_ANY(':', '-')))
        mmd_advance(p);
    if (p->token.start == name)
        return mmd_need_other(p, "the name of a class");
    return mmd_need(p, QUADRANT_SPACE, "a blank and styles after the name of the class") &&
           take_styles(p);
}

static bool take_point(MmdParser *p)
{
    if (!take_text(p, "a point, an axis, a quadrant or a title"))
        return false;
    mmd_accept(p, QUADRANT_CLASS);
    if (!mmd_need(p, QUADRANT_POINT, "': [x, y]' after the name of the point"))
        return mmd_is(p, MMD_BAD) &&
               mmd_hint(p, "put a name with other characters in double quotes");
    return mmd_is_line_end(p) || take_styles(p);
}

static bool take_axis(MmdParser *p)
{
    mmd_advance(p);
    return take_text(p, "the text of the axis") &&
           (!mmd_accept(p, QUADRANT_ARROW) || mmd_is_line_end(p) ||
            take_text(p, "the text of its other end"));
}

static bool take_statement(MmdParser *p)
{
    while (mmd_accept(p, QUADRANT_SPACE))
        continue;
    switch (p->token.kind) {
    case MMD_NEWLINE:
    case MMD_END:
        return true;
    case MMD_WHOLE:
        return mmd_advance(p);
    case QUADRANT_CLASS_DEF:
        return take_class_def(p);
    case QUADRANT_AXIS:
        return take_axis(p);
    case QUADRANT_NUMBER:
        return mmd_advance(p) && take_text(p, "the text of the quadrant");
    default:
        return take_point(p);
    }
}

bool mmd_parse_quadrant(MmdParser *p)
{
    static const MmdGrammar grammar = { read_token, mmd_quadrant_expected };
    p->grammar = &grammar;
    mmd_skip(p, " *");
    do {
        mmd_advance(p);
        if (!take_statement(p))
            return false;
    } while (mmd_is(p, MMD_NEWLINE));
    if (mmd_is(p, MMD_END))
        return true;
    const char *at = p->token.start;
    mmd_need_other(p, "the end of the line");
    return (*at == '-' || (at > p->text && at[-1] == '-')) && mmd_hint(p, "use -->");
}
