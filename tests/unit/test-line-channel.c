/* Lines over pipes: pieces, maxima, backpressure, broken ends, and the standard streams. */
#include "unit.h"

#include "base/limits.h"
#include "base/line_channel.h"
#include "base/worker.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Fixture {
    Loop *loop;
    LineChannel *channel;
    Fd to_channel, from_channel; // the other side's ends
    GString *log;                // what the channel told, in order
    size_t line_bytes;           // of all lines
    bool quits_on_line;
    bool closes_on_line;
    bool echoes;
} Fixture;

static void on_line(const char *line, size_t size, void *data)
{
    Fixture *self = data;
    self->line_bytes += size;
    g_string_append_printf(self->log, "[%.*s]", (int)MIN(size, 20), line);
    if (self->echoes)
        assert_true(line_channel_send(self->channel, line, size, NULL));
    if (self->closes_on_line)
        line_channel_close(self->channel);
    if (self->quits_on_line)
        loop_quit(self->loop);
}

static void on_long_line(void *data)
{
    Fixture *self = data;
    g_string_append(self->log, "[long]");
}

static void on_written(void *data)
{
    Fixture *self = data;
    if (line_channel_is_flushed(self->channel))
        loop_quit(self->loop);
}

static void on_end(LineEnd end, size_t unfinished_bytes, void *data)
{
    Fixture *self = data;
    g_string_append_printf(self->log, "[%s %zu]", end == LINE_END_INPUT ? "end" : "broken",
                           unfinished_bytes);
    loop_quit(self->loop);
}

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    int in[2], out[2];
    assert_true(fd_pipe(in, NULL) && fd_pipe(out, NULL));
    self->loop = loop_new();
    self->log = g_string_new(NULL);
    self->to_channel = in[1];
    self->from_channel = out[0];
    const LineChannelSpec spec = {
        .input = in[0],
        .output = out[1],
        .max_line_bytes = 10,
        .on_line = on_line,
        .on_long_line = on_long_line,
        .on_written = on_written,
        .on_end = on_end,
        .user_data = self,
    };
    self->channel = line_channel_new(self->loop, &spec);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    line_channel_free(self->channel);
    loop_free(self->loop);
    fd_close(self->to_channel);
    fd_close(self->from_channel);
    g_string_free(self->log, TRUE);
    g_free(self);
    return 0;
}

static void type(Fixture *self, const char *text)
{
    assert_true(fd_write_all(self->to_channel, text, strlen(text), "pipe", NULL));
}

static void quit(void *loop)
{
    loop_quit(loop);
}

/* What is in the pipe is read now. */
static void run_once(Fixture *self)
{
    loop_add_timer(self->loop, 0, quit, self->loop);
    loop_run(self->loop);
}

static void test_lines(void **state)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "one", "abc\n", "[abc][end 0]" },
        { "empty ones", "\n\na\n", "[][][a][end 0]" },
        { "the maximum", "0123456789\nx\n", "[0123456789][x][end 0]" },
        { "a byte more", "0123456789a\nx\n", "[long][x][end 0]" },
        { "two long ones", "0123456789abc\n0123456789abc\nx\n", "[long][long][x][end 0]" },
        { "the end in mid-line", "abc\nde", "[abc][end 2]" },
        { "the end in a long line", "abc\n0123456789abcdef", "[abc][long][end 0]" },
        { "nothing", "", "[end 0]" },
        { "carriage return stays", "a\r\n", "[a\r][end 0]" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        for (size_t piece = 1; piece <= 64; piece *= 8) { // whole, and byte by byte
            assert_int_equal(setup(state), 0);
            Fixture *self = *state;
            for (const char *next = cases[i].in; *next != '\0';) {
                g_autofree char *part = g_strndup(next, piece);
                type(self, part);
                next += strlen(part);
                run_once(self);
            }
            fd_close(fd_steal(&self->to_channel));
            loop_run(self->loop);
            if (strcmp(self->log->str, cases[i].want) != 0)
                fail_msg("%s in pieces of %zu: got %s, want %s", cases[i].name, piece,
                         self->log->str, cases[i].want);
            teardown(state);
        }
    }
}

/* 100 MB without a newline: told of once, and never held. */
static void write_endless_line(void *data)
{
    Fixture *self = data;
    g_autofree char *piece = g_malloc(MIB);
    memset(piece, 'x', MIB);
    for (int i = 0; i < 100; i++)
        assert_true(fd_write_all(self->to_channel, piece, MIB, "pipe", NULL));
    assert_true(fd_write_all(self->to_channel, "\nafter\n", 7, "pipe", NULL));
    fd_close(fd_steal(&self->to_channel));
}

static void test_endless_line(void **state)
{
    Fixture *self = *state;
    Worker *writer = worker_start("writer", write_endless_line, self);
    loop_run(self->loop);
    worker_join(writer);
    assert_string_equal(self->log->str, "[long][after][end 0]");
}

/* What nobody reads waits; then no line is taken any more, and at last sending is refused. */
static void test_backpressure(void **state)
{
    Fixture *self = *state;
    g_autofree char *big = g_malloc(2 * MIB);
    memset(big, 'y', 2 * MIB);
    assert_true(line_channel_send(self->channel, big, 2 * MIB, NULL));
    assert_true(line_channel_is_full(self->channel));
    assert_false(line_channel_is_flushed(self->channel));
    type(self, "held\nback\n");
    run_once(self);
    assert_string_equal(self->log->str, "");

    g_autoptr(GError) error = NULL;
    size_t sent = 1;
    while (line_channel_send(self->channel, big, 2 * MIB, &error))
        sent++;
    assert_true(error_is(error, KEDGE_ERROR_LIMIT));
    assert_true(sent * 2 * MIB <= LIMIT_LINE_OUTPUT_BYTES + PIPE_BUF * 64);

    // it reads on: all of it arrives, and what was held back is taken
    size_t got = 0;
    fcntl(self->from_channel, F_SETFL, O_NONBLOCK);
    while (!line_channel_is_flushed(self->channel)) {
        ssize_t count = 0;
        while ((count = read(self->from_channel, big, 2 * MIB)) > 0)
            got += (size_t)count;
        run_once(self);
    }
    for (ssize_t count = 0; (count = read(self->from_channel, big, 2 * MIB)) > 0;)
        got += (size_t)count;
    assert_int_equal(got, sent * (2 * MIB + 1));
    assert_string_equal(self->log->str, "[held][back]");
}

static void test_broken_output(void **state)
{
    Fixture *self = *state;
    fd_close(fd_steal(&self->from_channel));
    line_channel_send(self->channel, "x", 1, NULL);
    assert_string_equal(self->log->str, "[broken 0]"); // told at once, from inside of send
    type(self, "last words\n");
    run_once(self); // ends at once: on_end() has quit
    run_once(self);
    assert_string_equal(self->log->str, "[broken 0][last words]");
    g_autoptr(GError) error = NULL;
    assert_false(line_channel_send(self->channel, "x", 1, &error));
    assert_string_equal(error->message, "cannot send a line: the channel is closed");
}

/* Closing from inside of a callback: the lines behind it are not handed on. */
static void test_close_inside(void **state)
{
    Fixture *self = *state;
    self->closes_on_line = true;
    self->quits_on_line = true;
    type(self, "a\nb\nc\n");
    loop_run(self->loop);
    run_once(self);
    assert_string_equal(self->log->str, "[a]");
    char byte;
    assert_int_equal(read(self->from_channel, &byte, 1), 0);
}

static void test_finish_output(void **state)
{
    Fixture *self = *state;
    assert_true(line_channel_send(self->channel, "last", 4, NULL));
    line_channel_finish_output(self->channel);
    assert_false(line_channel_send(self->channel, "more", 4, NULL));
    char text[16] = { 0 };
    assert_int_equal(read(self->from_channel, text, sizeof text), 5);
    assert_string_equal(text, "last\n");
    assert_int_equal(read(self->from_channel, text, sizeof text), 0);
    type(self, "still\n"); // its answers are still read
    run_once(self);
    assert_string_equal(self->log->str, "[still]");
}

static bool is_null_device(int fd)
{
    struct stat status, null;
    return fstat(fd, &status) == 0 && stat("/dev/null", &null) == 0 &&
           status.st_rdev == null.st_rdev;
}

/* With 0, 1 and 2 being pipes: a stray write to 1 goes to standard error, 0 gives nothing. */
static const char *use_stdio(void)
{
    g_auto(Fd) input = -1, output = -1;
    if (!line_channel_take_stdio(&input, &output, NULL) || input < 3 || output < 3)
        return "not moved";
    char line[8] = { 0 };
    if (read(input, line, sizeof line) != 3 || !is_null_device(STDIN_FILENO))
        return "input";
    if (write(STDOUT_FILENO, "stray", 5) != 5 || write(output, "right", 5) != 5)
        return "output";
    if (!(fcntl(input, F_GETFD) & FD_CLOEXEC) || !(fcntl(output, F_GETFD) & FD_CLOEXEC))
        return "children would inherit them";
    return "fine";
}

static void test_take_stdio(void **state G_GNUC_UNUSED)
{
    int pipes[3][2], saved[3];
    for (int i = 0; i < 3; i++)
        assert_true(fd_pipe(pipes[i], NULL));
    assert_int_equal(write(pipes[0][1], "hi\n", 3), 3);
    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 10);
        dup2(pipes[i][i == 0 ? 0 : 1], i);
    }
    const char *result = use_stdio();
    for (int i = 0; i < 3; i++) { // before anything is printed
        dup2(saved[i], i);
        fd_close(saved[i]);
    }
    assert_string_equal(result, "fine");
    char text[16] = { 0 };
    assert_int_equal(read(pipes[1][0], text, sizeof text), 5);
    assert_string_equal(text, "right");
    assert_int_equal(read(pipes[2][0], text, sizeof text), 5);
    assert_string_equal(text, "stray");
    for (int i = 0; i < 3; i++) {
        fd_close(pipes[i][0]);
        fd_close(pipes[i][1]);
    }
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN); // as main() does
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test_setup_teardown(test_endless_line, setup, teardown),
        cmocka_unit_test_setup_teardown(test_backpressure, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken_output, setup, teardown),
        cmocka_unit_test_setup_teardown(test_close_inside, setup, teardown),
        cmocka_unit_test_setup_teardown(test_finish_output, setup, teardown),
        cmocka_unit_test(test_take_stdio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
