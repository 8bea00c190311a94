/*
 * The repository of an address that names none.
 */
#include "github/urls/item_repo.h"
#include "github/repo_ref.h"

bool item_default_repo(ToolCall *call, const char *what, const char *instead, char **ret_repo,
                       GError **error)
{
    g_autoptr(GError) failure = NULL;
    if (repo_default_memoised(call, ret_repo, &failure))
        return true;
    if (error_is(failure, KEDGE_ERROR_CANCELLED)) {
        g_propagate_error(error, g_steal_pointer(&failure));
        return false;
    }
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "%s could not resolve a default repo from the current checkout: %s\nUse %s",
                     what, failure->message, instead);
}
