/*
 * The question (gh_question.h): the class first, then the exact command, since a person who is
 * asked often reads only the beginning.
 */
#include "github/safe/gh_question.h"

#include "base/path.h"
#include "base/str.h"
#include "base/visible.h"

/* A text of several lines is below the command, under a number. What is quoted cannot pass for one:
   the shell's quotes are around it. */
static void append_argument(GString *text, const char *argument, GString *below, unsigned *count)
{
    if (strchr(argument, '\n')) {
        g_string_append_printf(text, " <%u>", ++*count);
        g_string_append_printf(below, "\n  <%u> (%zu bytes):", *count, strlen(argument));
        visible_append_block(below, "  | ", argument);
        return;
    }
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
    g_autoptr(GString) below = g_string_new(NULL);
    unsigned count = 0;
    for (const char *const *argument = question->argv; *argument; argument++)
        append_argument(text, *argument, below, &count);
    g_string_append_len(text, below->str, (gssize)below->len);
    g_string_append(text, "\n  in ");
    visible_append(text, cwd);
    g_string_append_printf(text, " (context: %s)", gh_source_name(target->source));
    if (question->effect == EFFECT_UNKNOWN)
        g_string_append(text, "\n  not in the command table: may run a gh alias or extension");
    return g_string_free(text, false);
}
