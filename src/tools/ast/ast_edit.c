/*
 * ast_edit: rewrites code by its syntax, with ast-grep (agent-tools §3.10). It shows what would
 * change; `resolve` has it written. Offered where ast-grep is installed.
 */
#include "tool/pending_action.h"
#include "tools/ast/ast_lines.h"
#include "tools/ast/ast_plan.h"
#include "tools/file/file_heading.h"
#include "tools/file/hashline.h"
#include "tools/file/missing.h"
#include "tools/file/seen_files.h"
#include "tools/tools.h"

#define SHOWN_CHARS 120 // of a changed line
#define MAX_OPS     50

typedef struct AstEditArgs {
    const json_t *ops, *paths;
} AstEditArgs;

typedef struct OpArgs {
    const char *pat, *out;
} OpArgs;

static const FieldDef op_fields[] = {
    { "pat", FIELD_STRING, offsetof(OpArgs, pat), .is_required = true },
    { "out", FIELD_STRING, offsetof(OpArgs, out), .is_required = true },
    { 0 },
};

static const FieldDef ast_edit_fields[] = {
    { "ops", FIELD_OBJECT_LIST, offsetof(AstEditArgs, ops), .is_required = true,
      .item_fields = op_fields, .min_items = 1, .max_items = MAX_OPS },
    { "paths", FIELD_STRING_LIST, offsetof(AstEditArgs, paths), .is_required = true, .min_items = 1,
      .help = "Files, directories, globs" },
    { 0 },
};

// ---- what it says ----

static const char *ast_edit_plural(unsigned count)
{
    return count == 1 ? "" : "s";
}

static char *amount_of(const AstPlan *plan)
{
    return g_strdup_printf("%u replacement%s in %u file%s", plan->total,
                           ast_edit_plural(plan->total), plan->changed->len,
                           ast_edit_plural(plan->changed->len));
}

/* The first lines of the changes, whole, and what these lines become, each with its anchor before
   and after. What is shown of the file goes to `seen`. */
static void append_lines(GString *text, const AstFilePlan *file, const AstLines *before,
                         const AstLines *after, ReadSnapshot *seen)
{
    for (unsigned i = 0; i < file->changes->len; i++) {
        const AstMatch *match = file->changes->pdata[i];
        size_t from = ast_lines_number(before, match->start);
        size_t to = ast_lines_number(after, g_array_index(file->places, size_t, i));
        if (ast_lines_append(before, '-', from, SHOWN_CHARS, text) &&
            text->len <= TRUNCATE_MAX_BYTES)
            ast_lines_note(before, from, seen);
        ast_lines_append(after, '+', to, SHOWN_CHARS, text);
    }
}

static void append_texts(GString *text, const AstFilePlan *file)
{
    for (unsigned i = 0; i < file->changes->len; i++) {
        const AstMatch *match = file->changes->pdata[i];
        g_autofree char *before = ast_first_line(match->text, SHOWN_CHARS);
        g_autofree char *after = ast_first_line(match->replacement, SHOWN_CHARS);
        g_string_append_printf(text, "-%" G_GINT64_FORMAT "|%s\n+%" G_GINT64_FORMAT "|%s\n",
                               match->line, before, match->line, after);
    }
}

static void append_file(ToolCall *call, GString *text, const AstFilePlan *file, char **last_dir)
{
    unsigned count = file->changes->len;
    g_autofree char *suffix = g_strdup_printf(" (%u replacement%s)", count, ast_edit_plural(count));
    file_heading_append(text, file->shown, suffix, last_dir);
    bool has_anchors = hashline_is_shown(call);
    g_autoptr(AstLines) before =
        has_anchors ? ast_lines_new(file->before, file->before_size) : NULL;
    g_autoptr(AstLines) after = before ? ast_lines_new(file->after, file->after_size) : NULL;
    if (!after) {
        append_texts(text, file);
        return;
    }
    g_autoptr(ReadSnapshot) seen = read_snapshot_new();
    append_lines(text, file, before, after, seen);
    read_cache_note(call, file->path, g_steal_pointer(&seen));
}

static void append_generated(const AstPlan *plan, GString *text)
{
    if (plan->generated->len == 0)
        return;
    g_string_append(text, "\n\nLeft out, because a program has written them: ");
    for (unsigned i = 0; i < plan->generated->len; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "",
                               (const char *)plan->generated->pdata[i]);
}

static void set_details(const ToolCall *call, const AstPlan *plan, bool is_applied, json_t *details)
{
    json_t *files = json_array(), *counts = json_array();
    for (unsigned i = 0; i < plan->changed->len; i++) {
        const AstFilePlan *file = plan->changed->pdata[i];
        json_append_take(counts, json_make("path:%s count:%u", file->shown, file->changes->len));
        json_append_take(files, json_text(file->shown));
    }
    json_add(details,
             "totalReplacements:%u filesTouched:%u applied:%i limitReached:%i files:%p "
             "fileReplacements:%p",
             plan->total, plan->changed->len, is_applied, false, files, counts);
    ast_files_set_details(&plan->files, tool_call_cwd(call), details);
    missing_set_details(plan->files.scope.missing, details);
}

static void ast_edit_show(ToolCall *call, const AstPlan *plan, ToolResult *result)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    g_autofree char *last_dir = NULL;
    for (unsigned i = 0; i < plan->changed->len; i++) {
        const AstFilePlan *file = plan->changed->pdata[i];
        append_file(call, lines, file, &last_dir);
        seen_files_note(call, file->path);
    }
    if (lines->len > 0)
        g_string_truncate(lines, lines->len - 1);
    g_auto(Truncated) cut = truncate_head(lines->str, G_MAXINT, TRUNCATE_MAX_BYTES);
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    g_autoptr(GString) text = g_string_new(plan->total > 0 ? cut.content : "No replacements made");
    append_generated(plan, text);
    missing_append_line(plan->files.scope.missing, &plan->files.scope.notes, plan->total == 0,
                        text);
    ast_files_append_issues(&plan->files, tool_call_cwd(call), text);
    tool_result_add_text(result, text->str);
    set_details(call, plan, false, tool_result_details(result));
}

// ---- what waits ----

typedef struct Preview {
    json_t *ops, *paths;
    AstPlan *plan;
} Preview;

static void preview_free(void *data)
{
    Preview *self = data;
    json_decref(self->ops);
    json_decref(self->paths);
    ast_plan_free(self->plan);
    g_free(self);
}

/* Looks again, and writes only what was shown. */
static bool ast_edit_apply(ToolCall *call, void *data, ToolResult *result, GError **error)
{
    const Preview *self = data;
    g_autoptr(AstPlan) plan = ast_plan_new();
    if (!ast_plan_make(call, self->ops, self->paths, plan, error))
        return false;
    g_autofree char *shown = amount_of(self->plan);
    if (!ast_plan_is_like(plan, self->plan))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "Preview is stale / no longer matches; no replacements were applied. "
                         "Preview expected %s.",
                         shown);
    if (!ast_plan_write(call, plan, error))
        return false;
    g_autofree char *text = g_strdup_printf("Applied %s.", shown);
    tool_result_add_text(result, text);
    set_details(call, plan, true, tool_result_details(result));
    return true;
}

static GPtrArray *paths_of(const AstPlan *plan)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < plan->changed->len; i++)
        g_ptr_array_add(paths, g_strdup(((const AstFilePlan *)plan->changed->pdata[i])->shown));
    return paths;
}

static bool ast_edit_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const AstEditArgs *args = args_;
    g_autoptr(AstPlan) plan = ast_plan_new();
    if (!ast_plan_make(call, args->ops, args->paths, plan, error))
        return false;
    ast_edit_show(call, plan, result);
    if (plan->total == 0)
        return true;
    g_autofree char *amount = amount_of(plan);
    Preview *preview = g_new0(Preview, 1);
    preview->ops = json_deep_copy(args->ops);
    preview->paths = json_deep_copy(args->paths);
    preview->plan = g_steal_pointer(&plan);
    PendingAction *action = g_new0(PendingAction, 1);
    action->label = g_strconcat("AST Edit: ", amount, NULL);
    action->source = "ast_edit";
    action->paths = paths_of(preview->plan);
    action->apply = ast_edit_apply;
    action->data = preview;
    action->destroy = preview_free;
    pending_action_set(tool_call_context(call), action);
    return true;
}

const ToolDef tool_ast_edit = {
    .name = "ast_edit",
    .label = "AST Edit",
    .summary = "Preview a rewrite of code by its syntax; resolve applies it",
    .description = "Rewrite code by its syntax: each op replaces what `pat` matches by `out`, in "
                   "which $NAME is what was matched. Shows a preview; call `resolve` to "
                   "apply or discard it.",
    .effect = EFFECT_READ,
    .flags = TOOL_EXCLUSIVE | TOOL_DISCOVERABLE,
    .fields = ast_edit_fields,
    .args_size = sizeof(AstEditArgs),
    .setting = "astEdit.enabled",
    .is_available = ast_is_available,
    .run = ast_edit_run,
};
