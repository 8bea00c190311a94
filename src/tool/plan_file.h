/*
 * The file of a plan (plan_mode.h), by its URL. Thread safe.
 */
#pragma once

#include "tool/tool.h"

/* A URL that a session file or a person names as the plan: local:// and a name that ends in .md,
   without folders and parameters. */
bool plan_file_is_url(const char *url);
/* The file behind such a URL, which need not exist. Caller frees. */
bool plan_file_locate(const ToolContext *context, const char *url, char **ret_path, GError **error);
/* Its text, at most LIMIT_PLAN_BYTES. Caller frees. */
bool plan_file_read(const ToolContext *context, const char *url, char **ret_text, GError **error);
bool plan_file_write(const ToolContext *context, const char *url, const char *text, GError **error);
