/*
 * What a program says to its conversation, and hears from it (kedge.h).
 */
#include "base/str.h"
#include "conversation/session_commands.h"
#include "lib/lib_error.h"
#include "lib/lib_session.h"
#include "model/message.h"

typedef struct Subscriber {
    unsigned id;
    Subscription *subscription;
    kedge_event_func func;
    void *user_data;
} Subscriber;

typedef struct SubscribeArgs {
    kedge_detail detail;
    kedge_event_func func;
    void *user_data;
    unsigned *ret_id;
} SubscribeArgs;

typedef struct CommandArgs {
    const char *name;
    const json_t *arguments;
} CommandArgs;

static kedge_code lib_talk_refuse(const char *problem, kedge_error **ret_error)
{
    GError *error = NULL;
    fail_with(&error, KEDGE_ERROR_USAGE, "%s", problem);
    return lib_fail(error, ret_error);
}

// ---- events ----

static void lib_talk_tell(json_t *event, void *subscriber)
{
    const Subscriber *self = subscriber;
    g_autofree char *text = json_to_text(event);
    self->func(text, self->user_data);
}

static bool run_subscribe(kedge_session *self, LibCall *call, GError **error G_GNUC_UNUSED)
{
    static const EventDetail details[] = { DETAIL_NONE, DETAIL_DELTAS, DETAIL_WHOLE };
    const SubscribeArgs *args = call->args;
    Subscriber *subscriber = g_new0(Subscriber, 1);
    subscriber->id = lib_session_next_number(self);
    subscriber->func = args->func;
    subscriber->user_data = args->user_data;
    const SubscriberSpec spec = { details[args->detail], true, lib_talk_tell, subscriber };
    subscriber->subscription = agent_session_subscribe(lib_session_agent(self), &spec);
    g_ptr_array_add(lib_session_subscribers(self), subscriber);
    if (args->ret_id)
        *args->ret_id = subscriber->id;
    return true;
}

kedge_code kedge_session_subscribe(kedge_session *session, kedge_detail detail,
                                   kedge_event_func func, void *user_data, unsigned *ret_id,
                                   kedge_error **ret_error)
{
    if (!func || (int)detail < KEDGE_MESSAGES || detail > KEDGE_WHOLE)
        return lib_talk_refuse("a subscription needs a function, and one of the three details",
                               ret_error);
    const SubscribeArgs args = { detail, func, user_data, ret_id };
    LibCall call = { .run = run_subscribe, .args = &args };
    return lib_call(session, &call, ret_error);
}

/* What it points to stays until the end: it may be telling right now. */
static bool run_unsubscribe(kedge_session *self, LibCall *call, GError **error)
{
    unsigned id = *(const unsigned *)call->args;
    const GPtrArray *all = lib_session_subscribers(self);
    for (unsigned i = 0; i < all->len; i++) {
        Subscriber *each = all->pdata[i];
        if (each->id == id && each->subscription) {
            event_hub_unsubscribe(agent_session_events(lib_session_agent(self)),
                                  g_steal_pointer(&each->subscription));
            return true;
        }
    }
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is no subscription %u", id);
}

kedge_code kedge_session_unsubscribe(kedge_session *session, unsigned id, kedge_error **ret_error)
{
    LibCall call = { .run = run_unsubscribe, .args = &id };
    return lib_call(session, &call, ret_error);
}

// ---- commands ----

static bool run_command(kedge_session *self, LibCall *call, GError **error)
{
    const CommandArgs *args = call->args;
    call->own_id = call->id ? g_strdup(call->id)
                            : g_strdup_printf(LIB_OWN_ID "%u", lib_session_next_number(self));
    g_auto(CommandReply) reply = { 0 };
    if (!session_command_run(lib_session_agent(self), args->name, args->arguments, call->own_id,
                             &reply, error))
        return false;
    call->is_pending = reply.is_pending;
    call->data = g_steal_pointer(&reply.data);
    return true;
}

/* `arguments` is taken; `call` says how. */
static kedge_code lib_talk_command(kedge_session *session, LibCall *call, const char *name,
                                   json_t *arguments, kedge_error **ret_error)
{
    g_autoptr(json_t) kept = arguments;
    const CommandArgs args = { name, kept };
    call->run = run_command;
    call->args = &args;
    return lib_call(session, call, ret_error);
}

/* Takes the data of a call. */
static void give_data(json_t *data, char **ret_data)
{
    g_autoptr(json_t) kept = data;
    if (ret_data && kept)
        *ret_data = json_to_text(kept);
}

static kedge_code command_of_text(kedge_session *session, LibCall *call, const char *name,
                                  const char *arguments, char **ret_data, kedge_error **ret_error)
{
    GError *error = NULL;
    json_t *object = NULL;
    if (ret_data)
        *ret_data = NULL;
    if (!name)
        return lib_talk_refuse("a command needs a name", ret_error);
    if (arguments && !json_parse_text(arguments, &object, &error)) {
        g_prefix_error(&error, "%s: ", name);
        return lib_fail(error, ret_error);
    }
    if (object && !json_is_object(object)) {
        json_decref(object);
        return lib_talk_refuse("the arguments of a command must be a JSON object", ret_error);
    }
    kedge_code code = lib_talk_command(session, call, name, object, ret_error);
    give_data(call->data, ret_data);
    return code;
}

kedge_code kedge_session_command(kedge_session *session, const char *name, const char *arguments,
                                 char **ret_data, kedge_error **ret_error)
{
    LibCall call = { 0 };
    return command_of_text(session, &call, name, arguments, ret_data, ret_error);
}

kedge_code kedge_session_begin(kedge_session *session, const char *name, const char *arguments,
                               const char *id, char **ret_data, kedge_error **ret_error)
{
    if (id && (str_has_prefix(id, LIB_OWN_ID) || !g_utf8_validate(id, -1, NULL)))
        return lib_talk_refuse("an id is UTF-8 and does not begin with " LIB_OWN_ID, ret_error);
    LibCall call = { .id = id, .is_begun = true };
    return command_of_text(session, &call, name, arguments, ret_data, ret_error);
}

// ---- messages ----

/* NULL, with the error given, when it is no message. */
static json_t *message_arguments(const char *message, kedge_error **ret_error)
{
    if (!message || !g_utf8_validate(message, -1, NULL)) {
        lib_talk_refuse(message ? "the message is not UTF-8"
                                : "there is no message: NULL was given",
                        ret_error);
        return NULL;
    }
    return json_make("message:%s", message);
}

static kedge_code lib_talk_say(kedge_session *session, const char *name, const char *message,
                               kedge_error **ret_error)
{
    json_t *arguments = message_arguments(message, ret_error);
    if (!arguments)
        return KEDGE_USAGE;
    LibCall call = { .is_begun = true };
    kedge_code code = lib_talk_command(session, &call, name, arguments, ret_error);
    json_decref(call.data);
    return code == KEDGE_PENDING ? KEDGE_OK : code;
}

kedge_code kedge_session_prompt(kedge_session *session, const char *message,
                                kedge_error **ret_error)
{
    return lib_talk_say(session, "prompt", message, ret_error);
}

kedge_code kedge_session_steer(kedge_session *session, const char *message, kedge_error **ret_error)
{
    return lib_talk_say(session, "steer", message, ret_error);
}

kedge_code kedge_session_follow_up(kedge_session *session, const char *message,
                                   kedge_error **ret_error)
{
    return lib_talk_say(session, "follow_up", message, ret_error);
}

static bool run_last_answer(kedge_session *self, LibCall *call, GError **error G_GNUC_UNUSED)
{
    call->data = json_incref((json_t *)agent_session_last_answer(lib_session_agent(self)));
    return true;
}

/* How a run ended: `end` is the data of its command_end. */
static bool check_end(const json_t *end, const json_t *answer, GError **error)
{
    const char *how = json_get_text(end, "end"), *budget = json_get_text(end, "budget");
    const char *problem = answer ? message_error(answer) : NULL;
    if (g_strcmp0(how, "done") == 0)
        return true;
    if (g_strcmp0(how, "aborted") == 0)
        return fail_with(error, KEDGE_ERROR_CANCELLED, "the run was aborted");
    if (g_strcmp0(how, "error") == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", problem ? problem : "the request failed");
    return fail_with(error, KEDGE_ERROR_LIMIT, "%s", budget ? budget : "the run was stopped");
}

kedge_code kedge_session_run(kedge_session *session, const char *message, char **ret_text,
                             kedge_error **ret_error)
{
    if (ret_text)
        *ret_text = NULL;
    json_t *arguments = message_arguments(message, ret_error);
    if (!arguments)
        return KEDGE_USAGE;
    LibCall call = { .needs_wait = true }, ask = { .run = run_last_answer };
    lib_session_hold(session); // freed by another thread, it must not go between the two calls
    kedge_code code = lib_talk_command(session, &call, "prompt", arguments, ret_error);
    g_autoptr(json_t) end = call.data;
    if (code == KEDGE_OK)
        code = lib_call(session, &ask, ret_error);
    lib_session_release(session);
    g_autoptr(json_t) answer = ask.data;
    if (code != KEDGE_OK)
        return code;
    GError *error = NULL;
    if (!check_end(end, answer, &error))
        return lib_fail(error, ret_error);
    if (ret_text)
        *ret_text = answer ? message_text(answer) : g_strdup("");
    return KEDGE_OK;
}

kedge_code kedge_session_abort(kedge_session *session, kedge_error **ret_error)
{
    LibCall call = { .is_begun = true };
    kedge_code code = lib_talk_command(session, &call, "abort", NULL, ret_error);
    return code == KEDGE_PENDING ? KEDGE_OK : code;
}

static bool run_wait(kedge_session *self G_GNUC_UNUSED, LibCall *call, GError **error G_GNUC_UNUSED)
{
    call->waits_idle = true;
    return true;
}

kedge_code kedge_session_wait(kedge_session *session, long long timeout_ms, kedge_error **ret_error)
{
    LibCall call = { .run = run_wait, .needs_wait = true, .timeout_ms = timeout_ms };
    return lib_call(session, &call, ret_error);
}

kedge_code kedge_session_answer(kedge_session *session, const char *question_id, int is_approved,
                                kedge_error **ret_error)
{
    if (!question_id || !g_utf8_validate(question_id, -1, NULL))
        return lib_talk_refuse("an answer needs the id of a question", ret_error);
    json_t *arguments = json_make("questionId:%s approved:%i", question_id, is_approved != 0);
    LibCall call = { 0 };
    return lib_talk_command(session, &call, "answer", arguments, ret_error);
}
