/*
 * model/message.c.
 */
#include "model_fixture.h"

static void drop_time(json_t *message)
{
    assert_true(json_get_int(message, "timestamp", 0) > 1700000000000);
    json_object_del(message, "timestamp");
}

static void test_constructors(void **state G_GNUC_UNUSED)
{
    json_t *content = json_of("[{'type':'text','text':'x'}]");
    json_t *details = json_of("{'a':1}");
    const struct {
        json_t *message;
        const char *want;
    } cases[] = {
        { message_user("hi"), "{'role':'user','content':'hi'}" },
        { message_developer("note"), "{'role':'developer','content':'note'}" },
        { message_user_blocks(json_incref(content)),
          "{'role':'user','content':[{'type':'text','text':'x'}]}" },
        { message_tool_result("c1", "read", json_incref(content), details, true),
          "{'role':'toolResult','toolCallId':'c1','toolName':'read','content':"
          "[{'type':'text','text':'x'}],'details':{'a':1},'isError':true}" },
        { message_tool_result("c1", "read", json_incref(content), NULL, false),
          "{'role':'toolResult','toolCallId':'c1','toolName':'read','content':"
          "[{'type':'text','text':'x'}],'isError':false}" },
        { message_user("a\xff z"), "{'role':'user','content':'a\xef\xbf\xbd z'}" }, // core-41
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        drop_time(cases[i].message);
        assert_json("message", cases[i].message, cases[i].want);
        json_decref(cases[i].message);
    }
    json_decref(content);
}

static void test_readers(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) message =
        json_of("{'role':'assistant','content':[{'type':'text','text':'one'},"
                "{'type':'thinking','thinking':'hm'},{'type':'toolCall','id':'a'},"
                "{'type':'text','text':'two'},{'type':'toolCall','id':'b'}],"
                "'stopReason':'toolUse','errorMessage':'no'}");
    g_autofree char *text = message_text(message);
    assert_string_equal(text, "one\ntwo");
    assert_string_equal(message_role(message), "assistant");
    assert_string_equal(message_stop_reason(message), "toolUse");
    assert_string_equal(message_error(message), "no");
    g_autoptr(json_t) calls = message_tool_calls(message);
    assert_json("calls", calls, "[{'type':'toolCall','id':'a'},{'type':'toolCall','id':'b'}]");

    g_autoptr(json_t) plain = message_user("just text");
    g_autofree char *plain_text = message_text(plain);
    assert_string_equal(plain_text, "just text");
    g_autoptr(json_t) empty = json_object();
    assert_string_equal(message_role(empty), "");
    assert_string_equal(message_stop_reason(empty), "");
    assert_null(message_error(empty));
    g_autoptr(json_t) blocks = message_blocks(empty);
    assert_int_equal(json_array_size(blocks), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructors),
        cmocka_unit_test(test_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
