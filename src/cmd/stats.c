/*
 * `kedge stats`: what the sessions used, by model and day (agent-core §1.8).
 */
#include "base/dirs.h"
#include "base/file.h"
#include "base/log.h"
#include "base/timefmt.h"
#include "base/visible.h"
#include "cmd/cli/commands.h"
#include "export/report_pages.h"
#include "session/usage_db.h"

#define DAY_MS     (INT64_C(24) * 60 * 60 * 1000)
#define SHOWN_DAYS 30

typedef struct StatsOptions {
    bool is_json, is_summary;
    const char *html;
    int64_t days;
} StatsOptions;

static const FieldDef stats_options[] = {
    { "json", FIELD_BOOLEAN, offsetof(StatsOptions, is_json), .short_flag = 'j',
      .help = "Print {overall, byModel, byDay, byFolder, byDayAndModel} as JSON" },
    { "summary", FIELD_BOOLEAN, offsetof(StatsOptions, is_summary), .short_flag = 's',
      .help = "Print the tables, which is what happens without --json" },
    { "html", FIELD_STRING, offsetof(StatsOptions, html), .refuses_blank = true,
      .value_name = "FILE", .help = "Write a page for the browser, whole in itself, with bars" },
    { "days", FIELD_INTEGER, offsetof(StatsOptions, days), .min = 1, .max = 36500,
      .value_name = "N", .help = "Only the last N days" },
    { 0 },
};

/* 1234567 → "1,234,567". Caller frees. */
static char *stats_grouped(int64_t number)
{
    g_autofree char *digits = g_strdup_printf("%" G_GINT64_FORMAT, number);
    size_t size = strlen(digits);
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            g_string_append_c(out, ',');
        g_string_append_c(out, digits[i]);
    }
    return g_string_free(out, FALSE);
}

static void append_head(GString *out, const char *title)
{
    g_string_append_printf(out, "%-40s %9s %7s %15s %13s %6s %12s\n", title, "Requests", "Failed",
                           "Input", "Output", "Cached", "Cost");
}

/* Input is all that was sent: what the cache had is part of it. */
static void append_row(GString *out, const char *name, const json_t *sums)
{
    int64_t all_input = json_get_int(sums, "totalInputTokens", 0) +
                        json_get_int(sums, "totalCacheReadTokens", 0) +
                        json_get_int(sums, "totalCacheWriteTokens", 0);
    g_autofree char *requests = stats_grouped(json_get_int(sums, "totalRequests", 0));
    g_autofree char *failed = stats_grouped(json_get_int(sums, "failedRequests", 0));
    g_autofree char *input = stats_grouped(all_input);
    g_autofree char *output = stats_grouped(json_get_int(sums, "totalOutputTokens", 0));
    g_autofree char *cost =
        g_strdup_printf("$%.4f", json_number_value(json_object_get(sums, "totalCost")));
    double cached = 100 * json_number_value(json_object_get(sums, "cacheRate"));
    g_autoptr(GString) shown = g_string_new(NULL);
    visible_append(shown, name);
    g_string_append_printf(out, "%-40s %9s %7s %15s %13s %5.0f%% %12s\n", shown->str, requests,
                           failed, input, output, cached, cost);
}

static char *stats_tables(const json_t *report)
{
    GString *out = g_string_new(NULL);
    const json_t *models = json_get_array(report, "byModel");
    const json_t *days = json_get_array(report, "byDay");
    append_head(out, "Model");
    for (size_t i = 0; i < json_array_size(models); i++) {
        const json_t *sums = json_array_get(models, i);
        g_autofree char *name =
            g_strdup_printf("%s/%s", json_get_text(sums, "provider"), json_get_text(sums, "model"));
        append_row(out, name, sums);
    }
    append_row(out, "all", json_get_object(report, "overall"));
    size_t first = json_array_size(days) > SHOWN_DAYS ? json_array_size(days) - SHOWN_DAYS : 0;
    g_string_append_c(out, '\n');
    append_head(out, "Day");
    for (size_t i = first; i < json_array_size(days); i++) {
        const json_t *sums = json_array_get(days, i);
        append_row(out, json_get_text(sums, "day"), sums);
    }
    if (first > 0)
        g_string_append_printf(out, "(%zu earlier days: --json has them)\n", first);
    return g_string_free(out, FALSE);
}

/* Where no file can be made, everything is counted again in memory. */
static bool open_db(Db **ret_db, GError **error)
{
    g_autofree char *root = dirs_config_root();
    g_autofree char *path = g_build_filename(root, "stats.db", NULL);
    g_autoptr(GError) cause = NULL;
    if (usage_db_open(path, NULL, ret_db, &cause))
        return true;
    if (!error_is(cause, KEDGE_ERROR_IO))
        return pass_error(error, &cause);
    log_warning("%s; all sessions are read again", cause->message);
    return usage_db_open(":memory:", NULL, ret_db, error);
}

static int write_page(const json_t *report, const char *path)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *now = time_format_iso(time_now_ms());
    g_autofree char *page = stats_page(report, now);
    if (!file_write_atomic(path, page, strlen(page), 0600, &error))
        return cmd_fail(error);
    g_autoptr(GString) line = g_string_new("Exported to: ");
    visible_append(line, path);
    return cmd_print_line(line->str) ? EXIT_OK : EXIT_FAILED;
}

static void say_what_was_read(const UsageSync *sync)
{
    log_text("Synced %" G_GINT64_FORMAT " new entries from %" G_GINT64_FORMAT
             " files (%" G_GINT64_FORMAT " total)",
             sync->new_requests, sync->read_files, sync->all_files);
    if (sync->unreadable_files > 0)
        log_warning("%" G_GINT64_FORMAT " session files cannot be read", sync->unreadable_files);
}

static int stats_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL, report = NULL;
    g_autoptr(Db) db = NULL;
    StatsOptions options = { 0 };
    UsageSync sync = { 0 };
    if (!cmd_decode_options(stats_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (options.html && options.is_json) {
        log_error("--html and --json cannot be used together");
        return EXIT_USAGE;
    }
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *sessions = g_build_filename(agent_dir, "sessions", NULL);
    int64_t since_ms = options.days > 0 ? time_now_ms() - options.days * DAY_MS : 0;
    if (!open_db(&db, &error) || !usage_db_sync(db, sessions, NULL, &sync, &error) ||
        !usage_db_report(db, since_ms, &report, &error))
        return cmd_fail(error);
    say_what_was_read(&sync);
    if (options.html)
        return write_page(report, options.html);
    g_autofree char *text = options.is_json ? json_to_pretty(report) : stats_tables(report);
    return (options.is_json ? cmd_print_line(text) : cmd_print(text)) ? EXIT_OK : EXIT_FAILED;
}

const Command command_stats = {
    .name = "stats",
    .summary = "What the sessions used: requests, tokens, cost, by model and day",
    .usage = "[--json | --html FILE] [--days N]",
    .options = stats_options,
    .help =
        "Counts every answer in the session files once, and what names and summaries took, also "
        "of\nsessions that were forked or deleted since. Input is everything that was sent; Cached "
        "is the\nshare of it that the provider had in its cache. What was read is remembered in "
        "~/.kedge/stats.db,\nwhich may be deleted.",
    .run = stats_run,
};
