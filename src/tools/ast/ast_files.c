/*
 * Source files for ast_grep and ast_edit (ast_files.h).
 */
#include "tools/ast/ast_files.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/file/file_walk.h"
#include "tools/file/tool_file.h"

#include <string.h>
#include <sys/stat.h>

#define WALK_TIMEOUT_MS 10000
#define MAX_ISSUES      20

void ast_files_clear(AstFiles *self)
{
    g_clear_pointer(&self->program, g_free);
    search_scope_clear(&self->scope);
    g_clear_pointer(&self->paths, g_ptr_array_unref);
    g_clear_pointer(&self->broken, g_ptr_array_unref);
}

/* What ast-grep says of a name comes back as JSON, so the name is to be UTF-8. */
static void add_file(AstFiles *self, const char *path)
{
    struct stat info;
    if (ast_language(path) && g_utf8_validate(path, -1, NULL) && !tool_file_is_secret(path) &&
        stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= AST_MAX_FILE_BYTES)
        g_ptr_array_add(self->paths, g_strdup(path));
}

typedef struct Walk {
    AstFiles *files;
    const char *dir;
} Walk;

static bool take_path(const char *path, FileWalkKind kind, void *user_data)
{
    const Walk *walk = user_data;
    if (kind != FILE_WALK_FILE)
        return true;
    g_autofree char *full = g_build_filename(walk->dir, path, NULL);
    add_file(walk->files, full);
    return walk->files->paths->len <= AST_MAX_FILES;
}

static bool add_directory(AstFiles *self, ToolCall *call, const char *dir, GError **error)
{
    Walk walk = { self, dir };
    const FileWalk spec = {
        .dir = dir,
        .cwd = tool_call_cwd(call),
        .timeout_ms = WALK_TIMEOUT_MS,
        .notes = &self->scope.notes,
    };
    return file_walk(&spec, tool_call_cancel(call), take_path, &walk, error);
}

/* Sorted, each once, and NULL behind them. */
static void settle(GPtrArray *paths)
{
    qsort(paths->pdata, paths->len, sizeof(*paths->pdata), str_compare);
    for (unsigned i = paths->len; i > 1; i--)
        if (strcmp(paths->pdata[i - 1], paths->pdata[i - 2]) == 0)
            g_ptr_array_remove_index(paths, i - 1);
    g_ptr_array_add(paths, NULL);
}

bool ast_files_collect(ToolCall *call, const json_t *paths, AstFiles *self, GError **error)
{
    self->paths = g_ptr_array_new_with_free_func(g_free);
    self->broken = g_ptr_array_new_with_free_func(g_free);
    self->program = ast_program(tool_call_cwd(call));
    if (!self->program)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "ast-grep is not installed; `npm install -g @ast-grep/cli` or `cargo "
                         "install ast-grep` installs it");
    if (!search_scope_build(call, NULL, paths, &self->scope, error))
        return false;
    for (char **path = (char **)self->scope.paths->pdata; *path; path++) {
        if (!file_is_directory(*path))
            add_file(self, *path);
        else if (!add_directory(self, call, *path, error))
            return false;
    }
    if (self->paths->len > AST_MAX_FILES)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "there are more than %d source files in %s; narrow paths", AST_MAX_FILES,
                         self->scope.shown);
    settle(self->paths);
    return true;
}

static char *issue_text(const char *path, const char *cwd)
{
    g_autofree char *shown = path_display(path, cwd);
    return g_strdup_printf("%s: parse error (syntax tree contains error nodes)", shown);
}

void ast_files_append_issues(const AstFiles *self, const char *cwd, GString *text)
{
    if (self->broken->len == 0)
        return;
    g_string_append(text, "\n\nParse issues:");
    for (unsigned i = 0; i < MIN(self->broken->len, MAX_ISSUES); i++) {
        g_autofree char *issue = issue_text(self->broken->pdata[i], cwd);
        g_string_append_printf(text, "\n- %s", issue);
    }
    if (self->broken->len > MAX_ISSUES)
        g_string_append_printf(text, "\n- … and %u more files", self->broken->len - MAX_ISSUES);
}

void ast_files_set_details(const AstFiles *self, const char *cwd, json_t *details)
{
    json_add(details, "filesSearched:%u scopePath:%s", self->paths->len - 1, self->scope.shown);
    if (self->broken->len == 0)
        return;
    json_t *issues = json_array();
    for (unsigned i = 0; i < MIN(self->broken->len, MAX_ISSUES); i++) {
        g_autofree char *issue = issue_text(self->broken->pdata[i], cwd);
        json_append_take(issues, json_text(issue));
    }
    json_set_take(details, "parseErrors", issues);
}

char *ast_first_line(const char *text, size_t max_chars)
{
    g_autofree char *line = g_strndup(text, strcspn(text, "\r\n"));
    return utf8_ellipsize(line, max_chars);
}
