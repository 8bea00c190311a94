/*
 * edit: exact or almost exact replacements in one file (agent-tools §3.3.1, §3.3.8, mode
 * `replace`).
 */
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tools/diff.h"
#include "tools/edit_alike.h"
#include "tools/edit_closest.h"
#include "tools/edit_indent.h"
#include "tools/generated.h"
#include "tools/secret_file.h"
#include "tools/seen_files.h"
#include "tools/tools.h"
#include "tools/workspace_path.h"

#define LAST_SENTENCE                                                                              \
    "\nLetters, digits and operators must be right; only white space, quotes, dashes and "         \
    "Unicode forms may differ."
#define BOM            "\xef\xbb\xbf"
#define MAX_PREVIEWS   5
#define PREVIEW_LINES  5 // before and after the one that is meant
#define PREVIEW_CHARS  80
#define DIFF_MAX_BYTES (16 * MIB) // a larger file is edited, but not compared

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
      .item_fields = item_fields, .min_items = 1 },
    { 0 },
};

/* A file as edits see it: LF only, no BOM. */
typedef struct Document {
    char *text;
    bool has_bom, has_crlf;
} Document;

static void document_clear(Document *self)
{
    g_clear_pointer(&self->text, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Document, document_clear)

/* CRLF becomes LF; a lone CR is a character of its line. */
static char *to_lf(const char *text)
{
    GString *out = g_string_sized_new(strlen(text));
    for (const char *p = text; *p; p++)
        if (*p != '\r' || p[1] != '\n')
            g_string_append_c(out, *p);
    return g_string_free(out, FALSE);
}

static bool document_read(const char *path, const char *shown, Document *ret_document,
                          GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!file_exists(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "File not found: %s", shown);
    if (!file_read(path, LIMIT_TOOL_FILE_BYTES, &data, &size, error))
        return false;
    if (memchr(data, '\0', size))
        return fail_with(error, KEDGE_ERROR_USAGE, "Cannot edit binary file: %s", shown);
    const char *newline = strchr(data, '\n');
    bool has_bom = g_str_has_prefix(data, BOM);
    ret_document->has_bom = has_bom;
    ret_document->has_crlf = newline && newline > data && newline[-1] == '\r';
    ret_document->text = to_lf(has_bom ? data + strlen(BOM) : data);
    return true;
}

static bool document_write(const Document *self, const char *path, GError **error)
{
    g_autoptr(GString) out = g_string_new(self->has_bom ? BOM : "");
    for (const char *p = self->text; *p; p++) {
        if (*p == '\n' && self->has_crlf)
            g_string_append_c(out, '\r');
        g_string_append_c(out, *p);
    }
    return file_write_atomic(path, out->str, out->len, 0666, error);
}

/* Where `needle` is, one occurrence behind the other; of size_t. Caller unrefs. */
static GArray *find_occurrences(const char *text, const char *needle)
{
    GArray *starts = g_array_new(FALSE, FALSE, sizeof(size_t));
    for (const char *p = text; (p = strstr(p, needle)); p += strlen(needle)) {
        size_t start = (size_t)(p - text);
        g_array_append_val(starts, start);
    }
    return starts;
}

/* Start of the line that is `lines` before the one that holds `at`. */
static const char *back_lines(const char *text, const char *at, size_t lines, size_t *number)
{
    for (;;) {
        while (at > text && at[-1] != '\n')
            at--;
        if (at == text || lines == 0)
            return at;
        at--;
        lines--;
        (*number)--;
    }
}

/* The lines around an occurrence: `  <n> | <text>`. */
static void append_preview(GString *out, const char *text, const char *at)
{
    size_t number = str_count_lines(text, (size_t)(at - text));
    size_t last = number + PREVIEW_LINES;
    const char *line = back_lines(text, at, PREVIEW_LINES, &number);
    for (; number <= last; number++) {
        const char *end = strchrnul(line, '\n');
        g_autofree char *valid = utf8_from_bytes(line, (size_t)(end - line));
        bool is_long = utf8_length(valid) > PREVIEW_CHARS;
        g_autofree char *cut = utf8_ellipsize(valid, PREVIEW_CHARS - is_long);
        g_string_append_printf(out, "  %zu | %s\n", number, cut);
        if (*end == '\0')
            break;
        line = end + 1;
    }
}

/* A few bytes of the model's, put in many places, can make a file of any size. */
static bool check_size(const Document *document, const EditItem *item, size_t count,
                       const char *shown, GError **error)
{
    size_t size = strlen(document->text), added = count * strlen(item->new_text);
    return (size <= LIMIT_TOOL_FILE_BYTES && added <= LIMIT_TOOL_FILE_BYTES - size) ||
           fail_with(error, KEDGE_ERROR_LIMIT, "%s would become larger than %zu MiB", shown,
                     LIMIT_TOOL_FILE_BYTES / MIB);
}

/* `starts`: of size_t, where the occurrences are. */
static bool fail_ambiguous(const char *text, const GArray *starts, const char *shown,
                           GError **error)
{
    g_autoptr(GString) previews = g_string_new(NULL);
    for (size_t i = 0; i < MIN(starts->len, MAX_PREVIEWS); i++) {
        append_preview(previews, text, text + g_array_index(starts, size_t, i));
        g_string_append_c(previews, '\n');
    }
    g_autofree char *partly =
        starts->len > MAX_PREVIEWS
            ? g_strdup_printf(" (showing first %d of %u)", MAX_PREVIEWS, starts->len)
            : g_strdup("");
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "Found %u occurrences in %s%s:\n\n%s"
                     "Add more context lines to disambiguate.",
                     starts->len, shown, partly, previews->str);
}

static bool fail_no_match(const char *text, const char *old_text, bool is_fuzzy, const char *shown,
                          GError **error)
{
    g_autofree char *closest = closest_describe(text, old_text, !is_fuzzy);
    const char *separator = closest ? "\n\n" : "";
    if (!is_fuzzy)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "Could not find the exact text in %s. The old text must match exactly "
                         "including all whitespace and newlines.%s%s",
                         shown, separator, closest ? closest : "");
    return fail_with(error, KEDGE_ERROR_FAILED, "Could not find this text in %s.%s%s%s", shown,
                     separator, closest ? closest : "", closest ? LAST_SENTENCE : "");
}

/* Puts `new_text`, indented as its surroundings, at each of the places, but those that overlap one
   before. */
static char *replace_places(const char *text, const GArray *places, const EditItem *item,
                            size_t *ret_count)
{
    GString *out = g_string_new(NULL);
    const char *from = text;
    *ret_count = 0;
    for (size_t i = 0; i < places->len; i++) {
        const AlikePlace *place = &g_array_index(places, AlikePlace, i);
        const char *start = text + place->start;
        if (start < from)
            continue;
        g_autofree char *matched = g_strndup(start, place->size);
        g_autofree char *fitted = edit_reindent(item->old_text, matched, item->new_text);
        g_string_append_len(out, from, start - from);
        g_string_append(out, fitted);
        from = start + place->size;
        (*ret_count)++;
    }
    g_string_append(out, from);
    return g_string_free(out, FALSE);
}

static bool replace_alike(Document *document, const EditItem *item, bool is_fuzzy,
                          const char *shown, size_t *ret_count, GError **error)
{
    g_autoptr(GArray) places = is_fuzzy ? alike_find(document->text, item->old_text)
                                        : g_array_new(FALSE, FALSE, sizeof(AlikePlace));
    if (places->len == 0)
        return fail_no_match(document->text, item->old_text, is_fuzzy, shown, error);
    if (places->len > 1 && !item->all) {
        g_autoptr(GArray) starts = g_array_new(FALSE, FALSE, sizeof(size_t));
        for (size_t i = 0; i < places->len; i++)
            g_array_append_val(starts, g_array_index(places, AlikePlace, i).start);
        return fail_ambiguous(document->text, starts, shown, error);
    }
    if (!check_size(document, item, places->len, shown, error))
        return false;
    char *text = replace_places(document->text, places, item, ret_count);
    g_free(document->text);
    document->text = text;
    return true;
}

static void replace_exact(Document *document, const EditItem *item)
{
    g_autoptr(GString) text = g_string_new(document->text);
    g_string_replace(text, item->old_text, item->new_text, 0);
    g_free(document->text);
    document->text = g_strdup(text->str);
}

/* One entry. A failed one leaves the document as it is. */
static bool apply_item(Document *document, const EditItem *asked, bool is_fuzzy, const char *shown,
                       size_t *ret_count, GError **error)
{
    if (*asked->old_text == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "old_text must not be empty.");
    g_autofree char *old_text = to_lf(asked->old_text);
    g_autofree char *new_text = to_lf(asked->new_text);
    const EditItem item = { .old_text = old_text, .new_text = new_text, .all = asked->all };
    g_autofree char *before = g_strdup(document->text);

    g_autoptr(GArray) starts = find_occurrences(document->text, old_text);
    *ret_count = starts->len;
    if (starts->len > 1 && !item.all)
        return fail_ambiguous(document->text, starts, shown, error);
    if (!check_size(document, &item, starts->len, shown, error))
        return false;
    if (starts->len > 0)
        replace_exact(document, &item);
    else if (!replace_alike(document, &item, is_fuzzy, shown, ret_count, error))
        return false;
    return strcmp(before, document->text) != 0 ||
           fail_with(error, KEDGE_ERROR_FAILED, "Edits to %s resulted in no changes being made.",
                     shown);
}

static bool decode_and_apply(Document *document, const json_t *value, bool is_fuzzy,
                             const char *shown, GString *text, GError **error)
{
    EditItem item = { 0 };
    size_t count = 0;
    g_autoptr(json_t) kept = NULL;
    g_autofree char *problems = NULL;
    if (!field_decode(item_fields, value, FIELD_LENIENT, &item, &kept, &problems))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", problems);
    if (!apply_item(document, &item, is_fuzzy, shown, &count, error))
        return false;
    const char *separator = text->len > 0 ? "\n" : "";
    if (count == 1)
        g_string_append_printf(text, "%sSuccessfully replaced text in %s.", separator, shown);
    else
        g_string_append_printf(text, "%sSuccessfully replaced %zu occurrences in %s.", separator,
                               count, shown);
    return true;
}

/* All entries in order, each on what those before it have made; `text` gets a line for each. When
   one fails, none counts, and the error names all that failed. */
static bool apply_all(Document *document, const json_t *edits, bool is_fuzzy, const char *shown,
                      GString *text, GError **error)
{
    size_t count = json_array_size(edits), i = 0;
    json_t *value = NULL;
    g_autoptr(GString) failures = g_string_new(NULL);
    json_array_foreach (edits, i, value) {
        g_autoptr(GError) problem = NULL;
        if (decode_and_apply(document, value, is_fuzzy, shown, text, &problem))
            continue;
        if (count == 1) {
            g_propagate_error(error, g_steal_pointer(&problem));
            return false;
        }
        g_string_append_printf(failures, "Edit %zu of %zu: %s\n", i + 1, count, problem->message);
    }
    return failures->len == 0 ||
           fail_with(error, KEDGE_ERROR_FAILED, "%sNone of the %zu edits was made.", failures->str,
                     count);
}

static void add_details(ToolResult *result, const char *before, const char *after)
{
    json_t *details = tool_result_details(result);
    json_set_text(details, "op", "update");
    if (strlen(before) > DIFF_MAX_BYTES || strlen(after) > DIFF_MAX_BYTES)
        return;
    size_t first_changed = 0;
    g_autofree char *diff = diff_numbered(before, after, &first_changed);
    json_set_text(details, "diff", diff);
    if (first_changed > 0)
        json_set_int(details, "firstChangedLine", (gint64)first_changed);
}

static bool edit_judge(ToolCall *call G_GNUC_UNUSED, const void *args_, Judgement *ret_judgement,
                       GError **error G_GNUC_UNUSED)
{
    const EditArgs *args = args_;
    ret_judgement->effect = EFFECT_WRITE;
    ret_judgement->summary = g_strconcat("edits ", args->path, NULL);
    judgement_add_action(ret_judgement, "write", args->path, NULL, NULL);
    return true;
}

static bool edit_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const EditArgs *args = args_;
    const Settings *settings = tool_call_settings(call);
    g_autofree char *path = NULL;
    g_autofree char *shown = NULL;
    g_auto(Document) document = { 0 };
    if (!workspace_target(tool_call_context(call), args->path, &path, &shown, error) ||
        !document_read(path, shown, &document, error) ||
        !generated_check(settings, path, shown, document.text, strlen(document.text), error) ||
        !seen_files_check(call, path, shown, error))
        return false;

    g_autofree char *before = g_strdup(document.text);
    g_autoptr(GString) text = g_string_new(NULL);
    if (!apply_all(&document, args->edits, settings_get_bool(settings, "edit.fuzzyMatch"), shown,
                   text, error) ||
        !secret_file_check_masks(before, strlen(before), document.text, error) ||
        !document_write(&document, path, error))
        return false;
    seen_files_note(call, path);
    add_details(result, before, document.text);
    tool_result_add_text(result, text->str);
    return true;
}

static const char description[] = "Replaces text in a file.\n"
                                  "- `old_text` is what the file holds, with its indentation, and "
                                  "long enough to be found once; or "
                                  "set `all` to replace every occurrence.\n"
                                  "- Several changes of one file go into one call; each works on "
                                  "what those before it have made. All are made or none.";

const ToolDef tool_edit = {
    .name = "edit",
    .label = "Edit",
    .summary = "Replace text in a file",
    .description = description,
    .effect = EFFECT_WRITE,
    .judge = edit_judge,
    .flags = TOOL_EXCLUSIVE | TOOL_NON_ABORTABLE | TOOL_CAN_DESTROY,
    .fields = edit_fields,
    .args_size = sizeof(EditArgs),
    .run = edit_run,
};
