/*
 * Phase 4 (apply.h): item after item, in order, until one fails. What is between an item and
 * its write is here: kind, maximum, policy, staging, the record of what was done, and what is said
 * of it. The writes themselves are in apply_*.c, one file for each group of kinds.
 */
#include "wm/apply/apply.h"

#include "base/env.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "wm/apply/apply_private.h"
#include "wm/task/wm_log.h"
#include "wm/workspace/run_dir.h"

#define NO_OUTPUT "No structured output was emitted by the agent. Agent response:\n\n"

static ApplyFunc *const functions[WM_KINDS] = {
    [WM_CREATE_PULL_REQUEST] = apply_create_pull_request,
    [WM_ADD_COMMENT] = apply_add_comment,
    [WM_ADD_LABELS] = apply_add_labels,
    [WM_REMOVE_LABELS] = apply_remove_labels,
    [WM_CREATE_ISSUE] = apply_create_issue,
    [WM_UPDATE_PULL_REQUEST] = apply_update,
    [WM_UPDATE_ISSUE] = apply_update,
    [WM_CLOSE_ISSUE] = apply_close,
    [WM_CLOSE_PULL_REQUEST] = apply_close,
    [WM_ADD_REVIEWER] = apply_add_reviewer,
    [WM_CREATE_REVIEW_COMMENT] = apply_review_comment,
    [WM_SUBMIT_REVIEW] = apply_submit_review,
    [WM_REPLY_TO_REVIEW_COMMENT] = apply_reply,
    [WM_RESOLVE_REVIEW_THREAD] = apply_resolve_thread,
    [WM_PUSH_TO_PULL_REQUEST_BRANCH] = apply_push_to_branch,
};

typedef struct Run {
    Applier applier;
    json_t *outputs, *plan; // borrowed
    int64_t counts[WM_KINDS];
} Run;

static void run_clear(Run *self)
{
    Applier *applier = &self->applier;
    json_decref(applier->made);
    json_decref(applier->labels);
    json_decref(applier->calls);
    apply_record_free(applier->record);
    wm_item_clear(&applier->item);
    g_free(applier->hash);
    g_free(applier->url);
    g_free(applier->reason);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static void add_output(Run *self, const char *kind, const char *status, const char *reason)
{
    const Applier *applier = &self->applier;
    int64_t number = applier->number > 0 ? applier->number : applier->item.number;
    json_t *output = json_object();
    g_autofree char *masked = reason ? mask_text(reason) : NULL;
    json_add(output, "kind:%s status:%s", kind, status);
    if (number > 0)
        json_set_int(output, "number", number);
    json_add(output, "url:%s reason:%s", applier->url, masked);
    json_append_take(self->outputs, output);
}

/* Of the item before nothing is left. */
static void start_item(Run *self, int64_t index, const json_t *raw)
{
    Applier *applier = &self->applier;
    g_autofree char *text = json_to_canonical(raw);
    wm_item_clear(&applier->item);
    g_clear_pointer(&applier->hash, g_free);
    g_clear_pointer(&applier->url, g_free);
    g_clear_pointer(&applier->reason, g_free);
    json_decref(applier->calls);
    applier->calls = json_array();
    applier->index = index;
    applier->hash = g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
    applier->number = applier->id = 0;
    applier->is_open = applier->is_doubtful = false;
    applier->status = APPLIED;
}

static bool is_staged(const WmApply *spec, const WmHandler *handler)
{
    return spec->is_staged || spec->policy->is_staged || handler->is_staged ||
           env_flag("WM_STAGED");
}

static char *apply_seal(const void *api, const char *text)
{
    return wm_api_seal(api, text);
}

/* When the run began, as GitHub's clock may have it; "" when its directory does not say. Caller
   frees. */
static char *start_of_run(const WmApply *spec)
{
    g_auto(WmRunDir) dir = { 0 };
    if (!wm_run_dir_open(spec->run_dir, &dir, NULL))
        return g_strdup("");
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) start = g_date_time_new_from_iso8601(dir.started_at, utc);
    if (!start)
        return g_strdup("");
    return time_format_iso_seconds(g_date_time_to_unix(start) * 1000 - APPLY_CLOCKS_DIFFER_MS);
}

/* A job of Actions that is run again has another machine, and the record of the first is lost. */
static bool is_rerun(void)
{
    const char *attempt = env_get_raw("GITHUB_RUN_ATTEMPT");
    int64_t number = 1;
    return attempt && str_parse_int(attempt, &number) && number > 1;
}

/* What anything but a plan needs. */
static bool open_record(Run *self, GError **error)
{
    Applier *applier = &self->applier;
    const WmApply *spec = applier->spec;
    if (applier->record)
        return true;
    if (!spec->api)
        return fail_with(error, KEDGE_ERROR_DENIED, "GITHUB_REPOSITORY not set, or no token");
    if (!apply_record_open(spec->run_dir, apply_seal, spec->api, &applier->record, error))
        return false;
    g_autofree char *start = start_of_run(spec);
    apply_record_set_start(applier->record, start, is_rerun());
    return true;
}

static void keep_temporary_id(Run *self, const json_t *raw)
{
    Applier *applier = &self->applier;
    const char *given = json_get_text(raw, "temporary_id");
    g_autofree char *trimmed = given ? g_strstrip(g_strdup(given)) : g_strdup("");
    g_autofree char *id = wm_temporary_id(*trimmed == '#' ? trimmed + 1 : trimmed);
    WmKind kind = wm_kind_of(json_get_text(raw, "type"));
    if (id && (kind == WM_CREATE_ISSUE || kind == WM_CREATE_PULL_REQUEST))
        json_set_int(applier->made, id, applier->number);
}

static void take_result(Applier *applier, const json_t *result)
{
    const char *skipped = json_get_text(result, "skipped");
    applier->number = json_get_int(result, "number", 0);
    g_free(applier->url);
    applier->url = g_strdup(json_get_text(result, "url"));
    g_free(applier->reason);
    applier->reason = g_strdup(skipped ? skipped : "applied by an earlier attempt");
    applier->status = skipped ? APPLY_SKIPPED : APPLIED;
}

static json_t *result_of(const Applier *applier)
{
    json_t *result = json_object();
    if (applier->number > 0)
        json_set_int(result, "number", applier->number);
    if (applier->id > 0)
        json_set_int(result, "id", applier->id);
    json_set_text(result, "url", applier->url);
    if (applier->status == APPLY_SKIPPED)
        json_set_text(result, "skipped", applier->reason);
    return result;
}

static void add_to_plan(Run *self, const char *kind)
{
    Applier *applier = &self->applier;
    size_t count = json_array_size(applier->calls);
    if (count == 0 || !self->plan)
        return;
    // the last call is what the item is about; what goes before it stands by itself
    json_t *entry = json_make("kind:%s", kind);
    if (applier->item.number > 0)
        json_set_int(entry, "number", applier->item.number);
    json_object_update(entry, json_array_get(applier->calls, count - 1));
    json_array_remove(applier->calls, count - 1);
    if (count > 1)
        json_object_set(entry, "before", applier->calls);
    json_append_take(self->plan, entry);
}

static void say_outcome(Run *self, const char *kind)
{
    static const char *const outcomes[] = {
        [APPLIED] = "applied", [APPLY_SKIPPED] = "skipped", [APPLY_STAGED] = "staged"
    };
    const Applier *applier = &self->applier;
    const char *actor = applier->spec->actor;
    g_autofree char *place = apply_place(applier);
    if (applier->status == APPLY_SKIPPED)
        wm_say("wm %s: safe-outputs: %s: %s; skipped", actor, kind, applier->reason);
    else
        wm_say("wm %s: safe-outputs: %s%s → %s%s%s", actor,
               applier->status == APPLY_STAGED ? "staged " : "", kind, place,
               applier->reason ? ": " : "", applier->reason ? applier->reason : "");
    add_output(self, kind, outcomes[applier->status], applier->reason);
}

/* The item is checked, and it is not known to be done. */
static bool write_item(Run *self, const char *kind, GError **error)
{
    Applier *applier = &self->applier;
    if (!applier->is_staged &&
        !apply_record_begin(applier->record, applier->index, applier->hash, kind, error))
        return false;
    if (!functions[applier->item.kind](applier, error)) {
        // what is in doubt stays open: the next attempt looks for it
        if (!applier->is_staged && !applier->is_open && !applier->is_doubtful)
            apply_record_end(applier->record, applier->index, applier->hash, false, NULL, NULL);
        return false;
    }
    if (applier->is_staged) {
        if (applier->status == APPLIED)
            applier->status = APPLY_STAGED;
        add_to_plan(self, kind);
        return true;
    }
    g_autoptr(json_t) result = result_of(applier);
    return apply_record_end(applier->record, applier->index, applier->hash, true, result, error);
}

/* Only a plan may be about what is not made. */
static bool set_target(Applier *applier, GError **error)
{
    const WmItem *item = &applier->item;
    if (item->number <= 0 && item->target_id && !applier->is_staged)
        return fail_with(error, KEDGE_ERROR_FAILED, "there is nothing with the temporary id \"%s\"",
                         item->target_id);
    if (item->number > 0)
        g_snprintf(applier->target, sizeof(applier->target), "%" G_GINT64_FORMAT, item->number);
    else
        g_strlcpy(applier->target, item->target_id ? item->target_id : "0",
                  sizeof(applier->target));
    return true;
}

static bool apply_item(Run *self, const json_t *raw, GError **error)
{
    Applier *applier = &self->applier;
    WmKind kind = wm_kind_of(json_get_text(raw, "type"));
    const char *name = wm_kind_table[kind].type;
    applier->handler = &applier->spec->policy->handlers[kind];
    applier->is_staged = is_staged(applier->spec, applier->handler);
    ApplyState state = APPLY_NEW;
    if (!applier->is_staged) {
        if (!open_record(self, error)) {
            g_prefix_error(error, "%s: ", name);
            return false;
        }
        state = apply_record_state(applier->record, applier->index, applier->hash);
    }
    if (state == APPLY_DONE) {
        take_result(applier, apply_record_result(applier->record, applier->index, applier->hash));
    } else {
        applier->is_open = state == APPLY_OPEN;
        if (!wm_item_check(&applier->scope, raw, &applier->item, error))
            return false;
        if (!set_target(applier, error) || !write_item(self, name, error)) {
            g_prefix_error(error, "%s: ", name);
            return false;
        }
    }
    keep_temporary_id(self, raw);
    say_outcome(self, name);
    return true;
}

static const char *text_or(const json_t *raw, const char *key, const char *other)
{
    const char *text = json_get_text(raw, key);
    return str_is_empty(text) ? other : text;
}

static void log_note(const json_t *raw, WmKind kind)
{
    if (kind == WM_NOOP)
        wm_log(WM_INFO, "wm: safe-output noop", "message",
               text_or(raw, "message", "(noop: no message)"), NULL);
    else if (kind == WM_MISSING_TOOL)
        wm_log(WM_INFO, "wm: safe-output missing_tool", "tool", text_or(raw, "tool", ""), "reason",
               text_or(raw, "reason", ""), NULL);
    else
        wm_log(WM_INFO, "wm: safe-output missing_data", "what",
               text_or(raw, "what", text_or(raw, "data_type", "")), "reason",
               text_or(raw, "reason", ""), NULL);
}

/* Items that write nothing. */
static bool is_passed_over(Run *self, const json_t *raw, WmKind kind)
{
    const char *given = json_get_text(raw, "type");
    if (kind == WM_KINDS) {
        wm_log(WM_INFO, "wm: safe-output: unknown item type, skipping", "type", given ? given : "",
               NULL);
        add_output(self, given ? given : "", "skipped", "unknown item type");
        return true;
    }
    const char *name = wm_kind_table[kind].type;
    if (!functions[kind]) {
        log_note(raw, kind);
        add_output(self, name, "skipped",
                   text_or(raw, "message", text_or(raw, "reason", "nothing to write")));
        return true;
    }
    if (self->applier.spec->policy->handlers[kind].is_enabled)
        return false;
    wm_log(WM_INFO, "wm: safe-output: type not permitted by safe-outputs:, skipping", "kind", name,
           NULL);
    add_output(self, name, "skipped", "not permitted by safe-outputs:");
    return true;
}

static bool check_item(Run *self, int64_t index, WmKind kind, GError **error)
{
    Cancel *cancel = self->applier.cancel;
    int64_t max = self->applier.spec->policy->handlers[kind].max;
    if (cancel_is_late(cancel))
        return fail_with(error, KEDGE_ERROR_TIMEOUT,
                         "safe-outputs: timed out before item %" G_GINT64_FORMAT, index + 1);
    if (!cancel_check(cancel, error))
        return false;
    if (self->counts[kind] >= max)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "policy: max %" G_GINT64_FORMAT " for %s exceeded", max,
                         wm_kind_table[kind].type);
    return true;
}

/* Items that an error keeps from being tried. */
static void add_untried(Run *self, const json_t *items, size_t from, const char *reason)
{
    for (size_t i = from; i < json_array_size(items); i++) {
        const json_t *raw = json_array_get(items, i);
        const char *type = json_get_text(raw, "type");
        start_item(self, (int64_t)i, raw);
        add_output(self, type ? type : "", "skipped", reason);
    }
}

static bool apply_all(Run *self, const json_t *items, GError **error)
{
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *raw = json_array_get(items, i);
        WmKind kind = wm_kind_of(json_get_text(raw, "type"));
        start_item(self, (int64_t)i, raw);
        if (is_passed_over(self, raw, kind))
            continue;
        g_autoptr(GError) failed = NULL;
        if (!check_item(self, (int64_t)i, kind, &failed) || !apply_item(self, raw, &failed)) {
            add_output(self, wm_kind_table[kind].type, "failed", failed->message);
            add_untried(self, items, i + 1, "not tried: an earlier output failed");
            return pass_error(error, &failed);
        }
        self->counts[kind]++;
    }
    return true;
}

static bool look_for_threats(Run *self, const json_t *items, GError **error)
{
    g_autofree char *warning = NULL;
    if (!apply_look_for_threats(&self->applier, items, &warning, error))
        return false;
    if (warning) {
        g_autofree char *line = g_strdup_printf("warning: threat detection: %s", warning);
        wm_log(WM_WARN, line, NULL);
    }
    return true;
}

/* What the agent said last, when it asked for nothing (D17). Failures are warnings. */
static void post_fallback(Run *self)
{
    const WmApply *spec = self->applier.spec;
    wm_log(WM_WARN, "wm: safe-outputs: no structured output (implicit noop)", NULL);
    if (!spec->policy->handlers[WM_ADD_COMMENT].is_enabled || str_is_empty(spec->last_response) ||
        (spec->numbers.issue <= 0 && spec->numbers.pull <= 0))
        return;
    g_autofree char *masked = mask_text(spec->last_response);
    g_autofree char *text = g_strconcat(NO_OUTPUT, masked, NULL);
    g_autoptr(json_t) raw = json_make("type:%s body:%s", "add_comment", text);
    g_autoptr(json_t) items = json_pack("[O]", raw);
    start_item(self, APPLY_FALLBACK, raw);
    g_autoptr(GError) failed = NULL;
    if (look_for_threats(self, items, &failed) && apply_item(self, raw, &failed))
        return;
    g_autofree char *line =
        g_strdup_printf("warning: the agent's response is not posted: %s", failed->message);
    wm_log(WM_WARN, line, NULL);
    add_output(self, "add_comment", "failed", failed->message);
}

/* What is pushed, or compared with what origin has, is so from a clone that no agent has seen. */
static bool take_commits(Run *self, const json_t *items, GError **error)
{
    const WmApply *spec = self->applier.spec;
    bool has_commits = false;
    for (size_t i = 0; spec->push && i < json_array_size(items); i++) {
        WmKind kind = wm_kind_of(json_get_text(json_array_get(items, i), "type"));
        has_commits = has_commits ||
                      ((kind == WM_CREATE_PULL_REQUEST || kind == WM_PUSH_TO_PULL_REQUEST_BRANCH) &&
                       spec->policy->handlers[kind].is_enabled);
    }
    if (!has_commits)
        return true;
    if (!wm_push_place_make(spec->push, self->applier.cancel, error))
        return false;
    self->applier.git.root = spec->push->clone;
    return true;
}

bool wm_apply(const WmApply *spec, Cancel *cancel, json_t *outputs, json_t *plan, GError **error)
{
    if (!spec->policy->has_keys)
        return true;
    g_autoptr(json_t) items = NULL;
    if (!wm_items_read(spec->output_path, &items, error))
        return false;
    const char *server_url = env_get_raw("GITHUB_SERVER_URL");
    bool in_actions = g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") == 0;
    g_auto(Run) run = { .outputs = outputs, .plan = plan };
    run.applier.spec = spec;
    run.applier.cancel = cancel;
    run.applier.made = json_object();
    run.applier.outputs = outputs;
    run.applier.git = (WmGit) {
        .root = spec->root,
        .is_quarantined = spec->is_quarantined,
        .server_url = server_url ? server_url : "https://github.com",
        .in_actions = in_actions,
    };
    run.applier.scope = (WmItemScope) {
        .policy = spec->policy,
        .task_name = spec->task->name,
        .repo = spec->repo,
        .root = spec->root,
        .issue = spec->numbers.issue,
        .pull = spec->numbers.pull,
        .made = run.applier.made,
    };
    if (json_array_size(items) == 0) {
        post_fallback(&run);
        return true;
    }
    g_autoptr(GError) failed = NULL;
    if (take_commits(&run, items, &failed) && look_for_threats(&run, items, &failed))
        return apply_all(&run, items, error);
    add_untried(&run, items, 0, failed->message);
    return pass_error(error, &failed);
}
