/*
 * What is said about a checked-out pull request (github-tool §3.4), and its `checkouts` entry
 * (github-tool §1.3). Pure.
 */
#pragma once

#include "github/ops/checkout.h"

char *checkout_text(const Checkout *checkout); // caller frees
/* Of one that `entry` of the same call named before. Caller frees. */
char *checkout_text_again(const Checkout *checkout, const char *entry);
json_t *checkout_details(const Checkout *checkout, bool is_reused); // new reference
