/*
 * A whole run in this process: its time, a stop, a rehearsal; and what is read and shown of files
 * that an agent may have written.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/path.h"
#include "base/secret_names.h"
#include "wm/apply/outputs_summary.h"
#include "wm/run/outcome.h"
#include "wm/run/run.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Place {
    char *root;
    WmEvent event;
} Place;

static void write_text(const Place *place, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(place->root, name, NULL);
    g_autofree char *dir = g_path_get_dirname(path);
    assert_int_equal(g_mkdir_with_parents(dir, 0755), 0);
    assert_true(g_file_set_contents(path, text, -1, NULL));
}

/* An agent of the shell; WM_AGENT_CMD names it. */
static void set_agent(const Place *place, const char *script)
{
    g_autofree char *path = g_build_filename(place->root, "agent", NULL);
    g_autofree char *text = g_strconcat("#!/bin/sh\n", script, "\n", NULL);
    write_text(place, "agent", text);
    assert_int_equal(chmod(path, 0755), 0);
    g_setenv("WM_AGENT_CMD", path, TRUE);
}

static int set_up(void **state)
{
    g_autofree char *made = g_dir_make_tmp("kedge-run-XXXXXX", NULL);
    Place *self = g_new0(Place, 1);
    self->root = path_real(made);
    self->event.name = g_strdup("issues");
    self->event.payload = json_pack("{s:{s:i}}", "issue", "number", 12);
    static const char *const unset[] = { "WM_RUN_DIR",         "WM_CHECKPOINT", "GITHUB_ACTIONS",
                                         "GITHUB_REPOSITORY",  "GH_TOKEN",      "GITHUB_TOKEN",
                                         "GITHUB_STEP_SUMMARY" };
    for (size_t i = 0; i < G_N_ELEMENTS(unset); i++)
        g_unsetenv(unset[i]);
    write_text(self, ".wm/tasks/x.md", "---\ndescription: x\n---\nDo it.\n");
    write_text(self, ".wm/tasks/speaks.md",
               "---\nsafe-outputs: {add-comment: {max: 2}}\n---\nDo it.\n");
    *state = self;
    return 0;
}

static int tear_down(void **state)
{
    Place *self = *state;
    file_remove_tree(self->root, NULL);
    g_free(self->root);
    g_free(self->event.name);
    json_decref(self->event.payload);
    g_free(self);
    g_unsetenv("WM_AGENT_CMD");
    return 0;
}

static json_t *read_json(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    json_t *value = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_read_file(path, &value, &error))
        fail_msg("%s", error->message);
    return value;
}

static WmRunOptions options_of(const Place *place, const char *task)
{
    return (WmRunOptions) {
        .root = place->root,
        .task_name = task,
        .event = &place->event,
        .allows_dirty = true,
        .grace_ms = 1000,
    };
}

static void test_time_is_over(void **state) // task-R07
{
    const Place *place = *state;
    set_agent(place, "sleep 1000");
    WmRunOptions options = options_of(place, "x");
    options.timeout_ms = 500;
    g_auto(WmRunResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(wm_run(&options, NULL, &result, &error));
    assert_string_equal(error->message, "agent timed out (context deadline exceeded)");
    assert_string_equal(result.phase, "agent");
    assert_false(result.was_interrupted);
    g_autoptr(json_t) written = read_json(result.run_dir, "result.json");
    const json_t *agent = json_get_object(written, "agent_result");
    assert_true(json_get_bool(agent, "timed_out", false));
    assert_int_equal(json_array_size(json_get_array(written, "errors")), 1);
    g_autoptr(json_t) meta = read_json(result.run_dir, "meta.json");
    assert_string_equal(json_get_text(meta, "phase"), "conclusion");
}

static void test_stopped_before_it_began(void **state)
{
    const Place *place = *state;
    set_agent(place, "exit 0");
    const WmRunOptions options = options_of(place, "x");
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    g_auto(WmRunResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(wm_run(&options, cancel, &result, &error));
    assert_string_equal(error->message, "interrupted by signal");
    assert_true(result.was_interrupted);
    assert_false(result.has_agent);
}

static void test_rehearsal_writes_a_plan(void **state)
{
    const Place *place = *state;
    set_agent(place, "printf '%s\\n' '{\"type\":\"add_comment\",\"body\":\"hi\"}' "
                     ">\"$WM_SAFE_OUTPUT_FILE\"");
    WmRunOptions options = options_of(place, "speaks");
    options.is_rehearsal = true;
    g_setenv("GITHUB_REPOSITORY", "o/r", TRUE);
    g_autofree char *summary = g_build_filename(place->root, "summary", NULL);
    g_setenv("GITHUB_STEP_SUMMARY", summary, TRUE);
    g_auto(WmRunResult) result = { 0 };
    g_autoptr(GError) error = NULL;
    if (!wm_run(&options, NULL, &result, &error))
        fail_msg("%s", error->message);
    assert_int_equal(json_array_size(result.plan), 1);
    g_autoptr(json_t) plan = read_json(result.run_dir, "plan.json");
    assert_string_equal(json_get_text(plan, "task"), "speaks");
    assert_true(json_equal(json_get_array(plan, "items"), result.plan));
    assert_false(file_exists(summary));
}

static void forget_keys(void)
{
    g_auto(GStrv) names = g_listenv();
    for (char **name = names; *name; name++)
        if (secret_is_provider_key(*name) || g_str_has_suffix(*name, "_BASE_URL"))
            g_unsetenv(*name);
}

#define FORK_EVENT                                                                                 \
    "{\"pull_request\":{\"number\":7,\"head\":{\"repo\":{\"full_name\":\"you/r\"}},"               \
    "\"base\":{\"repo\":{\"full_name\":\"o/r\"}}}}"

/* What would be refused when the agent's work is done is refused before it begins. */
static void test_refused_before_the_agent(void **state)
{
    const Place *place = *state;
    static const struct {
        const char *front, *event; // NULL: the usual one
        bool is_staged, is_hosted;
        const char *error; // NULL: the agent runs
    } cases[] = {
        { "safe-outputs: {add-comment: }", NULL, false, false, "no GitHub token" },
        { "safe-outputs: {create-pull-request: }", NULL, false, false, "no GitHub token" },
        { "safe-outputs: {add-comment: }", NULL, true, false, NULL },
        { "safe-outputs: {noop: }", NULL, false, false, NULL },
        { "description: x", NULL, false, false, NULL },
        { "safe-outputs: {create-pull-request: {protected-files: no}}", NULL, true, false,
          "safe-outputs.create-pull-request.protected-files: \"no\" is not known" },
        { "safe-outputs: {push-to-pull-request-branch: {allowed-files: 3}}", NULL, true, false,
          "safe-outputs.push-to-pull-request-branch.allowed-files: a list of globs is expected" },
        { "safe-outputs: {add-comment: , threat-detection: {engine: claude}}", NULL, true, false,
          "safe-outputs.threat-detection: engine \"claude\" cannot be kept from using tools" },
        { "engine: kedge", FORK_EVENT, false, true, "pull request #7 comes from a fork: GitHub" },
        { "safe-outputs: {push-to-pull-request-branch: }", FORK_EVENT, true, false,
          "pull request #7 comes from a fork" },
        { "safe-outputs: {push-to-pull-request-branch: , add-comment: }", FORK_EVENT, true, false,
          NULL },
    };
    g_autofree char *home = g_build_filename(place->root, "home", NULL);
    g_autofree char *ran = g_build_filename(place->root, "ran", NULL);
    g_autofree char *path = g_strdup(g_getenv("PATH"));
    forget_keys();
    g_setenv("GH_CONFIG_DIR", home, TRUE);
    g_setenv("GITHUB_REPOSITORY", "o/r", TRUE);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *task = g_strdup_printf("---\n%s\n---\nDo it.\n", cases[i].front);
        write_text(place, ".wm/tasks/x.md", task);
        set_agent(place, "echo >\"$WM_REPO_ROOT/ran\"");
        WmRunOptions options = options_of(place, "x");
        g_autofree char *name = g_strdup(cases[i].event ? "pull_request" : "issues");
        g_autoptr(json_t) payload = NULL;
        json_parse_text(cases[i].event ? cases[i].event : "{}", &payload, NULL);
        const WmEvent event = { .name = name, .payload = payload };
        options.event = &event;
        options.is_staged = cases[i].is_staged;
        if (cases[i].is_hosted) {
            g_unsetenv("WM_AGENT_CMD");
            g_setenv("GITHUB_ACTIONS", "true", TRUE);
            g_setenv("RUNNER_ENVIRONMENT", "github-hosted", TRUE);
        }
        g_setenv("PATH", "/nowhere", TRUE); // no gh, whose login would count
        g_auto(WmRunResult) result = { 0 };
        g_autoptr(GError) error = NULL;
        bool is_done = wm_run(&options, NULL, &result, &error);
        g_setenv("PATH", path, TRUE);
        g_unsetenv("GITHUB_ACTIONS");
        if (is_done != !cases[i].error ||
            (error && !str_has_prefix(error->message, cases[i].error)))
            fail_msg("%s: %s", cases[i].front, error ? error->message : "it runs");
        if (file_exists(ran) != is_done)
            fail_msg("%s: the agent %s", cases[i].front, is_done ? "did not run" : "ran");
        g_unlink(ran);
        if (error)
            assert_string_equal(result.phase, "activation");
    }
}

static void test_earlier_result(void **state)
{
    const Place *place = *state;
    const WmRunDir dir = { .id = (char *)"r", .path = place->root };
    static const struct {
        const char *text;
        bool is_read, has_agent, is_success;
        int exit_code;
    } cases[] = {
        { "", false, false, false, 0 },
        { "[]", false, false, false, 0 },
        { "{}", true, false, false, 0 },
        { "{\"success\":true,\"phase\":3,\"errors\":{},\"agent_result\":[]}", true, false, true,
          0 },
        { "{\"agent_result\":{\"success\":true,\"exit_code\":99999999999}}", true, true, false,
          255 },
        { "{\"duration_ms\":-4,\"errors\":[7],\"agent_result\":{\"exit_code\":\"x\"}}", true, true,
          false, -1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        write_text(place, "result.json", cases[i].text);
        g_auto(WmEarlier) earlier = { 0 };
        g_auto(WmAgentResult) agent = { 0 };
        bool is_read = wm_outcome_read(&dir, &earlier, &agent, NULL);
        if (is_read != cases[i].is_read || earlier.has_agent != cases[i].has_agent ||
            earlier.is_success != cases[i].is_success || agent.exit_code != cases[i].exit_code)
            fail_msg("%s: %d %d %d %d", cases[i].text, is_read, earlier.has_agent,
                     earlier.is_success, agent.exit_code);
        assert_null(earlier.first_error);
        assert_true(earlier.duration_ms == 0);
    }
}

static void test_summaries_are_data(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) outputs =
        json_pack("[{s:s,s:s,s:s}, {s:s,s:s,s:i,s:s}, {s:i}]", "kind", "add_comment", "status",
                  "applied", "url", "https://h/1#c", "kind", "create_issue", "status", "failed",
                  "number", 4, "reason", "a\n# <img src=x> [l](u) `c` @me", "kind", 3);
    g_autofree char *list = wm_outputs_summary("fix", outputs);
    assert_string_equal(list, "\n## kedge wm · outputs of task `fix`\n\n"
                              "- `add_comment`: applied → <https://h/1#c>\n"
                              "- `create_issue`: failed → #4 — a # &lt;img src=x&gt; "
                              "\\[l\\](u) \\`c\\` \\@me\n- `?`: ?\n");
    g_autoptr(json_t) plan = json_pack("[{s:s,s:i,s:{s:s}}]", "kind", "add_comment", "number", 42,
                                       "body", "body", "````\n</details># x");
    g_autofree char *staged = wm_staged_summary("fix", plan);
    assert_true(str_has_prefix(staged, "\n## kedge wm · staged outputs of task `fix`\n\n"
                                       "### add_comment → #42\n\n`````json\n{\n"));
    assert_true(g_str_has_suffix(staged, "\n`````\n\nStaged: 1 item(s). Nothing was written to "
                                         "GitHub.\n"));
}

#define PLACED(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLACED(test_time_is_over),
        PLACED(test_stopped_before_it_began),
        PLACED(test_rehearsal_writes_a_plan),
        PLACED(test_refused_before_the_agent),
        PLACED(test_earlier_result),
        cmocka_unit_test(test_summaries_are_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
