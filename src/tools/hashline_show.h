/*
 * What an edit by anchors says (agent-tools §3.3.4, §3.3.5). Pure; thread safe.
 */
#pragma once

#include "tools/text_lines.h"

/* The error for anchors that no longer fit: `stale` (of size_t, ascending) among `lines`, with two
   lines on each side and their anchors of now. Caller frees. */
char *hashline_describe_stale(const GArray *lines, const GArray *stale);
