/*
 * tui/term/input.c: every sequence whole, byte by byte, and split in two at each place, gives the
 * same events; so do mixtures of them, and noise.
 */
#include "input_probe.h"

typedef struct Row {
    const char *in, *want;
    bool is_open; // what follows would change it
} Row;

static const Row rows[] = {
    // characters
    { "a", "a" },
    { "A", "A" },
    { " ", "Space" },
    { "~", "~" },
    { "é", "é" },
    { "漢", "漢" },
    { "😀", "😀" },
    { "e\xcc\x81", "e \xcc\x81" },
    // control bytes
    { "\r", "Enter" },
    { "\n", "C-j" },
    { "\t", "Tab" },
    { "\x7f", "Backspace" },
    { "\b", "Backspace" },
    { "\x01", "C-a" },
    { "\x03", "C-c" },
    { "\x1a", "C-z" },
    { "\x1c", "C-\\" },
    { "\x1d", "C-]" },
    { "\x1e", "C-^" },
    { "\x1f", "C--" },
    // alt as ESC
    { "\x1b", "Escape", true },
    { "\x1b\x1b", "Escape Escape", true },
    { "\x1b\x1b\x1b", "Escape Escape Escape", true },
    { "\x1bp", "A-p" },
    { "\x1bP", "S-A-p", true },
    { "\x1b[", "A-[", true },
    { "\x1bO", "S-A-o", true },
    { "\x1b]", "A-]", true },
    { "\x1bX", "S-A-x", true },
    { "\x1b_", "A-_", true },
    { "\x1b^", "A-^", true },
    { "\x1b\x1b[", "Escape A-[", true },
    { "\x1bP\x1b", "S-A-p Escape", true },
    { "\x1bP\x1b[A", "S-A-p Up" },
    { "\x1b[\r", "A-[ Enter" },
    { "\x1b[\x1b[A", "A-[ Up" },
    { "\x1bOé", "S-A-o é" },
    { "\x1b.", "A-." },
    { "\x1b ", "A-Space" },
    { "\x1bé", "A-é" },
    { "\x1bÉ", "S-A-é" },
    { "\x1b\r", "A-Enter" },
    { "\x1b\n", "A-C-j" },
    { "\x1b\x7f", "A-Backspace" },
    { "\x1b\x1d", "A-C-]" },
    { "\x1b\x1bp", "Escape A-p" },
    // xterm
    { "\x1b[A", "Up" },
    { "\x1b[B", "Down" },
    { "\x1b[C", "Right" },
    { "\x1b[D", "Left" },
    { "\x1b[H", "Home" },
    { "\x1b[F", "End" },
    { "\x1b[Z", "S-Tab" },
    { "\x1b[1;2A", "S-Up" },
    { "\x1b[1;3A", "A-Up" },
    { "\x1b[1;5D", "C-Left" },
    { "\x1b[1;8C", "S-A-C-Right" },
    { "\x1b[1;9C", "W-Right" },
    { "\x1b[1;33C", "A-Right" },
    { "\x1b[1;5P", "C-F1" },
    { "\x1b[1;2R", "S-F3" },
    { "\x1b[1;5H", "C-Home" },
    { "\x1b[5C", "C-Right" },
    { "\x1bOA", "Up" },
    { "\x1bOH", "Home" },
    { "\x1bOP", "F1" },
    { "\x1bOS", "F4" },
    { "\x1bO5P", "C-F1" },
    { "\x1bO1;5P", "C-F1" },
    { "\x1bOp", "0" },
    { "\x1bOk", "+" },
    { "\x1bO ", "Space" },
    { "\x1bOI", "Tab" },
    // VT220
    { "\x1b[1~", "Home" },
    { "\x1b[2~", "Insert" },
    { "\x1b[3~", "Delete" },
    { "\x1b[4~", "End" },
    { "\x1b[5~", "PgUp" },
    { "\x1b[6~", "PgDn" },
    { "\x1b[3;5~", "C-Delete" },
    { "\x1b[3;3~", "A-Delete" },
    { "\x1b[11~", "F1" },
    { "\x1b[15~", "F5" },
    { "\x1b[17~", "F6" },
    { "\x1b[24~", "F12" },
    { "\x1b[24;2~", "S-F12" },
    // the Linux console
    { "\x1b[[A", "F1" },
    { "\x1b[[E", "F5" },
    // rxvt
    { "\x1b[7~", "Home" },
    { "\x1b[8~", "End" },
    { "\x1b[3$", "S-Delete" },
    { "\x1b[5^", "C-PgUp" },
    { "\x1b[6@", "S-C-PgDn" },
    { "\x1b[a", "S-Up" },
    { "\x1bOd", "C-Left" },
    { "\x1b\x1b[A", "A-Up" },
    { "\x1b\x1bOA", "A-Up" },
    { "\x1b\x1b[3~", "A-Delete" },
    // Konsole
    { "\x1bOM", "S-Enter" },
    // modifyOtherKeys, also by tmux
    { "\x1b[27;5;13~", "C-Enter" },
    { "\x1b[27;2;13~", "S-Enter" },
    { "\x1b[27;3;13~", "A-Enter" },
    { "\x1b[27;5;9~", "C-Tab" },
    { "\x1b[27;5;106~", "C-j" },
    { "\x1b[27;6;80~", "S-C-p" },
    { "\x1b[27;5;112~", "C-p" },
    { "\x1b[27;6;94~", "C-^" },
    { "\x1b[27;2;65~", "A" },
    { "\x1b[27;5;45~", "C--" },
    { "\x1b[27;6;95~", "C--" },
    { "\x1b[27;1;27~", "Escape" },
    { "\x1b[27;8;12~", "" },
    { "\x1b[80;6u", "S-C-p" },
    { "\x1b[94;6u", "C-^" },
    // kitty
    { "\x1b[27u", "Escape" },
    { "\x1b[27;3u", "A-Escape" },
    { "\x1b[13;2u", "S-Enter" },
    { "\x1b[13;5u", "C-Enter" },
    { "\x1b[127;3u", "A-Backspace" },
    { "\x1b[9;2u", "S-Tab" },
    { "\x1b[112;5u", "C-p" },
    { "\x1b[112:80;6u", "S-C-p" },
    { "\x1b[112:80;4u", "S-A-p" },
    { "\x1b[45;5u", "C--" },
    { "\x1b[45:95;6u", "C--" },
    { "\x1b[54:94;6u", "C-^" },
    { "\x1b[93;7u", "A-C-]" },
    { "\x1b[97:65;2u", "A" },
    { "\x1b[97;2u", "A" },
    { "\x1b[97u", "a" },
    { "\x1b[32;2u", "Space" },
    { "\x1b[1089::99;5u", "C-c" },        // с of a Russian layout
    { "\x1b[1079:1047:112;4u", "S-A-p" }, // з
    { "\x1b[1089u", "с" },
    { "\x1b[1079:1047;2u", "З" },
    { "\x1b[97::113;5u", "C-a" }, // a French one: its own letters count
    { "\x1b[233;3u", "A-é" },
    { "\x1b[97;5:1u", "C-a" },
    { "\x1b[97;5:2u", "C-a*" },
    { "\x1b[97;5:3u", "" },
    { "\x1b[1;1:2A", "Up*" },
    { "\x1b[1;1:3A", "" },
    { "\x1b[3;1:3~", "" },
    { "\x1b[57414u", "Enter" },
    { "\x1b[57400u", "1" },
    { "\x1b[57419;5u", "C-Up" },
    { "\x1b[57441;2u", "" },  // shift alone
    { "\x1b[57376u", "" },    // F13
    { "\x1b[97;65u", "a" },   // caps lock
    { "\x1b[97;17u", "W-a" }, // hyper is nothing that types
    { "\x1b[55296u", "" },
    { "\x1b[1114112u", "" },
    { "\x1b[4294967393u", "" },
    { "\x1b[1u", "" },
    { "\x1b[u", "" },
    // focus, answers
    { "\x1b[I", "focused" },
    { "\x1b[O", "unfocused" },
    { "\x1b[?5u", "kitty=5" },
    { "\x1b[?0u", "kitty=0" },
    { "\x1b[?2026;2$y", "mode=2026,2" },
    { "\x1b[?2004;0$y", "mode=2004,0" },
    { "\x1b[?62;22;52c", "attributes=0" },
    { "\x1b[?62;4;22c", "attributes=1" },
    { "\x1b[>41;388;0c", "answer" },
    { "\x1b[?997;1n", "scheme=1" },
    { "\x1b[?997;2n", "scheme=2" },
    { "\x1b[?997;3n", "answer" },
    { "\x1b[0n", "answer" },
    { "\x1b[12;40R", "answer" },
    { "\x1b[8;24;80t", "answer" },
    { "\x1bP>|XTerm(388)\x1b\\", "version=XTerm(388)" },
    { "\x1bP>|tmux 3.3a\x1b\\", "version=tmux 3.3a" },
    { "\x1bP1$r0;48:2::1:2:3m\x1b\\", "true" }, // xterm, foot
    { "\x1bP1$r48:2:1:2:3m\x1b\\", "true" },    // VTE, kitty
    { "\x1bP1$r0;48;2;1;2;3m\x1b\\", "true" },
    { "\x1bP1$r0;48:5:16m\x1b\\", "answer" },
    { "\x1bP1$r0;1;2;3m\x1b\\", "answer" },
    { "\x1bP0$r\x1b\\", "answer" },
    { "\x1bP>|evil\x01\x1b\\", "answer" },
    { "\x1bP>|evil\xff\x1b\\", "answer" },
    { "\x1bP1$r0m\x1b\\", "answer" },
    { "\x1b]11;rgb:1e1e/2020/3030\x1b\\", "background=1e2030" },
    { "\x1b]11;rgb:ffff/ffff/ffff\a", "background=ffffff" },
    { "\x1b]11;rgb:f/0/8\a", "background=ff0088" },
    { "\x1b]11;rgba:1e1e/2020/3030/ffff\a", "background=1e2030" },
    { "\x1b]11;#1e2030\a", "background=1e2030" },
    { "\x1b]11;#11e22e33e\a", "background=122334" },
    { "\x1b]11;rgb:1e1e/2020\a", "answer" },
    { "\x1b]11;red\a", "answer" },
    { "\x1b]10;rgb:0/0/0\a", "answer" },
    { "\x1b]11;rgb:0/0/0\x1b[A", "Up" }, // broken off
    { "\x1b_Gi=1;OK\x1b\\", "answer" },
    { "\x1b]0;rm -rf\r\n\x1b\\", "answer" },
    { "\x1b\x1b]11;rgb:0/0/0\a", "Escape background=000000" },
    { "\x1b\x1b[I", "Escape focused" },
    // the mouse, which nobody asked for
    { "\x1b[M !!", "" },
    { "\x1b[Ma\xc3\xa9", "" },
    { "\x1b[<0;10;20M", "" },
    { "\x1b[<0;10;20m", "" },
    { "\x1b[32;10;20M", "" },
    // unknown
    { "\x1b[99~", "" },
    { "\x1b[201~", "" },
    { "\x1b[1;5x", "answer" },
    { "\x1b[?1;2;3h", "" },
    { "\x1b[1 q", "" },
    { "\x1bO!", "S-A-o !" },
    { "\x1b[1;5\x1b[A", "Up" }, // broken off
    { "\x1b[1;5\r", "Enter" },
    { "\x1b[1;5é", "é" },
    { "\x1b[12", "", true },
    { "\x1b]11;rgb:", "", true },
    { "\xff", "" },
    { "\xc3\x28", "(" },
    { "\xe2\x82", "", true },
    { "\xe2\x82\xc3\xa9", "é" },
    { "\xed\xa0\x80", "" },
    { "\xc0\x80", "" },
    { "\xc2\x9b", "" },
};

static void test_rows(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        size_t size = strlen(rows[i].in);
        g_autofree char *name = g_strescape(rows[i].in, NULL);
        for (size_t cut = 0; cut <= size; cut++) { // cut == size: byte by byte
            Probe probe = probe_new();
            open_input(&probe);
            if (cut < size) {
                feed(&probe, rows[i].in, cut);
                feed(&probe, rows[i].in + cut, size - cut);
            }
            for (size_t j = 0; j < size && cut == size; j++)
                feed(&probe, rows[i].in + j, 1);
            expect(&probe, name, rows[i].want);
            probe_end(&probe);
        }
    }
    Probe probe = probe_new();
    open_input(&probe);
    feed(&probe, "\0", 1);
    feed(&probe, "\x1b\0", 2);
    expect(&probe, "NUL", "C-Space A-C-Space");
    probe_end(&probe);
}

/* Pastes end their read, so that nothing else gets into them. */
static const Row pastes[] = {
    { "\x1b[200~hello\x1b[201~", "<hello>" },
    { "\x1b[200~\x1b[201~", "<>" },
    { "\x1b[200~a\r\nb\rc\nd\n\re\x1b[201~", "<a\nb\nc\nd\n\ne>" },
    { "\x1b[200~a\tb\x01\x08\x7f\x03z\x1b[201~", "<a\tbz>" },
    { "\x1b[200~a\x1b[31mb\x1b]0;x\ac\x1b[201~", "<a[31mb]0;xc>" },
    { "\x1b[200~a\xc2\x9b"
      "31mb\xc2\xa0\x1b[201~",
      "<a31mb\xc2\xa0>" },
    { "\x1b[200~é漢😀\xff\x1b[201~", "<é漢😀\xef\xbf\xbd>" },
    { "\x1b[200~a\xe2\x82\x1b[201~", "<a\xef\xbf\xbd>" },
    { "\x1b[200~\x1b\x1b[20\x1b[201\x1b[201~", "<[20[201>" },
    { "\x1b[200~a\x1b[200~b\x1b[201~", "<ab>" },
    { "\x1b\x1b[200~a\x1b[201~", "Escape <a>" },
};

static void test_pastes(void **state)
{
    for (size_t i = 0; i < G_N_ELEMENTS(pastes); i++) {
        size_t size = strlen(pastes[i].in);
        g_autofree char *name = g_strescape(pastes[i].in, NULL);
        for (size_t cut = 0; cut <= size; cut++) {
            Probe probe = probe_new();
            open_input(&probe);
            if (cut < size) {
                feed(&probe, pastes[i].in, cut);
                feed(&probe, pastes[i].in + cut, size - cut);
            }
            for (size_t j = 0; j < size && cut == size; j++)
                feed(&probe, pastes[i].in + j, 1);
            expect(&probe, name, pastes[i].want);
            feed_text(&probe, "k");
            expect(&probe, name, "k");
            probe_end(&probe);
        }
    }
}

/* Rows behind one another, cut anywhere. */
static void test_mixtures(void **state)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(20260105);
    for (int round = 0; round < 3000; round++) {
        Probe probe = probe_new();
        open_input(&probe);
        g_autoptr(GString) want = g_string_new(NULL);
        for (int i = 0; i < 12; i++) {
            bool is_paste = g_rand_int_range(random, 0, 8) == 0;
            gint32 count = is_paste ? G_N_ELEMENTS(pastes) : G_N_ELEMENTS(rows);
            const Row *row = (is_paste ? pastes : rows) + g_rand_int_range(random, 0, count);
            size_t size = strlen(row->in), at = 0;
            while (at < size) {
                size_t piece = (size_t)g_rand_int_range(random, 1, (gint32)(size - at) + 1);
                feed(&probe, row->in + at, piece);
                at += piece;
            }
            if (row->is_open)
                settle(&probe);
            g_string_append_printf(want, "%s%s", row->want, *row->want ? " " : "");
        }
        expect(&probe, "a mixture", g_strchomp(want->str));
        probe_end(&probe);
    }
}

/* Whatever comes, and however it is cut, bytes are events in one order. */
static void test_noise(void **state)
{
    static const char alphabet[] = "\x1b\x1b\x1b[[O]P_0127;:?>$~uAMcy\r\n\a\\ a\xc3\xa9\xff";
    g_autoptr(GRand) random = g_rand_new_with_seed(7);
    for (int round = 0; round < 3000; round++) {
        char noise[64];
        for (size_t i = 0; i < sizeof(noise); i++)
            noise[i] = alphabet[g_rand_int_range(random, 0, sizeof(alphabet) - 1)];
        g_autofree char *want = NULL;
        for (size_t piece = 1; piece <= sizeof(noise); piece = piece * 4) {
            Probe probe = probe_new();
            open_input(&probe);
            for (size_t at = 0; at < sizeof(noise); at += piece)
                feed(&probe, noise + at, MIN(piece, sizeof(noise) - at));
            settle(&probe);
            g_autofree char *got = g_strdup(probe.seen->str);
            // the end of a paste and the end of a read belong together
            if (!want && !strchr(got, '<'))
                want = g_strdup(got);
            if (want && strcmp(got, want) != 0) {
                g_autofree char *text = g_strndup(noise, sizeof(noise));
                g_autofree char *shown = g_strescape(text, NULL);
                fail_msg("%s in pieces of %zu: '%s', not '%s'", shown, piece, got, want);
            }
            probe_end(&probe);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_pastes),
        cmocka_unit_test(test_mixtures),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests_name("input", tests, NULL, NULL);
}
