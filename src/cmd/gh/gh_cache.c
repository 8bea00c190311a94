/*
 * `kedge gh cache`: what is kept of issues, pull requests and diffs (github-tool §7.7), for people.
 */
#include "base/log.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "cmd/gh/gh_command.h"
#include "github/view_cache.h"

typedef struct CacheOptions {
    bool is_json;
} CacheOptions;

static const FieldDef cache_options[] = {
    { "json", FIELD_BOOLEAN, offsetof(CacheOptions, is_json),
      .help = "With list: one JSON object a line" },
    { 0 },
};

static bool print_json(const ViewListing *row)
{
    g_autoptr(json_t) object = json_make(
        "repo:%s kind:%s number:%jd comments:%jd fetchedAt:%jd bytes:%jd url:%s", row->repo,
        row->kind, row->number, row->comments, row->fetched_at, row->bytes, row->source_url);
    g_autofree char *text = json_to_text(object);
    return cmd_print_line(text);
}

static bool print_row(const ViewListing *row)
{
    static const char *const comments[] = { "without comments", "with comments", "with threads" };
    bool is_diff = strcmp(row->kind, "pr-diff") == 0;
    g_autofree char *age = time_format_iso(row->fetched_at);
    g_autofree char *size = str_format_bytes((uint64_t)row->bytes);
    g_autofree char *line = g_strdup_printf(
        "%s  %8s  %s://%s/%" G_GINT64_FORMAT "%s%s", age, size,
        strcmp(row->kind, "issue") == 0 ? "issue" : "pr", row->repo, row->number,
        is_diff ? "/diff" : "  ",
        is_diff || row->comments < 0 || row->comments > 2 ? "" : comments[row->comments]);
    return cmd_print_line(line);
}

static int list(const CacheOptions *options)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) rows = NULL;
    if (!view_cache_list(NULL, &rows, &error))
        return cmd_fail(error);
    bool is_good = true;
    for (unsigned i = 0; i < rows->len && is_good; i++)
        is_good = options->is_json ? print_json(rows->pdata[i]) : print_row(rows->pdata[i]);
    return is_good ? EXIT_OK : EXIT_FAILED;
}

static int cache_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    CacheOptions options = { 0 };
    if (!cmd_decode_options(cache_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    const char *word = words->len == 1 ? words->pdata[0] : "";
    if (strcmp(word, "list") == 0)
        return list(&options);
    if (strcmp(word, "clear") != 0) {
        log_text("usage: kedge gh cache list [--json] | clear");
        return EXIT_USAGE;
    }
    return view_cache_clear(NULL, &error) ? EXIT_OK : cmd_fail(error);
}

const Command command_gh_cache = {
    .name = "gh cache",
    .summary = "List or forget what is kept of issues, pull requests and diffs",
    .usage = "list [--json] | clear",
    .options = cache_options,
    .help =
        "What issue:// and pr:// have read is kept in ~/.kedge/cache/github-cache.db, under the "
        "login that\n"
        "read it. list: newest first, with size and address. clear: forgets all of it; a file "
        "that cannot\n"
        "be read is removed.\n"
        "Settings: github.cache.enabled, .softTtlSec, .hardTtlSec.\n"
        "Exit codes: 0 done, 1 it failed, 2 usage.",
    .run = cache_run,
};
