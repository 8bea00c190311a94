/*
 * The HTTP client of a conversation: what asks a server, the model's transport or a tool, in this
 * session file or the next, in a child or its parent, comes through the connection that is open.
 */
#include "base/str.h"
#include "session_fixture.h"
#include "unit.h"

#include "base/file.h"
#include "base/http.h"
#include "http_server.h"
#include "model/message.h"
#include "tool/call.h"

#define CALL                                                                                       \
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"       \
    "\"id\":\"t1\",\"function\":{\"name\":\"fetch\",\"arguments\":\"{}\"}}]},"                     \
    "\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
#define TEXT                                                                                       \
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"done\"},"              \
    "\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"

static TestServer *server; // of the test that runs

/* As a model server: the first answer to a prompt calls the tool, the next one ends the run. */
static bool serve(TestServer *self G_GNUC_UNUSED, int fd, const char *request,
                  unsigned number G_GNUC_UNUSED)
{
    const char *body = strstr(request, "\"role\":\"tool\"") ? TEXT : CALL;
    g_autofree char *answer = NULL;
    if (str_has_prefix(request, "GET "))
        answer = g_strdup("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    else
        answer = g_strdup_printf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%s\r\n0\r\n\r\n",
                                 strlen(body), body);
    test_send_text(fd, answer);
    return true;
}

static bool fetch_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                      GError **error)
{
    g_autofree char *url = test_server_url(server, "/file");
    const HttpRequest request = { .url = url };
    g_auto(HttpResponse) response = { 0 };
    if (!http_request(tool_context_http(tool_call_context(call)), &request, tool_call_cancel(call),
                      &response, error))
        return false;
    tool_result_add_text(result, response.body);
    return true;
}

static const FieldDef no_fields[] = { { 0 } };
static const ToolDef tool_fetch = {
    .name = "fetch",
    .label = "Fetch",
    .summary = "Test tool",
    .effect = EFFECT_READ,
    .fields = no_fields,
    .run = fetch_run,
};

static void use_server(const SessionFixture *self)
{
    g_autofree char *path = g_build_filename(self->agent->root, "models.yml", NULL);
    g_autofree char *text =
        g_strdup_printf("providers:\n  lab:\n    baseUrl: http://127.0.0.1:%u/v1\n"
                        "    api: openai-completions\n    apiKey: secret-key\n"
                        "    models:\n      - id: coder\n",
                        server->port);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
}

/* Three requests: the call, what the tool asks, and the answer. */
static void expect_requests(const char *name, unsigned prompts)
{
    unsigned requests = test_server_count(server, &server->requests->len);
    unsigned connections = test_server_count(server, &server->connections);
    if (requests != 3 * prompts || connections != 1)
        fail_msg("%s: %u requests on %u connections", name, requests, connections);
}

static void ask_child(SessionFixture *self)
{
    const AgentSessionOptions options = {
        .parent = self->session,
        .session = session_new(NULL, self->agent->root),
        .place = self->options.place,
        .all_tools = self->options.all_tools,
        .tools = self->options.tools,
        .model = self->options.model,
    };
    AgentSession *child = agent_session_new(&options, NULL);
    g_autoptr(json_t) message = message_user("do it");
    bool is_pending = false;
    g_auto(AgentOutcome) outcome = { 0 };
    assert_true(agent_session_prompt(child, message, NULL, NULL, &is_pending, NULL));
    assert_true(agent_session_wait(child, &outcome, NULL));
    agent_session_free(child);
}

static void test_one_connection(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const tools[] = { &tool_fetch, NULL };
    g_autoptr(ToolSet) set = tool_set_new(tools);
    server = test_server_start(serve, NULL);
    g_setenv("no_proxy", "127.0.0.1", true);
    SessionFixture *self = session_fixture_new(NULL);
    self->options.tools = set;
    self->options.all_tools = set;
    use_server(self);
    session_fixture_open(self);

    assert_true(session_fixture_prompt(self, "go"));
    expect_requests("turns and tools", 1);
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    assert_true(session_fixture_prompt(self, "again"));
    expect_requests("another session file", 2);
    ask_child(self);
    expect_requests("a child", 3);
    assert_true(session_fixture_prompt(self, "its parent"));
    assert_int_equal(self->outcome.end, AGENT_DONE);
    session_fixture_free(self);
    assert_int_equal(test_server_count(server, &server->connections), 1);
    test_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_connection) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
