/*
 * conflict://N, and all of them at once: reading a block, and putting something in its place
 * (conflict.h).
 */
#include "base/file.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/write_guard.h"
#include "tools/conflict/conflict_private.h"
#include "tools/file/read_cache.h"
#include "tools/file/secret_file.h"
#include "tools/file/seen_files.h"
#include "tools/file/tool_file.h"

#define SCHEME "conflict://"

typedef struct ConflictUrl {
    int64_t id;  // 0: all
    char *scope; // "ours", "theirs", "base"; NULL: the block
} ConflictUrl;

static void conflict_url_clear(ConflictUrl *self)
{
    g_clear_pointer(&self->scope, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ConflictUrl, conflict_url_clear)

bool conflict_is_url(const char *text)
{
    return g_ascii_strncasecmp(text, SCHEME, strlen(SCHEME)) == 0;
}

static bool parse_url(const char *url, ConflictUrl *ret_url, GError **error)
{
    static const char *const scopes[] = { "ours", "theirs", "base", NULL };
    g_auto(GStrv) parts = g_strsplit(url + strlen(SCHEME), "/", 3);
    guint count = g_strv_length(parts);
    bool is_all = count == 1 && strcmp(parts[0], "*") == 0;
    bool is_good =
        is_all || (count > 0 && str_parse_int(parts[0], &ret_url->id) && ret_url->id > 0);
    if (is_good && count == 2)
        is_good = g_strv_contains(scopes, parts[1]);
    if (!is_good || count > 2)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid conflict URI '%s': must be 'conflict://<N>', "
                         "'conflict://<N>/<scope>' (ours, theirs or base), or 'conflict://*' where "
                         "N is a positive integer surfaced by a prior `read`.",
                         url);
    ret_url->scope = count == 2 ? g_strdup(parts[1]) : NULL;
    return true;
}

static bool find_conflict(ToolCall *call, int64_t id, Conflict **ret_conflict, GError **error)
{
    Conflict *found = conflict_find(call, id);
    if (!found)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Conflict #%" G_GINT64_FORMAT
                         " not found. Conflict ids are registered when `read` surfaces a marker "
                         "block; re-read the file to get a current id.",
                         id);
    *ret_conflict = found;
    return true;
}

static bool conflict_url_locate(const Conflict *conflict, char **lines, int64_t *ret_start,
                                GError **error)
{
    *ret_start = conflict_locate(lines, conflict);
    return *ret_start > 0 ||
           fail_with(error, KEDGE_ERROR_NOT_FOUND,
                     "Conflict #%" G_GINT64_FORMAT
                     " no longer present in '%s': the recorded marker block can't be located. The "
                     "file changed since the conflict was registered — re-read it to re-register "
                     "conflicts.",
                     conflict->id, conflict->shown);
}

/* The lines of a side in the text of its block; false: it has no base. */
static bool side_of(const ConflictBlock *block, const char *scope, int64_t *ret_first,
                    int64_t *ret_last)
{
    bool is_base = strcmp(scope, "base") == 0;
    if (is_base && !block->base)
        return false;
    bool is_ours = strcmp(scope, "ours") == 0;
    *ret_first = (is_base ? block->base : is_ours ? block->start : block->middle) + 1;
    *ret_last = (is_base   ? block->middle
                 : is_ours ? (block->base ? block->base : block->middle)
                           : block->end) -
                1;
    return true;
}

bool conflict_show_url(ToolCall *call, const char *url, ToolResult *result, GError **error)
{
    g_auto(ConflictUrl) parsed = { 0 };
    if (!parse_url(url, &parsed, error))
        return false;
    if (parsed.id == 0)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "`read conflict://*` is not supported — wildcards are write-only. Use "
                         "`read <path>:conflicts` for the full list of conflicts in a file, or "
                         "`read conflict://<N>` to inspect a single block.");
    Conflict *found = NULL;
    if (!find_conflict(call, parsed.id, &found, error))
        return false;
    g_autoptr(GPtrArray) owner = g_ptr_array_new_with_free_func(conflict_free);
    g_ptr_array_add(owner, found);
    g_auto(ConflictFile) file = { 0 };
    int64_t start = 0;
    if (!conflict_file_read(found->path, found->shown, &file, error) ||
        !conflict_url_locate(found, file.lines, &start, error))
        return false;
    g_auto(GStrv) lines = g_strsplit(found->text, "\n", -1);
    g_autoptr(GPtrArray) blocks = conflict_blocks(lines);
    const ConflictBlock *block = blocks->pdata[0];
    int64_t first = block->start, last = block->end;
    if (parsed.scope && !side_of(block, parsed.scope, &first, &last))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Conflict #%" G_GINT64_FORMAT
                         " has no base section (2-way merge). Read /ours or /theirs instead.",
                         found->id);
    g_autoptr(GString) out = g_string_new(first > last ? "(empty)" : NULL);
    for (int64_t line = first; line <= last; line++) {
        const char *bytes = lines[line - 1];
        g_autofree char *valid = utf8_from_bytes(bytes, strcspn(bytes, "\r"));
        g_string_append_printf(out, "%s%" G_GINT64_FORMAT "|%s", out->len ? "\n" : "",
                               start + line - 1, valid);
    }
    g_auto(Truncated) cut = truncate_head(out->str, 0, 0);
    tool_result_set_source_internal(result, url);
    tool_result_add_text(result, cut.content);
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    return true;
}

/* Appends a line of what is to stand there: itself, or the side that it names. */
static bool append_line(const Conflict *conflict, const ConflictBlock *block, char **lines,
                        const char *line, const char *end, GString *out, GError **error)
{
    g_autofree char *name = g_strchomp(g_strdup(line));
    bool is_both = strcmp(name, "@both") == 0;
    bool is_side = is_both || strcmp(name, "@ours") == 0 || strcmp(name, "@theirs") == 0 ||
                   strcmp(name, "@base") == 0;
    if (!is_side) {
        g_string_append_printf(out, "%s%s\n", line, g_str_has_suffix(line, "\r") ? "" : end);
        return true;
    }
    int64_t first = 0, last = 0;
    if (!side_of(block, is_both ? "ours" : name + 1, &first, &last))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Conflict #%" G_GINT64_FORMAT
                         " has no base section (2-way merge). `@base` is only valid for diff3 "
                         "conflicts.",
                         conflict->id);
    g_autofree char *side = conflict_lines_text(lines, first, last);
    g_string_append(out, side);
    if (is_both) {
        side_of(block, "theirs", &first, &last);
        g_autofree char *theirs = conflict_lines_text(lines, first, last);
        g_string_append(out, theirs);
    }
    return true;
}

/* What takes the place of the block, each line with its LF. Caller frees. */
static bool conflict_expand(const Conflict *conflict, const char *content, char **ret_text,
                            GError **error)
{
    g_auto(GStrv) lines = g_strsplit(conflict->text, "\n", -1);
    g_autoptr(GPtrArray) blocks = conflict_blocks(lines);
    const char *end = g_str_has_suffix(lines[0], "\r") ? "\r" : "";
    g_autofree char *trimmed = g_strdup(content);
    size_t size = strlen(trimmed);
    if (size > 0 && trimmed[size - 1] == '\n')
        trimmed[size - 1] = '\0';
    g_auto(GStrv) asked = g_strsplit(trimmed, "\n", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; asked[i]; i++) {
        if (!append_line(conflict, blocks->pdata[0], lines, asked[i], end, out, error))
            return false;
        if (out->len > LIMIT_TOOL_FILE_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s would become larger than %zu MiB",
                             conflict->shown, LIMIT_TOOL_FILE_BYTES / MIB);
    }
    *ret_text = g_strdup(out->str);
    return true;
}

/* The conflicts of one file, in the order of lines: from the last to the first, all or none. */
static bool resolve_file(ToolCall *call, Conflict *const *conflicts, guint count,
                         const char *content, GError **error)
{
    const char *path = conflicts[0]->path, *shown = conflicts[0]->shown;
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!tool_file_check_target(path, shown, error) ||
        !file_read(path, LIMIT_CONFLICT_SCAN_BYTES, &data, &size, error))
        return false;
    if (memchr(data, '\0', size))
        return fail_with(error, KEDGE_ERROR_USAGE, "Cannot edit binary file: %s", shown);
    g_autoptr(GString) text = g_string_new_len(data, (gssize)size);
    for (guint i = count; i > 0; i--) {
        const Conflict *conflict = conflicts[i - 1];
        g_autofree char *replacement = NULL;
        int64_t start = 0;
        g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
        if (!conflict_expand(conflict, content, &replacement, error) ||
            !conflict_url_locate(conflict, lines, &start, error))
            return false;
        g_autofree char *before = conflict_lines_text(lines, 1, start - 1);
        size_t at = strlen(before);
        // the last line of the file may have no LF
        size_t length = MIN(strlen(conflict->text), text->len - at);
        bool has_end = length == strlen(conflict->text);
        g_string_erase(text, (gssize)at, (gssize)length);
        g_string_insert(text, (gssize)at, replacement);
        if (!has_end && g_str_has_suffix(text->str, "\n"))
            g_string_truncate(text, text->len - 1);
    }
    g_autofree char *real = NULL;
    if (!secret_file_check_masks(data, size, text->str, error) ||
        !write_guard_pass(call, path, false, &real, error) ||
        !file_write_exact(real, text->str, text->len, 0666, error))
        return false;
    for (guint i = count; i > 0; i--) {
        g_autofree char *replacement = NULL;
        conflict_expand(conflicts[i - 1], content, &replacement, NULL);
        int64_t now = (int64_t)str_count_lines(replacement, strlen(replacement)) - 1;
        conflict_forget(call, conflicts[i - 1],
                        now - (conflicts[i - 1]->end - conflicts[i - 1]->start + 1));
    }
    seen_files_note(call, path);
    read_cache_note_edit(call, path, data, text->str, 0);
    return true;
}

static const char *conflict_url_plural(guint count)
{
    return count == 1 ? "" : "s";
}

static bool resolve_one(ToolCall *call, int64_t id, const char *content, ToolResult *result,
                        GError **error)
{
    Conflict *conflict = NULL;
    if (!find_conflict(call, id, &conflict, error))
        return false;
    g_autoptr(GPtrArray) owner = g_ptr_array_new_with_free_func(conflict_free);
    g_ptr_array_add(owner, conflict);
    if (!resolve_file(call, &conflict, 1, content, error))
        return false;
    g_autofree char *text =
        g_strdup_printf("Resolved conflict #%" G_GINT64_FORMAT " at lines %" G_GINT64_FORMAT
                        "–%" G_GINT64_FORMAT " in %s.",
                        conflict->id, conflict->start, conflict->end, conflict->shown);
    tool_result_add_text(result, text);
    return true;
}

typedef struct Bulk {
    GString *resolved, *failed; // a line per file
    guint resolved_files, resolved_conflicts, failed_files;
} Bulk;

static void resolve_next_file(ToolCall *call, Conflict *const *conflicts, guint count,
                              const char *content, Bulk *bulk)
{
    g_autoptr(GError) problem = NULL;
    if (resolve_file(call, conflicts, count, content, &problem)) {
        bulk->resolved_files++;
        bulk->resolved_conflicts += count;
        g_string_append_printf(bulk->resolved, "\n  %s: %u conflict%s", conflicts[0]->shown, count,
                               conflict_url_plural(count));
    } else {
        bulk->failed_files++;
        g_string_append_printf(bulk->failed, "\n  %s: %u conflict%s (%s)", conflicts[0]->shown,
                               count, conflict_url_plural(count), problem->message);
    }
}

static bool resolve_all(ToolCall *call, const char *content, ToolResult *result, GError **error)
{
    g_autoptr(GPtrArray) all = conflict_all(call);
    g_autoptr(GString) resolved = g_string_new(NULL);
    g_autoptr(GString) failed = g_string_new(NULL);
    Bulk bulk = { .resolved = resolved, .failed = failed };
    if (all->len == 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "`conflict://*` has nothing to resolve — no conflicts are currently "
                         "registered. Read a file with conflict markers first.");
    for (guint first = 0, next = 0; first < all->len; first = next) {
        const Conflict *of_file = all->pdata[first];
        while (next < all->len &&
               strcmp(((const Conflict *)all->pdata[next])->path, of_file->path) == 0)
            next++;
        resolve_next_file(call, (Conflict *const *)all->pdata + first, next - first, content,
                          &bulk);
    }
    g_autoptr(GString) out = g_string_new(NULL);
    if (bulk.resolved_files > 0)
        g_string_printf(out, "Resolved %u conflict%s across %u file%s:%s", bulk.resolved_conflicts,
                        conflict_url_plural(bulk.resolved_conflicts), bulk.resolved_files,
                        conflict_url_plural(bulk.resolved_files), resolved->str);
    if (bulk.failed_files > 0)
        g_string_append_printf(
            out, "%sFailed to resolve %u file%s — registered entries left intact for retry:%s",
            out->len ? "\n" : "", bulk.failed_files, conflict_url_plural(bulk.failed_files),
            failed->str);
    if (bulk.resolved_files == 0)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", out->str);
    tool_result_add_text(result, out->str);
    return true;
}

void conflict_judge_url(ToolCall *call, const char *url, Judgement *judgement)
{
    g_auto(ConflictUrl) parsed = { 0 };
    if (!parse_url(url, &parsed, NULL))
        return;
    g_autoptr(GPtrArray) all = conflict_all(call);
    for (guint i = 0; i < all->len; i++) {
        const Conflict *each = all->pdata[i];
        if (parsed.id == 0 || parsed.id == each->id)
            judgement_add_write(judgement, each->path, false);
    }
}

bool conflict_write_url(ToolCall *call, const char *url, const char *content, ToolResult *result,
                        GError **error)
{
    g_auto(ConflictUrl) parsed = { 0 };
    if (!parse_url(url, &parsed, error))
        return false;
    if (parsed.scope)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Conflict URI scope '/%s' is read-only — use `read "
                         "conflict://%" G_GINT64_FORMAT
                         "/%s` to inspect that side. To write, drop the scope "
                         "(`conflict://%" G_GINT64_FORMAT
                         "`) and put the chosen content (or shorthand like `@ours`) in `content`.",
                         parsed.scope, parsed.id, parsed.scope, parsed.id);
    json_set_text(tool_result_details(result), "op", "update");
    return parsed.id == 0 ? resolve_all(call, content, result, error)
                          : resolve_one(call, parsed.id, content, result, error);
}
