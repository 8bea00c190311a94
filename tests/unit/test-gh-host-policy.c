/*
 * gh.hostPolicy through the real tool_call(): the host, and every repository that a command names.
 */
#include "unit.h"

#include "git_fixture.h"

#include "github/github.h"

static GhFixture *fixture_new(const char *settings)
{
    GhFixture *fixture = gh_fixture_new_with(settings);
    fixture->tool = &tool_gh;
    return fixture;
}

static void test_host_policy(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = fixture_new("{\"gh\":{\"knownHosts\":[\"acme.ghe.com\"],"
                                               "\"hostPolicy\":{\"acme.ghe.com\":\"read-only\"}}}");
    g_auto(ToolResult) result = gh_fixture_call(
        fixture, "{\"args\":[\"pr\",\"merge\",\"5\"],\"repo\":\"acme.ghe.com/o/r\"}");
    gh_expect_error("gh-5.2-1", &result,
                    "[gh acme.ghe.com/o/r pr write policy-blocked]\n"
                    "Error: Blocked by V1 policy: writes are disabled for acme.ghe.com.\n"
                    "Reproduce: GH_PROMPT_DISABLED=1 GH_PAGER=cat GH_HOST=acme.ghe.com "
                    "GH_REPO=acme.ghe.com/o/r gh pr merge 5");
    assert_int_equal(result.failure, KEDGE_ERROR_DENIED);
    gh_expect_calls("gh-5.2-1", fixture, 0);
}

/* gh-5.2: the policy of every repository that is named holds, source and destination. */
static void test_policy_of_both_ends(void **state G_GNUC_UNUSED)
{
    static const char settings[] =
        "{\"gh\":{\"policy\":{\"write\":\"auto\"},\"knownHosts\":[\"acme.ghe.com\"],"
        "\"hostPolicy\":{\"github.com/safe/*\":\"read-only\",\"github.com/no/*\":\"deny\"}}}";
    static const struct {
        const char *arguments;
        bool is_blocked;
    } cases[] = {
        { "[\"issue\",\"transfer\",\"5\",\"o/b\",\"-R\",\"o/a\"]", false },
        { "[\"issue\",\"transfer\",\"5\",\"safe/b\",\"-R\",\"o/a\"]", true },
        { "[\"issue\",\"transfer\",\"5\",\"Safe/b.git\",\"-R\",\"o/a\"]", true },
        { "[\"issue\",\"transfer\",\"5\",\"o/b\",\"-R\",\"safe/a\"]", true },
        { "[\"label\",\"clone\",\"safe/a\",\"-R\",\"o/b\"]", false },
        { "[\"label\",\"clone\",\"no/a\",\"-R\",\"o/b\"]", true },
        { "[\"label\",\"clone\",\"o/a\",\"-R\",\"safe/b\"]", true },
        { "[\"pr\",\"create\",\"-t\",\"x\",\"-b\",\"y\",\"-R\",\"o/b\",\"--head\",\"safe:x\"]",
          true },
        { "[\"pr\",\"create\",\"-t\",\"x\",\"-b\",\"y\",\"-R\",\"o/b\",\"--head\",\"me:x\"]",
          false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = fixture_new(settings);
        gh_fixture_reply_out(fixture, "ok");
        g_autofree char *arguments = g_strdup_printf("{\"args\":%s}", cases[i].arguments);
        g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
        g_autofree char *text = tool_result_text(&result);
        bool is_blocked = strstr(text, " policy-blocked]") != NULL;
        if (is_blocked != cases[i].is_blocked)
            fail_msg("%s: %s", cases[i].arguments, text);
    }
}

typedef struct NamedCase {
    const char *name, *arguments;
    const char *where; // that the refusal names; NULL: the policy does not refuse
} NamedCase;

/* In a clone of o/a. */
static void check_named(const char *settings, const NamedCase *wanted)
{
    g_autoptr(GhFixture) fixture = fixture_new(settings);
    git_do(fixture->cwd, "init", "--quiet", NULL);
    git_do(fixture->cwd, "remote", "add", "origin", "https://github.com/o/a.git", NULL);
    gh_fixture_reply_out(fixture, "ok");
    g_autofree char *arguments =
        g_strdelimit(g_strdup_printf("{'args':%s}", wanted->arguments), "'", '"');
    g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
    g_autofree char *text = tool_result_text(&result);
    const char *policy = strstr(text, " policy-blocked]\n");
    if ((policy != NULL) != (wanted->where != NULL))
        fail_msg("%s: %s", wanted->name, text);
    if (!policy)
        return;
    g_autofree char *end = g_strdup_printf(" are disabled for %s.\n", wanted->where);
    if (!strstr(policy, end))
        fail_msg("%s: lacks '%s': %s", wanted->name, end, text);
    gh_expect_calls(wanted->name, fixture, 0);
}

/* gh-5.2: the reason names the repository that brought the refusal, or the host. */
static void test_reason(void **state G_GNUC_UNUSED)
{
    static const char settings[] =
        "{\"gh\":{\"policy\":{\"write\":\"auto\",\"destructive\":\"confirm\"},"
        "\"knownHosts\":[\"acme.ghe.com\",\"b.ghe.com\"],"
        "\"hostPolicy\":{\"github.com/safe/*\":\"read-only\",\"github.com/no/*\":\"deny\","
        "\"github.com/o/shut\":\"read-only\",\"*.ghe.com\":\"read-only\"}}}";
    static const NamedCase cases[] = {
        { "the host's", "['pr','merge','5','-R','acme.ghe.com/o/r']", "acme.ghe.com" },
        { "the suffix's", "['pr','merge','5','-R','b.ghe.com/safe/r']", "b.ghe.com" },
        { "the repository's", "['pr','merge','5','-R','o/shut']", "github.com/o/shut" },
        { "the owner's", "['pr','merge','5','-R','safe/x']", "github.com/safe/x" },
        { "another one of that owner", "['pr','merge','5','-R','o/b']", NULL },
        { "reads of a closed one", "['pr','view','5','-R','no/x']", "github.com/no/x" },
        { "reads of one that is read-only", "['pr','view','5','-R','safe/x']", NULL },
        { "an item's URL", "['issue','close','https://github.com/safe/a/issues/5']",
          "github.com/safe/a" },
        { "transfer of an issue", "['issue','transfer','5','safe/b']", "github.com/safe/b" },
        { "transfer of an issue, spelled otherwise", "['issue','transfer','5','Safe/B.git']",
          "github.com/Safe/B.git" },
        { "labels from a closed one", "['label','clone','no/b']", "github.com/no/b" },
        { "sync from a closed one", "['repo','sync','o/a','--source','no/b']", "github.com/no/b" },
        { "sync of one that is read-only", "['repo','sync','safe/b','--source','o/a']",
          "github.com/safe/b" },
        { "template", "['repo','create','o/x','--public','--template','no/t']", "github.com/no/t" },
        { "a fork there", "['repo','fork','o/a','--org','safe']", "github.com/safe/a" },
        { "a fork of that name", "['repo','fork','x/y','--org','o','--fork-name','shut']",
          "github.com/o/shut" },
        { "a fork elsewhere", "['repo','fork','x/y','--org','o']", NULL },
        { "head of another owner", "['pr','create','-t','x','-b','y','--head','safe:x']",
          "github.com/safe/a" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_named(settings, &cases[i]);

    static const NamedCase repos[] = {
        { "--repos", "['secret','set','A','-b','x','--org','o','--repos','o/a,safe/b']",
          "github.com/safe/b" },
        { "with blanks", "['secret','set','A','-b','x','--org','o','--repos','a, safe/b']",
          "github.com/safe/b" },
        { "given twice", "['variable','set','A','-b','x','--org','o','-r','safe/b','-r','a']",
          "github.com/safe/b" },
        { "names of --org", "['variable','set','A','-b','x','--org','o','--repos','a,shut']",
          "github.com/o/shut" },
        { "names of an owner", "['secret','set','A','-b','x','--org','safe','--repos','b']",
          "github.com/safe/b" },
        { "without a list", "['variable','set','A','-b','x']", NULL },
        { "none of them closed", "['variable','set','A','-b','x','--repos','o/a,x/y']", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(repos); i++)
        check_named(settings, &repos[i]);

    static const NamedCase transfers[] = {
        { "source", "['api','repos/no/a/transfer','-f','new_owner=me']", "github.com/no/a" },
        { "destination", "['api','repos/o/a/transfer','-f','new_owner=safe']",
          "github.com/safe/a" },
        { "-F", "['api','repos/o/a/transfer','-F','new_owner=safe']", "github.com/safe/a" },
        { "slashes", "['api','/repos/o/a/transfer/','--field=new_owner=Safe']",
          "github.com/Safe/a" },
        { "new name", "['api','repos/x/y/transfer','-f','new_owner=o','-f','new_name=shut']",
          "github.com/o/shut" },
        { "in the endpoint", "['api','repos/o/a/transfer?x=1&new_owner=s%61fe','-X','POST']",
          "github.com/safe/a" },
        { "neither end", "['api','repos/o/a/transfer','-f','new_owner=me']", NULL },
        { "another endpoint", "['api','repos/o/a/labels','-f','new_owner=safe']", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(transfers); i++)
        check_named(settings, &transfers[i]);
}

/* What nothing but the table refuses keeps its words. */
static void test_irreversible(void **state G_GNUC_UNUSED)
{
    static const char settings[] = "{\"gh\":{\"hostPolicy\":{\"github.com/safe/*\":\"deny\"}}}";
    static const char *const owners[] = { "me", "safe" };
    for (size_t i = 0; i < G_N_ELEMENTS(owners); i++) {
        g_autoptr(GhFixture) fixture = fixture_new(settings);
        g_autofree char *arguments = g_strdup_printf(
            "{\"args\":[\"api\",\"repos/o/a/transfer\",\"-f\",\"new_owner=%s\"]}", owners[i]);
        g_auto(ToolResult) result = gh_fixture_call(fixture, arguments);
        g_autofree char *text = tool_result_text(&result);
        if (!strstr(text, "Error: Hard-blocked irreversible command: api POST.\n"))
            fail_msg("%s: %s", owners[i], text);
        gh_expect_calls(owners[i], fixture, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reason),
        cmocka_unit_test(test_irreversible),
        cmocka_unit_test(test_host_policy),
        cmocka_unit_test(test_policy_of_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
