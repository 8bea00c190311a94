/*
 * ast_grep: code by its syntax, with ast-grep (agent-tools §3.9). Offered where that is installed.
 */
#include "base/file.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tools/ast/ast_files.h"
#include "tools/ast/ast_lines.h"
#include "tools/file/file_heading.h"
#include "tools/file/hashline.h"
#include "tools/file/missing.h"
#include "tools/file/seen_files.h"
#include "tools/tools.h"

#include <math.h>

#define PAGE_SIZE     50
#define CAPTURE_CHARS TRUNCATE_MAX_COLUMN

typedef struct AstGrepArgs {
    const char *pat;
    const json_t *paths;
    double skip;
} AstGrepArgs;

static const FieldDef ast_grep_fields[] = {
    { "pat", FIELD_STRING, offsetof(AstGrepArgs, pat), .is_required = true,
      .help = "Code; $NAME is one node, $$$NAME any number" },
    { "paths", FIELD_STRING_LIST, offsetof(AstGrepArgs, paths), .is_required = true, .min_items = 1,
      .help = "Files, directories, globs" },
    { "skip", FIELD_NUMBER, offsetof(AstGrepArgs, skip), .help = "For the next page" },
    { 0 },
};

typedef struct Source { // the file that is being printed
    const char *path;   // borrowed from its matches; NULL: none yet
    char *text;         // with anchors: of all of it
    AstLines *lines;
    ReadSnapshot *seen; // of it, on this page
} Source;

static void source_clear(Source *self)
{
    g_clear_pointer(&self->lines, ast_lines_free);
    g_clear_pointer(&self->text, g_free);
    g_clear_pointer(&self->seen, read_snapshot_free);
    self->path = NULL;
}

typedef struct Page {
    GString *text;
    json_t *files, *counts;
    unsigned shown;
    bool has_more, has_cut_line, has_anchors;
    Source source;
} Page;

static void page_clear(Page *self)
{
    source_clear(&self->source);
    g_string_free(self->text, TRUE);
    json_decref(self->files);
    json_decref(self->counts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Page, page_clear)

static void close_source(ToolCall *call, Page *self)
{
    if (self->source.seen)
        read_cache_note(call, self->source.path, g_steal_pointer(&self->source.seen));
    source_clear(&self->source);
}

/* A file that cannot be read, or is another meanwhile, has no anchors. */
static void open_source(ToolCall *call, Page *self, const char *path)
{
    size_t size = 0;
    close_source(call, self);
    self->source.path = path;
    if (!self->has_anchors || !file_read(path, AST_MAX_FILE_BYTES, &self->source.text, &size, NULL))
        return;
    self->source.lines = ast_lines_new(self->source.text, size);
    self->source.seen = read_snapshot_new();
}

/* The whole lines that the match is in; `whole` gets the numbers of those that are not cut. */
static void append_lines(Page *self, const AstMatch *match, GArray *whole)
{
    const AstLines *lines = self->source.lines;
    size_t first = ast_lines_number(lines, match->start);
    size_t last = ast_lines_number(lines, MAX(match->end, match->start + 1) - 1);
    for (size_t number = first; number <= last; number++) {
        if (ast_lines_append(lines, number == first ? '*' : ' ', number, TRUNCATE_MAX_COLUMN,
                             self->text))
            g_array_append_val(whole, number);
        else
            self->has_cut_line = true;
    }
}

static void append_text(Page *self, const AstMatch *match)
{
    g_auto(GStrv) lines = g_strsplit(match->text, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        g_autofree char *line = utf8_ellipsize(g_strchomp(lines[i]), TRUNCATE_MAX_COLUMN);
        self->has_cut_line = self->has_cut_line || strcmp(line, lines[i]) != 0;
        g_string_append_printf(self->text, "%c%" G_GINT64_FORMAT "|%s\n", i == 0 ? '*' : ' ',
                               match->line + i, line);
    }
}

/* The first line marked, the others not. `whole`: as of append_lines(). */
static void append_match(Page *self, const AstMatch *match, GArray *whole)
{
    if (self->source.lines && ast_lines_have(self->source.lines, match))
        append_lines(self, match, whole);
    else
        append_text(self, match);
    if (!match->captures)
        return;
    g_autofree char *captures = utf8_ellipsize(match->captures, CAPTURE_CHARS);
    g_string_append_printf(self->text, "  meta: %s\n", captures);
}

static void count_match(Page *self, const char *shown)
{
    json_t *last = json_array_get(self->counts, json_array_size(self->counts) - 1);
    if (last && strcmp(json_get_text(last, "path"), shown) == 0) {
        json_set_int(last, "count", json_get_int(last, "count", 0) + 1);
        return;
    }
    json_append_take(self->counts, json_make("path:%s count:%d", shown, 1));
    json_append_take(self->files, json_text(shown));
}

/* What the page cuts at its end was not shown. */
static void note_lines(Page *self, const GArray *whole)
{
    bool is_cut = self->text->len > TRUNCATE_MAX_BYTES;
    for (unsigned i = 0; i < whole->len && !is_cut; i++)
        ast_lines_note(self->source.lines, g_array_index(whole, size_t, i), self->source.seen);
}

/* Matches from number `skip` on: as many as a page has and as fit, but one at least. */
static void print_page(ToolCall *call, const AstFiles *files, const GPtrArray *matches,
                       unsigned skip, Page *self)
{
    const char *cwd = tool_call_cwd(call);
    g_autoptr(GArray) whole = g_array_new(FALSE, FALSE, sizeof(size_t)); // lines of one match
    g_autofree char *last_dir = NULL;
    unsigned i = MIN(skip, matches->len);
    for (; i < matches->len && self->shown < PAGE_SIZE; i++) {
        const AstMatch *match = matches->pdata[i];
        g_autofree char *shown = path_display(match->file, cwd);
        size_t before = self->text->len;
        bool is_next = g_strcmp0(self->source.path, match->file) != 0;
        if (is_next)
            open_source(call, self, match->file);
        if (is_next && !files->scope.is_one_file)
            file_heading_append(self->text, shown, "", &last_dir);
        g_array_set_size(whole, 0);
        append_match(self, match, whole);
        if (self->shown > 0 && self->text->len > TRUNCATE_MAX_BYTES) {
            g_string_truncate(self->text, before);
            break;
        }
        note_lines(self, whole);
        if (is_next)
            seen_files_note(call, match->file);
        count_match(self, shown);
        self->shown++;
    }
    close_source(call, self);
    self->has_more = i < matches->len;
    if (self->text->len > 0)
        g_string_truncate(self->text, self->text->len - 1);
}

static void ast_grep_finish(ToolCall *call, const AstFiles *files, const Page *page, unsigned skip,
                            ToolResult *result)
{
    const char *cwd = tool_call_cwd(call);
    bool is_doubtful = page->shown == 0 && files->broken->len > 0;
    g_auto(Truncated) cut = truncate_head(page->text->str, G_MAXINT, TRUNCATE_MAX_BYTES);
    tool_result_set_truncation(result, &cut, RESULT_HEAD, 1, 0, NULL);
    tool_result_set_column_limit(result, page->has_cut_line ? TRUNCATE_MAX_COLUMN : 0);
    g_autoptr(GString) text = g_string_new(page->shown > 0 ? cut.content : "No matches found");
    if (is_doubtful)
        g_string_append(text, ". Parse issues mean the query may be mis-scoped; narrow paths "
                              "before concluding absence.");
    if (page->has_more)
        g_string_append_printf(text, "\n\nResult limit reached; narrow paths or use skip=%u.",
                               skip + page->shown);
    missing_append_line(files->scope.missing, &files->scope.notes, page->shown == 0, text);
    ast_files_append_issues(files, cwd, text);
    tool_result_add_text(result, text->str);

    json_t *details = tool_result_details(result);
    json_add(details, "matchCount:%u fileCount:%jd limitReached:%i files:%p fileMatches:%p",
             page->shown, (gint64)json_array_size(page->files), page->has_more,
             json_incref(page->files), json_incref(page->counts));
    ast_files_set_details(files, cwd, details);
    missing_set_details(files->scope.missing, details);
}

static bool ast_grep_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const AstGrepArgs *args = args_;
    g_autofree char *pattern = utf8_trim(args->pat);
    if (*pattern == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "Pattern must not be empty");
    if (!isfinite(args->skip) || args->skip < 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Skip must be a non-negative number, not %g",
                         args->skip);
    unsigned skip = (unsigned)MIN(args->skip, G_MAXINT);
    g_auto(AstFiles) files = { 0 };
    g_autoptr(GPtrArray) matches = NULL;
    if (!ast_files_collect(call, args->paths, &files, error))
        return false;
    const AstSearch search = {
        .program = files.program,
        .pattern = pattern,
        .files = (const char *const *)files.paths->pdata,
    };
    if (!ast_search(&search, tool_call_cancel(call), files.broken, &matches, error))
        return false;
    g_auto(Page) page = { .text = g_string_new(NULL),
                          .files = json_array(),
                          .counts = json_array(),
                          .has_anchors = hashline_is_shown(call) };
    print_page(call, &files, matches, skip, &page);
    ast_grep_finish(call, &files, &page, skip, result);
    return true;
}

const ToolDef tool_ast_grep = {
    .name = "ast_grep",
    .label = "AST Grep",
    .summary = "Search code by its syntax",
    .description = "Search code by its syntax: `pat` is code of the files' language, such as "
                   "`foo($A, $$$REST)`; the same name matches the same text. The pattern must be "
                   "one node: in C and Java a call as a statement needs its `;`.",
    .effect = EFFECT_READ,
    .flags = TOOL_DISCOVERABLE,
    .fields = ast_grep_fields,
    .args_size = sizeof(AstGrepArgs),
    .setting = "astGrep.enabled",
    .is_available = ast_is_available,
    .run = ast_grep_run,
};
