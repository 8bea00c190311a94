/* See healer.h. */
#include "agent/healer.h"

#include "agent/repair_memory.h"
#include "agent/repair_report.h"
#include "model/message.h"
#include "model/provider.h"
#include "session/session_tree.h"

static void forget_tries(Healer *self)
{
    self->tries = 0;
    g_clear_pointer(&self->original, json_decref);
    g_clear_pointer(&self->problem, g_free);
    g_clear_pointer(&self->up_to, g_free);
}

/* A compaction or pruning has put other messages there, in the session's form: what was tried and
   kept is not about them. */
static void notice_load(Healer *self)
{
    if (self->loads == self->conversation->loads)
        return;
    forget_tries(self);
    self->loads = self->conversation->loads;
}

static void tell_of_turns(const Conversation *conversation, const Model *model)
{
    g_autofree char *text = g_strdup_printf(
        "%s/%s takes the words of user and assistant by turns only: for the rest of this session "
        "messages in a row go out as one. In models.yml, compat.strictAlternation says so from the "
        "start.",
        model->provider, model->id);
    agent_events_emit_notice(conversation->events, "warning", text);
}

void healer_succeeded(Healer *self)
{
    if (self->by_turns)
        tell_of_turns(self->conversation, self->by_turns);
    self->by_turns = NULL;
    if (!self->problem)
        return;
    repair_memory_note(self->conversation->session, self->how, self->problem, self->up_to);
    g_clear_pointer(&self->problem, g_free);
}

/* Nothing has helped: the reason was another one, and the conversation is as it was. */
static void restore(Healer *self)
{
    if (self->by_turns)
        server_facts_clear_alternating(self->conversation->servers, self->by_turns);
    self->by_turns = NULL;
    g_autoptr(json_t) messages = g_steal_pointer(&self->original);
    const json_t *now = self->conversation->messages;
    if (!messages || json_array_size(messages) > json_array_size(now))
        return;
    for (size_t i = json_array_size(messages); i < json_array_size(now); i++)
        json_array_append(messages, json_array_get(now, i));
    conversation_replace(self->conversation, g_steal_pointer(&messages));
}

void healer_begin(Healer *self)
{
    bool is_open = self->problem || self->by_turns; // another error or the person ended the try
    if (is_open && self->loads == self->conversation->loads)
        restore(self);
    forget_tries(self);
}

/* The next form that is another one than now; NULL: there is none. New reference. */
static json_t *next_form(Healer *self, const json_t *messages, const char *problem,
                         StrongRepair *ret_how)
{
    while (self->tries <= STRONG_TEXT) {
        *ret_how = (StrongRepair)self->tries++;
        json_t *form = repair_strongly(messages, *ret_how, problem);
        if (!json_equal(form, (json_t *)messages))
            return form;
        json_decref(form);
    }
    return NULL;
}

/* In place of the first form: the messages stay, but go out by turns. */
static bool try_by_turns(Healer *self, const Model *asked, const char *problem)
{
    Conversation *conversation = self->conversation;
    if (self->tries > 0 || !asked || !provider_error_is_of_roles(problem) ||
        !server_facts_set_alternating(conversation->servers, asked))
        return false;
    self->tries = STRONG_TEXT;
    self->by_turns = asked;
    conversation_forget_answer(conversation);
    return true;
}

bool healer_try(Healer *self, const Model *asked)
{
    Conversation *conversation = self->conversation;
    const char *problem = message_error(conversation->last_answer);
    notice_load(self);
    if (!repair_is_curable(problem))
        return false;
    if (try_by_turns(self, asked, problem))
        return true;
    g_autoptr(json_t) before = json_copy(conversation->messages); // without what is forgotten below
    while (json_array_size(before) > conversation->answer_index)
        json_array_remove(before, json_array_size(before) - 1);
    json_t *form = next_form(self, before, problem, &self->how);
    if (!form) {
        restore(self);
        g_clear_pointer(&self->problem, g_free);
        return false;
    }
    if (!self->original)
        self->original = json_incref(before);
    g_free(self->problem);
    g_free(self->up_to);
    self->problem = g_strdup(problem);
    self->up_to = g_strdup(session_leaf_id(conversation->session));
    conversation_forget_answer(conversation);
    conversation_replace(conversation, form);
    repair_report_tell_strong(conversation, before, repair_memory_name(self->how));
    return true;
}
