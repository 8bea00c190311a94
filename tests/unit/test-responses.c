/*
 * model/responses*.c: requests and streams of the OpenAI Responses format.
 */
#include "model_fixture.h"

#include "model/responses.h"

#define CREATED "{'type':'response.created','response':{'id':'resp_1'}}\n"
#define ADDED(n, item)                                                                             \
    "{'type':'response.output_item.added','output_index':" n ",'item':{" item "}}\n"
#define DONE(n, item)                                                                              \
    "{'type':'response.output_item.done','output_index':" n ",'item':{" item "}}\n"
#define DELTA(n, what, text)                                                                       \
    "{'type':'response." what ".delta','output_index':" n ",'delta':'" text "'}\n"
#define COMPLETED "{'type':'response.completed','response':{'status':'completed'}}\n"

#define REASONING "'type':'reasoning','id':'rs_1','summary':[],'encrypted_content':'ENC'"
#define CALL      "'type':'function_call','id':'fc_1','call_id':'call_1','name':'read'"
#define MESSAGE   "'type':'message','id':'msg_1','role':'assistant'"

static void test_streams(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *stream, *content, *reason, *error;
    } cases[] = {
        { "text",
          CREATED ADDED("0", MESSAGE) DELTA("0", "output_text", "a") DELTA("0", "output_text", "b")
              DONE("0", MESSAGE) COMPLETED,
          "[{'type':'text','text':'ab','textSignature':'msg_1'}]", "stop", NULL },
        { "core-35, reasoning and a call",
          CREATED ADDED("0", REASONING) DELTA("0", "reasoning_summary_text", "hm") DONE(
              "0", REASONING) ADDED("1", CALL ",'arguments':''")
              DELTA("1", "function_call_arguments", "{\\'path\\':") DELTA(
                  "1", "function_call_arguments",
                  "\\'a\\'}") "{'type':'response.function_call_arguments.done','output_index':1,"
                              "'arguments':'{\\'path\\':\\'a\\'}'}\n" DONE(
                                  "1", CALL ",'arguments':'{\\'path\\':\\'a\\'}'") COMPLETED,
          "[{'type':'thinking','thinking':'hm','thinkingSignature':"
          "'{\\u0022type\\u0022:\\u0022reasoning\\u0022,\\u0022id\\u0022:\\u0022rs_1\\u0022,"
          "\\u0022summary\\u0022:[],\\u0022encrypted_content\\u0022:\\u0022ENC\\u0022}'},"
          "{'type':'toolCall','id':'call_1|fc_1','name':'read','arguments':{'path':'a'}}]",
          "toolUse", NULL },
        { "parallel calls",
          ADDED("0", CALL) ADDED("1", "'type':'function_call','id':'fc_2','call_id':'call_2',"
                                      "'name':'grep'") DELTA("1", "function_call_arguments", "{")
              DELTA("0", "function_call_arguments", "{") DELTA("1", "function_call_arguments", "}")
                  DELTA("0", "function_call_arguments", "}") COMPLETED,
          "[{'type':'toolCall','id':'call_1|fc_1','name':'read','arguments':{}},"
          "{'type':'toolCall','id':'call_2|fc_2','name':'grep','arguments':{}}]",
          "toolUse", NULL },
        { "no pieces, whole items only",
          DONE("0", "'type':'reasoning','id':'rs_1','summary':[{'type':'summary_text','text':'x'},"
                    "{'type':'summary_text','text':'y'}]")
              DONE("1", MESSAGE ",'content':[{'type':'output_text','text':'hi'}],'phase':'final'")
                  DONE("2", CALL ",'arguments':'{}'") COMPLETED,
          "[{'type':'thinking','thinking':'x\\n\\ny','thinkingSignature':"
          "'{\\u0022type\\u0022:\\u0022reasoning\\u0022,\\u0022id\\u0022:\\u0022rs_1\\u0022,"
          "\\u0022summary\\u0022:[{\\u0022type\\u0022:\\u0022summary_text\\u0022,"
          "\\u0022text\\u0022:"
          "\\u0022x\\u0022},{\\u0022type\\u0022:\\u0022summary_text\\u0022,\\u0022text\\u0022:"
          "\\u0022y\\u0022}]}'},"
          "{'type':'text','text':'hi','textSignature':"
          "'{\\u0022v\\u0022:1,\\u0022id\\u0022:\\u0022msg_1\\u0022,"
          "\\u0022phase\\u0022:\\u0022final\\u0022}'},"
          "{'type':'toolCall','id':'call_1|fc_1','name':'read','arguments':{}}]",
          "toolUse", NULL },
        { "nothing but the end",
          "{'type':'response.completed','response':{'status':'completed','output':[{" MESSAGE
          ",'content':[{'type':'output_text','text':'hi'}]}]}}",
          "[{'type':'text','text':'hi','textSignature':'msg_1'}]", "stop", NULL },
        { "two parts of a summary",
          ADDED("0", REASONING)
              DELTA("0", "reasoning_summary_text",
                    "a") "{'type':'response.reasoning_summary_part.added','output_index':0}"
                         "\n" DELTA("0", "reasoning_summary_text", "b") COMPLETED,
          "[{'type':'thinking','thinking':'a\\n\\nb'}]", "stop", NULL },
        { "no numbers",
          "{'type':'response.output_item.added','item':{" MESSAGE "}}\n"
          "{'type':'response.output_text.delta','delta':'a'}\n"
          "{'type':'response.output_item.done','item':{" MESSAGE "}}\n" COMPLETED,
          "[{'type':'text','text':'a','textSignature':'msg_1'}]", "stop", NULL },
        { "core-118, a refusal",
          ADDED("0", MESSAGE) DELTA("0", "refusal", "I cannot ") DELTA("0", "refusal", "do that.")
              DONE("0", MESSAGE) COMPLETED,
          "[{'type':'text','text':'I cannot do that.','textSignature':'msg_1'}]", "error",
          "Refusal: I cannot do that." },
        { "core-118, a refusal in one piece",
          DONE("0", MESSAGE ",'content':[{'type':'refusal','refusal':'No.'}]") COMPLETED,
          "[{'type':'text','text':'No.','textSignature':'msg_1'}]", "error", "Refusal: No." },
        { "core-110, length",
          ADDED("0", CALL)
              DELTA("0", "function_call_arguments",
                    "{\\'a\\':\\'rm -r") "{'type':'response.incomplete','response':{'status':'"
                                         "incomplete',"
                                         "'incomplete_details':{'reason':'max_output_tokens'}}}",
          "[{'type':'toolCall','id':'call_1|fc_1','name':'read','arguments':{'a':'rm -r'},"
          "'incomplete':true}]",
          "length", NULL },
        { "core-110, cut", ADDED("0", CALL) DELTA("0", "function_call_arguments", "{\\'a\\':1"),
          "[{'type':'toolCall','id':'call_1|fc_1','name':'read','arguments':{},"
          "'incomplete':true}]",
          "error", "the stream ended early: no response.completed" },
        { "filtered",
          "{'type':'response.incomplete','response':{'status':'incomplete',"
          "'incomplete_details':{'reason':'content_filter'}}}",
          "[]", "error", "Provider incomplete_details.reason: content_filter" },
        { "failed",
          ADDED("0", MESSAGE)
              DELTA("0", "output_text",
                    "a") "{'type':'response.failed','response':{'status':'failed','error':{'code':"
                         "'server_error','message':'The model had a bad day'}}}",
          "[{'type':'text','text':'a'}]", "error", "server_error: The model had a bad day" },
        { "cancelled", "{'type':'response.cancelled','response':{'status':'cancelled'}}", "[]",
          "error", "Provider status cancelled" },
        { "error event", "{'type':'error','code':'rate_limit_exceeded','message':'slow down'}",
          "[]", "error", "rate_limit_exceeded: slow down" },
        { "error event, nested", "{'type':'error','error':{'message':'slow down'}}", "[]", "error",
          "slow down" },
        { "unknown events and items",
          "{'type':'response.in_progress'}\n{}\n5\n" ADDED("0", "'type':'web_search_call'") DELTA(
              "0", "output_text", "x") DONE("0", "'type':'web_search_call'") ADDED("1", MESSAGE)
              DELTA("1", "output_text", "a") COMPLETED DELTA("1", "output_text", "late"),
          "[{'type':'text','text':'a'}]", "stop", NULL },
    };
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_RESPONSES);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) message = decode_stream(model, cases[i].stream, NULL);
        assert_json(cases[i].name, json_object_get(message, "content"), cases[i].content);
        if (strcmp(message_stop_reason(message), cases[i].reason) != 0 ||
            g_strcmp0(message_error(message), cases[i].error) != 0)
            fail_msg("%s: got %s, '%s'", cases[i].name, message_stop_reason(message),
                     message_error(message));
    }
}

static void test_events_and_usage(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_RESPONSES);
    GString *events = g_string_new(NULL);
    g_autoptr(json_t) message = decode_stream(
        model,
        CREATED ADDED("0", REASONING) DELTA("0", "reasoning_text", "r") DONE("0", REASONING)
            ADDED("1", MESSAGE) DELTA("1", "output_text", "t") DONE("1", MESSAGE) ADDED("2", CALL)
                DELTA("2", "function_call_arguments", "{}")
                    DONE("2", CALL ",'arguments':'{}'") "{'type':'response.completed','response':{'"
                                                        "status':'completed','usage':{"
                                                        "'input_tokens':100,'input_tokens_details':"
                                                        "{'cached_tokens':60},"
                                                        "'output_tokens':9,'output_tokens_details':"
                                                        "{'reasoning_tokens':4},"
                                                        "'total_tokens':109}}}",
        events);
    assert_string_equal(
        events->str, "start thinking_start thinking_delta:r thinking_end text_start text_delta:t "
                     "text_end toolcall_start toolcall_delta:{} toolcall_end done ");
    g_string_free(events, TRUE);
    assert_string_equal(json_get_text(message, "responseId"), "resp_1");
    const json_t *usage = json_object_get(message, "usage");
    assert_int_equal(json_get_int(usage, "input", 0), 40);
    assert_int_equal(json_get_int(usage, "cacheRead", 0), 60);
    assert_int_equal(json_get_int(usage, "output", 0), 9);
    assert_int_equal(json_get_int(usage, "totalTokens", 0), 109);
}

#define ITEM_TEXT                                                                                  \
    "'{\\u0022type\\u0022:\\u0022reasoning\\u0022,\\u0022id\\u0022:\\u0022rs_1\\u0022,"            \
    "\\u0022summary\\u0022:[],\\u0022encrypted_content\\u0022:\\u0022ENC\\u0022}'"

static const char history_text[] =
    "[{'role':'user','content':[{'type':'text','text':'see'},"
    "{'type':'image','data':'" GIF_PIXEL "','mimeType':'image/gif'}]},"
    "{'role':'assistant','api':'openai-responses','provider':'mock','model':'m1','content':["
    "{'type':'thinking','thinking':'hm','thinkingSignature':" ITEM_TEXT "},"
    "{'type':'text','text':'I look','textSignature':'msg_1'},"
    "{'type':'toolCall','id':'call_1|fc_1','name':'read','arguments':{'path':'a'}},"
    "{'type':'toolCall','id':'call_2|fc_2','name':'read','arguments':{}}]},"
    "{'role':'toolResult','toolCallId':'call_1|fc_1','toolName':'read','content':["
    "{'type':'text','text':'int main'}]},"
    "{'role':'toolResult','toolCallId':'call_2|fc_2','toolName':'read','content':["
    "{'type':'text','text':'it'},{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]},"
    "{'role':'user','content':'go on'}]";

static void test_body(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_RESPONSES);
    model->is_reasoning = true;
    g_autoptr(json_t) history = json_of(history_text);
    g_autoptr(json_t) tools =
        json_of("[{'name':'read','description':'R','parameters':{'type':'object'}}]");
    const char *const system[] = { "base", "", "project", NULL };
    const ProviderRequest request = { .model = model,
                                      .messages = history,
                                      .tools = tools,
                                      .system_blocks = system,
                                      .thinking = THINKING_HIGH,
                                      .session_id = "s-1",
                                      .service_tier = "flex",
                                      .max_tokens = 8192 };
    g_autoptr(json_t) body = body_of(&request);
    assert_json(
        "core-35, replay", body,
        "{'model':'m1','stream':true,'store':false,'prompt_cache_key':'s-1',"
        "'include':['reasoning.encrypted_content'],'tools':[{'type':'function','name':'read',"
        "'description':'R','parameters':{'type':'object'},'strict':false}],'input':["
        "{'role':'developer','content':'base'},{'role':'developer','content':'project'},"
        "{'role':'user','content':[{'type':'input_text','text':'see'},{'type':'input_image',"
        "'detail':'auto','image_url':'data:image/gif;base64," GIF_PIXEL "'}]},"
        "{" REASONING "},"
        "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'I look',"
        "'annotations':[]}],'status':'completed','id':'msg_1'},"
        "{'type':'function_call','id':'fc_1','call_id':'call_1','name':'read',"
        "'arguments':'{\\u0022path\\u0022:\\u0022a\\u0022}'},"
        "{'type':'function_call','id':'fc_2','call_id':'call_2','name':'read','arguments':'{}'},"
        "{'type':'function_call_output','call_id':'call_1','output':'int main'},"
        "{'type':'function_call_output','call_id':'call_2','output':["
        "{'type':'input_text','text':'it'},{'type':'input_image','detail':'auto',"
        "'image_url':'data:image/png;base64," PIXEL "'}]},"
        "{'role':'user','content':[{'type':'input_text','text':'go on'}]}],"
        "'max_output_tokens':8192,'service_tier':'flex',"
        "'reasoning':{'effort':'high','summary':'auto'}}");
}

/* What only the model that made it can read is not sent, and neither are names that hang on it. */
static void test_foreign_history(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *from, *to, *want;
    } cases[] = {
        { "another model", "'model':'m1'", "'model':'m0'",
          "[{'type':'message','role':'assistant','content':'hm'},"
          "{'type':'message','role':'assistant','content':'I look'},"
          "{'type':'function_call','call_id':'call_1','name':'read',"
          "'arguments':'{\\u0022path\\u0022:\\u0022a\\u0022}'},"
          "{'type':'function_call','call_id':'call_2','name':'read','arguments':'{}'},"
          "{'type':'function_call_output','call_id':'call_1','output':'int main'}]" },
        { "a signature that is no item", ITEM_TEXT, "'EqQB'",
          "[{'type':'message','role':'assistant','content':'I look'},"
          "{'type':'function_call','call_id':'call_1','name':'read',"
          "'arguments':'{\\u0022path\\u0022:\\u0022a\\u0022}'},"
          "{'type':'function_call','call_id':'call_2','name':'read','arguments':'{}'},"
          "{'type':'function_call_output','call_id':'call_1','output':'int main'}]" },
    };
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_RESPONSES);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) parts = g_strsplit(history_text, cases[i].from, -1);
        g_autofree char *text = g_strjoinv(cases[i].to, parts);
        g_autoptr(json_t) history = json_of(text);
        const ProviderRequest request = { .model = model, .messages = history };
        g_autoptr(json_t) body = body_of(&request);
        const json_t *input = json_object_get(body, "input");
        g_autoptr(json_t) wanted = json_of(cases[i].want);
        g_autoptr(json_t) got = json_array();
        for (size_t j = 0; j < json_array_size(wanted); j++)
            json_array_append(got, json_array_get(input, 1 + j));
        assert_json(cases[i].name, got, cases[i].want);
        assert_json("tools for calls", json_object_get(body, "tools"), "[]");
        assert_null(json_object_get(body, "reasoning"));
        assert_null(json_object_get(body, "include"));
    }
}

static void test_effort(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *compat;
        unsigned levels;
        ThinkingLevel level;
        const char *want;
    } cases[] = {
        { "as it is", "{}", 0, THINKING_XHIGH, "{'effort':'xhigh','summary':'auto'}" },
        { "another word", "{'reasoningEffortMap':{'xhigh':'max'}}", 0, THINKING_XHIGH,
          "{'effort':'max','summary':'auto'}" },
        { "off is a word of its own", "{'reasoningDisableMode':'none-effort'}", 0, THINKING_OFF,
          "{'effort':'none'}" },
        { "off is the lowest", "{}", 1U << THINKING_LOW | 1U << THINKING_HIGH, THINKING_OFF,
          "{'effort':'low'}" },
    };
    g_autoptr(json_t) history = json_of("[{'role':'user','content':'a'}]");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(MODEL_API_OPENAI_RESPONSES);
        model->is_reasoning = true;
        model->thinking_levels = cases[i].levels;
        model->compat = json_of(cases[i].compat);
        const ProviderRequest request = { .model = model,
                                          .messages = history,
                                          .thinking = cases[i].level };
        g_autoptr(json_t) body = body_of(&request);
        assert_json(cases[i].name, json_object_get(body, "reasoning"), cases[i].want);
    }
}

static void test_addresses(void **state G_GNUC_UNUSED)
{
    static const struct {
        ModelApi api;
        const char *base, *url, *header;
    } cases[] = {
        { MODEL_API_OPENAI_RESPONSES, "https://api.openai.com/v1/",
          "https://api.openai.com/v1/responses", "authorization: Bearer k1" },
        { MODEL_API_AZURE_OPENAI_RESPONSES,
          "https://x.openai.azure.com/openai/v1?api-version=preview",
          "https://x.openai.azure.com/openai/v1/responses?api-version=preview", "api-key: k1" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = model_new("p", "m", cases[i].api, cases[i].base);
        const WireFormat *wire = wire_for(model->api);
        g_autofree char *url = wire->make_url(model);
        assert_string_equal(url, cases[i].url);
        const ProviderRequest request = { .model = model, .api_key = "k1" };
        g_autoptr(GPtrArray) headers = g_ptr_array_new_with_free_func(g_free);
        wire->add_headers(&request, headers);
        assert_int_equal(headers->len, 1);
        assert_string_equal(g_ptr_array_index(headers, 0), cases[i].header);
    }
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams), cmocka_unit_test(test_events_and_usage),
        cmocka_unit_test(test_body),    cmocka_unit_test(test_foreign_history),
        cmocka_unit_test(test_effort),  cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
