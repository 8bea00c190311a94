/* See gh_exit.h. */
#include "github/safe/gh_exit.h"

#include <stdlib.h>

static int gh_exit_of_kind(const char *kind)
{
    static const struct {
        const char *kind;
        int status;
    } statuses[] = {
        { "invalid-args", GH_EXIT_ARGUMENTS },       { "policy-blocked", GH_EXIT_REFUSED },
        { "irreversible-blocked", GH_EXIT_REFUSED }, { "confirm-declined", GH_EXIT_REFUSED },
        { "confirm-unavailable", GH_EXIT_REFUSED },  { "timeout", GH_EXIT_TIMEOUT },
        { "no-executable", GH_EXIT_MISSING },        { "truncated", EXIT_SUCCESS },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++)
        if (strcmp(statuses[i].kind, kind) == 0)
            return statuses[i].status;
    return EXIT_FAILURE;
}

int gh_exit_of(const ToolResult *result)
{
    const char *kind = json_get_text(result->details, "error_kind");
    const json_t *status = json_object_get(result->details, "exit_code");
    if (g_strcmp0(kind, "truncated") == 0)
        return EXIT_SUCCESS;
    if (json_is_integer(status))
        return (int)json_integer_value(status);
    if (kind)
        return gh_exit_of_kind(kind);
    if (!result->is_error)
        return EXIT_SUCCESS;
    return result->failure == KEDGE_ERROR_USAGE ? GH_EXIT_ARGUMENTS : EXIT_FAILURE;
}
