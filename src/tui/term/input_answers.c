/*
 * What terminals answer to queries, and tell by themselves: modes, versions, colours, focus.
 */
#include "base/str.h"
#include "tui/term/input_keys.h"

#include <string.h>

enum { MODE_COLOUR_SCHEME = 997, ATTRIBUTE_SIXEL = 4 };

static bool has_param(const InputSequence *sequence, uint32_t number)
{
    for (unsigned i = 0; i < sequence->count; i++)
        if (sequence->params[i][0] == number)
            return true;
    return false;
}

bool input_answer_of_csi(const InputSequence *sequence, InputEvent *ret_event)
{
    InputEvent event = { .kind = INPUT_ANSWER, .answer = ANSWER_OTHER };
    uint32_t first = sequence->params[0][0], second = sequence->params[1][0];
    char final = sequence->final;
    if (!sequence->prefix && sequence->count == 0 && (final == 'I' || final == 'O')) {
        event.kind = INPUT_FOCUS;
        event.is_focused = final == 'I';
    } else if (sequence->prefix == '?' && sequence->intermediate == '$' && final == 'y' &&
               sequence->count >= 2) {
        event.answer = ANSWER_MODE;
        event.number = first;
        event.value = (int)second;
    } else if (sequence->prefix == '?' && !sequence->intermediate && final == 'u') {
        event.answer = ANSWER_KITTY;
        event.number = first;
    } else if (sequence->prefix == '?' && !sequence->intermediate && final == 'c') {
        event.answer = ANSWER_ATTRIBUTES;
        event.value = has_param(sequence, ATTRIBUTE_SIXEL);
    } else if (sequence->prefix == '?' && final == 'n' && first == MODE_COLOUR_SCHEME &&
               (second == 1 || second == 2)) {
        event.answer = ANSWER_COLOUR_SCHEME;
        event.number = second;
    } else if (!strchr("cnRtxy", final) || sequence->prefix == '<') {
        return false;
    }
    *ret_event = event;
    return true;
}

/* "1e1e": the upper 8 bits of a number of 1 to 4 digits that means 0 to 1. */
static bool parse_channel(const char **text, uint32_t *ret_value)
{
    uint32_t value = 0, limit = 0;
    const char *at = *text;
    for (; at - *text < 4 && g_ascii_isxdigit(*at); at++) {
        value = value << 4 | (uint32_t)g_ascii_xdigit_value(*at);
        limit = limit << 4 | 0xf;
    }
    if (at == *text)
        return false;
    *text = at;
    *ret_value = (value * 255 + limit / 2) / limit;
    return true;
}

/* "rgb:1e1e/2020/3030", "rgba:…" or "#1e2030". */
static bool parse_colour(const char *text, uint32_t *ret_colour)
{
    uint32_t channels[3] = { 0 };
    if (*text == '#') {
        gsize digits = strspn(text + 1, "0123456789abcdefABCDEF") / 3;
        if (digits == 0 || digits > 4 || strlen(text) != 1 + 3 * digits)
            return false;
        for (unsigned i = 0; i < 3; i++) {
            char one[5] = { 0 };
            memcpy(one, text + 1 + i * digits, digits);
            const char *at = one;
            if (!parse_channel(&at, &channels[i]))
                return false;
        }
    } else {
        bool has_alpha = str_has_prefix(text, "rgba:");
        if (!has_alpha && !str_has_prefix(text, "rgb:"))
            return false;
        text += has_alpha ? 5 : 4;
        for (unsigned i = 0; i < 3; i++) {
            if ((i > 0 && *text++ != '/') || !parse_channel(&text, &channels[i]))
                return false;
        }
        if (*text != '\0' && !(has_alpha && *text == '/'))
            return false;
    }
    *ret_colour = channels[0] << 16 | channels[1] << 8 | channels[2];
    return true;
}

static bool is_clean(const char *text, size_t size)
{
    if (!g_utf8_validate(text, (gssize)size, NULL))
        return false;
    for (const char *at = text; at < text + size; at = g_utf8_next_char(at))
        if (!g_unichar_isprint(g_utf8_get_char(at)))
            return false;
    return true;
}

/* The report of the style that asking for colours has set, in the forms of several terminals. */
static bool keeps_true_colour(const char *report)
{
    static const char *const forms[] = { "48:2:1:2:3", "48:2::1:2:3", "48;2;1;2;3" };
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++)
        if (strstr(report, forms[i]))
            return true;
    return false;
}

void input_answer_of_string(const char *bytes, size_t size, InputEvent *ret_event)
{
    InputEvent event = { .kind = INPUT_ANSWER, .answer = ANSWER_OTHER };
    if (str_has_prefix(bytes, "]11;") && parse_colour(bytes + 4, &event.number)) {
        event.answer = ANSWER_BACKGROUND;
    } else if (str_has_prefix(bytes, "P>|") && is_clean(bytes + 3, size - 3)) {
        event.answer = ANSWER_VERSION;
        event.text = bytes + 3;
        event.size = size - 3;
    } else if (str_has_prefix(bytes, "P1$r") && keeps_true_colour(bytes)) {
        event.answer = ANSWER_TRUE_COLOUR;
    }
    *ret_event = event;
}
