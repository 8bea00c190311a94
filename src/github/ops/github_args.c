/*
 * Arguments of the `github` tool: normalising them, and the checks that several operations share.
 */
#include "github/ops/github_args.h"

#include "base/str.h"
#include "base/utf8.h"
#include "github/repo_ref.h"

#include <math.h>

char *github_opt(const char *value)
{
    if (!value)
        return NULL;
    g_autofree char *text = utf8_trim(value);
    return *text != '\0' ? g_steal_pointer(&text) : NULL;
}

char **github_opt_list(const json_t *list)
{
    g_autoptr(GStrvBuilder) entries = g_strv_builder_new();
    json_each (list, i, item) {
        g_autofree char *entry = github_opt(json_string_value(item));
        if (entry)
            g_strv_builder_add(entries, entry);
    }
    return g_strv_builder_end(entries);
}

bool github_count(const char *label, bool is_given, double value, int64_t fallback, int64_t maximum,
                  int64_t *ret_count, GError **error)
{
    if (!is_given) {
        *ret_count = fallback;
        return true;
    }
    // below one, the floor would be "none"
    if (!isfinite(value) || value < 1)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s must be a positive number", label);
    *ret_count = value < (double)maximum ? (int64_t)value : maximum;
    return true;
}

/* https://HOST/OWNER/REPO[.git] as [HOST/]OWNER/REPO; anything else as it is. */
static char *reduce_url(const char *text, const Settings *settings)
{
    static const char scheme[] = "https://";
    if (!str_has_prefix(text, scheme))
        return g_strdup(text);
    g_autofree char *path = g_strdup(text + strlen(scheme));
    if (g_str_has_suffix(path, "/"))
        path[strlen(path) - 1] = '\0';
    if (g_str_has_suffix(path, ".git"))
        path[strlen(path) - strlen(".git")] = '\0';
    g_auto(RepoRef) ref = { 0 };
    if (!repo_ref_parse(path, &ref) || !ref.host)
        return g_strdup(text);
    g_autofree char *default_host = repo_default_host(settings);
    return str_equal_nocase(ref.host, default_host) ? g_strdup(ref.slug) : g_steal_pointer(&path);
}

static bool is_bare_name(const char *text)
{
    g_autofree char *padded = g_strconcat("owner/", text, NULL);
    g_auto(RepoRef) ref = { 0 };
    return *text != '-' && strchr(text, '/') == NULL && repo_ref_parse(padded, &ref);
}

bool github_repo_argument(ToolCall *call, const char *repo, bool allows_bare, char **ret_repo,
                          GError **error)
{
    const Settings *settings = tool_call_settings(call);
    g_autofree char *given = github_opt(repo);
    if (!given) {
        *ret_repo = NULL;
        return true;
    }
    g_autofree char *reduced = reduce_url(given, settings);
    g_auto(RepoRef) ref = { 0 };
    if (!repo_ref_parse(reduced, &ref) && !(allows_bare && is_bare_name(reduced)))
        return fail_with(error, KEDGE_ERROR_USAGE, "invalid repo: %s. Expected owner/repo.", given);
    if (ref.host && !repo_host_is_known(ref.host, settings))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "host \"%s\" is not a known host; add it to gh.knownHosts", ref.host);
    *ret_repo = g_steal_pointer(&reduced);
    return true;
}

char *github_judged_repo(const ToolCall *call)
{
    const Judgement *judgement = tool_call_outcome(call)->judgement;
    if (!judgement || !judgement->repo)
        return NULL;
    const GithubUrl url = { .host = judgement->host, .slug = judgement->repo };
    return github_url_repo(&url, tool_call_settings(call));
}
