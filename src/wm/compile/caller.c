/*
 * The caller workflow (caller.h): a template whose @places@ are filled once; what is put in is not
 * looked at again.
 */
#include "wm/compile/caller.h"

#include "base/yaml_write.h"
#include "wm/compile/caller_values.h"
#include "wm/compile/templates.h"
#include "wm/compile/union_triggers.h"
#include "wm/engine/judge.h"
#include "wm/task/policy.h"

#include <string.h>

#define STEP_INDENT           6
#define MAX_ENVIRONMENT_BYTES 255
// a workspace is packed after a failure too, where a run has left something to report
#define PACK_CONDITION                                                                             \
    "        if: ${{ success() || (failure() && hashFiles('.wm/runs/*/meta.json') != '') }}\n"

typedef struct Caller {
    const WmProject *project;
    GPtrArray *warnings;
    GHashTable *places; // name → text
    char *repository, *ref, *version, *runs_on;
    json_t *secrets;
    bool is_inline, installs_claude, reports_failures;
    bool asks_judge;   // the outputs job of some task asks a model
    char *environment; // an expression for the task of a job; NULL: none
} Caller;

static void caller_clear(Caller *self)
{
    g_clear_pointer(&self->places, g_hash_table_unref);
    g_free(self->repository);
    g_free(self->ref);
    g_free(self->version);
    g_free(self->runs_on);
    json_decref(self->secrets);
    g_free(self->environment);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Caller, caller_clear)

static void caller_put(Caller *self, const char *place, const char *text)
{
    g_hash_table_insert(self->places, (char *)place, g_strdup(text));
}

static void put_taken(Caller *self, const char *place, GString *text)
{
    g_hash_table_insert(self->places, (char *)place, g_string_free(text, FALSE));
}

/* A place that is a line of its own is replaced by whole lines, or by none. */
static void caller_fill(const Caller *self, const char *template_text, GString *out)
{
    for (const char *at = template_text; *at;) {
        size_t size = *at == '@' ? strspn(at + 1, G_CSET_a_2_z "_") : 0;
        if (size == 0 || at[size + 1] != '@') {
            g_string_append_c(out, *at++);
            continue;
        }
        g_autofree char *name = g_strndup(at + 1, size);
        const char *text = g_hash_table_lookup(self->places, name);
        g_assert(text);
        bool is_line = (at == template_text || at[-1] == '\n') && at[size + 2] == '\n';
        g_string_append(out, text);
        at += size + 2 + is_line;
    }
}

static char *caller_quoted(const char *text)
{
    GString *out = g_string_new(NULL);
    yaml_write_quoted(text, out);
    return g_string_free(out, FALSE);
}

// ---- what the tasks ask of the jobs ----

static bool installs_claude(const WmProject *project)
{
    if (project->config->installs_claude != WM_UNSET)
        return project->config->installs_claude == WM_YES;
    if (project->tasks->len == 0)
        return g_ascii_strcasecmp(project->config->engine, "claude") == 0;
    for (unsigned i = 0; i < project->tasks->len; i++) {
        g_autofree char *engine =
            wm_task_engine(g_ptr_array_index(project->tasks, i), project->config);
        if (strcmp(engine, "claude") == 0)
            return true;
    }
    return false;
}

static void read_policy(Caller *self, const WmTask *task)
{
    g_autoptr(WmPolicy) policy = wm_policy_new(wm_task_safe_outputs(task), NULL);
    self->reports_failures = self->reports_failures || policy->run_failure != NULL;
    self->asks_judge = self->asks_judge || wm_judge_is_wanted(policy->threats);
}

/* An environment that waits for a person: what cannot be one must not be left out. */
static bool read_environment(const WmTask *task, const char **ret_name, GError **error)
{
    const json_t *given = json_object_get(json_object_get(task->on, "gates"), "manual-approval");
    const char *name = json_string_value(given);
    if (given && !json_is_null(given) &&
        (!name || *name == '\0' || strlen(name) > MAX_ENVIRONMENT_BYTES || strstr(name, "${{")))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "%s: on.manual-approval must be the name of an environment", task->path);
    *ret_name = name;
    return true;
}

static bool read_tasks(Caller *self, GError **error)
{
    g_autoptr(json_t) environments = json_object();
    for (unsigned i = 0; i < self->project->tasks->len; i++) {
        const WmTask *task = g_ptr_array_index(self->project->tasks, i);
        const char *environment = NULL;
        if (!read_environment(task, &environment, error))
            return false;
        json_set_text(environments, task->name, environment);
        read_policy(self, task);
    }
    self->installs_claude = installs_claude(self->project);
    if (json_object_size(environments) > 0) {
        g_autofree char *json = json_to_text(environments);
        g_autofree char *text = wm_expression_text(json);
        g_autofree char *expression =
            g_strdup_printf("${{ fromJSON(%s)[matrix.task] || '' }}", text);
        self->environment = caller_quoted(expression);
    }
    return true;
}

// ---- the places ----

static char *caller_triggers(const Caller *self)
{
    g_autoptr(json_t) all = wm_union(self->project->tasks, self->warnings);
    GString *out = g_string_new(NULL);
    const char *key = NULL;
    json_t *value = NULL;
    json_object_foreach (all, key, value) {
        g_string_append_printf(out, "  %s:\n", key);
        const char *option = NULL;
        json_t *names = NULL;
        json_object_foreach (value, option, names) {
            g_string_append_printf(out, "    %s: ", option);
            yaml_write_inline(names, out);
            g_string_append_c(out, '\n');
        }
        size_t index = 0;
        json_t *cron = NULL;
        json_array_foreach (value, index, cron)
            g_string_append_printf(out, "    - cron: \"%s\"\n", json_string_value(cron));
    }
    return g_string_free(out, FALSE);
}

static char *secret_lines(const Caller *self, const char *indent)
{
    GString *out = g_string_new(NULL);
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach (self->secrets, index, item) {
        const char *name = json_string_value(item);
        g_string_append_printf(out, "%s%s: ${{ secrets.%s }}\n", indent, name, name);
    }
    return g_string_free(out, FALSE);
}

static void append_install(const Caller *self, bool is_titled, GString *out)
{
    const WmConfig *config = self->project->config;
    const char *mode = wm_caller_install(config);
    if (json_array_size(config->install_steps) > 0) {
        if (is_titled)
            g_string_append(out, "      # workflow.install_steps from " WM_CONFIG_PATH "\n");
        yaml_write_items(config->install_steps, STEP_INDENT, out);
        g_string_append_c(out, '\n');
        return;
    }
    if (is_titled)
        g_string_append_printf(out, "      # workflow.install: %s\n", mode);
    g_string_append_printf(out,
                           "      - uses: %s/.github/actions/install-kedge@%s\n"
                           "        with:\n",
                           self->repository, self->ref);
    if (config->install != WM_INSTALL_RELEASE)
        g_string_append_printf(out, "          mode: %s\n", mode);
    if (config->install != WM_INSTALL_NONE)
        g_string_append_printf(out, "          version: \"%s\"\n", self->version);
    g_string_append_c(out, '\n');
}

static GString *agent_steps(const Caller *self)
{
    GString *out = g_string_new(NULL);
    if (json_array_size(self->project->config->pre_steps) > 0) {
        g_string_append(out, "      # workflow.pre_steps from " WM_CONFIG_PATH "\n");
        yaml_write_items(self->project->config->pre_steps, STEP_INDENT, out);
        g_string_append_c(out, '\n');
    }
    append_install(self, true, out);
    if (self->installs_claude)
        g_string_append(out, "      - name: Install Claude Code\n"
                             "        run: curl -fsSL https://claude.ai/install.sh | bash\n"
                             "        env:\n"
                             "          CI: true\n"
                             "\n"
                             "      - name: Put Claude Code on PATH\n"
                             "        run: echo \"$HOME/.local/bin\" >> \"$GITHUB_PATH\"\n"
                             "\n");
    return out;
}

static void put_inline(Caller *self)
{
    g_autofree char *labels = wm_expression_text(self->runs_on);
    g_autofree char *runner = g_strdup_printf("${{ fromJSON(%s) }}", labels);
    g_autofree char *safe_runner = caller_quoted(runner);
    bool is_plain = !strstr(runner, " #") && !strstr(runner, ": ");
    g_autofree char *secrets = secret_lines(self, "          ");
    g_autofree char *environment =
        self->environment ? g_strdup_printf("    environment: %s\n", self->environment) : NULL;
    GString *install = g_string_new(NULL);
    append_install(self, false, install);
    caller_put(self, "runner", is_plain ? runner : safe_runner);
    caller_put(self, "secret_variables", secrets);
    caller_put(self, "judge_variables", self->asks_judge ? secrets : "");
    caller_put(self, "environment", environment ? environment : "");
    caller_put(self, "pack_condition", self->reports_failures ? PACK_CONDITION : "");
    put_taken(self, "install_steps", install);
    put_taken(self, "agent_steps", agent_steps(self));
}

static void put_reusable(Caller *self)
{
    GString *extra = g_string_new(NULL);
    if (self->reports_failures)
        g_string_append(extra, "      report_failures: true\n");
    if (self->asks_judge)
        g_string_append(extra, "      judge_outputs: true\n");
    if (self->environment)
        g_string_append_printf(extra, "      environment: %s\n", self->environment);
    put_taken(self, "extra_inputs", extra);
    g_autofree char *lines = secret_lines(self, "      ");
    g_autofree char *secrets = g_strconcat("    secrets:\n", lines, NULL);
    caller_put(self, "secrets", *lines ? secrets : "");
    caller_put(self, "claude", self->installs_claude ? "true" : "false");
    g_autofree char *workflow =
        g_strdup_printf("%s/.github/workflows/agent-run.yml@%s", self->repository, self->ref);
    caller_put(self, "run_workflow", workflow);
}

static void put_common(Caller *self)
{
    g_autofree char *on = caller_triggers(self);
    g_auto(GStrv) parts = g_strsplit(self->runs_on, "'", -1);
    g_autofree char *labels = g_strjoinv("''", parts);
    g_autofree char *runs_on = g_strdup_printf("'%s'", labels);
    g_autofree char *workflow =
        g_strdup_printf("%s/.github/workflows/agent-resolve.yml@%s", self->repository, self->ref);
    g_autofree char *version = g_strdup_printf("\"%s\"", self->version);
    caller_put(self, "triggers", on);
    caller_put(self, "resolve_workflow", workflow);
    caller_put(self, "runs_on", runs_on);
    caller_put(self, "install", wm_caller_install(self->project->config));
    caller_put(self, "version", version);
}

static bool read_config(Caller *self, GError **error)
{
    const WmConfig *config = self->project->config;
    bool has_known_secrets = false;
    if (!wm_caller_repository(config, self->warnings, &self->repository, &self->ref, error) ||
        !wm_caller_runs_on(config, &self->runs_on, error) ||
        !wm_caller_version(config, self->warnings, &self->version, error) ||
        !wm_caller_secrets(config, &self->secrets, &has_known_secrets, error) ||
        !wm_caller_check_steps(config->pre_steps, "pre_steps", error) ||
        !wm_caller_check_steps(config->install_steps, "install_steps", error))
        return false;
    self->is_inline = json_array_size(config->pre_steps) > 0 ||
                      json_array_size(config->install_steps) > 0 || !has_known_secrets;
    return true;
}

bool wm_caller_render(const WmProject *project, GPtrArray *warnings, char **ret_text,
                      GError **error)
{
    g_auto(Caller) self = {
        .project = project,
        .warnings = warnings,
        .places = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free),
    };
    if (!read_config(&self, error) || !read_tasks(&self, error))
        return false;
    put_common(&self);
    if (self.is_inline)
        put_inline(&self);
    else
        put_reusable(&self);
    GString *jobs = g_string_new(NULL);
    caller_fill(&self, self.is_inline ? caller_inline_yml : caller_run_yml, jobs);
    put_taken(&self, "jobs", jobs);
    GString *text = g_string_new(NULL);
    caller_fill(&self, caller_yml, text);
    *ret_text = g_string_free(text, FALSE);
    return true;
}
