/*
 * model/anthropic*.c: requests and streams of the Anthropic Messages format.
 */
#include "base/str.h"
#include "model_fixture.h"

#include "model/anthropic.h"

#define START                                                                                      \
    "{'type':'message_start','message':{'id':'msg_1','usage':{'input_tokens':25,'output_tokens':"  \
    "1}}}\n"
#define TEXT_START                                                                                 \
    "{'type':'content_block_start','index':0,'content_block':{'type':'text','text':''}}\n"
#define TEXT_DELTA                                                                                 \
    "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':'hi'}}\n"
#define BLOCK_STOP "{'type':'content_block_stop','index':0}\n"
#define STOP(reason)                                                                               \
    "{'type':'message_delta','delta':{'stop_reason':'" reason "'}}\n{'type':'message_stop'}"

static Model *reasoning_model(ThinkingMode mode)
{
    Model *model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    model->is_reasoning = true;
    model->thinking_mode = mode;
    model->max_tokens = 64000;
    return model;
}

/* core-22 */
static const char tool_stream[] = START
    "{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':'','"
    "signature':''}}\n"
    "{'type':'ping'}\n"
    "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'first "
    "'}}\n"
    "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta','thinking':'check'}}"
    "\n"
    "{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta','signature':'EqQ'}}"
    "\n"
    "{'type':'content_block_delta','index':0,'delta':{'type':'signature_delta','signature':'B=='}}"
    "\n"
    "{'type':'content_block_stop','index':0}\n"
    "{'type':'content_block_start','index':1,'content_block':{'type':'text','text':''}}\n"
    "{'type':'content_block_delta','index':1,'delta':{'type':'text_delta','text':'Let me look.'}}\n"
    "{'type':'content_block_stop','index':1}\n"
    "{'type':'content_block_start','index':2,'content_block':{'type':'tool_use','id':'toolu_1','"
    "name':'read','input':{}}}\n"
    "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':''}}"
    "\n"
    "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':'{"
    "\\'path\\':\\'ma'}}\n"
    "{'type':'content_block_delta','index':2,'delta':{'type':'input_json_delta','partial_json':'in."
    "c\\'}'}}\n"
    "{'type':'content_block_stop','index':2}\n"
    "{'type':'message_delta','delta':{'stop_reason':'tool_use'},'usage':{'output_tokens':9}}\n"
    "{'type':'message_stop'}";

static void test_tool_stream(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = reasoning_model(THINKING_MODE_BUDGET);
    GString *events = g_string_new(NULL);
    g_autoptr(json_t) message = decode_stream(model, tool_stream, events);
    assert_string_equal(
        events->str, "start thinking_start thinking_delta:first  thinking_delta:check thinking_end "
                     "text_start text_delta:Let me look. text_end toolcall_start "
                     "toolcall_delta:{\"path\":\"ma toolcall_delta:in.c\"} toolcall_end done ");
    g_string_free(events, TRUE);
    assert_json("core-22", json_object_get(message, "content"),
                "[{'type':'thinking','thinking':'first check','thinkingSignature':'EqQB=='},"
                "{'type':'text','text':'Let me look.'},"
                "{'type':'toolCall','id':'toolu_1','name':'read','arguments':{'path':'main.c'}}]");
    assert_string_equal(message_stop_reason(message), "toolUse");
    assert_string_equal(json_get_text(message, "responseId"), "msg_1");

    // core-26: the later count replaces the earlier one
    const json_t *usage = json_get_object(message, "usage");
    assert_int_equal(json_get_int(usage, "input", 0), 25);
    assert_int_equal(json_get_int(usage, "output", 0), 9);
    double total = json_get_number(json_get_object(usage, "cost"), "total", 0);
    assert_true(total > 0.000209999 && total < 0.000210001); // 25·3/1e6 + 9·15/1e6
}

static void test_endings(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *stream, *reason, *error;
    } cases[] = {
        { "end_turn", START TEXT_START TEXT_DELTA BLOCK_STOP STOP("end_turn"), "stop", NULL },
        { "pause_turn", START STOP("pause_turn"), "stop", NULL },
        { "stop_sequence", START STOP("stop_sequence"), "stop", NULL },
        { "max_tokens", START TEXT_START STOP("max_tokens"), "length", NULL },
        { "unknown", START STOP("new_reason"), "error", "Anthropic stop_reason: new_reason" },
        { "refusal", START STOP("refusal"), "error", "Refusal" },
        { "refusal with words",
          START "{'type':'message_delta','delta':{'stop_reason':'refusal','stop_details':"
                "{'category':'bio','explanation':'no'}}}\n{'type':'message_stop'}",
          "error", "Refusal (bio): no" },
        { "core-27", START TEXT_START, "error",
          "Anthropic stream envelope error: the stream ended before message_stop" },
        { "nothing", "", "error",
          "Anthropic stream envelope error: the stream ended before message_start" },
        { "content first", TEXT_START, "error",
          "Anthropic stream envelope error: content_block_start before message_start" },
        { "error",
          START TEXT_START "{'type':'error','error':{'type':'overloaded_error','message':'Busy'}}",
          "error", "Busy (overloaded_error)" },
        { "core-28",
          "{'type':'ping'}\n" START "{'type':'new','x':[1]}\n" TEXT_START
          "{'type':'ping'}\n" TEXT_DELTA
          "{'type':'content_block_start','index':1,'content_block':{'type':'new_block'}}\n"
          "{'type':'content_block_delta','index':1,'delta':{'type':'text_delta','text':'ignored'}}"
          "\n"
          "{'type':'content_block_delta','index':0,'delta':{'type':'new_delta','text':'ignored'}}\n"
          "{'type':'content_block_stop','index':1}\n[]\n" STOP("end_turn"),
          "stop", NULL },
        { "second start",
          START TEXT_START TEXT_DELTA
          "{'type':'message_start','message':{'id':'msg_2'}}\n" STOP("end_turn"),
          "stop", NULL },
    };
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) message = decode_stream(model, cases[i].stream, NULL);
        if (strcmp(message_stop_reason(message), cases[i].reason) != 0 ||
            g_strcmp0(message_error(message), cases[i].error) != 0)
            fail_msg("%s: got %s, '%s'", cases[i].name, message_stop_reason(message),
                     message_error(message));
        g_autofree char *text = message_text(message);
        if (*text && strcmp(text, "hi") != 0)
            fail_msg("%s: text '%s'", cases[i].name, text);
        const char *id = json_get_text(message, "responseId");
        if (id && strcmp(id, "msg_1") != 0)
            fail_msg("%s: id '%s'", cases[i].name, id);
    }
    g_autoptr(json_t) broken = decode_stream(model, START "{'type':'pi", NULL);
    assert_true(str_has_prefix(message_error(broken), "Anthropic stream envelope error: "));
}

static void test_replay(void **state G_GNUC_UNUSED)
{
    // core-23, core-24
    g_autoptr(Model) model = reasoning_model(THINKING_MODE_BUDGET);
    g_autoptr(json_t) history = json_of(
        "[{'role':'user','content':'open main.c'},"
        "{'role':'assistant','api':'anthropic-messages','provider':'mock','model':'m1','stopReason'"
        ":'toolUse',"
        "'content':[{'type':'thinking','thinking':'first check','thinkingSignature':'EqQB=='},"
        "{'type':'redactedThinking','data':'xyz'},"
        "{'type':'toolCall','id':'toolu_1','name':'read','arguments':{'path':'main.c'}},"
        "{'type':'toolCall','id':'toolu_2','name':'read','arguments':{'path':'b.c'}}]},"
        "{'role':'toolResult','toolCallId':'toolu_1','toolName':'read','content':"
        "[{'type':'text','text':'int main'}],'isError':false},"
        "{'role':'toolResult','toolCallId':'toolu_2','toolName':'read','content':"
        "[{'type':'image','data':'" PIXEL "','mimeType':'image/png'}],'isError':false}]");
    const ProviderRequest request = { .model = model, .messages = history };
    g_autoptr(json_t) body = body_of(&request);
    assert_json(
        "messages", json_object_get(body, "messages"),
        "[{'role':'user','content':[{'type':'text','text':'open main.c',"
        "'cache_control':{'type':'ephemeral'}}]},"
        "{'role':'assistant','content':["
        "{'type':'thinking','thinking':'first check','signature':'EqQB=='},"
        "{'type':'redacted_thinking','data':'xyz'},"
        "{'type':'tool_use','id':'toolu_1','name':'read','input':{'path':'main.c'}},"
        "{'type':'tool_use','id':'toolu_2','name':'read','input':{'path':'b.c'}}]},"
        "{'role':'user','content':["
        "{'type':'tool_result','tool_use_id':'toolu_1','content':'int main','is_error':false},"
        "{'type':'tool_result','tool_use_id':'toolu_2','content':["
        "{'type':'text','text':'(see attached image)'},{'type':'image','source':"
        "{'type':'base64','media_type':'image/png','data':'" PIXEL "'}}],'is_error':false,"
        "'cache_control':{'type':'ephemeral'}}]}]");
}

static size_t count_markers(const json_t *body)
{
    g_autofree char *text = json_to_text(body);
    g_auto(GStrv) parts = g_strsplit(text, "\"cache_control\"", -1);
    return g_strv_length(parts) - 1;
}

static void test_cache_markers(void **state G_GNUC_UNUSED)
{
    // core-25
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(json_t) history =
        json_of("[{'role':'user','content':'one'},{'role':'assistant','"
                "content':[{'type':'text','text':'a'}]},"
                "{'role':'user','content':'two'},{'role':'assistant','"
                "content':[{'type':'text','text':'b'}]},"
                "{'role':'user','content':[{'type':'text','text':'three'},"
                "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]}]");
    g_autoptr(json_t) tools =
        json_of("[{'name':'a','description':'A','parameters':{'type':'object'}},"
                "{'name':'b','description':'B','parameters':{'type':'object'}}]");
    const char *const system[] = { "base", "project", NULL };
    const ProviderRequest request = {
        .model = model, .messages = history, .tools = tools, .system_blocks = system
    };
    {
        g_autoptr(json_t) body = body_of(&request);
        assert_int_equal(count_markers(body), 4);
        assert_json("system", json_object_get(body, "system"),
                    "[{'type':'text','text':'base'},"
                    "{'type':'text','text':'project','cache_control':{'type':'ephemeral'}}]");
        assert_json("tools", json_object_get(body, "tools"),
                    "[{'name':'a','description':'A','input_schema':{'type':'object'}},"
                    "{'name':'b','description':'B','input_schema':{'type':'object'},"
                    "'cache_control':{'type':'ephemeral'}}]");
        const json_t *messages = json_get_array(body, "messages");
        const json_t *two = json_get_array(json_array_get(messages, 2), "content");
        const json_t *three = json_get_array(json_array_get(messages, 4), "content");
        assert_non_null(json_object_get(json_array_get(two, 0), "cache_control"));
        assert_non_null(json_object_get(json_array_get(three, 0), "cache_control"));
        assert_int_equal(json_get_int(body, "max_tokens", 0), 16384);
        assert_null(json_object_get(body, "thinking"));
        assert_null(json_object_get(body, "temperature"));
    }
    g_setenv("KEDGE_CACHE_RETENTION", "none", TRUE);
    g_autoptr(json_t) bare = body_of(&request);
    assert_int_equal(count_markers(bare), 0);
    g_setenv("KEDGE_CACHE_RETENTION", "long", TRUE);
    g_autoptr(json_t) other_host = body_of(&request);
    g_autofree char *other_text = json_to_text(other_host);
    assert_null(strstr(other_text, "1h"));
    g_free(model->base_url);
    model->base_url = g_strdup("https://api.anthropic.com");
    g_autoptr(json_t) first_party = body_of(&request);
    g_autofree char *text = json_to_text(first_party);
    g_auto(GStrv) hours = g_strsplit(text, "\"ttl\":\"1h\"", -1);
    assert_int_equal(g_strv_length(hours) - 1, 4);
    g_unsetenv("KEDGE_CACHE_RETENTION");
}

static void test_thinking(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        ThinkingMode mode;
        ThinkingLevel level;
        int64_t model_max;
        const char *thinking, *output_config;
        int64_t max_tokens;
    } cases[] = {
        { "off", THINKING_MODE_BUDGET, THINKING_OFF, 64000, "{'type':'disabled'}", "null", 32000 },
        { "budget", THINKING_MODE_BUDGET, THINKING_HIGH, 64000,
          "{'type':'enabled','budget_tokens':16384}", "null", 32000 },
        { "max_tokens is raised", THINKING_MODE_BUDGET, THINKING_XHIGH, 64000,
          "{'type':'enabled','budget_tokens':32768}", "null", 36768 },
        { "a small model", THINKING_MODE_BUDGET, THINKING_HIGH, 8192,
          "{'type':'enabled','budget_tokens':4192}", "null", 8192 },
        { "a tiny model", THINKING_MODE_BUDGET, THINKING_HIGH, 1000, "{'type':'disabled'}", "null",
          1000 },
        { "adaptive", THINKING_MODE_EFFORT, THINKING_MEDIUM, 64000, "{'type':'adaptive'}",
          "{'effort':'medium'}", 32000 },
        { "adaptive, most", THINKING_MODE_EFFORT, THINKING_XHIGH, 64000, "{'type':'adaptive'}",
          "{'effort':'max'}", 32000 },
        { "adaptive, off", THINKING_MODE_EFFORT, THINKING_OFF, 64000, "{'type':'disabled'}", "null",
          32000 },
    };
    g_autoptr(json_t) history = json_of("[{'role':'user','content':'x'}]");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = reasoning_model(cases[i].mode);
        model->max_tokens = cases[i].model_max;
        const ProviderRequest request = { .model = model,
                                          .messages = history,
                                          .thinking = cases[i].level };
        g_autoptr(json_t) body = body_of(&request);
        assert_json(cases[i].name, json_object_get(body, "thinking"), cases[i].thinking);
        const json_t *config = json_object_get(body, "output_config");
        assert_json(cases[i].name, config ? config : json_null(), cases[i].output_config);
        assert_int_equal(json_get_int(body, "max_tokens", 0), cases[i].max_tokens);
    }
}

#define THOUGHT "{'type':'thinking','thinking':'t','thinkingSignature':'s'},"
#define CALLING(before, id)                                                                        \
    "{'role':'assistant','api':'anthropic-messages','provider':'mock','model':'m1','content':"     \
    "[" before "{'type':'toolCall','id':'" id "','name':'r','arguments':{}}]},"                    \
    "{'role':'toolResult','toolCallId':'" id "','toolName':'r','content':[]}"
#define SAYS(who) "{'role':'" who "','content':[{'type':'text','text':'x'}]}"

/* core-113: a request that the server would refuse for missing thinking is sent without. */
static void test_missing_thinking(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *history;
        bool is_thinking;
    } cases[] = {
        { "first prompt", "[" SAYS("user") "]", true },
        { "a turn that thought", "[" SAYS("user") "," CALLING(THOUGHT, "a") "]", true },
        { "a turn that did not", "[" SAYS("user") "," CALLING("", "a") "]", false },
        { "thought later", "[" SAYS("user") "," CALLING("", "a") "," CALLING(THOUGHT, "b") "]",
          false },
        { "thought first", "[" SAYS("user") "," CALLING(THOUGHT, "a") "," CALLING("", "b") "]",
          true },
        { "steered", "[" SAYS("user") "," CALLING("", "a") "," SAYS("user") "]", false },
        { "next turn",
          "[" SAYS("user") "," CALLING("", "a") "," SAYS("assistant") "," SAYS("user") "]", true },
        { "no calls", "[" SAYS("user") "," SAYS("assistant") "]", true },
    };
    static const ThinkingMode modes[] = { THINKING_MODE_BUDGET, THINKING_MODE_EFFORT };
    for (size_t i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(modes); i++) {
        g_autoptr(Model) model = reasoning_model(modes[i % 2]);
        g_autoptr(json_t) history = json_of(cases[i / 2].history);
        const ProviderRequest request = { .model = model,
                                          .messages = history,
                                          .thinking = THINKING_HIGH };
        g_autoptr(json_t) body = body_of(&request);
        bool is_thinking = json_object_get(body, "thinking") != NULL;
        if (is_thinking != cases[i / 2].is_thinking)
            fail_msg("%s: thinking %d", cases[i / 2].name, is_thinking);
    }
}

/* core-110, core-112: what was cut says so. */
static void test_cut_short(void **state G_GNUC_UNUSED)
{
    static const char thinking_ended[] = START
        "{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':'t',"
        "'signature':'s'}}\n{'type':'content_block_stop','index':0}\n"
        "{'type':'content_block_start','index':1,'content_block':{'type':'text','text':'x'}}";
    static const char thinking_cut[] = START
        "{'type':'content_block_start','index':0,'content_block':{'type':'thinking','thinking':'t',"
        "'signature':'s'}}";
    static const char call_cut[] = START
        "{'type':'content_block_start','index':0,'content_block':{'type':'tool_use','id':'t1',"
        "'name':'bash','input':{}}}\n{'type':'content_block_delta','index':0,'delta':{'type':"
        "'input_json_delta','partial_json':'{\\'a\\':\\'rm -r'}}";
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(json_t) ended = decode_stream(model, thinking_ended, NULL);
    assert_json("ended", json_get_array(ended, "content"),
                "[{'type':'thinking','thinking':'t','thinkingSignature':'s'},"
                "{'type':'text','text':'x'}]");
    g_autoptr(json_t) cut = decode_stream(model, thinking_cut, NULL);
    assert_json("cut", json_get_array(cut, "content"), "[{'type':'thinking','thinking':'t'}]");

    static const char call[] = "{'type':'toolCall','id':'t1','name':'bash','arguments':"
                               "{'a':'rm -r'},'incomplete':true}";
    static const char *const ends[] = { "", "\n" STOP("max_tokens"), "\n" STOP("tool_use"),
                                        "\n" BLOCK_STOP STOP("end_turn") };
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_autofree char *stream = g_strconcat(call_cut, ends[i], NULL);
        g_autoptr(json_t) message = decode_stream(model, stream, NULL);
        assert_json(ends[i], json_array_get(json_get_array(message, "content"), 0), call);
    }
}

static void test_continue(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(json_t) history = json_of(
        "[{'role':'user','content':[{'type':'image','data':'" PIXEL "','mimeType':'image/png'}]},"
        "{'role':'developer','content':'note'},"
        "{'role':'assistant','content':[{'type':'text','text':'a'}]}]");
    const ProviderRequest request = { .model = model, .messages = history };
    g_setenv("KEDGE_CACHE_RETENTION", "none", TRUE);
    g_autoptr(json_t) body = body_of(&request);
    g_unsetenv("KEDGE_CACHE_RETENTION");
    assert_json("messages", json_object_get(body, "messages"),
                "[{'role':'user','content':[{'type':'text','text':'(see attached image)'},"
                "{'type':'image','source':{'type':'base64','media_type':'image/png','data':'" PIXEL
                "'}},{'type':'text','text':'note'}]},"
                "{'role':'assistant','content':[{'type':'text','text':'a'}]},"
                "{'role':'user','content':[{'type':'text','text':'Continue.'}]}]");
}

static void test_headers_and_url(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *base, *key, *url, *headers;
    } cases[] = {
        { "https://api.anthropic.com", "sk-ant-api-1", "https://api.anthropic.com/v1/messages",
          "x-api-key: sk-ant-api-1|anthropic-version: 2023-06-01" },
        { "https://api.anthropic.com/v1/", "sk-ant-oat01-1",
          "https://api.anthropic.com/v1/messages",
          "authorization: Bearer sk-ant-oat01-1|anthropic-version: 2023-06-01|"
          "anthropic-beta: oauth-2025-04-20" },
        { "https://api.anthropic.com", "token-of-env", "https://api.anthropic.com/v1/messages",
          "authorization: Bearer token-of-env|anthropic-version: 2023-06-01|"
          "anthropic-beta: oauth-2025-04-20" },
        { "https://api.anthropic.com.evil.example", "k1",
          "https://api.anthropic.com.evil.example/v1/messages",
          "authorization: Bearer k1|anthropic-version: 2023-06-01" },
        { "https://gateway.example", NULL, "https://gateway.example/v1/messages",
          "anthropic-version: 2023-06-01" },
        { "http://127.0.0.1:8080/x/", NULL, "http://127.0.0.1:8080/x/v1/messages",
          "anthropic-version: 2023-06-01" },
    };
    g_setenv("ANTHROPIC_OAUTH_TOKEN", "token-of-env", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model = model_new("p", "m", MODEL_API_ANTHROPIC_MESSAGES, cases[i].base);
        g_autofree char *url = anthropic_make_url(model);
        assert_string_equal(url, cases[i].url);
        const ProviderRequest request = { .model = model, .api_key = cases[i].key };
        g_autoptr(GPtrArray) headers = g_ptr_array_new_with_free_func(g_free);
        anthropic_add_headers(&request, headers);
        g_ptr_array_add(headers, NULL);
        g_autofree char *joined = g_strjoinv("|", (char **)headers->pdata);
        assert_string_equal(joined, cases[i].headers);
    }
    g_unsetenv("ANTHROPIC_OAUTH_TOKEN");
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tool_stream),     cmocka_unit_test(test_endings),
        cmocka_unit_test(test_replay),          cmocka_unit_test(test_cache_markers),
        cmocka_unit_test(test_thinking),        cmocka_unit_test(test_missing_thinking),
        cmocka_unit_test(test_cut_short),       cmocka_unit_test(test_continue),
        cmocka_unit_test(test_headers_and_url),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
