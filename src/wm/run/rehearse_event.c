/*
 * Events for a rehearsal (rehearse.h): made of what an issue or pull request is now, or of the
 * repository's last ones.
 */
#include "wm/run/rehearse.h"

#define COMMENT_ID 1 // of a comment that does not exist

static json_t *sender_of(const json_t *item)
{
    json_t *user = json_get_object(item, "user");
    if (user)
        return json_incref(user);
    user = json_object();
    json_set_text(user, "login", "somebody");
    json_set_text(user, "type", "User");
    return user;
}

static const char *first_text(const json_t *options, const char *key)
{
    return json_string_value(json_array_get(json_get_array(options, key), 0));
}

/* "/fix", as the first trigger's comment; NULL: the task has no such command. Caller frees. */
static char *command_text(const WmTask *task)
{
    const json_t *command = json_get_object(task->on, "slash_command");
    if (!command)
        return NULL;
    const char *name = first_text(command, "name");
    return g_strconcat("/", name ? name : task->name, NULL);
}

static json_t *comment_payload(const char *body, json_t *issue)
{
    json_t *comment = json_object();
    json_t *payload = json_object();
    json_set_int(comment, "id", COMMENT_ID);
    json_set_text(comment, "body", body);
    json_set_take(comment, "user", sender_of(issue));
    json_set_text(payload, "action", "created");
    json_set_take(payload, "issue", json_incref(issue));
    json_set_take(payload, "comment", comment);
    return payload;
}

/* {"action": the first of its types, `key`: item, "label"?}. */
static json_t *item_payload(const json_t *options, const char *key, json_t *item)
{
    const char *type = first_text(options, "types");
    const char *label = first_text(options, "labels");
    json_t *payload = json_object();
    json_set_text(payload, "action", type ? type : label ? "labeled" : "opened");
    json_set_take(payload, key, json_incref(item));
    if (label) {
        json_t *named = json_object();
        json_set_text(named, "name", label);
        json_set_take(payload, "label", named);
    }
    return payload;
}

static bool rehearse_event_get(WmApi *api, const char *what, int64_t number, Cancel *cancel,
                               json_t **ret_item, GError **error)
{
    g_autofree char *path = wm_path(api, "/%s/%" G_GINT64_FORMAT, what, number);
    return wm_api_get(api, path, cancel, ret_item, error);
}

static bool item_event(const WmTask *task, WmApi *api, int64_t number, bool is_pull, Cancel *cancel,
                       WmEvent *event, GError **error)
{
    static const char *const pull_events[] = { "pull_request", "pull_request_target" };
    g_autofree char *command = command_text(task);
    g_autoptr(json_t) item = NULL;
    const json_t *options = NULL;
    for (size_t i = 0; is_pull && !options && i < G_N_ELEMENTS(pull_events); i++) {
        options = json_get_object(task->on, pull_events[i]);
        event->name = options ? g_strdup(pull_events[i]) : NULL;
    }
    if (options) {
        if (!rehearse_event_get(api, "pulls", number, cancel, &item, error))
            return false;
        event->payload = item_payload(options, "pull_request", item);
        return true;
    }
    if (!rehearse_event_get(api, "issues", number, cancel, &item, error))
        return false;
    options = json_get_object(task->on, "issues");
    bool is_comment = command && (is_pull || !options);
    event->name = g_strdup(is_comment ? "issue_comment" : "issues");
    event->payload =
        is_comment ? comment_payload(command, item) : item_payload(options, "issue", item);
    return true;
}

bool wm_rehearse_event(const WmTask *task, WmApi *api, int64_t number, bool is_pull, Cancel *cancel,
                       WmEvent *ret_event, GError **error)
{
    g_auto(WmEvent) event = { 0 };
    if (number > 0) {
        if (!item_event(task, api, number, is_pull, cancel, &event, error))
            return false;
    } else {
        bool is_scheduled = json_get_object(task->on, "schedule") != NULL;
        event.name = g_strdup(is_scheduled ? "schedule" : "workflow_dispatch");
        event.payload = json_object();
    }
    if (api) {
        g_autoptr(json_t) repository = NULL;
        g_autofree char *path = wm_path(api, "%s", "");
        if (!wm_api_get(api, path, cancel, &repository, error))
            return false;
        json_set_take(event.payload, "repository", g_steal_pointer(&repository));
    }
    const json_t *item = json_get_object(event.payload, "issue");
    item = item ? item : json_get_object(event.payload, "pull_request");
    json_set_take(event.payload, "sender", sender_of(item));
    *ret_event = event;
    event = (WmEvent) { 0 };
    return true;
}

/* Names of the events interface, and of webhooks. */
static const char *webhook_name(const char *type)
{
    static const struct {
        const char *type, *name;
    } names[] = {
        { "IssuesEvent", "issues" },
        { "IssueCommentEvent", "issue_comment" },
        { "PullRequestEvent", "pull_request" },
        { "PullRequestReviewEvent", "pull_request_review" },
        { "PullRequestReviewCommentEvent", "pull_request_review_comment" },
        { "PushEvent", "push" },
        { "ReleaseEvent", "release" },
        { "CreateEvent", "create" },
        { "DeleteEvent", "delete" },
        { "ForkEvent", "fork" },
        { "WatchEvent", "watch" },
        { "DiscussionEvent", "discussion" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_strcmp0(type, names[i].type) == 0)
            return names[i].name;
    return NULL;
}

/* New reference; NULL: no webhook has its form. */
static json_t *history_entry(WmApi *api, const json_t *event)
{
    const char *name = webhook_name(json_get_text(event, "type"));
    const json_t *actor = json_get_object(event, "actor");
    if (!name || !json_get_object(event, "payload"))
        return NULL;
    json_t *payload = json_copy(json_get_object(event, "payload"));
    json_t *sender = json_object(), *repository = json_object(), *entry = json_object();
    const char *login = json_get_text(actor, "login");
    json_set_text(sender, "login", login);
    json_set_text(sender, "type", login && g_str_has_suffix(login, "[bot]") ? "Bot" : "User");
    json_set_text(repository, "full_name", wm_api_repo(api)->slug);
    json_set_take(payload, "sender", sender);
    json_set_take(payload, "repository", repository);
    json_set_text(entry, "name", name);
    json_set_text(entry, "at", json_get_text(event, "created_at"));
    json_set_text(entry, "actor", login);
    json_set_take(entry, "payload", payload);
    return entry;
}

bool wm_rehearse_history(WmApi *api, int64_t count, Cancel *cancel, json_t **ret_events,
                         GError **error)
{
    g_autoptr(json_t) events = NULL;
    g_autofree char *path =
        wm_path(api, "/events?per_page=%" G_GINT64_FORMAT, CLAMP(count, 1, 100));
    if (!wm_api_get(api, path, cancel, &events, error))
        return false;
    json_t *kept = json_array();
    for (size_t i = 0; i < json_array_size(events); i++)
        json_append_take(kept, history_entry(api, json_array_get(events, i)));
    *ret_events = kept;
    return true;
}
