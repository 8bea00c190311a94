/*
 * The file of the theme in use (theme_watch.h). Its directory is watched, since editors replace
 * files; while there is none, the one above it is, for the day that it is made.
 */
#include "tui/control/theme_watch.h"

#include "base/fd.h"
#include "base/limits.h"
#include "tui/control/tui_own.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#define SETTLE_MS 100 // an editor writes more than once
#define DIR_NAME  "themes"
#define FILE_EVENTS                                                                                \
    (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF |    \
     IN_ONLYDIR)

struct ThemeWatch {
    Tui *tui;
    Fd inotify;
    int watch;        // of the directory, or the one above it; -1: none
    bool is_of_above; // it is the one above
    LoopSource *source, *settle;
    char *last_problem; // that was said; NULL: none
};

/* The directory, or the one above it. */
static void watch(ThemeWatch *self)
{
    const char *above = self->tui->slash.place.agent_dir;
    g_autofree char *dir = g_build_filename(above, DIR_NAME, NULL);
    if (self->watch >= 0)
        inotify_rm_watch(self->inotify, self->watch);
    self->watch = inotify_add_watch(self->inotify, dir, FILE_EVENTS);
    self->is_of_above = self->watch < 0;
    if (self->is_of_above)
        self->watch = inotify_add_watch(self->inotify, above, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
}

/* A broken file keeps the theme that is there, and is said once. */
static void reload(void *self_)
{
    ThemeWatch *self = self_;
    Tui *tui = self->tui;
    g_autoptr(GError) error = NULL;
    self->settle = NULL;
    watch(self); // it may be another directory by now
    bool is_done = tui_set_theme(tui, tui_theme_name(tui), &error);
    if (!is_done && g_strcmp0(self->last_problem, error->message) != 0)
        tui_error(tui, "%s; the colours stay as they were", error->message);
    g_free(self->last_problem);
    self->last_problem = is_done ? NULL : g_strdup(error->message);
}

/* Is it about the file in use, or where it would be? */
static bool concerns(const ThemeWatch *self, const struct inotify_event *event)
{
    if (event->mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF))
        return true;
    if (event->len == 0)
        return false;
    if (self->is_of_above)
        return g_str_equal(event->name, DIR_NAME);
    g_autofree char *file = g_strconcat(tui_theme_name(self->tui), ".json", NULL);
    return g_str_equal(event->name, file);
}

static void on_event(int fd, short revents G_GNUC_UNUSED, void *self_)
{
    ThemeWatch *self = self_;
    char buffer[4 * KIB] __attribute__((aligned(__alignof__(struct inotify_event))));
    bool is_ours = false;
    ssize_t size = read(fd, buffer, sizeof(buffer));
    for (ssize_t at = 0; at < size;) {
        const struct inotify_event *event = (const void *)(buffer + at);
        is_ours = is_ours || concerns(self, event);
        at += (ssize_t)(sizeof(*event) + event->len);
    }
    if (!is_ours || self->tui->is_ending)
        return;
    loop_remove(self->tui->loop, self->settle);
    self->settle = loop_add_timer(self->tui->loop, SETTLE_MS, reload, self);
}

void theme_watch_open(Tui *tui)
{
    ThemeWatch *self = look_own(tui)->theme_watch = g_new0(ThemeWatch, 1);
    self->tui = tui;
    self->inotify = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    self->watch = -1;
    if (self->inotify < 0) // none is left: themes are read at the start alone
        return;
    watch(self);
    self->source = loop_add_fd(tui->loop, self->inotify, POLLIN, on_event, self);
}

void theme_watch_free(ThemeWatch *self)
{
    if (!self)
        return;
    loop_remove(self->tui->loop, self->source);
    loop_remove(self->tui->loop, self->settle);
    fd_close(self->inotify);
    g_free(self->last_problem);
    g_free(self);
}
