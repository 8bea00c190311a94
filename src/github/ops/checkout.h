/*
 * Checking out one pull request into a worktree of its own (github-tool §3.3). Blocks; several may
 * run at once: what gh is asked runs side by side, what git changes runs under the repository's
 * lock.
 */
#pragma once

#include "tool/tool.h"

typedef struct CheckoutRequest {
    const char *entry; // as given: number, URL, branch; NULL: the current branch's pull request
    const char *repo;  // NULL: none was given
    bool force;
} CheckoutRequest;

typedef struct Checkout {
    json_t *pr; // gh's reply
    int64_t number;
    char *url;      // NULL: unknown
    char *head_ref; // branch name on the remote
    char *head_oid;
    char *head_repo; // OWNER/REPO; NULL: unknown
    char *branch;    // local: pr-<number>
    char *worktree_path;
    char *remote;
    char *remote_url; // as configured; NULL: unknown
    bool is_reused;
} Checkout;

void checkout_free(Checkout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Checkout, checkout_free)

bool checkout_pr(ToolCall *call, const CheckoutRequest *request, Checkout **ret_checkout,
                 GError **error);
