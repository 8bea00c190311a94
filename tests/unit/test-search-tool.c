/*
 * search_tool_bm25 (agent-tools §3.31): what it finds among kedge's own tools and others, what it
 * says, and words that nobody means well.
 */
#include "tool_fixture.h"

#include "tool/tool_discovery.h"
#include "tools/tools.h"

static const ToolDef *const table[] = { &tool_read, &tool_eval,  &tool_calc,
                                        &tool_ssh,  &tool_write, &tool_search_tool_bm25,
                                        NULL };

typedef struct Search {
    ToolFixture *fixture;
    FoundTools *found;
} Search;

static int setup(void **state)
{
    Search *self = g_new0(Search, 1);
    self->fixture = tool_fixture_new(
        "{'tools':{'discoveryMode':'all'},'calc':{'enabled':true},'eval':{'py':false,'js':false}}",
        false);
    self->found = found_tools_new();
    tool_context_set_parts(self->fixture->context, &(ConversationParts) { .found = self->found });
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Search *self = *state;
    tool_fixture_free(self->fixture);
    found_tools_unref(self->found);
    g_free(self);
    return 0;
}

static bool run(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                ToolResult *result G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
    return true;
}

/* Behind kedge's own: `count` tools of a host, or those that `describe` says. */
static void offer(Search *self, DynamicTool *const *tools, size_t count)
{
    const Settings *settings = tool_context_settings(self->fixture->context);
    g_autoptr(ToolSet) all = tool_set_new(table);
    g_autoptr(ToolSet) chosen = tool_set_select(all, settings, NULL, NULL);
    tool_set_unref(self->fixture->tools);
    assert_true(tool_set_add(chosen, tools, count, settings, &self->fixture->tools, NULL));
}

static DynamicTool *host_tool(const char *name, const char *description, const char *schema_text)
{
    g_autoptr(json_t) schema = json_of(schema_text);
    const ToolDef def = { .name = name, .description = description, .schema = schema, .run = run };
    DynamicTool *tool = NULL;
    assert_true(dynamic_tool_new(&def, NULL, &tool, NULL));
    return tool;
}

static void assert_found(const Search *self, const char *want)
{
    g_auto(GStrv) names = found_tools_names(self->found, NULL);
    g_autofree char *got = g_strjoinv(" ", names);
    assert_string_equal(got, want);
}

static void test_search(void **state)
{
    static const struct {
        const char *name, *arguments, *want;
    } cases[] = {
        { "by name", "{'query':'calc'}",
          "{\"query\":\"calc\",\"activated_tools\":[\"calc\"],\"match_count\":1,\"total_tools\":"
          "3}" },
        { "by what it does", "{'query':'Calculate something'}",
          "{\"query\":\"Calculate something\",\"activated_tools\":[\"calc\"],\"match_count\":1,"
          "\"total_tools\":3}" },
        { "by an argument, and by the words of a name", "{'query':'shipId'}",
          "{\"query\":\"shipId\",\"activated_tools\":[\"harbor_dock\"],\"match_count\":1,"
          "\"total_tools\":3}" },
        { "a name counts more than a description", "{'query':'dock'}",
          "{\"query\":\"dock\",\"activated_tools\":[\"harbor_dock\",\"harborList\"],\"match_"
          "count\":"
          "2,\"total_tools\":3}" },
        { "only as many as wanted; the count says that there are more",
          "{'query':'harbor','limit':1}",
          "{\"query\":\"harbor\",\"activated_tools\":[\"harbor_dock\"],\"match_count\":2,\"total_"
          "tools\":3}" },
        { "nothing", "{'query':'weather'}",
          "{\"query\":\"weather\",\"activated_tools\":[],\"match_count\":0,\"total_tools\":3}" },
        { "what is offered anyway is not searched", "{'query':'read write'}",
          "{\"query\":\"read write\",\"activated_tools\":[],\"match_count\":0,\"total_tools\":3}" },
    };
    Search *self = *state;
    DynamicTool *const tools[] = {
        host_tool("harbor_dock", "Moors a ship",
                  "{'type':'object','properties':{'shipId':{'type':'string'}}}"),
        host_tool("harborList", "Ships at a dock", "{'type':'object'}"),
    };
    offer(self, tools, G_N_ELEMENTS(tools));
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got =
            tool_fixture_text(self->fixture, &tool_search_tool_bm25, json_of(cases[i].arguments));
        assert_text(cases[i].name, got, cases[i].want);
    }
    assert_found(self, "calc harbor_dock harborList");
    for (size_t i = 0; i < G_N_ELEMENTS(tools); i++)
        dynamic_tool_unref(tools[i]);
}

static void test_description(void **state)
{
    Search *self = *state;
    offer(self, NULL, 0);
    g_autofree char *few = tool_description(&tool_search_tool_bm25, self->fixture->tools);
    assert_true(g_str_has_suffix(few, " There are: calc."));
    g_autoptr(GPtrArray) tools = g_ptr_array_new();
    for (int i = 0; i < 40; i++) {
        g_autofree char *name = g_strdup_printf("t%d", i);
        g_ptr_array_add(tools, host_tool(name, "Far", "{'type':'object'}"));
    }
    offer(self, (DynamicTool *const *)tools->pdata, tools->len);
    g_autofree char *many = tool_description(&tool_search_tool_bm25, self->fixture->tools);
    assert_true(g_str_has_suffix(many, "t27, t28 and 11 more."));
    for (guint i = 0; i < tools->len; i++)
        dynamic_tool_unref(tools->pdata[i]);
}

static json_t *query(const char *text)
{
    return json_pack("{s:o}", "query", json_text(text));
}

static void test_hostile(void **state)
{
    Search *self = *state;
    offer(self, NULL, 0);
    const ToolDef *tool = &tool_search_tool_bm25;
    g_autofree char *filler = g_strnfill(1024 * 1024, '~');
    g_autofree char *huge = g_strconcat("calc \x1b[31m\x07 ", filler, NULL);
    g_autofree char *text = tool_fixture_text(self->fixture, tool, query(huge));
    assert_true(strlen(text) < 1024);
    assert_non_null(strstr(text, "\"activated_tools\":[\"calc\"]"));
    for (const char *at = text; *at; at++)
        assert_false(g_ascii_iscntrl(*at)); // as JSON has them

    static const char *const blank[] = { "", " \n", "?!", "\x01\x02" };
    for (size_t i = 0; i < G_N_ELEMENTS(blank); i++) {
        g_autofree char *problem = tool_fixture_error(self->fixture, tool, query(blank[i]));
        assert_contains(blank[i], problem, "has no words: say what the tool is to do");
    }
    g_autofree char *no_words = tool_fixture_error(self->fixture, tool, query(filler));
    assert_true(strlen(no_words) < 2048);
    static const char *const limits[] = { "0", "-1", "51", "'many'", "1e99" };
    for (size_t i = 0; i < G_N_ELEMENTS(limits); i++) {
        g_autofree char *arguments = g_strdup_printf("{'query':'calc','limit':%s}", limits[i]);
        g_autofree char *problem = tool_fixture_error(self->fixture, tool, json_of(arguments));
        assert_contains(limits[i], problem, "Validation failed");
    }
}

static void test_without_a_conversation(void **state)
{
    Search *self = *state;
    offer(self, NULL, 0);
    tool_context_set_parts(self->fixture->context, &(ConversationParts) { 0 });
    g_autofree char *problem =
        tool_fixture_error(self->fixture, &tool_search_tool_bm25, query("calc"));
    assert_contains("no conversation", problem, "in a conversation only");
}

/* Each of a limit's worth of hits has room, or is not said to be there. */
static void test_full(void **state)
{
    Search *self = *state;
    offer(self, NULL, 0);
    for (int i = 0; i < FOUND_TOOLS_MAX; i++) {
        g_autofree char *name = g_strdup_printf("t%d", i);
        found_tools_add(self->found, name);
    }
    g_autofree char *text = tool_fixture_text(self->fixture, &tool_search_tool_bm25, query("calc"));
    assert_non_null(strstr(text, "\"activated_tools\":[],\"match_count\":1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_search, setup, teardown),
        cmocka_unit_test_setup_teardown(test_description, setup, teardown),
        cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_a_conversation, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
