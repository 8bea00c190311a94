/*
 * Tools that a conversation finds (agent-tools §3.31): what its requests offer, and what its
 * session remembers wherever it goes on.
 */
#include "unit.h"

#include "agent/discoverer.h"
#include "model/message.h"
#include "session/session_tree.h"
#include "session_fixture.h"
#include "tool/tool_discovery.h"
#include "tools/tools.h"

#define SETTINGS                                                                                   \
    "{\"tools\":{\"discoveryMode\":\"all\"},\"calc\":{\"enabled\":true},\"ls\":{\"enabled\":true}" \
    ","                                                                                            \
    "\"checkpoint\":{\"enabled\":true}}"

static const ToolDef *const table[] = {
    &tool_read, &tool_calc, &tool_checkpoint, &tool_rewind, &tool_search_tool_bm25, &tool_ls, NULL
};

typedef struct Test {
    SessionFixture *fixture;
    SseServer *server;
    ToolSet *all, *tools;
} Test;

static void open_with(Test *self, const char *settings)
{
    self->fixture = session_fixture_new(settings);
    self->server = self->fixture->agent->server;
    self->all = tool_set_new(table);
    const Settings *merged = tool_context_settings(self->fixture->agent->context);
    self->tools = tool_set_select(self->all, merged, NULL, NULL);
    self->fixture->options.all_tools = self->all;
    self->fixture->options.tools = self->tools;
    session_fixture_open(self->fixture);
}

static void close_test(Test *self)
{
    session_fixture_free(self->fixture);
    tool_set_unref(self->all);
    tool_set_unref(self->tools);
}

static int setup(void **state)
{
    Test *self = g_new0(Test, 1);
    open_with(self, SETTINGS);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    close_test(*state);
    g_free(*state);
    return 0;
}

#define SEARCH(id, query)                                                                          \
    "{\"id\":\"" id "\",\"name\":\"search_tool_bm25\",\"arguments\":{\"query\":\"" query "\"}}"
#define SUM(id)                                                                                    \
    "{\"id\":\"" id                                                                                \
    "\",\"name\":\"calc\",\"arguments\":{\"calculations\":[{\"expression\":\"40+2\"}]}}"

/* "read calc" */
static char *offered(const Test *self, size_t request)
{
    GString *names = g_string_new(NULL);
    size_t i;
    json_t *tool;
    json_array_foreach (json_get_array(sse_server_request(self->server, request), "tools"), i, tool)
        g_string_append_printf(names, "%s%s", i > 0 ? " " : "",
                               json_get_text(json_get_object(tool, "function"), "name"));
    return g_string_free(names, FALSE);
}

static void assert_offered(const Test *self, size_t request, const char *want)
{
    g_autofree char *got = offered(self, request);
    if (strcmp(got, want) != 0)
        fail_msg("request %zu offers '%s', not '%s'", request, got, want);
}

static void prompt(const Test *self, const char *text)
{
    if (!session_fixture_prompt(self->fixture, text))
        fail_msg("%s: %s", text, self->fixture->error->message);
}

/* What the last request says of the calls before it. */
static void assert_told(const Test *self, const char *part)
{
    size_t count = sse_server_request_count(self->server);
    g_autofree char *got = sse_server_conversation(self->server, count - 1);
    if (!strstr(got, part))
        fail_msg("the model is not told '%s': %s", part, got);
}

static const char *id_of(const Test *self, const char *text)
{
    g_autoptr(json_t) tree = agent_session_tree(self->fixture->session, NULL);
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

static void command(const Test *self, const char *name, const char *key, const char *id)
{
    g_autofree char *arguments = key ? g_strdup_printf("{\"%s\":\"%s\"}", key, id) : g_strdup("{}");
    if (!session_fixture_command(self->fixture, name, arguments, NULL))
        fail_msg("%s: %s", name, self->fixture->error->message);
    session_fixture_wait(self->fixture);
}

#define FROM_THE_START "read search_tool_bm25"

static void test_found(void **state)
{
    const Test *self = *state;
    sse_server_add_calls(self->server, "[" SEARCH("s1", "calculate") "," SUM("c1") "]");
    sse_server_add_calls(self->server, "[" SUM("c2") "]");
    sse_server_add_text(self->server, "done");
    prompt(self, "go");
    assert_offered(self, 0, FROM_THE_START);
    assert_offered(self, 1, FROM_THE_START " calc");
    assert_offered(self, 2, FROM_THE_START " calc");
    assert_told(self, "tool:{\"query\":\"calculate\",\"activated_tools\":[\"calc\"],"
                      "\"match_count\":1,\"total_tools\":4}");
    assert_told(self, "tool:42 assistant:[calls] tool:42");
    g_autoptr(json_t) state_now = agent_session_state(self->fixture->session);
    assert_int_equal(json_array_size(json_get_array(state_now, "dumpTools")), 3);
}

/* The system prompt and what comes before a found tool stay as they were: a server keeps them. */
static void test_what_was_sent_stays(void **state)
{
    const Test *self = *state;
    sse_server_add_calls(self->server, "[" SEARCH("s1", "list ls") "]");
    sse_server_add_text(self->server, "done");
    prompt(self, "go");
    const json_t *first = json_get_array(sse_server_request(self->server, 0), "tools");
    const json_t *next = json_get_array(sse_server_request(self->server, 1), "tools");
    assert_int_equal(json_array_size(first), 2);
    assert_int_equal(json_array_size(next), 3);
    for (size_t i = 0; i < json_array_size(first); i++)
        assert_true(json_equal(json_array_get(first, i), json_array_get(next, i)));
    const json_t *prompts[2];
    for (size_t i = 0; i < 2; i++)
        prompts[i] =
            json_array_get(json_get_array(sse_server_request(self->server, i), "messages"), 0);
    assert_true(json_equal(prompts[0], prompts[1]));
    g_autofree char *text = agent_session_system_prompt(self->fixture->session);
    assert_non_null(strstr(text, "- There are more tools: `search_tool_bm25` finds them.\n"));
    assert_null(strstr(text, "`ls`"));
}

/* A tool that is called by its name is found thereby, also when the arguments were wrong. */
static void test_called_by_name(void **state)
{
    const Test *self = *state;
    sse_server_add_calls(self->server,
                         "[{\"id\":\"c1\",\"name\":\"calc\",\"arguments\":{\"what\":1}}]");
    sse_server_add_calls(self->server, "[" SUM("c2") "]");
    sse_server_add_calls(self->server, "[{\"id\":\"x1\",\"name\":\"weather\",\"arguments\":{}}]");
    sse_server_add_text(self->server, "done");
    prompt(self, "go");
    assert_offered(self, 0, FROM_THE_START);
    assert_offered(self, 1, FROM_THE_START " calc");
    assert_told(self, "tool:42");
    assert_told(self, "tool:Tool weather not found. search_tool_bm25 finds tools by what they do");
}

/* The way to the leaf decides, in this file and in others. */
static void test_elsewhere(void **state)
{
    const Test *self = *state;
    sse_server_add_text(self->server, "first");
    sse_server_add_calls(self->server, "[" SEARCH("s1", "calculate") "]");
    for (int i = 0; i < 9; i++)
        sse_server_add_text(self->server, "more");
    prompt(self, "one");
    prompt(self, "two");
    prompt(self, "three");
    assert_offered(self, 3, FROM_THE_START " calc");

    const char *three = id_of(self, "three");
    command(self, "navigate_tree", "targetId", id_of(self, "two"));
    prompt(self, "other two");
    assert_offered(self, 4, FROM_THE_START);
    command(self, "navigate_tree", "targetId", three);
    prompt(self, "other three");
    assert_offered(self, 5, FROM_THE_START " calc");

    command(self, "fork", NULL, NULL);
    prompt(self, "in a copy");
    assert_offered(self, 6, FROM_THE_START " calc");
    command(self, "branch", "entryId", id_of(self, "other three"));
    prompt(self, "in a branch");
    assert_offered(self, 7, FROM_THE_START " calc");
    g_autoptr(json_t) state_now = agent_session_state(self->fixture->session);
    command(self, "branch", "entryId", id_of(self, "two"));
    prompt(self, "before it");
    assert_offered(self, 8, FROM_THE_START);

    command(self, "switch_session", "sessionPath", json_get_text(state_now, "sessionFile"));
    prompt(self, "back");
    assert_offered(self, 9, FROM_THE_START " calc");
    command(self, "new_session", NULL, NULL);
    prompt(self, "anew");
    assert_offered(self, 10, FROM_THE_START);
}

/* Going back to a checkpoint leaves messages behind, not tools. */
static void test_rewind(void **state)
{
    const Test *self = *state;
    sse_server_add_calls(
        self->server,
        "[{\"id\":\"p1\",\"name\":\"checkpoint\",\"arguments\":{\"goal\":\"look\"}}]");
    sse_server_add_calls(self->server, "[" SEARCH("s1", "calculate") "]");
    sse_server_add_calls(
        self->server, "[{\"id\":\"r1\",\"name\":\"rewind\",\"arguments\":{\"report\":\"seen\"}}]");
    sse_server_add_text(self->server, "done");
    prompt(self, "go");
    assert_offered(self, 1, FROM_THE_START " checkpoint rewind");
    assert_offered(self, 3, FROM_THE_START " checkpoint rewind calc");
    command(self, "fork", NULL, NULL); // what the file says
    sse_server_add_text(self->server, "more");
    prompt(self, "on");
    assert_offered(self, 4, FROM_THE_START " checkpoint rewind calc");
}

/* Switched off there is nothing of all this. */
static void test_off(void **state G_GNUC_UNUSED)
{
    Test self = { 0 };
    open_with(&self, "{\"calc\":{\"enabled\":true}}");
    sse_server_add_calls(self.server, "[" SEARCH("s1", "calculate") "," SUM("c1") "]");
    sse_server_add_text(self.server, "done");
    prompt(&self, "go");
    assert_offered(&self, 0, "read calc");
    assert_offered(&self, 1, "read calc");
    g_autofree char *told = sse_server_conversation(self.server, 1);
    assert_non_null(strstr(told, "tool:Tool search_tool_bm25 not found tool:42"));
    g_autoptr(json_t) tree = agent_session_tree(self.fixture->session, NULL);
    g_autofree char *file = json_to_text(tree);
    assert_null(strstr(file, "kedge.tools"));
    close_test(&self);
}

// ---- what files hold ----

static void append(Session *session, const char *custom_type, json_t *data)
{
    json_t *fields = json_object();
    json_set_text(fields, "customType", custom_type);
    json_set_take(fields, "data", data);
    session_append_fields(session, "custom", fields);
}

static void assert_names(FoundTools *found, const char *want)
{
    g_auto(GStrv) names = found_tools_names(found, NULL);
    g_autofree char *got = g_strjoinv(" ", names);
    assert_string_equal(got, want);
}

static void test_record(void **state G_GNUC_UNUSED)
{
    g_autoptr(Session) session = session_new(NULL, "/w");
    g_autoptr(FoundTools) found = found_tools_new();
    discoverer_record(session, found);
    assert_null(session_leaf_id(session)); // nothing to say
    found_tools_add(found, "b");
    discoverer_record(session, found);
    g_autofree char *first = g_strdup(session_leaf_id(session));
    found_tools_add(found, "a");
    discoverer_record(session, found);
    g_autofree char *second = g_strdup(session_leaf_id(session));
    discoverer_record(session, found);
    assert_string_equal(session_leaf_id(session), second);
    g_autoptr(json_t) entry = session_entry(session, second);
    const json_t *data = json_get_object(entry, "data");
    g_autofree char *text = json_to_text(data);
    assert_string_equal(text, "{\"found\":[\"a\"]}");

    discoverer_restore(session, found);
    assert_names(found, "b a");
    assert_true(session_move(session, first, NULL));
    discoverer_restore(session, found);
    assert_names(found, "b");
    discoverer_restore(session, NULL);
    discoverer_record(session, NULL);
}

static void test_hostile_entries(void **state G_GNUC_UNUSED)
{
    g_autoptr(Session) session = session_new(NULL, "/w");
    g_autoptr(FoundTools) found = found_tools_new();
    g_autofree char *long_name = g_strnfill(1024 * 1024, 'n');
    append(session, "kedge.tools", json_pack("{s:s}", "found", "calc"));
    append(session, "kedge.tools", json_pack("[s]", "calc"));
    append(session, "kedge.tools", NULL);
    append(session, "kedge.usage", json_pack("{s:[s]}", "found", "calc"));
    append(session, "kedge.tools",
           json_pack("{s:[n, i, {}, s, [], s, s]}", "found", 7, long_name, "ls", "\x1b[31m"));
    discoverer_restore(session, found);
    assert_names(found, "ls \x1b[31m"); // names that are no tools find none
    json_t *many = json_array();
    for (int i = 0; i < 100000; i++)
        json_append_take(many, json_integer(i));
    for (int i = 0; i < FOUND_TOOLS_MAX * 2; i++) {
        g_autofree char *name = g_strdup_printf("t%d", i);
        json_append_take(many, json_text(name));
    }
    append(session, "kedge.tools", json_pack("{s:o}", "found", many));
    discoverer_restore(session, found);
    g_auto(GStrv) names = found_tools_names(found, NULL);
    assert_int_equal(g_strv_length(names), FOUND_TOOLS_MAX);
}

/* A name in the settings that is no tool's is said, where it counts. */
static void test_check(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *tools;
        unsigned warnings;
        const char *first;
    } cases[] = {
        { "{s:s, s:[s,s,i]}", 2,
          "tools.essentialOverride: there is no tool \"nope\"; `kedge tool list` shows all" },
        { "{s:s, s:[s,s]}", 1,
          "tools.essentialOverride: there is no tool \"nope\"; `kedge tool list` shows all" },
        { "{s:s, s:[s]}", 0, NULL },
    };
    g_autoptr(ToolSet) tools = tool_set_new(table);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) overrides = json_object();
        json_set_take(overrides, "tools",
                      json_pack(cases[i].tools, "discoveryMode", "all", "essentialOverride",
                                " READ", "Nope", 7));
        g_autoptr(Settings) settings = settings_new(overrides);
        g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
        discoverer_check_settings(settings, tools, warnings);
        assert_int_equal(warnings->len, cases[i].warnings);
        if (cases[i].first)
            assert_string_equal(warnings->pdata[0], cases[i].first);
        discoverer_check_settings(settings, tools, NULL);
    }
    g_autoptr(json_t) off = json_pack("{s:{s:[s]}}", "tools", "essentialOverride", "nope");
    g_autoptr(Settings) settings = settings_new(off);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    discoverer_check_settings(settings, tools, warnings);
    assert_int_equal(warnings->len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_found, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_was_sent_stays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_called_by_name, setup, teardown),
        cmocka_unit_test_setup_teardown(test_elsewhere, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rewind, setup, teardown),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_record),
        cmocka_unit_test(test_hostile_entries),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
