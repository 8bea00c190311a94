/*
 * How a check of the doctor says what it found (gh_doctor_check.h).
 */
#include "github/doctor/gh_doctor_check.h"

#include "base/ansi.h"
#include "base/dirs.h"
#include "base/path.h"
#include "base/redact.h"

const char *doctor_status_name(DoctorStatus status)
{
    static const char *const names[] = { "PASS", "WARN", "FAIL", "SKIP" };
    return names[status];
}

/* One line without secrets. Caller frees. */
static char *plain_line(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *plain = ansi_strip(valid);
    g_strdelimit(g_strstrip(plain), "\n\t", ' ');
    return redact_text(plain);
}

void doctor_add(Doctor *self, const char *id, DoctorStatus status, const char *recovery,
                const char *text, ...)
{
    va_list list;
    va_start(list, text);
    g_autofree char *words = g_strdup_vprintf(text, list);
    va_end(list);
    g_autofree char *line = plain_line(words);
    g_autofree char *help = recovery != NULL ? plain_line(recovery) : NULL;
    json_t *check = json_object();
    json_set_text(check, "id", id);
    json_set_text(check, "status", doctor_status_name(status));
    json_set_text(check, "text", line);
    json_set_text(check, "recovery", help);
    json_append_take(self->checks, check);
}

char *doctor_path(const char *path)
{
    g_autofree char *home = dirs_home();
    if (!home || strcmp(home, "/") == 0 || !path_is_inside(path, home))
        return g_strdup(path);
    return g_strconcat("~", path + strlen(home), NULL);
}
