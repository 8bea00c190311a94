/* Who started us with a key in their environment: a shell that stays is found, one that gave way
   with exec is not. The test starts itself for that. */
#include "base/str.h"
#include "unit.h"

#include "base/env.h"
#include "base/proc.h"
#include "base/secret_ancestor.h"
#include "base/secrets.h"

#include <stdio.h>
#include <string.h>

#define KEY "sk-ant-canary0000000000000000000000000001"

/* What the child finds. Caller frees. */
static char *found_by(const char *script, const char *variable)
{
    g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
    g_auto(GStrv) env = env_for_child(NULL);
    env = g_environ_setenv(env, variable, KEY, TRUE);
    const ProcSpec spec = {
        .argv = (const char *const[]) { "bash", "-c", script, "bash", self, NULL },
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_RUN,
        .timeout_ms = 60 * 1000,
        .max_output_bytes = 1000,
    };
    g_auto(ProcResult) result = { 0 };
    assert_true(proc_run(&spec, NULL, &result, NULL));
    assert_null(strstr(result.output, KEY));
    return g_steal_pointer(&result.output);
}

static void test_shells(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *script, *variable;
        bool is_found;
    } cases[] = {
        { "a shell that waits", "\"$1\" look; true", "ANTHROPIC_API_KEY", true },
        { "unset helps nothing", "unset ANTHROPIC_API_KEY; \"$1\" look; true", "ANTHROPIC_API_KEY",
          true },
        { "two above", "env -i bash -c '\"$1\" look; true' bash \"$1\"; true", "GH_TOKEN", true },
        { "exec", "exec \"$1\" look", "ANTHROPIC_API_KEY", false },
        { "no secret", "\"$1\" look; true", "ANTHROPIC_API_BASE", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *found = found_by(cases[i].script, cases[i].variable);
        g_autofree char *end = g_strdup_printf(") has %s", cases[i].variable);
        bool is_as_wanted = cases[i].is_found ? str_has_prefix(found, "bash (process ") &&
                                                    g_str_has_suffix(found, end)
                                              : !strstr(found, end);
        if (!is_as_wanted)
            fail_msg("%s: '%s'", cases[i].name, found);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "look") == 0) {
        secrets_take_environment();
        g_autofree char *found = secret_ancestor_find();
        fputs(found ? found : "", stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
