/*
 * How a check of `kedge doctor` says what it found (doctor_check.h).
 */
#include "cmd/doctor/doctor_check.h"

#include "base/ansi.h"
#include "base/dirs.h"
#include "base/path.h"
#include "base/proc.h"
#include "base/redact.h"
#include "base/visible.h"

static const char *const status_names[] = { "ok", "warning", "missing" };

/* One line that a terminal can show. Caller frees. */
static char *plain_line(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *plain = ansi_strip(valid);
    g_strdelimit(g_strstrip(plain), "\n\t", ' ');
    g_autofree char *line = redact_text(plain);
    g_autoptr(GString) shown = g_string_new(NULL);
    visible_append(shown, line);
    return g_strdup(shown->str);
}

void health_add(Health *self, const char *id, HealthStatus status, const char *recovery,
                const char *text, ...)
{
    va_list list;
    va_start(list, text);
    g_autofree char *words = g_strdup_vprintf(text, list);
    va_end(list);
    g_autofree char *line = plain_line(words);
    g_autofree char *help = recovery ? plain_line(recovery) : NULL;
    json_t *check = json_object();
    json_set_text(check, "id", id);
    json_set_text(check, "status", status_names[status]);
    json_set_text(check, "text", line);
    json_set_text(check, "recovery", help);
    json_append_take(self->checks, check);
    self->missing += status == HEALTH_MISSING;
    self->warnings += status == HEALTH_WARNING;
}

char *health_path(const char *path)
{
    g_autofree char *home = dirs_home();
    if (!home || strcmp(home, "/") == 0 || !path_is_inside(path, home))
        return g_strdup(path);
    return g_strconcat("~", path + strlen(home), NULL);
}

char *health_install(const char *package)
{
    g_autofree char *apt = proc_find_program("apt-get");
    return apt ? g_strdup_printf("sudo apt-get install %s", package)
               : g_strdup_printf("install %s with the package manager of this system", package);
}
