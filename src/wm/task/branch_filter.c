/*
 * Branch filters (branch_filter.h), translated to regular expressions.
 */
#include "wm/task/branch_filter.h"

#include <string.h>

#define MAX_PATTERN_BYTES ((size_t)1024)
#define MAX_BRANCH_BYTES  ((size_t)1024)

static const char *append_class(GString *out, const char *at)
{
    const char *end = strchr(at + 1, ']');
    if (!end || end == at + 1) {
        g_string_append(out, "\\[");
        return at + 1;
    }
    g_string_append_c(out, '[');
    for (const char *p = at + 1; p < end; p++) {
        if (strchr("\\[^", *p))
            g_string_append_c(out, '\\');
        g_string_append_c(out, *p);
    }
    g_string_append_c(out, ']');
    return end + 1;
}

static const char *append_literal(GString *out, const char *at)
{
    const char *next = g_utf8_next_char(at);
    g_autofree char *escaped = g_regex_escape_string(at, (int)(next - at));
    g_string_append(out, escaped);
    return next;
}

static char *regex_of(const char *pattern)
{
    GString *out = g_string_new("\\A");
    bool is_repeatable = false;
    for (const char *at = pattern; *at;) {
        if (*at == '*') {
            size_t stars = strspn(at, "*");
            g_string_append(out, stars > 1 ? ".*" : "[^/]*");
            at += stars;
            is_repeatable = false;
        } else if ((*at == '?' || *at == '+') && is_repeatable) {
            g_string_append_c(out, *at++);
            is_repeatable = false;
        } else {
            bool is_escaped = *at == '\\' && at[1];
            at += is_escaped;
            at = *at == '[' && !is_escaped ? append_class(out, at) : append_literal(out, at);
            is_repeatable = true;
        }
    }
    return g_string_free(g_string_append(out, "\\z"), FALSE);
}

static bool matches(const char *pattern, const char *branch)
{
    if (strlen(pattern) > MAX_PATTERN_BYTES || strlen(branch) > MAX_BRANCH_BYTES)
        return false;
    g_autofree char *text = regex_of(pattern);
    g_autoptr(GRegex) regex = g_regex_new(text, G_REGEX_DOTALL, 0, NULL);
    return regex && g_regex_match_full(regex, branch, -1, 0, 0, NULL, NULL);
}

bool wm_branch_matches(const json_t *patterns, const char *branch)
{
    bool is_match = false;
    json_each (patterns, index, item) {
        const char *pattern = json_string_value(item);
        bool takes_back = *pattern == '!';
        if (matches(pattern + takes_back, branch))
            is_match = !takes_back;
    }
    return is_match;
}
