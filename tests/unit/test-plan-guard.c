/*
 * What calls may do while a conversation plans: the gate, targets, links, previews.
 */
#include "base/str.h"
#include "tool_fixture.h"

#include "tool/context.h"
#include "tool/pending_action.h"
#include "tool/plan_mode.h"
#include "tools/tools.h"

#include <unistd.h>

#define ONLY_PLAN "Plan mode: only the plan file may be modified (local://PLAN.md)."

static const UrlScheme *const schemes[] = { &url_local, &url_plan, NULL };

/* `mode` outlives it. */
static ToolFixture *planning(PlanMode *mode)
{
    ToolFixture *self = tool_fixture_new(NULL, true);
    tool_context_add_schemes(self->context, schemes);
    tool_context_set_parts(self->context, &(ConversationParts) { .plan_mode = mode });
    plan_mode_enter(mode, PLAN_FILE_URL);
    return self;
}

static char *called(const ToolFixture *self, const ToolDef *tool, const char *arguments,
                    bool *ret_is_error)
{
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(self, tool, json_of(arguments), &result);
    *ret_is_error = result.is_error;
    return tool_result_text(&result);
}

/* Whatever tools a model is offered, the gate says what runs. */
static void test_gate(void **state G_GNUC_UNUSED)
{
    static const struct {
        const ToolDef *tool;
        const char *arguments;
    } cases[] = {
        { &tool_bash, "{'command':'touch made'}" },
        { &tool_bash, "{'command':'true'}" },
        { &tool_eval, "{'input':'1+1'}" },
        { &tool_todo_write, "{'ops':[{'op':'rm'}]}" },
    };
    g_autoptr(PlanMode) mode = plan_mode_new(NULL, true);
    g_autoptr(ToolFixture) self = planning(mode);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool is_error = false;
        g_autofree char *text = called(self, cases[i].tool, cases[i].arguments, &is_error);
        if (!is_error || !strstr(text, ONLY_PLAN))
            fail_msg("%s: %s", cases[i].tool->name, text);
    }
    bool is_error = false;
    tool_fixture_put(self, "a.txt", "words\n");
    g_autofree char *read = called(self, &tool_read, "{'path':'a.txt'}", &is_error);
    assert_false(is_error);
    assert_non_null(strstr(read, "words"));
    g_autofree char *refused = called(self, &tool_bash, "{'command':'touch made'}", &is_error);
    assert_true(str_has_prefix(refused, "refused: bash ("));
    plan_mode_leave(mode);
    g_autofree char *text = called(self, &tool_write, "{'path':'b.txt','content':'x'}", &is_error);
    assert_string_equal(text, "Successfully wrote 1 bytes to b.txt");
}

static bool never_applied(ToolCall *call G_GNUC_UNUSED, void *data G_GNUC_UNUSED,
                          ToolResult *result G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
    fail_msg("what was prepared is applied");
    return false;
}

/* What was prepared before is not carried out; it can be dropped, and then a plan handed in. */
static void test_preview(void **state G_GNUC_UNUSED)
{
    g_autoptr(PlanMode) mode = plan_mode_new(NULL, false);
    g_autoptr(ToolFixture) self = planning(mode);
    PendingAction *action = g_new0(PendingAction, 1);
    action->label = g_strdup("AST Edit: 1 replacement");
    action->source = "ast_edit";
    action->apply = never_applied;
    pending_action_set(self->context, action);
    bool is_error = false;
    g_autofree char *refused = called(
        self, &tool_resolve, "{'action':'apply','reason':'r','extra':{'title':'t'}}", &is_error);
    assert_true(is_error);
    assert_non_null(strstr(refused, ONLY_PLAN));
    g_autofree char *dropped =
        called(self, &tool_resolve, "{'action':'discard','reason':'r'}", &is_error);
    assert_true(str_has_prefix(dropped, "Discarded: "));
    g_autofree char *missing = called(
        self, &tool_resolve, "{'action':'apply','reason':'r','extra':{'title':'t'}}", &is_error);
    assert_true(str_has_prefix(missing, "Plan file not found at local://PLAN.md."));
}

/* A link in the place of the plan leads nowhere. */
static void test_link(void **state G_GNUC_UNUSED)
{
    g_autoptr(PlanMode) mode = plan_mode_new(NULL, true);
    g_autoptr(ToolFixture) self = planning(mode);
    tool_fixture_put(self, "secret.txt", "kept\n");
    g_autofree char *dir = g_build_filename(self->root, "session", "local", NULL);
    g_autofree char *link = g_build_filename(dir, "PLAN.md", NULL);
    g_autofree char *target = g_build_filename(self->cwd, "secret.txt", NULL);
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_int_equal(symlink(target, link), 0);
    static const char *const paths[] = { "PLAN.md", "local://PLAN.md", "plan://", "secret.txt" };
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        bool is_error = false;
        g_autofree char *arguments = g_strdup_printf("{'path':'%s','content':'gone'}", paths[i]);
        g_autofree char *text = called(self, &tool_write, arguments, &is_error);
        if (!is_error)
            fail_msg("%s: %s", paths[i], text);
    }
    g_autofree char *text = NULL;
    assert_true(file_read(target, 100, &text, NULL, NULL));
    assert_string_equal(text, "kept\n");
}

/* `plan://` alone is the plan of the conversation. */
static void test_current_plan(void **state G_GNUC_UNUSED)
{
    g_autoptr(PlanMode) mode = plan_mode_new(NULL, true);
    g_autoptr(ToolFixture) self = planning(mode);
    bool is_error = false;
    g_autofree char *written =
        called(self, &tool_write, "{'path':'plan://','content':'1. Begin.'}", &is_error);
    assert_true(str_has_prefix(written, "Successfully wrote 9 bytes to "));
    g_autofree char *read = called(self, &tool_read, "{'path':'local://PLAN.md'}", &is_error);
    assert_non_null(strstr(read, "1. Begin."));
    g_autofree char *current = called(self, &tool_read, "{'path':'plan://'}", &is_error);
    assert_non_null(strstr(current, "1. Begin."));
    plan_mode_leave(mode);
    g_autofree char *none = called(self, &tool_read, "{'path':'plan://'}", &is_error);
    assert_string_equal(none, "No active plan.");
}

/* A child writes nothing, not even a plan of its own. */
static void test_child(void **state G_GNUC_UNUSED)
{
    g_autoptr(PlanMode) parent = plan_mode_new(NULL, true);
    g_autoptr(PlanMode) mode = plan_mode_new(parent, true);
    g_autoptr(ToolFixture) self = planning(mode);
    plan_mode_leave(mode);
    plan_mode_enter(parent, PLAN_FILE_URL);
    static const char *const paths[] = { "PLAN.md", "local://PLAN.md", "a.txt" };
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        bool is_error = false;
        g_autofree char *arguments = g_strdup_printf("{'path':'%s','content':'x'}", paths[i]);
        g_autofree char *text = called(self, &tool_write, arguments, &is_error);
        assert_string_equal(text, ONLY_PLAN);
    }
}

/* A plan that no person could read, and no model be told. */
static void test_large_plan(void **state G_GNUC_UNUSED)
{
    g_autoptr(PlanMode) mode = plan_mode_new(NULL, true);
    g_autoptr(ToolFixture) self = planning(mode);
    g_autofree char *dir = g_build_filename(self->root, "session", "local", NULL);
    g_autofree char *path = g_build_filename(dir, "PLAN.md", NULL);
    g_autofree char *text = g_strnfill(300 * 1024, 'x');
    assert_true(file_make_dirs(dir, 0700, NULL));
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    bool is_error = false;
    g_autofree char *refused = called(
        self, &tool_resolve, "{'action':'apply','reason':'r','extra':{'title':'t'}}", &is_error);
    assert_true(is_error);
    assert_non_null(strstr(refused, "PLAN.md"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gate),  cmocka_unit_test(test_preview),
        cmocka_unit_test(test_link),  cmocka_unit_test(test_current_plan),
        cmocka_unit_test(test_child), cmocka_unit_test(test_large_plan),
    };
    return cmocka_run_group_tests_name("plan-guard", tests, NULL, NULL);
}
