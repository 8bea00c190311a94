/*
 * Asking the client (questions.h).
 */
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
    McpLink *link;
    int64_t limit_ms;
    int64_t next_id;  // of our own requests
    GHashTable *open; // our request id → Elicitation
};

typedef struct Elicitation { // shared by the asking worker and the main thread
    int ref_count;
    McpQuestions *questions;
    char *text;
    char *key;   // of our request; main thread
    int answer;  // Answer; atomic
    Fd answered; // eventfd, readable once `answer` is set
} Elicitation;

static void elicitation_unref(void *data)
{
    Elicitation *self = data;
    if (!g_atomic_int_dec_and_test(&self->ref_count))
        return;
    fd_close(self->answered);
    g_free(self->text);
    g_free(self->key);
    g_free(self);
}

static json_t *request_params(const Elicitation *self)
{
    json_t *approve = json_object();
    json_set_text(approve, "type", "boolean");
    json_set_text(approve, "title", "Run this command?");
    json_t *properties = json_object();
    json_set_take(properties, "approve", approve);
    json_t *required = json_array();
    json_append_take(required, json_text("approve"));
    json_t *schema = json_object();
    json_set_text(schema, "type", "object");
    json_set_take(schema, "properties", properties);
    json_set_take(schema, "required", required);
    json_t *params = json_object();
    json_set_text(params, "message", self->text);
    json_set_take(params, "requestedSchema", schema);
    return params;
}

static void answer(Elicitation *self, Answer value)
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
    if (questions->link->is_draining || questions->link->is_closed) {
        answer(self, ANSWER_IMPOSSIBLE);
        elicitation_unref(self);
        return;
    }
    self->key = g_strdup_printf("kedge-%" G_GINT64_FORMAT, questions->next_id++);
    g_autoptr(json_t) id = json_text(self->key);
    g_hash_table_replace(questions->open, g_strdup(self->key), self); // takes the reference
    mcp_link_send(questions->link, jsonrpc_request(id, "elicitation/create", request_params(self)));
}

/* On the main thread: nobody waits for the answer any more, so the client need not ask on. */
static void withdraw_question(void *data)
{
    Elicitation *self = data;
    McpQuestions *questions = self->questions;
    if (self->key && g_hash_table_lookup(questions->open, self->key) == self) {
        json_t *params = json_object();
        json_set_text(params, "requestId", self->key);
        mcp_link_send(questions->link, jsonrpc_notification("notifications/cancelled", params));
        g_hash_table_remove(questions->open, self->key);
    }
    elicitation_unref(self);
}

/* True once answered, false when the token fired or the time is over. */
static bool wait_for_answer(const Elicitation *self, Cancel *cancel)
{
    struct pollfd answered = { .fd = self->answered, .events = POLLIN };
    gint64 until = time_monotonic_ms() + self->questions->limit_ms;
    while (answered.revents == 0 && !cancel_has_fired(cancel)) {
        gint64 left = until - time_monotonic_ms();
        if (left <= 0)
            return false;
        cancel_poll(cancel, &answered, 1, left);
    }
    return answered.revents != 0;
}

static bool fail_unanswered(const McpQuestions *self, const ToolQuestion *question, GError **error)
{
    bool is_minutes = self->limit_ms >= MINUTE_MS;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "refused: %s: the client did not answer the question in %" G_GINT64_FORMAT
                     " %s",
                     question->tool->name, is_minutes ? self->limit_ms / MINUTE_MS : self->limit_ms,
                     is_minutes ? "minutes" : "ms");
}

bool mcp_questions_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                       void *questions, GError **error)
{
    Fd answered = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (answered < 0)
        return fail_with_errno(error, errno, "cannot ask the client");
    Elicitation *self = g_new0(Elicitation, 1);
    self->ref_count = 2;
    self->questions = questions;
    self->text = g_strdup(question->text);
    self->answered = answered;
    Loop *loop = self->questions->link->loop;
    loop_post(loop, send_question, self);

    if (!wait_for_answer(self, cancel)) {
        loop_post(loop, withdraw_question, self); // takes the worker's reference
        return cancel_check(cancel, error) && fail_unanswered(questions, question, error);
    }
    Answer given = (Answer)g_atomic_int_get(&self->answer);
    elicitation_unref(self);
    *ret_approved = given == ANSWER_YES;
    if (!cancel_check(cancel, error))
        return false;
    const char *way_out =
        question->effect == EFFECT_WRITE ? "; start with --allow-writes to allow it" : "";
    return given != ANSWER_IMPOSSIBLE ||
           fail_with(error, KEDGE_ERROR_DENIED, "refused: %s (%s): the client cannot be asked%s",
                     question->tool->name, question->summary, way_out);
}

void mcp_questions_answer(McpQuestions *self, const json_t *response)
{
    const char *key = json_get_text(response, "id");
    Elicitation *question = key ? g_hash_table_lookup(self->open, key) : NULL;
    if (!question)
        return;
    const json_t *result = json_get_object(response, "result");
    bool is_yes = g_strcmp0(json_get_text(result, "action"), "accept") == 0 &&
                  json_get_bool(json_get_object(result, "content"), "approve", false);
    // an error says that the client cannot do what it said it could
    answer(question, !result ? ANSWER_IMPOSSIBLE : is_yes ? ANSWER_YES : ANSWER_NO);
    g_hash_table_remove(self->open, key);
}

void mcp_questions_give_up(McpQuestions *self)
{
    GHashTableIter iter;
    void *value = NULL;
    g_hash_table_iter_init(&iter, self->open);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        answer(value, ANSWER_IMPOSSIBLE);
        g_hash_table_iter_remove(&iter);
    }
}

McpQuestions *mcp_questions_new(McpLink *link, int64_t limit_ms)
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
