/*
 * What `git diff` says: the files of a scope from --raw and --numstat, the lines from -U0. Settings
 * and variables of the user that change its form are overridden; what -U0 shows is counted line by
 * line all the same, since GIT_DIFF_OPTS may ask for context.
 */
#include "agenttools/comments/comment_git.h"

#include "base/line_diff.h"
#include "base/str.h"

#include <string.h>

#define CHUNK_FILES ((guint)200)
#define CHUNK_BYTES ((size_t)64 * 1024) // of path arguments
#define CHUNK_LINES ((size_t)100000)

static const char *const diff_options[] = {
    "--literal-pathspecs", "diff", "--no-color",  "--no-relative",
    "--submodule=short",   "-M",   "-O/dev/null",
};

static GPtrArray *diff_args(const char *const *form, const char *const *words)
{
    GPtrArray *args = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(diff_options); i++)
        g_ptr_array_add(args, (char *)diff_options[i]);
    for (; *form; form++)
        g_ptr_array_add(args, (char *)*form);
    for (; *words; words++)
        g_ptr_array_add(args, (char *)*words);
    g_ptr_array_add(args, (char *)"--");
    return args;
}

// ---- files ----

typedef struct Fields { // separated by NUL
    const char *at, *end;
} Fields;

/* The next one, "" behind the last. git ends each with a NUL, and the buffer has one more. */
static const char *next_field(Fields *self)
{
    const char *field = self->at < self->end ? self->at : "";
    self->at = self->at < self->end ? self->at + strlen(self->at) + 1 : self->end;
    return field;
}

/* `:100644 100755 <id> <id> R087` with one path, or two of a rename. False: not understood. */
static bool read_raw(Fields *fields, bool has_blobs, GHashTable *by_path)
{
    g_auto(GStrv) words = g_strsplit(next_field(fields), " ", -1);
    if (g_strv_length(words) != 5)
        return false;
    const char *mode = words[1], *status = words[4];
    g_autofree char *old_path = NULL;
    if (*status == 'R' || *status == 'C')
        old_path = g_strdup(next_field(fields));
    const char *path = next_field(fields);
    if (*path == '\0')
        return false;
    ScopeFile *file = scope_file_new(path);
    if (*status == 'R')
        file->old_path = g_steal_pointer(&old_path);
    if (strcmp(mode, "160000") == 0)
        file->sort = FILE_SUBMODULE;
    else if (strcmp(mode, "120000") == 0)
        file->sort = FILE_SYMLINK;
    else if (*status == 'D')
        file->sort = FILE_DELETED;
    file->is_new = *status == 'A';
    file->blob = has_blobs ? g_strdup(words[3]) : NULL;
    // a path with conflicts comes twice: unmerged, and as it is compared
    if (*status == 'U' && g_hash_table_contains(by_path, path))
        scope_file_free(file);
    else
        g_hash_table_replace(by_path, file->path, file);
    return true;
}

/* `12 TAB 3 TAB path`, of a rename `12 TAB 3 TAB` and two fields; `-` for binary files. */
static bool read_numstat(Fields *fields, GHashTable *by_path)
{
    g_auto(GStrv) words = g_strsplit(next_field(fields), "\t", 3);
    if (g_strv_length(words) != 3)
        return false;
    const char *path = words[2];
    if (*path == '\0') {
        next_field(fields);
        path = next_field(fields);
    }
    ScopeFile *file = g_hash_table_lookup(by_path, path);
    int64_t added = 0, deleted = 0;
    if (!file)
        return true;
    file->is_binary = strcmp(words[0], "-") == 0;
    if (str_parse_int(words[0], &added) && str_parse_int(words[1], &deleted)) {
        file->lines_added = (size_t)added;
        file->lines_deleted = (size_t)deleted;
    }
    return true;
}

bool comment_git_diff(const char *root, const char *const *words, bool has_blobs, Cancel *cancel,
                      GPtrArray *files, GError **error)
{
    static const char *const form[] = { "--raw", "--numstat", "-z", "--no-abbrev", NULL };
    g_autoptr(GPtrArray) args = diff_args(form, words);
    g_ptr_array_add(args, NULL);
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!comment_git(root, (const char *const *)args->pdata, cancel, &data, &size, NULL, error))
        return false;

    g_autoptr(GHashTable) by_path =
        g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)scope_file_free);
    Fields fields = { data, data + size };
    bool is_understood = true;
    while (is_understood && fields.at < fields.end)
        is_understood = *fields.at == ':' ? read_raw(&fields, has_blobs, by_path)
                                          : read_numstat(&fields, by_path);
    if (!is_understood)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "git diff printed something unexpected");
    GHashTableIter iter;
    gpointer file;
    g_hash_table_iter_init(&iter, by_path);
    while (g_hash_table_iter_next(&iter, NULL, &file)) {
        g_hash_table_iter_steal(&iter);
        g_ptr_array_add(files, file);
    }
    return true;
}

// ---- lines ----

typedef struct Patch {
    const char *at, *end;
    GHashTable *by_path;       // ScopeFile of the files asked for; borrowed
    ScopeFile *file;           // of the section that is read; NULL: none that matters
    size_t old_left, new_left; // lines of the hunk that are still to come
    size_t line;               // number of the next line of the new side
} Patch;

/* A path of a header, which git quotes as C does when it has to. Caller frees. */
static char *comment_diff_unquote(const char *text, size_t size)
{
    if (size == 0 || text[0] != '"') {
        const char *tab = memchr(text, '\t', size); // behind a name with blanks
        return g_strndup(text, tab != NULL ? (size_t)(tab - text) : size);
    }
    static const char letters[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
    GString *path = g_string_new(NULL);
    for (size_t i = 1; i < size && text[i] != '"'; i++) {
        const char *letter = NULL;
        if (text[i] != '\\' || i + 1 == size) {
            g_string_append_c(path, text[i]);
        } else if ((letter = strchr(letters, text[++i]))) {
            g_string_append_c(path, bytes[letter - letters]);
        } else {
            unsigned byte = 0;
            for (size_t digits = 0; digits < 3 && i < size && g_ascii_isdigit(text[i]); digits++)
                byte = byte * 8 + (unsigned)(text[i++] - '0');
            g_string_append_c(path, (char)byte);
            i--;
        }
    }
    return g_string_free(path, FALSE);
}

/* What follows are as many lines as the head says. */
static void begin_hunk(Patch *self, const char *line)
{
    HunkHead head;
    if (!hunk_head_read(line, &head))
        return;
    self->old_left = (size_t)head.old_count;
    self->new_left = (size_t)head.new_count;
    self->line = (size_t)head.new_start;
}

static void add_line(GArray *ranges, size_t line)
{
    LineRange *last = ranges->len > 0 ? &g_array_index(ranges, LineRange, ranges->len - 1) : NULL;
    const LineRange range = { line, line };
    if (last && last->last + 1 == line)
        last->last = line;
    else
        g_array_append_val(ranges, range);
}

static void read_hunk_line(Patch *self, char sign)
{
    if (sign == '+' && self->file)
        add_line(self->file->changed, self->line);
    if (sign != '\\') { // "\ No newline at end of file"
        self->old_left -= sign != '+' && self->old_left > 0;
        self->new_left -= sign != '-' && self->new_left > 0;
        self->line += sign != '-';
    }
}

static void read_header(Patch *self, const char *line, size_t size)
{
    static const char new_side[] = "+++ b/", quoted[] = "+++ \"b/";
    size_t prefix = strlen("+++ ");
    if (size >= 2 && memcmp(line, "@@", 2) == 0) {
        begin_hunk(self, line);
    } else if (size >= 5 && memcmp(line, "diff ", 5) == 0) {
        self->file = NULL;
    } else if ((size > strlen(new_side) && memcmp(line, new_side, strlen(new_side)) == 0) ||
               (size > strlen(quoted) && memcmp(line, quoted, strlen(quoted)) == 0)) {
        g_autofree char *path = comment_diff_unquote(line + prefix, size - prefix);
        self->file = g_hash_table_lookup(self->by_path, path + strlen("b/"));
    }
}

static void read_patch(Patch *self)
{
    while (self->at < self->end) {
        const char *found = memchr(self->at, '\n', (size_t)(self->end - self->at));
        size_t size = (size_t)((found != NULL ? found : self->end) - self->at);
        bool is_in_hunk = self->old_left > 0 || self->new_left > 0;
        if (is_in_hunk || (size > 0 && self->at[0] == '\\'))
            read_hunk_line(self, size > 0 ? self->at[0] : ' ');
        else
            read_header(self, self->at, size);
        self->at += MIN(size + 1, (size_t)(self->end - self->at));
    }
}

/* The patch of files[from..to). */
static bool read_chunk(const char *root, const char *const *words, GPtrArray *files, guint from,
                       guint to, Cancel *cancel, bool *ret_is_too_large, GError **error)
{
    static const char *const form[] = {
        "-U0", "--patch", "--text", "--inter-hunk-context=0", "--src-prefix=a/", "--dst-prefix=b/",
        NULL
    };
    g_autoptr(GPtrArray) args = diff_args(form, words);
    g_autoptr(GHashTable) by_path = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = from; i < to; i++) {
        ScopeFile *file = g_ptr_array_index(files, i);
        g_hash_table_insert(by_path, file->path, file);
        g_array_set_size(file->changed, 0);
        g_ptr_array_add(args, file->path);
        if (file->old_path)
            g_ptr_array_add(args, file->old_path);
    }
    g_ptr_array_add(args, NULL);
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!comment_git(root, (const char *const *)args->pdata, cancel, &data, &size, ret_is_too_large,
                     error))
        return false;
    Patch patch = { .at = data, .end = data + size, .by_path = by_path };
    read_patch(&patch);
    return true;
}

/* As read_chunk(), in halves where that is more than kedge takes. */
static bool read_changes(const char *root, const char *const *words, GPtrArray *files, guint from,
                         guint to, Cancel *cancel, GError **error)
{
    bool is_too_large = false;
    g_autoptr(GError) cause = NULL;
    if (read_chunk(root, words, files, from, to, cancel, &is_too_large, &cause))
        return true;
    if (!is_too_large)
        return pass_error(error, &cause);
    if (to - from == 1) {
        ScopeFile *file = g_ptr_array_index(files, from);
        file->skipped = "diff too large";
        return true;
    }
    guint middle = from + (to - from) / 2;
    return read_changes(root, words, files, from, middle, cancel, error) &&
           read_changes(root, words, files, middle, to, cancel, error);
}

bool comment_git_changes(const char *root, const char *const *words, GPtrArray *files,
                         Cancel *cancel, GError **error)
{
    guint from = 0;
    size_t bytes = 0, lines = 0;
    for (guint i = 0; i < files->len; i++) {
        ScopeFile *file = g_ptr_array_index(files, i);
        if (!file->changed)
            file->changed = g_array_new(FALSE, FALSE, sizeof(LineRange));
        size_t own = strlen(file->path) + (file->old_path != NULL ? strlen(file->old_path) : 0);
        bool is_full = i - from >= CHUNK_FILES || bytes + own > CHUNK_BYTES || lines > CHUNK_LINES;
        if (i > from && is_full) {
            if (!read_changes(root, words, files, from, i, cancel, error))
                return false;
            from = i;
            bytes = lines = 0;
        }
        bytes += own;
        lines += file->lines_added + file->lines_deleted;
    }
    return from == files->len || read_changes(root, words, files, from, files->len, cancel, error);
}
