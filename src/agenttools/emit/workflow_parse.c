/*
 * The part of Mermaid's stateDiagram-v2 that run workflows are written in (agent-tools-cli §4.3),
 * line by line. Everything else is refused with its line, so that no definition means less than it
 * says.
 */
#include "agenttools/emit/workflow.h"

#include "agenttools/answer.h"
#include "base/str.h"
#include "base/utf8.h"

#define ARROW   "-->"
#define OUTSIDE "[*]"

typedef struct Parser {
    Workflow *workflow;
    GHashTable *indexes; // id (borrowed from the states) → index + 1
    unsigned line;
    char text[120]; // of the line, for messages
    GError **error;
} Parser;

static json_t *place_of(const Parser *self, unsigned line)
{
    json_t *details = json_make("source:%s", self->workflow->source);
    if (line > 0)
        json_set_int(details, "line", line);
    return details;
}

static bool fail_unsupported(Parser *self, const char *feature)
{
    return answer_error(self->error, ANSWER_VALIDATION, place_of(self, self->line),
                        "Unsupported state diagram feature: %s at line %u", feature, self->line);
}

static bool fail_unreadable(Parser *self)
{
    return answer_error(self->error, ANSWER_VALIDATION, place_of(self, self->line),
                        "Cannot read '%s' at line %u", self->text, self->line);
}

static bool fail_too_many(Parser *self, const char *what, unsigned limit)
{
    return answer_error(self->error, ANSWER_VALIDATION, place_of(self, self->line),
                        "Too many %s at line %u (limit %u)", what, self->line, limit);
}

// ---- states and transitions ----

/* No white space, no character that means something in a diagram or in a step's name. */
static bool is_id(const char *text)
{
    for (const char *c = text; *c != '\0'; c++)
        if (g_ascii_isspace(*c) || g_ascii_iscntrl(*c) || strchr("[]{}()<>\"':;,*", *c))
            return false;
    return *text != '\0' && strstr(text, "--") == NULL &&
           g_utf8_strlen(text, -1) <= LIMIT_WORKFLOW_NAME;
}

/* The state of that id, made when it is new. */
static bool name_state(Parser *self, const char *id, unsigned *ret_index)
{
    if (!is_id(id))
        return fail_unreadable(self);
    unsigned known = GPOINTER_TO_UINT(g_hash_table_lookup(self->indexes, id));
    if (known > 0) {
        *ret_index = known - 1;
        return true;
    }
    GPtrArray *states = self->workflow->states;
    if (states->len >= LIMIT_WORKFLOW_STATES)
        return fail_too_many(self, "states", LIMIT_WORKFLOW_STATES);
    WorkflowState *state = g_new0(WorkflowState, 1);
    state->id = g_strdup(id);
    state->line = self->line;
    g_ptr_array_add(states, state);
    g_hash_table_insert(self->indexes, state->id, GUINT_TO_POINTER(states->len));
    *ret_index = states->len - 1;
    return true;
}

static WorkflowState *state_at(Parser *self, unsigned index)
{
    return g_ptr_array_index(self->workflow->states, index);
}

static bool describe_state(Parser *self, const char *id, const char *text)
{
    unsigned index;
    if (!name_state(self, id, &index))
        return false;
    g_free(state_at(self, index)->label);
    state_at(self, index)->label = g_strdup(text);
    return true;
}

static bool add_initial(Parser *self, const char *id)
{
    unsigned index;
    if (!name_state(self, id, &index))
        return false;
    if (!state_at(self, index)->is_initial)
        g_array_append_val(self->workflow->initial, index);
    state_at(self, index)->is_initial = true;
    return true;
}

static bool add_edge(Parser *self, const char *from, const char *to, const char *label)
{
    WorkflowEdge edge = { 0 };
    if (!name_state(self, from, &edge.from))
        return false;
    if (strcmp(to, OUTSIDE) == 0) {
        state_at(self, edge.from)->is_terminal = true;
        return true;
    }
    if (!name_state(self, to, &edge.to))
        return false;
    if (self->workflow->edges->len >= LIMIT_WORKFLOW_EDGES)
        return fail_too_many(self, "transitions", LIMIT_WORKFLOW_EDGES);
    edge.label = g_strdup(label);
    g_array_append_val(self->workflow->edges, edge);
    return true;
}

// ---- lines ----

/* Cuts `text` at the first `mark`; what follows, stripped, or NULL. `text` is stripped too. */
static char *cut_at(char *text, const char *mark)
{
    char *found = strstr(text, mark);
    if (found)
        *found = '\0';
    g_strstrip(text);
    return found ? g_strstrip(found + strlen(mark)) : NULL;
}

static bool read_transition(Parser *self, char *line)
{
    char *to = cut_at(line, ARROW);
    char *label = cut_at(to, ":");
    if (strcmp(line, OUTSIDE) == 0)
        return add_initial(self, to);
    return add_edge(self, line, to, label);
}

/* What follows the word `state`. */
static bool read_state(Parser *self, char *rest)
{
    static const char *const kinds[] = { "fork", "join", "choice" };
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *mark = g_strdup_printf("<<%s>>", kinds[i]);
        g_autofree char *feature = g_strdup_printf("%s state (%s)", kinds[i], mark);
        if (strstr(rest, mark))
            return fail_unsupported(self, feature);
    }
    if (*rest == '"') {
        char *id = cut_at(rest + 1, "\"");
        if (!id || !str_has_prefix(id, "as "))
            return fail_unreadable(self);
        return describe_state(self, g_strstrip(id + strlen("as ")), rest + 1);
    }
    char *text = cut_at(rest, ":");
    unsigned index;
    return text ? describe_state(self, rest, text) : name_state(self, rest, &index);
}

/* What Mermaid knows and a run workflow cannot have; NULL: nothing of that. */
static const char *unsupported_feature(const char *line)
{
    static const struct {
        const char *prefix, *feature;
    } table[] = {
        { "note ", "note" },
        { "end note", "note" },
        { "}", "composite state" },
        { "classDef ", "styling (classDef)" },
        { "class ", "styling (class)" },
        { "style ", "styling (style)" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        if (str_has_prefix(line, table[i].prefix))
            return table[i].feature;
    if (str_has_prefix(line, "--") && !str_has_prefix(line, ARROW))
        return "concurrency (--)";
    if (g_str_has_suffix(line, "{"))
        return "composite state";
    return strstr(line, ":::") ? "styling (:::)" : NULL;
}

static bool read_line(Parser *self, char *line)
{
    const char *feature = unsupported_feature(line);
    if (feature)
        return fail_unsupported(self, feature);
    if (str_has_prefix(line, "direction "))
        return true;
    if (strstr(line, ARROW))
        return read_transition(self, line);
    if (str_has_prefix(line, "state "))
        return read_state(self, g_strstrip(line + strlen("state ")));
    return read_state(self, line);
}

// ---- the whole text ----

/* Without its comment, a semicolon at the end and white space around. */
static char *clean_line(char *line)
{
    char *comment = strstr(line, "%%");
    if (comment)
        *comment = '\0';
    g_strstrip(line);
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == ';')
        line[length - 1] = '\0';
    return g_strchomp(line);
}

/* The index of the first line after front matter. */
static size_t skip_front_matter(char *const *lines)
{
    g_autofree char *first = g_strchomp(g_strdup(lines[0] ? lines[0] : ""));
    if (strcmp(first, "---") != 0)
        return 0;
    for (size_t i = 1; lines[i]; i++) {
        g_autofree char *line = g_strchomp(g_strdup(lines[i]));
        if (strcmp(line, "---") == 0)
            return i + 1;
    }
    return 0;
}

static bool read_lines(Parser *self, char **lines, unsigned first_line)
{
    bool has_header = false;
    size_t i = skip_front_matter(lines);
    for (; lines[i]; i++) {
        char *line = clean_line(lines[i]);
        self->line = first_line + (unsigned)i;
        if (*line == '\0')
            continue;
        g_autofree char *shown = str_truncate(line, sizeof self->text - 1);
        g_strlcpy(self->text, shown, sizeof self->text);
        if (has_header ? !read_line(self, line) : strcmp(line, "stateDiagram-v2") != 0)
            return has_header
                       ? false
                       : answer_error(self->error, ANSWER_VALIDATION, place_of(self, self->line),
                                      "Expected 'stateDiagram-v2' at line %u", self->line);
        has_header = true;
    }
    if (!has_header)
        return answer_error(self->error, ANSWER_VALIDATION, place_of(self, first_line),
                            "Expected 'stateDiagram-v2' at line %u", first_line);
    if (self->workflow->initial->len == 0)
        return answer_error(self->error, ANSWER_VALIDATION, place_of(self, first_line),
                            "No initial state defined. Add a '[*] --> state_id' transition.");
    return true;
}

static void warn_unreachable(Workflow *workflow)
{
    g_autoptr(GArray) order = workflow_order(workflow);
    g_autofree bool *is_reached = g_new0(bool, workflow->states->len);
    for (unsigned i = 0; i < order->len; i++)
        is_reached[g_array_index(order, unsigned, i)] = true;
    for (unsigned i = 0; i < workflow->states->len; i++)
        if (!is_reached[i])
            g_ptr_array_add(
                workflow->warnings,
                g_strdup_printf("State \"%s\" is unreachable", workflow_state_at(workflow, i)->id));
}

bool workflow_parse(const char *name, const char *source, const char *text, unsigned first_line,
                    Workflow **ret_workflow, GError **error)
{
    g_autoptr(Workflow) workflow = workflow_new(name, source);
    g_autoptr(GHashTable) indexes = g_hash_table_new(g_str_hash, g_str_equal);
    Parser parser = { .workflow = workflow, .indexes = indexes, .error = error };
    const char *start = text + utf8_bom_size(text, strlen(text));
    g_auto(GStrv) lines = g_strsplit(start, "\n", -1);
    if (!read_lines(&parser, lines, first_line))
        return false;
    warn_unreachable(workflow);
    *ret_workflow = g_steal_pointer(&workflow);
    return true;
}
