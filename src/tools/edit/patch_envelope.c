/*
 * Parsing envelopes (patch_envelope.h).
 *
 * Only what stands at the very beginning of a line is a marker: lines of files have a sign in front
 * of them.
 */
#include "tools/edit/patch_envelope.h"

#include "base/str.h"
#include "tools/edit/edit_ends.h"

#include <string.h>

#define BEGIN_PATCH "*** Begin Patch"
#define END_PATCH   "*** End Patch"
#define MOVE_TO     "*** Move to:"

static const struct {
    const char *marker;
    PatchOp op;
} headers[] = {
    { "*** Add File:", PATCH_CREATE },
    { "*** Delete File:", PATCH_DELETE },
    { "*** Update File:", PATCH_UPDATE },
};

typedef struct Parser {
    char **lines;
    size_t at, end; // the next line, and the one that ends the patch
} Parser;

void patch_entry_free(PatchEntry *self)
{
    if (!self)
        return;
    g_free(self->path);
    g_free(self->rename);
    g_free(self->text);
    g_free(self);
}

static void entry_destroy(void *data)
{
    patch_entry_free(data);
}

GPtrArray *patch_entries_new(void)
{
    return g_ptr_array_new_with_free_func(entry_destroy);
}

const char *patch_file_marker(const char *line, PatchOp *ret_op)
{
    for (size_t i = 0; i < G_N_ELEMENTS(headers); i++) {
        if (!str_has_prefix(line, headers[i].marker))
            continue;
        if (ret_op)
            *ret_op = headers[i].op;
        return line + strlen(headers[i].marker);
    }
    return NULL;
}

/* The path of a header line, or NULL. Caller frees. */
static char *header_path(const char *line, PatchOp *ret_op)
{
    const char *rest = patch_file_marker(line, ret_op);
    g_autofree char *path = rest ? g_strstrip(g_strdup(rest)) : NULL;
    return path && *path ? g_steal_pointer(&path) : NULL;
}

static bool is_line(const char *line, const char *wanted)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(line));
    return strcmp(trimmed, wanted) == 0;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t")] == '\0';
}

static void skip_blanks(Parser *self)
{
    while (self->at < self->end && is_blank(self->lines[self->at]))
        self->at++;
}

static void drop_blanks(Parser *self)
{
    while (self->end > self->at && is_blank(self->lines[self->end - 1]))
        self->end--;
}

/* <<EOF … EOF, which models copy from shells. */
static void drop_heredoc(Parser *self)
{
    if (self->end - self->at < 2)
        return;
    const char *first = self->lines[self->at], *last = self->lines[self->end - 1];
    if (!is_line(last, "EOF") ||
        (!is_line(first, "<<EOF") && !is_line(first, "<<'EOF'") && !is_line(first, "<<\"EOF\"")))
        return;
    self->at++;
    self->end--;
    skip_blanks(self);
    drop_blanks(self);
}

static bool open_envelope(Parser *self, GError **error)
{
    skip_blanks(self);
    drop_blanks(self);
    drop_heredoc(self);
    if (self->at == self->end || !is_line(self->lines[self->at], BEGIN_PATCH))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "The first line of the patch must be '" BEGIN_PATCH "'");
    if (!is_line(self->lines[self->end - 1], END_PATCH))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "The last line of the patch must be '" END_PATCH "'");
    self->at++;
    self->end--;
    return true;
}

/* The content of a new file: lines with a + in front. */
static char *take_content(Parser *self)
{
    GString *text = g_string_new(NULL);
    for (; self->at < self->end && *self->lines[self->at] == '+'; self->at++)
        g_string_append_printf(text, "%s\n", self->lines[self->at] + 1);
    return g_string_free(text, FALSE);
}

static bool take_hunks(Parser *self, PatchEntry *entry, GError **error)
{
    if (self->at < self->end && str_has_prefix(self->lines[self->at], MOVE_TO))
        entry->rename = g_strstrip(g_strdup(self->lines[self->at++] + strlen(MOVE_TO)));
    size_t first = self->at;
    g_autoptr(GString) text = g_string_new(NULL);
    bool is_filled = false;
    for (; self->at < self->end; self->at++) {
        PatchOp op;
        g_autofree char *next = header_path(self->lines[self->at], &op);
        if (next)
            break;
        is_filled = is_filled || !is_blank(self->lines[self->at]);
        g_string_append_printf(text, "%s\n", self->lines[self->at]);
    }
    if (!is_filled)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Line %zu: Update file hunk for path '%s' is empty", first + 1,
                         entry->path);
    entry->text = g_strdup(text->str);
    return true;
}

static bool take_entry(Parser *self, GPtrArray *entries, GError **error)
{
    g_autoptr(PatchEntry) entry = g_new0(PatchEntry, 1);
    const char *line = self->lines[self->at];
    entry->path = header_path(line, &entry->op);
    if (!entry->path)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Line %zu: '%s' is not a valid hunk header. Valid hunk headers: "
                         "'*** Add File: {path}', '*** Delete File: {path}', "
                         "'*** Update File: {path}'",
                         self->at + 1, line);
    self->at++;
    if (entry->op == PATCH_CREATE)
        entry->text = take_content(self);
    else if (entry->op == PATCH_UPDATE && !take_hunks(self, entry, error))
        return false;
    if (entries->len >= PATCH_MAX_ENTRIES)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "the patch has more than %d files: make several calls", PATCH_MAX_ENTRIES);
    g_ptr_array_add(entries, g_steal_pointer(&entry));
    return true;
}

bool patch_envelope_parse(const char *input, GPtrArray **ret_entries, GError **error)
{
    g_autofree char *text = edit_to_lf(input);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GPtrArray) entries = patch_entries_new();
    Parser parser = { .lines = lines, .end = g_strv_length(lines) };
    if (!open_envelope(&parser, error))
        return false;
    for (skip_blanks(&parser); parser.at < parser.end; skip_blanks(&parser))
        if (!take_entry(&parser, entries, error))
            return false;
    if (entries->len == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "No files were modified.");
    *ret_entries = g_steal_pointer(&entries);
    return true;
}
