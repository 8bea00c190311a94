/*
 * edit, mode `replace`: texts of one file replaced by others (agent-tools §3.3.8).
 */
#include "tools/edit/edit_mode.h"
#include "tools/edit/edit_search.h"
#include "tools/edit/edit_target.h"

#define MAX_EDITS 1000 // of one call

typedef struct EditArgs {
    const char *path;
    const json_t *edits;
} EditArgs;

typedef struct EditItem {
    const char *old_text, *new_text;
    bool all;
} EditItem;

static const FieldDef item_fields[] = {
    { "old_text", FIELD_STRING, offsetof(EditItem, old_text), .is_required = true },
    { "new_text", FIELD_STRING, offsetof(EditItem, new_text), .is_required = true },
    { "all", FIELD_BOOLEAN, offsetof(EditItem, all) },
    { 0 },
};

static const FieldDef edit_fields[] = {
    { "path", FIELD_STRING, offsetof(EditArgs, path), .is_required = true },
    { "edits", FIELD_OBJECT_LIST, offsetof(EditArgs, edits), .is_required = true,
      .item_fields = item_fields, .min_items = 1, .max_items = MAX_EDITS },
    { 0 },
};

/* One entry. A failed one leaves the text as it is. */
static bool decode_and_apply(EditTarget *file, const json_t *value, bool is_fuzzy, GString *text,
                             GError **error)
{
    EditItem item = { 0 };
    size_t count = 0;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(item_fields, value, FIELD_LENIENT, &item, &kept, problems)) {
        g_autofree char *listed = field_problems_text(problems);
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", listed);
    }
    const EditSearch search = {
        .old_text = item.old_text,
        .new_text = item.new_text,
        .all = item.all,
        .is_fuzzy = is_fuzzy,
        .shown = file->shown,
    };
    char *after = NULL;
    g_autoptr(GArray) newlines = edit_newlines_new();
    if (!edit_search_replace(file->text, &search, &after, newlines, &count, error))
        return false;
    edit_target_take_text(file, after, newlines);
    const char *separator = text->len > 0 ? "\n" : "";
    if (count == 1)
        g_string_append_printf(text, "%sSuccessfully replaced text in %s.", separator, file->shown);
    else
        g_string_append_printf(text, "%sSuccessfully replaced %zu occurrences in %s.", separator,
                               count, file->shown);
    return true;
}

/* All entries in order, each on what those before it have made; `text` gets a line for each. When
   one fails, none counts, and the error names all that failed. Nothing is written yet, so a person
   can stop it. */
static bool apply_all(ToolCall *call, EditTarget *file, const json_t *edits, bool is_fuzzy,
                      GString *text, GError **error)
{
    size_t count = json_array_size(edits);
    g_autoptr(GString) failures = g_string_new(NULL);
    json_each (edits, i, value) {
        g_autoptr(GError) problem = NULL;
        if (!cancel_check(tool_call_user_cancel(call), error))
            return false;
        if (decode_and_apply(file, value, is_fuzzy, text, &problem))
            continue;
        if (count == 1)
            return pass_error(error, &problem);
        g_string_append_printf(failures, "Edit %zu of %zu: %s\n", i + 1, count, problem->message);
    }
    return failures->len == 0 ||
           fail_with(error, KEDGE_ERROR_FAILED, "%sNone of the %zu edits was made.", failures->str,
                     count);
}

static bool edit_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    const EditArgs *args = args_;
    edit_mode_judge_file(call, ret_judgement, args->path);
    return true;
}

static bool edit_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const EditArgs *args = args_;
    bool is_fuzzy = false;
    g_autoptr(EditTarget) file = NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!edit_mode_is_fuzzy(tool_call_settings(call), &is_fuzzy, error) ||
        !edit_target_open(call, args->path, false, &file, error) ||
        !apply_all(call, file, args->edits, is_fuzzy, text, error) ||
        !edit_target_prepare(file, error) || !edit_target_write(call, file, error))
        return false;
    edit_target_add_details(file, tool_result_details(result));
    tool_result_add_text(result, text->str);
    return true;
}

static const char description[] = "Replaces text in a file.\n"
                                  "- `old_text` is what the file holds, with its indentation, and "
                                  "long enough to be found once; or "
                                  "set `all` to replace every occurrence.\n"
                                  "- Several changes of one file go into one call; each works on "
                                  "what those before it have made. All are made or none.";

const ToolDef tool_edit_replace = {
    EDIT_TOOL,           .flags = EDIT_FLAGS,   .description = description,
    .judge = edit_judge, .fields = edit_fields, .args_size = sizeof(EditArgs),
    .run = edit_run,
};
