/*
 * Where a compaction cuts, when it is due, what is told of the files.
 */
#include "unit.h"

#include "agent/compaction_plan.h"
#include "agent/transcript.h"

/* One letter an entry: u user, a answer, c answer with a call, r its result, R a large one, b a
   shell command of the person, m a model change, C a compaction that kept from the entry behind
   `=`, s a branch's summary. */
static json_t *entries_of(const char *letters, int kept)
{
    json_t *entries = json_array();
    for (int i = 0; letters[i]; i++) {
        char letter = letters[i];
        g_autofree char *large = g_strnfill(400, 'x'); // 100 tokens
        json_t *entry = NULL;
        if (letter == 'm')
            entry = json_pack("{s:s}", "type", "model_change");
        else if (letter == 'C')
            entry = json_pack("{s:s, s:s, s:o, s:{s:[s]}}", "type", "compaction", "summary",
                              "S\n\n<read-files>\nold.c\n</read-files>", "firstKeptEntryId",
                              json_sprintf("%d", kept), "details", "readFiles", "old.c");
        else if (letter == 's')
            entry = json_pack("{s:s, s:s}", "type", "branch_summary", "summary", large);
        else
            entry = json_pack("{s:s, s:{s:s, s:s}}", "type", "message", "message", "role",
                              letter == 'u'                    ? "user"
                              : letter == 'b'                  ? "bashExecution"
                              : letter == 'r' || letter == 'R' ? "toolResult"
                                                               : "assistant",
                              letter == 'b' ? "output" : "content", large);
        json_set_take(entry, "id", json_sprintf("%d", i));
        json_append_take(entries, entry);
    }
    return entries;
}

static void test_cuts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *letters;
        int64_t keep;
        int kept_by_last;
        size_t history, prefix;
        const char *first_kept, *problem;
    } cases[] = {
        { "at a user message", "uauaua", 150, 0, 4, 0, "4", NULL },
        { "at an answer: the turn is split", "uauaua", 50, 0, 4, 1, "5", NULL },
        { "never at a result (core-55)", "uacrcru", 150, 0, 6, 0, "6", NULL },
        { "at the answer behind a result", "uacrcra", 150, 0, 0, 6, "6", NULL },
        { "results alone go with their answer", "uacr", 50, 0, 0, 2, "2", NULL },
        { "a shell command begins a turn", "uabab", 250, 0, 2, 0, "2", NULL },
        { "so does a branch's summary", "uasa", 150, 0, 2, 0, "2", NULL },
        { "back over what is no message", "uammua", 150, 0, 2, 0, "2", NULL },
        { "one long turn (core-56)", "ucrcrcr", 250, 0, 0, 5, "5", NULL },
        { "all of it is recent", "uaua", 100000, 0, 0, 0, NULL,
          "Nothing to compact (session too small)" },
        { "nothing", "m", 100, 0, 0, 0, NULL, "Nothing to compact (session too small)" },
        { "nothing new (core-57)", "uauaC", 100, 2, 0, 0, NULL, "Already compacted" },
        { "nothing but a model change", "uauaCm", 100, 2, 0, 0, NULL, "Already compacted" },
        { "what was kept last time goes now", "uauaCua", 150, 2, 2, 0, "5", NULL },
        { "kept from nowhere", "uauaCuaua", 150, 77, 2, 0, "7", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) entries = entries_of(cases[i].letters, cases[i].kept_by_last);
        g_autoptr(GPtrArray) path = g_ptr_array_new();
        for (size_t j = 0; j < json_array_size(entries); j++)
            g_ptr_array_add(path, json_array_get(entries, j));
        g_auto(CompactionPlan) plan = { 0 };
        g_autoptr(GError) error = NULL;
        compaction_plan(path, cases[i].keep, &plan, &error);
        if (g_strcmp0(error ? error->message : NULL, cases[i].problem) != 0)
            fail_msg("%s: %s", cases[i].name, error ? error->message : "no error");
        if (json_array_size(plan.history) != cases[i].history ||
            json_array_size(plan.turn_prefix) != cases[i].prefix ||
            g_strcmp0(plan.first_kept_id, cases[i].first_kept) != 0)
            fail_msg("%s: %zu and %zu messages, kept from %s", cases[i].name,
                     json_array_size(plan.history), json_array_size(plan.turn_prefix),
                     plan.first_kept_id);
        if (plan.previous_summary)
            assert_string_equal(plan.previous_summary, "S"); // its file lists are made anew
    }
}

static void test_amounts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *settings;
        int64_t window, threshold;
    } cases[] = {
        { "{}", 200000, 170000 },
        { "{}", 100000, 83616 },
        { "{}", 10000, 5000 },
        { "{\"compaction\":{\"thresholdPercent\":80}}", 10000, 8000 },
        { "{\"compaction\":{\"thresholdPercent\":200}}", 10000, 9900 },
        { "{\"compaction\":{\"thresholdTokens\":7000,\"thresholdPercent\":80}}", 10000, 7000 },
        { "{\"compaction\":{\"thresholdTokens\":70000}}", 10000, 9999 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) overrides = NULL;
        assert_true(json_parse_text(cases[i].settings, &overrides, NULL));
        g_autoptr(Settings) settings = settings_new(overrides);
        const Model model = { .context_window = cases[i].window };
        assert_int_equal(compaction_threshold(settings, &model), cases[i].threshold);
    }
    g_autoptr(Settings) settings = settings_new(NULL);
    const Model large = { .context_window = 200000 }, small = { .context_window = 10000 };
    assert_int_equal(compaction_keep_tokens(settings, &large, 0, 0), 20000);
    assert_int_equal(compaction_keep_tokens(settings, &small, 0, 0), 2500);
    assert_int_equal(compaction_keep_tokens(settings, &small, 1000, 500), 1250);
    assert_int_equal(compaction_keep_tokens(settings, &small, 500, 1000), 2500);
}

static json_t *call(const char *name, const char *path)
{
    return json_pack("{s:s, s:[{s:s, s:s, s:s, s:{s:s}}]}", "role", "assistant", "content", "type",
                     "toolCall", "id", "t", "name", name, "arguments", "path", path);
}

static void test_files(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) messages = json_array();
    json_append_take(messages, call("read", "a.h:10-20"));
    json_append_take(messages, call("read", "b.c"));
    json_append_take(messages, call("read", "artifact://3"));
    json_append_take(messages, call("edit", "b.c"));
    json_append_take(messages, call("bash", "c.c"));
    g_auto(FileLists) files = { 0 };
    file_lists_init(&files);
    g_autoptr(json_t) before =
        json_pack("{s:[s,s], s:[s]}", "readFiles", "old.c", "a.h", "modifiedFiles", "made.c");
    file_lists_carry_over(&files, before);
    file_lists_add(&files, messages);
    file_lists_settle(&files);
    g_autoptr(json_t) details = file_lists_details(&files);
    g_autofree char *text = json_to_text(details);
    assert_string_equal(
        text, "{\"readFiles\":[\"old.c\",\"a.h\"],\"modifiedFiles\":[\"made.c\",\"b.c\"]}");
    g_autoptr(GString) summary = g_string_new("S");
    file_lists_append_text(&files, summary);
    assert_string_equal(summary->str, "S\n\n<read-files>\nold.c\na.h\n</read-files>"
                                      "\n\n<modified-files>\nmade.c\nb.c\n</modified-files>");
    file_lists_strip(summary->str);
    assert_string_equal(summary->str, "S");

    for (int i = 0; i < 30; i++) {
        g_autofree char *name = g_strdup_printf("f%d.c", i);
        g_autoptr(json_t) one = json_array();
        json_append_take(one, call("read", name));
        file_lists_add(&files, one);
    }
    file_lists_settle(&files);
    assert_int_equal(json_array_size(files.read), 20); // the newest
    assert_string_equal(json_string_value(json_array_get(files.read, 19)), "f29.c");
}

static void test_transcript(void **state G_GNUC_UNUSED)
{
    g_autofree char *large = g_strnfill(2345, 'y');
    g_autoptr(json_t) messages = json_array();
    json_append_take(messages, json_pack("{s:s, s:s}", "role", "user", "content", "do it"));
    json_append_take(messages, json_pack("{s:s, s:[{s:s, s:s}, {s:s, s:s, s:s, s:{s:s, s:i}}]}",
                                         "role", "assistant", "content", "type", "text", "text",
                                         "let me see", "type", "toolCall", "id", "t1", "name",
                                         "read", "arguments", "path", "a.c", "limit", 5));
    json_append_take(messages, json_pack("{s:s, s:s, s:s}", "role", "toolResult", "toolCallId",
                                         "t1", "content", large));
    const Model model = { .provider = (char *)"lab", .id = (char *)"m" };
    g_autofree char *text = transcript_text(messages, &model);
    g_autofree char *head = g_strnfill(2000, 'y');
    g_autofree char *want = g_strconcat("[User]: do it\n\n[Assistant]: let me see\n\n"
                                        "[Assistant tool calls]: read(path=\"a.c\", limit=5)\n\n"
                                        "[Tool result]: ",
                                        head, "\n[... 345 more characters truncated]", NULL);
    assert_string_equal(text, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_transcript),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
