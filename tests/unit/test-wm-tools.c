/*
 * The tools that a workflow task leaves its agent (task-engine §5.7).
 */
#include "unit.h"

#include "tool/hook.h"
#include "wm/apply/wm_tools.h"

#include <string.h>

static void test_commands(void **state G_GNUC_UNUSED)
{
    static const char *const prefixes[] = { "git status", "make", "echo", NULL };
    static const struct {
        const char *command;
        bool is_allowed;
    } cases[] = {
        { "git status", true },
        { "  git status -s\n", true },
        { "git status && make test; echo done | echo x", true },
        { "make", true },
        { "makeself", false },
        { "git", false },
        { "git stash", false },
        { "git status; rm -rf /", false },
        { "echo a\nrm b", false },
        { "echo a & rm b", false },
        { "echo $(rm b)", false },
        { "echo `rm b`", false },
        { "echo a > b", false },
        { "make < b", false },
        { "{ rm; }", false },
        { "X=1 make", false },
        { "! make", false },
        { "echo 'a; rm b (c) > d `e` $(f)' && make", true }, // what is quoted is text
        { "echo \"a; rm b (c) > d 'e' #f\"; make", true },
        { "echo a\\;rm \\'b", true },
        { "echo \"\\\"; rm b\"", true },
        { "echo \"a\"; rm \"b\"", false },
        { "echo \"$(rm b)\"", false },
        { "echo \"`rm b`\"", false },
        { "echo \"${x:-a}\"", false },
        { "echo $'a\\'; rm b; '", false },
        { "echo 'a\\' ; rm b '", false }, // fish ends it elsewhere
        { "echo a # it's\nrm b # '", false },
        { "#' \nrm b # '", false },
        { "echo 'open", false },
        { "echo \"open", false },
        { "echo a\\", false },
        { "echo \\\nb; make", true },
        { "git \\\nstatus", false },
        { "", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        bool is_allowed = wm_tools_allow_command(prefixes, cases[i].command, &error);
        if (is_allowed != cases[i].is_allowed || is_allowed != (error == NULL))
            fail_msg("%s: %s", cases[i].command, error ? error->message : "allowed");
        if (error && !strstr(error->message, "git status, make, echo"))
            fail_msg("%s: %s", cases[i].command, error->message);
    }
}

static const ToolDef tools_of_test[] = {
    { .name = "bash" }, { .name = "edit" },
    { .name = "eval" }, { .name = "gh", .flags = TOOL_GITHUB | TOOL_GH },
    { .name = "read" }, { .name = "write" },
};

static void test_filter(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *tools, *left; // NULL: nothing is limited
        bool has_limit;
    } cases[] = {
        { NULL, NULL, false },
        { "null", NULL, false },
        { "a text", NULL, false },
        { "{}", "bash edit eval gh read write ", false },
        { "{\"bash\":true,\"edit\":null,\"github\":{\"toolsets\":[\"default\"]}}",
          "bash edit eval gh read write ", false },
        { "{\"bash\":false}", "edit gh read write ", false },
        { "{\"bash\":[]}", "edit gh read write ", true },
        { "{\"bash\":[\"git status:*\"]}", "bash edit gh read write ", true },
        { "{\"bash\":[\"git\",\"*\"]}", "bash edit eval gh read write ", false },
        { "{\"edit\":false}", "bash eval gh read ", false },
        { "{\"github\":false,\"web-fetch\":false}", "bash edit eval read write ", false },
    };
    const ToolDef *table[G_N_ELEMENTS(tools_of_test) + 1] = { NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(tools_of_test); i++)
        table[i] = &tools_of_test[i];
    g_autoptr(ToolSet) all = tool_set_new(table);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_setenv("KEDGE_WM_RUN_ID", "fix-1", TRUE);
        if (cases[i].tools)
            g_setenv("WM_TASK_TOOLS", cases[i].tools, TRUE);
        else
            g_unsetenv("WM_TASK_TOOLS");
        g_autoptr(WmTools) limits = wm_tools_new(NULL);
        g_autoptr(GString) left = g_string_new(NULL);
        g_autoptr(ToolSet) kept = limits ? wm_tools_filter(limits, all) : NULL;
        for (size_t t = 0; kept && t < tool_set_count(kept); t++)
            g_string_append_printf(left, "%s ", tool_set_at(kept, t)->name);
        if (g_strcmp0(limits ? left->str : NULL, cases[i].left) != 0)
            fail_msg("%s: %s", cases[i].tools, left->str);
        if (limits)
            assert_true((wm_tools_tables(limits)->hooks[0] != NULL) == cases[i].has_limit);
    }
    g_unsetenv("KEDGE_WM_RUN_ID"); // somebody else's variable
    g_setenv("WM_TASK_TOOLS", "{\"bash\":false}", TRUE);
    assert_null(wm_tools_new(NULL));
    g_unsetenv("WM_TASK_TOOLS");
}

static void test_hooks_stay(void **state G_GNUC_UNUSED)
{
    static const ToolHook other = { .name = "other" };
    static const ToolHook *const hooks[] = { &other, NULL };
    const ContextTables base = { .hooks = hooks };
    g_setenv("KEDGE_WM_RUN_ID", "fix-1", TRUE);
    g_setenv("WM_TASK_TOOLS", "{\"bash\":[\"make\"]}", TRUE);
    g_autoptr(WmTools) limits = wm_tools_new(&base);
    const ContextTables *tables = wm_tools_tables(limits);
    assert_ptr_equal(tables->hooks[0], &other);
    assert_string_equal(tables->hooks[1]->name, "the commands of a task");
    assert_null(tables->hooks[2]);
    g_unsetenv("KEDGE_WM_RUN_ID");
    g_unsetenv("WM_TASK_TOOLS");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_hooks_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
