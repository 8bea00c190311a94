/*
 * issue://, pr:// and run://: from an address to the text after it (github-tool §7). Blocks;
 * inside a call that has its permit.
 */
#pragma once

#include "github/urls/item_url.h"
#include "tool/internal_url.h"

/* USAGE for what is no such address; else gh's own words behind a prefix that says what was tried.
 */
bool item_read(ToolCall *call, const ItemUrl *url, UrlResource *ret_resource, GError **error);

// one view each; the first takes the repository from the address or the current checkout

bool item_read_list(ToolCall *call, const ItemUrl *url, UrlResource *resource, GError **error);
bool item_read_checks(ToolCall *call, const char *repo, int64_t number, UrlResource *resource,
                      GError **error);
bool item_read_run(ToolCall *call, const char *repo, const ItemUrl *url, UrlResource *resource,
                   GError **error);
