/*
 * From arguments to a judged command line, and its run (gh_call.h).
 */
#include "github/safe/gh_call.h"

#include "github/audit/gh_audit.h"
#include "github/repo_ref.h"
#include "github/safe/gh_action.h"
#include "github/safe/gh_argv.h"
#include "github/safe/gh_call_context.h"
#include "github/safe/gh_call_private.h"
#include "github/safe/gh_closer_look.h"
#include "github/safe/gh_here.h"
#include "github/safe/gh_named.h"
#include "github/safe/gh_question.h"
#include "github/safe/redact_argv.h"
#include "tool/context.h"

#include <pthread.h>

#define RAW_KEY "gh-raw"

void gh_call_clear(GhCall *self)
{
    g_free(self->id);
    gh_cwd_clear(&self->cwd);
    gh_program_clear(&self->program);
    g_clear_error(&self->program_error);
    g_strfreev(self->known_hosts);
    g_free(self->default_host);
    gh_clone_unref(self->clone);
    g_strfreev(self->argv);
    classified_clear(&self->classified);
    gh_target_clear(&self->target);
    g_strfreev(self->shown_argv);
    g_free(self->words);
    g_free(self->ref);
    g_strfreev(self->secrets);
    g_ptr_array_unref(self->normalized);
    g_free(self->message);
    gh_outcome_clear(&self->outcome);
    json_decref(self->record);
}

static void gh_call_free(void *data)
{
    gh_call_clear(data);
    g_free(data);
}

void gh_call_init(GhCall *self, ToolCall *call)
{
    self->id = gh_audit_new_id();
    self->at = tool_call_now_ms(call);
    self->cwd.fd = -1;
    self->normalized = g_ptr_array_new_with_free_func(g_free);
    self->outcome.exit_status = -1;
}

GhCall *gh_call_new(ToolCall *call)
{
    GhCall *self = g_new0(GhCall, 1);
    gh_call_init(self, call);
    tool_call_prepare(call, self, gh_call_free);
    return self;
}

bool gh_call_fail_args(GError **error, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *reason = g_strdup_vprintf(format, ap);
    va_end(ap);
    return fail_with_kind(error, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = reason });
}

bool gh_call_note_error(GhCall *self, GError *cause, GError **error)
{
    g_autoptr(GError) owned = cause;
    if (error_is(owned, KEDGE_ERROR_USAGE)) {
        GError *worded = NULL;
        gh_call_fail_args(&worded, "%s", owned->message);
        g_error_free(owned);
        owned = worded;
    }
    self->kind = gh_kind_of_error(owned);
    g_free(self->message);
    self->message = owned->domain == GH_KIND_ERROR
                        ? g_strdup(owned->message)
                        : gh_kind_message(self->kind, &(GhFacts) { .reason = owned->message });
    return pass_error(error, &owned);
}

static void read_hosts(GhCall *self, const Settings *settings)
{
    self->known_hosts = repo_known_hosts(settings);
    self->default_host = gh_call_default_host(settings);
}

static bool open_place(ToolCall *call, GhCall *self, const char *cwd, GError **error)
{
    const Settings *settings = tool_call_settings(call);
    const char *workspace = tool_call_cwd(call);
    Cancel *cancel = tool_call_cancel(call);
    const GhCwdSpec spec = {
        .settings = settings,
        .text = cwd,
        .workspace = workspace,
        .is_anywhere = self->env != NULL,
    };
    read_hosts(self, settings);
    if (!gh_cwd_open(&spec, &self->cwd, error))
        return false;
    // a missing or too old gh is reported only when nothing else is wrong, with all that is known
    // by then
    gh_program_find(settings, self->cwd.path, workspace, cancel, &self->program,
                    &self->program_error);
    return cancel_check(cancel, error) && gh_call_clone(call, self->cwd.path, &self->clone, error);
}

GhCall *gh_call_open(ToolCall *call, const char *cwd, GError **error)
{
    return gh_call_open_command(call, cwd, NULL, error);
}

GhCall *gh_call_open_command(ToolCall *call, const char *cwd, const GhContextEnv *env,
                             GError **error)
{
    GhCall *self = gh_call_new(call);
    self->env = env;
    GError *cause = NULL;
    if (open_place(call, self, cwd, &cause))
        return self;
    gh_call_note_error(self, cause, error);
    return NULL;
}

GhContextSpec gh_call_context_spec(const ToolCall *call, const GhCall *self, const char *repo,
                                   const char *hostname)
{
    return (GhContextSpec) {
        .known_hosts = (const char *const *)self->known_hosts,
        .default_host = self->default_host,
        .repo = repo,
        .hostname = hostname,
        .clone = self->clone,
        .env = self->env,
    };
}

static void note_change(GhCall *self, const char *text)
{
    g_ptr_array_add(self->normalized, g_strdup(text));
}

static ClassifyOptions options_of(const GhCall *self)
{
    return (ClassifyOptions) {
        .known_hosts = (const char *const *)self->known_hosts,
        .gh_version = self->program.version_text,
    };
}

/* Judges `argv` again and takes it over. */
static bool gh_call_classify(GhCall *self, char **argv, GError **error)
{
    g_strfreev(self->argv);
    self->argv = argv;
    classified_clear(&self->classified);
    const ClassifyOptions options = options_of(self);
    self->is_classified =
        classify_argv((const char *const *)argv, &options, &self->classified, error);
    return self->is_classified;
}

static bool look_closer(GhCall *self, GError **error)
{
    const ClassifyOptions options = options_of(self);
    char **before = self->argv;
    if (!gh_closer_look(&options, &self->argv, &self->classified, error)) {
        self->is_classified = false;
        return false;
    }
    if (self->argv != before)
        note_change(self, "expanded a gh alias");
    return true;
}

static bool gh_call_expand(GhCall *self, const GhContextSpec *context, GError **error)
{
    char **argv = NULL;
    if (!gh_argv_expand(&self->classified, context, &argv, error))
        return false;
    if (!argv)
        return true;
    note_change(self, "expanded placeholders");
    return gh_call_classify(self, argv, error);
}

/* Puts in what gh takes only from its command line. The class can only stay or get stricter. */
static bool gh_call_complete(GhCall *self, bool has_hostname, GError **error)
{
    char **argv = NULL;
    gh_argv_complete(&self->classified, &self->target, has_hostname, &argv);
    if (!argv)
        return true;
    g_auto(Classified) before = self->classified;
    self->classified = (Classified) { 0 };
    if (!gh_call_classify(self, argv, error))
        return false;
    note_change(self, "named the host or repository of the context");
    return gh_argv_is_complete(&before, &self->classified, &self->target, has_hostname) ||
           gh_call_fail_args(error, "args leave no place for the host or repository");
}

const char *const *gh_call_argv(const GhCall *self)
{
    return (const char *const *)self->argv + self->classified.stripped_gh;
}

/* Without "gh", as all that is shown. */
static char **gh_call_redact(const GhCall *self, RedactMode mode)
{
    char **argv = redact_argv((const char *const *)self->argv, self->classified.args, mode);
    if (!self->classified.stripped_gh)
        return argv;
    char **rest = g_strdupv(argv + 1);
    g_strfreev(argv);
    return rest;
}

/* The command that may be allowed for longer than this call. `api` may not: its path is a part of
   what it does. NULL: none. Caller frees. */
static char *kind_of(const Classified *classified)
{
    bool is_command = classified->node != NULL && !classified->has_unknown_word &&
                      !classified->is_graphql && classified->api_path == NULL &&
                      classified->api_method == NULL && strcmp(classified->command, "-") != 0;
    return is_command ? g_strconcat("gh ", classified->command, NULL) : NULL;
}

/* What changes only this machine. */
static bool stays_here(const Classified *classified)
{
    static const char *const commands[] = { "pr checkout",      "repo clone",       "run download",
                                            "release download", "repo set-default", NULL };
    return g_strv_contains(commands, classified->command);
}

static void gh_call_describe(const ToolCall *call, GhCall *self, const GhCallSpec *spec,
                             Judgement *judgement)
{
    const GhContextSpec context = gh_call_context_spec(call, self, spec->repo, spec->hostname);
    const GhContext *target = &self->target.context;
    g_auto(GStrv) argv = gh_call_redact(self, REDACT_DISPLAY);
    const GhQuestion question = {
        .effect = self->classified.effect,
        .reason = self->classified.reason,
        .target = target,
        .argv = (const char *const *)argv,
        .cwd = self->cwd.path,
    };
    *judgement = (Judgement) {
        .effect = self->classified.effect,
        .summary = g_strdup(self->classified.reason),
        .host = g_strdup(target->host),
        .repo = g_strdup(target->repo),
        .stays_here = stays_here(&self->classified),
        .others = gh_named_targets(&self->classified, &context, target),
        .question = gh_question_text(&question),
        .kind = kind_of(&self->classified),
    };
    gh_action_add(&self->classified, target->host, target->repo, judgement);
}

static bool gh_call_do_judge(ToolCall *call, GhCall *self, const GhCallSpec *spec, GError **error)
{
    const GhContextSpec context = gh_call_context_spec(call, self, spec->repo, spec->hostname);
    self->timeout_s = spec->timeout_s;
    if (!gh_call_classify(self, g_strdupv((char **)spec->args), error) ||
        (!spec->is_wrapper && !look_closer(self, error)))
        return false;
    if (self->classified.stripped_gh)
        note_change(self, "stripped leading gh");
    bool is_expanded = gh_call_expand(self, &context, error);
    // a header names the target even when there is no more to it than a host
    GError **target_error = is_expanded ? error : NULL;
    self->has_target = self->is_classified &&
                       gh_target_resolve(&context, &self->classified, &self->target, target_error);
    if (!is_expanded || !self->has_target || !gh_call_complete(self, spec->hostname != NULL, error))
        return false;
    if (self->program_error)
        return pass_error(error, &self->program_error);
    const ClassifyOptions options = options_of(self);
    if (self->env && gh_here_only(gh_call_argv(self), &self->classified, &options))
        self->classified.effect = EFFECT_READ;
    // what is blocked, such as an endpoint that leads elsewhere, the gate refuses with the reason
    // of the class
    if (!spec->is_wrapper || self->classified.effect == EFFECT_READ ||
        self->classified.effect == EFFECT_BLOCKED)
        return true;
    g_autofree char *reason =
        g_strdup_printf("wrapper built a %s command", effect_name(self->classified.effect));
    return fail_with_kind(error, GH_KIND_POLICY_BLOCKED, &(GhFacts) { .reason = reason });
}

bool gh_call_judge(ToolCall *call, GhCall *self, const GhCallSpec *spec, Judgement *ret_judgement,
                   GError **error)
{
    GError *cause = NULL;
    bool is_judged = gh_call_do_judge(call, self, spec, &cause);
    if (self->is_classified) {
        self->shown_argv = gh_call_redact(self, REDACT_RECORD);
        self->secrets = redact_argv_secrets((const char *const *)self->argv, self->classified.args);
    }
    if (!is_judged)
        return gh_call_note_error(self, cause, error);
    gh_call_describe(call, self, spec, ret_judgement);
    return true;
}

typedef struct Raw { // what the last call printed
    pthread_mutex_t lock;
    bool is_kept;
    char *data;
    size_t size;
} Raw;

static void *create_raw(void)
{
    Raw *self = g_new0(Raw, 1);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static void free_raw(void *data)
{
    Raw *self = data;
    pthread_mutex_destroy(&self->lock);
    g_free(self->data);
    g_free(self);
}

static Raw *raw_of(ToolContext *context)
{
    return tool_context_state(context, RAW_KEY, create_raw, free_raw);
}

void gh_call_keep_raw(ToolContext *context)
{
    Raw *raw = raw_of(context);
    pthread_mutex_lock(&raw->lock);
    raw->is_kept = true;
    pthread_mutex_unlock(&raw->lock);
}

char *gh_call_take_raw(ToolContext *context, size_t *ret_size)
{
    Raw *raw = raw_of(context);
    pthread_mutex_lock(&raw->lock);
    char *data = g_steal_pointer(&raw->data);
    *ret_size = raw->size;
    pthread_mutex_unlock(&raw->lock);
    return data;
}

static void keep_raw(ToolContext *context, const GhOutcome *outcome)
{
    Raw *raw = raw_of(context);
    pthread_mutex_lock(&raw->lock);
    if (raw->is_kept && outcome->raw_output) {
        g_free(raw->data);
        raw->data = g_memdup2(outcome->raw_output, outcome->captured_bytes + 1);
        raw->size = outcome->captured_bytes;
    }
    pthread_mutex_unlock(&raw->lock);
}

void gh_call_exec(ToolCall *call, GhCall *self)
{
    const GhExec spec = {
        .argv = gh_call_argv(self),
        .command = self->classified.node != NULL ? command_path(self->classified.node) : NULL,
        .host = self->target.context.host,
        .set_host = self->target.env_host,
        .set_repo = self->target.env_repo,
        .cwd = &self->cwd,
        .timeout_s = self->timeout_s,
        .max_bytes = self->max_bytes,
        .may_take_long = self->may_take_long,
        .secrets = (const char *const *)self->secrets,
    };
    gh_exec(call, &spec, &self->outcome);
    keep_raw(tool_call_context(call), &self->outcome);
    self->kind = self->outcome.kind;
    g_free(self->message);
    self->message = g_strdup(self->outcome.message);
}
