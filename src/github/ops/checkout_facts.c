/*
 * What gh says of a pull request that is to be checked out.
 */
#include "base/str.h"
#include "github/gh.h"
#include "github/ops/checkout.h"

static const char CHECKOUT_FIELDS[] =
    "baseRefName,headRefName,headRefOid,headRepository,headRepositoryOwner,isCrossRepository,"
    "maintainerCanModify,number,title,url";

void checkout_free(Checkout *self)
{
    if (!self)
        return;
    json_decref(self->pr);
    g_free(self->url);
    g_free(self->head_ref);
    g_free(self->head_oid);
    g_free(self->head_repo);
    g_free(self->branch);
    g_free(self->worktree_path);
    g_free(self->remote);
    g_free(self->remote_url);
    g_free(self->reset_from);
    g_free(self->state);
    g_free(self->left_off);
    g_free(self);
}

static const char *text_or_null(const json_t *object, const char *key)
{
    const char *text = json_get_text(object, key);
    return str_is_empty(text) ? NULL : text;
}

/* gh up to 2.46 at least gives the head repository no nameWithOwner. */
static char *head_repository(const json_t *pr)
{
    const json_t *repository = json_get_object(pr, "headRepository");
    const char *whole = text_or_null(repository, "nameWithOwner");
    if (whole)
        return g_strdup(whole);
    const char *owner = text_or_null(json_get_object(pr, "headRepositoryOwner"), "login");
    const char *name = text_or_null(repository, "name");
    return owner != NULL && name != NULL ? g_strdup_printf("%s/%s", owner, name) : NULL;
}

static bool read_facts(json_t *pr, Checkout **ret_checkout, GError **error)
{
    g_autoptr(Checkout) self = g_new0(Checkout, 1);
    self->pr = json_incref(pr);
    self->number = json_get_int(pr, "number", 0);
    if (self->number <= 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "GitHub CLI did not return a pull request number.");
    self->head_ref = g_strdup(text_or_null(pr, "headRefName"));
    if (!self->head_ref)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head branch must not be empty");
    self->head_oid = g_strdup(text_or_null(pr, "headRefOid"));
    if (!self->head_oid)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "head commit must not be empty");
    self->url = g_strdup(text_or_null(pr, "url"));
    self->head_repo = head_repository(pr);
    self->branch = g_strdup_printf("pr-%" G_GINT64_FORMAT, self->number);
    *ret_checkout = g_steal_pointer(&self);
    return true;
}

bool checkout_fetch_facts(ToolCall *call, const CheckoutRequest *request, Checkout **ret_checkout,
                          GError **error)
{
    const char *entry = request->entry;
    if (entry && entry[0] == '-')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "invalid PR identifier: %s. Pass a PR number, URL, or branch name.",
                         entry);

    const char *argv[8] = { "pr", "view" };
    size_t n = 2;
    if (entry)
        argv[n++] = entry;
    bool is_url =
        entry != NULL && (str_has_prefix(entry, "https://") || str_has_prefix(entry, "http://"));
    if (request->repo && !is_url) {
        argv[n++] = "--repo";
        argv[n++] = request->repo;
    }
    argv[n++] = "--json";
    argv[n++] = CHECKOUT_FIELDS;
    const GhSpec spec = { .argv = argv, .has_explicit_repo = request->repo != NULL };
    g_autoptr(json_t) pr = NULL;
    return gh_json(call, &spec, JSON_OBJECT, &pr, error) && read_facts(pr, ret_checkout, error);
}
