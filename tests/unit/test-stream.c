/*
 * model/stream.c: events, the live message, limits.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "base/limits.h"

static void append(ModelStream *stream, size_t block, const char *text)
{
    assert_true(model_stream_append(stream, block, text, strlen(text), NULL));
}

static void test_events_in_order(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    GString *events = g_string_new(NULL);
    g_autoptr(ModelStream) stream = model_stream_new(model, note_event, events);
    size_t thinking, text, call;
    assert_true(model_stream_is_empty(stream));
    assert_true(model_stream_open_thinking(stream, &thinking, NULL));
    append(stream, thinking, "hm");
    append(stream, thinking, "");
    assert_true(model_stream_append_signature(stream, thinking, "Eq", NULL));
    assert_true(model_stream_append_signature(stream, thinking, "QB", NULL));
    model_stream_close(stream, thinking);
    model_stream_close(stream, thinking);
    append(stream, thinking, "too late");
    assert_true(model_stream_open_text(stream, &text, NULL));
    append(stream, text, "a");
    append(stream, text, "b");
    assert_true(model_stream_add_redacted(stream, "secret", NULL));
    assert_true(model_stream_open_tool_call(stream, "", "", &call, NULL));
    model_stream_name_tool_call(stream, call, "c1", NULL);
    model_stream_name_tool_call(stream, call, "", "read");
    append(stream, call, "{\"p\":");
    append(stream, call, "\"x\"}");
    assert_true(model_stream_has_tool_calls(stream));
    model_stream_set_usage(stream, &(Usage) { .input = 1, .output = 2 });
    g_autoptr(json_t) message = model_stream_finish(stream, "toolUse");

    assert_string_equal(
        events->str, "start thinking_start thinking_delta:hm thinking_end text_start text_delta:a "
                     "text_delta:b toolcall_start toolcall_delta:{\"p\": toolcall_delta:\"x\"} "
                     "text_end toolcall_end done ");
    assert_json("content", json_object_get(message, "content"),
                "[{'type':'thinking','thinking':'hm','thinkingSignature':'EqQB'},"
                "{'type':'text','text':'ab'},{'type':'redactedThinking','data':'secret'},"
                "{'type':'toolCall','id':'c1','name':'read','arguments':{'p':'x'}}]");
    assert_string_equal(json_get_text(message, "api"), "anthropic-messages");
    assert_string_equal(json_get_text(message, "provider"), "mock");
    assert_string_equal(json_get_text(message, "model"), "m1");
    assert_string_equal(message_stop_reason(message), "toolUse");
    assert_int_equal(json_get_int(json_get_object(message, "usage"), "totalTokens", 0), 3);
    assert_true(json_get_int(message, "duration", -1) >= 0);
    assert_true(json_get_int(message, "ttft", -1) >= 0);
    g_string_free(events, TRUE);
}

static void test_failure_keeps_what_arrived(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    GString *events = g_string_new(NULL);
    g_autoptr(ModelStream) stream = model_stream_new(model, note_event, events);
    size_t text, call;
    assert_true(model_stream_open_text(stream, &text, NULL));
    append(stream, text, "half");
    assert_true(model_stream_open_tool_call(stream, "", "read", &call, NULL));
    append(stream, call, "{\"path\":\"/et");
    g_autoptr(json_t) message = model_stream_fail(stream, true, "Request was aborted");
    assert_true(g_str_has_suffix(events->str, " error "));
    assert_string_equal(message_stop_reason(message), "aborted");
    assert_string_equal(message_error(message), "Request was aborted");
    const json_t *content = json_get_array(message, "content");
    assert_json("text", json_array_get(content, 0), "{'type':'text','text':'half'}");
    assert_json("arguments", json_object_get(json_array_get(content, 1), "arguments"),
                "{'path':'/et'}");
    assert_true(str_has_prefix(json_get_text(json_array_get(content, 1), "id"), "call_"));
    g_string_free(events, TRUE);
}

static void count_event(const json_t *event G_GNUC_UNUSED, ModelStream *stream G_GNUC_UNUSED,
                        void *count)
{
    (*(size_t *)count)++;
}

static void test_live_message(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(ModelStream) stream = model_stream_new(model, NULL, NULL);
    size_t text;
    assert_true(model_stream_open_text(stream, &text, NULL));
    append(stream, text, "one");
    assert_json("first", json_object_get(model_stream_message(stream), "content"),
                "[{'type':'text','text':'one'}]");
    append(stream, text, " two");
    assert_json("second", json_object_get(model_stream_message(stream), "content"),
                "[{'type':'text','text':'one two'}]");
    model_stream_set_usage(stream, &(Usage) { .input = 7 });
    const json_t *usage = json_get_object(model_stream_message(stream), "usage");
    assert_int_equal(json_get_int(usage, "input", 0), 7);

    size_t count = 0;
    g_autoptr(ModelStream) empty = model_stream_new(model, count_event, &count);
    g_autoptr(json_t) message = model_stream_finish(empty, "stop");
    assert_int_equal(count, 2); // start, done
    assert_null(json_object_get(message, "ttft"));
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(ModelStream) stream = model_stream_new(model, NULL, NULL);
    g_autofree char *piece = g_strnfill(MIB, 'x');
    size_t text;
    assert_true(model_stream_open_text(stream, &text, NULL));
    g_autoptr(GError) error = NULL;
    size_t taken = 0;
    while (taken < 2 * LIMIT_MODEL_TEXT_BYTES &&
           model_stream_append(stream, text, piece, MIB, &error))
        taken += MIB;
    assert_true(taken < LIMIT_MODEL_TEXT_BYTES + MIB);
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));

    // blocks without any text are bounded too
    g_autoptr(ModelStream) many = model_stream_new(model, NULL, NULL);
    size_t blocks = 0;
    while (blocks < 1000 * 1000 && model_stream_open_text(many, &text, NULL))
        blocks++;
    assert_true(blocks < 100 * 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_events_in_order),
        cmocka_unit_test(test_failure_keeps_what_arrived),
        cmocka_unit_test(test_live_message),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
