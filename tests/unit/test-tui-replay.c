/*
 * A conversation that is opened again: it looks as when it happened, and of a long one only the
 * end is laid out.
 */
#include "base/str.h"
#include "tui_transcript.h"

#include "model/message.h"

static const char *const conversation[] = {
    "{'role':'user','content':'Find the *bug*,\\n\\n  please. 漢字 and \\u00e9'}",
    "{'role':'assistant','content':[{'type':'thinking','thinking':'Let me see.\\n\\nWell.'},"
    "{'type':'text','text':'I look at **two** files:\\n\\n- `a.c`, which has the loop and some "
    "more words to be wrapped\\n- b.c\\n\\n```c\\nint main(void);\\n\\nreturn 0;\\n```\\n'},"
    "{'type':'toolCall','id':'1','name':'read','arguments':{'path':'/app/a.c'}},"
    "{'type':'toolCall','id':'2','name':'read','arguments':{'path':'b.c'}}],"
    "'stopReason':'toolUse'}",
    "{'role':'toolResult','toolCallId':'1','toolName':'read','content':[{'type':'text','text':"
    "'1\\n2'}]}",
    "{'role':'toolResult','toolCallId':'2','toolName':'read','content':[{'type':'text','text':"
    "'x'}]}",
    "{'role':'assistant','content':[{'type':'toolCall','id':'3','name':'read','arguments':{'path':"
    "'c.c'}},{'type':'toolCall','id':'4','name':'bash','arguments':{'command':'make test'}},"
    "{'type':'toolCall','id':'5','name':'edit','arguments':{'path':'a.c'}}],"
    "'stopReason':'toolUse'}",
    "{'role':'toolResult','toolCallId':'3','toolName':'read','content':[{'type':'text','text':"
    "'1'}]}",
    "{'role':'toolResult','toolCallId':'4','toolName':'bash','content':[{'type':'text','text':"
    "'a\\nb\\n\\nCommand exited with code 2'}],'isError':true}",
    "{'role':'toolResult','toolCallId':'5','toolName':'edit','content':[{'type':'text','text':"
    "'Updated'}],'details':{'diff':'-1|a\\n+1|b'}}",
    "{'role':'assistant','content':[{'type':'text','text':'| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n"
    "# Done\\n\\nIt *works* now, and [here](https://example.org/x) is why: 漢字漢字漢字漢字漢字."
    "\\n\\n> quoted words\\n\\n1. one\\n2. two\\n'}],'stopReason':'stop'}",
    "{'role':'bashExecution','command':'ls','output':'a\\nb','exitCode':0}",
    "{'role':'user','content':'Thanks'}",
    "{'role':'assistant','content':[{'type':'text','text':'You are welcome'}],'stopReason':"
    "'aborted'}",
};

static json_t *conversation_messages(void)
{
    json_t *messages = json_array();
    for (size_t i = 0; i < G_N_ELEMENTS(conversation); i++)
        json_append_take(messages, parse_quoted(conversation[i]));
    return messages;
}

static void tell(Transcript *self, json_t *event)
{
    transcript_event(self, event);
    json_decref(event);
}

static json_t *event_of(const char *type, json_t *message)
{
    return json_pack("{s:s, s:O}", "type", type, "message", message);
}

/* A part in pieces of about `chunk` bytes. */
static void stream_part(Transcript *self, const json_t *block, size_t index, size_t chunk)
{
    const char *kind = json_get_text(block, "type"), *text = json_get_text(block, kind);
    if (!text)
        return;
    g_autofree char *delta = g_strconcat(kind, "_delta", NULL);
    g_autofree char *end = g_strconcat(kind, "_end", NULL);
    size_t size = strlen(text);
    for (size_t at = 0; at < size;) {
        size_t next = MIN(at + chunk, size);
        while (next < size && ((unsigned char)text[next] & 0xc0) == 0x80)
            next++;
        tell(self,
             json_pack("{s:s, s:{s:s, s:I, s:o, s:I}}", "type", "message_update",
                       "assistantMessageEvent", "type", delta, "contentIndex", (json_int_t)index,
                       "delta", json_text_n(text + at, next - at), "length", (json_int_t)next));
        at = next;
    }
    tell(self,
         json_pack("{s:s, s:{s:s, s:I, s:I}}", "type", "message_update", "assistantMessageEvent",
                   "type", end, "contentIndex", (json_int_t)index, "length", (json_int_t)size));
}

static void stream_message(Transcript *self, json_t *message, size_t chunk)
{
    bool is_answer = g_str_equal(message_role(message), "assistant");
    tell(self, event_of("message_start", message));
    g_autoptr(json_t) blocks = is_answer ? message_blocks(message) : json_array();
    size_t i;
    json_t *block;
    json_array_foreach (blocks, i, block)
        stream_part(self, block, i, chunk);
    tell(self, event_of("message_end", message));
    json_array_foreach (blocks, i, block) {
        if (g_strcmp0(json_get_text(block, "type"), "toolCall") == 0)
            tell(self,
                 json_pack("{s:s, s:O, s:O, s:O}", "type", "tool_execution_start", "toolCallId",
                           json_object_get(block, "id"), "toolName", json_object_get(block, "name"),
                           "args", json_object_get(block, "arguments")));
    }
}

static char *streamed(const json_t *messages, int width, size_t chunk)
{
    g_autoptr(Transcript) transcript = make(width);
    GString *text = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message) {
        if (g_str_equal(message_role(message), "toolResult"))
            tell(transcript,
                 json_pack("{s:s, s:O, s:O, s:b}", "type", "tool_execution_end", "toolCallId",
                           json_object_get(message, "toolCallId"), "result", message, "isError",
                           json_get_bool(message, "isError", false)));
        stream_message(transcript, message, chunk);
        g_free(live_of(transcript, 9));
        g_autofree char *rows = take(transcript);
        g_string_append(text, rows);
    }
    tell(transcript, json_pack("{s:s}", "type", "agent_end"));
    g_autofree char *rows = take(transcript);
    g_string_append(text, rows);
    return g_string_free(text, FALSE);
}

static char *replayed(const json_t *messages, int width, int max_rows)
{
    g_autoptr(Transcript) transcript = make(width);
    assert_true(transcript_replay(transcript, messages, 0, max_rows));
    g_autofree char *live = live_of(transcript, 9);
    assert_string_equal(live, "");
    return take(transcript);
}

/* However the pieces are cut, and when it is opened again. */
static void test_same_rows(void **state G_GNUC_UNUSED)
{
    static const int widths[] = { 40, 80, 13 };
    g_autoptr(json_t) messages = conversation_messages();
    for (size_t i = 0; i < G_N_ELEMENTS(widths); i++) {
        g_autofree char *want = replayed(messages, widths[i], 1000);
        assert_true(widths[i] < 40 || strstr(want, "read a.c, b.c, c.c"));
        for (size_t chunk = 1; chunk < 40; chunk += chunk < 8 ? 1 : 7) {
            g_autofree char *got = streamed(messages, widths[i], chunk);
            assert_text("streamed", got, want);
        }
    }
}

/* Rows in colours are the same, too. */
static void test_same_styles(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = conversation_messages();
    g_autoptr(Transcript) one = make(60), other = make(60);
    g_autoptr(GPtrArray) rows = rows_new(), others = rows_new();
    assert_true(transcript_replay(one, messages, 0, 1000));
    transcript_take_rows(one, rows);
    size_t i;
    json_t *message;
    json_array_foreach (messages, i, message)
        stream_message(other, message, 3);
    tell(other, json_pack("{s:s}", "type", "agent_end"));
    transcript_take_rows(other, others);
    assert_int_equal(rows->len, others->len);
    for (unsigned j = 0; j < rows->len; j++)
        assert_true(row_equal(rows->pdata[j], others->pdata[j]));
}

static json_t *long_conversation(size_t count, bool has_prompts)
{
    json_t *messages = json_array();
    for (size_t i = 0; i < count; i++) {
        g_autofree char *text = g_strdup_printf("message %zu", i);
        bool is_prompt = i == 0 || (has_prompts && i % 2 == 0);
        json_append_take(messages, json_pack("{s:s, s:[{s:s, s:s}]}", "role",
                                             is_prompt ? "user" : "assistant", "content", "type",
                                             "text", "text", text));
    }
    return messages;
}

static unsigned count_rows(const char *text)
{
    unsigned count = 0;
    for (const char *p = text; (p = strchr(p, '\n')); p++)
        count++;
    return count;
}

static void test_replay_limits(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = long_conversation(10000, true);
    g_autofree char *some = replayed(messages, 80, 9);
    assert_string_equal(some, "… 9,995 earlier messages (Ctrl+O)\n\nmessage 9995\n\n❯ message "
                              "9996\n\nmessage 9997\n\n❯ message 9998\n\nmessage 9999\n");
    g_autofree char *least = replayed(messages, 80, 1);
    assert_string_equal(least, "… 9,998 earlier messages (Ctrl+O)\n\n❯ message 9998\n\nmessage "
                               "9999\n");
    g_autofree char *many = replayed(messages, 80, 1000);
    assert_int_equal(count_rows(many), 1 + 1000);

    g_autoptr(json_t) all = long_conversation(6, true);
    g_autofree char *whole = replayed(all, 80, 100);
    assert_true(str_has_prefix(whole, "❯ message 0\n"));

    g_autoptr(json_t) alone = long_conversation(200, false); // since the last prompt
    g_autofree char *since = replayed(alone, 80, 10);
    assert_true(str_has_prefix(since, "❯ message 0\n"));
    assert_int_equal(count_rows(since), 399);

    g_autoptr(json_t) endless = long_conversation(30000, false);
    g_autofree char *bounded = replayed(endless, 80, 10);
    assert_true(str_has_prefix(bounded, "… "));
    assert_true(count_rows(bounded) <= LIMIT_REPLAY_ROWS + 2);

    g_autoptr(json_t) none = json_array();
    g_autofree char *nothing = replayed(none, 80, 10);
    assert_string_equal(nothing, "");
}

/* Folded reads take one row, however many they are: it is looked for more further back. */
static void test_replay_of_reads(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = long_conversation(100, true);
    for (int i = 0; i < 100; i++) {
        g_autofree char *id = g_strdup_printf("r%d", i);
        json_append_take(messages, json_pack("{s:s, s:[{s:s, s:s, s:s, s:{s:s}}]}", "role",
                                             "assistant", "content", "type", "toolCall", "id", id,
                                             "name", "read", "arguments", "path", "a.c"));
        json_append_take(messages, json_pack("{s:s, s:s, s:s, s:[{s:s, s:s}]}", "role",
                                             "toolResult", "toolCallId", id, "toolName", "read",
                                             "content", "type", "text", "text", "a\nb\nc\nd"));
    }
    g_autofree char *got = replayed(messages, 200, 60);
    assert_int_equal(count_rows(got), 1 + 60);
}

/* A result that stands where its answer was left out. */
static void test_odd_replays(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json, *want;
    } odd[] = {
        { "[{'role':'toolResult','toolCallId':'1','toolName':'ls','content':[]},"
          "{'role':'user','content':'x'}]",
          "❯ x\n" },
        { "[{'role':'assistant','content':[{'type':'toolCall','id':'1','name':'ls','arguments':"
          "{}}]},{'role':'user','content':'x'}]",
          "✗ ls\n\n❯ x\n" },
        { "[7,null,{'role':'user','content':'x'},[]]", "❯ x\n" },
        { "[{'role':'compactionSummary','summary':'s'},{'role':'user','content':'x'}]",
          "• Summary of what came before\n  s\n\n❯ x\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(odd); i++) {
        g_autoptr(json_t) messages = parse_quoted(odd[i].json);
        g_autofree char *got = replayed(messages, 40, 100);
        assert_text(odd[i].json, got, odd[i].want);
    }
}

/* What is open is settled first, and what comes goes on behind it. */
static void test_replay_behind(void **state G_GNUC_UNUSED)
{
    g_autoptr(Transcript) transcript = make(40);
    g_autoptr(json_t) messages = long_conversation(3, true);
    feed(transcript, START("1", "bash") BEGIN DELTA("0", "Half"));
    assert_true(transcript_replay(transcript, messages, 0, 100));
    feed(transcript, USER("on"));
    g_autofree char *got = take(transcript);
    assert_string_equal(got, "✗ bash\n\nHalf\n\n❯ message 0\n\nmessage 1\n\n❯ message "
                             "2\n\n❯ on\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),     cmocka_unit_test(test_same_styles),
        cmocka_unit_test(test_replay_limits), cmocka_unit_test(test_replay_of_reads),
        cmocka_unit_test(test_odd_replays),   cmocka_unit_test(test_replay_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
