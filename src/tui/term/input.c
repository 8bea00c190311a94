/*
 * Bytes of a terminal to events: one state at a time, one byte at a time. Sequences that are whole
 * are taken apart in input_keys.c and input_answers.c, pastes in input_paste.c.
 *
 * ESC alone, ESC [ and ESC P may be a key or the beginning of more, which only time tells: after
 * `escape_ms` they are keys. Longer pieces are no one's keys, so they wait REST_MS for their end.
 * When the rest of a key comes right after its ESC was given as a key, it is dropped: the state
 * goes on with `is_late`.
 */
#include "tui/term/input.h"
#include "tui/term/input_keys.h"
#include "tui/term/input_paste.h"

#include <string.h>

enum {
    REST_MS = 500,        // between two bytes of a sequence that has begun for sure
    PASTE_MS = 2000,      // without bytes: it was not closed
    UNMARKED_MS = 50,     // after a piece of a paste without marks: what comes is its next piece
    UNMARKED_BYTES = 16,  // of a read: with a line end inside it is a paste without marks
    MOUSE_BYTES = 3,      // after CSI M
    MAX_ESCAPE_MS = 10000 // of the setting
};

typedef enum {
    STATE_GROUND,
    STATE_UTF8,   // within a character
    STATE_ESCAPE, // ESC
    STATE_CSI,    // ESC [
    STATE_CONSOLE_KEY,
    STATE_MOUSE,
    STATE_SS3,        // ESC O
    STATE_STRING,     // ESC ] and the like
    STATE_STRING_END, // ESC within one
    STATE_PASTE,
} State;

struct Input {
    InputFunc func;
    void *user_data;
    int escape_ms;
    bool is_kitty, has_brackets;
    State state;
    bool has_alt;     // an ESC stood before what is being read
    bool is_late;     // its ESC was given as a key
    bool is_full;     // what is being read is too long
    bool has_more;    // bytes of this read after the one looked at
    bool is_owed;     // a paste was ended by time: its rest, and its mark, may still come
    bool is_unmarked; // the paste that is being read ends by time
    gint64 deadline;
    size_t size; // of what is being read, without ESC
    char bytes[LIMIT_INPUT_SEQUENCE + 1];
    InputPaste paste;
};

Input *input_new(int escape_ms, InputFunc func, void *user_data)
{
    Input *self = g_new0(Input, 1);
    self->func = func;
    self->user_data = user_data;
    self->escape_ms = CLAMP(escape_ms, 1, MAX_ESCAPE_MS);
    input_paste_init(&self->paste);
    return self;
}

void input_free(Input *self)
{
    if (!self)
        return;
    input_paste_clear(&self->paste);
    g_free(self);
}

void input_set_kitty(Input *self, bool is_on)
{
    self->is_kitty = is_on;
}

void input_set_brackets(Input *self, bool is_known)
{
    self->has_brackets = is_known;
}

static void input_enter(Input *self, State state)
{
    self->state = state;
    self->size = 0;
    self->is_full = false;
}

static void input_reset(Input *self)
{
    input_enter(self, STATE_GROUND);
    self->has_alt = false;
    self->is_late = false;
    self->deadline = 0;
}

static void input_add(Input *self, char byte)
{
    if (self->size < LIMIT_INPUT_SEQUENCE)
        self->bytes[self->size++] = byte;
    else
        self->is_full = true;
}

// ---- events ----

static void give_key(Input *self, KeyPress key)
{
    const InputEvent event = { .kind = INPUT_KEY, .key = key };
    self->func(&event, self->user_data);
}

static void give_char(Input *self, uint32_t c, bool has_alt)
{
    KeyPress key = { 0 };
    if (input_key_of_char(c, has_alt ? MOD_ALT : 0, &key))
        give_key(self, key);
}

/* ESC before something that is no key was a key of its own. */
static void give_escape_before(Input *self)
{
    if (self->has_alt)
        give_char(self, 0x1b, false);
    self->has_alt = false;
}

/* ESC and a character that could have been the beginning of a sequence. */
static void give_introducer(Input *self)
{
    give_escape_before(self);
    give_char(self, (unsigned char)self->bytes[0], true);
}

static void give_piece(Input *self, bool is_last)
{
    InputEvent event = input_paste_piece(&self->paste, is_last);
    if (is_last)
        input_reset(self);
    if (event.size > 0 || is_last)
        self->func(&event, self->user_data);
}

static void begin_paste(Input *self)
{
    input_reset(self);
    self->is_owed = self->is_unmarked = false;
    input_paste_begin(&self->paste);
    self->state = STATE_PASTE;
}

static void give_sequence_key(Input *self, KeyPress key)
{
    if (self->has_alt)
        key.mods |= MOD_ALT;
    if (!self->is_late)
        give_key(self, key);
}

static void finish_csi(Input *self)
{
    InputSequence sequence;
    KeyPress key = { 0 };
    InputEvent event = { 0 };
    if (self->is_full || !input_sequence_parse(self->bytes + 1, self->size - 1, &sequence)) {
        input_reset(self);
    } else if (!sequence.prefix && sequence.final == '~' && sequence.params[0][0] == 200) {
        give_escape_before(self);
        begin_paste(self);
    } else if (!sequence.prefix && sequence.final == '~' && sequence.params[0][0] == 201) {
        self->is_owed = false; // the end of none
        input_reset(self);
    } else if (input_key_of_csi(&sequence, &key)) {
        give_sequence_key(self, key);
        input_reset(self);
    } else {
        bool is_answer = input_answer_of_csi(&sequence, &event);
        if (is_answer)
            give_escape_before(self);
        input_reset(self);
        if (is_answer)
            self->func(&event, self->user_data);
    }
}

static void finish_ss3(Input *self)
{
    InputSequence sequence;
    KeyPress key = { 0 };
    if (!self->is_full && input_sequence_parse(self->bytes + 1, self->size - 1, &sequence) &&
        input_key_of_ss3(&sequence, &key))
        give_sequence_key(self, key);
    input_reset(self);
}

static void finish_string(Input *self)
{
    InputEvent event = { .kind = INPUT_ANSWER, .answer = ANSWER_OTHER };
    self->bytes[self->size] = '\0';
    if (!self->is_full)
        input_answer_of_string(self->bytes, self->size, &event);
    give_escape_before(self);
    input_reset(self);
    self->func(&event, self->user_data);
}

// ---- states: true when the byte was taken, false when the new state must look at it ----

/* No sequence, after all. What stands alone after ESC was typed. */
static bool give_up(Input *self)
{
    if (self->size == 1 && !self->is_late)
        give_introducer(self);
    input_reset(self);
    return false;
}

static bool take_ground(Input *self, char byte)
{
    unsigned char c = (unsigned char)byte;
    if (c == 0x1b) {
        input_enter(self, STATE_ESCAPE);
    } else if (c < 0x80) {
        bool has_alt = self->has_alt;
        input_reset(self);
        give_char(self, c, has_alt);
    } else if (g_utf8_get_char_validated(&byte, 1) == (gunichar)-2) {
        input_enter(self, STATE_UTF8);
        input_add(self, byte);
    } else {
        input_reset(self); // not a character
    }
    return true;
}

static bool take_utf8(Input *self, char byte)
{
    if ((byte & 0xc0) != 0x80) {
        input_reset(self);
        return false;
    }
    input_add(self, byte);
    gunichar c = g_utf8_get_char_validated(self->bytes, (gssize)self->size);
    if (c == (gunichar)-2)
        return true;
    bool has_alt = self->has_alt;
    input_reset(self);
    if (c != (gunichar)-1)
        give_char(self, c, has_alt);
    return true;
}

/* The state that ESC and `byte` lead to; STATE_GROUND: none. */
static State state_of(char byte)
{
    switch (byte) {
    case '[':
        return STATE_CSI;
    case 'O':
        return STATE_SS3;
    case ']': // OSC
    case 'P': // DCS
    case '_': // APC
    case '^': // PM
    case 'X': // SOS
        return STATE_STRING;
    default:
        return STATE_GROUND;
    }
}

static bool take_escape(Input *self, char byte)
{
    State next = state_of(byte);
    if (self->is_late && (next == STATE_GROUND || (next == STATE_STRING && !self->has_more))) {
        input_reset(self); // typed, not the rest of a key
        return false;
    }
    if (byte == '\x1b') {
        give_escape_before(self);
        self->has_alt = true;
        return true;
    }
    if (next == STATE_GROUND) {
        give_escape_before(self);
        self->has_alt = true;
        self->state = STATE_GROUND;
        return false;
    }
    input_enter(self, next);
    input_add(self, byte);
    return true;
}

static bool is_rxvt_key(const Input *self)
{
    if (self->size < 2)
        return false;
    for (size_t i = 1; i < self->size; i++)
        if (!g_ascii_isdigit(self->bytes[i]))
            return false;
    return true;
}

static bool take_csi(Input *self, char byte)
{
    unsigned char c = (unsigned char)byte;
    if (c < 0x20 || c > 0x7e)
        return give_up(self);
    bool is_first = self->size == 1;
    bool is_end = c >= 0x40 || (c == '$' && is_rxvt_key(self)); // CSI 3 $
    input_add(self, byte);
    if (is_first && c == '[')
        input_enter(self, STATE_CONSOLE_KEY);
    else if (is_first && c == 'M')
        input_enter(self, STATE_MOUSE);
    else if (is_end)
        finish_csi(self);
    return true;
}

static bool take_console_key(Input *self, char byte)
{
    if ((unsigned char)byte < 0x20)
        return give_up(self);
    KeyPress key = { 0 };
    if (input_key_of_console(byte, &key))
        give_sequence_key(self, key);
    input_reset(self);
    return true;
}

/* The old form: button, column and row as bytes. */
static bool take_mouse(Input *self, char byte)
{
    if ((unsigned char)byte < 0x20) {
        input_reset(self);
        return false;
    }
    input_add(self, byte);
    if (self->size == MOUSE_BYTES)
        input_reset(self);
    return true;
}

static bool take_ss3(Input *self, char byte)
{
    unsigned char c = (unsigned char)byte;
    bool is_param = g_ascii_isdigit(byte) || byte == ';';
    if (!is_param && c != ' ' && (c < 0x40 || c > 0x7e))
        return give_up(self);
    input_add(self, byte);
    if (!is_param)
        finish_ss3(self);
    return true;
}

/* How the rest of an answer begins; a typed text hardly does. */
static bool may_be_answer(const Input *self, char byte)
{
    static const char *const starts[] = { "]0123456789", "P>01!", "_G" };
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++)
        if (starts[i][0] == self->bytes[0])
            return byte != '\0' && strchr(starts[i] + 1, byte);
    return false;
}

static bool take_string(Input *self, char byte)
{
    if (self->is_late && self->size == 1 && !may_be_answer(self, byte))
        return give_up(self);
    if (byte == '\a')
        finish_string(self);
    else if (byte == '\x1b')
        self->state = STATE_STRING_END;
    else
        input_add(self, byte);
    return true;
}

static bool take_string_end(Input *self, char byte)
{
    if (byte == '\\') {
        finish_string(self);
        return true;
    }
    give_up(self);
    input_enter(self, STATE_ESCAPE);
    return false;
}

static bool take_paste(Input *self, char byte)
{
    if (input_paste_take(&self->paste, byte))
        give_piece(self, false);
    return true;
}

static void input_take(Input *self, char byte)
{
    static bool (*const states[])(Input *, char) = {
        [STATE_GROUND] = take_ground,
        [STATE_UTF8] = take_utf8,
        [STATE_ESCAPE] = take_escape,
        [STATE_CSI] = take_csi,
        [STATE_CONSOLE_KEY] = take_console_key,
        [STATE_MOUSE] = take_mouse,
        [STATE_SS3] = take_ss3,
        [STATE_STRING] = take_string,
        [STATE_STRING_END] = take_string_end,
        [STATE_PASTE] = take_paste,
    };
    while (!states[self->state](self, byte))
        ;
}

// ---- reads and time ----

/* After ESC: as most keys do. */
static bool goes_on(char byte)
{
    return byte == '[' || byte == 'O';
}

/* Whether two lines, and both ends of them, came at once: no one types that fast. One line, and
   what was begun after it, may be what a slow connection had held back. */
static bool has_two_lines(const char *data, size_t size)
{
    int lines = 0;
    bool has_text = false;
    for (size_t i = 0; i < size && lines < 2; i++) {
        bool is_end = data[i] == '\r' || data[i] == '\n';
        lines += is_end && has_text;
        has_text = !is_end;
    }
    return lines == 2;
}

/* A read that is a paste although nothing marks it: several lines, and no sequence. */
static bool is_unmarked_paste(const Input *self, const char *data, size_t size)
{
    bool is_between = self->state == STATE_GROUND || self->state == STATE_UTF8 ||
                      (self->state == STATE_ESCAPE && self->is_late && !goes_on(data[0]));
    if ((self->has_brackets && !self->is_owed) || !is_between || memchr(data, '\x1b', size))
        return false;
    if (size < UNMARKED_BYTES)
        return has_two_lines(data, size);
    while (size > 0 && (data[size - 1] == '\r' || data[size - 1] == '\n'))
        size--; // a line and Enter are typing
    return memchr(data, '\r', size) || memchr(data, '\n', size);
}

/* The last read of a paste that was taken for unclosed, when the line had only been slow. */
static bool is_owed_end(const Input *self, const char *data, size_t size)
{
    static const char mark[] = "\x1b[201~";
    return self->is_owed && self->state == STATE_GROUND && size >= sizeof(mark) &&
           g_strstr_len(data, (gssize)size, mark);
}

static void begin_unmarked_paste(Input *self)
{
    char begun[8]; // of a character, by the read before
    size_t begun_size = self->state == STATE_UTF8 ? MIN(self->size, sizeof(begun)) : 0;
    memcpy(begun, self->bytes, begun_size);
    bool was_owed = self->is_owed;
    begin_paste(self);
    self->is_owed = was_owed;
    self->is_unmarked = true;
    for (size_t i = 0; i < begun_size; i++)
        input_take(self, begun[i]);
}

/* A key after a paste without marks ends it: a byte that comes alone, or a sequence. */
static bool ends_unmarked_paste(const Input *self, const char *data, size_t size)
{
    return self->state == STATE_PASTE && self->is_unmarked &&
           (memchr(data, '\x1b', size) || size == 1);
}

/* Whether nothing but ESC, or ESC and one character, has come: time makes keys of them. */
static bool is_undecided(const Input *self)
{
    if (self->is_late)
        return false;
    return self->state == STATE_ESCAPE ||
           (self->size == 1 && (self->state == STATE_CSI || self->state == STATE_SS3 ||
                                self->state == STATE_STRING || self->state == STATE_STRING_END));
}

static void set_deadline(Input *self, gint64 now_ms)
{
    if (self->state == STATE_GROUND || self->state == STATE_UTF8)
        self->deadline = 0;
    else if (self->state == STATE_PASTE)
        self->deadline = now_ms + (self->is_unmarked ? UNMARKED_MS : PASTE_MS);
    else if (is_undecided(self) && !self->is_kitty)
        self->deadline = now_ms + self->escape_ms;
    else
        self->deadline = now_ms + REST_MS;
}

void input_feed(Input *self, const char *data, size_t size, gint64 now_ms)
{
    if (size == 0)
        return;
    // what goes on as a sequence does so even when the timer is late: its bytes were there
    bool is_other = self->state == STATE_ESCAPE && !goes_on(data[0]);
    if (is_other || self->is_late)
        input_timeout(self, now_ms);
    if (ends_unmarked_paste(self, data, size))
        give_piece(self, true);
    if (is_unmarked_paste(self, data, size))
        begin_unmarked_paste(self);
    else if (is_owed_end(self, data, size))
        begin_paste(self);
    for (size_t i = 0; i < size; i++) {
        self->has_more = i + 1 < size;
        input_take(self, data[i]);
    }
    if (self->state == STATE_PASTE)
        give_piece(self, input_paste_is_over(&self->paste));
    set_deadline(self, now_ms);
}

gint64 input_deadline(const Input *self)
{
    return self->deadline;
}

/* What has waited long enough is a key; its rest may still come. */
static void give_undecided(Input *self, gint64 now_ms)
{
    bool has_end = self->state == STATE_STRING_END, is_escape = self->state == STATE_ESCAPE;
    bool is_string = self->state == STATE_STRING;
    if (is_escape) {
        give_escape_before(self);
        give_char(self, 0x1b, false);
    } else {
        give_introducer(self);
    }
    if (has_end)
        give_char(self, 0x1b, false);
    if (has_end || is_string) {
        input_reset(self);
        return;
    }
    self->is_late = true;
    self->deadline = now_ms + self->escape_ms;
}

void input_timeout(Input *self, gint64 now_ms)
{
    if (self->deadline == 0 || now_ms < self->deadline)
        return;
    if (self->state == STATE_PASTE) {
        self->is_owed = self->is_owed || !self->is_unmarked;
        give_piece(self, true);
    } else if (is_undecided(self)) {
        give_undecided(self, now_ms);
    } else {
        input_reset(self);
    }
}
