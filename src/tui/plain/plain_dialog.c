/*
 * Questions in the plain front end: one at a time, and never answered by what was typed before it
 * could be read (common §4.3).
 */
#include "tui/plain/plain_private.h"

#include "base/timefmt.h"
#include "model/message.h"
#include "tui/plain/plain_ask.h"

static const json_t *first(const Plain *self)
{
    return self->questions->len > 0 ? self->questions->pdata[0] : NULL;
}

/* What was begun before is kept, and is no answer. */
static void show_first(Plain *self)
{
    if (!first(self) || self->is_ending)
        return;
    g_autofree char *begun = plain_lines_begun(self->lines);
    g_autofree char *text = plain_ask_text(first(self));
    plain_lines_mark_early(self->lines);
    self->is_prompted = self->is_prompted || begun;
    plain_say(self, "%s", text);
    if (begun)
        plain_say(self, "Kept of what you have begun: %s", begun);
    self->asked_at = time_monotonic_ms();
}

void plain_open_question(Plain *self, json_t *question)
{
    if (self->key_provider) {
        plain_stop_hiding(self);
        plain_say(self, "No key was taken: there is a question.");
    }
    g_ptr_array_add(self->questions, json_incref(question));
    if (self->questions->len == 1)
        show_first(self);
}

void plain_close_question(Plain *self, const json_t *closed)
{
    const char *id = json_get_text(closed, "id"), *reason = json_get_text(closed, "reason");
    for (unsigned i = 0; i < self->questions->len; i++) {
        if (g_strcmp0(json_get_text(self->questions->pdata[i], "id"), id) != 0)
            continue;
        g_ptr_array_remove_index(self->questions, i);
        if (g_strcmp0(reason, "answered") != 0 && !self->is_ending)
            plain_say(self, "That question is closed: %s.", reason ? reason : "it was withdrawn");
        if (i == 0)
            show_first(self);
        return;
    }
}

/* The model hears the reason with what is refused: it waits before the refusal goes on. */
static void refuse(Plain *self, const char *id, const char *reason)
{
    g_autoptr(json_t) message = reason ? message_user(reason) : NULL;
    g_autoptr(GError) error = NULL;
    if (message && !agent_session_steer(self->session, message, &error))
        plain_say(self, "Error: %s", error->message);
    agent_session_answer(self->session, id, false, NULL);
}

bool plain_is_answer_like(const Plain *self, const char *line)
{
    const char *text = NULL;
    line += strspn(line, " \t");
    if (!first(self))
        return false;
    return json_get_text(first(self), "method")
               ? g_ascii_isdigit(*line)
               : plain_ask_read(first(self), line, &text) != PLAIN_NO_ANSWER;
}

bool plain_answer(Plain *self, const char *line)
{
    const json_t *question = first(self);
    if (!question)
        return false;
    const char *id = json_get_text(question, "id"), *text = NULL;
    switch (plain_ask_read(question, line, &text)) {
    case PLAIN_ALLOWED:
        agent_session_answer(self->session, id, true, NULL);
        return true;
    case PLAIN_ALLOWED_SESSION:
        agent_session_allow(self->session, id, NULL);
        return true;
    case PLAIN_REFUSED:
        refuse(self, id, text);
        return true;
    case PLAIN_CHOSEN:
        agent_session_answer_text(self->session, id, text, false, NULL);
        return true;
    case PLAIN_PASSED:
        agent_session_answer_text(self->session, id, NULL, false, NULL);
        return true;
    case PLAIN_UNCLEAR:
        plain_say(self, "%s", plain_ask_help(question));
        return true;
    case PLAIN_NO_ANSWER:
        break;
    }
    return false;
}

void plain_refuse_questions(Plain *self)
{
    for (unsigned i = 0; i < self->questions->len; i++) {
        const json_t *question = self->questions->pdata[i];
        const char *id = json_get_text(question, "id");
        if (json_get_text(question, "method"))
            agent_session_answer_text(self->session, id, NULL, false, NULL);
        else
            agent_session_answer(self->session, id, false, NULL);
    }
}
