/* See grep_search.h. */
#include "tools/search/grep_search.h"

#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "tool/truncate.h"
#include "tools/file/tool_file.h"
#include "tools/search/rg.h"

enum { BINARY_PROBE_BYTES = 8192 };

static void line_free(void *data)
{
    GrepLine *self = data;
    g_free(self->text);
    g_free(self);
}

static void file_free(void *data)
{
    GrepFile *self = data;
    g_free(self->path);
    g_ptr_array_unref(self->lines);
    g_free(self);
}

void grep_found_clear(GrepFound *self)
{
    g_clear_pointer(&self->files, g_ptr_array_unref);
}

typedef struct Collector {
    const GrepSearch *search;
    GrepFound *found;
    GrepFile *file;       // the one ripgrep is in; NULL: one that the glob leaves out
    unsigned seen;        // matches, skipped ones included
    unsigned seen_before; // this file
    bool has_begun;       // some file was searched: the pattern is good
} Collector;

/* ripgrep gives text, or bytes in base64 when they are not UTF-8. Caller frees. */
static char *data_text(const json_t *data)
{
    const char *text = json_get_text(data, "text");
    if (text)
        return g_strdup(text);
    const char *base64 = json_get_text(data, "bytes");
    size_t size = 0;
    g_autofree guchar *bytes = base64 ? g_base64_decode(base64, &size) : NULL;
    return utf8_from_bytes((const char *)bytes, size);
}

/* Returns false. */
static bool leave_out(const GrepSearch *search, const char *path)
{
    search_notes_try(search->notes, path);
    return false;
}

static bool fits_glob(const GrepSearch *search, const char *path)
{
    if (!search->glob)
        return true;
    if (search->glob_is_for_name) {
        g_autofree char *name = g_path_get_basename(path);
        return g_regex_match(search->glob, name, 0, NULL) || leave_out(search, name);
    }
    g_autofree char *below_cwd = path_display(path, search->cwd);
    if (g_regex_match(search->glob, below_cwd, 0, NULL))
        return true;
    for (const char *const *root = search->paths; *root; root++) {
        g_autofree char *below_root = path_display(path, *root);
        if (g_utf8_validate(below_root, -1, NULL) &&
            g_regex_match(search->glob, below_root, 0, NULL))
            return true;
    }
    return leave_out(search, below_cwd);
}

static void begin_file(Collector *self, const json_t *data)
{
    self->has_begun = true;
    self->seen_before = self->seen;
    g_autofree char *path = data_text(json_get_object(data, "path"));
    self->file = NULL;
    g_autofree char *absolute = path_absolute(path, self->search->cwd);
    bool is_secret = str_has_prefix(absolute, "/proc/") && tool_file_is_secret(absolute);
    if (is_secret || !fits_glob(self->search, path))
        return;
    GrepFile *file = g_new0(GrepFile, 1);
    file->path = g_steal_pointer(&path);
    file->lines = g_ptr_array_new_with_free_func(line_free);
    g_ptr_array_add(self->found->files, file);
    self->file = file;
}

/* Files without a match (all skipped) are not kept, nor binary ones in a directory: ripgrep stops
   at their first NUL, but has told what it found before. */
static void end_file(Collector *self, const json_t *data)
{
    GrepFile *file = self->file;
    self->file = NULL;
    const json_t *binary_offset = json_object_get(data, "binary_offset");
    bool is_binary = self->search->is_directory_scope && json_is_integer(binary_offset) &&
                     json_integer_value(binary_offset) < BINARY_PROBE_BYTES;
    if (!file || (file->matches > 0 && !is_binary))
        return;
    self->found->matches -= file->matches;
    if (is_binary)
        self->seen = self->seen_before;
    g_ptr_array_remove(self->found->files, file);
}

static void add_line(const Collector *self, int64_t number, unsigned match, const char *text,
                     size_t size)
{
    GrepFile *file = self->file;
    if (size > 0 && text[size - 1] == '\r')
        size--;
    g_autofree char *whole = g_strndup(text, size);
    GrepLine *line = g_new0(GrepLine, 1);
    line->number = number;
    line->match = match;
    line->text = utf8_ellipsize(whole, TRUNCATE_MAX_COLUMN);
    line->is_cut = strcmp(line->text, whole) != 0;
    if (self->search->has_anchors)
        hashline_letters((size_t)number, whole, size, line->letters);
    g_ptr_array_add(file->lines, line);
    // before the first match only its context counts, however many were skipped
    if (file->matches == 0 && file->lines->len > self->search->before)
        g_ptr_array_remove_index(file->lines, 0);
}

/* One event may hold several lines: those of a match that spans them. */
static void add_lines(const Collector *self, const json_t *data, unsigned match)
{
    g_autofree char *text = data_text(json_get_object(data, "lines"));
    int64_t number = json_get_int(data, "line_number", 1);
    for (const char *line = text; *line;) {
        const char *end = strchrnul(line, '\n');
        add_line(self, number++, match, line, (size_t)(end - line));
        line = *end ? end + 1 : end;
    }
    if (*text == '\0')
        add_line(self, number, match, "", 0);
}

/* False when enough has been seen. */
static bool take_match(Collector *self, const json_t *data)
{
    const GrepSearch *search = self->search;
    if (self->seen++ < search->skip) {
        add_lines(self, data, 0); // it may still be context
        return true;
    }
    if (self->found->matches >= search->max_matches) {
        self->found->has_more = true;
        return false;
    }
    self->found->matches++;
    add_lines(self, data, ++self->file->matches);
    return true;
}

static bool on_line(const char *line, size_t size, void *user_data)
{
    Collector *self = user_data;
    g_autoptr(json_t) event = NULL;
    if (!json_parse(line, size, &event, NULL))
        return true;
    const char *type = json_get_text(event, "type");
    const json_t *data = json_get_object(event, "data");
    if (g_strcmp0(type, "begin") == 0)
        begin_file(self, data);
    else if (self->file && g_strcmp0(type, "match") == 0)
        return take_match(self, data);
    else if (self->file && g_strcmp0(type, "context") == 0)
        add_lines(self, data, 0);
    else if (g_strcmp0(type, "end") == 0)
        end_file(self, data);
    return true;
}

static void add_args(const GrepSearch *search, const char *pattern, GPtrArray *args)
{
    static const char *const fixed[] = { "--no-config", "--json", "--hidden",
                                         "--no-ignore-messages", "--sort=path", "--no-require-git",
                                         "--glob=!.git", "--regex-size-limit=50M",
                                         // when everything is searched: environments, memories
                                         "--glob=!**/proc/{self,thread-self,[0-9]*}/**" };
    for (size_t i = 0; i < G_N_ELEMENTS(fixed); i++)
        g_ptr_array_add(args, g_strdup(fixed[i]));
    if (search->ignores_case)
        g_ptr_array_add(args, g_strdup("--ignore-case"));
    if (search->is_multiline)
        g_ptr_array_add(args, g_strdup("--multiline"));
    g_ptr_array_add(args, g_strdup(search->no_ignore ? "--no-ignore" : "--glob=!node_modules"));
    if (search->is_directory_scope)
        g_ptr_array_add(args, g_strdup("--max-filesize=32M"));
    g_auto(GStrv) globs = search->type_globs ? g_strsplit(search->type_globs, ",", -1) : NULL;
    for (char **glob = globs; glob && *glob; glob++)
        g_ptr_array_add(args, g_strdup_printf("--type-add=kedge:%s", *glob));
    if (globs)
        g_ptr_array_add(args, g_strdup("--type=kedge"));
    g_ptr_array_add(args, g_strdup_printf("--before-context=%u", search->before));
    g_ptr_array_add(args, g_strdup_printf("--after-context=%u", search->after));
    g_ptr_array_add(args, g_strdup_printf("--regexp=%s", pattern));
    g_ptr_array_add(args, g_strdup("--"));
    for (const char *const *path = search->paths; *path; path++)
        g_ptr_array_add(args, g_strdup(*path));
    g_ptr_array_add(args, NULL);
}

/* Notes the files and folders that ripgrep could not read, each on a line of `messages`
   ("rg: /a/b: Permission denied (os error 13)"), from which they are removed: status 2 means them,
   too. */
static void take_unread(const GrepSearch *search, char *messages)
{
    g_autoptr(GString) rest = g_string_new(NULL);
    g_auto(GStrv) lines = g_strsplit(messages, "\n", -1);
    for (char **line = lines; *line; line++) {
        char *path = *line + (str_has_prefix(*line, "rg: ") ? strlen("rg: ") : 0);
        char *why = strstr(path, ": IO error for operation on "); // of ripgrep 13
        why = why ? why : strstr(path, " (os error ") ? g_strrstr(path, ": ") : NULL;
        if (!why) {
            g_string_append_printf(rest, "%s%s", rest->len > 0 ? "\n" : "", *line);
            continue;
        }
        *why = '\0';
        g_autofree char *shown = path_display(path, search->cwd);
        search_notes_add_unread(search->notes, shown);
    }
    memcpy(messages, rest->str, rest->len + 1); // never longer
}

/* *ret_problem: ripgrep's complaint about the pattern, or NULL. */
static bool run_once(const GrepSearch *search, const char *pattern, Cancel *cancel,
                     GrepFound *found, char **ret_problem, GError **error)
{
    g_autoptr(GPtrArray) args = g_ptr_array_new_with_free_func(g_free);
    add_args(search, pattern, args);
    found->files = g_ptr_array_new_with_free_func(file_free);
    Collector collector = { .search = search, .found = found };
    int exit_status = 0;
    g_autofree char *error_text = NULL;
    g_autoptr(GError) run_error = NULL;
    const char *const *trees = search->no_ignore ? NULL : search->paths;
    if (!rg_run((const char *const *)args->pdata, search->cwd, trees, search->timeout_ms, cancel,
                on_line, &collector, &exit_status, &error_text, &run_error)) {
        if (error_is(run_error, KEDGE_ERROR_TIMEOUT))
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "grep timed out after 30s; narrow the paths");
        return pass_error(error, &run_error);
    }
    take_unread(search, error_text);
    if (exit_status != 2 || collector.has_begun || *error_text == '\0')
        return true;
    if (!strstr(error_text, "regex"))
        return fail_with(error, KEDGE_ERROR_FAILED, "ripgrep: %s", g_strchomp(error_text));
    *ret_problem = g_steal_pointer(&error_text);
    return true;
}

/* ripgrep says what is wrong on the line that begins with "error: "; those before draw an arrow,
   those after give hints about flags that are not ours. Other messages say it on their first line.
 */
static char *problem_reason(const char *problem)
{
    g_auto(GStrv) lines = g_strsplit(problem, "\n", -1);
    for (char **line = lines; *line; line++)
        if (str_has_prefix(*line, "error: "))
            return g_strdup(*line + strlen("error: "));
    const char *prefix = "rg: "; // of ripgrep 14 and newer
    return g_strdup(lines[0] + (str_has_prefix(lines[0], prefix) ? strlen(prefix) : 0));
}

bool grep_search(const GrepSearch *search, Cancel *cancel, GrepFound *ret_found, GError **error)
{
    g_auto(GrepFound) found = { 0 };
    g_autofree char *pattern = grep_pattern_fix_braces(search->pattern);
    g_autofree char *problem = NULL;
    if (!run_once(search, pattern, cancel, &found, &problem, error))
        return false;

    bool is_unbalanced =
        problem && (strstr(problem, "unclosed group") || strstr(problem, "unopened group"));
    if (is_unbalanced) {
        g_autofree char *escaped = grep_pattern_escape_parentheses(pattern);
        g_clear_pointer(&problem, g_free);
        grep_found_clear(&found);
        found = (GrepFound) { 0 };
        if (!run_once(search, escaped, cancel, &found, &problem, error))
            return false;
    }
    if (problem) {
        g_autofree char *reason = problem_reason(problem);
        return fail_with(error, KEDGE_ERROR_USAGE, "regex parse error: %s", reason);
    }
    *ret_found = found;
    found = (GrepFound) { 0 };
    return true;
}
