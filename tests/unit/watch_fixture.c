/*
 * What the tests of run_watch share; see watch_fixture.h.
 */
#include "base/str.h"
#include "unit.h"

#include "watch_fixture.h"

void watch_reply(GhFixture *fixture, const char *match, const char *out)
{
    gh_fixture_reply(fixture, &(GhReply) { .match = match, .out = out });
}

void watch_reply_error(GhFixture *fixture, const char *match, const char *err)
{
    gh_fixture_reply(fixture, &(GhReply) { .match = match, .err = err, .status = 1 });
}

void watch_reply_run(GhFixture *fixture, const char *run, const char *jobs)
{
    watch_reply(fixture, RUN_CALL, run);
    watch_reply(fixture, JOBS_CALL, jobs);
}

void watch_reply_logs(GhFixture *fixture)
{
    watch_reply(fixture, "api " REPO "/actions/jobs/45280771202/logs", LOG);
    watch_reply_error(fixture, "api " REPO "/actions/jobs/45280771203/logs",
                      "gh: Not Found (HTTP 404)");
}

const char *watch_update_text(const GhFixture *fixture, unsigned number)
{
    if (number >= fixture->updates->len)
        fail_msg("no update %u", number);
    return ((const GhUpdate *)g_ptr_array_index(fixture->updates, number))->text;
}

void watch_expect_waits(const char *name, const GhFixture *fixture, const char *want)
{
    g_autoptr(GString) got = g_string_new(NULL);
    for (unsigned i = 0; i < fixture->sleeps->len; i++) {
        int64_t wait_ms = g_array_index(fixture->sleeps, int64_t, i);
        g_string_append_printf(got, "%s%g", i > 0 ? " " : "", (double)wait_ms / 1000);
    }
    if (strcmp(got->str, want) != 0)
        fail_msg("%s: waits '%s', want '%s'", name, got->str, want);
}

void watch_expect_updates(const char *name, const GhFixture *fixture, const char *want)
{
    g_autoptr(GString) got = g_string_new(NULL);
    for (unsigned i = 0; i < fixture->updates->len; i++) {
        const char *text = watch_update_text(fixture, i);
        const char *poll = strstr(text, "\nPoll: ");
        assert_non_null(poll);
        poll += strlen("\nPoll: ");
        g_string_append_printf(got, "%s%.*s%s", i > 0 ? " " : "", (int)strspn(poll, "0123456789"),
                               poll, strstr(text, "\nNote: ") != NULL ? "n" : "");
    }
    if (strcmp(got->str, want) != 0)
        fail_msg("%s: updates '%s', want '%s'", name, got->str, want);
}

void watch_expect_same(const char *name, const char *got, const char *want)
{
    if (strcmp(got, want) != 0)
        fail_msg("%s: got\n%s\nwant\n%s", name, got, want);
}

void watch_expect_calls_of(const char *name, const GhFixture *fixture, const char *prefix,
                           unsigned want)
{
    unsigned count = 0;
    for (unsigned i = 0; i < gh_fixture_call_count(fixture); i++) {
        g_autofree char *argv = gh_fixture_argv(fixture, i);
        g_strdelimit(argv, "|", ' ');
        count += str_has_prefix(argv, prefix) ? 1 : 0;
    }
    if (count != want)
        fail_msg("%s: %u calls of %s, want %u", name, count, prefix, want);
}

const char *watch_source_url(const ToolResult *result)
{
    return json_get_text(json_get_path(result->details, "meta.source"), "value");
}
