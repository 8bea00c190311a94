/*
 * Repository references: [HOST/]OWNER/REPO. The strict form keeps a reference from being read as an
 * option of gh or from leaving the path of an API call (github-tool §0.4).
 */
#include "github/repo_ref.h"

#include "base/str.h"

void repo_ref_clear(RepoRef *self)
{
    g_free(self->host);
    g_free(self->slug);
    *self = (RepoRef) { 0 };
}

static bool is_name(const char *text)
{
    if (*text == '\0' || strcmp(text, ".") == 0 || strcmp(text, "..") == 0)
        return false;
    for (; *text != '\0'; text++) {
        if (!g_ascii_isalnum(*text) && !strchr("_.-", *text))
            return false;
    }
    return true;
}

/* Letters, digits, dots and hyphens, then maybe a port. */
static bool is_host(const char *text)
{
    const char *p = text;
    while (g_ascii_isalnum(*p) || *p == '.' || *p == '-')
        p++;
    size_t length = (size_t)(p - text);
    if (length == 0 || (length == 1 && *text == '.') || (length == 2 && str_has_prefix(text, "..")))
        return false;
    if (*p == '\0')
        return true;
    if (*p != ':' || p[1] == '\0')
        return false;
    return strspn(p + 1, "0123456789") == strlen(p + 1);
}

bool repo_ref_parse(const char *text, RepoRef *ret_ref)
{
    if (str_is_empty(text) || *text == '-')
        return false;
    g_auto(GStrv) parts = g_strsplit(text, "/", 4);
    guint count = g_strv_length(parts);
    if (count < 2 || count > 3)
        return false;
    if (count == 3 && !is_host(parts[0]))
        return false;
    char **name = parts + (count - 2);
    if (!is_name(name[0]) || !is_name(name[1]))
        return false;

    *ret_ref = (RepoRef) {
        .host = count == 3 ? g_ascii_strdown(parts[0], -1) : NULL,
        .slug = g_strconcat(name[0], "/", name[1], NULL),
    };
    return true;
}

bool repo_ref_equal(const char *a, const char *b, const Settings *settings)
{
    g_auto(RepoRef) left = { 0 };
    g_auto(RepoRef) right = { 0 };
    if (!repo_ref_parse(a, &left) || !repo_ref_parse(b, &right))
        return str_equal_nocase(a, b);

    g_autofree char *default_host = repo_default_host(settings);
    return str_equal_nocase(left.host != NULL ? left.host : default_host,
                            right.host != NULL ? right.host : default_host) &&
           str_equal_nocase(left.slug, right.slug);
}
