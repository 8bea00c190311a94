/* See edit_target.h. */
#include "tools/edit/edit_target.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/write_guard.h"
#include "tools/file/diff.h"
#include "tools/file/generated.h"
#include "tools/file/new_mode.h"
#include "tools/file/notebook.h"
#include "tools/file/plan_target.h"
#include "tools/file/secret_file.h"
#include "tools/file/seen_files.h"

#include <errno.h>

#define DIFF_MAX_BYTES (16 * MIB)                // a larger file is edited, but not compared
#define MAX_LINES      ((size_t)4 * 1000 * 1000) // each of them costs memory of its own

void edit_target_free(EditTarget *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->shown);
    g_free(self->before);
    g_free(self->text);
    g_free(self->data);
    g_clear_pointer(&self->ends, g_byte_array_unref);
    g_free(self);
}

static bool take_notebook(EditTarget *self, const char *data, size_t size, GError **error)
{
    g_autofree char *text = NULL;
    // an empty file is a notebook that has not begun
    if (size > 0 && !notebook_to_text(data, size, self->shown, &text, error))
        return false;
    self->before = text ? edit_to_lf(text) : g_strdup("");
    return true;
}

static bool take_data(EditTarget *self, const char *data, size_t size, GError **error)
{
    if (memchr(data, '\0', size))
        return fail_with(error, KEDGE_ERROR_USAGE, "Cannot edit binary file: %s", self->shown);
    if (notebook_is(self->path))
        return take_notebook(self, data, size, error);
    size_t mark = utf8_bom_size(data, size);
    self->has_bom = mark > 0;
    self->ends = edit_ends_of(data, &self->has_crlf);
    self->before = edit_to_lf(data + mark);
    return true;
}

static bool read_file(EditTarget *self, GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    // before the bytes: what is saved while they are read has another time
    if (stat(self->path, &self->read) < 0)
        return fail_with_errno(error, errno, "cannot read %s", self->shown);
    return file_read(self->path, LIMIT_TOOL_FILE_BYTES, &data, &size, error) &&
           take_data(self, data, size, error);
}

bool edit_target_open(ToolCall *call, const char *asked, bool may_create, EditTarget **ret_file,
                      GError **error)
{
    g_autoptr(EditTarget) self = g_new0(EditTarget, 1);
    if (!plan_target(tool_call_context(call), asked, &self->path, &self->shown, error))
        return false;
    bool exists = file_exists(self->path);
    if (!exists && !may_create)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "File not found: %s", self->shown);
    if (exists && !read_file(self, error))
        return false;
    const char *head = exists ? self->before : "";
    if (str_count_lines(head, strlen(head)) > MAX_LINES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s has more than %zu lines", self->shown,
                         MAX_LINES);
    if (exists && (!generated_check(tool_call_settings(call), self->path, self->shown, head,
                                    strlen(head), error) ||
                   !seen_files_check(call, self->path, self->shown, error)))
        return false;
    self->text = g_strdup(head);
    *ret_file = g_steal_pointer(&self);
    return true;
}

void edit_target_take_text(EditTarget *self, char *text, const GArray *newlines)
{
    GByteArray *ends = self->ends;
    if (ends) {
        self->ends = edit_ends_carry(ends, self->text, text, newlines);
        g_byte_array_unref(ends);
    }
    g_free(self->text);
    self->text = text;
}

static char *to_bytes(const EditTarget *self, size_t *ret_size)
{
    GString *out = g_string_new(self->has_bom ? UTF8_BOM : "");
    size_t line = 0;
    for (const char *p = self->text; *p; p++) {
        if (*p == '\n' && (self->ends ? self->ends->data[line++] == '\r' : self->has_crlf))
            g_string_append_c(out, '\r');
        g_string_append_c(out, *p);
    }
    *ret_size = out->len;
    return g_string_free(out, FALSE);
}

bool edit_target_prepare(EditTarget *self, GError **error)
{
    const char *before = self->before ? self->before : "";
    g_clear_pointer(&self->data, g_free);
    if (strlen(self->text) > LIMIT_TOOL_FILE_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s would become larger than %zu MiB",
                         self->shown, LIMIT_TOOL_FILE_BYTES / MIB);
    if (!secret_file_check_masks(before, strlen(before), self->text, error))
        return false;
    if (!notebook_is(self->path)) {
        self->data = to_bytes(self, &self->size);
        return true;
    }
    if (!notebook_file_from_text(self->path, self->shown, self->text, &self->data, error))
        return false;
    self->size = strlen(self->data);
    return true;
}

bool edit_target_check_unchanged(const char *path, const char *shown, const struct stat *read,
                                 GError **error)
{
    struct stat now;
    if (stat(path, &now) < 0)
        return true; // gone: nothing is lost
    bool is_same = read->st_mode != 0 && now.st_dev == read->st_dev && now.st_ino == read->st_ino &&
                   now.st_size == read->st_size && now.st_mtim.tv_sec == read->st_mtim.tv_sec &&
                   now.st_mtim.tv_nsec == read->st_mtim.tv_nsec;
    return is_same || fail_with(error, KEDGE_ERROR_FAILED,
                                "%s changed while the edit was worked out; read it again", shown);
}

bool edit_target_write(ToolCall *call, EditTarget *self, GError **error)
{
    g_autofree char *real = NULL;
    if (!write_guard_pass(call, self->path, false, &real, error))
        return false;
    g_autofree char *dir = g_path_get_dirname(real);
    ToolContext *context = tool_call_context(call);
    if (!edit_target_check_unchanged(self->path, self->shown, &self->read, error) ||
        (!self->before && !file_make_dirs(dir, new_dir_mode(context, self->path), error)) ||
        !file_write_exact(real, self->data, self->size, new_file_mode(context, self->path), error))
        return false;
    if (stat(self->path, &self->read) < 0)
        self->read = (struct stat) { 0 };
    seen_files_note(call, self->path);
    return true;
}

void edit_add_details(json_t *details, const char *op, const char *before, const char *after,
                      EditDiffForm form)
{
    json_set_text(details, "op", op);
    if (strlen(before) > DIFF_MAX_BYTES || strlen(after) > DIFF_MAX_BYTES)
        return;
    size_t first_changed = 0;
    g_autofree char *diff = form(before, after, &first_changed);
    json_set_text(details, "diff", diff);
    if (first_changed > 0)
        json_set_int(details, "firstChangedLine", (gint64)first_changed);
}

void edit_target_add_details(const EditTarget *self, json_t *details)
{
    const char *before = self->before;
    edit_add_details(details, before ? "update" : "create", before ? before : "", self->text,
                     diff_numbered);
}
