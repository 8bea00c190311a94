/*
 * mcp/questions.c: what a client is asked, and how the wait for its answer ends. The loop stands
 * for the server, the pipe's other end for the client.
 */
#include "unit.h"

#include "base/jsonrpc.h"
#include "base/limits.h"
#include "base/worker.h"
#include "mcp/questions.h"

#include <fcntl.h>
#include <poll.h>

#define UNANSWERED "refused: bash: the client did not answer the question in "

typedef struct Case {
    const char *name;
    int64_t limit_ms;
    const char *answer; // of the client, without "jsonrpc" and "id"; NULL: none
    bool cancels;       // the call is stopped once the client was asked
    bool drains;        // the input has ended when the question comes
    bool is_approved;
    int code;          // of the error; 0: none
    const char *error; // its message
    const char *sent;  // methods, in order
} Case;

typedef struct Fixture {
    const Case *wanted;
    Loop *loop;
    LineServer link;
    McpQuestions *questions;
    Cancel *cancel;
    Fd client; // what the server sends
    GString *sent;
    char *id;         // of the question
    bool is_approved; // what mcp_questions_ask() gave
    GError *error;
} Fixture;

static void ignore_line(const char *line G_GNUC_UNUSED, size_t size G_GNUC_UNUSED,
                        void *fixture G_GNUC_UNUSED)
{
}

static void ignore_long_line(void *fixture G_GNUC_UNUSED)
{
}

static void ignore_end(LineEnd end G_GNUC_UNUSED, size_t unfinished G_GNUC_UNUSED,
                       void *fixture G_GNUC_UNUSED)
{
}

static void answer(Fixture *self, const char *text)
{
    json_t *response = NULL;
    assert_true(json_parse_text(text, &response, NULL));
    json_set_text(response, "id", self->id);
    mcp_questions_answer(self->questions, response);
    json_decref(response);
}

static void take_message(Fixture *self, const json_t *message)
{
    const char *method = json_get_text(message, "method");
    const json_t *params = json_get_object(message, "params");
    g_string_append_printf(self->sent, "%s%s", self->sent->len > 0 ? " " : "", method);
    if (strcmp(method, "elicitation/create") == 0) {
        assert_string_equal(json_get_text(params, "message"), "Run it?");
        self->id = g_strdup(json_get_text(message, "id"));
        if (self->wanted->answer)
            answer(self, self->wanted->answer);
        if (self->wanted->cancels)
            cancel_fire(self->cancel);
    } else {
        assert_string_equal(json_get_text(params, "requestId"), self->id);
    }
}

/* All that the client has got. */
static void read_client(int fd, short events G_GNUC_UNUSED, void *fixture)
{
    char buffer[4096];
    ssize_t size = read(fd, buffer, sizeof(buffer) - 1);
    if (size <= 0)
        return;
    buffer[size] = '\0';
    g_auto(GStrv) lines = g_strsplit(buffer, "\n", -1);
    for (char **line = lines; **line != '\0'; line++) { // short ones, each written whole
        g_autoptr(json_t) message = NULL;
        assert_true(json_parse_text(*line, &message, NULL));
        take_message(fixture, message);
    }
}

static void quit(void *loop)
{
    loop_quit(loop);
}

static void ask(void *fixture)
{
    static const ToolDef tool = { .name = "bash" };
    static const ToolQuestion question = {
        .tool = &tool,
        .text = "Run it?",
        .summary = "ls",
        .effect = EFFECT_WRITE,
        .way_out = "; start with --allow-writes to allow it",
    };
    Fixture *self = fixture;
    mcp_questions_ask(&question, self->cancel, &self->is_approved, self->questions, &self->error);
    loop_post(self->loop, quit, self->loop); // behind what it has posted itself
}

static void fixture_init(Fixture *self, const Case *wanted)
{
    int in[2], out[2];
    assert_true(fd_pipe(in, NULL) && fd_pipe(out, NULL));
    fd_close(in[1]);
    *self = (Fixture) { .wanted = wanted, .client = out[0] };
    assert_int_equal(fcntl(self->client, F_SETFL, O_NONBLOCK), 0);
    self->loop = loop_new();
    self->cancel = cancel_new(NULL);
    self->sent = g_string_new(NULL);
    const LineChannelSpec channel = {
        .input = in[0],
        .output = out[1],
        .max_line_bytes = 100,
        .on_line = ignore_line,
        .on_long_line = ignore_long_line,
        .on_end = ignore_end,
        .user_data = self,
    };
    self->link = (LineServer) {
        .loop = self->loop,
        .channel = line_channel_new(self->loop, &channel),
        .is_ending = wanted->drains,
    };
    self->questions = mcp_questions_new(&self->link, wanted->limit_ms);
    loop_add_fd(self->loop, self->client, POLLIN, read_client, self);
}

static void fixture_clear(Fixture *self)
{
    mcp_questions_free(self->questions);
    line_channel_free(self->link.channel);
    loop_free(self->loop);
    cancel_unref(self->cancel);
    fd_close(self->client);
    g_string_free(self->sent, true);
    g_clear_error(&self->error);
    g_free(self->id);
}

static void check(const Case *wanted)
{
    Fixture fixture;
    fixture_init(&fixture, wanted);
    Worker *worker = worker_start("ask", ask, &fixture);
    loop_run(fixture.loop);
    worker_join(worker);
    read_client(fixture.client, POLLIN, &fixture);
    if (fixture.id) // too late, or twice: nobody is there to be told
        answer(&fixture, "{\"result\":{\"action\":\"accept\",\"content\":{\"approve\":true}}}");

    const char *error = fixture.error ? fixture.error->message : "";
    if (strcmp(error, wanted->error ? wanted->error : "") != 0 ||
        (fixture.error && !error_is(fixture.error, (KedgeError)wanted->code)))
        fail_msg("%s: '%s'", wanted->name, error);
    if (strcmp(fixture.sent->str, wanted->sent) != 0)
        fail_msg("%s: sent '%s'", wanted->name, fixture.sent->str);
    if (fixture.is_approved != wanted->is_approved)
        fail_msg("%s: approved: %d", wanted->name, fixture.is_approved);
    fixture_clear(&fixture);
}

static void test_ends(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { .name = "yes",
          .answer = "{\"result\":{\"action\":\"accept\",\"content\":{\"approve\":true}}}",
          .is_approved = true,
          .sent = "elicitation/create" },
        { .name = "no",
          .answer = "{\"result\":{\"action\":\"accept\",\"content\":{\"approve\":false}}}",
          .sent = "elicitation/create" },
        { .name = "accepted without an answer",
          .answer = "{\"result\":{\"action\":\"accept\"}}",
          .sent = "elicitation/create" },
        { .name = "declined",
          .answer = "{\"result\":{\"action\":\"decline\",\"content\":{\"approve\":true}}}",
          .sent = "elicitation/create" },
        { .name = "an error",
          .answer = "{\"error\":{\"code\":-32601,\"message\":\"no\"}}",
          .code = KEDGE_ERROR_DENIED,
          .error = "refused: bash (ls): the client cannot be asked; start with --allow-writes to "
                   "allow it",
          .sent = "elicitation/create" },
        { .name = "the input has ended",
          .drains = true,
          .code = KEDGE_ERROR_DENIED,
          .error = "refused: bash (ls): the client cannot be asked; start with --allow-writes to "
                   "allow it",
          .sent = "" },
        { .name = "no answer within the limit",
          .limit_ms = 20,
          .code = KEDGE_ERROR_DENIED,
          .error = UNANSWERED "20 ms",
          .sent = "elicitation/create notifications/cancelled" },
        { .name = "the call is stopped",
          .cancels = true,
          .code = KEDGE_ERROR_CANCELLED,
          .error = "operation aborted",
          .sent = "elicitation/create notifications/cancelled" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Case wanted = cases[i];
        if (wanted.limit_ms == 0)
            wanted.limit_ms = LIMIT_MCP_ANSWER_MS;
        check(&wanted);
    }
}

/* common §4.5: what the server gives as the limit. */
static void test_limit(void **state G_GNUC_UNUSED)
{
    assert_int_equal(LIMIT_MCP_ANSWER_MS, 10 * 60 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
