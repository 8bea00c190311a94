/*
 * write: create a file or replace its whole content (agent-tools §3.2).
 */
#include "base/file.h"
#include "base/limits.h"
#include "tool/write_guard.h"
#include "tools/conflict/conflict.h"
#include "tools/edit/edit_target.h"
#include "tools/file/diff.h"
#include "tools/file/generated.h"
#include "tools/file/hashline.h"
#include "tools/file/new_mode.h"
#include "tools/file/notebook.h"
#include "tools/file/plan_target.h"
#include "tools/file/read_cache.h"
#include "tools/file/secret_file.h"
#include "tools/file/seen_files.h"
#include "tools/file/workspace_path.h"
#include "tools/read/file_kind.h"
#include "tools/tools.h"

typedef struct WriteArgs {
    const char *path;
    const char *content;
} WriteArgs;

static const FieldDef write_fields[] = {
    { "path", FIELD_STRING, offsetof(WriteArgs, path), .is_required = true },
    { "content", FIELD_STRING, offsetof(WriteArgs, content), .is_required = true },
    { 0 },
};

static const char description[] =
    "Creates a file or replaces the whole content of an existing one. Parent directories are "
    "made.\n"
    "To change a part of a file use edit. FILE.zip:PATH puts a file into an archive. FILE.db:TABLE "
    "inserts a row of a SQLite table, "
    "FILE.db:TABLE:KEY updates it from a JSON object, or deletes it when content is empty.";

static bool write_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                        GError **error G_GNUC_UNUSED)
{
    const WriteArgs *args = args_;
    ret_judgement->effect = EFFECT_WRITE;
    ret_judgement->summary = g_strconcat("writes ", args->path, NULL);
    g_auto(InnerPath) inner = { 0 };
    bool is_conflict = conflict_is_url(args->path);
    if (!is_conflict && !file_kind_to_write(args->path, tool_call_cwd(call), &inner)) {
        plan_target_judge(tool_call_context(call), args->path, false, ret_judgement);
        return true;
    }
    judgement_add_action(ret_judgement, "write", args->path, NULL, NULL);
    if (!plan_target_check_other(tool_call_context(call), NULL)) // the call says so
        return true;
    if (is_conflict)
        conflict_judge_url(call, args->path, ret_judgement);
    else
        judgement_add_write(ret_judgement, inner.path, false);
    return true;
}

/* What was replaced is shown as a diff; the call has the content of a new file. */
static void add_details(json_t *details, const char *before, size_t size, bool is_update,
                        const char *content)
{
    if (before && g_utf8_validate(before, (gssize)size, NULL))
        edit_add_details(details, "update", before, content, diff_numbered);
    else
        json_set_text(details, "op", is_update ? "update" : "create");
}

/* The text of a notebook becomes cells again. */
static bool put_content(ToolCall *call, const char *path, const char *shown, const char *content,
                        GError **error)
{
    g_autofree char *real = NULL;
    g_autofree char *notebook = NULL;
    if (!write_guard_pass(call, path, false, &real, error) ||
        (notebook_is(path) && !notebook_is_json(content) &&
         !notebook_file_from_text(path, shown, content, &notebook, error)))
        return false;
    const char *data = notebook ? notebook : content;
    g_autofree char *dir = g_path_get_dirname(real);
    ToolContext *context = tool_call_context(call);
    return file_make_dirs(dir, new_dir_mode(context, path), error) &&
           file_write_exact(real, data, strlen(data), new_file_mode(context, path), error);
}

static bool write_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const WriteArgs *args = args_;
    g_autofree char *stripped = hashline_is_shown(call) ? hashline_strip(args->content) : NULL;
    const char *content = stripped ? stripped : args->content;
    if (conflict_is_url(args->path))
        return plan_target_check_other(tool_call_context(call), error) &&
               conflict_write_url(call, args->path, content, result, error);
    g_auto(InnerPath) inner = { 0 };
    const FileKind *kind = file_kind_to_write(args->path, tool_call_cwd(call), &inner);
    if (kind)
        return plan_target_check_other(tool_call_context(call), error) &&
               kind->write(call, &inner, content, result, error);
    g_autofree char *path = NULL;
    g_autofree char *shown = NULL;
    if (!plan_target(tool_call_context(call), args->path, &path, &shown, error))
        return false;
    bool is_update = file_exists(path);
    g_autofree char *before = NULL;
    size_t size_before = 0;
    if (is_update)
        file_read(path, LIMIT_TOOL_FILE_BYTES, &before, &size_before, NULL);
    if (is_update && (!workspace_may_replace(args->path, path, tool_call_cwd(call), error) ||
                      !generated_check_file(tool_call_settings(call), path, shown, error) ||
                      !seen_files_check_replaced(call, path, shown, error) ||
                      (before && !secret_file_check_masks(before, size_before, content, error))))
        return false;

    size_t size = strlen(content);
    if (!put_content(call, path, shown, content, error))
        return false;
    seen_files_note(call, path);
    if (notebook_is(path))
        read_cache_forget(call, path);
    else
        read_cache_note_edit(call, path, NULL, content, 0);
    g_autofree char *text = g_strdup_printf(
        "Successfully wrote %zu bytes to %s%s", size, shown,
        stripped ? "\nNote: auto-stripped hashline display prefixes from content before writing."
                 : "");
    tool_result_add_text(result, text);
    const char *shown_before = notebook_is(path) ? NULL : before; // it has no cells
    add_details(tool_result_details(result), shown_before, size_before, is_update, content);
    return true;
}

const ToolDef tool_write = {
    .name = "write",
    .label = "Write",
    .summary = "Create or overwrite a file",
    .description = description,
    .effect = EFFECT_WRITE,
    .judge = write_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_NON_ABORTABLE | TOOL_CAN_DESTROY | TOOL_WRITES_PLAN,
    .fields = write_fields,
    .args_size = sizeof(WriteArgs),
    .run = write_run,
};
