/*
 * The conversation's end of the gh door (gh_door.h): who may ask, what is asked, and the answers.
 */
#include "github/door/gh_door.h"

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/str.h"
#include "base/worker.h"
#include "github/door/gh_door_link.h"
#include "github/door/gh_door_place.h"
#include "github/door/gh_door_tool.h"
#include "github/safe/gh_exit.h"
#include "tool/context.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define STATE_KEY  "gh-door"
#define STAT_BYTES 4096
#define MAX_ASKERS 64  // commands at once
#define FULL_MS    100 // until it is looked again whether there is room for one

typedef struct GhDoor {
    pthread_mutex_t lock;
    ToolContext *context; // NULL until somebody wants the folder
    GhDoorPlace place;
    Cancel *cancel; // fires when no one may ask any more
    Worker *worker; // that accepts
    GPtrArray *own; // of char *: what tells a person's own commands
    bool is_closed;
} GhDoor;

typedef struct Asker { // a command that asks
    GhDoorLink link;   // first: the tool gets it
    GhDoor *door;
    Worker *worker;
    atomic_bool is_done;
} Asker;

static void *gh_door_create(void)
{
    GhDoor *self = g_new0(GhDoor, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->place.listener = -1;
    self->cancel = cancel_new(NULL);
    self->own = g_ptr_array_new_with_free_func(g_free);
    return self;
}

static void gh_door_shut(GhDoor *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_closed = true;
    Worker *worker = g_steal_pointer(&self->worker);
    pthread_mutex_unlock(&self->lock);
    cancel_fire(self->cancel);
    worker_join(worker);
    gh_door_place_clear(&self->place);
}

static void gh_door_destroy(void *data)
{
    GhDoor *self = data;
    gh_door_shut(self);
    g_ptr_array_unref(self->own);
    cancel_unref(self->cancel);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static GhDoor *gh_door_of(ToolContext *context)
{
    return tool_context_state(context, STATE_KEY, gh_door_create, gh_door_destroy);
}

// ---- who asks ----

/* What a process sees under a path; NULL: it may not be known. Caller frees. */
static char *mounts_of(const char *process)
{
    g_autofree char *link = g_strdup_printf("/proc/%s/ns/mnt", process);
    return g_file_read_link(link, NULL);
}

/* NULL: it may ask. Else what it is answered; caller frees. */
static char *asker_refusal(int fd, bool *ret_is_other, pid_t *ret_pid)
{
    struct ucred peer = { 0 };
    socklen_t size = sizeof peer;
    *ret_is_other =
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 || peer.uid != geteuid();
    *ret_pid = peer.pid;
    g_autofree char *process = g_strdup_printf("%d", (int)peer.pid);
    g_autofree char *theirs = mounts_of(process);
    g_autofree char *ours = mounts_of("self");
    if (theirs && g_strcmp0(theirs, ours) == 0)
        return NULL;
    return g_strdup("gh: refused: this command runs in a container or mount namespace of its own, "
                    "where its directory may be another one than it says; use the tools gh and "
                    "github");
}

/* `git push` asks gh for a login by its credential helper: that is git's to have. */
static bool is_asked_by_git(const json_t *args, pid_t pid)
{
    const char *first = json_string_value(json_array_get(args, 0));
    const char *second = json_string_value(json_array_get(args, 1));
    if (g_strcmp0(first, "auth") != 0 || g_strcmp0(second, "git-credential") != 0)
        return false;
    for (int up = 0; up < 3; up++) { // gh, perhaps a shell, git
        g_autofree char *stat_path = g_strdup_printf("/proc/%d/stat", (int)pid);
        g_autofree char *stat = NULL;
        if (!file_read(stat_path, STAT_BYTES, &stat, NULL, NULL))
            return false;
        const char *name = strchr(stat, '(');
        const char *end = strrchr(stat, ')');
        if (!name || !end)
            return false;
        if (up > 0 && str_has_prefix(name, "(git"))
            return true;
        g_auto(GStrv) fields = g_strsplit(end + 1, " ", 4); // "", state, parent
        pid = g_strv_length(fields) > 2 ? (pid_t)g_ascii_strtoll(fields[2], NULL, 10) : 0;
    }
    return false;
}

static bool is_own(GhDoor *self, const json_t *request, pid_t pid)
{
    const char *own = json_get_text(request, "own");
    const json_t *args = json_get_array(request, "args");
    const char *first = json_string_value(json_array_get(args, 0));
    if (g_strcmp0(first, "wm") == 0) // kedge itself, by another name
        return true;
    if (is_asked_by_git(args, pid))
        return true;
    HOLD_LOCK(&self->lock);
    return own && g_ptr_array_find_with_equal_func(self->own, own, g_str_equal, NULL);
}

// ---- answers ----

static void answer_text(Asker *self, const char *text, int status)
{
    g_autoptr(json_t) answer = json_make("text:%s status:%d", text, status);
    gh_door_link_send(&self->link, answer, self->door->cancel, GH_DOOR_PATIENCE_MS);
}

static void answer_own(Asker *self)
{
    g_autoptr(json_t) answer = json_make("own:%i", true);
    gh_door_link_send(&self->link, answer, self->door->cancel, GH_DOOR_PATIENCE_MS);
}

/* While a person is asked: a command that has gone wants no answer. */
typedef struct Watch {
    const GhDoorLink *link;
    Cancel *cancel; // of the call
} Watch;

static void watch_command(void *data)
{
    const Watch *self = data;
    struct pollfd news = { .fd = self->link->fd, .events = POLLRDHUP };
    Cancel *over = self->link->over;
    while (!cancel_has_fired(over)) {
        if (cancel_poll(over, &news, 1, -1) > 0 && !cancel_has_fired(over)) {
            cancel_fire(self->cancel);
            return;
        }
    }
}

static void answer_call(Asker *self, const json_t *request)
{
    GhDoor *door = self->door;
    g_autoptr(Cancel) cancel = cancel_new(door->cancel);
    Watch watch = { &self->link, cancel };
    Worker *watcher = worker_start("gh-watch", watch_command, &watch);
    g_auto(ToolResult) result = { 0 };
    g_autoptr(json_t) arguments =
        json_make("args:%p cwd:%s repo:%s host:%s", json_incref(json_get_array(request, "args")),
                  json_get_text(request, "cwd"), json_get_text(request, "repo"),
                  json_get_text(request, "host"));
    lent_calls_make(door->context, &gh_door_tool, arguments, cancel, &self->link, &result);
    cancel_fire(self->link.over);
    worker_join(watcher);
    if (self->link.has_run)
        return;
    g_autofree char *text = tool_result_text(&result);
    answer_text(self, text, gh_exit_of(&result));
}

static void asker_work(void *data)
{
    Asker *self = data;
    GhDoor *door = self->door;
    g_autoptr(json_t) request = NULL;
    bool is_other = false;
    pid_t pid = 0;
    g_autofree char *refusal = asker_refusal(self->link.fd, &is_other, &pid);
    if (!is_other &&
        gh_door_link_read(&self->link, door->cancel, GH_DOOR_PATIENCE_MS, &request, NULL) &&
        json_get_array(request, "args")) {
        if (refusal)
            answer_text(self, refusal, GH_EXIT_REFUSED);
        else if (is_own(door, request, pid))
            answer_own(self);
        else
            answer_call(self, request);
    }
    shutdown(self->link.fd, SHUT_RDWR);
    atomic_store(&self->is_done, true);
}

static void asker_free(void *data)
{
    Asker *self = data;
    worker_join(self->worker);
    fd_close(self->link.fd);
    cancel_unref(self->link.over);
    g_string_free(self->link.rest, true);
    g_free(self);
}

static void forget_done(GPtrArray *askers)
{
    for (guint i = askers->len; i > 0; i--) {
        Asker *asker = askers->pdata[i - 1];
        if (atomic_load(&asker->is_done))
            g_ptr_array_remove_index_fast(askers, i - 1);
    }
}

static void add_asker(GhDoor *self, int fd, GPtrArray *askers)
{
    Asker *asker = g_new0(Asker, 1);
    asker->door = self;
    asker->link = (GhDoorLink) {
        .fd = fd,
        .rest = g_string_new(NULL),
        .over = cancel_new(NULL),
    };
    g_ptr_array_add(askers, asker);
    asker->worker = worker_start("gh-asker", asker_work, asker);
    if (!asker->worker)
        asker_work(asker);
}

/* Those that come while many ask are heard when one of these has ended. */
static void door_work(void *data)
{
    GhDoor *self = data;
    g_autoptr(GPtrArray) askers = g_ptr_array_new_with_free_func(asker_free);
    gh_door_place_sweep(&self->place);
    while (!cancel_has_fired(self->cancel)) {
        struct pollfd news = { .fd = self->place.listener, .events = POLLIN };
        bool is_full = askers->len >= MAX_ASKERS;
        cancel_poll(self->cancel, &news, is_full ? 0 : 1, is_full ? FULL_MS : -1);
        forget_done(askers);
        int fd = is_full ? -1 : accept4(self->place.listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            add_asker(self, fd, askers);
        else if (!is_full && errno != EAGAIN) // no descriptor can be had
            cancel_sleep(self->cancel, FULL_MS, NULL);
    }
}

// ---- the folder ----

/* What comes first on PATH. Borrowed until the context goes; "": nothing, and a warning has said
   why. */
static const char *gh_door_path(ToolContext *context)
{
    GhDoor *self = gh_door_of(context);
    HOLD_LOCK(&self->lock);
    if (self->place.path || self->is_closed)
        return self->place.path ? self->place.path : "";
    g_autoptr(GError) error = NULL;
    self->context = context;
    if (gh_door_place_make(&self->place, &error))
        self->worker = worker_start("gh-door", door_work, self);
    if (self->worker)
        return self->place.path;
    log_warning("gh cannot be judged in commands, so it is refused there: %s",
                error ? error->message : "there are no threads");
    gh_door_place_close(&self->place);
    return self->place.path;
}

static char **door_environment(ToolContext *context, char **env)
{
    const char *first = gh_door_path(context);
    const char *path = g_environ_getenv(env, "PATH");
    bool has_more = path && *path;
    g_autofree char *longer = g_strconcat(first, has_more ? ":" : NULL, path, NULL);
    return *first ? g_environ_setenv(env, "PATH", longer, true) : env;
}

/* The rc files of a shell, and commands, put others before it. */
static char *door_shell_text(ToolContext *context)
{
    const char *first = gh_door_path(context);
    if (!*first)
        return g_strdup("gh() { echo 'gh: refused: it cannot be judged here' >&2; return 77; }");
    g_autofree char *quoted = str_shell_quote(first);
    return g_strdup_printf("case ${PATH-}: in %s:*) ;; *) PATH=%s${PATH:+:$PATH} ;; esac", quoted,
                           quoted);
}

static char *door_begin_own(ToolContext *context)
{
    GhDoor *self = gh_door_of(context);
    g_autofree char *own = g_uuid_string_random();
    HOLD_LOCK(&self->lock);
    g_ptr_array_add(self->own, g_strdup(own));
    return g_strconcat(GH_DOOR_OWN "=", own, NULL);
}

static void door_end_own(ToolContext *context, const char *entry)
{
    GhDoor *self = gh_door_of(context);
    guint index = 0;
    HOLD_LOCK(&self->lock);
    if (g_ptr_array_find_with_equal_func(self->own, strchr(entry, '=') + 1, g_str_equal, &index))
        g_ptr_array_remove_index_fast(self->own, index);
}

static void door_close(ToolContext *context)
{
    gh_door_shut(gh_door_of(context));
}

const CommandDoor gh_command_door = {
    .environment = door_environment,
    .shell_text = door_shell_text,
    .begin_own = door_begin_own,
    .end_own = door_end_own,
    .close = door_close,
};
