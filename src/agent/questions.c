/*
 * Questions (questions.h).
 */
#include "agent/questions.h"

#include "base/limits.h"

#include <pthread.h>

typedef struct Question {
    char *id;
    json_t *event;
    Cancel *wakeup; // of who asked; fires with the answer, and with the call
    bool is_answered, is_approved;
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

static json_t *question_event(const Questions *self, const char *id, const ToolQuestion *question)
{
    json_t *event = json_object();
    json_set_text(event, "type", "question");
    json_set_text(event, "id", id);
    json_set_text(event, "tool", question->tool->name);
    json_set_text(event, "effect", effect_name(question->effect));
    json_set_text(event, "summary", question->summary);
    json_set_text(event, "text", question->text);
    json_set_take(event, "arguments", json_deep_copy(question->arguments));
    if (self->timeout_ms > 0)
        json_set_int(event, "timeout", self->timeout_ms);
    return event;
}

/* False: nobody is there to be asked. */
static bool question_open(Questions *self, Question *question, const ToolQuestion *asked)
{
    pthread_mutex_lock(&self->lock);
    if (self->is_closed) {
        pthread_mutex_unlock(&self->lock);
        return false;
    }
    question->id = g_strdup_printf("q%u", ++self->count);
    question->event = question_event(self, question->id, asked);
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
    json_t *event = json_object();
    json_set_text(event, "type", "question_closed");
    json_set_text(event, "id", question->id);
    json_set_text(event, "reason", reason);
    event_hub_publish_control(self->hub, event);
}

bool questions_ask(const ToolQuestion *asked, Cancel *cancel, bool *ret_approved, void *user_data,
                   GError **error)
{
    Questions *self = user_data;
    g_autoptr(Cancel) wakeup = cancel_new(cancel);
    Question question = { .wakeup = wakeup };
    *ret_approved = false;
    if (!question_open(self, &question, asked))
        return cancel_check(cancel, error);
    cancel_sleep(wakeup, self->timeout_ms > 0 ? self->timeout_ms : LIMIT_QUESTION_MS, NULL);
    question_close(self, &question, cancel);
    g_free(question.id);
    json_decref(question.event);
    if (!question.is_answered && !cancel_check(cancel, error))
        return false;
    *ret_approved = question.is_answered && question.is_approved;
    return true;
}

bool questions_answer(Questions *self, const char *id, bool is_approved, GError **error)
{
    bool is_found = false;
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < self->open->len && !is_found; i++) {
        Question *question = self->open->pdata[i];
        is_found = g_str_equal(question->id, id) && !question->is_answered;
        if (!is_found)
            continue;
        question->is_answered = true;
        question->is_approved = is_approved;
        cancel_fire(question->wakeup);
    }
    pthread_mutex_unlock(&self->lock);
    if (!is_found)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "no question \"%s\" is open: it was answered, or its call has ended", id);
    return true;
}

void questions_close(Questions *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_closed = true;
    for (unsigned i = 0; i < self->open->len; i++)
        cancel_fire(((const Question *)self->open->pdata[i])->wakeup);
    pthread_mutex_unlock(&self->lock);
}

json_t *questions_open(Questions *self)
{
    json_t *list = json_array();
    pthread_mutex_lock(&self->lock);
    for (unsigned i = 0; i < self->open->len; i++)
        json_array_append(list, ((const Question *)self->open->pdata[i])->event);
    pthread_mutex_unlock(&self->lock);
    return list;
}
