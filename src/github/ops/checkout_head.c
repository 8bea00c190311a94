/*
 * The fetched commit is always compared with what GitHub said the head is: a branch of the same
 * name in another repository, or one that moved meanwhile, must not be taken for the pull request.
 */
#include "github/ops/checkout_head.h"

#include "github/git.h"
#include "github/ops/checkout_remote.h"
#include "github/text.h"

#define FETCH_TIMEOUT_MS (30 * 60 * 1000)

typedef struct Fetched {
    char *ref;    // where the remote's ref was put
    char *commit; // NULL: the remote has no such ref
} Fetched;

static void fetched_clear(Fetched *self)
{
    g_clear_pointer(&self->ref, g_free);
    g_clear_pointer(&self->commit, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Fetched, fetched_clear)

/* Fetches `source` of the remote into refs/remotes/<remote>/<name>. */
static bool fetch(const char *root, const char *remote, const char *source, const char *name,
                  Cancel *cancel, Fetched *ret_fetched, GError **error)
{
    g_auto(Fetched) fetched = { .ref = g_strdup_printf("refs/remotes/%s/%s", remote, name) };
    g_autofree char *refspec = g_strdup_printf("+%s:%s", source, fetched.ref);
    const char *const args[] = { "fetch", "--end-of-options", remote, refspec, NULL };
    g_autoptr(GError) cause = NULL;
    if (!git_must(root, args, FETCH_TIMEOUT_MS, cancel, NULL, &cause)) {
        if (!strstr(cause->message, "couldn't find remote ref")) {
            g_propagate_error(error, g_steal_pointer(&cause));
            return false;
        }
    } else if (!git_ref_value(root, fetched.ref, cancel, &fetched.commit, error)) {
        return false;
    }
    *ret_fetched = fetched;
    fetched = (Fetched) { 0 };
    return true;
}

static bool is_head(const Fetched *fetched, const Checkout *checkout)
{
    return g_strcmp0(fetched->commit, checkout->head_oid) == 0;
}

/* "(missing)" for none. Caller frees. */
static char *sha_text(const char *commit)
{
    return commit != NULL ? text_sha12(commit) : g_strdup("(missing)");
}

static void take_remote(CheckoutRemote *remote, Checkout *checkout)
{
    checkout->remote = g_steal_pointer(&remote->name);
    checkout->remote_url = g_steal_pointer(&remote->raw_url);
}

/* From the head branch. *ret_start stays NULL when it is not there, or at another commit. */
static bool from_branch(ToolCall *call, const char *root, const CheckoutRequest *request,
                        CheckoutRemote *remote, Checkout *checkout, Fetched *ret_branch,
                        char **ret_start, GError **error)
{
    Cancel *cancel = tool_call_cancel(call);
    g_autofree char *source = g_strconcat("refs/heads/", checkout->head_ref, NULL);
    if (!fetch(root, remote->name, source, checkout->head_ref, cancel, ret_branch, error))
        return false;
    if (ret_branch->commit && !is_head(ret_branch, checkout)) {
        g_autoptr(Checkout) now = NULL; // somebody may have pushed in between
        if (!checkout_fetch_facts(call, request, &now, error))
            return false;
        g_free(checkout->head_oid);
        checkout->head_oid = g_steal_pointer(&now->head_oid);
    }
    if (is_head(ret_branch, checkout)) {
        *ret_start = g_steal_pointer(&ret_branch->ref);
        take_remote(remote, checkout);
    }
    return true;
}

static bool fail_not_head(const CheckoutRemote *remote, const Checkout *checkout,
                          const Fetched *branch, const Fetched *pull, const char *pull_ref,
                          bool is_fork_gone, GError **error)
{
    g_autofree char *expected = text_sha12(checkout->head_oid);
    if (is_fork_gone)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head repository must not be empty");
    if (remote->unmatched_slug) {
        g_autofree char *there = sha_text(branch->commit);
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "no git remote of this checkout points at %s: refs/heads/%s is at %s, "
                         "expected %s",
                         remote->unmatched_slug, checkout->head_ref, there, expected);
    }
    g_autofree char *there = sha_text(pull->commit);
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "%s of %s is at %s, but the head of pull request #%" G_GINT64_FORMAT " is %s",
                     pull_ref, remote->name, there, checkout->number, expected);
}

static bool from_pull_ref(ToolCall *call, const char *root, Checkout *checkout,
                          const Fetched *branch, bool is_fork_gone, char **ret_start,
                          GError **error)
{
    g_auto(CheckoutRemote) remote = { 0 };
    g_auto(Fetched) pull = { 0 };
    g_autofree char *name = g_strdup_printf("pull/%" G_GINT64_FORMAT "/head", checkout->number);
    g_autofree char *source = g_strconcat("refs/", name, NULL);
    if (!checkout_remote_pick_base(call, root, checkout, &remote, error) ||
        !fetch(root, remote.name, source, name, tool_call_cancel(call), &pull, error))
        return false;
    if (!is_head(&pull, checkout))
        return fail_not_head(&remote, checkout, branch, &pull, source, is_fork_gone, error);
    *ret_start = g_steal_pointer(&pull.ref);
    checkout->has_no_push_target = true;
    take_remote(&remote, checkout);
    return true;
}

bool checkout_head_fetch(ToolCall *call, const char *root, const CheckoutRequest *request,
                         Checkout *checkout, char **ret_start, GError **error)
{
    g_auto(CheckoutRemote) remote = { 0 };
    g_auto(Fetched) branch = { 0 };
    g_autofree char *start = NULL;
    if (!checkout_remote_pick(call, root, checkout, &remote, error))
        return false;
    bool is_fork_gone = remote.is_gone;
    if (!is_fork_gone &&
        !from_branch(call, root, request, &remote, checkout, &branch, &start, error))
        return false;
    if (!start && !from_pull_ref(call, root, checkout, &branch, is_fork_gone, &start, error))
        return false;
    *ret_start = g_steal_pointer(&start);
    return true;
}
