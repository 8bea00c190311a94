/*
 * Reading a session without touching it (session_read.h).
 */
#include "session/session_read.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/utf8.h"
#include "model/message.h"
#include "session/entry.h"
#include "session/github_mark.h"
#include "session/session_load.h"

#include <errno.h>
#include <fcntl.h>

#define ARGUMENTS_MAX_CHARS 300
#define RESULT_MAX_CHARS    600

void session_copy_clear(SessionCopy *self)
{
    json_decref(self->header);
    json_decref(self->entries);
    json_decref(self->mended);
    *self = (SessionCopy) { 0 };
}

bool session_read(const char *path, SessionCopy *ret_copy, GError **error)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
        return file_fail_open(path, error);
    if (fd < 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "File not found: %s", path);
    g_auto(SessionFile) file = { 0 };
    g_autoptr(LineFile) source = line_file_new(fd_steal(&fd));
    if (!session_file_load(source, path, true, &file, error))
        return false;
    if (!file.header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);
    size_t count = entry_list_count(file.entries);
    json_t *entries = json_array(), *mended = json_array();
    for (size_t i = 0; i < count; i++) {
        const EntryHead *head = entry_list_at(file.entries, i);
        json_append_take(entries, entry_list_read(file.entries, head));
        if (entry_list_is_mended(file.entries, head))
            json_append_take(mended, json_text(head->id));
    }
    *ret_copy = (SessionCopy) {
        .header = g_steal_pointer(&file.header),
        .entries = entries,
        .mended = mended,
        .leaf = count > 0 ? json_array_get(entries, count - 1) : NULL,
    };
    return true;
}

GPtrArray *session_copy_path(const SessionCopy *self)
{
    g_autoptr(EntryList) list = entry_list_of(self->entries);
    size_t count = entry_list_count(list);
    const EntryHead *leaf = count > 0 ? entry_list_at(list, count - 1) : NULL;
    g_autoptr(GPtrArray) heads = entry_list_path(list, leaf);
    GPtrArray *path = g_ptr_array_new();
    for (guint i = 0; i < heads->len; i++) {
        g_autoptr(json_t) entry = entry_list_read(list, heads->pdata[i]);
        g_ptr_array_add(path, entry); // which the copy has, too
    }
    return path;
}

static void append_calls(GString *out, const json_t *message)
{
    g_autoptr(json_t) calls = message_tool_calls(message);
    json_each (calls, i, call) {
        const json_t *arguments = json_object_get(call, "arguments");
        g_autofree char *text = arguments ? json_to_text(arguments) : g_strdup("");
        g_autofree char *shown = utf8_ellipsize(text, ARGUMENTS_MAX_CHARS);
        const char *name = json_get_text(call, "name");
        g_string_append_printf(out, "  ▸ %s %s\n", name ? name : "?", shown);
    }
}

static void append_result(GString *out, const json_t *message)
{
    g_autofree char *text = message_text(message);
    g_autofree char *shown = utf8_ellipsize(g_strchomp(text), RESULT_MAX_CHARS);
    g_auto(GStrv) lines = g_strsplit(shown, "\n", -1);
    for (size_t i = 0; lines[i]; i++)
        g_string_append_printf(out, "  │ %s\n", lines[i]);
    g_autofree char *mark = github_mark_line(json_get_object(message, "details"));
    if (mark)
        g_string_append_printf(out, "  │ %s\n", mark);
}

static void append_message(GString *out, const json_t *entry)
{
    const json_t *message = json_get_object(entry, "message");
    const char *role = message_role(message);
    if (strcmp(role, "toolResult") == 0) {
        append_result(out, message);
        return;
    }
    g_autofree char *text = message_text(message);
    g_strchomp(text);
    bool is_user = strcmp(role, "user") == 0;
    if (*text != '\0' || is_user)
        g_string_append_printf(out, "\n%s\n%s\n",
                               is_user                          ? "── you"
                               : strcmp(role, "assistant") == 0 ? "── kedge"
                                                                : role,
                               text);
    append_calls(out, message);
    if (message_error(message))
        g_string_append_printf(out, "  ! %s\n", message_error(message));
}

char *session_copy_text(const SessionCopy *self)
{
    GString *out = g_string_new(NULL);
    const char *title = json_get_text(self->header, "title");
    const char *cwd = json_get_text(self->header, "cwd");
    const char *at = json_get_text(self->header, "timestamp");
    g_string_append_printf(out, "%s\n%s  %s\n", title ? title : json_get_text(self->header, "id"),
                           at ? at : "", cwd ? cwd : "");
    g_autoptr(GPtrArray) path = session_copy_path(self);
    for (unsigned i = 0; i < path->len; i++) {
        const json_t *entry = path->pdata[i];
        const char *type = entry_type(entry);
        const char *summary = json_get_text(entry, "summary");
        if (strcmp(type, "message") == 0)
            append_message(out, entry);
        else if (strcmp(type, "model_change") == 0)
            g_string_append_printf(out, "── model %s\n", json_get_text(entry, "model"));
        else if (summary && *summary)
            g_string_append_printf(out, "\n── summary\n%s\n", summary);
    }
    return g_string_free(out, FALSE);
}
