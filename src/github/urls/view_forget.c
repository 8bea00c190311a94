/*
 * Reading which issues and pull requests a command changes, and forgetting them before it runs and
 * when it has: what is read meanwhile may be of either time.
 */
#include "github/urls/view_forget.h"

#include "base/str.h"
#include "github/github.h"
#include "github/repo_ref.h"
#include "github/safe/gh_shell.h"
#include "github/text.h"
#include "github/view_cache.h"

static const char *const changes_issue[] = { "close",   "reopen",   "delete",  "edit",
                                             "comment", "lock",     "unlock",  "pin",
                                             "unpin",   "transfer", "develop", NULL };
static const char *const changes_pr[] = { "close",   "reopen", "merge", "ready",  "edit",
                                          "comment", "review", "lock",  "unlock", NULL };
static const char *const takes_value[] = { "-R",
                                           "--repo",
                                           "-m",
                                           "--milestone",
                                           "-t",
                                           "--title",
                                           "-b",
                                           "--body",
                                           "-F",
                                           "--body-file",
                                           "-a",
                                           "--assignee",
                                           "--add-assignee",
                                           "--remove-assignee",
                                           "-l",
                                           "--label",
                                           "--add-label",
                                           "--remove-label",
                                           "-p",
                                           "--project",
                                           "--add-project",
                                           "--remove-project",
                                           "--add-reviewer",
                                           "--remove-reviewer",
                                           "-B",
                                           "--base",
                                           "-c",
                                           "--comment",
                                           "-r",
                                           "--reason",
                                           "--branch",
                                           "--subject",
                                           "--match-head-commit",
                                           "--author-email",
                                           NULL };

static void item_clear(void *item)
{
    g_free(((ForgottenItem *)item)->repo);
}

static GArray *items_new(void)
{
    GArray *items = g_array_new(false, true, sizeof(ForgottenItem));
    g_array_set_clear_func(items, item_clear);
    return items;
}

static void add_item(GArray *items, const char *repo, int64_t number, const Settings *settings)
{
    const ForgottenItem item = {
        .repo = repo ? view_cache_repo(repo, settings) : NULL,
        .number = number,
    };
    g_array_append_val(items, item);
}

/* The value of --repo, wherever it stands; NULL: none. Borrowed. */
static const char *named_repo(char *const *words)
{
    for (; *words; words++) {
        if (str_has_prefix(*words, "--repo="))
            return *words + strlen("--repo=");
        if ((strcmp(*words, "-R") == 0 || strcmp(*words, "--repo") == 0) && words[1])
            return words[1];
    }
    return NULL;
}

/* A number, or the URL of an issue or pull request, whose repository then counts. */
static bool read_item(const char *word, const char *repo, const Settings *settings, GArray *items)
{
    int64_t number;
    g_auto(GithubUrl) url = { 0 };
    if (text_parse_posint(word, &number)) {
        add_item(items, repo, number, settings);
        return true;
    }
    if (!github_url_parse(word, "pull", &url) && !github_url_parse(word, "issues", &url))
        return false;
    g_autofree char *of_url = github_url_repo(&url, settings);
    add_item(items, of_url, url.number, settings);
    return true;
}

/* `words` are behind the subcommand. */
static void read_items(char *const *words, const char *repo, bool takes_many,
                       const Settings *settings, GArray *items)
{
    for (; *words; words++) {
        bool has_value = g_strv_contains(takes_value, *words);
        words += has_value && words[1] ? 1 : 0;
        if (!has_value && **words != '-' && read_item(*words, repo, settings, items) && !takes_many)
            return;
    }
    if (items->len == 0)
        add_item(items, repo, 0, settings);
}

/* A request that may change something: everything of its repository is forgotten, too much rather
   than too little. */
static void read_api(char *const *words, const Settings *settings, GArray *items)
{
    static const char *const flags[] = { "-X",      "--method",    "-f",      "-F",
                                         "--field", "--raw-field", "--input", NULL };
    bool has_flag = false, is_graphql = false, is_mutation = false;
    g_auto(RepoRef) ref = { 0 };
    for (; *words; words++) {
        g_autofree char *name = g_strndup(*words, strcspn(*words, "="));
        bool is_short = name[0] == '-' && name[1] && name[1] != '-';
        const char *const short_name = (const char[]) { name[0], is_short ? name[1] : '\0', '\0' };
        has_flag |= g_strv_contains(flags, is_short ? short_name : name);
        is_graphql |= strcmp(*words, "graphql") == 0;
        is_mutation |= strstr(*words, "mutation") != NULL;
        g_auto(GStrv) parts = g_strsplit(**words == '/' ? *words + 1 : *words, "/", 4);
        g_autofree char *repo = g_strv_length(parts) >= 3 && strcmp(parts[0], "repos") == 0
                                    ? g_strconcat(parts[1], "/", parts[2], NULL)
                                    : NULL;
        if (repo && !ref.slug)
            repo_ref_parse(repo, &ref);
    }
    if (is_graphql ? is_mutation : has_flag)
        add_item(items, ref.slug, 0, settings);
}

GArray *view_forget_words(char *const *words, const char *repo, const Settings *settings)
{
    GArray *items = items_new();
    if (!words[0] || !words[1])
        return items;
    if (strcmp(words[0], "api") == 0)
        read_api(words + 1, settings, items);
    bool is_issue = strcmp(words[0], "issue") == 0;
    bool is_pr = strcmp(words[0], "pr") == 0;
    if ((!is_issue && !is_pr) || !g_strv_contains(is_issue ? changes_issue : changes_pr, words[1]))
        return items;
    const char *named = named_repo(words + 2);
    bool takes_many = is_issue && strcmp(words[1], "edit") == 0;
    read_items(words + 2, named ? named : repo, takes_many, settings, items);
    return items;
}

GArray *view_forget_shell(const char *command, const Settings *settings)
{
    GArray *items = items_new();
    g_autoptr(GPtrArray) commands = gh_shell_split(command);
    for (guint i = 0; i < commands->len; i++) {
        GPtrArray *words = commands->pdata[i];
        guint gh = 0;
        while (gh < words->len && strcmp(words->pdata[gh], "gh") != 0)
            gh++;
        if (gh >= words->len)
            continue;
        g_ptr_array_add(words, NULL);
        g_autoptr(GArray) found =
            view_forget_words((char *const *)words->pdata + gh + 1, NULL, settings);
        g_array_append_vals(items, found->data, found->len);
        g_array_set_clear_func(found, NULL); // they are in the other now
    }
    return items;
}

// ---- the hook ----

/* The arguments of the tool `gh`. */
static GArray *of_gh(ToolCall *call, const json_t *arguments)
{
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    size_t i;
    json_t *word;
    json_array_foreach (json_get_array(arguments, "args"), i, word) {
        if (json_is_string(word))
            g_ptr_array_add(words, (char *)json_string_value(word));
    }
    g_ptr_array_add(words, NULL);
    char *const *argv = (char *const *)words->pdata;
    bool has_gh = argv[0] && strcmp(argv[0], "gh") == 0; // which the tool leaves out
    GArray *items = view_forget_words(has_gh ? argv + 1 : argv, json_get_text(arguments, "repo"),
                                      tool_call_settings(call));
    for (i = 0; i < items->len && json_get_text(arguments, "hostname"); i++)
        g_clear_pointer(&g_array_index(items, ForgottenItem, i).repo, g_free); // on every host
    return items;
}

/* What a shell runs for the call; NULL: nothing, or it is not judged yet. */
static const char *shell_command(ToolCall *call, const json_t *arguments)
{
    const CallOutcome *outcome = tool_call_outcome(call);
    if (outcome && outcome->judgement && outcome->judgement->command)
        return outcome->judgement->command;
    bool is_bash = strcmp(tool_call_tool(call)->name, "bash") == 0;
    return is_bash ? json_get_text(arguments, "command") : NULL;
}

static void view_forget_run(ToolCall *call, const json_t *arguments)
{
    const char *command = shell_command(call, arguments);
    g_autoptr(GArray) items = NULL;
    if (strcmp(tool_call_tool(call)->name, "gh") == 0)
        items = of_gh(call, arguments);
    else if (command && strstr(command, "gh"))
        items = view_forget_shell(command, tool_call_settings(call));
    for (guint i = 0; items && i < items->len; i++) {
        const ForgottenItem *item = &g_array_index(items, ForgottenItem, i);
        view_cache_drop_item(view_cache_of(tool_call_context(call)), item->repo, item->number,
                             tool_call_cancel(call));
    }
}

static bool view_forget_before(ToolCall *call, const json_t *arguments,
                               json_t **ret_changed G_GNUC_UNUSED, void *user_data G_GNUC_UNUSED,
                               GError **error G_GNUC_UNUSED)
{
    view_forget_run(call, arguments);
    return true;
}

static void view_forget_after(ToolCall *call, ToolResult *result G_GNUC_UNUSED,
                              void *user_data G_GNUC_UNUSED)
{
    view_forget_run(call, tool_call_arguments(call));
}

const ToolHook gh_view_forgetter = { .name = "the cache of views",
                                     .before = view_forget_before,
                                     .after = view_forget_after };
