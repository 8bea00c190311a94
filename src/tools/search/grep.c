/*
 * grep: text in files, grouped by directory, a page at a time (agent-tools §3.8).
 */
#include "base/glob.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tools/file/missing.h"
#include "tools/file/seen_files.h"
#include "tools/search/grep_page.h"
#include "tools/search/search_scope.h"
#include "tools/tools.h"

#include <math.h>

enum { PAGE_SIZE = 100, MAX_CONTEXT = 50, HINT_TIMEOUT_MS = 5000 };

typedef struct GrepArgs {
    const char *pattern, *path, *glob, *type;
    const json_t *paths;
    bool i, multiline, gitignore, has_multiline, has_pre, has_post, has_limit, has_offset;
    double pre, post, limit, offset, skip;
} GrepArgs;

static const FieldDef grep_fields[] = {
    { "pattern", FIELD_STRING, offsetof(GrepArgs, pattern), .is_required = true,
      .help = "No backreferences" },
    { "path", FIELD_STRING, offsetof(GrepArgs, path),
      .help = "File or directory; several with commas" },
    { "paths", FIELD_STRING_LIST, offsetof(GrepArgs, paths) },
    { "glob", FIELD_STRING, offsetof(GrepArgs, glob) },
    { "type", FIELD_STRING, offsetof(GrepArgs, type), .help = "c, py, ts, md …" },
    { "i", FIELD_BOOLEAN, offsetof(GrepArgs, i), .short_flag = 'i', .help = "Ignore case" },
    { "pre", FIELD_NUMBER, offsetof(GrepArgs, pre), .has_offset = offsetof(GrepArgs, has_pre),
      .help = "Lines before a match" },
    { "post", FIELD_NUMBER, offsetof(GrepArgs, post), .has_offset = offsetof(GrepArgs, has_post),
      .help = "Lines after a match" },
    { "multiline", FIELD_BOOLEAN, offsetof(GrepArgs, multiline),
      .has_offset = offsetof(GrepArgs, has_multiline) },
    { "gitignore", FIELD_BOOLEAN, offsetof(GrepArgs, gitignore), .default_text = "true" },
    { "limit", FIELD_NUMBER, offsetof(GrepArgs, limit), .has_offset = offsetof(GrepArgs, has_limit),
      .help = "Matches on a page (100)" },
    { "offset", FIELD_NUMBER, offsetof(GrepArgs, offset),
      .has_offset = offsetof(GrepArgs, has_offset), .is_hidden = true }, // skip by another name
    { "skip", FIELD_NUMBER, offsetof(GrepArgs, skip), .help = "For the next page" },
    { 0 },
};

static bool to_count(const char *label, double value, bool is_given, unsigned fallback,
                     unsigned maximum, unsigned *ret_count, GError **error)
{
    if (is_given && (!isfinite(value) || value < 0))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%s must be a non-negative number, not %g; leave it out for the default",
                         label, value);
    *ret_count = is_given ? (unsigned)MIN(value, maximum) : MIN(fallback, maximum);
    return true;
}

static bool page_build(const GrepArgs *args, const Settings *settings, GrepPage *page,
                       GError **error)
{
    int64_t before = settings_get_int(settings, "grep.contextBefore");
    int64_t after = settings_get_int(settings, "grep.contextAfter");
    double offset = args->has_offset ? args->offset : args->skip;
    if (!to_count("Limit", args->limit, args->has_limit, PAGE_SIZE, GREP_WINDOW, &page->size,
                  error) ||
        !to_count("Offset", offset, true, 0, G_MAXINT, &page->offset, error) ||
        !to_count("pre", args->pre, args->has_pre, (unsigned)MAX(before, 0), MAX_CONTEXT,
                  &page->before, error) ||
        !to_count("post", args->post, args->has_post, (unsigned)MAX(after, 0), MAX_CONTEXT,
                  &page->after, error))
        return false;
    if (page->size == 0)
        page->size = PAGE_SIZE;
    return true;
}

/* What comes behind the lines: that there is more, and what was not searched. */
static char *last_lines(const GrepPage *page, const SearchScope *scope, unsigned shown,
                        bool has_more)
{
    GString *text = g_string_new(NULL);
    if (has_more)
        g_string_append_printf(text, "\n\nResult limit reached; narrow paths or use skip=%u.",
                               page->offset + shown);
    missing_append_line(scope->missing, &scope->notes, shown == 0, text);
    return g_string_free(text, FALSE);
}

static void set_details(const GrepPrinted *printed, const SearchScope *scope, const GrepPage *page,
                        bool is_truncated, json_t *details)
{
    json_add(details, "scopePath:%s matchCount:%u fileCount:%jd files:%p fileMatches:%p",
             scope->shown, printed->shown, (gint64)json_array_size(printed->files),
             json_incref(printed->files), json_incref(printed->counts));
    if (printed->has_more)
        json_set_int(details, "resultLimitReached", page->size);
    if (printed->has_cut_line)
        json_set_bool(details, "linesTruncated", true);
    json_set_bool(details, "truncated", is_truncated);
    missing_set_details(scope->missing, details);
}

static void write_result(ToolCall *call, const GrepFound *found, const SearchScope *scope,
                         const GrepPage *page, ToolResult *result)
{
    g_autofree char *longest = last_lines(page, scope, page->size, true);
    size_t last_size = MIN(strlen(longest), TRUNCATE_MAX_BYTES / 2);
    g_auto(GrepPrinted) printed = { 0 };
    grep_page_print(found, page, tool_call_cwd(call), scope->is_one_file,
                    TRUNCATE_MAX_BYTES - last_size, &printed);
    if (printed.shown == 0)
        g_string_assign(printed.text, "No matches found");

    g_autofree char *last = last_lines(page, scope, printed.shown, printed.has_more);
    g_auto(Truncated) cut =
        truncate_head(printed.text->str, G_MAXINT, TRUNCATE_MAX_BYTES - last_size);
    cut.max_bytes = TRUNCATE_MAX_BYTES;
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_set_column_limit(result, printed.has_cut_line ? TRUNCATE_MAX_COLUMN : 0);
    g_autofree char *whole = g_strconcat(cut.content, last, NULL);
    tool_result_add_text(result, whole);
    set_details(&printed, scope, page, printed.has_more || cut.is_truncated,
                tool_result_details(result));

    json_each (printed.files, i, path) {
        g_autofree char *absolute = path_absolute(json_string_value(path), tool_call_cwd(call));
        seen_files_note(call, absolute);
        if (i < printed.seen->len && !cut.is_truncated) // else some of it was not shown
            read_cache_note(call, absolute, g_steal_pointer(&printed.seen->pdata[i]));
    }
}

static bool set_filters(const GrepArgs *args, GrepSearch *search, GError **error)
{
    search->type_globs = args->type ? grep_type_globs(args->type) : NULL;
    if (args->type && !search->type_globs)
        return fail_with(error, KEDGE_ERROR_USAGE, "Unknown file type: %s", args->type);
    search->glob_is_for_name = args->glob && !strchr(args->glob, '/');
    if (args->glob)
        search_notes_add_glob(search->notes, "", args->glob);
    return !args->glob || glob_compile(args->glob, &search->glob, error);
}

/* Nothing was found: would the pattern find something in another way of writing? */
static void look_otherwise(ToolCall *call, const GrepSearch *asked, SearchNotes *notes)
{
    for (unsigned way = 0; way < 2 && !search_notes_has_hint(notes); way++) {
        g_autofree char *pattern = grep_pattern_other(asked->pattern, way);
        g_auto(GrepFound) found = { 0 };
        g_auto(SearchNotes) none = { 0 };
        GrepSearch search = *asked;
        search.pattern = pattern;
        search.before = search.after = 0;
        search.timeout_ms = HINT_TIMEOUT_MS;
        search.notes = &none;
        if (!pattern || !grep_search(&search, tool_call_cancel(call), &found, NULL) ||
            found.files->len == 0)
            continue;
        const GrepFile *first = found.files->pdata[0];
        g_autofree char *shown = path_display(first->path, asked->cwd);
        notes->hint = g_strdup_printf("The pattern %s%s would match %u%s %s, first in %s", pattern,
                                      way == 0 ? "" : " (the text itself)", found.matches,
                                      found.has_more ? " or more" : "",
                                      found.matches == 1 ? "time" : "times", shown);
    }
}

static bool grep_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const GrepArgs *args = args_;
    const char *cwd = tool_call_cwd(call);
    g_autofree char *pattern = utf8_trim(args->pattern);
    if (*pattern == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "Pattern must not be empty");
    g_auto(SearchScope) scope = { 0 };
    GrepPage page = { .has_anchors = hashline_is_shown(call) };
    if (!page_build(args, tool_call_settings(call), &page, error) ||
        !search_scope_build(call, args->path, args->paths, &scope, error))
        return false;

    bool spans_lines = strchr(pattern, '\n') || strstr(pattern, "\\n");
    GrepSearch search = {
        .pattern = pattern,
        .cwd = cwd,
        .paths = (const char *const *)scope.paths->pdata,
        .ignores_case = args->i,
        .is_multiline = args->has_multiline ? args->multiline : spans_lines,
        .no_ignore = !args->gitignore,
        .is_directory_scope = !scope.is_one_file,
        .before = page.before,
        .after = page.after,
        .has_anchors = page.has_anchors,
        .skip = page.offset / GREP_WINDOW * GREP_WINDOW,
        .max_matches = GREP_WINDOW,
        .timeout_ms = GREP_TIMEOUT_MS,
        .notes = &scope.notes,
    };
    g_auto(GrepFound) found = { 0 };
    bool is_done = set_filters(args, &search, error) &&
                   grep_search(&search, tool_call_cancel(call), &found, error);
    if (is_done && found.files->len == 0 && page.offset == 0)
        look_otherwise(call, &search, &scope.notes);
    g_clear_pointer(&search.glob, g_regex_unref);
    if (!is_done)
        return false;
    write_result(call, &found, &scope, &page, result);
    return true;
}

const ToolDef tool_grep = {
    .name = "grep",
    .label = "Grep",
    .summary = "Search file contents with a regular expression",
    .description =
        "Search file contents with a regular expression. Matching lines are marked *N|, lines "
        "around them are shown too. Ignored (.gitignore) and binary files are left out.",
    .effect = EFFECT_READ,
    .fields = grep_fields,
    .args_size = sizeof(GrepArgs),
    .setting = "grep.enabled",
    .run = grep_run,
};
