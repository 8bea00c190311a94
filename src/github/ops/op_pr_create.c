/*
 * op pr_create: opens a pull request, then reads it back for a fuller answer (github-tool §2.2).
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/body_file.h"
#include "github/gh.h"
#include "github/ops/github_args.h"
#include "github/ops/pr_template.h"
#include "github/repo_ref.h"
#include "github/text.h"

#define PR_FIELDS_WITHOUT_COMMENTS                                                                 \
    "author,baseRefName,body,createdAt,files,headRefName,isDraft,labels,mergeStateStatus,number,"  \
    "reviews,reviewDecision,state,title,updatedAt,url"

typedef struct PrCreate { // the arguments, normalised
    const GithubArgs *args;
    char *repo, *title, *base, *head;
    BodyFile body;
} PrCreate;

static void pr_create_clear(PrCreate *self)
{
    g_free(self->repo);
    g_free(self->title);
    g_free(self->base);
    g_free(self->head);
    body_file_clear(&self->body);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(PrCreate, pr_create_clear)

bool github_pr_create_check(const GithubArgs *args, GError **error)
{
    bool has_title = args->title != NULL && !utf8_is_blank(args->title);
    if (!args->fill && !has_title)
        return fail_with(error, KEDGE_ERROR_USAGE, "title is required unless fill is true");
    if (args->fill && (has_title || args->has_body))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "fill is mutually exclusive with title and body");
    return true;
}

static bool op_pr_create_prepare(ToolCall *call, const GithubArgs *args, PrCreate *ret_create,
                                 GError **error)
{
    if (!github_pr_create_check(args, error) ||
        !github_repo_argument(call, args->repo, false, &ret_create->repo, error))
        return false;
    ret_create->args = args;
    ret_create->title = github_opt(args->title);
    ret_create->base = github_opt(args->base);
    ret_create->head = github_opt(args->head);
    if (args->fill)
        return true;
    g_autofree char *template = NULL;
    if (!args->has_body && !ret_create->repo)
        template = pr_template_read(tool_call_cwd(call), tool_call_cancel(call));
    const char *body = template ? template : args->body;
    return str_is_empty(body) || body_file_write("body.md", body, &ret_create->body, error);
}

static void add_option(GStrvBuilder *argv, const char *name, const char *value)
{
    if (value)
        g_strv_builder_add_many(argv, name, value, NULL);
}

static void add_options(GStrvBuilder *argv, const char *name, const json_t *values)
{
    g_auto(GStrv) list = github_opt_list(values);
    for (char **value = list; *value; value++)
        add_option(argv, name, *value);
}

static char **build_argv(const PrCreate *create)
{
    const GithubArgs *args = create->args;
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_strv_builder_add_many(argv, "pr", "create", NULL);
    add_option(argv, "--repo", create->repo);
    add_option(argv, "--title", create->title);
    add_option(argv, "--base", create->base);
    add_option(argv, "--head", create->head);
    if (args->draft)
        g_strv_builder_add(argv, "--draft");
    if (args->fill)
        g_strv_builder_add(argv, "--fill");
    add_options(argv, "--reviewer", args->reviewer);
    add_options(argv, "--assignee", args->assignee);
    add_options(argv, "--label", args->label);
    if (create->body.path)
        add_option(argv, "--body-file", create->body.path);
    else if (!args->fill)
        add_option(argv, "--body", ""); // without any body gh opens an editor
    return g_strv_builder_end(argv);
}

/* The first line that is a URL, else everything. Caller frees. */
static char *find_url(const char *output)
{
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_autofree char *text = utf8_trim(*line);
        if (str_has_prefix(text, "https://"))
            return g_steal_pointer(&text);
    }
    return utf8_trim(output);
}

/* Reads the new pull request; *ret_view stays NULL when that does not work. Fails only when
   cancelled: the pull request is there, whatever happens now. */
static bool read_back(ToolCall *call, const GithubUrl *url, const char *repo, json_t **ret_view,
                      GError **error)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, url->number);
    g_autofree char *url_repo = github_url_repo(url, tool_call_settings(call));
    const GhSpec spec = {
        .argv =
            (const char *const[]) { "pr", "view", number, "--repo", repo != NULL ? repo : url_repo,
                                    "--json", PR_FIELDS_WITHOUT_COMMENTS, NULL },
        .has_explicit_repo = true,
    };
    g_autoptr(GError) failure = NULL;
    if (gh_json(call, &spec, JSON_OBJECT, ret_view, &failure))
        return true;
    if (!error_is(failure, KEDGE_ERROR_CANCELLED))
        return true;
    return pass_error(error, &failure);
}

/* obj[key], else the argument. Borrowed. */
static const char *op_pr_create_either(const json_t *view, const char *key, const char *argument)
{
    const char *text = json_get_text(view, key);
    return str_is_empty(text) ? argument : text;
}

/* The answer's text. Caller frees. `number` 0: unknown; `view` may be NULL. */
static char *pr_create_format(const PrCreate *create, const char *url, int64_t number,
                              const json_t *view)
{
    const char *title = op_pr_create_either(view, "title", create->title);
    if (!title)
        title = "Untitled";
    g_autofree char *author = text_author(json_get_object(view, "author"));
    g_autofree char *labels = text_labels(json_get_array(view, "labels"));
    g_autofree char *body = text_norm(json_get_text(view, "body"));
    bool is_draft = json_get_bool(view, "isDraft", create->args->draft);

    g_autoptr(GString) out = g_string_new("# Created Pull Request");
    if (number > 0)
        g_string_append_printf(out, " #%" G_GINT64_FORMAT, number);
    g_string_append_printf(out, ": %s\n\n", title);
    text_line(out, "", "URL", *url != '\0' ? url : json_get_text(view, "url"));
    text_line_json(out, "", "State", view, "state");
    text_line(out, "", "Draft", is_draft ? "true" : "false");
    text_line(out, "", "Base", op_pr_create_either(view, "baseRefName", create->base));
    text_line(out, "", "Head", op_pr_create_either(view, "headRefName", create->head));
    text_line(out, "", "Author", author);
    text_line_json(out, "", "Created", view, "createdAt");
    text_line(out, "", "Labels", labels);
    if (*body != '\0')
        g_string_append_printf(out, "\n## Body\n\n%s\n", body);
    return utf8_trim(out->str);
}

bool github_pr_create(ToolCall *call, const GithubArgs *args, ToolResult *result, GError **error)
{
    g_auto(PrCreate) create = { 0 };
    if (!op_pr_create_prepare(call, args, &create, error))
        return false;
    g_auto(GStrv) argv = build_argv(&create);
    const GhSpec spec = { .argv = (const char *const *)argv,
                          .has_explicit_repo = create.repo != NULL };
    g_autofree char *output = NULL;
    if (!gh_text(call, &spec, &output, error))
        return false;

    g_autofree char *url = find_url(output);
    g_auto(GithubUrl) parsed = { 0 };
    g_autoptr(json_t) view = NULL;
    if (github_url_parse(url, "pull", &parsed) &&
        !read_back(call, &parsed, create.repo, &view, error))
        return false;
    g_autofree char *text = pr_create_format(&create, url, parsed.number, view);
    tool_result_add_text(result, text);
    if (str_has_prefix(url, "https://"))
        tool_result_set_source_url(result, url);
    return true;
}
