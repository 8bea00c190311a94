/*
 * ast_grep: code by its syntax, with ast-grep (agent-tools §3.9). Offered where that is installed.
 */
#include "base/path.h"
#include "base/utf8.h"
#include "tools/ast_files.h"
#include "tools/file_heading.h"
#include "tools/missing.h"
#include "tools/seen_files.h"
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

typedef struct Page {
    GString *text;
    json_t *files, *counts;
    unsigned shown;
    bool has_more, has_cut_line;
} Page;

static void page_clear(Page *self)
{
    g_string_free(self->text, TRUE);
    json_decref(self->files);
    json_decref(self->counts);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Page, page_clear)

/* The first line marked, the others not. */
static void append_match(Page *self, const AstMatch *match)
{
    g_auto(GStrv) lines = g_strsplit(match->text, "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        g_autofree char *line = utf8_ellipsize(g_strchomp(lines[i]), TRUNCATE_MAX_COLUMN);
        self->has_cut_line = self->has_cut_line || strcmp(line, lines[i]) != 0;
        g_string_append_printf(self->text, "%c%" G_GINT64_FORMAT "|%s\n", i == 0 ? '*' : ' ',
                               match->line + i, line);
    }
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
    json_t *count = json_object();
    json_set_text(count, "path", shown);
    json_set_int(count, "count", 1);
    json_append_take(self->counts, count);
    json_append_take(self->files, json_text(shown));
}

/* Matches from number `skip` on: as many as a page has and as fit, but one at least. */
static void print_page(ToolCall *call, const AstFiles *files, const GPtrArray *matches,
                       unsigned skip, Page *self)
{
    const char *cwd = tool_call_cwd(call);
    g_autofree char *last_dir = NULL, *last_file = NULL;
    unsigned i = MIN(skip, matches->len);
    for (; i < matches->len && self->shown < PAGE_SIZE; i++) {
        const AstMatch *match = matches->pdata[i];
        g_autofree char *shown = path_display(match->file, cwd);
        size_t before = self->text->len;
        if (g_strcmp0(last_file, shown) != 0 && !files->scope.is_one_file)
            file_heading_append(self->text, shown, "", &last_dir);
        append_match(self, match);
        if (self->shown > 0 && self->text->len > TRUNCATE_MAX_BYTES) {
            g_string_truncate(self->text, before);
            break;
        }
        if (g_strcmp0(last_file, shown) != 0)
            seen_files_note(call, match->file);
        g_free(g_steal_pointer(&last_file));
        last_file = g_strdup(shown);
        count_match(self, shown);
        self->shown++;
    }
    self->has_more = i < matches->len;
    if (self->text->len > 0)
        g_string_truncate(self->text, self->text->len - 1);
}

static void finish(ToolCall *call, const AstFiles *files, const Page *page, unsigned skip,
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
    missing_append_line(files->scope.missing, page->shown == 0, text);
    ast_files_append_issues(files, cwd, text);
    tool_result_add_text(result, text->str);

    json_t *details = tool_result_details(result);
    json_set_int(details, "matchCount", page->shown);
    json_set_int(details, "fileCount", (gint64)json_array_size(page->files));
    json_set_bool(details, "limitReached", page->has_more);
    json_set_take(details, "files", json_incref(page->files));
    json_set_take(details, "fileMatches", json_incref(page->counts));
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
    g_auto(Page)
        page = { .text = g_string_new(NULL), .files = json_array(), .counts = json_array() };
    print_page(call, &files, matches, skip, &page);
    finish(call, &files, &page, skip, result);
    return true;
}

static bool ast_grep_is_available(const Settings *settings)
{
    g_autofree char *program =
        settings_get_bool(settings, "astGrep.enabled") ? ast_program(NULL) : NULL;
    return program != NULL;
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
    .is_available = ast_grep_is_available,
    .run = ast_grep_run,
};
