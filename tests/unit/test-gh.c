/*
 * The gh seam itself (github/gh.h) with what the `github` tool alone does not use in every way, and
 * the gate in front of it: what a person is asked, and that nothing runs without a yes.
 */
#include "unit.h"

#include "gh_fixture.h"

#include "github/gh.h"

#define STREAM_CAP_BYTES ((size_t)64 * 1024 * 1024)

typedef struct Probe { // arguments of the tool below
    bool keeps_tail, is_untrimmed;
    int64_t timeout_ms;
} Probe;

static const FieldDef probe_fields[] = {
    { .name = "keepsTail", .type = FIELD_BOOLEAN, .offset = offsetof(Probe, keeps_tail) },
    { .name = "isUntrimmed", .type = FIELD_BOOLEAN, .offset = offsetof(Probe, is_untrimmed) },
    { .name = "timeoutMs", .type = FIELD_INTEGER, .offset = offsetof(Probe, timeout_ms) },
    { 0 },
};

/* Answers "<status>|<size>|<first 20 bytes>|<stderr>". */
static bool probe_run(ToolCall *call, const void *args, ToolResult *result, GError **error)
{
    const Probe *probe = args;
    const GhSpec spec = {
        .argv = (const char *const[]) { "api", "x", NULL },
        .keeps_tail = probe->keeps_tail,
        .is_untrimmed = probe->is_untrimmed,
        .timeout_ms = probe->timeout_ms,
    };
    g_auto(GhResult) answer = { 0 };
    if (!gh_run(call, &spec, &answer, error))
        return false;
    g_autofree char *text =
        g_strdup_printf("%d|%zu|%.20s|%s", answer.exit_status, strlen(answer.output), answer.output,
                        answer.error_output);
    tool_result_add_text(result, text);
    return true;
}

static const ToolDef probe_tool = {
    .name = "probe",
    .label = "Probe",
    .summary = "Runs gh api x",
    .effect = EFFECT_READ,
    .flags = TOOL_EXACT | TOOL_GITHUB,
    .fields = probe_fields,
    .args_size = sizeof(Probe),
    .run = probe_run,
};

static void test_run(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *arguments;
        GhReply reply;
        const char *want;
    } cases[] = {
        { "trimmed", "{}", { .out = "\xef\xbb\xbf a b \n", .err = " e \n" }, "0|3|a b|e" },
        { "untrimmed", "{\"isUntrimmed\":true}", { .out = " a\n\n" }, "0|4| a\n\n|" },
        { "a status is no failure", "{}", { .status = 3, .err = "no" }, "3|0||no" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        fixture->tool = &probe_tool;
        gh_fixture_reply(fixture, &cases[i].reply);
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i].arguments);
        gh_expect_text(cases[i].name, &result, cases[i].want);
    }
}

static void test_timeout(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &probe_tool;
    gh_fixture_reply(fixture, &(GhReply) { .sleep_s = 60 });
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"timeoutMs\":300}");
    gh_expect_error("E7", &result, "GitHub CLI command timed out: gh api x");
    assert_int_equal(result.failure, KEDGE_ERROR_TIMEOUT);
}

/* Of a log over the cap the end is kept. */
static void test_tail(void **state G_GNUC_UNUSED)
{
    g_autofree char *log = g_malloc(STREAM_CAP_BYTES + 8);
    memset(log, 'x', STREAM_CAP_BYTES);
    memcpy(log + STREAM_CAP_BYTES, "the end", 8);
    memcpy(log + 7, "first kept", strlen("first kept"));
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->tool = &probe_tool;
    gh_fixture_reply_out(fixture, log);
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"keepsTail\":true}");
    gh_expect_text("tail", &result, "0|67108864|first keptxxxxxxxxxx|");
}

typedef struct Person {
    bool says_yes;
    unsigned asked;
    Effect effect;
    char *summary, *text;
} Person;

static bool ask_person(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED,
                       bool *ret_approved, void *user_data, GError **error G_GNUC_UNUSED)
{
    Person *person = user_data;
    person->asked++;
    person->effect = question->effect;
    g_free(person->summary);
    g_free(person->text);
    person->summary = g_strdup(question->summary);
    person->text = g_strdup(question->text);
    *ret_approved = person->says_yes;
    return true;
}

/* Every effect asks here, so that the words for each operation can be seen. */
#define ASK_ALWAYS                                                                                 \
    "{\"gh\":{\"knownHosts\":[\"ghe\"],\"policy\":{\"read\":\"confirm\",\"write\":\"confirm\"}}}"

static const struct {
    const char *arguments, *summary, *target; // NULL target: none
    Effect effect;
} questions[] = {
    { "{\"op\":\"repo_view\",\"repo\":\"o/r\"}", "reads facts about a repository in o/r",
      "on github.com/o/r:", EFFECT_READ },
    { "{\"op\":\"pr_create\",\"title\":\"T\\nwo\",\"repo\":\"ghe/harbor/"
      "tidepool\",\"head\":\"f\","
      "\"base\":\"trunk\"}",
      "creates pull request \"T wo\" from \"f\" into \"trunk\" in harbor/tidepool",
      "on ghe/harbor/tidepool:", EFFECT_WRITE },
    { "{\"op\":\"pr_create\",\"fill\":true,\"draft\":true}",
      "creates draft pull request \"(title from its commits)\"", "on github.com:", EFFECT_WRITE },
    { "{\"op\":\"pr_checkout\",\"pr\":[\"90\",\"93\"],\"repo\":\"o/r\",\"force\":true}",
      "checks out pull request \"90, 93\" into a worktree, resetting its local branch in o/r",
      "on github.com/o/r:", EFFECT_WRITE },
    { "{\"op\":\"pr_checkout\",\"pr\":\"https://GHE/a/b/pull/3\",\"repo\":\"o/r\"}",
      "checks out pull request \"https://GHE/a/b/pull/3\" into a worktree in a/b",
      "on ghe/a/b:", EFFECT_WRITE },
    { "{\"op\":\"pr_checkout\",\"pr\":[\"https://github.com/a/b/pull/3\",\"4\"],\"repo\":\"o/"
      "r\"}",
      "checks out pull request \"https://github.com/a/b/pull/3, 4\" into a worktree",
      "on github.com:", EFFECT_WRITE },
    { "{\"op\":\"pr_checkout\"}", "checks out pull request of the current branch into a worktree",
      "on github.com:", EFFECT_WRITE },
    { "{\"op\":\"pr_push\",\"branch\":\"pr-93\",\"forceWithLease\":true}",
      "force-pushes (with lease) branch \"pr-93\" to its pull request", NULL, EFFECT_WRITE },
    { "{\"op\":\"pr_push\"}", "pushes the current branch to its pull request", NULL, EFFECT_WRITE },
    { "{\"op\":\"search_code\",\"query\":\"x\",\"repo\":\"o/r\"}", "searches code for \"x\" in o/r",
      "on github.com/o/r:", EFFECT_READ },
    { "{\"op\":\"search_repos\",\"repo\":\"o/r\"}", "searches repos", NULL, EFFECT_READ },
    { "{\"op\":\"run_watch\",\"run\":\"https://ghe/o/r/actions/runs/5\"}",
      "watches Actions run \"https://ghe/o/r/actions/runs/5\" in o/r", "on ghe/o/r:", EFFECT_READ },
    { "{\"op\":\"run_watch\"}", "watches the Actions runs of the current commit",
      "on github.com:", EFFECT_READ },
};

static void test_questions(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(questions); i++) {
        Person person = { 0 };
        const ToolDoor door = { .kind = DOOR_AGENT, .ask = ask_person, .user_data = &person };
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(ASK_ALWAYS);
        fixture->door = &door;
        g_auto(ToolResult) result = gh_fixture_call(fixture, questions[i].arguments);
        g_autofree char *summary = person.summary;
        g_autofree char *text = person.text;
        assert_true(result.is_error);
        assert_int_equal(result.failure, KEDGE_ERROR_DENIED);
        assert_int_equal(person.asked, 1);
        assert_int_equal(person.effect, questions[i].effect);
        assert_string_equal(summary, questions[i].summary);
        if (questions[i].target && !strstr(text, questions[i].target))
            fail_msg("'%s' in %s", questions[i].target, text);
        gh_expect_calls(questions[i].arguments, fixture, 0);
    }
}

static void test_yes(void **state G_GNUC_UNUSED)
{
    Person person = { .says_yes = true };
    const ToolDoor door = { .kind = DOOR_DIRECT, .ask = ask_person, .user_data = &person };
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    fixture->door = &door;
    gh_fixture_reply_out(fixture, "created");
    g_auto(ToolResult) result = gh_fixture_call(fixture, "{\"op\":\"pr_create\",\"title\":\"T\"}");
    g_autofree char *summary = person.summary;
    g_autofree char *text = person.text;
    assert_false(result.is_error);
    assert_int_equal(person.asked, 1);
    assert_string_equal(summary, "creates pull request \"T\"");
    assert_non_null(text);
    gh_expect_calls("after a yes", fixture, 1);
}

/* A call that cannot work is refused before a person is bothered. */
static void test_no_question_for_nonsense(void **state G_GNUC_UNUSED)
{
    static const char *const cases[] = {
        "{\"op\":\"pr_create\"}",
        "{\"op\":\"pr_create\",\"title\":\"T\",\"repo\":\"evil.example/o/r\"}",
        "{\"op\":\"pr_checkout\",\"pr\":[\"https://ghe/o/r/pull/1\",\"2\"]}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Person person = { 0 };
        const ToolDoor door = { .kind = DOOR_DIRECT, .ask = ask_person, .user_data = &person };
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        fixture->door = &door;
        g_auto(ToolResult) result = gh_fixture_call(fixture, cases[i]);
        assert_int_equal(result.failure, KEDGE_ERROR_USAGE);
        assert_int_equal(person.asked, 0);
    }
}

/* A read-only host gets no write, however the call names it. */
static void test_host_policy(void **state G_GNUC_UNUSED)
{
    static const char *const refused[] = {
        "{\"op\":\"pr_create\",\"title\":\"T\",\"repo\":\"ghe/o/r\"}",
        "{\"op\":\"pr_create\",\"title\":\"T\",\"repo\":\"https://GHE/o/r\"}",
        "{\"op\":\"pr_checkout\",\"pr\":\"https://ghe/o/r/pull/1\"}",
        "{\"op\":\"pr_checkout\",\"pr\":\"http://ghe/o/r/pull/1\"}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new_with(
            "{\"gh\":{\"knownHosts\":[\"ghe\"],\"hostPolicy\":{\"ghe\":\"read-only\"}}}");
        g_auto(ToolResult) result = gh_fixture_call(fixture, refused[i]);
        if (result.failure != KEDGE_ERROR_DENIED)
            fail_msg("%s: %s", refused[i], tool_result_text(&result));
        gh_expect_calls(refused[i], fixture, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),         cmocka_unit_test(test_timeout),
        cmocka_unit_test(test_tail),        cmocka_unit_test(test_questions),
        cmocka_unit_test(test_yes),         cmocka_unit_test(test_no_question_for_nonsense),
        cmocka_unit_test(test_host_policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
