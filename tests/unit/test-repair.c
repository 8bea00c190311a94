/*
 * model/repair.c and model/repair_strong.c: messages that no server would take.
 */
#include "model_fixture.h"

#include "base/image.h"
#include "model/convert.h"
#include "model/repair.h"
#include "model/repair_strong.h"

#define USER(text) "{'role':'user','content':[{'type':'text','text':'" text "'}]}"
#define ASSISTANT(blocks)                                                                          \
    "{'role':'assistant','api':'anthropic-messages','provider':'mock','model':'m1','content':"     \
    "[" blocks "]}"
#define CALL(fields) "{'type':'toolCall','id':'a'," fields "}"

/* Rules of safety §8.1 that look at one message. */
static void test_messages(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *message, *want; // want NULL: dropped
    } cases[] = {
        { "safety-8.1-R01 no object", "7", NULL },
        { "safety-8.1-R01 no role", "{'content':'x'}", NULL },
        { "safety-8.1-R01 content of another type", "{'role':'user','content':{'a':1}}", NULL },
        { "safety-8.1-R01 content is null", "{'role':'user','content':null}",
          "{'role':'user','content':null}" },
        { "safety-8.1-R02 control characters",
          "{'role':'user','content':'a\\u0001\\u001bb\\tc\\nd'}",
          "{'role':'user','content':'ab\\tc\\nd'}" },
        { "safety-8.1-R02 in arguments",
          ASSISTANT(CALL("'name':'read','arguments':{'p\\u0007':'x\\u0008'}")),
          ASSISTANT(CALL("'name':'read','arguments':{'p':'x'}")) },
        { "safety-8.1-R02 signed thinking stays",
          ASSISTANT("{'type':'thinking','thinking':'a\\u0001','thinkingSignature':'AA=='},"
                    "{'type':'thinking','thinking':'b\\u0001'}"),
          ASSISTANT("{'type':'thinking','thinking':'a\\u0001','thinkingSignature':'AA=='},"
                    "{'type':'thinking','thinking':'b'}") },
        { "safety-8.1-R03 blocks that nobody knows",
          "{'role':'user','content':[7,{'type':'video'},{'type':'text'},{'type':'text','text':'x'},"
          "{'type':'image','mimeType':'image/png'}]}",
          USER("x") },
        { "safety-8.1-R03 a call without a name", ASSISTANT(CALL("'arguments':{}")),
          ASSISTANT("") },
        { "safety-R05 arguments as text",
          ASSISTANT(CALL("'name':'read','arguments':'{\\\"p\\\":1}'")),
          ASSISTANT(CALL("'name':'read','arguments':{'p':1}")) },
        { "safety-R05 text that is no object", ASSISTANT(CALL("'name':'read','arguments':'[1]'")),
          ASSISTANT(CALL("'name':'read','arguments':{}")) },
        { "safety-R05 none", ASSISTANT(CALL("'name':'read'")),
          ASSISTANT(CALL("'name':'read','arguments':{}")) },
        { "safety-R05 partialJson",
          ASSISTANT(CALL("'name':'read','arguments':{'p':1},'partialJson':'{'")),
          ASSISTANT(CALL("'name':'read','arguments':{'p':1}")) },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) message = json_of(cases[i].message);
        g_autoptr(json_t) before = json_deep_copy(message);
        g_autoptr(json_t) got = repair_message(message, NULL, 0);
        if (!cases[i].want && !got)
            continue;
        if (!cases[i].want || !got)
            fail_msg("%s: %s", cases[i].name, got ? "kept" : "dropped");
        assert_json(cases[i].name, got, cases[i].want);
        assert_true(json_equal(message, before));
        g_autoptr(json_t) again =
            repair_message(got, NULL, 0); // idempotent, and then nothing is copied
        assert_ptr_equal(again, got);
    }
}

static void test_deep_arguments(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) deep = g_string_new(NULL);
    for (int i = 0; i < 70; i++)
        g_string_append(deep, "[");
    for (int i = 0; i < 70; i++)
        g_string_append(deep, "]");
    g_autofree char *text = g_strdup_printf(
        "{'role':'assistant','content':[" CALL("'name':'x','arguments':{'a':%s}") "]}", deep->str);
    g_autoptr(json_t) message = json_of(text);
    g_autoptr(json_t) got = repair_message(message, NULL, 0);
    assert_json("safety-R05 depth", got,
                "{'role':'assistant','content':[" CALL("'name':'x','arguments':{}") "]}");
}

// PNGs of 8001 × 1 dots; the second has no picture in it
#define WIDE                                                                                       \
    "iVBORw0KGgoAAAANSUhEUgAAH0EAAAABCAAAAACZyqz4AAAAHUlEQVR42u3BAQEAAACAkP6v7ggKAAAA"             \
    "AAAAAKgBH0IAAQ02lNUAAAAASUVORK5CYII="
#define HOLLOW "iVBORw0KGgoAAAANSUhEUgAAH0EAAAABCAAAAACZyqz4AAAAAElFTkSuQmCC"

static const char *image_data(const json_t *messages)
{
    const json_t *content = json_get_array(json_array_get(messages, 0), "content");
    return json_get_text(json_array_get(content, 0), "data");
}

/* safety-R16: every way in which a picture cannot be sent. */
static void test_images(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *data, *want;
    } cases[] = {
        { "no data", "", "its data is gone" },
        { "a blob that was deleted", "blob:sha256:00", "its data is gone" },
        { "not base64", "!!!notbase64", "it is damaged" },
        { "base64 cut", "iVBORw0KGgoAA", "it is damaged" },
        { "a PNG cut in its head", "iVBORw0KGgoAAAANSUhEUgAAH0EAAAABCAYAAAA=", "it is damaged" },
        { "a JPEG without an end", "/9j/4AAQSkZJRgABAQAAAQABAAD/", "it is damaged" },
        { "a GIF of a few bytes", "R0lGODlhAQABAIAAAAAA", "it is damaged" },
        { "a WebP that says more than it has", "UklGRv8AAABXRUJQVlA4IAAAAAAAAAAA",
          "it is damaged" },
        { "of a type that nobody takes",
          "PHN2Zz48L3N2Zz4=", "models take PNG, JPEG, GIF and WebP only" },
        { "too wide, and nothing to make smaller", HOLLOW, "it is larger than models take" },
    };
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *history = g_strdup_printf(
            "[{'role':'user','content':[{'type':'image','data':'%s','mimeType':'image/png'}]}]",
            cases[i].data);
        g_autofree char *want = g_strdup_printf(
            "[{'role':'user','content':[{'type':'text','text':'[image removed: %s]'}]}]",
            cases[i].want);
        g_autoptr(json_t) messages = json_of(history);
        g_autoptr(json_t) got = convert_history(messages, model);
        assert_json(cases[i].name, got, want);
        g_autoptr(json_t) again = convert_history(got, model);
        assert_json(cases[i].name, again, want);
    }
}

/* safety-R16: too large, but a picture: a smaller one is sent. */
static void test_large_image(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(json_t) messages = json_of("[{'role':'user','content':[{'type':'image','data':'" WIDE
                                         "','mimeType':'image/png'}]}]");
    g_autoptr(json_t) got = convert_history(messages, model);
    const char *data = image_data(got);
    gsize size = 0;
    g_autofree guchar *bytes = g_base64_decode(data ? data : "", &size);
    unsigned width = 0, height = 0;
    if (!image_dimensions((char *)bytes, size, &width, &height)) {
        g_autofree char *text = json_to_text(got); // without libgd
        assert_non_null(strstr(text, "[image removed: it is larger than models take]"));
        skip();
    }
    assert_int_equal(width, 1568);
    assert_string_equal(image_data(messages), WIDE);
}

/* Rules that look at what a message becomes for one model. */
static void test_conversion(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        ModelApi api;
        const char *history, *want;
    } cases[] = {
        { "safety-8.1-R04 a result without content", MODEL_API_OPENAI_COMPLETIONS,
          "[" ASSISTANT(CALL("'name':'x','arguments':{}")) ",{'role':'toolResult','toolCallId':'a',"
                                                           "'content':[],'isError':false}]",
          "[{'role':'assistant','content':[" CALL(
              "'name':'x','arguments':{}") "]},"
                                           "{'role':'toolResult','toolCallId':'a','toolName':'x','"
                                           "content':[{'type':'text','text':"
                                           "'(no output)'}],'isError':false}]" },
        { "safety-R12 nothing but thinking", MODEL_API_ANTHROPIC_MESSAGES,
          "[" USER("a") "," ASSISTANT(
              "{'type':'thinking','thinking':'deep','thinkingSignature':'AA=='}") "]",
          "[" USER("a") "]" },
        { "safety-R12 thinking that broke off, unsigned", MODEL_API_ANTHROPIC_MESSAGES,
          "[" USER("a") ",{'role':'assistant','stopReason':'aborted','api':'anthropic-messages',"
                        "'provider':'mock','model':'m1','content':["
                        "{'type':'thinking','thinking':'half a tho'},"
                        "{'type':'text','text':' '}]}]",
          "[" USER("a") "]" },
        { "safety-R13 thinking is never the last block", MODEL_API_ANTHROPIC_MESSAGES,
          "[" ASSISTANT("{'type':'text','text':'x'},"
                        "{'type':'thinking','thinking':'deep','thinkingSignature':'AA=='}") "]",
          "[{'role':'assistant','content':[{'type':'text','text':'x'}]}]" },
        { "safety-R13 a signature that is none", MODEL_API_ANTHROPIC_MESSAGES,
          "[" ASSISTANT("{'type':'thinking','thinking':'deep','thinkingSignature':'{broken'},"
                        "{'type':'text','text':'x'}") "]",
          "[{'role':'assistant','content':[{'type':'text','text':'deep'},"
          "{'type':'text','text':'x'}]}]" },
        { "safety-R16 the type is what the bytes say", MODEL_API_ANTHROPIC_MESSAGES,
          "[{'role':'user','content':[{'type':'image','data':'" PIXEL
          "','mimeType':'image/jpeg'}]}]",
          "[{'role':'user','content':[{'type':'image','data':'" PIXEL
          "','mimeType':'image/png'}]}]" },
        { "safety-R17 an error is text", MODEL_API_ANTHROPIC_MESSAGES,
          "[" ASSISTANT(
              CALL("'name':'x','arguments':{}")) ",{'role':'toolResult','toolCallId':'a',"
                                                 "'content':[{'type':'image','data':'" PIXEL
                                                 "','mimeType':'image/png'}],'isError':true}]",
          "[{'role':'assistant','content':[" CALL(
              "'name':'x','arguments':{}") "]},"
                                           "{'role':'toolResult','toolCallId':'a','toolName':'x','"
                                           "content':[{'type':'text','text':"
                                           "'[image removed: results that are errors are "
                                           "text]'}],'isError':true}]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(cases[i].api);
        g_autoptr(json_t) messages = json_of(cases[i].history);
        g_autoptr(json_t) got = convert_history(messages, model);
        assert_json(cases[i].name, got, cases[i].want);
    }
}

#define MARK "9f1c2ab04d7e6c35"

/* safety-R23 */
static void test_fences(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *want; // of a tool's result; want NULL: as it was
    } cases[] = {
        { "<untrusted " MARK " src=x>\nhello",
          "<untrusted " MARK " src=x>\nhello\n</untrusted " MARK ">" },
        { "a\n<untrusted " MARK ">\nb\n</untrusted " MARK ">\nc", NULL },
        { "<untrusted " MARK ">\n</untrusted 0000000000000000>",
          "<untrusted " MARK ">\n</untrusted 0000000000000000>\n</untrusted " MARK ">" },
        { "<untrusted " MARK ">\n</untrusted " MARK ">\n<untrusted 0000000000000001>\n",
          "<untrusted " MARK ">\n</untrusted " MARK ">\n<untrusted 0000000000000001>\n\n"
          "</untrusted 0000000000000001>" },
        { "see <untrusted " MARK "> in a line", NULL },
        { "<untrusted short>", NULL },
        { "", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        json_t *block = message_text_block(cases[i].text);
        g_autoptr(json_t) message =
            json_pack("{s:s, s:[o]}", "role", "toolResult", "content", block);
        g_autoptr(json_t) got = repair_message(message, NULL, 0);
        g_autoptr(json_t) again = repair_message(got, NULL, 0);
        const char *text = json_get_text(json_array_get(json_get_array(got, "content"), 0), "text");
        assert_string_equal(text, cases[i].want ? cases[i].want : cases[i].text);
        assert_ptr_equal(got == message, cases[i].want == NULL);
        assert_ptr_equal(again, got);
    }
}

static void test_signatures(void **state G_GNUC_UNUSED)
{
    assert_true(repair_is_signature("EqQBCkgIAhABGAIiQ+/="));
    assert_false(repair_is_signature("not base64 at all"));
    assert_false(repair_is_signature("{broken"));
}

#define RESULT                                                                                     \
    "{'role':'toolResult','toolCallId':'a','toolName':'read','content':[{'type':'text','text':"    \
    "'\U0001F600'}],'isError':false}"
#define THOUGHT "{'type':'thinking','thinking':'deep','thinkingSignature':'AA=='}"
#define IMAGE   "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}"
#define READ    CALL("'name':'read','arguments':{'path':'a.c'}")
#define HISTORY                                                                                    \
    "[{'role':'user','content':[" IMAGE                                                            \
    "]}," ASSISTANT(THOUGHT "," READ) "," RESULT ",{'role':'user','content':'go on'}," ASSISTANT(  \
        READ) "," RESULT "]"

static void test_strong(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *problem;
        StrongRepair how;
        bool thinking, image, call, emoji, last_call; // what is still there
    } cases[] = {
        { "HTTP 400: messages.1: invalid signature in thinking block", STRONG_BY_WORDS, false, true,
          true, true, true },
        { "HTTP 400: could not process image", STRONG_BY_WORDS, true, false, true, true, true },
        { "HTTP 400: tool_use ids without tool_result", STRONG_BY_WORDS, true, true, false, true,
          true },
        { "HTTP 400: no low surrogate in string", STRONG_BY_WORDS, true, true, true, false, true },
        { "HTTP 400: something is wrong", STRONG_BY_WORDS, false, false, false, false, true },
        { "HTTP 400: could not process image", STRONG_TEXT, false, false, false, false, false },
    };
    g_autoptr(json_t) messages = json_of(HISTORY);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) got = repair_strongly(messages, cases[i].how, cases[i].problem);
        assert_int_equal(json_array_size(got), 6);
        g_autofree char *first = json_to_text(json_array_get(got, 0));
        g_autofree char *answer = json_to_text(json_array_get(got, 1));
        g_autofree char *result = json_to_text(json_array_get(got, 2));
        g_autofree char *last = json_to_text(json_array_get(got, 4));
        const bool is_there[] = { strstr(answer, "thinkingSignature") != NULL,
                                  strstr(first, "iVBOR") != NULL,
                                  strstr(answer, "\"toolCall\"") != NULL,
                                  strstr(result, "\U0001F600") != NULL,
                                  strstr(last, "\"toolCall\"") != NULL };
        const bool want[] = { cases[i].thinking, cases[i].image, cases[i].call, cases[i].emoji,
                              cases[i].last_call };
        for (size_t j = 0; j < G_N_ELEMENTS(want); j++) {
            if (is_there[j] != want[j])
                fail_msg("%s: part %zu is %s", cases[i].problem, j, want[j] ? "gone" : "there");
        }
    }
    g_autoptr(json_t) text = repair_strongly(messages, STRONG_TEXT, "HTTP 400");
    g_autofree char *answer = json_to_text(json_array_get(text, 1));
    assert_non_null(strstr(answer, "[called read {\\\"path\\\":\\\"a.c\\\"}]"));
    g_autofree char *result = json_to_text(json_array_get(text, 2));
    assert_non_null(strstr(result, "[result of read]"));
}

/* Items of the Responses format are refused when the reasoning that they came of is gone. */
static void test_item_ids(void **state G_GNUC_UNUSED)
{
    static const char history[] = "[{'role':'user','content':'x'}," ASSISTANT(
        THOUGHT ",{'type':'text','text':'y','textSignature':'"
                "msg_1'},"
                "{'type':'toolCall','id':'call_1|fc_1','name':'"
                "read','arguments':{}}") ","
                                         "{'role':'toolResult',"
                                         "'toolCallId':'call_1|"
                                         "fc_1','toolName':'"
                                         "read','content':[]}]";
    g_autoptr(json_t) messages = json_of(history);
    g_autoptr(json_t) before = json_deep_copy(messages);
    static const char problem[] = "HTTP 400: 'fc_1' was provided without its 'reasoning' item";
    g_autoptr(json_t) got = repair_strongly(messages, STRONG_BY_WORDS, problem);
    assert_json(
        "item ids", got,
        "[{'role':'user','content':'x'}," ASSISTANT(
            "{'type':'text','text':'y'},"
            "{'type':'toolCall','id':'call_1','name':'read','arguments':{}}") ","
                                                                              "{'role':'toolResult'"
                                                                              ",'toolCallId':'call_"
                                                                              "1','toolName':'read'"
                                                                              ",'content':[]}]");
    assert_true(json_equal(messages, before));
    g_autoptr(json_t) kept = repair_strongly(messages, STRONG_BY_WORDS, "HTTP 400: bad image");
    assert_true(json_equal(kept, before));
}

/* safety-R03 */
static void test_curable(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *problem;
        bool is_curable;
    } cases[] = {
        { "HTTP 400: messages.7.content.0: bad", true },
        { "HTTP 422: unprocessable", true },
        { "invalid_request_error: bad block", true },
        { "HTTP 401: who are you", false },
        { "HTTP 403: not yours", false },
        { "HTTP 404: no such model", false },
        { "HTTP 413: too large", false },
        { "HTTP 429: slow down", false },
        { "HTTP 503: overloaded", false },
        { "HTTP 400: prompt is too long", false },
        { "HTTP 400: blocked by content policy", false },
        { "HTTP 400: Your credit balance is too low", false },
        { "HTTP 400: API key not valid", false },
        { NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        if (repair_is_curable(cases[i].problem) != cases[i].is_curable)
            fail_msg("%s", cases[i].problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages),   cmocka_unit_test(test_deep_arguments),
        cmocka_unit_test(test_conversion), cmocka_unit_test(test_signatures),
        cmocka_unit_test(test_fences),     cmocka_unit_test(test_strong),
        cmocka_unit_test(test_item_ids),   cmocka_unit_test(test_curable),
        cmocka_unit_test(test_images),     cmocka_unit_test(test_large_image),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
