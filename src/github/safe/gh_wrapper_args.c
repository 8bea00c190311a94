/*
 * Field tables and checks of the wrappers (gh_wrapper_args.h). The tables are sent with every
 * conversation that has these tools, so a field whose name says it all has no help.
 */
#include "github/safe/gh_wrapper_args.h"

#include "base/visible.h"
#include "github/safe/gh_call.h"

#define TEXT_MAX_BYTES ((size_t)1024)
#define ID_MAX_DIGITS  19

static const char *const pr_states[] = { "open", "closed", "merged", "all", NULL };
static const char *const issue_states[] = { "open", "closed", "all", NULL };
static const char *const search_states[] = { "open", "closed", NULL };
static const char *const orders[] = { "asc", "desc", NULL };
static const char *const reviews[] = { "none", "required", "approved", "changes_requested", NULL };
static const char *const run_statuses[] = {
    "queued",          "completed", "in_progress", "requested", "waiting", "pending",
    "action_required", "cancelled", "failure",     "neutral",   "skipped", "stale",
    "startup_failure", "success",   "timed_out",   NULL,
};

#define AT(member) .offset = offsetof(GhWrapperArgs, member)

#define TEXT(name_, help_)                                                                         \
    {                                                                                              \
        .name = #name_, .type = FIELD_STRING, AT(name_), .help = (help_)                           \
    }
#define FLAG(name_, help_)                                                                         \
    {                                                                                              \
        .name = #name_, .type = FIELD_BOOLEAN, AT(name_), .help = (help_)                          \
    }
#define CHOICE(name_, values_, help_)                                                              \
    {                                                                                              \
        .name = #name_, .type = FIELD_ENUM, AT(name_), .values = (values_), .help = (help_)        \
    }
#define MAYBE(name_, help_)                                                                        \
    {                                                                                              \
        .name = #name_, .type = FIELD_BOOLEAN, AT(name_),                                          \
        .has_offset = offsetof(GhWrapperArgs, has_##name_), .help = (help_)                        \
    }
#define ID(name_, help_)                                                                           \
    {                                                                                              \
        .name = #name_, .type = FIELD_JSON, AT(name_), .help = (help_)                             \
    }

#define PLACE TEXT(repo, "[HOST/]OWNER/REPO"), TEXT(hostname, NULL)
#define LIMIT                                                                                      \
    {                                                                                              \
        .name = "limit", .type = FIELD_INTEGER, AT(limit),                                         \
        .has_offset = offsetof(GhWrapperArgs, has_limit)                                           \
    }
#define FIELDS TEXT(fields, "Comma-separated")
#define NUMBER                                                                                     \
    {                                                                                              \
        .name = "number", .type = FIELD_INTEGER, AT(number), .is_required = true                   \
    }
#define INCLUDE_BODY     MAYBE(include_body, NULL)
#define INCLUDE_COMMENTS FLAG(include_comments, NULL)
#define INCLUDE_REVIEWS  FLAG(include_reviews, NULL)
#define AUTHOR           TEXT(author, NULL)
#define ASSIGNEE         TEXT(assignee, NULL)
#define LABEL                                                                                      \
    {                                                                                              \
        .name = "label", .type = FIELD_STRING_OR_LIST, AT(label)                                   \
    }
#define SEARCH TEXT(search, "GitHub syntax")
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

const FieldDef gh_repo_view_fields[] = { PLACE, FIELDS, END };

const FieldDef gh_pr_view_fields[] = {
    NUMBER, PLACE, FIELDS, INCLUDE_BODY, INCLUDE_COMMENTS, INCLUDE_REVIEWS, END,
};

const FieldDef gh_pr_list_fields[] = {
    PLACE,
    CHOICE(state, pr_states, NULL),
    AUTHOR,
    ASSIGNEE,
    TEXT(base, NULL),
    TEXT(head, NULL),
    LABEL,
    MAYBE(draft, NULL),
    SEARCH,
    FIELDS,
    LIMIT,
    END,
};

const FieldDef gh_pr_diff_fields[] = {
    NUMBER, PLACE, FLAG(name_only, NULL), TEXT(format, NULL), END,
};

const FieldDef gh_pr_checks_fields[] = {
    NUMBER, PLACE, FLAG(required, "Only required checks"), FIELDS, END,
};

const FieldDef gh_pr_files_fields[] = { NUMBER, PLACE, END };

const FieldDef gh_pr_current_fields[] = {
    FIELDS, INCLUDE_BODY, INCLUDE_COMMENTS, INCLUDE_REVIEWS, END,
};

const FieldDef gh_issue_view_fields[] = {
    NUMBER, PLACE, FIELDS, INCLUDE_BODY, INCLUDE_COMMENTS, END,
};

const FieldDef gh_issue_list_fields[] = {
    PLACE,
    CHOICE(state, issue_states, NULL),
    AUTHOR,
    ASSIGNEE,
    LABEL,
    TEXT(milestone, "Number or title"),
    TEXT(mention, NULL),
    SEARCH,
    FIELDS,
    LIMIT,
    END,
};

const FieldDef gh_run_view_fields[] = {
    { .name = "run_id",
      .type = FIELD_JSON,
      AT(run_id),
      .is_required = true,
      .help = "Number or digits" },
    PLACE,
    { .name = "attempt",
      .type = FIELD_INTEGER,
      AT(attempt),
      .has_offset = offsetof(GhWrapperArgs, has_attempt) },
    FLAG(include_jobs, NULL),
    FIELDS,
    END,
};

const FieldDef gh_run_list_fields[] = {
    PLACE,
    TEXT(workflow, "Name or file"),
    TEXT(branch, NULL),
    CHOICE(status, run_statuses, NULL),
    TEXT(event, NULL),
    TEXT(user, NULL),
    TEXT(commit, NULL),
    TEXT(created, "Date or range"),
    FIELDS,
    LIMIT,
    END,
};

const FieldDef gh_run_logs_failed_fields[] = {
    ID(run_id, "Number or digits"),
    ID(job, "Instead of run_id"),
    PLACE,
    END,
};

#define SEARCH_FIELDS                                                                              \
    TEXT(query, "Enterprise servers may lack some qualifiers"), PLACE,                             \
        CHOICE(state, search_states, NULL), AUTHOR, ASSIGNEE, LABEL, TEXT(owner, NULL),            \
        TEXT(sort, "created, updated, comments …"), CHOICE(order, orders, NULL)

const FieldDef gh_search_prs_fields[] = {
    SEARCH_FIELDS,
    MAYBE(merged, NULL),
    MAYBE(draft, NULL),
    TEXT(base, NULL),
    TEXT(head, NULL),
    CHOICE(review, reviews, NULL),
    FIELDS,
    LIMIT,
    END,
};

const FieldDef gh_search_issues_fields[] = { SEARCH_FIELDS, FIELDS, LIMIT, END };

const FieldDef gh_api_get_fields[] = {
    { .name = "endpoint",
      .type = FIELD_STRING,
      AT(endpoint),
      .is_required = true,
      .help = "E.g. repos/{owner}/{repo}/releases?page=2" },
    PLACE,
    { .name = "headers",
      .type = FIELD_STRING_LIST,
      AT(headers),
      .help = "\"Name: value\"; Accept, X-GitHub-Api-Version, If-None-Match, If-Modified-Since" },
    END,
};

bool gh_free_text_check(const char *name, const char *text, GError **error)
{
    if (!text)
        return true;
    if (*text == '\0')
        return gh_call_fail_args(error, "%s must not be empty", name);
    if (strlen(text) > TEXT_MAX_BYTES)
        return gh_call_fail_args(error, "%s is longer than %zu bytes", name, TEXT_MAX_BYTES);
    g_autoptr(GString) visible = g_string_new(NULL);
    visible_append(visible, text);
    return strcmp(visible->str, text) == 0 ||
           gh_call_fail_args(error, "%s contains a control character", name);
}

bool gh_text_check(const char *name, const char *text, GError **error)
{
    if (text && *text == '-')
        return gh_call_fail_args(error, "%s must not start with \"-\"", name);
    return gh_free_text_check(name, text, error);
}

bool gh_number_check(const char *name, int64_t number, GError **error)
{
    return (number >= 1 && number <= INT32_MAX) ||
           gh_call_fail_args(error, "%s must be between 1 and %d", name, INT32_MAX);
}

bool gh_id_check(const char *name, const json_t *value, char **ret_digits, GError **error)
{
    g_autofree char *digits = NULL;
    if (json_is_integer(value) && json_integer_value(value) > 0)
        digits = g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_string(value))
        digits = g_strdup(json_string_value(value));
    size_t length = digits != NULL ? strlen(digits) : 0;
    if (length < 1 || length > ID_MAX_DIGITS || strspn(digits, "0123456789") != length)
        return gh_call_fail_args(error,
                                 "%s must be a positive integer or a string of 1 to %d digits",
                                 name, ID_MAX_DIGITS);
    *ret_digits = g_steal_pointer(&digits);
    return true;
}

char **gh_search_words(const char *query)
{
    GPtrArray *words = g_ptr_array_new();
    g_autoptr(GString) word = g_string_new(NULL);
    bool is_quoted = false;
    for (const char *p = query;; p++) {
        bool is_end = *p == '\0' || (!is_quoted && g_ascii_isspace(*p));
        if (is_end && word->len > 0)
            g_ptr_array_add(words, g_strdup(word->str));
        if (*p == '\0')
            break;
        if (is_end)
            g_string_truncate(word, 0);
        else if (*p == '"')
            is_quoted = !is_quoted;
        else
            g_string_append_c(word, *p);
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, false);
}
