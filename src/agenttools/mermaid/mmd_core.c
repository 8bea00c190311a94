/*
 * mmd_check(): cleans the text, recognises the header (agent-tools-cli §8.5) and runs the parser of
 * the type.
 */
#include "agenttools/mermaid/mmd_clean.h"
#include "agenttools/mermaid/mmd_parser.h"
#include "base/str.h"

#define TOO_LARGE_CHARS 50000 // mermaid's own limit for a diagram

typedef struct Header {
    const char *word;
    const char *type;
    bool (*parse)(MmdParser *p); // NULL: only the header is known
    bool ignores_case;
} Header;

/* What the cleaning leaves before the header, a bare `%%` or a broken directive, is a comment for
   some parsers only. */
static bool takes_leading_comment(const Header *header, const char *comment)
{
    if (header->parse == mmd_parse_state)
        return comment[2] != '{';
    return header->parse != mmd_parse_flowchart && header->parse != mmd_parse_er &&
           header->parse != mmd_parse_gantt && header->parse != mmd_parse_journey &&
           header->parse != mmd_parse_timeline;
}

/* One that begins another comes after it. */
static const Header headers[] = {
    { "flowchart-elk", "flowchart-elk", mmd_parse_flowchart },
    { "flowchart", "flowchart-v2", mmd_parse_flowchart },
    { "graph", "flowchart-v2", mmd_parse_flowchart },
    { "sequenceDiagram", "sequence", mmd_parse_sequence },
    { "classDiagram-v2", "classDiagram", mmd_parse_class },
    { "classDiagram", "classDiagram", mmd_parse_class },
    { "stateDiagram-v2", "stateDiagram", mmd_parse_state },
    { "stateDiagram", "stateDiagram", mmd_parse_state },
    { "erDiagram", "er", mmd_parse_er },
    { "gantt", "gantt", mmd_parse_gantt },
    { "pie", "pie", mmd_parse_pie },
    { "gitGraph", "gitGraph", mmd_parse_git },
    { "mindmap", "mindmap", mmd_parse_mindmap },
    { "journey", "journey", mmd_parse_journey },
    { "timeline", "timeline", mmd_parse_timeline },
    { "quadrantChart", "quadrantChart", mmd_parse_quadrant },
    { "C4Context", "c4" },
    { "C4Container", "c4" },
    { "C4Component", "c4" },
    { "C4Dynamic", "c4" },
    { "C4Deployment", "c4" },
    { "requirement", "requirement" },
    { "kanban", "kanban" },
    { "sankey", "sankey" },
    { "packet", "packet" },
    { "radar-beta", "radar" },
    { "block", "block" },
    { "treeView-beta", "treeView" },
    { "architecture", "architecture" },
    { "xychart", "xychart" },
    { "treemap", "treemap" },
    { "info", "info" },
    { "eventmodeling", "eventmodeling" },
    { "ishikawa", "ishikawa", .ignores_case = true },
    { "venn-beta", "venn" },
    { "usecase-beta", "usecase" },
    { "wardley-beta", "wardley", .ignores_case = true },
    { "railroad-beta", "railroad", .ignores_case = true },
    { "railroad-ebnf-beta", "railroad", .ignores_case = true },
    { "railroad-abnf-beta", "railroad", .ignores_case = true },
    { "railroad-peg-beta", "railroad", .ignores_case = true },
    { "cynefin-beta", "cynefin" },
    { "swimlane-beta", "swimlane" },
    { "agentflow-beta", "agentflow" },
};

const char *mmd_class_name(MmdClass class)
{
    static const char *const names[] = {
        [MMD_UNKNOWN_TYPE] = "unknown_type", [MMD_EMPTY] = "empty",
        [MMD_FRONTMATTER] = "frontmatter",   [MMD_SYNTAX] = "syntax",
        [MMD_SEMANTIC] = "semantic",         [MMD_UNCLOSED_FENCE] = "unclosed_fence",
    };
    return names[class];
}

static void error_free(void *error_)
{
    MmdError *error = error_;
    g_free(error->message);
    g_free(error->hint);
    g_free(error);
}

void mmd_verdict_clear(MmdVerdict *self)
{
    g_clear_pointer(&self->errors, g_ptr_array_unref);
    *self = (MmdVerdict) { 0 };
}

static const Header *find_header(const char *at, const char *end)
{
    for (size_t i = 0; i < G_N_ELEMENTS(headers); i++) {
        const Header *header = &headers[i];
        size_t size = strlen(header->word);
        if ((size_t)(end - at) < size)
            continue;
        int order = header->ignores_case ? g_ascii_strncasecmp(at, header->word, size)
                                         : memcmp(at, header->word, size);
        if (order == 0)
            return header;
    }
    return NULL;
}

bool mmd_is_header(const char *line, size_t size)
{
    return find_header(mmd_skip_white(line, line + size), line + size) != NULL;
}

static bool has_header_line(const MmdParser *p)
{
    for (const char *line = p->at; line < p->end; line = mmd_line_end(line, p->end) + 1) {
        if (mmd_is_header(line, (size_t)(mmd_line_end(line, p->end) - line)))
            return true;
    }
    return false;
}

/* The known header that `word` was meant to be; NULL: none is near. */
static const char *nearest_header(const char *word)
{
    const char *names[G_N_ELEMENTS(headers) + 1] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(headers); i++) {
        names[i] = headers[i].word;
        if (str_equal_nocase(word, names[i]))
            return names[i];
    }
    return str_nearest(word, names);
}

static void fail_unknown(MmdParser *p)
{
    const char *stop = p->at;
    while (stop < p->end && mmd_white_size(stop, p->end) == 0 && stop - p->at < 60)
        stop = g_utf8_next_char(stop);
    g_autofree char *word = g_strndup(p->at, (size_t)(stop - p->at));
    mmd_fail(p, MMD_UNKNOWN_TYPE, p->at, "expected a diagram type, such as 'flowchart', not '%s'",
             word);

    const char *nearest = nearest_header(word);
    if (mmd_scan(p, p->at, "```|~~~"))
        mmd_hint(p, "Remove the Markdown fence");
    else if (nearest)
        mmd_hint(p, "write %s", nearest);
    else if (has_header_line(p))
        mmd_hint(p, "The first line must be the diagram type");
}

/* mermaid looks for these words everywhere before it looks at most headers. */
static const char *find_c4_word(const MmdParser *p)
{
    static const char *const words[] = { "C4Container", "C4Component", "C4Dynamic",
                                         "C4Deployment" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        const char *found = strstr(p->text, words[i]);
        if (found)
            return found;
    }
    return NULL;
}

/* `comment` is where the comments before the header begin, and the header when there are none. */
static void mmd_parser_parse(MmdParser *p, const char *comment)
{
    if (mmd_scan(p, p->at, "---")) {
        mmd_fail(p, MMD_FRONTMATTER, p->at, "front matter that is empty, or not closed");
        mmd_hint(p, "Close it with '---' alone on a line, indented as the first one, after at "
                    "least one line and before the diagram");
        return;
    }
    const Header *header = find_header(p->at, p->end);
    if (!header) {
        fail_unknown(p);
        return;
    }

    p->verdict->type = header->type;
    p->verdict->is_full = header->parse != NULL;
    p->at += strlen(header->word);
    if (!header->parse)
        return;
    bool is_found_first =
        header->parse == mmd_parse_mindmap || strcmp(header->type, "flowchart-elk") == 0;
    const char *c4_word = is_found_first ? NULL : find_c4_word(p);
    if (c4_word) {
        mmd_fail(p, MMD_SEMANTIC, c4_word,
                 "a word that begins with 'C4' makes mermaid take the whole text for a C4 diagram");
        mmd_hint(p, "Write it in another way, such as 'C4 Container'");
        return;
    }
    if (mmd_scan(p, comment, "%%") && !takes_leading_comment(header, comment)) {
        mmd_fail(p, MMD_SYNTAX, comment, "expected a comment with text, found %s",
                 mmd_found(p, comment));
        return;
    }
    g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(const char *));
    p->blocks = blocks;
    bool is_right = header->parse(p);
    g_assert(is_right == (p->verdict->errors->len == 0));
}

static void fail_empty(MmdParser *p, const MmdClean *clean)
{
    if (!clean->has_open_directive) {
        mmd_fail_offset(p, MMD_EMPTY, 0, "there is no diagram, only blanks and comments");
        return;
    }
    mmd_fail_offset(p, MMD_EMPTY, clean->open_directive_at,
                    "the directive is not closed, so there is no diagram");
    mmd_hint(p, "Close it with }%%");
}

void mmd_check(const char *text, size_t size, MmdVerdict *ret_verdict)
{
    *ret_verdict = (MmdVerdict) { .errors = g_ptr_array_new_with_free_func(error_free) };
    g_auto(MmdClean) clean = { 0 };
    mmd_clean(text, size, &clean);

    MmdParser parser = {
        .text = clean.text->str,
        .end = clean.text->str + clean.text->len,
        .at = clean.text->str,
        .document = text,
        .document_size = size,
        .origin = (const uint32_t *)(void *)clean.origin->data,
        .main_branch = clean.main_branch,
        .verdict = ret_verdict,
    };
    ret_verdict->is_too_large =
        g_utf8_strlen(clean.text->str, (gssize)clean.text->len) > TOO_LARGE_CHARS;
    if (clean.problem) {
        mmd_fail_offset(&parser, MMD_FRONTMATTER, clean.problem_at, "%s", clean.problem);
        return;
    }
    mmd_skip(&parser, "\\s*");
    const char *comment = parser.at;
    mmd_skip(&parser, "(%%.*\\s*)*");
    if (mmd_at_end(&parser))
        fail_empty(&parser, &clean);
    else
        mmd_parser_parse(&parser, comment);
}
