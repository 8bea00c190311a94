/* See rewinder.h. */
#include "agent/rewinder.h"

#include "model/message.h"
#include "session/session_tree.h"
#include "tool/model_view.h"
#include "tool/pending_action.h"
#include "tool/rewind_state.h"

#define REPORT_TYPE "rewind-report"
#define WARNING                                                                                    \
    "<system-warning>\nYou are in an active checkpoint. You MUST call rewind with your "           \
    "investigation findings before yielding. Do NOT yield without completing the checkpoint.\n"    \
    "</system-warning>"
#define BACK                                                                                       \
    "The conversation is back at the checkpoint. What followed is left out; the report above is "  \
    "what remains of it. Go on from there."

static json_t *hidden_message(const char *type, const char *text)
{
    return json_pack("{s:s, s:s, s:s, s:b, s:s}", "role", "custom", "customType", type, "content",
                     text, "display", 0, "attribution", "agent");
}

json_t *rewinder_warning(void)
{
    return hidden_message("checkpoint-warning", WARNING);
}

static bool is_result_of(const json_t *message, const char *tool)
{
    return strcmp(message_role(message), "toolResult") == 0 &&
           g_strcmp0(json_get_text(message, "toolName"), tool) == 0 &&
           !json_get_bool(message, "isError", false);
}

/* After all results of the answer that opened it. */
static bool is_behind(const json_t *message)
{
    return message && strcmp(message_role(message), "toolResult") == 0;
}

static bool rewinder_closes(const json_t *message)
{
    const char *role = message_role(message);
    bool is_aborted =
        strcmp(role, "assistant") == 0 && g_strcmp0(message_stop_reason(message), "aborted") == 0;
    return is_aborted || is_result_of(message, "rewind") ||
           g_strcmp0(json_get_text(message, "customType"), REPORT_TYPE) == 0;
}

/* The report that stands in place of what followed: no one comes back a second time. */
static bool is_report(const json_t *entry)
{
    return g_strcmp0(json_get_text(entry, "type"), "branch_summary") == 0 &&
           json_get_bool(json_get_object(entry, "details"), "rewind", false);
}

/* The entry's message, if it is a good result of that tool. New reference, or NULL. */
static json_t *read_result_of(const Session *session, const EntryHead *head, const char *tool)
{
    if (!g_str_equal(head->tool, tool))
        return NULL;
    g_autoptr(json_t) entry = session_read_entry(session, head);
    g_autoptr(json_t) message = session_entry_message(entry);
    return message && is_result_of(message, tool) ? g_steal_pointer(&message) : NULL;
}

/* Where the newest checkpoint is on the path, open or not; its length: there is none. */
static guint find_newest(const Session *session, const GPtrArray *path)
{
    for (guint i = path->len; i > 0; i--) {
        g_autoptr(json_t) message = read_result_of(session, path->pdata[i - 1], "checkpoint");
        if (message)
            return i - 1;
    }
    return path->len;
}

char *rewinder_find(const Session *session)
{
    g_autoptr(GPtrArray) path = session_path_to(session, NULL);
    guint newest = find_newest(session, path);
    const EntryHead *at = newest < path->len ? path->pdata[newest] : NULL;
    bool is_following = true; // results of the same answer
    for (guint i = newest + 1; i < path->len; i++) {
        const EntryHead *head = path->pdata[i];
        g_autoptr(json_t) entry = session_read_entry(session, head);
        g_autoptr(json_t) message = session_entry_message(entry);
        if (is_report(entry) || (message && rewinder_closes(message)))
            return NULL;
        is_following = is_following && is_behind(message);
        if (is_following)
            at = head;
    }
    return at ? g_strdup(at->id) : NULL;
}

void rewinder_begin(const Session *session, ToolContext *context)
{
    if (!settings_get_bool(tool_context_settings(context), "checkpoint.enabled"))
        return;
    g_autofree char *entry = rewinder_find(session);
    rewind_state_set_open(context, entry != NULL);
}

/* As it was before the report was given, which closes the checkpoint: without that result. */
static char *find_before_report(Session *session)
{
    g_autofree char *leaf = g_strdup(session_leaf_id(session));
    g_autoptr(GPtrArray) path = session_path_to(session, NULL);
    char *found = NULL;
    for (guint i = path->len; i > 0 && !found; i--) {
        const EntryHead *head = path->pdata[i - 1];
        g_autoptr(json_t) message = read_result_of(session, head, "rewind");
        if (!message)
            continue;
        if (session_move(session, head->parent_id, NULL))
            found = rewinder_find(session);
        break;
    }
    session_move(session, leaf, NULL);
    return found;
}

/* What people said since `entry`, oldest first: no report speaks in their place. New array. */
static json_t *words_since(const Session *session, const char *entry)
{
    json_t *words = json_array();
    g_autoptr(GPtrArray) path = session_path_to(session, NULL);
    guint i = 0;
    while (i < path->len && !g_str_equal(((const EntryHead *)path->pdata[i])->id, entry))
        i++;
    for (; i < path->len; i++) {
        const EntryHead *head = path->pdata[i];
        if (!g_str_equal(head->role, "user"))
            continue;
        g_autoptr(json_t) said = session_read_entry(session, head);
        g_autoptr(json_t) message = session_entry_message(said);
        if (message)
            json_array_append(words, message);
    }
    return words;
}

/* Model and level as they were set since the checkpoint hold on. */
static void keep_setup(Session *session, const SessionContext *before)
{
    g_auto(SessionContext) now = { 0 };
    session_build_context(session, &now);
    const char *model = json_get_text(before->models, "default");
    if (model && g_strcmp0(model, json_get_text(now.models, "default")) != 0)
        session_append_model_change(session, model, "default");
    if (before->thinking_level && g_strcmp0(before->thinking_level, now.thinking_level) != 0)
        session_append_thinking_level(session, before->thinking_level);
}

static void append_report(Session *session, const char *entry, const char *report)
{
    session_append_fields(session, "branch_summary",
                          json_make("fromId:%s summary:%s details:%p", entry, report,
                                    json_pack("{s:b}", "rewind", 1)));
}

json_t *rewinder_end_turn(Conversation *conversation, ToolContext *context)
{
    g_autofree char *report = rewind_state_take_report(context);
    if (!report)
        return NULL;
    Session *session = conversation->session;
    g_autofree char *entry = find_before_report(session);
    if (!entry)
        return NULL;
    g_auto(SessionContext) before = { 0 };
    session_build_context(session, &before);
    g_autoptr(json_t) words = words_since(session, entry);
    if (!session_move(session, entry, NULL))
        return NULL;
    keep_setup(session, &before);
    append_report(session, entry, report);
    json_each (words, i, message)
        session_append_message(session, message);
    session_flush(session, NULL); // what goes wrong is told at the end of the next turn
    conversation_reload(conversation);
    model_view_forget(context);
    pending_action_free(pending_action_take(context)); // a preview that no one sees any more
    return hidden_message(REPORT_TYPE, BACK);
}
