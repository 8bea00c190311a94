/* See questions.h. */
#include "agent/questions.h"

#include "base/limits.h"
#include "base/lock.h"
#include "tool/question_edit.h"

typedef struct Question {
    char *id;
    json_t *event;
    Cancel *wakeup;     // of who asked; fires with the answer, and with the call
    bool is_choice;     // the answer is a text
    int64_t timeout_ms; // 0: none that is told
    bool is_answered, is_approved, is_late;
    char *text; // of a choice that was made, or what a person made of the text of a call
} Question;

struct Questions {
    EventHub *hub;
    int64_t timeout_ms;   // 0: none that is told
    pthread_mutex_t lock; // guards the rest
    GPtrArray *open;      // of Question *, each on the stack of who asks
    unsigned count;       // so far
    bool is_closed;
};

Questions *questions_new(EventHub *hub, int64_t timeout_ms)
{
    Questions *self = g_new0(Questions, 1);
    self->hub = hub;
    self->timeout_ms = CLAMP(timeout_ms, 0, LIMIT_QUESTION_MS);
    self->open = g_ptr_array_new();
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void questions_free(Questions *self)
{
    if (!self)
        return;
    g_assert(self->open->len == 0);
    g_ptr_array_unref(self->open);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static json_t *approval_event(const ToolQuestion *question)
{
    json_t *event = json_make("tool:%s effect:%s summary:%s text:%s", question->tool->name,
                              effect_name(question->effect), question->summary, question->text);
    if (question->allowance)
        json_set_text(event, "allowance", question->allowance);
    if (question->digest)
        json_set_text(event, "digest", question->digest);
    json_set_take(event, "arguments", json_deep_copy(question->arguments));
    return event;
}

static json_t *choice_event(const ToolChoice *choice)
{
    json_t *event = json_make("method:%s tool:%s title:%s", choice->options ? "select" : "editor",
                              choice->tool->name, choice->title);
    json_t *options = choice->options ? json_array() : NULL;
    for (size_t i = 0; options && choice->options[i]; i++)
        json_append_take(options, json_text(choice->options[i]));
    json_set_take(event, "options", options);
    if (choice->options && choice->marked > 0)
        json_set_int(event, "marked", (gint64)choice->marked);
    if (choice->checks > 0)
        json_set_int(event, "checks", (gint64)choice->checks);
    if (choice->is_again)
        json_set_bool(event, "again", true);
    return event;
}

/* Takes the event, which gets what every question has. False: no one is there
 * to be asked. */
static bool question_open(Questions *self, Question *question, json_t *event)
{
    question->event = event;
    json_set_text(event, "type", event_kind_name(EVENT_QUESTION));
    if (question->timeout_ms > 0)
        json_set_int(event, "timeout", question->timeout_ms);
    pthread_mutex_lock(&self->lock);
    if (self->is_closed) {
        pthread_mutex_unlock(&self->lock);
        return false;
    }
    question->id = g_strdup_printf("q%u", ++self->count);
    json_set_text(event, "id", question->id);
    g_ptr_array_add(self->open, question);
    pthread_mutex_unlock(&self->lock);
    event_hub_publish_control(self->hub, json_incref(question->event));
    return true;
}

static void question_close(Questions *self, Question *question, Cancel *cancel)
{
    pthread_mutex_lock(&self->lock);
    g_ptr_array_remove(self->open, question);
    bool is_answered = question->is_answered, is_closed = self->is_closed;
    pthread_mutex_unlock(&self->lock);

    const char *reason = is_answered                ? "answered"
                         : cancel_has_fired(cancel) ? "cancelled"
                         : is_closed                ? "closed"
                                                    : "timeout";
    json_t *event = agent_event_new(EVENT_QUESTION_CLOSED);
    json_add(event, "id:%s reason:%s", question->id, reason);
    event_hub_publish_control(self->hub, event);
}

static bool questions_are_closed(Questions *self)
{
    HOLD_LOCK(&self->lock);
    return self->is_closed;
}

/* Takes the event. Until somebody answers, the token fires, or the time is
   over. False: no one is there. */
static bool question_wait(Questions *self, Question *question, json_t *event, Cancel *cancel)
{
    question->wakeup = cancel_new(cancel);
    bool is_open = question_open(self, question, event);
    if (is_open) {
        cancel_sleep(question->wakeup,
                     question->timeout_ms > 0 ? question->timeout_ms : LIMIT_QUESTION_MS, NULL);
        question_close(self, question, cancel);
    }
    cancel_unref(question->wakeup);
    g_free(question->id);
    json_decref(question->event);
    return is_open;
}

bool questions_ask(const ToolQuestion *asked, Cancel *cancel, bool *ret_approved, void *user_data,
                   GError **error)
{
    Questions *self = user_data;
    Question question = { .timeout_ms = self->timeout_ms };
    *ret_approved = false;
    question_wait(self, &question, approval_event(asked), cancel);
    g_autofree char *text = question.text;
    if (text && asked->ret_edited)
        *asked->ret_edited = question_edited(asked->arguments, text);
    if (!question.is_answered && !cancel_check(cancel, error))
        return false;
    *ret_approved = question.is_answered && question.is_approved;
    return true;
}

bool questions_choose(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end, char **ret_text,
                      void *user_data, GError **error)
{
    Questions *self = user_data;
    Question question = {
        .is_choice = true,
        .timeout_ms = choice->is_patient ? 0 : self->timeout_ms,
    };
    bool was_open = question_wait(self, &question, choice_event(choice), cancel);
    g_autofree char *text = question.text;
    if (!question.is_answered && !cancel_check(cancel, error))
        return false;
    bool is_late =
        question.is_late || (was_open && !question.is_answered && !questions_are_closed(self));
    *ret_end = text ? CHOICE_MADE : is_late ? CHOICE_TIMED_OUT : CHOICE_CANCELLED;
    *ret_text = g_steal_pointer(&text);
    return true;
}

/* The open question of this id, not yet answered; from here on it is. NULL:
 * there is none. */
static Question *take_open_locked(const Questions *self, const char *id)
{
    for (unsigned i = 0; i < self->open->len; i++) {
        Question *question = self->open->pdata[i];
        if (!g_str_equal(question->id, id) || question->is_answered)
            continue;
        question->is_answered = true;
        return question;
    }
    return NULL;
}

static bool fail_not_open(const char *id, GError **error)
{
    return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "no question \"%s\" is open: it was answered, or its call has ended", id);
}

bool questions_check_digest(Questions *self, const char *id, const char *digest, GError **error)
{
    bool is_same = !digest;
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < self->open->len && !is_same; i++) {
        const Question *question = self->open->pdata[i];
        is_same = g_str_equal(question->id, id) &&
                  g_strcmp0(json_get_text(question->event, "digest"), digest) == 0;
    }
    pthread_mutex_unlock(&self->lock);
    return is_same || fail_with(error, KEDGE_ERROR_DENIED,
                                "question \"%s\" is not about the call of this digest", id);
}

bool questions_answer(Questions *self, const char *id, bool is_approved, GError **error)
{
    HOLD_LOCK(&self->lock);
    Question *question = take_open_locked(self, id);
    if (question) {
        question->is_approved = is_approved;
        cancel_fire(question->wakeup);
    }
    return question || fail_not_open(id, error);
}

bool questions_edit(Questions *self, const char *id, const char *text, GError **error)
{
    HOLD_LOCK(&self->lock);
    Question *question = take_open_locked(self, id);
    if (question) {
        question->text = question->is_choice ? NULL : g_strdup(text);
        cancel_fire(question->wakeup);
    }
    return question || fail_not_open(id, error);
}

static void approve_locked(Question *question)
{
    question->is_answered = question->is_approved = true;
    cancel_fire(question->wakeup);
}

static void approve_alike_locked(const Questions *self, const char *allowance)
{
    for (unsigned i = 0; i < self->open->len; i++) {
        Question *question = self->open->pdata[i];
        const char *other = json_get_text(question->event, "allowance");
        if (!question->is_answered && g_strcmp0(other, allowance) == 0)
            approve_locked(question);
    }
}

bool questions_allow(Questions *self, const char *id, Allowances *allowances, GError **error)
{
    HOLD_LOCK(&self->lock);
    Question *question = take_open_locked(self, id);
    const char *allowance = question ? json_get_text(question->event, "allowance") : NULL;
    if (allowance && allowances_add(allowances, allowance))
        approve_alike_locked(self, allowance);
    if (question)
        approve_locked(question);
    return question || fail_not_open(id, error);
}

bool questions_answer_text(Questions *self, const char *id, const char *text, bool is_late,
                           GError **error)
{
    HOLD_LOCK(&self->lock);
    Question *question = take_open_locked(self, id);
    if (question) {
        question->text = question->is_choice ? g_strdup(text) : NULL; // a yes has no words
        question->is_late = is_late;
        cancel_fire(question->wakeup);
    }
    return question || fail_not_open(id, error);
}

void questions_close(Questions *self)
{
    HOLD_LOCK(&self->lock);
    self->is_closed = true;
    for (unsigned i = 0; i < self->open->len; i++)
        cancel_fire(((const Question *)self->open->pdata[i])->wakeup);
}

json_t *questions_open(Questions *self)
{
    json_t *list = json_array();
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->open->len; i++)
        json_array_append(list, ((const Question *)self->open->pdata[i])->event);
    return list;
}
