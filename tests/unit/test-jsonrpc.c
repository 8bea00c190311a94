/*
 * JSON-RPC messages: what is made, and what a received one is.
 */
#include "unit.h"

#include "base/jsonrpc.h"

static void assert_json(json_t *message, const char *want)
{
    g_autofree char *text = json_to_text(message);
    assert_string_equal(text, want);
    json_decref(message);
}

static void test_messages(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) number = json_integer(7);
    g_autoptr(json_t) word = json_string("a");
    assert_json(jsonrpc_result(number, NULL), "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    assert_json(jsonrpc_result(word, json_array()),
                "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":[]}");
    assert_json(jsonrpc_error(NULL, JSONRPC_PARSE_ERROR, "no\xff"),
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
                "\"message\":\"no\xef\xbf\xbd\"}}");
    assert_json(jsonrpc_notification("n", NULL),
                "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":{}}");
    assert_json(jsonrpc_request(word, "m", json_pack("{s:i}", "x", 1)),
                "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":{\"x\":1},\"id\":\"a\"}");
}

static void test_classify(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        JsonrpcKind want;
    } cases[] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}", JSONRPC_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"m\"}", JSONRPC_REQUEST },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}", JSONRPC_NOTIFICATION },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", JSONRPC_RESPONSE },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{}}", JSONRPC_RESPONSE },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", JSONRPC_RESPONSE },
        { "{\"jsonrpc\":\"2.0\",\"id\":1}", JSONRPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", JSONRPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}", JSONRPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", JSONRPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}", JSONRPC_INVALID },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", JSONRPC_INVALID },
        { "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", JSONRPC_INVALID },
        { "{\"id\":1,\"method\":\"m\"}", JSONRPC_INVALID },
        { "[]", JSONRPC_INVALID },
        { "\"m\"", JSONRPC_INVALID },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) message = NULL;
        assert_true(json_parse_text(cases[i].text, &message, NULL));
        if (jsonrpc_classify(message) != cases[i].want)
            fail_msg("%s: %d", cases[i].text, (int)jsonrpc_classify(message));
    }
    assert_int_equal(jsonrpc_classify(NULL), JSONRPC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_classify),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
