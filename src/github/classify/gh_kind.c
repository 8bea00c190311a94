/*
 * The kinds: one table of names, the order in which a run's end is judged, and one text each.
 */
#include "github/classify/gh_kind.h"

#include "base/limits.h"
#include "base/redact.h"
#include "base/str.h"
#include "github/gh_login.h"

#include <signal.h>

#define GH_EXIT_AUTH    4 // gh's "no credentials at all"
#define CHECKS_PENDING  8 // of `pr checks`
#define SOMETHING_WRONG 1

static const char *const names[] = {
    [GH_KIND_AUTH] = "auth",
    [GH_KIND_TIMEOUT] = "timeout",
    [GH_KIND_POLICY_BLOCKED] = "policy-blocked",
    [GH_KIND_IRREVERSIBLE_BLOCKED] = "irreversible-blocked",
    [GH_KIND_TRUNCATED] = "truncated",
    [GH_KIND_REMOTE_CWD] = "remote-cwd",
    [GH_KIND_NO_EXECUTABLE] = "no-executable",
    [GH_KIND_GH_EXIT] = "gh-exit",
    [GH_KIND_VERSION] = "version",
    [GH_KIND_INVALID_CWD] = "invalid-cwd",
    [GH_KIND_INVALID_ARGS] = "invalid-args",
    [GH_KIND_NO_REPO] = "no-repo",
    [GH_KIND_CONFIRM_DECLINED] = "confirm-declined",
    [GH_KIND_CONFIRM_UNAVAILABLE] = "confirm-unavailable",
    [GH_KIND_RATE_LIMIT] = "rate-limit",
    [GH_KIND_SIGNAL] = "signal",
    [GH_KIND_SPAWN] = "spawn",
    [GH_KIND_CANCELLED] = "cancelled",
};

const char *gh_kind_name(GhKind kind)
{
    return names[kind];
}

bool gh_kind_is_error(GhKind kind)
{
    return kind != GH_KIND_NONE && kind != GH_KIND_TRUNCATED;
}

static bool contains_any(const char *text, const char *const *needles)
{
    for (; *needles; needles++) {
        if (str_contains_nocase(text, *needles))
            return true;
    }
    return false;
}

static bool needs_sso(const char *error_output)
{
    return str_contains_nocase(error_output, "Resource protected by organization SAML enforcement");
}

static bool is_auth(const GhEnd *end)
{
    static const char *const signs[] = {
        "authentication required", "bad credentials",  "http 401", "try authenticating with",
        "not logged into any",     "SAML enforcement", NULL,
    };
    // gh's text for this one mentions `gh auth login`, too
    if (str_contains_nocase(end->error_output, "none of the git remotes configured"))
        return false;
    return end->exit_status == GH_EXIT_AUTH || contains_any(end->error_output, signs);
}

static bool has_flag(const char *const *argv, const char *flag)
{
    for (; *argv && strcmp(*argv, "--") != 0; argv++) {
        const char *rest = str_has_prefix(*argv, flag) ? *argv + strlen(flag) : NULL;
        if (rest && (*rest == '\0' || *rest == '='))
            return true;
    }
    return false;
}

/* Two commands tell a result by their exit status (gh-policy §7.3). */
static bool is_result(const GhEnd *end)
{
    if (*end->output == '\0' || !end->command)
        return false;
    if (strcmp(end->command, "pr checks") == 0)
        return !has_flag(end->argv, "--json") &&
               (end->exit_status == SOMETHING_WRONG || end->exit_status == CHECKS_PENDING);
    if (strcmp(end->command, "run view") == 0)
        return has_flag(end->argv, "--exit-status") && end->exit_status == SOMETHING_WRONG;
    return false;
}

GhKind gh_kind_of_end(const GhEnd *end)
{
    static const char *const limits[] = { "API rate limit exceeded", "secondary rate limit", NULL };
    switch (end->stop) {
    case PROC_STOP_CANCELLED:
        return GH_KIND_CANCELLED;
    case PROC_STOP_TIMEOUT:
        return GH_KIND_TIMEOUT;
    case PROC_STOP_FULL: // its status only says that we ended it
        return GH_KIND_TRUNCATED;
    case PROC_STOP_NONE:
        break;
    }
    if (end->signal != 0)
        return GH_KIND_SIGNAL;
    if (end->exit_status == 0 || is_result(end))
        return end->is_cut ? GH_KIND_TRUNCATED : GH_KIND_NONE;
    if (is_auth(end))
        return GH_KIND_AUTH;
    return contains_any(end->error_output, limits) ? GH_KIND_RATE_LIMIT : GH_KIND_GH_EXIT;
}

/* The URL behind "Authorize in your web browser:"; borrows nothing. NULL when there is none. */
static char *sso_url(const char *error_output)
{
    const char *sign = strstr(error_output, "Authorize in your web browser:");
    const char *url = strstr(sign != NULL ? sign : error_output, "https://");
    return url != NULL ? g_strndup(url, strcspn(url, " \t\r\n")) : NULL;
}

static char *auth_message(const GhFacts *facts)
{
    const char *errors = facts->error_output != NULL ? facts->error_output : "";
    g_autofree char *url = needs_sso(errors) ? sso_url(errors) : NULL;
    if (url)
        return g_strdup_printf("Authorize this login for the organization: %s", url);
    const char *variable = facts->host ? gh_login_variable(facts->host) : NULL;
    if (variable)
        return g_strdup_printf(
            "GitHub does not accept the token in %s: set a valid one, or unset it.", variable);
    return g_strdup_printf("Run `gh auth login --hostname %s` in a terminal.", facts->host);
}

static const char *install_command(void)
{
    static const char *const managers[][2] = {
        { "apt", "apt install gh" },
        { "dnf", "dnf install gh" },
        { "pacman", "pacman -S github-cli" },
        { "brew", "brew install gh" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(managers); i++) {
        g_autofree char *program = proc_find_program(managers[i][0]);
        if (program)
            return managers[i][1];
    }
    return "pacman -S github-cli";
}

static char *cwd_message(const GhFacts *facts)
{
    if (!facts->is_outside)
        return g_strdup_printf("Working directory does not exist: %s.", facts->cwd);
    return g_strdup_printf("Working directory is outside the home directory and the workspace: %s.",
                           facts->cwd);
}

static char *unavailable_message(const GhFacts *facts)
{
    GString *text = g_string_new(NULL);
    bool is_unknown = strcmp(facts->class_name, "unknown") == 0;
    g_string_printf(text, "This %s%s needs confirmation and nobody can be asked here: %s%s.",
                    facts->class_name, is_unknown ? " command" : "", facts->argv ? "gh " : "",
                    facts->argv ? facts->argv : facts->command);
    if (facts->reason)
        g_string_append_printf(text, " Why: %s.", facts->reason);
    if (facts->allow_flag && strcmp(facts->class_name, "write") == 0)
        g_string_append_printf(text, " %s allows it.", facts->allow_flag);
    return g_string_free(text, false);
}

static char *signal_message(int number)
{
    const char *name = sigabbrev_np(number);
    if (!name)
        return g_strdup_printf("gh was killed by signal %d.", number);
    return g_strdup_printf("gh was killed by signal SIG%s.", name);
}

/* 65536 → "64KB"; a decimal only where it is needed. */
static char *limit_text(size_t max_bytes)
{
    if (max_bytes % KIB == 0)
        return g_strdup_printf("%zuKB", max_bytes / KIB);
    size_t tenths = (max_bytes * 10 + KIB / 2) / KIB;
    return g_strdup_printf("%zu.%zuKB", tenths / 10, tenths % 10);
}

char *gh_kind_cut_marker(size_t max_bytes)
{
    g_autofree char *limit = limit_text(max_bytes);
    return g_strdup_printf("[truncated at %s; use --limit, narrower fields, or a specific wrapper "
                           "to reduce output]",
                           limit);
}

static char *plain_message(GhKind kind, const GhFacts *facts)
{
    g_autofree char *limit = limit_text(facts->max_bytes);
    switch (kind) {
    case GH_KIND_NONE:
        return NULL;
    case GH_KIND_AUTH:
        return auth_message(facts);
    case GH_KIND_TIMEOUT:
        return g_strdup_printf("Command exceeded %" G_GINT64_FORMAT " seconds; narrow the query or "
                               "use a more specific wrapper.",
                               facts->timeout_s);
    case GH_KIND_POLICY_BLOCKED:
        return g_strdup_printf("Blocked by V1 policy: %s.", facts->reason);
    case GH_KIND_IRREVERSIBLE_BLOCKED:
        return g_strdup_printf("Hard-blocked irreversible command: %s.", facts->command);
    case GH_KIND_TRUNCATED:
        return g_strdup_printf("Output truncated at %s; reduce scope.", limit);
    case GH_KIND_REMOTE_CWD:
        return g_strdup_printf("Cannot run gh from remote directory: %s.", facts->cwd);
    case GH_KIND_NO_EXECUTABLE:
        return g_strdup_printf("gh not found at %s; install via '%s' (or equivalent).",
                               facts->executable, install_command());
    case GH_KIND_GH_EXIT:
        return g_strdup_printf("gh exited with status %d.", facts->exit_status);
    case GH_KIND_VERSION:
        if (facts->reason)
            return g_strdup_printf("gh cannot say its version: %s.", facts->reason);
        return g_strdup_printf("gh %s is older than the required %s; upgrade gh.",
                               facts->version != NULL ? facts->version : "unknown", facts->minimum);
    case GH_KIND_INVALID_CWD:
        return cwd_message(facts);
    case GH_KIND_INVALID_ARGS:
        return g_strdup_printf("Invalid arguments: %s.", facts->reason);
    case GH_KIND_NO_REPO:
        return g_strdup("No repository: pass repo as [HOST/]OWNER/REPO, or work in a clone whose "
                        "remote points to a known host.");
    case GH_KIND_CONFIRM_DECLINED:
        return g_strdup_printf("Declined by the user: %s. Do not retry without being asked.",
                               facts->command);
    case GH_KIND_CONFIRM_UNAVAILABLE:
        return unavailable_message(facts);
    case GH_KIND_RATE_LIMIT:
        return g_strdup("GitHub rate limit reached; wait before retrying.");
    case GH_KIND_SIGNAL:
        return signal_message(facts->signal);
    case GH_KIND_SPAWN:
        return g_strdup_printf("Cannot start gh: %s.", facts->reason);
    case GH_KIND_CANCELLED:
        return g_strdup("Cancelled.");
    }
    return NULL;
}

char *gh_kind_message(GhKind kind, const GhFacts *facts)
{
    g_autofree char *text = plain_message(kind, facts);
    return text != NULL ? redact_text_with(text, facts->secrets) : NULL;
}

GQuark gh_kind_error_quark(void)
{
    return g_quark_from_static_string("kedge-gh-kind-quark");
}

bool fail_with_kind(GError **error, GhKind kind, const GhFacts *facts)
{
    g_autofree char *message = gh_kind_message(kind, facts);
    g_set_error_literal(error, GH_KIND_ERROR, (int)kind, message);
    return false;
}

GhKind gh_kind_of_error(const GError *error)
{
    if (error->domain == GH_KIND_ERROR)
        return (GhKind)error->code;
    if (error_is(error, KEDGE_ERROR_CANCELLED))
        return GH_KIND_CANCELLED;
    return error_is(error, KEDGE_ERROR_TIMEOUT) ? GH_KIND_TIMEOUT : GH_KIND_SPAWN;
}

char *gh_quote_argv(const char *const *argv)
{
    GString *text = g_string_new(NULL);
    for (; *argv; argv++) {
        g_autofree char *word = str_shell_quote(*argv);
        g_string_append_printf(text, "%s%s", text->len > 0 ? " " : "", word);
    }
    return g_string_free(text, false);
}

/* `target` itself or what is below it: github.com in github.com/o/r. */
static bool is_target(const char *value, const char *target)
{
    size_t length = strlen(target);
    return g_ascii_strncasecmp(value, target, length) == 0 &&
           (value[length] == '\0' || value[length] == '/');
}

/* Is the target an element, a flag's value (--repo=X, -RX), or in a URL? */
static bool argv_names(const char *const *argv, const char *target)
{
    for (; *argv; argv++) {
        const char *equals = strchr(*argv, '=');
        const char *authority = strstr(*argv, "://");
        bool is_short = **argv == '-' && strlen(*argv) > 2;
        if (is_target(*argv, target) || (equals && is_target(equals + 1, target)) ||
            (authority && is_target(authority + 3, target)) ||
            (is_short && is_target(*argv + 2, target)))
            return true;
    }
    return false;
}

char *gh_reproduce_command(const char *const *argv, const char *host, const char *repo)
{
    GString *text = g_string_new(NULL);
    if (host && !argv_names(argv, host))
        g_string_append_printf(text, "GH_HOST=%s ", host);
    if (repo && !argv_names(argv, repo))
        g_string_append_printf(text, "GH_REPO=%s ", repo);
    g_autofree char *words = gh_quote_argv(argv);
    g_string_append_printf(text, "gh %s", words);
    return g_string_free(text, false);
}

char *gh_reproduce_line(const char *const *argv, const char *host, const char *repo)
{
    g_autofree char *command = gh_reproduce_command(argv, host, repo);
    return g_strconcat("Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat ", command, NULL);
}
