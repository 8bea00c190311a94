/* Descriptors: automatic close, pipes that children do not inherit, whole reads and writes. */
#include "unit.h"

#include "base/fd.h"
#include "base/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static void test_pipe_and_auto_close(void **state G_GNUC_UNUSED)
{
    int fds[2];
    {
        assert_true(fd_pipe(fds, NULL));
        g_auto(Fd) closed = fds[0];
        g_auto(Fd) kept = fds[1];
        assert_int_equal(fcntl(closed, F_GETFD), FD_CLOEXEC);
        assert_int_equal(fcntl(kept, F_GETFD), FD_CLOEXEC);
        assert_int_equal(fd_steal(&kept), fds[1]);
        assert_int_equal(kept, -1);
    }
    assert_false(is_open(fds[0]));
    assert_true(is_open(fds[1]));
    fd_close(fds[1]);
    assert_false(is_open(fds[1]));
    fd_close(-1);
}

typedef struct Reader {
    int fd;
    size_t size;
    guint sum;
} Reader;

static void read_to_end(void *reader_)
{
    Reader *reader = reader_;
    unsigned char buffer[1000];
    ssize_t count;
    while ((count = read(reader->fd, buffer, sizeof(buffer))) > 0) {
        reader->size += (size_t)count;
        for (ssize_t i = 0; i < count; i++)
            reader->sum = reader->sum * 31 + buffer[i];
    }
}

/* Far more than a pipe holds, so that the writer meets partial writes or EAGAIN. */
static void test_write_all(void **state G_GNUC_UNUSED)
{
    const size_t size = 1000 * 1000 + 7;
    g_autofree unsigned char *data = g_malloc(size);
    guint sum = 0;
    for (size_t i = 0; i < size; i++) {
        data[i] = (unsigned char)(i * 7 + i / 251);
        sum = sum * 31 + data[i];
    }
    for (int is_nonblocking = 0; is_nonblocking < 2; is_nonblocking++) {
        int fds[2];
        assert_true(fd_pipe(fds, NULL));
        if (is_nonblocking)
            assert_true(fd_set_nonblocking(fds[1], NULL));
        Reader reader = { .fd = fds[0] };
        Worker *worker = worker_start("reader", read_to_end, &reader);
        assert_true(fd_write_all(fds[1], data, size, "pipe", NULL));
        fd_close(fds[1]);
        worker_join(worker);
        fd_close(fds[0]);
        assert_int_equal(reader.size, size);
        assert_int_equal(reader.sum, sum);
    }
}

static void test_read_all(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *want;
        size_t max;
    } cases[] = {
        { "to the end", "+0123456789", 100 },
        { "as much as is allowed", "+012", 3 },
        { "nothing", "+", 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        int fds[2];
        assert_true(fd_pipe(fds, NULL));
        g_auto(Fd) reader = fds[0];
        assert_true(fd_write_all(fds[1], "0123456789", 10, "pipe", NULL));
        fd_close(fds[1]);
        g_autoptr(GString) text = g_string_new("+");
        assert_true(fd_read_all(reader, cases[i].max, "pipe", text, NULL));
        if (strcmp(text->str, cases[i].want) != 0)
            fail_msg("%s: got '%s'", cases[i].name, text->str);
    }
    g_auto(Fd) directory = open("/", O_RDONLY | O_CLOEXEC);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    assert_false(fd_read_all(directory, 10, "/", text, &error));
    assert_string_equal(error->message, "cannot read /: Is a directory");
}

static void test_write_to_closed_pipe(void **state G_GNUC_UNUSED)
{
    signal(SIGPIPE, SIG_IGN); // as main() does
    int fds[2];
    assert_true(fd_pipe(fds, NULL));
    fd_close(fds[0]);
    g_autoptr(GError) error = NULL;
    assert_false(fd_write_all(fds[1], "x", 1, "the child", &error));
    assert_true(error_is(error, KEDGE_ERROR_IO));
    assert_string_equal(error->message, "cannot write to the child: Broken pipe");
    assert_true(fd_write_all(fds[1], NULL, 0, "the child", NULL));
    fd_close(fds[1]);
}

static void test_bad_descriptor(void **state G_GNUC_UNUSED)
{
    g_autoptr(GError) error = NULL;
    assert_false(fd_set_nonblocking(-1, &error));
    assert_true(error_is(error, KEDGE_ERROR_IO));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe_and_auto_close),
        cmocka_unit_test(test_write_all),
        cmocka_unit_test(test_read_all),
        cmocka_unit_test(test_write_to_closed_pipe),
        cmocka_unit_test(test_bad_descriptor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
