/*
 * Scaffolding for tests of what applies items: task x of repository o/r, issue 42, a run directory,
 * and a RestFixture as GitHub. What was asked of it is one text, a line for each request.
 */
#pragma once

#include "rest_fixture.h"

#include "wm/apply/apply.h"

typedef struct ApplyFixture {
    RestFixture *rest;
    char *run_dir; // temporary
    char *output_path;
    WmConfig config;
    WmProject project;
    WmTask task;
    WmEvent event;
    WmPolicy *policy;
    WmApi *api;
    WmApply apply;
    json_t *outputs, *plan; // of the last apply_fixture_run()
} ApplyFixture;

static inline json_t *apply_json(const char *text)
{
    json_t *value = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(text, &value, &error))
        fail_msg("%s in %s", error->message, text);
    return value;
}

static inline WmApi *apply_open_api(RestFixture *rest)
{
    static const WmRepo repo = { .owner = (char *)"o", .name = (char *)"r", .slug = (char *)"o/r" };
    const RestOptions options = { .max_wait_s = 0, .sleep = rest_fixture_sleep, .user_data = rest };
    WmApi *api = NULL;
    assert_true(wm_api_open(&repo, &options, NULL, &api, NULL));
    return api;
}

/* `safe_outputs` is JSON text. `answers` live as long as the fixture. */
static inline ApplyFixture *apply_fixture_new(const char *safe_outputs, const CannedAnswer *answers,
                                              size_t count)
{
    ApplyFixture *self = g_new0(ApplyFixture, 1);
    g_autoptr(json_t) keys = apply_json(safe_outputs);
    self->rest = rest_fixture_new(answers, count);
    self->run_dir = g_dir_make_tmp("kedge-apply-XXXXXX", NULL);
    self->output_path = g_build_filename(self->run_dir, "output.jsonl", NULL);
    self->config.pr_reviewers = json_array();
    self->project.config = &self->config;
    self->task.name = (char *)"x";
    self->event.name = (char *)"issues";
    self->event.payload = json_object();
    self->policy = wm_policy_new(keys, NULL);
    self->api = apply_open_api(self->rest);
    self->apply = (WmApply) {
        .project = &self->project,
        .task = &self->task,
        .policy = self->policy,
        .event = &self->event,
        .numbers = { .issue = 42 },
        .api = self->api,
        .repo = "o/r",
        .root = self->run_dir,
        .run_dir = self->run_dir,
        .output_path = self->output_path,
        .actor = "run",
    };
    return self;
}

static inline void apply_fixture_free(ApplyFixture *self)
{
    wm_api_free(self->api);
    wm_policy_free(self->policy);
    json_decref(self->config.pr_reviewers);
    json_decref(self->event.payload);
    json_decref(self->outputs);
    json_decref(self->plan);
    assert_true(file_remove_tree(self->run_dir, NULL));
    g_free(self->run_dir);
    g_free(self->output_path);
    rest_fixture_free(self->rest);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ApplyFixture, apply_fixture_free)

/* NULL items: there is no file. */
static inline bool apply_fixture_run(ApplyFixture *self, const char *items, GError **error)
{
    if (items)
        assert_true(g_file_set_contents(self->output_path, items, -1, NULL));
    json_decref(self->outputs);
    json_decref(self->plan);
    self->outputs = json_array();
    self->plan = json_array();
    return wm_apply(&self->apply, NULL, self->outputs, self->plan, error);
}

/* `POST /repos/o/r/issues {"title":"T"}`, a line each. Caller frees. */
static inline char *apply_fixture_calls(const ApplyFixture *self)
{
    g_autofree char *log = rest_fixture_log(self->rest);
    g_auto(GStrv) lines = g_strsplit(log, "\n", -1);
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; lines[i] && *lines[i] != '\0'; i++) {
        g_autofree char *body = rest_fixture_body(self->rest, i + 1);
        g_string_append_printf(text, "%s%s%s\n", lines[i], *body != '\0' ? " " : "", body);
    }
    return g_string_free(text, false);
}

/* "applied 42 http://…|failed: reason|…", of the outputs. Caller frees. */
static inline char *apply_fixture_outputs(const ApplyFixture *self)
{
    GString *text = g_string_new(NULL);
    for (size_t i = 0; i < json_array_size(self->outputs); i++) {
        const json_t *output = json_array_get(self->outputs, i);
        const char *url = json_get_text(output, "url"), *reason = json_get_text(output, "reason");
        int64_t number = json_get_int(output, "number", 0);
        g_string_append_printf(text, "%s%s %s", i > 0 ? "|" : "", json_get_text(output, "kind"),
                               json_get_text(output, "status"));
        if (number > 0)
            g_string_append_printf(text, " #%" G_GINT64_FORMAT, number);
        if (url)
            g_string_append_printf(text, " %s", url);
        if (reason)
            g_string_append_printf(text, ": %s", reason);
    }
    return g_string_free(text, false);
}

typedef struct ApplyCase {
    const char *name, *policy, *items;
    CannedAnswer answers[5];
    const char *calls, *outputs;
    const char *error; // NULL: it succeeds
    const char *last_response;
} ApplyCase;

static inline void apply_check(const ApplyCase *wanted)
{
    size_t count = 0;
    while (count < G_N_ELEMENTS(wanted->answers) && wanted->answers[count].request)
        count++;
    g_autoptr(ApplyFixture) fixture = apply_fixture_new(wanted->policy, wanted->answers, count);
    fixture->apply.last_response = wanted->last_response;
    g_autoptr(GError) error = NULL;
    bool is_done = apply_fixture_run(fixture, wanted->items, &error);
    g_autofree char *calls = apply_fixture_calls(fixture);
    g_autofree char *outputs = apply_fixture_outputs(fixture);
    if (is_done != (wanted->error == NULL) || (error && strcmp(error->message, wanted->error) != 0))
        fail_msg("%s: '%s'", wanted->name, error ? error->message : "it succeeds");
    if (strcmp(calls, wanted->calls) != 0)
        fail_msg("%s:\n%swant\n%s", wanted->name, calls, wanted->calls);
    if (wanted->outputs && strcmp(outputs, wanted->outputs) != 0)
        fail_msg("%s: '%s', want '%s'", wanted->name, outputs, wanted->outputs);
}

/* All cases of a table. */
#define APPLY_CASES(cases)                                                                         \
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)                                               \
    apply_check(&(cases)[i])
