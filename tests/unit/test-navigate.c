/*
 * Going elsewhere in a conversation's session: branches, summaries of what is left, labels, names.
 */
#include "unit.h"

#include "agent/branch_summary.h"
#include "base/file.h"
#include "model/message.h"
#include "model_fixture.h"
#include "session_fixture.h"
#include "tool/model_view.h"

static int setup(void **state)
{
    SessionFixture *self = session_fixture_new(NULL);
    *state = self;
    session_fixture_open(self);
    sse_server_add_text(self->agent->server, "first");
    sse_server_add_text(self->agent->server, "second");
    if (!session_fixture_prompt(self, "one") || !session_fixture_prompt(self, "two"))
        return -1;
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    return 0;
}

/* The id of the entry whose message has this text. */
static const char *id_of(SessionFixture *self, const char *text)
{
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    size_t i;
    json_t *entry;
    json_array_foreach (json_get_array(tree, "entries"), i, entry) {
        const json_t *message = json_get_object(entry, "message");
        g_autofree char *own = message ? message_text(message) : NULL;
        if (g_strcmp0(own, text) == 0)
            return g_intern_string(json_get_text(entry, "id"));
    }
    fail_msg("there is no message \"%s\"", text);
    return NULL;
}

static const json_t *last_entry(const json_t *tree, size_t back)
{
    const json_t *entries = json_get_array(tree, "entries");
    return json_array_get(entries, json_array_size(entries) - 1 - back);
}

/* Runs a command to its end; `id` stands for the ID of its arguments. The data of its command_end,
   borrowed; NULL: it failed. */
static const json_t *run(SessionFixture *self, const char *name, const char *arguments,
                         const char *id)
{
    g_autoptr(GString) text = g_string_new(arguments);
    g_string_replace(text, "ID", id, 0);
    json_array_clear(self->events);
    if (!session_fixture_command(self, name, text->str, NULL))
        fail_msg("%s: %s", name, self->error->message);
    session_fixture_wait(self);
    const json_t *end = session_fixture_event(self, "command_end", 0);
    assert_string_equal(json_get_text(end, "command"), name);
    if (!json_get_bool(end, "success", false))
        return NULL;
    const json_t *data = json_get_object(end, "data");
    return data ? data : end;
}

/* core-68 */
static void test_navigate(void **state)
{
    SessionFixture *self = *state;
    const char *parent = id_of(self, "first");
    const json_t *data = run(self, "navigate_tree", "{\"targetId\":\"ID\"}", id_of(self, "two"));
    assert_string_equal(json_get_text(data, "editorText"), "two");
    assert_false(json_get_bool(data, "cancelled", true));
    g_autoptr(json_t) messages = agent_session_messages(self->session);
    assert_int_equal(json_array_size(messages), 2);

    sse_server_add_text(self->agent->server, "third");
    assert_true(session_fixture_prompt(self, "other"));
    g_autofree char *told = sse_server_conversation(self->agent->server, 2);
    assert_string_equal(told, "user:one assistant:first user:other");
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    assert_string_equal(json_get_text(last_entry(tree, 1), "parentId"), parent);
    id_of(self, "second"); // both branches are there

    // to where it is: nothing
    const json_t *same = run(self, "navigate_tree", "{\"targetId\":\"ID\"}", id_of(self, "third"));
    assert_null(json_get_text(same, "editorText"));
    // to an answer of the other branch
    run(self, "navigate_tree", "{\"targetId\":\"ID\"}", id_of(self, "second"));
    g_autofree char *text = message_text(agent_session_last_answer(self->session));
    assert_string_equal(text, "second");
    assert_null(run(self, "navigate_tree", "{\"targetId\":\"ID\"}", "nope"));
}

/* core-69 */
static void test_summary(void **state)
{
    SessionFixture *self = *state;
    const char *leaf = id_of(self, "first");
    sse_server_add_error(self->agent->server, 400, "no such thing");
    const char *arguments = "{\"targetId\":\"ID\",\"summarize\":true,\"customInstructions\":\"x\"}";
    assert_null(run(self, "navigate_tree", arguments, id_of(self, "two")));
    g_autoptr(json_t) before = agent_session_tree(self->session, NULL);
    assert_string_equal(json_get_text(before, "leafId"), id_of(self, "second")); // as it was

    sse_server_add_text(self->agent->server, "it was tried");
    assert_non_null(run(self, "navigate_tree", arguments, id_of(self, "two")));
    g_autofree char *asked = sse_server_conversation(self->agent->server, 3);
    assert_non_null(strstr(asked, "<conversation>\n[Assistant]: second\n</conversation>"));
    assert_null(strstr(asked, "[User]")); // they are not left behind
    assert_non_null(strstr(asked, "Additional focus: x"));
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    const json_t *entry = last_entry(tree, 0);
    assert_string_equal(json_get_text(entry, "type"), "branch_summary");
    assert_string_equal(json_get_text(entry, "parentId"), leaf);
    assert_string_equal(json_get_text(entry, "fromId"), leaf);
    assert_string_equal(json_get_text(entry, "summary"), "it was tried");

    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, "other"));
    g_autofree char *told = sse_server_conversation(self->agent->server, 4);
    assert_non_null(strstr(told, "it was tried"));
    assert_null(strstr(told, "second"));
}

/* core-69: the files of summaries within the branch are its files. */
static void test_summary_keeps_files(void **state)
{
    SessionFixture *self = *state;
    AgentFixture *agent = self->agent;
    static const char *const texts[] = {
        "{'type':'branch_summary','summary':'earlier','details':{'readFiles':['a.c','b.c'],"
        "'modifiedFiles':['c.c']}}",
        "{'type':'compaction','summary':'old','details':{'readFiles':['d.c'],'modifiedFiles':[]}}",
        "{'type':'message','message':{'role':'assistant','content':[{'type':'toolCall','id':'1',"
        "'name':'edit','arguments':{'path':'b.c'}}]}}",
    };
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++)
        g_ptr_array_add(entries, json_of(texts[i]));
    g_autoptr(Settings) settings = settings_new(NULL);
    const SummaryContext context = {
        .http = agent->http,
        .registry = agent->registry,
        .settings = settings,
        .model = agent->setup.model,
    };
    sse_server_add_text(agent->server, "what came of it");
    g_autoptr(json_t) fields = NULL;
    g_autoptr(GError) error = NULL;
    assert_true(branch_summary(&context, entries, NULL, NULL, &fields, &error));
    assert_string_equal(json_get_text(fields, "summary"),
                        "what came of it\n\n<read-files>\na.c\nd.c\n</read-files>\n\n"
                        "<modified-files>\nc.c\nb.c\n</modified-files>");
}

static void abort_when_asked(void *user_data)
{
    SessionFixture *self = user_data;
    assert_true(session_fixture_command(self, "abort", NULL, NULL));
}

static void test_summary_is_stopped(void **state)
{
    SessionFixture *self = *state;
    sse_server_add_hanging(self->agent->server, "half a summ");
    const char *leaf = id_of(self, "second");
    g_autofree char *arguments =
        g_strdup_printf("{\"targetId\":\"%s\",\"summarize\":true}", id_of(self, "one"));
    assert_true(session_fixture_command(self, "navigate_tree", arguments, NULL));
    loop_post(self->loop, abort_when_asked, self);
    session_fixture_wait(self);
    const json_t *end = session_fixture_event(self, "command_end", 2);
    assert_string_equal(json_get_text(end, "command"), "navigate_tree");
    assert_true(json_get_bool(json_get_object(end, "data"), "cancelled", false));
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    assert_string_equal(json_get_text(tree, "leafId"), leaf);
}

static char *header_title(SessionFixture *self)
{
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    g_autofree char *text = NULL;
    assert_true(file_read(json_get_text(reply.data, "sessionFile"), 1000000, &text, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(text, "\n", 2);
    g_autoptr(json_t) header = NULL;
    assert_true(json_parse_text(lines[0], &header, NULL));
    return g_strdup(json_get_text(header, "title"));
}

static void name_it(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    g_auto(CommandReply) reply = { 0 };
    assert_true(
        session_fixture_command(self, "set_session_name", "{\"name\":\"in a run\"}", &reply));
    assert_false(reply.is_pending);
    assert_true(session_fixture_command(self, "abort", NULL, NULL));
}

static void test_names_and_labels(void **state)
{
    SessionFixture *self = *state;
    assert_false(session_fixture_command(self, "set_session_name", "{\"name\":\"  \"}", NULL));
    assert_string_equal(self->error->message, "Session name cannot be empty");
    run(self, "set_session_name", "{\"name\":\" parser\\n ID \"}", "fix");
    const json_t *event = session_fixture_event(self, "session_info_changed", 0);
    assert_string_equal(json_get_text(event, "name"), "parser fix");
    g_autofree char *title = header_title(self);
    assert_string_equal(title, "parser fix");
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_state", NULL, &reply));
    assert_string_equal(json_get_text(reply.data, "sessionName"), "parser fix");

    sse_server_add_hanging(self->agent->server, "half"); // the run is on until it is stopped
    self->trigger = "message_update";
    self->act = name_it;
    assert_true(session_fixture_prompt(self, "go"));
    assert_true(agent_session_flush(self->session, NULL));
    g_autofree char *second = header_title(self);
    assert_string_equal(second, "in a run");

    run(self, "set_label", "{\"targetId\":\"ID\",\"label\":\"good\"}", id_of(self, "one"));
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    assert_string_equal(json_get_text(json_get_object(tree, "labels"), id_of(self, "one")), "good");
    assert_null(run(self, "set_label", "{\"targetId\":\"ID\"}", "nope"));
}

static const char *model_of_request(SessionFixture *self, size_t index)
{
    return json_get_text(sse_server_request(self->agent->server, index), "model");
}

/* The model changes of the session as "role=model role=model". */
static char *recorded_models(SessionFixture *self)
{
    g_autoptr(json_t) tree = agent_session_tree(self->session, NULL);
    GString *out = g_string_new(NULL);
    size_t i;
    json_t *entry;
    json_array_foreach (json_get_array(tree, "entries"), i, entry) {
        if (g_strcmp0(json_get_text(entry, "type"), "model_change") == 0)
            g_string_append_printf(out, "%s%s=%s", out->len ? " " : "",
                                   json_get_text(entry, "role"), json_get_text(entry, "model"));
    }
    return g_string_free(out, FALSE);
}

/* A fallback stands in for the chosen model; it does not become it by going elsewhere. */
static void test_fallback_stays_behind(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *command, *arguments;
    } moves[] = {
        { "new_session", "{}" },
        { "fork", "{}" },
        { "branch", "{\"entryId\":\"ID\"}" },
        { "navigate_tree", "{\"targetId\":\"ID\"}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(moves); i++) {
        SessionFixture *self = session_fixture_new(
            "{\"retry\":{\"baseDelayMs\":1,\"fallbackChains\":{\"default\":[\"lab/writer\"]}}}");
        SseServer *server = self->agent->server;
        session_fixture_open(self);
        sse_server_add_text(server, "first");
        assert_true(session_fixture_prompt(self, "one"));
        sse_server_add_error(server, 503, "overloaded");
        sse_server_add_text(server, "second");
        assert_true(session_fixture_prompt(self, "two"));
        assert_string_equal(model_of_request(self, 2), "writer");
        g_autofree char *models = recorded_models(self);
        assert_string_equal(models, "default=lab/coder temporary=lab/writer");

        assert_non_null(run(self, moves[i].command, moves[i].arguments, id_of(self, "two")));
        sse_server_add_text(server, "third");
        assert_true(session_fixture_prompt(self, "three"));
        assert_string_equal(model_of_request(self, 3), "coder");
        g_autofree char *after = recorded_models(self);
        assert_null(strstr(after, "default=lab/writer"));
        session_fixture_free(self);
    }
}

static bool epoch_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                      GError **error G_GNUC_UNUSED)
{
    g_autofree char *text = g_strdup_printf("epoch %u", model_view_epoch(tool_call_context(call)));
    tool_result_add_text(result, text);
    return true;
}

/* Tools forget what they remember of what was shown: it may be on the branch that is left. */
static void test_shown_is_forgotten(void **state G_GNUC_UNUSED)
{
    static const FieldDef no_fields[] = { { 0 } };
    static const ToolDef tool = { .name = "epoch",
                                  .label = "Epoch",
                                  .summary = "Test tool",
                                  .effect = EFFECT_READ,
                                  .fields = no_fields,
                                  .run = epoch_run };
    static const ToolDef *const table[] = { &tool, NULL };
    static const char calls[] = "[{\"id\":\"e\",\"name\":\"epoch\",\"arguments\":{}}]";
    g_autoptr(ToolSet) tools = tool_set_new(table);
    SessionFixture *self = session_fixture_new(NULL);
    SseServer *server = self->agent->server;
    self->options.tools = tools;
    self->options.all_tools = tools;
    session_fixture_open(self);
    sse_server_add_calls(server, calls);
    sse_server_add_text(server, "first");
    assert_true(session_fixture_prompt(self, "one"));
    assert_non_null(run(self, "navigate_tree", "{\"targetId\":\"ID\"}", id_of(self, "one")));
    sse_server_add_calls(server, calls);
    sse_server_add_text(server, "second");
    assert_true(session_fixture_prompt(self, "two"));
    g_autofree char *before = sse_server_conversation(server, 1);
    assert_string_equal(before, "user:one assistant:[calls] tool:epoch 0");
    g_autofree char *after = sse_server_conversation(server, 3);
    assert_string_equal(after, "user:two assistant:[calls] tool:epoch 1");
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_navigate, setup, teardown),
        cmocka_unit_test_setup_teardown(test_summary, setup, teardown),
        cmocka_unit_test_setup_teardown(test_summary_keeps_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_summary_is_stopped, setup, teardown),
        cmocka_unit_test_setup_teardown(test_names_and_labels, setup, teardown),
        cmocka_unit_test(test_fallback_stays_behind),
        cmocka_unit_test(test_shown_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
