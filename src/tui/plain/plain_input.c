/*
 * What a person types, in the plain front end: messages, commands, answers, keys.
 */
#include "tui/plain/plain_private.h"

#include "base/mask.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "model/message.h"
#include "model/registry.h"
#include "session/prompt_history.h"
#include "tui/plain/plain_ask.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 * 1024,
    TOO_EARLY_MS = 400, // no one has read a question before
};

// ---- a key, which is not shown ----

void plain_ask_key(const char *provider, void *self_)
{
    Plain *self = self_;
    struct termios hidden;
    if (self->questions->len > 0) {
        plain_say(self, "Error: answer the question first.");
        return;
    }
    if (tcgetattr(STDIN_FILENO, &self->echoing) < 0) {
        plain_say(self, "Error: the terminal cannot be asked; use `kedge login %s`", provider);
        return;
    }
    hidden = self->echoing;
    hidden.c_lflag &= ~(tcflag_t)ECHO;
    plain_say(self, "The key for %s, which is not shown; an empty line takes none:", provider);
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden);
    plain_lines_forget(self->lines); // it was typed for something else
    g_free(self->key_provider);
    self->key_provider = g_strdup(provider);
}

/* There was no key for any model: now one can be chosen as at a start. */
static void choose_model(Plain *self)
{
    const Model *model = model_registry_default(agent_session_registry(self->session));
    if (!self->is_stand_in || !model ||
        !agent_session_set_model(self->session, model->provider, model->id, NULL))
        return;
    self->is_stand_in = false;
    plain_say(self, "The model is %s/%s.", model->provider, model->id);
}

static void take_key(Plain *self, const char *line)
{
    g_autofree char *provider = g_strdup(self->key_provider), *key = utf8_trim(line);
    g_autoptr(GError) error = NULL;
    plain_stop_hiding(self);
    if (*key == '\0') {
        plain_say(self, "No key was taken.");
    } else if (!model_registry_store_key(agent_session_registry(self->session), provider, key,
                                         &error)) {
        plain_say(self, "Error: %s", error->message);
    } else {
        plain_say(self, "The key for %s is stored.", provider);
        choose_model(self);
    }
}

// ---- messages and commands ----

void plain_send(Plain *self, json_t *message)
{
    g_autoptr(GError) error = NULL;
    bool is_pending = false;
    if (mask_finds_in_json(message))
        plain_say(self, "Warning: this holds a secret that kedge knows: the model gets it as it "
                        "is, session and events have " MASK_TEXT);
    bool is_stopping = self->is_stopping && !agent_session_is_idle(self->session);
    bool is_sent =
        is_stopping
            ? agent_session_abort_and_prompt(self->session, message, "prompt", &is_pending, &error)
            : agent_session_prompt(self->session, message, "steer", "prompt", &is_pending, &error);
    json_decref(self->sent);
    self->sent = json_incref(message);
    if (!is_sent)
        plain_say(self, "Error: %s", error->message);
    else if (is_stopping)
        plain_say(self, "It goes out when that has stopped.");
    else if (!is_pending)
        plain_say(self, "The model hears it as soon as it can.");
}

static void send_text(Plain *self, const char *text)
{
    const SessionPlace *place = &self->slash.place;
    if (self->options->keeps_history)
        prompt_history_add(place->agent_dir, text, place->cwd);
    g_autoptr(json_t) message = message_user(text);
    plain_send(self, message);
}

static void run_shell(Plain *self, const char *line)
{
    bool is_excluded = line[1] == '!';
    g_autoptr(GError) error = NULL;
    g_autofree char *command = utf8_trim(line + 1 + is_excluded);
    if (*command == '\0')
        plain_say(self, "Error: ! takes a command after it");
    else if (agent_session_bash(self->session, command, is_excluded, SLASH_SHELL_ID, &error))
        self->is_bash_running = true;
    else
        plain_say(self, "Error: %s", error->message);
}

static void say_help(Plain *self)
{
    if (self->questions->len > 0)
        plain_say(self, "%s", plain_ask_help(self->questions->pdata[0]));
}

static void take_text(Plain *self, const char *line)
{
    g_autoptr(GError) error = NULL;
    bool is_done = slash_run(&self->slash, line, &error);
    self->is_bash_running = self->is_bash_running || agent_session_has_bash(self->session);
    if (is_done)
        return;
    if (error)
        plain_say(self, "Error: %s", error->message);
    else if (*line == '!')
        run_shell(self, line);
    else if (!utf8_is_blank(line))
        send_text(self, line);
    say_help(self);
}

void plain_list_sessions(Plain *self)
{
    g_autoptr(GError) error = NULL;
    if (!slash_run(&self->slash, "/resume", &error))
        plain_say(self, "Error: %s", error->message);
}

/* The line that picks one. */
static void take_session(Plain *self, const char *line)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *command = g_strconcat("/resume ", line, NULL);
    if (utf8_is_blank(line)) {
        plain_say(self, NO_SESSION_PICKED);
        plain_end(self, 0);
    } else if (slash_run(&self->slash, command, &error)) {
        self->picks_session = false;
    } else {
        plain_say(self, "Error: %s", error->message);
    }
}

static void take_message(Plain *self, const PlainMessage *message)
{
    bool is_early = message->is_early || time_monotonic_ms() - self->asked_at < TOO_EARLY_MS;
    bool is_command = *message->text == '!' || slash_is_command(&self->slash, message->text);
    if (message->is_cut) {
        plain_stop_hiding(self);
        plain_say(self, "The terminal cut that line at 4,095 bytes, so it was not taken. Put it "
                        "into a file, or into several lines with \\ at their ends.");
    } else if (self->key_provider) {
        take_key(self, message->text);
    } else if (self->picks_session && !is_command) {
        take_session(self, message->text);
    } else if (is_early && plain_is_answer_like(self, message->text)) {
        plain_say(self, "That was typed before the question could be read.");
        say_help(self);
    } else if (is_command || is_early || !plain_answer(self, message->text)) {
        take_text(self, message->text);
    }
}

static void take_messages(Plain *self)
{
    for (;;) {
        g_auto(PlainMessage) message = { 0 };
        if (self->is_ending || !plain_lines_next(self->lines, &message))
            return;
        self->is_prompted = false; // the terminal has ended that line
        take_message(self, &message);
    }
}

// ---- bytes ----

/* False: nothing more comes. */
static bool read_piece(Plain *self)
{
    char buffer[READ_BYTES];
    struct pollfd input = { .fd = STDIN_FILENO };
    ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    if (count > 0)
        plain_lines_push(self->lines, buffer, (size_t)count);
    else if (count == 0) // Ctrl-D, or the terminal is gone
        plain_end(self, poll(&input, 1, 0) > 0 && (input.revents & POLLHUP) ? 129 : 0);
    else if (errno != EINTR && errno != EAGAIN)
        plain_end(self, 129);
    return count > 0;
}

/* Without line editing for a moment, the terminal gives what there is of a line. */
static void take_begun_line(Plain *self)
{
    struct termios lines, letters;
    char buffer[READ_BYTES];
    if (self->is_ending || tcgetattr(STDIN_FILENO, &lines) < 0 || !(lines.c_lflag & ICANON))
        return;
    letters = lines;
    letters.c_lflag &= ~(tcflag_t)ICANON;
    letters.c_cc[VMIN] = letters.c_cc[VTIME] = 0; // nothing is waited for
    tcsetattr(STDIN_FILENO, TCSANOW, &letters);
    ssize_t count = read(STDIN_FILENO, buffer, sizeof(buffer));
    tcsetattr(STDIN_FILENO, TCSANOW, &lines);
    if (count > 0)
        plain_lines_push(self->lines, buffer, (size_t)count);
}

void plain_take_early_input(Plain *self)
{
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    if (self->key_provider) { // a part of a key is nothing else
        tcflush(STDIN_FILENO, TCIFLUSH);
        plain_lines_forget(self->lines);
        return;
    }
    while (!self->is_ending && poll(&input, 1, 0) > 0 && (input.revents & POLLIN) &&
           read_piece(self)) {
    }
    take_begun_line(self);
    take_messages(self);
}

void plain_on_input(int fd G_GNUC_UNUSED, short revents, void *self_)
{
    Plain *self = self_;
    if (revents & POLLIN)
        read_piece(self);
    else if (revents & (POLLHUP | POLLERR | POLLNVAL))
        plain_end(self, 129);
    take_messages(self);
}
