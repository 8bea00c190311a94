/*
 * Scaffolding for tests of tui/term/input.c: what it gives, as words. Time is a number that the
 * tests count.
 */
#pragma once

#include "unit.h"

#include "tui/term/input.h"

#include <string.h>

enum { ESCAPE_MS = 50 };

typedef struct Probe {
    Input *input;
    GString *seen; // the events as words
    gint64 now;
    bool is_in_paste;
    size_t pieces;
} Probe;

static inline void append_key(GString *out, KeyPress key)
{
    static const char *const names[] = { "Enter", "Tab",  "Backspace", "Escape", "Up",
                                         "Down",  "Left", "Right",     "Home",   "End",
                                         "PgUp",  "PgDn", "Insert",    "Delete" };
    static const char mods[] = "SACW";
    for (size_t i = 0; mods[i]; i++)
        if (key.mods & 1u << i)
            g_string_append_printf(out, "%c-", mods[i]);
    if (key.code >= KEY_F1 && key.code <= KEY_F12)
        g_string_append_printf(out, "F%u", key.code - KEY_F1 + 1);
    else if (key.code >= KEY_ENTER && key.code - KEY_ENTER < G_N_ELEMENTS(names))
        g_string_append(out, names[key.code - KEY_ENTER]);
    else if (key.code == ' ')
        g_string_append(out, "Space");
    else
        g_string_append_unichar(out, key.code);
    g_string_append(out, key.is_repeat ? "* " : " ");
}

static inline void append_answer(GString *out, const InputEvent *event)
{
    switch (event->answer) {
    case ANSWER_KITTY:
        g_string_append_printf(out, "kitty=%u ", event->number);
        break;
    case ANSWER_VERSION:
        g_string_append_printf(out, "version=%.*s ", (int)event->size, event->text);
        break;
    case ANSWER_MODE:
        g_string_append_printf(out, "mode=%u,%d ", event->number, event->value);
        break;
    case ANSWER_BACKGROUND:
        g_string_append_printf(out, "background=%06x ", event->number);
        break;
    case ANSWER_COLOUR_SCHEME:
        g_string_append_printf(out, "scheme=%u ", event->number);
        break;
    case ANSWER_ATTRIBUTES:
        g_string_append_printf(out, "attributes=%d ", event->value);
        break;
    case ANSWER_TRUE_COLOUR:
        g_string_append(out, "true ");
        break;
    case ANSWER_OTHER:
        g_string_append(out, "answer ");
        break;
    }
}

static inline void on_event(const InputEvent *event, void *user_data)
{
    Probe *probe = user_data;
    switch (event->kind) {
    case INPUT_KEY:
        append_key(probe->seen, event->key);
        break;
    case INPUT_PASTE:
        assert_true(g_utf8_validate(event->text, (gssize)event->size, NULL));
        if (!probe->is_in_paste)
            g_string_append_c(probe->seen, '<');
        g_string_append_len(probe->seen, event->text, (gssize)event->size);
        if (event->is_last)
            g_string_append(probe->seen, event->is_cut ? "|cut> " : "> ");
        probe->is_in_paste = !event->is_last;
        probe->pieces++;
        break;
    case INPUT_ANSWER:
        append_answer(probe->seen, event);
        break;
    case INPUT_FOCUS:
        g_string_append(probe->seen, event->is_focused ? "focused " : "unfocused ");
        break;
    }
}

static inline Probe probe_new(void)
{
    Probe probe = { .seen = g_string_new(NULL), .now = 1000 };
    return probe;
}

static inline Input *open_input(Probe *probe)
{
    probe->input = input_new(ESCAPE_MS, on_event, probe);
    input_set_brackets(probe->input, true);
    return probe->input;
}

static inline void feed(Probe *probe, const char *data, size_t size)
{
    probe->now++;
    input_feed(probe->input, data, size, probe->now);
}

static inline void feed_text(Probe *probe, const char *text)
{
    feed(probe, text, strlen(text));
}

/* Until it waits for nothing. */
static inline void settle(Probe *probe)
{
    for (int i = 0; input_deadline(probe->input) != 0; i++) {
        assert_in_range(i, 0, 3);
        probe->now = input_deadline(probe->input);
        input_timeout(probe->input, probe->now);
    }
}

static inline void expect(Probe *probe, const char *name, const char *want)
{
    settle(probe);
    g_strchomp(probe->seen->str);
    if (strcmp(probe->seen->str, want) != 0)
        fail_msg("%s: got '%s', want '%s'", name, probe->seen->str, want);
    g_string_truncate(probe->seen, 0);
}

static inline void probe_end(Probe *probe)
{
    input_free(probe->input);
    g_string_free(probe->seen, TRUE);
}
