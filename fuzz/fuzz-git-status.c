/*
 * What git says of a work tree, with names of everybody's in it: the status line gets one clean
 * line, an id, and counts that are none of less than nothing.
 */
#include "tui/view/git_state.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_auto(GitFacts) facts = { 0 };
    git_facts_parse((const char *)data, size, &facts);
    for (const char *p = facts.branch; p && *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            abort();
    }
    if (facts.branch && !g_utf8_validate(facts.branch, -1, NULL))
        abort();
    if (facts.head && strspn(facts.head, "0123456789abcdef") != strlen(facts.head))
        abort();
    if (facts.staged < 0 || facts.unstaged < 0 || facts.untracked < 0)
        abort();
    return 0;
}
