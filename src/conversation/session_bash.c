/* See session_bash.h. */
#include "conversation/session_bash.h"

#include "base/lock.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "base/worker.h"

#include <string.h>

enum { LIVE_BYTES = 16 * 1024 }; // of the output, while it runs

struct SessionBash {
    UserShellFunc run;
    ToolContext *context;
    EventHub *hub;
    LoopFunc ended;
    void *owner;
    Worker *worker; // NULL once it was joined
    Cancel *cancel;
    char *id, *command;
    bool is_excluded, is_python;
    pthread_mutex_t mutex; // of `output`
    char *output;          // the end of it so far; NULL: none yet
    UserShellResult result;
    GError *error;
};

/* On the worker. */
static void keep_output(const char *text, void *self_)
{
    SessionBash *self = self_;
    size_t size = strlen(text), surplus = size > LIVE_BYTES ? size - LIVE_BYTES : 0;
    char *end = g_strdup(text + utf8_boundary_after(text, size, surplus));
    HOLD_LOCK(&self->mutex);
    g_free(self->output);
    self->output = end;
}

char *session_bash_output(SessionBash *self)
{
    HOLD_LOCK(&self->mutex);
    return g_strdup(self->output ? self->output : "");
}

static void session_bash_work(void *self_)
{
    SessionBash *self = self_;
    const UserShellWatch watch = { keep_output, self };
    self->run(self->context, self->command, &watch, self->cancel, &self->result, &self->error);
    event_hub_post(self->hub, self->ended, self->owner);
}

bool session_bash_start(const SessionBashSpec *spec, SessionBash **ret_bash, GError **error)
{
    g_autoptr(SessionBash) self = g_new0(SessionBash, 1);
    pthread_mutex_init(&self->mutex, NULL);
    self->run = spec->run;
    self->context = spec->context;
    self->hub = spec->hub;
    self->ended = spec->ended;
    self->owner = spec->owner;
    self->id = g_strdup(spec->id);
    self->command = g_strdup(spec->command);
    self->is_excluded = spec->is_excluded;
    self->is_python = spec->is_python;
    self->cancel = cancel_new(spec->scope);
    self->worker = worker_start("kedge-bash", session_bash_work, self);
    if (!self->worker)
        return fail_with(error, KEDGE_ERROR_LIMIT, "no thread can be made for the command");
    *ret_bash = g_steal_pointer(&self);
    return true;
}

void session_bash_cancel(SessionBash *self)
{
    cancel_fire(self->cancel);
}

void session_bash_join(SessionBash *self)
{
    worker_join(g_steal_pointer(&self->worker));
}

void session_bash_free(SessionBash *self)
{
    if (!self)
        return;
    cancel_fire(self->cancel);
    session_bash_join(self);
    cancel_unref(self->cancel);
    g_free(self->id);
    g_free(self->command);
    g_free(self->output);
    pthread_mutex_destroy(&self->mutex);
    user_shell_result_clear(&self->result);
    g_clear_error(&self->error);
    g_free(self);
}

const char *session_bash_id(const SessionBash *self)
{
    return self->id;
}

const char *session_bash_name(const SessionBash *self)
{
    return self->is_python ? "python" : "bash";
}

const GError *session_bash_error(const SessionBash *self)
{
    return self->error;
}

static void set_artifact(json_t *object, const SessionBash *self, const char *artifact_id)
{
    Artifacts *artifacts = tool_context_artifacts(self->context);
    g_autofree char *path = NULL;
    json_set_text(object, "artifactId", artifact_id);
    if (artifact_id && artifacts_find(artifacts, artifact_id, &path, NULL))
        json_set_text(object, "fullOutputPath", path);
}

json_t *session_bash_data(const SessionBash *self)
{
    const UserShellResult *result = &self->result;
    json_t *data = json_make("output:%s", result->output);
    if (!result->is_cancelled)
        json_set_int(data, "exitCode", result->exit_code);
    json_add(data,
             "cancelled:%i truncated:%i totalLines:%jd totalBytes:%jd outputLines:%jd "
             "outputBytes:%jd",
             result->is_cancelled, result->is_truncated, (gint64)result->total_lines,
             (gint64)result->total_bytes, (gint64)result->output_lines,
             (gint64)result->output_bytes);
    set_artifact(data, self, result->artifact_id);
    return data;
}

json_t *session_bash_message(const SessionBash *self)
{
    const UserShellResult *result = &self->result;
    json_t *message = json_make("role:%s", self->is_python ? "pythonExecution" : "bashExecution");
    json_set_text(message, self->is_python ? "code" : "command", self->command);
    json_set_text(message, "output", result->output);
    if (!result->is_cancelled)
        json_set_int(message, "exitCode", result->exit_code);
    json_add(message, "cancelled:%i truncated:%i", result->is_cancelled, result->is_truncated);
    set_artifact(message, self, result->artifact_id);
    if (self->is_excluded)
        json_set_bool(message, "excludeFromContext", true);
    json_set_int(message, "timestamp", time_now_ms());
    return message;
}
