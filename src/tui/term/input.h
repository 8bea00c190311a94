/*
 * What a terminal sends, as events (tui §6): keys of the kitty protocol, of modifyOtherKeys and the
 * old ones, pastes, focus, and answers to queries. A pure state machine: bytes and times in, events
 * out; it reads nothing and keeps no time. Bounded: LIMIT_INPUT_SEQUENCE of one sequence,
 * LIMIT_PASTE_BYTES of one paste; what is beyond or unknown is dropped whole, never typed.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { LIMIT_INPUT_SEQUENCE = 4096, LIMIT_PASTE_BYTES = 16 * 1024 * 1024 };

typedef enum { // KeyPress.code of keys that are no character
    KEY_ENTER = 0x110000,
    KEY_TAB,
    KEY_BACKSPACE,
    KEY_ESCAPE,
    KEY_UP,
    KEY_DOWN,
    KEY_LEFT,
    KEY_RIGHT,
    KEY_HOME,
    KEY_END,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_INSERT,
    KEY_DELETE,
    KEY_F1, // to F12
    KEY_F12 = KEY_F1 + 11,
} KeyCode;

enum { MOD_SHIFT = 1, MOD_ALT = 2, MOD_CTRL = 4, MOD_SUPER = 8 };

typedef struct KeyPress {
    uint32_t code;  // a KeyCode, or a character: letters with ctrl or alt are small
    uint8_t mods;   // shift is left out where it is in the character
    bool is_repeat; // the terminal says that the key is held
} KeyPress;

typedef enum {
    ANSWER_KITTY,         // number: the flags
    ANSWER_VERSION,       // text: XTVERSION
    ANSWER_MODE,          // number: the private mode; value: 0 unknown, 1 set, 2 reset, 3, 4 fixed
    ANSWER_BACKGROUND,    // number: 0xRRGGBB
    ANSWER_COLOUR_SCHEME, // number: 1 dark, 2 light (mode 2031)
    ANSWER_ATTRIBUTES,    // CSI c: all others that ever come have come; value: 1: draws sixel
    ANSWER_TRUE_COLOUR,   // it took a colour of 24 bits as it was
    ANSWER_OTHER,         // eaten
} AnswerKind;

typedef enum { INPUT_KEY, INPUT_PASTE, INPUT_ANSWER, INPUT_FOCUS } InputKind;

typedef struct InputEvent {
    InputKind kind;
    KeyPress key;
    /* A piece of a paste, valid UTF-8, line ends as LF; borrowed. It ends with `is_last`, which
       also says whether something was dropped. */
    const char *text;
    size_t size;
    bool is_last, is_cut;
    AnswerKind answer;
    uint32_t number;
    int value;
    bool is_focused;
} InputEvent;

typedef void (*InputFunc)(const InputEvent *event, void *user_data);
typedef struct Input Input;

Input *input_new(int escape_ms, InputFunc func, void *user_data);
void input_free(Input *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Input, input_free)

/* One read; `now_ms` by time_monotonic_ms(). */
void input_feed(Input *self, const char *data, size_t size, gint64 now_ms);
/* When input_timeout() wants to be called, by the same clock; 0: not at all. */
gint64 input_deadline(const Input *self);
void input_timeout(Input *self, gint64 now_ms);
/* Escape is a sequence of its own (kitty): there is no wait for what may follow. */
void input_set_kitty(Input *self, bool is_on);
/* The terminal marks pastes, so that nothing else is one. */
void input_set_brackets(Input *self, bool is_known);
