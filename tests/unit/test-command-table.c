/*
 * The table of gh's commands against the file it is made from, which is read here once more in
 * another way: every row by its path and each alias, every rule both ways, and the property that a
 * value flag before a command word changes nothing.
 */
#include "base/str.h"
#include "unit.h"

#include "base/file.h"
#include "base/limits.h"
#include "github/classify/classify.h"

enum {
    PATH,
    CLASS,
    REASON,
    VALUE_FLAGS,
    RULES,
    BOOL_FLAGS,
    KIND,
    ALIASES,
    SINCE,
    REFS,
    NOTES,
    COLUMNS
};

typedef void (*RowCheck)(char **row);

static void each_row(RowCheck check)
{
    g_autofree char *path =
        g_build_filename(TEST_DATA_DIR, "../../src/github/classify/gh-commands.tsv", NULL);
    g_autofree char *data = NULL;
    assert_true(file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, NULL, NULL));
    g_auto(GStrv) lines = g_strsplit(g_strchomp(data), "\n", -1);
    assert_int_equal(g_strv_length(lines) - 1, 251);
    for (size_t i = 1; lines[i]; i++) {
        g_auto(GStrv) row = g_strsplit(lines[i], "\t", -1);
        assert_int_equal(g_strv_length(row), COLUMNS);
        check(row);
    }
}

static bool is_root(char **row)
{
    return strcmp(row[PATH], "(root)") == 0;
}

static GPtrArray *argv_new(const char *path)
{
    GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
    g_auto(GStrv) words = g_strsplit(path, " ", -1);
    for (char **word = words; *word; word++)
        g_ptr_array_add(argv, g_strdup(*word));
    return argv;
}

static void add(GPtrArray *argv, const char *text)
{
    g_ptr_array_add(argv, g_strdup(text));
}

/* So that no rule about what is missing applies. */
static void add_required(GPtrArray *argv, char **row)
{
    if (strstr(row[RULES], "no:-b|--body")) {
        add(argv, "--body");
        add(argv, "x");
    }
    if (strstr(row[RULES], "args==0") || strcmp(row[NOTES], "api") == 0)
        add(argv, "o/r");
}

static void expect(GPtrArray *argv, const char *effect, const char *what)
{
    g_ptr_array_add(argv, NULL);
    g_auto(Classified) got = { 0 };
    assert_true(classify_argv((const char *const *)argv->pdata, NULL, &got, NULL));
    g_ptr_array_set_size(argv, (int)argv->len - 1);
    if (strcmp(effect_name(got.effect), effect) != 0)
        fail_msg("%s %s: got %s: %s", got.command, what, effect_name(got.effect), got.reason);
}

static void check_path(char **row)
{
    if (is_root(row))
        return;
    g_autoptr(GPtrArray) argv = argv_new(row[PATH]);
    add_required(argv, row);
    expect(argv, row[CLASS], "by its path");

    g_auto(GStrv) aliases = g_strsplit(row[ALIASES], ",", -1);
    for (char **alias = aliases; *alias; alias++) {
        g_autoptr(GPtrArray) again = argv_new(row[PATH]);
        g_auto(GStrv) words = g_strsplit(row[PATH], " ", -1);
        guint last = g_strv_length(words) - 1;
        g_free(again->pdata[last]);
        again->pdata[last] = g_strdup(*alias);
        add_required(again, row);
        expect(again, row[CLASS], *alias);
    }
}

static void test_every_row(void **state G_GNUC_UNUSED)
{
    each_row(check_path);
}

static size_t check_flags(const CommandNode *node, const char *cell, CommandFlagKind kind)
{
    g_auto(GStrv) flags = g_strsplit(cell, ",", -1);
    for (char **text = flags; *text; text++) {
        const char *name = strstr(*text, "--") + 2;
        const CommandFlag *flag = command_flag_by_name(node, name, strcspn(name, "?"));
        char letter = (*text)[1] != '-' ? (*text)[1] : '\0';
        CommandFlagKind want = g_str_has_suffix(*text, "?") ? COMMAND_FLAG_OPTIONAL : kind;
        if (!flag || flag->letter != letter || flag->kind != want ||
            (letter != '\0' && command_flag_by_letter(node, letter) != flag))
            fail_msg("%s: %s", command_path(node), *text);
    }
    return g_strv_length(flags);
}

static void check_columns(char **row)
{
    const CommandNode *node = command_by_path(is_root(row) ? "" : row[PATH]);
    assert_non_null(node);
    assert_string_equal(command_reason(node), row[REASON]);
    size_t count = check_flags(node, row[VALUE_FLAGS], COMMAND_FLAG_VALUE) +
                   check_flags(node, row[BOOL_FLAGS], COMMAND_FLAG_BOOLEAN);
    assert_int_equal(node->flag_count, count);
    static const char *const kinds[] = { "leaf", "group", "both" };
    assert_string_equal(kinds[node->kind], row[KIND]);
    assert_string_equal(effect_name(node->effect), row[CLASS]);
    g_autofree char *since = g_strdup_printf("%d.%d", node->since / 1000, node->since % 1000);
    assert_string_equal(since, row[SINCE]);
    assert_int_equal((node->notes & COMMAND_UNPARSED) != 0, strstr(row[NOTES], "dfp") != NULL);
    assert_int_equal((node->notes & COMMAND_HIDDEN) != 0, strstr(row[NOTES], "hidden") != NULL);
    assert_int_equal((node->notes & COMMAND_API) != 0, strcmp(row[NOTES], "api") == 0);

    g_auto(GStrv) refs = g_strsplit(row[REFS], ",", -1);
    size_t refs_count = g_strv_length(refs) - (str_has_prefix(row[REFS], "endpoint") ? 1 : 0);
    assert_int_equal(node->ref_count, refs_count);
    g_auto(GStrv) rules = g_strsplit(row[RULES], ";", -1);
    assert_int_equal(node->rule_count, g_strv_length(rules));
}

static void test_columns(void **state G_GNUC_UNUSED)
{
    each_row(check_columns);
    assert_int_equal(command_count(), 251);
    assert_null(command_by_path("pr frob"));
    assert_true(command_parent(command_by_path("repo deploy-key add")) ==
                command_by_path("repo deploy-key"));
    assert_true(command_parent(command_root()) == command_root());
    assert_int_equal(command_newest_version(), COMMAND_VERSION(2, 95));
}

static bool has_flag(const char *cell, const char *flag)
{
    g_auto(GStrv) flags = g_strsplit(cell, ",", -1);
    return g_strv_contains((const char *const *)flags, flag);
}

/* A value that breaks no other rule: repositories and hosts are checked too. */
#define HARMLESS "o/r"

/* argv = the row's path, what it requires, and `extra` words separated by blanks. */
static void expect_with(char **row, const char *extra, const char *effect)
{
    g_autoptr(GPtrArray) argv = argv_new(row[PATH]);
    if (!strstr(extra, "--body=") && strcmp(extra, "(bare)") != 0)
        add_required(argv, row);
    g_auto(GStrv) words = g_strsplit(strcmp(extra, "(bare)") != 0 ? extra : "", " ", -1);
    for (char **word = words; *word; word++)
        add(argv, *word);
    expect(argv, effect, extra);
}

static void check_boolean_rule(char **row, const char *flag, const char *effect)
{
    const char *name = strstr(flag, "--");
    static const struct {
        const char *format;
        bool is_true;
    } forms[] = {
        { "%s", true },    { "%s=true", true },      { "%s=1", true },        { "%s=false", false },
        { "%s=F", false }, { "%s %s=false", false }, { "%s=false %s", true }, { "%s=maybe", true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        g_auto(GStrv) pieces = g_strsplit(forms[i].format, "%s", -1);
        g_autofree char *extra = g_strjoinv(name, pieces);
        bool is_refused = strstr(forms[i].format, "maybe") != NULL && strcmp(effect, "read") == 0;
        expect_with(row, extra, is_refused ? "unknown" : forms[i].is_true ? effect : row[CLASS]);
    }
    if (flag[1] != '-') {
        g_autofree char *letter = g_strndup(flag, 2);
        g_autofree char *negated = g_strconcat(letter, "=false", NULL);
        expect_with(row, letter, effect);
        expect_with(row, negated, row[CLASS]);
    }
}

static void check_value_rule(char **row, const char *flag, const char *effect)
{
    const char *name = strstr(flag, "--");
    g_autofree char *next = g_strconcat(name, " ", HARMLESS, NULL);
    g_autofree char *same = g_strconcat(name, "=", HARMLESS, NULL);
    g_autofree char *empty = g_strconcat(name, "=", NULL);
    expect_with(row, next, effect);
    expect_with(row, same, effect);
    expect_with(row, empty, effect);
    if (flag[1] != '-') {
        g_autofree char *glued = g_strndup(flag, 2);
        g_autofree char *text = g_strconcat(glued, HARMLESS, NULL);
        expect_with(row, text, effect);
    }
}

/* The class that a rule of this row leads to: what it replaces or raises. */
static void check_rule(char **row, const char *rule)
{
    bool is_replacing = strstr(rule, ":=") != NULL;
    g_auto(GStrv) sides = g_strsplit(rule, is_replacing ? ":=" : "=>", 2);
    const char *selector = sides[0];
    g_autofree char *effect = g_strndup(sides[1], strcspn(sides[1], ":"));
    if (strcmp(selector, "no:-b|--body") == 0) {
        expect_with(row, "(bare)", effect);
        expect_with(row, "--body=", effect);
        expect_with(row, "--body=x --body=", effect);
        expect_with(row, "--body= --body=x", row[CLASS]);
    } else if (strcmp(selector, "args>=2") == 0) {
        expect_with(row, HARMLESS, row[CLASS]);
        expect_with(row, HARMLESS " b", effect);
        expect_with(row, HARMLESS " -- b c", effect);
    } else if (strcmp(selector, "args==0") == 0) {
        expect_with(row, "(bare)", effect);
    } else if (strcmp(selector, "arg^=oci://") == 0) {
        expect_with(row, "file oci://x/y", effect);
        expect_with(row, "file xoci://x/y", row[CLASS]);
    } else if (strcmp(selector, "val@:-F|--field") == 0) {
        expect_with(row, "-F a=@b", effect);
        expect_with(row, "-F a=b --field=a[b]=@b", effect);
        expect_with(row, "-F a=b@", row[CLASS]);
    } else if (has_flag(row[BOOL_FLAGS], selector)) {
        check_boolean_rule(row, selector, effect);
    } else if (has_flag(row[VALUE_FLAGS], selector)) {
        check_value_rule(row, selector, effect);
    } else {
        fail_msg("%s: a rule of an unknown form: %s", row[PATH], rule);
    }
}

static void check_rules(char **row)
{
    g_auto(GStrv) rules = g_strsplit(row[RULES], ";", -1);
    for (char **rule = rules; *rule; rule++)
        check_rule(row, *rule);
}

static void test_every_rule(void **state G_GNUC_UNUSED)
{
    each_row(check_rules);
}

static void expect_found(GPtrArray *argv, const CommandNode *node, const char *what)
{
    CommandFound found;
    command_find((const char *const *)argv->pdata, 0, argv->len, &found);
    if (found.node != node)
        fail_msg("%s with %s: found %s", command_path(node), what, command_path(found.node));
}

/* A value flag of the command itself, or one that nobody knows, before each of its words. */
static void check_insertions(char **row)
{
    if (is_root(row))
        return;
    const CommandNode *node = command_by_path(row[PATH]);
    g_autofree char *list =
        g_strconcat(row[VALUE_FLAGS], *row[VALUE_FLAGS] != '\0' ? "," : "", "-Z|--zzz", NULL);
    g_auto(GStrv) flags = g_strsplit_set(list, ",|", -1);
    static const char *const values[] = { "o/r", "list", "merge", "-x", "", "--help" };
    for (char **flag = flags; *flag; flag++) {
        g_autoptr(GPtrArray) plain = argv_new(row[PATH]);
        for (guint at = 0; at < plain->len; at++) {
            for (size_t v = 0; v < G_N_ELEMENTS(values); v++) {
                g_autoptr(GPtrArray) argv = argv_new(row[PATH]);
                g_ptr_array_insert(argv, (int)at, g_strdup(values[v]));
                g_ptr_array_insert(argv, (int)at, g_strdup(*flag));
                expect_found(argv, node, *flag);
            }
            g_autoptr(GPtrArray) glued = argv_new(row[PATH]);
            g_ptr_array_insert(glued, (int)at, g_strconcat(*flag, "=list", NULL));
            expect_found(glued, node, *flag);
        }
    }
}

static void test_insertions(void **state G_GNUC_UNUSED)
{
    each_row(check_insertions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_every_rule),
        cmocka_unit_test(test_insertions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
