/*
 * wm/apply/apply_record.c, apply_write.c: nothing is written twice, however the attempt before
 * ended. The record of a killed process is made by cutting a whole one.
 */
#include "apply_fixture.h"

#define COMMENTS "/repos/o/r/issues/42/comments"
#define TWO_ITEMS                                                                                  \
    "{\"type\":\"add_comment\",\"body\":\"a\"}\n{\"type\":\"add_comment\",\"body\":\"b\"}\n"
#define POLICY       "{\"add-comment\":{\"max\":2}}"
#define MARKED(text) text "\\n\\n<!-- wm-agent:x -->"
#define COMMENT(id, text, at)                                                                      \
    "{\"id\":" #id ",\"html_url\":\"https://h/" #id                                                \
    "\",\"body\":\"" MARKED(text) "\",\"created_at\":\"" at "\"}"
#define LATER "2999-01-01T00:00:00Z"

static char *record_path(const ApplyFixture *fixture)
{
    return g_build_filename(fixture->run_dir, "applied.jsonl", NULL);
}

/* Keeps the first `lines` of the record, as a process that was killed behind them. */
static void cut_record(const ApplyFixture *fixture, unsigned lines)
{
    g_autofree char *path = record_path(fixture), *text = NULL;
    assert_true(file_read(path, 1024 * 1024, &text, NULL, NULL));
    char *end = text;
    for (unsigned i = 0; i < lines; i++)
        end = strchr(end, '\n') + 1;
    assert_true(g_file_set_contents(path, text, end - text, NULL));
}

static void expect_run(const char *name, ApplyFixture *fixture, const char *items,
                       const char *outputs)
{
    g_autoptr(GError) error = NULL;
    if (!apply_fixture_run(fixture, items, &error))
        fail_msg("%s: %s", name, error->message);
    g_autofree char *got = apply_fixture_outputs(fixture);
    if (strcmp(got, outputs) != 0)
        fail_msg("%s: '%s', want '%s'", name, got, outputs);
}

#define EARLIER ": applied by an earlier attempt"

/* Each item has three lines: it begins, its comment, it ends. */
static void test_killed(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        unsigned lines; // of the record that the killed process left
        CannedAnswer look, post;
        const char *outputs;
        unsigned requests; // of the second attempt
    } cases[] = {
        { "behind everything",
          6,
          { 0 },
          { 0 },
          "add_comment applied https://h/1" EARLIER "|add_comment applied https://h/2" EARLIER,
          0 },
        { "between the items",
          3,
          { 0 },
          { .request = "POST ", .body = COMMENT(3, "b", LATER) },
          "add_comment applied https://h/1" EARLIER "|add_comment applied #42 https://h/3",
          1 },
        { "before the end of the second was noted",
          5,
          { 0 },
          { 0 },
          "add_comment applied https://h/1" EARLIER "|add_comment applied #42 https://h/2",
          0 },
        { "while the second was sent, and it arrived",
          4,
          { .request = "GET " COMMENTS "?since=",
            .body = "[" COMMENT(1, "a", LATER) "," COMMENT(2, "b", LATER) "]" },
          { 0 },
          "add_comment applied https://h/1" EARLIER "|add_comment applied #42 https://h/2",
          1 },
        { "while the second was sent, and it did not",
          4,
          { .request = "GET " COMMENTS "?since=",
            .body = "[" COMMENT(1, "a", LATER) "," COMMENT(9, "b", "2001-01-01T00:00:00Z") "]" },
          { .request = "POST ", .body = COMMENT(3, "b", LATER) },
          "add_comment applied https://h/1" EARLIER "|add_comment applied #42 https://h/3",
          2 },
        { "before anything",
          0,
          { 0 },
          { .request = "POST ", .body = COMMENT(3, "z", LATER), .times = 2 },
          "add_comment applied #42 https://h/3|add_comment applied #42 https://h/3",
          2 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const CannedAnswer answers[] = {
            { .request = "POST ", .status = 201, .body = COMMENT(1, "a", LATER) },
            { .request = "POST ", .status = 201, .body = COMMENT(2, "b", LATER) },
            cases[i].look.request ? cases[i].look : (CannedAnswer) { .request = "-" },
            cases[i].post.request ? cases[i].post : (CannedAnswer) { .request = "-" },
        };
        g_autoptr(ApplyFixture) fixture = apply_fixture_new(POLICY, answers, 4);
        expect_run(cases[i].name, fixture, TWO_ITEMS,
                   "add_comment applied #42 https://h/1|add_comment applied #42 https://h/2");
        cut_record(fixture, cases[i].lines);
        expect_run(cases[i].name, fixture, TWO_ITEMS, cases[i].outputs);
        if (rest_fixture_count(fixture->rest) != 2 + cases[i].requests)
            fail_msg("%s: %u requests", cases[i].name, rest_fixture_count(fixture->rest));
    }
}

/* Two comments with one text: that of the first is not taken for the second. */
static void test_same_text(void **state G_GNUC_UNUSED)
{
    static const char items[] =
        "{\"type\":\"add_comment\",\"body\":\"a\"}\n{\"type\":\"add_comment\",\"body\":\"a\"}\n";
    static const CannedAnswer answers[] = {
        { .request = "POST ", .body = COMMENT(1, "a", LATER) },
        { .request = "POST ", .body = COMMENT(2, "a", LATER) },
        { .request = "GET ", .body = "[" COMMENT(1, "a", LATER) "]" },
        { .request = "POST ", .body = COMMENT(3, "a", LATER) },
    };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(POLICY, answers, G_N_ELEMENTS(answers));
    assert_true(apply_fixture_run(fixture, items, NULL));
    cut_record(fixture, 4);
    expect_run("same text", fixture, items,
               "add_comment applied https://h/1" EARLIER "|add_comment applied #42 https://h/3");
}

/* The connection broke: the comment is looked for in the same attempt. */
static void test_unknown(void **state G_GNUC_UNUSED)
{
    static const char item[] = "{\"type\":\"add_comment\",\"body\":\"a\"}\n";
    static const CannedAnswer arrived[] = {
        { .request = "POST ", .end = CANNED_DROP },
        { .request = "GET " COMMENTS "?since=", .body = "[" COMMENT(1, "a", LATER) "]" },
    };
    g_autoptr(ApplyFixture) there = apply_fixture_new(POLICY, arrived, G_N_ELEMENTS(arrived));
    expect_run("it arrived", there, item, "add_comment applied #42 https://h/1");

    static const CannedAnswer lost[] = {
        { .request = "POST ", .status = 502, .body = "{\"message\":\"m\"}" },
        { .request = "GET " COMMENTS "?since=", .body = "[]" },
        { .request = "GET " COMMENTS "?since=", .body = "[]" },
        { .request = "POST ", .status = 201, .body = COMMENT(4, "a", LATER) },
    };
    g_autoptr(ApplyFixture) gone = apply_fixture_new(POLICY, lost, G_N_ELEMENTS(lost));
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(gone, item, &error));
    assert_string_equal(error->message,
                        "add_comment: looked for and not found on GitHub (process-outputs may be "
                        "run again; it looks once more): GitHub API POST " COMMENTS
                        ": HTTP 502: m (it may have been carried out)");
    expect_run("again", gone, item, "add_comment applied #42 https://h/4");
    assert_int_equal(rest_fixture_count(gone->rest), 4);
}

/* What was refused is simply tried again. */
static void test_refused(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "POST ", .body = COMMENT(1, "a", LATER) },
        { .request = "POST ", .status = 403, .body = "{\"message\":\"no\"}" },
        { .request = "POST ", .body = COMMENT(2, "b", LATER) },
    };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(POLICY, answers, G_N_ELEMENTS(answers));
    assert_false(apply_fixture_run(fixture, TWO_ITEMS, NULL));
    expect_run("again", fixture, TWO_ITEMS,
               "add_comment applied https://h/1" EARLIER "|add_comment applied #42 https://h/2");
    assert_int_equal(rest_fixture_count(fixture->rest), 3);
}

/* The comment of a closed issue is not posted again when the closing failed. */
static void test_steps(void **state G_GNUC_UNUSED)
{
    static const char item[] = "{\"type\":\"close_issue\",\"comment\":\"bye\"}\n";
    static const CannedAnswer answers[] = {
        { .request = "POST ", .body = COMMENT(1, "bye", LATER) },
        { .request = "PATCH ", .status = 403, .body = "{\"message\":\"no\"}" },
        { .request = "PATCH ", .body = "{}" },
    };
    g_autoptr(ApplyFixture) fixture =
        apply_fixture_new("{\"close-issue\":null}", answers, G_N_ELEMENTS(answers));
    assert_false(apply_fixture_run(fixture, item, NULL));
    expect_run("again", fixture, item, "close_issue applied #42");
    assert_int_equal(rest_fixture_count(fixture->rest), 3);
}

/* Text is not appended twice. */
static void test_append(void **state G_GNUC_UNUSED)
{
    static const char item[] =
        "{\"type\":\"update_issue\",\"body\":\"new\",\"operation\":\"append\"}\n";
    static const CannedAnswer answers[] = {
        { .request = "GET ", .body = "{\"body\":\"old\"}" },
        { .request = "PATCH ", .body = "{}" },
        { .request = "GET ", .body = "{\"body\":\"old\\n\\nnew\"}" },
    };
    g_autoptr(ApplyFixture) fixture =
        apply_fixture_new("{\"update-issue\":null}", answers, G_N_ELEMENTS(answers));
    expect_run("first", fixture, item, "update_issue applied #42");
    cut_record(fixture, 1);
    expect_run("again", fixture, item, "update_issue applied #42");
    assert_int_equal(rest_fixture_count(fixture->rest), 3);
}

/* Numbers of temporary ids outlive the process. */
static void test_temporary_id(void **state G_GNUC_UNUSED)
{
    static const char items[] =
        "{\"type\":\"create_issue\",\"title\":\"T\",\"temporary_id\":\"tmp_1\"}\n"
        "{\"type\":\"add_comment\",\"body\":\"a\",\"target\":\"tmp_1\"}\n";
    static const CannedAnswer answers[] = {
        { .request = "POST /repos/o/r/issues ", .body = "{\"number\":7,\"html_url\":\"u\"}" },
        { .request = "POST /repos/o/r/issues/7/", .body = "{}", .times = 2 },
    };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(
        "{\"create-issue\":null,\"add-comment\":null}", answers, G_N_ELEMENTS(answers));
    expect_run("first", fixture, items, "create_issue applied #7 u|add_comment applied #7");
    cut_record(fixture, 3);
    expect_run("again", fixture, items,
               "create_issue applied #7 u" EARLIER "|add_comment applied #7");
}

/* What an agent writes into the record is no proof: it is looked for. */
static void test_forged(void **state G_GNUC_UNUSED)
{
    static const char item[] = "{\"type\":\"add_comment\",\"body\":\"a\"}\n";
    static const CannedAnswer answers[] = {
        { .request = "POST ", .body = COMMENT(1, "a", LATER) },
        { .request = "GET " COMMENTS, .body = "[]" },
        { .request = "POST ", .body = COMMENT(2, "a", LATER) },
    };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(POLICY, answers, G_N_ELEMENTS(answers));
    expect_run("first", fixture, item, "add_comment applied #42 https://h/1");
    g_setenv("GITHUB_TOKEN", "another-token", true); // whose seal is another one
    wm_api_free(fixture->api);
    fixture->api = apply_open_api(fixture->rest);
    fixture->apply.api = fixture->api;
    expect_run("forged", fixture, item, "add_comment applied #42 https://h/2");
    assert_int_equal(rest_fixture_count(fixture->rest), 3);
}

/* A job that is run again on another machine, without the record of the first. */
static void test_rerun(void **state G_GNUC_UNUSED)
{
    static const char item[] = "{\"type\":\"add_comment\",\"body\":\"a\"}\n";
    static const CannedAnswer answers[] = {
        { .request = "GET " COMMENTS, .body = "[" COMMENT(1, "a", LATER) "]" },
    };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(POLICY, answers, G_N_ELEMENTS(answers));
    g_setenv("GITHUB_RUN_ATTEMPT", "2", true);
    expect_run("rerun", fixture, item, "add_comment applied #42 https://h/1");
    g_unsetenv("GITHUB_RUN_ATTEMPT");
}

static void test_bad_records(void **state G_GNUC_UNUSED)
{
    static const char item[] = "{\"type\":\"add_comment\",\"body\":\"a\"}\n";
    static const CannedAnswer answers[] = { { .request = "POST ", .body = "{}" } };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(POLICY, answers, G_N_ELEMENTS(answers));
    g_autofree char *path = record_path(fixture);
    assert_int_equal(symlink("elsewhere", path), 0);
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture, item, &error));
    assert_int_equal(rest_fixture_count(fixture->rest), 0);
    assert_int_equal(unlink(path), 0);
    // lines that are none, and one that was cut off
    assert_true(g_file_set_contents(path, "[]\nnull\n\nx\n{\"item\":0,\"ha", -1, NULL));
    assert_true(apply_fixture_run(fixture, item, NULL));
    g_autofree char *text = NULL;
    assert_true(file_read(path, 1024 * 1024, &text, NULL, NULL));
    assert_non_null(strstr(text, "\"ha\n{\"item\":0,"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed),       cmocka_unit_test(test_same_text),
        cmocka_unit_test(test_unknown),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_steps),        cmocka_unit_test(test_append),
        cmocka_unit_test(test_temporary_id), cmocka_unit_test(test_forged),
        cmocka_unit_test(test_rerun),        cmocka_unit_test(test_bad_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
