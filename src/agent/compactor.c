/* See compactor.h. */
#include "agent/compactor.h"

#include "agent/compaction.h"
#include "agent/compaction_plan.h"
#include "agent/conversation.h"
#include "agent/transcript.h"
#include "base/timefmt.h"
#include "model/message.h"
#include "model/provider.h"
#include "session/github_mark.h"
#include "session/session_tree.h"

#include <inttypes.h>

// ---- old tool output: cheaper than a summary, and often enough (agent-core §3.8) ----

#define PROTECTED_TOKENS 40000 // of the newest results
#define LEAST_TOKENS     20000 // that are worth a new session file and a cold cache

/* The entry's message, if its output may go; borrowed. */
static json_t *prunable_result(const json_t *entry)
{
    static const char *const kept[] = { "read", "skill", NULL };
    json_t *message = json_get_object(entry, "message");
    const char *tool = json_get_text(message, "toolName");
    if (g_strcmp0(json_get_text(entry, "type"), "message") != 0 || !message ||
        !g_str_equal(message_role(message), "toolResult") || (tool && g_strv_contains(kept, tool)))
        return NULL;
    return message;
}

static json_t *pruned_result(const json_t *message)
{
    json_t *details = json_get_object(message, "details");
    json_t *mark = json_object_get(details, "github");
    g_autofree char *line = github_mark_line(details);
    g_autofree char *text =
        g_strdup_printf("[Output truncated - %" PRId64 " tokens]%s%s", transcript_estimate(message),
                        line ? "\n" : "", line ? line : "");
    json_t *copy = json_copy((json_t *)message);
    json_t *content = json_array();
    json_append_take(content, message_text_block(text));
    json_set_take(copy, "content", content);
    if (line)
        json_set_take(copy, "details", json_pack("{s:O}", "github", mark));
    else
        json_object_del(copy, "details");
    json_set_int(copy, "prunedAt", time_now_ms());
    return copy;
}

/* Ids of the entries that can go, and what that saves. */
static GPtrArray *find_prunable(const Session *session, int64_t *ret_tokens)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) path = session_context_path(session);
    int64_t seen = 0, saved = 0;
    for (guint i = path->len; i > 0; i--) {
        const json_t *entry = path->pdata[i - 1];
        if (g_strcmp0(json_get_text(entry, "type"), "compaction") == 0)
            break;
        json_t *message = prunable_result(entry);
        if (!message)
            continue;
        int64_t tokens = transcript_estimate(message);
        seen += tokens;
        if (seen <= PROTECTED_TOKENS || json_object_get(message, "prunedAt"))
            continue;
        saved += tokens;
        g_ptr_array_add(found, g_strdup(json_get_text(entry, "id")));
    }
    *ret_tokens = saved;
    return found;
}

/* About how many tokens went; 0: there was not enough to be worth it. The whole session file is
   written again. */
static int64_t prune_tool_output(Conversation *conversation)
{
    int64_t tokens = 0;
    g_autoptr(GPtrArray) ids = find_prunable(conversation->session, &tokens);
    if (tokens < LEAST_TOKENS)
        return 0;
    for (guint i = 0; i < ids->len; i++) {
        g_autoptr(json_t) entry = session_entry(conversation->session, ids->pdata[i]);
        g_autoptr(json_t) message = pruned_result(json_get_object(entry, "message"));
        session_replace_message(conversation->session, ids->pdata[i], message);
    }
    session_flush(conversation->session, NULL); // what goes wrong is told at the end of the turn
    conversation_reload(conversation);
    return tokens;
}

// ---- when to compact ----

#define ACTION        "context-full"
#define OVERFLOWS_MAX 2

void compactor_begin(Compactor *self)
{
    self->overflows = 0;
    self->has_left_out = false;
    self->summary = NULL;
}

// ---- events ----

static void emit_start(const Compactor *self, const char *reason, bool is_automatic)
{
    const AgentEvents *events = self->conversation->events;
    if (is_automatic) {
        json_t *event = agent_event_new(EVENT_AUTO_COMPACTION_START);
        json_add(event, "reason:%s action:%s", reason, ACTION);
        agent_events_emit(events, event);
    }
    json_t *event = agent_event_new(EVENT_COMPACTION_START);
    json_set_text(event, "reason", reason);
    agent_events_emit(events, event);
}

typedef struct CompactionEnd {
    json_t *result; // NULL: there is none
    const GError *problem;
    bool will_retry;
} CompactionEnd;

/* "Auto-compaction failed: …". Caller frees. */
static char *failure_text(const char *reason, const GError *problem)
{
    const char *lead = g_str_equal(reason, "overflow") ? "Context overflow recovery failed"
                                                       : "Auto-compaction failed";
    return g_strdup_printf("%s: %s", lead, problem->message);
}

static void fill_end(json_t *event, const CompactionEnd *end, const char *text)
{
    bool is_aborted = end->problem && error_is(end->problem, KEDGE_ERROR_CANCELLED);
    json_add(event, "result:%p aborted:%i willRetry:%i",
             end->result ? json_incref(end->result) : NULL, is_aborted, end->will_retry);
    if (end->problem && !is_aborted)
        json_set_text(event, "errorMessage", text);
}

static void emit_end(const Compactor *self, const char *reason, bool is_automatic,
                     const CompactionEnd *end)
{
    const AgentEvents *events = self->conversation->events;
    g_autofree char *text = end->problem ? is_automatic ? failure_text(reason, end->problem)
                                                        : g_strdup(end->problem->message)
                                         : NULL;
    json_t *event = agent_event_new(EVENT_COMPACTION_END);
    json_set_text(event, "reason", reason);
    fill_end(event, end, text);
    agent_events_emit(events, event);
    if (!is_automatic)
        return;
    json_t *own = agent_event_new(EVENT_AUTO_COMPACTION_END);
    json_set_text(own, "action", ACTION);
    fill_end(own, end, text);
    agent_events_emit(events, own);
}

// ---- compacting ----

static bool compactor_run(Compactor *self, const char *reason, const char *instructions,
                          Cancel *cancel, json_t **ret_result, GError **error)
{
    if (!hook_list_compaction(self->hooks, reason, cancel, error))
        return false;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    if (!setup->model)
        return fail_with(error, KEDGE_ERROR_USAGE, "No model selected");
    SummaryContext context = summary_context(self->means, self->settings, setup,
                                             session_id(self->conversation->session));
    context.max_bytes = server_facts_max_bytes(self->conversation->servers, setup->model);
    return compaction_run(self->conversation, &context, instructions, cancel, ret_result, error);
}

static CompactorOutcome run_automatically(Compactor *self, const char *reason, Cancel *cancel)
{
    bool is_overflow = g_str_equal(reason, "overflow");
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) result = NULL;
    emit_start(self, reason, true);
    bool is_done = compactor_run(self, reason, NULL, cancel, &result, &problem);
    const CompactionEnd end = {
        .result = result,
        .problem = problem,
        .will_retry = is_done && is_overflow,
    };
    emit_end(self, reason, true, &end);
    // an answer that has been the reason once is not one again
    conversation_forget_measure(self->conversation);
    if (is_done)
        return COMPACTED;
    bool is_stopped = error_is(problem, KEDGE_ERROR_CANCELLED);
    return is_stopped ? COMPACTION_STOPPED : COMPACTED_NOT;
}

// A summary is a request as well: a run that has stopped at its budget makes none.
static bool is_enabled(const Compactor *self)
{
    const char *strategy = settings_get_text(self->settings, "compaction.strategy");
    g_autofree char *stop_text = budget_stop_text(self->means->budget);
    return !stop_text && settings_get_bool(self->settings, "compaction.enabled") &&
           g_strcmp0(strategy, "off") != 0 &&
           !(self->is_disabled && atomic_load(self->is_disabled));
}

/* The conversation takes more than that, and the last time that room was made helped: where it was
   over it even then, only after a tenth of the window has come. */
static bool is_over(const Conversation *conversation, const Model *model, int64_t threshold)
{
    int64_t tokens = conversation_tokens(conversation, model);
    if (!conversation->measured || tokens <= threshold)
        return false;
    int64_t left = conversation_tokens_left(conversation, model);
    return left <= threshold || tokens > left + model->context_window / 10;
}

bool compactor_hands_off(const Compactor *self)
{
    const char *strategy = settings_get_text(self->settings, "compaction.strategy");
    const Conversation *conversation = self->conversation;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    return g_strcmp0(strategy, "handoff") == 0 && is_enabled(self) &&
           is_over(conversation, setup->model, compaction_threshold(self->settings, setup->model));
}

bool compactor_is_due_when_idle(const Compactor *self)
{
    const Conversation *conversation = self->conversation;
    int64_t threshold = settings_get_int(self->settings, "compaction.idleThresholdTokens");
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    return settings_get_bool(self->settings, "compaction.idleEnabled") && is_enabled(self) &&
           is_over(conversation, setup->model, threshold) &&
           compaction_has_work(conversation, self->settings, setup->model);
}

CompactorOutcome compactor_compact_idle(Compactor *self, Cancel *cancel)
{
    return compactor_is_due_when_idle(self) ? run_automatically(self, "idle", cancel)
                                            : COMPACTED_NOT;
}

CompactorOutcome compactor_check(Compactor *self, Cancel *cancel)
{
    Conversation *conversation = self->conversation;
    g_autoptr(TurnSetup) setup = setup_slot_get(self->setup);
    if (!is_enabled(self) || cancel_has_fired(cancel))
        return COMPACTED_NOT;
    int64_t threshold = compaction_threshold(self->settings, setup->model);
    int64_t tokens = conversation_tokens(conversation, setup->model);
    if (!is_over(conversation, setup->model, threshold) ||
        tokens - prune_tool_output(conversation) <= threshold)
        return COMPACTED_NOT;
    if (fallback_promote(self->fallback, tokens))
        return COMPACTION_SPARED;
    if (!compaction_has_work(conversation, self->settings, setup->model)) {
        conversation_forget_measure(conversation);
        return COMPACTED_NOT;
    }
    return run_automatically(self, "threshold", cancel);
}

/* About what the last request took that the model answered, now that one of `size` bytes was
   refused, as in a session that was opened again; 0: it gave no answer. */
static size_t bytes_before(const Conversation *conversation, const Model *asked, size_t size)
{
    size_t since = 0;
    for (size_t i = conversation->answer_index; i > 0; i--) {
        const json_t *message = json_array_get(conversation->messages, i - 1);
        if (g_str_equal(message_role(message), "assistant") && !message_error(message))
            return g_strcmp0(json_get_text(message, "model"), asked->id) == 0 && since < size
                       ? size - since
                       : 0;
        g_autofree char *text = json_to_text(message);
        since += strlen(text);
    }
    return 0;
}

/* A request was refused for its bytes: what is old gives way in the next one. False: there is
   nothing that could. *ret_missing: it is not enough. */
static bool make_room(const Conversation *conversation, const Model *asked, const char *problem,
                      size_t *ret_missing)
{
    size_t size = body_cache_size(conversation->bodies);
    size_t limit = server_facts_refused(conversation->servers, asked, size,
                                        bytes_before(conversation, asked, size), problem);
    return limit > 0 &&
           body_cache_make_room(conversation->bodies, conversation->messages, limit, ret_missing);
}

static bool compact_after_overflow(Compactor *self, const Model *model, Cancel *cancel)
{
    if (!is_enabled(self) || !compaction_has_work(self->conversation, self->settings, model))
        return false;
    bool is_done = run_automatically(self, "overflow", cancel) == COMPACTED;
    self->summary = is_done ? "a summary of what is old" : "a summary of what is old, which failed";
    return is_done;
}

bool compactor_recover(Compactor *self, const Model *asked, Cancel *cancel)
{
    Conversation *conversation = self->conversation;
    const char *problem = message_error(conversation->last_answer);
    if (!problem || !provider_error_is_overflow(problem) || cancel_has_fired(cancel))
        return false;
    bool is_too_large = provider_error_is_too_large(problem);
    if (!is_too_large &&
        fallback_promote(self->fallback, conversation_tokens(conversation, asked))) {
        conversation_forget_answer(conversation);
        return true;
    }
    if (self->overflows >= OVERFLOWS_MAX)
        return false;
    size_t missing = 0;
    bool is_smaller = is_too_large && make_room(conversation, asked, problem, &missing);
    self->has_left_out = self->has_left_out || is_smaller;
    self->overflows++;
    if ((!is_smaller || missing > 0) && compact_after_overflow(self, asked, cancel))
        return true;
    if (is_smaller && !cancel_has_fired(cancel))
        conversation_forget_answer(conversation);
    return is_smaller && !cancel_has_fired(cancel);
}

#define WHAT_HELPS "What helps: a new session (/new), %s, or a %s."

void compactor_explain(const Compactor *self, const Model *asked)
{
    const Conversation *conversation = self->conversation;
    const char *problem = message_error(conversation->last_answer);
    if (!problem || !asked || !provider_error_is_overflow(problem))
        return;
    bool is_too_large = provider_error_is_too_large(problem);
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "The conversation has no room in %s/%s", asked->provider,
                           asked->id);
    if (is_too_large)
        g_string_append_printf(text, ": a request of %zu kB was refused",
                               body_cache_size(conversation->bodies) / 1000);
    else
        g_string_append_printf(text, ": it takes about %" PRId64 " of %" PRId64 " tokens",
                               conversation_tokens(conversation, asked), asked->context_window);
    g_string_append_printf(text, ". Tried: %s%s%s. ",
                           self->has_left_out ? "what is old was left out" : "",
                           self->has_left_out && self->summary ? ", " : "",
                           self->summary        ? self->summary
                           : self->has_left_out ? ""
                           : is_enabled(self)   ? "nothing, for nothing old is left to give way"
                                                : "nothing, for compaction is switched off");
    g_string_append_printf(text, WHAT_HELPS,
                           is_too_large ? "fewer or smaller images and files in the prompt"
                                        : "a shorter prompt, with files read in parts",
                           is_too_large ? "higher limit of the server or the proxy before it"
                                        : "model with a larger window (/model)");
    agent_events_emit_notice(conversation->events, "warning", text->str);
}

bool compactor_compact(Compactor *self, const char *instructions, Cancel *cancel,
                       json_t **ret_result, GError **error)
{
    g_autoptr(GError) problem = NULL;
    g_autoptr(json_t) result = NULL;
    emit_start(self, "manual", false);
    bool is_done = compactor_run(self, "manual", instructions, cancel, &result, &problem);
    if (!is_done && error_is(problem, KEDGE_ERROR_CANCELLED)) {
        g_clear_error(&problem);
        fail_with(&problem, KEDGE_ERROR_CANCELLED, "Compaction cancelled");
    }
    emit_end(self, "manual", false, &(CompactionEnd) { .result = result, .problem = problem });
    if (!is_done)
        return pass_error(error, &problem);
    *ret_result = g_steal_pointer(&result);
    return true;
}
