/* See search_scope.h. */
#include "tools/search/search_scope.h"

#include "base/file.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/context.h"
#include "tools/file/file_walk.h"
#include "tools/file/missing.h"
#include "tools/file/tool_file.h"
#include "tools/file/workspace_path.h"

enum { MAX_EXPANDED = 2000, EXPAND_TIMEOUT_MS = 5000, HINT_TIMEOUT_MS = 2000 };

void search_scope_clear(SearchScope *self)
{
    g_clear_pointer(&self->paths, g_ptr_array_unref);
    g_clear_pointer(&self->missing, g_ptr_array_unref);
    g_clear_pointer(&self->shown, g_free);
    search_notes_clear(&self->notes);
}

typedef struct Expansion {
    SearchScope *scope;
    const char *base;
    GRegex *regex; // NULL: only what else would have matched
    unsigned count;
} Expansion;

static bool take_expanded(const char *path, FileWalkKind kind, void *user_data)
{
    Expansion *expansion = user_data;
    if (kind != FILE_WALK_FILE)
        return true;
    g_autofree char *valid = utf8_from_bytes(path, strlen(path));
    if (!expansion->regex || !g_regex_match(expansion->regex, valid, 0, NULL)) {
        search_notes_try(&expansion->scope->notes, valid);
        return true;
    }
    g_autofree char *full = g_build_filename(expansion->base, path, NULL);
    if (!tool_file_is_secret(full))
        g_ptr_array_add(expansion->scope->paths, g_steal_pointer(&full));
    return ++expansion->count <= MAX_EXPANDED;
}

/* The files that a glob among the paths stands for. */
static bool scope_add_glob(SearchScope *self, const char *asked, ToolCall *call, GError **error)
{
    g_autofree char *base = NULL, *glob = NULL;
    glob_split(asked, &base, &glob);
    g_autofree char *dir = workspace_path(base, tool_call_cwd(call));
    g_autoptr(GRegex) regex = NULL;
    if (!glob_compile(glob, &regex, error))
        return false;
    Expansion expansion = { .scope = self, .base = dir, .regex = regex };
    guint before = self->paths->len;
    const FileWalk files = {
        .dir = dir,
        .cwd = tool_call_cwd(call),
        .timeout_ms = EXPAND_TIMEOUT_MS,
        .notes = &self->notes,
    };
    search_notes_add_glob(&self->notes, strcmp(base, ".") == 0 ? "" : base, glob);
    if (file_is_directory(dir) &&
        !file_walk(&files, tool_call_cancel(call), take_expanded, &expansion, error))
        return false;
    if (expansion.count > MAX_EXPANDED)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "%s matches more than %d files; give the directory and use `glob`", asked,
                         MAX_EXPANDED);
    if (expansion.count > 0)
        qsort(self->paths->pdata + before, self->paths->len - before, sizeof *self->paths->pdata,
              str_compare);
    else
        g_ptr_array_add(self->missing, g_strdup(asked));
    self->has_globs = true;
    return true;
}

/* A search reads everything below: not the environments and memories of processes. */
static bool may_search(const char *path, const char *asked, GError **error)
{
    if (!file_is_directory(path))
        return tool_file_check_target(path, asked, error);
    if (!tool_file_is_on_proc(path))
        return true;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "not searched: %s holds the environments of processes, and so secrets; "
                     "name the files",
                     asked);
}

/* What has a file is searched there; no one is asked for anything. */
static bool scope_add_url(SearchScope *self, const char *text, ToolCall *call, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    g_autofree char *path = NULL;
    const UrlScheme *scheme = NULL;
    ToolContext *context = tool_call_context(call);
    if (!internal_url_open(context, text, &url, &scheme, error))
        return false;
    if (!scheme->locate)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Cannot grep internal URL without a backing file: %s", text);
    if (strpbrk(text, "*[{"))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Glob patterns are not supported for internal URLs: %s", text);
    if (!scheme->locate(context, url, &path, error))
        return false;
    if (!file_exists(path))
        g_ptr_array_add(self->missing, g_strdup(text));
    else if (!may_search(path, text, error))
        return false;
    else
        g_ptr_array_add(self->paths, g_steal_pointer(&path));
    return true;
}

static bool scope_add(SearchScope *self, const char *asked, ToolCall *call, GError **error)
{
    g_autofree char *cleaned = workspace_clean(asked);
    if (*cleaned == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "`paths` must contain non-empty paths or globs");
    if (workspace_scheme_length(cleaned) > 0)
        return scope_add_url(self, cleaned, call, error);
    g_autofree char *path = workspace_path(asked, tool_call_cwd(call));
    if (!file_exists(path)) {
        if (glob_has_magic(cleaned))
            return scope_add_glob(self, cleaned, call, error);
        g_ptr_array_add(self->missing, g_strdup(asked));
        return true;
    }
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    if (!may_search(path, shown, error))
        return false;
    g_ptr_array_add(self->paths, g_steal_pointer(&path));
    return true;
}

/* `path` may be one path, or a comma-separated list of them. */
static bool scope_add_path(SearchScope *self, const char *asked, ToolCall *call, GError **error)
{
    g_autofree char *path = workspace_path(asked, tool_call_cwd(call));
    if (file_exists(path) || !strchr(asked, ',') || strchr(asked, '{'))
        return scope_add(self, asked, call, error);
    g_auto(GStrv) parts = g_strsplit(asked, ",", -1);
    for (char **part = parts; *part; part++)
        if (!scope_add(self, g_strstrip(*part), call, error))
            return false;
    return true;
}

/* Nothing that was asked for is there: perhaps it is further down. */
static void look_elsewhere(ToolCall *call, SearchScope *scope)
{
    const char *asked = scope->missing->pdata[0];
    if (search_notes_has_hint(&scope->notes) || workspace_scheme_length(asked) > 0)
        return;
    search_notes_add_glob(&scope->notes, "", asked);
    Expansion expansion = { .scope = scope, .base = tool_call_cwd(call) };
    const FileWalk files = {
        .dir = expansion.base,
        .cwd = expansion.base,
        .timeout_ms = HINT_TIMEOUT_MS,
    };
    file_walk(&files, tool_call_cancel(call), take_expanded, &expansion, NULL);
}

bool search_scope_build(ToolCall *call, const char *path, const json_t *paths, SearchScope *scope,
                        GError **error)
{
    const char *cwd = tool_call_cwd(call);
    scope->paths = g_ptr_array_new_with_free_func(g_free);
    scope->missing = g_ptr_array_new_with_free_func(g_free);
    if (path && !scope_add_path(scope, path, call, error))
        return false;
    json_each (paths, i, entry) {
        if (!scope_add(scope, json_string_value(entry), call, error))
            return false;
    }
    if (scope->paths->len == 0 && scope->missing->len == 0)
        g_ptr_array_add(scope->paths, g_strdup(cwd));
    if (scope->paths->len == 0) {
        look_elsewhere(call, scope);
        return missing_fail(scope->missing, &scope->notes, error);
    }
    scope->is_one_file =
        scope->paths->len == 1 && !scope->has_globs && !file_is_directory(scope->paths->pdata[0]);
    scope->shown = path_display(scope->paths->pdata[0], cwd);
    g_ptr_array_add(scope->paths, NULL);
    return true;
}
