/*
 * /review (slash.h): the review of `kedge review` by the conversation's model, of a pull request or
 * of what has changed here. On a worker; the findings are shown, and kept where the model finds
 * them.
 */
#include "tui/slash/slash_private.h"

#include "base/str.h"
#include "changes/review.h"
#include "changes/review_findings.h"

#define FOR_MODEL "local://review.md"

static void review_tell(void *aside, const char *text)
{
    g_autofree char *line = g_strconcat("Review: ", text, NULL);
    aside_tell(aside, line, NULL);
}

/* A conversation without a place for it is shown the findings all the same. */
static bool review_keep(Aside *aside, const char *findings)
{
    g_autofree char *text = NULL;
    return aside_do(aside, "write", json_pack("{s:s, s:s}", "path", FOR_MODEL, "content", findings),
                    &text, NULL, NULL);
}

static bool review_show_end(Aside *aside, const ChangeReview *review, bool is_pull,
                            json_t **ret_data)
{
    g_autofree char *findings = review_show(review->findings);
    g_autoptr(GString) out = g_string_new(g_strchomp(findings));
    if (review->untracked > 0)
        g_string_append_printf(out, "\n%u untracked file%s not part of it.", review->untracked,
                               review->untracked == 1 ? " is" : "s are");
    if (review_keep(aside, findings))
        g_string_append_printf(out, "\n\nFor the model they are " FOR_MODEL ": it can %s.",
                               is_pull ? "prepare them as comments with gh_review" : "fix them");
    *ret_data = slash_shown(g_strdup(out->str));
    return true;
}

static bool review_run(Aside *aside, const char *argument, json_t **ret_data, GError **error)
{
    const char *number = slash_number(argument);
    ReviewSpec spec = {
        .cwd = aside_cwd(aside),
        .base = number || *argument == '\0' ? NULL : argument,
        .model = aside_summary(aside, error),
        .tell = review_tell,
        .data = aside,
    };
    if (!spec.model || (number && !str_parse_int(number, &spec.pr)))
        return false;
    g_auto(ChangeReview) review = { 0 };
    return change_review(&spec, aside_cancel(aside), &review, error) &&
           review_show_end(aside, &review, number, ret_data);
}

SLASH(review)
{
    if (slash_number(argument) && // it is offered by name only
        !agent_session_add_tool(door->session, "gh_review", error))
        return false;
    return agent_session_aside(door->session, review_run, argument, SLASH_ID "review", error);
}
