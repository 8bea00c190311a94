/*
 * The layout of one checkout.
 */
#include "github/ops/checkout_text.h"

#include "base/utf8.h"
#include "github/redact.h"
#include "github/text.h"

char *checkout_text(const Checkout *checkout)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_printf(out,
                    checkout->is_reused ? "# Pull Request #%" G_GINT64_FORMAT " Worktree\n\n"
                                        : "# Checked Out Pull Request #%" G_GINT64_FORMAT "\n\n",
                    checkout->number);
    g_autofree char *url = checkout->remote_url != NULL ? redact_text(checkout->remote_url) : NULL;
    text_line_json(out, "", "Title", checkout->pr, "title");
    text_line(out, "", "URL", checkout->url);
    text_line_json(out, "", "Base", checkout->pr, "baseRefName");
    text_line(out, "", "Head", checkout->head_ref);
    text_line(out, "", "Local branch", checkout->branch);
    text_line(out, "", "Worktree", checkout->worktree_path);
    text_line(out, "", "Remote", checkout->remote);
    text_line(out, "", "Remote URL", url);
    text_line_json(out, "", "Cross repository", checkout->pr, "isCrossRepository");
    text_line_json(out, "", "Maintainer can modify", checkout->pr, "maintainerCanModify");
    g_string_append(
        out, checkout->is_reused
                 ? "\nReused the existing PR worktree."
                 : "\nCreated a dedicated worktree for this PR and configured the local branch "
                   "to push back to the PR head branch.");
    return utf8_trim(out->str);
}

json_t *checkout_details(const Checkout *checkout)
{
    json_t *details = json_object();
    json_set_int(details, "prNumber", checkout->number);
    json_set_text(details, "url", checkout->url);
    json_set_text(details, "branch", checkout->branch);
    json_set_text(details, "worktreePath", checkout->worktree_path);
    json_set_text(details, "remote", checkout->remote);
    json_set_text(details, "remoteBranch", checkout->head_ref);
    json_set_bool(details, "reused", checkout->is_reused);
    return details;
}
