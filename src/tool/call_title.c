/* See call_title.h. */
#include "tool/call_title.h"

#include "base/ansi.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/call_paths.h"

enum { TITLE_CHARS = 100, TITLE_ARGUMENTS = 2 };

char *call_title_line(const char *text)
{
    g_autofree char *line = ansi_strip(text);
    g_strdelimit(line, "\n\t\r", ' ');
    return utf8_ellipsize(line, TITLE_CHARS);
}

/* An argv as it would be typed. NULL: it is no list of texts. Caller frees. */
static char *argv_text(const json_t *value)
{
    g_autoptr(GString) text = g_string_new(NULL);
    size_t i;
    json_t *word;
    json_array_foreach (value, i, word) {
        if (!json_is_string(word))
            return NULL;
        g_autofree char *quoted = str_shell_quote(json_string_value(word));
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", quoted);
    }
    return i > 0 ? g_string_free(g_steal_pointer(&text), false) : NULL;
}

/* What is done to a list, such as that of todo_write: "init, done Write the fix". NULL: it is no
   list of operations. Caller frees. */
static char *operations_text(const json_t *value)
{
    g_autoptr(GString) text = g_string_new(NULL);
    size_t i;
    json_t *each;
    json_array_foreach (value, i, each) {
        const char *op = json_get_text(each, "op"), *task = json_get_text(each, "task");
        const char *object = task ? task : json_get_text(each, "phase");
        if (!op)
            return NULL;
        g_string_append_printf(text, "%s%s%s%s", i > 0 ? ", " : "", op, object ? " " : "",
                               object ? object : "");
    }
    return i > 0 ? g_string_free(g_steal_pointer(&text), false) : NULL;
}

/* What a person is asked. NULL: it is no list of questions. Caller frees. */
static char *questions_text(const json_t *value)
{
    g_autoptr(GString) text = g_string_new(NULL);
    size_t i;
    json_t *each;
    json_array_foreach (value, i, each) {
        const char *question = json_get_text(each, "question");
        if (!question)
            return NULL;
        g_string_append_printf(text, "%s%s", i > 0 ? " " : "", question);
    }
    return i > 0 ? g_string_free(g_steal_pointer(&text), false) : NULL;
}

static char *value_text(const json_t *value)
{
    char *text = json_is_string(value) ? g_strdup(json_string_value(value)) : argv_text(value);
    text = text ? text : operations_text(value);
    text = text ? text : questions_text(value);
    return text ? text : json_to_text(value);
}

/* The files of an edit; else of the first arguments at most two that are one line of text. What the
   intent tracing adds is left out. */
static void append_arguments(GString *shown, const json_t *arguments)
{
    unsigned count = 0;
    g_autofree char *files = call_paths_of_input(arguments);
    if (files) {
        g_string_append_printf(shown, " %s", files);
        return;
    }
    json_each_member (arguments, key, value) {
        const char *text = json_string_value(value);
        if (strcmp(key, "_i") == 0 || (count > 0 && (!text || strchr(text, '\n'))))
            continue;
        if (++count > TITLE_ARGUMENTS)
            break;
        g_autofree char *said = value_text(value);
        g_string_append_printf(shown, " %s", said);
    }
}

char *call_title_arguments(const json_t *arguments)
{
    g_autoptr(GString) shown = g_string_new(NULL);
    append_arguments(shown, arguments);
    return call_title_line(shown->str + (*shown->str == ' '));
}

char *call_title_with_place(char *title, const json_t *from)
{
    g_autofree char *line = title;
    const char *place = json_get_text(from, "leadsTo");
    if (!place)
        return g_steal_pointer(&line);
    g_autofree char *shown = call_title_line(place);
    return g_strdup_printf("%s → %s", line, shown);
}

char *call_title_failure(const char *tool, const json_t *result)
{
    const json_t *content = json_get_array(result, "content");
    const char *text = json_get_text(json_array_get(content, 0), "text");
    g_autofree char *trimmed = utf8_trim(text ? text : "failed");
    bool is_command = g_strcmp0(tool, "bash") == 0 || g_strcmp0(tool, "recipe") == 0;
    char *last = is_command ? strrchr(trimmed, '\n') : NULL;
    if (!last)
        *strchrnul(trimmed, '\n') = '\0';
    return call_title_line(last ? last + 1 : trimmed);
}
