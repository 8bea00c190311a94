/*
 * model/convert.c: roles, repairs, tool call ids.
 */
#include "model_fixture.h"

#include "model/convert.h"

#define ASSISTANT(fields)                                                                          \
    "{'role':'assistant','api':'anthropic-messages','provider':'mock','model':'m1'," fields "}"
#define CALL(id) "{'type':'toolCall','id':'" id "','name':'read','arguments':{}}"
#define RESULT(id, text)                                                                           \
    "{'role':'toolResult','toolCallId':'" id                                                       \
    "','toolName':'read','content':[{'type':'text','text':'" text "'}],"                           \
    "'isError':false}"
#define USER(text) "{'role':'user','content':[{'type':'text','text':'" text "'}]}"
#define NOTE                                                                                       \
    "{'role':'developer','content':[{'type':'text','text':'The previous turn was interrupted "     \
    "before all of "                                                                               \
    "its tool calls had finished. Some of them may have taken effect. Check the current state "    \
    "before "                                                                                      \
    "repeating work.'}]}"
#define MISSING(id, text)                                                                          \
    "{'role':'toolResult','toolCallId':'" id                                                       \
    "','toolName':'read','content':[{'type':'text','text':'" text "'}],"                           \
    "'isError':true}"
#define SENT(blocks) "{'role':'assistant','content':[" blocks "]}"

static void check(const char *name, const Model *model, const char *history, const char *want)
{
    g_autoptr(json_t) messages = json_of(history);
    g_autoptr(json_t) before = json_deep_copy(messages);
    g_autoptr(json_t) got = convert_history(messages, model);
    assert_json(name, got, want);
    assert_true(json_equal(messages, before));
}

static void test_roles(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *message, *want;
    } cases[] = {
        { "user", "{'role':'user','content':'hi','timestamp':1}", "hi" },
        { "custom", "{'role':'custom','customType':'x','content':'hi','display':true}", "hi" },
        { "hookMessage", "{'role':'hookMessage','content':[{'type':'text','text':'hi'}]}", "hi" },
        { "bash", "{'role':'bashExecution','command':'ls','output':'a\\nb','exitCode':0}",
          "Ran `ls`\\n```\\na\\nb\\n```" },
        { "bash, nothing, failed",
          "{'role':'bashExecution','command':'false','output':'','exitCode':1}",
          "Ran `false`\\n(no output)\\n\\nCommand exited with code 1" },
        { "bash, cancelled",
          "{'role':'bashExecution','command':'x','output':'a','cancelled':true,'exitCode':143}",
          "Ran `x`\\n```\\na\\n```\\n\\n(command cancelled)" },
        { "bash, cut",
          "{'role':'bashExecution','command':'x','output':'a','truncated':true,'meta':{'truncation'"
          ":"
          "{'direction':'tail','truncatedBy':'bytes','totalLines':9800,'outputLines':610,'maxBytes'"
          ":51200,"
          "'shownRange':{'start':9191,'end':9800},'artifactId':'3'}}}",
          "Ran `x`\\n```\\na\\n```\\n\\n[Showing lines 9191-9800 of 9800 (50.0KB limit). "
          "Read artifact://3 for full output]" },
        { "python", "{'role':'pythonExecution','code':'1/0','output':'boom','exitCode':1}",
          "Ran Python:\\n```python\\n1/0\\n```\\nOutput:\\n```\\nboom\\n```\\n\\nExecution failed "
          "with code 1" },
        { "branch", "{'role':'branchSummary','summary':'S','fromId':'1'}",
          "This is a summary of a branch that this conversation came back "
          "from:\\n\\n<summary>\\nS\\n</summary>" },
        { "compaction", "{'role':'compactionSummary','summary':'S','tokensBefore':5}",
          "Another model began this work and left this summary to build "
          "on:\\n\\n<summary>\\nS\\n</summary>" },
        { "files",
          "{'role':'fileMention','files':[{'path':'a.c','content':'int x;'},"
          "{'path':'b','content':'','skippedReason':'too large'}]}",
          "<system-reminder>\\n<file path=\\u0022a.c\\u0022>\\nint x;\\n</file>\\n"
          "<file path=\\u0022b\\u0022>\\n(skipped: too large)\\n</file>\\n</system-reminder>" },
    };
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *history = g_strdup_printf("[%s]", cases[i].message);
        g_autofree char *want = g_strdup_printf(
            "[{'role':'user','content':[{'type':'text','text':'%s'}]}]", cases[i].want);
        check(cases[i].name, model, history, want);
    }
    check("excluded", model,
          "[{'role':'bashExecution','command':'x','output':'a','excludeFromContext':true}]", "[]");
    check("a role of tomorrow", model, "[{'role':'new','content':'x'},5,null]", "[]");
    check("developer", model, "[{'role':'developer','content':'x'}]",
          "[{'role':'developer','content':[{'type':'text','text':'x'}]}]");
    check("empty texts and messages", model,
          "[{'role':'user','content':''},{'role':'user','content':[{'type':'text','text':'  "
          "\\n'}]}," ASSISTANT("'content':[{'type':'text','text':''}]") "," USER("x") "]",
          "[" USER("x") "]");
}

static void test_images(void **state G_GNUC_UNUSED)
{
    static const char history[] =
        "[{'role':'fileMention','files':[{'path':'p','content':'c','image':"
        "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}}]}," ASSISTANT(
            "'content':[" CALL("a") "]") ","
                                         "{'role':'toolResult','toolCallId':'a','toolName':'read','"
                                         "prunedAt':5,'isError':false,'content':["
                                         "{'type':'text','text':'t'},{'type':'image','data':'" PIXEL
                                         "','"
                                         "mimeType':'image/png'}]}]";
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(json_t) messages = json_of(history);
    g_autoptr(json_t) got = convert_history(messages, model);
    assert_json("image of a file",
                json_array_get(json_get_array(json_array_get(got, 0), "content"), 1),
                "{'type':'image','data':'" PIXEL "','mimeType':'image/png'}");
    assert_json("pruned", json_get_array(json_array_get(got, 2), "content"),
                "[{'type':'text','text':'t'}]");
    model->accepts_images = false;
    g_autoptr(json_t) blind = convert_history(messages, model);
    assert_json("placeholder",
                json_array_get(json_get_array(json_array_get(blind, 0), "content"), 1),
                "{'type':'text','text':'[image removed: this model does not accept images]'}");
}

#define THOUGHTS                                                                                   \
    "{'type':'thinking','thinking':'deep','thinkingSignature':'sig'},"                             \
    "{'type':'thinking','thinking':'','thinkingSignature':'sig2'},"                                \
    "{'type':'redactedThinking','data':'R'},{'type':'text','text':'x','textSignature':'t'}"

static void test_thinking(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) same = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(Model) other = test_model(MODEL_API_OPENAI_COMPLETIONS);
    check("same model", same, "[" ASSISTANT("'content':[" THOUGHTS "]") "]",
          "[" SENT(THOUGHTS) "]");
    // core-37
    check("other model", other,
          "[" ASSISTANT("'content':[" THOUGHTS
                        ",{'type':'toolCall','id':'a','name':'read','arguments':{},"
                        "'thoughtSignature':'S'}]") "," USER("go") "]",
          "[" SENT("{'type':'text','text':'deep'},{'type':'text','text':'x'}," CALL(
              "a")) "," MISSING("a", "No result provided") "," USER("go") "]");
    // core-112: only what came last may be partial
    check("aborted", same, "[" ASSISTANT("'stopReason':'aborted','content':[" THOUGHTS "]") "]",
          "[" SENT(THOUGHTS) "]");
    check("as other programs store redacted thinking", same,
          "[" ASSISTANT("'content':[{'type':'thinking','thinking':'[redacted]','redacted':true,"
                        "'thinkingSignature':'R'},{'type':'text','text':'x'}]") "]",
          "[" SENT("{'type':'redactedThinking','data':'R'},{'type':'text','text':'x'}") "]");
    check("another's redacted thinking", other,
          "[" ASSISTANT("'content':[{'type':'thinking','thinking':'[redacted]','redacted':true,"
                        "'thinkingSignature':'R'},{'type':'text','text':'x'}]") "]",
          "[" SENT("{'type':'text','text':'x'}") "]");
    check("aborted inside thinking", same,
          "[" ASSISTANT("'stopReason':'error','content':[{'type':'text','text':'x'},"
                        "{'type':'thinking','thinking':'deep','thinkingSignature':'s'}]") "]",
          "[" SENT("{'type':'text','text':'x'},{'type':'thinking','thinking':'deep'}") "]");
    check("aborted behind redacted thinking", same,
          "[" USER("a") "," ASSISTANT(
              "'stopReason':'aborted','content':[{'type':'redactedThinking','data':'R'}]") "]",
          "[" USER("a") "]");
}

/* core-115 */
static void test_tool_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *want;
    } cases[] = {
        { "read", "read" },
        { "a.b c", "a_b_c" },
        { "", "unknown_tool" },
        { "mcp__x-Y_9", "mcp__x-Y_9" },
        { "\u00fcber", "__ber" },
        { "0123456789012345678901234567890123456789012345678901234567890123456789",
          "0123456789012345678901234567890123456789012345678901234567890123" },
    };
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *history = g_strdup_printf(
            "[{'role':'assistant','content':[{'type':'toolCall','id':'a','name':'%s',"
            "'arguments':{}}]},{'role':'toolResult','toolCallId':'a',"
            "'toolName':'%s','content':[]}]",
            cases[i].name, cases[i].name);
        g_autoptr(json_t) messages = json_of(history);
        g_autoptr(json_t) got = convert_history(messages, model);
        const json_t *content = json_get_array(json_array_get(got, 0), "content");
        assert_string_equal(json_get_text(json_array_get(content, 0), "name"), cases[i].want);
        assert_string_equal(json_get_text(json_array_get(got, 1), "toolName"), cases[i].want);
    }
}

/* core-73: a blob that was deleted. */
static void test_lost_data(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    check(
        "image", model,
        "[{'role':'user','content':[{'type':'image','data':'blob:sha256:00','mimeType':"
        "'image/png'},{'type':'image','mimeType':'image/png'}]}]", // R03: the second has none
        "[{'role':'user','content':[{'type':'text','text':'[image removed: its data is gone]'}]}]");
    check("text", model,
          "[{'role':'user','content':[{'type':'text','text':'','textBlob':'blob:sha256:00'}]}]",
          "[" USER("[text removed: its data is gone]") "]");
}

static void test_results(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    check("one missing", model,
          "[" ASSISTANT("'stopReason':'toolUse','content':[" CALL("a") "," CALL(
              "b") "]") "," RESULT("b", "B") "," USER("go") "]",
          "[" SENT(CALL("a") "," CALL("b")) "," MISSING("a", "No result provided") "," RESULT(
              "b", "B") "," USER("go") "]");
    check("aborted", model,
          "[" ASSISTANT("'stopReason':'aborted','content':[" CALL("a") "," CALL(
              "b") "]") "," RESULT("a", "A") "," USER("go") "]",
          "[" SENT(CALL("a") "," CALL("b")) "," RESULT("a", "A") "," MISSING(
              "b", "aborted") "," NOTE "," USER("go") "]");
    check(
        "aborted with all results", model,
        "[" ASSISTANT("'stopReason':'aborted','content':[" CALL("a") "]") "," RESULT("a", "A") "]",
        "[" SENT(CALL("a")) "," RESULT("a", "A") "]");
    check("a user's word in between", model,
          "[" ASSISTANT("'content':[" CALL("a") "]") "," USER("wait") "," RESULT("a", "A") "]",
          "[" SENT(CALL("a")) "," RESULT("a", "A") "," USER("wait") "]");
    check("a result without a call", model, "[" USER("x") "," RESULT("zz", "A") "]",
          "[" USER("x") "]");
    check("failed before anything came", model,
          "[" USER("x") "," ASSISTANT("'stopReason':'error','content':[]") "," USER("y") "]",
          "[" USER("x") "," USER("y") "]");
}

static const char *call_id(const json_t *converted, size_t index)
{
    const json_t *content = json_get_array(json_array_get(converted, index), "content");
    return json_get_text(json_array_get(content, 0), "id");
}

static void test_ids(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *provider, *id;
        ModelApi api;
        size_t max;
        bool is_kept;
    } cases[] = {
        { "anthropic, good", "mock", "toolu_01-A", MODEL_API_ANTHROPIC_MESSAGES, 64, true },
        { "anthropic, bar", "mock", "call_1|fc_2", MODEL_API_ANTHROPIC_MESSAGES, 64, false },
        { "anthropic, empty", "mock", "", MODEL_API_ANTHROPIC_MESSAGES, 64, false },
        { "openai, 40", "mock", "0123456789012345678901234567890123456789",
          MODEL_API_OPENAI_COMPLETIONS, 40, true },
        { "openai, 41", "mock", "01234567890123456789012345678901234567890",
          MODEL_API_OPENAI_COMPLETIONS, 40, false },
        { "responses, call and item", "mock", "call_1|fc_2", MODEL_API_OPENAI_RESPONSES, 129,
          false },
        { "responses, of another server", "mock", "a.b", MODEL_API_OPENAI_RESPONSES, 64, false },
        { "mistral, good", "mistral", "abcDEF123", MODEL_API_OPENAI_COMPLETIONS, 9, true },
        { "mistral, long", "mistral", "toolu_01", MODEL_API_OPENAI_COMPLETIONS, 9, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Model) model =
            model_new(cases[i].provider, "m1", cases[i].api, "http://127.0.0.1:1");
        g_autofree char *history =
            g_strdup_printf("[{'role':'assistant','content':[{'type':'toolCall','id':'%s','name':'"
                            "r','arguments':{}}]},"
                            "{'role':'toolResult','toolCallId':'%s','content':[]}]",
                            cases[i].id, cases[i].id);
        g_autoptr(json_t) messages = json_of(history);
        g_autoptr(json_t) got = convert_history(messages, model);
        g_autoptr(json_t) again = convert_history(messages, model);
        const char *id = call_id(got, 0);
        if ((strcmp(id, cases[i].id) == 0) != cases[i].is_kept || strlen(id) > cases[i].max || !*id)
            fail_msg("%s: got '%s'", cases[i].name, id);
        assert_string_equal(json_get_text(json_array_get(got, 1), "toolCallId"), id);
        assert_true(json_equal(got, again));
        if (strcmp(cases[i].provider, "mistral") == 0)
            assert_int_equal(strlen(id), 9);
        for (const char *c = id; *c; c++)
            assert_true(g_ascii_isalnum(*c) || *c == '_' || *c == '-');
    }

    // servers that count from call_0 in every answer
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(json_t) messages = json_of(
        "[" ASSISTANT("'content':[" CALL("call_0") "]") "," RESULT("call_0", "A") "," ASSISTANT(
            "'content':[" CALL("call_0") "]") "," RESULT("call_0", "B") "]");
    g_autoptr(json_t) got = convert_history(messages, model);
    assert_string_equal(call_id(got, 0), "call_0");
    assert_string_not_equal(call_id(got, 2), "call_0");
    assert_string_equal(json_get_text(json_array_get(got, 3), "toolCallId"), call_id(got, 2));
    g_autofree char *second = message_text(json_array_get(got, 3));
    assert_string_equal(second, "B");
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roles),     cmocka_unit_test(test_images),
        cmocka_unit_test(test_thinking),  cmocka_unit_test(test_results),
        cmocka_unit_test(test_ids),       cmocka_unit_test(test_tool_names),
        cmocka_unit_test(test_lost_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
