/*
 * Which tools wait until they are found, what is offered then, and the list of those that were
 * (agent-tools §3.31).
 */
#include "tool_fixture.h"

#include "tool/found_tools.h"
#include "tool/tool_discovery.h"

static bool search_is_available(const Settings *settings)
{
    return tool_discovery_mode(settings) != DISCOVERY_OFF;
}

static const FieldDef no_fields[] = { { 0 } };

#define TOOL(name_, flags_)                                                                        \
    {                                                                                              \
        .name = name_, .summary = name_, .fields = no_fields, .flags = flags_                      \
    }

static const ToolDef read_ = TOOL("read", 0);
static const ToolDef eval_ = TOOL("eval", TOOL_DISCOVERABLE);
static const ToolDef ast_edit_ = TOOL("ast_edit", TOOL_DISCOVERABLE);
static const ToolDef calc_ = TOOL("calc", TOOL_DISCOVERABLE);
static const ToolDef write_ = TOOL("write", 0);
static const ToolDef resolve_ = TOOL("resolve", TOOL_HIDDEN | TOOL_DISCOVERABLE);
static const ToolDef search_ = { .name = TOOL_SEARCH,
                                 .summary = "Finds",
                                 .fields = no_fields,
                                 .is_available = search_is_available };
static const ToolDef *const table[] = { &read_,   &eval_,  &ast_edit_, &calc_,
                                        &search_, &write_, &resolve_,  NULL };

static bool run(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                ToolResult *result G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
    return true;
}

static DynamicTool *host_tool(const char *name)
{
    g_autoptr(json_t) schema = json_of("{'type':'object'}");
    const ToolDef def = { .name = name, .summary = "Far", .schema = schema, .run = run };
    DynamicTool *tool = NULL;
    assert_true(dynamic_tool_new(&def, NULL, &tool, NULL));
    return tool;
}

static char *names_of(const ToolSet *tools)
{
    GString *names = g_string_new(NULL);
    for (size_t i = 0; i < tool_set_count(tools); i++)
        g_string_append_printf(names, "%s%s", i > 0 ? " " : "", tool_set_at(tools, i)->name);
    return g_string_free(names, FALSE);
}

static Settings *settings_of(const char *text)
{
    g_autoptr(json_t) overrides = json_of(text);
    return settings_new(overrides);
}

#define ALL             "'tools':{'discoveryMode':'all'}"
#define ESSENTIAL(list) "{'tools':{'discoveryMode':'all','essentialOverride':" list "}}"

static const struct {
    const char *name, *settings;
    const char *named[4]; // as --tools names them
    const char *found[4];
    const char *offered, *waiting;
} cases[] = {
    { "off: all are offered, and nothing is there to search",
      "{}",
      { NULL },
      { NULL },
      "read eval ast_edit calc write resolve host",
      "" },
    { "mcp-only: what a host brought waits",
      "{'tools':{'discoveryMode':'mcp-only'}}",
      { NULL },
      { NULL },
      "read eval ast_edit calc " TOOL_SEARCH " write resolve",
      "host" },
    { "mcp.discoveryMode says the same",
      "{'mcp':{'discoveryMode':true}}",
      { NULL },
      { "host" },
      "read eval ast_edit calc " TOOL_SEARCH " write resolve host",
      "host" },
    { "all is more than that",
      "{'mcp':{'discoveryMode':true}," ALL "}",
      { NULL },
      { NULL },
      "read " TOOL_SEARCH " write",
      "eval ast_edit calc resolve host" },
    { "found ones come behind, in the order in which they were",
      "{" ALL "}",
      { NULL },
      { "host", "calc", "eval" },
      "read " TOOL_SEARCH " write host calc eval",
      "eval ast_edit calc resolve host" },
    { "a tool brings along the one that it needs; what comes later does not part them",
      "{" ALL "}",
      { NULL },
      { "ast_edit", "calc", "resolve" },
      "read " TOOL_SEARCH " write ast_edit resolve calc",
      "eval ast_edit calc resolve host" },
    { "found names that are no tools, are not there any more, or are offered anyway",
      "{" ALL "}",
      { NULL },
      { "gone", "read", "calc" },
      "read " TOOL_SEARCH " write calc",
      "eval ast_edit calc resolve host" },
    { "essential ones do not wait, nor do those that they need; any case, aliases",
      ESSENTIAL("['Python','AST_EDIT']"),
      { NULL },
      { NULL },
      "read eval ast_edit resolve " TOOL_SEARCH " write",
      "calc resolve host" },
    { "what is no name is passed over",
      ESSENTIAL("[1,null,{},'',' calc ']"),
      { NULL },
      { NULL },
      "read calc " TOOL_SEARCH " write",
      "eval ast_edit resolve host" },
    { "named ones are offered, and what comes with them; a host's still waits",
      "{" ALL "}",
      { "calc", "ast_edit" },
      { NULL },
      "calc ast_edit resolve " TOOL_SEARCH,
      "host" },
};

static void test_modes(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolSet) set = tool_set_new(table);
    DynamicTool *host = host_tool("host");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Settings) settings = settings_of(cases[i].settings);
        g_autoptr(ToolSet) chosen = tool_set_select(set, settings, cases[i].named, NULL);
        g_autoptr(ToolSet) with_host = NULL;
        assert_true(tool_set_add(chosen, &host, 1, settings, &with_host, NULL));
        g_autoptr(ToolSet) tools = tool_set_for_model(with_host, settings, "any");
        g_autoptr(ToolSet) waiting = tool_set_waiting(tools);
        g_autoptr(ToolSet) offered = tool_set_offered(tools, cases[i].found);
        g_autofree char *got_waiting = names_of(waiting);
        g_autofree char *got_offered = names_of(offered);
        assert_text(cases[i].name, got_offered, cases[i].offered);
        assert_text(cases[i].name, got_waiting, cases[i].waiting);
        assert_non_null(tool_set_find(tools, "host")); // whoever waits can be called
    }
    dynamic_tool_unref(host);
}

static void test_nobody_waits_where_nothing_finds_them(void **state G_GNUC_UNUSED)
{
    g_autoptr(Settings) settings = settings_of("{" ALL "}");
    g_autoptr(ToolSet) none = tool_set_new(NULL); // --no-tools
    DynamicTool *host = host_tool("host");
    g_autoptr(ToolSet) tools = NULL;
    assert_true(tool_set_add(none, &host, 1, settings, &tools, NULL));
    dynamic_tool_unref(host);
    g_autoptr(ToolSet) offered = tool_set_offered(tools, NULL);
    g_autoptr(ToolSet) waiting = tool_set_waiting(tools);
    assert_int_equal(tool_set_count(offered), 1);
    assert_int_equal(tool_set_count(waiting), 0);
}

static void test_a_hosts_tool_by_name(void **state G_GNUC_UNUSED)
{
    static const char *const names[] = { "host", NULL };
    g_autoptr(Settings) settings = settings_of("{" ALL "}");
    g_autoptr(ToolSet) set = tool_set_new(table);
    DynamicTool *host = host_tool("host");
    g_autoptr(ToolSet) all = NULL;
    assert_true(tool_set_add(set, &host, 1, settings, &all, NULL));
    dynamic_tool_unref(host);
    g_autoptr(ToolSet) chosen = tool_set_select(all, settings, names, NULL);
    g_autoptr(ToolSet) offered = tool_set_offered(chosen, NULL);
    g_autofree char *got = names_of(offered);
    assert_string_equal(got, "host");
}

static void assert_found(FoundTools *found, const char *want)
{
    g_auto(GStrv) names = found_tools_names(found, NULL);
    g_autofree char *got = g_strjoinv(" ", names);
    assert_string_equal(got, want);
}

static void test_found(void **state G_GNUC_UNUSED)
{
    static const char *const two[] = { "b", "a", "b", NULL };
    static const char *const same[] = { "b", "a", NULL };
    static const char *const none[] = { NULL };
    g_autoptr(FoundTools) found = found_tools_new();
    assert_int_equal(found_tools_version(found), 0);
    found_tools_set(found, none);
    assert_int_equal(found_tools_version(found), 0);
    assert_true(found_tools_add(found, "x"));
    assert_true(found_tools_add(found, "x"));
    unsigned once = found_tools_version(found);
    assert_int_equal(once, 1);
    found_tools_set(found, two);
    assert_found(found, "b a");
    unsigned twice = found_tools_version(found);
    assert_int_not_equal(once, twice);
    found_tools_set(found, same);
    assert_int_equal(found_tools_version(found), twice);

    g_autofree char *long_name = g_strnfill(FOUND_TOOLS_MAX_BYTES + 1, 'n');
    assert_false(found_tools_add(found, long_name));
    for (int i = 0; i < FOUND_TOOLS_MAX + 5; i++) {
        g_autofree char *name = g_strdup_printf("t%d", i);
        assert_int_equal(found_tools_add(found, name), i < FOUND_TOOLS_MAX - 2);
    }
    unsigned version = 0;
    g_auto(GStrv) names = found_tools_names(found, &version);
    assert_int_equal(g_strv_length(names), FOUND_TOOLS_MAX);
    assert_int_equal(version, found_tools_version(found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_nobody_waits_where_nothing_finds_them),
        cmocka_unit_test(test_a_hosts_tool_by_name),
        cmocka_unit_test(test_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
