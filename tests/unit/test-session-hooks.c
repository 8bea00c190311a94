/*
 * Hooks of a conversation: what it tells them and what they decide, added and taken away while it
 * goes on.
 */
#include "base/str.h"
#include "unit.h"

#include "model/message.h"
#include "session_fixture.h"

/* What the hooks saw; called on workers, one job at a time. */
static GString *noted;

static void note_start(const char *session_id, void *name)
{
    assert_non_null(session_id);
    g_string_append_printf(noted, "%s:start ", (const char *)name);
}

static bool note_prompt(const json_t *message, json_t **ret_changed, Cancel *cancel, void *name,
                        GError **error)
{
    g_autofree char *text = message_text(message);
    assert_non_null(cancel);
    g_string_append_printf(noted, "%s:prompt(%s) ", (const char *)name, text);
    if (g_str_has_suffix(text, "stop"))
        return fail_with(error, KEDGE_ERROR_DENIED, "%s says no", (const char *)name);
    g_autofree char *changed = g_strconcat(text, "+", name, NULL);
    if (str_has_prefix(text, "change"))
        *ret_changed = message_user(changed);
    return true;
}

static bool note_compaction(const char *reason, Cancel *cancel G_GNUC_UNUSED, void *name,
                            GError **error)
{
    g_string_append_printf(noted, "%s:compaction(%s) ", (const char *)name, reason);
    return fail_with(error, KEDGE_ERROR_DENIED, "%s keeps it all", (const char *)name);
}

static void note_stop(const char *end, void *name)
{
    g_string_append_printf(noted, "%s:stop(%s) ", (const char *)name, end);
}

static unsigned add_hook(SessionFixture *self, const char *name)
{
    const ToolHook hook = {
        .name = name,
        .session_start = note_start,
        .prompt = note_prompt,
        .compaction = note_compaction,
        .stop = note_stop,
        .user_data = (void *)name,
    };
    return hook_list_add(agent_session_hooks(self->session), &hook, NULL);
}

static void expect_noted(const char *want)
{
    assert_string_equal(noted->str, want);
    g_string_truncate(noted, 0);
}

static int setup(void **state)
{
    SessionFixture *self = session_fixture_new(NULL);
    noted = g_string_new(NULL);
    session_fixture_open(self);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    session_fixture_free(*state);
    g_string_free(noted, TRUE);
    return 0;
}

static void test_prompts(void **state)
{
    SessionFixture *self = *state;
    unsigned a = add_hook(self, "a");
    add_hook(self, "b");
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "change it"));
    expect_noted("a:prompt(change it) b:prompt(change it+a) a:stop(done) b:stop(done) ");
    g_autofree char *sent = sse_server_conversation(self->agent->server, 0);
    assert_string_equal(sent, "user:change it+a+b");

    assert_false(session_fixture_prompt(self, "stop"));
    assert_string_equal(self->error->message, "a says no");
    expect_noted("a:prompt(stop) ");
    assert_int_equal(sse_server_request_count(self->agent->server), 1); // nothing was sent

    hook_list_remove(agent_session_hooks(self->session), a);
    sse_server_add_error(self->agent->server, 400, "bad");
    session_fixture_prompt(self, "go on");
    expect_noted("b:prompt(go on) b:stop(error) ");
}

static void test_sessions(void **state)
{
    SessionFixture *self = *state;
    unsigned a = add_hook(self, "a");
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    expect_noted("a:start ");
    add_hook(self, "b");
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    expect_noted("a:start b:start ");
    hook_list_remove(agent_session_hooks(self->session), a);
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    expect_noted("b:start ");
}

static void test_compaction(void **state)
{
    SessionFixture *self = *state;
    add_hook(self, "a");
    add_hook(self, "b");
    assert_true(session_fixture_command(self, "compact", NULL, NULL));
    session_fixture_wait(self);
    const json_t *end = session_fixture_event(self, "command_end", 0);
    assert_string_equal(json_get_text(end, "error"), "a keeps it all");
    expect_noted("a:compaction(manual) ");
}

/* The hooks of the tables come first, and there they are once, wherever the conversation goes. */
static void test_tables(void **state G_GNUC_UNUSED)
{
    static const ToolHook table_hook = {
        .name = "table", .session_start = note_start, .stop = note_stop, .user_data = (void *)"t"
    };
    static const ToolHook *const hooks[] = { &table_hook, NULL };
    static const ContextTables tables = { .hooks = hooks };
    noted = g_string_new(NULL);
    SessionFixture *self = session_fixture_new(NULL);
    self->options.tables = &tables;
    session_fixture_open(self);
    expect_noted("t:start ");
    add_hook(self, "a");
    assert_true(session_fixture_command(self, "new_session", NULL, NULL));
    session_fixture_wait(self);
    sse_server_add_text(self->agent->server, "done");
    assert_true(session_fixture_prompt(self, "go"));
    expect_noted("t:start a:start a:prompt(go) t:stop(done) a:stop(done) ");
    session_fixture_free(self);
    g_string_free(noted, TRUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_prompts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_sessions, setup, teardown),
        cmocka_unit_test_setup_teardown(test_compaction, setup, teardown),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
