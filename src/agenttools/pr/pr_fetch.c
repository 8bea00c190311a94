/*
 * agent-tools github-pr fetch-comments (agent-tools-cli §2.9, 2.10): every comment of a pull
 * request, of the diff and of the conversation, and with them the reviews and what is resolved.
 */
#include "agenttools/agenttools.h"
#include "agenttools/pr/pr_common.h"

#include "base/hidden.h"
#include "base/str.h"
#include "github/fan_out.h"
#include "github/pulls/pull_threads.h"

#define OPERATION "fetch-comments"

typedef struct FetchArgs {
    PrTarget target;
    int64_t pr_number;
    const char *since;
    bool include_reviews, include_diff_hunk, exclude_bots, include_resolution;
} FetchArgs;

static const FieldDef fetch_fields[] = {
    PR_REPO_FIELDS(FetchArgs),
    PR_NUMBER_FIELD(FetchArgs, pr_number),
    { "since", FIELD_STRING, offsetof(FetchArgs, since), .refuses_blank = true,
      .help = "Only comments changed since this time (ISO 8601)" },
    { "include_reviews", FIELD_BOOLEAN, offsetof(FetchArgs, include_reviews),
      .help = "The reviews too, with their summaries" },
    { "include_diff_hunk", FIELD_BOOLEAN, offsetof(FetchArgs, include_diff_hunk),
      .help = "With each review comment the piece of the diff that it is about" },
    { "exclude_bots", FIELD_BOOLEAN, offsetof(FetchArgs, exclude_bots),
      .help = "Without what bots wrote" },
    { "include_resolution", FIELD_BOOLEAN, offsetof(FetchArgs, include_resolution),
      .help = "With each review comment whether its thread is resolved" },
    PR_SERVER_FIELDS(FetchArgs),
    { 0 },
};

// clang-format off
#define FIRST_FIELDS                                                                               \
    { "id", FIELD_INTEGER, 0, .is_required = true, .help = "Id" },                                 \
    { "user", FIELD_STRING, 0, .is_required = true, .help = "Login; unknown: a deleted account" }, \
    { "body", FIELD_STRING, 0, .is_required = true, .help = "Text (Markdown)" }
#define MAKING_FIELDS                                                                              \
    { "created_at", FIELD_STRING, 0, .is_required = true, .help = "When it was made" },            \
    { "is_bot", FIELD_BOOLEAN, 0, .is_required = true, .help = "Written by a bot" }
#define LAST_FIELDS                                                                                \
    { "updated_at", FIELD_STRING, 0, .help = "When it was last changed" },                         \
    { "html_url", FIELD_STRING, 0, .help = "Address" },                                            \
    { "author_association", FIELD_STRING, 0, .help = "OWNER, MEMBER, CONTRIBUTOR …" }
// clang-format on

static const FieldDef review_comment_fields[] = {
    FIRST_FIELDS,
    { "path", FIELD_STRING, 0, .help = "File" },
    { "line", FIELD_INTEGER, 0, .help = "Line; absent for a comment on the file" },
    MAKING_FIELDS,
    { "outdated", FIELD_BOOLEAN, 0, .is_required = true,
      .help = "The line is one of an older diff" },
    { "start_line", FIELD_INTEGER, 0, .help = "First line, of several" },
    { "side", FIELD_STRING, 0, .help = "RIGHT: new file; LEFT: old file" },
    { "in_reply_to_id", FIELD_INTEGER, 0, .help = "First comment of the thread" },
    { "review_id", FIELD_INTEGER, 0, .help = "Review it belongs to" },
    { "commit_id", FIELD_STRING, 0, .help = "Commit it is about" },
    { "subject_type", FIELD_STRING, 0, .help = "line or file" },
    LAST_FIELDS,
    { "diff_hunk", FIELD_STRING, 0, .help = "With include_diff_hunk" },
    { "resolved", FIELD_BOOLEAN, 0, .help = "With include_resolution" },
    { "thread_id", FIELD_STRING, 0, .help = "With include_resolution: node id of the thread" },
    { 0 },
};
static const FieldDef issue_comment_fields[] = { FIRST_FIELDS, MAKING_FIELDS, LAST_FIELDS, { 0 } };
static const FieldDef review_fields[] = {
    FIRST_FIELDS,
    { "state", FIELD_STRING, 0, .is_required = true,
      .help = "APPROVED, CHANGES_REQUESTED, COMMENTED, DISMISSED; PENDING: your own, not sent" },
    { "submitted_at", FIELD_STRING, 0, .help = "When; absent for a pending one" },
    { "commit_id", FIELD_STRING, 0, .help = "Commit it is about" },
    { "html_url", FIELD_STRING, 0, .help = "Address" },
    { "is_bot", FIELD_BOOLEAN, 0, .is_required = true, .help = "Written by a bot" },
    { 0 },
};
static const FieldDef fetch_output[] = {
    { "review_comments", FIELD_OBJECT_LIST, 0, .is_required = true,
      .item_fields = review_comment_fields, .help = "On lines of the diff, oldest first" },
    { "issue_comments", FIELD_OBJECT_LIST, 0, .is_required = true,
      .item_fields = issue_comment_fields, .help = "In the conversation, oldest first" },
    { "reviews", FIELD_OBJECT_LIST, 0, .item_fields = review_fields,
      .help = "With include_reviews, oldest first" },
    { 0 },
};

static const OperationExample fetch_examples[] = {
    { "echo '{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42}' | "
      "kedge agent-tools github-pr fetch-comments",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42}",
      "{\"review_comments\":[{\"id\":123456,\"user\":\"reviewer\",\"body\":\"Consider adding "
      "validation here\",\"path\":\"src/auth.ts\",\"line\":67,\"created_at\":"
      "\"2026-01-11T10:30:00Z\",\"is_bot\":false,\"outdated\":false}],\"issue_comments\":"
      "[{\"id\":789012,\"user\":\"contributor\",\"body\":\"Ready for review!\",\"created_at\":"
      "\"2026-01-10T15:00:00Z\",\"is_bot\":false}]}" },
    { "kedge agent-tools github-pr fetch-comments --owner rp1-run --repo rp1 --pr-number 42 "
      "--include-reviews --exclude-bots",
      "{\"owner\":\"rp1-run\",\"repo\":\"rp1\",\"pr_number\":42,\"include_reviews\":true,"
      "\"exclude_bots\":true}",
      "{\"review_comments\":[],\"issue_comments\":[],\"reviews\":[{\"id\":80,\"user\":\"reviewer\","
      "\"body\":\"Looks good\",\"state\":\"APPROVED\",\"submitted_at\":\"2026-01-11T10:31:00Z\","
      "\"is_bot\":false}]}" },
    { 0 },
};

static bool is_bot(const json_t *user)
{
    static const char *const names[] = { "github-actions", "dependabot", "renovate",
                                         "codecov",        "sonarcloud", NULL };
    const char *login = json_get_text(user, "login");
    if (g_strcmp0(json_get_text(user, "type"), "Bot") == 0)
        return true;
    if (!login)
        return false;
    g_autofree char *name = g_ascii_strdown(login, -1);
    return g_str_has_suffix(name, "[bot]") || g_str_has_suffix(name, "-bot") ||
           g_strv_contains(names, name);
}

static void pr_fetch_copy(const json_t *from, const char *key, json_t *to, const char *new_key)
{
    json_t *value = json_object_get(from, key);
    if (value && !json_is_null(value))
        json_object_set(to, new_key, value);
}

static void copy_keys(const json_t *from, const char *const *keys, json_t *to)
{
    for (; *keys; keys++)
        pr_fetch_copy(from, *keys, to, *keys);
}

/* id, user and body, which all three kinds begin with. New reference. */
static json_t *begin_item(const json_t *item)
{
    const char *login = json_get_text(json_get_object(item, "user"), "login");
    const char *body = json_get_text(item, "body");
    json_t *made = json_object();
    pr_fetch_copy(item, "id", made, "id");
    json_set_text(made, "user", login ? login : "unknown");
    json_set_text(made, "body", body ? body : "");
    return made;
}

/* When, and whether by a bot, which every comment has next. */
static void add_making(const json_t *item, json_t *made)
{
    pr_fetch_copy(item, "created_at", made, "created_at");
    json_set_bool(made, "is_bot", is_bot(json_object_get(item, "user")));
}

static const char *const last_keys[] = { "updated_at", "html_url", "author_association", NULL };

static json_t *issue_comment(const json_t *item, const FetchArgs *args G_GNUC_UNUSED)
{
    json_t *made = begin_item(item);
    add_making(item, made);
    copy_keys(item, last_keys, made);
    return made;
}

static json_t *review_comment(const json_t *item, const FetchArgs *args)
{
    static const char *const keys[] = { "start_line", "side", "in_reply_to_id", NULL };
    static const char *const more_keys[] = { "commit_id", "subject_type", NULL };
    bool has_line = json_is_integer(json_object_get(item, "line"));
    bool has_original = json_is_integer(json_object_get(item, "original_line"));
    json_t *made = begin_item(item);
    pr_fetch_copy(item, "path", made, "path");
    pr_fetch_copy(item, has_line ? "line" : "original_line", made, "line");
    add_making(item, made);
    json_set_bool(made, "outdated", !has_line && has_original);
    copy_keys(item, keys, made);
    pr_fetch_copy(item, "pull_request_review_id", made, "review_id");
    copy_keys(item, more_keys, made);
    copy_keys(item, last_keys, made);
    if (args->include_diff_hunk)
        pr_fetch_copy(item, "diff_hunk", made, "diff_hunk");
    return made;
}

static json_t *pr_fetch_review(const json_t *item, const FetchArgs *args G_GNUC_UNUSED)
{
    static const char *const keys[] = { "state", "submitted_at", "commit_id", "html_url", NULL };
    json_t *made = begin_item(item);
    copy_keys(item, keys, made);
    json_set_bool(made, "is_bot", is_bot(json_object_get(item, "user")));
    return made;
}

static const struct {
    const char *name; // in the answer
    const char *path; // below the repository; %s is the number
    const char *at;   // key of the time that orders it
    bool takes_since;
    json_t *(*make)(const json_t *item, const FetchArgs *args);
} kinds[] = {
    { "review_comments", "/pulls/%s/comments?sort=created&direction=asc", "created_at", true,
      review_comment },
    { "issue_comments", "/issues/%s/comments", "created_at", true, issue_comment },
    { "reviews", "/pulls/%s/reviews", "submitted_at", false, pr_fetch_review },
};

typedef struct Fetch { // one list, on a thread of its own
    Pr *pr;
    char *path;
    const char *subject;
    json_t *items;
    char *moved_to;
    GError *failure;
} Fetch;

static void fetch_clear(Fetch *self)
{
    g_free(self->path);
    g_free(self->moved_to);
    json_decref(self->items);
    g_clear_error(&self->failure);
}

static void fetch_list(void *fetch_)
{
    Fetch *self = fetch_;
    const RestCall call = {
        .method = "GET",
        .path = self->path,
        .operation = OPERATION,
        .subject = self->subject,
    };
    rest_list(self->pr->rest, &call, NULL, self->pr->call->cancel, &self->items, &self->moved_to,
              &self->failure);
}

static char *list_path(const FetchArgs *args, size_t kind)
{
    g_autofree char *number = g_strdup_printf("%" G_GINT64_FORMAT, args->pr_number);
    g_auto(GStrv) pieces = g_strsplit(kinds[kind].path, "%s", 2);
    g_autofree char *below = g_strjoinv(number, pieces);
    g_autofree char *path = rest_repo_path(args->target.owner, args->target.repo, "%s", below);
    if (!args->since || !kinds[kind].takes_since)
        return g_steal_pointer(&path);
    g_autofree char *since = g_uri_escape_string(args->since, NULL, false);
    return g_strconcat(path, strchr(path, '?') ? "&" : "?", "since=", since, NULL);
}

/* By time, then by id; a pending review, which has no time, is the newest. */
static int compare_items(const void *a_, const void *b_, void *key)
{
    const json_t *a = *(json_t *const *)a_, *b = *(json_t *const *)b_;
    const char *a_at = json_get_text(a, key), *b_at = json_get_text(b, key);
    if (!a_at || !b_at)
        return (a_at == NULL) - (b_at == NULL);
    int order = strcmp(a_at, b_at);
    if (order != 0)
        return order;
    int64_t a_id = json_get_int(a, "id", 0), b_id = json_get_int(b, "id", 0);
    return (a_id > b_id) - (a_id < b_id);
}

/* The list as the answer shows it. New reference. */
static json_t *make_list(const json_t *items, const FetchArgs *args, size_t kind)
{
    g_autoptr(GPtrArray) sorted = g_ptr_array_new();
    for (size_t i = 0; i < json_array_size(items); i++)
        g_ptr_array_add(sorted, json_array_get(items, i));
    g_ptr_array_sort_with_data(sorted, compare_items, (void *)kinds[kind].at);
    json_t *list = json_array();
    for (guint i = 0; i < sorted->len; i++) {
        const json_t *item = sorted->pdata[i];
        if (!args->exclude_bots || !is_bot(json_object_get(item, "user")))
            json_append_take(list, kinds[kind].make(item, args));
    }
    return list;
}

/* The first list is the pull request's own: its error says best what is wrong, since the second
   also answers for a plain issue. */
static bool make_data(Pr *pr, const FetchArgs *args, Fetch *fetches, size_t count,
                      json_t **ret_data, GError **error)
{
    for (size_t i = 0; i < count; i++) {
        if (fetches[i].failure)
            return pr_fail(g_steal_pointer(&fetches[i].failure), error);
    }
    json_t *data = json_object();
    for (size_t i = 0; i < count; i++) {
        pr_tell_move(pr, fetches[i].moved_to);
        json_set_take(data, kinds[i].name, make_list(fetches[i].items, args, i));
    }
    *ret_data = data;
    return true;
}

static bool fetch_all(Pr *pr, const FetchArgs *args, json_t **ret_data, GError **error)
{
    Fetch fetches[G_N_ELEMENTS(kinds)] = { 0 };
    size_t count = args->include_reviews ? G_N_ELEMENTS(kinds) : G_N_ELEMENTS(kinds) - 1;
    g_autofree char *subject = pr_subject(pr, args->pr_number);
    for (size_t i = 0; i < count; i++)
        fetches[i] = (Fetch) { .pr = pr, .path = list_path(args, i), .subject = subject };
    fan_out(fetches, count, sizeof *fetches, fetch_list);
    bool is_done = make_data(pr, args, fetches, count, ret_data, error);
    for (size_t i = 0; i < count; i++)
        fetch_clear(&fetches[i]);
    return is_done;
}

// ---- resolution: GraphQL's threads, by the number of their first comment ----

/* fullDatabaseId comes as a text, since it may have 64 bits. */
static int64_t full_id(const json_t *comment)
{
    int64_t id = json_get_int(comment, "fullDatabaseId", 0);
    const char *text = json_get_text(comment, "fullDatabaseId");
    if (text && !str_parse_int(text, &id))
        return 0;
    return id;
}

/* Values are borrowed from `threads`. */
static GHashTable *threads_by_comment(const json_t *threads)
{
    GHashTable *table = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    json_each (threads, i, thread) {
        int64_t id = full_id(json_array_get(json_get_path(thread, "comments.nodes"), 0));
        g_hash_table_insert(table, g_memdup2(&id, sizeof(id)), thread);
    }
    return table;
}

/* Sets `resolved` and `thread_id` of each of the review comments whose thread GitHub lists. */
static bool add_resolution(Pr *pr, int64_t number, json_t *comments, GError **error)
{
    g_autoptr(json_t) threads = NULL;
    g_autoptr(GError) failure = NULL;
    if (!pull_threads_list(&pr->link, number, PULL_THREADS_STATE, &threads, &failure)) {
        GError *cause = g_steal_pointer(&failure);
        if (error_is(cause, KEDGE_ERROR_PROTOCOL)) {
            g_clear_error(&cause);
            rest_fail_unreadable(pr->operation, &cause);
        }
        return pr_fail(cause, error);
    }
    g_autoptr(GHashTable) by_comment = threads_by_comment(threads);
    json_each (comments, i, comment) {
        int64_t root_id = json_get_int(comment, "in_reply_to_id", json_get_int(comment, "id", 0));
        const json_t *thread = g_hash_table_lookup(by_comment, &root_id);
        if (!thread)
            continue;
        json_set_bool(comment, "resolved", json_get_bool(thread, "isResolved", false));
        json_set_text(comment, "thread_id", json_get_text(thread, "id"));
    }
    return true;
}

static bool check_since(const FetchArgs *args, Answer *answer)
{
    g_autoptr(GTimeZone) utc = g_time_zone_new_utc();
    g_autoptr(GDateTime) time = args->since ? g_date_time_new_from_iso8601(args->since, utc) : NULL;
    if (!args->since || time)
        return true;
    answer_fail_field(answer, "since", "Validation failed: since must be an ISO 8601 time");
    return false;
}

static bool fetch_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const FetchArgs *args = args_;
    bool is_valid = pr_check_target(&args->target, answer);
    if (!check_since(args, answer) || !is_valid)
        return true;
    g_auto(Pr) pr = { 0 };
    g_autoptr(json_t) data = NULL;
    if (!pr_open(call, &args->target, OPERATION, answer, &pr, error) ||
        !fetch_all(&pr, args, &data, error))
        return false;
    if (args->include_resolution &&
        !add_resolution(&pr, args->pr_number, json_get_array(data, "review_comments"), error))
        return false;
    HiddenCount hidden = { 0 };
    answer_set_data(answer, hidden_remove_json(data, &hidden));
    g_autofree char *notice = hidden_notice(&hidden);
    if (notice)
        answer_warn(answer, "%s", notice);
    return true;
}

static bool fetch_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                        GError **error G_GNUC_UNUSED)
{
    const FetchArgs *args = args_;
    return pr_judge_read(&args->target, ret_judgement);
}

const OperationDef operation_github_pr_fetch_comments = {
    .tool =
        OPERATION_TOOL(fetch, FetchArgs, PR_FLAGS | TOOL_ONLY_READS,
                       .name = "github_pr_fetch_comments", .label = "Fetch comments",
                       .summary = "Fetch all comments of a PR, on the diff and in the conversation",
                       .judge = fetch_judge),
    PR_PARTS(fetch, OPERATION),
    .timeout_ms = PR_TIMEOUT_MS,
};
