/*
 * Items of every kind: what they become, and what refuses them, in an emit and when applied.
 */
#include "unit.h"

#include "base/secrets.h"
#include "wm/apply/item.h"

#define REPEAT_50 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    if (!json_parse_text(text, &value, NULL))
        fail_msg("no JSON: %s", text);
    return value;
}

typedef struct ItemCase {
    const char *name, *policy, *item;
    const char *expected; // the line; or the error, which begins with "!"
} ItemCase;

/* With issue 7, in o/r, of the task x-task. */
static const WmItemScope plain_scope = {
    .task_name = "x-task",
    .repo = "o/r",
    .root = "/r",
    .issue = 7,
};

static char *outcome_of(const WmItemScope *scope_, const char *policy_text, const char *item_text,
                        int64_t *ret_number)
{
    g_autoptr(json_t) safe_outputs = parse(policy_text), raw = parse(item_text);
    g_autoptr(WmPolicy) policy = wm_policy_new(safe_outputs, NULL);
    WmItemScope scope = *scope_;
    scope.policy = policy;
    g_autoptr(GError) error = NULL;
    g_auto(WmItem) item = { 0 };
    if (!wm_item_check(&scope, raw, &item, &error))
        return g_strconcat("!", error->message, NULL);
    if (ret_number)
        *ret_number = item.number;
    return wm_item_line(item.fields);
}

static void check_cases(const WmItemScope *scope, const ItemCase *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *got = outcome_of(scope, cases[i].policy, cases[i].item, NULL);
        if (strcmp(got, cases[i].expected) != 0)
            fail_msg("%s: got %s\nwant %s", cases[i].name, got, cases[i].expected);
    }
}

#define OPS           "{\"create-issue\":{\"title-prefix\":\"[ops] \"}}"
#define OF_OPS(title) "{\"body\":\"\",\"title\":\"" title "\",\"type\":\"create_issue\"}"

static const ItemCase emit_cases[] = {
    { "task-E01", "{}", "{\"type\":\"add_comment\",\"body\":\"hi\"}",
      "{\"body\":\"hi\",\"target\":0,\"type\":\"add_comment\"}" },
    { "task-E02", "{}", "{\"type\":\"add_comment\",\"body\":\"  \"}", "!add_comment: empty body" },
    { "task-E05", "{}", "{\"type\":\"add_comment\",\"body\":\"hi\",\"target\":9}",
      "{\"body\":\"hi\",\"target\":9,\"type\":\"add_comment\"}" },
    { "task-E07", "{}", "{\"type\":\"add_labels\",\"labels\":[\"bug\",\" docs\",\"bug\",\"\"]}",
      "{\"labels\":[\"bug\",\"docs\"],\"target\":0,\"type\":\"add_labels\"}" },
    { "task-E08", "{\"add-labels\":{\"allowed\":[\"bug\"]}}",
      "{\"type\":\"add_labels\",\"labels\":[\"nope\"]}",
      "!add_labels: label \"nope\" not allowed by policy" },
    { "task-E09", "{}", "{\"type\":\"add_labels\",\"labels\":[\"\"]}",
      "!add_labels: empty labels" },
    { "task-E10", "{\"create-pull-request\":{\"title-prefix\":\"[x] \",\"labels\":[\"agent\"]}}",
      "{\"type\":\"create_pull_request\"}",
      "{\"body\":\"Opened by **kedge** task `x-task`.\",\"labels\":[\"agent\"],"
      "\"title\":\"[x] [x-task] wm task\",\"type\":\"create_pull_request\"}" },
    { "task-E11", "{\"create-pull-request\":{\"title-prefix\":\"[x] \"}}",
      "{\"type\":\"create_pull_request\",\"title\":\"[x] T\",\"body\":\"b\",\"draft\":false}",
      "{\"body\":\"b\",\"draft\":false,\"title\":\"[x] T\",\"type\":\"create_pull_request\"}" },
    { "a prefix twice", OPS, "{\"type\":\"create_issue\",\"title\":\"[ops] [ops] x\"}",
      OF_OPS("[ops] x") },
    { "in other letters", OPS, "{\"type\":\"create_issue\",\"title\":\"[Ops] [OPS]  x\"}",
      OF_OPS("[ops] x") },
    { "without its blank", OPS, "{\"type\":\"create_issue\",\"title\":\"[ops]x\"}",
      OF_OPS("[ops] x") },
    { "in the middle", OPS, "{\"type\":\"create_issue\",\"title\":\"x [ops] y\"}",
      OF_OPS("[ops] x [ops] y") },
    { "a longer word", "{\"create-issue\":{\"title-prefix\":\"fix \"}}",
      "{\"type\":\"create_issue\",\"title\":\"fixes x\"}", OF_OPS("fix fixes x") },
    { "a prefix without a blank", "{\"create-issue\":{\"title-prefix\":\"ops:\"}}",
      "{\"type\":\"create_issue\",\"title\":\"ops: Ops: x\"}", OF_OPS("ops:x") },
    { "as it is", "{\"create-issue\":{\"title-prefix\":\"ops:\"}}",
      "{\"type\":\"create_issue\",\"title\":\"ops: x\"}", OF_OPS("ops: x") },
    { "task-E12", "{}", "{\"type\":\"noop\"}", "{\"message\":\"\",\"type\":\"noop\"}" },
    { "task-E13", "{}", "{\"type\":\"missing-tool\",\"tool\":\"t\",\"reason\":\"r\"}",
      "{\"reason\":\"r\",\"tool\":\"t\",\"type\":\"missing_tool\"}" },
    { "alias of what", "{}", "{\"type\":\"missing_data\",\"data_type\":\"t\"}",
      "{\"reason\":\"\",\"type\":\"missing_data\",\"what\":\"t\"}" },
    { "task-E17", "{}", "{\"type\":\"add_comment\",\"body\":\"<a> & b\"}",
      "{\"body\":\"\\u003ca\\u003e \\u0026 b\",\"target\":0,\"type\":\"add_comment\"}" },
    { "task-E19", "{}", "{\"type\":\"update_issue\",\"body\":\"b\",\"operation\":\"bogus\"}",
      "!update_issue: invalid operation \"bogus\" (use replace, append, prepend, replace-island)" },
    { "an island", "{}",
      "{\"type\":\"update_issue\",\"body\":\"b\",\"operation\":\" Replace-Island\"}",
      "{\"body\":\"b\",\"operation\":\"replace_island\",\"target\":0,\"title\":\"\","
      "\"type\":\"update_issue\"}" },
    { "append without a body", "{}",
      "{\"type\":\"update_issue\",\"title\":\"t\",\"operation\":\"append\"}",
      "!update_issue: operation \"append\" requires non-empty body" },
    { "nothing to update", "{}", "{\"type\":\"update_pull_request\",\"body\":\" \"}",
      "!update_pull_request: need non-empty title and/or body" },
    { "status alone", "{}", "{\"type\":\"update_issue\",\"status\":\"CLOSED\"}",
      "{\"body\":\"\",\"status\":\"closed\",\"target\":0,\"title\":\"\","
      "\"type\":\"update_issue\"}" },
    { "unknown status", "{}", "{\"type\":\"update_issue\",\"status\":\"gone\"}",
      "!update_issue: invalid status \"gone\" (use open, closed)" },
    { "switched off", "{\"update-issue\":{\"body\":null}}",
      "{\"type\":\"update_issue\",\"title\":\"T\"}",
      "!update_issue: title updates are not enabled" },
    { "switched on", "{\"update-issue\":{\"body\":null}}",
      "{\"type\":\"update_issue\",\"body\":\"T\"}",
      "{\"body\":\"T\",\"target\":0,\"title\":\"\",\"type\":\"update_issue\"}" },
    { "only false is off for a pull request", "{\"update-pull-request\":{\"body\":false}}",
      "{\"type\":\"update_pull_request\",\"title\":\"T\"}",
      "{\"body\":\"\",\"target\":0,\"title\":\"T\",\"type\":\"update_pull_request\"}" },
    { "off for a pull request", "{\"update-pull-request\":{\"body\":false}}",
      "{\"type\":\"update_pull_request\",\"body\":\"T\"}",
      "!update_pull_request: body updates are not enabled" },
    { "task-E20", "{}", "{\"type\":\"close_issue\",\"state_reason\":\"not-planned\"}",
      "{\"comment\":\"\",\"state_reason\":\"not_planned\",\"target\":0,\"type\":\"close_issue\"}" },
    { "task-E20 bogus", "{}", "{\"type\":\"close_issue\",\"state_reason\":\"bogus\"}",
      "!close_issue: state_reason must be completed, not_planned, or duplicate" },
    { "no reason", "{}", "{\"type\":\"close_issue\"}",
      "{\"comment\":\"\",\"target\":0,\"type\":\"close_issue\"}" },
    { "close a pull request", "{}", "{\"type\":\"close_pull_request\",\"comment\":\"bye\"}",
      "{\"comment\":\"bye\",\"target\":0,\"type\":\"close_pull_request\"}" },
    { "issue without title", "{\"create-issue\":{\"title-prefix\":\"p\"}}",
      "{\"type\":\"create_issue\",\"body\":\"b\"}", "!create_issue: empty title" },
    { "issue", "{\"create-issue\":{\"title-prefix\":\"[ai] \",\"labels\":[\"auto\"]}}",
      "{\"type\":\"create_issue\",\"title\":\"T\\nU\",\"labels\":[\"x\",\"auto\"],"
      "\"assignees\":[\"u\"],\"extra\":1}",
      "{\"assignees\":[\"u\"],\"body\":\"\",\"labels\":[\"auto\",\"x\"],"
      "\"title\":\"[ai] T U\",\"type\":\"create_issue\"}" },
    { "long title", "{}",
      "{\"type\":\"create_issue\",\"title\":\"" REPEAT_50 REPEAT_50 REPEAT_50 REPEAT_50 REPEAT_50
      "1234567\"}",
      "!create_issue: title too long (257 characters; limit 256)" },
    { "bad label of an issue", "{}",
      "{\"type\":\"create_issue\",\"title\":\"T\",\"labels\":[\"" REPEAT_50 "b\"]}",
      "!create_issue: label \"" REPEAT_50 "…\" is not a valid label name" },
    { "bad label of the policy", "{\"create-issue\":{\"labels\":[\"" REPEAT_50 "b\"]}}",
      "{\"type\":\"create_issue\",\"title\":\"T\"}",
      "!create_issue: label \"" REPEAT_50 "…\" is not a valid label name" },
    { "a prefix that waits for the event",
      "{\"create-issue\":{\"title-prefix\":\"[${{ github.actor }}] \"}}",
      "{\"type\":\"create_issue\",\"title\":\"T\"}",
      "{\"body\":\"\",\"title\":\"T\",\"type\":\"create_issue\"}" },
    { "no reviewers", "{}", "{\"type\":\"add_reviewer\",\"reviewers\":[]}",
      "!add_reviewer: empty reviewers" },
    { "reviewer", "{\"add-reviewer\":{\"allowed-reviewers\":[\"a\"]}}",
      "{\"type\":\"add_reviewer\",\"reviewers\":[\"b\"]}",
      "!add_reviewer: reviewer \"b\" not allowed by policy" },
    { "task-E21 side", "{}",
      "{\"type\":\"create_pull_request_review_comment\",\"body\":\"b\",\"commit_id\":\"c\","
      "\"path\":\"p\",\"line\":3,\"side\":\"middle\"}",
      "!create_pull_request_review_comment: side must be LEFT or RIGHT" },
    { "task-E21 line", "{}",
      "{\"type\":\"create_pull_request_review_comment\",\"body\":\"b\",\"commit_id\":\"c\","
      "\"path\":\"p\",\"line\":0,\"side\":\"left\"}",
      "!create_pull_request_review_comment: line must be positive" },
    { "task-E21 start", "{}",
      "{\"type\":\"create_pull_request_review_comment\",\"body\":\"b\",\"commit_id\":\"c\","
      "\"path\":\"p\",\"line\":3,\"start_line\":9,\"side\":\"left\"}",
      "!create_pull_request_review_comment: start_line must be <= line" },
    { "review comment", "{\"create-pull-request-review-comment\":{\"side\":\"right\"}}",
      "{\"type\":\"create_pull_request_review_comment\",\"body\":\"b\",\"commit_id\":\"c\","
      "\"path\":\"p\",\"line\":\"3\",\"start_line\":1.9}",
      "{\"body\":\"b\",\"commit_id\":\"c\",\"line\":3,\"path\":\"p\",\"side\":\"RIGHT\","
      "\"start_line\":1,\"target\":0,\"type\":\"create_pull_request_review_comment\"}" },
    { "no commit", "{}",
      "{\"type\":\"create_pull_request_review_comment\",\"body\":\"b\",\"path\":\"p\"}",
      "!create_pull_request_review_comment: empty commit_id" },
    { "task-E22", "{}", "{\"type\":\"submit_pull_request_review\",\"event\":\"comment\"}",
      "!submit_pull_request_review: body is required for REQUEST_CHANGES and COMMENT" },
    { "a footer is a body", "{\"messages\":{\"footer\":\"f\"}}",
      "{\"type\":\"submit_pull_request_review\",\"event\":\"comment\"}",
      "{\"event\":\"COMMENT\",\"target\":0,\"type\":\"submit_pull_request_review\"}" },
    { "event", "{}", "{\"type\":\"submit_pull_request_review\",\"event\":\"x\"}",
      "!submit_pull_request_review: event must be APPROVE, REQUEST_CHANGES, or COMMENT" },
    { "event of policy", "{\"submit-pull-request-review\":{\"allowed-events\":[\"comment\"]}}",
      "{\"type\":\"submit_pull_request_review\",\"event\":\"approve\"}",
      "!submit_pull_request_review: event APPROVE not allowed by policy" },
    { "reply", "{}",
      "{\"type\":\"reply_to_pull_request_review_comment\",\"body\":\"b\",\"comment_id\":-1}",
      "!reply_to_pull_request_review_comment: comment_id must be positive" },
    { "thread", "{}", "{\"type\":\"resolve_pull_request_review_thread\"}",
      "!resolve_pull_request_review_thread: empty thread_id" },
    { "push", "{}", "{\"type\":\"push_to_pull_request_branch\"}",
      "{\"target\":0,\"type\":\"push_to_pull_request_branch\"}" },
    { "task-E25", "{\"add-comment\":{\"target\":\"triggering\"}}",
      "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":9}",
      "!add_comment: target 9 not allowed by policy (target: triggering)" },
    { "other fields of the target", "{}",
      "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":0,\"item_number\":\"#5\"}",
      "{\"body\":\"b\",\"target\":5,\"type\":\"add_comment\"}" },
    { "a target in words", "{}", "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":\"mine\"}",
      "!add_comment: target \"mine\" is neither a number nor a temporary id" },
    { "a huge target", "{}", "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":1e300}",
      "{\"body\":\"b\",\"target\":0,\"type\":\"add_comment\"}" },
    { "more digits than fit", "{}",
      "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":\"99999999999999999999\"}",
      "!add_comment: target \"99999999999999999999\" is neither a number nor a temporary id" },
    { "task-O40", "{}", "{\"type\":\"add_comment\",\"body\":\"x\",\"repo\":\"p/q\"}",
      "!add_comment: cross-repository output is not supported" },
    { "the same repository", "{}", "{\"type\":\"add_comment\",\"body\":\"x\",\"repo\":\"O/r\"}",
      "{\"body\":\"x\",\"target\":0,\"type\":\"add_comment\"}" },
    { "fields of other types", "{}",
      "{\"type\":\"create_pull_request\",\"title\":5,\"body\":[\"b\"],\"draft\":\"yes\","
      "\"labels\":{\"a\":1}}",
      "{\"body\":\"Opened by **kedge** task `x-task`.\",\"title\":\"[x-task] wm task\","
      "\"type\":\"create_pull_request\"}" },
    { "a temporary id", "{}",
      "{\"type\":\"create_issue\",\"title\":\"t\",\"temporary_id\":\"AW_12ab\"}",
      "{\"body\":\"\",\"temporary_id\":\"aw_12ab\",\"title\":\"t\",\"type\":\"create_issue\"}" },
    { "no temporary id", "{}",
      "{\"type\":\"create_issue\",\"title\":\"t\",\"temporary_id\":\"todo\"}",
      "!create_issue: temporary_id \"todo\" needs 3 to 32 letters, digits and _, a letter first, "
      "with a digit or _" },
    { "an id that nothing has", "{}",
      "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":\"tmp1\"}",
      "!add_comment: no earlier item has the temporary id \"tmp1\"" },
};

static void test_emit(void **state G_GNUC_UNUSED)
{
    WmItemScope scope = plain_scope;
    scope.is_emit = true;
    check_cases(&scope, emit_cases, G_N_ELEMENTS(emit_cases));
}

/* What a second check makes of the line of the first is the same: emit, then apply. */
static void test_checked_twice(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(emit_cases); i++) {
        const ItemCase *one = &emit_cases[i];
        if (one->expected[0] == '!')
            continue;
        WmItemScope scope = plain_scope;
        scope.is_emit = true;
        g_autofree char *again = outcome_of(&scope, one->policy, one->expected, NULL);
        if (strcmp(again, one->expected) != 0)
            fail_msg("%s: %s became %s", one->name, one->expected, again);
    }
}

/* The texts of task-engine §6.4 where nothing says what an item is about; task-E04. */
static void test_without_context(void **state G_GNUC_UNUSED)
{
    static const ItemCase cases[] = {
        { "task-E04", "{}", "{\"type\":\"add_comment\",\"body\":\"hi\"}",
          "!add_comment: no issue or PR number (set --target or run with issue/PR context)" },
        { "labels", "{}", "{\"type\":\"remove_labels\",\"labels\":[\"a\"]}",
          "!remove_labels: no issue/PR number or repository" },
        { "labels of a number", "{}", "{\"type\":\"add_labels\",\"labels\":[\"a\"],\"target\":3}",
          "!add_labels: no issue/PR number or repository" },
        { "issue", "{}", "{\"type\":\"create_issue\",\"title\":\"a\"}",
          "!create_issue: GITHUB_REPOSITORY not set" },
        { "pull request", "{}", "{\"type\":\"create_pull_request\"}",
          "!create_pull_request: WM_REPO_ROOT / repo path not set" },
        { "update", "{}", "{\"type\":\"update_issue\",\"title\":\"a\"}",
          "!update_issue: no issue number or GITHUB_REPOSITORY" },
        { "update of a pull request", "{}", "{\"type\":\"update_pull_request\",\"title\":\"a\"}",
          "!update_pull_request: no PR/issue number or GITHUB_REPOSITORY" },
        { "close", "{}", "{\"type\":\"close_issue\"}",
          "!close_issue: no issue number or GITHUB_REPOSITORY" },
        { "close of a pull request", "{}", "{\"type\":\"close_pull_request\"}",
          "!close_pull_request: no PR number or GITHUB_REPOSITORY" },
        { "push", "{}", "{\"type\":\"push_to_pull_request_branch\"}",
          "!push_to_pull_request_branch: no PR number (set --target or WM_PR_NUMBER)" },
        { "triggering", "{\"add-comment\":{\"target\":\"triggering\"}}",
          "{\"type\":\"add_comment\",\"body\":\"hi\",\"target\":3}",
          "!add_comment: no issue or PR number (set --target or run with issue/PR context)" },
    };
    const WmItemScope scope = { .task_name = "x", .is_emit = true };
    check_cases(&scope, cases, G_N_ELEMENTS(cases));
}

static void test_numbers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *policy, *item;
        int64_t number;
    } cases[] = {
        { "a comment goes to the pull request", "{}", "{\"type\":\"add_comment\",\"body\":\"b\"}",
          8 },
        { "labels to the issue", "{}", "{\"type\":\"add_labels\",\"labels\":[\"b\"]}", 7 },
        { "a review to the pull request", "{}",
          "{\"type\":\"submit_pull_request_review\",\"event\":\"approve\"}", 8 },
        { "task-O02", "{}", "{\"type\":\"add-comment\",\"body\":\"a\",\"issue_number\":5}", 5 },
        { "task-O21", "{}", "{\"type\":\"close_pull_request\",\"pull_request_number\":3}", 3 },
        { "an issue kind knows no pull_request_number", "{}",
          "{\"type\":\"close_issue\",\"pull_request_number\":3}", 7 },
        { "a number in the policy", "{\"add-comment\":{\"target\":\"12\"}}",
          "{\"type\":\"add_comment\",\"body\":\"b\"}", 12 },
        { "the triggering issue", "{\"add-comment\":{\"target\":\"triggering\"}}",
          "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":7}", 7 },
        { "any", "{\"add-comment\":{\"target\":\"*\"}}",
          "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":77}", 77 },
        { "below one is none", "{}", "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":-4}", 8 },
        { "what an earlier item made", "{}",
          "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":\"#TMP_1\"}", 31 },
        { "what it did not", "{}",
          "{\"type\":\"add_comment\",\"body\":\"b\",\"issue_number\":\"tmp_2\"}", 0 },
    };
    WmItemScope scope = plain_scope;
    g_autoptr(json_t) made = parse("{\"tmp_1\":31,\"tmp_2\":0}");
    scope.made = made;
    scope.pull = 8;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int64_t number = -1;
        g_autofree char *got = outcome_of(&scope, cases[i].policy, cases[i].item, &number);
        if (number != cases[i].number)
            fail_msg("%s: got %d, %s", cases[i].name, (int)number, got);
    }
}

/* Where only applying decides, and where the numbers of earlier items are known. */
static void test_applied(void **state G_GNUC_UNUSED)
{
    static const ItemCase cases[] = {
        { "default reason", "{}", "{\"type\":\"close_issue\"}",
          "{\"comment\":\"\",\"state_reason\":\"completed\",\"target\":0,"
          "\"type\":\"close_issue\"}" },
        { "reason of the policy", "{\"close-issue\":{\"state-reason\":\"not planned\"}}",
          "{\"type\":\"close_issue\"}",
          "{\"comment\":\"\",\"state_reason\":\"not_planned\",\"target\":0,"
          "\"type\":\"close_issue\"}" },
        { "links", "{}",
          "{\"type\":\"create_issue\",\"title\":\"See #tmp_1\",\"body\":\"#TMP_1, #tmp_2, #tmp_3, "
          "a#tmp_1, o/r#tmp_1, &#tmp_1; (#tmp_1) ##tmp_1\"}",
          "{\"body\":\"#31, #tmp_2, #tmp_3, a#tmp_1, o/r#tmp_1, \\u0026#tmp_1; (#31) ##31\","
          "\"title\":\"See #31\",\"type\":\"create_issue\"}" },
        { "an id twice", "{}",
          "{\"type\":\"create_issue\",\"title\":\"t\",\"temporary_id\":\"Tmp_1\"}",
          "!create_issue: temporary_id \"tmp_1\" is that of an earlier item" },
        { "an id is no triggering number", "{\"add-comment\":{\"target\":\"triggering\"}}",
          "{\"type\":\"add_comment\",\"body\":\"b\",\"target\":\"tmp_1\"}",
          "!add_comment: target tmp_1 not allowed by policy (target: triggering)" },
    };
    WmItemScope scope = plain_scope;
    g_autoptr(json_t) made = parse("{\"tmp_1\":31,\"tmp_2\":0}");
    scope.made = made;
    check_cases(&scope, cases, G_N_ELEMENTS(cases));
}

/* task-S10, as task-engine §9.10 words it. */
static void test_secrets(void **state G_GNUC_UNUSED)
{
    static const ItemCase cases[] = {
        { "task-S10", "{}", "{\"type\":\"add_comment\",\"body\":\"it is sk-thirteen-sheep.\"}",
          "!add_comment: text contains a secret" },
        { "in a list", "{}", "{\"type\":\"add_labels\",\"labels\":[\"sk-thirteen-sheep\"]}",
          "!add_labels: text contains a secret" },
        { "in base64", "{}", "{\"type\":\"noop\",\"message\":\"c2stdGhpcnRlZW4tc2hlZXA=\"}",
          "!noop: text contains a secret" },
        { "in a field that nobody reads", "{}",
          "{\"type\":\"noop\",\"x\":{\"y\":[\"sk-thirteen-sheep\"]}}",
          "!noop: text contains a secret" },
    };
    secrets_register("sk-thirteen-sheep");
    check_cases(&plain_scope, cases, G_N_ELEMENTS(cases));
}

static void test_temporary_ids(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        { "tmp1", "tmp1" },
        { "aw_0123456789ab", "aw_0123456789ab" },
        { "A_b", "a_b" },
        { "tmp", NULL },
        { "t1", NULL },
        { "1tmp", NULL },
        { "tmp-1", NULL },
        { "tmp 1", NULL },
        { "", NULL },
        { "a2345678901234567890123456789012", "a2345678901234567890123456789012" },
        { "a23456789012345678901234567890123", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *id = wm_temporary_id(cases[i].text);
        if (g_strcmp0(id, cases[i].expected) != 0)
            fail_msg("%s: %s", cases[i].text, id);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_emit),
        cmocka_unit_test(test_checked_twice),
        cmocka_unit_test(test_without_context),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_applied),
        cmocka_unit_test(test_temporary_ids),
        cmocka_unit_test(test_secrets), // last: it registers one
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
