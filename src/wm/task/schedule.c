/*
 * Schedules as cron (schedule.h): the fields of cron, and which rule a text falls under. The words
 * are in schedule_words.c.
 */
#include "wm/task/schedule_words.h"

#include "base/str.h"

#include <string.h>

char *wm_schedule_collapse(const char *cron)
{
    GString *out = g_string_new(NULL);
    for (const char *at = cron; *at; at++) {
        if (!g_ascii_isspace(*at))
            g_string_append_c(out, *at);
        else if (out->len > 0 && out->str[out->len - 1] != ' ')
            g_string_append_c(out, ' ');
    }
    if (out->len > 0 && out->str[out->len - 1] == ' ')
        g_string_truncate(out, out->len - 1);
    return g_string_free(out, FALSE);
}

typedef struct CronField {
    int min, max;
    const char *names; // "jan feb …", of `min` and so on; NULL: none
} CronField;

static const CronField cron_fields[] = {
    { 0, 59, NULL },
    { 0, 23, NULL },
    { 1, 31, NULL },
    { 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec " },
    { 0, 7, "sun mon tue wed thu fri sat " },
};

static bool is_cron_value(const CronField *field, const char *text)
{
    g_autofree char *low = g_ascii_strdown(text, -1);
    const char *name = field->names && strlen(low) == 3 ? strstr(field->names, low) : NULL;
    int64_t number;
    bool has_digits = *text && strspn(text, "0123456789") == strlen(text);
    return (name && name[3] == ' ') || (has_digits && str_parse_int(text, &number) &&
                                        number >= field->min && number <= field->max);
}

/* `*`, `5`, `1-5`, each with `/step` */
static bool is_cron_item(const CronField *field, char *item)
{
    static const CronField steps = { 1, 9999, NULL };
    char *step = strchr(item, '/');
    if (step)
        *step++ = '\0';
    if (step && !is_cron_value(&steps, step))
        return false;
    if (strcmp(item, "*") == 0)
        return true;
    char *end = strchr(item, '-');
    if (end)
        *end++ = '\0';
    return is_cron_value(field, item) && (!end || is_cron_value(field, end));
}

/* Items with commas between them; takes `text` apart. */
static bool is_cron_field(const CronField *field, char *text)
{
    bool is_good = true;
    for (char *item; is_good && (item = strsep(&text, ","));)
        is_good = is_cron_item(field, item);
    return is_good;
}

bool wm_schedule_is_cron(const char *text)
{
    g_autofree char *plain = wm_schedule_collapse(text);
    g_auto(GStrv) fields = g_strsplit(plain, " ", -1);
    if (g_strv_length(fields) != G_N_ELEMENTS(cron_fields))
        return false;
    bool is_good = true;
    for (size_t i = 0; is_good && i < G_N_ELEMENTS(cron_fields); i++)
        is_good = is_cron_field(&cron_fields[i], fields[i]);
    return is_good;
}

// task-engine §2.5 rule 2: five fields of digits and signs.
static bool has_cron_shape(char *const *words)
{
    for (char *const *word = words; *word; word++)
        if (strspn(*word, "0123456789*-/,") != strlen(*word))
            return false;
    return g_strv_length((char **)words) == 5;
}

char *wm_schedule_normalize(const char *text, const char *id)
{
    g_autofree char *plain = wm_schedule_collapse(text);
    if (!*plain)
        return g_strdup("");
    g_autofree char *low = g_ascii_strdown(plain, -1);
    g_auto(GStrv) words = g_strsplit(low, " ", -1);
    if (has_cron_shape(words))
        return g_steal_pointer(&plain);
    char *cron = wm_schedule_of_words(words, id);
    return cron ? cron : g_strdup(text);
}
