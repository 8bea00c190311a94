/* See transcript.h. */
#include "agent/transcript.h"

#include "base/utf8.h"
#include "model/convert.h"
#include "model/message.h"
#include "tool/call_paths.h"

#include <inttypes.h>

#define RESULT_MAX_CHARS 2000
#define FILES_MAX        20
#define BYTES_PER_TOKEN  4
#define IMAGE_TOKENS     1200
#define MESSAGE_TOKENS   4 // what a role and its frame cost

// ---- text ----

static void append_paragraph(GString *out, const char *label, const char *text)
{
    if (utf8_is_blank(text))
        return;
    g_string_append_printf(out, "%s[%s]: %s", out->len > 0 ? "\n\n" : "", label, text);
}

static void append_call(GString *calls, const json_t *block)
{
    const char *name = json_get_text(block, "name");
    g_string_append_printf(calls, "%s%s(", calls->len > 0 ? "; " : "", name ? name : "");
    const char *separator = "";
    json_each_member (json_get_object(block, "arguments"), key, value) {
        g_autofree char *text = json_to_text(value);
        g_string_append_printf(calls, "%s%s=%s", separator, key, text);
        separator = ", ";
    }
    g_string_append_c(calls, ')');
}

static void append_assistant(GString *out, const json_t *message)
{
    g_autoptr(json_t) blocks = message_blocks(message);
    g_autoptr(GString) thinking = g_string_new(NULL);
    g_autoptr(GString) calls = g_string_new(NULL);
    json_each (blocks, i, block) {
        const char *type = json_get_text(block, "type");
        const char *thought = json_get_text(block, "thinking");
        if (g_strcmp0(type, "thinking") == 0 && thought)
            g_string_append_printf(thinking, "%s%s", thinking->len > 0 ? "\n" : "", thought);
        else if (g_strcmp0(type, "toolCall") == 0)
            append_call(calls, block);
    }
    g_autofree char *text = message_text(message);
    append_paragraph(out, "Assistant thinking", thinking->str);
    append_paragraph(out, "Assistant", text);
    append_paragraph(out, "Assistant tool calls", calls->str);
}

static void append_result(GString *out, const json_t *message)
{
    g_autofree char *text = message_text(message);
    size_t length = utf8_length(text);
    if (length <= RESULT_MAX_CHARS) {
        append_paragraph(out, "Tool result", text);
        return;
    }
    g_autofree char *head = g_utf8_substring(text, 0, RESULT_MAX_CHARS);
    g_autofree char *cut =
        g_strdup_printf("%s\n[... %zu more characters truncated]", head, length - RESULT_MAX_CHARS);
    append_paragraph(out, "Tool result", cut);
}

char *transcript_text(const json_t *messages, const Model *model)
{
    g_autoptr(json_t) converted = convert_history(messages, model);
    GString *out = g_string_new(NULL);
    json_each (converted, i, message) {
        const char *role = message_role(message);
        g_autofree char *text = message_text(message);
        if (g_str_equal(role, "assistant"))
            append_assistant(out, message);
        else if (g_str_equal(role, "toolResult"))
            append_result(out, message);
        else
            append_paragraph(out, "User", text);
    }
    return g_string_free(out, FALSE);
}

// ---- tokens ----

static size_t block_bytes(const json_t *block)
{
    static const char *const texts[] = { "text", "thinking", "name" };
    size_t bytes = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *text = json_get_text(block, texts[i]);
        bytes += text ? strlen(text) : 0;
    }
    if (g_strcmp0(json_get_text(block, "type"), "image") == 0)
        bytes += (size_t)IMAGE_TOKENS * BYTES_PER_TOKEN;
    json_t *arguments = json_get_object(block, "arguments");
    if (arguments) {
        g_autofree char *text = json_to_text(arguments);
        bytes += strlen(text);
    }
    return bytes;
}

int64_t transcript_estimate(const json_t *message)
{
    static const char *const texts[] = { "summary", "output", "command", "code" };
    size_t bytes = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        const char *text = json_get_text(message, texts[i]);
        bytes += text ? strlen(text) : 0;
    }
    size_t i;
    json_t *item;
    json_array_foreach (json_get_array(message, "files"), i, item) {
        const char *content = json_get_text(item, "content");
        bytes += content ? strlen(content) : 0;
    }
    g_autoptr(json_t) blocks = message_blocks(message);
    json_array_foreach (blocks, i, item)
        bytes += block_bytes(item);
    return (int64_t)(bytes / BYTES_PER_TOKEN) + MESSAGE_TOKENS;
}

// ---- files ----

void file_lists_init(FileLists *self)
{
    *self = (FileLists) { json_array(), json_array() };
}

void file_lists_clear(FileLists *self)
{
    json_decref(self->read);
    json_decref(self->modified);
    *self = (FileLists) { 0 };
}

static bool has_path(const json_t *paths, const char *path)
{
    json_each (paths, i, item) {
        if (g_strcmp0(json_string_value(item), path) == 0)
            return true;
    }
    return false;
}

static void add_path(json_t *paths, const char *path)
{
    if (path && *path && !has_path(paths, path))
        json_append_take(paths, json_text(path));
}

static void add_paths(json_t *paths, const json_t *more)
{
    json_each (more, i, item)
        add_path(paths, json_string_value(item));
}

void file_lists_carry_over(FileLists *self, const json_t *details)
{
    add_paths(self->read, json_get_array(details, "readFiles"));
    add_paths(self->modified, json_get_array(details, "modifiedFiles"));
}

/* `a.c:10-20` names lines of a file. */
static char *without_lines(const char *path)
{
    const char *colon = strrchr(path, ':');
    bool has_lines = colon && colon[1] && strspn(colon + 1, "0123456789-+,") == strlen(colon + 1);
    return has_lines ? g_strndup(path, (gsize)(colon - path)) : g_strdup(path);
}

static void add_call(FileLists *self, const json_t *call)
{
    const char *name = json_get_text(call, "name");
    bool is_read = g_strcmp0(name, "read") == 0;
    if (!is_read && g_strcmp0(name, "write") != 0 && g_strcmp0(name, "edit") != 0)
        return;
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    call_paths_add(json_get_object(call, "arguments"), paths);
    for (unsigned i = 0; i < paths->len; i++) {
        const char *path = paths->pdata[i];
        g_autofree char *file = without_lines(path);
        if (!strstr(path, "://"))
            add_path(is_read ? self->read : self->modified, file);
    }
}

void file_lists_add(FileLists *self, const json_t *messages)
{
    json_each (messages, i, message) {
        if (!g_str_equal(message_role(message), "assistant"))
            continue;
        g_autoptr(json_t) calls = message_tool_calls(message);
        json_each (calls, j, call)
            add_call(self, call);
    }
}

static void drop_oldest(json_t *paths)
{
    while (json_array_size(paths) > FILES_MAX)
        json_array_remove(paths, 0);
}

void file_lists_settle(FileLists *self)
{
    for (size_t i = json_array_size(self->read); i > 0; i--) {
        if (has_path(self->modified, json_string_value(json_array_get(self->read, i - 1))))
            json_array_remove(self->read, i - 1);
    }
    drop_oldest(self->read);
    drop_oldest(self->modified);
}

json_t *file_lists_details(const FileLists *self)
{
    json_t *details = json_object();
    json_object_set(details, "readFiles", self->read);
    json_object_set(details, "modifiedFiles", self->modified);
    return details;
}

static void append_list(GString *text, const char *tag, const json_t *paths)
{
    if (json_array_size(paths) == 0)
        return;
    g_string_append_printf(text, "\n\n<%s>\n", tag);
    json_each (paths, i, item)
        g_string_append_printf(text, "%s\n", json_string_value(item));
    g_string_append_printf(text, "</%s>", tag);
}

void file_lists_append_text(const FileLists *self, GString *text)
{
    append_list(text, "read-files", self->read);
    append_list(text, "modified-files", self->modified);
}

void file_lists_strip(char *summary)
{
    static const char *const starts[] = { "\n\n<read-files>\n", "\n\n<modified-files>\n" };
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        char *at = g_strrstr(summary, starts[i]);
        if (at && g_str_has_suffix(summary, "-files>"))
            *at = '\0';
    }
}
