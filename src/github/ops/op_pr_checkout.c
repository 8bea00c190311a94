/*
 * op: pr_checkout (github-tool §3): pull requests in worktrees of their own, the working tree left
 * alone.
 */
#include "github/ops/checkout.h"
#include "github/ops/checkout_batch.h"
#include "github/ops/checkout_text.h"
#include "github/ops/github_args.h"
#include "github/repo_ref.h"

#define CHECKOUT_MAX_ENTRIES 1000

static bool checkout_single(ToolCall *call, const char *entry, const char *repo, bool force,
                            ToolResult *result, GError **error)
{
    const CheckoutRequest request = { .entry = entry, .repo = repo, .force = force };
    g_autoptr(Checkout) checkout = NULL;
    if (!checkout_fetch_facts(call, &request, &checkout, error) ||
        !checkout_finish(call, &request, checkout, error))
        return false;
    g_autofree char *text = checkout_text(checkout);
    tool_result_add_text(result, text);
    if (checkout->url)
        tool_result_set_source_url(result, checkout->url);

    json_t *details = tool_result_details(result);
    json_set_text(details, "repo", repo != NULL ? repo : checkout->head_repo);
    json_set_text(details, "branch", checkout->branch);
    json_set_text(details, "worktreePath", checkout->worktree_path);
    json_set_text(details, "remote", checkout->remote);
    json_set_text(details, "remoteBranch", checkout->head_ref);
    json_t *checkouts = json_array();
    json_append_take(checkouts, checkout_details(checkout, checkout->is_reused));
    json_set_take(details, "checkouts", checkouts);
    return true;
}

/* gh sends a token to the host of a URL, with any scheme (github-tool §0.4). */
static bool check_host(const char *entry, const Settings *settings, GError **error)
{
    if (!strstr(entry, "://"))
        return true;
    g_autoptr(GUri) uri = g_uri_parse(entry, G_URI_FLAGS_NONE, NULL);
    const char *host = uri != NULL ? g_uri_get_host(uri) : NULL;
    if (!host || *host == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "invalid PR identifier: %s. Pass a PR number, URL, or branch name.",
                         entry);
    if (!repo_host_is_known(host, settings))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "host \"%s\" is not a known host; add it to gh.knownHosts", host);
    return true;
}

bool github_pr_checkout(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    g_autofree char *repo = NULL;
    if (!github_repo_argument(call, args->repo, false, &repo, error))
        return false;
    g_auto(GStrv) entries = github_opt_list(args->pr);
    size_t count = g_strv_length(entries);
    if (count > CHECKOUT_MAX_ENTRIES)
        return fail_with(error, KEDGE_ERROR_USAGE, "pr has %zu entries; at most %d are allowed",
                         count, CHECKOUT_MAX_ENTRIES);
    for (size_t i = 0; i < count; i++) {
        if (!check_host(entries[i], tool_call_settings(call), error))
            return false;
    }
    if (count > 1)
        return checkout_batch(call, (const char *const *)entries, repo, args->force, result, error);
    return checkout_single(call, entries[0], repo, args->force, result, error);
}
