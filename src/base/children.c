/* See children.h. */
#include "base/children.h"

#include "base/str.h"

#include <signal.h>
#include <unistd.h>

/* From "PID (NAME) STATE PPID …"; NAME may hold anything. */
int64_t children_parent_of(const char *pid_text)
{
    g_autofree char *path = g_build_filename("/proc", pid_text, "stat", NULL);
    g_autofree char *stat = NULL;
    if (!g_file_get_contents(path, &stat, NULL, NULL))
        return 0;
    const char *name_end = strrchr(stat, ')');
    return name_end && strlen(name_end) > 4 ? g_ascii_strtoll(name_end + 4, NULL, 10) : 0;
}

void children_kill_all(void)
{
    g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
    const char *name = NULL;
    while (proc && (name = g_dir_read_name(proc))) {
        int64_t pid = 0;
        if (str_parse_int(name, &pid) && pid > 1 && children_parent_of(name) == getpid())
            kill((pid_t)-pid, SIGKILL);
    }
}
