/*
 * op: pr_checkout (github-tool §3): pull requests in worktrees of their own, the working tree left
 * alone.
 */
#include "github/fan_out.h"
#include "github/ops/checkout.h"
#include "github/ops/checkout_text.h"
#include "github/ops/github_args.h"
#include "github/repo_ref.h"
#include "tool/tool.h"

// ---- several pull requests in one call (github-tool §3.5) ----
//
// GitHub is asked about all members at once; what git does follows in the order of the request, so
// that which of two names of one pull request is done does not depend on whose answer came first.

typedef struct BatchMember {
    ToolCall *call;
    CheckoutRequest request;
    Checkout *checkout; // NULL: failed, or named before
    GError *error;
    const struct BatchMember *earlier; // that names the same pull request; NULL: none
} BatchMember;

static void member_fetch_facts(void *item)
{
    BatchMember *self = item;
    checkout_fetch_facts(self->call, &self->request, &self->checkout, &self->error);
}

/* What the member's text is about; NULL: failed. */
static const Checkout *member_checkout(const BatchMember *self)
{
    return self->earlier != NULL ? self->earlier->checkout : self->checkout;
}

static const GError *member_error(const BatchMember *self)
{
    return self->earlier != NULL ? self->earlier->error : self->error;
}

static bool member_is_reused(const BatchMember *self)
{
    return self->earlier != NULL || self->checkout->is_reused;
}

/* Leaves only the first of those that name one pull request with a checkout of its own. */
static void find_doubles(BatchMember *members, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        for (size_t k = 0; k < i && members[i].checkout; k++) {
            if (!members[k].checkout || !checkout_is_same(members[i].checkout, members[k].checkout))
                continue;
            g_clear_pointer(&members[i].checkout, checkout_free);
            members[i].earlier = &members[k];
        }
    }
}

static void finish_members(BatchMember *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        BatchMember *self = &members[i];
        if (!self->checkout ||
            checkout_finish(self->call, &self->request, self->checkout, &self->error))
            continue;
        g_clear_pointer(&self->checkout, checkout_free);
    }
}

static void members_free(BatchMember *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        checkout_free(members[i].checkout);
        g_clear_error(&members[i].error);
    }
    g_free(members);
}

static void append_failures(GString *out, const BatchMember *members, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const GError *error = member_error(&members[i]);
        if (error)
            g_string_append_printf(out, "\n- %s: %s", members[i].request.entry, error->message);
    }
}

static void append_heading(GString *out, size_t count, size_t done, size_t reused)
{
    if (done < count) {
        g_string_append_printf(out, "# %zu/%zu Pull Request Worktrees checked out (%zu failed)",
                               done, count, count - done);
        return;
    }
    g_string_append_printf(out, "# %zu Pull Request Worktrees (", count);
    if (reused < count)
        g_string_append_printf(out, "%zu checked out", count - reused);
    if (reused > 0)
        g_string_append_printf(out, "%s%zu reused", reused < count ? ", " : "", reused);
    g_string_append_c(out, ')');
}

static bool batch_report(BatchMember *members, size_t count, const char *repo, ToolResult *result,
                         GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GString) texts = g_string_new(NULL);
    g_autoptr(json_t) checkouts = json_array();
    size_t done = 0, reused = 0;
    for (size_t i = 0; i < count; i++) {
        const Checkout *checkout = member_checkout(&members[i]);
        if (!checkout)
            continue;
        bool is_reused = member_is_reused(&members[i]);
        const BatchMember *earlier = members[i].earlier;
        g_autofree char *text = earlier != NULL
                                    ? checkout_text_again(checkout, earlier->request.entry)
                                    : checkout_text(checkout);
        g_string_append_printf(texts, "%s%s", done > 0 ? "\n\n---\n\n" : "", text);
        json_append_take(checkouts, checkout_details(checkout, is_reused));
        done++;
        reused += is_reused ? 1 : 0;
    }
    if (done == 0) {
        append_failures(out, members, count);
        return fail_with(error, KEDGE_ERROR_FAILED, "all %zu PR checkouts failed:%s", count,
                         out->str);
    }

    append_heading(out, count, done, reused);
    g_string_append_printf(out, "\n\n%s", texts->str);
    if (done < count) {
        g_string_append(out, "\n\n## Failed");
        append_failures(out, members, count);
        result->is_error = true;
        result->failure = KEDGE_ERROR_FAILED;
    }
    tool_result_add_text(result, out->str);
    json_t *details = tool_result_details(result);
    json_add(details, "repo:%s checkouts:%p", repo, g_steal_pointer(&checkouts));
    return true;
}

/* `entries` has at least two; `repo` may be NULL. Waits for every member. When only some failed,
   the result is an error whose text lists what was created. */
static bool checkout_batch(ToolCall *call, const char *const *entries, const char *repo, bool force,
                           ToolResult *result, GError **error)
{
    size_t count = g_strv_length((char **)entries);
    BatchMember *members = g_new0(BatchMember, count);
    for (size_t i = 0; i < count; i++) {
        members[i].call = call;
        members[i].request =
            (CheckoutRequest) { .entry = entries[i], .repo = repo, .force = force };
    }
    fan_out(members, count, sizeof(members[0]), member_fetch_facts);
    find_doubles(members, count);
    finish_members(members, count);

    bool is_ok = !cancel_has_fired(tool_call_cancel(call));
    if (is_ok)
        is_ok = batch_report(members, count, repo, result, error);
    else
        fail_with(error, KEDGE_ERROR_CANCELLED, "Operation aborted");
    members_free(members, count);
    return is_ok;
}

// ---- the op ----

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
    json_add(details, "repo:%s branch:%s worktreePath:%s remote:%s remoteBranch:%s",
             repo != NULL ? repo : checkout->head_repo, checkout->branch, checkout->worktree_path,
             checkout->remote, checkout->head_ref);
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
