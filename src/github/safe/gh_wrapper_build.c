/*
 * Command lines of the wrappers, element by element, never as shell text (gh_wrappers.h).
 */
#include "github/safe/gh_wrappers.h"

#include "base/str.h"
#include "github/github.h"

#define MAX_LIMIT   100
#define MAX_HEADERS 20
#define READ_ONLY   "gh_api_get is read-only: %s is not accepted; use the gh tool"

typedef struct Builder {
    const GhWrapper *wrapper;
    const GhWrapperArgs *args;
    const GhCall *call;
    const GhContext *context;
    GStrvBuilder *argv;
} Builder;

static void builder_add(Builder *self, const char *element)
{
    g_strv_builder_add(self->argv, element);
}

static void add_pair(Builder *self, const char *flag, const char *value)
{
    g_strv_builder_add_many(self->argv, flag, value, NULL);
}

static char *repo_name(const Builder *self)
{
    return g_strconcat(self->context->host, "/", self->context->repo, NULL);
}

bool gh_wrapper_needs_rollup(const GhWrapper *wrapper, const GhCall *call)
{
    static const GhVersion first = { { 2, 50, 0 } };
    return wrapper->tool == &tool_gh_pr_checks && call->program.version_text != NULL &&
           gh_version_compare(call->program.version, first) < 0;
}

bool gh_wrapper_fields(const GhWrapper *wrapper, const GhWrapperArgs *args, const GhCall *call,
                       char **ret_fields, GError **error)
{
    const char *added[5] = { 0 };
    size_t count = 0;
    if (args->include_comments)
        added[count++] = "comments";
    if (args->include_reviews)
        added[count++] = "reviews";
    if (args->include_jobs)
        added[count++] = "jobs";
    if (wrapper->added)
        added[count++] = wrapper->added;
    const GhFieldRequest request = {
        .tool = wrapper->tool->name,
        .set = wrapper->set,
        .wanted = args->fields,
        .defaults = wrapper->defaults,
        .drops_body = args->has_include_body && !args->include_body,
        .added = added,
        .version = call->program.version_text,
    };
    GError *cause = NULL;
    if (gh_fields_choose(&request, ret_fields, &cause))
        return true;
    gh_call_fail_args(error, "%s", cause->message);
    g_error_free(cause);
    return false;
}

static bool add_number(Builder *self, GError **error)
{
    int64_t number = self->args->number;
    if (!gh_number_check("number", number, error))
        return false;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
    builder_add(self, text);
    return true;
}

static bool add_run(Builder *self, GError **error)
{
    g_autofree char *digits = NULL;
    if (!gh_id_check("run_id", self->args->run_id, &digits, error))
        return false;
    builder_add(self, digits);
    return true;
}

static bool add_run_or_job(Builder *self, GError **error)
{
    const json_t *run = self->args->run_id;
    const json_t *job = self->args->job;
    if ((run == NULL) == (job == NULL))
        return gh_call_fail_args(error, "give either run_id or job");
    if (run)
        return add_run(self, error);
    g_autofree char *digits = NULL;
    if (!gh_id_check("job", job, &digits, error))
        return false;
    add_pair(self, "--job", digits);
    return true;
}

/* An endpoint that begins with "-" is an option that somebody tries to smuggle in. */
static bool check_api_text(const char *text, GError **error)
{
    if (*text == '-') {
        g_autofree char *name = g_strndup(text, strcspn(text, "= "));
        g_autofree char *shown = str_truncate(name, 40);
        return gh_call_fail_args(error, READ_ONLY, shown);
    }
    return gh_text_check("endpoint or header", text, error);
}

static bool check_header(const char *header, GError **error)
{
    static const char *const allowed[] = { "accept", "x-github-api-version", "if-none-match",
                                           "if-modified-since", NULL };
    if (!check_api_text(header, error))
        return false;
    const char *colon = strchr(header, ':');
    g_autofree char *name = colon != NULL ? g_ascii_strdown(header, colon - header) : g_strdup("");
    if (g_strv_contains(allowed, g_strstrip(name)))
        return true;
    return gh_call_fail_args(error, "headers must be \"Name: value\" with one of the names Accept, "
                                    "X-GitHub-Api-Version, If-None-Match, If-Modified-Since");
}

static bool add_endpoint(Builder *self, GError **error)
{
    if (!check_api_text(self->args->endpoint, error))
        return false;
    builder_add(self, self->args->endpoint);
    add_pair(self, "--method", "GET");
    add_pair(self, "--hostname", self->context->host);
    if (json_array_size(self->args->headers) > MAX_HEADERS)
        return gh_call_fail_args(error, "headers has more than %d entries", MAX_HEADERS);
    size_t i;
    json_t *header;
    json_array_foreach (self->args->headers, i, header) {
        if (!check_header(json_string_value(header), error))
            return false;
        add_pair(self, "-H", json_string_value(header));
    }
    return true;
}

static bool add_subject(Builder *self, GError **error)
{
    g_autofree char *repo = NULL;
    switch (self->wrapper->subject) {
    case GH_SUBJECT_NONE:
        return true;
    case GH_SUBJECT_REPO:
        repo = repo_name(self);
        builder_add(self, repo);
        return true;
    case GH_SUBJECT_NUMBER:
        return add_number(self, error);
    case GH_SUBJECT_RUN:
        return add_run(self, error);
    case GH_SUBJECT_RUN_OR_JOB:
        return add_run_or_job(self, error);
    case GH_SUBJECT_ENDPOINT:
        return add_endpoint(self, error);
    }
    return true;
}

static void add_limit(Builder *self)
{
    const GhWrapperArgs *args = self->args;
    if (self->wrapper->limit == 0)
        return;
    int64_t limit = args->has_limit ? CLAMP(args->limit, 1, MAX_LIMIT) : self->wrapper->limit;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, limit);
    add_pair(self, "--limit", text);
}

static bool add_json(Builder *self, GError **error)
{
    g_autofree char *fields = NULL;
    if (!self->wrapper->has_json)
        return true;
    if (!gh_wrapper_fields(self->wrapper, self->args, self->call, &fields, error))
        return false;
    bool is_rollup = gh_wrapper_needs_rollup(self->wrapper, self->call);
    if (is_rollup && self->args->required)
        return gh_call_fail_args(error, "required needs gh 2.50 or newer");
    add_pair(self, "--json", is_rollup ? "statusCheckRollup" : fields);
    return true;
}

/* Fields of the table that are flags of gh of the same name. */
static bool is_filter(const FieldDef *field)
{
    static const char *const others[] = { "repo",     "hostname", "limit",  "fields", "number",
                                          "run_id",   "job",      "format", "query",  "search",
                                          "endpoint", "headers",  NULL };
    return !g_strv_contains(others, field->name) && !str_has_prefix(field->name, "include_");
}

static bool add_labels(Builder *self, const char *flag, const json_t *labels, GError **error)
{
    size_t i;
    json_t *label;
    json_array_foreach (labels, i, label) {
        if (!gh_text_check("label", json_string_value(label), error))
            return false;
        add_pair(self, flag, json_string_value(label));
    }
    return true;
}

static void add_boolean(Builder *self, const FieldDef *field, const char *flag)
{
    const char *slot = (const char *)self->args;
    bool is_true = *(const bool *)(slot + field->offset);
    bool is_given = field->has_offset != 0 && *(const bool *)(slot + field->has_offset);
    g_autofree char *negated = g_strconcat(flag, "=false", NULL);
    if (is_true || is_given)
        builder_add(self, is_true ? flag : negated);
}

static bool add_integer(Builder *self, const FieldDef *field, const char *flag, GError **error)
{
    const char *slot = (const char *)self->args;
    if (!*(const bool *)(slot + field->has_offset))
        return true;
    int64_t number = *(const int64_t *)(const void *)(slot + field->offset);
    if (!gh_number_check(field->name, number, error))
        return false;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);
    add_pair(self, flag, text);
    return true;
}

static bool add_filter(Builder *self, const FieldDef *field, GError **error)
{
    const void *slot = (const char *)self->args + field->offset;
    g_autofree char *name = g_strdelimit(g_strdup(field->name), "_", '-');
    g_autofree char *flag = g_strconcat("--", name, NULL);
    if (field->type == FIELD_STRING_OR_LIST)
        return add_labels(self, flag, *(const json_t *const *)slot, error);
    if (field->type == FIELD_INTEGER)
        return add_integer(self, field, flag, error);
    if (field->type == FIELD_BOOLEAN) {
        if (!gh_wrapper_needs_rollup(self->wrapper, self->call))
            add_boolean(self, field, flag);
        return true;
    }
    const char *text = *(const char *const *)slot;
    if (!gh_text_check(field->name, text, error))
        return false;
    if (text)
        add_pair(self, flag, text);
    return true;
}

/* One element: the text may begin with "-". */
static bool add_search_filter(Builder *self, GError **error)
{
    const char *text = self->args->search;
    if (!gh_free_text_check("search", text, error))
        return false;
    g_autofree char *element = text != NULL ? g_strconcat("--search=", text, NULL) : NULL;
    if (element)
        builder_add(self, element);
    return true;
}

static bool add_filters(Builder *self, GError **error)
{
    for (const FieldDef *field = self->wrapper->tool->fields; field->name; field++) {
        if (is_filter(field) && !add_filter(self, field, error))
            return false;
    }
    return add_search_filter(self, error);
}

/* gh takes the host of a search from GH_HOST alone, and a repository only as a condition. */
static bool add_search(Builder *self, GError **error)
{
    const GhWrapperArgs *args = self->args;
    if (args->repo)
        add_pair(self, "--repo", self->context->repo);
    if (!add_filters(self, error) || !gh_free_text_check("query", args->query, error))
        return false;
    if (!args->query)
        return true;
    g_auto(GStrv) words = gh_search_words(args->query);
    if (words[0])
        builder_add(self, "--");
    for (char **word = words; *word; word++)
        builder_add(self, *word);
    return true;
}

static bool has_condition(const GhWrapperArgs *args)
{
    const char *const texts[] = { args->repo,   args->query,    args->state,
                                  args->author, args->assignee, args->owner,
                                  args->base,   args->head,     args->review };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        if (texts[i] && texts[i][strspn(texts[i], " \t\r\n\"")] != '\0')
            return true;
    }
    return json_array_size(args->label) > 0 || args->has_draft || args->has_merged;
}

static bool gh_wrapper_check(const GhWrapper *wrapper, const GhWrapperArgs *args,
                             const GhContext *context, GError **error)
{
    if ((wrapper->has_repo || wrapper->subject == GH_SUBJECT_REPO) && !context->repo)
        return fail_with_kind(error, GH_KIND_NO_REPO, &(GhFacts) { 0 });
    if (args->format && strcmp(args->format, "text") != 0)
        return gh_call_fail_args(
            error, "gh_pr_diff returns text only; use gh_pr_files for structured file data");
    if (wrapper->is_search && !has_condition(args))
        return gh_call_fail_args(error, "give a query or a filter");
    return true;
}

bool gh_wrapper_build(const GhWrapper *wrapper, const GhWrapperArgs *args, const GhCall *call,
                      const GhContext *context, char ***ret_argv, GError **error)
{
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    Builder builder = {
        .wrapper = wrapper,
        .args = args,
        .call = call,
        .context = context,
        .argv = argv,
    };
    if (!gh_wrapper_check(wrapper, args, context, error))
        return false;
    bool is_rollup = gh_wrapper_needs_rollup(wrapper, call);
    builder_add(&builder, wrapper->words[0]);
    if (wrapper->words[1])
        builder_add(&builder, is_rollup ? "view" : wrapper->words[1]);
    if (!add_subject(&builder, error))
        return false;
    g_autofree char *repo = wrapper->has_repo ? repo_name(&builder) : NULL;
    if (repo)
        add_pair(&builder, "--repo", repo);
    add_limit(&builder);
    if (!add_json(&builder, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(wrapper->fixed) && wrapper->fixed[i]; i++)
        builder_add(&builder, wrapper->fixed[i]);
    if (wrapper->is_raw && call->program.path && gh_version_has_raw_flag(call->program.version))
        builder_add(&builder, GH_RAW_FLAG);
    if (!(wrapper->is_search ? add_search(&builder, error) : add_filters(&builder, error)))
        return false;
    *ret_argv = g_strv_builder_end(argv);
    return true;
}
