/*
 * Parsing hunks (patch_parse.h).
 *
 * What is no diff line at all is left out only where it can be nothing else: file headers stand in
 * front of the first hunk, or after `diff --git`; "--- x" behind a hunk header removes "-- x".
 */
#include "tools/edit/patch_parse.h"

#include "base/str.h"
#include "tools/edit/edit_ends.h"
#include "tools/edit/patch_envelope.h"

#define METADATA                                                                                   \
    "^(diff --git |index [0-9a-f]+\\.\\.[0-9a-f]+|(old|new|new file|deleted file) mode [0-7]+$|"   \
    "(rename|copy) (from|to) |(dis)?similarity index [0-9]+%)"
#define RANGES         "^-([0-9]+)(?:,([0-9]+))? \\+([0-9]+)(?:,[0-9]+)?(?: @@(.*))?$"
#define LINE_WORD      "^lines? ([0-9]+)(?:-[0-9]+)?$"
#define FIRST_LINE     "^(top|start|beginning) of (the )?file$"
#define END_OF_FILE    "*** End of File"
#define NO_NEWLINE     "\\ No newline at end of file"
#define MAX_LINE_DIGIT 9

typedef struct Parser {
    char **lines;
    size_t at, end; // the next line, and the one behind the last
    GHashTable *files;
    GPtrArray *hunks;
    bool has_header; // a file header stood in front of the first hunk
} Parser;

void patch_hunk_free(PatchHunk *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->contexts);
    g_array_unref(self->lines);
    g_free(self);
}

static void hunk_destroy(void *data)
{
    patch_hunk_free(data);
}

static void line_clear(void *data)
{
    g_free(((PatchLine *)data)->text);
}

GArray *patch_lines_new(void)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(PatchLine));
    g_array_set_clear_func(lines, line_clear);
    return lines;
}

void patch_lines_add(GArray *lines, char kind, const char *text)
{
    const PatchLine line = { .kind = kind, .text = g_strdup(text) };
    g_array_append_val(lines, line);
}

static PatchHunk *hunk_new(void)
{
    PatchHunk *self = g_new0(PatchHunk, 1);
    self->contexts = g_ptr_array_new_with_free_func(g_free);
    self->lines = patch_lines_new();
    return self;
}

/* `at`: index of the line that is meant. */
static bool fail_line(size_t at, const char *text, GError **error)
{
    return fail_with(error, KEDGE_ERROR_USAGE, "Line %zu: %s", at + 1, text);
}

static void note_file(Parser *self, const char *path)
{
    g_autofree char *name = g_strstrip(g_strndup(path, strcspn(path, "\t")));
    bool has_side = str_has_prefix(name, "a/") || str_has_prefix(name, "b/");
    if (*name && strcmp(name, "/dev/null") != 0)
        g_hash_table_add(self->files, g_strdup(name + (has_side ? 2 : 0)));
    self->has_header = true;
}

static const char *line_at(const Parser *self, size_t at)
{
    return at < self->end ? self->lines[at] : "";
}

/* "--- old" and "+++ new" at `at`. */
static bool is_pair(const Parser *self, size_t at)
{
    return str_has_prefix(line_at(self, at), "--- ") &&
           str_has_prefix(line_at(self, at + 1), "+++ ");
}

/* Lines that say which file this is about. */
static void skip_file_header(Parser *self)
{
    while (self->at < self->end) {
        const char *line = self->lines[self->at];
        const char *marked = patch_file_marker(line, NULL), *git = strstr(line, " b/");
        if (is_pair(self, self->at)) {
            note_file(self, self->lines[++self->at] + strlen("+++ "));
        } else if (marked) {
            note_file(self, marked);
        } else if (!g_regex_match_simple(METADATA, line, 0, 0)) {
            return;
        } else if (str_has_prefix(line, "diff --git ") && git) {
            note_file(self, git + 1);
        }
        self->at++;
    }
}

/* A header of the next file, behind a hunk. A pair of lines is one only where there was a header
   before, and a hunk follows; else they are what they say. */
static bool is_next_file(const Parser *self)
{
    const char *line = self->lines[self->at];
    return patch_file_marker(line, NULL) || str_has_prefix(line, "diff --git ") ||
           (self->has_header && is_pair(self, self->at) &&
            str_has_prefix(line_at(self, self->at + 2), "@@ -"));
}

static bool to_number(const char *text, size_t *ret_number)
{
    int64_t number = 0;
    if (!text || strlen(text) > MAX_LINE_DIGIT || !str_parse_int(text, &number))
        return false;
    *ret_number = (size_t)number;
    return true;
}

static bool take_ranges(Parser *self, const GMatchInfo *match, PatchHunk *hunk, GError **error)
{
    g_autofree char *from = g_match_info_fetch(match, 1);
    g_autofree char *count = g_match_info_fetch(match, 2);
    g_autofree char *to = g_match_info_fetch(match, 3);
    size_t hint = 0, new_line = 0;
    if (!to_number(from, &hint) || !to_number(to, &new_line))
        return fail_line(self->at, "Line numbers in @@ header are too large", error);
    if (hint < 1 || new_line < 1)
        return fail_line(self->at, "Line numbers in @@ header must be >= 1", error);
    hunk->hint = hint;
    hunk->is_behind_hint = count && strcmp(count, "0") == 0;
    return true;
}

/* What is left between the @@ of a header. Caller frees. */
static char *header_text(const char *line)
{
    g_autofree char *text = g_strstrip(g_strdup(line + strlen("@@")));
    if (strcmp(text, "@@") == 0)
        return g_strdup("");
    if (g_str_has_suffix(text, " @@") && *text != '-')
        text[strlen(text) - strlen(" @@")] = '\0';
    bool is_gap = strcmp(text, "...") == 0 || strcmp(text, "…") == 0;
    return is_gap ? g_strdup("") : g_strstrip(g_strdup(text));
}

static bool take_header(Parser *self, PatchHunk *hunk, GError **error)
{
    g_autofree char *text = header_text(self->lines[self->at]);
    g_autofree char *context = NULL;
    g_autoptr(GRegex) ranges = g_regex_new(RANGES, 0, 0, NULL);
    g_autoptr(GRegex) word = g_regex_new(LINE_WORD, G_REGEX_CASELESS, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    g_autoptr(GMatchInfo) word_match = NULL;
    if (g_regex_match(ranges, text, 0, &match)) {
        if (!take_ranges(self, match, hunk, error))
            return false;
        context = g_match_info_fetch(match, 4);
    } else if (g_regex_match(word, text, 0, &word_match)) {
        g_autofree char *number = g_match_info_fetch(word_match, 1);
        if (!to_number(number, &hunk->hint) || hunk->hint < 1)
            return fail_line(self->at, "Line numbers in @@ header must be >= 1", error);
    } else if (g_regex_match_simple(FIRST_LINE, text, G_REGEX_CASELESS, 0)) {
        hunk->hint = 1;
    } else {
        context = g_strdup(text);
    }
    if (context && *g_strstrip(context))
        g_ptr_array_add(hunk->contexts, g_steal_pointer(&context));
    return hunk->contexts->len <= PATCH_MAX_CONTEXTS ||
           fail_line(self->at, "Too many @@ lines for one hunk", error);
}

/* One line of a hunk; false at the end of it. */
static bool take_line(Parser *self, PatchHunk *hunk)
{
    const char *line = self->lines[self->at];
    if (str_has_prefix(line, "@@") || is_next_file(self))
        return false;
    self->at++;
    g_autofree char *trimmed = g_strchomp(g_strdup(line));
    if (strcmp(trimmed, END_OF_FILE) == 0) {
        hunk->is_at_end = true;
        return false;
    }
    bool is_change = *line == '+' || *line == '-';
    if (strcmp(trimmed, NO_NEWLINE) == 0)
        return true;
    hunk->has_context = hunk->has_context || !is_change;
    if (is_change || *line == ' ')
        patch_lines_add(hunk->lines, *line, line + 1);
    else if (strcmp(trimmed, "...") != 0 && strcmp(trimmed, "…") != 0)
        patch_lines_add(hunk->lines, ' ', line); // its blank was forgotten
    return true;
}

static bool is_blank_at(const Parser *self, size_t at)
{
    return *self->lines[at] == '\0';
}

static bool parse_hunk(Parser *self, GError **error)
{
    g_autoptr(PatchHunk) hunk = hunk_new();
    size_t first = self->at;
    while (self->at < self->end && str_has_prefix(self->lines[self->at], "@@")) {
        if (!take_header(self, hunk, error))
            return false;
        self->at++;
    }
    bool has_text = hunk->contexts->len > 0 || hunk->hint > 0;
    while (self->at < self->end && take_line(self, hunk))
        continue;
    while (hunk->is_at_end && self->at < self->end && is_blank_at(self, self->at))
        self->at++;
    if (hunk->lines->len == 0 && !has_text && self->at == self->end && self->hunks->len == 0)
        return true; // a lone @@ is no hunk
    if (hunk->lines->len == 0)
        return fail_line(first, "Hunk does not contain any lines", error);
    if (self->hunks->len >= PATCH_MAX_HUNKS)
        return fail_with(error, KEDGE_ERROR_LIMIT, "Diff contains more than %d hunks: split it",
                         PATCH_MAX_HUNKS);
    g_ptr_array_add(self->hunks, g_steal_pointer(&hunk));
    return true;
}

/* With a blank in front it is a line that is kept. */
static bool is_envelope(const char *line, const char *name)
{
    g_autofree char *trimmed = g_strchomp(g_strdup(line));
    return strcmp(trimmed, name) == 0 || strcmp(trimmed, "***") == 0;
}

/* What models put around a diff. */
static void trim_ends(Parser *self)
{
    while (self->at < self->end && is_blank_at(self, self->at))
        self->at++;
    if (self->at < self->end && is_envelope(self->lines[self->at], "*** Begin Patch"))
        self->at++;
    while (self->end > self->at && is_blank_at(self, self->end - 1))
        self->end--;
    if (self->end > self->at && is_envelope(self->lines[self->end - 1], "*** End Patch"))
        self->end--;
    while (self->end > self->at && is_blank_at(self, self->end - 1))
        self->end--;
}

static bool parse_all(Parser *self, GError **error)
{
    trim_ends(self);
    skip_file_header(self);
    while (self->at < self->end) {
        if (!parse_hunk(self, error))
            return false;
        if (self->at < self->end && is_next_file(self))
            skip_file_header(self);
    }
    unsigned files = g_hash_table_size(self->files);
    if (files > 1)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Diff contains %u file markers. Single-file patches cannot contain "
                         "multi-file markers.",
                         files);
    return self->hunks->len > 0 || fail_with(error, KEDGE_ERROR_USAGE, "Diff contains no hunks");
}

bool patch_parse(const char *diff, GPtrArray **ret_hunks, GError **error)
{
    g_autofree char *text = edit_to_lf(diff);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GHashTable) files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) hunks = g_ptr_array_new_with_free_func(hunk_destroy);
    Parser parser = { .lines = lines, .end = g_strv_length(lines), .files = files, .hunks = hunks };
    if (!parse_all(&parser, error))
        return false;
    *ret_hunks = g_steal_pointer(&hunks);
    return true;
}
