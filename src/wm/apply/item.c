/*
 * An item against its policy: the rules of its kind (item.h, task-engine §6.3, §6.4, §6.9).
 */
#include "wm/apply/item.h"

#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wm/apply/item_fields.h"
#include "wm/apply/item_target.h"
#include "wm/task/labels.h"

#define MAX_LIST_ENTRIES 100 // GitHub's of labels; the other lists have less
#define MAX_TITLE_CHARS  256 // GitHub's

typedef struct Check {
    const WmItemScope *scope;
    WmKind kind;
    const WmHandler *handler;
    json_t *fields;
} Check;

typedef bool RuleFunc(const Check *self, GError **error);

static const char *text_of(const Check *self, const char *name)
{
    const char *text = json_get_text(self->fields, name);
    return text ? text : "";
}

static bool has_text(const Check *self, const char *name)
{
    return text_of(self, name)[0] != '\0';
}

static bool item_refuse(GError **error, const char *reason)
{
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", reason);
}

static bool need_text(const Check *self, const char *name, GError **error)
{
    return has_text(self, name) || fail_with(error, KEDGE_ERROR_FAILED, "empty %s", name);
}

static bool check_length(const Check *self, GError **error)
{
    size_t length = utf8_length(text_of(self, "title"));
    if (length > MAX_TITLE_CHARS)
        return fail_with(error, KEDGE_ERROR_FAILED, "title too long (%zu characters; limit %d)",
                         length, MAX_TITLE_CHARS);
    return true;
}

static const char *skip_blanks(const char *text)
{
    while (*text && g_unichar_isspace(g_utf8_get_char(text)))
        text = g_utf8_next_char(text);
    return text;
}

/* After `word` in any case of letters and the blanks that follow; NULL: the title does not begin
   with it, or with a longer word. */
static const char *skip_word(const char *title, const char *word)
{
    gunichar last = 0;
    for (; *word; word = g_utf8_next_char(word), title = g_utf8_next_char(title)) {
        last = g_utf8_get_char(word);
        if (g_unichar_tolower(g_utf8_get_char(title)) != g_unichar_tolower(last))
            return NULL;
    }
    bool goes_on = g_unichar_isalnum(last) && g_unichar_isalnum(g_utf8_get_char(title));
    return goes_on ? NULL : skip_blanks(title);
}

/* The policy's prefix before the title, once, however the agent has spelled it. Caller frees. */
static char *with_prefix(const char *prefix, const char *title)
{
    g_autofree char *word = utf8_trim(prefix);
    const char *last = title, *rest = title; // the last time that it is there, and what follows
    for (const char *next; *word && (next = skip_word(rest, word)) && *next; rest = next)
        last = rest;
    return str_has_prefix(last, prefix) ? g_strdup(last) : g_strconcat(prefix, rest, NULL);
}

/* A title is one line. */
static bool set_title(const Check *self, const char *title, GError **error)
{
    const char *prefix = wm_handler_text(self->handler, "title-prefix");
    if (self->scope->is_emit && prefix && strstr(prefix, "${{"))
        prefix = NULL; // policy_expand.h
    g_autofree char *whole = prefix ? with_prefix(prefix, title) : g_strdup(title);
    json_set_text(self->fields, "title", g_strdelimit(whole, "\r\n", ' '));
    return check_length(self, error);
}

static bool check_count(const Check *self, const char *name, GError **error)
{
    size_t count = json_array_size(json_get_array(self->fields, name));
    if (count > MAX_LIST_ENTRIES)
        return fail_with(error, KEDGE_ERROR_FAILED, "too many %s (%zu; limit %d)", name, count,
                         MAX_LIST_ENTRIES);
    return true;
}

static bool check_labels(const Check *self, GError **error)
{
    const json_t *labels = json_get_array(self->fields, "labels");
    if (!check_count(self, "labels", error))
        return false;
    for (size_t i = 0; i < json_array_size(labels); i++)
        if (!wm_policy_allows_label(self->scope->policy, self->kind,
                                    json_string_value(json_array_get(labels, i)), error))
            return false;
    return true;
}

/* The policy's entries first. */
static void merge_list(const Check *self, const char *name)
{
    const json_t *of_policy = json_object_get(self->handler->options, name);
    json_t *merged = wm_text_list_merge(of_policy, json_get_array(self->fields, name));
    if (json_array_size(merged) > 0)
        json_object_set(self->fields, name, merged);
    json_decref(merged);
}

static bool check_pull_request(const Check *self, GError **error)
{
    const char *task = self->scope->task_name;
    g_autofree char *title = g_strdup(text_of(self, "title"));
    if (title[0] == '\0') {
        g_free(title);
        title = g_strdup_printf("[%s] wm task", task);
    }
    if (!has_text(self, "body")) {
        g_autofree char *body = g_strdup_printf("Opened by **kedge** task `%s`.", task);
        json_set_text(self->fields, "body", body);
    }
    merge_list(self, "labels");
    if (!check_labels(self, error) || !set_title(self, title, error))
        return false;
    if (!self->scope->root)
        return item_refuse(error, "WM_REPO_ROOT / repo path not set");
    return true;
}

static bool check_issue(const Check *self, GError **error)
{
    g_autofree char *title = g_strdup(text_of(self, "title"));
    merge_list(self, "labels");
    merge_list(self, "assignees");
    if (!need_text(self, "title", error) || !check_labels(self, error) ||
        !check_count(self, "assignees", error) || !set_title(self, title, error))
        return false;
    if (!self->scope->repo)
        return item_refuse(error, "GITHUB_REPOSITORY not set");
    return true;
}

static bool check_comment(const Check *self, GError **error)
{
    return need_text(self, "body", error);
}

static bool check_label_list(const Check *self, GError **error)
{
    if (json_array_size(json_get_array(self->fields, "labels")) == 0)
        return item_refuse(error, "empty labels");
    return check_labels(self, error);
}

/* The word in lower case, with _ for what is between its parts. */
static char *normal_word(const char *text)
{
    return g_strdelimit(g_ascii_strdown(text, -1), "- ", '_');
}

static bool check_operation(const Check *self, GError **error)
{
    const char *given = text_of(self, "operation");
    g_autofree char *operation = normal_word(given);
    const char *const known[] = { "", "replace", "append", "prepend", "replace_island", NULL };
    if (!g_strv_contains(known, operation))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "invalid operation \"%s\" (use replace, append, prepend, replace-island)",
                         given);
    bool is_replace = operation[0] == '\0' || strcmp(operation, "replace") == 0;
    if (!is_replace && !has_text(self, "body"))
        return fail_with(error, KEDGE_ERROR_FAILED, "operation \"%s\" requires non-empty body",
                         given);
    if (operation[0] != '\0')
        json_set_text(self->fields, "operation", operation);
    return true;
}

/* task-engine §2.6: the switches of an issue leave only what they name when there is one. */
static bool may_change(const Check *self, const char *field)
{
    const json_t *options = self->handler->options;
    bool has_switch = self->kind == WM_UPDATE_ISSUE &&
                      (json_object_get(options, "title") || json_object_get(options, "body") ||
                       json_object_get(options, "status"));
    const json_t *value = json_object_get(options, field);
    return value ? !json_is_false(value) : !has_switch;
}

static bool check_status(const Check *self, GError **error)
{
    const char *given = text_of(self, "status");
    g_autofree char *status = g_ascii_strdown(given, -1);
    if (status[0] == '\0')
        return true;
    if (strcmp(status, "open") != 0 && strcmp(status, "closed") != 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "invalid status \"%s\" (use open, closed)",
                         given);
    json_set_text(self->fields, "status", status);
    return true;
}

static bool check_update(const Check *self, GError **error)
{
    static const char *const fields[] = { "title", "body", "status" };
    if (!has_text(self, "title") && !has_text(self, "body") && !has_text(self, "status"))
        return item_refuse(error, "need non-empty title and/or body");
    if (!check_operation(self, error) || !check_status(self, error))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
        if (has_text(self, fields[i]) && !may_change(self, fields[i]))
            return fail_with(error, KEDGE_ERROR_DENIED, "%s updates are not enabled", fields[i]);
    g_autofree char *title = g_strdup(text_of(self, "title"));
    return title[0] == '\0' || set_title(self, title, error);
}

static bool check_close_issue(const Check *self, GError **error)
{
    static const char *const known[] = { "completed", "not_planned", "duplicate", NULL };
    const char *of_policy = wm_handler_text(self->handler, "state-reason");
    const char *given = text_of(self, "state_reason");
    if (given[0] == '\0' && self->scope->is_emit)
        return true; // applying decides
    if (given[0] == '\0')
        given = of_policy ? of_policy : "completed";
    g_autofree char *reason = normal_word(given);
    if (!g_strv_contains(known, reason))
        return item_refuse(error, "state_reason must be completed, not_planned, or duplicate");
    json_set_text(self->fields, "state_reason", reason);
    return true;
}

static bool check_reviewers(const Check *self, GError **error)
{
    const json_t *reviewers = json_get_array(self->fields, "reviewers");
    if (json_array_size(reviewers) == 0)
        return item_refuse(error, "empty reviewers");
    if (!check_count(self, "reviewers", error))
        return false;
    for (size_t i = 0; i < json_array_size(reviewers); i++) {
        const char *name = json_string_value(json_array_get(reviewers, i));
        if (!wm_handler_admits(self->handler, "allowed-reviewers", name))
            return fail_with(error, KEDGE_ERROR_DENIED, "reviewer \"%s\" not allowed by policy",
                             name);
    }
    return true;
}

static bool check_review_comment(const Check *self, GError **error)
{
    if (!need_text(self, "body", error) || !need_text(self, "commit_id", error) ||
        !need_text(self, "path", error))
        return false;
    int64_t line = json_get_int(self->fields, "line", 0);
    const json_t *start = json_object_get(self->fields, "start_line");
    if (line <= 0)
        return item_refuse(error, "line must be positive");
    const char *of_policy = wm_handler_text(self->handler, "side");
    const char *given = has_text(self, "side") || !of_policy ? text_of(self, "side") : of_policy;
    g_autofree char *side = g_ascii_strup(given, -1);
    if (strcmp(side, "LEFT") != 0 && strcmp(side, "RIGHT") != 0)
        return item_refuse(error, "side must be LEFT or RIGHT");
    if (start && json_integer_value(start) < 0)
        return item_refuse(error, "start_line must be positive");
    if (json_integer_value(start) > line)
        return item_refuse(error, "start_line must be <= line");
    json_set_text(self->fields, "side", side);
    return true;
}

static bool check_review(const Check *self, GError **error)
{
    static const char *const known[] = { "APPROVE", "REQUEST_CHANGES", "COMMENT", NULL };
    g_autofree char *event = g_ascii_strup(text_of(self, "event"), -1);
    g_strdelimit(event, "- ", '_');
    if (!g_strv_contains(known, event))
        return item_refuse(error, "event must be APPROVE, REQUEST_CHANGES, or COMMENT");
    if (!wm_handler_admits(self->handler, "allowed-events", event))
        return fail_with(error, KEDGE_ERROR_DENIED, "event %s not allowed by policy", event);
    bool needs_body = strcmp(event, "APPROVE") != 0 && !self->scope->policy->footer;
    if (needs_body && !has_text(self, "body"))
        return item_refuse(error, "body is required for REQUEST_CHANGES and COMMENT");
    json_set_text(self->fields, "event", event);
    return true;
}

static bool check_reply(const Check *self, GError **error)
{
    if (!need_text(self, "body", error))
        return false;
    if (json_get_int(self->fields, "comment_id", 0) <= 0)
        return item_refuse(error, "comment_id must be positive");
    return true;
}

static bool check_thread(const Check *self, GError **error)
{
    return need_text(self, "thread_id", error);
}

static RuleFunc *const rules[WM_KINDS] = {
    [WM_CREATE_PULL_REQUEST] = check_pull_request,
    [WM_ADD_COMMENT] = check_comment,
    [WM_ADD_LABELS] = check_label_list,
    [WM_REMOVE_LABELS] = check_label_list,
    [WM_CREATE_ISSUE] = check_issue,
    [WM_UPDATE_PULL_REQUEST] = check_update,
    [WM_UPDATE_ISSUE] = check_update,
    [WM_CLOSE_ISSUE] = check_close_issue,
    [WM_ADD_REVIEWER] = check_reviewers,
    [WM_CREATE_REVIEW_COMMENT] = check_review_comment,
    [WM_SUBMIT_REVIEW] = check_review,
    [WM_REPLY_TO_REVIEW_COMMENT] = check_reply,
    [WM_RESOLVE_REVIEW_THREAD] = check_thread,
};

static bool check_repository(const WmItemScope *scope, const json_t *raw, GError **error)
{
    const char *repo = json_get_text(raw, "repo");
    if (str_is_empty(repo) || (scope->repo && str_equal_nocase(repo, scope->repo)))
        return true;
    return item_refuse(error, "cross-repository output is not supported");
}

static bool check_all(const Check *self, const json_t *raw, WmItem *item, GError **error)
{
    if (mask_finds_in_json(raw))
        return item_refuse(error, "text contains a secret");
    if (!check_repository(self->scope, raw, error) ||
        !wm_item_set_temporary_id(self->scope, raw, item, error))
        return false;
    wm_item_link_ids(self->scope, item->fields);
    if (rules[self->kind] && !rules[self->kind](self, error))
        return false;
    return !wm_kind_has_target(self->kind) || wm_item_set_target(self->scope, raw, item, error);
}

bool wm_item_check(const WmItemScope *scope, const json_t *raw, WmItem *ret_item, GError **error)
{
    WmKind kind = wm_kind_of(json_get_text(raw, "type"));
    g_assert(kind < WM_KINDS);
    g_auto(WmItem) item = { .kind = kind, .fields = wm_item_normal(kind, raw) };
    const Check check = {
        .scope = scope,
        .kind = kind,
        .handler = &scope->policy->handlers[kind],
        .fields = item.fields,
    };
    if (!check_all(&check, raw, &item, error)) {
        g_prefix_error(error, "%s: ", wm_kind_table[kind].type);
        return false;
    }
    *ret_item = item;
    item = (WmItem) { 0 };
    return true;
}

void wm_item_clear(WmItem *self)
{
    json_decref(self->fields);
    *self = (WmItem) { 0 };
}
