/* See github_mark.h. */
#include "session/github_mark.h"

#include "base/utf8.h"

#define MAX_PART_CHARS 300 // of a session file that somebody else wrote

static const struct {
    const char *name, *path; // in a URL
} kinds[] = {
    [GITHUB_REPOSITORY] = { "repository", NULL },
    [GITHUB_ISSUE] = { "issue", "issues" },
    [GITHUB_PULL] = { "pull request", "pull" },
    [GITHUB_RUN] = { "run", "actions/runs" },
};

static char *url_of(const GithubMark *mark)
{
    if (!mark->repo)
        return g_strconcat("https://", mark->host, NULL);
    if (mark->number <= 0 || !kinds[mark->kind].path)
        return g_strconcat("https://", mark->host, "/", mark->repo, NULL);
    return g_strdup_printf("https://%s/%s/%s/%" G_GINT64_FORMAT, mark->host, mark->repo,
                           kinds[mark->kind].path, mark->number);
}

json_t *github_mark_to_json(const GithubMark *mark)
{
    json_t *object = json_object();
    g_autofree char *url = url_of(mark);
    json_set_text(object, "host", mark->host);
    if (mark->repo) {
        json_add(object, "repository:%s kind:%s", mark->repo, kinds[mark->kind].name);
    }
    if (mark->repo && mark->number > 0)
        json_set_int(object, "number", mark->number);
    json_set_text(object, "url", url);
    return object;
}

/* One line, however it came. */
static void append_part(GString *line, const char *before, const char *text)
{
    if (!text)
        return;
    g_autofree char *cut = utf8_ellipsize(text, MAX_PART_CHARS);
    g_string_append_printf(line, "%s%s", before, g_strdelimit(cut, "\r\n\t", ' '));
}

char *github_mark_line(const json_t *details)
{
    const json_t *mark = json_get_object(details, "github");
    const char *host = json_get_text(mark, "host");
    int64_t number = json_get_int(mark, "number", 0);
    if (!host)
        return NULL;
    GString *line = g_string_new("GitHub: ");
    append_part(line, "", host);
    append_part(line, "/", json_get_text(mark, "repository"));
    if (number > 0) {
        append_part(line, " ", json_get_text(mark, "kind"));
        g_string_append_printf(line, " %" G_GINT64_FORMAT, number);
    }
    append_part(line, " ", json_get_text(mark, "url"));
    return g_string_free(line, FALSE);
}
