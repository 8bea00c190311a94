/*
 * What tests of child processes share: the pid a child wrote down, and whether it is gone.
 */
#pragma once

#include "unit.h"

#include <string.h>
#include <sys/types.h>

/* A pid that a child wrote, with a newline, to `dir`/`name`; waits until it is there. */
static inline pid_t written_pid(const char *dir, const char *name)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    for (int i = 0; i < 12000; i++) {
        g_autofree char *text = NULL;
        if (g_file_get_contents(path, &text, NULL, NULL) && strchr(text, '\n'))
            return (pid_t)g_ascii_strtoll(text, NULL, 10);
        g_usleep(5 * 1000);
    }
    fail_msg("%s was not written", name);
    return -1;
}

/* Gone, or a zombie that init has not collected yet; waits for it. */
static inline bool is_dead(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid);
    for (int i = 0; i < 12000; i++) {
        g_autofree char *text = NULL;
        if (!g_file_get_contents(path, &text, NULL, NULL))
            return true;
        const char *state = strrchr(text, ')');
        if (state && state[2] == 'Z')
            return true;
        g_usleep(5 * 1000);
    }
    return false;
}
