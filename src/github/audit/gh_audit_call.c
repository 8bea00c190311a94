/* See gh_audit_call.h. */
#include "github/audit/gh_audit_call.h"

#include "base/log.h"
#include "github/repo_ref.h"
#include "tool/context.h"

#define WARNED_KEY "gh-audit-warned"

typedef struct Warned {
    int has_warned; // atomic
} Warned;

static void *create_warned(void)
{
    return g_new0(Warned, 1);
}

void gh_audit_warn(ToolCall *call, const GError *error)
{
    Warned *state = tool_context_state(tool_call_context(call), WARNED_KEY, create_warned, g_free);
    if (g_atomic_int_compare_and_exchange(&state->has_warned, 0, 1))
        log_warning("no record of this GitHub call: %s", error->message);
}

void gh_audit_call(ToolCall *call, const GhAuditLine *line)
{
    const Settings *settings = tool_call_settings(call);
    if (!settings_get_bool(settings, "gh.audit.enabled"))
        return;
    g_autofree char *dir = gh_audit_dir();
    g_autoptr(GError) error = NULL;
    int64_t keep_days = MAX(settings_get_int(settings, "gh.audit.keepDays"), 0);
    if (!gh_audit_append(dir, line, keep_days, &error))
        gh_audit_warn(call, error);
}

static const char *policy_word(const CallOutcome *outcome)
{
    static const char *const words[] = { "auto", "confirm", "block" };
    return outcome->judgement ? words[outcome->action] : NULL;
}

static const char *kind_word(const CallOutcome *outcome, const ToolResult *result)
{
    static const char *const words[] = {
        [CALL_RAN] = NULL,
        [CALL_INVALID] = "invalid-args",
        [CALL_BLOCKED] = "policy-blocked",
        [CALL_DECLINED] = "confirm-declined",
        [CALL_UNANSWERABLE] = "confirm-unavailable",
        [CALL_CANCELLED] = "cancelled",
    };
    bool has_failed = outcome->end == CALL_RAN && result->is_error;
    return has_failed ? "gh-exit" : words[outcome->end];
}

void github_audit_finished(ToolCall *call, const CallOutcome *outcome, const ToolResult *result)
{
    const Judgement *judgement = outcome->judgement;
    g_autofree char *text = tool_result_text(result);
    g_autofree char *default_host = repo_default_host(tool_call_settings(call));
    g_autofree char *id = gh_audit_new_id();
    bool has_run = outcome->end == CALL_RAN;
    const GhAuditLine line = {
        .at = tool_call_now_ms(call),
        .host = judgement && judgement->host ? judgement->host : default_host,
        .repo = judgement ? judgement->repo : NULL,
        .class_name = judgement ? effect_name(judgement->effect) : NULL,
        .policy = policy_word(outcome),
        .exit_status = !has_run           ? -1
                       : result->is_error ? 1
                                          : 0,
        .duration_ms = outcome->duration_ms,
        .bytes = has_run ? strlen(text) : 0,
        .tool = "github",
        .command = tool_call_prepared(call),
        .kind = kind_word(outcome, result),
        .via = tool_call_via(call),
        .id = id,
    };
    gh_audit_call(call, &line);
}
