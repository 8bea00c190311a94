/*
 * workflow/apply*.c but for what pushes: which calls an item becomes (task-O01 to task-O21,
 * task-O33 to task-O40, task-S05, task-S10), against a GitHub in this process.
 */
#include "apply_fixture.h"

#include "base/secrets.h"
#include "base/str.h"

#define MARKER   "\\n\\n<!-- wm-agent:x -->"
#define COMMENTS "/repos/o/r/issues/42/comments"
#define MADE     "{\"id\":7,\"html_url\":\"https://h/42#c7\"}"

static const ApplyCase comment_cases[] = {
    { .name = "task-O01",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"add_comment\",\"body\":\" Done. \"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = MADE } },
      .calls = "POST " COMMENTS " {\"body\":\"Done." MARKER "\"}\n",
      .outputs = "add_comment applied #42 https://h/42#c7" },
    { .name = "task-O02",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"add-comment\",\"body\":\"a\",\"issue_number\":5}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST /repos/o/r/issues/5/comments {\"body\":\"a" MARKER "\"}\n" },
    { .name = "task-O03",
      .policy = "{\"add-comment\":null}",
      .items =
          "{\"type\":\"add_comment\",\"body\":\"a\"}\n{\"type\":\"add_comment\",\"body\":\"b\"}\n"
          "{\"type\":\"noop\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = MADE } },
      .calls = "POST " COMMENTS " {\"body\":\"a" MARKER "\"}\n",
      .outputs = "add_comment applied #42 https://h/42#c7|add_comment failed: policy: max 1 for "
                 "add_comment exceeded|noop skipped: not tried: an earlier output failed",
      .error = "policy: max 1 for add_comment exceeded" },
    { .name = "task-O04",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"create_issue\",\"title\":\"t\"}\n",
      .calls = "",
      .outputs = "create_issue skipped: not permitted by safe-outputs:" },
    { .name = "task-O05",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"dance\"}\n{\"type\":\"add_comment\",\"body\":\"a\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST " COMMENTS " {\"body\":\"a" MARKER "\"}\n",
      .outputs = "dance skipped: unknown item type|add_comment applied #42" },
    { .name = "task-O06",
      .policy = "{\"add-comment\":null}",
      .items = "{\"noop\":{\"message\":\"m\"}}\n",
      .calls = "",
      .outputs = "noop skipped: m" },
    { .name = "task-O07", .policy = "{\"add-comment\":null}", .calls = "", .outputs = "" },
    { .name = "task-O08",
      .policy = "{\"add-comment\":null}",
      .answers = { { .request = "POST ", .status = 201, .body = MADE } },
      .last_response = "All done.",
      .calls = "POST " COMMENTS " {\"body\":\"No structured output was emitted by the agent. Agent "
               "response:\\n\\nAll done." MARKER "\"}\n",
      .outputs = "add_comment applied #42 https://h/42#c7" },
    { .name = "task-O08, which fails",
      .policy = "{\"add-comment\":null}",
      .answers = { { .request = "POST ", .status = 403, .body = "{\"message\":\"no\"}" } },
      .last_response = "y",
      .calls = "POST " COMMENTS " {\"body\":\"No structured output was emitted by the agent. Agent "
               "response:\\n\\ny" MARKER "\"}\n",
      .outputs =
          "add_comment failed #42: add_comment: GitHub API POST " COMMENTS ": HTTP 403: no" },
    { .name = "task-O09",
      .policy = "{\"add-labels\":null}",
      .last_response = "All done.",
      .calls = "",
      .outputs = "" },
    { .name = "task-O34",
      .policy = "{\"add-comment\":{},\"messages\":{\"footer\":\"by {workflow_name}\"}}",
      .items = "{\"type\":\"add_comment\",\"body\":\"B\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST " COMMENTS " {\"body\":\"B\\n\\nby x" MARKER "\"}\n" },
    { .name = "task-O36",
      .policy = "{\"add-comment\":{\"max\":3}}",
      .items =
          "{\"type\":\"add_comment\",\"body\":\"a\"}\n{\"type\":\"add_comment\",\"body\":\"b\"}\n"
          "{\"type\":\"add_comment\",\"body\":\"c\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = MADE },
                   { .request = "POST ", .status = 403, .body = "{\"message\":\"locked\"}" } },
      .calls = "POST " COMMENTS " {\"body\":\"a" MARKER "\"}\nPOST " COMMENTS
               " {\"body\":\"b" MARKER "\"}\n",
      .outputs =
          "add_comment applied #42 https://h/42#c7|add_comment failed #42: add_comment: "
          "GitHub API POST " COMMENTS ": HTTP 403: locked|add_comment skipped: not tried: an "
          "earlier output failed",
      .error = "add_comment: GitHub API POST " COMMENTS ": HTTP 403: locked" },
    { .name = "task-O37",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"add_comment\",\"body\":\"<!-- wm-checkpoint: {} -->\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST " COMMENTS " {\"body\":\"<!-- wm-checkpoint&#58; {} -->" MARKER "\"}\n" },
    { .name = "task-O39",
      .policy = "{\"add-comment\":{\"max\":5}}",
      .items = "{\"items\":[{\"type\":\"add_comment\",\"body\":\"a\"},{\"type\":\"add_comment\","
               "\"body\":\"b\"}]}\n",
      .answers = { { .request = "POST ", .status = 201, .body = "{}", .times = 2 } },
      .calls = "POST " COMMENTS " {\"body\":\"a" MARKER "\"}\nPOST " COMMENTS
               " {\"body\":\"b" MARKER "\"}\n" },
    { .name = "task-O40",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"add_comment\",\"body\":\"x\",\"repo\":\"p/q\"}\n",
      .calls = "",
      .error = "add_comment: cross-repository output is not supported" },
    { .name = "a deleted issue",
      .policy = "{\"add-comment\":null}",
      .items = "{\"type\":\"add_comment\",\"body\":\"x\"}\n",
      .answers = { { .request = "POST ",
                     .status = 410,
                     .body = "{\"message\":\"This issue was "
                             "deleted\"}" } },
      .calls = "POST " COMMENTS " {\"body\":\"x" MARKER "\"}\n",
      .error = "add_comment: GitHub API POST " COMMENTS ": HTTP 410: This issue was deleted" },
    { .name = "no policy at all",
      .policy = "{}",
      .items = "{\"type\":\"noop\"}\n",
      .calls = "",
      .outputs = "" },
};

#define LABELS "/repos/o/r/labels"

static const ApplyCase label_cases[] = {
    { .name = "task-O10",
      .policy = "{\"add-labels\":{\"allowed\":[\"bug\"]}}",
      .items = "{\"type\":\"add_labels\",\"labels\":[\"bug\"]}\n",
      .answers = { { .request = "GET ", .body = "[{\"id\":1,\"name\":\"bug\"}]" },
                   { .request = "POST ", .body = "[]" } },
      .calls = "GET " LABELS "?per_page=100\n"
               "POST /repos/o/r/issues/42/labels {\"labels\":[\"bug\"]}\n",
      .outputs = "add_labels applied #42" },
    { .name = "task-O11, and the list is read once",
      .policy = "{\"add-labels\":null}",
      .items = "{\"type\":\"add_labels\",\"labels\":[\"docs\",\"Bug\"]}\n"
               "{\"type\":\"add_labels\",\"labels\":[\"docs\"]}\n",
      .answers = { { .request = "GET ", .body = "[{\"id\":1,\"name\":\"bug\"}]" },
                   { .request = "POST " LABELS " ", .status = 201, .body = "{}" },
                   { .request = "POST /repos/o/r/issues/42/labels ", .body = "[]", .times = 2 } },
      .calls = "GET " LABELS "?per_page=100\n"
               "POST " LABELS " {\"name\":\"docs\",\"color\":\"ededed\"}\n"
               "POST /repos/o/r/issues/42/labels {\"labels\":[\"docs\",\"Bug\"]}\n"
               "POST /repos/o/r/issues/42/labels {\"labels\":[\"docs\"]}\n" },
    { .name = "task-O12",
      .policy = "{\"add-labels\":null}",
      .items = "{\"type\":\"add_labels\",\"labels\":[\"docs\"]}\n",
      .answers = { { .request = "GET ", .body = "[]" },
                   { .request = "POST " LABELS " ",
                     .status = 422,
                     .body = "{\"message\":\"Validation Failed\",\"errors\":[{\"code\":"
                             "\"already_exists\",\"field\":\"name\"}]}" },
                   { .request = "POST ", .body = "[]" } },
      .calls = "GET " LABELS "?per_page=100\n"
               "POST " LABELS " {\"name\":\"docs\",\"color\":\"ededed\"}\n"
               "POST /repos/o/r/issues/42/labels {\"labels\":[\"docs\"]}\n" },
    { .name = "a label that cannot be made",
      .policy = "{\"add-labels\":null}",
      .items = "{\"type\":\"add_labels\",\"labels\":[\"docs\"]}\n",
      .answers = { { .request = "GET ", .body = "[]" },
                   { .request = "POST ", .status = 403, .body = "{\"message\":\"no\"}" } },
      .calls = "GET " LABELS "?per_page=100\n"
               "POST " LABELS " {\"name\":\"docs\",\"color\":\"ededed\"}\n",
      .error = "add_labels: ensure label \"docs\": GitHub API POST " LABELS ": HTTP 403: no" },
    { .name = "task-O13",
      .policy = "{\"add-labels\":{\"blocked\":[\"agent*\"]}}",
      .items = "{\"type\":\"add_labels\",\"labels\":[\"agent:working\"]}\n",
      .calls = "",
      .error = "add_labels: label \"agent:working\" not allowed by policy" },
    { .name = "task-O14",
      .policy = "{\"remove-labels\":null}",
      .items = "{\"type\":\"remove_labels\",\"labels\":[\"a b/c\",\"gone\"]}\n",
      .answers = { { .request = "DELETE /repos/o/r/issues/42/labels/a%20b%2Fc ", .body = "[]" },
                   { .request = "DELETE ", .status = 404, .body = "{\"message\":\"no label\"}" } },
      .calls = "DELETE /repos/o/r/issues/42/labels/a%20b%2Fc\n"
               "DELETE /repos/o/r/issues/42/labels/gone\n" },
    { .name = "a name that would be another path",
      .policy = "{\"remove-labels\":null}",
      .items = "{\"type\":\"remove_labels\",\"labels\":[\".\"]}\n",
      .calls = "",
      .error = "remove_labels: label \".\" cannot be removed by its name" },
};

#define ISSUE "{\"id\":9,\"number\":7,\"html_url\":\"https://h/7\",\"user\":{\"login\":\"me\"}}"

static const ApplyCase issue_cases[] = {
    { .name = "task-O15",
      .policy = "{\"create-issue\":{\"title-prefix\":\"[ai] \",\"labels\":[\"auto\"]}}",
      .items =
          "{\"type\":\"create_issue\",\"title\":\"T\",\"body\":\"B\",\"labels\":[\"auto\",\"x\"],"
          "\"assignees\":[\"u\"]}\n",
      .answers = { { .request = "GET ", .body = "[{\"name\":\"auto\"},{\"name\":\"x\"}]" },
                   { .request = "POST ", .status = 201, .body = ISSUE } },
      .calls = "GET " LABELS "?per_page=100\nPOST /repos/o/r/issues {\"title\":\"[ai] T\",\"body\":"
               "\"B" MARKER "\",\"labels\":[\"auto\",\"x\"],\"assignees\":[\"u\"]}\n",
      .outputs = "create_issue applied #7 https://h/7" },
    { .name = "a temporary id",
      .policy = "{\"create-issue\":null,\"add-comment\":null}",
      .items = "{\"type\":\"create_issue\",\"title\":\"T\",\"temporary_id\":\"tmp_1\"}\n"
               "{\"type\":\"add_comment\",\"body\":\"see #tmp_1\",\"target\":\"tmp_1\"}\n",
      .answers = { { .request = "POST /repos/o/r/issues ", .status = 201, .body = ISSUE },
                   { .request = "POST ", .status = 201, .body = "{}" } },
      .calls = "POST /repos/o/r/issues {\"title\":\"T\",\"body\":\"<!-- wm-agent:x -->\"}\n"
               "POST /repos/o/r/issues/7/comments {\"body\":\"see #7" MARKER "\"}\n" },
    { .name = "a temporary id of what is only planned",
      .policy = "{\"create-issue\":{\"staged\":true},\"add-comment\":null}",
      .items = "{\"type\":\"create_issue\",\"title\":\"T\",\"temporary_id\":\"tmp_1\"}\n"
               "{\"type\":\"add_comment\",\"body\":\"a\",\"target\":\"tmp_1\"}\n",
      .calls = "",
      .outputs = "create_issue staged|add_comment failed: add_comment: there is nothing with the "
                 "temporary id \"tmp_1\"",
      .error = "add_comment: there is nothing with the temporary id \"tmp_1\"" },
    { .name = "older issues are closed",
      .policy = "{\"create-issue\":{\"close-older-issues\":true}}",
      .items = "{\"type\":\"create_issue\",\"title\":\"T\",\"body\":\"B\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = ISSUE },
                   { .request = "GET /search/issues?",
                     .body = "{\"items\":[{\"number\":7,\"body\":\"<!-- wm-task:x -->\",\"user\":{"
                             "\"login\":\"me\"}},{\"number\":3,\"body\":\"<!-- wm-task:x -->\","
                             "\"user\":{\"login\":\"stranger\"}},{\"number\":4,\"body\":\"a <!-- "
                             "wm-task:xy -->\",\"user\":{\"login\":\"me\"}},{\"number\":5,\"body\":"
                             "\"a <!-- wm-task:x -->\",\"user\":{\"login\":\"me\"}}]}" },
                   { .request = "PATCH /repos/o/r/issues/5 ", .body = "{}" } },
      .calls =
          "POST /repos/o/r/issues {\"title\":\"T\",\"body\":\"B" MARKER
          "\\n\\n<!-- wm-task:x -->\"}\n"
          "GET /search/issues?per_page=100&q=repo%3Ao%2Fr%20is%3Aissue%20is%3Aopen%20in%3Abody"
          "%20%22wm-task%3Ax%22\n"
          "PATCH /repos/o/r/issues/5 {\"state\":\"closed\",\"state_reason\":\"not_planned\"}\n",
      .outputs = "create_issue applied #7 https://h/7" },
    { .name = "an issue of the same run is not an older one",
      .policy = "{\"create-issue\":{\"max\":2,\"close-older-issues\":true}}",
      .items = "{\"type\":\"create_issue\",\"title\":\"T\",\"body\":\"B\"}\n"
               "{\"type\":\"create_issue\",\"title\":\"U\",\"body\":\"C\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = ISSUE },
                   { .request = "GET /search/issues?", .body = "{\"items\":[]}" },
                   { .request = "POST ",
                     .status = 201,
                     .body = "{\"number\":8,\"html_url\":\"https://h/"
                             "8\",\"user\":{\"login\":\"me\"}}" },
                   { .request = "GET /search/issues?",
                     .body =
                         "{\"items\":[{\"number\":7,\"html_url\":\"https://h/7\",\"body\":\"<!-- "
                         "wm-task:x -->\",\"user\":{\"login\":\"me\"}}]}" } },
      .calls = "POST /repos/o/r/issues {\"title\":\"T\",\"body\":\"B" MARKER
               "\\n\\n<!-- wm-task:x -->\"}\n"
               "GET /search/issues?per_page=100&q=repo%3Ao%2Fr%20is%3Aissue%20is%3Aopen%20in%3Abody"
               "%20%22wm-task%3Ax%22\n"
               "POST /repos/o/r/issues {\"title\":\"U\",\"body\":\"C" MARKER
               "\\n\\n<!-- wm-task:x -->\"}\n"
               "GET /search/issues?per_page=100&q=repo%3Ao%2Fr%20is%3Aissue%20is%3Aopen%20in%3Abody"
               "%20%22wm-task%3Ax%22\n",
      .outputs = "create_issue applied #7 https://h/7|create_issue applied #8 https://h/8" },
    { .name = "task-O16",
      .policy = "{\"update-issue\":null}",
      .items = "{\"type\":\"update_issue\",\"body\":\"new\",\"operation\":\"append\"}\n",
      .answers = { { .request = "GET ", .body = "{\"number\":42,\"body\":\"old\\n\\n\"}" },
                   { .request = "PATCH ",
                     .body = "{\"number\":42,\"html_url\":\"https://h/42\"}" } },
      .calls = "GET /repos/o/r/issues/42\nPATCH /repos/o/r/issues/42 {\"body\":\"old\\n\\nnew\"}\n",
      .outputs = "update_issue applied #42 https://h/42" },
    { .name = "prepend, to nothing",
      .policy = "{\"update-pull-request\":null}",
      .items = "{\"type\":\"update_pull_request\",\"title\":\"T\",\"body\":\"new\",\"operation\":"
               "\"prepend\",\"target\":3}\n",
      .answers = { { .request = "GET ", .body = "{\"number\":3,\"body\":null}" },
                   { .request = "PATCH ", .body = "{}" } },
      .calls =
          "GET /repos/o/r/issues/3\nPATCH /repos/o/r/pulls/3 {\"title\":\"T\",\"body\":\"new\"}"
          "\n" },
    { .name = "task-O17",
      .policy = "{\"update-issue\":null}",
      .items = "{\"type\":\"update_issue\",\"body\":\"N\",\"operation\":\"replace-island\"}\n",
      .answers = { { .request = "GET ",
                     .body = "{\"body\":\"a<!-- gh-wm:island -->x<!-- /gh-wm:island -->b\"}" },
                   { .request = "PATCH ", .body = "{}" } },
      .calls =
          "GET /repos/o/r/issues/42\nPATCH /repos/o/r/issues/42 {\"body\":\"a<!-- gh-wm:island "
          "-->\\nN\\n<!-- /gh-wm:island -->b\"}\n" },
    { .name = "the island found first",
      .policy = "{\"update-issue\":null}",
      .items = "{\"type\":\"update_issue\",\"body\":\"N\",\"operation\":\"replace-island\"}\n",
      .answers = { { .request = "GET ",
                     .body = "{\"body\":\"<!-- gh-wm:island -->1<!-- /gh-wm:island --><!-- "
                             "kedge:island -->2<!-- /kedge:island -->\"}" },
                   { .request = "PATCH ", .body = "{}" } },
      .calls =
          "GET /repos/o/r/issues/42\nPATCH /repos/o/r/issues/42 {\"body\":\"<!-- gh-wm:island "
          "-->\\nN\\n<!-- /gh-wm:island --><!-- kedge:island -->2<!-- /kedge:island -->\"}\n" },
    { .name = "task-O18",
      .policy = "{\"update-issue\":null}",
      .items = "{\"type\":\"update_issue\",\"body\":\"N\",\"operation\":\"replace-island\"}\n",
      .answers = { { .request = "GET ",
                     .body = "{\"body\":\"<!-- /kedge:island --><!-- kedge:island "
                             "-->\"}" } },
      .calls = "GET /repos/o/r/issues/42\n",
      .error = "update_issue: replace_island: markers not found or invalid order" },
    { .name = "task-O19",
      .policy = "{\"update-issue\":{\"body\":null}}",
      .items = "{\"type\":\"update_issue\",\"title\":\"T\"}\n",
      .calls = "",
      .error = "update_issue: title updates are not enabled" },
    { .name = "task-O20",
      .policy = "{\"close-issue\":null}",
      .items = "{\"type\":\"close_issue\",\"comment\":\"bye\",\"state_reason\":\"not planned\"}\n",
      .answers = { { .request = "POST ", .status = 201, .body = MADE },
                   { .request = "PATCH ", .body = "{\"number\":42}" } },
      .calls =
          "POST " COMMENTS " {\"body\":\"bye" MARKER "\"}\nPATCH /repos/o/r/issues/42 {\"state\":"
          "\"closed\",\"state_reason\":\"not_planned\"}\n",
      .outputs = "close_issue applied #42" },
    { .name = "task-O21",
      .policy = "{\"close-pull-request\":null}",
      .items = "{\"type\":\"close_pull_request\",\"pull_request_number\":3}\n",
      .answers = { { .request = "PATCH ", .body = "{}" } },
      .calls = "PATCH /repos/o/r/pulls/3 {\"state\":\"closed\"}\n" },
    { .name = "a label that is required",
      .policy = "{\"close-issue\":{\"required-labels\":[\"stale\"]}}",
      .items = "{\"type\":\"close_issue\"}\n",
      .answers = { { .request = "GET ", .body = "{\"labels\":[{\"name\":\"bug\"}]}" } },
      .calls = "GET /repos/o/r/issues/42\n",
      .error = "close_issue: #42 lacks required label \"stale\"" },
    { .name = "a prefix that is required",
      .policy = "{\"close-issue\":{\"required-title-prefix\":\"[bot]\"}}",
      .items = "{\"type\":\"close_issue\"}\n",
      .answers = { { .request = "GET ", .body = "{\"title\":\"x\"}" } },
      .calls = "GET /repos/o/r/issues/42\n",
      .error = "close_issue: title of #42 does not start with required prefix \"[bot]\"" },
};

#define THREATS(options) "{\"add-comment\":{\"max\":2},\"threat-detection\":" options "}"
#define SAYS(text)       "{\"type\":\"add_comment\",\"body\":\"" text "\"}\n"
#define KEY_FOUND        "threat detection: an AWS access key in add_comment (item 2)"

static const ApplyCase threat_cases[] = {
    { .name = "a key in the second item: nothing is written",
      .policy = THREATS("true"),
      .items = SAYS("a") SAYS("AKIAIOSFODNN7EXAMPLE"),
      .calls = "",
      .outputs = "add_comment skipped: " KEY_FOUND "|add_comment skipped: " KEY_FOUND,
      .error = KEY_FOUND },
    { .name = "several",
      .policy = THREATS("{}"),
      .items =
          SAYS("-----BEGIN RSA PRIVATE KEY-----") SAYS("ghp_0123456789abcdefghijABCDEFGHIJ012345"),
      .calls = "",
      .error = "threat detection: a private key in add_comment (item 1); a credential in "
               "add_comment (item 2)" },
    { .name = "turned around",
      .policy = THREATS("true"),
      .items = SAYS("a\u202eb"),
      .calls = "",
      .error = "threat detection: hidden characters in add_comment (item 1)" },
    { .name = "tags behind a letter",
      .policy = THREATS("true"),
      .items = SAYS("\u00e9\U000e0041\U000e0042"),
      .calls = "",
      .error = "threat detection: hidden characters in add_comment (item 1)" },
    { .name = "joiners that join nothing",
      .policy = THREATS("true"),
      .items = SAYS("\u00e9\u200d\u200c\u00e9"),
      .calls = "",
      .error = "threat detection: hidden characters in add_comment (item 1)" },
    { .name = "a family, a flag of Scotland, and a word of Persian",
      .policy = THREATS("true"),
      .items = SAYS("\U0001f468\u200d\U0001f469 \U0001f3f4\U000e0067\U000e0062\U000e0073"
                    "\U000e0063\U000e0074\U000e007f \u0645\u06cc\u200c\u062e"),
      .answers = { { .request = "POST ", .body = "{}" } },
      .calls = "POST " COMMENTS " {\"body\":\"\U0001f468\u200d\U0001f469 \U0001f3f4\U000e0067"
               "\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f \u0645\u06cc\u200c\u062e" MARKER
               "\"}\n" },
    { .name = "told only",
      .policy = THREATS("{\"continue-on-error\":true}"),
      .items = SAYS("a\u200bb"),
      .answers = { { .request = "POST ", .body = "{}" } },
      .calls = "POST " COMMENTS " {\"body\":\"a\u200bb" MARKER "\"}\n" },
    { .name = "in what the agent said last, when it asked for nothing",
      .policy = THREATS("true"),
      .last_response = "AKIAIOSFODNN7EXAMPLE",
      .calls = "",
      .outputs = "add_comment failed: threat detection: an AWS access key in add_comment (item "
                 "1)" },
    { .name = "switched off",
      .policy = THREATS("{\"enabled\":false}"),
      .items = SAYS("AKIAIOSFODNN7EXAMPLE"),
      .answers = { { .request = "POST ", .body = "{}" } },
      .calls = "POST " COMMENTS " {\"body\":\"AKIAIOSFODNN7EXAMPLE" MARKER "\"}\n" },
};

static void test_comments(void **state G_GNUC_UNUSED)
{
    APPLY_CASES(comment_cases);
}

static void test_labels(void **state G_GNUC_UNUSED)
{
    APPLY_CASES(label_cases);
}

static void test_issues(void **state G_GNUC_UNUSED)
{
    APPLY_CASES(issue_cases);
}

static void test_threats(void **state G_GNUC_UNUSED)
{
    APPLY_CASES(threat_cases);
}

/* task-O33 and task-O35. */
static void test_long(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .request = "POST ", .body = "{}" } };
    g_autoptr(ApplyFixture) fixture = apply_fixture_new("{\"add-comment\":null}", answers, 1);
    g_autofree char *over = g_strnfill(2 * 1024 * 1024, 'b'), *text = g_strnfill(70000, 'a');
    g_autofree char *items = g_strdup_printf("{\"type\":\"add_comment\",\"body\":\"%s\"}\n"
                                             "{\"type\":\"add_comment\",\"body\":\"%s\"}\n",
                                             over, text);
    assert_true(apply_fixture_run(fixture, items, NULL));
    g_autofree char *sent = rest_fixture_body(fixture->rest, 1);
    g_autoptr(json_t) body = apply_json(sent);
    const char *posted = json_get_text(body, "body");
    static const char marker[] = "\n\n<!-- wm-agent:x -->";
    assert_true(g_str_has_suffix(posted, marker));
    assert_non_null(strstr(posted, "…(truncated)"));
    assert_true(strlen(posted) <= 60000 + strlen(marker));
    assert_true(posted[0] == 'a');
}

/* task-O38: nothing is asked of GitHub, with or without a token. */
static void test_staged(void **state G_GNUC_UNUSED)
{
    static const char items[] =
        "{\"type\":\"add_comment\",\"body\":\"Done.\"}\n"
        "{\"type\":\"close_issue\",\"comment\":\"bye\"}\n"
        "{\"type\":\"create_issue\",\"title\":\"T\",\"temporary_id\":\"tmp_1\"}\n"
        "{\"type\":\"add_labels\",\"labels\":[\"a\"],\"target\":\"tmp_1\"}\n";
    for (int has_token = 0; has_token < 2; has_token++) {
        g_autoptr(ApplyFixture) fixture = apply_fixture_new(
            "{\"staged\":true,\"add-comment\":null,\"close-issue\":null,\"create-issue\":null,"
            "\"add-labels\":null}",
            NULL, 0);
        if (!has_token)
            fixture->apply.api = NULL;
        g_autoptr(GError) error = NULL;
        if (!apply_fixture_run(fixture, items, &error))
            fail_msg("%s", error->message);
        g_autofree char *plan = json_to_text(fixture->plan);
        const char *want =
            "[{\"kind\":\"add_comment\",\"number\":42,\"method\":\"POST\",\"path\":\"" COMMENTS
            "\",\"body\":{\"body\":\"Done." MARKER "\"}},"
            "{\"kind\":\"close_issue\",\"number\":42,\"method\":\"PATCH\",\"path\":"
            "\"/repos/o/r/issues/"
            "42\",\"body\":{\"state\":\"closed\",\"state_reason\":\"completed\"}"
            ",\"before\":[{\"method\":\"POST\",\"path\":\"" COMMENTS
            "\",\"body\":{\"body\":\"bye" MARKER "\"}}]},"
            "{\"kind\":\"create_issue\",\"method\":\"POST\",\"path\":\"/repos/o/r/"
            "issues\",\"body\":"
            "{\"title\":\"T\",\"body\":\"<!-- wm-agent:x -->\"}},"
            "{\"kind\":\"add_labels\",\"method\":\"POST\",\"path\":\"/repos/o/r/issues/tmp_1/labels"
            "\",\"body\":{\"labels\":[\"a\"]}}]";
        if (strcmp(plan, want) != 0)
            fail_msg("%s", plan);
        g_autofree char *outputs = apply_fixture_outputs(fixture);
        assert_true(str_has_prefix(outputs, "add_comment staged #42|close_issue staged #42|"));
        g_autofree char *record = g_build_filename(fixture->run_dir, "applied.jsonl", NULL);
        assert_false(file_exists(record));
    }
}

/* Older comments of the same task are hidden, but not the new one, nor one of the same run, nor
   those of others. */
static void test_hide(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "POST " COMMENTS,
          .status = 201,
          .body = "{\"id\":8,\"node_id\":\"FIRST\",\"html_url\":\"https://h/1\"}" },
        { .request = "POST /graphql ",
          .body = "{\"data\":{\"repository\":{\"issueOrPullRequest\":{\"comments\":{\"nodes\":[],"
                  "\"pageInfo\":{\"hasPreviousPage\":false}}}}}}" },
        { .request = "POST " COMMENTS, .status = 201, .body = "{\"id\":1,\"node_id\":\"NEW\"}" },
        { .request = "POST /graphql ",
          .body = "{\"data\":{\"repository\":{\"issueOrPullRequest\":{\"comments\":{\"nodes\":["
                  "{\"id\":\"NEW\",\"body\":\"<!-- wm-agent:x -->\",\"isMinimized\":false,"
                  "\"viewerDidAuthor\":true},"
                  "{\"id\":\"OTHER\",\"body\":\"<!-- wm-agent:x -->\",\"isMinimized\":false,"
                  "\"viewerDidAuthor\":false},"
                  "{\"id\":\"TASK\",\"body\":\"<!-- wm-agent:y -->\",\"isMinimized\":false,"
                  "\"viewerDidAuthor\":true},"
                  "{\"id\":\"FIRST\",\"url\":\"https://h/1\",\"body\":\"<!-- wm-agent:x -->\","
                  "\"isMinimized\":false,\"viewerDidAuthor\":true},"
                  "{\"id\":\"HIDDEN\",\"body\":\"<!-- wm-agent:x -->\",\"isMinimized\":true,"
                  "\"viewerDidAuthor\":true},"
                  "{\"id\":\"OLD\",\"body\":\"<!-- wm-agent:x -->\",\"isMinimized\":false,"
                  "\"viewerDidAuthor\":true}],\"pageInfo\":{\"hasPreviousPage\":false}}}}}}" },
        { .request = "POST /graphql ", .body = "{\"data\":{}}" },
    };
    g_autoptr(ApplyFixture) fixture =
        apply_fixture_new("{\"add-comment\":{\"max\":2,\"hide-older-comments\":true}}", answers,
                          G_N_ELEMENTS(answers));
    assert_true(apply_fixture_run(fixture,
                                  "{\"type\":\"add_comment\",\"body\":\"first\"}\n"
                                  "{\"type\":\"add_comment\",\"body\":\"a\"}\n",
                                  NULL));
    assert_int_equal(rest_fixture_count(fixture->rest), 5);
    g_autofree char *hide = rest_fixture_body(fixture->rest, 5);
    assert_non_null(strstr(hide, "minimizeComment"));
    assert_true(g_str_has_suffix(hide, "\"variables\":{\"id\":\"OLD\"}}"));
}

static void test_link(void **state G_GNUC_UNUSED)
{
    g_autoptr(ApplyFixture) fixture = apply_fixture_new("{\"add-comment\":null}", NULL, 0);
    g_autofree char *real = g_build_filename(fixture->run_dir, "real", NULL);
    assert_true(g_file_set_contents(real, "{\"type\":\"add_comment\",\"body\":\"a\"}\n", -1, NULL));
    assert_int_equal(symlink(real, fixture->output_path), 0);
    g_autoptr(GError) error = NULL;
    assert_false(apply_fixture_run(fixture, NULL, &error)); // task-S05
    assert_non_null(error);
}

static void test_secret(void **state G_GNUC_UNUSED)
{
    secrets_register("sk-ant-4711-0815-secret");
    const ApplyCase secret = {
        .name = "task-S10",
        .policy = "{\"add-comment\":null}",
        .items = "{\"type\":\"add_comment\",\"body\":\"key: sk-ant-4711-0815-secret\"}\n",
        .calls = "",
        .error = "add_comment: text contains a secret",
    };
    apply_check(&secret);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comments), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_issues),   cmocka_unit_test(test_long),
        cmocka_unit_test(test_staged),   cmocka_unit_test(test_threats),
        cmocka_unit_test(test_hide),     cmocka_unit_test(test_link),
        cmocka_unit_test(test_secret),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
