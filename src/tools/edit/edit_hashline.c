/*
 * edit, mode `hashline`: lines named by their anchors (agent-tools §3.3.2 to §3.3.7).
 */
#include "base/limits.h"
#include "base/path.h"
#include "tool/model_view.h"
#include "tools/edit/edit_mode.h"
#include "tools/edit/edit_target.h"
#include "tools/edit/hashline_recover.h"
#include "tools/edit/hashline_show.h"
#include "tools/file/diff.h"
#include "tools/file/plan_target.h"

#define MAX_FILES         100        // of one call
#define PREVIEW_MAX_BYTES (16 * MIB) // a larger file is edited, but not compared
#define REFUSED_MAX_BYTES (32 * KIB) // of lines that a refusal shows; those behind are left out

typedef struct HashlineArgs {
    const char *input, *path;
} HashlineArgs;

static const FieldDef hashline_fields[] = {
    { "input", FIELD_STRING, offsetof(HashlineArgs, input), .is_required = true },
    { "path", FIELD_STRING, offsetof(HashlineArgs, path), .is_hidden = true },
    { 0 },
};

typedef struct FileEdit { // what one call does to one file
    EditTarget *target;
    char *key;      // its real path
    GPtrArray *ops; // of HashlineOp *, borrowed from the sections, in order
    GPtrArray *warnings;
    GArray *unseen;    // of size_t: lines inside its ranges that were never shown; ascending
    const char *asked; // path of its first section
    bool was_cut;
} FileEdit;

static void file_edit_free(void *data)
{
    FileEdit *self = data;
    edit_target_free(self->target);
    g_free(self->key);
    g_ptr_array_unref(self->ops);
    g_ptr_array_unref(self->warnings);
    g_array_unref(self->unseen);
    g_free(self);
}

static char separator_of(void)
{
    const char *asked = g_getenv("KEDGE_HL_SEP");
    bool is_character = asked && g_ascii_ispunct(asked[0]) && asked[1] == '\0';
    return is_character && !strchr("@+<-=*", asked[0]) ? asked[0] : HASHLINE_SEPARATOR;
}

static bool hashline_judge(ToolCall *call, const void *args_, Judgement *ret_judgement,
                           GError **error)
{
    const HashlineArgs *args = args_;
    g_autoptr(GPtrArray) sections = NULL;
    if (!hashline_parse(args->input, args->path, separator_of(), &sections, error))
        return false;
    for (unsigned i = 0; i < sections->len; i++)
        edit_mode_judge_file(call, ret_judgement,
                             ((const HashlineSection *)sections->pdata[i])->path);
    return true;
}

static FileEdit *find_edit(const GPtrArray *edits, const char *key)
{
    for (unsigned i = 0; i < edits->len; i++)
        if (strcmp(((const FileEdit *)edits->pdata[i])->key, key) == 0)
            return edits->pdata[i];
    return NULL;
}

/* Sections of one file, whatever they call it, are one edit. */
static bool add_section(ToolCall *call, const HashlineSection *section, GPtrArray *edits,
                        GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *shown = NULL;
    if (!plan_target(tool_call_context(call), section->path, &path, &shown, error))
        return false;
    g_autofree char *real = path_real(path);
    const char *key = real ? real : path;
    FileEdit *edit = find_edit(edits, key);
    if (!edit && edits->len == MAX_FILES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "an edit changes at most %d files", MAX_FILES);
    if (!edit) {
        edit = g_new0(FileEdit, 1);
        edit->key = g_strdup(key);
        edit->ops = g_ptr_array_new();
        edit->warnings = g_ptr_array_new_with_free_func(g_free);
        edit->unseen = g_array_new(FALSE, FALSE, sizeof(size_t));
        edit->asked = section->path;
        g_ptr_array_add(edits, edit);
    }
    for (unsigned i = 0; i < section->ops->len; i++)
        g_ptr_array_add(edit->ops, section->ops->pdata[i]);
    edit->was_cut = edit->was_cut || section->was_cut;
    return true;
}

/* Only what needs no line can be put into a file that is not there. */
static bool may_create(const FileEdit *edit)
{
    for (unsigned i = 0; i < edit->ops->len; i++) {
        const HashlineOp *op = edit->ops->pdata[i];
        if (op->first.number != HASHLINE_BOF && op->first.number != HASHLINE_EOF)
            return false;
    }
    return true;
}

static bool open_all(ToolCall *call, GPtrArray *edits, GError **error)
{
    size_t size = 0;
    for (unsigned i = 0; i < edits->len; i++) {
        FileEdit *edit = edits->pdata[i];
        if (!edit_target_open(call, edit->asked, may_create(edit), &edit->target, error))
            return false;
        size += strlen(edit->target->text);
        if (size > LIMIT_TOOL_FILE_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT,
                             "the files of an edit have together at most %zu MiB",
                             LIMIT_TOOL_FILE_BYTES / MIB);
    }
    return true;
}

/* What the text shows counts as shown. Caller frees. */
static char *describe_refusal(ToolCall *call, const FileEdit *edit, const GArray *stale,
                              size_t max_bytes)
{
    g_autoptr(GArray) lines = text_lines_split(edit->target->before);
    ReadSnapshot *shown = read_snapshot_new();
    char *text = hashline_describe_refusal(lines, stale, edit->unseen, max_bytes, shown);
    read_cache_note_now(call, edit->target->path, edit->target->before, shown);
    return text;
}

static bool fail_stale(ToolCall *call, const FileEdit *edit, const GArray *stale, GError **error)
{
    g_autofree char *text = describe_refusal(call, edit, stale, REFUSED_MAX_BYTES);
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", text);
}

/* Of all files at once: one refusal for a call, however many they are. */
static bool fail_unseen(ToolCall *call, const GPtrArray *edits, GError **error)
{
    g_autoptr(GArray) stale = g_array_new(FALSE, FALSE, sizeof(size_t)); // none
    g_autoptr(GString) out = g_string_new(NULL);
    size_t room = REFUSED_MAX_BYTES;
    for (unsigned i = 0; i < edits->len; i++) {
        const FileEdit *edit = edits->pdata[i];
        if (edit->unseen->len == 0)
            continue;
        g_autofree char *text = describe_refusal(call, edit, stale, room);
        room -= MIN(room, strlen(text));
        if (edits->len > 1)
            g_string_append_printf(out, "%s%s: ", out->len > 0 ? "\n\n" : "", edit->target->shown);
        g_string_append(out, text);
    }
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", out->str);
}

/* The file, the ranges, and the text that they are of. Caller frees. */
static char *digest_of(const FileEdit *edit)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)edit->key, (gssize)strlen(edit->key) + 1);
    g_checksum_update(sum, (const guchar *)edit->target->before, -1);
    for (unsigned i = 0; i < edit->ops->len; i++) {
        const HashlineOp *op = edit->ops->pdata[i];
        g_autofree char *range =
            g_strdup_printf("\n%d %zu-%zu", op->kind, op->first.number, op->last.number);
        g_checksum_update(sum, (const guchar *)range, -1);
    }
    return g_strdup(g_checksum_get_string(sum));
}

/* Is there a conversation that lines were shown to? A call on the command line has none. */
static bool has_been_shown_lines(const ToolCall *call)
{
    return hashline_is_shown(call) && model_view_has_answer(call);
}

/* Lines inside a range that were never shown are refused once: the same call again means it, also
   where a file of it that was known has been forgotten over the others. */
static bool check_seen(ToolCall *call, const GPtrArray *edits, GError **error)
{
    unsigned unseen = 0, untold = 0;
    for (unsigned i = 0; i < edits->len; i++)
        unseen += ((const FileEdit *)edits->pdata[i])->unseen->len;
    for (unsigned i = 0; unseen > 0 && i < edits->len; i++) {
        const FileEdit *edit = edits->pdata[i];
        g_autofree char *digest = edit->target->before ? digest_of(edit) : NULL;
        bool was_told = !digest || read_cache_tell(call, digest);
        untold += was_told ? 0 : edit->unseen->len;
    }
    return untold == 0 || fail_unseen(call, edits, error);
}

/* With the lines as they were shown, when the anchors are not those of now. */
static bool file_edit_recover(FileEdit *edit, const ReadSnapshot *seen, bool drops_runs)
{
    char *text = NULL;
    g_autoptr(GArray) newlines = edit_newlines_new();
    g_autoptr(GPtrArray) repairs = g_ptr_array_new_with_free_func(g_free);
    if (!seen || !hashline_recover(seen, edit->target->text, edit->ops, drops_runs, &text, newlines,
                                   repairs))
        return false;
    edit_target_take_text(edit->target, text, newlines);
    g_ptr_array_add(edit->warnings,
                    g_strdup("Recovered from stale anchors using a previous read snapshot (file "
                             "changed externally between read and edit)."));
    for (unsigned i = 0; i < repairs->len; i++)
        g_ptr_array_add(edit->warnings, g_strdup(repairs->pdata[i]));
    return true;
}

static bool work_out(ToolCall *call, FileEdit *edit, GError **error)
{
    bool drops_runs =
        settings_get_bool(tool_call_settings(call), "edit.hashlineAutoDropPureInsertDuplicates");
    g_autoptr(GArray) lines = text_lines_split(edit->target->text);
    g_autoptr(ReadSnapshot) seen =
        edit->target->before ? read_cache_get(call, edit->target->path) : NULL;
    g_autoptr(GArray) stale = NULL;
    g_autoptr(GError) problem = NULL;
    bool is_named = hashline_check(lines, edit->ops, &stale, &problem);
    if (is_named && has_been_shown_lines(call))
        hashline_check_inner(lines, edit->ops, seen, stale, edit->unseen);
    if ((!is_named || stale->len > 0) && file_edit_recover(edit, seen, drops_runs)) {
        g_array_set_size(edit->unseen, 0); // it was worked out with what was shown
        return true;
    }
    if (!is_named)
        return pass_error(error, &problem);
    if (stale->len > 0)
        return fail_stale(call, edit, stale, error);
    g_autoptr(GArray) newlines = edit_newlines_new();
    char *text = hashline_apply(lines, edit->ops, drops_runs, edit->warnings, newlines);
    if (!edit->target->before) {
        char *whole = g_strconcat(text, "\n", NULL);
        g_free(text);
        text = whole;
    }
    edit_target_take_text(edit->target, text, newlines);
    return true;
}

static bool is_changed(const FileEdit *edit)
{
    return !edit->target->before || strcmp(edit->target->before, edit->target->text) != 0;
}

/* Everything that can go wrong goes wrong before the first file is written. */
static bool prepare_all(ToolCall *call, GPtrArray *edits, GError **error)
{
    for (unsigned i = 0; i < edits->len; i++) {
        FileEdit *edit = edits->pdata[i];
        if (!cancel_check(tool_call_user_cancel(call), error)) // nothing is written yet
            return false;
        bool is_done = work_out(call, edit, error);
        if (is_done && edits->len > 1 && !is_changed(edit))
            return fail_with(error, KEDGE_ERROR_FAILED,
                             "Edits to %s resulted in no changes being made.", edit->target->shown);
        if (!is_done || !edit_target_prepare(edit->target, error)) {
            if (edits->len > 1)
                g_prefix_error(error, "%s: ", edit->target->shown);
            return false;
        }
    }
    return check_seen(call, edits, error);
}

static bool is_previewed(const FileEdit *edit)
{
    const char *before = edit->target->before ? edit->target->before : "";
    return strlen(before) <= PREVIEW_MAX_BYTES && strlen(edit->target->text) <= PREVIEW_MAX_BYTES;
}

static bool write_all(ToolCall *call, GPtrArray *edits, GError **error)
{
    g_autoptr(GString) written = g_string_new(NULL);
    for (unsigned i = 0; i < edits->len; i++) {
        FileEdit *edit = edits->pdata[i];
        if (!edit_target_write(call, edit->target, error)) {
            if (written->len > 0)
                g_prefix_error(error,
                               "Changed: %s. Not changed: %s and those after it: ", written->str,
                               edit->target->shown);
            return false;
        }
        read_cache_note_edit(call, edit->target->path, edit->target->before, edit->target->text,
                             is_previewed(edit) ? DIFF_CONTEXT_LINES : 0);
        g_string_append_printf(written, "%s%s", written->len > 0 ? ", " : "", edit->target->shown);
    }
    return true;
}

static void append_file_text(const FileEdit *edit, GString *out)
{
    const EditTarget *target = edit->target;
    const char *before = target->before ? target->before : "";
    g_autofree char *preview =
        is_previewed(edit) ? diff_anchored(before, target->text) : g_strdup("");
    if (out->len > 0)
        g_string_append(out, "\n\n");
    if (*preview)
        g_string_append_printf(out, "%s:\n%s", target->shown, preview);
    else
        g_string_append_printf(out, "%s %s", target->before ? "Updated" : "Created", target->shown);
    for (unsigned i = 0; i < edit->warnings->len; i++)
        g_string_append_printf(out, "%s%s", i == 0 ? "\n\nWarnings:\n" : "\n",
                               (const char *)edit->warnings->pdata[i]);
}

static void add_result(const GPtrArray *edits, ToolResult *result)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GString) diffs = g_string_new(NULL);
    json_t *details = tool_result_details(result), *files = json_array();
    for (unsigned i = 0; i < edits->len; i++) {
        FileEdit *edit = edits->pdata[i];
        if (edit->was_cut)
            g_ptr_array_add(edit->warnings,
                            g_strdup("Tool stream truncated mid-call due to detected output "
                                     "corruption. Applied ops above are valid. Re-issue any "
                                     "remaining edits."));
        append_file_text(edit, text);
        json_t *file = json_make("path:%s", edit->target->shown);
        edit_target_add_details(edit->target, edits->len > 1 ? file : details);
        const char *diff = json_get_text(file, "diff");
        g_string_append_printf(diffs, "%s%s", i > 0 ? "\n" : "", diff ? diff : "");
        json_append_take(files, file);
    }
    if (edits->len > 1) {
        json_add(details, "diff:%s perFileResults:%p", diffs->str, json_incref(files));
    }
    json_decref(files);
    tool_result_add_text(result, text->str);
}

static bool hashline_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const HashlineArgs *args = args_;
    g_autoptr(GPtrArray) sections = NULL;
    g_autoptr(GPtrArray) edits = g_ptr_array_new_with_free_func(file_edit_free);
    if (!hashline_parse(args->input, args->path, separator_of(), &sections, error))
        return false;
    for (unsigned i = 0; i < sections->len; i++)
        if (!add_section(call, sections->pdata[i], edits, error))
            return false;
    if (!open_all(call, edits, error) || !prepare_all(call, edits, error))
        return false;
    const FileEdit *first = edits->pdata[0];
    if (edits->len == 1 && !is_changed(first)) {
        g_autofree char *text =
            g_strdup_printf("Edits to %s resulted in no changes being made.", first->target->shown);
        tool_result_add_text(result, text);
        return true;
    }
    if (!write_all(call, edits, error))
        return false;
    add_result(edits, result);
    return true;
}

static char *hashline_describe(const ToolSet *offered G_GNUC_UNUSED)
{
    static const char description[] =
        "Changes lines of files by the anchors that read and grep show: `12ab|text` is line 12, "
        "anchor 12ab. `input`:\n"
        "@@ PATH\n"
        "= A..B  replaces these lines by the ~ lines below (one line: = A..A)\n"
        "- A..B  deletes them\n"
        "+ A  inserts the ~ lines below after A; < A before it; A may be BOF or EOF (these also "
        "create a file)\n"
        "~TEXT  a new line, with indentation\n"
        "Anchors are those of the last read, before this edit. Repeat no line that stays. One call "
        "may have several operations and files; all are made or none. The answer shows the new "
        "anchors.";
    char *text = g_strdup(description);
    return g_strdelimit(text, "~", separator_of());
}

const ToolDef tool_edit_hashline = {
    EDIT_TOOL,
    .flags = EDIT_FLAGS | TOOL_TAKES_ANCHORS,
    .describe = hashline_describe,
    .judge = hashline_judge,
    .fields = hashline_fields,
    .args_size = sizeof(HashlineArgs),
    .run = hashline_run,
};
