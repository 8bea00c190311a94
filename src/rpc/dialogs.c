/* See dialogs.h. */
#include "rpc/dialogs.h"

static json_t *request_new(const char *id, const char *method)
{
    return json_make("type:%s id:%s method:%s", "extension_ui_request", id, method);
}

static void send_confirm(RpcLink *link, const json_t *question)
{
    const char *tool = json_get_text(question, "tool");
    g_autofree char *title = g_strdup_printf("Allow %s?", tool ? tool : "this call");
    json_t *request = request_new(json_get_text(question, "id"), "confirm");
    json_add(request,
             "title:%s message:%s tool:%s effect:%s summary:%s digest:%s arguments:%p timeout:%p",
             title, json_get_text(question, "text"), tool, json_get_text(question, "effect"),
             json_get_text(question, "summary"), json_get_text(question, "digest"),
             json_incref(json_object_get(question, "arguments")),
             json_incref(json_object_get(question, "timeout")));
    rpc_link_send(link, request);
}

/* A question with options, or for a text. */
static void send_choice(RpcLink *link, const json_t *question)
{
    json_t *request = request_new(json_get_text(question, "id"), json_get_text(question, "method"));
    json_add(request, "title:%s tool:%s options:%p timeout:%p", json_get_text(question, "title"),
             json_get_text(question, "tool"), json_incref(json_object_get(question, "options")),
             json_incref(json_object_get(question, "timeout")));
    rpc_link_send(link, request);
}

static void send_cancel(RpcLink *link, const json_t *closed)
{
    if (g_strcmp0(json_get_text(closed, "reason"), "answered") == 0)
        return;
    const char *target = json_get_text(closed, "id");
    g_autofree char *id = g_strconcat("cancel-", target, NULL);
    json_t *request = request_new(id, "cancel");
    json_set_text(request, "targetId", target);
    rpc_link_send(link, request);
}

void rpc_dialogs_set_title(RpcLink *link, const char *title)
{
    g_autofree char *id = g_uuid_string_random();
    json_t *request = request_new(id, "setTitle");
    json_set_text(request, "title", title);
    rpc_link_send(link, request);
}

bool rpc_dialogs_event(RpcLink *link, const json_t *event)
{
    switch (event_kind(event)) {
    case EVENT_QUESTION:
        if (json_get_text(event, "method"))
            send_choice(link, event);
        else
            send_confirm(link, event);
        return true;
    case EVENT_QUESTION_CLOSED:
        send_cancel(link, event);
        return true;
    default:
        return false;
    }
}

void rpc_dialogs_answer(RpcLink *link, const json_t *response)
{
    const char *id = json_get_text(response, "id");
    const char *value = json_get_text(response, "value");
    // a yes to another call than the one that is asked about
    if (!id ||
        !agent_session_check_digest(link->session, id, json_get_text(response, "digest"), NULL))
        return;
    if (value || json_get_bool(response, "cancelled", false))
        agent_session_answer_text(link->session, id, value,
                                  json_get_bool(response, "timedOut", false), NULL);
    else
        agent_session_answer(link->session, id, json_get_bool(response, "confirmed", false), NULL);
}
