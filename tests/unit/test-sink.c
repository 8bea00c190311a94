/*
 * OutputSink (agent-tools §2.7).
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "tool/sink.h"

#include <sys/stat.h>

typedef struct Fixture {
    char *root;
    char *dir; // of the artifacts; made by the first one
    Artifacts *artifacts;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-sink-XXXXXX", NULL);
    self->dir = g_build_filename(self->root, "session", NULL);
    self->artifacts = artifacts_new(self->dir);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    artifacts_free(self->artifacts);
    assert_true(file_remove_tree(self->root, NULL));
    g_free(self->dir);
    g_free(self->root);
    g_free(self);
    return 0;
}

static void push(OutputSink *sink, const char *text)
{
    output_sink_push(sink, text, strlen(text));
}

static char *saved(const Fixture *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    char *text = NULL;
    assert_true(file_read(path, 1 << 20, &text, NULL, NULL));
    return text;
}

static void test_nul(void **state)
{
    Fixture *self = *state; // tools-T155
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "bash", 0);
    output_sink_push(sink, "a\0b\n\xc3", 5);
    output_sink_push(sink, "\xa9\0", 2);
    assert_string_equal(output_sink_text(sink), "ab\né");
}

static void test_over_the_threshold(void **state)
{
    Fixture *self = *state; // tools-T15
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "bash", 10);
    push(sink, "12345");
    push(sink, "67890");
    assert_false(file_exists(self->dir));
    push(sink, "é");
    assert_string_equal(output_sink_text(sink), "34567890é");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    assert_true(dump.is_truncated);
    assert_string_equal(dump.output, "34567890é");
    assert_int_equal(dump.output_bytes, 10);
    assert_int_equal(dump.total_bytes, 12);
    assert_int_equal(dump.total_lines, 1);
    assert_int_equal(dump.max_bytes, 10);
    assert_string_equal(dump.artifact_id, "0");
    g_autofree char *whole = saved(self, "0.bash.log");
    assert_string_equal(whole, "1234567890é");
    g_autofree char *path = g_build_filename(self->dir, "0.bash.log", NULL);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void test_within_the_threshold(void **state)
{
    Fixture *self = *state;
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "bash", 10);
    push(sink, "a\nb\n");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, "Command cancelled", &dump);
    assert_string_equal(dump.output, "[Command cancelled]\na\nb\n");
    assert_false(dump.is_truncated);
    assert_int_equal(dump.total_lines, 3);
    assert_int_equal(dump.output_lines, 3);
    assert_int_equal(dump.output_bytes, 4);
    assert_null(dump.artifact_id);
    assert_false(file_exists(self->dir));
}

static void test_nothing_pushed(void **state)
{
    Fixture *self = *state;
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "bash", 0);
    push(sink, "\r\x1b[0m");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    assert_string_equal(dump.output, "");
    assert_int_equal(dump.total_lines, 0);
    assert_int_equal(dump.output_lines, 0);
    assert_int_equal(dump.max_bytes, 51200);
}

static void test_cleaning(void **state)
{
    Fixture *self = *state;
    static const struct {
        const char *name, *chunks[4], *want;
    } cases[] = {
        { "tools-T16", { "\x1b[31", "mred\x1b[0m\r\n" }, "red\n" },
        { "a character over two chunks", { "\xc3", "\xa9!" }, "é!" },
        { "a lone byte becomes U+FFFD",
          { "a\xff", "b" },
          "a\xef\xbf\xbd"
          "b" },
        { "an unfinished character at the end", { "a\xe2\x82" }, "a\xef\xbf\xbd" },
        { "a title over chunks", { "x\x1b]0;ti", "tle\x07y" }, "xy" },
        { "controls go, tabs stay", { "a\x01\tb\x7f" }, "a\tb" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "bash", 100);
        for (const char *const *chunk = cases[i].chunks; *chunk; chunk++)
            push(sink, *chunk);
        g_auto(SinkDump) dump = { 0 };
        output_sink_dump(sink, NULL, &dump);
        if (strcmp(dump.output, cases[i].want) != 0)
            fail_msg("%s: got '%s'", cases[i].name, dump.output);
    }
}

static void test_one_huge_chunk(void **state)
{
    Fixture *self = *state;
    g_autofree char *big = g_strnfill(300000, 'x');
    memcpy(big, "head", 4);
    memcpy(big + 300000 - 4, "tail", 4);
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "t", 1000);
    push(sink, big);
    push(sink, "\nend");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    assert_int_equal(strlen(dump.output), 1000);
    assert_true(g_str_has_suffix(dump.output, "tail\nend"));
    assert_int_equal(dump.total_bytes, 300004);
    assert_int_equal(dump.total_lines, 2);
    g_autofree char *whole = saved(self, "0.t.log");
    assert_int_equal(strlen(whole), 300004);
    assert_true(str_has_prefix(whole, "head"));
}

static void test_without_artifacts(void **state G_GNUC_UNUSED)
{
    g_autoptr(OutputSink) sink = output_sink_new(NULL, "t", 4);
    for (int i = 0; i < 1000; i++)
        push(sink, "ab\n");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    assert_string_equal(dump.output, "\nab\n");
    assert_int_equal(dump.total_lines, 1001);
    assert_int_equal(dump.output_lines, 3);
    assert_null(dump.artifact_id);
}

static void test_file_failure_keeps_the_output(void **state)
{
    Fixture *self = *state;
    assert_true(
        file_write_atomic(self->dir, "", 0, 0600, NULL)); // a file where the directory should be
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "t", 4);
    push(sink, "123456789");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    assert_string_equal(dump.output, "6789");
    assert_true(dump.is_truncated);
    assert_null(dump.artifact_id);
}

static void test_an_id_taken_meanwhile_is_left_alone(void **state)
{
    Fixture *self = *state;
    g_autofree char *first = NULL;
    assert_true(artifacts_save(self->artifacts, "t", "mine", 4, &first, NULL));
    g_autofree char *path =
        g_build_filename(self->dir, "1.t.log", NULL); // another process took the next id
    assert_true(file_write_atomic(path, "other", 5, 0600, NULL));
    g_autoptr(OutputSink) sink = output_sink_new(self->artifacts, "t", 4);
    push(sink, "123456789");
    g_auto(SinkDump) dump = { 0 };
    output_sink_dump(sink, NULL, &dump);
    assert_string_equal(dump.artifact_id, "2");
    g_autofree char *other = saved(self, "1.t.log");
    assert_string_equal(other, "other");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nul, setup, teardown),
        cmocka_unit_test_setup_teardown(test_over_the_threshold, setup, teardown),
        cmocka_unit_test_setup_teardown(test_within_the_threshold, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_pushed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cleaning, setup, teardown),
        cmocka_unit_test_setup_teardown(test_one_huge_chunk, setup, teardown),
        cmocka_unit_test_setup_teardown(test_without_artifacts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_failure_keeps_the_output, setup, teardown),
        cmocka_unit_test_setup_teardown(test_an_id_taken_meanwhile_is_left_alone, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
