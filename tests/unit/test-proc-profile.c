/* Profiles of children: what limits they have, and that they end when their life descriptor closes,
   as it does however kedge ends. */
#include "base/str.h"
#include "proc_fixture.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/proc.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>

#define SHELL(script) ((const char *const[]) { "bash", "-c", (script), NULL })

static void read_until(int fd, const char *end, GString *text)
{
    char byte;
    while (!g_str_has_suffix(text->str, end) && read(fd, &byte, 1) == 1)
        g_string_append_c(text, byte);
}

/* "core data file", as bash prints them, of a child of this profile. It asks after it has its
   limits: it waits for a line. Caller frees. */
static char *limits_of(ProcProfile profile)
{
    const ProcChildSpec spec = {
        .argv = SHELL("read -r go; echo $(ulimit -c) $(ulimit -d) $(ulimit -f)"),
        .profile = profile,
        .has_input = true,
    };
    ProcChild child;
    g_autoptr(GString) text = g_string_new(NULL);
    assert_true(proc_start(&spec, &child, NULL));
    assert_int_equal(write(child.input_fd, "\n", 1), 1);
    read_until(child.output_fd, "never", text); // its end
    assert_int_equal(proc_child_end(&child, 2000), 0);
    return g_strchomp(g_string_free(g_steal_pointer(&text), FALSE));
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autofree char *free_limits = limits_of(PROC_PROFILE_FREE);
    g_autofree char *run = limits_of(PROC_PROFILE_RUN);
    g_autofree char *changer = limits_of(PROC_PROFILE_CHANGER);
    g_autofree char *tool = limits_of(PROC_PROFILE_TOOL);
    g_autofree char *reader = limits_of(PROC_PROFILE_READER);
    assert_string_equal(run, free_limits);
    assert_true(str_has_prefix(changer, "0 "));
    assert_string_equal(strchr(changer, ' '), strchr(free_limits, ' '));

    int64_t core, data, file, tool_data;
    assert_int_equal(sscanf(tool, "%" SCNd64 " %" SCNd64 " ", &core, &tool_data), 2);
    assert_int_equal(core, 0);
    assert_true(tool_data >= 1024 * 1024 && (guint64)tool_data <= LIMIT_TOOL_MEMORY_BYTES / KIB);
    assert_int_equal(sscanf(reader, "%" SCNd64 " %" SCNd64 " %" SCNd64, &core, &data, &file), 3);
    assert_int_equal(core, 0);
    assert_true(data >= 1024 * 1024 && (guint64)data <= LIMIT_READER_MEMORY_BYTES / KIB);
    assert_true(data <= tool_data);
    assert_int_equal(file, LIMIT_READER_FILE_BYTES / KIB);
}

/* What a person has allowed less than that stays. */
static void test_lower_limits_stay(void **state G_GNUC_UNUSED)
{
    struct rlimit before, lower;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    lower = (struct rlimit) { .rlim_cur = MIB, .rlim_max = before.rlim_max };
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &lower), 0);
    g_autofree char *reader = limits_of(PROC_PROFILE_READER);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_true(g_str_has_suffix(reader, " 1024"));
}

/* As when we are killed: the descriptor closes, and the whole group ends, unless it is a child that
   has a guard of its own. One that is asked (SIGTERM) may tidy up. */
static void test_ends_with_us(void **state G_GNUC_UNUSED)
{
    static const struct {
        ProcProfile profile;
        const char *script;
        int exit_status;
    } cases[] = {
        { PROC_PROFILE_RUN, "trap '' TERM HUP INT IO; sleep 300 & echo $!; while :; do :; done",
          128 + SIGKILL },
        { PROC_PROFILE_READER, "trap '' TERM HUP INT IO; sleep 300 & echo $!; while :; do :; done",
          128 + SIGKILL },
        { PROC_PROFILE_TOOL, "sleep 300 & trap 'exit 7' TERM; echo $!; while :; do :; done", 7 },
        { PROC_PROFILE_CHANGER, "sleep 300 & trap 'exit 7' TERM; echo $!; while :; do :; done", 7 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ProcChildSpec spec = {
            .argv = SHELL(cases[i].script),
            .profile = cases[i].profile,
            .has_extra = i % 2 == 0,
        };
        ProcChild child;
        assert_true(proc_start(&spec, &child, NULL));
        g_autoptr(GString) output = g_string_new(NULL);
        read_until(child.output_fd, "\n", output);
        fd_close(fd_steal(&child.life_fd));
        assert_true(is_dead((pid_t)g_ascii_strtoll(output->str, NULL, 10)));
        assert_true(is_dead(child.pid));
        int exit_status = proc_child_end(&child, 2000);
        if (exit_status != cases[i].exit_status)
            fail_msg("%zu: exit status %d", i, exit_status);
    }
}

/* The one descriptor more, in children that end with us only. */
static void test_descriptors(void **state G_GNUC_UNUSED)
{
    static const struct {
        ProcProfile profile;
        const char *want;
        ProcTerminal terminal;
    } cases[] = {
        { PROC_PROFILE_FREE, "0 1 2", { 0 } },
        { PROC_PROFILE_RUN, "0 1 2 20", { 0 } },
        { PROC_PROFILE_READER, "0 1 2 20", { 80, 25 } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ProcSpec spec = {
            .argv = SHELL("for fd in 0 1 2 3 4 5 6 7 8 9 20 24; do\n"
                          "  [ ! -e /proc/$$/fd/$fd ] || printf ' %s' $fd\n"
                          "done"),
            .profile = cases[i].profile,
            .terminal = cases[i].terminal,
            .timeout_ms = 60 * 1000,
            .max_output_bytes = 100,
        };
        g_auto(ProcResult) result = { 0 };
        assert_true(proc_run(&spec, NULL, &result, NULL));
        assert_string_equal(g_strstrip(result.output), cases[i].want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_lower_limits_stay),
        cmocka_unit_test(test_ends_with_us),
        cmocka_unit_test(test_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
