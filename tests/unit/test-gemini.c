/*
 * model/gemini*.c: requests and streams of the Google Gemini format.
 */
#include "model_fixture.h"

#include "model/gemini.h"

#define PARTS(parts)                                                                               \
    "{'responseId':'r1','candidates':[{'content':{'role':'model','parts':[" parts "]}}]}\n"
#define FINISH(reason)   "{'candidates':[{'finishReason':'" reason "'}]}\n"
#define CALL(name, more) "{'functionCall':{'name':'" name "','args':{'n':1}" more "}}"

static void test_streams(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *stream, *content, *reason, *error;
    } cases[] = {
        { "text", PARTS("{'text':'a'}") PARTS("{'text':'b'}") FINISH("STOP"),
          "[{'type':'text','text':'ab'}]", "stop", NULL },
        { "core-36",
          PARTS("{'text':'hm','thought':true}") PARTS("{'text':'a'}") PARTS(CALL("read", ""))
              FINISH("STOP"),
          "[{'type':'thinking','thinking':'hm'},{'type':'text','text':'a'},"
          "{'type':'toolCall','id':'call_1','name':'read','arguments':{'n':1}}]",
          "toolUse", NULL },
        { "core-114, parallel calls with equal ids",
          PARTS(CALL("x", ",'id':'c'") "," CALL("y", ",'id':'c'")) FINISH("STOP"),
          "[{'type':'toolCall','id':'c','name':'x','arguments':{'n':1}},"
          "{'type':'toolCall','id':'c_2','name':'y','arguments':{'n':1}}]",
          "toolUse", NULL },
        { "signatures",
          PARTS("{'text':'t','thought':true,'thoughtSignature':'AAAA'},"
                "{'text':'a','thoughtSignature':'BBBB'},"
                "{'functionCall':{'name':'x'},'thoughtSignature':'CCCC'}") FINISH("STOP"),
          "[{'type':'thinking','thinking':'t','thinkingSignature':'AAAA'},"
          "{'type':'text','text':'a','textSignature':'BBBB'},"
          "{'type':'toolCall','id':'call_1','name':'x','arguments':{},'thoughtSignature':'CCCC'}]",
          "toolUse", NULL },
        { "a signature on a closing empty text",
          PARTS("{'text':'a'}") PARTS("{'text':'','thoughtSignature':'BBBB'}") FINISH("STOP"),
          "[{'type':'text','text':'a','textSignature':'BBBB'}]", "stop", NULL },
        { "behind a call",
          PARTS(CALL("x", ",'id':'c'")) PARTS("{'text':'','thoughtSignature':'BBBB'}")
              FINISH("STOP"),
          "[{'type':'toolCall','id':'c','name':'x','arguments':{'n':1}},"
          "{'type':'text','text':'','textSignature':'BBBB'}]",
          "toolUse", NULL },
        { "length", PARTS("{'text':'a'}") FINISH("MAX_TOKENS"), "[{'type':'text','text':'a'}]",
          "length", NULL },
        { "safety",
          PARTS("{'text':'a'}") "{'candidates':[{'finishReason':'SAFETY','finishMessage':'no'}]}",
          "[{'type':'text','text':'a'}]", "error", "Provider finishReason: SAFETY: no" },
        { "blocked prompt", "{'promptFeedback':{'blockReason':'OTHER'}}", "[]", "error",
          "Provider blockReason: OTHER" },
        { "error in mid-stream",
          PARTS("{'text':'a'}") "{'error':{'code':503,'message':'overloaded','status':'UNAVAILABLE'"
                                "}}",
          "[{'type':'text','text':'a'}]", "error", "overloaded (503)" },
        { "cut", PARTS("{'text':'a'}"), "[{'type':'text','text':'a'}]", "error",
          "the stream ended early: no finishReason" },
        { "odd chunks",
          "{}\n5\n{'candidates':[]}\n{'candidates':[{}]}\n" PARTS(
              "5,{},{'executableCode':{}},{'text':null},{'text':'a'}") FINISH("STOP"),
          "[{'type':'text','text':'a'}]", "stop", NULL },
    };
    g_autoptr(Model) model = test_model(MODEL_API_GOOGLE_GENERATIVE_AI);
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
    g_autoptr(Model) model = test_model(MODEL_API_GOOGLE_GENERATIVE_AI);
    GString *events = g_string_new(NULL);
    g_autoptr(json_t) message = decode_stream(
        model,
        PARTS("{'text':'h','thought':true}") PARTS("{'text':'a'}") PARTS(CALL(
            "x",
            "")) "{'candidates':[{'finishReason':'STOP'}],'usageMetadata':{'promptTokenCount':100,"
                 "'cachedContentTokenCount':60,'candidatesTokenCount':5,'thoughtsTokenCount':4}}",
        events);
    assert_string_equal(
        events->str, "start thinking_start thinking_delta:h thinking_end text_start text_delta:a "
                     "text_end toolcall_start toolcall_delta:{\"n\":1} toolcall_end done ");
    g_string_free(events, TRUE);
    assert_string_equal(json_get_text(message, "responseId"), "r1");
    const json_t *usage = json_object_get(message, "usage");
    assert_int_equal(json_get_int(usage, "input", 0), 40);
    assert_int_equal(json_get_int(usage, "cacheRead", 0), 60);
    assert_int_equal(json_get_int(usage, "output", 0), 9);
}

static const char history_text[] =
    "[{'role':'user','content':'open main.c'},"
    "{'role':'assistant','api':'google-generative-ai','provider':'mock','model':'MODEL','content':["
    "{'type':'thinking','thinking':'hm','thinkingSignature':'AAAA'},"
    "{'type':'text','text':'I look','textSignature':'no base64!'},"
    "{'type':'toolCall','id':'a','name':'read','arguments':{'path':'a'}},"
    "{'type':'toolCall','id':'b','name':'read','arguments':{}}]},"
    "{'role':'toolResult','toolCallId':'a','toolName':'read','content':["
    "{'type':'text','text':'no such file'}],'isError':true},"
    "{'role':'toolResult','toolCallId':'b','toolName':'read','content':["
    "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]},"
    "{'role':'assistant','content':[{'type':'text','text':'done'}]}]";

#define IMAGE "{'inlineData':{'mimeType':'image/png','data':'" PIXEL "'}}"

static void test_body(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *id, *signature, *image_inside, *image_behind;
    } cases[] = {
        { "gemini-2.5-flash", "", "",
          ",{'role':'user','parts':[{'text':'Attached image(s) from tool result:'}," IMAGE "]}" },
        { "gemini-3.1-pro", ",'thoughtSignature':'skip_thought_signature_validator'",
          ",'parts':[" IMAGE "]", "" },
    };
    g_autoptr(json_t) tools =
        json_of("[{'name':'read','description':'R','parameters':{'type':'object'}}]");
    const char *const system[] = { "base", "project", NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(MODEL_API_GOOGLE_GENERATIVE_AI);
        g_free(model->id);
        model->id = g_strdup(cases[i].id);
        g_auto(GStrv) parts = g_strsplit(history_text, "MODEL", -1);
        g_autofree char *text = g_strjoinv(cases[i].id, parts);
        g_autoptr(json_t) history = json_of(text);
        const ProviderRequest request = { .model = model,
                                          .messages = history,
                                          .tools = tools,
                                          .system_blocks = system,
                                          .max_tokens = 100 };
        g_autoptr(json_t) body = body_of(&request);
        g_autofree char *want = g_strconcat(
            "{'systemInstruction':{'parts':[{'text':'base'},{'text':'project'}]},"
            "'tools':[{'functionDeclarations':[{'name':'read','description':'R',"
            "'parametersJsonSchema':{'type':'object'}}]}],"
            "'contents':[{'role':'user','parts':[{'text':'open main.c'}]},"
            "{'role':'model','parts':[{'text':'hm','thoughtSignature':'AAAA','thought':true},"
            "{'text':'I look'},{'functionCall':{'name':'read','args':{'path':'a'}}",
            cases[i].signature,
            "},{'functionCall':{'name':'read','args':{}}}]},"
            "{'role':'user','parts':[{'functionResponse':{'name':'read','response':{'error':"
            "'no such file'}}},{'functionResponse':{'name':'read','response':{'output':"
            "'(see attached image)'}",
            cases[i].image_inside, "}}]}", cases[i].image_behind,
            ",{'role':'model','parts':[{'text':'done'}]},"
            "{'role':'user','parts':[{'text':'Continue.'}]}],"
            "'generationConfig':{'maxOutputTokens':100}}",
            NULL);
        assert_json(cases[i].id, body, want);
    }
}

static void test_thinking(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *id;
        ThinkingMode mode;
        ThinkingLevel level;
        const char *want;
    } cases[] = {
        { "gemini-2.5-flash", THINKING_MODE_BUDGET, THINKING_MINIMAL,
          "{'includeThoughts':true,'thinkingBudget':128}" },
        { "gemini-2.5-flash", THINKING_MODE_BUDGET, THINKING_LOW,
          "{'includeThoughts':true,'thinkingBudget':2048}" },
        { "gemini-2.5-flash", THINKING_MODE_BUDGET, THINKING_HIGH,
          "{'includeThoughts':true,'thinkingBudget':24576}" },
        { "gemini-2.5-pro", THINKING_MODE_BUDGET, THINKING_HIGH,
          "{'includeThoughts':true,'thinkingBudget':32768}" },
        { "gemini-2.5-flash", THINKING_MODE_BUDGET, THINKING_OFF, "{'thinkingBudget':0}" },
        { "gemini-2.5-pro", THINKING_MODE_BUDGET, THINKING_OFF, "{'thinkingBudget':128}" },
        { "gemini-flash-latest", THINKING_MODE_BUDGET, THINKING_LOW,
          "{'includeThoughts':true,'thinkingBudget':-1}" },
        { "gemini-3.8-flash", THINKING_MODE_EFFORT, THINKING_MEDIUM,
          "{'includeThoughts':true,'thinkingLevel':'MEDIUM'}" },
        { "gemini-3.8-flash", THINKING_MODE_EFFORT, THINKING_OFF, "{'thinkingLevel':'LOW'}" },
    };
    g_autoptr(json_t) history = json_of("[{'role':'user','content':'a'}]");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = test_model(MODEL_API_GOOGLE_GENERATIVE_AI);
        g_free(model->id);
        model->id = g_strdup(cases[i].id);
        model->is_reasoning = true;
        model->thinking_mode = cases[i].mode;
        model->thinking_levels = 1U << THINKING_LOW | 1U << THINKING_MEDIUM | 1U << THINKING_HIGH;
        const ProviderRequest request = { .model = model,
                                          .messages = history,
                                          .thinking = cases[i].level };
        g_autoptr(json_t) body = body_of(&request);
        const json_t *config = json_object_get(body, "generationConfig");
        assert_json(cases[i].id, json_object_get(config, "thinkingConfig"), cases[i].want);
    }
}

static void test_addresses(void **state G_GNUC_UNUSED)
{
    static const struct {
        ModelApi api;
        const char *base, *url, *header;
    } cases[] = {
        { MODEL_API_GOOGLE_GENERATIVE_AI, "https://generativelanguage.googleapis.com/v1beta",
          "https://generativelanguage.googleapis.com/v1beta/models/"
          "m%3F1:streamGenerateContent?alt=sse",
          "x-goog-api-key: k1" },
        { MODEL_API_GOOGLE_VERTEX,
          "https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu",
          "https://eu-aiplatform.googleapis.com/v1/projects/p/locations/eu/publishers/google/"
          "models/"
          "m%3F1:streamGenerateContent?alt=sse",
          "authorization: Bearer k1" },
        { MODEL_API_GOOGLE_VERTEX, "https://h/v1/publishers/google/?x=y",
          "https://h/v1/publishers/google/models/m%3F1:streamGenerateContent?x=y&alt=sse",
          "authorization: Bearer k1" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = model_new("p", "m?1", cases[i].api, cases[i].base);
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
        cmocka_unit_test(test_streams),   cmocka_unit_test(test_events_and_usage),
        cmocka_unit_test(test_body),      cmocka_unit_test(test_thinking),
        cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
