/* See checkout_text.h. */
#include "github/ops/checkout_text.h"

#include "base/redact.h"
#include "base/utf8.h"
#include "github/text.h"

#define FORK_WARNING                                                                               \
    "\nWarning: this PR comes from a fork that does not allow edits by maintainers; a push will "  \
    "work only for somebody who may write to the fork."

/* "up to date", "2 ahead, 1 behind". Caller frees. */
static char *comparison_text(const Checkout *checkout)
{
    if (checkout->ahead == 0 && checkout->behind == 0)
        return g_strdup("up to date");
    GString *text = g_string_new(NULL);
    if (checkout->ahead > 0)
        g_string_append_printf(text, "%" G_GINT64_FORMAT " ahead", checkout->ahead);
    if (checkout->behind > 0)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT " behind",
                               checkout->ahead > 0 ? ", " : "", checkout->behind);
    return g_string_free(text, FALSE);
}

static void append_last_line(GString *out, const Checkout *checkout)
{
    if (checkout->reset_from) {
        g_autofree char *from = text_sha12(checkout->reset_from);
        g_autofree char *to = text_sha12(checkout->head_oid);
        g_string_append_printf(out,
                               "\nReset the existing PR worktree from %s to the PR head %s; the "
                               "old commits are in the reflog of %s.",
                               from, to, checkout->branch);
        return;
    }
    if (!checkout->is_reused && checkout->has_no_push_target)
        g_string_append_printf(out,
                               "\nCreated a dedicated worktree for this PR from "
                               "refs/pull/%" G_GINT64_FORMAT "/head. Its head branch is gone, so "
                               "there is nothing to push to.",
                               checkout->number);
    else if (!checkout->is_reused)
        g_string_append(out, "\nCreated a dedicated worktree for this PR and configured the local "
                             "branch to push back to the PR head branch.");
    else
        g_string_append(out, checkout->has_no_push_target
                                 ? "\nReused the existing PR worktree. The PR's head branch is "
                                   "gone, so there is nothing to push to."
                                 : "\nReused the existing PR worktree.");
    if (checkout->behind > 0)
        g_string_append(out, " It was not moved: merge or rebase there, or pass force=true to "
                             "reset it (only a clean worktree is reset).");
}

char *checkout_text(const Checkout *checkout)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_printf(out,
                    checkout->is_reused ? "# Pull Request #%" G_GINT64_FORMAT " Worktree\n\n"
                                        : "# Checked Out Pull Request #%" G_GINT64_FORMAT "\n\n",
                    checkout->number);
    g_autofree char *url = checkout->remote_url != NULL ? redact_text(checkout->remote_url) : NULL;
    g_autofree char *head =
        g_strconcat(checkout->head_ref, checkout->has_no_push_target ? " (gone)" : "", NULL);
    text_line_json(out, "", "Title", checkout->pr, "title");
    text_line(out, "", "URL", checkout->url);
    text_line_json(out, "", "Base", checkout->pr, "baseRefName");
    text_line(out, "", "Head", head);
    text_line(out, "", "Local branch", checkout->branch);
    text_line(out, "", "Worktree", checkout->worktree_path);
    text_line(out, "", "Remote", checkout->remote);
    text_line(out, "", "Remote URL", url);
    text_line_json(out, "", "Cross repository", checkout->pr, "isCrossRepository");
    text_line_json(out, "", "Maintainer can modify", checkout->pr, "maintainerCanModify");
    if (checkout->is_reused) {
        g_autofree char *comparison = comparison_text(checkout);
        text_line(out, "", "Compared with PR head", comparison);
        text_line(out, "", "Worktree state", checkout->state);
    }
    append_last_line(out, checkout);
    if (checkout->left_off) {
        g_autofree char *left_off = redact_text(checkout->left_off);
        g_string_append_printf(out,
                               "\nNot run while the files were written, which are somebody "
                               "else's: %s.",
                               left_off);
    }
    if (json_get_bool(checkout->pr, "isCrossRepository", false) &&
        !json_get_bool(checkout->pr, "maintainerCanModify", true))
        g_string_append(out, FORK_WARNING);
    return utf8_trim(out->str);
}

char *checkout_text_again(const Checkout *checkout, const char *entry)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_printf(out, "# Pull Request #%" G_GINT64_FORMAT " Worktree\n\n", checkout->number);
    text_line(out, "", "Local branch", checkout->branch);
    text_line(out, "", "Worktree", checkout->worktree_path);
    g_string_append_printf(out, "\nNamed before in this call (%s).", entry);
    return utf8_trim(out->str);
}

json_t *checkout_details(const Checkout *checkout, bool is_reused)
{
    return json_make("prNumber:%jd url:%s branch:%s worktreePath:%s remote:%s remoteBranch:%s "
                     "reused:%i leftOff:%s",
                     checkout->number, checkout->url, checkout->branch, checkout->worktree_path,
                     checkout->remote, checkout->head_ref, is_reused, checkout->left_off);
}
