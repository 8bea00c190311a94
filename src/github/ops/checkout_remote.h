/*
 * The remote that a pull request's head is fetched from and pushed to (github-tool §3.3, step 6).
 * Blocks; the caller holds the repository's lock.
 */
#pragma once

#include "github/ops/checkout.h"

typedef struct CheckoutRemote {
    char *name;
    char *raw_url; // as configured
    /* OWNER/REPO that no remote of this checkout points at, so that the commit alone can tell
       whether this is the repository. NULL: one does. */
    char *unmatched_slug;
    bool is_gone; // the fork: nothing else is set
} CheckoutRemote;

void checkout_remote_clear(CheckoutRemote *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CheckoutRemote, checkout_remote_clear)

/* Finds or, for a fork, adds the remote of the head branch. */
bool checkout_remote_pick(ToolCall *call, const char *root, const Checkout *checkout,
                          CheckoutRemote *ret_remote, GError **error);

/* The remote of the pull request's own repository, which has refs/pull/N/head. */
bool checkout_remote_pick_base(ToolCall *call, const char *root, const Checkout *checkout,
                               CheckoutRemote *ret_remote, GError **error);

/* owner/name of a network URL (http, https, ssh, git, or [user@]host:path), without .git; NULL for
   any other form. Caller frees. */
char *checkout_remote_slug(const char *url);
