/*
 * Bytes of a terminal, or of who can make it send some: the first one says what is known of it. No
 * event is a control byte, text is valid, and what is waited for ends. Where no paste is in it, it
 * does not matter how it was cut into reads.
 */
#include "tui/term/input.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HAS_KITTY = 1, HAS_BRACKETS = 2, ESCAPE_MS = 20 };

typedef struct Seen {
    GString *events; // their bytes, without pastes
    bool is_in_paste, has_paste;
} Seen;

static bool is_character(uint32_t c)
{
    return c >= 0x20 && (c < 0x7f || c > 0x9f) && g_unichar_validate(c);
}

static void check_key(KeyPress key)
{
    bool is_special = key.code >= KEY_ENTER && key.code <= KEY_F12;
    if (!is_special && !is_character(key.code))
        abort();
    if (key.mods & ~(MOD_SHIFT | MOD_ALT | MOD_CTRL | MOD_SUPER))
        abort();
}

static void check_paste(Seen *seen, const InputEvent *event)
{
    if (!g_utf8_validate(event->text, (gssize)event->size, NULL))
        abort();
    for (size_t i = 0; i < event->size; i++)
        if ((unsigned char)event->text[i] < 0x20 && !strchr("\n\t", event->text[i]))
            abort();
    seen->has_paste = true;
    seen->is_in_paste = !event->is_last;
}

static void on_event(const InputEvent *event, void *user_data)
{
    Seen *seen = user_data;
    if (event->kind != INPUT_PASTE && seen->is_in_paste)
        abort();
    if (event->kind == INPUT_KEY)
        check_key(event->key);
    if (event->kind == INPUT_PASTE)
        check_paste(seen, event);
    if (event->kind == INPUT_ANSWER && event->text &&
        !g_utf8_validate(event->text, (gssize)event->size, NULL))
        abort();
    g_string_append_printf(seen->events, "%d %u %d %d %d %u %d %d %.*s\n", event->kind,
                           event->key.code, event->key.mods, event->key.is_repeat, event->answer,
                           event->number, event->value, event->is_focused,
                           event->kind == INPUT_ANSWER ? (int)event->size : 0,
                           event->text ? event->text : "");
}

static void run(const char *data, size_t size, size_t piece, unsigned known, Seen *seen)
{
    g_autoptr(Input) input = input_new(ESCAPE_MS, on_event, seen);
    input_set_kitty(input, known & HAS_KITTY);
    input_set_brackets(input, known & HAS_BRACKETS);
    gint64 now = 1;
    for (size_t at = 0; at < size; at += piece) {
        size_t count = MIN(piece, size - at);
        g_autofree char *read = g_memdup2(data + at, count); // nothing behind it
        input_feed(input, read, count, now);
    }
    for (int i = 0; input_deadline(input) != 0; i++) {
        if (i > 3 || input_deadline(input) < now)
            abort();
        now = input_deadline(input);
        input_timeout(input, now);
    }
    if (seen->is_in_paste)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    static const size_t pieces[] = { 1, 3, SIZE_MAX / 2 };
    g_autofree char *want = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        Seen seen = { .events = g_string_new(NULL) };
        run((const char *)data + 1, size - 1, pieces[i], data[0], &seen);
        g_autofree char *got = g_string_free(seen.events, FALSE);
        if (seen.has_paste)
            continue;
        if (want && strcmp(want, got) != 0)
            abort();
        g_free(want);
        want = g_steal_pointer(&got);
    }
    return 0;
}
