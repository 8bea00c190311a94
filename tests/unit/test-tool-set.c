/*
 * Finding and choosing tools (agent-tools §1.2).
 */
#include "unit.h"

#include "tool/tool_set.h"

static bool grep_is_available(const Settings *settings)
{
    return settings_get_bool(settings, "grep.enabled");
}

typedef struct ProbeArgs {
    const char *path;
} ProbeArgs;

static const FieldDef probe_fields[] = {
    { "path", FIELD_STRING, offsetof(ProbeArgs, path), .is_required = true, .help = "Where" },
    { 0 },
};

static const FieldDef no_fields[] = { { 0 } };

static const ToolDef tool_read_ = {
    .name = "read", .summary = "Reads", .description = "Reads a file", .fields = probe_fields
};
static const ToolDef tool_find_ = { .name = "find", .summary = "Finds", .fields = no_fields };
static const ToolDef tool_grep_ = {
    .name = "grep", .summary = "Greps", .fields = no_fields, .is_available = grep_is_available
};
static const ToolDef tool_yield_ = {
    .name = "yield", .summary = "Ends", .fields = no_fields, .flags = TOOL_HIDDEN
};
static const ToolDef *const table[] = { &tool_read_, &tool_find_, &tool_grep_, &tool_yield_, NULL };

static char *names_of(const ToolSet *tools)
{
    GString *names = g_string_new(NULL);
    for (size_t i = 0; i < tool_set_count(tools); i++)
        g_string_append_printf(names, "%s%s", i > 0 ? " " : "", tool_set_at(tools, i)->name);
    return g_string_free(names, FALSE);
}

static void test_find(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolSet) set = tool_set_new(table);
    assert_ptr_equal(tool_set_find(set, "read"), &tool_read_);
    assert_ptr_equal(tool_set_find(set, "search"), &tool_grep_);
    assert_ptr_equal(tool_set_find(set, "glob"), &tool_find_);
    assert_null(tool_set_find(set, "nope"));
}

static void test_select(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        const char *names[6];
        bool has_grep;
        const char *want, *unknown;
    } cases[] = {
        { "no list: all that are not hidden", { NULL }, true, "read find grep", "" },
        { "no list, one switched off", { NULL }, false, "read find", "" },
        { "tools-T1: any case, off is off", { "read", "GREP", "task" }, false, "read", "task" },
        { "tools-T2: alias", { "search" }, true, "grep", "" },
        { "in the order asked, once each",
          { "grep", "search", " read ", "grep" },
          true,
          "grep read",
          "" },
        { "tools-T3: hidden by name only", { "yield" }, true, "yield", "" },
        { "unknown", { "x", "find", "y" }, true, "find", "x y" },
        { "blank words are nothing", { " ", "find" }, true, "find", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) overrides =
            json_pack("{s:{s:b}}", "grep", "enabled", (int)cases[i].has_grep);
        g_autoptr(Settings) settings = settings_new(overrides);
        g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(g_free);
        g_autoptr(ToolSet) set = tool_set_new(table);
        g_autoptr(ToolSet) tools =
            tool_set_select(set, settings, (const char *const *)cases[i].names, unknown);
        g_autofree char *got = names_of(tools);
        g_ptr_array_add(unknown, NULL);
        g_autofree char *rest = g_strjoinv(" ", (char **)unknown->pdata);
        if (strcmp(got, cases[i].want) != 0 || strcmp(rest, cases[i].unknown) != 0)
            fail_msg("%s: got '%s', unknown '%s'", cases[i].name, got, rest);
    }
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolSet) set = tool_set_new(table);
    g_autoptr(ToolSet) all = tool_set_select(set, settings, NULL, NULL);
    assert_int_equal(tool_set_count(all), 3);
}

static void test_describe(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolSet) set = tool_set_new(table);
    g_autoptr(json_t) read = tool_describe(&tool_read_, set);
    assert_string_equal(json_get_text(read, "name"), "read");
    assert_string_equal(json_get_text(read, "description"), "Reads a file");
    assert_string_equal(json_string_value(json_get_path(read, "parameters.properties.path.type")),
                        "string");
    assert_true(json_is_false(json_get_path(read, "parameters.additionalProperties")));

    g_autoptr(json_t) find = tool_describe(&tool_find_, set);
    assert_string_equal(json_get_text(find, "description"), "Finds");
}

/* The form for the model stays the same tool, also when it is chosen anew for another. */
static const ToolDef fancy = { .name = "dress", .summary = "fancy" };
static const ToolDef plain;

static const ToolDef *choose(const Settings *settings, const char *model_id)
{
    bool is_fancy = settings_get_bool(settings, "grep.enabled") && g_strcmp0(model_id, "big") == 0;
    return is_fancy ? &fancy : &plain;
}

static const ToolDef plain = { .name = "dress", .summary = "plain", .variant = choose };

static void test_for_model(void **state G_GNUC_UNUSED)
{
    static const ToolDef *const dresses[] = { &tool_read_, &plain, NULL };
    static const char *const models[] = { NULL, "big", "small", "big" };
    g_autoptr(Settings) settings = settings_new(NULL);
    g_autoptr(ToolSet) set = tool_set_new(dresses);
    for (size_t i = 0; i < G_N_ELEMENTS(models); i++) {
        ToolSet *next = tool_set_for_model(set, settings, models[i]);
        tool_set_unref(set);
        set = next;
        assert_int_equal(tool_set_count(set), 2);
        assert_ptr_equal(tool_set_at(set, 0), &tool_read_);
        assert_ptr_equal(tool_set_at(set, 1), i % 2 == 1 ? &fancy : &plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_select),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_for_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
