/*
 * What a person can type, as a set of sources: adding and taking away while the conversation is
 * open, two commands with one name, and what the doors make of one row.
 */
#include "base/str.h"
#include "unit.h"

#include "conversation/slash_set.h"
#include "session_fixture.h"

typedef struct DeployArgs {
    const char *where;
} DeployArgs;

static const FieldDef deploy_fields[] = {
    { "where", FIELD_STRING, offsetof(DeployArgs, where), .is_required = true, .help = "Host" },
    { 0 },
};

static bool run_deploy(AgentSession *session G_GNUC_UNUSED, const void *args,
                       const char *id G_GNUC_UNUSED, CommandReply *reply,
                       GError **error G_GNUC_UNUSED)
{
    reply->data = json_text(((const DeployArgs *)args)->where);
    return true;
}

#define DEPLOY                                                                                     \
    .name = "deploy", .fields = deploy_fields, .args_size = sizeof(DeployArgs), .run = run_deploy, \
    .argument = "WHERE", .field = "where"

static const SessionCommand extension[] = {
    { .slash = "deploy", .summary = "put it there", DEPLOY },
    { .slash = "plain", .summary = "without argument", .name = "plain" },
    { .name = "untyped" },
    { 0 },
};
static const SessionCommand other[] = {
    { .slash = "deploy", .summary = "another one", .name = "deploy2" },
    { .slash = "late", .summary = "late", .name = "late" },
    { 0 },
};

/* "deploy:put it there plain:without argument " */
static char *list_of(const SlashSet *set)
{
    GString *list = g_string_new(NULL);
    const SessionCommand *command = NULL;
    for (size_t i = 0; slash_set_at(set, i, &command, NULL); i++)
        g_string_append_printf(list, "%s:%s ", command->slash, command->summary);
    return g_string_free(list, false);
}

static void assert_list(const SlashSet *set, const char *want)
{
    g_autofree char *got = list_of(set);
    assert_string_equal(got, want);
}

static void count_change(void *count)
{
    ++*(int *)count;
}

static void test_sources(void **state G_GNUC_UNUSED)
{
    SlashSet *set = slash_set_new();
    int changes = 0;
    slash_set_watch(set, count_change, &changes);
    slash_set_add(set, "ext", extension);
    assert_list(set, "deploy:put it there plain:without argument ");
    assert_ptr_equal(slash_set_find(set, "Deploy"), &extension[0]);
    assert_null(slash_set_find(set, "untyped"));
    assert_int_equal(changes, 1);

    slash_set_add(set, "other", other);
    assert_list(set, "deploy:put it there plain:without argument late:late ");
    assert_true(slash_set_remove(set, "ext", "plain"));
    assert_list(set, "deploy:put it there late:late ");
    assert_false(slash_set_remove(set, "ext", "late")); // it is not its own
    assert_int_equal(changes, 3);
    assert_true(slash_set_remove(set, "ext", NULL));
    assert_false(slash_set_has_source(set, "ext"));
    assert_list(set, "deploy:another one late:late "); // the one that was not used comes back
    assert_false(slash_set_remove(set, "ext", NULL));
    assert_int_equal(changes, 4);
    slash_set_free(set);
}

static void test_clash(void **state G_GNUC_UNUSED)
{
    SlashSet *set = slash_set_new();
    slash_set_add(set, "ext", extension);
    assert_null(slash_set_take_clash(set));
    slash_set_add(set, "other", other);
    g_autofree char *clash = slash_set_take_clash(set);
    assert_string_equal(clash, "/deploy is the command of ext; the one of other is not used");
    assert_null(slash_set_take_clash(set)); // once
    slash_set_add(set, "third", extension + 1);
    g_autofree char *second = slash_set_take_clash(set);
    assert_string_equal(second, "/plain is the command of ext; the one of third is not used");
    slash_set_free(set);
}

static bool is_deploy(const SessionCommand *command)
{
    return g_str_equal(command->slash, "deploy");
}

/* Of a line that no command is carried out for: what is said once, and then it is a message. */
static void test_lines_that_are_held(void **state G_GNUC_UNUSED)
{
    static const SessionCommand own[] = { { .slash = "new", .summary = "begin", .name = "new" },
                                          { 0 } };
    static const struct {
        const char *line, *said; // NULL: it goes on at once
        bool is_elsewhere;       // only /deploy can be carried out here
    } rows[] = {
        { "/deploy quay", NULL, false },
        { "/clear", NULL, false }, // as /new
        { "/CLEAR", NULL, false },
        { "/clear", "/new is a command of kedge's own terminal: begin.", true },
        { "/new", "/new is a command of kedge's own terminal: begin.", true },
        { "/new words", NULL, true },
        { "/cost", "/usage is a command of kedge's own terminal.", true },
        { "/cost of it", NULL, true },
        { "/init", "there is no /init: ask in words", false },
        { "/init now", "there is no /init: ask in words", true },
        { "/deploi quay", "there is no /deploi: did you mean /deploy?", false },
        { "/rewindd", "there is no command /rewindd.", false }, // there is no /tree here
        { "/foo", "there is no command /foo.", false },
        { "/foo bar", NULL, false },
        { "/etc/passwd", NULL, false },
        { "/", NULL, false },
        { "/ foo", NULL, false },
        { "//foo", NULL, false },
        { "foo", NULL, false },
        { "", NULL, false },
    };
    SlashSet *set = slash_set_new();
    slash_set_add(set, "ext", extension);
    slash_set_add(set, "own", own);
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        bool (*has)(const SessionCommand *command) = rows[i].is_elsewhere ? is_deploy : NULL;
        g_autofree char *first = slash_set_hold(set, rows[i].line, has);
        g_autofree char *again = slash_set_hold(set, rows[i].line, has);
        if (rows[i].said ? !first || !str_has_prefix(first, rows[i].said) : first != NULL)
            fail_msg("%s: got '%s', want '%s'", rows[i].line, first, rows[i].said);
        if (again)
            fail_msg("%s: held a second time: '%s'", rows[i].line, again);
    }
    g_autofree char *first = slash_set_hold(set, "/foo", NULL);
    assert_null(slash_set_hold(set, "another line", NULL));
    g_autofree char *later = slash_set_hold(set, "/foo", NULL);
    assert_non_null(first);
    assert_non_null(later); // it was not the next one
    slash_set_free(set);
}

static json_t *listed_for_programs(SessionFixture *self)
{
    g_auto(CommandReply) reply = { 0 };
    assert_true(session_fixture_command(self, "get_commands", NULL, &reply));
    return json_incref(json_get_array(reply.data, "commands"));
}

/* RPC and libkedge go through session_command_run(), ACP and the terminal through
   session_command_run_typed(). */
static void test_one_row_for_all_doors(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    SlashSet *set = session_slash_set(self->session);
    g_autoptr(json_t) before = listed_for_programs(self);
    assert_int_equal(json_array_size(before), 0); // they have the others as commands of their own
    assert_non_null(slash_set_find(set, "compact"));
    assert_false(session_fixture_command(self, "deploy", "{\"where\":\"x\"}", NULL));

    slash_set_add(set, "ext", extension);
    g_autoptr(json_t) during = listed_for_programs(self);
    g_autofree char *listed = json_to_text(during);
    assert_string_equal(
        listed, "[{\"name\":\"deploy\",\"description\":\"put it there\",\"source\":\"ext\"}]");
    g_auto(CommandReply) named = { 0 }, typed = { 0 };
    assert_true(session_fixture_command(self, "deploy", "{\"where\":\"quay\"}", &named));
    assert_string_equal(json_string_value(named.data), "quay");
    assert_true(session_command_run_typed(self->session, slash_set_find(set, "deploy"), "quay",
                                          NULL, &typed, NULL));
    assert_true(json_equal(named.data, typed.data));

    assert_true(slash_set_remove(set, "ext", "deploy"));
    g_autoptr(json_t) after = listed_for_programs(self);
    assert_int_equal(json_array_size(after), 0);
    assert_false(session_fixture_command(self, "deploy", "{\"where\":\"x\"}", NULL));
    assert_string_equal(self->error->message, "Unknown command: deploy");
    session_fixture_free(self);
}

static void test_typed(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    const SlashSet *set = session_slash_set(self->session);
    g_auto(CommandReply) reply = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(session_command_run_typed(self->session, slash_set_find(set, "new"), "now", NULL,
                                           &reply, &error));
    assert_string_equal(error->message, "/new takes no argument, not \"now\"");
    assert_true(session_command_run_typed(self->session, slash_set_find(set, "rename"), "Quay", "r",
                                          &reply, NULL));
    session_fixture_wait(self);
    g_autoptr(json_t) now = agent_session_state(self->session);
    assert_string_equal(json_get_text(now, "sessionName"), "Quay");
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_clash),
        cmocka_unit_test(test_lines_that_are_held),
        cmocka_unit_test(test_one_row_for_all_doors),
        cmocka_unit_test(test_typed),
    };
    return cmocka_run_group_tests_name("slash-set", tests, NULL, NULL);
}
