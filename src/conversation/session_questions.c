/*
 * The commands of a conversation that answer its questions (agent_session.h).
 */
#include "conversation/agent_session.h"

#include "conversation/agent_session_private.h"

bool agent_session_answer(AgentSession *self, const char *question_id, bool is_approved,
                          GError **error)
{
    return questions_answer(self->questions, question_id, is_approved, error);
}

bool agent_session_edit(AgentSession *self, const char *question_id, const char *text,
                        GError **error)
{
    return questions_edit(self->questions, question_id, text, error);
}

bool agent_session_check_digest(AgentSession *self, const char *question_id, const char *digest,
                                GError **error)
{
    return questions_check_digest(self->questions, question_id, digest, error);
}

bool agent_session_allow(AgentSession *self, const char *question_id, GError **error)
{
    return questions_allow(self->questions, question_id, self->parts.allowances, error);
}

char **agent_session_allowances(const AgentSession *self)
{
    return allowances_list(self->parts.allowances);
}

void agent_session_forget_allowances(AgentSession *self)
{
    allowances_clear(self->parts.allowances);
}

bool agent_session_answer_text(AgentSession *self, const char *question_id, const char *text,
                               bool is_late, GError **error)
{
    return questions_answer_text(self->questions, question_id, text, is_late, error);
}

void agent_session_close_questions(AgentSession *self)
{
    questions_close(self->questions);
}
