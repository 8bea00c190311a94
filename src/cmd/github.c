/*
 * `kedge github OP --flags`: the github tool in a terminal. The flags are the tool's fields.
 */
#include "base/str.h"
#include "cmd/commands.h"
#include "cmd/direct.h"
#include "tool/registry.h"

static const char usage_line[] = "kedge: usage: kedge github OP [--flags]; "
                                 "`kedge github --help` lists both\n";

typedef struct GithubOptions {
    bool is_yes, is_json;
    const char *cwd;
} GithubOptions;

static const FieldDef github_options[] = {
    { "yes", FIELD_BOOLEAN, offsetof(GithubOptions, is_yes),
      .help = "Allow an operation that writes without asking" },
    { "json", FIELD_BOOLEAN, offsetof(GithubOptions, is_json),
      .help = "Print the whole result, details included, as JSON" },
    { "cwd", FIELD_STRING, offsetof(GithubOptions, cwd), .value_name = "DIR",
      .help = "Run in this directory" },
    { 0 },
};

static size_t field_count(const FieldDef *fields)
{
    size_t count = 0;
    while (fields[count].name)
        count++;
    return count;
}

/* The tool's fields but `op`, which is a word here, then our own. Only used to read flags: offsets
   mean nothing. Caller frees. */
static FieldDef *all_flags(const ToolDef *tool)
{
    size_t count = field_count(tool->fields), own = field_count(github_options);
    FieldDef *flags = g_new0(FieldDef, count + own + 1);
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(tool->fields[i].name, "op") != 0)
            flags[used++] = tool->fields[i];
    for (size_t i = 0; i < own; i++)
        flags[used++] = github_options[i];
    return flags;
}

static const char *take_text(json_t *object, const char *key, GPtrArray *kept)
{
    const char *value = json_get_text(object, key);
    char *copy = value ? g_strdup(value) : NULL;
    if (copy)
        g_ptr_array_add(kept, copy);
    json_object_del(object, key);
    return copy;
}

static bool take_flag(json_t *object, const char *key)
{
    bool value = json_get_bool(object, key, false);
    json_object_del(object, key);
    return value;
}

/* The decoder would refuse it too, but in words for a model. */
static bool check_op(const ToolDef *tool, const char *name)
{
    const FieldDef *field = tool->fields;
    while (field->name && strcmp(field->name, "op") != 0)
        field++;
    if (!field->name || g_strv_contains(field->values, name))
        return true;
    const char *nearest = str_nearest(name, field->values);
    fprintf(stderr, "kedge: unknown operation \"%s\"%s%s%s; `kedge github --help` lists them\n",
            name, nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
    return false;
}

static int github_run(const CommandEnv *env, int argc, char *const *argv)
{
    const ToolDef *tool = tool_registry_find(env->tools, "github");
    g_autofree FieldDef *flags = all_flags(tool);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GError) error = NULL;
    if (!field_from_argv(flags, argc, argv, &arguments, words, NULL, &error))
        return cmd_fail(error);
    if (words->len != 1) {
        fputs(usage_line, stderr);
        return EXIT_USAGE;
    }
    if (!check_op(tool, words->pdata[0]))
        return EXIT_USAGE;
    json_set_text(arguments, "op", words->pdata[0]);

    g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_free);
    const DirectCall call = {
        .tool = tool,
        .is_yes = take_flag(arguments, "yes"),
        .is_json = take_flag(arguments, "json"),
        .cwd = take_text(arguments, "cwd", kept),
        .arguments = arguments,
    };
    return direct_run(&call);
}

const Command command_github = {
    .name = "github",
    .summary = "Repository facts, search, pull requests and CI runs on GitHub",
    .usage = "OP [--flags]",
    .options = github_options,
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
            "Exit codes: 0 done, 1 failed, 2 bad arguments, 77 refused or declined.",
    .run = github_run,
};
