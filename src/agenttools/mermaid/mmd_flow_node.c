/*
 * Nodes, labels and links of flowcharts (mmd_flow.h), and what is said when one is broken.
 */
#include "agenttools/mermaid/mmd_flow.h"
#include "agenttools/mermaid/mmd_yaml.h"
#include "base/str.h"

#define HINT_CHARS_MAX 120 // of a label that a hint repeats
#define LINKS_MAX      500 // mermaid's own limit for a diagram

static const char label_hint[] =
    "Put the whole label in double quotes: %s; write #quot; for a quote";

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

// ---- what went wrong ----

static bool is_keyword(FlowToken token)
{
    return token == FLOW_GRAPH || (token >= FLOW_SUBGRAPH && token <= FLOW_CALLBACK);
}

static void add_hint(FlowParser *f)
{
    const char *at = f->start;
    size_t word = strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_");
    if (strncmp(at, "%%", 2) == 0)
        mmd_hint(f->p, "Comments must be on their own line");
    else if (strncmp(at, "->", 2) == 0)
        mmd_hint(f->p, "use -->");
    else if (strncmp(at, "=>", 2) == 0)
        mmd_hint(f->p, "use ==>");
    else if (strncmp(at, "<-", 2) == 0)
        mmd_hint(f->p, "use <-->, or --> from the other node");
    else if (f->token == FLOW_TARGET)
        mmd_hint(f->p, "\"%.*s\" is a keyword in flowcharts; choose another name", (int)word, at);
    else if (is_keyword(f->token))
        mmd_hint(f->p, "\"%.*s\" is a keyword in flowcharts; write %c%.*s or [\"%.*s\"]", (int)word,
                 at, g_ascii_toupper(*at), (int)word - 1, at + 1, (int)word, at);
}

bool flow_unexpected(FlowParser *f, const char *expected)
{
    if (f->token == FLOW_BROKEN_OFF && f->start < f->p->end)
        return mmd_fail_open(f->p, f->p->end, f->start, NULL,
                             "expected a closing quote or bracket before the end of the diagram");
    mmd_fail(f->p, MMD_SYNTAX, f->start, "expected %s, found %s", expected,
             mmd_found(f->p, f->start));
    add_hint(f);
    return false;
}

// ---- labels ----

typedef struct Shape {
    FlowToken open, close;
    const char *open_text, *close_text;
} Shape;

static const Shape shapes[] = {
    { FLOW_OPEN_SQUARE, FLOW_CLOSE_SQUARE, "[", "]" },
    { FLOW_OPEN_ROUND, FLOW_CLOSE_ROUND, "(", ")" },
    { FLOW_OPEN_BRACE, FLOW_CLOSE_BRACE, "{", "}" },
    { FLOW_OPEN_ANGLE, FLOW_CLOSE_SQUARE, ">", "]" },
    { FLOW_OPEN_ELLIPSE, FLOW_CLOSE_ELLIPSE, "(-", "-)" },
    { FLOW_OPEN_STADIUM, FLOW_CLOSE_STADIUM, "([", "])" },
    { FLOW_OPEN_SUBROUTINE, FLOW_CLOSE_SUBROUTINE, "[[", "]]" },
    { FLOW_OPEN_CYLINDER, FLOW_CLOSE_CYLINDER, "[(", ")]" },
    { FLOW_OPEN_DOUBLE_CIRCLE, FLOW_CLOSE_DOUBLE_CIRCLE, "(((", ")))" },
    { FLOW_OPEN_SLASH, FLOW_CLOSE_SLASH, "[/", "/]" },
    { FLOW_OPEN_BACKSLASH, FLOW_CLOSE_BACKSLASH, "[\\", "\\]" },
    { FLOW_PIPE, FLOW_PIPE, "|", "|" },
};

static const Shape *shape_of(FlowToken open)
{
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        if (shapes[i].open == open)
            return &shapes[i];
    }
    return NULL;
}

static bool closes(const Shape *shape, FlowToken token)
{
    bool is_slanted = shape->open == FLOW_OPEN_SLASH || shape->open == FLOW_OPEN_BACKSLASH;
    if (is_slanted)
        return token == FLOW_CLOSE_SLASH || token == FLOW_CLOSE_BACKSLASH;
    return token == shape->close;
}

/* Where a label that may hold brackets was meant to end, on its line; NULL: not clear. */
static const char *meant_end(const MmdParser *p, const char *text, const char *close)
{
    unsigned depth = 0;
    for (const char *at = text; at < p->end && *at != '\n'; at++) {
        if (depth == 0 && strncmp(at, close, strlen(close)) == 0 && at > text)
            return at;
        if (strchr("([{", *at) != NULL)
            depth++;
        else if (depth > 0 && strchr(")]}", *at) != NULL)
            depth--;
    }
    return NULL;
}

/* The label in quotes, with what stands around it. */
static void hint_quotes(FlowParser *f, const char *opened, const Shape *shape)
{
    const char *text = opened + strlen(shape->open_text);
    const char *end = meant_end(f->p, text, shape->close_text);
    const char *line_end = mmd_line_end(text, f->p->end);
    if (end == NULL && f->start >= line_end) { // nothing but its end is wrong with the label
        mmd_hint(f->p, "close it with '%s'", shape->close_text);
        return;
    }
    if (end == NULL || end - text > HINT_CHARS_MAX) {
        mmd_hint(f->p, label_hint, "B[\"Call foo(bar)\"]");
        return;
    }
    bool is_quoted = *text == '"' && end - text > 2 && end[-1] == '"';
    g_autofree char *label = is_quoted ? g_strndup(text + 1, (size_t)(end - text - 2))
                                       : g_strndup(text, (size_t)(end - text));
    g_auto(GStrv) parts = g_strsplit(g_strstrip(label), "\"", -1);
    g_autofree char *escaped = g_strjoinv("#quot;", parts);
    bool is_named = shape->open != FLOW_PIPE && f->name_start < opened;
    size_t name_size = is_named ? (size_t)(opened - f->name_start) : 0;
    g_autofree char *better = g_strdup_printf("%.*s%s\"%s\"%s", (int)name_size, f->name_start,
                                              shape->open_text, escaped, shape->close_text);
    mmd_hint(f->p, label_hint, better);
}

static bool fail_label(FlowParser *f, const char *opened, const Shape *shape, bool is_empty)
{
    MmdParser *p = f->p;
    bool is_arrow = shape->open == FLOW_OPEN_ANGLE && (opened[-1] == '-' || opened[-1] == '=');
    if (is_arrow) {
        f->start = opened - 1;
        f->token = FLOW_OTHER;
        return flow_unexpected(f, "a link");
    }
    if (is_empty && (closes(shape, f->token) || f->token == FLOW_PIPE)) {
        mmd_fail(p, MMD_SYNTAX, f->start, "expected text between '%s' and '%s'", shape->open_text,
                 shape->close_text);
        return mmd_hint(p, "write %s\" \"%s for an empty label", shape->open_text,
                        shape->close_text);
    }
    bool is_end = f->token == FLOW_BROKEN_OFF || f->token == FLOW_END_OF_TEXT;
    mmd_fail_open(p, is_end ? p->end : f->start, opened, NULL,
                  "expected '%s' to close the label, found %s", shape->close_text,
                  mmd_found(p, is_end ? p->end : f->start));
    hint_quotes(f, opened, shape);
    return false;
}

bool flow_take_label(FlowParser *f, FlowToken open, const char *opened)
{
    const Shape *shape = shape_of(open);
    if (f->token != FLOW_TEXT && f->token != FLOW_STRING)
        return fail_label(f, opened, shape, true);
    flow_next(f);
    while (f->token == FLOW_TEXT)
        flow_next(f);
    if (!closes(shape, f->token))
        return fail_label(f, opened, shape, false);
    flow_next(f);
    return true;
}

// ---- nodes ----

static bool is_name_part(FlowToken token)
{
    return token == FLOW_DEFAULT || (token >= FLOW_NUMBER && token <= FLOW_DOWN);
}

bool flow_take_name(FlowParser *f, const char *expected)
{
    if (!is_name_part(f->token))
        return flow_unexpected(f, expected);
    f->name_start = f->start;
    while (is_name_part(f->token))
        flow_next(f);
    return true;
}

/* `((x))` and `{{x}}`: the second bracket stands next. */
static bool take_double(FlowParser *f, FlowToken open, const char *opened)
{
    const char *inner = f->start;
    flow_next(f);
    if (!flow_take_label(f, open, inner))
        return false;
    const Shape *shape = shape_of(open);
    if (f->token != shape->close)
        return mmd_fail_open(f->p, f->start, opened, NULL, "expected '%s%s', found %s",
                             shape->close_text, shape->close_text, mmd_found(f->p, f->start));
    flow_next(f);
    return true;
}

/* `[|name:value|text]`, after the `[|`. */
static bool take_properties(FlowParser *f, const char *opened)
{
    static const FlowToken parts[] = { FLOW_NAME, FLOW_COLON, FLOW_NAME };
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (f->token != parts[i])
            return flow_unexpected(f, "'name:value|' after '[|'");
        flow_next(f);
    }
    if (f->token != FLOW_PIPE)
        return flow_unexpected(f, "'|' after the property");
    flow_next(f);
    return flow_take_label(f, FLOW_OPEN_SQUARE, opened);
}

static bool take_shape(FlowParser *f)
{
    FlowToken open = f->token;
    const char *opened = f->start;
    if (open == FLOW_OPEN_PROPERTIES) {
        flow_next(f);
        return take_properties(f, opened);
    }
    if (shape_of(open) == NULL || open == FLOW_PIPE)
        return true;
    flow_next(f);
    if (f->token == open && (open == FLOW_OPEN_ROUND || open == FLOW_OPEN_BRACE))
        return take_double(f, open, opened);
    return flow_take_label(f, open, opened);
}

static bool check_shape_name(FlowParser *f, const json_t *data)
{
    const json_t *value = json_object_get(data, "shape");
    bool is_unset = value == NULL || json_is_null(value) || json_is_false(value) ||
                    (json_is_integer(value) && json_integer_value(value) == 0);
    const char *name = json_string_value(value);
    if (is_unset || (name != NULL && *name == '\0'))
        return true;
    g_auto(GStrv) names = g_strsplit(shape_names, " ", -1);
    const char *const *all = (const char *const *)names;
    if (name != NULL && g_strv_contains(all, name))
        return true;

    mmd_fail(f->p, MMD_SEMANTIC, f->start, "No such shape: %s.",
             name != NULL ? name : "not a word");
    g_autofree char *lower = g_ascii_strdown(name != NULL ? name : "", -1);
    const char *nearest = str_nearest(g_strdelimit(lower, "_", '-'), all);
    if (nearest != NULL)
        mmd_hint(f->p, "write shape: %s", nearest);
    return false;
}

/* The YAML between the braces: a line end within quotes is a `<br/>`, and on one line the braces
   belong to it. Caller frees. */
static char *shape_yaml(const char *text, const char *end)
{
    g_autoptr(GString) yaml = g_string_new(NULL);
    bool is_quoted = false;
    while (text < end) {
        size_t white = is_quoted && *text == '\n' ? strspn(text, " \t\n") : 0;
        is_quoted ^= *text == '"';
        if (white > 0)
            g_string_append(yaml, "<br/>");
        else
            g_string_append_c(yaml, *text);
        text += MAX(white, 1);
    }
    bool has_lines = strchr(yaml->str, '\n') != NULL;
    return g_strdup_printf(has_lines ? "%s\n" : "{\n%s\n}", yaml->str);
}

static bool take_shape_data(FlowParser *f)
{
    g_autofree char *yaml = shape_yaml(f->start + strlen("@{"), f->inner_end);
    g_autoptr(json_t) data = NULL;
    g_autofree char *reason = NULL;
    size_t line;
    if (!mmd_yaml_parse(yaml, &data, &reason, &line)) {
        mmd_fail(f->p, MMD_SYNTAX, f->start, "the attributes are not valid YAML: %s", reason);
        return mmd_hint(f->p, "write @{ shape: rect, label: \"text\" }");
    }
    if (!check_shape_name(f, data))
        return false;
    flow_next(f);
    return true;
}

static bool take_node(FlowParser *f, const char *expected)
{
    if (!flow_take_name(f, expected) || !take_shape(f))
        return false;
    if (f->token == FLOW_CLASS_MARK) {
        flow_next(f);
        if (!flow_take_name(f, "a class after ':::'"))
            return false;
    }
    while (f->token == FLOW_SHAPE_DATA) {
        if (!take_shape_data(f))
            return false;
    }
    return true;
}

/* `A & B`; the white space after it too. */
static bool take_group(FlowParser *f, const char *expected, size_t *ret_count)
{
    size_t count = 1;
    if (!take_node(f, expected))
        return false;
    for (;; count++) {
        bool has_space = f->token == FLOW_SPACE;
        if (has_space)
            flow_next(f);
        if (!has_space || f->token != FLOW_AMPERSAND)
            break;
        flow_next(f);
        if (f->token != FLOW_SPACE)
            return flow_unexpected(f, "a blank after '&'");
        flow_next(f);
        if (!take_node(f, "a node after '&'"))
            return false;
    }
    *ret_count = count;
    return true;
}

// ---- links ----

static bool take_link_text(FlowParser *f, const char *opened)
{
    if (f->token != FLOW_LINK_TEXT && f->token != FLOW_STRING)
        return flow_unexpected(f, "text after the first half of the link");
    flow_next(f);
    while (f->token == FLOW_LINK_TEXT)
        flow_next(f);
    if (f->token == FLOW_LINK) {
        flow_next(f);
        return true;
    }
    const char *where = f->token == FLOW_BROKEN_OFF ? f->p->end : f->start;
    const char *line = opened + strspn(opened, " \t\n");
    return mmd_fail_open(f->p, where, line,
                         *line == '<' ? "use <-->, or --> from the other node"
                                      : "write A -- text --> B, or A -->|text| B",
                         "expected an arrow such as '-->' after the text of the link, found %s",
                         mmd_found(f->p, where));
}

/* *ret_found: false when none stands here. */
static bool take_link(FlowParser *f, bool *ret_found)
{
    *ret_found = f->token == FLOW_LINK_ID || f->token == FLOW_LINK || f->token == FLOW_LINK_START;
    if (f->token == FLOW_LINK_ID) {
        flow_next(f);
        if (f->token != FLOW_LINK && f->token != FLOW_LINK_START)
            return flow_unexpected(f, "a link after its name");
    }
    if (f->token == FLOW_LINK_START) {
        const char *opened = f->start;
        flow_next(f);
        return take_link_text(f, opened);
    }
    if (!*ret_found)
        return true;
    flow_next(f);
    if (f->token != FLOW_PIPE)
        return true;

    const char *opened = f->start;
    flow_next(f);
    if (!flow_take_label(f, FLOW_PIPE, opened))
        return false;
    if (f->token == FLOW_SPACE)
        flow_next(f);
    return true;
}

bool flow_take_chain(FlowParser *f)
{
    size_t from;
    if (!take_group(f, "a node", &from))
        return false;
    for (;;) {
        bool is_link;
        const char *link = f->start;
        if (!take_link(f, &is_link))
            return false;
        if (!is_link)
            return true;
        size_t to;
        if (!take_group(f, "a node after the link", &to))
            return false;
        if (from * to > LINKS_MAX - f->link_count)
            return mmd_fail(f->p, MMD_SEMANTIC, link, "more than %d links, which mermaid refuses",
                            LINKS_MAX);
        f->link_count += from * to;
        from = to;
    }
}
