/*
 * `kedge github OP --flags`: the github tool in a terminal. The flags are the tool's fields.
 */
#include "base/log.h"
#include "base/str.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/direct.h"
#include "cmd/cli/outline.h"

static const char usage_line[] = "usage: kedge github OP [--flags]; "
                                 "`kedge github --help` lists both";

/* The decoder would refuse it too, but in words for a model. */
static bool check_op(const ToolDef *tool, const char *name)
{
    const FieldDef *field = tool->fields;
    while (field->name && strcmp(field->name, "op") != 0)
        field++;
    if (!field->name || g_strv_contains(field->values, name))
        return true;
    const char *nearest = str_nearest(name, field->values);
    log_error("unknown operation \"%s\"%s%s%s; `kedge github --help` lists them", name,
              nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    return false;
}

/* For scripts: a watch that ended is no error, but runs that failed are not success. */
static int judge_watch(const ToolResult *result)
{
    static const char *const passed[] = { "success", "neutral", "skipped", "none", NULL };
    const char *conclusion = json_get_text(result->details, "conclusion");
    bool has_failed_jobs = json_array_size(json_get_array(result->details, "failedJobs")) > 0;
    return conclusion && !has_failed_jobs && g_strv_contains(passed, conclusion) ? EXIT_OK
                                                                                 : EXIT_FAILED;
}

static int github_run(const CommandEnv *env, int argc, char *const *argv)
{
    const ToolDef *tool = tool_set_find(env->tools, "github");
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GError) error = NULL;
    const char *const words_for[] = { "op", NULL };
    if (!direct_read_flags(tool, words_for, argc, argv, words, &arguments, &error))
        return cmd_fail(error);
    if (words->len != 1) {
        log_text("%s", usage_line);
        return EXIT_USAGE;
    }
    if (!check_op(tool, words->pdata[0]))
        return EXIT_USAGE;
    json_set_text(arguments, "op", words->pdata[0]);
    bool is_watch = strcmp(words->pdata[0], "run_watch") == 0;
    return direct_run_flags(env, tool, arguments, is_watch ? judge_watch : NULL);
}

static void github_outline(const CommandEnv *env, Outline *self)
{
    static const char *const words[] = { "op", NULL };
    const FieldDef *fields = tool_set_find(env->tools, "github")->fields;
    const FieldDef *op = field_find(fields, "op");
    for (const char *const *each = op->values; *each; each++)
        g_ptr_array_add(self->words, (void *)*each);
    outline_add_fields(self, fields, words);
}

const Command command_github = {
    .name = "github",
    .summary = "Repository facts, search, pull requests and CI runs on GitHub",
    .usage = "OP [--flags]",
    .options = direct_options,
    .help = "Operations and their flags (see `kedge tool schema github` for all of them):\n"
            "  repo_view       [--repo O/R] [--branch B]\n"
            "  search_issues   [--query Q] [--since D] [--until D] [--date-field created|updated]\n"
            "  search_prs      (the same)          search_code     --query Q\n"
            "  search_commits  (without the field) search_repos    (with it)\n"
            "                  all: [--repo O/R] [--limit N]\n"
            "  pr_create       --title T [--body B] | --fill; [--base B] [--head B] [--draft]\n"
            "                  [--reviewer R]… [--assignee A]… [--label L]…\n"
            "  pr_checkout     [--pr N|URL|BRANCH]… [--force]\n"
            "  pr_push         [--branch B] [--force-with-lease]\n"
            "  run_watch       [--run ID|URL] [--branch B] [--tail N]\n"
            "Dates: 3d, 12h, 2w, 2mo, 1y, YYYY-MM-DD, or an ISO datetime.\n"
            "Exit codes: 0 done, 1 failed (run_watch: or a watched run did), 2 bad arguments,\n"
            "77 refused or declined.",
    .outline = github_outline,
    .run = github_run,
};
