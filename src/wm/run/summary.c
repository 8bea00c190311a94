/*
 * What a run adds to the step summary of Actions (engine.h, task-engine §5.14): a table of what its
 * conversation says, the answer, and the beginning and the end of the log.
 */
#include "base/ansi.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wm/engine/stream_private.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SUMMARY_BYTES  (900 * KIB)
#define MAX_RESPONSE_BYTES (200 * KIB)
#define MAX_LINE_BYTES     (8 * KIB) // of a line of the log, escaped it may be some times that
#define END_LINES          30        // of the log that are shown, at either end
#define READ_BYTES         (64 * KIB)
#define MAX_LOG_BYTES      (64 * MIB) // that are read: what a run writes at most; agents can add

typedef struct Log { // of a conversation, as it is shown
    WmStream *stream;
    WmLines lines;
    GPtrArray *first, *last; // of char *, END_LINES at most
    uint64_t count;
} Log;

static void log_clear(Log *self)
{
    wm_stream_free(self->stream);
    wm_lines_clear(&self->lines);
    g_ptr_array_unref(self->first);
    g_ptr_array_unref(self->last);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Log, log_clear)

/* A line for a page: known secrets and control sequences out, markup as text. */
static char *page_text(const char *text, size_t size, const char *end)
{
    g_autofree char *valid = utf8_from_bytes(text, size);
    g_autofree char *plain = ansi_strip(valid);
    g_autofree char *masked = mask_text(plain);
    g_autofree char *escaped = g_markup_escape_text(masked, -1);
    return g_strconcat(escaped, end, NULL);
}

static void take_line(const char *line, size_t size, bool is_cut, void *user_data)
{
    Log *self = user_data;
    char *text = page_text(line, size, is_cut ? "…" : "");
    self->count++;
    if (self->first->len < END_LINES) {
        g_ptr_array_add(self->first, text);
        return;
    }
    if (self->last->len == END_LINES)
        g_ptr_array_remove_index(self->last, 0);
    g_ptr_array_add(self->last, text);
}

/* False: there is none, or nothing in it. */
static bool read_log(Log *self, const char *path)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, O_NOFOLLOW, &info);
    if (fd < 0)
        return false;
    g_autofree char *buffer = g_malloc(READ_BYTES);
    size_t left = MAX_LOG_BYTES;
    ssize_t got;
    while (left > 0 && (got = read(fd, buffer, MIN(left, READ_BYTES))) > 0) {
        left -= (size_t)got;
        wm_stream_push(self->stream, buffer, (size_t)got);
        wm_lines_push(&self->lines, buffer, (size_t)got);
    }
    wm_stream_finish(self->stream);
    wm_lines_finish(&self->lines);
    return self->count > 0;
}

static void add_row(GString *out, const char *name, const char *value)
{
    g_string_append_printf(out, "| %s | ", name);
    for (const char *at = value; *at; at++) {
        if (*at == '|')
            g_string_append_c(out, '\\');
        g_string_append_c(out, *at);
    }
    g_string_append(out, " |\n");
}

/* Text of the agent's. */
static void add_text_row(GString *out, const char *name, const char *value)
{
    g_autofree char *field = wm_stream_field(value, 200);
    g_autofree char *text = page_text(field, strlen(field), "");
    if (*text)
        add_row(out, name, text);
}

static void add_count_row(GString *out, const char *name, int64_t count, int64_t least)
{
    if (count < least)
        return;
    g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, (gint64)count);
    add_row(out, name, text);
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b);
}

static char *types_text(const WmStream *stream)
{
    GString *out = g_string_new(NULL);
    GList *names = g_list_sort(g_hash_table_get_keys(stream->event_types), compare_names);
    for (const GList *each = names; each; each = each->next)
        g_string_append_printf(
            out, "%s%s: %" G_GSIZE_FORMAT, out->len ? ", " : "", (const char *)each->data,
            GPOINTER_TO_SIZE(g_hash_table_lookup(stream->event_types, each->data)));
    g_list_free(names);
    return g_string_free(out, FALSE);
}

static void add_model(GString *out, const WmAgentSpec *spec, const WmUsage *usage)
{
    g_autofree char *wanted = wm_task_model(spec->task, spec->project->config);
    g_autofree char *configured = g_strdup_printf("%s (config)", wanted);
    add_text_row(out, "Model(s)", usage->model ? usage->model : *wanted ? configured : "—");
}

static void add_table(GString *out, const WmAgentSpec *spec, const WmStream *stream,
                      bool is_success, const char *duration)
{
    const WmUsage *usage = &stream->usage;
    g_autofree char *types = types_text(stream);
    g_string_append_printf(out, "\n## kedge wm · task `%s`\n\n| Metric | Value |\n| --- | --- |\n",
                           spec->task->name);
    add_row(out, "Pipeline success", is_success ? "yes" : "no");
    add_row(out, "Wall-clock", duration);
    add_count_row(out, "Stream events (lines)", stream->event_lines, 0);
    add_count_row(out, "JSONL parse errors", stream->bad_lines, 1);
    add_text_row(out, "Event types", types);
    add_model(out, spec, usage);
    if (usage->subtype)
        add_text_row(out, "Result subtype", usage->subtype);
    if (usage->cost_usd >= 0) {
        char cost[G_ASCII_DTOSTR_BUF_SIZE];
        g_autofree char *text =
            g_strconcat("$", g_ascii_formatd(cost, sizeof(cost), "%.6f", usage->cost_usd), NULL);
        add_row(out, "Total cost (USD)", text);
    }
    add_count_row(out, "Turns", usage->turns, 0);
    add_count_row(out, "Agent duration_ms", usage->duration_ms, 0);
    if (usage->session_id)
        add_text_row(out, "Session ID", usage->session_id);
    add_count_row(out, "Input tokens", usage->input_tokens, 0);
    add_count_row(out, "Output tokens", usage->output_tokens, 0);
    add_count_row(out, "Cache read input tokens", usage->cache_read_tokens, 1);
}

/* Markdown stays, so that a person reads it as it was meant. */
static void add_response(GString *out, const char *response)
{
    if (!response)
        return;
    g_autofree char *plain = ansi_strip(response);
    g_autofree char *masked = mask_text(plain);
    g_autofree char *text = str_truncate(masked, MAX_RESPONSE_BYTES);
    g_string_append_printf(out,
                           "\n<details><summary>Agent response</summary>\n\n%s%s\n\n</details>\n",
                           text, strlen(text) < strlen(masked) ? "…" : "");
}

static void add_lines(GString *out, const GPtrArray *lines)
{
    for (unsigned i = 0; i < lines->len; i++)
        g_string_append_printf(out, "%s\n", (const char *)lines->pdata[i]);
}

static void add_log(GString *out, const Log *log)
{
    static const char end[] = "</pre>\n\n</details>\n";
    uint64_t omitted = log->count - log->first->len - log->last->len;
    g_string_append(out, "\n<details><summary>Conversation log (truncated)</summary>\n\n<pre>\n");
    add_lines(out, log->first);
    if (omitted > 0)
        g_string_append_printf(out, "... %" G_GUINT64_FORMAT " lines omitted ...\n",
                               (guint64)omitted);
    add_lines(out, log->last);
    if (out->len > MAX_SUMMARY_BYTES - strlen(end))
        g_string_truncate(
            out, utf8_boundary_before(out->str, out->len, MAX_SUMMARY_BYTES - strlen(end)));
    g_string_append(out, end);
}

char *wm_summary_text(const WmAgentSpec *spec, const WmAgentResult *result, bool is_success,
                      const char *duration)
{
    if (!result->log_path || (spec->engine != WM_ENGINE_CLAUDE && spec->engine != WM_ENGINE_KEDGE))
        return NULL;
    g_auto(Log) log = {
        .stream = wm_stream_new(spec->engine, NULL, NULL),
        .lines = { .max_bytes = MAX_LINE_BYTES, .take = take_line, .user_data = &log },
        .first = g_ptr_array_new_with_free_func(g_free),
        .last = g_ptr_array_new_with_free_func(g_free),
    };
    if (!read_log(&log, result->log_path))
        return NULL;
    GString *out = g_string_new(NULL);
    add_table(out, spec, log.stream, is_success, duration);
    add_response(out, result->last_response);
    add_log(out, &log);
    return g_string_free(out, FALSE);
}
