/* The directories of common §3 and what moves them. */
#include "unit.h"

#include "base/dirs.h"

#include <pwd.h>
#include <unistd.h>

static const char *const variables[] = {
    "HOME",         "KEDGE_CONFIG_DIR", "PI_CONFIG_DIR",    "KEDGE_AGENT_DIR",
    "PI_AGENT_DIR", "TMPDIR",           "OMP_WORKTREE_DIR", "KEDGE_WORKTREE_DIR"
};

static int clear_environment(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
        g_unsetenv(variables[i]);
    g_setenv("HOME", "/home/unit", TRUE);
    return 0;
}

static char *temp(void)
{
    return g_strdup(dirs_temp());
}

static void test_overrides(void **state)
{
    static const struct {
        char *(*get)(void);
        const char *variable, *value, *want;
    } cases[] = {
        { dirs_home, NULL, NULL, "/home/unit" },
        { dirs_config_root, NULL, NULL, "/home/unit/.kedge" },
        { dirs_config_root, "KEDGE_CONFIG_DIR", ".other", "/home/unit/.other" },
        { dirs_config_root, "PI_CONFIG_DIR", ".older", "/home/unit/.older" },
        { dirs_config_root, "KEDGE_CONFIG_DIR", "", "/home/unit/.kedge" },
        { dirs_agent, NULL, NULL, "/home/unit/.kedge/agent" },
        { dirs_agent, "KEDGE_CONFIG_DIR", ".other", "/home/unit/.other/agent" },
        { dirs_agent, "KEDGE_AGENT_DIR", "/srv/agent/", "/srv/agent" },
        { dirs_agent, "KEDGE_AGENT_DIR", "~/mine", "/home/unit/mine" },
        { dirs_agent, "PI_AGENT_DIR", "/srv/older", "/srv/older" },
        { dirs_cache, NULL, NULL, "/home/unit/.kedge/cache" },
        { dirs_cache, "KEDGE_AGENT_DIR", "/srv/agent", "/home/unit/.kedge/cache" },
        { dirs_worktrees, NULL, NULL, "/home/unit/.kedge/wt" },
        { dirs_worktrees, "KEDGE_WORKTREE_DIR", "/srv/wt/../trees", "/srv/trees" },
        { dirs_worktrees, "KEDGE_WORKTREE_DIR", "~/trees", "/home/unit/trees" },
        { dirs_worktrees, "KEDGE_WORKTREE_DIR", "relative", "/home/unit/.kedge/wt" },
        { dirs_worktrees, "OMP_WORKTREE_DIR", "/srv/omp", "/srv/omp" },
        { temp, NULL, NULL, "/tmp" },
        { temp, "TMPDIR", "/var/tmp", "/var/tmp" },
        { temp, "TMPDIR", "relative", "/tmp" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        clear_environment(state);
        if (cases[i].variable)
            g_setenv(cases[i].variable, cases[i].value, TRUE);
        g_autofree char *got = cases[i].get();
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s=%s: got %s, want %s", cases[i].variable, cases[i].value, got,
                     cases[i].want);
    }
}

static void test_worktree_precedence(void **state)
{
    clear_environment(state);
    g_setenv("KEDGE_WORKTREE_DIR", "/srv/kedge", TRUE);
    g_setenv("OMP_WORKTREE_DIR", "/srv/omp", TRUE);
    g_autofree char *got = dirs_worktrees();
    assert_string_equal(got, "/srv/kedge");
}

static void test_home_without_variable(void **state)
{
    clear_environment(state);
    const struct passwd *entry = getpwuid(getuid());
    const char *want = entry != NULL ? entry->pw_dir : "/";
    static const char *const values[] = { NULL, "", "relative" };
    for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
        g_unsetenv("HOME");
        if (values[i])
            g_setenv("HOME", values[i], TRUE);
        g_autofree char *got = dirs_home();
        assert_string_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_worktree_precedence),
        cmocka_unit_test(test_home_without_variable),
    };
    return cmocka_run_group_tests(tests, clear_environment, NULL);
}
