/*
 * The tables of keys: kitty's protocol, modifyOtherKeys, and what xterm, the VT220, the Linux
 * console, rxvt, PuTTY, Konsole and tmux send without them. No terminfo: these are the same
 * everywhere (tui §6).
 */
#include "tui/term/input_keys.h"

#include <string.h>

enum { KITTY_FIRST = 57344, KITTY_LAST = 63743 }; // keys without a character, by its protocol
enum { EVENT_REPEAT = 2, EVENT_RELEASE = 3 };

typedef struct KeyRow {
    uint32_t from, code;
} KeyRow;

static const KeyRow tilde_keys[] = {
    // CSI n ~
    { 1, KEY_HOME },    { 2, KEY_INSERT },    { 3, KEY_DELETE },   { 4, KEY_END },
    { 5, KEY_PAGE_UP }, { 6, KEY_PAGE_DOWN }, { 7, KEY_HOME },     { 8, KEY_END },
    { 11, KEY_F1 },     { 12, KEY_F1 + 1 },   { 13, KEY_F1 + 2 },  { 14, KEY_F1 + 3 },
    { 15, KEY_F1 + 4 }, { 17, KEY_F1 + 5 },   { 18, KEY_F1 + 6 },  { 19, KEY_F1 + 7 },
    { 20, KEY_F1 + 8 }, { 21, KEY_F1 + 9 },   { 23, KEY_F1 + 10 }, { 24, KEY_F12 },
};

static const KeyRow letter_keys[] = {
    // CSI A, SS3 A
    { 'A', KEY_UP },     { 'B', KEY_DOWN },   { 'C', KEY_RIGHT }, { 'D', KEY_LEFT },
    { 'H', KEY_HOME },   { 'F', KEY_END },    { 'P', KEY_F1 },    { 'Q', KEY_F1 + 1 },
    { 'R', KEY_F1 + 2 }, { 'S', KEY_F1 + 3 },
};

static const KeyRow keypad_keys[] = {
    // SS3 p, of a keypad in its application mode
    { ' ', ' ' }, { 'I', KEY_TAB }, { 'X', '=' }, { 'j', '*' }, { 'k', '+' },
    { 'l', ',' }, { 'm', '-' },     { 'n', '.' }, { 'o', '/' }, { 'p', '0' },
    { 'q', '1' }, { 'r', '2' },     { 's', '3' }, { 't', '4' }, { 'u', '5' },
    { 'v', '6' }, { 'w', '7' },     { 'x', '8' }, { 'y', '9' },
};

static const KeyRow code_keys[] = {
    // CSI n u, CSI 27 ; mods ; n ~
    { 8, KEY_BACKSPACE },     { 9, KEY_TAB },      { 13, KEY_ENTER },   { 27, KEY_ESCAPE },
    { 127, KEY_BACKSPACE },   { 57399, '0' },      { 57400, '1' },      { 57401, '2' },
    { 57402, '3' },           { 57403, '4' },      { 57404, '5' },      { 57405, '6' },
    { 57406, '7' },           { 57407, '8' },      { 57408, '9' },      { 57409, '.' },
    { 57410, '/' },           { 57411, '*' },      { 57412, '-' },      { 57413, '+' },
    { 57414, KEY_ENTER },     { 57415, '=' },      { 57416, ',' },      { 57417, KEY_LEFT },
    { 57418, KEY_RIGHT },     { 57419, KEY_UP },   { 57420, KEY_DOWN }, { 57421, KEY_PAGE_UP },
    { 57422, KEY_PAGE_DOWN }, { 57423, KEY_HOME }, { 57424, KEY_END },  { 57425, KEY_INSERT },
    { 57426, KEY_DELETE },
};

/* 0: none. */
static uint32_t find_row(const KeyRow *rows, size_t count, uint32_t from)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].from == from)
            return rows[i].code;
    return 0;
}

/* Bytes of numbers: digits, ':' between parts, ';' between numbers. */
static bool parse_params(const char *bytes, size_t size, InputSequence *sequence)
{
    unsigned param = 0, part = 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == ';') {
            param++;
            part = 0;
        } else if (bytes[i] == ':') {
            part++;
        } else if (!g_ascii_isdigit(bytes[i])) {
            return false;
        } else if (param < SEQUENCE_PARAMS && part < SEQUENCE_PARTS) {
            uint32_t *number = &sequence->params[param][part];
            *number = MIN(*number * 10 + (uint32_t)(bytes[i] - '0'), 0x1fffffff / 10);
        }
        if (param >= SEQUENCE_PARAMS)
            return false;
    }
    sequence->count = size > 0 ? param + 1 : 0;
    return true;
}

bool input_sequence_parse(const char *bytes, size_t size, InputSequence *ret_sequence)
{
    if (size == 0)
        return false;
    InputSequence sequence = { .final = bytes[--size] };
    if (size > 0 && strchr("<=>?", bytes[0]) && bytes[0] != '\0') {
        sequence.prefix = bytes[0];
        bytes++;
        size--;
    }
    while (size > 0 && bytes[size - 1] >= 0x20 && bytes[size - 1] < 0x30) {
        if (!sequence.intermediate)
            sequence.intermediate = bytes[size - 1];
        size--;
    }
    if (!parse_params(bytes, size, &sequence))
        return false;
    *ret_sequence = sequence;
    return true;
}

/* Of the number that terminals send: 1 + a bit for each. */
static uint8_t mods_of(uint32_t number)
{
    enum {
        SENT_SHIFT = 1,
        SENT_ALT = 2,
        SENT_CTRL = 4,
        SENT_SUPER = 8,
        SENT_HYPER = 16,
        SENT_META = 32
    };
    uint32_t bits = number > 0 ? number - 1 : 0;
    return (uint8_t)((bits & SENT_SHIFT ? MOD_SHIFT : 0) |
                     (bits & (SENT_ALT | SENT_META) ? MOD_ALT : 0) |
                     (bits & SENT_CTRL ? MOD_CTRL : 0) |
                     (bits & (SENT_SUPER | SENT_HYPER) ? MOD_SUPER : 0));
}

static bool is_typed(uint32_t c)
{
    return c >= 0x20 && c < 0x110000 && (c < 0x7f || c > 0x9f) && (c < 0xd800 || c > 0xdfff);
}

static bool needs_shift(uint32_t c)
{
    return c > 0x20 && c < 0x7f && strchr("!@#$%^&*()_+{}|:\"<>?~", (int)c);
}

KeyPress input_key_of_typed(uint32_t c, uint32_t shifted, uint8_t mods)
{
    bool is_command = mods & (MOD_CTRL | MOD_ALT | MOD_SUPER);
    if (is_command && g_unichar_isalpha(c)) {
        if (g_unichar_isupper(c))
            mods |= MOD_SHIFT;
        c = g_unichar_tolower(c);
    } else if (mods & MOD_SHIFT && (shifted || needs_shift(c) || !is_command)) {
        c = shifted ? shifted : g_unichar_toupper(c);
        mods &= (uint8_t)~MOD_SHIFT;
    }
    if (mods & MOD_CTRL && c == '_') // old terminals send one byte for both
        c = '-';
    return (KeyPress) { .code = c, .mods = mods };
}

bool input_key_of_char(uint32_t c, uint8_t mods, KeyPress *ret_key)
{
    KeyPress key = { .mods = mods };
    if (c == '\r') {
        key.code = KEY_ENTER;
    } else if (c == '\t') {
        key.code = KEY_TAB;
    } else if (c == 0x1b) {
        key.code = KEY_ESCAPE;
    } else if (c == 0x7f || c == '\b') {
        key.code = KEY_BACKSPACE;
    } else if (c == 0) {
        key = input_key_of_typed(' ', 0, mods | MOD_CTRL);
    } else if (c < 0x20) { // ctrl+j is 0x0a, ctrl+] 0x1d
        key = input_key_of_typed(c < 0x1b ? c + 0x60 : c + 0x40, 0, mods | MOD_CTRL);
    } else if (is_typed(c)) {
        key = input_key_of_typed(c, 0, mods);
    } else {
        return false;
    }
    *ret_key = key;
    return true;
}

/* kitty: code:shifted:base ; mods:event. */
static bool key_of_code(const uint32_t code[SEQUENCE_PARTS], uint8_t mods, KeyPress *ret_key)
{
    uint32_t known = find_row(code_keys, G_N_ELEMENTS(code_keys), code[0]);
    if (known >= KEY_ENTER) {
        *ret_key = (KeyPress) { .code = known, .mods = mods };
        return true;
    }
    uint32_t c = known ? known : code[0], shifted = is_typed(code[1]) ? code[1] : 0;
    if (!is_typed(c) || (c >= KITTY_FIRST && c <= KITTY_LAST))
        return false;
    bool is_command = mods & (MOD_CTRL | MOD_ALT | MOD_SUPER);
    if (is_command && c >= 0x80 && code[2] >= 0x20 && code[2] < 0x7f) {
        c = code[2]; // a shortcut is the same key in every layout
        shifted = 0;
    }
    *ret_key = input_key_of_typed(c, shifted, mods);
    return true;
}

/* CSI n ~, and with rxvt's own ends in place of the modifiers. */
static bool key_of_tilde(const InputSequence *sequence, uint8_t mods, KeyPress *ret_key)
{
    uint32_t number = sequence->params[0][0];
    if (number == 27 && sequence->final == '~' && sequence->count >= 3) {
        uint32_t code = sequence->params[2][0];
        // it is the character that shift has made already
        const uint32_t parts[SEQUENCE_PARTS] = { code, code, 0 };
        return key_of_code(parts, mods, ret_key);
    }
    if (sequence->final == '$' || sequence->final == '@')
        mods |= MOD_SHIFT;
    if (sequence->final == '^' || sequence->final == '@')
        mods |= MOD_CTRL;
    uint32_t code = find_row(tilde_keys, G_N_ELEMENTS(tilde_keys), number);
    *ret_key = (KeyPress) { .code = code, .mods = mods };
    return code != 0;
}

static bool key_of_letter(const InputSequence *sequence, uint8_t mods, KeyPress *ret_key)
{
    char final = sequence->final;
    uint32_t first = sequence->params[0][0];
    if (sequence->count == 1 && first > 1 && first <= 16)
        mods = mods_of(first); // CSI 5 C, of old ones
    else if (first > 1)
        return false; // CSI 12 ; 40 R is a place on the screen
    if (final == 'Z') {
        *ret_key = (KeyPress) { .code = KEY_TAB, .mods = mods | MOD_SHIFT };
        return true;
    }
    if (final >= 'a' && final <= 'd') { // rxvt
        final = g_ascii_toupper(final);
        mods |= MOD_SHIFT;
    }
    uint32_t code = find_row(letter_keys, G_N_ELEMENTS(letter_keys), (uint32_t) final);
    *ret_key = (KeyPress) { .code = code, .mods = mods };
    return code != 0;
}

bool input_key_of_csi(const InputSequence *sequence, KeyPress *ret_key)
{
    if (sequence->prefix || sequence->intermediate)
        return false;
    KeyPress key = { 0 };
    uint8_t mods = mods_of(sequence->count >= 2 ? sequence->params[1][0] : 0);
    uint32_t event = sequence->count >= 2 ? sequence->params[1][1] : 0;
    bool is_key = sequence->final == 'u'            ? key_of_code(sequence->params[0], mods, &key)
                  : strchr("~^$@", sequence->final) ? key_of_tilde(sequence, mods, &key)
                                                    : key_of_letter(sequence, mods, &key);
    if (!is_key || event == EVENT_RELEASE)
        return false;
    key.is_repeat = event == EVENT_REPEAT;
    *ret_key = key;
    return true;
}

bool input_key_of_ss3(const InputSequence *sequence, KeyPress *ret_key)
{
    if (sequence->prefix || sequence->intermediate)
        return false;
    char final = sequence->final;
    KeyPress key = { .mods =
                         mods_of(sequence->count ? sequence->params[sequence->count - 1][0] : 0) };
    if (final == 'M') { // so Konsole sends it; a keypad in its application mode is no one's
        key.code = KEY_ENTER;
        key.mods |= MOD_SHIFT;
    } else if (final >= 'a' && final <= 'd') { // rxvt
        key.code =
            find_row(letter_keys, G_N_ELEMENTS(letter_keys), (uint32_t)g_ascii_toupper(final));
        key.mods |= MOD_CTRL;
    } else {
        key.code = find_row(letter_keys, G_N_ELEMENTS(letter_keys), (uint32_t) final);
        if (!key.code)
            key.code = find_row(keypad_keys, G_N_ELEMENTS(keypad_keys), (uint32_t) final);
    }
    *ret_key = key;
    return key.code != 0;
}

bool input_key_of_console(char final, KeyPress *ret_key)
{
    if (final < 'A' || final > 'E')
        return false;
    *ret_key = (KeyPress) { .code = KEY_F1 + (uint32_t)(final - 'A') };
    return true;
}
