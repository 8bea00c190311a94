/*
 * edit in mode `patch`: hunks for one file, which may also be created, deleted or moved
 * (agent-tools §3.3.9).
 */
#include "tools/edit/edit_mode.h"
#include "tools/edit/patch_call.h"

typedef struct PatchArgs {
    const char *path;
    const json_t *edits;
} PatchArgs;

typedef struct PatchItem {
    const char *op, *rename, *diff;
} PatchItem;

static const char *const ops[] = { "create", "delete", "update", NULL };

static const FieldDef item_fields[] = {
    { "op", FIELD_ENUM, offsetof(PatchItem, op), .values = ops, .default_text = "\"update\"" },
    { "rename", FIELD_STRING, offsetof(PatchItem, rename), .help = "New path" },
    { "diff", FIELD_STRING, offsetof(PatchItem, diff), .help = "Hunks; of a new file its content" },
    { 0 },
};

static const FieldDef patch_fields[] = {
    { "path", FIELD_STRING, offsetof(PatchArgs, path), .is_required = true },
    { "edits", FIELD_OBJECT_LIST, offsetof(PatchArgs, edits), .is_required = true,
      .item_fields = item_fields, .min_items = 1, .max_items = PATCH_MAX_ENTRIES },
    { 0 },
};

static size_t next_line(const char *text, size_t at)
{
    size_t size = strcspn(text + at, "\n");
    return at + size + (text[at + size] == '\n');
}

/* Does every line that is not empty begin with a plus; and with a plus and a blank, if there is
   anything behind it? */
static bool has_marks(const char *text, bool with_blank)
{
    bool has_any = false;
    for (size_t at = 0; text[at]; at = next_line(text, at)) {
        const char *line = text + at;
        if (*line == '\n')
            continue;
        if (*line != '+' || (with_blank && line[1] != ' ' && line[1] != '\n' && line[1] != '\0'))
            return false;
        has_any = true;
    }
    return has_any;
}

/* The content of a new file, which models also write as lines that are added. A blank behind the
   plus is indentation, unless every line has one. Caller frees. */
static char *content_of(const char *diff)
{
    bool is_added = has_marks(diff, false), has_blanks = is_added && has_marks(diff, true);
    GString *text = g_string_new(NULL);
    for (size_t at = 0; diff[at]; at = next_line(diff, at)) {
        size_t end = next_line(diff, at), from = at;
        from += is_added && diff[from] == '+';
        from += from > at && has_blanks && diff[from] == ' ';
        g_string_append_len(text, diff + from, (gssize)(end - from));
    }
    if (text->len > 0 && text->str[text->len - 1] != '\n')
        g_string_append_c(text, '\n');
    return g_string_free(text, FALSE);
}

static bool decode_item(const char *path, const json_t *value, GPtrArray *entries, GError **error)
{
    PatchItem item = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    if (!field_decode(item_fields, value, FIELD_LENIENT, &item, &kept, problems)) {
        g_autofree char *listed = field_problems_text(problems);
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", listed);
    }
    PatchEntry *entry = g_new0(PatchEntry, 1);
    entry->op = strcmp(item.op, "create") == 0   ? PATCH_CREATE
                : strcmp(item.op, "delete") == 0 ? PATCH_DELETE
                                                 : PATCH_UPDATE;
    entry->path = g_strdup(path);
    entry->rename = item.rename && *item.rename ? g_strdup(item.rename) : NULL;
    if (item.diff)
        entry->text = entry->op == PATCH_CREATE ? content_of(item.diff) : g_strdup(item.diff);
    g_ptr_array_add(entries, entry);
    return true;
}

static bool patch_judge(ToolCall *call, const void *args_, Judgement *ret_judgement, GError **error)
{
    const PatchArgs *args = args_;
    g_autoptr(GPtrArray) entries = patch_entries_new();
    json_each (args->edits, i, value)
        if (!decode_item(args->path, value, entries, error))
            return false;
    patch_call_judge(call, g_steal_pointer(&entries), ret_judgement);
    return true;
}

static bool patch_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                      GError **error)
{
    return patch_call_run(call, false, result, error);
}

static const char description[] =
    "Changes, creates, deletes or moves a file.\n"
    "- `diff` of an update holds hunks: `@@ TEXT OF A LINE ABOVE` (more `@@` lines go further "
    "in) or only `@@`, then lines with ` ` (kept), `-` (removed) or `+` (added) in front. Lines "
    "that are kept or removed are what the file holds, with their indentation, and enough of them "
    "to be found once.\n"
    "- `*** End of File` ends a hunk at the end of the file.\n"
    "- Several edits of one file go into one call; each works on what those before it have made. "
    "All are made or none.";

const ToolDef tool_edit_patch = {
    EDIT_TOOL,
    .flags = EDIT_FLAGS,
    .description = description,
    .judge = patch_judge,
    .fields = patch_fields,
    .args_size = sizeof(PatchArgs),
    .run = patch_run,
};
