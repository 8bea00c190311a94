/*
 * ls: the names in one directory, sorted (agent-tools §3.7).
 */
#include "base/limits.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "tools/file/tool_file.h"
#include "tools/file/workspace_path.h"
#include "tools/tools.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#define LIMIT_DEFAULT 500
#define LIMIT_MAX     1000000
#define NOTICE_BYTES  256  // of what is said behind the names: together they are not spilled
#define CHECK_EVERY   1000 // entries, then the call may have been cancelled

typedef struct LsArgs {
    const char *path;
    double limit;
} LsArgs;

static const FieldDef ls_fields[] = {
    { "path", FIELD_STRING, offsetof(LsArgs, path) },
    { "limit", FIELD_NUMBER, offsetof(LsArgs, limit), .default_text = "500" },
    { 0 },
};

typedef struct Entry {
    char *name; // bytes, not always UTF-8
    char *key;  // in the order of this
} Entry;

static void entry_free(void *data)
{
    Entry *self = data;
    g_free(self->name);
    g_free(self->key);
    g_free(self);
}

static int compare_entries(const void *a, const void *b)
{
    const Entry *left = *(Entry *const *)a, *right = *(Entry *const *)b;
    int order = strcmp(left->key, right->key);
    return order != 0 ? order : strcmp(left->name, right->name);
}

static Entry *entry_new(const char *name)
{
    g_autofree char *text = utf8_from_bytes(name, strlen(name));
    Entry *entry = g_new0(Entry, 1);
    entry->name = g_strdup(name);
    entry->key = g_utf8_casefold(text, -1);
    return entry;
}

static bool is_shown(const char *dir, const char *name)
{
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    g_autofree char *path = g_build_filename(dir, name, NULL);
    return !str_has_prefix(path, "/proc/") || !tool_file_is_secret(path);
}

/* Of a directory with too many, those that the system names first. */
static bool read_names(const char *dir, Cancel *cancel, GPtrArray *entries, bool *ret_is_cut,
                       GError **error)
{
    DIR *handle = opendir(dir);
    if (!handle)
        return fail_with_errno(error, errno, "Cannot read directory %s", dir);
    const struct dirent *found = NULL;
    bool is_on = true;
    for (unsigned i = 1; is_on && !*ret_is_cut && (found = readdir(handle)); i++) {
        if (i % CHECK_EVERY == 0)
            is_on = cancel_check(cancel, error);
        *ret_is_cut = entries->len >= LIMIT_LS_ENTRIES;
        if (!*ret_is_cut && is_shown(dir, found->d_name))
            g_ptr_array_add(entries, entry_new(found->d_name));
    }
    closedir(handle);
    g_ptr_array_sort(entries, compare_entries);
    return is_on;
}

/* "name/ (2d ago)"; what has gone meanwhile has its name alone. */
static void append_entry(GString *text, const char *dir, const char *name, int64_t now_ms)
{
    g_autofree char *path = g_build_filename(dir, name, NULL);
    g_autofree char *shown = g_strdelimit(utf8_from_bytes(name, strlen(name)), "\n\r\t", '?');
    struct stat info;
    // a link is what it leads to; one that leads nowhere is itself
    bool is_there = stat(path, &info) == 0 || lstat(path, &info) == 0;
    g_string_append_printf(text, "%s%s%s", text->len > 0 ? "\n" : "", shown,
                           is_there && S_ISDIR(info.st_mode) ? "/" : "");
    if (!is_there)
        return;
    int64_t mtime_ms = (int64_t)info.st_mtim.tv_sec * 1000 + info.st_mtim.tv_nsec / 1000000;
    g_autofree char *age = time_age_text(now_ms - mtime_ms);
    g_string_append_printf(text, " (%s)", *age ? age : "just now");
}

static void write_result(const ToolCall *call, const char *dir, const GPtrArray *entries,
                         unsigned limit, bool is_cut, ToolResult *result)
{
    g_autoptr(GString) text = g_string_new(NULL);
    unsigned count = MIN(entries->len, limit), shown = 0;
    for (; shown < count && text->len <= TRUNCATE_MAX_BYTES; shown++)
        append_entry(text, dir, ((const Entry *)entries->pdata[shown])->name,
                     tool_call_now_ms(call));
    if (entries->len == 0)
        g_string_append(text, "(empty directory)");
    g_auto(Truncated) cut = truncate_head(text->str, LIMIT_MAX, TRUNCATE_MAX_BYTES - NOTICE_BYTES);
    g_autoptr(GString) notices = g_string_new(NULL);
    if (entries->len > limit)
        g_string_append_printf(notices, "%u entries limit reached. Use limit=%u for more", limit,
                               MIN(limit * 2, LIMIT_MAX));
    if (cut.is_truncated) {
        g_autofree char *size = str_format_bytes(TRUNCATE_MAX_BYTES);
        g_string_append_printf(notices, "%s%s limit reached", notices->len > 0 ? ". " : "", size);
    }
    if (is_cut)
        g_string_append_printf(notices, "%sThere are more than %d entries: some are not looked at",
                               notices->len > 0 ? ". " : "", LIMIT_LS_ENTRIES);
    g_autofree char *whole = notices->len > 0
                                 ? g_strdup_printf("%s\n\n[%s]", cut.content, notices->str)
                                 : g_strdup(cut.content);
    tool_result_add_text(result, whole);
    json_t *details = tool_result_details(result);
    json_add(details, "entryCount:%u truncated:%i", entries->len,
             entries->len > limit || cut.is_truncated || is_cut);
}

static bool ls_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const LsArgs *args = args_;
    if (!isfinite(args->limit) || args->limit < 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Limit must be a positive number, not %g; leave it out for %d",
                         args->limit, LIMIT_DEFAULT);
    g_autofree char *dir = workspace_path(args->path ? args->path : ".", tool_call_cwd(call));
    struct stat info;
    if (stat(dir, &info) < 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Path not found: %s", dir);
    if (!S_ISDIR(info.st_mode))
        return fail_with(error, KEDGE_ERROR_USAGE, "Not a directory: %s", dir);
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(entry_free);
    bool is_cut = false;
    if (!read_names(dir, tool_call_cancel(call), entries, &is_cut, error))
        return false;
    tool_result_set_source_path(result, dir);
    write_result(call, dir, entries, (unsigned)MIN(args->limit, LIMIT_MAX), is_cut, result);
    return true;
}

const ToolDef tool_ls = {
    .name = "ls",
    .label = "Ls",
    .summary = "List a directory",
    .description = "Lists the names in one directory, hidden ones too, with the time since each "
                   "was changed.",
    .effect = EFFECT_READ,
    .flags = TOOL_DISCOVERABLE,
    .fields = ls_fields,
    .args_size = sizeof(LsArgs),
    .setting = "ls.enabled",
    .run = ls_run,
};
