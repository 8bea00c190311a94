/*
 * What an edit by anchors says (agent-tools §3.3.4, §3.3.5). Pure; thread safe.
 */
#pragma once

#include "tools/file/read_cache.h"
#include "tools/file/text_lines.h"

/* The error for lines that an edit must not take: `stale` ones are not what the model was shown,
   `unseen` ones it was not shown at all; both of size_t, ascending. It shows them with two lines on
   each side and their anchors of now, as long as they are not more than `max_bytes` (0: none), and
   adds what it shows to `shown`. Caller frees. */
char *hashline_describe_refusal(const GArray *lines, const GArray *stale, const GArray *unseen,
                                size_t max_bytes, ReadSnapshot *shown);
