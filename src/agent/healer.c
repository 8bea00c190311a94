/* See healer.h. */
#include "agent/healer.h"

#include "agent/repair_memory.h"
#include "agent/repair_report.h"
#include "model/message.h"
#include "session/session_tree.h"

void healer_begin(Healer *self)
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
    healer_begin(self);
    self->loads = self->conversation->loads;
}

void healer_succeeded(Healer *self)
{
    if (!self->problem)
        return;
    repair_memory_note(self->conversation->session, self->how, self->problem, self->up_to);
    g_clear_pointer(&self->problem, g_free);
}

/* Nothing has helped: the reason was another one, and the conversation is as it was. */
static void restore(Healer *self)
{
    g_autoptr(json_t) messages = g_steal_pointer(&self->original);
    const json_t *now = self->conversation->messages;
    if (!messages || json_array_size(messages) > json_array_size(now))
        return;
    for (size_t i = json_array_size(messages); i < json_array_size(now); i++)
        json_array_append(messages, json_array_get(now, i));
    conversation_replace(self->conversation, g_steal_pointer(&messages));
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

bool healer_try(Healer *self)
{
    Conversation *conversation = self->conversation;
    const char *problem = message_error(conversation->last_answer);
    notice_load(self);
    if (!repair_is_curable(problem))
        return false;
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
