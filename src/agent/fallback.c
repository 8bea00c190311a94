/* See fallback.h. */
#include "agent/fallback.h"

#include "agent/compaction_plan.h"
#include "agent/fallback_chain.h"
#include "base/timefmt.h"
#include "model/provider.h"

#include <inttypes.h>

#define REST_OF_LIMIT_MS  (30 * 1000)
#define REST_OF_QUOTA_MS  (30 * 60 * 1000)
#define REST_OF_SERVER_MS (20 * 1000)

void fallback_clear(Fallback *self)
{
    g_autoptr(TurnSetup) now = setup_slot_get(self->setup);
    if (self->chosen && now == self->applied)
        setup_slot_set(self->setup, g_steal_pointer(&self->chosen));
    turn_setup_unref(self->chosen);
    turn_setup_unref(self->applied);
    g_free(self->role);
    *self = (Fallback) { 0 };
}

static int64_t rest_ms(const char *problem)
{
    int64_t asked_ms = provider_error_retry_after_ms(problem);
    g_autofree char *lower = g_ascii_strdown(problem, -1);
    if (asked_ms > 0)
        return asked_ms;
    if (strstr(lower, "quota") || strstr(lower, "usage limit"))
        return REST_OF_QUOTA_MS;
    return provider_error_is_limit(problem) ? REST_OF_LIMIT_MS : REST_OF_SERVER_MS;
}

static void fallback_emit(const Fallback *self, EventKind kind, const char *const *keys,
                          const char *const *texts)
{
    json_t *event = agent_event_new(kind);
    for (size_t i = 0; keys[i]; i++)
        json_set_text(event, keys[i], texts[i]);
    json_set_text(event, "role", self->role);
    agent_events_emit(self->conversation->events, event);
}

static char *name_of(const Model *model)
{
    return g_strconcat(model->provider, "/", model->id, NULL);
}

static TurnSetup *with_model(TurnSetup *now, const Model *model, ThinkingLevel level)
{
    const TurnSetupSpec spec = {
        .model = model,
        .thinking = level,
        .settings = now->settings,
        .tools = now->tools,
        .found = now->found,
        .prompt = now->has_prompt ? &now->prompt : NULL,
        .prompt_of = now,
        .in_place_of = now->in_place_of,
        .has_intent_tracing = now->has_intent_tracing,
    };
    return turn_setup_new(&spec);
}

/* `rest`: of the chosen model, from now on. */
static void fallback_put(Fallback *self, TurnSetup *now, const Model *model, ThinkingLevel level,
                         int64_t rest)
{
    if (!self->chosen) {
        self->chosen = turn_setup_ref(now);
        self->chosen_rests_until = time_monotonic_ms() + rest;
    }
    turn_setup_unref(self->applied);
    self->applied = with_model(now, model, level);
    setup_slot_set(self->setup, turn_setup_ref(self->applied));
}

static void fallback_do_apply(Fallback *self, TurnSetup *now, const Model *model,
                              ThinkingLevel level, const char *problem)
{
    static const char *const keys[] = { "from", "to", NULL };
    g_autofree char *from = name_of(now->model);
    g_autofree char *to = name_of(model);
    fallback_put(self, now, model, level, rest_ms(problem));
    self->has_to_prove = true;
    fallback_emit(self, EVENT_RETRY_FALLBACK_APPLIED, keys, (const char *const[]) { from, to });
}

/* The owner has put something else into the slot: that is what is chosen now. */
static void notice_owner(Fallback *self, const TurnSetup *now)
{
    if (!self->chosen || now == self->applied)
        return;
    g_clear_pointer(&self->chosen, turn_setup_unref);
    g_clear_pointer(&self->applied, turn_setup_unref);
    self->next = 0;
    self->has_to_prove = false;
    self->is_promoted = false;
}

/* The chain is that of the chosen model, whichever of it stands in now. */
static const json_t *find_chain(Fallback *self, const TurnSetup *now)
{
    const Model *chosen = self->chosen ? self->chosen->model : now->model;
    g_free(self->role);
    self->role = g_strdup(fallback_chain_role(self->settings, self->registry, chosen));
    return fallback_chain_of(self->settings, self->role);
}

bool fallback_apply(Fallback *self, const char *problem)
{
    if (!provider_error_is_retryable(problem))
        return false;
    g_autoptr(TurnSetup) now = setup_slot_get(self->setup);
    notice_owner(self, now);
    const json_t *chain = find_chain(self, now);
    while (self->next < json_array_size(chain)) {
        const char *selector = json_string_value(json_array_get(chain, self->next++));
        ThinkingLevel level = now->thinking;
        const Model *model = fallback_chain_find(self->registry, selector, &level);
        if (!model || model == now->model)
            continue;
        fallback_do_apply(self, now, model, level, problem);
        return true;
    }
    return false;
}

/* The one that models.yml names for a conversation that is too long for `model`; NULL: none that
   can be asked. */
static const Model *find_roomier(const Fallback *self, const Model *model, ThinkingLevel *level)
{
    if (!model || !model->roomier)
        return NULL;
    g_autofree char *of_provider = g_strconcat(model->provider, "/", model->roomier, NULL);
    const Model *found = fallback_chain_find(self->registry, model->roomier, level);
    if (!found)
        found = fallback_chain_find(self->registry, of_provider, level);
    return found && found->context_window > model->context_window ? found : NULL;
}

bool fallback_promote(Fallback *self, int64_t tokens)
{
    if (!settings_get_bool(self->settings, "contextPromotion.enabled"))
        return false;
    g_autoptr(TurnSetup) now = setup_slot_get(self->setup);
    notice_owner(self, now);
    ThinkingLevel level = now->thinking;
    const Model *model = find_roomier(self, now->model, &level);
    if (!model || tokens > compaction_threshold(self->settings, model))
        return false;
    g_autofree char *from = name_of(now->model);
    g_autofree char *to = name_of(model);
    g_autofree char *text =
        g_strdup_printf("The context of %s is full: %s goes on, with room for %" PRId64 " tokens",
                        from, to, model->context_window);
    fallback_put(self, now, model, level, 0);
    self->has_to_prove = false;
    self->is_promoted = true;
    agent_events_emit_notice(self->conversation->events, "warning", text);
    return true;
}

/* As far as anybody knows, and for more than the next answer. */
static bool has_room(const Fallback *self, const Model *model)
{
    const Conversation *conversation = self->conversation;
    return conversation->measured &&
           conversation_tokens(conversation, model) <= compaction_threshold(self->settings, model);
}

bool fallback_is_applied(const Fallback *self, const TurnSetup *setup)
{
    return setup == self->applied;
}

void fallback_succeeded(Fallback *self)
{
    static const char *const keys[] = { "model", NULL };
    if (!self->has_to_prove)
        return;
    self->has_to_prove = false;
    g_autofree char *model = name_of(self->applied->model);
    fallback_emit(self, EVENT_RETRY_FALLBACK_SUCCEEDED, keys, (const char *const[]) { model });
}

void fallback_revert(Fallback *self)
{
    if (!self->chosen)
        return;
    g_autoptr(TurnSetup) now = setup_slot_get(self->setup);
    notice_owner(self, now);
    const char *policy = settings_get_text(self->settings, "retry.fallbackRevertPolicy");
    if (!self->chosen || g_strcmp0(policy, "never") == 0 ||
        time_monotonic_ms() < self->chosen_rests_until ||
        (self->is_promoted && !has_room(self, self->chosen->model)))
        return;
    setup_slot_set(self->setup, g_steal_pointer(&self->chosen));
    g_clear_pointer(&self->applied, turn_setup_unref);
    self->next = 0;
    self->has_to_prove = false; // it has had its chance: what answers now is another one
    self->is_promoted = false;
}
