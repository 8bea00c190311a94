/* See command_files.h. */
#include "wm/task/command_files.h"

#include "base/env.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "wm/task/wm_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES (2 * MIB) // the runner takes 1 MiB of a summary

const char *const wm_command_file_names[] = { "GITHUB_ENV",          "GITHUB_PATH",
                                              "GITHUB_OUTPUT",       "GITHUB_STATE",
                                              "GITHUB_STEP_SUMMARY", NULL };

typedef struct Kept {
    const char *name; // of the variable
    char *path;
    GString *text;
} Kept;

struct WmCommandFiles {
    GPtrArray *files; // of Kept *
};

static void kept_free(void *kept_)
{
    Kept *kept = kept_;
    g_free(kept->path);
    if (kept->text)
        g_string_free(kept->text, TRUE);
    g_free(kept);
}

/* A regular file, not through a link; NULL: none, or one that is too large. */
static GString *read_file(const char *path)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, O_NOFOLLOW, &info);
    g_autoptr(GString) text = g_string_new(NULL);
    if (fd < 0 || !fd_read_all(fd, MAX_FILE_BYTES + 1, path, text, NULL) ||
        text->len > MAX_FILE_BYTES)
        return NULL;
    return g_steal_pointer(&text);
}

WmCommandFiles *wm_command_files_new(void)
{
    WmCommandFiles *self = g_new0(WmCommandFiles, 1);
    self->files = g_ptr_array_new_with_free_func(kept_free);
    bool in_actions = g_strcmp0(env_get_raw("GITHUB_ACTIONS"), "true") == 0;
    for (size_t i = 0; in_actions && wm_command_file_names[i]; i++) {
        const char *path = env_get_raw(wm_command_file_names[i]);
        GString *text = path ? read_file(path) : NULL;
        if (!text)
            continue; // the runner makes them before the step
        Kept *kept = g_new0(Kept, 1);
        *kept = (Kept) { wm_command_file_names[i], g_strdup(path), text };
        g_ptr_array_add(self->files, kept);
    }
    return self;
}

static bool write_back(const Kept *kept)
{
    struct stat info;
    if (lstat(kept->path, &info) == 0 && !S_ISREG(info.st_mode))
        unlink(kept->path); // a link, which leads where it likes
    g_auto(Fd) fd =
        open(kept->path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
    return fd >= 0 && fd_write_all(fd, kept->text->str, kept->text->len, kept->path, NULL);
}

void wm_command_files_restore(const WmCommandFiles *self)
{
    for (unsigned i = 0; i < self->files->len; i++) {
        const Kept *kept = g_ptr_array_index(self->files, i);
        g_autoptr(GString) now = read_file(kept->path);
        if (now && g_string_equal(now, kept->text))
            continue;
        bool is_back = write_back(kept);
        wm_log(is_back ? WM_WARN : WM_ERROR,
               is_back ? "wm: what the agent wrote for the steps after it is taken back"
                       : "wm: what the agent wrote for the steps after it could not be taken back",
               "file", kept->name, NULL);
    }
}

void wm_command_files_free(WmCommandFiles *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->files);
    g_free(self);
}
