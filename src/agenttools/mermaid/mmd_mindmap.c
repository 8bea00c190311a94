/*
 * Mindmaps (agent-tools-cli §8.7): a tree by indentation, one node a line.
 */
#include "agenttools/mermaid/mmd_lex.h"

#define NO_LEVEL SIZE_MAX

static const char quote_hint[] = "Put text with brackets in double quotes: id[\"a (b)\"]";

typedef struct Mindmap {
    MmdParser *p;
    size_t root_level; // indentation of the first node; NO_LEVEL: no node yet
    const char *root;
} Mindmap;

/* A comment after a node or on a line of its own, with the white space before it. */
static bool take_comment(MmdParser *p)
{
    const char *start = p->at;
    mmd_skip_white(p);
    if (strncmp(p->at, "%%", 2) != 0) {
        p->at = start;
        return false;
    }
    p->at = mmd_line_end(p->at, p->end);
    return true;
}

/* White space up to a line end that is not its first character. */
static bool take_blank_lines(MmdParser *p)
{
    const char *start = p->at;
    mmd_skip_white(p);
    const char *at = p->at;
    while (at > start + 1 && at[-1] != '\n')
        at--;
    p->at = at > start + 1 ? at : start;
    return p->at > start;
}

static bool take_line_ends(MmdParser *p)
{
    const char *start = p->at;
    while (*p->at == '\n')
        p->at++;
    return p->at > start;
}

/* A line end, blank lines, a comment or the end: what a statement needs behind it. */
static bool take_stop(MmdParser *p)
{
    if (mmd_at_end(p))
        return true;
    if (!take_comment(p) && !take_blank_lines(p) && !take_line_ends(p))
        return mmd_unexpected(p, "the end of the line after the node");
    // line ends that begin blank lines belong to those
    for (;;) {
        const char *start = p->at;
        if (take_comment(p) || take_blank_lines(p)) {
            p->at = start;
            return true;
        }
        if (!take_line_ends(p))
            return true;
    }
}

/* Quoted text, up to its closing quote. */
static bool take_quoted(MmdParser *p)
{
    const char *opened = p->at;
    bool is_markdown = opened[1] == '`';
    p->at += is_markdown ? 2 : 1;
    size_t size = strcspn(p->at, is_markdown ? "`\"" : "\"");
    p->at += size;
    if (mmd_at_end(p))
        return mmd_fail_open(p, p->end, opened, NULL, "expected a closing quote");
    if (!mmd_take(p, is_markdown ? "`\"" : "\""))
        return mmd_unexpected(p, "'`\"' to close the text");
    return size > 0 || mmd_fail(p, MMD_SYNTAX, opened, "expected text between the quotes");
}

static const MmdRule openers[] = {
    { "-)" }, { "(-" }, { "))" }, { ")" }, { "((" }, { "{{" }, { "(" }, { "[" }, { NULL },
};

static const MmdRule closers[] = {
    { "))" }, { ")" }, { "]" }, { "}}" }, { "(-" }, { "-)" }, { "((" }, { "(" }, { NULL },
};

static bool take_any(MmdParser *p, const MmdRule *brackets)
{
    const char *stop = mmd_match_any(brackets, 0, p->at, p->end);
    p->at = stop != NULL ? stop : p->at;
    return stop != NULL;
}

/* The text after an opening bracket, and a closing one, which need not fit it. */
static bool take_shape(MmdParser *p, const char *opened)
{
    if (*p->at == '"') {
        if (!take_quoted(p))
            return false;
    } else {
        if (mmd_match_any(closers, 0, p->at, p->end))
            return mmd_unexpected(p, "text in the brackets");
        size_t size = strcspn(p->at, ")](}");
        p->at = size > 0 ? p->at + size : mmd_line_end(p->at, p->end);
    }
    if (take_any(p, closers))
        return true;
    const char *where = mmd_at_end(p) ? p->end : p->at;
    return mmd_fail_open(p, where, opened, quote_hint,
                         "expected a closing bracket after the text, found %s",
                         mmd_found(p, where));
}

static bool add_node(Mindmap *m, const char *where, size_t level)
{
    if (m->root_level == NO_LEVEL) {
        m->root_level = level;
        m->root = where;
        return true;
    }
    if (level > m->root_level)
        return true;
    mmd_fail(m->p, MMD_SEMANTIC, where,
             "a second root: only the first node, on line %zu, may have no "
             "parent",
             mmd_line_of(m->p, m->root));
    return mmd_hint(m->p, "indent the line more than the root");
}

static bool begins_with_keyword(const MmdParser *p)
{
    static const char word[] = "mindmap";
    char after = p->at[strnlen(p->at, strlen(word))];
    return g_ascii_strncasecmp(p->at, word, strlen(word)) == 0 && !g_ascii_isalnum(after) &&
           after != '_';
}

static bool take_node(Mindmap *m, size_t level)
{
    MmdParser *p = m->p;
    const char *start = p->at;
    if (begins_with_keyword(p)) {
        mmd_unexpected(p, "a node");
        return mmd_hint(p, "a node must not begin with that word; write id[\"Mindmap\"]");
    }
    bool has_id = !(strncmp(p->at, "-)", 2) == 0) && strcspn(p->at, "([\n){}") > 0;
    if (has_id)
        p->at += strcspn(p->at, "([\n){}");
    const char *opened = p->at;
    bool has_shape = take_any(p, openers);
    if (!has_id && !has_shape)
        return mmd_unexpected(p, "a node");
    if (has_shape && !take_shape(p, opened))
        return false;
    return add_node(m, start, level);
}

/* `::icon(…)` and `:::class`; *ret_taken: false when none stands here. */
static bool take_decoration(Mindmap *m, bool *ret_taken)
{
    MmdParser *p = m->p;
    const char *start = p->at;
    *ret_taken = true;
    if (mmd_take(p, ":::")) {
        const char *line_end = mmd_line_end(p->at, p->end);
        if (line_end == p->at)
            return mmd_unexpected(p, "a class after ':::'");
        p->at = line_end;
    } else if (mmd_take_nocase(p, "::icon(")) {
        size_t size = strcspn(p->at, ")");
        if (size == 0)
            return mmd_unexpected(p, "the name of an icon");
        p->at += size;
        if (!mmd_take(p, ")"))
            return mmd_fail_open(p, p->end, start, NULL, "expected ')' after the name of the icon");
    } else {
        *ret_taken = false;
        return true;
    }
    if (m->root_level == NO_LEVEL)
        return mmd_fail(p, MMD_SEMANTIC, start, "an icon or a class needs a node before it");
    return true;
}

/* An icon without a name, and a class without one together with its line end: the real parser reads
   them as nothing at all. */
static bool take_nothing(MmdParser *p)
{
    const char *start = p->at;
    while (mmd_take_nocase(p, "::icon()") || mmd_take(p, ":::\n"))
        continue;
    if (strcmp(p->at, ":::") == 0)
        p->at = p->end;
    return p->at > start;
}

/* Two indentations are one too many. */
static bool check_after_nothing(MmdParser *p, size_t level)
{
    size_t blanks = strspn(p->at, " \t");
    const char *next = p->at + blanks;
    if (blanks == 0 || level == 0 || *next == '\n' || next == p->end || strncmp(next, "%%", 2) == 0)
        return true;
    return mmd_unexpected(p, "no blank before the node");
}

static size_t take_indent(MmdParser *p)
{
    const char *start = p->at;
    mmd_skip_white(p);
    return (size_t)g_utf8_strlen(start, p->at - start);
}

/* The stop after blank lines: the real parser wants another line end there. */
static bool take_blank_statement(MmdParser *p)
{
    if (mmd_at_end(p) || *p->at == '\n' || take_comment(p))
        return take_stop(p);
    mmd_unexpected(p, "no blank line here");
    return mmd_hint(p, "Remove the blank line before this one");
}

static bool take_statement(Mindmap *m)
{
    MmdParser *p = m->p;
    if (take_comment(p))
        return take_stop(p);
    if (take_blank_lines(p))
        return take_blank_statement(p);
    size_t level = take_indent(p);
    bool is_decoration, is_nothing = take_nothing(p);
    if (is_nothing && !check_after_nothing(p, level))
        return false;
    if (is_nothing && level == 0)
        level = take_indent(p);
    if (mmd_at_end(p) || *p->at == '\n' || (is_nothing && g_ascii_isspace(*p->at)))
        return take_stop(p);
    if (is_nothing && take_comment(p))
        return take_stop(p);
    if (!take_decoration(m, &is_decoration))
        return false;
    if (!is_decoration && !take_node(m, level))
        return false;
    if (take_stop(p))
        return true;
    return mmd_hint(p, "%s", quote_hint);
}

bool mmd_parse_mindmap(MmdParser *p)
{
    if (!mmd_begin(p, "mindmap"))
        return false;
    Mindmap mindmap = { .p = p, .root_level = NO_LEVEL };
    const char *start = p->at;
    if (!take_comment(p) && !take_blank_lines(p))
        take_line_ends(p);
    else
        p->at = start;
    if (mmd_at_end(p))
        return mmd_unexpected(p, "a node");
    while (!mmd_at_end(p)) {
        if (!take_statement(&mindmap))
            return false;
    }
    return true;
}
