/*
 * Notices as rows (block_private.h): what events have to say to a person, and messages that are
 * neither a prompt nor an answer: a person's own commands, summaries, jobs that have ended, files.
 */
#include "agent/event_kind.h"
#include "model/message.h"
#include "tui/view/block_private.h"

enum {
    TITLE_CELLS = 200,
    NAME_CELLS = 60,
    SUMMARY_LINES = 3,
    LISTED_MAX = 20, // files, jobs, rules
};

static const Style dim = { .fg = TOKEN_DIM };

/* Lines below a title. */
static void add_lines(const char *text, int max_lines, bool keeps_end, Style style,
                      const BlockSpec *spec, GPtrArray *out)
{
    const LinesSpec lines = {
        .block = spec,
        .style = style,
        .max_lines = max_lines,
        .keeps_end = keeps_end,
    };
    if (text)
        block_lines(text, strlen(text), &lines, out);
}

// ---- a person's commands ----

typedef struct Execution {
    const char *sign, *text; // "!", "make test"
    ThemeToken token;
} Execution;

static void add_execution_title(const Execution *self, const json_t *message, const BlockSpec *spec,
                                GPtrArray *out)
{
    bool is_hidden = json_get_bool(message, "excludeFromContext", false);
    bool is_good =
        !json_get_bool(message, "cancelled", false) && json_get_int(message, "exitCode", 0) == 0;
    g_autofree char *line = block_clean_line(self->text ? self->text : "…", TITLE_CELLS);
    g_autoptr(RowBuilder) builder = row_builder_new();
    row_builder_add(builder, theme_symbol(spec->theme, is_good ? SYMBOL_SUCCESS : SYMBOL_ERROR), -1,
                    (Style) { .fg = is_good ? TOKEN_SUCCESS : TOKEN_ERROR }, NULL);
    row_builder_add(builder, " ", 1, (Style) { 0 }, NULL);
    row_builder_add(builder, self->sign, -1, (Style) { .fg = self->token }, NULL);
    if (is_hidden)
        row_builder_add(builder, self->sign, -1, (Style) { .fg = self->token }, NULL);
    row_builder_add(builder, " ", 1, (Style) { 0 }, NULL);
    row_builder_add(builder, line, -1, (Style) { .fg = self->token, .attributes = STYLE_BOLD },
                    NULL);
    g_autoptr(Row) title = row_builder_take(builder);
    block_wrap_title(title, spec, out);
}

static void execution_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    bool is_shell = g_str_equal(message_role(message), "bashExecution");
    const Execution execution = {
        .sign = is_shell ? "!" : "$",
        .text = json_get_text(message, is_shell ? "command" : "code"),
        .token = is_shell ? TOKEN_BASH_MODE : TOKEN_PYTHON_MODE,
    };
    add_execution_title(&execution, message, spec, out);
    add_lines(json_get_text(message, "output"), BLOCK_COMMAND_LINES, true,
              (Style) { .fg = TOKEN_TOOL_OUTPUT }, spec, out);
    gint64 code = json_get_int(message, "exitCode", 0);
    g_autofree char *end = json_get_bool(message, "cancelled", false)
                               ? g_strdup("Stopped.")
                               : g_strdup_printf("Exit %" G_GINT64_FORMAT ".", code);
    if (code != 0 || json_get_bool(message, "cancelled", false))
        add_lines(end, 1, false, (Style) { .fg = TOKEN_ERROR }, spec, out);
}

// ---- summaries ----

/* A word for what it is, and its first lines. */
static void add_labelled(const char *label, const char *text, const BlockSpec *spec, GPtrArray *out)
{
    const Style label_style = { .fg = TOKEN_CUSTOM_MESSAGE_LABEL, .attributes = STYLE_BOLD };
    block_marked(SYMBOL_BULLET, dim, label, label_style, spec, out);
    const LinesSpec lines = {
        .block = spec,
        .style = { .fg = TOKEN_CUSTOM_MESSAGE_TEXT, .bg = TOKEN_CUSTOM_MESSAGE_BG },
        .max_lines = SUMMARY_LINES,
        .is_prose = true,
    };
    if (text)
        block_lines(text, strlen(text), &lines, out);
}

static void summary_rows(const char *label, const json_t *message, const BlockSpec *spec,
                         GPtrArray *out)
{
    const char *brief = json_get_text(message, "shortSummary");
    bool is_brief = brief && *brief && !spec->is_expanded;
    add_labelled(label, is_brief ? brief : json_get_text(message, "summary"), spec, out);
}

// ---- jobs, and what else is put into a conversation ----

static void job_rows(const json_t *jobs, const BlockSpec *spec, GPtrArray *out)
{
    json_each (jobs, i, job) {
        const char *status = json_get_text(job, "status");
        bool is_good = g_strcmp0(status, "completed") == 0;
        g_autofree char *id = block_clean_line(json_get_text(job, "jobId"), NAME_CELLS);
        g_autofree char *end = block_clean_line(status, NAME_CELLS);
        g_autofree char *label = block_clean_line(json_get_text(job, "label"), TITLE_CELLS);
        g_autofree char *text =
            g_strdup_printf("Background job %s %s%s%s", id, end, *label ? ": " : "", label);
        const Style mark = { .fg = is_good ? TOKEN_SUCCESS : TOKEN_WARNING };
        if (i < LISTED_MAX)
            block_marked(is_good ? SYMBOL_SUCCESS : SYMBOL_WARNING, mark, text,
                         (Style) { .fg = TOKEN_CUSTOM_MESSAGE_LABEL }, spec, out);
    }
}

static void custom_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    if (!json_get_bool(message, "display", true))
        return;
    g_autoptr(json_t) blocks = message_blocks(message);
    g_autofree char *text = message_blocks_text(blocks);
    const json_t *jobs = json_get_array(json_get_object(message, "details"), "jobs");
    g_autofree char *type = block_clean_line(json_get_text(message, "customType"), NAME_CELLS);
    if (json_array_size(jobs) == 0)
        add_labelled(*type ? type : "message", text, spec, out);
    else
        job_rows(jobs, spec, out);
    if (json_array_size(jobs) > 0 && spec->is_expanded)
        add_lines(text, SUMMARY_LINES, false, (Style) { .fg = TOKEN_TOOL_OUTPUT }, spec, out);
    block_images(blocks, spec, out);
}

static void file_rows(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    const json_t *files = json_get_array(message, "files");
    json_each (files, i, file) {
        gint64 lines = json_get_int(file, "lineCount", 0);
        const char *skipped = json_get_text(file, "skippedReason");
        g_autofree char *path = block_clean_line(json_get_text(file, "path"), TITLE_CELLS);
        g_autofree char *count = block_count(lines);
        g_autofree char *why = block_clean_line(skipped, NAME_CELLS);
        g_autofree char *text = skipped     ? g_strdup_printf("@%s (%s)", path, why)
                                : lines > 0 ? g_strdup_printf("@%s (%s lines)", path, count)
                                            : g_strdup_printf("@%s", path);
        if (i < LISTED_MAX)
            block_tone_rows(TONE_NOTE, text, spec, out);
    }
}

void block_notice_message(const json_t *message, const BlockSpec *spec, GPtrArray *out)
{
    const char *role = message_role(message);
    if (g_str_equal(role, "bashExecution") || g_str_equal(role, "pythonExecution"))
        execution_rows(message, spec, out);
    else if (g_str_equal(role, "compactionSummary"))
        summary_rows("Summary of what came before", message, spec, out);
    else if (g_str_equal(role, "branchSummary"))
        summary_rows("Summary of the branch that was left", message, spec, out);
    else if (g_str_equal(role, "custom") || g_str_equal(role, "hookMessage"))
        custom_rows(message, spec, out);
    else if (g_str_equal(role, "fileMention"))
        file_rows(message, spec, out);
}

// ---- events ----

static char *text_or(const json_t *event, const char *key, const char *fallback)
{
    const char *text = json_get_text(event, key);
    return g_strdup(text && *text ? text : fallback);
}

static char *notice_text(const json_t *event, Tone *tone)
{
    const char *level = json_get_text(event, "level");
    *tone = g_strcmp0(level, "error") == 0     ? TONE_ERROR
            : g_strcmp0(level, "warning") == 0 ? TONE_WARNING
                                               : TONE_NOTE;
    return text_or(event, "message", "");
}

static char *retry_start_text(const json_t *event)
{
    return g_strdup_printf("Trying again, %lld of %lld, in %.0f s.",
                           (long long)json_get_int(event, "attempt", 0),
                           (long long)json_get_int(event, "maxAttempts", 0),
                           (double)json_get_int(event, "delayMs", 0) / 1000);
}

static char *retry_end_text(const json_t *event, Tone *tone)
{
    const char *problem = json_get_text(event, "finalError");
    if (json_get_bool(event, "success", false))
        return NULL; // the answer says so itself
    if (g_strcmp0(problem, "Retry cancelled") == 0)
        return g_strdup("Retry cancelled.");
    *tone = TONE_ERROR;
    gint64 attempts = json_get_int(event, "attempt", 0);
    return g_strdup_printf("Retry failed after %lld attempt%s: %s", (long long)attempts,
                           attempts == 1 ? "" : "s", problem ? problem : "Request failed");
}

static char *compaction_text(const json_t *event, Tone *tone)
{
    const char *problem = json_get_text(event, "errorMessage");
    const json_t *result = json_get_object(event, "result");
    if (problem) {
        *tone = TONE_ERROR;
        return g_strdup(problem);
    }
    if (json_get_bool(event, "aborted", false))
        return g_strdup("Compaction cancelled.");
    if (!result || json_get_bool(event, "skipped", false))
        return NULL;
    g_autofree char *tokens = block_count(json_get_int(result, "tokensBefore", 0));
    return g_strdup_printf("A summary is in place of what is old (%s tokens before).", tokens);
}

/* Another session begins by itself; compactions have events of their own. */
static char *handoff_text(const json_t *event, bool is_start, Tone *tone)
{
    const char *problem = json_get_text(event, "errorMessage");
    if (g_strcmp0(json_get_text(event, "action"), "handoff") != 0)
        return NULL;
    if (is_start)
        return g_strdup("Going on in a new session, with what a model writes of this one.");
    *tone = TONE_ERROR;
    return g_strdup(problem);
}

static char *fallback_text(const json_t *event, Tone *tone)
{
    g_autofree char *from = text_or(event, "from", "the model");
    g_autofree char *to = text_or(event, "to", "another model");
    *tone = TONE_WARNING;
    return g_strdup_printf("%s cannot answer now: going on with %s.", from, to);
}

static char *repair_text(const json_t *event)
{
    gint64 count = (gint64)json_array_size(json_get_array(event, "entries"));
    g_autofree char *number = block_count(count);
    const char *strong = json_get_text(event, "strong");
    return g_strdup_printf("Repaired %s entr%s of this session for the request%s%s.", number,
                           count == 1 ? "y" : "ies", strong ? ": " : "", strong ? strong : "");
}

static char *rules_text(const json_t *event, Tone *tone)
{
    const json_t *rules = json_get_array(event, "rules");
    g_autoptr(GString) names = g_string_new(NULL);
    json_each (rules, i, rule) {
        const char *name = json_get_text(rule, "name");
        if (i < LISTED_MAX)
            g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", name ? name : "?");
    }
    *tone = TONE_WARNING;
    return g_strdup_printf("The model was reminded of %s: %s.",
                           json_array_size(rules) == 1 ? "a rule" : "rules", names->str);
}

static char *todo_text(const json_t *event)
{
    gint64 count = (gint64)json_array_size(json_get_array(event, "todos"));
    g_autofree char *number = block_count(count);
    return g_strdup_printf("%s todo item%s left: the model is reminded, %lld of %lld.", number,
                           count == 1 ? " is" : "s are",
                           (long long)json_get_int(event, "attempt", 0),
                           (long long)json_get_int(event, "maxAttempts", 0));
}

static char *missed_text(const json_t *event)
{
    g_autofree char *count = block_count(json_get_int(event, "count", 0));
    return g_strdup_printf("%s events came too fast to be shown: Ctrl+O shows all.", count);
}

static char *event_text(const json_t *event, Tone *ret_tone)
{
    switch (event_kind(event)) {
    case EVENT_NOTICE:
        return notice_text(event, ret_tone);
    case EVENT_AUTO_RETRY_START:
        return retry_start_text(event);
    case EVENT_AUTO_RETRY_END:
        return retry_end_text(event, ret_tone);
    case EVENT_COMPACTION_END:
        return compaction_text(event, ret_tone);
    case EVENT_AUTO_COMPACTION_START:
        return handoff_text(event, true, ret_tone);
    case EVENT_AUTO_COMPACTION_END:
        return handoff_text(event, false, ret_tone);
    case EVENT_RETRY_FALLBACK_APPLIED:
        return fallback_text(event, ret_tone);
    case EVENT_SESSION_REPAIR:
        return repair_text(event);
    case EVENT_TTSR_TRIGGERED:
        return rules_text(event, ret_tone);
    case EVENT_TODO_REMINDER:
        return todo_text(event);
    case EVENT_EVENTS_MISSED:
        return missed_text(event);
    default:
        return NULL;
    }
}

char *block_event_text(const json_t *event, Tone *ret_tone)
{
    Tone tone = TONE_NOTE;
    char *text = event_text(event, &tone);
    if (text)
        *ret_tone = tone;
    return text;
}
