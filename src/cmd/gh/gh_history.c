/*
 * `kedge gh last-error` and `kedge gh audit`: what was run, for people (gh-policy §9.4, §11.2).
 */
#include "base/dirs.h"
#include "base/log.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "base/visible.h"
#include "cmd/gh/gh_command.h"
#include "github/audit/gh_audit.h"
#include "github/audit/gh_audit_query.h"
#include "github/audit/gh_record.h"
#include "github/audit/gh_record_session.h"
#include "session/session_find.h"

typedef struct LastErrorOptions {
    bool is_json;
} LastErrorOptions;

static const FieldDef last_error_options[] = {
    { "json", FIELD_BOOLEAN, offsetof(LastErrorOptions, is_json),
      .help = "Print the record as JSON" },
    { 0 },
};

/* "2" → 2; no word: the newest. False after a message. */
static bool read_position(const GPtrArray *words, size_t *ret_position)
{
    int64_t number = 1;
    bool is_valid = words->len == 0 || (words->len == 1 && str_parse_int(words->pdata[0], &number));
    if (!is_valid || number < 1) {
        log_text("usage: kedge gh last-error [N] [--json]; N counts from 1, the newest");
        return false;
    }
    *ret_position = (size_t)number;
    return true;
}

/* Of the newest session of this directory, and of calls outside of sessions. */
static bool load_records(json_t **ret_records, GError **error)
{
    g_autofree char *agent_dir = dirs_agent();
    g_autofree char *cwd = g_get_current_dir();
    const SessionPlace place = { .agent_dir = agent_dir, .cwd = cwd };
    g_autofree char *session = session_find_recent(&place);
    return gh_record_load_all(session, ret_records, error);
}

static int last_error_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    LastErrorOptions options = { 0 };
    if (!cmd_decode_options(last_error_options, argc, argv, &options, &kept, words, &error))
        return cmd_fail(error);
    size_t position = 0;
    if (!read_position(words, &position))
        return EXIT_USAGE;
    g_autoptr(json_t) records = NULL;
    if (!load_records(&records, &error))
        return cmd_fail(error);
    size_t count = json_array_size(records);
    if (count == 0 && words->len == 0)
        return cmd_print_line(options.is_json ? "null" : "No gh call in this session.")
                   ? EXIT_OK
                   : EXIT_FAILED;
    if (position > count) {
        log_error("there is no gh call %zu: %zu are remembered", position, count);
        return EXIT_FAILED;
    }
    const json_t *record = json_array_get(records, position - 1);
    g_autofree char *text = options.is_json ? json_to_pretty(record) : gh_record_to_text(record);
    g_autofree char *shown = options.is_json ? g_strdup(text) : visible_lines(text);
    return cmd_print_line(shown) ? EXIT_OK : EXIT_FAILED;
}

const Command command_gh_last_error = {
    .name = "gh last-error",
    .summary = "Show the last gh call in full: context, argv, class, result, how to repeat it",
    .usage = "[N] [--json]",
    .options = last_error_options,
    .help = "N: the N-th newest of the last 20, 1 by default; also of calls that succeeded. They "
            "are those of\n"
            "this directory's newest session, and those of `kedge gh exec`, `kedge gh call` and "
            "`kedge mcp`.\n"
            "Secrets and private text are masked.\n"
            "Exit codes: 0 shown, 1 there is no such call, 2 usage.",
    .run = last_error_run,
};

typedef struct AuditOptions {
    const char *since, *until;
    const char *host, *repo, *class_name, *policy, *kind, *cmd, *ref, *tool, *grep, *count_by;
    int64_t limit;
    bool has_limit, is_json;
} AuditOptions;

static const char *const audit_classes[] = { "read",    "write",   "destructive",
                                             "blocked", "unknown", NULL };
static const char *const audit_policies[] = { "auto", "confirm", "block", NULL };

static const FieldDef audit_options[] = {
    { "since", FIELD_STRING, offsetof(AuditOptions, since), .value_name = "T",
      .help = "From this time on (default: 7d)" },
    { "until", FIELD_STRING, offsetof(AuditOptions, until), .value_name = "T",
      .help = "Up to this time" },
    { "host", FIELD_STRING, offsetof(AuditOptions, host), .value_name = "H",
      .help = "Of this host; may end in *" },
    { "repo", FIELD_STRING, offsetof(AuditOptions, repo), .value_name = "OWNER/REPO",
      .help = "Of this repository; may end in *" },
    { "class", FIELD_ENUM, offsetof(AuditOptions, class_name), .values = audit_classes,
      .value_name = "C", .help = "read, write, destructive, blocked or unknown" },
    { "policy", FIELD_ENUM, offsetof(AuditOptions, policy), .values = audit_policies,
      .value_name = "P", .help = "auto, confirm or block" },
    { "kind", FIELD_STRING, offsetof(AuditOptions, kind), .value_name = "K",
      .help = "Error kind, such as auth or confirm-declined; - for none" },
    { "cmd", FIELD_STRING, offsetof(AuditOptions, cmd), .value_name = "C",
      .help = "Command, words joined with dots: pr.merge; may end in *" },
    { "ref", FIELD_STRING, offsetof(AuditOptions, ref), .value_name = "N",
      .help = "Number of the issue, pull request or run" },
    { "tool", FIELD_STRING, offsetof(AuditOptions, tool), .value_name = "T",
      .help = "gh, gh_pr_view, github …" },
    { "grep", FIELD_STRING, offsetof(AuditOptions, grep), .value_name = "RE",
      .help = "Lines that match this extended regular expression" },
    { "limit", FIELD_INTEGER, offsetof(AuditOptions, limit),
      .has_offset = offsetof(AuditOptions, has_limit),
      .help = "So many, the newest (default: 200)" },
    { "countBy", FIELD_STRING, offsetof(AuditOptions, count_by), .value_name = "FIELD",
      .help = "Print `N<TAB>VALUE` for each value of a field, largest first" },
    { "json", FIELD_BOOLEAN, offsetof(AuditOptions, is_json), .help = "One JSON object a line" },
    { 0 },
};

typedef struct AuditOutput {
    bool is_json;
    bool has_failed; // no one reads any more
} AuditOutput;

static void print_line(AuditOutput *self, const char *text)
{
    g_autofree char *shown = self->is_json ? g_strdup(text) : visible_lines(text);
    self->has_failed = self->has_failed || !cmd_print_line(shown);
}

static void print_entry(const char *entry, void *user_data)
{
    AuditOutput *self = user_data;
    g_autoptr(json_t) value = self->is_json ? gh_audit_line_to_json(entry) : NULL;
    g_autofree char *json = value ? json_to_text(value) : NULL;
    print_line(self, json ? json : entry);
}

static void print_count(const char *value, guint64 count, void *user_data)
{
    AuditOutput *self = user_data;
    g_autofree char *line = NULL;
    if (self->is_json) {
        g_autoptr(json_t) object = json_make("count:%jd value:%s", (gint64)count, value);
        line = json_to_text(object);
    } else {
        line = g_strdup_printf("%" G_GUINT64_FORMAT "\t%s", count, value);
    }
    print_line(self, line);
}

static bool read_times(const AuditOptions *options, GhAuditFilter *filter, GError **error)
{
    int64_t now = time_now_ms();
    filter->since = now - (int64_t)GH_AUDIT_DEFAULT_DAYS * 24 * 3600 * 1000;
    return (!options->since ||
            gh_audit_parse_time(options->since, now, false, &filter->since, error)) &&
           (!options->until ||
            gh_audit_parse_time(options->until, now, true, &filter->until, error));
}

static int audit_run(const CommandEnv *env, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    AuditOptions options = { 0 };
    if (!cmd_decode_options(audit_options, argc, argv, &options, &kept, NULL, &error))
        return cmd_fail(error);
    if (options.has_limit && options.limit < 1) {
        log_error("--limit: expected a number above 0");
        return EXIT_USAGE;
    }
    GhAuditFilter filter = {
        .host = options.host,
        .repo = options.repo,
        .cmd = options.cmd,
        .class_name = options.class_name,
        .policy = options.policy,
        .kind = options.kind,
        .ref = options.ref,
        .tool = options.tool,
        .grep = options.grep,
        .limit = options.limit,
    };
    if (!read_times(&options, &filter, &error))
        return cmd_fail(error);

    g_autofree char *dir = gh_audit_dir();
    AuditOutput output = { .is_json = options.is_json };
    size_t skipped = 0;
    bool is_read =
        options.count_by
            ? gh_audit_count(dir, &filter, options.count_by, print_count, &output, &skipped, &error)
            : gh_audit_query(dir, &filter, print_entry, &output, &skipped, &error);
    if (!is_read)
        return cmd_fail(error);
    if (skipped > 0)
        log_warning("skipped %zu lines of the log that cannot be parsed", skipped);
    return output.has_failed ? EXIT_FAILED : EXIT_OK;
}

const Command command_gh_audit = {
    .name = "gh audit",
    .summary = "Search the log of GitHub calls, refused ones included",
    .usage = "[options]",
    .options = audit_options,
    .help = "T: 2026-05-16, an RFC 3339 time, or 30m, 12h, 7d, 2w ago. Newest last.\n"
            "  kedge gh audit --class write --since 1d\n"
            "  kedge gh audit --repo 'harbor/*' --kind confirm-declined --json\n"
            "  kedge gh audit --since 4w --count-by host\n"
            "The log is ~/.kedge/agent/gh-audit/YYYY-MM-DD.log, one line a call; it holds no "
            "arguments,\n"
            "no text and no output. Nothing found: exit code 0 and no output.",
    .run = audit_run,
};
