/*
 * How a call of the gh tools is answered and recorded, whether it ran or not: header line, body,
 * debug record, audit line (gh-policy §6.6, §9, §11).
 */
#include "base/str.h"
#include "github/audit/gh_audit_call.h"
#include "github/audit/gh_header.h"
#include "github/audit/gh_record.h"
#include "github/safe/gh_body.h"
#include "github/safe/gh_call_private.h"
#include "github/safe/gh_mark.h"

#define MAX_PROBLEMS  10 // of arguments that are named
#define POLICY_SUFFIX " by gh.policy or gh.hostPolicy"
#define UNKNOWN_WRITE "The outcome of this write is unknown; look before you repeat it."

static const char *class_name(const GhCall *self)
{
    return self->is_classified ? effect_name(self->classified.effect) : NULL;
}

static const char *command_of(const GhCall *self)
{
    return self->is_classified || !self->argv ? self->classified.command : NULL;
}

static const char *target_host(const GhCall *self)
{
    return self->has_target ? self->target.context.host : NULL;
}

static const char *target_repo(const GhCall *self)
{
    return self->has_target ? self->target.context.repo : NULL;
}

/* NULL for a call that was not judged. */
static const char *policy_name(const CallOutcome *outcome, GhKind kind)
{
    static const char *const names[] = { "auto", "confirm", "block" };
    if (kind == GH_KIND_POLICY_BLOCKED || kind == GH_KIND_IRREVERSIBLE_BLOCKED)
        return names[ACTION_REFUSE];
    return outcome->judgement != NULL ? names[outcome->action] : NULL;
}

static void add_record(ToolCall *call, GhCall *self, const CallOutcome *outcome, ToolResult *result)
{
    const GhOutcome *end = &self->outcome;
    const char *const *shown = (const char *const *)self->shown_argv;
    const GhRecord record = {
        .id = self->id,
        .at = self->at,
        .tool = tool_call_tool(call)->name,
        .via = tool_call_via(call),
        .host = target_host(self),
        .repo = target_repo(self),
        .source = self->has_target ? gh_source_name(self->target.context.source) : NULL,
        .cwd = self->cwd.path,
        .argv = shown,
        .command = command_of(self),
        .class_name = class_name(self),
        .reason = self->is_classified ? self->classified.reason : NULL,
        .policy = policy_name(outcome, self->kind),
        .set_host = self->target.env_host,
        .set_repo = self->target.env_repo,
        .is_confirmed = outcome->is_confirmed,
        .exit_status = end->exit_status,
        .signal = end->signal,
        .duration_ms = end->duration_ms,
        .captured_bytes = end->captured_bytes,
        .is_truncated = end->is_truncated,
        .kind = self->kind,
        .message = self->message,
        .error_output = end->error_output,
        .normalized = (const char *const *)self->normalized->pdata,
        .gh_version = self->program.version_text,
        .secrets = (const char *const *)self->secrets,
    };
    json_decref(self->record);
    self->record = gh_record_to_json(&record);
    json_object_update(tool_result_details(result), self->record);
}

static void add_text(const GhCall *self, const CallOutcome *outcome, const GhBody *body,
                     ToolResult *result)
{
    const GhHeader header = {
        .host = target_host(self),
        .repo = target_repo(self),
        .command = command_of(self),
        .class_name = class_name(self),
        .kind = self->kind,
        .has_run = self->outcome.has_run,
        .is_confirmed = outcome->is_confirmed,
        .captured_bytes = self->outcome.captured_bytes,
    };
    g_autofree char *line = gh_header_line(&header);
    g_autofree char *rest = gh_body_text(body);
    g_autofree char *text = g_strconcat(line, "\n", rest, NULL);
    tool_result_add_text(result, text);
}

static char *reproduce_line(const GhCall *self)
{
    if (!self->shown_argv)
        return NULL;
    return gh_reproduce_line((const char *const *)self->shown_argv, self->target.env_host,
                             self->target.env_repo);
}

/* The list of notes ends with NULL from here on. */
static void close_notes(GhCall *self)
{
    g_ptr_array_add(self->normalized, NULL);
}

/* It was begun, and no answer says how it ended. */
static bool is_unknown_write(const ToolCall *call, const GhCall *self)
{
    bool is_cut_off = self->kind == GH_KIND_TIMEOUT || self->kind == GH_KIND_CANCELLED ||
                      self->kind == GH_KIND_SIGNAL;
    return is_cut_off && self->outcome.has_run && self->classified.effect != EFFECT_READ &&
           tool_call_tool(call)->effect == EFFECT_WRITE;
}

void gh_call_report(ToolCall *call, GhCall *self, const char *text, ToolResult *result)
{
    const CallOutcome *outcome = tool_call_outcome(call);
    const GhBody body = { .kind = self->kind, .message = self->message, .output = text };
    close_notes(self);
    add_text(self, outcome, &body, result);
    add_record(call, self, outcome, result);
    result->is_error = gh_kind_is_error(self->kind);
}

/* Diffs and logs are seen on GitHub as they are. */
static HiddenPlace place_of_output(const GhCall *self)
{
    static const char *const code[] = { "pr diff", "run view", "search code", "gist view", NULL };
    static const char *const one[] = { "issue view", "pr view", "repo view", "release view", NULL };
    const char *command = command_of(self);
    if (!command)
        return HIDDEN_AMONG_OTHERS;
    if (g_strv_contains(code, command))
        return HIDDEN_IN_CODE;
    bool has_comments = command_args_is_true(self->classified.args, "comments");
    return g_strv_contains(one, command) && !has_comments ? HIDDEN_IN_MARKDOWN
                                                          : HIDDEN_AMONG_OTHERS;
}

/* JSON, or several after one another, as `gh api --paginate` prints them, is looked at string by
   string, since a comment ends with the text that it is in. Caller frees. */
static char *seen_output(ToolCall *call, const GhCall *self, const char *output)
{
    if (!output || !tool_call_serves_model(call))
        return g_strdup(output);
    g_autoptr(json_t) values = gh_body_values(output);
    if (!values)
        return tool_call_seen_text(call, output, place_of_output(self));
    g_autoptr(json_t) seen = tool_call_seen_json(call, values);
    if (seen == values)
        return g_strdup(output);
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < json_array_size(seen); i++) {
        g_autofree char *text = json_to_text(json_array_get(seen, i));
        g_string_append_printf(out, "%s%s", i > 0 ? "\n" : "", text);
    }
    return g_string_free(out, FALSE);
}

/* What shows nothing of any repository: the login, gh's own settings. */
static bool reads_no_repository(const GhCall *self)
{
    static const char *const roots[] = { "-",       /* --version, --help */ "auth",
                                         "config",  "version",
                                         "help",    "extension",
                                         "ssh-key", "gpg-key",
                                         "alias" };
    const char *command = self->classified.command ? self->classified.command : "";
    for (size_t i = 0; i < G_N_ELEMENTS(roots); i++) {
        size_t length = strlen(roots[i]);
        if (strncmp(command, roots[i], length) == 0 && strchr(" ", command[length]))
            return true;
    }
    return false;
}

void gh_call_answer(ToolCall *call, GhCall *self, const char *output, ToolResult *result)
{
    const CallOutcome *outcome = tool_call_outcome(call);
    g_autofree char *reproduce = reproduce_line(self);
    g_autofree char *seen = seen_output(call, self, output != NULL ? output : self->outcome.output);
    const GhBody body = {
        .kind = self->kind,
        .message = self->message,
        .output = seen,
        .error_output = self->outcome.error_output,
        .reproduce = reproduce,
    };
    close_notes(self);
    add_text(self, outcome, &body, result);
    if (is_unknown_write(call, self))
        tool_result_add_note(result, UNKNOWN_WRITE);
    add_record(call, self, outcome, result);
    if (reads_no_repository(self))
        tool_call_note_read(call, NULL, NULL);
    if (self->has_target && self->outcome.has_run)
        gh_mark_set(&self->classified, &self->target.context, result);
    if (strcmp(tool_call_via(call), "agent") != 0) // a session has the text already
        json_set_text(tool_result_details(result), "output", body.output);
    result->is_error = gh_kind_is_error(self->kind);
}

/* A few problems have words of their own. NULL: these have not. Caller frees. */
static char *special_problem(const ToolDef *tool, const GPtrArray *problems)
{
    for (guint i = 0; i < problems->len; i++) {
        const FieldProblem *problem = problems->pdata[i];
        if (strcmp(problem->path, "args") == 0 && problem->fault == FIELD_WRONG_TYPE)
            return g_strdup("args must be an array of strings, not a command line");
        bool is_api_get = strcmp(tool->name, "gh_api_get") == 0;
        if (is_api_get && problem->fault == FIELD_UNKNOWN &&
            (strcmp(problem->path, "path") == 0 || strcmp(problem->path, "url") == 0))
            return g_strdup_printf("gh_api_get has no %s; the API path is its endpoint, such as "
                                   "repos/{owner}/{repo}/commits",
                                   problem->path);
        if (is_api_get && problem->fault == FIELD_UNKNOWN)
            return g_strdup_printf("gh_api_get is read-only: %s is not accepted; use the gh tool",
                                   problem->path);
    }
    return NULL;
}

/* `otherwise`: where the arguments could be decoded. */
static char *invalid_reason(const ToolCall *call, const char *otherwise)
{
    const GPtrArray *problems = tool_call_problems(call);
    if (!problems || problems->len == 0)
        return g_strdup(otherwise);
    char *special = special_problem(tool_call_tool(call), problems);
    if (special)
        return special;
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < MIN(problems->len, MAX_PROBLEMS); i++)
        g_string_append_printf(text, "%s%s", i > 0 ? "; " : "",
                               ((FieldProblem *)problems->pdata[i])->text);
    return g_string_free(text, FALSE);
}

/* The gate's reason without the tool's name and the summary in front. */
static char *policy_reason(const ToolDef *tool, const CallOutcome *outcome)
{
    g_autofree char *prefix =
        g_strdup_printf("refused: %s (%s): ", tool->name, outcome->judgement->summary);
    const char *reason = outcome->reason;
    if (str_has_prefix(reason, prefix))
        reason += strlen(prefix);
    size_t length = strlen(reason);
    if (g_str_has_suffix(reason, POLICY_SUFFIX))
        length -= strlen(POLICY_SUFFIX);
    return g_strndup(reason, length);
}

void gh_call_set_kind(GhCall *self, GhKind kind, const GhFacts *facts)
{
    self->kind = kind;
    g_free(self->message);
    self->message = gh_kind_message(kind, facts);
}

static void set_blocked(const ToolDef *tool, const CallOutcome *outcome, GhCall *self)
{
    Effect effect = self->classified.effect;
    g_autofree char *reason = policy_reason(tool, outcome);
    const GhFacts facts = {
        .reason = effect == EFFECT_BLOCKED ? self->classified.reason : reason,
        .command = command_of(self),
        .secrets = (const char *const *)self->secrets,
    };
    bool is_by_settings = strstr(outcome->reason, POLICY_SUFFIX) != NULL;
    bool is_irreversible = effect == EFFECT_DESTRUCTIVE && !is_by_settings;
    gh_call_set_kind(self, is_irreversible ? GH_KIND_IRREVERSIBLE_BLOCKED : GH_KIND_POLICY_BLOCKED,
                     &facts);
}

static void set_unconfirmed(ToolCall *call, const CallOutcome *outcome, GhCall *self)
{
    g_autofree char *argv =
        self->words ? NULL : gh_quote_argv((const char *const *)self->shown_argv);
    g_autofree char *reason = policy_reason(tool_call_tool(call), outcome);
    const GhFacts facts = {
        .command = self->words ? self->words : command_of(self),
        .argv = argv,
        .class_name = class_name(self),
        .reason = outcome->needs_person ? reason : NULL,
        .allow_flag = outcome->needs_person ? NULL : tool_call_allow_hint(call),
        .secrets = (const char *const *)self->secrets,
    };
    gh_call_set_kind(self,
                     outcome->end == CALL_DECLINED ? GH_KIND_CONFIRM_DECLINED
                                                   : GH_KIND_CONFIRM_UNAVAILABLE,
                     &facts);
}

static void set_refusal(ToolCall *call, const CallOutcome *outcome, GhCall *self)
{
    const ToolDef *tool = tool_call_tool(call);
    switch (outcome->end) {
    case CALL_RAN:
        break;
    case CALL_INVALID:
        if (self->kind == GH_KIND_NONE) { // the decoder said no
            g_autofree char *reason = invalid_reason(call, outcome->reason);
            gh_call_set_kind(self, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = reason });
        }
        break;
    case CALL_BLOCKED:
        set_blocked(tool, outcome, self);
        break;
    case CALL_DECLINED:
    case CALL_UNANSWERABLE:
        set_unconfirmed(call, outcome, self);
        break;
    case CALL_CANCELLED:
        gh_call_set_kind(self, GH_KIND_CANCELLED, &(GhFacts) { 0 });
        break;
    }
}

static KedgeError failure_of(GhKind kind)
{
    switch (kind) {
    case GH_KIND_INVALID_ARGS:
        return KEDGE_ERROR_USAGE;
    case GH_KIND_POLICY_BLOCKED:
    case GH_KIND_IRREVERSIBLE_BLOCKED:
    case GH_KIND_CONFIRM_DECLINED:
    case GH_KIND_CONFIRM_UNAVAILABLE:
        return KEDGE_ERROR_DENIED;
    case GH_KIND_CANCELLED:
        return KEDGE_ERROR_CANCELLED;
    case GH_KIND_NO_EXECUTABLE:
        return KEDGE_ERROR_NOT_FOUND;
    default:
        return KEDGE_ERROR_FAILED;
    }
}

void gh_call_refused(ToolCall *call, const CallOutcome *outcome, ToolResult *result)
{
    GhCall *self = tool_call_prepared(call);
    if (!self)
        self = gh_call_new(call);
    set_refusal(call, outcome, self);
    close_notes(self);
    g_autofree char *reproduce = reproduce_line(self);
    const GhBody body = { .kind = self->kind, .message = self->message, .reproduce = reproduce };
    add_text(self, outcome, &body, result);
    add_record(call, self, outcome, result);
    result->failure = failure_of(self->kind);
}

static const char *first_argument(const GhCall *self)
{
    return self->is_classified ? command_args_positional(self->classified.args, 0) : NULL;
}

static void write_audit(ToolCall *call, const GhCall *self, const CallOutcome *outcome)
{
    const GhAuditLine line = {
        .at = self->at,
        .host = target_host(self),
        .repo = target_repo(self),
        .class_name = class_name(self),
        .policy = policy_name(outcome, self->kind),
        .exit_status = self->outcome.exit_status,
        .duration_ms = self->outcome.duration_ms,
        .bytes = self->outcome.captured_bytes,
        .tool = tool_call_tool(call)->name,
        .command = command_of(self),
        .ref = self->ref ? self->ref : first_argument(self),
        .kind = gh_kind_name(self->kind),
        .is_truncated = self->outcome.is_truncated,
        .via = tool_call_via(call),
        .id = self->id,
    };
    gh_audit_call(call, &line);
}

void gh_call_finished(ToolCall *call, const CallOutcome *outcome, const ToolResult *result)
{
    const GhCall *self = tool_call_prepared(call);
    if (!self)
        return;
    write_audit(call, self, outcome);
    g_autofree char *dir = gh_audit_dir();
    g_autoptr(GError) error = NULL;
    // a session keeps the records of what it was answered itself; a person's looking is not in it
    bool has_session = tool_call_artifacts(call) != NULL && !tool_call_is_behind(call) &&
                       strcmp(tool_call_via(call), "tui") != 0;
    if (!has_session && self->record && !gh_record_store(dir, self->record, &error))
        gh_audit_warn(call, error);
}
