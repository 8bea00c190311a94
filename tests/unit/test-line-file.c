/*
 * session/line_file.c: lines of a file with their places, whatever their length, and read again.
 */
#include "unit.h"

#include "base/fd.h"
#include "session/line_file.h"

#include <errno.h>

#define MAX_BYTES (600 * 1000)

static int file_of(const char *text, size_t size)
{
    g_autofree char *name = NULL;
    int fd = g_file_open_tmp("kedge-lines-XXXXXX", &name, NULL);
    assert_int_equal(remove(name), 0);
    assert_true(fd_write_all(fd, text, size, "test", NULL));
    return fd;
}

/* Lines of these lengths; the last one without its LF. What is longer than MAX_BYTES has no text.
 */
static void test_lengths(void **state)
{
    static const size_t lengths[] = {
        3, 0, 262140, 5, 0, 262144, MAX_BYTES, MAX_BYTES + 1, 10, 3 * MAX_BYTES, 262143, 1, 0, 7
    };
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        g_string_append(text, i > 0 ? "\n" : "");
        for (size_t j = 0; j < lengths[i]; j++)
            g_string_append_c(text, (char)('a' + (i + j) % 26));
    }
    g_autoptr(LineFile) file = line_file_new(file_of(text->str, text->len));
    g_auto(LineReader) line = { .fd = line_file_fd(file), .max_bytes = MAX_BYTES };
    off_t at = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        assert_true(line_reader_next(&line));
        assert_int_equal(line.at, at);
        assert_int_equal(line.size, lengths[i]);
        assert_int_equal(line.has_end, i + 1 < G_N_ELEMENTS(lengths));
        assert_int_equal(line.line == NULL, lengths[i] > MAX_BYTES);
        if (line.line)
            assert_memory_equal(line.line, text->str + at, line.size);
        const LinePlace place = { file, line.at, line.size };
        g_autofree char *again = line_place_read(&place);
        assert_memory_equal(again, text->str + at, line.size);
        at += (off_t)lengths[i] + 1;
    }
    assert_false(line_reader_next(&line));
    assert_false(line_reader_next(&line));
    assert_int_equal(line.problem, 0);
    const LinePlace beyond = { file, (off_t)text->len - 2, 3 };
    assert_null(line_place_read(&beyond));
}

static void test_ends(void **state)
{
    static const struct {
        const char *text;
        off_t at;
        size_t lines;
    } cases[] = {
        { "", 0, 0 },      { "\n", 0, 1 },       { "a", 0, 1 },      { "a\n", 0, 1 },
        { "\n\na", 0, 3 }, { "ab\ncd\n", 3, 1 }, { "ab\ncd", 5, 0 }, { "ab\n", 9, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Fd) fd = file_of(cases[i].text, strlen(cases[i].text));
        g_auto(LineReader) line = { .fd = fd, .at = cases[i].at, .max_bytes = 100 };
        size_t lines = 0;
        while (line_reader_next(&line))
            lines++;
        assert_int_equal(lines, cases[i].lines);
    }
    g_auto(LineReader) none = { .fd = -1, .max_bytes = 100 };
    assert_false(line_reader_next(&none));
    assert_int_equal(none.problem, EBADF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
