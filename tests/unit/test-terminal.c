/* The terminal on kernel pseudo-terminals: modes on and off in order, answers, and that a shell can
   use it again after every end (core-92, core-93, core-102). */
#include "tty_fixture.h"

#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define EMERGENCY "\x18\x1b\\\x1b[0m\x1b[?7h\r\n\x1b[J"
#define OFF       "\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[?25h"
#define KITTY     "\x1b[?0u"
#define LAST      "\x1b[?62;22c"

static int setup(void **state)
{
    *state = tty_fixture_start("xterm-direct", true);
    return 0;
}

static int setup_console(void **state)
{
    *state = tty_fixture_start("linux", true);
    return 0;
}

static int setup_alone(void **state)
{
    *state = tty_fixture_start("xterm-direct", false);
    return 0;
}

static int teardown(void **state)
{
    tty_fixture_end(*state);
    return 0;
}

static void tell(TtyFixture *self, char letter)
{
    tty_fixture_tell(self->to_job, letter);
}

/* Nothing but raw settings before the first frame, which has the modes and the queries with it. */
static void begin(TtyFixture *self)
{
    tty_fixture_await_settings(self, false);
    assert_int_equal(self->screen->len, 0);
    tell(self, 'w');
    tty_fixture_expect(self, FIXTURE_START "frame");
    tty_fixture_await(self, ".w");
}

static void begin_answered(TtyFixture *self)
{
    begin(self);
    tty_fixture_type(self, KITTY LAST);
    tty_fixture_expect(self, "\x1b[>5u");
    tty_fixture_type(self, "k"); // and all of it was read
    tty_fixture_await(self, "ek");
}

static void assert_nothing_more(TtyFixture *self)
{
    assert_false(tty_fixture_has(self, "never"));
    assert_string_equal(self->screen->str, "");
}

/* core-92 */
static void test_start_and_end(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'q');
    tty_fixture_await(self, ".q");
    tty_fixture_await(self, "E0");
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tty_fixture_await_guardian(self);
    assert_nothing_more(self); // kitty once, and the guardian had nothing to do
    tty_fixture_await_settings(self, true);
}

static void test_other_keys(void **state)
{
    TtyFixture *self = *state;
    begin(self);
    tty_fixture_type(self, "\x1b[?2026;2$y" LAST);
    tty_fixture_expect(self, "\x1b[>4;2m");
    tell(self, 'q');
    tty_fixture_await(self, "E0");
    tty_fixture_expect(self, "\x1b[>4;0m" OFF);
    assert_nothing_more(self);
}

/* A console is told nothing that it does not know. */
static void test_console(void **state)
{
    TtyFixture *self = *state;
    tell(self, 'T');
    tell(self, 'w');
    tty_fixture_expect(self, "frame");
    tell(self, 'q');
    tty_fixture_await(self, "E0");
    tty_fixture_expect(self, "\x1b[?25h");
    assert_nothing_more(self);
    tty_fixture_await_settings(self, true);
}

/* What was typed before the first frame is a key of ours. */
static void test_typed_early(void **state)
{
    TtyFixture *self = *state;
    tty_fixture_type(self, "y");
    tty_fixture_await(self, "ey");
    tell(self, 'q'); // nothing was ever written
    tty_fixture_await(self, "E0");
    assert_nothing_more(self);
    tty_fixture_await_settings(self, true);
}

/* An answer that comes at the end is not typed into the shell. */
static void test_late_answer(void **state)
{
    TtyFixture *self = *state;
    struct termios raw;
    int waiting = -1;
    begin(self);
    tell(self, 'Q'); // from here on it does not read, until it ends
    tty_fixture_await(self, ".Q");
    tty_fixture_type(self, KITTY "\x1bP>|XTerm(390)\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\" LAST);
    tell(self, 'q');
    tty_fixture_await(self, "E0");
    tty_fixture_expect(self, OFF); // and no keyboard protocol at the last moment
    assert_nothing_more(self);
    assert_int_equal(tcgetattr(self->slave, &raw), 0);
    cfmakeraw(&raw);
    assert_int_equal(tcsetattr(self->slave, TCSANOW, &raw), 0);
    assert_int_equal(ioctl(self->slave, FIONREAD, &waiting), 0);
    assert_int_equal(waiting, 0);
}

/* A terminal that never answers is left all the same. */
static void test_mute(void **state)
{
    TtyFixture *self = *state;
    begin(self);
    tell(self, 'q');
    tty_fixture_await(self, "E0");
    tty_fixture_expect(self, OFF);
}

static void test_title(void **state)
{
    TtyFixture *self = *state;
    tell(self, 'T');
    tell(self, 'w');
    tty_fixture_expect(self, "\x1b[22;2t" FIXTURE_START "\x1b]2;a title\x1b\\frame");
    tty_fixture_type(self, LAST);
    tty_fixture_expect(self, "\x1b[>4;2m");
    tell(self, 'C');
    tty_fixture_expect(self, "\x1b[23;2t");
    tell(self, 'T');
    tty_fixture_expect(self, "\x1b[22;2t\x1b]2;a title\x1b\\");
    tell(self, 'q');
    tty_fixture_expect(self, "\x1b[>4;0m\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[23;2t\x1b[?25h");
}

/* The viewer's screen: the keyboard protocol goes there and back, and an end there ends it. */
static void test_alternate_screen(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'a');
    tty_fixture_expect(self, "\x1b[?1049hviewer\x1b[>5u");
    tell(self, 'n');
    tty_fixture_expect(self, "\x1b[<u\x1b[?1049l");
    tell(self, 'a');
    tty_fixture_expect(self, "\x1b[?1049hviewer\x1b[>5u");
    tell(self, 'k');
    tty_fixture_expect(self, "\x18\x1b\\\x1b[0m\x1b[?7h\x1b[<u\x1b[?1049l\r\n\x1b[J\x1b[<u" OFF);
}

/* core-93: on the crashing process's own stack, with the signal's own end. */
static void crash(TtyFixture *self, char letter, const char *report)
{
    begin_answered(self);
    tell(self, letter);
    tty_fixture_await(self, report);
    tty_fixture_expect(self, EMERGENCY "\x1b[<u" OFF);
    tty_fixture_await_guardian(self);
    tty_fixture_await_settings(self, true);
    assert_nothing_more(self); // it is undone once
}

static void test_segv(void **state)
{
    crash(*state, 'S', "K11");
}

static void test_abort(void **state)
{
    crash(*state, 'A', "K6");
}

static void test_bus(void **state)
{
    crash(*state, 'B', "K7");
}

static void test_fpe(void **state)
{
    crash(*state, 'F', "K8");
}

static void test_exit(void **state)
{
    crash(*state, 'x', "E3");
}

static void test_kill(void **state)
{
    crash(*state, 'k', "K9"); // by the guardian
}

/* Killed before the first frame: settings, and not one byte. */
static void test_kill_early(void **state)
{
    TtyFixture *self = *state;
    tell(self, 'k');
    tty_fixture_await(self, "K9");
    tty_fixture_await_guardian(self);
    tty_fixture_await_settings(self, true);
    assert_nothing_more(self);
}

/* A terminal that nobody reads: nothing is lost, and its owner hears when it goes on. */
static void test_slow(void **state)
{
    TtyFixture *self = *state;
    assert_int_equal(tcflow(self->slave, TCOOFF), 0); // as Ctrl+S does
    tell(self, 'b');
    tty_fixture_await(self, ".b"); // it did not wait for us
    tell(self, 'w');
    tty_fixture_await(self, ".w");
    assert_nothing_more(self);
    assert_int_equal(tcflow(self->slave, TCOON), 0);
    tty_fixture_expect(self, FIXTURE_START);
    g_autofree char *got = tty_fixture_read(self, 300000);
    for (size_t i = 0; i < 300000; i++)
        if (got[i] != (char)('a' + i % 23))
            fail_msg("another byte at %zu", i);
    tty_fixture_expect(self, "frame");
    tty_fixture_await(self, "d");
}

/* A write above the limit is refused whole, and its owner is told to draw anew. */
static void test_too_much(void **state)
{
    TtyFixture *self = *state;
    begin(self);
    tell(self, 'l');
    tty_fixture_await(self, ".l");
    tty_fixture_await(self, "r");
    tell(self, 'w');
    tty_fixture_expect(self, "frame");
}

static void test_resize(void **state)
{
    TtyFixture *self = *state;
    const struct winsize size = { .ws_col = 40, .ws_row = 10 };
    assert_int_equal(ioctl(self->master, TIOCSWINSZ, &size), 0);
    tty_fixture_await(self, "z");
}

static void test_hangup(void **state)
{
    TtyFixture *self = *state;
    begin(self);
    close(self->slave);
    close(self->master);
    self->slave = self->master = -1;
    tty_fixture_await(self, "g");
    tell(self, 'w'); // dropped
    tell(self, 'z'); // and it does not stop on a terminal that is not there
    tty_fixture_await(self, ".z");
    tell(self, 'q');
    tty_fixture_await(self, "E0");
    assert_false(tty_fixture_has(self, "g")); // once
}

/* core-102 */
static void test_suspend(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'z');
    tty_fixture_await(self, "S");
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tty_fixture_await_settings(self, true);
    tty_fixture_tell(self->to_shell, 'f');
    tty_fixture_await(self, "r");
    tty_fixture_expect(self, "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    tty_fixture_await_settings(self, false);
    tty_fixture_await(self, ".z");
    tty_fixture_type(self, "k");
    tty_fixture_await(self, "ek");
    assert_false(tty_fixture_has(self, "r")); // once
    tell(self, 'q');
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tty_fixture_await(self, "E0");
    assert_nothing_more(self);
}

/* By a key, before the terminal has answered: the answers that came with the key are still heard.
 */
static void test_suspend_by_a_key(void **state)
{
    TtyFixture *self = *state;
    begin(self);
    tty_fixture_type(self, "Z" KITTY LAST);
    tty_fixture_await(self, "eZ");
    tty_fixture_await(self, "S");
    tty_fixture_expect(self, OFF);
    tty_fixture_tell(self->to_shell, 'f');
    tty_fixture_await(self, "r");
    tty_fixture_expect(self, "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    tty_fixture_type(self, "k");
    tty_fixture_await(self, "ek");
}

/* `bg`: stopped again, like any program that wants the terminal. */
static void test_continued_in_the_background(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'z');
    tty_fixture_await(self, "S");
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tty_fixture_tell(self->to_shell, 'b');
    tty_fixture_await(self, "S");
    tty_fixture_await_settings(self, true);
    assert_nothing_more(self);
    tty_fixture_tell(self->to_shell, 'f');
    tty_fixture_await(self, "r");
    tty_fixture_expect(self, "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    tty_fixture_await_settings(self, false);
}

/* `kill %1` of a stopped job: it ends, and the terminal is the shell's all the time. */
static void test_ended_while_stopped(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'z');
    tty_fixture_await(self, "S");
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tty_fixture_tell(self->to_shell, 't');
    tty_fixture_await(self, "h");
    tty_fixture_await(self, "E15");
    assert_nothing_more(self);
    tty_fixture_await_settings(self, true);
}

/* SIGSTOP cannot be seen coming: the shell had the terminal as we left it, and made it its own. */
static void test_stopped_from_outside(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'z'); // only to learn its number
    tty_fixture_await(self, "S");
    tty_fixture_tell(self->to_shell, 'f');
    tty_fixture_await(self, ".z");
    tty_fixture_await(self, "r");
    tty_fixture_expect(self, "\x1b[<u" OFF "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    assert_int_equal(kill(self->job, SIGSTOP), 0);
    tty_fixture_await(self, "S");
    tty_fixture_await_settings(self, true);
    tty_fixture_tell(self->to_shell, 'f');
    tty_fixture_await(self, "r");
    tty_fixture_expect(self, "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[=5u"); // not a second push
    tty_fixture_await_settings(self, false);
    tell(self, 'q');
    tty_fixture_expect(self, "\x1b[<u" OFF);
}

/* Nobody could continue it, so it is not stopped. */
static void test_orphaned(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'z');
    tty_fixture_await(self, "r");
    tty_fixture_expect(self, "\x1b[<u" OFF "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    tty_fixture_await_settings(self, false);
}

/* For an editor: cooked, not read, nothing written; a kill meanwhile undoes nothing. */
static void test_give_and_take(void **state)
{
    TtyFixture *self = *state;
    begin_answered(self);
    tell(self, 'g');
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tty_fixture_await(self, ".g");
    tty_fixture_await_settings(self, true);
    tell(self, 'w'); // dropped
    tty_fixture_await(self, ".w");
    tty_fixture_type(self, "n\n"); // for the editor; the terminal echoes
    tty_fixture_expect(self, "n\r\n");
    assert_false(tty_fixture_has(self, "en"));
    tell(self, 't');
    tty_fixture_await(self, ".t");
    tty_fixture_await_settings(self, false);
    tty_fixture_expect(self, "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    tell(self, 'w');
    tty_fixture_expect(self, "frame");
    tell(self, 'g');
    tty_fixture_expect(self, "\x1b[<u" OFF);
    tell(self, 'k');
    tty_fixture_await(self, "K9");
    tty_fixture_await_guardian(self);
    assert_nothing_more(self);
    tty_fixture_await_settings(self, true);
}

#define ON_SHELL(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_SHELL(test_start_and_end),
        ON_SHELL(test_other_keys),
        cmocka_unit_test_setup_teardown(test_console, setup_console, teardown),
        ON_SHELL(test_typed_early),
        ON_SHELL(test_late_answer),
        ON_SHELL(test_mute),
        ON_SHELL(test_title),
        ON_SHELL(test_alternate_screen),
        ON_SHELL(test_segv),
        ON_SHELL(test_abort),
        ON_SHELL(test_bus),
        ON_SHELL(test_fpe),
        ON_SHELL(test_exit),
        ON_SHELL(test_kill),
        ON_SHELL(test_kill_early),
        ON_SHELL(test_slow),
        ON_SHELL(test_too_much),
        ON_SHELL(test_resize),
        ON_SHELL(test_hangup),
        ON_SHELL(test_suspend),
        ON_SHELL(test_suspend_by_a_key),
        ON_SHELL(test_continued_in_the_background),
        ON_SHELL(test_ended_while_stopped),
        ON_SHELL(test_stopped_from_outside),
        cmocka_unit_test_setup_teardown(test_orphaned, setup_alone, teardown),
        ON_SHELL(test_give_and_take),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
