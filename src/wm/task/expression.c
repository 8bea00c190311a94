/*
 * `${{ }}` of a task's body (expression.h): found outside of fences, split at `||`, and each atom
 * looked up in one table.
 */
#include "wm/task/expression.h"

#include "base/env.h"
#include "base/limits.h"
#include "base/str.h"

#include <string.h>

#define OPEN               "${{"
#define CLOSE              "}}"
#define HANDLEBARS         "{{#"
#define FENCE              "```"
#define EVENT_PREFIX       "github.event."
#define GITHUB_PREFIX      "github."
#define MAX_EXPANDED_BYTES (16 * MIB)

typedef enum {
    ATOM_TASK_NAME,
    ATOM_TEXT,
    ATOM_TITLE,
    ATOM_BODY,
    ATOM_MARK,
    ATOM_RESOLVED_TASKS,
    ATOM_HAS_TASKS,
    ATOM_EVENT,    // of the payload
    ATOM_VARIABLE, // GITHUB_…
    ATOM_LITERAL,
} AtomKind;

typedef struct Atom {
    AtomKind kind;
    char *data; // ATOM_EVENT: the path; ATOM_VARIABLE: its name; ATOM_LITERAL: the text
    bool is_gh_aw;
} Atom;

static void atom_free(Atom *self)
{
    g_free(self->data);
    g_free(self);
}

static const struct {
    const char *name;
    AtomKind kind;
    bool is_gh_aw; // the other program's name for the same
} atom_names[] = {
    { "wm.task_name", ATOM_TASK_NAME, false },
    { "wm.sanitized.text", ATOM_TEXT, false },
    { "wm.sanitized.title", ATOM_TITLE, false },
    { "wm.sanitized.body", ATOM_BODY, false },
    { "wm.mark", ATOM_MARK, false },
    { "steps.sanitized.outputs.text", ATOM_TEXT, true },
    { "steps.sanitized.outputs.title", ATOM_TITLE, true },
    { "steps.sanitized.outputs.body", ATOM_BODY, true },
    { "needs.activation.outputs.text", ATOM_TEXT, true },
    { "needs.activation.outputs.title", ATOM_TITLE, true },
    { "needs.activation.outputs.body", ATOM_BODY, true },
    { "needs.resolve.outputs.tasks", ATOM_RESOLVED_TASKS, false },
    { "needs.resolve.outputs.has_tasks", ATOM_HAS_TASKS, false },
};

static const char *const github_names[] = {
    "actor",      "repository", "repository_owner",
    "run_id",     "run_number", "run_attempt",
    "workflow",   "server_url", "ref",
    "ref_name",   "sha",        "workspace",
    "event_name", "job",        "api_url",
    "base_ref",   "head_ref",   NULL,
};

static bool has_prefix_nocase(const char *text, const char *prefix)
{
    return g_ascii_strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Segments of letters, digits, _ and -, joined by dots. */
static bool is_event_path(const char *path)
{
    bool needs_more = true;
    for (const char *at = path; *at; at = g_utf8_next_char(at)) {
        gunichar c = g_utf8_get_char(at);
        if (c == '.' && needs_more)
            return false;
        if (c != '.' && c != '_' && c != '-' && !g_unichar_isalnum(c))
            return false;
        needs_more = c == '.';
    }
    return !needs_more;
}

/* What of GitHub's expressions is refused wherever it stands; NULL: nothing. */
static const char *forbidden_reason(const char *expression)
{
    if (str_contains_nocase(expression, "secrets."))
        return "secrets.* is not allowed in task body (gh-aw policy)";
    if (str_contains_nocase(expression, "env."))
        return "env.* is not allowed in task body (gh-aw policy)";
    if (str_contains_nocase(expression, "vars."))
        return "vars.* is not allowed in task body (gh-aw policy)";
    if (str_contains_nocase(expression, "tojson(") || str_contains_nocase(expression, "fromjson("))
        return "toJSON/fromJSON are not allowed in task body (gh-aw policy)";
    return NULL;
}

static const char *unknown_reason(const char *atom)
{
    if (str_equal_nocase(atom, "matrix") || has_prefix_nocase(atom, "matrix."))
        return "matrix.* is not available in task expansion";
    if (str_equal_nocase(atom, "wm") || has_prefix_nocase(atom, "wm."))
        return "unsupported wm.* path";
    if (str_equal_nocase(atom, "github") || has_prefix_nocase(atom, GITHUB_PREFIX))
        return "unsupported github.* path";
    return "unsupported root (allowed: wm.*, github.*, steps.sanitized.outputs.*, "
           "needs.resolve.outputs.*)";
}

/* The text between two quotes, in which '' is one; NULL: it does not end where the atom does. */
static char *literal_text(const char *atom)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (const char *at = atom + 1; *at; at++) {
        if (*at == '\'' && at[1] != '\'')
            return at[1] == '\0' ? g_strdup(text->str) : NULL;
        if (*at == '\'')
            at++;
        g_string_append_c(text, *at);
    }
    return NULL;
}

static Atom *atom_make(AtomKind kind, char *data, bool is_gh_aw)
{
    Atom *atom = g_new0(Atom, 1);
    *atom = (Atom) { .kind = kind, .data = data, .is_gh_aw = is_gh_aw };
    return atom;
}

/* NULL: none that is known. */
static Atom *atom_parse(const char *text)
{
    if (*text == '\'') {
        char *literal = literal_text(text);
        return literal ? atom_make(ATOM_LITERAL, literal, false) : NULL;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(atom_names); i++)
        if (str_equal_nocase(text, atom_names[i].name))
            return atom_make(atom_names[i].kind, NULL, atom_names[i].is_gh_aw);
    if (has_prefix_nocase(text, EVENT_PREFIX) && is_event_path(text + strlen(EVENT_PREFIX)))
        return atom_make(ATOM_EVENT, g_strdup(text + strlen(EVENT_PREFIX)), false);
    for (size_t i = 0; github_names[i] && has_prefix_nocase(text, GITHUB_PREFIX); i++) {
        if (!str_equal_nocase(text + strlen(GITHUB_PREFIX), github_names[i]))
            continue;
        g_autofree char *name = g_strconcat("GITHUB_", github_names[i], NULL);
        return atom_make(ATOM_VARIABLE, g_ascii_strup(name, -1), false);
    }
    return NULL;
}

/* The atoms as texts, split at `||` outside of quotes. */
static GPtrArray *expression_split(const char *expression)
{
    GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);
    bool is_quoted = false;
    const char *start = expression;
    for (const char *at = expression;; at++) {
        if (*at == '\'')
            is_quoted = !is_quoted;
        if (*at && (is_quoted || at[0] != '|' || at[1] != '|'))
            continue;
        g_ptr_array_add(texts, g_strstrip(g_strndup(start, (gsize)(at - start))));
        if (!*at)
            return texts;
        start = ++at + 1;
    }
}

/* NULL with the reason why `expression`, which is trimmed, is none. */
static GPtrArray *expression_parse(const char *expression, const char **ret_reason)
{
    *ret_reason = forbidden_reason(expression);
    if (*ret_reason)
        return NULL;
    g_autoptr(GPtrArray) texts = expression_split(expression);
    g_autoptr(GPtrArray) atoms = g_ptr_array_new_with_free_func((GDestroyNotify)atom_free);
    for (unsigned i = 0; i < texts->len; i++) {
        Atom *atom = atom_parse(texts->pdata[i]);
        if (!atom) {
            *ret_reason = unknown_reason(texts->pdata[i]);
            return NULL;
        }
        g_ptr_array_add(atoms, atom);
    }
    return g_steal_pointer(&atoms);
}

/* Where a search for expressions is, and the fence before which it has not come yet. */
typedef struct Scan {
    const char *at;
    const char *fence;     // NULL: no more
    const char *fence_end; // behind it
} Scan;

static bool is_fence_line(const char *line)
{
    return g_str_has_prefix(line + strspn(line, " \t\r\v\f"), FENCE);
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* From the beginning of a line on. */
static void find_fence(Scan *self, const char *line)
{
    self->fence = NULL;
    while (*line && !is_fence_line(line))
        line = next_line(line);
    if (!*line)
        return;
    self->fence = line;
    do
        line = next_line(line);
    while (*line && !is_fence_line(line));
    self->fence_end = *line ? next_line(line) : line;
}

static Scan scan_begin(const char *text)
{
    Scan scan = { .at = text };
    find_fence(&scan, text);
    return scan;
}

/* The next place of `what` outside of fences, NULL: none. */
static const char *scan_find(Scan *self, const char *what)
{
    for (;;) {
        const char *found = strstr(self->at, what);
        if (!found)
            return NULL;
        while (self->fence && self->fence_end <= found)
            find_fence(self, self->fence_end);
        if (!self->fence || found < self->fence)
            return found;
        self->at = self->fence_end;
    }
}

/* The next expression, trimmed; NULL: none. Its place is in the other two. */
static char *scan_next(Scan *self, const char **ret_start, const char **ret_end)
{
    const char *start = scan_find(self, OPEN);
    const char *inside = start ? start + strlen(OPEN) : NULL;
    const char *end = inside ? strstr(inside, CLOSE) : NULL;
    if (!end)
        return NULL;
    self->at = end + strlen(CLOSE);
    *ret_start = start;
    *ret_end = self->at;
    return g_strstrip(g_strndup(inside, (gsize)(end - inside)));
}

static void check_one(const char *expression, WmNotePlace place, GPtrArray *problems,
                      GPtrArray *hints)
{
    if (!*expression) {
        wm_note(problems, place, "empty ${{ }} expression");
        return;
    }
    const char *reason = NULL;
    g_autoptr(GPtrArray) atoms = expression_parse(expression, &reason);
    if (!atoms) {
        wm_note(problems, place, "expression \"%s\": %s", expression, reason);
        return;
    }
    for (unsigned i = 0; hints && i < atoms->len; i++) {
        if (!((const Atom *)atoms->pdata[i])->is_gh_aw)
            continue;
        wm_note(hints, place,
                "expression \"%s\": prefer wm.sanitized.* over the outputs of a step or job of "
                "gh-aw",
                expression);
        return;
    }
}

static WmNotePlace place_in(const char *body, const char *at)
{
    return (WmNotePlace) { .before_end = strlen(body) - (size_t)(at - body) };
}

void wm_expressions_check(const char *body, GPtrArray *problems, GPtrArray *hints)
{
    Scan blocks = scan_begin(body);
    const char *handlebars = scan_find(&blocks, HANDLEBARS);
    if (handlebars)
        wm_note(problems, place_in(body, handlebars),
                "unsupported gh-aw template directive {{#...}} in task body; use ${{ }} "
                "expressions only or remove Handlebars-style blocks");
    Scan scan = scan_begin(body);
    const char *start, *end;
    char *expression;
    while ((expression = scan_next(&scan, &start, &end))) {
        check_one(expression, place_in(body, start), problems, hints);
        g_free(expression);
    }
}

static char *value_text(const json_t *value)
{
    if (!value || json_is_null(value))
        return g_strdup("");
    if (json_is_string(value))
        return g_strdup(json_string_value(value));
    double number = json_is_real(value) ? json_real_value(value) : 0.5;
    if (number > -1e15 && number < 1e15 && (double)(gint64)number == number)
        return g_strdup_printf("%" G_GINT64_FORMAT, (gint64)number);
    return json_to_text(value);
}

static bool event_value(const WmEvent *event, const char *path, char **ret_value, GError **error)
{
    const json_t *value = event->payload;
    g_auto(GStrv) segments = g_strsplit(path, ".", -1);
    for (char **segment = segments; *segment; segment++) {
        if (!value || json_is_null(value))
            break;
        if (!json_is_object(value))
            return fail_with(error, KEDGE_ERROR_PROTOCOL,
                             "github.event path \"%s\": not an object at segment \"%s\"", path,
                             *segment);
        value = json_object_get(value, *segment);
    }
    *ret_value = value_text(value);
    return true;
}

static const char *variable_value(const Atom *atom, const WmScope *scope)
{
    const char *value = env_get_raw(atom->data);
    // outside of Actions the event is what the command was told
    if (!value && g_str_equal(atom->data, "GITHUB_EVENT_NAME"))
        value = scope->event->name;
    return value;
}

static bool atom_value(const Atom *atom, const WmScope *scope, char **ret_value, GError **error)
{
    const char *value = NULL;
    switch (atom->kind) {
    case ATOM_EVENT:
        return event_value(scope->event, atom->data, ret_value, error);
    case ATOM_TASK_NAME:
        value = scope->task_name;
        break;
    case ATOM_TEXT:
        value = scope->sanitized->text;
        break;
    case ATOM_TITLE:
        value = scope->sanitized->title;
        break;
    case ATOM_BODY:
        value = scope->sanitized->body;
        break;
    case ATOM_MARK:
        value = scope->sanitized->mark;
        break;
    case ATOM_RESOLVED_TASKS:
        value = env_get_raw("WM_RESOLVED_TASKS_JSON");
        break;
    case ATOM_HAS_TASKS:
        value = env_get_raw("WM_HAS_TASKS");
        break;
    case ATOM_VARIABLE:
        value = variable_value(atom, scope);
        break;
    case ATOM_LITERAL:
        value = atom->data;
        break;
    }
    *ret_value = g_strdup(value ? value : "");
    return true;
}

static bool is_truthy(const char *value)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(value));
    return *trimmed && !g_str_equal(trimmed, "false") && !g_str_equal(trimmed, "0");
}

/* A single atom's value as it is; of several the first that counts. */
static bool expression_evaluate(const char *expression, const WmScope *scope, char **ret_value,
                                GError **error)
{
    const char *reason = *expression ? NULL : "empty ${{ }} expression";
    g_autoptr(GPtrArray) atoms = reason ? NULL : expression_parse(expression, &reason);
    if (!atoms)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s", reason);
    for (unsigned i = 0; i < atoms->len; i++) {
        g_autofree char *value = NULL;
        if (!atom_value(atoms->pdata[i], scope, &value, error))
            return false;
        if (atoms->len > 1 && !is_truthy(value))
            continue;
        *ret_value = g_steal_pointer(&value);
        return true;
    }
    *ret_value = g_strdup("");
    return true;
}

bool wm_expressions_expand(const char *text, const WmScope *scope, bool is_lenient, char **ret_text,
                           GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    const char *copied = text, *start, *end;
    Scan scan = scan_begin(text);
    for (;;) {
        g_autofree char *expression = scan_next(&scan, &start, &end), *value = NULL;
        if (!expression)
            break;
        g_autoptr(GError) problem = NULL;
        if (!expression_evaluate(expression, scope, &value, &problem)) {
            if (!is_lenient)
                return fail_with(error, KEDGE_ERROR_PROTOCOL, "expand \"%s\": %s", expression,
                                 problem->message);
            continue; // it is copied with what follows
        }
        g_string_append_len(out, copied, (gssize)(start - copied));
        g_string_append(out, value);
        copied = end;
        if (out->len > MAX_EXPANDED_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT,
                             "expand \"%s\": the text would be larger than %zu bytes", expression,
                             MAX_EXPANDED_BYTES);
    }
    g_string_append(out, copied);
    *ret_text = g_string_free(g_steal_pointer(&out), FALSE);
    return true;
}
