/*
 * `safe-outputs:` as tasks write it: what is enabled, how often, with which options, and what
 * `validate` says of it.
 */
#include "wm_notes_fixture.h"

#include "wm/task/labels.h"
#include "wm/task/policy.h"
#include "wm/task/policy_expand.h"

static json_t *parse(const char *text)
{
    json_t *value = NULL;
    assert_true(json_parse_text(text, &value, NULL));
    return value;
}

static WmPolicy *policy_of(const char *text, GPtrArray *warnings)
{
    g_autoptr(json_t) value = parse(text);
    return wm_policy_new(value, warnings);
}

static void test_kind_of(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *type;
        WmKind kind;
    } cases[] = {
        { "add_comment", WM_ADD_COMMENT },
        { " Add-Comment\n", WM_ADD_COMMENT },
        { "reply_to-pull_request-review_comment", WM_REPLY_TO_REVIEW_COMMENT },
        { "noop", WM_NOOP },
        { "missing_data", WM_MISSING_DATA },
        { "create_discussion", WM_KINDS },
        { "add_comments", WM_KINDS },
        { "", WM_KINDS },
        { NULL, WM_KINDS },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (wm_kind_of(cases[i].type) != cases[i].kind)
            fail_msg("%s: got %d", cases[i].type, wm_kind_of(cases[i].type));
    for (WmKind kind = 0; kind < WM_KINDS; kind++) {
        assert_int_equal(wm_kind_of(wm_kind_table[kind].type), kind);
        assert_int_equal(wm_kind_of(wm_kind_table[kind].handler), kind);
    }
}

/* task-C12, task-C13 and the table of task-engine §2.6. `warning` is part of the only one; NULL:
 * none. */
static void test_enabled(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *policy;
        WmKind kind;
        bool is_enabled;
        int64_t max;
        const char *warning;
    } cases[] = {
        { "nothing", "null", WM_ADD_COMMENT, false, 1, NULL },
        { "null", "{\"add-comment\":null}", WM_ADD_COMMENT, true, 1, NULL },
        { "true", "{\"add-comment\":true}", WM_ADD_COMMENT, true, 1, NULL },
        { "map", "{\"add-labels\":{}}", WM_ADD_LABELS, true, 3, NULL },
        { "max", "{\"add-comment\":{\"max\":7}}", WM_ADD_COMMENT, true, 7, NULL },
        { "max of 0", "{\"add-comment\":{\"max\":0}}", WM_ADD_COMMENT, true, 1, "add-comment.max" },
        { "max in quotes", "{\"add-comment\":{\"max\":\"7\"}}", WM_ADD_COMMENT, true, 1,
          "add-comment.max" },
        { "task-C12", "{\"create_issue\":{}}", WM_CREATE_ISSUE, true, 1,
          "\"create_issue\" is written \"create-issue\"" },
        { "task-C13", "{\"create-issue\":false,\"noop\":null}", WM_CREATE_ISSUE, false, 1, NULL },
        { "a noop cannot be forbidden", "{\"noop\":false}", WM_NOOP, true, 0, NULL },
        { "both spellings", "{\"create_issue\":{\"max\":9},\"create-issue\":{\"max\":2}}",
          WM_CREATE_ISSUE, true, 2, "both \"create_issue\" and \"create-issue\"" },
        { "a list is for labels only", "{\"add-comment\":[\"a\"]}", WM_ADD_COMMENT, false, 1,
          "add-comment: expected" },
        { "a word enables nothing", "{\"add-comment\":\"yes\"}", WM_ADD_COMMENT, false, 1,
          "add-comment: expected" },
        { "unknown key", "{\"create-discussion\":null}", WM_CREATE_ISSUE, false, 1,
          "\"create-discussion\" is not supported; items of this type are skipped" },
        { "keys of gh-aw", "{\"runs-on\":\"x\",\"github-token\":\"y\"}", WM_ADD_COMMENT, false, 1,
          NULL },
        { "no map", "[1]", WM_ADD_COMMENT, false, 1, "safe-outputs: expected a map" },
        { "malformed pattern", "{\"add-labels\":{\"blocked\":[\"a[\"]}}", WM_ADD_LABELS, true, 3,
          "pattern \"a[\" is malformed" },
        { "target", "{\"add-comment\":{\"target\":\"mine\"}}", WM_ADD_COMMENT, true, 1,
          "add-comment.target" },
        { "targets", "{\"add-comment\":{\"target\":\"*\"},\"add-labels\":{\"target\":5}}",
          WM_ADD_COMMENT, true, 1, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) warnings = wm_notes_new();
        g_autoptr(WmPolicy) policy = policy_of(cases[i].policy, warnings);
        const WmHandler *handler = &policy->handlers[cases[i].kind];
        if (handler->is_enabled != cases[i].is_enabled || handler->max != cases[i].max)
            fail_msg("%s: enabled %d, max %d", cases[i].name, handler->is_enabled,
                     (int)handler->max);
        if (warnings->len != (cases[i].warning ? 1 : 0))
            fail_msg("%s: %u warnings, %s", cases[i].name, warnings->len,
                     warnings->len ? text_of(warnings, 0) : "");
        if (cases[i].warning && !strstr(text_of(warnings, 0), cases[i].warning))
            fail_msg("%s: %s", cases[i].name, text_of(warnings, 0));
    }
}

static void test_options(void **state G_GNUC_UNUSED)
{
    g_autoptr(WmPolicy) policy = policy_of(
        "{\"create-issue\":{\"title_prefix\":\"  [docs] \",\"labels\":[\" a \",\"\",3,\"b\",\"a\"],"
        "\"assignees\":\"me\",\"staged\":true},"
        "\"add-labels\":[\"bug\",\"docs\"],"
        "\"push-to-pull-request-branch\":{\"title-prefix\":\"[bot] \",\"labels\":\"x\"},"
        "\"add-reviewer\":{\"reviewers\":[\"Ann\"]},"
        "\"threat_detection\":true,\"mentions\":false,"
        "\"update-issue\":{\"title-prefix\":\"  \"},"
        "\"messages\":{\"run-started\":\" hi \",\"footer\":\"\",\"run_failure\":\"bad\"}}",
        NULL);
    const WmHandler *issue = &policy->handlers[WM_CREATE_ISSUE];
    const WmHandler *push = &policy->handlers[WM_PUSH_TO_PULL_REQUEST_BRANCH];
    assert_string_equal(wm_handler_text(issue, "title-prefix"), "[docs] ");
    g_autoptr(json_t) lists = json_array();
    json_append_take(lists, wm_handler_list(issue, "labels"));
    json_append_take(lists, wm_handler_list(issue, "assignees"));
    json_append_take(lists, wm_handler_list(&policy->handlers[WM_ADD_LABELS], "allowed"));
    json_append_take(lists, wm_handler_list(push, "required-labels"));
    g_autofree char *text = json_to_text(lists);
    assert_string_equal(text, "[[\"a\",\"b\"],[\"me\"],[\"bug\",\"docs\"],[\"x\"]]");
    assert_null(wm_handler_list(issue, "reviewers"));
    assert_null(wm_handler_text(&policy->handlers[WM_UPDATE_ISSUE], "title-prefix"));
    assert_string_equal(wm_handler_text(push, "required-title-prefix"), "[bot] ");
    assert_true(wm_handler_admits(&policy->handlers[WM_ADD_REVIEWER], "allowed-reviewers", "ann"));
    assert_false(wm_handler_admits(&policy->handlers[WM_ADD_REVIEWER], "allowed-reviewers", "bob"));
    assert_true(issue->is_staged);
    assert_false(policy->is_staged);
    assert_true(policy->has_keys);
    assert_false(policy->keeps_mentions);
    assert_true(json_is_true(policy->threats));
    assert_string_equal(policy->run_started, "hi");
    assert_string_equal(policy->run_failure, "bad");
    assert_null(policy->footer);
    assert_null(policy->run_success);
}

/* task-engine §6.7; task-E08, task-O13. */
static void test_labels(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *policy, *label;
        bool is_allowed;
    } cases[] = {
        { "null", "anything", true },
        { "true", "anything", true },
        { "{\"allowed\":null}", "x", true },
        { "{\"allowed\":[]}", "x", true },
        { "{\"allowed\":[5]}", "x", false },
        { "{\"allowed\":true}", "x", false },
        { "{\"allowed\":[\"bug\"]}", "bug", true },
        { "{\"allowed\":[\"bug\"]}", "Bug", false },
        { "{\"allowed\":[\"bug\"]}", "bugs", false },
        { "[\"bug\"]", "docs", false },
        { "{\"blocked\":[\"agent*\"]}", "agent:working", false },
        { "{\"blocked\":[\"agent*\"]}", "AGENT:working", false },
        { "{\"blocked\":[\"agent*\"]}", "my-agent", true },
        { "{\"blocked\":[\"agent**\"]}", "agent/a", true },
        { "{\"blocked\":[\"agent*\"],\"allowed\":[\"agent-x\"]}", "agent-x", false },
        { "{\"blocked\":[\"a?c\"]}", "abc", false },
        { "{\"blocked\":[\"a?c\"]}", "a/c", true },
        { "{\"blocked\":[\"v[0-9]\"]}", "v5", false },
        { "{\"blocked\":[\"v[0-9]\"]}", "vx", true },
        { "{\"blocked\":[\"a\\\\*\"]}", "a*", false },
        { "{\"blocked\":[\"a\\\\*\"]}", "ab", true },
        { "{\"blocked\":[\"{a,b}\"]}", "a", true },
        { "{\"blocked\":[\"{a,b}\"]}", "{a,b}", false },
        { "{\"blocked\":[\"a[\"]}", "a[", true },
        { "{\"blocked\":[\"a\\\\\"]}", "a", true },
        { "null", "", false },
        { "null", "two\nlines", false },
        { "null", "12345678901234567890123456789012345678901234567890", true },
        { "null", "123456789012345678901234567890123456789012345678901", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("{\"add-labels\":%s}", cases[i].policy);
        g_autoptr(WmPolicy) policy = policy_of(text, NULL);
        g_autoptr(GError) error = NULL;
        bool is_allowed = wm_policy_allows_label(policy, WM_ADD_LABELS, cases[i].label, &error);
        if (is_allowed != cases[i].is_allowed || is_allowed == (error != NULL))
            fail_msg("%s %s: %d", cases[i].policy, cases[i].label, is_allowed);
    }
}

/* task-engine §2.6: prefixes are expanded like a body, on one line, once. */
static void test_expand(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *prefix, *expected;
    } cases[] = {
        { "[${{ wm.task_name }}] ", "[fix] " },
        { "#${{ github.event.issue.number }}: ", "#42: " },
        { "${{ github.event.issue.title }} ", "${{ x }} of ann: " },
        { "[${{ secrets.X }}] ", "[${{ secrets.X }}] " },
        { "plain ", "plain " },
    };
    g_auto(WmEvent) event = { .name = g_strdup("issues") };
    event.payload = parse("{\"issue\":{\"number\":42,\"title\":\"${{ x }}\\nof ann:\"}}");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) value =
            json_pack("{s:{s:s},s:{s:s}}", "create-issue", "title-prefix", cases[i].prefix,
                      "push-to-pull-request-branch", "title-prefix", cases[i].prefix);
        g_autoptr(WmPolicy) policy = wm_policy_new(value, NULL);
        const WmHandler *issue = &policy->handlers[WM_CREATE_ISSUE];
        const WmHandler *push = &policy->handlers[WM_PUSH_TO_PULL_REQUEST_BRANCH];
        wm_policy_expand(policy, "fix", &event);
        assert_string_equal(wm_handler_text(issue, "title-prefix"), cases[i].expected);
        assert_string_equal(wm_handler_text(push, "required-title-prefix"), cases[i].expected);
    }
    g_autofree char *letters = g_strnfill(300, 'a');
    json_set_take(json_object_get(event.payload, "issue"), "title", json_text(letters));
    g_autoptr(json_t) long_one =
        parse("{\"create-issue\":{\"title-prefix\":\"${{ github.event.issue.title }} \"}}");
    g_autoptr(WmPolicy) policy = wm_policy_new(long_one, NULL);
    wm_policy_expand(policy, "fix", &event);
    const char *cut = wm_handler_text(&policy->handlers[WM_CREATE_ISSUE], "title-prefix");
    assert_int_equal(g_utf8_strlen(cut, -1), WM_MAX_PREFIX_CHARS + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kind_of), cmocka_unit_test(test_enabled),
        cmocka_unit_test(test_options), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
