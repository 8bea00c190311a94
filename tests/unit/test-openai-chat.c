/*
 * model/openai_*.c: requests and streams of the OpenAI Chat Completions format.
 */
#include "model_fixture.h"

#include "model/openai.h"

#define DELTA(delta)   "{'id':'c1','choices':[{'index':0,'delta':" delta "}]}\n"
#define FINISH(reason) "{'choices':[{'index':0,'delta':{},'finish_reason':'" reason "'}]}\n"
#define CALL(fields)   DELTA("{'tool_calls':[{" fields "}]}")

static void test_streams(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *stream, *content, *reason, *error;
    } cases[] = {
        { "text",
          DELTA("{'role':'assistant','content':''}") DELTA("{'content':'a'}")
              DELTA("{'content':'b'}") FINISH("stop") "[DONE]",
          "[{'type':'text','text':'ab'}]", "stop", NULL },
        { "parts",
          DELTA("{'content':[{'type':'text','text':'a'},{'type':'new'}]}") FINISH("end") "[DONE]",
          "[{'type':'text','text':'a'}]", "stop", NULL },
        { "core-29",
          CALL(
              "'index':0,'id':'call_1','type':'function','function':{'name':'read','arguments':''}")
              CALL("'index':0,'function':{'arguments':'{\\'path\\':'}") CALL(
                  "'index':0,'function':{'arguments':'\\'a\\'}'}") FINISH("tool_calls") "[DONE]",
          "[{'type':'toolCall','id':'call_1','name':'read','arguments':{'path':'a'}}]", "toolUse",
          NULL },
        { "core-30",
          CALL("'index':0,'id':'a','function':{'name':'read','arguments':'{'}")
              CALL("'index':1,'id':'b','function':{'name':'grep','arguments':'{\\'q\\':1'}")
                  CALL("'index':0,'function':{'arguments':'}'}")
                      CALL("'index':1,'function':{'arguments':'}'}") FINISH("tool_calls") "[DONE]",
          "[{'type':'toolCall','id':'a','name':'read','arguments':{}},"
          "{'type':'toolCall','id':'b','name':'grep','arguments':{'q':1}}]",
          "toolUse", NULL },
        { "same index, new id",
          CALL("'index':0,'id':'a','function':{'name':'x','arguments':'{}'}") CALL(
              "'index':0,'id':'b','function':{'name':'y','arguments':'{}'}") FINISH("tool_calls"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{}},"
          "{'type':'toolCall','id':'b','name':'y','arguments':{}}]",
          "toolUse", NULL },
        { "core-114, the same id at another index",
          CALL("'index':0,'id':'a','function':{'name':'x','arguments':''}")
              CALL("'index':0,'function':{'arguments':'{}'}") CALL("'index':1,'id':'a','function':{"
                                                                   "'name':'y','arguments':'{'}")
                  CALL("'index':1,'function':{'arguments':'}'}") FINISH("tool_calls"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{}},"
          "{'type':'toolCall','id':'a_2','name':'y','arguments':{}}]",
          "toolUse", NULL },
        { "no index",
          CALL("'id':'a','function':{'name':'x','arguments':'{\\'n\\':'}")
              CALL("'function':{'arguments':'1}'}")
                  CALL("'id':'b','function':{'name':'y','arguments':'{}'}") FINISH("tool_calls"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{'n':1}},"
          "{'type':'toolCall','id':'b','name':'y','arguments':{}}]",
          "toolUse", NULL },
        { "late id and name",
          CALL("'index':0,'function':{'arguments':'{\\'n\\':1}'}")
              CALL("'index':0,'function':{'name':'x'}") CALL("'index':0,'id':'a'")
                  FINISH("function_call"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{'n':1}}]", "toolUse", NULL },
        { "id repeated",
          CALL("'index':0,'id':'a','function':{'name':'x','arguments':'{'}") CALL(
              "'index':0,'id':'a','function':{'name':'x','arguments':'}'}") FINISH("tool_calls"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{}}]", "toolUse", NULL },
        { "arguments as an object",
          CALL("'index':0,'id':'a','function':{'name':'x','arguments':{'n':1}}")
              FINISH("tool_calls"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{'n':1}}]", "toolUse", NULL },
        { "core-31",
          CALL("'index':0,'id':'a','function':{'name':'x','arguments':'{}'}") FINISH("stop"),
          "[{'type':'toolCall','id':'a','name':'x','arguments':{}}]", "toolUse", NULL },
        { "calls and no reason",
          CALL("'index':0,'id':'a','function':{'name':'x','arguments':'{}'}") "[DONE]",
          "[{'type':'toolCall','id':'a','name':'x','arguments':{}}]", "toolUse", NULL },
        { "core-32", DELTA("{'content':'a'}") FINISH("content_filter") "[DONE]",
          "[{'type':'text','text':'a'}]", "error", "Provider finish_reason: content_filter" },
        { "length", DELTA("{'content':'a'}") FINISH("length"), "[{'type':'text','text':'a'}]",
          "length", NULL },
        { "core-33, reasoning",
          DELTA("{'reasoning_content':'h','content':null}") DELTA("{'reasoning_content':'m'}")
              DELTA("{'content':'a','reasoning_content':''}") FINISH("stop"),
          "[{'type':'thinking','thinking':'hm','thinkingSignature':'reasoning_content'},"
          "{'type':'text','text':'a'}]",
          "stop", NULL },
        { "the first reasoning field counts",
          DELTA("{'reasoning':'x','reasoning_text':'x'}") FINISH("stop"),
          "[{'type':'thinking','thinking':'x','thinkingSignature':'reasoning'}]", "stop", NULL },
        { "thinking again",
          DELTA("{'content':'a'}") DELTA("{'reasoning':'x'}") DELTA("{'content':'b'}")
              FINISH("stop"),
          "[{'type':'text','text':'a'},{'type':'thinking','thinking':'x','thinkingSignature':'"
          "reasoning'},"
          "{'type':'text','text':'b'}]",
          "stop", NULL },
        { "cut", DELTA("{'content':'a'}"), "[{'type':'text','text':'a'}]", "error",
          "the stream ended early: neither a finish_reason nor [DONE]" },
        { "error in mid-stream",
          DELTA("{'content':'a'}") "{'error':{'message':'Upstream died','code':502}}",
          "[{'type':'text','text':'a'}]", "error", "Upstream died (502)" },
        { "core-118, a refusal",
          DELTA("{'content':null,'refusal':'I cannot '}") DELTA("{'refusal':'do that.'}")
              FINISH("stop") "[DONE]",
          "[{'type':'text','text':'I cannot do that.'}]", "error", "Refusal: I cannot do that." },
        { "error as text", "{'error':'no such model'}", "[]", "error", "no such model" },
        { "after the end", FINISH("stop") "[DONE]\n" DELTA("{'content':'late'}"), "[]", "stop",
          NULL },
        { "odd chunks",
          "{}\n{'choices':null}\n{'choices':[]}\n{'choices':[{}]}\n5\n" DELTA("{'content':'a'}")
              FINISH("stop"),
          "[{'type':'text','text':'a'}]", "stop", NULL },
        { "all at once", "{'choices':[{'message':{'content':'a'},'finish_reason':'stop'}]}",
          "[{'type':'text','text':'a'}]", "stop", NULL },
    };
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) message = decode_stream(model, cases[i].stream, NULL);
        assert_json(cases[i].name, json_object_get(message, "content"), cases[i].content);
        if (strcmp(message_stop_reason(message), cases[i].reason) != 0 ||
            g_strcmp0(message_error(message), cases[i].error) != 0)
            fail_msg("%s: got %s, '%s'", cases[i].name, message_stop_reason(message),
                     message_error(message));
    }
}

static void test_generated_id(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    g_autoptr(json_t) message = decode_stream(
        model, CALL("'index':0,'function':{'name':'x','arguments':'{}'}") FINISH("tool_calls"),
        NULL);
    g_autoptr(json_t) calls = message_tool_calls(message);
    const char *id = json_get_text(json_array_get(calls, 0), "id");
    assert_string_equal(id, "call_1");
}

static void test_interleaved_events(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    GString *events = g_string_new(NULL);
    g_autoptr(json_t) message = decode_stream(
        model,
        DELTA("{'reasoning':'r'}") DELTA("{'content':'t'}")
            CALL("'index':0,'id':'a','function':{'name':'x','arguments':'{'}")
                CALL("'index':1,'id':'b','function':{'name':'y','arguments':'{}'}")
                    CALL("'index':0,'function':{'arguments':'}'}") FINISH("tool_calls"),
        events);
    assert_string_equal(
        events->str, "start thinking_start thinking_delta:r thinking_end text_start text_delta:t "
                     "text_end toolcall_start toolcall_delta:{ toolcall_start toolcall_delta:{} "
                     "toolcall_delta:} toolcall_end toolcall_end done ");
    assert_string_equal(message_stop_reason(message), "toolUse");
    g_string_free(events, TRUE);
}

static void test_usage(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *chunk;
        int input, output, cache_read, cache_write, total;
    } cases[] = {
        { "core-34",
          "{'choices':[],'usage':{'prompt_tokens':100,'cached_tokens':60,'completion_tokens':5}}",
          40, 5, 60, 0, 105 },
        { "details",
          "{'choices':[],'usage':{'prompt_tokens':100,'completion_tokens':5,'total_tokens':106,"
          "'prompt_tokens_details':{'cached_tokens':30,'cache_write_tokens':20}}}",
          50, 5, 30, 20, 106 },
        { "more cached than sent", "{'usage':{'prompt_tokens':10,'cached_tokens':60}}", 0, 0, 60, 0,
          60 },
        { "in the choice",
          "{'choices':[{'usage':{'prompt_tokens':7,'completion_tokens':1}}],'usage':null}", 7, 1, 0,
          0, 8 },
    };
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *stream = g_strconcat(FINISH("stop"), cases[i].chunk, "\n[DONE]", NULL);
        g_autoptr(json_t) message = decode_stream(model, stream, NULL);
        const json_t *usage = json_get_object(message, "usage");
        const int got[] = {
            (int)json_get_int(usage, "input", -1),       (int)json_get_int(usage, "output", -1),
            (int)json_get_int(usage, "cacheRead", -1),   (int)json_get_int(usage, "cacheWrite", -1),
            (int)json_get_int(usage, "totalTokens", -1),
        };
        const int want[] = { cases[i].input, cases[i].output, cases[i].cache_read,
                             cases[i].cache_write, cases[i].total };
        if (memcmp(got, want, sizeof(got)) != 0)
            fail_msg("%s: got %d %d %d %d %d", cases[i].name, got[0], got[1], got[2], got[3],
                     got[4]);
    }
}

static const char history_text[] =
    "[{'role':'user','content':'open main.c'},"
    "{'role':'assistant','api':'openai-completions','provider':'mock','model':'m1','content':["
    "{'type':'thinking','thinking':'hm','thinkingSignature':'reasoning_content'},"
    "{'type':'toolCall','id':'call_1','name':'read','arguments':{'path':'main.c'}}]},"
    "{'role':'toolResult','toolCallId':'call_1','toolName':'read','content':["
    "{'type':'text','text':'int main'}]},"
    "{'role':'assistant','api':'openai-completions','provider':'mock','model':'m1','content':["
    "{'type':'text','text':'done'}]},{'role':'user','content':'thanks'}]";

static void test_body(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    model->is_reasoning = true;
    g_autoptr(json_t) history = json_of(history_text);
    g_autoptr(json_t) tools =
        json_of("[{'name':'read','description':'R','parameters':{'type':'object'}}]");
    const char *const system[] = { "base", "project", NULL };
    const ProviderRequest request = { .model = model,
                                      .messages = history,
                                      .tools = tools,
                                      .system_blocks = system,
                                      .thinking = THINKING_HIGH,
                                      .max_tokens = 8192 };
    g_autoptr(json_t) body = body_of(&request);
    assert_json(
        "core-33, replay", body,
        "{'model':'m1','stream':true,'stream_options':{'include_usage':true},"
        "'max_completion_tokens':8192,'messages':["
        "{'role':'system','content':'base\\n\\nproject'},{'role':'user','content':'open main.c'},"
        "{'role':'assistant','content':null,'reasoning_content':'hm','tool_calls':["
        "{'id':'call_1','type':'function','function':"
        "{'name':'read','arguments':'{\\u0022path\\u0022:\\u0022main.c\\u0022}'}}]},"
        "{'role':'tool','content':'int main','tool_call_id':'call_1'},"
        "{'role':'assistant','content':'done'},{'role':'user','content':'thanks'}],"
        "'tools':[{'type':'function','function':{'name':'read','description':'R',"
        "'parameters':{'type':'object'}}}],'reasoning_effort':'high'}");

    const ProviderRequest bare = { .model = model, .messages = history };
    g_autoptr(json_t) without_tools = body_of(&bare);
    assert_json("calls but no tools", json_object_get(without_tools, "tools"), "[]");
    assert_null(json_object_get(without_tools, "reasoning_effort"));
}

static void test_images(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_OPENAI_COMPLETIONS);
    g_autoptr(json_t) history = json_of(
        "[{'role':'user','content':[{'type':'text','text':'see'},"
        "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]},"
        "{'role':'assistant','content':[{'type':'toolCall','id':'a','name':'r','arguments':{}},"
        "{'type':'toolCall','id':'b','name':'r','arguments':{}}]},"
        "{'role':'toolResult','toolCallId':'a','content':["
        "{'type':'image','data':'" GIF_PIXEL "','mimeType':'image/gif'}]},"
        "{'role':'toolResult','toolCallId':'b','content':[{'type':'text','text':'x'}]},"
        "{'role':'user','content':'go on'}]");
    const ProviderRequest request = { .model = model, .messages = history };
    g_autoptr(json_t) body = body_of(&request);
    assert_json(
        "messages", json_object_get(body, "messages"),
        "[{'role':'user','content':[{'type':'text','text':'see'},"
        "{'type':'image_url','image_url':{'url':'data:image/png;base64," PIXEL "'}}]},"
        "{'role':'assistant','content':null,'tool_calls':["
        "{'id':'a','type':'function','function':{'name':'r','arguments':'{}'}},"
        "{'id':'b','type':'function','function':{'name':'r','arguments':'{}'}}]},"
        "{'role':'tool','content':'(see attached image)','tool_call_id':'a'},"
        "{'role':'tool','content':'x','tool_call_id':'b'},"
        "{'role':'user','content':[{'type':'text','text':'Attached image(s) from tool result:'},"
        "{'type':'image_url','image_url':{'url':'data:image/gif;base64," GIF_PIXEL "'}}]},"
        "{'role':'user','content':'go on'}]");
}

static void test_compat(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *provider, *base, *compat, *path, *want;
    } cases[] = {
        { "unknown", "lab", "http://10.0.0.5/v1", "{}", "max_completion_tokens", "16384" },
        { "unknown: no store", "lab", "http://10.0.0.5/v1", "{}", "store", "null" },
        { "openai", "openai", "https://api.openai.com/v1", "{}", "store", "false" },
        { "openai behind a proxy", "openai", "http://10.0.0.5/v1", "{}", "store", "null" },
        { "a host's name is not a prefix", "x", "https://api.openai.com.evil.example/", "{}",
          "store", "null" },
        { "the session's cache", "openai", "https://api.openai.com/v1", "{}", "prompt_cache_key",
          "'s-1'" },
        { "unknown: no cache key", "lab", "http://10.0.0.5/v1", "{}", "prompt_cache_key", "null" },
        { "maxTokensField", "lab", "http://10.0.0.5/v1", "{'maxTokensField':'max_tokens'}",
          "max_tokens", "16384" },
        { "developer role", "lab", "http://10.0.0.5/v1", "{'supportsDeveloperRole':true}",
          "messages.0.role", "'developer'" },
        { "no usage", "lab", "http://10.0.0.5/v1", "{'supportsUsageInStreaming':false}",
          "stream_options", "null" },
        { "no effort", "lab", "http://10.0.0.5/v1", "{'supportsReasoningEffort':false}",
          "reasoning_effort", "null" },
        { "effort map", "lab", "http://10.0.0.5/v1", "{'reasoningEffortMap':{'high':'max'}}",
          "reasoning_effort", "'max'" },
        { "several system messages", "lab", "http://10.0.0.5/v1",
          "{'supportsMultipleSystemMessages':true}", "messages.1",
          "{'role':'system','content':'project'}" },
        { "openrouter", "openrouter", "https://openrouter.ai/api/v1",
          "{'openRouterRouting':{'only':['x']}}", "provider", "{'only':['x']}" },
        { "openrouter reasoning", "openrouter", "https://openrouter.ai/api/v1", "{}", "reasoning",
          "{'effort':'high'}" },
        { "zai", "lab", "http://10.0.0.5/v1", "{'thinkingFormat':'zai'}", "thinking",
          "{'type':'enabled'}" },
        { "qwen", "lab", "http://10.0.0.5/v1", "{'thinkingFormat':'qwen'}", "enable_thinking",
          "true" },
        { "qwen template", "lab", "http://10.0.0.5/v1", "{'thinkingFormat':'qwen-chat-template'}",
          "chat_template_kwargs", "{'enable_thinking':true}" },
        { "extraBody is last", "lab", "http://10.0.0.5/v1",
          "{'extraBody':{'stream_options':1,'top_k':3}}", "stream_options", "1" },
        { "mistral wants names", "mistral", "https://api.mistral.ai/v1", "{}", "messages.3.name",
          "'read'" },
        { "content for calls", "lab", "http://10.0.0.5/v1",
          "{'requiresAssistantContentForToolCalls':true}", "messages.2.content", "''" },
        { "thinking as text", "lab", "http://10.0.0.5/v1", "{'requiresThinkingAsText':true}",
          "messages.2.content", "'hm'" },
        { "another field for reasoning", "lab", "http://10.0.0.5/v1",
          "{'reasoningContentField':'reasoning'}", "messages.2.reasoning", "'hm'" },
        { "assistant after results", "lab", "http://10.0.0.5/v1",
          "{'requiresAssistantAfterToolResult':true}", "messages.4.content",
          "'I have processed the tool results.'" },
    };
    const char *const system[] = { "base", "project", NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model =
            model_new(cases[i].provider, "m1", MODEL_API_OPENAI_COMPLETIONS, cases[i].base);
        model->is_reasoning = true;
        model->compat = json_of(cases[i].compat);
        g_autoptr(json_t) history = json_of(history_text);
        json_object_set_new(json_array_get(history, 1), "provider", json_string(cases[i].provider));
        if (strstr(cases[i].compat, "AfterToolResult"))
            json_array_remove(history, 3); // then the user's word follows the result
        const ProviderRequest request = {
            .model = model,
            .messages = history,
            .system_blocks = system,
            .thinking = THINKING_HIGH,
            .session_id = "s-1",
        };
        g_autoptr(json_t) body = body_of(&request);
        const json_t *got = body;
        g_auto(GStrv) keys = g_strsplit(cases[i].path, ".", -1);
        for (char **key = keys; *key; key++)
            got = g_ascii_isdigit(**key)
                      ? json_array_get(got, (size_t)g_ascii_strtoull(*key, NULL, 10))
                      : json_object_get(got, *key);
        assert_json(cases[i].name, got ? got : json_null(), cases[i].want);
    }
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_generated_id),
        cmocka_unit_test(test_interleaved_events),
        cmocka_unit_test(test_usage),
        cmocka_unit_test(test_body),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_compat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
