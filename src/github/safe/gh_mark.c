/*
 * The thing that a command line of gh is about (gh_mark.h).
 */
#include "github/safe/gh_mark.h"

#include "base/str.h"
#include "github/repo_ref.h"
#include "github/text.h"

static const struct {
    const char *command; // its first word
    const char *path;    // of the REST interface, behind the repository
    const char *url;     // as of github_url_parse()
    GithubKind kind;
} kinds[] = {
    { "pr", "pulls", "pull", GITHUB_PULL },
    { "issue", "issues", "issues", GITHUB_ISSUE },
    { "run", "actions/runs", "actions/runs", GITHUB_RUN },
};

/* "9" or the URL of it. */
static bool read_number(const char *text, size_t kind, int64_t *ret_number)
{
    g_auto(GithubUrl) url = { 0 };
    if (text_parse_posint(text, ret_number))
        return true;
    if (!github_url_parse(text, kinds[kind].url, &url))
        return false;
    *ret_number = url.number;
    return true;
}

static void read_command(const Classified *classified, GithubMark *mark)
{
    const char *subject = command_args_positional(classified->args, 0);
    for (size_t i = 0; subject && i < G_N_ELEMENTS(kinds); i++) {
        size_t length = strlen(kinds[i].command);
        bool is_it = str_has_prefix(classified->command, kinds[i].command) &&
                     (classified->command[length] == ' ' || classified->command[length] == '\0');
        if (is_it && read_number(subject, i, &mark->number))
            mark->kind = kinds[i].kind;
    }
}

/* repos/OWNER/REPO/pulls/9/files */
static void read_endpoint(const char *path, GithubMark *mark)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", 4);
    if (g_strv_length(parts) != 4 || strcmp(parts[0], "repos") != 0)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        size_t length = strlen(kinds[i].path);
        if (!str_has_prefix(parts[3], kinds[i].path) || parts[3][length] != '/')
            continue;
        const char *number = parts[3] + length + 1;
        g_autofree char *digits = g_strndup(number, strcspn(number, "/"));
        if (text_parse_posint(digits, &mark->number))
            mark->kind = kinds[i].kind;
    }
}

void gh_mark_set(const Classified *classified, const GhContext *target, ToolResult *result)
{
    GithubMark mark = { .host = target->host, .repo = target->repo };
    if (classified->api_path)
        read_endpoint(classified->api_path, &mark);
    else if (classified->command)
        read_command(classified, &mark);
    tool_result_set_github(result, &mark);
}
