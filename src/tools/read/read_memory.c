/* See read_memory.h. */
#include "tools/read/read_memory.h"

#include "base/str.h"
#include "tools/file/hashline.h"
#include "tools/read/read_text.h"

bool read_memory_show(ToolCall *call, const char *path, const char *text, size_t size,
                      const char *entity, const ReadSelect *select, ToolResult *result,
                      GError **error)
{
    g_autoptr(ReadSnapshot) seen = path && hashline_is_shown(call) ? read_snapshot_new() : NULL;
    const Settings *settings = tool_call_settings(call);
    g_autoptr(LineStream) lines = line_stream_new_text(text, size);
    const ReadText shown = {
        .lines = lines,
        .size = size,
        .entity = entity,
        .select = select,
        .has_numbers = settings_get_bool(settings, "readLineNumbers"),
        .default_limit = settings_get_int(settings, "read.defaultLimit"),
        .seen = seen,
    };
    if (!read_text_show(&shown, result, error))
        return false;
    if (seen)
        read_cache_note(call, path, g_steal_pointer(&seen));
    return true;
}

void read_memory_show_head(const char *text, ToolResult *result)
{
    g_auto(Truncated) cut = truncate_head(text, TRUNCATE_MAX_LINES, TRUNCATE_MAX_BYTES);
    g_autofree char *begin = cut.first_line_exceeds ? str_truncate(text, TRUNCATE_MAX_BYTES) : NULL;
    tool_result_add_text(result, begin ? begin : cut.content);
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
}
