/*
 * Which commands of git's configuration may run in a tree that a stranger wrote (git_command.h),
 * and what is done about the others (git_programs.h).
 */
#include "unit.h"

#include "base/error.h"
#include "base/git_command.h"
#include "base/git_programs.h"

typedef struct Case {
    const char *command;
    bool is_anchored;
} Case;

static void test_commands(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "git-lfs smudge -- %f", true },
        { "git-lfs filter-process", true },
        { "git lfs clean -- %f", true },
        { "/usr/bin/git-lfs clean -- %f", true },
        { "\"/usr/local/bin/git-crypt\" smudge", true },
        { "nbstripout", true },
        { "~/bin/strip.sh", true },
        { "$HOME/bin/strip.sh --all", true },
        { "sh /opt/tools/strip.sh", true },
        { "LANG=C /opt/tools/strip", true },
        { "ssh -i ~/.ssh/deploy -o IdentitiesOnly=yes", true },
        { "ssh -F /dev/null -p 2222", true },
        { "./tools/strip.sh", false },
        { "tools/strip.sh", false },
        { "\"./tools/strip.sh\"", false },
        { "'./tools'/strip.sh", false },
        { ".\\/strip.sh", false },
        { "../strip.sh", false },
        { "/opt/../srv/tree/strip.sh", false },
        { "cat; ./strip.sh", false },
        { "cat|tools/strip.sh", false },
        { "cat $(./strip.sh)", false },
        { "cat `tools/x`", false },
        { "cat <tools/x", false },
        { "cat --with=tools/x", false },
        { "X=./x cat", false },
        { "sh strip.sh", false },
        { "sh", false },
        { "bash -c strip", false },
        { "/usr/bin/python3 strip.py", false },
        { "python3.11 -m strip", false },
        { "Rscript strip.R", false },
        { "gawk -fstrip.awk", false },
        { "unheard-of strip.rules", false },
        { "jq --indent 1 '.cells[].outputs=0'", true },
        { "nbstripout --extra-keys metadata.kernelspec", true },
        { "npx strip", false },
        { "env strip", false },
        { "make -s", false },
        { ". strip", false },
        { "git strip", false },
        { "git -c alias.x=!y x", false },
        { "ssh -F config", false },
        { "$TOOLS/strip.sh", false },
        { "/srv/tree/tools/strip.sh", false }, // the tree itself
        { "/srv/tree", false },
        { "/srv/trees/strip.sh", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (git_command_is_anchored(cases[i].command, "/srv/tree") != cases[i].is_anchored)
            fail_msg("%s: want %d", cases[i].command, cases[i].is_anchored);
    assert_true(git_command_is_anchored("/srv/tree/tools/strip.sh", NULL));
}

static void test_helpers(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "", true },
        { "store", true },
        { "cache --timeout=3600", true },
        { "libsecret", true },
        { "/usr/lib/git-core/git-credential-libsecret", true },
        { "!gh auth git-credential", true },
        { "!/usr/bin/gh auth git-credential", true },
        { "!f() { echo username=x-access-token; echo \"password=$GH_TOKEN\"; }; f", true },
        { "!f() { echo \"password=${GH_TOKEN}\"; }; f", true },
        { "!./helper", false },
        { "!tools/helper", false },
        { "!sh helper", false },
        { "!f() { cat ./secret; }; f", false },
        { "../helper", false },
        { "x/../../helper", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        if (git_helper_is_anchored(cases[i].command, NULL) != cases[i].is_anchored)
            fail_msg("%s: want %d", cases[i].command, cases[i].is_anchored);
}

/* The entries of the environment, "KEY=VALUE KEY=VALUE". Caller frees. */
static char *entries_of(char **env)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (int i = 0;; i++) {
        g_autofree char *key_name = g_strdup_printf("GIT_CONFIG_KEY_%d", i);
        g_autofree char *value_name = g_strdup_printf("GIT_CONFIG_VALUE_%d", i);
        const char *key = g_environ_getenv(env, key_name);
        if (!key)
            break;
        g_string_append_printf(text, "%s%s=%s", i > 0 ? " " : "", key,
                               g_environ_getenv(env, value_name));
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}

typedef struct Closing {
    const char *name;
    const char *answer; // "|" stands for NUL
    const char *entries, *left_off;
} Closing;

static void test_closing(void **state G_GNUC_UNUSED)
{
    static const Closing cases[] = {
        { "what is anchored stays", "filter.lfs.smudge\ngit-lfs smudge -- %f|core.sshcommand\nssh|",
          "", "" },
        { "a filter", "filter.a=b.smudge\n./x|filter.lfs.clean\ngit-lfs clean -- %f|",
          "filter.a=b.smudge= filter.a=b.required=false", "filter.a=b.smudge (./x)" },
        { "a merge driver conflicts", "merge.m.driver\n./x %A|", "merge.m.driver=false",
          "merge.m.driver (./x %A)" },
        { "helpers keep their order",
          "credential.helper\nstore|credential.helper\n!./x|credential.https://h.helper\n!gh auth "
          "git-credential|",
          "credential.helper= credential.helper=store credential.https://h.helper=!gh auth "
          "git-credential",
          "credential.helper (!./x)" },
        { "git-lfs goes with what it would start",
          "filter.lfs.smudge\ngit-lfs smudge|lfs.customtransfer.t.path\n./x|",
          "filter.lfs.smudge= filter.lfs.required=false",
          "lfs.customtransfer.t.path (./x) filter.lfs.smudge (git-lfs smudge)" },
        { "the rest", "core.sshcommand\n./x|core.askpass\n./x|core.alternaterefscommand\n./x|",
          "core.sshcommand=ssh core.askpass= core.alternaterefscommand=true",
          "core.sshcommand (./x) core.askpass (./x) core.alternaterefscommand (./x)" },
        { "a key without a value", "filter.x.smudge|", "", "" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *answer = g_strdelimit(g_strdup(cases[i].answer), "|", '\0');
        g_auto(GStrv) env = g_new0(char *, 1);
        g_autoptr(GPtrArray) left_off = g_ptr_array_new_with_free_func(g_free);
        assert_true(git_programs_close_foreign(answer, strlen(cases[i].answer), NULL, false, &env,
                                               left_off, NULL));
        g_ptr_array_add(left_off, NULL);
        g_autofree char *said = g_strjoinv(" ", (char **)left_off->pdata);
        g_autofree char *entries = entries_of(env);
        if (strcmp(entries, cases[i].entries) != 0 || strcmp(said, cases[i].left_off) != 0)
            fail_msg("%s: %s; %s", cases[i].name, entries, said);
    }
}

/* git reads GIT_CONFIG_PARAMETERS, which `git -c` sets for its children, after the counted ones. */
static void test_handed_on_by_git(void **state G_GNUC_UNUSED)
{
    static const char *const given[] = { "GIT_CONFIG_PARAMETERS='a.b'='c'", NULL };
    g_auto(GStrv) env = git_env_add(g_strdupv((char **)given), "filter.x=y.smudge", "it's");
    g_autofree char *entries = entries_of(env);
    assert_string_equal(entries, "filter.x=y.smudge=it's");
    assert_string_equal(g_environ_getenv(env, "GIT_CONFIG_PARAMETERS"),
                        "'a.b'='c' 'filter.x=y.smudge'='it'\\''s'");
}

static void test_what_cannot_be_closed(void **state G_GNUC_UNUSED)
{
    static const char answer[] = "remote.origin.uploadpack\n./x";
    g_auto(GStrv) env = g_new0(char *, 1);
    g_autoptr(GError) error = NULL;
    assert_true(git_programs_close_foreign(answer, sizeof(answer), NULL, false, &env, NULL, NULL));
    assert_false(
        git_programs_close_foreign(answer, sizeof(answer), NULL, true, &env, NULL, &error));
    assert_true(error_is(error, KEDGE_ERROR_DENIED));
    assert_non_null(strstr(error->message, "remote.origin.uploadpack = ./x"));
}

static void test_variables(void **state G_GNUC_UNUSED)
{
    static const char *const given[] = { "PATH=.:/usr/bin::x:/bin:",
                                         "GIT_SSH_COMMAND=./ssh",
                                         "GIT_ASKPASS=/usr/bin/askpass",
                                         "GIT_CONFIG_GLOBAL=conf",
                                         "GIT_CONFIG_SYSTEM=/etc/gitconfig",
                                         "GIT_EXEC_PATH=x",
                                         "LD_LIBRARY_PATH=/opt/x:",
                                         "PYTHONPATH=src",
                                         "LD_PRELOAD=./x.so /usr/lib/y.so",
                                         "LD_AUDIT=z.so",
                                         "BASH_ENV=./env.sh",
                                         NULL };
    g_auto(GStrv) env = git_programs_close_variables(g_strdupv((char **)given), NULL);
    assert_string_equal(g_environ_getenv(env, "PATH"), "/usr/bin:/bin");
    assert_string_equal(g_environ_getenv(env, "LD_LIBRARY_PATH"), "/opt/x");
    assert_string_equal(g_environ_getenv(env, "LD_PRELOAD"), "/usr/lib/y.so");
    assert_string_equal(g_environ_getenv(env, "LD_AUDIT"), "z.so"); // of the system
    assert_null(g_environ_getenv(env, "PYTHONPATH"));
    assert_null(g_environ_getenv(env, "BASH_ENV"));
    assert_null(g_environ_getenv(env, "GIT_SSH_COMMAND"));
    assert_null(g_environ_getenv(env, "GIT_CONFIG_GLOBAL"));
    assert_null(g_environ_getenv(env, "GIT_EXEC_PATH"));
    assert_non_null(g_environ_getenv(env, "GIT_ASKPASS"));
    assert_non_null(g_environ_getenv(env, "GIT_CONFIG_SYSTEM"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands),  cmocka_unit_test(test_helpers),
        cmocka_unit_test(test_closing),   cmocka_unit_test(test_what_cannot_be_closed),
        cmocka_unit_test(test_variables), cmocka_unit_test(test_handed_on_by_git),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
