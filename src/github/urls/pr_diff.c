/*
 * Where the files of a diff begin, what they are called, and how many lines they change.
 */
#include "github/urls/pr_diff.h"

#include "base/str.h"
#include "base/utf8.h"
#include "github/text.h"
#include "github/urls/diff_names.h"

#define HEADER "diff --git "

typedef struct Section {
    char *from, *to;               // of rename or copy lines
    char *old_name, *new_name;     // of --- and +++ lines
    char *header_old, *header_new; // of the first line
    const char *change;
    int64_t additions, deletions;
    bool is_binary, is_in_hunk;
} Section;

static void section_clear(Section *self)
{
    g_free(self->from);
    g_free(self->to);
    g_free(self->old_name);
    g_free(self->new_name);
    g_free(self->header_old);
    g_free(self->header_new);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Section, section_clear)

static bool take_name(const char *line, const char *mark, char **name)
{
    if (!g_str_has_prefix(line, mark))
        return false;
    g_free(*name);
    *name = diff_name_unquote(line + strlen(mark));
    return true;
}

static void read_header_line(Section *self, const char *line)
{
    if (g_str_has_prefix(line, "new file mode"))
        self->change = "added";
    else if (g_str_has_prefix(line, "deleted file mode"))
        self->change = "deleted";
    else if (take_name(line, "rename from ", &self->from))
        self->change = "renamed";
    else if (take_name(line, "rename to ", &self->to) ||
             take_name(line, "copy from ", &self->from) || take_name(line, "copy to ", &self->to))
        return;
    else if (g_str_has_prefix(line, "--- "))
        diff_name_of_side(line + strlen("--- "), "a/", &self->old_name);
    else if (g_str_has_prefix(line, "+++ "))
        diff_name_of_side(line + strlen("+++ "), "b/", &self->new_name);
    else if (g_str_has_prefix(line, "GIT binary patch") ||
             (g_str_has_prefix(line, "Binary files ") && strstr(line, " differ")))
        self->is_binary = true;
}

static void read_line(Section *self, const char *line)
{
    if (!self->is_in_hunk && !g_str_has_prefix(line, "@@ ")) {
        read_header_line(self, line);
        return;
    }
    self->is_in_hunk = true;
    self->additions += *line == '+' ? 1 : 0;
    self->deletions += *line == '-' ? 1 : 0;
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return a ? a : b ? b : c;
}

/* The names, in order of trust. */
static json_t *section_describe(const Section *self, size_t start, size_t end)
{
    bool has_sides = self->old_name || self->new_name;
    const char *old_name = self->from ? self->from : has_sides ? self->old_name : self->header_old;
    const char *new_name = self->to ? self->to : has_sides ? self->new_name : self->header_new;
    const char *change = self->change ? self->change : "modified";
    bool is_deleted = strcmp(change, "deleted") == 0;
    const char *shown = is_deleted ? first_of(old_name, new_name, "(unknown)")
                                   : first_of(new_name, old_name, "(unknown)");
    if (self->is_binary && strcmp(change, "modified") == 0)
        change = "binary";
    json_t *file = json_make("path:%s additions:%jd deletions:%jd changeType:%s", shown,
                             self->is_binary ? 0 : self->additions,
                             self->is_binary ? 0 : self->deletions, change);
    if (old_name && strcmp(old_name, shown) != 0)
        json_set_text(file, "oldPath", old_name);
    json_set_int(file, "startOffset", (int64_t)start);
    json_set_int(file, "endOffset", (int64_t)end);
    return file;
}

static json_t *read_section(const char *diff, size_t start, size_t end)
{
    g_auto(Section) section = { 0 };
    for (size_t at = start; at < end;) {
        const char *newline = memchr(diff + at, '\n', end - at);
        size_t length = newline ? (size_t)(newline - diff) - at : end - at;
        g_autofree char *line = g_strndup(diff + at, length);
        if (at == start)
            diff_names_of_header(line + strlen(HEADER), &section.header_old, &section.header_new);
        else
            read_line(&section, line);
        at += length + 1;
    }
    return section_describe(&section, start, end);
}

/* The next line that begins a section, from `at` on, which is the start of a line. */
static size_t next_section(const char *diff, size_t at)
{
    while (diff[at] != '\0' && !g_str_has_prefix(diff + at, HEADER)) {
        const char *newline = strchr(diff + at, '\n');
        if (!newline)
            return at + strlen(diff + at);
        at = (size_t)(newline - diff) + 1;
    }
    return at;
}

json_t *pr_diff_index(const char *diff)
{
    json_t *files = json_array();
    for (size_t start = next_section(diff, 0); diff[start] != '\0';) {
        const char *newline = strchr(diff + start, '\n');
        size_t end = newline ? next_section(diff, (size_t)(newline - diff) + 1)
                             : start + strlen(diff + start);
        json_append_take(files, read_section(diff, start, end));
        start = end;
    }
    return json_make("files:%p", files);
}

bool pr_diff_index_fits(const json_t *index, const char *diff)
{
    const json_t *files = json_get_array(index, "files");
    int64_t size = (int64_t)strlen(diff), before = 0;
    json_each (files, i, file) {
        int64_t start = json_get_int(file, "startOffset", -1);
        int64_t end = json_get_int(file, "endOffset", -1);
        if (start < before || end < start || end > size || !json_get_text(file, "path"))
            return false;
        before = end;
    }
    return files != NULL;
}

// ---- the list ----

static void append_file(GString *out, const json_t *file, size_t number)
{
    g_autofree char *path = text_one_line(json_get_text(file, "path"));
    g_autofree char *old = text_one_line(json_get_text(file, "oldPath"));
    const char *change = json_get_text(file, "changeType");
    g_string_append_printf(out, "%zu. %s  ", number, path);
    if (g_strcmp0(change, "binary") == 0)
        g_string_append(out, "(binary)");
    else
        g_string_append_printf(out, "+%" G_GINT64_FORMAT " -%" G_GINT64_FORMAT,
                               json_get_int(file, "additions", 0),
                               json_get_int(file, "deletions", 0));
    g_string_append_printf(out, "  [%s]", change ? change : "modified");
    if (*old)
        g_string_append_printf(out, "  (renamed from %s)", old);
}

char *pr_diff_list(const json_t *index, const char *repo, int64_t number)
{
    const json_t *files = json_get_array(index, "files");
    size_t count = json_array_size(files);
    g_autofree char *base = g_strdup_printf("pr://%s/%" G_GINT64_FORMAT "/diff", repo, number);
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "# Pull Request Diff: %s#%" G_GINT64_FORMAT " (%zu file%s)\n\n",
                           repo, number, count, count == 1 ? "" : "s");
    if (count == 0)
        g_string_append(out, "_No file changes._\n\n");
    json_each (files, i, file) {
        append_file(out, file, i + 1);
        g_string_append_printf(out, "\n   %s/%zu\n\n", base, i + 1);
    }
    g_string_append_printf(out, "---\nRead all: `%s/all`. Each file is also available as `%s/<i>`.",
                           base, base);
    return utf8_trim(out->str);
}

// ---- from the list of files ----

static void append_names(GString *out, const char *status, const char *old_name,
                         const char *new_name)
{
    g_autofree char *from = diff_name_quote("", old_name);
    g_autofree char *to = diff_name_quote("", new_name);
    g_autofree char *a = diff_name_quote("a/", old_name);
    g_autofree char *b = diff_name_quote("b/", new_name);
    g_string_append_printf(out, "diff --git %s %s\n", a, b);
    if (strcmp(status, "added") == 0)
        g_string_append(out, "new file mode 100644\n");
    else if (strcmp(status, "removed") == 0)
        g_string_append(out, "deleted file mode 100644\n");
    else if (strcmp(status, "renamed") == 0)
        g_string_append_printf(out, "rename from %s\nrename to %s\n", from, to);
}

static void append_rebuilt(GString *out, const json_t *file)
{
    const char *name = json_get_text(file, "filename") ?: "";
    const char *previous = json_get_text(file, "previous_filename");
    const char *old_name = str_is_empty(previous) ? name : previous;
    const char *status = json_get_text(file, "status") ?: "";
    const char *patch = json_get_text(file, "patch");
    append_names(out, status, old_name, name);
    if (str_is_empty(patch)) {
        g_string_append_printf(out,
                               "* patch unavailable (binary or too large); additions "
                               "%" G_GINT64_FORMAT ", deletions %" G_GINT64_FORMAT "\n",
                               json_get_int(file, "additions", 0),
                               json_get_int(file, "deletions", 0));
        return;
    }
    g_autofree char *a = diff_name_quote("a/", old_name);
    g_autofree char *b = diff_name_quote("b/", name);
    g_string_append_printf(out, "--- %s\n+++ %s\n%s%s",
                           strcmp(status, "added") == 0 ? "/dev/null" : a,
                           strcmp(status, "removed") == 0 ? "/dev/null" : b, patch,
                           g_str_has_suffix(patch, "\n") ? "" : "\n");
}

char *pr_diff_rebuild(const json_t *files)
{
    GString *out = g_string_new(NULL);
    json_each (files, i, file)
        append_rebuilt(out, file);
    return g_string_free(out, false);
}
