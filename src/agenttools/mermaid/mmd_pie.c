/*
 * Checks the statements of pie charts (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_lines.h"

static bool fail_label(MmdParser *p, const char *expected)
{
    const char *line_end = mmd_line_end(p->at, p->end);
    const char *colon = g_strstr_len(p->at, line_end - p->at, ":");
    g_autofree char *label = g_strndup(p->at, colon ? (size_t)(colon - p->at) : 0);
    mmd_unexpected(p, expected);
    return *g_strstrip(label) != '\0' &&
           mmd_hint(p, "Write \"%s\" %.*s", label, (int)(line_end - colon), colon);
}

static bool take_slice(MmdParser *p)
{
    static const char expected[] = "a slice such as \"Dogs\" : 10";
    if (*p->at != '"' && *p->at != '\'')
        return fail_label(p, expected);
    if (!plain_take_string(p, NULL, expected))
        return false;
    plain_skip(p);
    if (!mmd_skip(p, ":"))
        return mmd_unexpected(p, "':' after the label");
    plain_skip(p);
    const char *number = p->at;
    if (!mmd_skip(p, "-?(\\d+\\.\\d+(?!\\.)|(0(?!\\d)|[1-9]\\d*)(?!\\.))")) {
        mmd_unexpected(p, "a number");
        return mmd_hint(p, "write a plain number such as 12 or 1.5");
    }
    if (*number == '-' && g_ascii_strtod(number, NULL) < 0)
        return mmd_fail(p, MMD_SEMANTIC, number, "a slice must not be negative: %.*s",
                        (int)(p->at - number), number);
    return plain_take_line_end(p, "the end of the line after the number");
}

bool mmd_parse_pie(MmdParser *p)
{
    if (!plain_is_word_end(p))
        return mmd_unexpected(p, "a blank or the end of the line after 'pie'");
    plain_skip(p);
    mmd_skip(p, "showData(?=\\s|%%|$)");
    plain_skip(p);
    if (*p->at == '\n')
        plain_take_line_end(p, "");
    while (!mmd_at_end(p)) {
        bool is_title;
        if (!plain_take_title(p, &is_title) || (!is_title && !take_slice(p)))
            return false;
    }
    return true;
}
