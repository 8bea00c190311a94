/* What makes a terminal usable again (bytes, settings, the guardian process), what is said to one,
   and the queue to it: on kernel pseudo-terminals, without the terminal itself. */
#include "base/str.h"
#include "unit.h"

#include "base/env.h"
#include "base/secrets.h"
#include "tui/term/guard.h"
#include "tui/term/output.h"
#include "tui/term/sequences.h"
#include "tui/term/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define GUARD_MS 60000 // that a test waits for what must come

typedef struct Fixture {
    int master, slave; // the terminal's end, ours
    UndoPlan plan;
    pid_t guardian; // 0: none
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    struct winsize size = { .ws_col = 80, .ws_row = 24 };
    assert_int_equal(openpty(&self->master, &self->slave, NULL, NULL, &size), 0);
    assert_int_equal(fcntl(self->slave, F_SETFL, O_RDWR | O_NONBLOCK), 0);
    assert_int_equal(tcgetattr(self->slave, &self->plan.cooked), 0);
    self->plan.raw = self->plan.cooked;
    cfmakeraw(&self->plan.raw);
    assert_int_equal(tcsetattr(self->slave, TCSANOW, &self->plan.raw), 0);
    self->plan.is_on = true;
    self->plan.size = strlen("\x1b[off");
    memcpy(self->plan.bytes, "\x1b[off", self->plan.size);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    if (self->guardian > 0) { // a test has failed
        kill(self->guardian, SIGKILL);
        waitpid(self->guardian, NULL, 0);
    }
    close(self->slave);
    close(self->master);
    g_free(self);
    return 0;
}

/* Reads the terminal's end until it has `size` bytes. Caller frees. */
static char *read_bytes(int master, size_t size)
{
    g_autoptr(GString) got = g_string_new(NULL);
    while (got->len < size) {
        char buffer[4096];
        struct pollfd ready = { .fd = master, .events = POLLIN };
        assert_int_equal(poll(&ready, 1, GUARD_MS), 1);
        ssize_t count = read(master, buffer, MIN(sizeof(buffer), size - got->len));
        assert_true(count > 0);
        g_string_append_len(got, buffer, count);
    }
    return g_string_free(g_steal_pointer(&got), FALSE);
}

static void assert_nothing_to_read(int master)
{
    struct pollfd ready = { .fd = master, .events = POLLIN };
    assert_int_equal(poll(&ready, 1, 0), 0);
}

static bool is_cooked(int fd)
{
    struct termios now;
    assert_int_equal(tcgetattr(fd, &now), 0);
    return (now.c_lflag & ICANON) != 0 && (now.c_oflag & OPOST) != 0;
}

// ---- undoing ----

static void test_undo(void **state)
{
    Fixture *self = *state;
    assert_true(undo_all(self->slave, &self->plan, 1000));
    g_autofree char *got = read_bytes(self->master, 5);
    assert_string_equal(got, "\x1b[off");
    assert_true(is_cooked(self->slave));
    assert_int_equal(self->plan.size, 0);
}

/* Settings that another program made (a shell that has the terminal again) are left alone. */
static void test_undo_leaves_others_alone(void **state)
{
    Fixture *self = *state;
    struct termios of_shell = self->plan.cooked, now;
    of_shell.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    assert_int_equal(tcsetattr(self->slave, TCSANOW, &of_shell), 0);
    assert_true(undo_all(self->slave, &self->plan, 1000));
    assert_int_equal(tcgetattr(self->slave, &now), 0);
    assert_int_equal(now.c_lflag, of_shell.c_lflag);
    assert_int_equal(now.c_oflag, of_shell.c_oflag);
}

/* As Ctrl+S does. */
static void stop_output(int fd)
{
    assert_int_equal(tcflow(fd, TCOOFF), 0);
    assert_int_equal(write(fd, "x", 1), -1);
    assert_int_equal(errno, EAGAIN);
}

/* A terminal that takes nothing is not waited for without end; what is left is known. */
static void test_undo_of_a_full_terminal(void **state)
{
    Fixture *self = *state;
    stop_output(self->slave);
    assert_false(undo_all(self->slave, &self->plan, 100));
    assert_int_equal(self->plan.size, 5);
    assert_true(is_cooked(self->slave));
    close(self->master); // and hung up: neither waits nor fails in another way
    self->master = -1;
    assert_false(undo_all(self->slave, &self->plan, GUARD_MS));
}

// ---- the guardian ----

/* It becomes a child of this process, which is the reaper of what is left behind. */
static pid_t start_guardian(Fixture *self, int *ret_fd)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = g_strdup_printf("/proc/self/task/%d/children", (int)getpid());
    g_autofree char *children = NULL;
    if (!guard_start(self->slave, ret_fd, &error))
        fail_msg("%s", error->message);
    if (!g_file_get_contents(path, &children, NULL, NULL) || *children == '\0')
        skip(); // a kernel without that list
    self->guardian = (pid_t)g_ascii_strtoll(children, NULL, 10);
    return self->guardian;
}

static void assert_ends(Fixture *self)
{
    int status = 0;
    assert_int_equal(waitpid(self->guardian, &status, 0), self->guardian);
    self->guardian = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_guardian_restores(void **state)
{
    Fixture *self = *state;
    int fd = -1;
    UndoPlan first = self->plan;
    start_guardian(self, &fd);
    memcpy(first.bytes, "\x1b[old", first.size);
    guard_tell(fd, &first);
    guard_tell(fd, &self->plan); // the last one counts
    guard_end(fd);
    g_autofree char *got = read_bytes(self->master, 5);
    assert_string_equal(got, "\x1b[off");
    assert_ends(self);
    assert_true(is_cooked(self->slave));
    assert_nothing_to_read(self->master);
}

static void test_guardian_after_an_orderly_end(void **state)
{
    Fixture *self = *state;
    const UndoPlan nothing = { 0 };
    int fd = -1;
    start_guardian(self, &fd);
    guard_tell(fd, &self->plan);
    guard_tell(fd, &nothing);
    guard_end(fd);
    assert_ends(self);
    assert_false(is_cooked(self->slave));
    assert_nothing_to_read(self->master);

    start_guardian(self, &fd); // told nothing at all
    guard_end(fd);
    assert_ends(self);
    assert_nothing_to_read(self->master);
}

/* What ends or stops a group or comes from the keyboard does not reach it. */
static void test_guardian_holds_out(void **state)
{
    static const int signals[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP,
                                   SIGTTOU, SIGTTIN, SIGPIPE, SIGUSR1 };
    Fixture *self = *state;
    int fd = -1;
    pid_t pid = start_guardian(self, &fd);
    guard_tell(fd, &self->plan);
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++)
        assert_int_equal(kill(pid, signals[i]), 0);
    assert_int_not_equal(getpgid(pid), getpgid(0));
    assert_int_equal(getsid(pid), getsid(0));
    guard_end(fd);
    g_autofree char *got = read_bytes(self->master, 5);
    assert_string_equal(got, "\x1b[off");
    assert_ends(self);
}

/* A figure of /proc/PID/smaps_rollup, in KiB. */
static gint64 memory_of(pid_t pid, const char *name)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/smaps_rollup", (int)pid);
    g_autofree char *text = NULL;
    const char *line = NULL;
    if (g_file_get_contents(path, &text, NULL, NULL))
        line = strstr(text, name);
    return line != NULL ? g_ascii_strtoll(line + strlen(name), NULL, 10) : -1;
}

/* Reads all that another process may write to, and has a file behind none of it. */
static bool holds(pid_t pid, const char *needle)
{
    g_autofree char *maps_path = g_strdup_printf("/proc/%d/maps", (int)pid);
    g_autofree char *mem_path = g_strdup_printf("/proc/%d/mem", (int)pid);
    g_autofree char *maps = NULL;
    int mem = open(mem_path, O_RDONLY | O_CLOEXEC);
    if (mem < 0 || !g_file_get_contents(maps_path, &maps, NULL, NULL))
        skip(); // not allowed here
    bool is_found = false;
    g_auto(GStrv) lines = g_strsplit(maps, "\n", -1);
    for (char **line = lines; *line && !is_found; line++) {
        char *end = NULL;
        guint64 start = g_ascii_strtoull(*line, &end, 16);
        guint64 stop = *end == '-' ? g_ascii_strtoull(end + 1, &end, 16) : 0;
        if (stop <= start || strncmp(end, " rw", 3) != 0 || strstr(*line, "[stack]"))
            continue;
        g_autofree char *data = g_malloc(stop - start);
        ssize_t count = pread(mem, data, stop - start, (off_t)start);
        is_found = count > 0 && memmem(data, (size_t)count, needle, strlen(needle)) != NULL;
    }
    close(mem);
    return is_found;
}

/* Waits until it is what it will be: its name comes first, the read of the pipe last. */
static void await_reading(pid_t pid)
{
    g_autofree char *path = g_strdup_printf("/proc/%d/syscall", (int)pid);
    for (int i = 0; i < GUARD_MS / 10; i++) {
        g_autofree char *text = NULL;
        g_autofree char *fds = g_strdup_printf("/proc/%d/fd/2", (int)pid);
        bool is_closed = !g_file_test(fds, G_FILE_TEST_IS_SYMLINK);
        if (is_closed && g_file_get_contents(path, &text, NULL, NULL) &&
            (strncmp(text, "0 0x1 ", 6) == 0 || strncmp(text, "63 0x1 ", 7) == 0))
            return;
        if (is_closed && !text)
            break; // nobody tells
        g_usleep(10 * 1000);
    }
    skip();
}

/* The heap, the store of secrets and large blocks are not in the copy, which is small. */
static void test_guardian_holds_nothing(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); // whose memory is kept
#endif
    static const char in_store[] = "sk-store-8f3a91c7";
    Fixture *self = *state;
    // made here, so that the text itself is in no constant of the copy
    g_autofree char *in_heap = g_strdup_printf("heap-%s", "71fe02d9");
    g_autofree char *in_block = g_malloc0(8 * 1024 * 1024);
    memset(in_block, 'b', 8 * 1024 * 1024 - 1);
    memcpy(in_block + 5000, "block-5d60aa12", 14);
    secrets_set("KEDGE_TEST_KEY", in_store);
    int fd = -1;
    pid_t pid = start_guardian(self, &fd);
    guard_tell(fd, &self->plan);
    await_reading(pid);
    g_autofree char *needle = g_strdup(in_heap);
    assert_true(holds(getpid(), needle)); // the search finds what is there
    assert_false(holds(pid, needle));
    assert_false(holds(pid, "block-5d60aa12"));
    assert_false(holds(pid, "store-8f3a91c7"));
    // what kedge changes from now on is not kept for it, so its own pages are all there will be
    gint64 own = memory_of(pid, "\nPss:");
    assert_in_range(own, 0, 1023);
    guard_end(fd);
    g_autofree char *got = read_bytes(self->master, 5);
    assert_string_equal(got, "\x1b[off");
    assert_ends(self);
}

// ---- the queue ----

static void test_output_waits(void **state)
{
    Fixture *self = *state;
    Output output;
    g_autofree char *text = g_malloc(300001);
    for (int i = 0; i < 300000; i++)
        text[i] = (char)('a' + i % 23);
    text[300000] = '\0';
    output_init(&output, self->slave, 1024 * 1024);
    assert_int_equal(output_write(&output, text, 100000), OUTPUT_WAITS);
    assert_int_equal(output_write(&output, text + 100000, 200000), OUTPUT_WAITS);
    assert_true(output_waiting_bytes(&output) > 0);
    assert_false(output_drain(&output, 50)); // nobody reads

    g_autoptr(GString) got = g_string_new(NULL);
    for (int idle = 0; got->len < 300000 && idle < GUARD_MS / 10;) {
        char buffer[1000];
        struct pollfd ready = { .fd = self->master, .events = POLLIN };
        output_flush(&output);
        ssize_t count = poll(&ready, 1, 10) > 0 ? read(self->master, buffer, sizeof(buffer)) : 0;
        g_string_append_len(got, buffer, MAX(count, 0));
        idle = count > 0 ? 0 : idle + 1;
    }
    assert_string_equal(got->str, text);
    assert_int_equal(output_flush(&output), OUTPUT_DONE);
    output_clear(&output);
}

static void test_output_limit(void **state)
{
    Fixture *self = *state;
    Output output;
    stop_output(self->slave);
    output_init(&output, self->slave, 10);
    assert_int_equal(output_write(&output, "12345678", 8), OUTPUT_WAITS);
    assert_int_equal(output_write(&output, "abc", 3), OUTPUT_FULL); // whole or not at all
    assert_int_equal(output_write(&output, "90", 2), OUTPUT_WAITS);
    assert_int_equal(output_waiting_bytes(&output), 10);
    assert_int_equal(tcflow(self->slave, TCOON), 0);
    assert_int_equal(output_flush(&output), OUTPUT_DONE);
    g_autofree char *got = read_bytes(self->master, 10);
    assert_string_equal(got, "1234567890");
    output_clear(&output);
}

static void test_output_of_a_closed_terminal(void **state)
{
    Fixture *self = *state;
    Output output;
    close(self->master);
    self->master = -1;
    output_init(&output, self->slave, 10);
    assert_int_equal(output_write(&output, "a", 1), OUTPUT_GONE);
    assert_int_equal(output_write(&output, "a", 1), OUTPUT_GONE);
    assert_false(output_drain(&output, GUARD_MS));
    output_clear(&output);
}

// ---- what is said ----

static const char *no_env(const char *name G_GNUC_UNUSED)
{
    return NULL;
}

static const char *foot_env(const char *name)
{
    return g_str_equal(name, "TERM") ? "foot-extra" : NULL;
}

static const char *vte_env(const char *name)
{
    return g_str_equal(name, "VTE_VERSION") ? "7200" : NULL;
}

static void test_sequences(void **state G_GNUC_UNUSED)
{
    const TermModes modes = MODE_BRACKETS | MODE_FOCUS | MODE_SCHEME | MODE_KITTY | MODE_TITLE;
    g_autoptr(GString) out = g_string_new(NULL);
    sequences_on(modes, out);
    assert_string_equal(out->str, "\x1b[22;2t\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[>5u");
    g_string_truncate(out, 0);
    sequences_end(modes, out);
    assert_string_equal(out->str, "\x1b[<u\x1b[?2031l\x1b[?1004l\x1b[?2004l\x1b[23;2t\x1b[?25h");
    g_string_truncate(out, 0);
    sequences_again(modes | MODE_ALTERNATE, out);
    assert_string_equal(out->str, "\x1b[?2004h\x1b[?1004h\x1b[?2031h\x1b[=5u");
    g_string_truncate(out, 0);
    sequences_end(MODE_OTHER_KEYS, out);
    assert_string_equal(out->str, "\x1b[>4;0m\x1b[?25h");
    g_string_truncate(out, 0);
    sequences_emergency(MODE_BRACKETS | MODE_KITTY | MODE_ALTERNATE | MODE_ALTERNATE_KITTY, true,
                        out);
    assert_string_equal(out->str, "\x18\x1b\\\x1b[?2026l\x1b[0m\x1b[?7h\x1b[<u\x1b[?1049l\r\n\x1b[J"
                                  "\x1b[<u\x1b[?2004l\x1b[?25h");
    g_string_truncate(out, 0);
    sequences_emergency((TermModes)-1, true, out);
    assert_in_range(out->len, 1, UNDO_BYTES);
    g_string_truncate(out, 0);
    sequences_queries(&(TermCaps) { 0 }, out);
    assert_true(g_str_has_suffix(out->str, "\x1b[c"));
    assert_null(strstr(out->str, "\x1bP"));
    sequences_queries(&(TermCaps) { .asks_depth = true }, out);
    assert_true(g_str_has_suffix(out->str, "\x1b[c"));
    assert_non_null(strstr(out->str, "\x1b[48;2;1;2;3m\x1bP$qm\x1b\\\x1b[0m"));
}

/* core-99: nothing in a text ends the sequence that it stands in. */
static void test_texts_are_cleaned(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) out = g_string_new(NULL);
    sequences_title("a\x1b\\b\a c\x1b]0;evil\ad\ne\xc2\x9c\xff", out);
    assert_string_equal(out->str, "\x1b]2;ab cd e\xef\xbf\xbd\x1b\\");
    g_string_truncate(out, 0);
    g_autofree char *large = g_strnfill(100000, 'x');
    sequences_title(large, out);
    assert_int_equal(out->len, 256 + 6);
}

static void test_notify(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name;
        TermCaps caps;
        EnvFunc env;
        const char *text, *want;
    } cases[] = {
        { "OSC 9", { .has_queries = true }, no_env, "done", "\x1b]9;kedge: done\x1b\\" },
        { "no progress code",
          { .has_queries = true },
          no_env,
          "4;1;50",
          "\x1b]9;kedge: 4;1;50\x1b\\" },
        { "foot", { .has_queries = true }, foot_env, "done", "\x1b]777;notify;kedge;done\x1b\\" },
        { "VTE", { .has_queries = true }, vte_env, "a\x1b\\b", "\x1b]777;notify;kedge;ab\x1b\\" },
        { "tmux",
          { .has_queries = true, .is_tmux = true },
          no_env,
          "done",
          "\x1bPtmux;\x1b\x1b]9;kedge: done\x1b\x1b\\\x1b\\\a" },
        { "zellij",
          { .has_queries = true, .is_zellij = true },
          no_env,
          "done",
          "\x1b]9;kedge: done\x1b\\\a" },
        { "screen", { .has_queries = true, .is_screen = true }, no_env, "done", "\a" },
        { "console", { 0 }, no_env, "done", "\a" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) out = g_string_new(NULL);
        sequences_notify(cases[i].text, &cases[i].caps, cases[i].env, out);
        if (strcmp(out->str, cases[i].want) != 0)
            fail_msg("%s: '%s'", cases[i].name, out->str);
    }
}

static void test_clipboard_bytes(void **state G_GNUC_UNUSED)
{
    const TermCaps any = { .has_queries = true }, console = { 0 };
    const TermCaps screen = { .has_queries = true, .is_screen = true };
    g_autoptr(GString) out = g_string_new(NULL);
    sequences_clipboard("hello", &any, out);
    assert_string_equal(out->str, "\x1b]52;c;aGVsbG8=\a");
    g_string_truncate(out, 0);
    g_autofree char *most = g_strnfill(LIMIT_OSC52_BYTES, 'x');
    sequences_clipboard(most, &any, out);
    assert_int_equal(out->len, 100000);
    g_string_truncate(out, 0);
    g_autofree char *more = g_strnfill(LIMIT_OSC52_BYTES + 1, 'x');
    sequences_clipboard(more, &any, out);
    sequences_clipboard("hello", &console, out);
    assert_int_equal(out->len, 0);
    sequences_clipboard(most, &screen, out); // what it passes on is the same again
    g_auto(GStrv) pieces = g_strsplit(out->str, "\x1b\\", -1);
    size_t size = 0;
    for (char **piece = pieces; **piece != '\0'; piece++) {
        assert_true(str_has_prefix(*piece, "\x1bP"));
        assert_in_range(strlen(*piece), 3, 256);
        size += strlen(*piece) - 2;
    }
    assert_int_equal(size, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_undo, setup, teardown),
        cmocka_unit_test_setup_teardown(test_undo_leaves_others_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_undo_of_a_full_terminal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guardian_restores, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guardian_after_an_orderly_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guardian_holds_out, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guardian_holds_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_output_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(test_output_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_output_of_a_closed_terminal, setup, teardown),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_texts_are_cleaned),
        cmocka_unit_test(test_notify),
        cmocka_unit_test(test_clipboard_bytes),
    };
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
