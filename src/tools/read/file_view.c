/* See file_view.h. */
#include "tools/read/file_view.h"

#include "base/limits.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tools/document/document.h"
#include "tools/file/notebook.h"
#include "tools/file/tool_file.h"
#include "tools/read/read_memory.h"

static bool show_notebook(ToolCall *call, const char *path, const char *shown,
                          const ReadSelect *select, ToolResult *result, GError **error)
{
    g_auto(Fd) fd = -1;
    struct stat info;
    g_autoptr(GString) json = g_string_new(NULL);
    g_autofree char *text = NULL;
    if (!tool_file_open(path, shown, &fd, &info, error) ||
        !fd_read_all(fd, LIMIT_JSON_BYTES + 1, shown, json, error) ||
        !notebook_to_text(json->str, json->len, shown, &text, error))
        return false;
    return read_memory_show(call, path, text, strlen(text), "notebook", select, result, error);
}

/* What cannot be read is said in place of the text: there is nothing that the caller did wrong. */
static bool show_document(ToolCall *call, const char *path, DocumentFunc read,
                          const char *extension, const ReadSelect *select, ToolResult *result,
                          GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_autoptr(GError) problem = NULL;
    if (!read(path, tool_call_cancel(call), out, &problem)) {
        if (g_error_matches(problem, KEDGE_ERROR, KEDGE_ERROR_CANCELLED))
            return pass_error(error, &problem);
        g_string_printf(out, "[Cannot read %s file: %s]", extension, problem->message);
    }
    g_autofree char *text = utf8_from_bytes(out->str, out->len);
    g_strchomp(text);
    if (select->has_range)
        return read_memory_show(call, NULL, text, strlen(text), "document", select, result, error);
    read_memory_show_head(text, result);
    return true;
}

bool file_view_show(ToolCall *call, const char *path, const ReadSelect *select, ToolResult *result,
                    bool *ret_is_shown, GError **error)
{
    const char *extension = NULL;
    DocumentFunc read = document_reader(path, &extension);
    *ret_is_shown = !select->is_raw && (read || notebook_is(path));
    if (!*ret_is_shown)
        return true;
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    if (!tool_file_check_target(path, shown, error))
        return false;
    json_set_text(tool_result_details(result), "resolvedPath", path);
    return read ? show_document(call, path, read, extension, select, result, error)
                : show_notebook(call, path, shown, select, result, error);
}
