/*
 * tui/term/input.c: where reads and time decide: the ends of pastes, ESC that is a key or the
 * beginning of one, and bounds.
 */
#include "input_probe.h"

/* core-95: what looks like the end of a paste does not let the rest of it act. */
static void test_smuggled_end(void **state)
{
    static const struct {
        const char *name, *reads[4], *want;
    } cases[] = {
        { "in one read", { "\x1b[200~ls\x1b[201~rm -rf /\r\x03\x1b[201~" }, "<lsrm -rf /\n>" },
        { "without a second one", { "\x1b[200~ls\x1b[201~rm -rf /\r" }, "<lsrm -rf /\n>" },
        { "keys in it", { "\x1b[200~ls\x1b[201~\x1b[A\x1b[27;5;13~" }, "<ls[A[27;5;13~>" },
        { "a third and fourth",
          { "\x1b[200~a\x1b[201~b\x1b[201~c\x1b[200~\rd\x1b[201~" },
          "<abc\nd>" },
        { "the real one is cut", { "\x1b[200~ls\x1b[201~rm\r\x1b[2", "01~", "x" }, "<lsrm\n> x" },
        { "what looks like a cut one",
          { "\x1b[200~ls\x1b[201~rm\r\x1b[2", "h\r", "x" },
          "<lsrm\n[2h\n> x" },
        { "typed in the next read", { "\x1b[200~ls\x1b[201~", "\r" }, "<ls> Enter" },
        { "an end without a beginning", { "\x1b[201~\r" }, "Enter" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Probe probe = probe_new();
        open_input(&probe);
        for (size_t j = 0; cases[i].reads[j]; j++)
            feed_text(&probe, cases[i].reads[j]);
        expect(&probe, cases[i].name, cases[i].want);
        probe_end(&probe);
    }
}

static void test_unclosed_paste(void **state)
{
    Probe probe = probe_new();
    open_input(&probe);
    feed_text(&probe, "\x1b[200~one\r");
    assert_int_equal(input_deadline(probe.input), probe.now + 2000);
    input_timeout(probe.input, probe.now + 1999);
    probe.now += 1999;
    feed_text(&probe, "two\x1b[20");
    assert_int_equal(input_deadline(probe.input), probe.now + 2000);
    expect(&probe, "after two seconds", "<one\ntwo[20>");
    feed_text(&probe, "1~\r");
    expect(&probe, "typed again", "1 ~ Enter");
    feed_text(&probe, "\x1b[201~");
    expect(&probe, "an end that is late", "");
    probe_end(&probe);
}

/* A line that stood still: the rest of the paste does not become keys, and Enter among them. */
static void test_slow_paste(void **state)
{
    Probe probe = probe_new();
    open_input(&probe);
    feed_text(&probe, "\x1b[200~one\r");
    expect(&probe, "after two seconds", "<one\n>");
    feed_text(&probe, "two two two two\rthree three");
    expect(&probe, "several lines", "<two two two two\nthree three>");
    feed_text(&probe, "four\rfive\r\x1b[201~");
    expect(&probe, "the end", "<four\nfive\n>");
    feed_text(&probe, "aaaaaaaaaaaaaaa\rb");
    expect(&probe, "all is as it was", "a a a a a a a a a a a a a a a Enter b");
    feed_text(&probe, "\x1b[201~\r");
    expect(&probe, "nothing is owed", "Enter");
    probe_end(&probe);
}

static void test_large_paste(void **state)
{
    Probe probe = probe_new();
    open_input(&probe);
    feed_text(&probe, "\x1b[200~");
    enum { READ_BYTES = 65535 }; // of characters of three bytes
    g_autoptr(GString) read = g_string_new(NULL);
    while (read->len < READ_BYTES)
        g_string_append(read, "漢");
    size_t sent = 0;
    for (; sent <= LIMIT_PASTE_BYTES; sent += read->len)
        feed(&probe, read->str, read->len);
    assert_true(probe.seen->len > LIMIT_PASTE_BYTES - 8);
    assert_true(probe.seen->len <= LIMIT_PASTE_BYTES + 1);
    assert_true(probe.pieces > 16);
    g_string_truncate(probe.seen, 0);
    feed_text(&probe, "x\r\x1b[201~");
    expect(&probe, "the rest", "|cut>");
    feed_text(&probe, "\x1b[200~small\x1b[201~");
    expect(&probe, "the next one", "<small>");
    probe_end(&probe);
}

static void test_unmarked_paste(void **state)
{
    static const struct {
        const char *name, *in, *want;
        bool has_brackets;
    } cases[] = {
        { "lines", "int main(void)\r{\r}\r", "<int main(void)\n{\n}\n>" },
        { "CRLF and controls", "one one one one\r\n\x03two\x7f", "<one one one one\ntwo>" },
        { "sixteen bytes", "0123456\r89012345", "<0123456\n89012345>" },
        { "two short lines", "a\rb\r", "<a\nb\n>" },
        { "three", "a\rb\rc\r", "<a\nb\nc\n>" },
        { "three, and a fourth", "a\r\nb\r\n\r\nc", "<a\nb\n\nc>" },
        { "lines of blanks", "\t\r\t\r", "<\t\n\t\n>" },
        { "characters of more bytes", "漢\n漢\n", "<漢\n漢\n>" },
        { "Enter twice", "ab\r\r", "a b Enter Enter" },
        { "Enter, a line", "\rab\r", "Enter a b Enter" },
        { "a line, and the next", "ab\rcd", "a b Enter c d" },
        { "two lines where brackets are known", "a\rb\r", "a Enter b Enter", true },
        { "two lines and a key", "a\rb\r\x1b[A", "a Enter b Enter Up" },
        { "fifteen", "01234\r78", "0 1 2 3 4 Enter 7 8" },
        { "one line", "漢漢漢漢漢漢", "漢 漢 漢 漢 漢 漢" },
        { "a line and Enter", "aaaaaaaaaaaaaaaa\r\n", "a a a a a a a a a a a a a a a a Enter C-j" },
        { "keys", "aaaaaaaaaaaa\r\x1b[Ab", "a a a a a a a a a a a a Enter Up b" },
        { "brackets are known", "aaaaaaaaaaaaaa\rb", "a a a a a a a a a a a a a a Enter b", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Probe probe = probe_new();
        input_set_brackets(open_input(&probe), cases[i].has_brackets);
        feed_text(&probe, cases[i].in);
        expect(&probe, cases[i].name, cases[i].want);
        probe_end(&probe);
    }
    Probe probe = probe_new();
    input_set_brackets(open_input(&probe), false);
    feed_text(&probe, "\xe6\xbc");
    feed_text(&probe, "\xa2 one two three\rfour");
    expect(&probe, "a character that is cut", "<漢 one two three\nfour>");
    feed_text(&probe, "one\rtwo\rthr\xc3");
    feed_text(&probe, "\xa9\r");
    feed_text(&probe, "four");
    expect(&probe, "a paste in several reads", "<one\ntwo\nthré\nfour>");
    feed_text(&probe, "one\rtwo\r");
    feed_text(&probe, "\r");
    expect(&probe, "Enter at once", "<one\ntwo\n> Enter");
    feed_text(&probe, "one\rtwo\r");
    feed_text(&probe, "\x1b[Ax");
    expect(&probe, "an arrow at once", "<one\ntwo\n> Up x");
    feed_text(&probe, "one\rtwo\r");
    expect(&probe, "a moment later", "<one\ntwo\n>");
    feed_text(&probe, "three\r");
    expect(&probe, "it is over", "t h r e e Enter");
    feed_text(&probe, "\x1b[200~aaaaaaaaaaaaaaaa\rb");
    feed_text(&probe, "aaaaaaaaaaaaaaaa\rb");
    feed_text(&probe, "\x1b[201~");
    expect(&probe, "marks all the same", "<aaaaaaaaaaaaaaaa\nbaaaaaaaaaaaaaaaa\nb>");
    probe_end(&probe);
}

/* The rest of a key, when its ESC was taken for one (tui §6). */
static void test_late_rest(void **state)
{
    static const struct {
        const char *name, *first, *second, *want;
        gint64 wait_ms; // after the key was given
    } cases[] = {
        { "an arrow", "\x1b", "[A", "Escape", 0 },
        { "an arrow, and more", "\x1b", "[1;5Ax", "Escape x", 49 },
        { "SS3", "\x1b", "OAx", "Escape x", 0 },
        { "in two", "\x1b[", "A", "A-[", 0 },
        { "SS3 in two", "\x1bO", "A", "S-A-o", 0 },
        { "too late", "\x1b", "[A", "Escape [ A", 51 },
        { "a letter", "\x1b", "x", "Escape x", 0 },
        { "a character", "\x1b", "é", "Escape é", 0 },
        { "Escape again", "\x1b", "\x1b", "Escape Escape", 0 },
        { "a key", "\x1b", "\x1b[A", "Escape Up", 0 },
        { "a paste is one", "\x1b", "[200~rm\r\x1b[201~", "Escape <rm\n>", 0 },
        { "an answer is one", "\x1b", "[?62c", "Escape attributes=0", 0 },
        { "a colour", "\x1b", "]11;rgb:0/0/0\a", "Escape background=000000", 0 },
        { "a version", "\x1b", "P>|foot\x1b\\", "Escape version=foot", 0 },
        { "a bracket", "\x1b", "]", "Escape ]", 0 },
        { "alt+shift+p, and a word", "\x1bP", "Please", "S-A-p P l e a s e", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Probe probe = probe_new();
        open_input(&probe);
        feed_text(&probe, cases[i].first);
        probe.now = input_deadline(probe.input);
        input_timeout(probe.input, probe.now);
        probe.now += cases[i].wait_ms - 1; // feed() counts one
        feed_text(&probe, cases[i].second);
        expect(&probe, cases[i].name, cases[i].want);
        probe_end(&probe);
    }
}

static void test_deadlines(void **state)
{
    static const struct {
        const char *in;
        gint64 wait_ms, wait_with_kitty_ms; // 0: none
    } cases[] = {
        { "a", 0, 0 },
        { "\xe2\x82", 0, 0 },
        { "\x1b", ESCAPE_MS, 500 },
        { "\x1b[", ESCAPE_MS, 500 },
        { "\x1bO", ESCAPE_MS, 500 },
        { "\x1bP", ESCAPE_MS, 500 },
        { "\x1b[1", 500, 500 },
        { "\x1b]11;", 500, 500 },
        { "\x1b[M ", 500, 500 },
        { "\x1b[200~", 2000, 2000 },
        { "\x1b[A", 0, 0 },
    };
    for (size_t i = 0; i < 2 * G_N_ELEMENTS(cases); i++) {
        bool is_kitty = i % 2 == 1;
        Probe probe = probe_new();
        input_set_kitty(open_input(&probe), is_kitty);
        feed_text(&probe, cases[i / 2].in);
        gint64 wait = is_kitty ? cases[i / 2].wait_with_kitty_ms : cases[i / 2].wait_ms;
        assert_int_equal(input_deadline(probe.input), wait ? probe.now + wait : 0);
        if (wait) {
            input_timeout(probe.input, probe.now + wait - 1); // too early: nothing
            assert_int_equal(input_deadline(probe.input), probe.now + wait);
        }
        settle(&probe);
        feed_text(&probe, "\x1b[B");
        assert_true(g_str_has_suffix(probe.seen->str, "Down "));
        probe_end(&probe);
    }
}

/* A timer that comes late does not break a key whose bytes were there in time. */
static void test_late_timer(void **state)
{
    Probe probe = probe_new();
    open_input(&probe);
    feed_text(&probe, "\x1b");
    probe.now += 1000;
    feed_text(&probe, "[A");
    expect(&probe, "the rest was there", "Up");
    feed_text(&probe, "\x1b");
    probe.now += 1000;
    feed_text(&probe, "x");
    expect(&probe, "Escape, then a letter", "Escape x");
    probe_end(&probe);
}

static void test_bounds(void **state)
{
    static const char *const starts[] = { "\x1b]11;", "\x1bP>|", "\x1b[", "\x1bO", "\x1b[1 " };
    static const char *const ends[] = { "\a", "\x1b\\", "~", "A", "q" };
    static const char *const wants[] = { "answer x", "answer x", "x", "x", "x" };
    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        Probe probe = probe_new();
        open_input(&probe);
        feed_text(&probe, starts[i]);
        for (int j = 0; j < 3 * LIMIT_INPUT_SEQUENCE; j++)
            feed_text(&probe, i == 4 ? " " : "1");
        feed_text(&probe, ends[i]);
        feed_text(&probe, "x");
        expect(&probe, starts[i] + 1, wants[i]);
        probe_end(&probe);
    }
    Probe probe = probe_new();
    open_input(&probe);
    for (int i = 0; i < 10000; i++)
        feed_text(&probe, "\x1b[1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1;1A");
    expect(&probe, "too many numbers", "");
    probe_end(&probe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_smuggled_end),   cmocka_unit_test(test_unclosed_paste),
        cmocka_unit_test(test_slow_paste),     cmocka_unit_test(test_large_paste),
        cmocka_unit_test(test_unmarked_paste), cmocka_unit_test(test_late_rest),
        cmocka_unit_test(test_deadlines),      cmocka_unit_test(test_late_timer),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests_name("input-time", tests, NULL, NULL);
}
