/*
 * tool_call(): the gate and the frame around every call (call.h).
 */
#include "tool/call_private.h"

#include "base/ansi.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tool/call_paths.h"
#include "tool/hook.h"
#include "tool/notice.h"
#include "tool/question.h"
#include "tool/repo_flow.h"
#include "tool/write_guard.h"

#define ERROR_TEXT_BYTES  (128 * KIB) // an error's text over this is cut like any other
#define EDITED_TEXT_BYTES (16 * KIB)

const char *tool_call_id(const ToolCall *call)
{
    return call->spec->call_id ? call->spec->call_id : "";
}

const ToolDef *tool_call_tool(const ToolCall *call)
{
    return call->spec->tool;
}

Cancel *tool_call_cancel(const ToolCall *call)
{
    return call->cancel;
}

Cancel *tool_call_user_cancel(const ToolCall *call)
{
    return call->spec->cancel;
}

ToolContext *tool_call_context(const ToolCall *call)
{
    return call->spec->context;
}

const char *tool_call_cwd(const ToolCall *call)
{
    return tool_context_cwd(call->spec->context);
}

const Settings *tool_call_settings(const ToolCall *call)
{
    return tool_context_settings(call->spec->context);
}

bool tool_call_is_behind(const ToolCall *call)
{
    return call->is_behind;
}

Artifacts *tool_call_artifacts(const ToolCall *call)
{
    return tool_context_artifacts(call->spec->context);
}

const char *tool_call_via(const ToolCall *call)
{
    return call->spec->door->via ? call->spec->door->via : "agent";
}

const char *tool_call_allow_hint(const ToolCall *call)
{
    return call->spec->door->allow_hint;
}

void tool_call_prepare(ToolCall *call, void *data, GDestroyNotify destroy)
{
    g_assert(call->prepared == NULL);
    call->prepared = data;
    call->prepared_destroy = destroy;
}

void *tool_call_prepared(const ToolCall *call)
{
    return call->prepared;
}

const ToolPermit *tool_call_permit(const ToolCall *call)
{
    return call->is_permitted ? &call->permit : NULL;
}

void tool_call_update(ToolCall *call, const char *text, const json_t *details)
{
    if (!call->spec->on_update)
        return;
    g_autofree char *clean = ansi_strip(text);
    g_autofree char *masked = mask_text(clean);
    g_autoptr(json_t) masked_details = mask_json((json_t *)details);
    call->spec->on_update(masked, masked_details, call->spec->user_data);
}

bool tool_call_choose(const ToolCall *call, const ToolChoice *choice, ChoiceEnd *ret_end,
                      char **ret_text, GError **error)
{
    const ToolDoor *door = call->spec->door;
    if (!door->choose)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s tool requires interactive mode",
                         choice->tool->label);
    return door->choose(choice, call->spec->cancel, ret_end, ret_text, door->user_data, error);
}

int64_t tool_call_now_ms(const ToolCall *call)
{
    const ToolClock *clock = tool_context_clock(call->spec->context);
    return clock->now_ms(clock->user_data);
}

bool tool_call_sleep(ToolCall *call, int64_t duration_ms, GError **error)
{
    const ToolClock *clock = tool_context_clock(call->spec->context);
    return clock->sleep(clock->user_data, duration_ms, call->cancel, error);
}

const json_t *tool_call_arguments(const ToolCall *call)
{
    return call->arguments.given;
}

const ToolSet *tool_call_tools(const ToolCall *call)
{
    return call->spec->tools;
}

void tool_call_nested(const ToolCall *call, const ToolDef *tool, const char *call_id,
                      const json_t *arguments, Cancel *cancel, ToolResult *ret_result)
{
    const ToolCallSpec spec = {
        .tool = tool,
        .call_id = call_id,
        .arguments = arguments,
        .context = call->spec->context,
        .door = call->spec->door,
        .cancel = cancel,
        .was_refused = call->spec->was_refused,
        .user_data = call->spec->user_data,
    };
    tool_call(&spec, ret_result);
}

const CallOutcome *tool_call_outcome(const ToolCall *call)
{
    return call->outcome;
}

const GPtrArray *tool_call_problems(const ToolCall *call)
{
    return call->problems;
}

const GPtrArray *tool_call_unknown(const ToolCall *call)
{
    return call->unknown;
}

int64_t tool_call_timeout_ms(const ToolCall *call)
{
    return call->spec->door->timeout_ms;
}

static GPtrArray *paths_of(const ToolCall *call)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    call_paths_add(call->arguments.decoded, paths);
    for (unsigned i = 0; i < paths->len; i++) {
        g_autofree char *given = paths->pdata[i];
        g_autofree char *path = path_expand_home(given);
        bool is_url = strstr(path, "://") != NULL;
        paths->pdata[i] =
            is_url ? g_steal_pointer(&path) : path_absolute(path, tool_call_cwd(call));
    }
    return paths;
}

/* The last moment at which everything is as it was. */
static void run_hooks_starting(ToolCall *call, const CallOutcome *outcome)
{
    g_autoptr(GPtrArray) paths = NULL;
    bool is_read = outcome->judgement->effect == EFFECT_READ;
    for (unsigned i = 0; i < call->hooks->len && !is_read; i++) {
        const ToolHook *hook = call->hooks->pdata[i];
        if (!hook->starts)
            continue;
        if (!paths)
            paths = paths_of(call);
        hook->starts(call, paths, hook->user_data);
    }
}

/* What runs is what a person has seen. */
static bool is_as_asked(const ToolCall *call, GError **error)
{
    g_autofree char *digest = call->asked ? question_digest(call) : NULL;
    return g_strcmp0(digest, call->asked) == 0 ||
           fail_with(error, KEDGE_ERROR_DENIED,
                     "%s: the call is not the one that was asked about; call again",
                     call->spec->tool->name);
}

static bool run_permitted(ToolCall *call, ToolResult *result, CallOutcome *outcome, GError **error)
{
    run_hooks_starting(call, outcome);
    int64_t start = time_monotonic_ms();
    bool is_done = is_as_asked(call, error) &&
                   call->spec->tool->run(call, call_arguments_of(call), result, error);
    outcome->duration_ms = time_monotonic_ms() - start;
    call->is_permitted = false;
    return is_done;
}

static bool run_gated(ToolCall *call, ToolResult *result, Judgement *judgement,
                      CallOutcome *outcome, GError **error)
{
    outcome->end = CALL_CANCELLED;
    return cancel_check(call->spec->cancel, error) && call_take_arguments(call, outcome, error) &&
           gate_pass(call, judgement, outcome, error) &&
           run_permitted(call, result, outcome, error);
}

/* An error replaces whatever the tool had put together: the message is the answer. */
static void result_from_error(ToolResult *result, const GError *error)
{
    tool_result_clear(result);
    result->is_error = true;
    result->failure = error->domain == KEDGE_ERROR ? (KedgeError)error->code : KEDGE_ERROR_FAILED;
    bool is_plain_abort = result->failure == KEDGE_ERROR_CANCELLED &&
                          strcmp(error->message, "operation aborted") == 0;
    tool_result_add_text(result, is_plain_abort ? "Operation aborted" : error->message);
}

/* As ansi_strip(), but CR stays: read shows the lines of a file as they are. */
static char *strip_but_keep_cr(const char *text)
{
    g_auto(GStrv) pieces = g_strsplit(text, "\r", -1);
    for (char **piece = pieces; *piece; piece++) {
        char *clean = ansi_strip(*piece);
        g_free(*piece);
        *piece = clean;
    }
    return g_strjoinv("\r", pieces);
}

/* Escape sequences of foreign text must not reach a terminal or a model (agent-core §0, text
 * safety). */
static void strip_controls(ToolResult *result, bool keeps_cr)
{
    json_each (result->content, i, block) {
        const char *text = json_get_text(block, "text");
        if (!text)
            continue;
        g_autofree char *clean = keeps_cr ? strip_but_keep_cr(text) : ansi_strip(text);
        if (strcmp(clean, text) != 0)
            json_set_text(block, "text", clean);
    }
}

/* The text of an error is the tool's own affair (bash quotes its output, cut already) up to a
 * point. */
static bool may_spill(const ToolCallSpec *spec, const ToolResult *result, bool is_from_error)
{
    if (spec->door->wants_whole_text)
        return false;
    if (!is_from_error)
        return !(spec->tool->flags & TOOL_KEEPS_TEXT);
    g_autofree char *text = tool_result_text(result);
    return strlen(text) > ERROR_TEXT_BYTES;
}

/* What the call answers with, before it is bounded. */
static void call_settle(ToolCall *call, ToolResult *result, CallOutcome *outcome,
                        const GError *error)
{
    const ToolDef *tool = call->spec->tool;
    if (!error && result->is_error)
        result->failure = KEDGE_ERROR_FAILED;
    if (error)
        result_from_error(result, error);
    if (error && outcome->end != CALL_RAN) {
        outcome->reason = error->message;
        if (tool->refused) {
            json_array_clear(result->content);
            tool->refused(call, outcome, result);
        }
    }
    if (!result->content)
        result->content = json_array();
}

static bool is_refused(const CallOutcome *outcome)
{
    return outcome->end == CALL_BLOCKED || outcome->end == CALL_DECLINED ||
           outcome->end == CALL_UNANSWERABLE;
}

static void run_hooks_after(ToolCall *call, ToolResult *result)
{
    const GPtrArray *hooks = call->hooks;
    for (unsigned i = 0; i < hooks->len; i++) {
        const ToolHook *hook = hooks->pdata[i];
        if (hook->after)
            hook->after(call, result, hook->user_data);
    }
    if (!result->content)
        result->content = json_array();
}

/* Whatever way an answer of GitHub came here: no text of it passes with characters that cannot be
   seen. */
static void hide_unseen(ToolCall *call, ToolResult *result)
{
    bool is_github = result->origin.kind == ORIGIN_GITHUB || call->spec->tool->flags & TOOL_GITHUB;
    size_t i = 0;
    json_t *block = NULL;
    if (!is_github)
        return;
    json_array_foreach (result->content, i, block) {
        const char *text = json_get_text(block, "text");
        g_autofree char *seen = text ? tool_call_seen_text(call, text, HIDDEN_IN_LINE) : NULL;
        if (seen && strcmp(seen, text) != 0)
            json_set_text(block, "text", seen);
    }
    g_autofree char *notice = hidden_notice(&call->hidden);
    if (notice)
        tool_result_add_note(result, notice);
    call->hidden = (HiddenCount) { 0 };
}

/* A name that hides which file was meant is followed by that file. */
static void add_link_notes(const ToolCall *call, ToolResult *result)
{
    const GPtrArray *guards = call->guards;
    for (unsigned i = 0; guards && i < guards->len; i++) {
        const WriteGuard *guard = guards->pdata[i];
        if (!guard->leads_out)
            continue;
        g_autofree char *text = write_guard_text(guard, tool_call_cwd(call));
        tool_result_add_note(result, text);
    }
}

/* What was read or written by a name that hides it: titles show it. */
static void add_place(const ToolCall *call, ToolResult *result)
{
    g_autofree char *leads =
        call->spec->tool->flags & TOOL_ENVELOPE
            ? NULL
            : write_guard_leads_of(call->arguments.decoded, tool_call_cwd(call));
    if (leads)
        json_set_text(tool_result_details(result), "leadsTo", leads);
}

static void add_ignored_note(const ToolCall *call, ToolResult *result)
{
    g_autofree char *note = call_ignored_note(call);
    if (note)
        tool_result_add_note(result, note);
}

void call_finish(ToolCall *call, ToolResult *result, CallOutcome *outcome, const GError *error)
{
    const ToolCallSpec *spec = call->spec;
    const ToolDef *tool = spec->tool;
    call_settle(call, result, outcome, error);
    if (outcome->end == CALL_RAN && !call->is_handed_over) {
        repo_flow_note(call, result);
        run_hooks_after(call, result);
    }

    if (!(tool->flags & TOOL_ENVELOPE)) // JSON text has no control characters
        strip_controls(result, tool->flags & TOOL_KEEPS_TEXT);
    if (!(tool->flags & TOOL_ENVELOPE))
        hide_unseen(call, result);
    tool_result_mask(result); // behind the above: a colour may be in the middle of a key
    if (may_spill(spec, result, error != NULL))
        result_spill(result, tool->name, tool_context_settings(spec->context),
                     tool_context_artifacts(spec->context));
    add_ignored_note(call, result);
    if (outcome->end == CALL_RAN) {
        add_link_notes(call, result);
        add_place(call, result);
    }
    result_add_notice(result);
    if (tool->finished && !call->is_handed_over)
        tool->finished(call, outcome, result);
}

static void call_clear(ToolCall *self)
{
    if (self->prepared_destroy)
        self->prepared_destroy(self->prepared);
    g_clear_pointer(&self->problems, g_ptr_array_unref);
    g_clear_pointer(&self->unknown, g_ptr_array_unref);
    g_clear_pointer(&self->hooks, g_ptr_array_unref);
    g_clear_pointer(&self->guards, g_ptr_array_unref);
    g_clear_pointer(&self->asked, g_free);
    call_arguments_clear(&self->arguments);
}

/* NULL: it has ended. Else a person has changed its arguments, and nothing was done: they are what
   is to be judged and asked about now. */
static json_t *call_once(const ToolCallSpec *spec, ToolResult *ret_result)
{
    const ToolDef *tool = spec->tool;
    CallOutcome outcome = { 0 };
    ToolCall call = {
        .spec = spec,
        .outcome = &outcome,
        .cancel = tool->flags & TOOL_NON_ABORTABLE ? NULL : spec->cancel,
        .hooks = hook_list_take(tool_context_hooks(spec->context)),
    };
    g_auto(Judgement) judgement = { 0 };
    g_autoptr(GError) error = NULL;
    run_gated(&call, ret_result, &judgement, &outcome, &error);
    json_t *edited = call.edited;
    if (!edited)
        call_finish(&call, ret_result, &outcome, error);
    if (!edited && is_refused(&outcome) && judgement.actions)
        ret_result->refused = g_ptr_array_ref(judgement.actions);
    call_clear(&call);
    return edited;
}

/* The model goes on with what was done, not with what it asked for. */
static void tell_edited(const json_t *edited, ToolResult *result)
{
    g_autofree char *json = json_to_text(edited);
    g_autofree char *masked = mask_text(json), *cut = str_truncate(masked, EDITED_TEXT_BYTES);
    g_autofree char *note =
        g_strdup_printf("The person changed the arguments before the call was decided: %s%s", cut,
                        strlen(cut) < strlen(masked) ? "…" : "");
    tool_result_add_text(result, note);
}

void tool_call(const ToolCallSpec *spec, ToolResult *ret_result)
{
    ToolCallSpec now = *spec;
    g_autoptr(json_t) edited = NULL;
    for (json_t *again; (again = call_once(&now, ret_result));) {
        tool_result_clear(ret_result);
        json_decref(edited);
        now.arguments = edited = again;
    }
    if (edited)
        tell_edited(edited, ret_result);
}
