/*
 * What read shows of conflict blocks (conflict.h).
 */
#include "base/path.h"
#include "base/utf8.h"
#include "tools/conflict/conflict_private.h"

enum { BODY_LINES = 6, MAX_FOOTER_BYTES = 16 * 1024 };

#define NOTICE                                                                                     \
    "NOTICE: read conflict://N shows a block, conflict://N/ours, /theirs and /base one side of "   \
    "it; write to conflict://N replaces the block and its markers, conflict://* all of them.\n"    \
    "In what is written, a line @ours, @theirs, @base or @both stands for that side.\n"

typedef struct Listing {
    ToolCall *call;
    const char *path, *shown;
    char **lines;
    const GPtrArray *blocks; // that are shown; of ConflictBlock
    GString *out;
} Listing;

static void append_labels(Listing *self)
{
    static const struct {
        const char *name;
        size_t offset;
    } sides[] = {
        { "ours", offsetof(ConflictBlock, ours_label) },
        { "theirs", offsetof(ConflictBlock, theirs_label) },
        { "base", offsetof(ConflictBlock, base_label) },
    };
    for (size_t side = 0; side < G_N_ELEMENTS(sides); side++) {
        g_autoptr(GPtrArray) labels = g_ptr_array_new();
        for (guint i = 0; i < self->blocks->len; i++) {
            char *label = *(char **)((char *)self->blocks->pdata[i] + sides[side].offset);
            if (label && !g_ptr_array_find_with_equal_func(labels, label, g_str_equal, NULL))
                g_ptr_array_add(labels, label);
        }
        if (labels->len == 0)
            continue;
        g_ptr_array_add(labels, NULL);
        g_autofree char *joined = g_strjoinv(", ", (char **)labels->pdata);
        g_autofree char *bounded = utf8_ellipsize(joined, 200);
        g_string_append_printf(self->out, "- %s = %s\n", sides[side].name, bounded);
    }
}

static int64_t listing_record(Listing *self, const ConflictBlock *block)
{
    g_autofree char *text = conflict_lines_text(self->lines, block->start, block->end);
    return conflict_record(self->call, self->path, self->shown, block->start, block->end, text);
}

static void append_body(Listing *self, int64_t first, int64_t last)
{
    if (first > last)
        g_string_append(self->out, "(empty)\n");
    for (int64_t line = first; line <= MIN(last, first + BODY_LINES - 1); line++) {
        const char *bytes = self->lines[line - 1];
        g_autofree char *valid = utf8_from_bytes(bytes, strcspn(bytes, "\r"));
        g_autofree char *bounded = utf8_ellipsize(valid, 500);
        g_string_append_printf(self->out, "%s\n", bounded);
    }
    if (last - first + 1 > BODY_LINES)
        g_string_append_printf(self->out, "… (%" G_GINT64_FORMAT " more lines)\n",
                               last - first + 1 - BODY_LINES);
}

/* A side of a block, or which side it is the same as. */
static void append_side(Listing *self, const char *title, int64_t first, int64_t last,
                        const char *twin, int64_t twin_first, int64_t twin_last)
{
    if (twin) {
        g_autofree char *mine = conflict_lines_text(self->lines, first, last);
        g_autofree char *other = conflict_lines_text(self->lines, twin_first, twin_last);
        if (strcmp(mine, other) == 0) {
            g_string_append_printf(self->out, "%s ≡ %s\n", title, twin);
            return;
        }
    }
    g_string_append_printf(self->out, "%s\n", title);
    append_body(self, first, last);
}

static void append_block(Listing *self, const ConflictBlock *block)
{
    int64_t ours_end = (block->base ? block->base : block->middle) - 1;
    int64_t base = block->base + 1, base_end = block->middle - 1;
    int64_t theirs = block->middle + 1, theirs_end = block->end - 1;
    g_string_append_printf(self->out,
                           "\n──── #%" G_GINT64_FORMAT "  L%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT
                           " ────\n",
                           listing_record(self, block), block->start, block->end);
    append_side(self, "<<< ours", block->start + 1, ours_end, NULL, 0, 0);
    if (block->base) {
        g_autofree char *mine = conflict_lines_text(self->lines, base, base_end);
        g_autofree char *their = conflict_lines_text(self->lines, theirs, theirs_end);
        bool is_theirs = strcmp(mine, their) == 0;
        append_side(self, "=== base", base, base_end, is_theirs ? "theirs" : "ours",
                    is_theirs ? theirs : block->start + 1, is_theirs ? theirs_end : ours_end);
    }
    append_side(self, ">>> theirs", theirs, theirs_end, "ours", block->start + 1, ours_end);
}

static const char *conflict_show_plural(guint count)
{
    return count == 1 ? "" : "s";
}

static void append_scan_note(const ConflictFile *file, GString *out)
{
    if (file->is_cut)
        g_string_append(out, "- note: file scan hit the byte cap; additional conflicts may exist "
                             "beyond the scanned prefix.\n");
}

/* Of a text that was shown up to its last line: a line of its own behind it. */
static void append_to_text(ToolResult *result, GString *out)
{
    json_t *block = json_array_get(result->content, 0);
    const char *text = json_get_text(block, "text");
    g_string_truncate(out, out->len - 1); // its last LF
    g_autofree char *whole = g_strdup_printf("%s\n%s", text ? text : "", out->str);
    json_set_text(block, "text", whole);
}

bool conflict_show_footer(ToolCall *call, const char *path, int64_t first, int64_t last,
                          ToolResult *result, GError **error)
{
    const char *text = json_get_text(json_array_get(result->content, 0), "text");
    if (!text || !strstr(text, "<<<<<<<")) // as nearly always
        return true;
    g_auto(ConflictFile) file = { 0 };
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    if (!conflict_file_read(path, shown, &file, error))
        return false;
    g_autoptr(GPtrArray) blocks = conflict_blocks(file.lines);
    g_autoptr(GPtrArray) visible = g_ptr_array_new();
    for (guint i = 0; i < blocks->len; i++) {
        ConflictBlock *block = blocks->pdata[i];
        if (block->start >= first && block->end <= last)
            g_ptr_array_add(visible, block);
    }
    if (visible->len == 0)
        return true;
    g_autoptr(GString) out = g_string_new(NULL);
    if (visible->len == blocks->len)
        g_string_printf(out, "⚠ %u unresolved conflict%s detected\n", blocks->len,
                        conflict_show_plural(blocks->len));
    else
        g_string_printf(out,
                        "⚠ %u of %u unresolved conflicts visible in this window (run `read "
                        "%s:conflicts` for the full list).\n",
                        visible->len, blocks->len, shown);
    Listing listing = { call, path, shown, file.lines, visible, out };
    append_labels(&listing);
    append_scan_note(&file, out);
    g_string_append(out, NOTICE);
    guint count = 0;
    for (; count < visible->len && out->len < MAX_FOOTER_BYTES; count++)
        append_block(&listing, visible->pdata[count]);
    if (count < visible->len)
        g_string_append_printf(out, "\n… %u more; run `read %s:conflicts`\n", visible->len - count,
                               shown);
    append_to_text(result, out);
    json_set_int(tool_result_details(result), "conflictCount", visible->len);
    return true;
}

bool conflict_show_list(ToolCall *call, const char *path, ToolResult *result, GError **error)
{
    g_auto(ConflictFile) file = { 0 };
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    if (!conflict_file_read(path, shown, &file, error))
        return false;
    g_autoptr(GPtrArray) blocks = conflict_blocks(file.lines);
    g_autoptr(GString) out = g_string_new(NULL);
    json_set_text(tool_result_details(result), "resolvedPath", path);
    json_set_int(tool_result_details(result), "conflictCount", blocks->len);
    Listing listing = { call, path, shown, file.lines, blocks, out };
    if (blocks->len == 0) {
        g_string_printf(out, "No unresolved git merge conflicts in %s.\n", shown);
        append_scan_note(&file, out);
    } else {
        g_string_printf(out, "⚠ %u unresolved conflict%s detected\n", blocks->len,
                        conflict_show_plural(blocks->len));
        append_labels(&listing);
        append_scan_note(&file, out);
        g_string_append(out, NOTICE "\n");
    }
    for (guint i = 0; i < blocks->len && out->len < TRUNCATE_MAX_BYTES; i++) {
        const ConflictBlock *block = blocks->pdata[i];
        g_string_append_printf(
            out, "#%" G_GINT64_FORMAT "  L%" G_GINT64_FORMAT "-%" G_GINT64_FORMAT "%s\n",
            listing_record(&listing, block), block->start, block->end,
            block->base ? "  (3-way)" : "");
    }
    g_string_truncate(out, out->len - 1);
    tool_result_add_text(result, out->str);
    return true;
}
