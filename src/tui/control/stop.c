/*
 * What runs is stopped (tui §9): nothing that was written is lost by it.
 */
#include "tui/control/tui_own.h"

void tui_refuse(Tui *self, const json_t *question)
{
    const char *id = json_get_text(question, "id");
    if (json_get_text(question, "method"))
        agent_session_answer_text(self->run->session, id, NULL, false, NULL);
    else
        agent_session_answer(self->run->session, id, false, NULL);
}

static void refuse_all(Tui *self)
{
    for (unsigned i = 0; i < self->panels->questions->len; i++)
        tui_refuse(self, self->panels->questions->pdata[i]);
}

void tui_interrupt(Tui *self)
{
    bool is_pending = false;
    tui_take_back(self);
    refuse_all(self);
    agent_session_abort(self->run->session, "abort", &is_pending);
    run_own(self)->is_stopping = is_pending;
    if (self->run->is_shell_on && !is_pending)
        agent_session_abort_bash(self->run->session);
}
