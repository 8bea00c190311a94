/*
 * Reading git's diff, and putting hunks in (commit_parts.h).
 *
 * A file's part of the diff is known by the two blobs that its `index` line names, so neither the
 * order nor the quoting of names matters; a hunk's lines are counted, so nothing in them is taken
 * for a heading.
 */
#include "changes/commit_parts.h"

#include "base/line_diff.h"
#include "base/utf8.h"

#include <string.h>

static void hunk_free(void *hunk_)
{
    PartHunk *hunk = hunk_;
    g_string_free(hunk->body, TRUE);
    g_free(hunk);
}

static void file_free(void *file_)
{
    PartFile *file = file_;
    g_free(file->path);
    g_free(file->old_path);
    g_free(file->old_mode);
    g_free(file->new_mode);
    g_free(file->old_id);
    g_free(file->new_id);
    g_string_free(file->patch, TRUE);
    g_ptr_array_unref(file->hunks);
    g_free(file);
}

void commit_parts_free(CommitParts *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->files);
    g_array_unref(self->parts);
    g_free(self);
}

// ---- the list of files ----

static bool fail_unreadable(GError **error)
{
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "git's diff has a form that is not known");
}

/* The text up to the next NUL; NULL: there is none. */
static const char *next_field(const char **at, const char *end)
{
    const char *field = *at;
    const char *stop = field < end ? memchr(field, '\0', (size_t)(end - field)) : NULL;
    if (stop)
        *at = stop + 1;
    return stop ? field : NULL;
}

/* ":100644 100644 <id> <id> R100", and one name or two. */
static bool read_file(const char **at, const char *end, PartFile **ret_file, GError **error)
{
    const char *head = next_field(at, end);
    g_auto(GStrv) words = g_strsplit(head && *head == ':' ? head + 1 : "", " ", -1);
    const char *first = next_field(at, end);
    if (g_strv_length(words) != 5 || !first || *words[4] == '\0')
        return fail_unreadable(error);
    bool has_two = *words[4] == 'R' || *words[4] == 'C';
    const char *second = has_two ? next_field(at, end) : NULL;
    if (has_two && !second)
        return fail_unreadable(error);
    PartFile *file = g_new0(PartFile, 1);
    file->status = *words[4];
    file->path = g_strdup(has_two ? second : first);
    file->old_path = file->status == 'R' ? g_strdup(first) : NULL;
    file->old_mode = g_strdup(words[0]);
    file->new_mode = g_strdup(words[1]);
    file->old_id = g_strdup(words[2]);
    file->new_id = g_strdup(words[3]);
    file->patch = g_string_new(NULL);
    file->hunks = g_ptr_array_new_with_free_func(hunk_free);
    *ret_file = file;
    return true;
}

// ---- the patch ----

typedef struct Reader {
    const char *at, *end;
    GHashTable *files; // "<old>..<new>" → PartFile
    PartFile *file;    // whose part this is; NULL: not known yet, or none
    GString *head;     // of a part whose file is not known yet
} Reader;

/* The next line with its end. */
static bool next_line(Reader *self, const char **ret_line, size_t *ret_size)
{
    if (self->at >= self->end)
        return false;
    const char *newline = memchr(self->at, '\n', (size_t)(self->end - self->at));
    *ret_line = self->at;
    *ret_size = newline ? (size_t)(newline + 1 - self->at) : (size_t)(self->end - self->at);
    self->at += *ret_size;
    return true;
}

/* "@@ -1,2 +3,4 @@ …" and the lines that it announces. False: it is none. */
static bool read_hunk(Reader *self, const char *head, size_t size)
{
    g_autofree char *text = g_strndup(head, size);
    HunkHead numbers;
    if (!hunk_head_read(text, &numbers))
        return false;
    int64_t old_left = numbers.old_count, new_left = numbers.new_count;
    PartHunk *hunk = g_new0(PartHunk, 1);
    hunk->old_start = numbers.old_start;
    hunk->old_count = numbers.old_count;
    hunk->body = g_string_new_len(head, (gssize)size);
    g_ptr_array_add(self->file->hunks, hunk);
    const char *line = NULL;
    size_t length = 0;
    while ((old_left > 0 || new_left > 0) && next_line(self, &line, &length)) {
        bool is_context = *line == ' ' || *line == '\n'; // empty ones may lack their blank
        old_left -= is_context || *line == '-';
        new_left -= is_context || *line == '+';
        g_string_append_len(hunk->body, line, (gssize)length);
    }
    if (self->at < self->end && *self->at == '\\' && next_line(self, &line, &length))
        g_string_append_len(hunk->body, line, (gssize)length);
    g_string_append_len(self->file->patch, hunk->body->str, (gssize)hunk->body->len);
    return old_left == 0 && new_left == 0;
}

/* "index <old>..<new>[ mode]" */
static PartFile *file_of(const Reader *self, const char *line, size_t size)
{
    const char *ids = line + strlen("index ");
    g_autofree char *key = g_strndup(ids, size - strlen("index "));
    key[strcspn(key, " \n")] = '\0';
    return g_hash_table_lookup(self->files, key);
}

static bool commit_parts_starts(const char *line, size_t size, const char *prefix)
{
    return size >= strlen(prefix) && memcmp(line, prefix, strlen(prefix)) == 0;
}

static void add_to_part(Reader *self, const char *line, size_t size)
{
    g_string_append_len(self->file ? self->file->patch : self->head, line, (gssize)size);
    if (self->file || !commit_parts_starts(line, size, "index "))
        return;
    self->file = file_of(self, line, size);
    if (self->file && self->file->patch->len > 0)
        self->file = NULL; // of the same content as another: it stays whole
    if (self->file)
        g_string_append_len(self->file->patch, self->head->str, (gssize)self->head->len);
}

static bool read_patch(Reader *self, GError **error)
{
    const char *line = NULL;
    size_t size = 0;
    while (next_line(self, &line, &size)) {
        if (commit_parts_starts(line, size, "diff --git ")) {
            self->file = NULL;
            g_string_truncate(self->head, 0);
        }
        if (self->file && commit_parts_starts(line, size, "@@ -")) {
            if (!read_hunk(self, line, size))
                return fail_unreadable(error);
            continue;
        }
        add_to_part(self, line, size);
    }
    return true;
}

// ---- the parts ----

static PartFile *file_at(const CommitParts *self, unsigned file)
{
    return self->files->pdata[file];
}

static bool is_regular(const char *mode)
{
    return strcmp(mode, "100644") == 0 || strcmp(mode, "100755") == 0;
}

static bool has_parts(const PartFile *file)
{
    return file->status == 'M' && is_regular(file->new_mode) &&
           strcmp(file->old_mode, file->new_mode) == 0 && file->hunks->len > 1;
}

static void count_parts(CommitParts *self)
{
    g_array_set_size(self->parts, 0);
    for (unsigned i = 0; i < self->files->len; i++) {
        const PartFile *file = file_at(self, i);
        CommitPart part = { .file = i, .hunk = -1 };
        if (file->hunks->len < 2)
            g_array_append_val(self->parts, part);
        for (unsigned j = 0; file->hunks->len > 1 && j < file->hunks->len; j++) {
            part.hunk = (int)j;
            g_array_append_val(self->parts, part);
        }
    }
}

void commit_parts_join(CommitParts *self, unsigned file)
{
    g_ptr_array_set_size(file_at(self, file)->hunks, 0);
    count_parts(self);
}

bool commit_parts_read(const char *raw, size_t raw_size, const char *patch, size_t patch_size,
                       CommitParts **ret_parts, GError **error)
{
    g_autoptr(CommitParts) self = g_new0(CommitParts, 1);
    self->files = g_ptr_array_new_with_free_func(file_free);
    self->parts = g_array_new(FALSE, FALSE, sizeof(CommitPart));
    g_autoptr(GHashTable) files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (const char *at = raw, *end = raw + raw_size; at < end;) {
        PartFile *file = NULL;
        if (!read_file(&at, end, &file, error))
            return false;
        g_ptr_array_add(self->files, file);
        g_hash_table_insert(files, g_strdup_printf("%s..%s", file->old_id, file->new_id), file);
        if (self->files->len > COMMIT_MAX_PARTS)
            return fail_with(error, KEDGE_ERROR_LIMIT,
                             "more than %d files have changed: stage fewer, or commit them at once",
                             COMMIT_MAX_PARTS);
    }
    g_autoptr(GString) head = g_string_new(NULL);
    Reader reader = { .at = patch, .end = patch + patch_size, .files = files, .head = head };
    if (!read_patch(&reader, error))
        return false;
    for (unsigned i = 0; i < self->files->len; i++)
        if (!has_parts(file_at(self, i)))
            g_ptr_array_set_size(file_at(self, i)->hunks, 0);
    count_parts(self);
    for (unsigned i = 0; i < self->files->len && self->parts->len > COMMIT_MAX_PARTS; i++)
        commit_parts_join(self, i);
    *ret_parts = g_steal_pointer(&self);
    return true;
}

const PartFile *commit_parts_file(const CommitParts *self, size_t part)
{
    return file_at(self, g_array_index(self->parts, CommitPart, part).file);
}

// ---- texts ----

static const char *status_text(char status)
{
    switch (status) {
    case 'A':
        return "new file";
    case 'D':
        return "deleted";
    case 'R':
        return "renamed";
    case 'T':
        return "of another type";
    default:
        return "changed";
    }
}

static void append_part(const CommitParts *self, unsigned number, GString *out)
{
    const CommitPart *part = &g_array_index(self->parts, CommitPart, number);
    const PartFile *file = file_at(self, part->file);
    const char *old = file->old_path ? file->old_path : file->path;
    g_string_append_printf(out, "diff --git a/%s b/%s\npart %u: ", old, file->path, number + 1);
    if (part->hunk < 0) {
        g_string_append_printf(out, "the whole file, %s\n", status_text(file->status));
        const char *first = strchr(file->patch->str, '\n'); // its own heading is not said twice
        if (first)
            g_string_append_len(
                out, first + 1,
                (gssize)(file->patch->len - (size_t)(first + 1 - file->patch->str)));
    } else {
        const PartHunk *hunk = file->hunks->pdata[part->hunk];
        g_string_append_printf(out, "hunk %d of %u of this file\n", part->hunk + 1,
                               file->hunks->len);
        g_string_append_len(out, hunk->body->str, (gssize)hunk->body->len);
    }
    if (out->str[out->len - 1] != '\n')
        g_string_append_c(out, '\n');
}

char *commit_parts_text(const CommitParts *self)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (unsigned i = 0; i < self->parts->len; i++)
        append_part(self, i, out);
    return utf8_from_bytes(out->str, out->len);
}

char *commit_parts_describe(const CommitParts *self, unsigned file, const GArray *chosen)
{
    unsigned hunks = 0;
    bool is_whole = false, is_any = false;
    for (unsigned i = 0; i < chosen->len; i++) {
        unsigned number = g_array_index(chosen, unsigned, i);
        const CommitPart *part = &g_array_index(self->parts, CommitPart, number);
        if (part->file != file)
            continue;
        is_any = true;
        is_whole = part->hunk < 0;
        hunks++;
    }
    if (!is_any)
        return NULL;
    const PartFile *changed = file_at(self, file);
    g_autoptr(GString) out = g_string_new(NULL);
    if (changed->old_path)
        g_string_append_printf(out, "%s => ", changed->old_path);
    g_string_append(out, changed->path);
    if (!is_whole)
        g_string_append_printf(out, " (%u of %u hunks)", hunks, changed->hunks->len);
    else if (changed->status != 'M' && changed->status != 'R')
        g_string_append_printf(out, " (%s)", status_text(changed->status));
    return utf8_from_bytes(out->str, out->len);
}

// ---- putting hunks in ----

/* The new lines of a hunk: all but those with a minus. A mark for a missing newline takes that of
   the line before. */
static void append_new_lines(const PartHunk *hunk, GString *out)
{
    Reader lines = { .at = hunk->body->str, .end = hunk->body->str + hunk->body->len };
    const char *line = NULL;
    size_t size = 0;
    char before = '\0';
    next_line(&lines, &line, &size); // its heading
    while (next_line(&lines, &line, &size)) {
        if (*line == ' ' || *line == '+')
            g_string_append_len(out, line + 1, (gssize)size - 1);
        else if (*line == '\n')
            g_string_append_c(out, '\n');
        else if (*line == '\\' && before != '-' && out->len > 0)
            g_string_truncate(out, out->len - 1);
        before = *line;
    }
}

GString *commit_parts_apply(const PartFile *file, const bool *chosen, const char *old, size_t size)
{
    GString *out = g_string_new(NULL);
    Reader lines = { .at = old, .end = old + size };
    int64_t taken = 0; // lines of the old text
    const char *line = NULL;
    size_t length = 0;
    for (unsigned i = 0; i < file->hunks->len; i++) {
        const PartHunk *hunk = file->hunks->pdata[i];
        int64_t begin = hunk->old_count > 0 ? hunk->old_start - 1 : hunk->old_start;
        for (; taken < begin && next_line(&lines, &line, &length); taken++)
            g_string_append_len(out, line, (gssize)length);
        if (chosen[i])
            append_new_lines(hunk, out);
        for (int64_t j = 0; j < hunk->old_count && next_line(&lines, &line, &length); j++) {
            taken++;
            if (!chosen[i])
                g_string_append_len(out, line, (gssize)length);
        }
    }
    g_string_append_len(out, lines.at, (gssize)(lines.end - lines.at));
    return out;
}
