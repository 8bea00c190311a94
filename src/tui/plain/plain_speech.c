/*
 * Lines about events (plain_speech.h). Text that arrives is said sentence by sentence, code line by
 * line.
 */
#include "tui/plain/plain_speech.h"

#include "agent/event_kind.h"
#include "base/ansi.h"
#include "base/mask.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "model/message.h"
#include "tool/call_title.h"
#include "tui/plain/plain_markdown.h"

#define ANSWER_LABEL "kedge: "

enum {
    SENTENCE_BYTES = 80,   // a sentence is said before the line ends when it is as long
    LINE_BYTES = 4 * 1024, // a line that does not end is cut
    REPLAYED_MESSAGES = 12,
};

struct PlainSpeech {
    SpeechFunc func;
    void *user_data;
    AnsiFilter *filter;
    GString *text;  // of the answer that arrives, not said yet
    bool has_said;  // something of it
    bool is_within; // a line, of which a part was said
    PlainMarkdown markdown;
    int output_lines;  // of a call that has ended, that are said
    GHashTable *calls; // id → gint64 *: when it began
    char *last_output;
};

PlainSpeech *plain_speech_new(SpeechFunc func, void *user_data)
{
    PlainSpeech *self = g_new0(PlainSpeech, 1);
    self->func = func;
    self->user_data = user_data;
    self->filter = ansi_filter_new();
    self->text = g_string_new(NULL);
    self->calls = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void plain_speech_free(PlainSpeech *self)
{
    if (!self)
        return;
    plain_markdown_clear(&self->markdown);
    ansi_filter_free(self->filter);
    g_string_free(self->text, TRUE);
    g_hash_table_unref(self->calls);
    g_free(self->last_output);
    g_free(self);
}

const char *plain_speech_last_output(const PlainSpeech *self)
{
    return self->last_output;
}

void plain_speech_set_last_output(PlainSpeech *self, const char *text)
{
    g_free(self->last_output);
    self->last_output = g_strdup(text);
}

void plain_speech_say(PlainSpeech *self, const char *text)
{
    g_autofree char *clean = ansi_strip(text);
    g_autofree char *masked = mask_text(clean);
    g_auto(GStrv) lines = g_strsplit(masked, "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        if (lines[i + 1] || *lines[i])
            self->func(lines[i], self->user_data);
    }
}

static void G_GNUC_PRINTF(2, 3) speech_sayf(PlainSpeech *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_autofree char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    plain_speech_say(self, text);
}

// ---- answers ----

static void say_spoken(PlainSpeech *self, const char *spoken)
{
    speech_sayf(self, "%s%s\n", self->has_said ? "" : ANSWER_LABEL, spoken);
    self->has_said = true;
}

/* A line, or a part of one. Blank lines before the first words are left out. */
static void say_answer_line(PlainSpeech *self, const char *line, bool has_end)
{
    bool is_start = !self->is_within;
    self->is_within = !has_end;
    if (!self->has_said && utf8_is_blank(line))
        return;
    g_autofree char *masked = mask_text(line); // before marks are taken away
    g_autofree char *spoken = plain_markdown_line(&self->markdown, masked, is_start);
    if (spoken)
        say_spoken(self, spoken);
}

/* Where the text is cut before the line ends at `limit`; 0: nowhere. It depends on the text alone,
   not on when its pieces came. */
static size_t find_cut(const PlainMarkdown *markdown, const char *text, size_t limit)
{
    size_t end = MIN(limit, LINE_BYTES);
    for (size_t i = SENTENCE_BYTES; i + 1 < end; i++) {
        if (strchr(".!?", text[i]) && text[i + 1] == ' ' &&
            !plain_markdown_is_whole(markdown, text, i + 1))
            return i + 1;
    }
    if (limit <= LINE_BYTES)
        return 0;
    size_t cut = utf8_boundary_before(text, limit, LINE_BYTES);
    const char *blank = memrchr(text, ' ', cut);
    return blank && blank > text ? (size_t)(blank - text) : cut;
}

static void say_ready(PlainSpeech *self)
{
    for (;;) {
        const char *text = self->text->str, *newline = memchr(text, '\n', self->text->len);
        size_t limit = newline ? (size_t)(newline - text) : self->text->len;
        size_t cut = find_cut(&self->markdown, text, limit);
        if (cut == 0 && !newline)
            return;
        size_t size = cut > 0 ? cut : limit;
        g_autofree char *line = g_strndup(text, size);
        say_answer_line(self, line, cut == 0);
        bool has_end = cut == 0 || text[cut] == ' ';
        g_string_erase(self->text, 0, (gssize)size + (has_end ? 1 : 0));
    }
}

static void say_rest(PlainSpeech *self)
{
    ansi_filter_finish(self->filter, self->text);
    say_ready(self);
    if (self->text->len > 0) {
        g_autofree char *line = g_strdup(self->text->str);
        g_string_truncate(self->text, 0);
        say_answer_line(self, line, true);
    }
    g_autofree char *waiting = plain_markdown_finish(&self->markdown);
    if (waiting)
        say_spoken(self, waiting);
    self->is_within = false;
}

static void begin_answer(PlainSpeech *self)
{
    g_string_truncate(self->text, 0);
    plain_markdown_clear(&self->markdown);
    self->has_said = self->is_within = false;
}

static void on_update(PlainSpeech *self, const json_t *event)
{
    const json_t *part = json_get_object(event, "assistantMessageEvent");
    const char *type = json_get_text(part, "type"), *delta = json_get_text(part, "delta");
    if (delta && g_strcmp0(type, "text_delta") == 0) {
        ansi_filter_push(self->filter, delta, strlen(delta), self->text);
        say_ready(self);
    } else if (g_strcmp0(type, "text_end") == 0) {
        say_rest(self);
    }
}

static void on_message_end(PlainSpeech *self, const json_t *message)
{
    if (!g_str_equal(message_role(message), "assistant"))
        return;
    say_rest(self);
    g_autofree char *text = message_text(message);
    if (!self->has_said && !utf8_is_blank(text)) { // its pieces were missed
        g_string_assign(self->text, text);
        say_rest(self);
    }
    const char *reason = message_stop_reason(message), *problem = message_error(message);
    if (g_str_equal(reason, "aborted"))
        speech_sayf(self, "Stopped: %s", problem ? problem : "Operation aborted");
    else if (g_str_equal(reason, "error"))
        speech_sayf(self, "Error: %s", problem ? problem : "the request failed");
    else if (g_str_equal(reason, "length"))
        plain_speech_say(self, "The answer was cut at its output limit.");
}

// ---- calls ----

static void on_call_start(PlainSpeech *self, const json_t *event)
{
    const char *id = json_get_text(event, "toolCallId"), *tool = json_get_text(event, "toolName");
    char *arguments = call_title_arguments(json_get_object(event, "args"));
    g_autofree char *title = call_title_with_place(arguments, event);
    g_autofree char *name = call_title_line(tool ? tool : "?");
    gint64 now = time_monotonic_ms();
    g_hash_table_insert(self->calls, g_strdup(id ? id : ""), g_memdup2(&now, sizeof(now)));
    speech_sayf(self, "Tool %s%s%s", name, *title ? ": " : "", title);
}

void plain_speech_set_output_lines(PlainSpeech *self, int lines)
{
    self->output_lines = lines;
}

/* The end of it, as the person wants to hear. */
static void say_output(PlainSpeech *self, const char *text)
{
    g_autofree char *output = g_strchomp(g_strdup(text));
    const char *start = output + strlen(output);
    for (int i = 0; i < self->output_lines && start > output; i++) {
        const char *before = memrchr(output, '\n', (size_t)(start - output));
        start = before ? before : output;
    }
    if (self->output_lines > 0 && *start)
        plain_speech_say(self, start + (*start == '\n'));
}

/* "in 4 s", "in 0.3 s"; of several that run at once the tool is named. */
static void on_call_end(PlainSpeech *self, const json_t *event)
{
    const char *id = json_get_text(event, "toolCallId"), *tool = json_get_text(event, "toolName");
    const json_t *result = json_get_object(event, "result");
    const gint64 *begun = g_hash_table_lookup(self->calls, id ? id : "");
    double seconds = begun ? (double)(time_monotonic_ms() - *begun) / 1000 : 0;
    bool is_alone = g_hash_table_size(self->calls) == 1;
    g_autofree char *name = call_title_line(tool ? tool : "?");
    g_autofree char *who = is_alone ? g_strdup("") : g_strconcat(name, ": ", NULL);
    g_hash_table_remove(self->calls, id ? id : "");
    g_autofree char *text = message_blocks_text(json_get_array(result, "content"));
    plain_speech_set_last_output(self, text);
    g_autofree char *time = g_strdup_printf("in %.*f s", seconds < 2 ? 1 : 0, seconds);
    if (json_get_bool(event, "isError", false)) {
        g_autofree char *why = call_title_failure(tool, result);
        speech_sayf(self, "%sFailed %s: %s", who, time, why);
    } else {
        speech_sayf(self, "%sDone %s.", who, time);
    }
    say_output(self, text);
}

// ---- the rest ----

static void on_notice(PlainSpeech *self, const json_t *event)
{
    const char *level = json_get_text(event, "level"), *text = json_get_text(event, "message");
    bool is_grave = g_strcmp0(level, "warning") == 0 || g_strcmp0(level, "error") == 0;
    speech_sayf(self, "%s: %s", is_grave ? "Warning" : "Note", text ? text : "");
}

static void on_retry(PlainSpeech *self, const json_t *event)
{
    speech_sayf(self, "Trying again, %lld of %lld, in %.0f s.",
                (long long)json_get_int(event, "attempt", 0),
                (long long)json_get_int(event, "maxAttempts", 0),
                (double)json_get_int(event, "delayMs", 0) / 1000);
}

static void on_compaction_end(PlainSpeech *self, const json_t *event)
{
    const char *problem = json_get_text(event, "errorMessage");
    if (problem)
        speech_sayf(self, "Error: %s", problem);
    else if (!json_get_bool(event, "aborted", false))
        plain_speech_say(self, "The summary is in its place.");
}

/* Another session begins by itself, with what a model writes of this one. */
static void on_handoff(PlainSpeech *self, const json_t *event, bool is_start)
{
    const char *problem = json_get_text(event, "errorMessage");
    if (g_strcmp0(json_get_text(event, "action"), "handoff") != 0)
        return;
    if (is_start)
        plain_speech_say(self, "Going on in a new session, with what a model writes of this one.");
    else if (problem)
        speech_sayf(self, "Error: %s", problem);
}

void plain_speech_event(PlainSpeech *self, const json_t *event)
{
    EventKind kind = event_kind(event);
    switch (kind) {
    case EVENT_MESSAGE_START:
        begin_answer(self);
        break;
    case EVENT_MESSAGE_UPDATE:
        on_update(self, event);
        break;
    case EVENT_MESSAGE_END:
        on_message_end(self, json_get_object(event, "message"));
        break;
    case EVENT_TOOL_EXECUTION_START:
        on_call_start(self, event);
        break;
    case EVENT_TOOL_EXECUTION_END:
        on_call_end(self, event);
        break;
    case EVENT_NOTICE:
        on_notice(self, event);
        break;
    case EVENT_AUTO_RETRY_START:
        on_retry(self, event);
        break;
    case EVENT_COMPACTION_START:
        plain_speech_say(self, "Putting a summary in place of what is old.");
        break;
    case EVENT_COMPACTION_END:
        on_compaction_end(self, event);
        break;
    case EVENT_AUTO_COMPACTION_START:
    case EVENT_AUTO_COMPACTION_END:
        on_handoff(self, event, kind == EVENT_AUTO_COMPACTION_START);
        break;
    case EVENT_SESSION_INFO_CHANGED:
        speech_sayf(self, "This session is called: %s", json_get_text(event, "name"));
        break;
    default:
        break;
    }
}

// ---- the past ----

static void replay_message(PlainSpeech *self, const json_t *message)
{
    const char *role = message_role(message);
    g_autofree char *text = message_text(message);
    if (g_str_equal(role, "user") && !utf8_is_blank(text))
        speech_sayf(self, "You: %s", text);
    if (!g_str_equal(role, "assistant"))
        return;
    begin_answer(self);
    g_string_assign(self->text, text);
    say_rest(self);
    g_autoptr(json_t) calls = message_tool_calls(message);
    json_each (calls, i, call) {
        g_autofree char *name = call_title_line(json_get_text(call, "name"));
        g_autofree char *title = call_title_arguments(json_get_object(call, "arguments"));
        speech_sayf(self, "Tool %s%s%s", name, *title ? ": " : "", title);
    }
}

void plain_speech_replay(PlainSpeech *self, const json_t *messages)
{
    size_t count = json_array_size(messages);
    size_t first = count > REPLAYED_MESSAGES ? count - REPLAYED_MESSAGES : 0;
    if (first > 0)
        speech_sayf(self, "%zu earlier messages are not repeated here.", first);
    for (size_t i = first; i < count; i++)
        replay_message(self, json_array_get(messages, i));
}
