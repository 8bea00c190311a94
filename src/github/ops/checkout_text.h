/*
 * What is said about a checked-out pull request (github-tool §3.4), and its `checkouts` entry
 * (§1.3). Pure.
 */
#pragma once

#include "github/ops/checkout.h"

char *checkout_text(const Checkout *checkout);      // caller frees
json_t *checkout_details(const Checkout *checkout); // new reference
