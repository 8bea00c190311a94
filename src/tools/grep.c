/*
 * grep: text in files, grouped by directory, a page at a time (agent-tools §3.8).
 */
#include "base/file.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tools/grep_search.h"
#include "tools/missing.h"
#include "tools/rg.h"
#include "tools/tools.h"
#include "tools/workspace_path.h"

#include <math.h>

enum { PAGE_SIZE = 100, MAX_PRESELECTED = 2000, MAX_CONTEXT = 50 };
enum { MAX_EXPANDED = 2000, EXPAND_TIMEOUT_MS = 5000 };

typedef struct GrepArgs {
    const char *pattern, *path, *glob, *type;
    const json_t *paths;
    bool i, multiline, gitignore, has_multiline, has_pre, has_post, has_limit, has_offset;
    double pre, post, limit, offset, skip;
} GrepArgs;

static const FieldDef grep_fields[] = {
    { "pattern", FIELD_STRING, offsetof(GrepArgs, pattern), .is_required = true,
      .help = "No backreferences" },
    { "path", FIELD_STRING, offsetof(GrepArgs, path),
      .help = "File or directory; several with commas" },
    { "paths", FIELD_STRING_LIST, offsetof(GrepArgs, paths) },
    { "glob", FIELD_STRING, offsetof(GrepArgs, glob) },
    { "type", FIELD_STRING, offsetof(GrepArgs, type), .help = "c, py, ts, md …" },
    { "i", FIELD_BOOLEAN, offsetof(GrepArgs, i), .short_flag = 'i', .help = "Ignore case" },
    { "pre", FIELD_NUMBER, offsetof(GrepArgs, pre), .has_offset = offsetof(GrepArgs, has_pre),
      .help = "Lines before a match" },
    { "post", FIELD_NUMBER, offsetof(GrepArgs, post), .has_offset = offsetof(GrepArgs, has_post),
      .help = "Lines after a match" },
    { "multiline", FIELD_BOOLEAN, offsetof(GrepArgs, multiline),
      .has_offset = offsetof(GrepArgs, has_multiline) },
    { "gitignore", FIELD_BOOLEAN, offsetof(GrepArgs, gitignore), .default_text = "true" },
    { "limit", FIELD_NUMBER, offsetof(GrepArgs, limit), .has_offset = offsetof(GrepArgs, has_limit),
      .help = "Matches on a page (100)" },
    { "offset", FIELD_NUMBER, offsetof(GrepArgs, offset),
      .has_offset = offsetof(GrepArgs, has_offset), .is_hidden = true }, // skip by another name
    { "skip", FIELD_NUMBER, offsetof(GrepArgs, skip), .help = "For the next page" },
    { 0 },
};

typedef struct Scope {
    GPtrArray *paths;   // absolute, then NULL
    GPtrArray *missing; // as asked
    char *shown;        // for details
    bool is_one_file;
    bool has_globs; // paths came from globs: files, but named by nobody
} Scope;

static void scope_clear(Scope *self)
{
    g_clear_pointer(&self->paths, g_ptr_array_unref);
    g_clear_pointer(&self->missing, g_ptr_array_unref);
    g_clear_pointer(&self->shown, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scope, scope_clear)

typedef struct Expansion {
    Scope *scope;
    const char *base;
    GRegex *regex;
    unsigned count;
} Expansion;

static bool take_expanded(const char *path, void *user_data)
{
    Expansion *expansion = user_data;
    g_autofree char *valid = utf8_from_bytes(path, strlen(path));
    if (!g_regex_match(expansion->regex, valid, 0, NULL))
        return true;
    g_ptr_array_add(expansion->scope->paths, g_build_filename(expansion->base, path, NULL));
    return ++expansion->count <= MAX_EXPANDED;
}

/* The files that a glob among the paths stands for. */
static bool scope_add_glob(Scope *self, const char *asked, ToolCall *call, GError **error)
{
    g_autofree char *base = NULL, *glob = NULL;
    glob_split(asked, &base, &glob);
    g_autofree char *dir = workspace_path(base, tool_call_cwd(call));
    g_autoptr(GRegex) regex = NULL;
    if (!glob_compile(glob, &regex, error))
        return false;
    Expansion expansion = { .scope = self, .base = dir, .regex = regex };
    const RgFiles files = { .cwd = dir, .timeout_ms = EXPAND_TIMEOUT_MS };
    if (file_is_directory(dir) &&
        !rg_files(&files, tool_call_cancel(call), take_expanded, &expansion, error))
        return false;
    if (expansion.count > MAX_EXPANDED)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "%s matches more than %d files; give the directory and use `glob`", asked,
                         MAX_EXPANDED);
    if (expansion.count == 0)
        g_ptr_array_add(self->missing, g_strdup(asked));
    self->has_globs = true;
    return true;
}

static bool scope_add(Scope *self, const char *asked, ToolCall *call, GError **error)
{
    g_autofree char *cleaned = workspace_clean(asked);
    if (*cleaned == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "`paths` must contain non-empty paths or globs");
    g_autofree char *path = workspace_path(asked, tool_call_cwd(call));
    if (file_exists(path))
        g_ptr_array_add(self->paths, g_steal_pointer(&path));
    else if (glob_has_magic(cleaned))
        return scope_add_glob(self, cleaned, call, error);
    else
        g_ptr_array_add(self->missing, g_strdup(asked));
    return true;
}

/* `path` may be one path, or a comma-separated list of them. */
static bool scope_add_path(Scope *self, const char *asked, ToolCall *call, GError **error)
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

static bool scope_build(ToolCall *call, const GrepArgs *args, Scope *scope, GError **error)
{
    const char *cwd = tool_call_cwd(call);
    scope->paths = g_ptr_array_new_with_free_func(g_free);
    scope->missing = g_ptr_array_new_with_free_func(g_free);
    if (args->path && !scope_add_path(scope, args->path, call, error))
        return false;
    size_t i = 0;
    json_t *entry = NULL;
    json_array_foreach (args->paths, i, entry) {
        if (!scope_add(scope, json_string_value(entry), call, error))
            return false;
    }
    if (scope->paths->len == 0 && scope->missing->len == 0)
        g_ptr_array_add(scope->paths, g_strdup(cwd));
    if (scope->paths->len == 0)
        return missing_fail(scope->missing, error);
    scope->is_one_file =
        scope->paths->len == 1 && !scope->has_globs && !file_is_directory(scope->paths->pdata[0]);
    scope->shown = path_display(scope->paths->pdata[0], cwd);
    g_ptr_array_add(scope->paths, NULL);
    return true;
}

typedef struct Page {
    unsigned before, after, size, offset;
} Page;

static bool to_count(const char *label, double value, bool is_given, unsigned fallback,
                     unsigned maximum, unsigned *ret_count, GError **error)
{
    if (is_given && (!isfinite(value) || value < 0))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s must be a non-negative number", label);
    *ret_count = is_given ? (unsigned)MIN(value, maximum) : MIN(fallback, maximum);
    return true;
}

static bool page_build(const GrepArgs *args, const Settings *settings, Page *page, GError **error)
{
    int64_t before = settings_get_int(settings, "grep.contextBefore");
    int64_t after = settings_get_int(settings, "grep.contextAfter");
    double offset = args->has_offset ? args->offset : args->skip;
    if (!to_count("Limit", args->limit, args->has_limit, PAGE_SIZE, MAX_PRESELECTED, &page->size,
                  error) ||
        !to_count("Offset", offset, true, 0, G_MAXINT, &page->offset, error) ||
        !to_count("pre", args->pre, args->has_pre, (unsigned)MAX(before, 0), MAX_CONTEXT,
                  &page->before, error) ||
        !to_count("post", args->post, args->has_post, (unsigned)MAX(after, 0), MAX_CONTEXT,
                  &page->after, error))
        return false;
    if (page->size == 0)
        page->size = PAGE_SIZE;
    return true;
}

/* How many matches of each file are shown: one per file and round, until the page is full. */
static unsigned *share_page(const GrepFound *found, unsigned page_size, unsigned *ret_shown)
{
    unsigned *shares = g_new0(unsigned, found->files->len + 1);
    bool has_given = true;
    *ret_shown = 0;
    while (has_given && *ret_shown < page_size) {
        has_given = false;
        for (unsigned i = 0; i < found->files->len && *ret_shown < page_size; i++) {
            const GrepFile *file = found->files->pdata[i];
            if (shares[i] < file->matches) {
                shares[i]++;
                (*ret_shown)++;
                has_given = true;
            }
        }
    }
    return shares;
}

typedef struct Output {
    GString *text;
    bool has_cut_line;
} Output;

/* The lines of the first `share` matches, and those near them. */
static void append_file_lines(Output *out, const GrepFile *file, unsigned share, const Page *page)
{
    g_autoptr(GArray) shown = g_array_new(FALSE, FALSE, sizeof(int64_t)); // numbers, ascending
    for (unsigned i = 0; i < file->lines->len; i++) {
        const GrepLine *line = file->lines->pdata[i];
        if (line->match > 0 && line->match <= share)
            g_array_append_val(shown, line->number);
    }
    unsigned next = 0; // the first match that the line is not yet behind
    for (unsigned i = 0; i < file->lines->len; i++) {
        const GrepLine *line = file->lines->pdata[i];
        while (next < shown->len &&
               g_array_index(shown, int64_t, next) + page->after < line->number)
            next++;
        if (next == shown->len)
            return;
        if (line->number < g_array_index(shown, int64_t, next) - page->before)
            continue;
        bool is_match = line->match > 0 && line->match <= share;
        out->has_cut_line = out->has_cut_line || line->is_cut;
        g_string_append_printf(out->text, "%c%" G_GINT64_FORMAT "|%s\n", is_match ? '*' : ' ',
                               line->number, line->text);
    }
}

/* `# dir/` then `## file`, or `# file` in the top directory; a blank line between directories. */
static void append_heading(Output *out, const char *path, char **last_dir)
{
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    bool is_top = strcmp(dir, ".") == 0;
    bool is_new = !*last_dir || strcmp(*last_dir, dir) != 0;
    if (is_top || is_new)
        g_string_append(out->text, out->text->len > 0 ? "\n" : "");
    if (is_top) {
        g_string_append_printf(out->text, "# %s\n", name);
    } else {
        if (is_new)
            g_string_append_printf(out->text, "# %s/\n", dir);
        g_string_append_printf(out->text, "## %s\n", name);
    }
    g_free(*last_dir);
    *last_dir = g_strdup(dir);
}

/* Files of one directory stay together, in the order in which the directory was first seen. */
static GPtrArray *group_by_directory(const GrepFound *found, const char *cwd, char ***ret_paths)
{
    GPtrArray *order = g_ptr_array_new();
    char **paths = g_new0(char *, found->files->len + 1);
    g_autoptr(GPtrArray) dirs = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < found->files->len; i++) {
        const GrepFile *file = found->files->pdata[i];
        paths[i] = path_display(file->path, cwd);
        char *dir = g_path_get_dirname(paths[i]);
        if (g_ptr_array_find_with_equal_func(dirs, dir, g_str_equal, NULL))
            g_free(dir);
        else
            g_ptr_array_add(dirs, dir);
    }
    for (unsigned d = 0; d < dirs->len; d++)
        for (unsigned i = 0; i < found->files->len; i++) {
            g_autofree char *dir = g_path_get_dirname(paths[i]);
            if (strcmp(dir, dirs->pdata[d]) == 0)
                g_ptr_array_add(order, GUINT_TO_POINTER(i));
        }
    *ret_paths = paths;
    return order;
}

static void format_found(const GrepFound *found, const Scope *scope, const Page *page,
                         const char *cwd, Output *out, json_t *details, unsigned *ret_shown)
{
    g_autofree unsigned *shares = share_page(found, page->size, ret_shown);
    g_auto(GStrv) paths = NULL;
    g_autoptr(GPtrArray) order = group_by_directory(found, cwd, &paths);
    g_autofree char *last_dir = NULL;
    json_t *files = json_array(), *counts = json_array();
    for (unsigned k = 0; k < order->len; k++) {
        unsigned i = GPOINTER_TO_UINT(order->pdata[k]);
        if (shares[i] == 0)
            continue;
        if (!scope->is_one_file)
            append_heading(out, paths[i], &last_dir);
        append_file_lines(out, found->files->pdata[i], shares[i], page);
        json_t *count = json_object();
        json_set_text(count, "path", paths[i]);
        json_set_int(count, "count", shares[i]);
        json_append_take(counts, count);
        json_append_take(files, json_text(paths[i]));
    }
    json_set_text(details, "scopePath", scope->shown);
    json_set_int(details, "matchCount", *ret_shown);
    json_set_int(details, "fileCount", (gint64)json_array_size(files));
    json_set_take(details, "files", files);
    json_set_take(details, "fileMatches", counts);
    if (out->text->len > 0)
        g_string_truncate(out->text, out->text->len - 1);
}

/* What comes behind the lines: that there is more, and what was not searched. */
static char *last_lines(const GrepFound *found, const Scope *scope, const Page *page,
                        unsigned shown)
{
    GString *text = g_string_new(NULL);
    if (found->has_more || found->matches > shown)
        g_string_append_printf(text, "\n\nResult limit reached; narrow paths or use skip=%u.",
                               page->offset + shown);
    missing_append_line(scope->missing, shown == 0, text);
    return g_string_free(text, FALSE);
}

static void write_result(const GrepFound *found, const Scope *scope, const Page *page,
                         const char *cwd, ToolResult *result)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Output out = { .text = text };
    json_t *details = tool_result_details(result);
    unsigned shown = 0;
    format_found(found, scope, page, cwd, &out, details, &shown);
    if (shown == 0)
        g_string_assign(text, "No matches found");

    g_autofree char *last = last_lines(found, scope, page, shown);
    size_t last_size = MIN(strlen(last), TRUNCATE_MAX_BYTES / 2);
    g_auto(Truncated) cut = truncate_head(text->str, G_MAXINT, TRUNCATE_MAX_BYTES - last_size);
    cut.max_bytes = TRUNCATE_MAX_BYTES;
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_set_column_limit(result, out.has_cut_line ? TRUNCATE_MAX_COLUMN : 0);
    g_autofree char *whole = g_strconcat(cut.content, last, NULL);
    tool_result_add_text(result, whole);

    bool has_more = found->has_more || found->matches > shown;
    if (has_more)
        json_set_int(details, "resultLimitReached", page->size);
    if (out.has_cut_line)
        json_set_bool(details, "linesTruncated", true);
    json_set_bool(details, "truncated", has_more || cut.is_truncated);
    missing_set_details(scope->missing, details);
}

static bool set_filters(const GrepArgs *args, GrepSearch *search, GError **error)
{
    search->type_globs = args->type ? grep_type_globs(args->type) : NULL;
    if (args->type && !search->type_globs)
        return fail_with(error, KEDGE_ERROR_USAGE, "Unknown file type: %s", args->type);
    search->glob_is_for_name = args->glob && !strchr(args->glob, '/');
    return !args->glob || glob_compile(args->glob, &search->glob, error);
}

static bool grep_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const GrepArgs *args = args_;
    const char *cwd = tool_call_cwd(call);
    g_autofree char *pattern = utf8_trim(args->pattern);
    if (*pattern == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "Pattern must not be empty");
    g_auto(Scope) scope = { 0 };
    Page page = { 0 };
    if (!page_build(args, tool_call_settings(call), &page, error) ||
        !scope_build(call, args, &scope, error))
        return false;

    bool spans_lines = strchr(pattern, '\n') || strstr(pattern, "\\n");
    GrepSearch search = {
        .pattern = pattern,
        .cwd = cwd,
        .paths = (const char *const *)scope.paths->pdata,
        .ignores_case = args->i,
        .is_multiline = args->has_multiline ? args->multiline : spans_lines,
        .no_ignore = !args->gitignore,
        .is_directory_scope = !scope.is_one_file,
        .before = page.before,
        .after = page.after,
        .skip = page.offset,
        .max_matches = MIN(page.size * 5, MAX_PRESELECTED),
    };
    g_auto(GrepFound) found = { 0 };
    bool is_done = set_filters(args, &search, error) &&
                   grep_search(&search, tool_call_cancel(call), &found, error);
    g_clear_pointer(&search.glob, g_regex_unref);
    if (!is_done)
        return false;
    write_result(&found, &scope, &page, cwd, result);
    return true;
}

static bool grep_is_available(const Settings *settings)
{
    return settings_get_bool(settings, "grep.enabled");
}

const ToolDef tool_grep = {
    .name = "grep",
    .label = "Grep",
    .summary = "Search file contents with a regular expression",
    .description =
        "Search file contents with a regular expression. Matching lines are marked *N|, lines "
        "around them are shown too. Ignored (.gitignore) and binary files are left out.",
    .effect = EFFECT_READ,
    .fields = grep_fields,
    .args_size = sizeof(GrepArgs),
    .is_available = grep_is_available,
    .run = grep_run,
};
