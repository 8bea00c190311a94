/*
 * Ignore files of repositories: rules up to the first NUL, then the path of an entry. What the
 * rules say does not depend on how they are cut into files (the last that speaks decides), nor on
 * rules that say nothing.
 */
#include "base/limits.h"
#include "tools/file/ignore.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static IgnoreVerdict verdict(const char *rules, size_t size, const char *path, bool is_directory)
{
    // in memory of exactly this size: a reader that goes too far is seen
    g_autofree char *copy = g_memdup2(rules, size);
    g_autoptr(IgnoreRules) parsed = ignore_rules_parse(size > 0 ? copy : "", size);
    return ignore_rules_judge(parsed, path, is_directory, NULL);
}

/* A byte order mark counts at the beginning of a file alone. */
static bool has_mark(const char *rules, size_t size)
{
    return g_strstr_len(rules, (gssize)size, "\xef\xbb\xbf") != NULL;
}

static void check_cuts(const char *rules, size_t size, const char *path, bool is_directory)
{
    IgnoreVerdict want = verdict(rules, size, path, is_directory);
    const char *line_end = size > 0 ? memchr(rules, '\n', size) : NULL;
    if (!line_end || has_mark(rules, size))
        return;
    size_t head = (size_t)(line_end - rules) + 1;
    IgnoreVerdict got = verdict(rules + head, size - head, path, is_directory);
    if (got == IGNORE_SAYS_NOTHING)
        got = verdict(rules, head, path, is_directory);
    if (got != want)
        abort();
}

static void check_silence(const char *rules, size_t size, const char *path)
{
    g_autoptr(GString) more = g_string_new_len(rules, (gssize)size);
    g_autofree char *too_long = g_strnfill(LIMIT_IGNORE_RULE_BYTES + 1, '*');
    g_string_append_printf(more, "\n# *\n\n/\n%s\n", too_long);
    if (verdict(more->str, more->len, path, false) != verdict(rules, size, path, false))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *rules = (const char *)data;
    const uint8_t *zero = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t rules_size = zero ? (size_t)(zero - data) : size;
    g_autofree char *path =
        zero ? g_strndup((const char *)zero + 1, size - rules_size - 1) : g_strdup("src/main.c");
    check_cuts(rules, rules_size, path, false);
    check_cuts(rules, rules_size, path, true);
    check_silence(rules, rules_size, path);
    return 0;
}
