/* See launch_output.h. */
#include "cmd/launch/launch_output.h"

#include "agent/run.h"
#include "base/ansi.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/str.h"
#include "base/utf8.h"
#include "cmd/cli/cmd.h"
#include "model/message.h"
#include "tool/call_title.h"

static void print_or_stop(LaunchOutput *self, const char *line)
{
    if (self->is_closed || cmd_print_line(line))
        return;
    self->is_closed = true;
    self->has_failed = !cmd_is_reader_gone();
    cancel_fire(self->cancel);
}

void launch_output_header(LaunchOutput *self, const json_t *header)
{
    if (!self->is_json || !header)
        return;
    g_autofree char *line = json_to_text(header);
    print_or_stop(self, line);
}

/* "· bash  make test", "· github  pr_create Fix the clock". */
static void show_tool_start(const json_t *event)
{
    const char *name = json_get_text(event, "toolName");
    g_autofree char *tool = call_title_line(name ? name : "?");
    char *title = call_title_arguments(json_get_object(event, "args"));
    g_autofree char *arguments = call_title_with_place(title, event);
    log_text("· %s  %s", tool, arguments);
}

static void show_tool_end(const json_t *event)
{
    if (!json_get_bool(event, "isError", false))
        return;
    g_autofree char *line =
        call_title_failure(json_get_text(event, "toolName"), json_get_object(event, "result"));
    log_text("  ! %s", line);
}

/* What the model says before it calls tools: its plan. The last answer goes to standard output. */
static void show_plan(const json_t *message)
{
    bool is_plan = strcmp(message_role(message), "assistant") == 0 &&
                   strcmp(message_stop_reason(message), "error") != 0;
    if (!is_plan)
        return;
    g_autoptr(json_t) calls = message_tool_calls(message);
    g_autofree char *text = message_text(message);
    g_autofree char *clean = ansi_strip(text);
    g_autofree char *shown = utf8_trim(clean);
    if (json_array_size(calls) > 0 && *shown)
        log_text("%s", shown);
}

/* "  2 of 3 jobs done" whenever that changes while Actions runs are watched. */
static void show_watch(LaunchOutput *self, const json_t *event)
{
    const json_t *details = json_get_object(json_get_object(event, "partialResult"), "details");
    const json_t *watch = json_get_object(details, "watch");
    unsigned done = 0, total = 0;
    g_autoptr(json_t) runs = json_array();
    json_array_extend(runs, (json_t *)json_get_array(watch, "runs"));
    json_array_append(runs, (json_t *)json_get_object(watch, "run"));
    json_each (runs, i, run) {
        json_each (json_get_array(run, "jobs"), k, job) {
            total++;
            done += g_strcmp0(json_get_text(job, "status"), "completed") == 0;
        }
    }
    if (total == 0 || (done == self->jobs_done && total == self->jobs_total))
        return;
    log_text("  %u of %u jobs done", done, total);
    self->jobs_done = done;
    self->jobs_total = total;
}

static void show_retry(const json_t *event)
{
    const char *message = json_get_text(event, "errorMessage");
    g_autofree char *line = call_title_line(message ? message : "");
    log_text("  retry %lld/%lld in %.1f s: %s", (long long)json_get_int(event, "attempt", 0),
             (long long)json_get_int(event, "maxAttempts", 0),
             (double)json_get_int(event, "delayMs", 0) / 1000, line);
}

static void show_progress(LaunchOutput *self, const json_t *event)
{
    switch (event_kind(event)) {
    case EVENT_MESSAGE_END:
        show_plan(json_get_object(event, "message"));
        break;
    case EVENT_TOOL_EXECUTION_START:
        show_tool_start(event);
        break;
    case EVENT_TOOL_EXECUTION_UPDATE:
        show_watch(self, event);
        break;
    case EVENT_TOOL_EXECUTION_END:
        show_tool_end(event);
        break;
    default:
        break;
    }
}

/* What a person waits for, or is warned of, terminal or not. Why a run was stopped is said at its
   end, with the outcome. */
static void show_notice(const json_t *event)
{
    const char *message = json_get_text(event, "message");
    if (str_has_prefix(message, RUN_STOPPED))
        return;
    if (g_strcmp0(json_get_text(event, "level"), "info") != 0) {
        g_autofree char *text = ansi_strip(message);
        g_strdelimit(text, "\n\t\r", ' ');
        log_warning("%s", text);
    } else {
        g_autofree char *line = call_title_line(message);
        log_text("  %s", line);
    }
}

void launch_output_event(json_t *event, void *user_data)
{
    LaunchOutput *self = user_data;
    EventKind kind = event_kind(event);
    if (self->is_json) {
        g_autofree char *line = json_to_text(event);
        print_or_stop(self, line);
    } else if (kind == EVENT_AUTO_RETRY_START) {
        show_retry(event);
    } else if (kind == EVENT_NOTICE) {
        show_notice(event);
    } else if (self->shows_progress) {
        show_progress(self, event);
    }
}

/* Why an answer that came is of no use; NULL: it is. Caller frees. */
static char *answer_problem(const json_t *message, const Model *model)
{
    if (strcmp(message_stop_reason(message), "length") == 0) {
        const json_t *usage = json_get_object(message, "usage");
        int64_t limit = MAX(model_answer_limit(model), json_get_int(usage, "output", 0));
        return g_strdup_printf(
            "The answer was cut at the output limit of %" G_GINT64_FORMAT " tokens.", limit);
    }
    g_autofree char *text = message_text(message);
    g_autoptr(json_t) calls = message_tool_calls(message);
    if (json_array_size(calls) == 0 && utf8_is_blank(text))
        return g_strdup("The model gave an empty answer.");
    return NULL;
}

bool launch_output_is_usable(const LaunchOutput *self, const json_t *message, const Model *model)
{
    g_autofree char *problem = answer_problem(message, model);
    if (problem && !self->is_json)
        log_text("%s", problem);
    return problem == NULL;
}

void launch_output_line(LaunchOutput *self, const char *line)
{
    g_autofree char *masked = mask_text(line);
    if (!self->is_json)
        print_or_stop(self, masked);
}

void launch_output_answer(LaunchOutput *self, const json_t *message)
{
    if (self->is_json || !message)
        return;
    g_autoptr(json_t) blocks = message_blocks(message);
    json_each (blocks, i, block) {
        const char *text = json_get_text(block, "text");
        if (g_strcmp0(json_get_text(block, "type"), "text") != 0 || !text || utf8_is_blank(text))
            continue;
        // what the model read may have made it write escape sequences; a file or a program gets the
        // text as it is, a terminal would obey it
        g_autofree char *clean = isatty(STDOUT_FILENO) ? ansi_strip(text) : g_strdup(text);
        g_autofree char *masked = mask_text(clean);
        print_or_stop(self, masked);
    }
}
