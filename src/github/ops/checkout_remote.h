/*
 * The remote that a pull request's head is fetched from and pushed to (github-tool §3.3, step 6).
 * Blocks; the caller holds the repository's lock.
 */
#pragma once

#include "github/ops/checkout.h"

typedef struct CheckoutRemote {
    char *name;
    char *raw_url; // as configured
    /* OWNER/REPO that no remote of this checkout points at: the fetched commit has to be the
       expected one. NULL: nothing to check. */
    char *unmatched_slug;
} CheckoutRemote;

void checkout_remote_clear(CheckoutRemote *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CheckoutRemote, checkout_remote_clear)

/* Finds or, for a fork, adds the remote. */
bool checkout_remote_pick(ToolCall *call, const char *root, const Checkout *checkout,
                          CheckoutRemote *ret_remote, GError **error);

/* owner/name of a network URL (http, https, ssh, git, or [user@]host:path), without .git; NULL for
   any other form. Caller frees. */
char *checkout_remote_slug(const char *url);
