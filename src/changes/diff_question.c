/* See diff_question.h. */
#include "changes/diff_question.h"

/* What follows the diff. Caller frees. */
static char *instruction_of(const DiffQuestion *self, const char *problem)
{
    GString *out = g_string_new(NULL);
    if (self->recent && *self->recent)
        g_string_append_printf(out, "Subjects of the latest commits, for scopes and tone:\n%s\n\n",
                               self->recent);
    if (self->context)
        g_string_append_printf(out, "The author says: %s\n\n", self->context);
    if (problem)
        g_string_append_printf(out, "Your last answer could not be used: %s\n\n", problem);
    g_string_append(out, self->task);
    return g_string_free(out, FALSE);
}

bool diff_question_ask(const DiffQuestion *self, Cancel *cancel, char **ret_problem, GError **error)
{
    g_autofree char *problem = NULL;
    *ret_problem = NULL;
    for (int i = 0; i < DIFF_ATTEMPTS; i++) {
        g_autofree char *instruction = instruction_of(self, problem), *answer = NULL;
        g_autoptr(GError) fault = NULL;
        const SummaryRequest request = {
            .system = self->system,
            .tag = "diff",
            .transcript = self->diff,
            .instruction = instruction,
            .max_tokens = self->answer_tokens,
            .reserve_tokens = self->reserve_tokens,
        };
        if (!summary_ask(self->model, &request, cancel, &answer, error))
            return false;
        if (self->take(self->data, answer, &fault))
            return true;
        if (!error_is(fault, KEDGE_ERROR_USAGE))
            return pass_error(error, &fault);
        g_free(problem);
        problem = g_strdup(fault->message);
    }
    *ret_problem = g_steal_pointer(&problem);
    return true;
}
