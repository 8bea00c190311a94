/*
 * The plain front end (plain.h): the loop, what is heard of the conversation, and the end.
 */
#include "tui/plain/plain_private.h"

#include "agent/event_kind.h"
#include "base/children.h"
#include "base/file.h"
#include "base/timefmt.h"
#include "model/registry.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

enum {
    TWICE_MS = 2000,       // two Ctrl-C within are one wish
    BELL_AFTER_MS = 10000, // of work: whoever waits may have looked away
};

#define PROMPT             "You: "
#define OUTPUT_LINES       "tui.toolOutputLines"
#define LIMIT_OUTPUT_LINES 1000

// ---- between what happens ----

/* When nothing runs: the next of the first messages, or the person's turn. */
static void plain_settle(void *self_)
{
    Plain *self = self_;
    bool is_busy = !agent_session_is_idle(self->session) || self->is_bash_running;
    if (self->is_ending) {
        plain_check_end(self);
        return;
    }
    self->is_stopping = self->is_stopping && is_busy;
    if (is_busy || self->is_prompted || self->questions->len > 0 || self->key_provider ||
        plain_lines_goes_on(self->lines))
        return;
    if (self->next_prompt < self->options->prompt_count) {
        plain_send(self, self->options->prompts[self->next_prompt++]);
        loop_post(self->loop, plain_settle, self);
        return;
    }
    plain_write(self, self->picks_session ? "Number of the session, or Enter to leave: " : PROMPT);
    self->is_prompted = true;
}

static void on_input(int fd, short revents, void *self_)
{
    plain_on_input(fd, revents, self_);
    plain_settle(self_);
}

/* What is queued stays so. */
static void say_queued(Plain *self)
{
    g_autoptr(json_t) state = agent_session_state(self->session);
    long long count = json_get_int(state, "queuedMessageCount", 0);
    if (count > 0)
        plain_say(self, "Messages that the model has not heard: %lld.%s", count,
                  self->is_ending ? "" : " They wait for your next one.");
}

static void stop_run(Plain *self, gint64 now)
{
    bool is_pending = false;
    if (now - self->interrupted_at < TWICE_MS && self->interrupted_at > 0) {
        plain_end(self, 0);
        return;
    }
    self->is_stopping = true;
    plain_say(self, "Stopping. Ctrl+C again leaves.");
    plain_refuse_questions(self);
    agent_session_abort_bash(self->session);
    agent_session_abort(self->session, NULL, &is_pending);
}

/* Ctrl-C: the terminal has dropped what was typed of the line. */
static void plain_interrupt(Plain *self)
{
    gint64 now = time_monotonic_ms();
    bool is_hiding = self->key_provider != NULL;
    plain_lines_forget(self->lines);
    plain_stop_hiding(self);
    if (!agent_session_is_idle(self->session) || self->is_bash_running)
        stop_run(self, now);
    else if (is_hiding)
        plain_say(self, "No key was taken.");
    else if (now - self->interrupted_at < TWICE_MS && self->interrupted_at > 0)
        plain_end(self, 0);
    else
        plain_say(self, "Ctrl+C again, or Ctrl+D, leaves.");
    self->interrupted_at = now;
    plain_settle(self);
}

/* Ctrl-Z: as it is without anybody who looks, but for a key that is being typed. */
static void plain_suspend(Plain *self)
{
    sigset_t stop;
    if (self->key_provider) {
        plain_stop_hiding(self);
        plain_say(self, "No key was taken.");
    }
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    pthread_kill(pthread_self(), SIGTSTP);
    pthread_sigmask(SIG_UNBLOCK, &stop, NULL); // stands still here, until SIGCONT
    pthread_sigmask(SIG_BLOCK, &stop, NULL);
    self->is_prompted = false;
    plain_settle(self);
}

static void on_signal(int signal_number, void *self_)
{
    Plain *self = self_;
    if (signal_number == SIGHUP && self->exit_code == 129)
        return; // said twice: by the terminal, and by the shell
    if (signal_number == SIGTSTP) {
        plain_suspend(self);
    } else if (self->is_ending) { // another one
        children_kill_all();
        loop_quit(self->loop);
    } else if (signal_number == SIGINT) {
        plain_interrupt(self);
    } else {
        plain_end(self, 128 + signal_number);
    }
}

// ---- events ----

static void say_bash(Plain *self, const json_t *event)
{
    const json_t *data = json_get_object(event, "data");
    const char *output = json_get_text(data, "output"), *problem = json_get_text(event, "error");
    self->is_bash_running = false;
    if (problem) {
        plain_say(self, "Error: %s", problem);
        return;
    }
    plain_speech_set_last_output(self->speech, output);
    plain_say(self, "%s", output ? output : "");
    if (json_get_bool(data, "cancelled", false))
        plain_say(self, "Stopped.");
    else
        plain_say(self, "Exit %lld.", (long long)json_get_int(data, "exitCode", 0));
}

static void slash_replay(bool is_moved G_GNUC_UNUSED, void *self_)
{
    Plain *self = self_;
    g_autoptr(json_t) messages = agent_session_messages(self->session);
    plain_speech_replay(self->speech, messages);
}

/* What waits after a message that did not go well was written for another course of things. */
static void end_prompt(Plain *self, const json_t *event)
{
    const char *end = json_get_text(json_get_object(event, "data"), "end");
    const char *problem = json_get_text(event, "error");
    size_t left = self->options->prompt_count - self->next_prompt;
    if (problem)
        plain_say(self, "Error: %s", problem);
    if (problem && json_get_text(event, "id") && self->sent) { // it is no part of the session
        agent_session_return(self->session, self->sent);
        plain_say(self, "It was not sent. /retry sends it.");
        json_decref(g_steal_pointer(&self->sent));
    }
    say_queued(self);
    if (left == 0 || (!problem && g_strcmp0(end, "done") == 0))
        return;
    plain_say(self, "Messages of the command line that were not sent: %zu.", left);
    self->next_prompt = self->options->prompt_count;
}

static void on_command_end(Plain *self, const json_t *event)
{
    if (g_strcmp0(json_get_text(event, "id"), SLASH_SHELL_ID) == 0)
        say_bash(self, event);
    else if (!slash_end(&self->slash, event) &&
             g_strcmp0(json_get_text(event, "command"), "prompt") == 0)
        end_prompt(self, event);
    self->is_bash_running = self->is_bash_running && agent_session_has_bash(self->session);
}

static void note_run(Plain *self, bool is_start)
{
    gint64 now = time_monotonic_ms();
    if (!is_start && now - self->begun_at >= BELL_AFTER_MS)
        plain_write(self, "\a");
    self->begun_at = now;
}

/* What is being typed stays with the terminal, to be edited there, but for a question that is to be
   shown now. */
static void open_question(Plain *self, json_t *question)
{
    if (self->questions->len == 0)
        plain_take_early_input(self);
    plain_open_question(self, question);
}

static void close_question(Plain *self, const json_t *closed)
{
    if (self->questions->len > 1)
        plain_take_early_input(self);
    plain_close_question(self, closed);
}

static void on_event(json_t *event, void *self_)
{
    Plain *self = self_;
    EventKind kind = event_kind(event);
    switch (kind) {
    case EVENT_QUESTION:
        open_question(self, event);
        break;
    case EVENT_QUESTION_CLOSED:
        close_question(self, event);
        break;
    case EVENT_COMMAND_END:
        on_command_end(self, event);
        break;
    case EVENT_COMMAND_PROGRESS:
        plain_say(self, "%s", json_get_text(event, "text"));
        break;
    default:
        plain_speech_event(self->speech, event);
        break;
    }
    if (kind == EVENT_AGENT_START || kind == EVENT_AGENT_END)
        note_run(self, kind == EVENT_AGENT_START);
    loop_post(self->loop, plain_settle, self);
}

// ---- the door of the slash commands ----

static void slash_say_text(const char *text, void *self_)
{
    plain_speech_say(((Plain *)self_)->speech, text);
}

static void slash_quit(void *self_)
{
    plain_end(self_, 0);
}

static void slash_say_clashes(void *self_)
{
    Plain *self = self_;
    for (;;) {
        g_autofree char *clash = slash_set_take_clash(session_slash_set(self->session));
        if (!clash)
            return;
        plain_say(self, "Warning: %s.", clash);
    }
}

static const char *slash_output(void *self_)
{
    return plain_speech_last_output(((Plain *)self_)->speech);
}

// ---- making and freeing ----

static void open_conversation(Plain *self)
{
    AgentSessionOptions options = *self->options->conversation;
    options.loop = self->loop;
    options.cancel = self->cancel;
    options.can_ask = options.can_choose = true;
    options.choose = NULL;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) context = g_string_new(NULL);
    options.context_note = context;
    self->session = agent_session_new(&options, warnings);
    for (unsigned i = 0; i < warnings->len; i++)
        plain_say(self, "Warning: %s", (const char *)warnings->pdata[i]);
    const SubscriberSpec subscriber = { DETAIL_DELTAS, true, on_event, self };
    agent_session_subscribe(self->session, &subscriber);
    self->slash = (SlashDoor) {
        .session = self->session,
        .context_files = g_strdup(context->str),
        .place = self->options->conversation->place,
        .say = slash_say_text,
        .quit = slash_quit,
        .replay = slash_replay,
        .ask_key = plain_ask_key,
        .last_output = slash_output,
        .user_data = self,
    };
    slash_door_open(&self->slash);
    slash_set_watch(session_slash_set(self->session), slash_say_clashes, self);
    slash_say_clashes(self);
}

static void say_welcome(Plain *self)
{
    const Model *model = self->options->conversation->model;
    const ModelRegistry *registry = agent_session_registry(self->session);
    g_autoptr(json_t) messages = agent_session_messages(self->session);
    plain_say(self, "kedge " KEDGE_VERSION ". Model: %s/%s. Directory: %s", model->provider,
              model->id, self->slash.place.cwd);
    if (!model_registry_is_available(registry, model,
                                     self->options->conversation->is_model_named)) {
        g_autofree char *hint = model_registry_key_hint(model);
        self->is_stand_in = !self->options->conversation->is_model_named;
        plain_say(self, "No key for %s yet. %s Or here: /login %s, or another /model.",
                  model->provider, hint, model->provider);
    }
    plain_say(self, "/help lists the commands, Ctrl+D leaves.");
    plain_speech_replay(self->speech, messages);
}

static void plain_init(Plain *self)
{
    self->loop = loop_new();
    self->cancel = cancel_new(NULL);
    self->lines = plain_lines_new();
    self->speech = plain_speech_new(plain_write_line, self);
    double lines = settings_get_number(self->options->conversation->settings, OUTPUT_LINES);
    plain_speech_set_output_lines(self->speech, (int)CLAMP(lines, 0, LIMIT_OUTPUT_LINES));
    self->questions = g_ptr_array_new_with_free_func(json_free);
    loop_add_end_signals(self->loop, on_signal, self);
    loop_add_signal(self->loop, SIGQUIT, on_signal, self);
    loop_add_signal(self->loop, SIGTSTP, on_signal, self);
    open_conversation(self);
    say_welcome(self);
    if (self->picks_session)
        plain_list_sessions(self);
    self->input = loop_add_fd(self->loop, STDIN_FILENO, POLLIN, on_input, self);
    loop_post(self->loop, plain_settle, self);
}

/* What a person needs to go on later. */
static void say_goodbye(Plain *self)
{
    g_autoptr(GError) error = NULL;
    if (agent_session_is_idle(self->session) && !agent_session_flush(self->session, &error))
        plain_say(self, "Error: the session could not be saved: %s", error->message);
    g_autoptr(json_t) state = agent_session_state(self->session);
    const char *path = json_get_text(state, "sessionFile");
    const char *dir = self->slash.place.session_dir;
    say_queued(self);
    if (path && file_exists(path))
        plain_say(self, "Resume with: kedge%s%s --resume %s", dir ? " --session-dir " : "",
                  dir ? dir : "", json_get_text(state, "sessionId"));
    else if (self->is_prompted)
        plain_write_line("", self);
}

static void plain_clear(Plain *self)
{
    agent_session_free(self->session);
    json_decref(self->sent);
    g_ptr_array_unref(self->questions);
    slash_door_clear(&self->slash);
    plain_lines_free(self->lines);
    plain_speech_free(self->speech);
    loop_free(self->loop);
    cancel_unref(self->cancel);
}

int plain_converse(const ConverseOptions *options)
{
    Plain self = { .options = options, .picks_session = options->picks_session };
    plain_init(&self);
    loop_run(self.loop);
    say_goodbye(&self);
    plain_clear(&self);
    return self.exit_code;
}
