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
    char *url;       // NULL: unknown
    char *head_ref;  // branch name on the remote
    char *head_oid;  // the head commit, as last asked
    char *head_repo; // OWNER/REPO; NULL: unknown
    char *branch;    // local: pr-<number>
    char *worktree_path;
    char *remote;
    char *remote_url; // as configured; NULL: unknown
    bool is_reused;
    bool has_no_push_target; // the head branch is gone; the commit came from refs/pull/N/head
    char *reset_from;        // the commit that force moved a reused worktree from; NULL: it did not
    char *state;             // of a reused worktree: "clean"
    char *left_off;          // what git did not run while it wrote the files; NULL: nothing
    int64_t ahead, behind;   // of a reused worktree, compared with the head
} Checkout;

void checkout_free(Checkout *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Checkout, checkout_free)

/* What GitHub says about the pull request. Several may be asked at once. */
bool checkout_fetch_facts(ToolCall *call, const CheckoutRequest *request, Checkout **ret_checkout,
                          GError **error);
/* The rest, under the lock. */
bool checkout_finish(ToolCall *call, const CheckoutRequest *request, Checkout *checkout,
                     GError **error);
/* Do both name one pull request of one repository? */
bool checkout_is_same(const Checkout *a, const Checkout *b);
