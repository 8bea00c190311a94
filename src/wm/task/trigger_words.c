/*
 * Triggers that are written as one text (trigger_words.h).
 */
#include "wm/task/trigger_words.h"

#include "wm/task/schedule.h"

#include <string.h>

bool wm_trigger_add_text(json_t *list, const json_t *item)
{
    const char *text = json_string_value(item);
    if (!text || *text == '\0')
        return false;
    if (!g_ascii_isspace(*text) && !g_ascii_isspace(text[strlen(text) - 1])) {
        json_array_append(list, (json_t *)item); // shared, and never changed
        return true;
    }
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    if (*trimmed)
        json_append_take(list, json_text(trimmed));
    return *trimmed;
}

json_t *wm_trigger_list(const json_t *value)
{
    json_t *list = json_array();
    if (!json_is_array(value))
        wm_trigger_add_text(list, value);
    json_each (value, index, item)
        wm_trigger_add_text(list, item);
    return list;
}

// With the dispatch that lets a person start the task by hand, too. Takes the reference `value`.
static json_t *with_dispatch(const char *key, json_t *value)
{
    json_t *map = json_object();
    json_set_take(map, key, value);
    json_set_take(map, "workflow_dispatch", json_object());
    return map;
}

static json_t *types_of(const char *type)
{
    return json_make("types:%p", json_pack("[s]", type));
}

static bool is_type(const char *word)
{
    size_t size = strspn(word, "abcdefghijklmnopqrstuvwxyz_");
    return size > 0 && word[size] == '\0';
}

// `issue opened`, `pull_request labeled a, b`: `rest` is what follows the first word.
static json_t *of_item(const char *key, const char *rest)
{
    g_autofree char *type = g_strdup(rest);
    char *labels = strchr(type, ' ');
    if (labels)
        *labels++ = '\0';
    if (!is_type(type) || (labels && strcmp(type, "labeled") != 0))
        return NULL;
    g_autoptr(json_t) options = types_of(type);
    if (labels) {
        g_auto(GStrv) names = g_strsplit(labels, ",", -1);
        g_autoptr(json_t) list = json_array();
        for (char **name = names; *name; name++)
            json_append_take(list, json_text(*name));
        json_set_take(options, "labels", wm_trigger_list(list));
    }
    return with_dispatch(key, g_steal_pointer(&options));
}

static const char *behind(const char *text, const char *word)
{
    size_t size = strlen(word);
    return strncmp(text, word, size) == 0 && text[size] == ' ' ? text + size + 1 : NULL;
}

json_t *wm_trigger_of_words(const char *text, const char *id)
{
    if (*text == '/' && text[1] && !strpbrk(text, " \t\r\n"))
        return with_dispatch("slash_command", json_pack("{s:s}", "name", text + 1));
    if (strcmp(text, "manual") == 0)
        return json_pack("{s:{}}", "workflow_dispatch");
    g_autofree char *plain = wm_schedule_collapse(text);
    const char *rest;
    if ((rest = behind(plain, "issue")))
        return of_item("issues", rest);
    if ((rest = behind(plain, "pull_request")) || (rest = behind(plain, "pull")))
        return of_item("pull_request", rest);
    if (strcmp(plain, "comment created") == 0)
        return with_dispatch("issue_comment", types_of("created"));
    g_autofree char *cron = wm_schedule_normalize(plain, id);
    return wm_schedule_is_cron(cron) ? with_dispatch("schedule", json_text(text)) : NULL;
}
