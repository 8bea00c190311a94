/* yield with and without a schema, type definitions, and report_finding. */
#include "base/str.h"
#include "tool_fixture.h"

#include "tool/yielded.h"
#include "tools/control/jtd.h"
#include "tools/control/yield.h"
#include "tools/tools.h"

static void test_yield(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *want;
        bool is_error, is_done;
    } cases[] = {
        { "{'result':{'data':{'n':1}}}", "Result submitted.", false, true },
        { "{'result':{'data':[1]}}", "Result submitted.", false, true },
        { "{'result':{'error':'no luck'}}", "Task aborted: no luck", false, false },
        { "{'result':{'data':1,'error':'x'}}", "result cannot contain both data and error", true,
          false },
        { "{'result':{}}",
          "result must contain either `data` or `error`. Use `{result: {data: <your output>}}` for "
          "success or `{result: {error: \"message\"}}` for failure.",
          true, false },
        { "{'result':{'data':null}}", "data is required when yield indicates success", true,
          false },
        { "{'result':'done'}", "result must be an object containing either data or error", true,
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_yield, json_of(cases[i].arguments), &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text(cases[i].arguments, text, cases[i].want);
        assert_int_equal(result.is_error, cases[i].is_error);
        assert_int_equal(yielded_is_done(fixture->context), cases[i].is_done);
        yielded_reset(fixture->context);
        assert_false(yielded_is_done(fixture->context));
    }
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, &tool_yield, json_of("{'result':{'data':{'n':1}}}"), &result);
    g_autofree char *details = json_to_text(result.details);
    assert_text("details", details, "{\"status\":\"success\",\"data\":{\"n\":1}}");
}

static char *hand_in(const ToolFixture *fixture, const DynamicTool *tool, const char *arguments)
{
    g_auto(ToolResult) result = { 0 };
    tool_fixture_call(fixture, dynamic_tool_def(tool), json_of(arguments), &result);
    return tool_result_text(&result);
}

/* tools-T85: refused once, then better than nothing. */
static void test_schema(void **state G_GNUC_UNUSED)
{
    static const char *const schemas[] = {
        "{'properties':{'n':{'type':'int32'}}}",
        "{'type':'object','properties':{'n':{'type':'integer'}},'required':['n'],"
        "'additionalProperties':false}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(schemas); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autoptr(json_t) schema = json_of(schemas[i]);
        g_autoptr(DynamicTool) tool = yield_tool_new(schema);
        g_autofree char *first = hand_in(fixture, tool, "{'result':{'data':{'n':'x'}}}");
        assert_true(str_has_prefix(first, "Output does not match schema: data.n: "));
        assert_false(yielded_is_done(fixture->context));
        g_autofree char *second = hand_in(fixture, tool, "{'result':{'data':{'n':'x'}}}");
        assert_text("second", second,
                    "Result submitted (schema validation overridden after 1 failed attempt(s)).");
        assert_true(yielded_is_done(fixture->context));
        g_autofree char *good = hand_in(fixture, tool, "{'result':{'data':{'n':3}}}");
        assert_text("good", good, "Result submitted.");
    }
}

/* A text that is a schema; one that is none is said, and anything will do. */
static void test_strange_schemas(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *schema; // JSON
        const char *said;   // of {"n":"x"}
        bool is_understood;
    } cases[] = {
        { "\"{\\\"properties\\\":{\\\"n\\\":{\\\"type\\\":\\\"int8\\\"}}}\"",
          "Output does not match schema: ", true },
        { "\"not JSON\"", "Result submitted.", false },
        { "[1]", "Result submitted.", false },
        { "{\"type\":\"object\",\"properties\":7}", "Result submitted.", false },
        { "{\"properties\":{\"n\":{\"ref\":\"a\"}},\"definitions\":{\"a\":{\"ref\":\"a\"}}}",
          "Result submitted.", false },
        { "{}", "Result submitted.", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autofree char *text = g_strdup_printf("{\"schema\":%s}", cases[i].schema);
        g_autoptr(json_t) parsed = NULL;
        assert_true(json_parse_text(text, &parsed, NULL));
        g_autoptr(DynamicTool) tool = yield_tool_new(json_object_get(parsed, "schema"));
        const char *description = dynamic_tool_def(tool)->description;
        assert_int_equal(strstr(description, "cannot be understood") == NULL,
                         cases[i].is_understood);
        g_autofree char *said = hand_in(fixture, tool, "{'result':{'data':{'n':'x'}}}");
        assert_true(str_has_prefix(said, cases[i].said));
    }
}

static void test_jtd(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *definition, *want; // NULL: none
    } cases[] = {
        { "{'type':'timestamp'}", "{\"type\":\"string\",\"format\":\"date-time\"}" },
        { "{'type':'float32','nullable':true}", "{\"type\":[\"number\",\"null\"]}" },
        { "{'enum':['a','b']}", "{\"enum\":[\"a\",\"b\"]}" },
        { "{'enum':['a'],'nullable':true}", "{\"enum\":[\"a\",null]}" },
        { "{'elements':{'type':'uint8'}}",
          "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}" },
        { "{'values':{'type':'string'}}",
          "{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}" },
        { "{'properties':{'a':{'type':'boolean'}},'optionalProperties':{'b':{}}}",
          "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"boolean\"},\"b\":{}},"
          "\"required\":[\"a\"],\"additionalProperties\":false}" },
        { "{'discriminator':'k','mapping':{'x':{'properties':{'n':{'type':'int8'}}}}}",
          "{\"anyOf\":[{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"x\"},\"n\":"
          "{\"type\":\"integer\"}},\"required\":[\"k\",\"n\"],\"additionalProperties\":false}]}" },
        { "{'ref':'a','definitions':{'a':{'type':'string'}}}", "{\"type\":\"string\"}" },
        { "{'type':'string','metadata':{'description':'why'}}",
          "{\"type\":\"string\",\"description\":\"why\"}" },
        { "{'type':'object'}", NULL },
        { "{'type':['string']}", NULL },
        { "{'ref':'a'}", NULL },
        { "{'elements':{'type':'nope'}}", NULL },
        { "{'discriminator':'k'}", NULL },
        { "{'properties':7}", NULL },
        { "{'enum':7}", NULL },
        { "{'properties':{'a':{'elements':7}}}", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) definition = json_of(cases[i].definition);
        g_autoptr(json_t) schema = jtd_to_schema(definition);
        g_autofree char *got = schema ? json_to_text(schema) : NULL;
        if (g_strcmp0(got, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].definition, got);
    }
    g_autoptr(GString) deep = g_string_new("{'type':'string'}");
    for (int i = 0; i < 100; i++) {
        g_string_prepend(deep, "{'elements':");
        g_string_append_c(deep, '}');
    }
    g_autoptr(json_t) definition = json_of(deep->str);
    assert_null(jtd_to_schema(definition));
    g_autoptr(GString) wide = g_string_new("{'ref':'a0','definitions':{");
    for (int i = 0; i < 30; i++) // each twice what the next one is
        g_string_append_printf(wide, "'a%d':{'properties':{'x':{'ref':'a%d'},'y':{'ref':'a%d'}}},",
                               i, i + 1, i + 1);
    g_string_append(wide, "'a30':{'type':'string'}}}");
    g_autoptr(json_t) doubling = json_of(wide->str);
    assert_null(jtd_to_schema(doubling));
}

#define FINDING                                                                                    \
    "{'title':'Leak','body':'b','priority':'P1','confidence':0.8,'file_path':'a.c',"               \
    "'line_start':3,'line_end':%d}"

static void test_finding(void **state G_GNUC_UNUSED)
{
    static const struct {
        int end;
        const char *want;
        bool is_error;
    } cases[] = {
        { 5, "Finding recorded: P1 Leak\nLocation: a.c:3-5\nConfidence: 80%", false },
        { 3, "Finding recorded: P1 Leak\nLocation: a.c:3\nConfidence: 80%", false },
        { 2, "line_end (2) is before line_start (3)", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
        g_autofree char *arguments = g_strdup_printf(FINDING, cases[i].end);
        g_auto(ToolResult) result = { 0 };
        tool_fixture_call(fixture, &tool_report_finding, json_of(arguments), &result);
        g_autofree char *text = tool_result_text(&result);
        assert_text("finding", text, cases[i].want);
        assert_int_equal(result.is_error, cases[i].is_error);
        if (!cases[i].is_error)
            assert_string_equal(json_get_text(result.details, "file_path"), "a.c");
    }
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autofree char *text = tool_fixture_error(
        fixture, &tool_report_finding,
        json_of("{'title':'t','body':'b','priority':'P0','confidence':3,'file_path':'a',"
                "'line_start':1,'line_end':1}"));
    assert_text("confidence", text, "confidence must be between 0 and 1, not 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_yield),           cmocka_unit_test(test_schema),
        cmocka_unit_test(test_strange_schemas), cmocka_unit_test(test_jtd),
        cmocka_unit_test(test_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
