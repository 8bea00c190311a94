/* See ast_plan.h. */
#include "tools/ast/ast_plan.h"

#include "base/env.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/write_guard.h"
#include "tools/file/generated.h"
#include "tools/file/read_cache.h"
#include "tools/file/secret_file.h"
#include "tools/file/seen_files.h"
#include "tools/file/tool_file.h"

#include <string.h>

#define MAX_FILES 1000       // that change; KEDGE_MAX_AST_FILES
#define MAX_BYTES (64 * MIB) // of these files together

static void file_plan_free(void *data)
{
    AstFilePlan *self = data;
    g_free(self->path);
    g_free(self->shown);
    g_free(self->before);
    g_free(self->after);
    g_ptr_array_unref(self->changes);
    g_array_unref(self->places);
    g_free(self);
}

AstPlan *ast_plan_new(void)
{
    AstPlan *self = g_new0(AstPlan, 1);
    self->matches = g_ptr_array_new_with_free_func((GDestroyNotify)ast_match_free);
    self->changed = g_ptr_array_new_with_free_func(file_plan_free);
    self->generated = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void ast_plan_free(AstPlan *self)
{
    if (!self)
        return;
    ast_files_clear(&self->files);
    g_ptr_array_unref(self->changed);
    g_ptr_array_unref(self->matches);
    g_ptr_array_unref(self->generated);
    g_free(self);
}

// ---- finding the replacements ----

static bool is_broken(const AstPlan *self, const char *path)
{
    for (unsigned i = 0; i < self->files.broken->len; i++)
        if (strcmp(self->files.broken->pdata[i], path) == 0)
            return true;
    return false;
}

static bool search_op(ToolCall *call, const json_t *op, bool is_first, AstPlan *self,
                      GError **error)
{
    g_autofree char *pattern = utf8_trim(json_get_text(op, "pat"));
    if (*pattern == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "Pattern must not be empty");
    const AstSearch search = {
        .program = self->files.program,
        .pattern = pattern,
        .rewrite = json_get_text(op, "out"),
        .files = (const char *const *)self->files.paths->pdata,
    };
    g_autoptr(GPtrArray) found = NULL;
    if (!ast_search(&search, tool_call_cancel(call), is_first ? self->files.broken : NULL, &found,
                    error))
        return false;
    g_ptr_array_set_free_func(found, NULL);
    for (unsigned i = 0; i < found->len; i++) {
        AstMatch *match = found->pdata[i];
        bool is_change = match->replacement && !is_broken(self, match->file);
        if (is_change)
            g_ptr_array_add(self->matches, match);
        else
            ast_match_free(match);
    }
    return true;
}

static bool check_ops(const json_t *ops, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    json_each ((json_t *)ops, i, op) {
        const char *pattern = json_get_text(op, "pat");
        if (!g_hash_table_add(seen, (void *)pattern))
            return fail_with(error, KEDGE_ERROR_USAGE, "Duplicate rewrite pattern: %s", pattern);
    }
    return true;
}

static int compare_places(const void *a, const void *b)
{
    const AstMatch *one = *(AstMatch *const *)a, *other = *(AstMatch *const *)b;
    int files = strcmp(one->file, other->file);
    if (files != 0)
        return files;
    return one->start < other->start ? -1 : one->start > other->start;
}

// ---- one file ----

static bool is_match_there(const AstFilePlan *self, const AstMatch *match)
{
    return match->end <= self->before_size && match->start <= match->end &&
           strlen(match->text) <= self->before_size - match->start &&
           memcmp(self->before + match->start, match->text, strlen(match->text)) == 0;
}

/* Does the line at `at` end with CRLF; the last one without an end, the line before it? */
static bool is_crlf_at(const AstFilePlan *self, size_t at)
{
    const char *newline = memchr(self->before + at, '\n', self->before_size - at);
    newline = newline ? newline : memrchr(self->before, '\n', at);
    return newline && newline > self->before && newline[-1] == '\r';
}

/* A replacement has the line ends of the place that it goes to. */
static void append_replacement(GString *text, const char *replacement, bool has_crlf)
{
    for (const char *p = replacement; *p; p++) {
        if (*p == '\n' && has_crlf && (p == replacement || p[-1] != '\r'))
            g_string_append_c(text, '\r');
        g_string_append_c(text, *p);
    }
}

static bool build_after(AstFilePlan *self, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    size_t at = 0;
    for (unsigned i = 0; i < self->changes->len; i++) {
        const AstMatch *match = self->changes->pdata[i];
        if (!is_match_there(self, match))
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "%s changed while it was looked at; call ast_edit again", self->shown);
        if (match->start < at || (i > 0 && match->start == at && match->start == match->end))
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "Overlapping replacements detected; refine pattern to avoid ambiguous "
                             "edits (%s:%" G_GINT64_FORMAT ")",
                             self->shown, match->line);
        g_string_append_len(text, self->before + at, (gssize)(match->start - at));
        g_array_append_val(self->places, text->len);
        append_replacement(text, match->replacement, is_crlf_at(self, match->start));
        at = match->end;
        if (text->len > LIMIT_TOOL_FILE_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s would become larger than %zu MiB",
                             self->shown, LIMIT_TOOL_FILE_BYTES / MIB);
    }
    g_string_append_len(text, self->before + at, (gssize)(self->before_size - at));
    self->after_size = text->len;
    self->after = g_string_free(g_steal_pointer(&text), FALSE);
    return true;
}

/* The matches from `first` on that are of one file; how many is the difference of its result. */
static bool add_file(ToolCall *call, AstPlan *self, unsigned first, unsigned end, GError **error)
{
    const AstMatch *match = self->matches->pdata[first];
    AstFilePlan *file = g_new0(AstFilePlan, 1);
    file->changes = g_ptr_array_new();
    file->places = g_array_new(FALSE, FALSE, sizeof(size_t));
    file->path = g_strdup(match->file);
    file->shown = path_display(file->path, tool_call_cwd(call));
    g_ptr_array_add(self->changed, file);
    for (unsigned i = first; i < end; i++)
        g_ptr_array_add(file->changes, self->matches->pdata[i]);
    if (!file_read(file->path, LIMIT_TOOL_FILE_BYTES, &file->before, &file->before_size, error))
        return false;
    if (!generated_check(tool_call_settings(call), file->path, file->shown, file->before,
                         file->before_size, NULL)) {
        g_ptr_array_add(self->generated, g_strdup(file->shown));
        g_ptr_array_remove_index(self->changed, self->changed->len - 1);
        return true;
    }
    self->total += file->changes->len;
    self->bytes += file->before_size;
    if (self->bytes > MAX_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "the files that would change are more than %zu MiB; narrow paths",
                         MAX_BYTES / MIB);
    return build_after(file, error);
}

static bool check_files(const AstPlan *self, GError **error)
{
    gint64 max = CLAMP(env_int("MAX_AST_FILES", MAX_FILES), 1, AST_MAX_FILES);
    if (self->changed->len > max)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "more than %" G_GINT64_FORMAT " files would change; narrow paths", max);
    const char *language = NULL;
    for (unsigned i = 0; i < self->changed->len; i++) {
        const AstFilePlan *file = self->changed->pdata[i];
        const char *each = ast_language(file->path);
        if (language && strcmp(language, each) != 0)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "The files to change are of several languages (%s, %s); narrow paths "
                             "to one",
                             language, each);
        language = each;
    }
    return true;
}

bool ast_plan_make(ToolCall *call, const json_t *ops, const json_t *paths, AstPlan *self,
                   GError **error)
{
    if (!check_ops(ops, error) || !ast_files_collect(call, paths, &self->files, error))
        return false;
    json_each ((json_t *)ops, i, op) {
        if (!search_op(call, op, i == 0, self, error))
            return false;
    }
    g_ptr_array_sort(self->matches, compare_places);
    for (unsigned first = 0, end; first < self->matches->len; first = end) {
        const AstMatch *match = self->matches->pdata[first];
        for (end = first + 1; end < self->matches->len; end++)
            if (strcmp(((AstMatch *)self->matches->pdata[end])->file, match->file) != 0)
                break;
        if (!add_file(call, self, first, end, error))
            return false;
    }
    return check_files(self, error);
}

bool ast_plan_is_like(const AstPlan *self, const AstPlan *other)
{
    if (self->total != other->total || self->changed->len != other->changed->len)
        return false;
    for (unsigned i = 0; i < self->changed->len; i++) {
        const AstFilePlan *one = self->changed->pdata[i], *two = other->changed->pdata[i];
        if (strcmp(one->path, two->path) != 0 || one->changes->len != two->changes->len ||
            one->before_size != two->before_size ||
            memcmp(one->before, two->before, one->before_size) != 0)
            return false;
    }
    return true;
}

// ---- writing ----

static bool may_write(ToolCall *call, const AstFilePlan *file, GError **error)
{
    g_autofree char *real = NULL;
    return write_guard_pass(call, file->path, false, &real, error) &&
           tool_file_check_target(file->path, file->shown, error) &&
           generated_check(tool_call_settings(call), file->path, file->shown, file->before,
                           file->before_size, error) &&
           seen_files_check(call, file->path, file->shown, error) &&
           secret_file_check_masks(file->before, file->before_size, file->after, error);
}

/* The changes are the model's own. */
static void note_edit(ToolCall *call, const AstFilePlan *file)
{
    if (strlen(file->before) == file->before_size)
        read_cache_note_edit(call, file->path, file->before, file->after, 0);
    else
        read_cache_forget(call, file->path);
}

bool ast_plan_write(ToolCall *call, const AstPlan *self, GError **error)
{
    for (unsigned i = 0; i < self->changed->len; i++)
        if (!may_write(call, self->changed->pdata[i], error))
            return false;
    if (!cancel_check(tool_call_cancel(call), error))
        return false;
    for (unsigned i = 0; i < self->changed->len; i++) {
        const AstFilePlan *file = self->changed->pdata[i];
        g_autofree char *real = NULL;
        if (!seen_files_check(call, file->path, file->shown, error) ||
            !write_guard_pass(call, file->path, false, &real, error) ||
            !file_write_exact(real, file->after, file->after_size, 0666, error)) {
            g_prefix_error(error, "%u of %u files are written, the others are as they were: ", i,
                           self->changed->len);
            return false;
        }
        seen_files_note(call, file->path);
        note_edit(call, file);
    }
    return true;
}
