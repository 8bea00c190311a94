/*
 * The arguments of a conversation's commands, and what is said of wrong ones (session_commands.h).
 */
#include "conversation/session_commands.h"

static void free_problem(gpointer problem)
{
    field_problem_free(problem);
}

/* "message is required and must be a string" as `"message" must be a string`. Caller frees. */
static char *word_problem(const FieldProblem *problem)
{
    size_t length = strlen(problem->path);
    if (!problem->is_made || length == 0 || !g_str_has_prefix(problem->text, problem->path))
        return g_strdup(problem->text);
    const char *rest = problem->text + length;
    const char *required = " is required and";
    if (g_str_has_prefix(rest, required))
        rest += strlen(required);
    return g_strdup_printf("\"%s\"%s", problem->path, rest);
}

bool session_command_decode(const char *name, const FieldDef *fields, const json_t *arguments,
                            void *args, json_t **ret_kept, GError **error)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(free_problem);
    g_autoptr(GPtrArray) unknown = g_ptr_array_new_with_free_func(free_problem);
    if (field_check(fields, arguments, args, ret_kept, problems, unknown))
        return true;
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < problems->len; i++) {
        g_autofree char *sentence = word_problem(problems->pdata[i]);
        g_string_append_printf(text, "%s%s", i > 0 ? "; " : "", sentence);
    }
    return fail_with(error, KEDGE_ERROR_USAGE, "%s: %s", name, text->str);
}
