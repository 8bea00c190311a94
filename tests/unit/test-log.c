/*
 * Diagnostics: what each level shows, and that a line is one write.
 *
 * The level is read once in a process, so every case is a child: this program, started again.
 */
#include "unit.h"

#include "base/log.h"
#include "base/proc.h"
#include "base/worker.h"

#define MANY 200

static void log_many(void *word)
{
    for (int i = 0; i < MANY; i++)
        log_warning("%s %s", (const char *)word, (const char *)word);
}

/* What the child does. */
static int emit(const char *how)
{
    if (strcmp(how, "threads") == 0) {
        char left[] = "left", right[] = "right";
        Worker *workers[] = { worker_start("left", log_many, left),
                              worker_start("right", log_many, right) };
        worker_join(workers[0]);
        worker_join(workers[1]);
        return 0;
    }
    if (strcmp(how, "set-info") == 0)
        log_set_level(LOG_INFO);
    log_debug("d %d", 1);
    log_info("i %d", 2);
    if (strcmp(how, "set-warning-late") == 0)
        log_set_level(LOG_WARNING);
    log_info("i %d", 3);
    log_warning("w %s", "%d");
    if (strcmp(how, "hostile") == 0) { // common-S12
        log_error("%s", "a\x1b[2J\rb\xe2\x80\xae"
                        "c\xf3\xa0\x81\x81\td\r\n"
                        "e ghp_0123456789abcdefghij https://user:pass@host/");
        log_text("no %s", "prefix");
    }
    return 0;
}

static char *run_child(const char *how, const char *setting)
{
    // G_SLICE: GLib's own allocator has locks that ThreadSanitizer does not see
    const char *env[] = { "G_SLICE=always-malloc", setting, NULL };
    const ProcSpec spec = {
        .argv = (const char *const[]) { "/proc/self/exe", how, NULL },
        .env = env,
        .timeout_ms = 30 * 1000,
        .max_output_bytes = 100 * 1000,
        .has_own_stderr = true,
    };
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_int_equal(result.exit_status, 0);
    assert_string_equal(result.output, ""); // standard output is data only
    return g_steal_pointer(&result.error_output);
}

static void test_levels(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *how, *setting, *want;
    } cases[] = {
        { "plain", NULL, "Warning: w %d\n" },
        { "plain", "KEDGE_LOG=", "Warning: w %d\n" },
        { "plain", "KEDGE_LOG=nonsense", "Warning: w %d\n" },
        { "plain", "KEDGE_LOG=info", "info: i 2\ninfo: i 3\nWarning: w %d\n" },
        { "plain", "KEDGE_LOG=debug", "debug: d 1\ninfo: i 2\ninfo: i 3\nWarning: w %d\n" },
        { "hostile", NULL,
          "Warning: w %d\n"
          "Error: a\\x1b[2J\\x0db\\u202ec\\u{e0041}\td\n"
          "e [REDACTED] https://[REDACTED]@host/\n"
          "no prefix\n" },
        { "set-info", "KEDGE_LOG=debug", "info: i 2\ninfo: i 3\nWarning: w %d\n" },
        { "set-info", NULL, "info: i 2\ninfo: i 3\nWarning: w %d\n" },
        { "set-warning-late", "KEDGE_LOG=debug", "debug: d 1\ninfo: i 2\nWarning: w %d\n" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = run_child(cases[i].how, cases[i].setting);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s %s: got '%s'", cases[i].how, cases[i].setting, got);
    }
}

static void test_lines_stay_whole(void **state G_GNUC_UNUSED)
{
    g_autofree char *text = run_child("threads", NULL);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    assert_int_equal(g_strv_length(lines), 2 * MANY + 1);
    for (size_t i = 0; i < 2 * MANY; i++)
        assert_true(strcmp(lines[i], "Warning: left left") == 0 ||
                    strcmp(lines[i], "Warning: right right") == 0);
}

static char *written; // by a writer: the last line

static void take_line(const char *line)
{
    g_free(written);
    written = g_strdup(line);
}

static void test_writer(void **state G_GNUC_UNUSED)
{
    log_set_writer(take_line);
    log_warning("one %d \x1b[2J", 1);
    assert_string_equal(written, "Warning: one 1 \\x1b[2J");
    log_text("two");
    assert_string_equal(written, "two");
    log_set_writer(NULL);
    g_free(written);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return emit(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_lines_stay_whole),
        cmocka_unit_test(test_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
