/*
 * Fuzz target: a comment that may hold a checkpoint. What is read of it is text, and written again
 * as a checkpoint it is read as the same.
 */
#include "wm/workspace/checkpoint.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    g_autofree char *body = g_strndup((const char *)data, size);
    g_autofree char *summary = wm_checkpoint_parse(body);
    if (!summary)
        return 0;
    g_assert(g_utf8_validate(summary, -1, NULL));
    const WmCheckpoint checkpoint = { .summary = summary };
    g_autofree char *text = wm_checkpoint_text(&checkpoint);
    g_autofree char *again = wm_checkpoint_parse(text);
    g_assert(g_strcmp0(again, summary) == 0);
    const char *end = strstr(text, "-->");
    g_assert(end && end[strlen("-->")] == '\0');
    return 0;
}
