/*
 * Quadrant charts (agent-tools-cli §8.7): tokens first, then the statements made of them.
 */
#include "agenttools/mermaid/mmd_lines.h"

typedef enum {
    Q_END,
    Q_BAD,      // no token begins like this
    Q_BROKEN,   // an error is recorded
    Q_LINE_END, // newlines, or ';'
    Q_SPACE,
    Q_TITLE, // with its text
    Q_ACCESSIBILITY,
    Q_AXIS,     // x-axis, y-axis
    Q_QUADRANT, // quadrant-1 … quadrant-4
    Q_ARROW,    // -->
    Q_CLASS_DEF,
    Q_STRING,
    Q_CLASS, // :::name
    Q_POINT, // : [x, y], whole
    Q_HEADER,
    Q_WORD, // a letter run, digits, or one of !$%'?/ … : what names are made of
    Q_DASH,
    Q_COLON,
    Q_COMMA,
    Q_HASH,
} QuadrantToken;

typedef struct Quadrant {
    MmdParser *p;
    QuadrantToken token; // the one that stands next, from `start` to p->at
    const char *start;
    const char *white_start, *white_end; // white space looked at last
} Quadrant;

// ---- tokens ----

static void skip_spaces(MmdParser *p)
{
    while (*p->at == ' ')
        p->at++;
}

/* Skips white space, line ends too; a run of it is looked at once. */
static void skip_white(Quadrant *q)
{
    MmdParser *p = q->p;
    if (!q->white_end || p->at < q->white_start || p->at > q->white_end) {
        q->white_start = p->at;
        mmd_skip_white(p);
        q->white_end = p->at;
    }
    p->at = q->white_end;
}

static bool take_rule(Quadrant *q, const MmdRule *rules, unsigned how)
{
    MmdToken token;
    if (!mmd_match_token(rules, how, 0, q->p->at, q->p->end, &token))
        return false;
    q->p->at = token.stop;
    q->token = token.kind;
    return true;
}

static bool lex_blank(Quadrant *q)
{
    MmdParser *p = q->p;
    size_t white = strspn(p->at, " \t\v\f"); // white space beyond ASCII is part of a name
    if (*p->at == '\n' || *p->at == '\r') {
        p->at += strspn(p->at, "\n\r");
        q->token = Q_LINE_END;
    } else if (*p->at == ';') {
        p->at++;
        q->token = Q_LINE_END;
    } else {
        p->at += white;
        q->token = Q_SPACE;
    }
    return p->at > q->start;
}

/* Words around which blanks belong to the token. */
static bool lex_padded(Quadrant *q)
{
    static const MmdRule words[] = {
        { "x-axis", Q_AXIS },          { "y-axis", Q_AXIS },
        { "quadrant-1", Q_QUADRANT },  { "quadrant-2", Q_QUADRANT },
        { "quadrant-3", Q_QUADRANT },  { "quadrant-4", Q_QUADRANT },
        { "quadrantChart", Q_HEADER }, { NULL },
    };
    MmdParser *p = q->p;
    skip_spaces(p);
    size_t dashes = strspn(p->at, "-");
    if (dashes >= 2 && p->at[dashes] == '>') {
        p->at += dashes + 1;
        skip_spaces(p);
        q->token = Q_ARROW;
        return true;
    }
    bool is_word = take_rule(q, words, MMD_NOCASE);
    if (is_word)
        skip_spaces(p);
    else
        p->at = q->start;
    return is_word;
}

/* `0`, `1`, `0.25`; nothing else, and no sign. */
static bool take_coordinate(MmdParser *p)
{
    const char *start = p->at;
    if (mmd_take(p, "0") && *p->at != '\n' && !mmd_at_end(p)) {
        const char *digits = g_utf8_next_char(p->at); // after the point, which is not looked at
        size_t size = strspn(digits, "0123456789");
        p->at = size > 0 ? digits + size : p->at;
    } else if (p->at == start && !mmd_take(p, "1")) {
        return false;
    }
    if (*p->at != '.' && !g_ascii_isdigit(*p->at))
        return true;
    p->at = start;
    return false;
}

static bool fail_point(Quadrant *q, const char *opened, const char *expected)
{
    const char *where = q->p->at;
    while (where > opened + 1 && g_ascii_isspace(where[-1])) // it is missing at the end of a line
        where--;
    mmd_fail_open(q->p, where, opened, "write the place as [0.3, 0.6], both from 0 to 1",
                  "expected %s, found %s", expected, mmd_found(q->p, where));
    q->token = Q_BROKEN;
    return true;
}

/* `: [x, y]`. */
static bool lex_point(Quadrant *q)
{
    static const char coordinate[] = "a number from 0 to 1, such as 0.5 (1, not 1.0)";
    MmdParser *p = q->p;
    skip_white(q);
    bool is_point = mmd_take(p, ":");
    if (is_point)
        mmd_skip_white(p);
    const char *opened = p->at;
    if (!is_point || !mmd_take(p, "[")) {
        p->at = q->start;
        return false;
    }
    mmd_skip_white(p);
    if (!take_coordinate(p))
        return fail_point(q, opened, coordinate);
    mmd_skip_white(p);
    if (!mmd_take(p, ","))
        return fail_point(q, opened, "','");
    mmd_skip_white(p);
    if (!take_coordinate(p))
        return fail_point(q, opened, coordinate);
    mmd_skip_white(p);
    if (!mmd_take(p, "]"))
        return fail_point(q, opened, "']'");
    skip_spaces(p);
    q->token = Q_POINT;
    return true;
}

/* *ret_is_token: false for an empty one. */
static bool lex_string(Quadrant *q, bool *ret_is_token)
{
    MmdParser *p = q->p;
    if (*p->at != '"')
        return false;
    bool is_markdown = p->at[1] == '`';
    const char *text = p->at + (is_markdown ? 2 : 1);
    size_t size = strcspn(text, is_markdown ? "`\"" : "\"");
    p->at = text + size;
    *ret_is_token = size > 0;
    q->token = Q_STRING;
    if (mmd_at_end(p)) {
        q->token = Q_BROKEN;
        *ret_is_token = true;
        mmd_fail_open(p, p->end, q->start, NULL, "expected '\"' to close the text");
    } else if (!mmd_take(p, is_markdown ? "`\"" : "\"")) {
        q->token = Q_BAD;
        *ret_is_token = true;
        q->start = p->at;
    }
    return true;
}

/* A run of letters, of digits or of characters beyond ASCII, or one other mark; 0: none. */
static size_t word_size(const char *at)
{
    size_t size = 0;
    while (g_ascii_isalpha(at[size]))
        size++;
    if (size == 0)
        size = strspn(at, "0123456789");
    if (size > 0)
        return size;
    while ((unsigned char)at[size] >= 0x80 || at[size] == MMD_ENTITY_OPEN ||
           at[size] == MMD_ENTITY_CLOSE)
        size++;
    if (size > 0)
        return size;
    return *at != '\0' && strchr("!$%&'*+.=`?\\_/", *at) != NULL ? 1 : 0;
}

static bool lex_name_part(Quadrant *q)
{
    static const MmdRule signs[] = {
        { ":", Q_COLON }, { ",", Q_COMMA }, { "#", Q_HASH }, { "-", Q_DASH }, { NULL },
    };
    size_t size = word_size(q->p->at);
    q->p->at += size;
    q->token = Q_WORD;
    return size > 0 || take_rule(q, signs, 0);
}

/* One step; false: what was taken is no token. */
static bool lex(Quadrant *q)
{
    MmdParser *p = q->p;
    bool is_token = true;
    if (strncmp(p->at, "%%", 2) == 0) {
        p->at = mmd_line_end(p->at, p->end);
        return false;
    }
    if (lines_take_odd_comment(p, "%%"))
        return false;
    if (*p->at == '\n')
        return lex_blank(q);
    if (lines_has_word(p, "title")) {
        p->at = mmd_line_end(p->at, p->end);
        q->token = Q_TITLE;
        return true;
    }
    bool is_labelled = false;
    q->token = Q_BROKEN;
    if (!lines_take_accessibility(p, &is_labelled))
        return true;
    q->token = Q_ACCESSIBILITY;
    if (is_labelled || lex_padded(q))
        return true;
    if (lines_has_word(p, "classDef")) {
        p->at += strlen("classDef");
        q->token = Q_CLASS_DEF;
        return true;
    }
    if (lex_string(q, &is_token))
        return is_token;
    if (mmd_take(p, ":::")) {
        const char *name = p->at;
        while (mmd_is_word_char(*p->at))
            p->at++;
        q->token = p->at > name ? Q_CLASS : Q_BAD;
        return true;
    }
    if (lex_point(q) || lex_name_part(q) || lex_blank(q))
        return true;
    q->token = Q_BAD;
    return true;
}

static void next(Quadrant *q)
{
    MmdParser *p = q->p;
    do {
        q->start = p->at;
        if (mmd_at_end(p)) {
            q->token = Q_END;
            return;
        }
    } while (!lex(q));
}

// ---- statements ----

static bool unexpected(Quadrant *q, const char *expected)
{
    if (q->token == Q_BROKEN)
        return false;
    mmd_fail(q->p, MMD_SYNTAX, q->start, "expected %s, found %s", expected,
             mmd_found(q->p, q->start));
    return false;
}

static bool is_text_part(QuadrantToken token)
{
    return token == Q_WORD || token == Q_COMMA || token == Q_HASH;
}

/* A name: words, or a quoted text and words. */
static bool take_text(Quadrant *q, const char *expected)
{
    if (q->token != Q_STRING && !is_text_part(q->token))
        return unexpected(q, expected);
    do {
        next(q);
    } while (is_text_part(q->token) || q->token == Q_SPACE || q->token == Q_DASH);
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
static bool check_style(Quadrant *q, const char *where, char *text)
{
    g_strdelimit(text, "\x01", '#');
    g_auto(GStrv) parts = g_strsplit(text, ":", -1);
    const char *key = parts[0] != NULL ? g_strstrip(parts[0]) : "";
    const char *value = parts[0] != NULL && parts[1] != NULL ? g_strstrip(parts[1]) : "";
    MmdParser *p = q->p;
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
static bool take_styles(Quadrant *q)
{
    for (;;) {
        const char *start = q->start;
        g_autoptr(GString) text = g_string_new(NULL);
        while (q->token == Q_WORD || q->token == Q_COLON || q->token == Q_SPACE ||
               q->token == Q_HASH || q->token == Q_DASH) {
            g_string_append_len(text, q->start, q->p->at - q->start);
            next(q);
        }
        if (text->len == 0)
            return unexpected(q, "a style such as radius: 5");
        if (!check_style(q, start, text->str))
            return false;
        if (q->token != Q_COMMA)
            return true;
        next(q);
    }
}

static bool take_one_space(Quadrant *q, const char *expected)
{
    if (q->token != Q_SPACE || q->p->at - q->start != 1)
        return unexpected(q, expected);
    next(q);
    return true;
}

static bool take_class_def(Quadrant *q)
{
    next(q);
    if (!take_one_space(q, "one blank after classDef"))
        return false;
    const char *name = q->start;
    while (is_text_part(q->token) || q->token == Q_COLON || q->token == Q_DASH)
        next(q);
    if (q->start == name)
        return unexpected(q, "the name of a class");
    if (q->token != Q_SPACE)
        return unexpected(q, "a blank and styles after the name of the class");
    next(q);
    return take_styles(q);
}

static bool take_point(Quadrant *q)
{
    if (!take_text(q, "a point, an axis, a quadrant or a title"))
        return false;
    if (q->token == Q_CLASS)
        next(q);
    if (q->token != Q_POINT) {
        unexpected(q, "': [x, y]' after the name of the point");
        return q->token == Q_BAD
                   ? mmd_hint(q->p, "put a name with other characters in double quotes")
                   : false;
    }
    next(q);
    bool has_styles = q->token != Q_LINE_END && q->token != Q_END;
    return !has_styles || take_styles(q);
}

static bool take_axis(Quadrant *q)
{
    next(q);
    if (!take_text(q, "the text of the axis"))
        return false;
    if (q->token != Q_ARROW)
        return true;
    next(q);
    return q->token == Q_LINE_END || q->token == Q_END || take_text(q, "the text of its other end");
}

static bool take_statement(Quadrant *q)
{
    while (q->token == Q_SPACE)
        next(q);
    switch (q->token) {
    case Q_LINE_END:
    case Q_END:
        return true;
    case Q_TITLE:
    case Q_ACCESSIBILITY:
        next(q);
        return true;
    case Q_CLASS_DEF:
        return take_class_def(q);
    case Q_AXIS:
        return take_axis(q);
    case Q_QUADRANT:
        next(q);
        return take_text(q, "the text of the quadrant");
    default:
        return take_point(q);
    }
}

bool mmd_parse_quadrant(MmdParser *p)
{
    Quadrant q = { .p = p };
    skip_spaces(p);
    next(&q);
    for (;;) {
        if (!take_statement(&q))
            return false;
        if (q.token == Q_END)
            return true;
        if (q.token != Q_LINE_END) {
            const char *at = q.start;
            unexpected(&q, "the end of the line");
            return *at == '-' || (at > p->text && at[-1] == '-') ? mmd_hint(p, "use -->") : false;
        }
        next(&q);
    }
}
