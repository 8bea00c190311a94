/*
 * How the items of a search are shown (github-tool §2.6–2.9). Pure. Each function appends the
 * item's lines, the last with its line feed.
 */
#pragma once

#include "base/json.h"

typedef void (*SearchFormatFunc)(GString *out, const json_t *item);

/* OWNER/REPO that a result of any kind is from; NULL: it does not say. Borrowed. */
const char *search_format_repository(const json_t *item);

void search_format_issue(GString *out, const json_t *item); // pull requests, too
void search_format_code(GString *out, const json_t *item);
void search_format_commit(GString *out, const json_t *item);
void search_format_repo(GString *out, const json_t *item);
