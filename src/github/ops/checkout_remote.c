/*
 * Choosing the remote: origin (or one that really is the pull request's repository) for a branch of
 * the same repository; for a fork the remote that has its URL, else a new one, fork-<owner>.
 */
#include "github/ops/checkout_remote.h"

#include "base/redact.h"
#include "base/str.h"
#include "github/gh.h"
#include "github/git.h"
#include "github/repo_ref.h"

#define GIT_REMOTE_EXISTS 3 // exit status of `git remote add`

typedef struct RemoteUrls {
    char *raw, *effective;
} RemoteUrls;

static void remote_urls_clear(RemoteUrls *self)
{
    g_clear_pointer(&self->raw, g_free);
    g_clear_pointer(&self->effective, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RemoteUrls, remote_urls_clear)

void checkout_remote_clear(CheckoutRemote *self)
{
    g_clear_pointer(&self->name, g_free);
    g_clear_pointer(&self->raw_url, g_free);
    g_clear_pointer(&self->unmatched_slug, g_free);
}

/* What follows the host in a network URL, without the slash; NULL for any other form. */
static const char *url_path(const char *url)
{
    static const char *const schemes[] = { "http://", "https://", "ssh://", "git://" };
    for (size_t i = 0; i < G_N_ELEMENTS(schemes); i++) {
        size_t length = strlen(schemes[i]);
        if (g_ascii_strncasecmp(url, schemes[i], length) != 0)
            continue;
        const char *slash = strchr(url + length, '/');
        return slash != NULL && slash > url + length ? slash + 1 : NULL;
    }
    const char *colon = strchr(url, ':');
    const char *slash = strchr(url, '/');
    if (!colon || colon == url || colon[1] == '\0' || (slash && slash < colon) ||
        str_has_prefix(colon, "://") || str_has_prefix(colon, "::"))
        return NULL; // a path, another scheme, a remote helper
    return colon[1] == '/' ? colon + 2 : colon + 1;
}

/* Without one trailing slash and one trailing .git. Caller frees. */
static char *url_stem(const char *url)
{
    char *stem = g_strdup(url);
    if (g_str_has_suffix(stem, "/"))
        stem[strlen(stem) - 1] = '\0';
    if (g_str_has_suffix(stem, ".git"))
        stem[strlen(stem) - strlen(".git")] = '\0';
    return stem;
}

char *checkout_remote_slug(const char *url)
{
    const char *path = url_path(url);
    if (!path)
        return NULL;
    g_autofree char *slug = url_stem(path);
    const char *slash = strchr(slug, '/');
    if (!slash || slash == slug || slash[1] == '\0' || strchr(slash + 1, '/'))
        return NULL;
    return g_steal_pointer(&slug);
}

static bool url_has_slug(const char *url, const char *slug)
{
    g_autofree char *own = url != NULL ? checkout_remote_slug(url) : NULL;
    return str_equal_nocase(own, slug);
}

static bool urls_have_slug(const RemoteUrls *urls, const char *slug)
{
    return url_has_slug(urls->raw, slug) || url_has_slug(urls->effective, slug);
}

static bool urls_have_url(const RemoteUrls *urls, const char *stem)
{
    g_autofree char *raw = urls->raw != NULL ? url_stem(urls->raw) : NULL;
    g_autofree char *effective = urls->effective != NULL ? url_stem(urls->effective) : NULL;
    return g_strcmp0(raw, stem) == 0 || g_strcmp0(effective, stem) == 0;
}

static bool remote_read(const char *root, const char *name, Cancel *cancel, RemoteUrls *ret_urls,
                        GError **error)
{
    return git_remote_urls(root, name, cancel, &ret_urls->raw, &ret_urls->effective, error);
}

static bool remote_names(const char *root, Cancel *cancel, char ***ret_names, GError **error)
{
    const char *const args[] = { "remote", NULL };
    g_autofree char *output = NULL;
    if (!git_must(root, args, 0, cancel, &output, error))
        return false;
    *ret_names = output[0] != '\0' ? g_strsplit(output, "\n", -1) : g_new0(char *, 1);
    return true;
}

typedef bool (*UrlsMatch)(const RemoteUrls *urls, const char *wanted);

/* The first remote that matches, in git's order; *ret_remote stays empty when there is none. */
static bool remote_find(const char *root, char *const *names, UrlsMatch matches, const char *wanted,
                        Cancel *cancel, CheckoutRemote *ret_remote, GError **error)
{
    for (size_t i = 0; names[i]; i++) {
        g_auto(RemoteUrls) urls = { 0 };
        if (!remote_read(root, names[i], cancel, &urls, error))
            return false;
        if (!matches(&urls, wanted))
            continue;
        ret_remote->name = g_strdup(names[i]);
        ret_remote->raw_url = g_steal_pointer(&urls.raw);
        return true;
    }
    return true;
}

/* The pull request's URL, also of a server without TLS. */
static bool parse_pr_url(const char *text, GithubUrl *ret_url)
{
    if (!text)
        return false;
    g_autofree char *url = str_has_prefix(text, "http://")
                               ? g_strconcat("https://", text + strlen("http://"), NULL)
                               : g_strdup(text);
    return github_url_parse(url, "pull", ret_url);
}

static bool pick_same_repo(const char *root, const Checkout *checkout, Cancel *cancel,
                           CheckoutRemote *ret_remote, GError **error)
{
    g_auto(RemoteUrls) origin = { 0 };
    if (!remote_read(root, "origin", cancel, &origin, error))
        return false;
    if (!origin.effective)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "origin remote is unavailable for this repository.");

    g_auto(GithubUrl) url = { 0 };
    g_autofree char *origin_slug = checkout_remote_slug(origin.effective);
    bool can_check = origin_slug != NULL && parse_pr_url(checkout->url, &url);
    if (can_check && !urls_have_slug(&origin, url.slug)) {
        g_auto(GStrv) names = NULL;
        if (!remote_names(root, cancel, &names, error) ||
            !remote_find(root, names, urls_have_slug, url.slug, cancel, ret_remote, error))
            return false;
        if (ret_remote->name)
            return true;
        // perhaps an old name that GitHub redirects: the commit will tell
        ret_remote->unmatched_slug = g_steal_pointer(&url.slug);
    }
    ret_remote->name = g_strdup("origin");
    ret_remote->raw_url = g_steal_pointer(&origin.raw);
    return true;
}

/* GitHub's words for what is not there, or not for this account. */
static bool is_definite_not_found(const GError *error)
{
    return strstr(error->message, "Could not resolve to a") != NULL ||
           strstr(error->message, "HTTP 404") != NULL || strstr(error->message, "HTTP 410") != NULL;
}

/* Asks gh for the fork's clone URL, of the kind that origin uses; NULL: the fork is gone. */
static bool clone_url(ToolCall *call, const char *root, const Checkout *checkout, char **ret_url,
                      GError **error)
{
    g_auto(RepoRef) reference = { 0 };
    if (!repo_ref_parse(checkout->head_repo, &reference)) // it becomes an argument of gh
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "invalid repo: %s. Expected owner/repo.",
                         checkout->head_repo);
    g_auto(GithubUrl) url = { 0 };
    g_autofree char *repo = g_strdup(checkout->head_repo);
    if (!reference.host && parse_pr_url(checkout->url, &url)) {
        g_free(url.slug);
        url.slug = g_steal_pointer(&repo);
        repo = github_url_repo(&url, tool_call_settings(call)); // a fork is on its parent's host
    }

    const char *const argv[] = { "repo", "view", repo, "--json", "nameWithOwner,sshUrl,url", NULL };
    const GhSpec spec = { .argv = argv, .has_explicit_repo = true };
    g_autoptr(json_t) reply = NULL;
    g_auto(RemoteUrls) origin = { 0 };
    g_autoptr(GError) cause = NULL;
    if (!gh_json(call, &spec, JSON_OBJECT, &reply, &cause)) {
        if (is_definite_not_found(cause)) {
            *ret_url = NULL;
            return true;
        }
        return pass_error(error, &cause);
    }
    if (!remote_read(root, "origin", tool_call_cancel(call), &origin, error))
        return false;

    bool is_http = origin.raw != NULL && (str_has_prefix(origin.raw, "http://") ||
                                          str_has_prefix(origin.raw, "https://"));
    const char *first = json_get_text(reply, is_http ? "url" : "sshUrl");
    const char *second = json_get_text(reply, is_http ? "sshUrl" : "url");
    const char *found = str_is_empty(first) ? second : first;
    if (str_is_empty(found))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Could not determine a clone URL for %s.",
                         checkout->head_repo);
    *ret_url = g_strdup(found);
    return true;
}

/* fork-<owner>, then fork-<owner>-2 and so on, until the name is free. Caller frees. */
static char *fork_name(const Checkout *checkout, const char *const *names)
{
    const char *login =
        json_get_text(json_get_object(checkout->pr, "headRepositoryOwner"), "login");
    g_autofree char *owner = g_ascii_strdown(str_is_empty(login) ? checkout->head_repo : login, -1);
    g_autoptr(GString) base = g_string_new("fork");
    bool is_gap = true;
    for (const char *c = owner; *c != '\0' && *c != '/'; c++) {
        bool is_plain = g_ascii_isalnum(*c);
        if (is_plain && is_gap)
            g_string_append_c(base, '-');
        if (is_plain)
            g_string_append_c(base, *c);
        is_gap = !is_plain;
    }
    g_autofree char *name = g_strdup(base->str);
    for (unsigned i = 2; g_strv_contains(names, name); i++) {
        g_free(name);
        name = g_strdup_printf("%s-%u", base->str, i);
    }
    return g_steal_pointer(&name);
}

static bool add_fork(const char *root, const char *name, const char *url, Cancel *cancel,
                     GError **error)
{
    const char *const args[] = { "remote", "add", "--end-of-options", name, url, NULL };
    g_auto(GitResult) result = { 0 };
    if (!git_run(root, args, 0, cancel, &result, error))
        return false;
    if (result.exit_status == 0)
        return true;
    if (result.exit_status != GIT_REMOTE_EXISTS) {
        g_autofree char *said = redact_text(result.error_output);
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", said);
    }
    // added by somebody else since it was looked for
    g_auto(RemoteUrls) urls = { 0 };
    g_autofree char *stem = url_stem(url);
    if (!remote_read(root, name, cancel, &urls, error))
        return false;
    if (urls_have_url(&urls, stem))
        return true;
    g_autofree char *there = redact_text(urls.raw != NULL ? urls.raw : "(unset)");
    g_autofree char *wanted = redact_text(url);
    return fail_with(error, KEDGE_ERROR_FAILED, "remote %s already exists with URL %s, expected %s",
                     name, there, wanted);
}

static bool pick_fork(ToolCall *call, const char *root, const Checkout *checkout,
                      CheckoutRemote *ret_remote, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *url = NULL;
    g_auto(GStrv) names = NULL;
    if (checkout->head_repo && !clone_url(call, root, checkout, &url, error))
        return false;
    if (!url) {
        ret_remote->is_gone = true;
        return true;
    }
    if (!remote_names(root, cancel, &names, error))
        return false;

    g_autofree char *stem = url_stem(url);
    if (!remote_find(root, names, urls_have_url, stem, cancel, ret_remote, error))
        return false;
    if (ret_remote->name)
        return true;
    g_autofree char *name = fork_name(checkout, (const char *const *)names);
    if (!add_fork(root, name, url, cancel, error))
        return false;
    ret_remote->name = g_steal_pointer(&name);
    ret_remote->raw_url = g_steal_pointer(&url);
    return true;
}

bool checkout_remote_pick(ToolCall *call, const char *root, const Checkout *checkout,
                          CheckoutRemote *ret_remote, GError **error)
{
    if (json_get_bool(checkout->pr, "isCrossRepository", false))
        return pick_fork(call, root, checkout, ret_remote, error);
    return pick_same_repo(root, checkout, tool_call_cancel(call), ret_remote, error);
}

bool checkout_remote_pick_base(ToolCall *call, const char *root, const Checkout *checkout,
                               CheckoutRemote *ret_remote, GError **error)
{
    return pick_same_repo(root, checkout, tool_call_cancel(call), ret_remote, error);
}
