/*
 * model/call_ids.c.
 */
#include "model_fixture.h"

#include "model/call_ids.h"

static void test_take(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *id, *want;
    } cases[] = {
        { NULL, "call_1" },    { "", "call_2" },   { "x", "x" },           { "x", "x_2" },
        { "x", "x_3" },        { "x_3", "x_3_2" }, { "call_7", "call_7" }, { "y_2", "y_2" },
        { "y", "y" },          { "y", "y_3" },     { "", "call_11" },      { "call_13", "call_13" },
        { NULL, "call_13_2" },
    };
    g_autoptr(CallIds) ids = call_ids_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = call_ids_take(ids, cases[i].id);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%zu: got '%s', want '%s'", i, got, cases[i].want);
    }
}

#define CALL(id)       "{'type':'toolCall','id':'" id "','name':'r','arguments':{}}"
#define CALLS(calls)   "{'role':'assistant','content':[" calls "]}"
#define RESULT(id, of) "{'role':'toolResult','toolCallId':'" id "','content':'" of "'}"

/* core-114: a session from before; results belong to calls in order of appearance. */
static void test_adopt(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) old = json_of(
        "[{'role':'user','content':'go'}," CALLS(CALL("x") "," CALL("x")) "," RESULT("x", "1") "," RESULT("x", "2") "," CALLS(
            CALL("x") ",{'type':'text','text':'t'}," CALL(
                "")) "," RESULT("",
                                "4") "," RESULT("x",
                                                "3") "," CALLS(CALL("z")) "," RESULT("z",
                                                                                     "5") "," RESULT("none",
                                                                                                     "6") "]");
    g_autoptr(json_t) before = json_deep_copy(old);
    g_autoptr(CallIds) ids = call_ids_new();
    g_autoptr(json_t) got = call_ids_adopt(ids, old, NULL);
    assert_json(
        "adopted", got,
        "[{'role':'user','content':'go'}," CALLS(CALL("x") "," CALL("x_2")) "," RESULT("x", "1") "," RESULT("x_2", "2") "," CALLS(
            CALL("x_3") ",{'type':'text','text':'t'}," CALL(
                "call_4")) "," RESULT("call_4",
                                      "4") "," RESULT("x_3",
                                                      "3") "," CALLS(CALL("z")) "," RESULT("z",
                                                                                           "5") "," RESULT("none",
                                                                                                           "6") "]");
    assert_true(json_equal(old, before));
    assert_ptr_equal(json_array_get(got, 7), json_array_get(old, 7));
    g_autofree char *next = call_ids_take(ids, "x");
    assert_string_equal(next, "x_4");
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_take), cmocka_unit_test(test_adopt) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
