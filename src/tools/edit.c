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
#include "tools/edit_fuzzy.h"
#include "tools/edit_indent.h"
#include "tools/generated.h"
#include "tools/tools.h"
#include "tools/workspace_path.h"

#define BOM            "\xef\xbb\xbf"
#define MAX_PREVIEWS   5
#define PREVIEW_LINES  2 // before and after the one that is meant
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
    { "old_text", FIELD_STRING, offsetof(EditItem, old_text), .is_required = true,
      .help = "Text to replace, as it is in the file, with enough lines to be found once" },
    { "new_text", FIELD_STRING, offsetof(EditItem, new_text), .is_required = true,
      .help = "Text to put there" },
    { "all", FIELD_BOOLEAN, offsetof(EditItem, all), .help = "Replace every occurrence" },
    { 0 },
};

static const FieldDef edit_fields[] = {
    { "path", FIELD_STRING, offsetof(EditArgs, path), .is_required = true,
      .help = "File to change" },
    { "edits", FIELD_OBJECT_LIST, offsetof(EditArgs, edits), .is_required = true,
      .item_fields = item_fields, .min_items = 1, .help = "Replacements, made in this order" },
    { 0 },
};

typedef struct Fuzziness { // of the settings
    bool is_allowed;
    double threshold;
} Fuzziness;

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

/* Lone CRs become LF too. */
static char *to_lf(const char *text)
{
    GString *out = g_string_sized_new(strlen(text));
    for (const char *p = text; *p; p++) {
        if (*p == '\r' && p[1] == '\n')
            continue;
        g_string_append_c(out, *p == '\r' ? '\n' : *p);
    }
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

static size_t count_occurrences(const char *text, const char *needle)
{
    size_t count = 0, size = strlen(needle);
    for (const char *p = text; (p = strstr(p, needle)); p += size)
        count++;
    return count;
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

/* Five lines around an occurrence: `  <n> | <text>`. */
static void append_preview(GString *out, const char *text, const char *at)
{
    size_t number = str_count_lines(text, (size_t)(at - text));
    size_t last = number + PREVIEW_LINES;
    const char *line = back_lines(text, at, PREVIEW_LINES, &number);
    for (; number <= last; number++) {
        const char *end = strchrnul(line, '\n');
        g_autofree char *valid = utf8_from_bytes(line, (size_t)(end - line));
        g_autofree char *cut = utf8_ellipsize(valid, PREVIEW_CHARS);
        g_string_append_printf(out, "  %zu | %s\n", number, cut);
        if (end[0] == '\0' || end[1] == '\0')
            break;
        line = end + 1;
    }
}

static bool fail_ambiguous(const char *text, const char *old_text, size_t count, const char *shown,
                           GError **error)
{
    g_autoptr(GString) previews = g_string_new(NULL);
    const char *at = text;
    for (size_t i = 0; i < MIN(count, MAX_PREVIEWS); i++) {
        at = strstr(at, old_text);
        append_preview(previews, text, at);
        g_string_append_c(previews, '\n');
        at += strlen(old_text);
    }
    g_autofree char *partly =
        count > MAX_PREVIEWS ? g_strdup_printf(" (showing first %d of %zu)", MAX_PREVIEWS, count)
                             : g_strdup("");
    return fail_with(error, KEDGE_ERROR_FAILED,
                     "Found %zu occurrences in %s%s:\n\n%s"
                     "Add more context lines to disambiguate.",
                     count, shown, partly, previews->str);
}

static bool fail_no_match(const FuzzyMatch *match, const Fuzziness *fuzziness, const char *shown,
                          GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (fuzziness->is_allowed)
        g_string_printf(text, "Could not find a close enough match in %s.", shown);
    else
        g_string_printf(text,
                        "Could not find the exact text in %s. The old text must match exactly "
                        "including all whitespace and newlines.",
                        shown);
    if (!match->has_closest)
        return fail_with(error, KEDGE_ERROR_FAILED, "%s", text->str);

    g_string_append_printf(text, "\n\nClosest match (%d%% similar) at line %zu:\n",
                           (int)(match->closest.score * 100), match->closest.line);
    if (match->differing_old)
        g_string_append_printf(text, "  - %s\n  + %s\n", match->differing_old,
                               match->differing_new);
    if (!fuzziness->is_allowed)
        g_string_append(text,
                        "Fuzzy matching is disabled. Enable 'Edit fuzzy match' in settings to "
                        "accept high-confidence matches.");
    else if (match->over_threshold > 1)
        g_string_append_printf(text,
                               "Found %zu high-confidence matches. Provide more context to make it "
                               "unique.",
                               match->over_threshold);
    else
        g_string_append_printf(text, "Closest match was below the %d%% similarity threshold.",
                               (int)(fuzziness->threshold * 100 + 0.5));
    return fail_with(error, KEDGE_ERROR_FAILED, "%s", text->str);
}

/* Puts `new_text`, indented as its surroundings, at each of the places. */
static char *replace_places(const char *text, const FuzzyPlace *places, size_t count,
                            const EditItem *item)
{
    GString *out = g_string_new(NULL);
    const char *from = text;
    for (size_t i = 0; i < count; i++) {
        const char *start = text + places[i].start;
        g_autofree char *matched = g_strndup(start, places[i].size);
        g_autofree char *fitted = edit_reindent(item->old_text, matched, item->new_text);
        g_string_append_len(out, from, start - from);
        g_string_append(out, fitted);
        from = start + places[i].size;
    }
    g_string_append(out, from);
    return g_string_free(out, FALSE);
}

static bool replace_fuzzy(Document *document, const EditItem *item, const Fuzziness *fuzziness,
                          const char *shown, size_t *ret_count, GError **error)
{
    g_auto(FuzzyMatch) match = { 0 };
    fuzzy_find(document->text, item->old_text, fuzziness->threshold, &match);
    bool is_all = item->all && match.over_threshold > 0;
    if (!fuzziness->is_allowed || (!match.is_accepted && !is_all))
        return fail_no_match(&match, fuzziness, shown, error);

    const FuzzyPlace *places =
        is_all ? &g_array_index(match.places, FuzzyPlace, 0) : &match.closest;
    *ret_count = is_all ? match.places->len : 1;
    char *text = replace_places(document->text, places, *ret_count, item);
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

/* A few bytes of the model's, put in many places, can make a file of any size. */
static bool check_size(const Document *document, const EditItem *item, size_t count,
                       const char *shown, GError **error)
{
    size_t size = strlen(document->text), added = count * strlen(item->new_text);
    return (size <= LIMIT_TOOL_FILE_BYTES && added <= LIMIT_TOOL_FILE_BYTES - size) ||
           fail_with(error, KEDGE_ERROR_LIMIT, "%s would become larger than %zu MiB", shown,
                     LIMIT_TOOL_FILE_BYTES / MIB);
}

/* One entry. A failed one leaves the document as it is. */
static bool apply_item(Document *document, const EditItem *asked, const Fuzziness *fuzziness,
                       const char *shown, size_t *ret_count, GError **error)
{
    if (*asked->old_text == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "old_text must not be empty.");
    g_autofree char *old_text = to_lf(asked->old_text);
    g_autofree char *new_text = to_lf(asked->new_text);
    const EditItem item = { .old_text = old_text, .new_text = new_text, .all = asked->all };
    g_autofree char *before = g_strdup(document->text);

    size_t count = count_occurrences(document->text, old_text);
    if (count > 1 && !item.all)
        return fail_ambiguous(document->text, old_text, count, shown, error);
    if (!check_size(document, &item, count, shown, error))
        return false;
    if (count > 0)
        replace_exact(document, &item);
    else if (!replace_fuzzy(document, &item, fuzziness, shown, &count, error))
        return false;
    if (strcmp(before, document->text) == 0)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "Edits to %s resulted in no changes being made.", shown);
    *ret_count = count;
    return true;
}

static bool decode_and_apply(Document *document, const json_t *value, const Fuzziness *fuzziness,
                             const char *shown, size_t *ret_count, GError **error)
{
    EditItem item = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autofree char *problems = NULL;
    if (!field_decode(item_fields, value, FIELD_LENIENT, &item, &kept, &problems))
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", problems);
    return apply_item(document, &item, fuzziness, shown, ret_count, error);
}

/* All entries in order, each on what those before it have made. Of several, one that fails is
   reported in `text` and does not stop the others; alone it is the error of the call. */
static bool apply_all(Document *document, const json_t *edits, const Fuzziness *fuzziness,
                      const char *shown, GString *text, bool *ret_is_error, GError **error)
{
    bool is_alone = json_array_size(edits) == 1, is_error = false;
    size_t total = 0, i = 0;
    json_t *value = NULL;
    json_array_foreach (edits, i, value) {
        g_autoptr(GError) problem = NULL;
        size_t count = 0;
        if (!decode_and_apply(document, value, fuzziness, shown, &count, &problem)) {
            if (is_alone) {
                g_propagate_error(error, g_steal_pointer(&problem));
                return false;
            }
            is_error = true;
            g_string_append_printf(text, "Error editing %s: %s\n", shown, problem->message);
        }
        total += count;
    }
    if (total == 1)
        g_string_append_printf(text, "Successfully replaced text in %s.", shown);
    else if (total > 1)
        g_string_append_printf(text, "Successfully replaced %zu occurrences in %s.", total, shown);
    else
        g_string_truncate(text, text->len - 1);
    *ret_is_error = is_error;
    return true;
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
    return true;
}

static bool edit_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const EditArgs *args = args_;
    const Settings *settings = tool_call_settings(call);
    g_autofree char *path = workspace_path(args->path, tool_call_cwd(call));
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    g_auto(Document) document = { 0 };
    if (!document_read(path, shown, &document, error) ||
        !generated_check(settings, path, shown, document.text, strlen(document.text), error))
        return false;

    const Fuzziness fuzziness = {
        .is_allowed = settings_get_bool(settings, "edit.fuzzyMatch"),
        .threshold = CLAMP(settings_get_number(settings, "edit.fuzzyThreshold"), 0, 1),
    };
    g_autofree char *before = g_strdup(document.text);
    g_autoptr(GString) text = g_string_new(NULL);
    bool is_error = false;
    if (!apply_all(&document, args->edits, &fuzziness, shown, text, &is_error, error))
        return false;
    if (strcmp(before, document.text) != 0) {
        if (!document_write(&document, path, error))
            return false;
        add_details(result, before, document.text);
    }
    result->is_error = is_error;
    tool_result_add_text(result, text->str);
    return true;
}

static const char description[] = "Replaces text in a file.\n"
                                  "- `old_text` is what the file holds, with its indentation, and "
                                  "long enough to be found once; or "
                                  "set `all` to replace every occurrence. Read the file first.\n"
                                  "- Several changes of one file go into one call; each works on "
                                  "what those before it have made.\n"
                                  "- Line endings and a byte order mark are kept.";

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
