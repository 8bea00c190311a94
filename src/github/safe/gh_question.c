/*
 * The question (gh_question.h): the class first, then the exact command, since a person who is
 * asked often reads only the beginning.
 */
#include "github/safe/gh_question.h"

#include "base/path.h"
#include "base/str.h"
#include "base/visible.h"

static void append_argument(GString *text, const char *argument)
{
    g_autofree char *quoted = str_shell_quote(argument);
    g_string_append_c(text, ' ');
    visible_append(text, quoted);
}

char *gh_question_text(const GhQuestion *question)
{
    g_autofree char *word = g_ascii_strup(effect_name(question->effect), -1);
    g_autofree char *cwd = path_shorten_home(question->cwd);
    const GhContext *target = question->target;
    GString *text = g_string_new(word);
    g_string_append_printf(text, " on %s", target->host);
    if (target->repo)
        g_string_append_printf(text, "/%s", target->repo);
    g_string_append(text, ": ");
    visible_append(text, question->reason);
    g_string_append(text, "\n  gh");
    for (const char *const *argument = question->argv; *argument; argument++)
        append_argument(text, *argument);
    g_string_append(text, "\n  in ");
    visible_append(text, cwd);
    g_string_append_printf(text, " (context: %s)", gh_source_name(target->source));
    if (question->effect == EFFECT_UNKNOWN)
        g_string_append(text, "\n  not in the command table: may run a gh alias or extension");
    return g_string_free(text, false);
}
