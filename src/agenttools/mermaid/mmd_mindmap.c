/*
 * Mindmaps (agent-tools-cli §8.7): a tree by indentation, one node a line.
 */
#include "agenttools/mermaid/mmd_parser.h"

#define NO_LEVEL SIZE_MAX

#define COMMENT     "\\s*%%.*"     // after a node or on a line of its own
#define BLANK_LINES "\\s(\\h*\n)+" // up to a line end that is not the first character
#define OPENERS     "-\\)|\\(-|\\)\\)|\\)|\\(\\(|{{|\\(|\\["
#define CLOSERS     "\\)\\)|\\)|\\]|}}|\\(-|-\\)|\\(\\(|\\("

static const char quote_hint[] = "Put text with brackets in double quotes: id[\"a (b)\"]";

typedef struct Mindmap {
    MmdParser *p;
    size_t root_level; // indentation of the first node; NO_LEVEL: no node yet
    const char *root;
} Mindmap;

/* A line end, blank lines, a comment or the end: what a statement needs after it. */
static bool take_stop(MmdParser *p)
{
    if (mmd_at_end(p))
        return true;
    if (!mmd_skip(p, COMMENT "|" BLANK_LINES "|\n+"))
        return mmd_unexpected(p, "the end of the line after the node");
    // line ends that begin blank lines belong to those
    while (!mmd_scan(p, p->at, COMMENT "|" BLANK_LINES) && mmd_skip(p, "\n+"))
        continue;
    return true;
}

/* Quoted text, up to its closing quote. */
static bool take_quoted(MmdParser *p)
{
    const char *opened = p->at;
    bool is_markdown = opened[1] == '`';
    if (mmd_skip(p, "\"`[^`\"]+`\"|\"(?!`)[^\"]+\""))
        return true;
    mmd_skip(p, "\"`[^`\"]*|\"[^\"]*");
    if (mmd_at_end(p))
        return mmd_fail_open(p, p->end, opened, NULL, "expected a closing quote");
    if (is_markdown && !mmd_skip(p, "`\""))
        return mmd_unexpected(p, "'`\"' to close the text");
    return mmd_fail(p, MMD_SYNTAX, opened, "expected text between the quotes");
}

/* The text after an opening bracket, and a closing one, which need not fit it. */
static bool take_shape(MmdParser *p, const char *opened)
{
    if (*p->at == '"') {
        if (!take_quoted(p))
            return false;
    } else if (mmd_scan(p, p->at, CLOSERS)) {
        return mmd_unexpected(p, "text in the brackets");
    } else {
        mmd_skip(p, "[^)\\](}]+|.*");
    }
    return mmd_skip(p, CLOSERS) ||
           mmd_fail_open(p, p->at, opened, quote_hint,
                         "expected a closing bracket after the text, found %s",
                         mmd_found(p, p->at));
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

static bool take_node(Mindmap *m, size_t level)
{
    MmdParser *p = m->p;
    const char *start = p->at;
    if (mmd_scan(p, start, "(?i)mindmap\\>")) {
        mmd_unexpected(p, "a node");
        return mmd_hint(p, "a node must not begin with that word; write id[\"Mindmap\"]");
    }
    bool has_id = mmd_skip(p, "(?!-\\))[^([\n){}]+");
    const char *opened = p->at;
    bool has_shape = mmd_skip(p, OPENERS);
    if (!has_id && !has_shape)
        return mmd_unexpected(p, "a node");
    return (!has_shape || take_shape(p, opened)) && add_node(m, start, level);
}

/* `::icon(…)` and `:::class`; *ret_taken: false when there is none. */
static bool take_decoration(Mindmap *m, bool *ret_taken)
{
    MmdParser *p = m->p;
    const char *start = p->at;
    *ret_taken = mmd_skip(p, "(?i):::.+|::icon\\([^)]+\\)");
    if (!*ret_taken && mmd_skip(p, ":::"))
        return mmd_unexpected(p, "a class after ':::'");
    if (!*ret_taken && mmd_skip(p, "(?i)::icon\\("))
        return mmd_skip(p, "[^)]+") ? mmd_fail_open(p, p->end, start, NULL,
                                                    "expected ')' after the name of the icon")
                                    : mmd_unexpected(p, "the name of an icon");
    if (*ret_taken && m->root_level == NO_LEVEL)
        return mmd_fail(p, MMD_SEMANTIC, start, "an icon or a class needs a node before it");
    return true;
}

static size_t take_indent(MmdParser *p)
{
    const char *start = p->at;
    mmd_skip(p, "\\s*");
    return (size_t)g_utf8_strlen(start, p->at - start);
}

static bool take_statement(Mindmap *m)
{
    MmdParser *p = m->p;
    if (mmd_skip(p, COMMENT))
        return take_stop(p);
    if (mmd_skip(p, BLANK_LINES)) { // the real parser wants another line end there
        if (mmd_at_end(p) || *p->at == '\n' || mmd_skip(p, COMMENT))
            return take_stop(p);
        mmd_unexpected(p, "no blank line here");
        return mmd_hint(p, "Remove the blank line before this one");
    }
    // an icon without a name, and a class without one together with its line end, the real parser
    // reads as nothing at all
    size_t level = take_indent(p);
    const char *start = p->at;
    mmd_skip(p, "(?i)(::icon\\(\\)|:::\n)*(:::$)?");
    bool is_nothing = p->at > start, is_decoration;
    if (is_nothing && level > 0 && mmd_scan(p, p->at, "[ \t]+(?!\n|%%|$)"))
        return mmd_unexpected(p, "no blank before the node"); // two indentations
    if (is_nothing && level == 0)
        level = take_indent(p);
    if (mmd_at_end(p) || *p->at == '\n' || (is_nothing && g_ascii_isspace(*p->at)) ||
        (is_nothing && mmd_skip(p, COMMENT)))
        return take_stop(p);
    if (!take_decoration(m, &is_decoration) || (!is_decoration && !take_node(m, level)))
        return false;
    return take_stop(p) || mmd_hint(p, "%s", quote_hint);
}

bool mmd_parse_mindmap(MmdParser *p)
{
    if (!mmd_begin(p, "mindmap"))
        return false;
    Mindmap mindmap = { .p = p, .root_level = NO_LEVEL };
    if (!mmd_scan(p, p->at, COMMENT "|" BLANK_LINES))
        mmd_skip(p, "\n+");
    if (mmd_at_end(p))
        return mmd_unexpected(p, "a node");
    while (!mmd_at_end(p)) {
        if (!take_statement(&mindmap))
            return false;
    }
    return true;
}
