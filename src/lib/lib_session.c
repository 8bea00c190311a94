/*
 * Conversations on threads of their own (lib_session.h).
 */
#include "lib/lib_session.h"

#include "base/fd.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/worker.h"
#include "lib/lib_error.h"
#include "lib/lib_opening.h"

#include <errno.h>
#include <sys/eventfd.h>

#define DRAIN_LOOK_MS 5 // until it is asked again whether everything was told

struct kedge_session {
    Worker *worker;
    pthread_t thread; // the worker's
    Loop *loop;
    Cancel *scope;
    AgentSession *agent;    // of the thread
    GPtrArray *subscribers; // of the thread
    unsigned last_number;   // of the thread
    bool is_looking;        // of the thread: look_whether_idle() will come
    kedge_question_func on_question;
    void *user_data;

    pthread_mutex_t lock; // guards the rest
    pthread_cond_t changed;
    GPtrArray *calls;     // of LibCall *, those that are not finished
    GArray *tool_threads; // of pthread_t
    unsigned users;       // calls, and what makes several, whose caller has not gone yet
    bool is_started, is_closing;
    GError *failure; // of the start
};

typedef struct Start { // of the thread
    kedge_session *session;
    const kedge_options *options;
} Start;

// ---- calls ----

/* On the conversation's thread. Takes `error`; the call may be gone when this returns. */
static void lib_call_finish(LibCall *call, kedge_code code, GError *error)
{
    kedge_session *self = call->session;
    loop_remove(self->loop, g_steal_pointer(&call->timer));
    HOLD_LOCK(&self->lock);
    call->code = code;
    call->error = error;
    call->is_done = true;
    g_ptr_array_remove(self->calls, call);
    pthread_cond_broadcast(&self->changed);
}

/* The first that `is_wanted` says yes to; NULL: none. */
static LibCall *find_call(kedge_session *self,
                          bool (*is_wanted)(const LibCall *call, const char *id), const char *id)
{
    LibCall *found = NULL;
    HOLD_LOCK(&self->lock);
    for (unsigned i = 0; i < self->calls->len && !found; i++)
        found = is_wanted(self->calls->pdata[i], id) ? self->calls->pdata[i] : NULL;
    return found;
}

static bool is_pending_as(const LibCall *call, const char *id)
{
    return call->is_pending && g_strcmp0(call->own_id, id) == 0;
}

static bool is_waiting_for_idle(const LibCall *call, const char *id G_GNUC_UNUSED)
{
    return call->waits_idle;
}

static bool is_any(const LibCall *call G_GNUC_UNUSED, const char *id G_GNUC_UNUSED)
{
    return true;
}

static void look_whether_idle(void *self_)
{
    kedge_session *self = self_;
    self->is_looking = false;
    LibCall *call = NULL;
    if (!agent_session_is_idle(self->agent)) // a command_end will come
        return;
    if (event_hub_is_drained(agent_session_events(self->agent))) {
        while ((call = find_call(self, is_waiting_for_idle, NULL)))
            lib_call_finish(call, KEDGE_OK, NULL);
        return;
    }
    self->is_looking = true;
    loop_add_timer(self->loop, DRAIN_LOOK_MS, look_whether_idle, self);
}

static void look_soon(kedge_session *self)
{
    if (self->is_looking)
        return;
    self->is_looking = true;
    loop_post(self->loop, look_whether_idle, self);
}

static void on_timeout(void *call_)
{
    LibCall *call = call_;
    call->timer = NULL;
    GError *error = NULL;
    fail_with(&error, KEDGE_ERROR_TIMEOUT, "the conversation is still busy after %lld ms",
              (long long)call->timeout_ms);
    lib_call_finish(call, KEDGE_TIMEOUT, error);
}

static void run_call(void *call_)
{
    LibCall *call = call_;
    kedge_session *self = call->session;
    GError *error = NULL;
    if (!call->run(self, call, &error)) {
        lib_call_finish(call, KEDGE_FAILED, error);
        return;
    }
    if (!call->is_pending && !call->waits_idle) {
        lib_call_finish(call, KEDGE_OK, NULL);
        return;
    }
    if (!call->may_wait) {
        lib_call_finish(call, KEDGE_PENDING, NULL);
        return;
    }
    if (call->waits_idle)
        look_soon(self);
    if (call->waits_idle && call->timeout_ms >= 0)
        call->timer = loop_add_timer(self->loop, call->timeout_ms, on_timeout, call);
}

static bool is_inside_locked(const kedge_session *self)
{
    if (pthread_equal(self->thread, pthread_self()))
        return true;
    for (unsigned i = 0; i < self->tool_threads->len; i++)
        if (pthread_equal(g_array_index(self->tool_threads, pthread_t, i), pthread_self()))
            return true;
    return false;
}

/* False when the conversation is ending, or the call would wait where nothing may. */
static bool lib_session_enqueue(kedge_session *self, LibCall *call, bool *ret_is_own_thread,
                                GError **error)
{
    call->session = self;
    pthread_mutex_lock(&self->lock);
    bool is_inside = is_inside_locked(self), is_closing = self->is_closing;
    *ret_is_own_thread = pthread_equal(self->thread, pthread_self());
    call->may_wait = !is_inside && !call->is_begun;
    bool is_refused = is_closing || (is_inside && call->needs_wait);
    if (!is_refused) {
        self->users++;
        g_ptr_array_add(self->calls, call);
    }
    pthread_mutex_unlock(&self->lock);
    if (is_closing)
        return fail_with(error, KEDGE_ERROR_CANCELLED, "the conversation is being closed");
    if (is_refused)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "a function that the conversation calls cannot wait for it");
    return true;
}

void lib_session_hold(kedge_session *self)
{
    if (!self)
        return;
    HOLD_LOCK(&self->lock);
    self->users++;
}

void lib_session_release(kedge_session *self)
{
    if (!self)
        return;
    HOLD_LOCK(&self->lock);
    self->users--;
    pthread_cond_broadcast(&self->changed);
}

static void lib_session_await(kedge_session *self, LibCall *call)
{
    pthread_mutex_lock(&self->lock);
    while (!call->is_done)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
    lib_session_release(self);
}

kedge_code lib_call(kedge_session *self, LibCall *call, kedge_error **ret_error)
{
    GError *error = NULL;
    bool is_own_thread = false;
    if (!self) {
        fail_with(&error, KEDGE_ERROR_USAGE, "there is no session: NULL was given");
        return lib_fail(error, ret_error);
    }
    if (!lib_session_enqueue(self, call, &is_own_thread, &error))
        return lib_fail(error, ret_error);
    if (is_own_thread)
        run_call(call);
    else
        loop_post(self->loop, run_call, call);
    lib_session_await(self, call);
    g_free(call->own_id);
    return call->error ? lib_fail(call->error, ret_error) : call->code;
}

AgentSession *lib_session_agent(kedge_session *self)
{
    return self->agent;
}

GPtrArray *lib_session_subscribers(kedge_session *self)
{
    return self->subscribers;
}

unsigned lib_session_next_number(kedge_session *self)
{
    return ++self->last_number;
}

void lib_session_enter(kedge_session *self)
{
    pthread_t thread = pthread_self();
    HOLD_LOCK(&self->lock);
    g_array_append_val(self->tool_threads, thread);
}

void lib_session_leave(kedge_session *self)
{
    HOLD_LOCK(&self->lock);
    for (unsigned i = self->tool_threads->len; i > 0; i--) {
        if (pthread_equal(g_array_index(self->tool_threads, pthread_t, i - 1), pthread_self())) {
            g_array_remove_index_fast(self->tool_threads, i - 1);
            break;
        }
    }
}

// ---- events ----

static void end_command(kedge_session *self, const json_t *event)
{
    LibCall *call = find_call(self, is_pending_as, json_get_text(event, "id"));
    if (!call)
        return;
    const char *problem = json_get_text(event, "error");
    GError *error = NULL;
    if (problem)
        fail_with(&error, KEDGE_ERROR_FAILED, "%s", problem);
    else
        call->data = json_incref(json_object_get(event, "data"));
    lib_call_finish(call, KEDGE_OK, error);
}

static void lib_session_ask(kedge_session *self, const json_t *event)
{
    g_autofree char *text = json_to_text(event);
    kedge_answer answer = self->on_question(text, self->user_data);
    if (answer != KEDGE_LATER)
        agent_session_answer(self->agent, json_get_text(event, "id"), answer == KEDGE_YES, NULL);
}

static void on_event(json_t *event, void *self_)
{
    kedge_session *self = self_;
    EventKind kind = event_kind(event);
    if (kind == EVENT_COMMAND_END)
        end_command(self, event);
    else if (kind == EVENT_QUESTION && self->on_question)
        lib_session_ask(self, event);
    if (find_call(self, is_waiting_for_idle, NULL))
        look_soon(self);
}

// ---- the thread ----

/* Without a descriptor there is nothing to begin with. */
static bool check_descriptors(GError **error)
{
    g_auto(Fd) spare = eventfd(0, EFD_CLOEXEC);
    return spare >= 0 || fail_with_errno(error, errno, "cannot open a conversation");
}

static bool start_agent(kedge_session *self, const kedge_options *given, GError **error)
{
    g_auto(LibOpening) opening = { 0 };
    if (!check_descriptors(error) || !lib_opening_make(given, &opening, error))
        return false;
    self->on_question = opening.given.on_question;
    self->user_data = opening.given.user_data;
    AgentSessionOptions options = lib_opening_take(&opening);
    options.loop = self->loop;
    options.cancel = self->scope;
    options.can_ask = self->on_question != NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    self->agent = agent_session_new(&options, warnings);
    for (unsigned i = 0; i < warnings->len; i++)
        log_warning("%s", (const char *)warnings->pdata[i]);
    agent_session_subscribe(self->agent, &(SubscriberSpec) { DETAIL_NONE, true, on_event, self });
    return true;
}

static void cancel_calls(kedge_session *self)
{
    LibCall *call = NULL;
    while ((call = find_call(self, is_any, NULL))) {
        GError *error = NULL;
        fail_with(&error, KEDGE_ERROR_CANCELLED, "the conversation was closed");
        lib_call_finish(call, KEDGE_CANCELLED, error);
    }
}

static void session_main(void *start_)
{
    const Start *start = start_;
    kedge_session *self = start->session;
    GError *failure = NULL;
    bool is_open = start_agent(self, start->options, &failure);
    pthread_mutex_lock(&self->lock); // `start` is gone after this
    self->thread = pthread_self();
    self->is_started = true;
    self->failure = failure;
    pthread_cond_broadcast(&self->changed);
    pthread_mutex_unlock(&self->lock);
    if (!is_open)
        return;
    loop_run(self->loop);
    cancel_calls(self);
    agent_session_free(self->agent);
}

static void lib_session_destroy(kedge_session *self)
{
    worker_join(self->worker);
    loop_free(self->loop);
    cancel_unref(self->scope);
    g_ptr_array_unref(self->subscribers);
    g_ptr_array_unref(self->calls);
    g_array_unref(self->tool_threads);
    pthread_cond_destroy(&self->changed);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

kedge_session *kedge_session_open(const kedge_options *options, kedge_error **ret_error)
{
    kedge_session *self = g_new0(kedge_session, 1);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->changed, NULL);
    self->loop = loop_new();
    self->scope = cancel_new(NULL);
    self->subscribers = g_ptr_array_new_with_free_func(g_free);
    self->calls = g_ptr_array_new();
    self->tool_threads = g_array_new(FALSE, FALSE, sizeof(pthread_t));
    Start start = { self, options };
    GError *failure = NULL;
    self->worker = worker_start("kedge", session_main, &start);
    if (!self->worker)
        fail_with_errno(&failure, errno, "cannot start a thread for the conversation");
    pthread_mutex_lock(&self->lock);
    while (self->worker && !self->is_started)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
    if (self->failure)
        failure = self->failure;
    if (!failure)
        return self;
    lib_session_destroy(self);
    lib_fail(failure, ret_error);
    return NULL;
}

kedge_code kedge_session_free(kedge_session *self)
{
    if (!self)
        return KEDGE_OK;
    pthread_mutex_lock(&self->lock);
    bool is_inside = is_inside_locked(self);
    self->is_closing = self->is_closing || !is_inside;
    pthread_mutex_unlock(&self->lock);
    if (is_inside)
        return KEDGE_USAGE;
    cancel_fire(self->scope);
    loop_quit(self->loop);
    pthread_mutex_lock(&self->lock);
    while (self->users > 0)
        pthread_cond_wait(&self->changed, &self->lock);
    pthread_mutex_unlock(&self->lock);
    lib_session_destroy(self);
    return KEDGE_OK;
}
