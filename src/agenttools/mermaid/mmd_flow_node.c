/*
 * Nodes, labels and links of flowcharts (mmd_flow.h), and what is said when one is broken.
 */
#include "agenttools/mermaid/mmd_flow.h"
#include "base/str.h"

#define HINT_CHARS_MAX 120 // of a label that a hint repeats
#define LINKS_MAX      500 // mermaid's own limit for a diagram

/* The names after `shape:`. */
static const char shape_names[] =
    "anchor bang bolt bow-rect bow-tie-rectangle bpmn-activity bpmn-annotation "
    "bpmn-boundary bpmn-data bpmn-data-store bpmn-end bpmn-gateway bpmn-intermediate "
    "bpmn-start brace brace-l brace-r braces browser bucket card choice circ circle "
    "cloud collate com-link comment composite console cross-circ crossed-circle "
    "curv-trap curved-trapezoid cyl cylinder das data-store database datastore db "
    "dbl-circ decision delay diam diamond directory disk display div-proc div-rect "
    "divided-process divided-rectangle doc docs document documents double-circle "
    "doublecircle event extract f-circ filled-circle flag flip-tri flipped-triangle "
    "folder fork fr-circ fr-rect framed-circle framed-rectangle h-cyl "
    "half-rounded-rectangle hex hexagon horizontal-cylinder hourglass icon in-out "
    "internal-storage inv-trapezoid join junction lean-l lean-left lean-r lean-right "
    "lightning-bolt lin-cyl lin-doc lin-proc lin-rect lined-cylinder lined-document "
    "lined-process lined-rectangle loop-limit manual manual-file manual-input notch-pent "
    "notch-rect notched-pentagon notched-rectangle note odd out-in paper-tape person "
    "pill prepare priority proc process processes procs question rect rectangle rounded "
    "shaded-process sl-rect sloped-rectangle sm-circ small-circle st-doc st-rect "
    "stacked-document stacked-rectangle stadium start state stop stored-data subproc "
    "subprocess subroutine summary tag-doc tag-proc tag-rect tagged-document "
    "tagged-process tagged-rectangle terminal text trap-b trap-t trapezoid "
    "trapezoid-bottom trapezoid-top tri triangle win-pane window-pane";

// ---- labels ----

typedef struct Shape {
    const char *open, *close;
    bool is_odd; // its mode of the lexer knows only its own closing brackets
} Shape;

static const Shape shapes[] = {
    { "[", "]" },     { "(", ")" },         { "{", "}" },         { ">", "]" },
    { "|", "|" },     { "([", "])" },       { "[[", "]]" },       { "[(", ")]" },
    { "(((", ")))" }, { "(-", "-)", true }, { "[/", "/]", true }, { "[\\", "\\]", true },
};

static bool is_bracket(const MmdParser *p, const char *text)
{
    const MmdToken *token = &p->token;
    size_t size = (size_t)(mmd_trim_end(token->start, token->stop) - token->start);
    return size == strlen(text) && memcmp(token->start, text, size) == 0;
}

/* The shape that the current token, a bracket, opens. */
static const Shape *opened_shape(const MmdParser *p)
{
    const Shape *shape = shapes;
    while (!is_bracket(p, shape->open))
        shape++;
    return shape;
}

static bool mmd_parser_closes(const MmdParser *p, const Shape *shape)
{
    if (*shape->open == '|')
        return mmd_is(p, '|');
    return mmd_is(p, FLOW_CLOSE) && (shape->is_odd || is_bracket(p, shape->close));
}

/* Where a label that may hold brackets was meant to end, on its line; NULL: not clear. */
static const char *meant_end(const MmdParser *p, const char *text, const char *close)
{
    unsigned depth = 0;
    for (const char *at = text; at < p->end && *at != '\n'; at++) {
        if (depth == 0 && strncmp(at, close, strlen(close)) == 0 && at > text)
            return at;
        if (strchr("([{", *at))
            depth++;
        else if (depth > 0 && strchr(")]}", *at))
            depth--;
    }
    return NULL;
}

/* The label in quotes, with what is around it. */
static bool hint_quotes(MmdParser *p, const char *opened, const Shape *shape)
{
    static const char hint[] = "Put the whole label in double quotes: %s; write #quot; for a quote";
    const FlowDiagram *self = p->state;
    const char *text = opened + strlen(shape->open), *end = meant_end(p, text, shape->close);
    if (!end && p->token.start >= mmd_line_end(text, p->end)) // only its end is wrong
        return mmd_hint(p, "close it with '%s'", shape->close);
    if (!end || end - text > HINT_CHARS_MAX)
        return mmd_hint(p, hint, "B[\"Call foo(bar)\"]");
    bool is_quoted = *text == '"' && end - text > 2 && end[-1] == '"';
    g_autofree char *label = is_quoted ? g_strndup(text + 1, (size_t)(end - text - 2))
                                       : g_strndup(text, (size_t)(end - text));
    g_auto(GStrv) parts = g_strsplit(g_strstrip(label), "\"", -1);
    g_autofree char *escaped = g_strjoinv("#quot;", parts);
    bool is_named = *shape->open != '|' && self->name_start < opened;
    size_t name_size = is_named ? (size_t)(opened - self->name_start) : 0;
    g_autofree char *better = g_strdup_printf("%.*s%s\"%s\"%s", (int)name_size, self->name_start,
                                              shape->open, escaped, shape->close);
    return mmd_hint(p, hint, better);
}

static bool fail_label(MmdParser *p, const char *opened, const Shape *shape, bool is_empty)
{
    bool is_arrow = *shape->open == '>' && (opened[-1] == '-' || opened[-1] == '=');
    if (is_arrow) {
        p->token = (MmdToken) { .kind = FLOW_OTHER, .start = opened - 1, .stop = opened };
        return mmd_need_other(p, "a link");
    }
    if (is_empty && (mmd_parser_closes(p, shape) || mmd_is(p, '|'))) {
        mmd_fail(p, MMD_SYNTAX, p->token.start, "expected text between '%s' and '%s'", shape->open,
                 shape->close);
        return mmd_hint(p, "write %s\" \"%s for an empty label", shape->open, shape->close);
    }
    bool is_end = mmd_is(p, MMD_BROKEN) || mmd_is(p, MMD_END);
    const char *where = is_end ? p->end : p->token.start;
    mmd_fail_open(p, where, opened, NULL, "expected '%s' to close the label, found %s",
                  shape->close, mmd_found(p, where));
    return hint_quotes(p, opened, shape);
}

/* Behind the bracket at `opened`. */
static bool take_label(MmdParser *p, const Shape *shape, const char *opened)
{
    if (!mmd_is(p, FLOW_TEXT) && !mmd_is(p, FLOW_STRING))
        return fail_label(p, opened, shape, true);
    mmd_advance(p);
    while (mmd_accept(p, FLOW_TEXT))
        continue;
    return mmd_parser_closes(p, shape) ? mmd_advance(p) : fail_label(p, opened, shape, false);
}

bool flow_take_label(MmdParser *p)
{
    const Shape *shape = opened_shape(p);
    const char *opened = p->token.start;
    return mmd_advance(p) && take_label(p, shape, opened);
}

// ---- nodes ----

static bool is_name_part(const MmdParser *p)
{
    return mmd_is_any(p, MMD_ANY(FLOW_DEFAULT, FLOW_NUMBER, FLOW_NAME, FLOW_LETTER, FLOW_DOWN, '#',
                                 ':', ',', '&', '*', '-'));
}

bool flow_take_name(MmdParser *p, const char *what)
{
    FlowDiagram *self = p->state;
    if (!is_name_part(p))
        return mmd_need_other(p, "%s", what);
    self->name_start = p->token.start;
    while (is_name_part(p))
        mmd_advance(p);
    return true;
}

/* `[|name:value|text]`, after the `[|`. */
static bool take_properties(MmdParser *p, const char *opened)
{
    static const char expected[] = "'name:value|' after '[|'";
    return mmd_need(p, FLOW_NAME, expected) && mmd_need(p, ':', expected) &&
           mmd_need(p, FLOW_NAME, expected) && mmd_need(p, '|', "'|' after the property") &&
           take_label(p, &shapes[0], opened);
}

static bool take_shape(MmdParser *p)
{
    const char *opened = p->token.start;
    if (mmd_accept(p, FLOW_OPEN_PROPERTIES))
        return take_properties(p, opened);
    if (!mmd_is(p, FLOW_OPEN))
        return true;
    const Shape *shape = opened_shape(p);
    mmd_advance(p);
    bool is_double = mmd_is(p, FLOW_OPEN) && strchr("({", *shape->open) && shape->open[1] == '\0' &&
                     is_bracket(p, shape->open); // ((x)), {{x}}
    if (!is_double)
        return take_label(p, shape, opened);
    if (!flow_take_label(p))
        return false;
    if (mmd_is(p, FLOW_CLOSE) && is_bracket(p, shape->close))
        return mmd_advance(p);
    return mmd_fail_open(p, p->token.start, opened, NULL, "expected '%s%s', found %s", shape->close,
                         shape->close, mmd_found(p, p->token.start));
}

static bool check_shape_name(MmdParser *p, const json_t *data)
{
    const json_t *value = json_object_get(data, "shape");
    bool is_unset = !value || json_is_null(value) || json_is_false(value) ||
                    (json_is_integer(value) && json_integer_value(value) == 0);
    const char *name = json_string_value(value);
    g_auto(GStrv) names = g_strsplit(shape_names, " ", -1);
    const char *const *all = (const char *const *)names;
    if (is_unset || (name && (*name == '\0' || g_strv_contains(all, name))))
        return true;
    mmd_fail(p, MMD_SEMANTIC, p->token.start, "No such shape: %s.", name ? name : "not a word");
    g_autofree char *lower = g_ascii_strdown(name ? name : "", -1);
    const char *nearest = str_nearest(g_strdelimit(lower, "_", '-'), all);
    return nearest && mmd_hint(p, "write shape: %s", nearest);
}

/* The YAML of `@{ … }`: a line end within quotes is a `<br/>`, and on one line the braces belong to
   it. Caller frees. */
static char *shape_yaml(const MmdToken *token)
{
    g_autoptr(GString) yaml = g_string_new(NULL);
    const char *end = mmd_trim_end(token->start, token->stop) - 1;
    bool is_quoted = false;
    for (const char *text = token->start + strlen("@{"); text < end;) {
        size_t white = is_quoted && *text == '\n' ? strspn(text, " \t\n") : 0;
        is_quoted ^= *text == '"';
        if (white > 0)
            g_string_append(yaml, "<br/>");
        else
            g_string_append_c(yaml, *text);
        text += MAX(white, 1);
    }
    return g_strdup_printf(strchr(yaml->str, '\n') ? "%s\n" : "{\n%s\n}", yaml->str);
}

static bool take_shape_data(MmdParser *p)
{
    g_autofree char *yaml = shape_yaml(&p->token);
    g_autoptr(json_t) data = NULL;
    g_autofree char *reason = NULL;
    size_t line;
    if (mmd_yaml_parse(yaml, &data, &reason, &line))
        return check_shape_name(p, data) && mmd_advance(p);
    mmd_fail(p, MMD_SYNTAX, p->token.start, "the attributes are not valid YAML: %s", reason);
    return mmd_hint(p, "write @{ shape: rect, label: \"text\" }");
}

static bool take_node(MmdParser *p, const char *expected)
{
    if (!flow_take_name(p, expected) || !take_shape(p))
        return false;
    if (mmd_accept(p, FLOW_CLASS_MARK) && !flow_take_name(p, "a class after ':::'"))
        return false;
    while (mmd_is(p, FLOW_SHAPE_DATA)) {
        if (!take_shape_data(p))
            return false;
    }
    return true;
}

/* `A & B`; the white space after it too. */
static bool take_group(MmdParser *p, const char *expected, size_t *ret_count)
{
    *ret_count = 1;
    if (!take_node(p, expected))
        return false;
    while (mmd_accept(p, FLOW_SPACE) && mmd_accept(p, '&')) {
        ++*ret_count;
        if (!mmd_need(p, FLOW_SPACE, "a blank after '&'") || !take_node(p, "a node after '&'"))
            return false;
    }
    return true;
}

// ---- links ----

/* `-- text -->`; the current token is the first half, with the white space before it. */
static bool take_link_text(MmdParser *p)
{
    const char *opened = p->token.start + strspn(p->token.start, " \t\n");
    mmd_advance(p);
    if (!mmd_accept(p, FLOW_LINK_TEXT) &&
        !mmd_need(p, FLOW_STRING, "text after the first half of the link"))
        return false;
    while (mmd_accept(p, FLOW_LINK_TEXT))
        continue;
    if (mmd_accept(p, FLOW_LINK))
        return true;
    const char *where = mmd_is(p, MMD_BROKEN) ? p->end : p->token.start;
    return mmd_fail_open(p, where, opened,
                         *opened == '<' ? "use <-->, or --> from the other node"
                                        : "write A -- text --> B, or A -->|text| B",
                         "expected an arrow such as '-->' after the text of the link, found %s",
                         mmd_found(p, where));
}

/* *ret_found: false when there is none. */
static bool take_link(MmdParser *p, bool *ret_found)
{
    bool is_named = mmd_accept(p, FLOW_LINK_ID);
    *ret_found = is_named || mmd_is(p, FLOW_LINK) || mmd_is(p, FLOW_LINK_START);
    if (mmd_is(p, FLOW_LINK_START))
        return take_link_text(p);
    if (!mmd_accept(p, FLOW_LINK))
        return !is_named || mmd_need_other(p, "a link after its name");
    if (!mmd_is(p, '|'))
        return true;
    if (!flow_take_label(p))
        return false;
    mmd_accept(p, FLOW_SPACE);
    return true;
}

bool flow_take_chain(MmdParser *p)
{
    FlowDiagram *self = p->state;
    size_t from, to;
    if (!take_group(p, "a node", &from))
        return false;
    for (;; from = to) {
        bool is_link;
        const char *link = p->token.start;
        if (!take_link(p, &is_link))
            return false;
        if (!is_link)
            return true;
        if (!take_group(p, "a node after the link", &to))
            return false;
        if (from * to > LINKS_MAX - self->link_count)
            return mmd_fail(p, MMD_SEMANTIC, link, "more than %d links, which mermaid refuses",
                            LINKS_MAX);
        self->link_count += from * to;
    }
}
