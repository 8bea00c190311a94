/*
 * GitHub URLs with a number: pull requests, issues, Actions runs (github-tool §5.4, §5.5).
 */
#include "base/str.h"
#include "github/repo_ref.h"
#include "github/text.h"

#define SCHEME        "https://"
#define URL_MAX_BYTES 2048

void github_url_clear(GithubUrl *self)
{
    g_free(self->host);
    g_free(self->slug);
    *self = (GithubUrl) { 0 };
}

/* "<digits>" and then nothing, or what begins a longer path, a query or a fragment. */
static bool parse_number(const char *text, int64_t *ret_number)
{
    size_t length = strspn(text, "0123456789");
    if (text[length] != '\0' && !strchr("/?#", text[length]))
        return false;
    g_autofree char *digits = g_strndup(text, length);
    return text_parse_posint(digits, ret_number);
}

bool github_url_parse(const char *url, const char *kind, GithubUrl *ret_url)
{
    if (!url || !str_has_prefix(url, SCHEME) || strlen(url) > URL_MAX_BYTES)
        return false;
    // host / owner / name / the rest
    g_auto(GStrv) parts = g_strsplit(url + strlen(SCHEME), "/", 4);
    if (g_strv_length(parts) != 4)
        return false;
    g_autofree char *text = g_strjoin("/", parts[0], parts[1], parts[2], NULL);
    g_auto(RepoRef) ref = { 0 };
    if (*parts[1] == '-' || !repo_ref_parse(text, &ref))
        return false;

    const char *rest = parts[3];
    size_t length = strlen(kind);
    int64_t number;
    if (!str_has_prefix(rest, kind) || rest[length] != '/' ||
        !parse_number(rest + length + 1, &number))
        return false;
    *ret_url = (GithubUrl) {
        .host = g_steal_pointer(&ref.host),
        .slug = g_steal_pointer(&ref.slug),
        .number = number,
    };
    return true;
}

char *github_url_repo(const GithubUrl *url, const Settings *settings)
{
    g_autofree char *default_host = repo_default_host(settings);
    if (str_equal_nocase(url->host, default_host))
        return g_strdup(url->slug);
    return g_strconcat(url->host, "/", url->slug, NULL);
}
