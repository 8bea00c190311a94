/* See questions.h. */
#include "mcp/questions.h"

#include "base/fd.h"
#include "base/jsonrpc.h"
#include "base/timefmt.h"

#include <errno.h>
#include <sys/eventfd.h>

#define MINUTE_MS (60 * 1000)

typedef enum {
    ANSWER_NONE,
    ANSWER_YES,
    ANSWER_NO,
    ANSWER_IMPOSSIBLE, // the client cannot ask, or is gone
} Answer;

struct McpQuestions {
    LineServer *link;
    int64_t limit_ms;
    int64_t next_id;  // of our own requests
    GHashTable *open; // our request id → Elicitation
};

typedef struct Elicitation { // shared by the asking worker and the main thread
    int ref_count;
    McpQuestions *questions;
    json_t *params; // of the request
    char *key;      // of our request; main thread
    char *value;    // of a choice that was made; the main thread's until `answer` is set
    int64_t limit_ms;
    int answer;  // Answer; atomic
    Fd answered; // eventfd, readable once `answer` is set
} Elicitation;

static void elicitation_unref(void *data)
{
    Elicitation *self = data;
    if (!g_atomic_int_dec_and_test(&self->ref_count))
        return;
    fd_close(self->answered);
    json_decref(self->params);
    g_free(self->key);
    g_free(self->value);
    g_free(self);
}

/* A form with one field that must be filled in. Takes the field's schema. */
static json_t *questions_form(const char *message, const char *name, json_t *field)
{
    json_t *properties = json_object();
    json_set_take(properties, name, field);
    json_t *required = json_array();
    json_append_take(required, json_text(name));
    json_t *schema = json_make("type:%s properties:%p required:%p", "object", properties, required);
    return json_make("message:%s requestedSchema:%p", message, schema);
}

static json_t *approval_form(const ToolQuestion *question)
{
    json_t *approve = json_make("type:%s title:%s", "boolean", "Run this command?");
    return questions_form(question->text, "approve", approve);
}

static json_t *choice_form(const ToolChoice *choice)
{
    json_t *field = json_object();
    json_t *options = choice->options ? json_array() : NULL;
    for (size_t i = 0; options && choice->options[i]; i++)
        json_append_take(options, json_text(choice->options[i]));
    json_add(field, "type:%s title:%s enum:%p", "string", options ? "Choice" : "Your answer",
             options);
    return questions_form(choice->title, "choice", field);
}

static void elicitation_answer(Elicitation *self, Answer value)
{
    const uint64_t one = 1;
    g_atomic_int_set(&self->answer, value);
    fd_write_all(self->answered, &one, sizeof one, "eventfd", NULL);
}

/* On the main thread: sends the question and remembers who waits for the answer. */
static void send_question(void *data)
{
    Elicitation *self = data;
    McpQuestions *questions = self->questions;
    if (questions->link->is_ending || questions->link->is_closed) {
        elicitation_answer(self, ANSWER_IMPOSSIBLE);
        elicitation_unref(self);
        return;
    }
    self->key = g_strdup_printf("kedge-%" G_GINT64_FORMAT, questions->next_id++);
    g_autoptr(json_t) id = json_text(self->key);
    g_hash_table_replace(questions->open, g_strdup(self->key), self); // takes the reference
    json_t *params = json_incref(self->params);
    line_server_send(questions->link, jsonrpc_request(id, "elicitation/create", params));
}

/* On the main thread: nobody waits for the answer any more, so the client need not ask on. */
static void withdraw_question(void *data)
{
    Elicitation *self = data;
    McpQuestions *questions = self->questions;
    if (self->key && g_hash_table_lookup(questions->open, self->key) == self) {
        json_t *params = json_make("requestId:%s", self->key);
        line_server_send(questions->link, jsonrpc_notification("notifications/cancelled", params));
        g_hash_table_remove(questions->open, self->key);
    }
    elicitation_unref(self);
}

/* True once answered, false when the token fired or the time is over. */
static bool wait_for_answer(const Elicitation *self, Cancel *cancel)
{
    struct pollfd answered = { .fd = self->answered, .events = POLLIN };
    gint64 until = time_monotonic_ms() + self->limit_ms;
    while (answered.revents == 0 && !cancel_has_fired(cancel)) {
        gint64 left = until - time_monotonic_ms();
        if (left <= 0)
            return false;
        cancel_poll(cancel, &answered, 1, left);
    }
    return answered.revents != 0;
}

static bool fail_unanswered(const McpQuestions *self, const ToolDef *tool, GError **error)
{
    bool is_minutes = self->limit_ms >= MINUTE_MS;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "refused: %s: the client did not answer the question in %" G_GINT64_FORMAT
                     " %s",
                     tool->name, is_minutes ? self->limit_ms / MINUTE_MS : self->limit_ms,
                     is_minutes ? "minutes" : "ms");
}

/* Takes the form. What came of it, NONE within the limit; *ret_value of a
   choice (may be NULL), the caller's. */
static bool mcp_questions_elicit(McpQuestions *questions, json_t *params, int64_t limit_ms,
                                 Cancel *cancel, Answer *ret_answer, char **ret_value,
                                 GError **error)
{
    Fd answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    Elicitation *self = g_new0(Elicitation, 1);
    self->ref_count = 2;
    self->questions = questions;
    self->params = params;
    self->answered = answered;
    self->limit_ms = limit_ms;
    if (answered < 0) {
        self->ref_count = 1;
        elicitation_unref(self);
        return fail_with_errno(error, errno, "cannot ask the client");
    }
    Loop *loop = questions->link->loop;
    loop_post(loop, send_question, self);

    if (!wait_for_answer(self, cancel)) {
        loop_post(loop, withdraw_question, self); // takes the worker's reference
        return cancel_check(cancel, error);
    }
    *ret_answer = (Answer)g_atomic_int_get(&self->answer);
    if (ret_value)
        *ret_value = g_steal_pointer(&self->value);
    elicitation_unref(self);
    return true;
}

bool mcp_questions_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                       void *questions, GError **error)
{
    Answer given = ANSWER_NONE;
    McpQuestions *self = questions;
    if (!mcp_questions_elicit(self, approval_form(question), self->limit_ms, cancel, &given, NULL,
                              error))
        return false;
    *ret_approved = given == ANSWER_YES;
    if (given == ANSWER_NONE)
        return fail_unanswered(self, question->tool, error);
    if (!cancel_check(cancel, error))
        return false;
    return given != ANSWER_IMPOSSIBLE ||
           fail_with(error, KEDGE_ERROR_DENIED, "refused: %s (%s): the client cannot be asked%s",
                     question->tool->name, question->summary,
                     question->way_out ? question->way_out : "");
}

bool mcp_questions_choose(const ToolChoice *choice, Cancel *cancel, ChoiceEnd *ret_end,
                          char **ret_text, void *questions, GError **error)
{
    Answer given = ANSWER_NONE;
    g_autofree char *value = NULL;
    McpQuestions *self = questions;
    bool has_timeout = choice->timeout_ms > 0 && choice->timeout_ms < self->limit_ms;
    int64_t limit_ms = has_timeout ? choice->timeout_ms : self->limit_ms;
    if (!mcp_questions_elicit(self, choice_form(choice), limit_ms, cancel, &given, &value, error) ||
        !cancel_check(cancel, error))
        return false;
    if (given == ANSWER_NONE && !has_timeout)
        return fail_unanswered(self, choice->tool, error);
    if (given == ANSWER_IMPOSSIBLE)
        return fail_with(error, KEDGE_ERROR_DENIED, "refused: %s: the client cannot be asked",
                         choice->tool->name);
    *ret_end = value ? CHOICE_MADE : given == ANSWER_NONE ? CHOICE_TIMED_OUT : CHOICE_CANCELLED;
    *ret_text = g_steal_pointer(&value);
    return true;
}

void mcp_questions_answer(McpQuestions *self, const json_t *response)
{
    const char *key = json_get_text(response, "id");
    Elicitation *question = key ? g_hash_table_lookup(self->open, key) : NULL;
    if (!question)
        return;
    const json_t *result = json_get_object(response, "result");
    const json_t *content = json_get_object(result, "content");
    bool is_accepted = g_strcmp0(json_get_text(result, "action"), "accept") == 0;
    bool is_yes = is_accepted && json_get_bool(content, "approve", false);
    question->value = is_accepted ? g_strdup(json_get_text(content, "choice")) : NULL;
    // an error says that the client cannot do what it said it could
    elicitation_answer(question, !result ? ANSWER_IMPOSSIBLE : is_yes ? ANSWER_YES : ANSWER_NO);
    g_hash_table_remove(self->open, key);
}

void mcp_questions_give_up(McpQuestions *self)
{
    GHashTableIter iter;
    void *value = NULL;
    g_hash_table_iter_init(&iter, self->open);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        elicitation_answer(value, ANSWER_IMPOSSIBLE);
        g_hash_table_iter_remove(&iter);
    }
}

McpQuestions *mcp_questions_new(LineServer *link, int64_t limit_ms)
{
    McpQuestions *self = g_new0(McpQuestions, 1);
    self->link = link;
    self->limit_ms = limit_ms;
    self->open = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, elicitation_unref);
    return self;
}

void mcp_questions_free(McpQuestions *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->open);
    g_free(self);
}
