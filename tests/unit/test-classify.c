/*
 * The classifier of gh commands (gh-policy §2, §3): the visible cases of gh-policy §15, cases of
 * our own beside them, refused argument vectors, and what a Classified says beside its class. The
 * `api` command has a test of its own.
 */
#include "unit.h"

#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "github/classify/classify.h"

static const char *const known_hosts[] = { "github.com", "ghe.example.com", "acme.ghe.com", NULL };
static const ClassifyOptions options = { .known_hosts = known_hosts, .gh_version = "2.92.0" };

/* The strings of a JSON array, borrowed from it. */
static const char **argv_of(const json_t *array)
{
    GPtrArray *argv = g_ptr_array_new();
    size_t i;
    json_t *element;
    json_array_foreach (array, i, element)
        g_ptr_array_add(argv, (char *)json_string_value(element));
    g_ptr_array_add(argv, NULL);
    return (const char **)g_ptr_array_free(argv, FALSE);
}

static void classify_json(const char *text, Classified *ret_classified)
{
    g_autoptr(json_t) array = NULL;
    assert_true(json_parse_text(text, &array, NULL));
    g_autofree const char **argv = argv_of(array);
    assert_true(classify_argv(argv, &options, ret_classified, NULL));
}

/* One line: argv as JSON, class, name of the case. */
static void check_case(const char *line, const char *name)
{
    g_auto(GStrv) cells = g_strsplit(line, "\t", -1);
    assert_int_equal(g_strv_length(cells), 3);
    g_auto(Classified) got = { 0 };
    classify_json(cells[0], &got);
    if (strcmp(effect_name(got.effect), cells[1]) != 0)
        fail_msg("%s: %s (%s): got %s: %s", name, cells[0], cells[2], effect_name(got.effect),
                 got.reason);
    if (!got.reason || *got.reason == '\0' || *got.command == '\0')
        fail_msg("%s: %s has no reason or command", name, cells[0]);
}

static void check_file(const char *file, size_t min_count)
{
    g_autofree char *path = g_build_filename(TEST_DATA_DIR, "gh", file, NULL);
    g_autofree char *data = NULL;
    assert_true(file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(g_strchomp(data), "\n", -1);
    assert_true(g_strv_length(lines) >= min_count);
    for (size_t i = 0; lines[i]; i++) {
        g_autofree char *name = g_strdup_printf("gh-15-%zu", i + 1);
        check_case(lines[i], strcmp(file, "visible-cases.tsv") == 0 ? name : file);
    }
}

static void test_visible_cases(void **state G_GNUC_UNUSED)
{
    check_file("visible-cases.tsv", 80);
}

static void test_more_cases(void **state G_GNUC_UNUSED)
{
    check_file("classify-cases.tsv", 150);
}

static void check_refused(const char *const *argv, const char *part)
{
    g_autoptr(GError) error = NULL;
    Classified untouched = { .words_end = 77 };
    if (classify_argv(argv, &options, &untouched, &error))
        fail_msg("accepted: %s", part);
    assert_true(error_is(error, KEDGE_ERROR_USAGE));
    if (!strstr(error->message, part))
        fail_msg("'%s' instead of '%s'", error->message, part);
    assert_int_equal(untouched.words_end, 77);
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    check_refused((const char *const[]) { NULL }, "empty");
    check_refused((const char *const[]) { "pr", "\xff", NULL }, "args[1] is not valid UTF-8");
    check_refused((const char *const[]) { "\xed\xa0\x80", NULL }, "UTF-8");

    const char *many[COMMAND_MAX_ARGS + 2] = { "pr" };
    for (size_t i = 1; i <= COMMAND_MAX_ARGS; i++)
        many[i] = "x";
    check_refused(many, "200 elements");
    many[COMMAND_MAX_ARGS] = NULL;
    g_auto(Classified) most = { 0 };
    assert_true(classify_argv(many, &options, &most, NULL));

    g_autofree char *long_text = g_strnfill(CLASSIFY_MAX_ELEMENT_BYTES + 1, 'x');
    check_refused((const char *const[]) { "pr", long_text, NULL }, "too long");
    long_text[CLASSIFY_MAX_ELEMENT_BYTES] = '\0';
    check_refused((const char *const[]) { "pr", long_text, long_text, NULL }, "120000");
    g_auto(Classified) longest = { 0 };
    assert_true(classify_argv((const char *const[]) { "pr", "comment", "5", "-b", long_text, NULL },
                              &options, &longest, NULL));
    assert_int_equal(longest.effect, EFFECT_WRITE);
}

static void test_descriptions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *argv, *command, *reason, *path; // path NULL: no node
    } cases[] = {
        { "['pr','merge','5']", "pr merge", "merges a pull request", "pr merge" },
        { "['rs','ls']", "ruleset list", "lists rulesets", "ruleset list" },
        { "['frobnicate','x']", "frobnicate", "unknown command, alias or extension", NULL },
        { "['pr','frobnicate']", "pr frobnicate", "unknown command, alias or extension", "pr" },
        { "['a b']", "-", "unknown command, alias or extension", NULL },
        { "['gh']", "-", "prints help text", "" },
        { "['--version']", "-", "prints help text", "" },
        { "['pr','--','merge']", "pr", "words after -- are not subcommands", "pr" },
        { "['pr','view','5','--frob=secret']", "pr view", "unknown flag --frob", "pr view" },
        { "['pr','view','5','-Z']", "pr view", "unknown flag -Z", "pr view" },
        { "['pr','view','5','--a b']", "pr view", "unknown flag", "pr view" },
        { "['pr','view','5','-R']", "pr view", "missing value of --repo", "pr view" },
        { "['pr','view','5','-c=x']", "pr view", "invalid value of --comments", "pr view" },
        { "['pr','merge','-h']", "pr merge", "prints help", "pr merge" },
        { "['pr','list','-R','evil.example/o/r']", "pr list",
          "host \"evil.example\" is not a known host; add it to gh.knownHosts", "pr list" },
        { "['pr','list','-R','https://u:p@evil.example/o/r']", "pr list",
          "host \"evil.example\" is not a known host; add it to gh.knownHosts", "pr list" },
        { "['pr','view','x://u:p@h/o/r']", "pr view",
          "host \"h\" is not a known host; add it to gh.knownHosts", "pr view" },
        { "['pr','list','-R','u:p@evil.example/o/r']", "pr list",
          "host \"evil.example\" is not a known host; add it to gh.knownHosts", "pr list" },
        { "['repo','view','a/b/c/d']", "repo view", "invalid repository \"a/b/c/d\"", "repo view" },
        { "['discussion','list']", "discussion list",
          "newer than the installed gh; an alias or extension may own this name",
          "discussion list" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *json = g_strdelimit(g_strdup(cases[i].argv), "'", '"');
        g_auto(Classified) got = { 0 };
        classify_json(json, &got);
        const char *path = got.node != NULL ? command_path(got.node) : NULL;
        if (strcmp(got.command, cases[i].command) != 0 ||
            strcmp(got.reason, cases[i].reason) != 0 || g_strcmp0(path, cases[i].path) != 0)
            fail_msg("%s: command '%s', reason '%s', node '%s'", json, got.command, got.reason,
                     path);
    }
}

/* Where the words end, and which word may be an alias: indexes count the caller's elements. */
static void test_words(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *argv;
        bool stripped_gh;
        size_t words_end;
        int unknown_word; // -1: none
    } cases[] = {
        { "['pr','view','5']", false, 2, -1 },
        { "['gh','pr','view','5']", true, 3, -1 },
        { "['pr','--squash','view','merge','5']", false, 4, -1 },
        { "['gh']", true, 1, -1 },
        { "['-R','o/r']", false, 0, -1 },
        { "['gh','-R','o/r','deploy','now']", true, 1, 3 },
        { "['pr','--x','y','deploy']", false, 1, 3 },
        { "['pr','--','merge']", false, 1, -1 },
        { "['status','x']", false, 1, -1 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *json = g_strdelimit(g_strdup(cases[i].argv), "'", '"');
        g_auto(Classified) got = { 0 };
        classify_json(json, &got);
        int unknown_word = got.has_unknown_word ? (int)got.unknown_word : -1;
        if (got.stripped_gh != cases[i].stripped_gh || got.words_end != cases[i].words_end ||
            unknown_word != cases[i].unknown_word)
            fail_msg("%s: words end at %zu, unknown word %d", json, got.words_end, unknown_word);
    }
}

/* gh-14-7: an older gh knows less; without a number it counts as the newest. */
static void test_versions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *version, *path;
        Effect effect;
    } cases[] = {
        { "2.46.0", "pr list", EFFECT_READ },
        { "2.46.0", "licenses", EFFECT_UNKNOWN },
        { "2.87.0", "licenses", EFFECT_READ },
        { "2.86.9", "licenses", EFFECT_UNKNOWN },
        { "2.100.1", "skill list", EFFECT_READ },
        { "3.0.0", "skill list", EFFECT_READ },
        { "1.14.0", "licenses", EFFECT_UNKNOWN },
        { "DEV", "skill list", EFFECT_READ },
        { NULL, "skill list", EFFECT_READ },
        { "", "skill list", EFFECT_READ },
        { "2.92.0", "skill list", EFFECT_UNKNOWN },
        { "2.9", "licenses", EFFECT_UNKNOWN },
        { "2.86", "copilot", EFFECT_BLOCKED },
        { "2.85", "copilot", EFFECT_UNKNOWN },
        { "2.46.0", "attestation verify x", EFFECT_UNKNOWN },
        { "2.46.0", "attestation --help", EFFECT_UNKNOWN },
        { "2.46.0", "help attestation", EFFECT_UNKNOWN },
        { "2.46.0", "variable get X", EFFECT_UNKNOWN },
        { "2.47.0", "variable get X", EFFECT_READ },
        { "2.49.0", "attestation verify x", EFFECT_READ },
        { "2.49.0", "attestation --help", EFFECT_READ },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const ClassifyOptions with = { .known_hosts = known_hosts, .gh_version = cases[i].version };
        g_auto(GStrv) argv = g_strsplit(cases[i].path, " ", -1);
        g_auto(Classified) got = { 0 };
        assert_true(classify_argv((const char *const *)argv, &with, &got, NULL));
        if (got.effect != cases[i].effect)
            fail_msg("%s with %s: %s", cases[i].path, cases[i].version, effect_name(got.effect));
    }
}

static void test_github_is_always_known(void **state G_GNUC_UNUSED)
{
    const char *const argv[] = { "repo", "view", "github.com/o/r", NULL };
    g_auto(Classified) got = { 0 };
    assert_true(classify_argv(argv, NULL, &got, NULL));
    assert_int_equal(got.effect, EFFECT_READ);
}

static void test_order_of_classes(void **state G_GNUC_UNUSED)
{
    static const Effect order[] = { EFFECT_READ, EFFECT_WRITE, EFFECT_UNKNOWN, EFFECT_DESTRUCTIVE,
                                    EFFECT_BLOCKED };
    for (size_t i = 1; i < G_N_ELEMENTS(order); i++)
        assert_true(classify_rank(order[i - 1]) < classify_rank(order[i]));
}

/* What a parse offers: values by any name, positionals, and where each value stands. */
static void test_args(void **state G_GNUC_UNUSED)
{
    g_auto(Classified) got = { 0 };
    classify_json(
        "[\"gh\",\"pr\",\"-R\",\"a/b\",\"comment\",\"-Rc/d\",\"5\",\"--body=hi\",\"--\",\"-x\"]",
        &got);
    const CommandArgs *args = got.args;
    assert_string_equal(command_args_last(args, "repo"), "c/d");
    assert_string_equal(command_args_last(args, "--repo"), "c/d");
    assert_string_equal(command_args_last(args, "-R"), "c/d");
    assert_null(command_args_last(args, "web"));
    assert_false(command_args_has(args, "-w"));
    g_autofree const char **repos = command_args_values(args, "repo");
    assert_string_equal(repos[0], "a/b");
    assert_string_equal(repos[1], "c/d");
    assert_null(repos[2]);
    assert_int_equal(command_args_positional_count(args), 2);
    assert_string_equal(command_args_positional(args, 0), "5");
    assert_string_equal(command_args_positional(args, 1), "-x");
    assert_null(command_args_positional(args, 2));

    static const struct {
        ArgKind kind;
        size_t index, value_index, value_offset;
        bool is_text;
    } want[] = {
        { ARG_FLAG, 2, 3, 0, false },       { ARG_FLAG, 5, 5, 2, false },
        { ARG_POSITIONAL, 6, 6, 0, false }, { ARG_FLAG, 7, 7, 7, true },
        { ARG_SEPARATOR, 8, 8, 0, false },  { ARG_POSITIONAL, 9, 9, 0, false },
    };
    assert_int_equal(args->count, G_N_ELEMENTS(want));
    for (size_t i = 0; i < args->count; i++) {
        const CommandArg *item = &args->items[i];
        assert_int_equal(item->kind, want[i].kind);
        assert_int_equal(item->index, want[i].index);
        assert_int_equal(item->value_index, want[i].value_index);
        assert_int_equal(item->value_offset, want[i].value_offset);
        assert_int_equal(item->is_text, want[i].is_text);
        assert_string_equal(item->value, args->argv[item->value_index] + item->value_offset);
    }
}

/* The items that are secret or free text, as "index+offset" each (gh-policy §3.1 step 7, §8.2). */
static void test_private_values(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *argv, *secret, *text;
    } cases[] = {
        { "['secret','set','A','-b','s3']", "4+0 ", "4+0 " },
        { "['secret','set','A','-bs3']", "3+2 ", "3+2 " },
        { "['variable','set','A','-b','x']", "", "4+0 " },
        { "['frob','--token','x1']", "2+0 ", "" },
        { "['frob','--token=x1']", "1+8 ", "" },
        { "['pr','list','--password','x','y']", "3+0 ", "" },
        { "['run','list','-b','main']", "", "" },
        { "['pr','create','-t','T','-bp']", "", "3+0 4+2 " },
        { "['search','prs','a','b']", "", "2+0 3+0 " },
        { "['api','x','-f','a=b','-Fc=d']", "", "3+0 4+2 " },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *json = g_strdelimit(g_strdup(cases[i].argv), "'", '"');
        g_auto(Classified) got = { 0 };
        classify_json(json, &got);
        g_autoptr(GString) secret = g_string_new(NULL);
        g_autoptr(GString) text = g_string_new(NULL);
        for (size_t k = 0; k < got.args->count; k++) {
            const CommandArg *item = &got.args->items[k];
            if (item->value && item->is_secret)
                g_string_append_printf(secret, "%zu+%zu ", item->value_index, item->value_offset);
            if (item->value && item->is_text)
                g_string_append_printf(text, "%zu+%zu ", item->value_index, item->value_offset);
        }
        if (strcmp(secret->str, cases[i].secret) != 0 || strcmp(text->str, cases[i].text) != 0)
            fail_msg("%s: secret %s, text %s", json, secret->str, text->str);
    }
}

/* What gh does not look at is still there, as items of their own kind. */
static void test_unparsed(void **state G_GNUC_UNUSED)
{
    g_auto(Classified) help = { 0 };
    classify_json("[\"pr\",\"merge\",\"5\",\"-h\",\"--body\",\"x\"]", &help);
    assert_int_equal(help.args->count, 4);
    assert_int_equal(help.args->items[2].kind, ARG_UNPARSED);
    assert_string_equal(help.args->items[3].value, "x");

    g_auto(Classified) alias = { 0 };
    classify_json("[\"co\",\"-R\",\"o/r\"]", &alias);
    assert_int_equal(alias.args->count, 2);
    assert_int_equal(alias.args->items[0].kind, ARG_UNPARSED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_visible_cases),
        cmocka_unit_test(test_more_cases),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_github_is_always_known),
        cmocka_unit_test(test_order_of_classes),
        cmocka_unit_test(test_args),
        cmocka_unit_test(test_private_values),
        cmocka_unit_test(test_unparsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
