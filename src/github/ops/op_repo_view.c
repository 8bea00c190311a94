/*
 * op repo_view: facts about one repository (github-tool §2.1).
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh.h"
#include "github/ops/github_args.h"
#include "github/text.h"

#define REPO_FIELDS                                                                                \
    "nameWithOwner,description,url,defaultBranchRef,homepageUrl,forkCount,isArchived,isFork,"      \
    "primaryLanguage,repositoryTopics,stargazerCount,updatedAt,viewerPermission,visibility"

/* "a, b"; NULL when there are none. Caller frees. */
static char *join_topics(const json_t *topics)
{
    GString *out = g_string_new(NULL);
    json_each (topics, i, item) {
        const char *name = json_get_text(item, "name");
        if (str_is_empty(name))
            name = json_get_text(json_get_object(item, "topic"), "name");
        if (!str_is_empty(name))
            g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", name);
    }
    bool is_missing = out->len == 0;
    return g_string_free(out, is_missing);
}

/* The answer's text. Caller frees. */
static char *format(const json_t *data, const char *repo, const char *branch)
{
    const char *name = json_get_text(data, "nameWithOwner");
    if (str_is_empty(name))
        name = repo != NULL ? repo : "GitHub Repository";
    g_autofree char *description = text_norm(json_get_text(data, "description"));
    g_autofree char *topics = join_topics(json_get_array(data, "repositoryTopics"));

    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "# %s\n\n%s\n\n", name,
                           *description != '\0' ? description : "No description provided.");
    text_line_json(out, "", "URL", data, "url");
    text_line_json(out, "", "Default branch", json_get_object(data, "defaultBranchRef"), "name");
    text_line(out, "", "Branch", branch);
    text_line_json(out, "", "Visibility", data, "visibility");
    text_line_json(out, "", "Viewer permission", data, "viewerPermission");
    text_line_json(out, "", "Primary language", json_get_object(data, "primaryLanguage"), "name");
    text_line_json(out, "", "Stars", data, "stargazerCount");
    text_line_json(out, "", "Forks", data, "forkCount");
    text_line_json(out, "", "Archived", data, "isArchived");
    text_line_json(out, "", "Fork", data, "isFork");
    text_line_json(out, "", "Updated", data, "updatedAt");
    text_line_json(out, "", "Homepage", data, "homepageUrl");
    text_line(out, "", "Topics", topics);
    return utf8_trim(out->str);
}

bool github_repo_view(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    g_autofree char *repo = NULL;
    if (!github_repo_argument(call, args->repo, true, &repo, error))
        return false;
    if (!repo) // gh heeds GH_REPO for other commands only
        repo = github_judged_repo(call);
    g_autofree char *branch = github_opt(args->branch);

    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    g_strv_builder_add_many(list, "repo", "view", NULL);
    if (repo)
        g_strv_builder_add(list, repo);
    if (branch) // gh ignores it beside --json; the answer only repeats it
        g_strv_builder_add_many(list, "--branch", branch, NULL);
    g_strv_builder_add_many(list, "--json", REPO_FIELDS, NULL);
    g_auto(GStrv) argv = g_strv_builder_end(list);

    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = repo != NULL };
    g_autoptr(json_t) data = NULL;
    if (!gh_json(call, &spec, JSON_OBJECT, &data, error))
        return false;
    g_autofree char *text = format(data, repo, branch);
    tool_result_add_text(result, text);
    const char *url = json_get_text(data, "url");
    if (!str_is_empty(url))
        tool_result_set_source_url(result, url);
    return true;
}
