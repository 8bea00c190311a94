/*
 * Command options through the field tables (commands.h).
 */
#include "cmd/cli/commands.h"

bool cmd_decode_options(const FieldDef *fields, int argc, char *const *argv, void *options,
                        json_t **ret_kept, GPtrArray *words, GError **error)
{
    g_autoptr(json_t) given = NULL;
    if (!field_from_argv(fields, argc, argv, &given, words, NULL, error))
        return false;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(fields, given, FIELD_EXACT, options, ret_kept, problems)) {
        g_autofree char *text = field_problems_joined(problems);
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", text);
    }
    return true;
}
