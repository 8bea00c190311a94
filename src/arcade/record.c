/*
 * The server's record, and its process (record.h).
 */
#include "arcade/record.h"

#include "arcade/guard.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>

#define POLITE_MS 5000
#define KILL_MS   2000

void record_clear(ArcadeRecord *self)
{
    g_clear_pointer(&self->version, g_free);
    g_clear_pointer(&self->token, g_free);
    g_clear_pointer(&self->database, g_free);
}

char *record_path(const char *database)
{
    g_autofree char *directory = g_path_get_dirname(database);
    return g_build_filename(directory, "arcade.json", NULL);
}

bool record_read(const char *path, ArcadeRecord *ret_record)
{
    g_autoptr(json_t) root = NULL;
    if (!json_read_file(path, &root, NULL))
        return false;
    gint64 pid = json_get_int(root, "pid", 0), port = json_get_int(root, "port", 0);
    const char *token = json_get_text(root, "token");
    if (pid <= 1 || pid > G_MAXINT32 || port <= 0 || port > G_MAXUINT16 || !guard_is_token(token))
        return false;
    *ret_record = (ArcadeRecord) {
        .pid = pid,
        .started = json_get_int(root, "started", 0),
        .port = (unsigned)port,
        .version = g_strdup(json_get_text(root, "version")),
        .token = g_strdup(token),
        .database = g_strdup(json_get_text(root, "database")),
    };
    return true;
}

bool record_write(const char *path, const ArcadeRecord *record, GError **error)
{
    g_autoptr(json_t) root =
        json_make("pid:%jd started:%jd port:%u version:%s token:%s database:%s", record->pid,
                  record->started, record->port, record->version, record->token, record->database);
    g_autofree char *text = json_to_pretty(root);
    g_autofree char *line = g_strconcat(text, "\n", NULL);
    unlink(path); // what was there may have had another mode
    return file_write_atomic(path, line, strlen(line), 0600, error);
}

void record_remove(const char *path, int64_t pid, int64_t started)
{
    g_auto(ArcadeRecord) record = { 0 };
    if (record_read(path, &record) && record.pid == pid && record.started == started)
        unlink(path);
}

/* "PID (NAME) STATE …"; NAME may hold anything. The time of start is field 22. */
bool process_started(int64_t pid, int64_t *ret_started)
{
    g_autofree char *path = g_strdup_printf("/proc/%" G_GINT64_FORMAT "/stat", pid);
    g_autofree char *stat = NULL;
    if (!g_file_get_contents(path, &stat, NULL, NULL))
        return false;
    const char *name_end = strrchr(stat, ')');
    if (!name_end || name_end[1] != ' ')
        return false;
    g_auto(GStrv) fields = g_strsplit(name_end + 2, " ", -1);
    bool is_running = fields[0] && fields[0][0] != 'Z' && fields[0][0] != 'X';
    return is_running && g_strv_length(fields) > 19 && str_parse_int(fields[19], ret_started);
}

bool process_is_alive(const ArcadeRecord *record)
{
    int64_t started = 0;
    return process_started(record->pid, &started) && started == record->started;
}

static bool wait_for_end(int pidfd, int timeout_ms)
{
    struct pollfd end = { .fd = pidfd, .events = POLLIN };
    return poll(&end, 1, timeout_ms) > 0;
}

bool process_end(const ArcadeRecord *record, GError **error)
{
    g_auto(Fd) pidfd = (int)syscall(SYS_pidfd_open, (pid_t)record->pid, 0);
    if (pidfd < 0 && errno == ESRCH)
        return true;
    if (pidfd < 0)
        return fail_with_errno(error, errno, "process %" G_GINT64_FORMAT, record->pid);
    if (!process_is_alive(record)) // the descriptor is of whoever has the number now
        return true;
    static const struct {
        int signal, wait_ms;
    } steps[] = { { SIGTERM, POLITE_MS }, { SIGKILL, KILL_MS } };
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
        if (syscall(SYS_pidfd_send_signal, pidfd, steps[i].signal, NULL, 0) != 0 && errno != ESRCH)
            return fail_with_errno(error, errno, "process %" G_GINT64_FORMAT, record->pid);
        if (wait_for_end(pidfd, steps[i].wait_ms))
            return true;
    }
    return fail_with(error, KEDGE_ERROR_IO, "process %" G_GINT64_FORMAT " does not end",
                     record->pid);
}
