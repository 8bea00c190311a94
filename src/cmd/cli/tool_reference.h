/*
 * docs/tools.md: a page on every tool, from the table.
 */
#pragma once

#include "tool/tool_set.h"

/* Markdown, with the default settings, whatever is installed here. Caller frees. */
char *tool_reference_markdown(const ToolSet *tools);
