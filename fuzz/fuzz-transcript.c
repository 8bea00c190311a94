/*
 * Events of a conversation as rows: the first byte chooses the width, each line is an event. Rows
 * fit, hold nothing that commands a terminal, and do not depend on when they are taken.
 */
#include "base/json.h"
#include "tui/text/width.h"
#include "tui/view/transcript.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LIVE_CELLS = 60, LIVE_ROWS = 12, MAX_WIDTH = 120 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
    if (!holds)
        abort();
}

static void check_rows(const GPtrArray *rows, int width)
{
    for (unsigned i = 0; i < rows->len; i++) {
        const Row *row = rows->pdata[i];
        check(row->cells <= width && text_cells(row->text, row->size) <= width);
        check(g_utf8_validate(row->text, (gssize)row->size, NULL));
        for (const char *p = row->text; *p; p = g_utf8_next_char(p))
            check(!g_unichar_iscntrl(g_utf8_get_char(p)));
    }
}

static gint64 no_time(void)
{
    return 0;
}

static Transcript *make(int width)
{
    const TranscriptSpec spec = { .tab_width = 4, .shows_thinking = true, .now_ms = no_time };
    Transcript *self = transcript_new(&spec);
    transcript_set_width(self, width);
    return self;
}

static void check_live(Transcript *self, int width)
{
    g_autoptr(GPtrArray) rows = rows_new();
    transcript_live_rows(self, width, LIVE_ROWS, 1, rows);
    check(rows->len <= LIVE_ROWS);
    check_rows(rows, MIN(width, LIVE_CELLS));
}

static void feed(const json_t *events, int width, bool is_often, GPtrArray *ret_rows)
{
    g_autoptr(Transcript) transcript = make(width);
    size_t i;
    json_t *event;
    json_array_foreach (events, i, event) {
        transcript_event(transcript, event);
        if (is_often) {
            transcript_take_rows(transcript, ret_rows);
            check_live(transcript, width);
        }
    }
    transcript_take_rows(transcript, ret_rows);
}

/* What of the events are messages, as those of a conversation. New reference. */
static json_t *messages_of(const json_t *events)
{
    json_t *messages = json_array();
    size_t i;
    json_t *event;
    json_array_foreach (events, i, event) {
        json_t *message = json_get_object(event, "message");
        if (message)
            json_array_append(messages, message);
    }
    return messages;
}

static void check_replay(const json_t *events, int width)
{
    g_autoptr(json_t) messages = messages_of(events);
    g_autoptr(Transcript) transcript = make(width);
    g_autoptr(GPtrArray) rows = rows_new();
    if (!transcript_replay(transcript, messages, 7, 20) && // it wants those before, too
        !transcript_replay(transcript, messages, 0, 20))
        abort();
    transcript_take_rows(transcript, rows);
    check_rows(rows, width);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    int width = data[0] % MAX_WIDTH + 1;
    g_autofree char *text = g_strndup((const char *)data + 1, size - 1);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(json_t) events = json_array();
    for (size_t i = 0; lines[i]; i++) {
        json_t *event = NULL;
        if (json_parse_text(lines[i], &event, NULL))
            json_append_take(events, event);
    }
    g_autoptr(GPtrArray) at_once = rows_new(), often = rows_new();
    feed(events, width, false, at_once);
    feed(events, width, true, often);
    check_rows(at_once, width);
    check(at_once->len == often->len);
    for (unsigned i = 0; i < often->len; i++)
        check(row_equal(at_once->pdata[i], often->pdata[i]));
    check_replay(events, width);
    return 0;
}
