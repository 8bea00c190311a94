/*
 * Fields of the gh_* wrappers (github/safe/gh_fields.h), and what is made of gh's JSON
 * (github/safe/gh_body.h).
 */
#include "base/str.h"
#include "unit.h"

#include "github/safe/gh_body.h"
#include "github/safe/gh_fields.h"

#define ITEM "number,title,state,author,createdAt,url,body"

static void test_choose(void **state G_GNUC_UNUSED)
{
    static const char *const comments[] = { "comments", NULL };
    static const char *const both[] = { "comments", "reviews", NULL };
    static const struct {
        const char *name;
        GhFieldRequest request;
        const char *want;
    } cases[] = {
        { "gh-12.6-1 the defaults", { .set = GH_FIELDS_PR, .defaults = ITEM }, ITEM },
        { "gh-12.1-1 blanks and doubles",
          { .set = GH_FIELDS_PR, .wanted = " title , number,title,,", .defaults = ITEM },
          "title,number" },
        { "gh-12.1-2 without the body",
          { .set = GH_FIELDS_PR, .defaults = ITEM, .drops_body = true },
          "number,title,state,author,createdAt,url" },
        { "the caller's own body stays",
          { .set = GH_FIELDS_PR, .wanted = "body", .defaults = ITEM, .drops_body = true },
          "body" },
        { "gh-12.1-3 two added heavy ones go together",
          { .set = GH_FIELDS_PR, .defaults = ITEM, .added = both },
          ITEM ",comments,reviews" },
        { "one heavy field",
          { .set = GH_FIELDS_PR, .wanted = "files", .defaults = ITEM },
          "files" },
        { "the same heavy field twice",
          { .set = GH_FIELDS_PR, .wanted = "comments", .defaults = ITEM, .added = comments },
          "comments" },
        { "a light field and an added heavy one",
          { .set = GH_FIELDS_PR, .wanted = "number", .defaults = ITEM, .added = comments },
          "number,comments" },
        { "gh-12.6-2 new enough",
          { .set = GH_FIELDS_PR, .wanted = "baseRefOid", .defaults = ITEM, .version = "2.63.0" },
          "baseRefOid" },
        { "a build without a number has everything",
          { .set = GH_FIELDS_PR, .wanted = "baseRefOid", .defaults = ITEM, .version = "DEV" },
          "baseRefOid" },
        { "isDraft of pull requests",
          { .set = GH_FIELDS_SEARCH_PRS, .wanted = "isDraft", .defaults = "number" },
          "isDraft" },
        { "jobs of one run",
          { .set = GH_FIELDS_RUN, .wanted = "jobs", .defaults = "name" },
          "jobs" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GhFieldRequest request = cases[i].request;
        request.tool = "gh_x";
        g_autofree char *fields = NULL;
        g_autoptr(GError) error = NULL;
        if (!gh_fields_choose(&request, &fields, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        if (strcmp(fields, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].name, fields, cases[i].want);
    }
}

static void test_refuse(void **state G_GNUC_UNUSED)
{
    static const char *const comments[] = { "comments", NULL };
    static const struct {
        const char *name;
        GhFieldRequest request;
        const char *want; // the beginning
    } cases[] = {
        { "gh-12.1-4 unknown",
          { .set = GH_FIELDS_PR_CHECKS, .wanted = "name,status" },
          "Unknown field \"status\" for gh_x. Allowed: name, state, bucket, startedAt, "
          "completedAt, link, "
          "workflow, event, description" },
        { "gh-12.6-3 too old",
          { .set = GH_FIELDS_PR, .wanted = "baseRefOid", .version = "2.62.1" },
          "Unknown field \"baseRefOid\"" },
        { "gh-12.1-5 two heavy ones",
          { .set = GH_FIELDS_PR, .wanted = "comments,number,files" },
          "Only one of these fields per call: comments, files" },
        { "gh-12.1-6 one and an added one",
          { .set = GH_FIELDS_PR, .wanted = "files", .added = comments },
          "Only one of these fields per call: files, comments" },
        { "no heavy fields in lists",
          { .set = GH_FIELDS_PR_LIST, .wanted = "comments" },
          "Unknown field \"comments\"" },
        { "no bodies in lists",
          { .set = GH_FIELDS_ISSUE_LIST, .wanted = "body" },
          "Unknown field \"body\"" },
        { "no jobs in lists",
          { .set = GH_FIELDS_RUN_LIST, .wanted = "jobs" },
          "Unknown field \"jobs\"" },
        { "isDraft is of pull requests",
          { .set = GH_FIELDS_SEARCH_ISSUES, .wanted = "isDraft" },
          "Unknown field \"isDraft\"" },
        { "left out on purpose",
          { .set = GH_FIELDS_PR, .wanted = "projectItems" },
          "Unknown field" },
        { "case counts", { .set = GH_FIELDS_PR, .wanted = "Number" }, "Unknown field \"Number\"" },
        { "no name at all", { .set = GH_FIELDS_PR, .wanted = " , " }, "fields must name" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GhFieldRequest request = cases[i].request;
        request.tool = "gh_x";
        request.defaults = "number";
        g_autofree char *fields = NULL;
        g_autoptr(GError) error = NULL;
        if (gh_fields_choose(&request, &fields, &error))
            fail_msg("%s: accepted: %s", cases[i].name, fields);
        if (!error_is(error, KEDGE_ERROR_USAGE) || !str_has_prefix(error->message, cases[i].want))
            fail_msg("%s: %s", cases[i].name, error->message);
    }
}

/* `count` times `unit`. */
static char *repeat(const char *unit, size_t count)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < count; i++)
        g_string_append(text, unit);
    return g_string_free(text, false);
}

static void test_body(void **state G_GNUC_UNUSED)
{
    g_autofree char *exact = repeat("x", 2048);
    g_autofree char *longer = repeat("x", 2049);
    g_autofree char *wide = repeat("\xc3\xa9", 1025);    // 2050 bytes; 2048 is a border
    g_autofree char *odd = g_strconcat("x", wide, NULL); // 2051 bytes; 2048 is inside a character
    g_autofree char *wide_cut = repeat("\xc3\xa9", 1024);
    g_autofree char *odd_rest = repeat("\xc3\xa9", 1023);
    g_autofree char *odd_cut = g_strconcat("x", odd_rest, NULL);
    const struct {
        const char *name, *format, *body;
        bool keeps_top;
        const char *cut; // NULL: nothing is cut
        const char *of;
    } cases[] = {
        { "gh-12.1-7 exactly 2 KB", "{\"body\":\"%s\",\"a\":1}", exact, false, NULL, NULL },
        { "gh-12.1-8 one byte more", "{\"body\":\"%s\",\"a\":1}", longer, false, exact, "2049" },
        { "gh-12.1-9 whole characters", "{\"body\":\"%s\"}", wide, false, wide_cut, "2050" },
        { "gh-12.1-10 no half character", "{\"body\":\"%s\"}", odd, false, odd_cut, "2051" },
        { "gh-12.1-11 include_body", "{\"body\":\"%s\"}", longer, true, NULL, NULL },
        { "but comments are cut", "{\"comments\":[{\"body\":\"%s\"}]}", longer, true, exact,
          "2049" },
        { "lists", "[{\"body\":\"%s\"}]", longer, true, exact, "2049" },
        { "other keys", "{\"title\":\"%s\"}", longer, false, NULL, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) halves = g_strsplit(cases[i].format, "%s", 2);
        g_autofree char *text = g_strconcat(halves[0], cases[i].body, halves[1], NULL);
        g_autofree char *got = gh_body_cut(text, cases[i].keeps_top);
        g_autofree char *want =
            cases[i].cut == NULL
                ? NULL
                : g_strconcat(halves[0], cases[i].cut, "… [body truncated: 2048 of ", cases[i].of,
                              " bytes]", halves[1], NULL);
        if (g_strcmp0(got, want) != 0)
            fail_msg("%s: got\n%s", cases[i].name, got != NULL ? got : "(nothing cut)");
    }
    assert_null(gh_body_cut("not json", false));
}

static void test_several_bodies(void **state G_GNUC_UNUSED)
{
    g_autofree char *longer = repeat("y", 3000);
    g_autofree char *text = g_strdup_printf(
        "{\"number\":1,\"body\":\"%s\",\"comments\":[{\"body\":\"%s\"},{\"body\":\"short\"}]}",
        longer, longer);
    g_autofree char *got = gh_body_cut(text, false);
    g_auto(GStrv) parts = g_strsplit(got, "[body truncated: 2048 of 3000 bytes]", -1);
    assert_int_equal(g_strv_length(parts), 3);
    assert_true(str_has_prefix(got, "{\"number\":1,\"body\":"));
    assert_non_null(strstr(got, "{\"body\":\"short\"}"));
}

static void test_checks(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *check, *want;
    } cases[] = {
        { "gh-12.5-1 a check run",
          "{\"name\":\"build\",\"status\":\"COMPLETED\",\"conclusion\":\"FAILURE\",\"detailsUrl\":"
          "\"u\","
          "\"workflowName\":\"CI\",\"startedAt\":\"t\"}",
          "{\"name\":\"build\",\"state\":\"FAILURE\",\"bucket\":\"fail\",\"link\":\"u\","
          "\"workflow\":\"CI\"}" },
        { "gh-12.5-2 a status", "{\"context\":\"ci/x\",\"state\":\"SUCCESS\",\"targetUrl\":\"v\"}",
          "{\"name\":\"ci/"
          "x\",\"state\":\"SUCCESS\",\"bucket\":\"pass\",\"link\":\"v\",\"workflow\":\"\"}" },
        { "gh-12.5-3 not yet done",
          "{\"name\":\"b\",\"status\":\"IN_PROGRESS\",\"conclusion\":\"\"}",
          "{\"name\":\"b\",\"state\":\"IN_PROGRESS\",\"bucket\":\"pending\",\"link\":\"\","
          "\"workflow\":\"\"}" },
        { "gh-12.5-4 cancelled",
          "{\"name\":\"b\",\"status\":\"COMPLETED\",\"conclusion\":\"CANCELLED\"}",
          "{\"name\":\"b\",\"state\":\"CANCELLED\",\"bucket\":\"cancel\",\"link\":\"\","
          "\"workflow\":\"\"}" },
        { "gh-12.5-5 skipped",
          "{\"name\":\"b\",\"status\":\"COMPLETED\",\"conclusion\":\"NEUTRAL\"}",
          "{\"name\":\"b\",\"state\":\"NEUTRAL\",\"bucket\":\"skipping\",\"link\":\"\","
          "\"workflow\":\"\"}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = g_strdup_printf("{\"statusCheckRollup\":[%s]}", cases[i].check);
        g_autofree char *got = gh_body_checks(text, "name,state,bucket,link,workflow");
        g_autofree char *want = g_strdup_printf("[%s]", cases[i].want);
        if (g_strcmp0(got, want) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
    g_autofree char *none = gh_body_checks("{\"statusCheckRollup\":null}", "name");
    assert_string_equal(none, "[]");
    assert_null(gh_body_checks("oops", "name"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choose), cmocka_unit_test(test_refuse),
        cmocka_unit_test(test_body),   cmocka_unit_test(test_several_bodies),
        cmocka_unit_test(test_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
