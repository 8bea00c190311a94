/*
 * Where the files of a diff begin, what they are called, and how many lines they change.
 */
#include "github/urls/pr_diff.h"

#include "base/str.h"
#include "base/utf8.h"
#include "github/text.h"

#include <string.h>

// ---- names of files: bare, or quoted like a C string; valid UTF-8 ----

/* The length of a quoted name with both its quotes; 0: none begins here. */
static size_t quoted_length(const char *text)
{
    if (*text != '"')
        return 0;
    for (size_t i = 1; text[i] != '\0'; i++) {
        if (text[i] == '"')
            return i + 1;
        if (text[i] == '\\' && text[i + 1] != '\0')
            i++;
    }
    return 0;
}

static unsigned octal_value(const char *digits)
{
    unsigned value = 0;
    for (int i = 0; i < 3; i++) {
        if (digits[i] < '0' || digits[i] > '7')
            return 256;
        value = value * 8 + (unsigned)(digits[i] - '0');
    }
    return value;
}

/* What follows a backslash; returns how many characters it takes. */
static size_t append_escape(GString *out, const char *at)
{
    static const char letters[] = "abtnvfr\"\\", bytes[] = "\a\b\t\n\v\f\r\"\\";
    unsigned value = octal_value(at);
    if (value > 0 && value < 256) {
        g_string_append_c(out, (char)value);
        return 3;
    }
    const char *letter = *at != '\0' ? strchr(letters, *at) : NULL;
    g_string_append_c(out, letter ? bytes[letter - letters] : *at);
    return 1;
}

static char *name_unquote(const char *text, size_t length)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 1; i + 1 < length; i++) {
        if (text[i] == '\\')
            i += append_escape(out, text + i + 1);
        else
            g_string_append_c(out, text[i]);
    }
    return utf8_from_bytes(out->str, out->len);
}

/* "\"a b\\303\\251\"" as text; what is not quoted stays as it is. */
static char *diff_name_unquote(const char *text)
{
    size_t length = quoted_length(text);
    if (length > 0)
        return name_unquote(text, length);
    size_t size = strlen(text);
    while (size > 0 && (text[size - 1] == '\r' || text[size - 1] == '\t'))
        size--;
    return g_strndup(text, size);
}

/* Without "a/" or "b/", which a name of another tool may lack. Takes `name` over. */
static char *without_prefix(char *name, const char *prefix)
{
    g_autofree char *whole = name;
    return g_strdup(str_has_prefix(whole, prefix) ? whole + strlen(prefix) : whole);
}

/* The name behind `--- ` or `+++ `, into *name unless it is /dev/null; `prefix` is "a/" or "b/". */
static void diff_name_of_side(const char *text, const char *prefix, char **name)
{
    g_autofree char *plain = diff_name_unquote(text);
    if (strcmp(plain, "/dev/null") == 0)
        return;
    g_free(*name);
    *name = without_prefix(g_steal_pointer(&plain), prefix);
}

/* "a/X b/X". */
static bool is_twice(const char *text, char **ret_name)
{
    size_t size = strlen(text);
    if (size < 5 || size % 2 == 0 || !str_has_prefix(text, "a/"))
        return false;
    size_t half = size / 2;
    if (text[half] != ' ' || !str_has_prefix(text + half + 1, "b/") ||
        strncmp(text + 2, text + half + 3, half - 2) != 0)
        return false;
    *ret_name = g_strndup(text + 2, half - 2);
    return true;
}

/* Both names behind `diff --git `; NULL for what cannot be told apart. */
static void diff_names_of_header(const char *text, char **ret_old, char **ret_new)
{
    g_autofree char *line = g_strdup(text);
    size_t size = strlen(line);
    if (size > 0 && line[size - 1] == '\r')
        line[size - 1] = '\0';
    size_t first = quoted_length(line);
    if (first > 0 && line[first] == ' ') {
        *ret_old = without_prefix(name_unquote(line, first), "a/");
        *ret_new = without_prefix(diff_name_unquote(line + first + 1), "b/");
        return;
    }
    if (is_twice(line, ret_new)) {
        *ret_old = g_strdup(*ret_new);
        return;
    }
    char *second = strstr(line, " \"b/");
    if (!second)
        second = strstr(line, " b/");
    if (!second)
        return;
    *ret_new = without_prefix(diff_name_unquote(second + 1), "b/");
    *second = '\0';
    *ret_old = without_prefix(g_strdup(line), "a/");
}

/* `prefix` and name, quoted when it must be. */
static char *diff_name_quote(const char *prefix, const char *name)
{
    bool must_quote = false;
    for (const char *p = name; *p != '\0'; p++)
        must_quote =
            must_quote || (unsigned char)*p <= ' ' || *p == '"' || *p == '\\' || *p == 0x7f;
    if (!must_quote)
        return g_strconcat(prefix, name, NULL);
    GString *out = g_string_new("\"");
    g_string_append(out, prefix);
    for (const char *p = name; *p != '\0'; p++) {
        static const char bytes[] = "\a\b\t\n\v\f\r\"\\", letters[] = "abtnvfr\"\\";
        const char *found = strchr(bytes, *p);
        if (found)
            g_string_append_printf(out, "\\%c", letters[found - bytes]);
        else if ((unsigned char)*p < ' ' || *p == 0x7f)
            g_string_append_printf(out, "\\%03o", (unsigned char)*p);
        else
            g_string_append_c(out, *p);
    }
    g_string_append_c(out, '"');
    return g_string_free(out, false);
}

// ---- the sections ----

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
    if (!str_has_prefix(line, mark))
        return false;
    g_free(*name);
    *name = diff_name_unquote(line + strlen(mark));
    return true;
}

static void read_header_line(Section *self, const char *line)
{
    if (str_has_prefix(line, "new file mode"))
        self->change = "added";
    else if (str_has_prefix(line, "deleted file mode"))
        self->change = "deleted";
    else if (take_name(line, "rename from ", &self->from))
        self->change = "renamed";
    else if (take_name(line, "rename to ", &self->to) ||
             take_name(line, "copy from ", &self->from) || take_name(line, "copy to ", &self->to))
        return;
    else if (str_has_prefix(line, "--- "))
        diff_name_of_side(line + strlen("--- "), "a/", &self->old_name);
    else if (str_has_prefix(line, "+++ "))
        diff_name_of_side(line + strlen("+++ "), "b/", &self->new_name);
    else if (str_has_prefix(line, "GIT binary patch") ||
             (str_has_prefix(line, "Binary files ") && strstr(line, " differ")))
        self->is_binary = true;
}

static void read_line(Section *self, const char *line)
{
    if (!self->is_in_hunk && !str_has_prefix(line, "@@ ")) {
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
    json_add(file, "startOffset:%jd endOffset:%jd", (int64_t)start, (int64_t)end);
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
    while (diff[at] != '\0' && !str_has_prefix(diff + at, HEADER)) {
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
