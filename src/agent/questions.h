/*
 * Questions to a person during a conversation: they go out as events with an id and come back as
 * the command `answer`, or, where a person is to choose, as a text.
 *
 * Asking blocks the calling worker until the answer, the cancel, or the timeout; silence
 * means no, and so does it when no one is there to answer any more. Thread safe.
 */
#pragma once

#include "agent/event_hub.h"
#include "tool/allowances.h"
#include "tool/call.h"

typedef struct Questions Questions;

/* Publishes
   {"type":"question","id":"q1","tool","effect","summary","text","allowance"?,"digest","arguments",
   "timeout"} and
   {"type":"question_closed","id":"q1","reason":"answered"|"cancelled"|"closed"|
   "timeout"} at `hub`. What is to be chosen: {"type":"question","id","method":"select"|"editor",
   "tool","title","options":[…],"marked"?,"checks"?,"again"?,"timeout"}; `marked` is the index of
   the option that is offered first, when that is another one; the first `checks` options are check
   boxes: an answer turns one over, and the question comes again, with `again`. `timeout_ms`, of
   each question: 0 is LIMIT_QUESTION_MS, and is not told. */
Questions *questions_new(EventHub *hub, int64_t timeout_ms);
void questions_free(Questions *self); // no one may be asking
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Questions, questions_free)

/* ToolDoor.ask; `user_data` is the Questions. */
bool questions_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                   void *user_data, GError **error);

/* ToolDoor.choose, likewise. */
bool questions_choose(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end, char **ret_text,
                      void *user_data, GError **error);

/* Is the open question about this call? An answer that names a digest is for that one alone. True
   without a digest. */
bool questions_check_digest(Questions *self, const char *id, const char *digest, GError **error);
/* NOT_FOUND when no such question is open. Of a choice: that it is not made. */
bool questions_answer(Questions *self, const char *id, bool is_approved, GError **error);
/* No, but with `text` in the place of question_editable() the call is judged and asked about anew.
   Of a choice: that it is not made. */
bool questions_edit(Questions *self, const char *id, const char *text, GError **error);
/* Yes, and what its "allowance" says from now on, which answers those that are open for the same,
   too. Of a question without one: yes, this once. */
bool questions_allow(Questions *self, const char *id, Allowances *allowances, GError **error);
/* Of a choice; `text` NULL: the person does not answer, or (`is_late`) did not in time. */
bool questions_answer_text(Questions *self, const char *id, const char *text, bool is_late,
                           GError **error);
/* No one can answer any more: those that are open end unanswered, and those to come are not told.
 */
void questions_close(Questions *self);
/* Those that are open, as their events: a new array. */
json_t *questions_open(Questions *self);
