/* See check_list.h. */
#include "base/check_list.h"

#include "base/ansi.h"
#include "base/redact.h"
#include "base/visible.h"

/* One line that a terminal can show. Caller frees. */
static char *plain_line(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *plain = ansi_strip(valid);
    g_strdelimit(g_strstrip(plain), "\n\t", ' ');
    g_autofree char *line = redact_text(plain);
    GString *shown = g_string_new(NULL);
    visible_append(shown, line);
    return g_string_free(shown, FALSE);
}

void check_list_add(CheckList *self, const char *id, CheckState state, const char *recovery,
                    const char *format, ...)
{
    va_list list;
    va_start(list, format);
    g_autofree char *words = g_strdup_vprintf(format, list);
    va_end(list);
    g_autofree char *line = plain_line(words);
    g_autofree char *help = recovery ? plain_line(recovery) : NULL;
    json_append_take(self->checks, json_make("id:%s status:%s text:%s recovery:%s", id,
                                             self->names[state], line, help));
    self->counts[state]++;
}

int check_list_width(const CheckList *self)
{
    size_t width = 0;
    json_each (self->checks, i, check)
        width = MAX(width, strlen(json_get_text(check, "id")));
    return (int)width;
}
