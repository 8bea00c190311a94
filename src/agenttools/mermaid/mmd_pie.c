/*
 * Checks the statements of pie charts (agent-tools-cli §8.7).
 */
#include "agenttools/mermaid/mmd_plain.h"

/* `12`, `1.5`, `-3`: bytes, 0: none. */
static size_t number_size(const char *at)
{
    size_t sign = *at == '-' ? 1 : 0;
    size_t digits = strspn(at + sign, "0123456789");
    if (digits == 0)
        return 0;
    const char *rest = at + sign + digits;
    size_t fraction = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    if (fraction > 0)
        return rest[1 + fraction] == '.' ? 0 : sign + digits + 1 + fraction;
    bool has_zero = at[sign] == '0' && digits > 1;
    return *rest == '.' || has_zero ? 0 : sign + digits;
}

static bool take_slice(MmdParser *p)
{
    static const char expected[] = "a slice such as \"Dogs\" : 10";
    if (*p->at != '"' && *p->at != '\'') {
        const char *line_end = mmd_line_end(p->at, p->end);
        const char *colon = g_strstr_len(p->at, line_end - p->at, ":");
        g_autofree char *label = g_strndup(p->at, colon != NULL ? (size_t)(colon - p->at) : 0);
        mmd_unexpected(p, expected);
        g_strstrip(label);
        return *label != '\0'
                   ? mmd_hint(p, "Write \"%s\" %.*s", label, (int)(line_end - colon), colon)
                   : false;
    }
    if (!plain_take_string(p, NULL, expected))
        return false;
    plain_skip(p);
    if (!mmd_take(p, ":"))
        return mmd_unexpected(p, "':' after the label");
    plain_skip(p);

    const char *number = p->at;
    size_t size = number_size(number);
    if (size == 0) {
        mmd_unexpected(p, "a number");
        return mmd_hint(p, "write a plain number such as 12 or 1.5");
    }
    if (*number == '-' && g_ascii_strtod(number, NULL) < 0)
        return mmd_fail(p, MMD_SEMANTIC, number, "a slice must not be negative: %.*s", (int)size,
                        number);
    p->at += size;
    return plain_take_line_end(p, "the end of the line after the number");
}

bool mmd_parse_pie(MmdParser *p)
{
    if (!plain_is_word_end(p))
        return mmd_unexpected(p, "a blank or the end of the line after 'pie'");
    plain_skip(p);
    const char *start = p->at;
    if (mmd_take(p, "showData") && !plain_is_word_end(p))
        p->at = start;
    plain_skip(p);
    if (*p->at == '\n' && !plain_take_line_end(p, ""))
        return false;

    while (!mmd_at_end(p)) {
        bool is_title;
        if (!plain_take_title(p, &is_title))
            return false;
        if (!is_title && !take_slice(p))
            return false;
    }
    return true;
}
