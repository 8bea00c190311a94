/*
 * Sessions of Claude Code and Codex as ours.
 */
#include "unit.h"

#include "base/file.h"
#include "model/message.h"
#include "session/import.h"
#include "session/session.h"
#include "session/session_check.h"
#include "session/session_read.h"

static int setup(void **state)
{
    *state = g_dir_make_tmp("kedge-import-XXXXXX", NULL);
    return 0;
}

static int teardown(void **state)
{
    assert_true(file_remove_tree(*state, NULL));
    g_free(*state);
    return 0;
}

/* Caller frees the path. */
static char *put_path(const char *dir, const char *name, const char *text)
{
    char *path = g_build_filename(dir, name, NULL);
    g_autofree char *parent = g_path_get_dirname(path);
    assert_true(file_make_dirs(parent, 0700, NULL));
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    return path;
}

static void put(const char *dir, const char *name, const char *text)
{
    g_free(put_path(dir, name, text));
}

/* One line an entry: "user: hi", "assistant: text (thinking) [name {args}]", "toolResult! name:
   text". Caller frees. */
static char *outline(const SessionCopy *copy)
{
    GString *out = g_string_new(NULL);
    size_t i;
    const json_t *entry;
    json_array_foreach (copy->entries, i, entry) {
        const json_t *message = json_get_object(entry, "message");
        const char *summary = json_get_text(entry, "summary");
        if (summary)
            g_string_append_printf(out, "summary: %s\n", summary);
        if (!message)
            continue;
        const char *name = json_get_text(message, "toolName");
        g_string_append_printf(out, "%s%s%s%s:", message_role(message),
                               json_get_bool(message, "isError", false) ? "!" : "", name ? " " : "",
                               name ? name : "");
        g_autoptr(json_t) blocks = message_blocks(message);
        size_t at;
        const json_t *block;
        json_array_foreach (blocks, at, block) {
            const char *type = json_get_text(block, "type");
            g_autofree char *arguments = json_object_get(block, "arguments")
                                             ? json_to_text(json_object_get(block, "arguments"))
                                             : NULL;
            if (strcmp(type, "text") == 0)
                g_string_append_printf(out, " %s", json_get_text(block, "text"));
            else if (strcmp(type, "thinking") == 0)
                g_string_append_printf(out, " (%s)", json_get_text(block, "thinking"));
            else if (strcmp(type, "toolCall") == 0)
                g_string_append_printf(out, " [%s %s]", json_get_text(block, "name"), arguments);
            else
                g_string_append_printf(out, " <%s>", json_get_text(block, "mimeType"));
        }
        g_string_append_c(out, '\n');
    }
    return g_string_free(out, FALSE);
}

/* Imports the text and reads what came of it. */
static void import(const char *dir, const char *text, SessionCopy *ret_copy)
{
    g_autofree char *file = put_path(dir, "theirs.jsonl", text);
    g_autofree char *root = g_build_filename(dir, "sessions", NULL);
    g_auto(ImportResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!session_import(file, root, "/here", &result, &error))
        fail_msg("%s", error->message);
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    if (session_check(result.path, problems) != SESSION_CLEAN)
        fail_msg("not clean: %s", (char *)problems->pdata[0]);
    assert_true(session_read(result.path, ret_copy, NULL));
    g_autofree char *after = NULL;
    assert_true(file_read(file, 1 << 20, &after, NULL, NULL));
    assert_string_equal(after, text); // theirs is only read
    g_auto(ImportResult) again = { 0 };
    assert_true(session_import(file, root, "/here", &again, NULL));
    assert_true(again.was_there);
    assert_string_equal(again.path, result.path);
}

#define C(uuid, parent, type, message, more)                                                       \
    "{\"uuid\":\"" uuid "\",\"parentUuid\":" parent                                                \
    ",\"sessionId\":\"5e55\",\"cwd\":\"/srv/app\","                                                \
    "\"type\":\"" type "\",\"timestamp\":\"2026-03-04T05:06:07.089Z\",\"message\":" message more   \
    "}\n"

static const char claude[] =
    "{\"type\":\"summary\",\"summary\":\"The parser\",\"leafUuid\":\"z\"}\n"
    "{\"type\":\"file-history-snapshot\",\"messageId\":\"m\",\"snapshot\":{}}\n" C(
        "0", "null", "user", "{\"role\":\"user\",\"content\":\"caveat\"}",
        ",\"isMeta\":true") C("1", "\"0\"", "user", "{\"role\":\"user\",\"content\":\"fix it\"}",
                              "") C("x", "\"1\"", "assistant",
                                    "{\"id\":\"mx\",\"content\":[{\"type\":\"text\",\"text\":"
                                    "\"a branch that was left\"}]}",
                                    "")
        C("2", "\"1\"", "assistant",
          "{\"id\":\"m1\",\"model\":\"claude-sonnet-4-5\",\"content\":[{\"type\":\"thinking\","
          "\"thinking\":\"hm\",\"signature\":\"c2ln\"}],\"usage\":{\"input_tokens\":5,"
          "\"output_tokens\":1}}",
          "")
            C("3", "\"2\"", "assistant",
              "{\"id\":\"m1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Read\","
              "\"input\":{\"path\":\"a\"}}]}",
              "") C("4", "\"3\"", "assistant",
                    "{\"id\":\"m1\",\"content\":[{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":"
                    "\"Bash\","
                    "\"input\":[1]}],\"usage\":{\"input_tokens\":5,\"output_tokens\":9,"
                    "\"cache_read_input_tokens\":7}}",
                    "")
    // the first result hangs beside the way
    C("5", "\"3\"", "user",
      "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\","
      "\"content\":\"text\"}]}",
      ",\"toolUseResult\":{}")
        C("6", "\"4\"", "user",
          "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t2\","
          "\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"bad\"},{\"type\":\"image\","
          "\"source\":{\"type\":\"base64\",\"media_type\":\"image/png\",\"data\":\"QUJD\"}}]},"
          "{\"type\":\"tool_result\",\"tool_use_id\":\"unknown\",\"content\":\"x\"}]}",
          "") "half a line {\n" C("s", "\"6\"", "user",
                                  "{\"role\":\"user\",\"content\":\"a subagent\"}",
                                  ",\"isSidechain\":true")
            C("7", "\"6\"", "user", "{\"role\":\"user\",\"content\":\"Earlier: all\"}",
              ",\"isCompactSummary\":true")
                C("8", "\"7\"", "assistant",
                  "{\"id\":\"m2\",\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}", "");

static void test_claude(void **state)
{
    g_auto(SessionCopy) copy = { 0 };
    import(*state, claude, &copy);
    g_autofree char *got = outline(&copy);
    assert_string_equal(got, "user: fix it\n"
                             "assistant: (hm) [Read {\"path\":\"a\"}] [Bash {}]\n"
                             "toolResult Read: text\n"
                             "toolResult! Bash: bad <image/png>\n"
                             "summary: Earlier: all\n"
                             "assistant: done\n");
    assert_string_equal(json_get_text(copy.header, "id"), "5e55");
    assert_string_equal(json_get_text(copy.header, "title"), "The parser");
    assert_string_equal(json_get_text(copy.header, "cwd"), "/srv/app");
    assert_string_equal(json_get_text(copy.header, "timestamp"), "2026-03-04T05:06:07.089Z");
    const json_t *answer = json_get_object(json_array_get(copy.entries, 2), "message");
    assert_string_equal(json_get_text(answer, "model"), "claude-sonnet-4-5");
    assert_string_equal(json_get_text(answer, "stopReason"), "toolUse");
    assert_int_equal(json_get_int(json_get_object(answer, "usage"), "cacheRead", 0), 7);
    const json_t *thinking = json_array_get(json_get_array(answer, "content"), 0);
    assert_string_equal(json_get_text(thinking, "thinkingSignature"), "c2ln");
}

#define X(type, payload)                                                                           \
    "{\"timestamp\":\"2026-03-04T05:06:07.089Z\",\"type\":\"" type "\",\"payload\":" payload "}\n"
#define ITEM(item) X("response_item", item)

static const char codex[] = X(
    "session_meta",
    "{\"id\":\"019a\",\"cwd\":\"/srv/"
    "app\",\"cli_version\":\"0.46.0\"}") ITEM("{\"type\":\"message\",\"role\":\"user\",\"content\":"
                                              "[{\"type\":\"input_text\",\"text\":"
                                              "\"<environment_context>x</environment_context>\"}]}")
    ITEM("{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"
         "\"fix it\"},{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,QUJD\"}]}")
        X("event_msg", "{\"type\":\"user_message\",\"message\":\"fix it\"}")
            X("turn_context", "{\"model\":\"gpt-5-codex\",\"cwd\":\"/srv/app\"}") ITEM(
                "{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}],"
                "\"encrypted_content\":\"xx\"}")
                ITEM("{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":\"{"
                     "\\\"command\\\":[\\\"ls\\\"]}\","
                     "\"call_id\":\"c1\"}") ITEM("{\"type\":\"custom_tool_call\",\"name\":\"apply_"
                                                 "patch\",\"input\":\"*** Begin\","
                                                 "\"call_id\":\"c2\"}")
                    ITEM("{\"type\":\"function_call_output\",\"call_id\":\"c1\",\"output\":\"{"
                         "\\\"output\\\":\\\"a.c\\\","
                         "\\\"metadata\\\":{\\\"exit_code\\\":1}}\"}")
                        ITEM("{\"type\":\"custom_tool_call_output\",\"call_id\":\"c2\",\"output\":"
                             "\"plain\"}") ITEM("{\"type\":\"function_call_output\",\"call_id\":"
                                                "\"nobody\",\"output\":\"x\"}")
                            ITEM("{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{"
                                 "\"type\":\"output_text\","
                                 "\"text\":\"done\"}]}")
                                X("compacted", "{\"message\":\"Earlier: all\"}");

static const char codex_old[] =
    "{\"id\":\"019b\",\"timestamp\":\"2026-03-04T05:06:07.089Z\",\"instructions\":null}\n"
    "{\"record_type\":\"state\"}\n"
    "{\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"hi\"}"
    "]}\n"
    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":"
    "\"ho\"}]}\n";

static void test_codex(void **state)
{
    g_auto(SessionCopy) copy = { 0 };
    import(*state, codex, &copy);
    g_autofree char *got = outline(&copy);
    assert_string_equal(got, "user: fix it <image/png>\n"
                             "assistant: (hm) [shell {\"command\":[\"ls\"]}] [apply_patch "
                             "{\"input\":\"*** Begin\"}]\n"
                             "toolResult! shell: a.c\n"
                             "toolResult apply_patch: plain\n"
                             "assistant: done\n"
                             "summary: Earlier: all\n");
    const json_t *answer = json_get_object(json_array_get(copy.entries, 2), "message");
    assert_string_equal(json_get_text(answer, "model"), "gpt-5-codex");
    assert_string_equal(json_get_text(answer, "provider"), "openai");

    g_auto(SessionCopy) old = { 0 };
    import(*state, codex_old, &old);
    g_autofree char *outlined = outline(&old);
    assert_string_equal(outlined, "user: hi\nassistant: ho\n");
    assert_string_equal(json_get_text(old.header, "cwd"), "/here");
}

/* What was imported is a session like another: it is opened, and goes on. */
static void test_goes_on(void **state)
{
    const char *dir = *state;
    g_autofree char *file = put_path(dir, "theirs.jsonl", codex_old);
    g_autofree char *root = g_build_filename(dir, "sessions", NULL);
    g_auto(ImportResult) result = { 0 };
    assert_true(session_import(file, root, dir, &result, NULL));
    assert_int_equal(result.messages, 2);
    g_autoptr(Session) session = NULL;
    g_autofree char *notice = NULL;
    assert_true(session_open(result.path, dir, &session, &notice, NULL));
    assert_null(notice);
    g_auto(SessionContext) context = { 0 };
    session_build_context(session, &context);
    assert_int_equal(json_array_size(context.messages), 2);
    assert_string_equal(json_get_text(context.models, "default"), "openai/unknown");
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        { "", "no session of Claude Code or Codex" },
        { "garbage\n[1]\n{}\n", "no session of Claude Code or Codex" },
        { "{\"type\":\"session\",\"version\":3,\"id\":\"a\"}\n", "no session of Claude Code" },
        { X("session_meta", "{\"id\":\"a\"}"), "a session without messages" },
        { C("1", "\"1\"", "user", "{}", ""), "a session without messages" },
        { C("1", "\"2\"", "user", "{\"content\":7}", "") C("2", "\"1\"", "assistant", "3", ""),
          "a session without messages" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *file = put_path(*state, "theirs.jsonl", cases[i].text);
        g_auto(ImportResult) result = { 0 };
        g_autoptr(GError) error = NULL;
        if (session_import(file, *state, "/w", &result, &error) ||
            !strstr(error->message, cases[i].want))
            fail_msg("case %zu: %s", i, error ? error->message : "imported");
    }
    // an id that is none does not become a path
    g_autofree char *file =
        put_path(*state, "theirs.jsonl",
                 X("session_meta", "{\"id\":\"../../evil\",\"cwd\":\"/w\"}")
                     ITEM("{\"type\":\"message\",\"role\":\"user\",\"content\":[{"
                          "\"type\":\"input_text\",\"text\":\"hi\"}]}"));
    g_auto(ImportResult) result = { 0 };
    assert_true(session_import(file, *state, "/w", &result, NULL));
    assert_null(strstr(result.path, "evil"));
}

static void expect_found(const char *home, const char *source, const char *cwd, unsigned want)
{
    g_autoptr(GPtrArray) files = session_import_find(home, source, cwd);
    if (files->len != want)
        fail_msg("%s %s: %u files", source, cwd ? cwd : "all", files->len);
}

static void test_find(void **state)
{
    const char *home = *state;
    expect_found(home, "claude", NULL, 0);
    expect_found(home, "codex", NULL, 0);
    put(home, ".claude/projects/-srv-my-app/5e55.jsonl", claude);
    put(home, ".claude/projects/-srv-my-app/agent-1.jsonl", claude);
    put(home, ".claude/projects/-w/6e66.jsonl", claude);
    put(home, ".codex/sessions/2026/03/04/rollout-1.jsonl", codex);
    put(home, ".codex/sessions/rollout-2.jsonl", codex_old);
    expect_found(home, "claude", NULL, 2);
    expect_found(home, "claude", "/srv/my.app", 1);
    expect_found(home, "codex", NULL, 2);
    expect_found(home, "codex", "/srv/app", 1);
    expect_found(home, "codex", "/else", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_claude, setup, teardown),
        cmocka_unit_test_setup_teardown(test_codex, setup, teardown),
        cmocka_unit_test_setup_teardown(test_goes_on, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
