/*
 * read: a text file, a directory, an image, or an artifact of the session (agent-tools §3.1).
 */
#include "base/file.h"
#include "base/image.h"
#include "base/path.h"
#include "base/str.h"
#include "model/message.h"
#include "tools/read_text.h"
#include "tools/seen_files.h"
#include "tools/tool_file.h"
#include "tools/tools.h"
#include "tools/workspace_path.h"

#include <errno.h>

enum { MAX_IMAGE_BYTES = 20 * 1024 * 1024 };

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

static bool exists(const char *path, const char *cwd)
{
    g_autofree char *absolute = workspace_path(path, cwd);
    return file_exists(absolute);
}

/* A file whose name itself ends like a selector, or like one part of it, wins. */
static bool split_path(const char *asked, const char *cwd, ReadSelect *ret_select, GError **error)
{
    g_autofree char *cleaned = workspace_clean(asked);
    bool is_path = workspace_scheme_length(cleaned) == 0;
    if (is_path && exists(asked, cwd)) {
        *ret_select = (ReadSelect) { .path = g_strdup(asked), .start = 1 };
        return true;
    }
    g_auto(ReadSelect) one_part = { 0 };
    if (!read_select_parse(cleaned, 1, &one_part, error))
        return false;
    if (!is_path || !exists(one_part.path, cwd))
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

static bool show_image(const char *type, const char *path, const struct stat *info,
                       ToolResult *result, GError **error)
{
    if (info->st_size > MAX_IMAGE_BYTES) {
        g_autofree char *shown = str_format_bytes((uint64_t)info->st_size);
        g_autofree char *text =
            g_strdup_printf("Image file too large: %s exceeds 20.0MB limit.", shown);
        tool_result_add_text(result, text);
        return true;
    }
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!file_read(path, MAX_IMAGE_BYTES, &data, &size, error))
        return false;
    g_auto(ImageFit) image = { 0 };
    image_fit(data, size, type, &image);
    g_autofree char *text = g_strdup_printf("Read image file [%s]%s%s", type,
                                            image.note ? "\n" : "", image.note ? image.note : "");
    tool_result_add_text(result, text);
    if (!image.data)
        return true;
    g_autofree char *base64 = g_base64_encode((const guchar *)image.data, image.size);
    tool_result_add_image(result, base64, image.type);
    return true;
}

static bool show_file(ToolCall *call, const char *path, const ReadSelect *select,
                      const char *entity, ToolResult *result, GError **error)
{
    g_auto(Fd) fd = -1;
    struct stat info;
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    if (!tool_file_open(path, shown, &fd, &info, error))
        return false;
    json_set_text(tool_result_details(result), "resolvedPath", path);
    g_autoptr(LineStream) lines = line_stream_new(fd, shown);
    const char *head = NULL;
    size_t size = 0;
    if (!line_stream_peek(lines, &head, &size, error))
        return false;
    const char *type = message_image_type(head, size);
    if (type)
        return show_image(type, path, &info, result, error);

    const Settings *settings = tool_call_settings(call);
    const ReadText text = {
        .lines = lines,
        .size = MAX((uint64_t)info.st_size, size),
        .entity = entity,
        .select = select,
        .has_numbers = settings_get_bool(settings, "readLineNumbers"),
        .default_limit = settings_get_int(settings, "read.defaultLimit"),
    };
    return read_text_show(&text, result, error);
}

static bool read_artifact(ToolCall *call, const ReadSelect *select, ToolResult *result,
                          GError **error)
{
    g_autofree char *path = NULL;
    if (!artifacts_find(tool_call_artifacts(call), select->path + strlen("artifact://"), &path,
                        error))
        return false;
    tool_result_set_source_internal(result, select->path);
    return show_file(call, path, select, "resource", result, error);
}

static void note_suffix_match(ToolResult *result, const char *asked, const char *found)
{
    json_t *block = json_array_get(result->content, 0);
    const char *text = json_get_text(block, "text");
    g_autofree char *noted =
        g_strdup_printf("[Path '%s' not found; resolved to '%s' via suffix match]\n%s", asked,
                        found, text ? text : "");
    json_set_text(block, "text", noted);
    json_t *resolution = json_object();
    json_set_text(resolution, "from", asked);
    json_set_text(resolution, "to", found);
    json_set_take(tool_result_details(result), "suffixResolution", resolution);
}

static bool show_path(ToolCall *call, const char *path, const ReadSelect *select,
                      ToolResult *result, GError **error)
{
    tool_result_set_source_path(result, path);
    if (file_is_directory(path))
        return read_directory_show(path, select, tool_call_now_ms(call), result, error);
    if (!show_file(call, path, select, "file", result, error))
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

static bool read_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const ReadArgs *args = args_;
    const char *cwd = tool_call_cwd(call);
    g_auto(ReadSelect) select = { 0 };
    if (!parse_path(args, cwd, &select, error))
        return false;
    if (g_ascii_strncasecmp(select.path, "artifact://", strlen("artifact://")) == 0)
        return read_artifact(call, &select, result, error);
    size_t scheme = workspace_scheme_length(select.path);
    if (scheme > 0)
        return workspace_fail_unknown_scheme(select.path, scheme, error);

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
    .summary = "Show a text file, a directory, an image or an artifact",
    .description =
        "Show the lines of a file, or a directory as a tree. Append :N to start "
        "at line N, "
        ":A-B or :A+COUNT for a range, :raw for the bare text; a long file is shown in pages. "
        "artifact://ID shows the full output of an earlier call. Images (PNG, JPEG, GIF, WebP) are "
        "shown as "
        "images.",
    .effect = EFFECT_READ,
    .flags = TOOL_NON_ABORTABLE | TOOL_KEEPS_TEXT,
    .fields = read_fields,
    .args_size = sizeof(ReadArgs),
    .run = read_run,
};
