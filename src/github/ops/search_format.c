/*
 * One search result as text: a headline and indented facts; what GitHub did not say has no line.
 */
#include "github/ops/search_format.h"

#include "base/str.h"
#include "github/text.h"

#define INDENT "  "

/* The text of obj[key], or what is said without it. Borrowed. */
static const char *text_or(const json_t *object, const char *key, const char *fallback)
{
    const char *text = json_get_text(object, key);
    return str_is_empty(text) ? fallback : text;
}

/* First line of obj[key], normalised; NULL when missing. Caller frees. */
static char *first_line_of(const json_t *object, const char *key)
{
    g_autofree char *text = text_norm(json_get_text(object, key));
    return *text != '\0' ? text_first_line(text) : NULL;
}

static void append_repository(GString *out, const json_t *item)
{
    text_line_json(out, INDENT, "Repo", json_get_object(item, "repository"), "full_name");
}

/* OWNER/NAME at the end of ".../repos/OWNER/NAME"; NULL for any other URL. Borrowed. */
static const char *repository_of_url(const char *url)
{
    static const char mark[] = "/repos/";
    const char *found = url != NULL ? g_strrstr(url, mark) : NULL;
    if (!found)
        return NULL;
    const char *slug = found + strlen(mark);
    const char *slash = strchr(slug, '/');
    if (!slash || slash == slug || slash[1] == '\0' || strchr(slash + 1, '/'))
        return NULL;
    return slug;
}

const char *search_format_repository(const json_t *item)
{
    const char *name = json_get_text(json_get_object(item, "repository"), "full_name");
    if (!name)
        name = repository_of_url(json_get_text(item, "repository_url"));
    return name ? name : json_get_text(item, "full_name");
}

void search_format_issue(GString *out, const json_t *item)
{
    const json_t *merged_at = json_object_get(json_get_object(item, "pull_request"), "merged_at");
    bool is_merged = merged_at != NULL && !json_is_null(merged_at);
    g_autofree char *number = text_scalar(json_object_get(item, "number"));
    g_autofree char *author = text_author(json_get_object(item, "user"));
    g_autofree char *labels = text_labels(json_get_array(item, "labels"));

    g_string_append_printf(out, "- #%s %s\n", number != NULL ? number : "?",
                           text_or(item, "title", "Untitled"));
    text_line(out, INDENT, "Repo", repository_of_url(json_get_text(item, "repository_url")));
    text_line(out, INDENT, "State", is_merged ? "merged" : json_get_text(item, "state"));
    text_line(out, INDENT, "Author", author);
    text_line(out, INDENT, "Labels", labels);
    text_line_json(out, INDENT, "Created", item, "created_at");
    text_line_json(out, INDENT, "Updated", item, "updated_at");
    text_line_json(out, INDENT, "URL", item, "html_url");
}

/* The first line of the first fragment that has text. Caller frees; NULL when there is none. */
static char *match_of(const json_t *item)
{
    json_each (json_get_array(item, "text_matches"), i, match) {
        if (!str_is_empty(json_get_text(match, "fragment")))
            return first_line_of(match, "fragment");
    }
    return NULL;
}

void search_format_code(GString *out, const json_t *item)
{
    g_autofree char *sha = text_sha12(text_or(item, "sha", ""));
    g_autofree char *match = match_of(item);
    g_string_append_printf(out, "- %s\n", text_or(item, "path", "(unknown path)"));
    append_repository(out, item);
    text_line(out, INDENT, "Commit", sha);
    text_line_json(out, INDENT, "URL", item, "html_url");
    text_line(out, INDENT, "Match", match);
}

void search_format_commit(GString *out, const json_t *item)
{
    const json_t *commit = json_get_object(item, "commit");
    const json_t *author = json_get_object(commit, "author");
    const json_t *committer = json_get_object(commit, "committer");
    const char *full_sha = json_get_text(item, "sha");
    g_autofree char *sha =
        str_is_empty(full_sha) ? g_strdup("(unknown sha)") : text_sha12(full_sha);
    g_autofree char *subject = first_line_of(commit, "message");
    g_autofree char *account = text_author(json_get_object(item, "author"));

    g_string_append_printf(out, "- %s %s\n", sha,
                           subject != NULL ? subject : "(no commit message)");
    append_repository(out, item);
    text_line(out, INDENT, "Author", account != NULL ? account : json_get_text(author, "name"));
    text_line(out, INDENT, "Date", text_or(author, "date", json_get_text(committer, "date")));
    text_line_json(out, INDENT, "URL", item, "html_url");
}

void search_format_repo(GString *out, const json_t *item)
{
    g_autofree char *description = first_line_of(item, "description");
    g_string_append_printf(out, "- %s\n", text_or(item, "full_name", "(unknown repository)"));
    text_line(out, INDENT, "Description", description);
    text_line_json(out, INDENT, "Language", item, "language");
    text_line_json(out, INDENT, "Stars", item, "stargazers_count");
    text_line_json(out, INDENT, "Forks", item, "forks_count");
    text_line_json(out, INDENT, "Open issues", item, "open_issues_count");
    text_line_json(out, INDENT, "Visibility", item, "visibility");
    text_line_json(out, INDENT, "Archived", item, "archived");
    text_line_json(out, INDENT, "Fork", item, "fork");
    text_line_json(out, INDENT, "Updated", item, "updated_at");
    text_line_json(out, INDENT, "URL", item, "html_url");
}
