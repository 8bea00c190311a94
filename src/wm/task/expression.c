/*
 * `${{ }}` of a task's body (expression.h): split at `||`, and each atom looked up in one table.
 * Where they are, fences.c finds.
 */
#include "wm/task/expression.h"

#include "base/env.h"
#include "base/limits.h"
#include "base/str.h"
#include "wm/task/fences.h"

#include <string.h>

#define OPEN               "${{"
#define CLOSE              "}}"
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
    ATOM_INPUT,    // of a dispatch, or its default
    ATOM_ENV,      // of the task's own `env`
    ATOM_VARIABLE, // GITHUB_…
    ATOM_LITERAL,
    ATOM_EMPTY, // what only gh-aw has: outputs of steps and jobs
} AtomKind;

typedef struct Atom {
    AtomKind kind;
    char *data; // the path of the payload, the name, or the text
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
static const char *forbidden_reason(const char *expression, bool is_env)
{
    if (str_contains_nocase(expression, "secrets."))
        return "secrets.* is not allowed in task body (gh-aw policy)";
    if (!is_env && str_contains_nocase(expression, "vars."))
        return "vars.* is not allowed in task body (gh-aw policy)";
    if (str_contains_nocase(expression, "tojson(") || str_contains_nocase(expression, "fromjson("))
        return "toJSON/fromJSON are not allowed in task body (gh-aw policy)";
    return NULL;
}

static const char *unknown_reason(const char *atom)
{
    if (has_prefix_nocase(atom, "env."))
        return "env.* is not allowed in task body, but for names of the task's own env:";
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

/* `NAME`, of which gh-aw has a default, an environment, or outputs of what is not run here. */
static Atom *atom_parse_gh_aw(const char *text, const WmNames *names)
{
    static const char *const outputs[] = { "needs.", "steps." };
    const char *name = strchr(text, '.') ? strchr(text, '.') + 1 : "";
    bool is_path = is_event_path(name);
    if (is_path && has_prefix_nocase(text, "inputs.") && !strchr(name, '.'))
        return atom_make(ATOM_INPUT, g_strdup(name), false);
    if (has_prefix_nocase(text, "env.") &&
        json_is_string(json_object_get(json_get_object(names->front, "env"), name)))
        return atom_make(ATOM_ENV, g_strdup(name), false);
    if (names->is_env && is_path && has_prefix_nocase(text, "vars."))
        return atom_make(ATOM_EMPTY, NULL, false);
    for (size_t i = 0; is_path && i < G_N_ELEMENTS(outputs); i++)
        if (has_prefix_nocase(text, outputs[i]) && str_contains_nocase(name, ".outputs."))
            return atom_make(ATOM_EMPTY, NULL, false);
    return NULL;
}

/* NULL: none that is known. */
static Atom *atom_parse(const char *text, const WmNames *names)
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
    return atom_parse_gh_aw(text, names);
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
static GPtrArray *expression_parse(const char *expression, const WmNames *names,
                                   const char **ret_reason)
{
    *ret_reason =
        *expression ? forbidden_reason(expression, names->is_env) : "empty ${{ }} expression";
    if (*ret_reason)
        return NULL;
    g_autoptr(GPtrArray) texts = expression_split(expression);
    g_autoptr(GPtrArray) atoms = g_ptr_array_new_with_free_func((GDestroyNotify)atom_free);
    for (unsigned i = 0; i < texts->len; i++) {
        Atom *atom = atom_parse(texts->pdata[i], names);
        if (!atom) {
            *ret_reason = unknown_reason(texts->pdata[i]);
            return NULL;
        }
        g_ptr_array_add(atoms, atom);
    }
    return g_steal_pointer(&atoms);
}

/* The next expression, trimmed; NULL: none. Its place is in the other two. */
static char *scan_next(WmFences *self, const char **ret_start, const char **ret_end)
{
    const char *start = wm_fences_find(self, OPEN);
    const char *inside = start ? start + strlen(OPEN) : NULL;
    const char *end = inside ? strstr(inside, CLOSE) : NULL;
    if (!end)
        return NULL;
    self->at = end + strlen(CLOSE);
    *ret_start = start;
    *ret_end = self->at;
    return g_strstrip(g_strndup(inside, (gsize)(end - inside)));
}

bool wm_expression_is_known(const char *expression, const WmNames *names)
{
    const char *reason;
    g_autoptr(GPtrArray) atoms = expression_parse(expression, names, &reason);
    return atoms != NULL;
}

static const char *hint_of(const Atom *atom)
{
    return atom->is_gh_aw ? "prefer wm.sanitized.* over the outputs of a step or job of gh-aw"
           : atom->kind == ATOM_EMPTY ? "it is empty here, where no steps and jobs of gh-aw are run"
                                      : NULL;
}

static void check_one(const char *expression, const WmNames *names, WmNotePlace place,
                      GPtrArray *problems, GPtrArray *hints)
{
    const char *reason = NULL;
    g_autoptr(GPtrArray) atoms = expression_parse(expression, names, &reason);
    if (!atoms && !*expression)
        wm_note(problems, place, "%s", reason);
    else if (!atoms)
        wm_note(problems, place, "expression \"%s\": %s", expression, reason);
    for (unsigned i = 0; atoms && i < atoms->len; i++) {
        const char *hint = hint_of(atoms->pdata[i]);
        if (!hint)
            continue;
        wm_note(hints, place, "expression \"%s\": %s", expression, hint);
        return;
    }
}

void wm_expressions_check(const char *body, const WmNames *names, GPtrArray *problems,
                          GPtrArray *hints)
{
    WmFences scan = wm_fences_begin(body);
    const char *start, *end;
    char *expression;
    while ((expression = scan_next(&scan, &start, &end))) {
        check_one(expression, names, wm_fences_place(&scan, start), problems, hints);
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

/* What a dispatch was given; else what the task itself has for it. */
static char *input_value(const char *name, const WmScope *scope)
{
    g_autofree char *path = g_strdup_printf("on.workflow_dispatch.inputs.%s.default", name);
    const json_t *given = json_object_get(json_get_object(scope->event->payload, "inputs"), name);
    return value_text(given                ? given
                      : scope->names.front ? json_get_path(scope->names.front, path)
                                           : NULL);
}

/* Of the task's own `env`, whose expressions may name variables of the repository: these are empty.
 */
static bool env_value(const char *name, const WmScope *scope, char **ret_value, GError **error)
{
    const char *text = json_get_text(json_get_object(scope->names.front, "env"), name);
    WmScope of_env = *scope;
    of_env.names = (WmNames) { .is_env = true };
    return wm_expressions_expand(text, &of_env, true, ret_value, error);
}

static bool atom_value(const Atom *atom, const WmScope *scope, char **ret_value, GError **error)
{
    const char *value = NULL;
    switch (atom->kind) {
    case ATOM_EVENT:
        return event_value(scope->event, atom->data, ret_value, error);
    case ATOM_INPUT:
        *ret_value = input_value(atom->data, scope);
        return true;
    case ATOM_ENV:
        return env_value(atom->data, scope, ret_value, error);
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
    case ATOM_EMPTY:
        break;
    }
    *ret_value = g_strdup(value ? value : "");
    return true;
}

bool wm_value_holds(const char *value)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(value));
    return *trimmed && !g_str_equal(trimmed, "false") && !g_str_equal(trimmed, "0");
}

/* A single atom's value as it is; of several the first that counts. */
bool wm_expression_evaluate(const char *expression, const WmScope *scope, char **ret_value,
                            GError **error)
{
    const char *reason = NULL;
    g_autoptr(GPtrArray) atoms = expression_parse(expression, &scope->names, &reason);
    if (!atoms)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s", reason);
    for (unsigned i = 0; i < atoms->len; i++) {
        g_autofree char *value = NULL;
        if (!atom_value(atoms->pdata[i], scope, &value, error))
            return false;
        if (atoms->len > 1 && !wm_value_holds(value))
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
    WmFences scan = wm_fences_begin(text);
    for (;;) {
        g_autofree char *expression = scan_next(&scan, &start, &end), *value = NULL;
        if (!expression)
            break;
        g_autoptr(GError) problem = NULL;
        if (!wm_expression_evaluate(expression, scope, &value, &problem)) {
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
