/*
 * /ci (slash.h): the Actions runs of the current commit, once or until they have ended, and why
 * what failed did. On a worker, by the tools of the conversation, which only read.
 */
#include "tui/slash/slash_private.h"

#include "base/git.h"

#define SHOWN_COMMIT     10 // characters of its id
#define GIT_TIMEOUT_MS   10000
#define LISTED_RUNS      20
#define LOOKED_INTO_RUNS 3 // in one look: each is a call to GitHub

#define WATCH_MS         3000
#define WATCH_SLOW_MS    15000 // later: each look counts into the quota
#define WATCH_SLOW_AFTER 20    // looks
#define WATCH_FAILURES   5     // in a row
#define WATCH_NONE       10    // looks until there is a run: a push may be a moment ago

/* Of runs, jobs and steps, in the order in which they are shown. */
typedef enum { CI_FAILED, CI_RUNNING, CI_WAITING, CI_PASSED, CI_SKIPPED, CI_STATES } CiState;

static const char *const state_names[] = { "failed", "running", "waiting", "passed", "skipped" };

typedef struct Ci {
    Aside *aside;
    char *commit;
    json_t *runs; // of the last look
    json_t *jobs; // "RUN" to its jobs, as gh has them; "RUN!": they will not change any more
} Ci;

static void ci_clear(Ci *self)
{
    g_free(self->commit);
    json_decref(self->runs);
    json_decref(self->jobs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Ci, ci_clear)

static bool find_commit(Ci *self, GError **error)
{
    const GitSpec spec = {
        .dir = aside_cwd(self->aside),
        .args = (const char *const[]) { "rev-parse", "--verify", "--quiet", "HEAD^{commit}", NULL },
        .timeout_ms = GIT_TIMEOUT_MS,
    };
    g_auto(GitResult) result = { 0 };
    if (!git_start(&spec, aside_cancel(self->aside), &result, error))
        return false;
    if (result.exit_status != 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "%s is no git repository with a commit, so there are no runs of it",
                         spec.dir);
    self->commit = g_strdup(result.output);
    return true;
}

// ---- what GitHub says ----

static bool ci_look(Ci *self, GError **error)
{
    json_t *arguments =
        json_pack("{s:s, s:s, s:i}", "commit", self->commit, "fields",
                  "databaseId,workflowName,event,status,conclusion", "limit", LISTED_RUNS);
    json_t *runs = slash_call_gh(self->aside, "gh_run_list", arguments, JSON_ARRAY, error);
    if (!runs)
        return false;
    json_decref(self->runs);
    self->runs = runs;
    return true;
}

static CiState state_of(const json_t *it)
{
    static const char *const bad[] = { "failure", "timed_out", "startup_failure", NULL };
    const char *status = json_get_text(it, "status"), *conclusion = json_get_text(it, "conclusion");
    if (conclusion && *conclusion)
        return g_strv_contains(bad, conclusion)     ? CI_FAILED
               : g_str_equal(conclusion, "success") ? CI_PASSED
                                                    : CI_SKIPPED;
    return g_strcmp0(status, "in_progress") == 0 ? CI_RUNNING : CI_WAITING;
}

/* What GitHub calls it; borrowed. */
static const char *word_of(const json_t *it)
{
    const char *status = json_get_text(it, "status"), *conclusion = json_get_text(it, "conclusion");
    return conclusion && *conclusion ? conclusion : status ? status : "unknown";
}

static const char *text_or(const json_t *it, const char *key, const char *other)
{
    const char *text = json_get_text(it, key);
    return text && *text ? text : other;
}

static char *run_key(const json_t *run, const char *mark)
{
    return g_strdup_printf("%lld%s", (long long)json_get_int(run, "databaseId", 0), mark);
}

/* Borrowed; NULL: not known. */
static const json_t *jobs_of(const Ci *self, const json_t *run)
{
    g_autofree char *key = run_key(run, "");
    return json_get_array(self->jobs, key);
}

/* Of runs that go on, and once of those that failed. What cannot be had is done without. */
static void look_into_runs(Ci *self)
{
    size_t looked = 0;
    json_each (self->runs, i, run) {
        CiState state = state_of(run);
        g_autofree char *key = run_key(run, ""), *is_final = run_key(run, "!");
        if ((state != CI_FAILED && state != CI_RUNNING) || looked >= LOOKED_INTO_RUNS ||
            json_get_bool(self->jobs, is_final, false) ||
            cancel_has_fired(aside_cancel(self->aside)))
            continue;
        looked++;
        json_t *arguments = json_pack("{s:s, s:s}", "run_id", key, "fields", "jobs");
        g_autoptr(json_t) found =
            slash_call_gh(self->aside, "gh_run_view", arguments, JSON_OBJECT, NULL);
        json_t *jobs = json_get_array(found, "jobs");
        if (!jobs)
            continue;
        json_set_take(self->jobs, key, json_incref(jobs));
        json_set_bool(self->jobs, is_final, state == CI_FAILED);
    }
}

/* "make test (4/7)": where a job is, or has failed. Caller frees. */
static char *step_of(const json_t *job)
{
    const json_t *steps = json_get_array(job, "steps");
    CiState wanted = state_of(job);
    json_each (steps, i, step)
        if (state_of(step) == wanted)
            return g_strdup_printf("%s (%zu/%zu)", text_or(step, "name", "?"), i + 1,
                                   json_array_size(steps));
    return g_strdup(word_of(job));
}

/* "ci (push)"; caller frees. */
static char *run_name(const json_t *run)
{
    return g_strdup_printf("%s (%s)", text_or(run, "workflowName", "?"),
                           text_or(run, "event", "?"));
}

// ---- while they go on ----

static void add_row(json_t *rows, CiState state, const char *text, const char *detail)
{
    json_append_take(rows,
                     json_make("state:%s text:%s detail:%s", state_names[state], text, detail));
}

/* Those that are at work or have failed. Their number. */
static size_t add_jobs(const Ci *self, const json_t *run, CiState wanted, json_t *rows)
{
    size_t count = 0;
    json_each (jobs_of(self, run), i, job) {
        CiState state = state_of(job);
        if (state != CI_FAILED && state != CI_RUNNING)
            continue;
        count++;
        g_autofree char *text =
            g_strdup_printf("%s: %s", text_or(run, "workflowName", "?"), text_or(job, "name", "?"));
        g_autofree char *step = step_of(job);
        if (state == wanted)
            add_row(rows, state, text, step);
    }
    return count;
}

/* A run, or what is worth knowing of its jobs. New reference. */
static json_t *block_of(const Ci *self)
{
    json_t *rows = json_array();
    for (CiState state = 0; state < CI_STATES; state++) {
        json_each (self->runs, i, run) {
            g_autofree char *name = run_name(run);
            if (add_jobs(self, run, state, rows) == 0 && state_of(run) == state)
                add_row(rows, state, name, word_of(run));
        }
    }
    g_autofree char *title = g_strdup_printf("CI of %.*s", SHOWN_COMMIT, self->commit);
    return json_make("title:%s rows:%p", title, rows);
}

/* "CI 1/3, lint failed: test in_progress"; NULL: all of them have ended. Caller frees. */
static char *progress_of(const Ci *self)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const json_t *failed = NULL, *going = NULL;
    size_t i = 0, done = 0;
    json_t *run = NULL;
    json_array_foreach (self->runs, i, run) {
        failed = !failed && state_of(run) == CI_FAILED ? run : failed;
        if (g_strcmp0(json_get_text(run, "status"), "completed") == 0)
            done++;
        else if (!going)
            going = run;
    }
    if (i > 0 && !going)
        return NULL;
    g_string_append_printf(text, "CI %zu/%zu", done, json_array_size(self->runs));
    if (failed)
        g_string_append_printf(text, ", %s failed", text_or(failed, "workflowName", "one"));
    if (going)
        g_string_append_printf(text, ": %s %s", text_or(going, "workflowName", "?"),
                               text_or(going, "status", "unknown"));
    return g_string_free(g_steal_pointer(&text), false);
}

// ---- what they came to ----

static void append_runs(const Ci *self, GString *text)
{
    size_t i = 0;
    json_t *run = NULL;
    g_string_append_printf(text, "Runs of commit %.*s:", SHOWN_COMMIT, self->commit);
    json_array_foreach (self->runs, i, run) {
        g_autofree char *name = run_name(run), *id = run_key(run, "");
        g_string_append_printf(text, "\n%s: %s, run://%s", name, word_of(run), id);
    }
    if (i == 0)
        g_string_append(text, " none. It may not be pushed, or nothing runs for it.");
}

static void add_item(json_t *items, const char *text, const json_t *run, const json_t *job)
{
    g_autofree char *name = run_name(run), *id = run_key(run, "");
    g_autofree char *detail = g_strdup_printf("%s · %s", name, word_of(job ? job : run));
    g_autofree char *meant =
        job ? g_strdup_printf("/ci %s/job/%lld", id, (long long)json_get_int(job, "databaseId", 0))
            : g_strconcat("/ci ", id, NULL);
    json_append_take(items, json_make("text:%s detail:%s meant:%s", text, detail, meant));
}

/* Failed steps, for SlashDoor.choose; runs whose jobs are not known. New reference. */
static json_t *failed_items(const Ci *self)
{
    json_t *items = json_array();
    json_each (self->runs, i, run) {
        size_t before = json_array_size(items);
        if (state_of(run) != CI_FAILED)
            continue;
        json_each (jobs_of(self, run), k, job) {
            g_autofree char *step = step_of(job);
            g_autofree char *text = g_strdup_printf("%s: %s", text_or(job, "name", "?"), step);
            if (state_of(job) == CI_FAILED && json_get_int(job, "databaseId", 0) > 0)
                add_item(items, text, run, job);
        }
        if (json_array_size(items) == before)
            add_item(items, text_or(run, "workflowName", "?"), run, NULL);
    }
    return items;
}

/* What is to be chosen from, and for a door that cannot show it why the first run failed. */
static bool ci_report(Ci *self, json_t **ret_data, GError **error)
{
    look_into_runs(self);
    g_autoptr(json_t) items = failed_items(self);
    g_autoptr(GString) text = g_string_new(NULL);
    append_runs(self, text);
    if (json_array_size(items) == 0) {
        *ret_data = slash_shown(g_strdup(text->str));
        return true;
    }
    g_autofree char *why = NULL, *above = g_strdup(text->str);
    size_t first = 0;
    while (state_of(json_array_get(self->runs, first)) != CI_FAILED)
        first++;
    g_autofree char *id = run_key(json_array_get(self->runs, first), "");
    if (!slash_read_url(self->aside, g_strconcat("run://", id, NULL), &why, error))
        return false;
    g_string_append_printf(text, "\n\n%s", g_strchomp(why));
    *ret_data = slash_shown(g_strdup(text->str));
    json_set_take(
        *ret_data, "choose",
        json_make("title:%s above:%s items:%p", "Failed steps", above, json_incref(items)));
    return true;
}

// ---- the command ----

static bool look_at_ci(Aside *aside, const char *argument G_GNUC_UNUSED, json_t **ret_data,
                       GError **error)
{
    g_auto(Ci) ci = { .aside = aside, .jobs = json_object() };
    return find_commit(&ci, error) && ci_look(&ci, error) && ci_report(&ci, ret_data, error);
}

/* One look in a row that fails is nothing yet. */
static bool look_again(Ci *self, int *failures, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (ci_look(self, &problem)) {
        *failures = 0;
        return true;
    }
    if (++*failures < WATCH_FAILURES && !cancel_has_fired(aside_cancel(self->aside)))
        return true;
    return pass_error(error, &problem);
}

/* Until all runs of the commit have ended. */
static bool watch_ci(Aside *aside, const char *argument G_GNUC_UNUSED, json_t **ret_data,
                     GError **error)
{
    g_auto(Ci) ci = { .aside = aside, .jobs = json_object() };
    g_autoptr(json_t) told = NULL;
    int failures = 0;
    if (!find_commit(&ci, error))
        return false;
    for (int count = 1;; count++) {
        if (!look_again(&ci, &failures, error))
            return false;
        g_autofree char *progress = progress_of(&ci);
        bool has_none = json_array_size(ci.runs) == 0;
        if (failures == 0 && (!progress || (has_none && count > WATCH_NONE)))
            return ci_report(&ci, ret_data, error);
        if (failures == 0)
            look_into_runs(&ci);
        g_autoptr(json_t) block = block_of(&ci);
        if (progress && !json_equal(block, told))
            aside_tell(aside, progress, block);
        json_decref(told);
        told = g_steal_pointer(&block);
        gint64 wait_ms = count < WATCH_SLOW_AFTER ? WATCH_MS : WATCH_SLOW_MS;
        if (!cancel_sleep(aside_cancel(aside), wait_ms, error))
            return false;
    }
}

/* A run, "5", or one of its jobs, "5/job/62". */
static bool aside_explain(Aside *aside, const char *argument, json_t **ret_data, GError **error)
{
    g_autofree char *why = NULL;
    if (!slash_read_url(aside, g_strconcat("run://", argument, NULL), &why, error))
        return false;
    *ret_data = slash_shown(
        g_strdup_printf("%s\n\nFor the model it is run://%s.", g_strchomp(why), argument));
    return true;
}

SLASH(ci)
{
    bool is_watch = g_str_equal(argument, "watch"), is_run = g_ascii_isdigit(*argument);
    if (*argument && !is_watch && !is_run)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/ci takes nothing, watch or the number of a run, not \"%s\"", argument);
    return agent_session_aside(door->session,
                               is_run     ? aside_explain
                               : is_watch ? watch_ci
                                          : look_at_ci,
                               is_run ? argument : NULL, SLASH_ID "ci", error);
}
