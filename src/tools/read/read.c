/*
 * read: a text file, a directory, an image, or an artifact of the session (agent-tools §3.1).
 */
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "model/message.h"
#include "tool/internal_url.h"
#include "tool/model_view.h"
#include "tools/conflict/conflict.h"
#include "tools/file/hashline.h"
#include "tools/file/seen_files.h"
#include "tools/file/tool_file.h"
#include "tools/file/workspace_path.h"
#include "tools/read/file_kind.h"
#include "tools/read/file_view.h"
#include "tools/read/image_file.h"
#include "tools/read/read_summary.h"
#include "tools/read/read_text.h"
#include "tools/tools.h"

#include <errno.h>

typedef struct ReadArgs {
    const char *path, *lines;
    int64_t offset, limit;
} ReadArgs;

static const FieldDef read_fields[] = {
    { "path", FIELD_STRING, offsetof(ReadArgs, path), .is_required = true },
    { "offset", FIELD_INTEGER, offsetof(ReadArgs, offset), .is_hidden = true },
    { "limit", FIELD_INTEGER, offsetof(ReadArgs, limit), .is_hidden = true },
    { "lines", FIELD_STRING, offsetof(ReadArgs, lines), .is_hidden = true },
    { 0 },
};

/* What older habits write, for a path without a range of its own: offset and limit, or lines.
 * Caller frees. */
static char *legacy_selector(const ReadArgs *args)
{
    if (args->lines && *args->lines)
        return g_strdup_printf(":%s", args->lines);
    if (args->offset > 0 && args->limit > 0)
        return g_strdup_printf(":%" G_GINT64_FORMAT "+%" G_GINT64_FORMAT, args->offset,
                               args->limit);
    if (args->offset > 0)
        return g_strdup_printf(":%" G_GINT64_FORMAT, args->offset);
    return args->limit > 0 ? g_strdup_printf(":1+%" G_GINT64_FORMAT, args->limit) : NULL;
}

static bool apply_legacy(const ReadArgs *args, ReadSelect *select, GError **error)
{
    g_autofree char *selector = legacy_selector(args);
    if (!selector || select->has_range)
        return true;
    g_autofree char *asked = g_strconcat("x", selector, NULL);
    g_auto(ReadSelect) legacy = { 0 };
    if (!read_select_parse(asked, 2, &legacy, error))
        return false;
    if (strcmp(legacy.path, "x") != 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid lines: %s", selector + 1);
    select->has_range = legacy.has_range;
    select->start = legacy.start;
    select->end = legacy.end;
    select->is_raw = select->is_raw || legacy.is_raw;
    return true;
}

static bool read_exists(const char *path, const char *cwd)
{
    g_autofree char *absolute = workspace_path(path, cwd);
    return file_exists(absolute);
}

/* A file whose name itself ends like a selector, or like one part of it, wins. */
static bool split_path(const char *asked, const char *cwd, ReadSelect *ret_select, GError **error)
{
    g_autofree char *cleaned = workspace_clean(asked);
    bool is_path = workspace_scheme_length(cleaned) == 0;
    if (is_path && read_exists(asked, cwd)) {
        *ret_select = (ReadSelect) { .path = g_strdup(asked), .start = 1 };
        return true;
    }
    g_auto(ReadSelect) one_part = { 0 };
    if (!read_select_parse(cleaned, 1, &one_part, error))
        return false;
    if (!is_path || !read_exists(one_part.path, cwd))
        return read_select_parse(cleaned, 2, ret_select, error);
    *ret_select = one_part;
    one_part = (ReadSelect) { 0 };
    return true;
}

static bool parse_path(const ReadArgs *args, const char *cwd, ReadSelect *ret_select,
                       GError **error)
{
    g_auto(ReadSelect) select = { 0 };
    if (!split_path(args->path, cwd, &select, error) || !apply_legacy(args, &select, error))
        return false;
    *ret_select = select;
    select = (ReadSelect) { 0 };
    return true;
}

/* `is_editable`: its lines are those that edit would find there. */
static bool show_file(ToolCall *call, const char *path, const ReadSelect *select,
                      const char *entity, bool is_editable, ToolResult *result, GError **error)
{
    g_auto(Fd) fd = -1;
    struct stat info;
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    if (!tool_file_open(path, shown, &fd, &info, error))
        return false;
    json_set_text(tool_result_details(result), "resolvedPath", path);
    g_autoptr(ReadSnapshot) seen =
        is_editable && hashline_is_shown(call) ? read_snapshot_new() : NULL;
    const ReadSummary summary = { fd, path, (uint64_t)info.st_size, seen };
    bool is_whole = strcmp(entity, "file") == 0 && !select->has_range && !select->is_raw;
    // code that changes the text and writes it back would write what was left out away
    if (is_whole && model_view_has_answer(call) && read_summary_show(call, &summary, result)) {
        if (seen)
            read_cache_note(call, path, g_steal_pointer(&seen));
        return true;
    }
    g_autoptr(LineStream) lines = line_stream_new(fd, shown);
    const char *head = NULL;
    size_t size = 0;
    if (!line_stream_peek(lines, &head, &size, error))
        return false;
    const char *type = message_image_type(head, size);
    if (type)
        return image_file_show(call, fd, type, shown, result, error);

    const Settings *settings = tool_call_settings(call);
    int64_t first = 0, last = 0;
    const ReadText text = {
        .lines = lines,
        .size = MAX((uint64_t)info.st_size, size),
        .entity = entity,
        .select = select,
        .has_numbers = settings_get_bool(settings, "readLineNumbers"),
        .default_limit = settings_get_int(settings, "read.defaultLimit"),
        .ret_first = &first,
        .ret_last = &last,
        .seen = seen,
    };
    if (!read_text_show(&text, result, error))
        return false;
    if (seen)
        read_cache_note(call, path, g_steal_pointer(&seen));
    return first == 0 || strcmp(entity, "file") != 0 ||
           conflict_show_footer(call, path, first, last, result, error);
}

/* A part of something that was asked for: it has no lines to go on with. */
static void show_extract(const UrlResource *resource, ToolResult *result)
{
    g_auto(Truncated) cut =
        truncate_head(resource->content, TRUNCATE_MAX_LINES, TRUNCATE_MAX_BYTES);
    g_autofree char *start = str_truncate(resource->content, TRUNCATE_MAX_BYTES);
    tool_result_add_text(result, cut.first_line_exceeds ? start : cut.content);
    if (cut.is_truncated)
        tool_result_add_note(result, "The rest was cut: ask for a smaller part");
}

static bool show_text(ToolCall *call, const UrlResource *resource, const ReadSelect *select,
                      ToolResult *result, GError **error)
{
    g_autoptr(LineStream) lines = line_stream_new_text(resource->content, resource->size);
    const Settings *settings = tool_call_settings(call);
    const ReadText text = {
        .lines = lines,
        .size = resource->size,
        .entity = "resource",
        .select = select,
        .has_numbers = settings_get_bool(settings, "readLineNumbers"),
        .default_limit =
            resource->is_whole ? INT64_MAX : settings_get_int(settings, "read.defaultLimit"),
    };
    return read_text_show(&text, result, error);
}

static bool is_writable(ToolCall *call, const char *url)
{
    g_autofree char *path = NULL;
    g_autofree char *shown = NULL;
    return workspace_target(tool_call_context(call), url, &path, &shown, NULL);
}

static bool read_url(ToolCall *call, const ReadSelect *select, ToolResult *result, GError **error)
{
    g_auto(UrlResource) resource = { 0 };
    if (!internal_url_resolve(call, select->path, &resource, error))
        return false;
    if (resource.is_extract && select->has_range)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Cannot combine query extraction with offset/limit");
    tool_result_set_source_internal(result, select->path);
    json_set_text(tool_result_details(result), "contentType",
                  resource.content_type ? resource.content_type : "text/plain");
    if (resource.github)
        json_object_set(tool_result_details(result), "github", resource.github);
    if (resource.origin.kind != ORIGIN_UNKNOWN)
        origin_copy(&result->origin, &resource.origin);
    for (unsigned i = 0; resource.notes && i < resource.notes->len; i++)
        tool_result_add_note(result, resource.notes->pdata[i]);
    if (!resource.content) {
        if (!show_file(call, resource.source_path, select, "resource",
                       is_writable(call, select->path), result, error))
            return false;
        seen_files_note(call, resource.source_path);
        return true;
    }
    if (resource.source_path)
        json_set_text(tool_result_details(result), "resolvedPath", resource.source_path);
    if (!resource.is_extract)
        return show_text(call, &resource, select, result, error) &&
               (select->has_range ||
                internal_url_illustrate(call, select->path, &resource, result, error));
    show_extract(&resource, result);
    return true;
}

static void note_suffix_match(ToolResult *result, const char *asked, const char *found)
{
    json_t *block = json_array_get(result->content, 0);
    const char *text = json_get_text(block, "text");
    g_autofree char *noted =
        g_strdup_printf("[Path '%s' not found; resolved to '%s' via suffix match]\n%s", asked,
                        found, text ? text : "");
    json_set_text(block, "text", noted);
    json_set_take(tool_result_details(result), "suffixResolution",
                  json_make("from:%s to:%s", asked, found));
}

static bool show_path(ToolCall *call, const char *path, const ReadSelect *select,
                      ToolResult *result, GError **error)
{
    tool_result_set_source_path(result, path);
    if (file_is_directory(path))
        return read_directory_show(path, select, tool_call_now_ms(call), result, error);
    bool is_shown = false;
    if (select->wants_conflicts)
        return conflict_show_list(call, path, result, error);
    if (!file_view_show(call, path, select, result, &is_shown, error) ||
        (!is_shown && !show_file(call, path, select, "file", true, result, error)))
        return false;
    seen_files_note(call, path);
    return true;
}

/* A link that leads nowhere is no path to read. */
static bool leads_somewhere(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static bool read_judge(ToolCall *call, const void *args_, Judgement *ret_judgement, GError **error)
{
    const ReadArgs *args = args_;
    g_auto(ReadSelect) select = { 0 };
    ret_judgement->effect = EFFECT_READ;
    bool is_url = parse_path(args, tool_call_cwd(call), &select, NULL) &&
                  workspace_scheme_length(select.path) > 0 && !conflict_is_url(select.path);
    return !is_url || internal_url_judge(call, select.path, ret_judgement, error);
}

static bool read_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const ReadArgs *args = args_;
    const char *cwd = tool_call_cwd(call);
    g_auto(InnerPath) inner = { 0 };
    const FileKind *kind = file_kind_to_show(args->path, cwd, &inner);
    if (kind)
        return kind->show(call, &inner, result, error);
    g_auto(ReadSelect) select = { 0 };
    if (!parse_path(args, cwd, &select, error))
        return false;
    if (conflict_is_url(select.path))
        return conflict_show_url(call, select.path, result, error);
    if (workspace_scheme_length(select.path) > 0)
        return read_url(call, &select, result, error);

    g_autofree char *path = workspace_path(select.path, cwd);
    if (leads_somewhere(path))
        return show_path(call, path, &select, result, error);
    g_autofree char *match = workspace_suffix_match(select.path, cwd, tool_call_cancel(call));
    if (!match)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Path '%s' not found", select.path);
    if (!show_path(call, match, &select, result, error))
        return false;
    g_autofree char *shown = path_display(match, cwd);
    note_suffix_match(result, select.path, shown);
    return true;
}

const ToolDef tool_read = {
    .name = "read",
    .label = "Read",
    .summary = "Show a text file, a directory, an image, a document, an archive, a database or an "
               "artifact",
    .description =
        "Show the lines of a file, or a directory as a tree. Append :N to start at line N, :A-B or "
        ":A+COUNT for a range, :raw for the bare text; a long file is shown in pages, :conflicts "
        "for its git conflict markers. "
        "artifact://ID shows the full output of an earlier call, local://NAME a scratch file of "
        "the session, docs:// kedge's manual. Images (PNG, JPEG, GIF, WebP) are "
        "shown as images. FILE.zip (tar, tar.gz) lists members, FILE.zip:PATH shows one. SQLite: "
        "FILE.db lists tables, FILE.db:TABLE, FILE.db:TABLE:KEY, "
        "FILE.db:TABLE?where=&order=COL:desc&limit=&offset=, FILE.db?q=SELECT ....",
    .effect = EFFECT_READ,
    .judge = read_judge,
    .flags = TOOL_NON_ABORTABLE | TOOL_KEEPS_TEXT | TOOL_ONLY_READS,
    .fields = read_fields,
    .args_size = sizeof(ReadArgs),
    .run = read_run,
};
