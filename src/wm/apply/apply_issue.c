/*
 * Issues, and the parts of pull requests that are like them: made, changed, closed (task-engine
 * §6.3, §6.9). Older issues of the same task are closed on demand (task-engine §10.11).
 */
#include "base/str.h"
#include "wm/apply/apply_private.h"

#define MAX_CLOSED 10 // older issues at once

// the longest first: a start of one is never the start of another
static const struct {
    const char *start, *end;
} islands[] = {
    { "<!-- kedge:island -->", "<!-- /kedge:island -->" },
    { "<!-- gh-wm:island -->", "<!-- /gh-wm:island -->" },
};

static bool is_of_pull(const Applier *self)
{
    return self->item.kind == WM_UPDATE_PULL_REQUEST || self->item.kind == WM_CLOSE_PULL_REQUEST;
}

static char *issue_path(const Applier *self)
{
    return apply_path(self, "/issues/%s", self->target);
}

/* Where changes go. */
static char *patch_path(const Applier *self)
{
    return is_of_pull(self) ? apply_path(self, "/pulls/%s", self->target) : issue_path(self);
}

static bool is_same_issue(const json_t *element, const json_t *body)
{
    const char *text = json_get_text(element, "body");
    return !json_object_get(element, "pull_request") &&
           g_strcmp0(json_get_text(element, "title"), json_get_text(body, "title")) == 0 &&
           strcmp(text ? text : "", json_get_text(body, "body")) == 0;
}

/* "<!-- wm-task:fix -->". Caller frees. */
static char *task_marker(const Applier *self)
{
    return g_strdup_printf("<!-- wm-task:%s -->", self->spec->task->name);
}

static bool closes_older(const Applier *self)
{
    return json_get_bool(self->handler->options, "close-older-issues", false);
}

static bool close_as_old(Applier *self, int64_t number, GError **error)
{
    g_autoptr(json_t) body =
        json_pack("{s:s, s:s}", "state", "closed", "state_reason", "not_planned");
    g_autofree char *path = apply_path(self, "/issues/%" G_GINT64_FORMAT, number);
    return apply_call(self, "PATCH", path, body, NULL, error);
}

/* Of the same author as the new one: anybody can write the marker. What this run made before is not
   older: its items may speak of one another. */
static bool close_older(Applier *self, const json_t *made, GError **error)
{
    g_autofree char *marker = task_marker(self);
    g_autofree char *query = g_strdup_printf("repo:%s is:issue is:open in:body \"wm-task:%s\"",
                                             self->spec->repo, self->spec->task->name);
    g_autofree char *encoded = wm_encode(query);
    g_autofree char *path = g_strconcat("/search/issues?per_page=100&q=", encoded, NULL);
    const char *author = json_string_value(json_get_path(made, "user.login"));
    g_autoptr(json_t) answer = NULL;
    if (!author || !wm_api_get(self->spec->api, path, self->cancel, &answer, error))
        return author == NULL;
    const json_t *items = json_get_array(answer, "items");
    int closed = 0;
    for (size_t i = 0; i < json_array_size(items) && closed < MAX_CLOSED; i++) {
        const json_t *issue = json_array_get(items, i);
        int64_t number = json_get_int(issue, "number", 0);
        const char *body = json_get_text(issue, "body");
        bool is_ours =
            g_strcmp0(json_string_value(json_get_path(issue, "user.login")), author) == 0;
        if (number <= 0 || number == self->number || !is_ours || !body || !strstr(body, marker) ||
            apply_is_of_run(self, json_get_text(issue, "html_url")))
            continue;
        if (!close_as_old(self, number, error))
            return false;
        closed++;
    }
    return true;
}

static json_t *new_issue(const Applier *self)
{
    static const char *const lists[] = { "labels", "assignees" };
    const json_t *fields = self->item.fields;
    g_autofree char *title = apply_title(self);
    g_autofree char *text = apply_made_text(self, apply_text(self, "body"));
    g_autofree char *marker = task_marker(self);
    g_autofree char *whole =
        closes_older(self) ? g_strconcat(text, "\n\n", marker, NULL) : g_strdup(text);
    json_t *body = json_make("title:%s body:%s", title, whole);
    for (size_t i = 0; i < G_N_ELEMENTS(lists); i++) {
        json_t *list = json_get_array(fields, lists[i]);
        if (json_array_size(list) > 0)
            json_object_set(body, lists[i], list);
    }
    return body;
}

bool apply_create_issue(Applier *self, GError **error)
{
    if (!apply_ensure_labels(self, json_get_array(self->item.fields, "labels"), error))
        return false;
    g_autoptr(json_t) body = new_issue(self), answer = NULL;
    g_autofree char *path = apply_path(self, "/issues");
    g_autofree char *list = apply_path(self, "/issues?state=all");
    const ApplyPost post = {
        .step = "issue", .path = path, .body = body, .list = list, .is_it = is_same_issue
    };
    if (!apply_post(self, &post, &answer, error))
        return false;
    apply_take(self, answer);
    g_autoptr(GError) failed = NULL;
    if (!self->is_staged && closes_older(self) && !close_older(self, answer, &failed))
        apply_warn(self, "older issues are not closed: %s", failed->message);
    return true;
}

/* Without line ends at the end. Caller frees. */
static char *without_last_lines(const char *text)
{
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r'))
        size--;
    return g_strndup(text, size);
}

static char *append_text(const char *now, const char *text)
{
    g_autofree char *before = without_last_lines(now);
    return g_strconcat(before, *before != '\0' ? "\n\n" : "", text, NULL);
}

static char *prepend_text(const char *now, const char *text)
{
    const char *rest = now + strspn(now, "\r\n");
    return g_strconcat(text, *rest != '\0' ? "\n\n" : "", rest, NULL);
}

/* Caller frees; NULL without a whole island. */
static char *replace_island(const char *now, const char *text)
{
    const char *found = NULL, *end = NULL;
    size_t size = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(islands); i++) {
        const char *start = strstr(now, islands[i].start);
        const char *stop = start ? strstr(start, islands[i].end) : NULL;
        if (!stop || (found && found < start))
            continue;
        found = start;
        end = stop;
        size = strlen(islands[i].start);
    }
    if (!found)
        return NULL;
    g_autofree char *before = g_strndup(now, (size_t)(found - now) + size);
    return g_strconcat(before, "\n", text, "\n", end, NULL);
}

/* What an attempt that was broken off would have left is there already. */
static bool is_there(const char *now, const char *text, bool is_append)
{
    g_autofree char *end = without_last_lines(now);
    return is_append ? g_str_has_suffix(end, text)
                     : str_has_prefix(now + strspn(now, "\r\n"), text);
}

/* The new body; NULL: it is as it should be. */
static bool change_body(Applier *self, const char *operation, const char *text, char **ret_body,
                        GError **error)
{
    g_autofree char *path = issue_path(self);
    g_autoptr(json_t) issue = NULL;
    if (!apply_get(self, path, &issue, error))
        return false;
    const char *current = json_get_text(issue, "body");
    g_autofree char *now = g_strdup(current ? current : "");
    bool is_append = strcmp(operation, "append") == 0;
    bool is_island = strcmp(operation, "replace_island") == 0;
    if (self->is_open && !is_island && is_there(now, text, is_append))
        return true;
    g_autofree char *body = is_island   ? replace_island(now, text)
                            : is_append ? append_text(now, text)
                                        : prepend_text(now, text);
    if (!body && !issue) // staged, without a token
        body = g_strdup(text);
    if (!body)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "replace_island: markers not found or invalid order");
    *ret_body = wm_body_plain(body);
    return true;
}

bool apply_update(Applier *self, GError **error)
{
    const char *given = apply_text(self, "body"), *operation = apply_text(self, "operation");
    g_autofree char *text = apply_plain_text(self, given);
    bool is_replace = *operation == '\0' || strcmp(operation, "replace") == 0;
    g_autofree char *body = *given != '\0' && is_replace ? g_strdup(text) : NULL;
    if (*given != '\0' && !is_replace && !change_body(self, operation, text, &body, error))
        return false;
    g_autoptr(json_t) patch = json_object();
    if (*apply_text(self, "title") != '\0') {
        g_autofree char *title = apply_title(self);
        json_set_text(patch, "title", title);
    }
    json_set_text(patch, "body", body);
    if (*apply_text(self, "status") != '\0')
        json_set_text(patch, "state", apply_text(self, "status"));
    if (json_object_size(patch) == 0)
        return true; // an earlier attempt had done it
    g_autofree char *path = patch_path(self);
    g_autoptr(json_t) answer = NULL;
    if (!apply_call(self, "PATCH", path, patch, &answer, error))
        return false;
    apply_take(self, answer);
    return true;
}

/* task-engine §6.4: what the policy wants of an issue that may be closed. */
static bool check_closable(Applier *self, GError **error)
{
    g_autoptr(json_t) labels = wm_handler_list(self->handler, "required-labels");
    const char *prefix = wm_handler_text(self->handler, "required-title-prefix");
    if (json_array_size(labels) == 0 && !prefix)
        return true;
    g_autofree char *path = issue_path(self);
    g_autoptr(json_t) issue = NULL;
    if (!apply_get(self, path, &issue, error))
        return false;
    const char *title = json_get_text(issue, "title");
    for (size_t i = 0; issue && i < json_array_size(labels); i++) {
        const char *label = json_string_value(json_array_get(labels, i));
        if (!apply_has_label(issue, label))
            return fail_with(error, KEDGE_ERROR_DENIED,
                             "#%" G_GINT64_FORMAT " lacks required label \"%s\"", self->item.number,
                             label);
    }
    if (issue && prefix && !(title && str_has_prefix(title, prefix)))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "title of #%" G_GINT64_FORMAT
                         " does not start with required prefix \"%s\"",
                         self->item.number, prefix);
    return true;
}

static bool is_same_comment(const json_t *element, const json_t *body)
{
    return g_strcmp0(json_get_text(element, "body"), json_get_text(body, "body")) == 0;
}

static bool comment_before(Applier *self, GError **error)
{
    const char *given = apply_text(self, "comment");
    if (*given == '\0')
        return true;
    g_autofree char *text = apply_comment_text(self, given, false);
    g_autoptr(json_t) body = json_make("body:%s", text);
    g_autofree char *path = apply_path(self, "/issues/%s/comments", self->target);
    const ApplyPost post = {
        .step = "comment", .path = path, .body = body, .list = path, .is_it = is_same_comment
    };
    return apply_post(self, &post, NULL, error);
}

bool apply_close(Applier *self, GError **error)
{
    if (!check_closable(self, error) || !comment_before(self, error))
        return false;
    g_autoptr(json_t) patch = json_make("state:%s", "closed");
    if (!is_of_pull(self))
        json_set_text(patch, "state_reason", apply_text(self, "state_reason"));
    g_autofree char *path = patch_path(self);
    g_autoptr(json_t) answer = NULL;
    if (!apply_call(self, "PATCH", path, patch, &answer, error))
        return false;
    apply_take(self, answer);
    return true;
}
