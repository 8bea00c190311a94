/*
 * The closer look at unknown commands: aliases of gh's configuration and extensions
 * (github/safe/gh_aliases.h, github/safe/gh_closer_look.h).
 */
#include "unit.h"

#include "gh_fixture.h"

#include "base/file.h"
#include "github/safe/gh_aliases.h"
#include "github/safe/gh_closer_look.h"

static void test_expand(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *expansion;
        const char *args[4];
        const char *want; // joined with |
    } cases[] = {
        { "gh-5.3-1 the rest is appended",
          "pr view",
          { "5", "--json", "title" },
          "pr|view|5|--json|title" },
        { "gh-5.3-2 arguments as text",
          "issue list --label $1",
          { "bug" },
          "issue|list|--label|bug" },
        { "gh-5.3-3 one argument, several words",
          "pr $1",
          { "merge 5 --squash" },
          "pr|merge|5|--squash" },
        { "gh-5.3-4 as often as it stands there", "api $1 $1", { "user" }, "api|user|user" },
        { "a second argument behind the last placeholder",
          "pr view $1",
          { "5", "--web" },
          "pr|view|5|--web" },
        { "out of order", "x $2 $1", { "a", "b" }, "x|b|a" },
        { "an argument that brings a placeholder", "x $1", { "$2", "b" }, "x|b" },
        { "single quotes", "issue list --search 'a b'", { NULL }, "issue|list|--search|a b" },
        { "double quotes with an escape", "x \"a \\\"b\\\" c\"", { NULL }, "x|a \"b\" c" },
        { "a backslash", "x a\\ b", { NULL }, "x|a b" },
        { "quotes inside a word", "x a'b c'd", { NULL }, "x|ab cd" },
        { "an empty word", "x ''", { NULL }, "x|" },
        { "a comment", "x y # z", { NULL }, "x|y" },
        { "no comment inside a word", "x y#z", { NULL }, "x|y#z" },
        { "lines", "x\n  y\t z\n", { NULL }, "x|y|z" },
        { "appended arguments are not split", "x", { "a b", "" }, "x|a b|" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) argv = NULL;
        g_autoptr(GError) error = NULL;
        if (!gh_alias_expand(cases[i].expansion, cases[i].args, &argv, &error))
            fail_msg("%s: %s", cases[i].name, error->message);
        g_autofree char *got = g_strjoinv("|", argv);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].name, got);
    }
}

static void test_expand_fails(void **state G_GNUC_UNUSED)
{
    g_autofree char *big = g_strnfill(60000, 'x');
    const struct {
        const char *name, *expansion;
        const char *args[3];
    } cases[] = {
        { "gh-5.3-5 a placeholder is left", "pr view $1 $2", { "5" } },
        { "an open quote", "x 'a", { NULL } },
        { "an open double quote", "x \"a\\", { NULL } },
        { "a backslash at the end", "x \\", { NULL } },
        { "too much text", "x $1 $1 $1", { big } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) argv = NULL;
        g_autoptr(GError) error = NULL;
        if (gh_alias_expand(cases[i].expansion, cases[i].args, &argv, &error))
            fail_msg("%s: accepted", cases[i].name);
        if (!error_is(error, KEDGE_ERROR_USAGE))
            fail_msg("%s: %s", cases[i].name, error->message);
    }
}

static const char config[] = "git_protocol: ssh\n"
                             "aliases:\n"
                             "  mine: pr list --author @me\n"
                             "  land: pr merge $1 --squash\n"
                             "  wipe: repo delete $1 --yes\n"
                             "  pr stack: pr list --label stack\n"
                             "  sh: '!rm -rf /'\n"
                             "  again: mine --state all\n"
                             "  deep: sh\n"
                             "  loop: loop\n"
                             "  discussion: issue list\n"
                             "  number: 5\n"
                             "  nothing: ''\n";

static GhFixture *fixture_new(void)
{
    GhFixture *fixture = gh_fixture_new();
    g_autofree char *path = g_build_filename(fixture->dir, "gh-config", "config.yml", NULL);
    g_autofree char *extension =
        g_build_filename(fixture->home, ".local", "share", "gh", "extensions", "gh-dash", NULL);
    g_unsetenv("XDG_DATA_HOME");
    assert_true(g_file_set_contents(path, config, -1, NULL));
    assert_true(file_make_dirs(extension, 0700, NULL));
    return fixture;
}

typedef struct LookCase {
    const char *name;
    const char *argv[6];
    Effect effect;
    const char *reason; // NULL: not looked at
    const char *want;   // the command line afterwards, joined with |
} LookCase;

static const LookCase looks[] = {
    { "gh-5.3-6 a plain alias",
      { "mine", "--limit", "5" },
      EFFECT_READ,
      "alias mine: lists pull requests",
      "pr|list|--author|@me|--limit|5" },
    { "gh-5.3-7 the class is that of the expansion",
      { "land", "5" },
      EFFECT_WRITE,
      NULL,
      "pr|merge|5|--squash" },
    { "text that becomes several words",
      { "land", "5 --delete-branch" },
      EFFECT_DESTRUCTIVE,
      NULL,
      "pr|merge|5|--delete-branch|--squash" },
    { "a delete", { "wipe", "o/r" }, EFFECT_DESTRUCTIVE, NULL, "repo|delete|o/r|--yes" },
    { "gh-5.3-8 two words", { "pr", "stack" }, EFFECT_READ, NULL, "pr|list|--label|stack" },
    { "gh-5.3-9 a shell alias", { "sh" }, EFFECT_BLOCKED, "shell alias", "sh" },
    { "gh-5.3-10 an alias of an alias",
      { "again" },
      EFFECT_READ,
      NULL,
      "pr|list|--author|@me|--state|all" },
    { "a shell alias behind an alias",
      { "deep" },
      EFFECT_BLOCKED,
      "alias deep: shell alias",
      "sh" },
    { "gh-5.3-11 no end", { "loop" }, EFFECT_BLOCKED, NULL, NULL },
    { "gh-5.3-12 an extension", { "dash", "x" }, EFFECT_BLOCKED, "extension", "dash|x" },
    { "gh-14-6 help of an extension",
      { "help", "dash" },
      EFFECT_BLOCKED,
      "extension",
      "help|dash" },
    { "help of a shell alias", { "help", "sh" }, EFFECT_BLOCKED, "shell alias", "help|sh" },
    { "help of an alias prints help", { "help", "mine" }, EFFECT_UNKNOWN, NULL, "help|mine" },
    { "gh-14-7 a name that is newer than the installed gh",
      { "discussion", "list" },
      EFFECT_READ,
      NULL,
      "issue|list|list" },
    { "nobody knows it", { "frobnicate" }, EFFECT_UNKNOWN, NULL, "frobnicate" },
    { "an alias below another command", { "issue", "stack" }, EFFECT_UNKNOWN, NULL, "issue|stack" },
    { "no alias of this type", { "number" }, EFFECT_UNKNOWN, NULL, "number" },
    { "flags in front go along",
      { "-R", "o/r", "mine" },
      EFFECT_READ,
      NULL,
      "pr|list|--author|@me|-R|o/r" },
    { "a leading gh", { "gh", "mine" }, EFFECT_READ, NULL, "pr|list|--author|@me" },
    { "gh twice is a command of that name",
      { "gh", "gh", "mine" },
      EFFECT_UNKNOWN,
      NULL,
      "gh|gh|mine" },
    { "a known command is left alone", { "co", "5" }, EFFECT_BLOCKED, NULL, "co|5" },
    { "a path is no extension", { "../../x" }, EFFECT_UNKNOWN, NULL, "../../x" },
};

static void check_look(const LookCase *one)
{
    const ClassifyOptions options = { .gh_version = "2.92.0" };
    g_auto(GStrv) argv = g_strdupv((char **)one->argv);
    g_auto(Classified) classified = { 0 };
    g_autoptr(GError) error = NULL;
    if (!classify_argv(one->argv, &options, &classified, &error) ||
        !gh_closer_look(&options, &argv, &classified, &error))
        fail_msg("%s: %s", one->name, error->message);
    g_autofree char *got = g_strjoinv("|", argv);
    if (classified.effect != one->effect)
        fail_msg("%s: %s: %s", one->name, effect_name(classified.effect), classified.reason);
    if (one->reason && strcmp(classified.reason, one->reason) != 0)
        fail_msg("%s: reason %s", one->name, classified.reason);
    if (one->want && strcmp(got, one->want) != 0)
        fail_msg("%s: got %s", one->name, got);
    // what is judged is what runs
    g_autofree char *judged = g_strjoinv("|", classified.args->argv);
    assert_string_equal(judged, got);
}

static void test_look(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture G_GNUC_UNUSED = fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(looks); i++)
        check_look(&looks[i]);
    g_auto(GStrv) extensions = gh_extensions_list();
    g_autofree char *names = g_strjoinv(" ", extensions);
    assert_string_equal(names, "dash");
}

/* gh-14-31: gh prefers an alias named `help`, and an extension named as what it does not have yet.
 */
static void test_own_help(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *alias, *words, *version, *want;
        Effect effect;
    } cases[] = {
        { "'!rm -rf x'", "help", "2.92.0", "help", EFFECT_BLOCKED },
        { "'!rm -rf x'", "help pr", "2.92.0", "help|pr", EFFECT_BLOCKED },
        { "'!rm -rf x'", "gh help pr", "2.92.0", "gh|help|pr", EFFECT_BLOCKED },
        { "'!rm -rf x'", "pr --help", "2.92.0", "pr|--help", EFFECT_READ },
        { "pr merge 5", "help --squash", "2.92.0", "pr|merge|5|--squash", EFFECT_WRITE },
        { "issue list", "help", "2.92.0", "issue|list", EFFECT_READ },
        { "help", "help", "2.92.0", NULL, EFFECT_BLOCKED },
        { "issue list", "attestation verify x", "2.46.0", "attestation|verify|x", EFFECT_BLOCKED },
        { "issue list", "attestation --help", "2.46.0", "attestation|--help", EFFECT_BLOCKED },
        { "issue list", "attestation verify x", "2.49.0", "attestation|verify|x", EFFECT_READ },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GhFixture) fixture = gh_fixture_new();
        g_autofree char *path = g_build_filename(fixture->dir, "gh-config", "config.yml", NULL);
        g_autofree char *text = g_strconcat("aliases:\n  help: ", cases[i].alias, "\n", NULL);
        g_autofree char *extension = g_build_filename(fixture->home, ".local", "share", "gh",
                                                      "extensions", "gh-attestation", NULL);
        g_unsetenv("XDG_DATA_HOME");
        assert_true(g_file_set_contents(path, text, -1, NULL));
        assert_true(file_make_dirs(extension, 0700, NULL));
        const ClassifyOptions options = { .gh_version = cases[i].version };
        g_auto(GStrv) argv = g_strsplit(cases[i].words, " ", -1);
        g_auto(Classified) classified = { 0 };
        assert_true(classify_argv((const char *const *)argv, &options, &classified, NULL));
        assert_true(gh_closer_look(&options, &argv, &classified, NULL));
        g_autofree char *got = g_strjoinv("|", argv);
        if (classified.effect != cases[i].effect ||
            (cases[i].want && strcmp(got, cases[i].want) != 0))
            fail_msg("%s with %s: %s: %s (%s)", cases[i].words, cases[i].alias, got,
                     effect_name(classified.effect), classified.reason);
    }
}

static void test_look_fails(void **state G_GNUC_UNUSED)
{
    static const char *const cases[][3] = { { "land" }, { "nothing" } };
    g_autoptr(GhFixture) fixture G_GNUC_UNUSED = fixture_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) argv = g_strdupv((char **)cases[i]);
        g_auto(Classified) classified = { 0 };
        g_autoptr(GError) error = NULL;
        assert_true(classify_argv(cases[i], NULL, &classified, NULL));
        assert_false(gh_closer_look(&(ClassifyOptions) { 0 }, &argv, &classified, &error));
        assert_true(error_is(error, KEDGE_ERROR_USAGE));
    }
}

static void test_without_configuration(void **state G_GNUC_UNUSED)
{
    g_autoptr(GhFixture) fixture = gh_fixture_new();
    g_autoptr(json_t) aliases = gh_aliases_load();
    assert_int_equal(json_object_size(aliases), 0);
    g_autofree char *path = g_build_filename(fixture->dir, "gh-config", "config.yml", NULL);
    assert_true(g_file_set_contents(path, "aliases: [", -1, NULL));
    g_autoptr(json_t) broken = gh_aliases_load();
    assert_int_equal(json_object_size(broken), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expand),   cmocka_unit_test(test_expand_fails),
        cmocka_unit_test(test_look),     cmocka_unit_test(test_look_fails),
        cmocka_unit_test(test_own_help), cmocka_unit_test(test_without_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
