/*
 * Getting a pull request's head commit (github-tool §3.3, step 7): from its branch, or, where that
 * is gone or elsewhere, from refs/pull/N/head. Blocks; the caller holds the repository's lock.
 */
#pragma once

#include "github/ops/checkout.h"

/* Fetches checkout->head_oid (which may become a newer commit) and sets the remote's fields and
   has_no_push_target. `ret_start` is the ref that holds it. */
bool checkout_head_fetch(ToolCall *call, const char *root, const CheckoutRequest *request,
                         Checkout *checkout, char **ret_start, GError **error);
