/*
 * The live stream of an agent: what people see of its events, and what a run keeps of them
 * (task-engine §5.10). Rows: task-R24.
 */
#include "unit.h"

#include "wm/engine/engine.h"

#include <string.h>

static void collect(const char *line, void *user_data)
{
    g_string_append_printf(user_data, "%s\n", line);
}

static WmStream *play(WmEngineKind engine, const char *input, size_t piece, GString *out)
{
    WmStream *stream = wm_stream_new(engine, collect, out);
    for (size_t at = 0, size = strlen(input); at < size; at += piece)
        wm_stream_push(stream, input + at, MIN(piece, size - at));
    wm_stream_finish(stream);
    return stream;
}

/* The same lines wherever the bytes are cut. */
static void check(const char *name, WmEngineKind engine, const char *input, const char *expected)
{
    static const size_t pieces[] = { 1, 7, 100000 };
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        wm_stream_free(play(engine, input, pieces[i], out));
        if (strcmp(out->str, expected) != 0)
            fail_msg("%s, in pieces of %zu: got\n%s", name, pieces[i], out->str);
    }
}

/* task-X14: of a stream, too. A NUL ends no line before its end, and costs no event. */
static void test_nul(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        WmEngineKind engine;
        const char *input;
        size_t size;
        const char *expected, *response;
    } cases[] = {
#define INPUT(text) text, sizeof(text) - 1
        { "text", WM_ENGINE_CUSTOM, INPUT("a\0b\n\0\nc\0"),
          "a\xef\xbf\xbd"
          "b\n\xef\xbf\xbd\nc\xef\xbf\xbd\n",
          NULL },
        { "no event", WM_ENGINE_CLAUDE, INPUT("seen\0hidden\n\0all of it\n \n"),
          "seen\xef\xbf\xbdhidden\n\xef\xbf\xbd"
          "all of it\n",
          NULL },
        { "in an event", WM_ENGINE_CLAUDE,
          INPUT("{\"type\":\"result\",\"subtype\":\"success\",\"cost\":1,\"result\":\"a"
                "\\u0000b\\\\u0000c\\\\\\u0000\\u0000\"}\n"),
          "[result] success | cost=$1.0000\n",
          "a\xef\xbf\xbd"
          "b\\u0000c\\\xef\xbf\xbd\xef\xbf\xbd" },
        { "a raw one in an event", WM_ENGINE_CLAUDE,
          INPUT("{\"type\":\"result\",\"cost\":1}\0{\"type\":\"x\"}\n"),
          "{\"type\":\"result\",\"cost\":1}\xef\xbf\xbd{\"type\":\"x\"}\n", NULL },
        { "cut off", WM_ENGINE_KEDGE, INPUT("{\"type\":\"x\\u0000\\"), "{\"type\":\"x\\u0000\\\n",
          NULL },
#undef INPUT
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        g_autoptr(WmStream) stream = wm_stream_new(cases[i].engine, collect, out);
        for (size_t at = 0; at < cases[i].size; at++)
            wm_stream_push(stream, cases[i].input + at, 1);
        wm_stream_finish(stream);
        if (strcmp(out->str, cases[i].expected) != 0 ||
            g_strcmp0(wm_stream_last_response(stream), cases[i].response) != 0)
            fail_msg("%s: got\n%s%s", cases[i].name, out->str, wm_stream_last_response(stream));
    }
}

#define A120                                                                                       \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" /* 40 */                                            \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"                                                     \
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static void test_claude(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *input, *expected;
    } cases[] = {
        { "not JSON", "Warning: x\n\n   \nplain {\n", "Warning: x\nplain {\n" },
        { "init", "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\"}\n",
          "[session] started\n" },
        { "system", "{\"type\":\"system\",\"subtype\":\"compact\"}\n{\"type\":\"system\"}\n",
          "[system] compact\n[system] system\n" },
        { "assistant",
          "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\" a\\nb "
          "\"},{\"type\":\"tool_use\",\"name\":\"Bash\",\"input\":{\"command\":\"ls "
          "-la\"}},{\"type\":\"tool_use\",\"input\":{\"x\":1}},{\"type\":\"thinking\"}]}}\n",
          "[agent] a b\n[tool] Bash → ls -la\n[tool] tool\n" },
        { "hints",
          "{\"type\":\"assistant\",\"message\":{\"content\":["
          "{\"type\":\"tool_use\",\"name\":\"A\",\"input\":{\"command\":\"\",\"op\":\"o\"}},"
          "{\"type\":\"tool_use\",\"name\":\"B\",\"input\":{\"path\":\"p\",\"file_path\":\"f\"}},"
          "{\"type\":\"tool_use\",\"name\":\"C\",\"input\":{\"query\":\"q\",\"pattern\":\"*\"}}]}}",
          "[tool] A → o\n[tool] B → f\n[tool] C → *\n" },
        { "user",
          "{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
          "\"toolu_1\"},{\"type\":\"tool_result\"},{\"type\":\"text\",\"text\":\"x\"}]}}\n"
          "{\"type\":\"user\",\"message\":{\"content\":\"text\"}}\n",
          "[tool_result] id=toolu_1\n[tool_result]\n" },
        { "result",
          "{\"type\":\"result\",\"subtype\":\"success\",\"total_cost_usd\":0.042,\"num_turns\":3}\n"
          "{\"type\":\"result\",\"cost\":1,\"turns\":2}\n{\"type\":\"result\",\"subtype\":"
          "\"error_max_turns\"}\n",
          "[result] success | cost=$0.0420 | turns=3\n[result] done | cost=$1.0000 | turns=2\n"
          "[result] error_max_turns\n" },
        { "stream_event",
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_start\",\"content_"
          "block\":"
          "{\"type\":\"text\"}}}\n"
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"delta\":{"
          "\"type\":\"text_delta\",\"text\":\"Hel\"}}}\n"
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"delta\":{"
          "\"type\":\"text_delta\",\"text\":\"lo\"}}}\n"
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_start\",\"content_"
          "block\":"
          "{\"type\":\"tool_use\",\"name\":\"Read\",\"input\":{\"file_path\":\"a.c\"}}}}\n"
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_stop\"}}\n"
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"ping\"}}\n"
          "{\"type\":\"stream_event\",\"event\":{\"type\":\"x\",\"delta\":{\"type\":\"text_delta\","
          "\"text\":\"end\"}}}",
          "[agent] Hello\n[tool] Read → a.c\n[agent] end\n" },
        { "others", "{\"type\":\"rate_limit\"}\n{\"a\":1}\n{\"type\":\"\"}\n{\"type\":7}\n",
          "[event] type=rate_limit\n" },
        { "cut by characters",
          "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" A120
          "\"},{\"type\":\"text\",\"text\":\"\u00e9" A120 "\"}]}}\n",
          "[agent] " A120 "\n[agent] \u00e9aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
          "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\n" },
        { "a line without an end is an event, too", "{\"type\":\"result\"}", "[result] done\n" },
        { "half a line is none", "{\"type\":\"resu", "{\"type\":\"resu\n" },
        { "no command of a terminal",
          "\x1b]0;owned\x07\x1b[31mred\x1b[0m\n"
          "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":"
          "\"a\\u001b["
          "2Jb\\rc\"}]}}\n",
          "red\n[agent] abc\n" },
        { "wrong types",
          "{\"type\":\"assistant\",\"message\":[1]}\n{\"type\":\"user\"}\n{\"type\":\"assistant\","
          "\"message\":{\"content\":[1,null,{\"type\":\"text\",\"text\":{}}]}}\n[1]\n12\n",
          "[1]\n12\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(cases[i].name, WM_ENGINE_CLAUDE, cases[i].input, cases[i].expected);
}

#define KEDGE_RUN                                                                                  \
    "{\"type\":\"session\",\"id\":\"s1\"}\n"                                                       \
    "{\"type\":\"agent_start\"}\n"                                                                 \
    "{\"type\":\"turn_start\"}\n"                                                                  \
    "{\"type\":\"message_end\",\"message\":{\"role\":\"user\",\"content\":\"go\"}}\n"              \
    "{\"type\":\"message_start\",\"message\":{\"role\":\"assistant\",\"content\":[]}}\n"           \
    "{\"type\":\"message_update\",\"length\":2}\n"                                                 \
    "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"model\":\"m1\",\"content\":[" \
    "{\"type\":\"text\",\"text\":\" I look \"},{\"type\":\"text\",\"text\":\"\"},"                 \
    "{\"type\":\"toolCall\",\"id\":\"t1\",\"name\":\"bash\"}],\"stopReason\":\"toolUse\","         \
    "\"usage\":{\"input\":10,\"output\":5,\"cacheRead\":2,\"cost\":{\"total\":0.04}}}}\n"          \
    "{\"type\":\"tool_execution_start\",\"toolCallId\":\"t1\",\"toolName\":\"bash\",\"args\":{"    \
    "\"command\":\"ls -la\"}}\n"                                                                   \
    "{\"type\":\"tool_execution_update\",\"toolCallId\":\"t1\"}\n"                                 \
    "{\"type\":\"tool_execution_end\",\"toolCallId\":\"t1\",\"isError\":false}\n"                  \
    "{\"type\":\"tool_execution_end\",\"toolCallId\":\"t2\",\"isError\":true}\n"                   \
    "{\"type\":\"turn_end\"}\n"                                                                    \
    "{\"type\":\"notice\",\"level\":\"warning\",\"message\":\"near the\\nlimit\"}\n"               \
    "{\"type\":\"auto_retry_start\"}\n{\"type\":\"auto_retry_end\"}\n"                             \
    "{\"type\":\"auto_compaction_start\"}\n{\"type\":\"agent_start\"}\n"                           \
    "kedge: a line of standard error\n"                                                            \
    "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"model\":\"m1\",\"content\":[" \
    "{\"type\":\"text\",\"text\":\"All\"},{\"type\":\"text\",\"text\":\"done.\\n\"}],"             \
    "\"stopReason\":\"%s\",\"usage\":{\"input\":1,\"output\":2,\"cost\":{\"total\":0.002}}}}\n"    \
    "{\"type\":\"turn_end\"}\n{\"type\":\"agent_end\",\"messages\":[]}\n"

#define KEDGE_LINES                                                                                \
    "[session] started\n[agent] I look\n[tool] bash → ls -la\n[tool_result] id=t1\n"             \
    "[tool_result] id=t2 error\n[notice] near the limit\n[event] type=auto_retry_start\n"          \
    "[event] type=auto_compaction_start\nkedge: a line of standard error\n[agent] All\n"           \
    "[agent] done.\n[result] %s | cost=$0.0420 | turns=2\n"

static void test_kedge_says_why(void **state G_GNUC_UNUSED)
{
    check("a failed answer", WM_ENGINE_KEDGE,
          "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":[],"
          "\"stopReason\":"
          "\"error\",\"errorMessage\":\"HTTP 401:\\ninvalid \\u001b[31mx-api-key\"}}\n"
          "{\"type\":\"message_end\",\"message\":{\"role\":\"assistant\",\"content\":[],"
          "\"stopReason\":"
          "\"stop\",\"errorMessage\":\"not one\"}}\n",
          "[error] HTTP 401: invalid x-api-key\n");
    check("a call of words", WM_ENGINE_KEDGE,
          "{\"type\":\"tool_execution_start\",\"toolName\":\"gh\",\"args\":{\"args\":["
          "\"issue\",\"view\",\"8\"]}}\n",
          "[tool] gh → issue view 8\n");
}

static void test_kedge(void **state G_GNUC_UNUSED)
{
    static const char *const ends[][2] = { { "stop", "success" },
                                           { "error", "error" },
                                           { "aborted", "error" } };
    for (size_t i = 0; i < G_N_ELEMENTS(ends); i++) {
        g_autofree char *input = g_strdup_printf(KEDGE_RUN, ends[i][0]);
        g_autofree char *expected = g_strdup_printf(KEDGE_LINES, ends[i][1]);
        check("task-R24 kedge", WM_ENGINE_KEDGE, input, expected);
    }
    check("without a session", WM_ENGINE_KEDGE,
          "{\"type\":\"agent_start\"}\n{\"type\":\"agent_end\"}\n",
          "[session] started\n[result] success | cost=$0.0000 | turns=0\n");
}

static void test_kedge_keeps(void **state G_GNUC_UNUSED)
{
    g_autofree char *input = g_strdup_printf(KEDGE_RUN, "stop");
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(WmStream) stream = play(WM_ENGINE_KEDGE, input, 100000, out);
    const WmUsage *usage = wm_stream_usage(stream);
    assert_string_equal(wm_stream_last_response(stream), "All\ndone.");
    assert_true(usage->cost_usd > 0.0419 && usage->cost_usd < 0.0421);
    assert_int_equal(usage->input_tokens, 11);
    assert_int_equal(usage->output_tokens, 7);
    assert_int_equal(usage->cache_read_tokens, 2);
    assert_int_equal(usage->turns, 2);
    assert_int_equal(usage->duration_ms, -1);
    assert_string_equal(usage->model, "m1");
    assert_string_equal(usage->session_id, "s1");
    assert_string_equal(usage->subtype, "success");
}

static void test_claude_keeps(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(WmStream) none = play(WM_ENGINE_CLAUDE, "{\"type\":\"system\"}\n", 100, out);
    assert_null(wm_stream_last_response(none));
    assert_true(wm_stream_usage(none)->cost_usd < 0);
    assert_null(wm_stream_usage(none)->model);

    g_autoptr(WmStream) stream =
        play(WM_ENGINE_CLAUDE,
             "{\"type\":\"result\",\"result\":\"first\"}\n"
             "{\"type\":\"result\",\"subtype\":\"success\",\"result\":\" All done.\\n\","
             "\"total_cost_usd\":0.5,\"num_turns\":4,\"duration_ms\":12,\"session_id\":\"s\","
             "\"usage\":{\"input_tokens\":3,\"output_tokens\":5,\"cache_read_input_tokens\":6},"
             "\"modelUsage\":{\"m2\":{},\"m1\":{}}}\n",
             100000, out);
    const WmUsage *usage = wm_stream_usage(stream);
    assert_string_equal(wm_stream_last_response(stream), "All done.");
    assert_true(usage->cost_usd == 0.5);
    assert_int_equal(usage->turns, 4);
    assert_int_equal(usage->duration_ms, 12);
    assert_int_equal(usage->input_tokens, 3);
    assert_int_equal(usage->output_tokens, 5);
    assert_int_equal(usage->cache_read_tokens, 6);
    assert_string_equal(usage->model, "m1, m2");
    assert_string_equal(usage->session_id, "s");
}

/* A line of any size; what follows it is seen. */
static void test_long_lines(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = g_strnfill(5 * 1024 * 1024, 'x');
    g_autofree char *input =
        g_strdup_printf("{\"type\":\"user\",\"x\":\"%s\"}\n{\"type\":\"result\"}\n"
                        "%s\n",
                        text, text);
    g_autofree char *xs = g_strnfill(400, 'x');
    g_autofree char *cut = g_strnfill(400 - strlen("{\"type\":\"user\",\"x\":\""), 'x');
    g_autofree char *expected =
        g_strdup_printf("{\"type\":\"user\",\"x\":\"%s…\n[result] done\n%s…\n", cut, xs);
    g_autoptr(GString) out = g_string_new(NULL);
    wm_stream_free(play(WM_ENGINE_CLAUDE, input, 100000, out));
    assert_string_equal(out->str, expected);

    // kedge's last event repeats the conversation
    g_autofree char *end =
        g_strdup_printf("{\"type\":\"agent_end\",\"messages\":[\"%s\"]}\n", text);
    g_string_truncate(out, 0);
    g_autoptr(WmStream) last = play(WM_ENGINE_KEDGE, end, 100000, out);
    assert_string_equal(out->str, "[result] success | cost=$0.0000 | turns=0\n");
    assert_string_equal(wm_stream_usage(last)->subtype, "success");
}

static void test_text(void **state G_GNUC_UNUSED)
{
    check("bytes of other engines are lines", WM_ENGINE_CUSTOM,
          "  two  blanks\ttab\n\n{\"type\":\"result\"}\n\x1b[2Jgone \xff end",
          "  two  blanks\ttab\n\n{\"type\":\"result\"}\ngone \xef\xbf\xbd end\n");
    g_autofree char *text = g_strnfill(20000, 'x');
    g_autofree char *kept = g_strnfill(16384, 'x');
    g_autofree char *expected = g_strconcat(kept, "…\n", NULL);
    check("a long one is cut", WM_ENGINE_CODEX, text, expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nul),         cmocka_unit_test(test_claude),
        cmocka_unit_test(test_kedge),       cmocka_unit_test(test_kedge_says_why),
        cmocka_unit_test(test_kedge_keeps), cmocka_unit_test(test_claude_keeps),
        cmocka_unit_test(test_long_lines),  cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
