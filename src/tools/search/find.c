/*
 * find: files by glob, newest first (agent-tools §3.6).
 */
#include "base/file.h"
#include "base/glob.h"
#include "base/path.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tools/file/file_walk.h"
#include "tools/file/missing.h"
#include "tools/file/tool_file.h"
#include "tools/file/workspace_path.h"
#include "tools/tools.h"

#include <math.h>
#include <sys/stat.h>

enum { FIND_TIMEOUT_MS = 5000, HINT_TIMEOUT_MS = 2000, MAX_FOUND = 200000 };

typedef struct FindArgs {
    const char *pattern, *path, *type;
    const json_t *paths;
    bool hidden;
    double limit;
} FindArgs;

static const char *const types[] = { "file", "dir", "any", NULL };

static const FieldDef find_fields[] = {
    { "pattern", FIELD_STRING, offsetof(FindArgs, pattern) },
    { "path", FIELD_STRING, offsetof(FindArgs, path), .help = "Directory to start in" },
    { "paths", FIELD_STRING_LIST, offsetof(FindArgs, paths), .help = "Several globs or paths" },
    { "hidden", FIELD_BOOLEAN, offsetof(FindArgs, hidden), .default_text = "true" },
    { "limit", FIELD_NUMBER, offsetof(FindArgs, limit), .default_text = "1000" },
    { "type", FIELD_ENUM, offsetof(FindArgs, type), .values = types, .default_text = "\"file\"" },
    { 0 },
};

typedef struct Found {
    char *path; // absolute; bytes, not always UTF-8
    bool is_directory;
    int64_t mtime_ns;
} Found;

static void found_free(void *data)
{
    Found *self = data;
    g_free(self->path);
    g_free(self);
}

typedef struct Search {
    ToolCall *call;
    const FindArgs *args;
    GHashTable *seen; // absolute path → itself
    GPtrArray *found;
    GPtrArray *missing; // entries as asked
    SearchNotes notes;
    int64_t deadline; // time_monotonic_ms(); of all entries together
    bool is_too_much; // MAX_FOUND is reached
} Search;

typedef struct Walk { // one entry that is searched
    Search *search;
    const char *base;
    GRegex *regex; // NULL: everything
    bool is_hint;  // nothing of it counts: only what else would have matched
} Walk;

static bool find_args_wants(const FindArgs *args, bool is_directory)
{
    return strcmp(args->type, "any") == 0 || (strcmp(args->type, "dir") == 0) == is_directory;
}

static void add_found(Search *search, const char *path, bool is_directory)
{
    struct stat info;
    if (!find_args_wants(search->args, is_directory) || g_hash_table_contains(search->seen, path) ||
        lstat(path, &info) < 0)
        return;
    Found *found = g_new0(Found, 1);
    found->path = g_strdup(path);
    found->is_directory = is_directory;
    found->mtime_ns = (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec;
    g_hash_table_add(search->seen, found->path);
    g_ptr_array_add(search->found, found);
}

static void add_if_matching(const Walk *walk, const char *relative, bool is_directory)
{
    g_autofree char *valid = utf8_from_bytes(relative, strlen(relative));
    bool is_wanted = find_args_wants(walk->search->args, is_directory);
    if (walk->is_hint || (walk->regex && !g_regex_match(walk->regex, valid, 0, NULL))) {
        if (is_wanted && walk->search->found->len == 0)
            search_notes_try(&walk->search->notes, valid);
        return;
    }
    g_autofree char *path = g_build_filename(walk->base, relative, NULL);
    if (str_has_prefix(path, "/proc/") && tool_file_is_secret(path))
        return;
    add_found(walk->search, path, is_directory);
}

static bool on_entry(const char *relative, FileWalkKind kind, void *user_data)
{
    const Walk *walk = user_data;
    add_if_matching(walk, relative, kind == FILE_WALK_DIRECTORY);
    walk->search->is_too_much = walk->search->found->len >= MAX_FOUND;
    return !walk->search->is_too_much;
}

static bool names_skipped_directory(const char *glob)
{
    return strstr(glob, ".git/") || strstr(glob, "node_modules");
}

static bool fail_timeout(GError **error)
{
    return fail_with(error, KEDGE_ERROR_TIMEOUT, "find timed out after 5s");
}

static bool walk_directory(Search *search, const char *base, const char *glob, GError **error)
{
    if (strcmp(base, "/") == 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Searching from root directory '/' is not allowed");
    g_autoptr(GRegex) regex = NULL;
    if (glob && !glob_compile(glob, &regex, error))
        return false;
    int64_t left_ms = search->deadline - time_monotonic_ms();
    if (left_ms <= 0)
        return fail_timeout(error);
    Walk walk = { .search = search, .base = base, .regex = regex };
    const FileWalk files = {
        .dir = base,
        .cwd = tool_call_cwd(search->call),
        .excludes_hidden = !search->args->hidden,
        .enters_all = glob && names_skipped_directory(glob),
        .timeout_ms = left_ms,
        .notes = &search->notes,
    };
    g_autoptr(GError) run_error = NULL;
    bool is_done = file_walk(&files, tool_call_cancel(search->call), on_entry, &walk, &run_error);
    if (search->is_too_much)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "more than %d files match; use a narrower pattern or path", MAX_FOUND);
    if (is_done)
        return true;
    if (error_is(run_error, KEDGE_ERROR_TIMEOUT))
        return fail_timeout(error);
    return pass_error(error, &run_error);
}

static bool search_glob(Search *search, const char *entry, const char *dir, GError **error)
{
    g_autofree char *base = NULL, *glob = NULL;
    glob_split(entry, &base, &glob);
    g_autofree char *path = workspace_path(base, dir);
    if (!file_exists(path)) {
        g_ptr_array_add(search->missing, g_strdup(entry));
        return true;
    }
    if (!file_is_directory(path))
        return fail_with(error, KEDGE_ERROR_USAGE, "Path is not a directory: %s", base);
    search_notes_add_glob(&search->notes, strcmp(base, ".") == 0 ? "" : base, glob);
    return walk_directory(search, path, glob, error);
}

static bool search_entry(Search *search, const char *entry, const char *dir, GError **error)
{
    g_autofree char *cleaned = workspace_clean(entry);
    g_autofree char *path = workspace_path(entry, dir);
    if (!file_exists(path)) { // a name with brackets in it wins over the glob that it could be
        if (glob_has_magic(cleaned))
            return search_glob(search, cleaned, dir, error);
        g_ptr_array_add(search->missing, g_strdup(entry));
        return true;
    }
    if (file_is_directory(path))
        return walk_directory(search, path, NULL, error);
    add_found(search, path, false);
    return true;
}

/* A pattern without magic is a name to look for, unless it is a path that exists. */
static bool search_pattern(Search *search, const char *pattern, const char *dir, GError **error)
{
    g_autofree char *literal = workspace_path(pattern, dir);
    if (glob_has_magic(pattern) || strchr("/~", pattern[0]) || file_exists(literal))
        return search_entry(search, pattern, dir, error);
    g_autofree char *glob = g_strconcat("**/", pattern, NULL);
    return walk_directory(search, dir, glob, error);
}

static bool search_all(Search *search, unsigned *ret_entries, GError **error)
{
    const FindArgs *args = search->args;
    const char *cwd = tool_call_cwd(search->call);
    if (args->pattern) {
        g_autofree char *dir = args->path ? workspace_path(args->path, cwd) : g_strdup(cwd);
        (*ret_entries)++;
        if (utf8_is_blank(args->pattern))
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "`paths` must contain non-empty globs or paths");
        if (!file_exists(dir))
            return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Path not found: %s", args->path);
        if (!file_is_directory(dir))
            return fail_with(error, KEDGE_ERROR_USAGE, "Path is not a directory: %s", args->path);
        if (!search_pattern(search, args->pattern, dir, error))
            return false;
    }
    json_each (args->paths, i, entry) {
        (*ret_entries)++;
        const char *text = json_string_value(entry);
        if (utf8_is_blank(text))
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "`paths` must contain non-empty globs or paths");
        if (!search_entry(search, text, cwd, error))
            return false;
    }
    if (*ret_entries == 0 && args->path) {
        (*ret_entries)++;
        return search_entry(search, args->path, cwd, error);
    }
    return *ret_entries > 0 ||
           fail_with(error, KEDGE_ERROR_USAGE, "find needs `pattern` or `paths`");
}

/* Nothing was found, and a folder that was named is not there: perhaps it is further down. */
static void look_elsewhere(Search *search)
{
    const FindArgs *args = search->args;
    const char *cwd = tool_call_cwd(search->call);
    int64_t left_ms = search->deadline - time_monotonic_ms();
    if (search->missing->len == 0 || search_notes_has_hint(&search->notes) || left_ms <= 0)
        return;
    g_autofree char *dir =
        args->pattern && args->path ? workspace_path(args->path, cwd) : g_strdup(cwd);
    search_notes_add_glob(&search->notes, "", search->missing->pdata[0]);
    Walk walk = { .search = search, .base = dir, .is_hint = true };
    const FileWalk files = { .dir = dir, .cwd = cwd, .timeout_ms = MIN(left_ms, HINT_TIMEOUT_MS) };
    file_walk(&files, tool_call_cancel(search->call), on_entry, &walk, NULL);
}

static int compare_found(const void *a, const void *b)
{
    const Found *left = *(Found *const *)a, *right = *(Found *const *)b;
    if (left->mtime_ns != right->mtime_ns)
        return left->mtime_ns > right->mtime_ns ? -1 : 1;
    return strcmp(left->path, right->path);
}

static void set_details(const Search *search, ToolResult *result, json_t *files, bool is_truncated,
                        unsigned limit)
{
    json_t *details = tool_result_details(result);
    json_add(details, "scopePath:%s fileCount:%jd files:%p truncated:%i",
             search->args->path ? search->args->path : ".",
             (gint64)MIN(search->found->len, limit ? limit : G_MAXUINT), files, is_truncated);
    if (limit > 0)
        json_set_int(details, "resultLimitReached", limit);
    missing_set_details(search->missing, details);
}

static void write_result(const Search *search, unsigned limit, ToolResult *result)
{
    g_autoptr(GString) text = g_string_new(NULL);
    bool is_limited = search->found->len >= limit;
    unsigned count = MIN(search->found->len, limit);
    for (unsigned i = 0; i < count; i++) {
        const Found *found = search->found->pdata[i];
        g_autofree char *shown = path_display(found->path, tool_call_cwd(search->call));
        g_string_append_printf(text, "%s%s%s", i > 0 ? "\n" : "", shown,
                               found->is_directory ? "/" : "");
    }
    if (count == 0)
        g_string_append(text, "No files found matching pattern");
    g_autoptr(GString) last_line = g_string_new(NULL);
    missing_append_line(search->missing, &search->notes, count == 0, last_line);
    size_t last_size = MIN(last_line->len, TRUNCATE_MAX_BYTES / 2);
    g_auto(Truncated) cut = truncate_head(text->str, count + 1, TRUNCATE_MAX_BYTES - last_size);
    cut.max_bytes = TRUNCATE_MAX_BYTES;
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_set_limit(result, "resultLimit", is_limited ? limit : 0);

    json_t *files = json_array(); // those that the text names: the list is bounded with it
    g_auto(GStrv) lines = g_strsplit(count > 0 ? cut.content : "", "\n", -1);
    for (char **line = lines; *line; line++)
        json_append_take(files, json_text(*line));
    set_details(search, result, files, is_limited || cut.is_truncated, is_limited ? limit : 0);

    g_autofree char *shown = g_strconcat(cut.content, last_line->str, NULL);
    tool_result_add_text(result, shown);
}

static bool find_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const FindArgs *args = args_;
    if (!isfinite(args->limit) || args->limit < 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Limit must be a positive number, not %g; leave it out for 1000",
                         args->limit);
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(found_free);
    g_autoptr(GPtrArray) missing = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    Search search = {
        .call = call,
        .args = args,
        .seen = seen,
        .found = found,
        .missing = missing,
        .deadline = time_monotonic_ms() + FIND_TIMEOUT_MS,
    };
    unsigned entries = 0;
    bool is_done = search_all(&search, &entries, error);
    if (is_done && found->len == 0)
        look_elsewhere(&search);
    if (is_done && missing->len == entries) {
        is_done = missing_fail(missing, &search.notes, error);
    } else if (is_done) {
        g_ptr_array_sort(found, compare_found);
        write_result(&search, (unsigned)MIN(args->limit, 1000000), result);
    }
    search_notes_clear(&search.notes);
    return is_done;
}

const ToolDef tool_find = {
    .name = "find",
    .label = "Find",
    .summary = "Find files by glob, newest first",
    .description =
        "Find files by glob, newest first: *.c at any depth, src/*.c there only. Ignored "
        "files (.gitignore) are left out; links are listed, not followed.",
    .effect = EFFECT_READ,
    .fields = find_fields,
    .args_size = sizeof(FindArgs),
    .setting = "find.enabled",
    .run = find_run,
};
