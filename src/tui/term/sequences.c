/*
 * What kedge says to a terminal about itself (sequences.h).
 */
#include "tui/term/sequences.h"

#include "base/ansi.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/visible.h"

#include <string.h>

#define ESC          "\x1b"
#define CSI          "\x1b["
#define ST           "\x1b\\"
#define BEL          "\a"
#define TITLE_BYTES  256
#define NOTIFY_BYTES 512
#define SCREEN_BYTES 240 // of one string that GNU screen passes on

/* kitty: 1 disambiguate + 4 alternate keys; not 2, since the release of a key may come after our
   end. */
static const struct {
    TermMode mode;
    const char *on, *off, *again;
} modes_table[] = {
    { MODE_TITLE, CSI "22;2t", CSI "23;2t", "" },
    { MODE_BRACKETS, CSI "?2004h", CSI "?2004l", CSI "?2004h" },
    { MODE_FOCUS, CSI "?1004h", CSI "?1004l", CSI "?1004h" },
    { MODE_SCHEME, CSI "?2031h", CSI "?2031l", CSI "?2031h" },
    { MODE_CLUSTERS, CSI "?2027h", CSI "?2027l", CSI "?2027h" },
    { MODE_KITTY, CSI ">5u", CSI "<u", CSI "=5u" },
    { MODE_OTHER_KEYS, CSI ">4;2m", CSI ">4;0m", CSI ">4;2m" },
    { MODE_ALTERNATE, CSI "?1049h", CSI "?1049l", "" },
    { MODE_ALTERNATE_KITTY, CSI ">5u", CSI "<u", "" },
};

void sequences_on(TermModes modes, GString *out)
{
    for (size_t i = 0; i < G_N_ELEMENTS(modes_table); i++)
        if (modes & modes_table[i].mode)
            g_string_append(out, modes_table[i].on);
}

void sequences_off(TermModes modes, GString *out)
{
    for (size_t i = G_N_ELEMENTS(modes_table); i > 0; i--)
        if (modes & modes_table[i - 1].mode)
            g_string_append(out, modes_table[i - 1].off);
}

void sequences_end(TermModes modes, GString *out)
{
    sequences_off(modes, out);
    g_string_append(out, CSI "?25h");
}

void sequences_again(TermModes modes, GString *out)
{
    for (size_t i = 0; i < G_N_ELEMENTS(modes_table); i++)
        if (modes & modes_table[i].mode)
            g_string_append(out, modes_table[i].again);
}

/* CAN and ST end a sequence that was cut; then the frame, its colours and its missing wrapping end,
   and what is below the cursor goes: it was ours. */
void sequences_emergency(TermModes modes, bool has_sync, GString *out)
{
    const TermModes of_screen = MODE_ALTERNATE | MODE_ALTERNATE_KITTY;
    g_string_append(out, "\x18" ST);
    if (has_sync)
        g_string_append(out, CSI "?2026l");
    g_string_append(out, CSI "0m" CSI "?7h");
    sequences_off(modes & of_screen, out);
    g_string_append(out, "\r\n" CSI "J");
    sequences_end(modes & ~of_screen, out);
}

void sequences_queries(const TermCaps *caps, GString *out)
{
    g_string_append(out, CSI "?u" CSI ">q");
    g_string_append(out, CSI "?2026$p" CSI "?2027$p" CSI "?2004$p");
    if (caps->asks_depth) // a colour is set, the style asked for, and nothing written in it
        g_string_append(out, CSI "48;2;1;2;3m" ESC "P$qm" ST CSI "0m");
    g_string_append(out, ESC "]11;?" ST CSI "c");
}

/* One line without a control character, whoever wrote it. Caller frees. */
static char *plain_line(const char *text, size_t max_bytes)
{
    g_autofree char *valid = utf8_from_bytes(text, strlen(text));
    g_autofree char *bare = ansi_strip(valid);
    g_autoptr(GString) line = g_string_new(NULL);
    visible_append(line, g_strdelimit(bare, "\t\n", ' '));
    return str_truncate(line->str, max_bytes);
}

void sequences_title(const char *title, GString *out)
{
    g_autofree char *line = plain_line(title, TITLE_BYTES);
    g_string_append_printf(out, ESC "]2;%s" ST, line);
}

/* Through tmux to the terminal around it, where the person has allowed that. */
static void append_for_tmux(const char *sequence, GString *out)
{
    g_string_append(out, ESC "Ptmux;");
    for (const char *at = sequence; *at != '\0'; at++) {
        if (*at == *ESC)
            g_string_append_c(out, *ESC);
        g_string_append_c(out, *at);
    }
    g_string_append(out, ST);
}

static bool knows_777(EnvFunc env)
{
    const char *term = env("TERM");
    return env("VTE_VERSION") != NULL ||
           (term != NULL && (str_has_prefix(term, "rxvt") || str_has_prefix(term, "foot")));
}

/* OSC 9 begins with a word: "4;…" would be the progress of something. */
void sequences_notify(const char *text, const TermCaps *caps, EnvFunc env, GString *out)
{
    g_autofree char *line = plain_line(text, NOTIFY_BYTES);
    g_autofree char *sequence = knows_777(env)
                                    ? g_strconcat(ESC "]777;notify;kedge;", line, ST, NULL)
                                    : g_strconcat(ESC "]9;kedge: ", line, ST, NULL);
    if (caps->is_tmux)
        append_for_tmux(sequence, out);
    else if (caps->has_queries && !caps->is_screen)
        g_string_append(out, sequence);
    if (caps->is_tmux || caps->is_screen || caps->is_zellij || !caps->has_queries)
        g_string_append(out, BEL);
}

/* GNU screen passes strings on as they are, but only short ones: the terminal puts them together.
 */
static void append_for_screen(const char *sequence, GString *out)
{
    for (size_t left = strlen(sequence); left > 0;) {
        size_t size = MIN(left, SCREEN_BYTES);
        g_string_append(out, ESC "P");
        g_string_append_len(out, sequence, (gssize)size);
        g_string_append(out, ST);
        sequence += size;
        left -= size;
    }
}

void sequences_clipboard(const char *text, const TermCaps *caps, GString *out)
{
    size_t size = strlen(text);
    if (size > LIMIT_OSC52_BYTES || !caps->has_queries)
        return;
    g_autofree char *encoded = g_base64_encode((const guchar *)text, size);
    g_autofree char *sequence = g_strconcat(ESC "]52;c;", encoded, BEL, NULL);
    if (caps->is_screen)
        append_for_screen(sequence, out);
    else
        g_string_append(out, sequence);
}
