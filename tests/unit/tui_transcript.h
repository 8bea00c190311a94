/*
 * A transcript that is fed with events written down in C, for tests.
 */
#pragma once

#include "tui_quoted.h"

#include "tui/view/transcript_private.h"

static gint64 clock_ms;

static G_GNUC_UNUSED gint64 now_ms(void)
{
    return clock_ms;
}

static G_GNUC_UNUSED Transcript *make(int width)
{
    const TranscriptSpec spec = { .tab_width = 4, .cwd = "/app", .now_ms = now_ms };
    Transcript *self = transcript_new(&spec);
    transcript_set_width(self, width);
    return self;
}

/* Each row with its LF. */
static G_GNUC_UNUSED char *joined(const GPtrArray *rows, int width)
{
    g_autofree char *text = clean_rows_text(rows, width);
    return rows->len > 0 ? g_strconcat(text, "\n", NULL) : g_strdup("");
}

static G_GNUC_UNUSED char *take(Transcript *self)
{
    g_autoptr(GPtrArray) rows = rows_new();
    transcript_take_rows(self, rows);
    return joined(rows, self->block.width);
}

static G_GNUC_UNUSED char *live_of(Transcript *self, int max_rows)
{
    g_autoptr(GPtrArray) rows = rows_new();
    transcript_live_rows(self, self->block.width, max_rows, 1, rows);
    assert_true((int)rows->len <= max_rows);
    return joined(rows, MIN(self->block.width, LIVE_CELLS));
}

/* One event a line; "@1500" lets that many milliseconds pass. */
static G_GNUC_UNUSED void feed(Transcript *self, const char *events)
{
    g_auto(GStrv) lines = g_strsplit(events, "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        if (lines[i][0] == '@') {
            clock_ms += g_ascii_strtoll(lines[i] + 1, NULL, 10);
        } else if (*lines[i]) {
            g_autoptr(json_t) event = parse_quoted(lines[i]);
            transcript_event(self, event);
        }
    }
}

#define USER(text) "{'type':'message_end','message':{'role':'user','content':'" text "'}}\n"
#define BEGIN      "{'type':'message_start','message':{'role':'assistant','content':[]}}\n"
#define DELTA(index, text)                                                                         \
    "{'type':'message_update','assistantMessageEvent':{'type':'text_delta','contentIndex':" index  \
    ",'delta':'" text "'}}\n"
#define THOUGHT(index, text)                                                                       \
    "{'type':'message_update','assistantMessageEvent':{'type':'thinking_delta','contentIndex':"    \
    "" index ",'delta':'" text "'}}\n"
#define END_OF(index)                                                                              \
    "{'type':'message_update','assistantMessageEvent':{'type':'text_end','contentIndex':" index    \
    "}}\n"
#define END(content)                                                                               \
    "{'type':'message_end','message':{'role':'assistant','content':[" content "],"                 \
    "'stopReason':'stop'}}\n"
#define SAID(text) "{'type':'text','text':'" text "'}"
#define CALL(id, name, arguments)                                                                  \
    "{'type':'toolCall','id':'" id "','name':'" name "','arguments':{" arguments "}}"
#define START(id, name)                                                                            \
    "{'type':'tool_execution_start','toolCallId':'" id "','toolName':'" name "','args':{}}\n"
#define PARTIAL(id, text)                                                                          \
    "{'type':'tool_execution_update','toolCallId':'" id "','partialResult':{'content':[{'type':"   \
    "'text','text':'" text "'}]}}\n"
#define RESULT(id, text)                                                                           \
    "{'type':'tool_execution_end','toolCallId':'" id "','result':{'content':[{'type':'text',"      \
    "'text':'" text "'}]},'isError':false}\n"
#define FAILURE(id, text)                                                                          \
    "{'type':'tool_execution_end','toolCallId':'" id "','result':{'content':[{'type':'text',"      \
    "'text':'" text "'}]},'isError':true}\n"
#define RUN_END "{'type':'agent_end','messages':[]}\n"
