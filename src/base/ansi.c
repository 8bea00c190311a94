/*
 * Terminal control sequences out of text (agent-tools §2.7 step 1): a state machine over bytes.
 *
 * Every byte is judged alone, so it makes no difference where chunks are split. A sequence that has
 * not ended after 4 KiB is none: its introducer is dropped and the rest is text, because output
 * that only forgot to end a title must not swallow what follows.
 */
#include "base/ansi.h"

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

#define UNDECIDED_MAX (4 * KIB)
#define BEL           0x07
#define CAN           0x18
#define SUB           0x1a
#define ESC           0x1b

typedef enum {
    STATE_TEXT,
    STATE_ESCAPE,       // after ESC, and after its intermediate bytes
    STATE_CSI,          // after ESC [ or U+009B
    STATE_STRING,       // inside OSC, DCS, APC, PM or SOS
    STATE_STRING_ESCAPE // after ESC there: the first half of ST
} State;

struct AnsiFilter {
    State state;
    bool has_lead;      // a byte C2 waits: C1 controls are C2 80 … C2 9F
    GString *undecided; // what became text should the sequence not end
};

AnsiFilter *ansi_filter_new(void)
{
    AnsiFilter *self = g_new0(AnsiFilter, 1);
    self->undecided = g_string_new(NULL);
    return self;
}

void ansi_filter_free(AnsiFilter *self)
{
    if (!self)
        return;
    g_string_free(self->undecided, TRUE);
    g_free(self);
}

static void ansi_filter_enter(AnsiFilter *self, State state)
{
    self->state = state;
    g_string_truncate(self->undecided, 0);
}

static bool is_shown(uint8_t byte)
{
    return byte == '\t' || byte == '\n' || (byte >= 0x20 && byte != 0x7f);
}

// A byte of a sequence that has not ended yet.
static void keep_undecided(AnsiFilter *self, uint8_t byte, GString *out)
{
    if (is_shown(byte))
        g_string_append_c(self->undecided, (char)byte);
    if (self->undecided->len < UNDECIDED_MAX)
        return;
    g_string_append_len(out, self->undecided->str, (gssize)self->undecided->len);
    ansi_filter_enter(self, STATE_TEXT);
}

static void push_byte(AnsiFilter *self, uint8_t byte, GString *out);

static void push_escape(AnsiFilter *self, uint8_t byte, GString *out)
{
    if (byte >= 0x20 && byte <= 0x2f) { // an intermediate: ESC ( B
        keep_undecided(self, byte, out);
        return;
    }
    bool is_first = self->undecided->len == 0;
    ansi_filter_enter(self, STATE_TEXT);
    if (is_first && byte == '[')
        ansi_filter_enter(self, STATE_CSI);
    else if (is_first && memchr("]P_^X", byte, 5))
        ansi_filter_enter(self, STATE_STRING);
    else if (byte < 0x30 || byte > 0x7e)
        push_byte(self, byte, out); // no sequence: only the ESC goes
}

static void push_csi(AnsiFilter *self, uint8_t byte, GString *out)
{
    if (byte >= 0x20 && byte <= 0x3f) {
        keep_undecided(self, byte, out);
        return;
    }
    ansi_filter_enter(self, STATE_TEXT);
    if (byte < 0x20 || byte > 0x7e)
        push_byte(self, byte, out); // broken off
}

static void push_string(AnsiFilter *self, uint8_t byte, GString *out)
{
    if (byte == BEL || byte == CAN || byte == SUB)
        ansi_filter_enter(self, STATE_TEXT);
    else if (byte == ESC)
        self->state = STATE_STRING_ESCAPE;
    else
        keep_undecided(self, byte, out);
}

// One byte that is no part of a C1 control.
static void push_byte(AnsiFilter *self, uint8_t byte, GString *out)
{
    switch (self->state) {
    case STATE_TEXT:
        if (byte == ESC)
            ansi_filter_enter(self, STATE_ESCAPE);
        else if (is_shown(byte))
            g_string_append_c(out, (char)byte);
        return;
    case STATE_ESCAPE:
        push_escape(self, byte, out);
        return;
    case STATE_CSI:
        push_csi(self, byte, out);
        return;
    case STATE_STRING:
        push_string(self, byte, out);
        return;
    case STATE_STRING_ESCAPE:
        ansi_filter_enter(self, STATE_TEXT);
        if (byte != '\\') {
            // Any other sequence breaks the string off.
            ansi_filter_enter(self, STATE_ESCAPE);
            push_byte(self, byte, out);
        }
        return;
    }
}

// The 8-bit form of ESC followed by 0x40–0x5F; ends whatever was open.
static void push_c1(AnsiFilter *self, uint8_t code)
{
    switch (code) {
    case 0x9b:
        ansi_filter_enter(self, STATE_CSI);
        return;
    case 0x90: // DCS
    case 0x98: // SOS
    case 0x9d: // OSC
    case 0x9e: // PM
    case 0x9f: // APC
        ansi_filter_enter(self, STATE_STRING);
        return;
    default: // ST and the controls that stand alone
        ansi_filter_enter(self, STATE_TEXT);
        return;
    }
}

// How many bytes from `text` on are text whatever follows.
static size_t plain_run(const char *text, size_t size)
{
    size_t run = 0;
    while (run < size && is_shown((uint8_t)text[run]) && (uint8_t)text[run] != 0xc2)
        run++;
    return run;
}

void ansi_filter_push(AnsiFilter *self, const char *text, size_t size, GString *out)
{
    for (size_t i = 0; i < size; i++) {
        // Nearly all output is plain: copied in runs, not byte by byte.
        if (self->state == STATE_TEXT && !self->has_lead) {
            size_t run = plain_run(text + i, size - i);
            g_string_append_len(out, text + i, (gssize)run);
            i += run;
            if (i == size)
                return;
        }
        uint8_t byte = (uint8_t)text[i];
        if (self->has_lead) {
            self->has_lead = false;
            if (byte >= 0x80 && byte <= 0x9f) {
                push_c1(self, byte);
                continue;
            }
            push_byte(self, 0xc2, out);
        }
        if (byte == 0xc2)
            self->has_lead = true;
        else
            push_byte(self, byte, out);
    }
}

void ansi_filter_finish(AnsiFilter *self, GString *out G_GNUC_UNUSED)
{
    // A lead byte alone is not valid text, so nothing of it is owed.
    self->has_lead = false;
    ansi_filter_enter(self, STATE_TEXT);
}

char *ansi_strip(const char *text)
{
    g_autoptr(AnsiFilter) filter = ansi_filter_new();
    GString *out = g_string_sized_new(strlen(text));
    ansi_filter_push(filter, text, strlen(text), out);
    ansi_filter_finish(filter, out);
    return g_string_free(out, FALSE);
}
