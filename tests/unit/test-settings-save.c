/*
 * Saving settings (agent-core §5.2), migration (agent-core §5.3), and the lock between processes.
 */
#include "base/str.h"
#include "unit.h"

#include "base/dir_lock.h"
#include "base/file.h"
#include "base/timefmt.h"
#include "tool/settings.h"
#include "tool/settings_keys.h"
#include "tool/settings_migrate.h"
#include "tool/settings_path.h"
#include "tool/settings_reference.h"
#include "tool/settings_save.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct Fixture {
    char *dir, *config, *lock;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->dir = g_dir_make_tmp("kedge-save-XXXXXX", NULL);
    self->config = g_build_filename(self->dir, "config.yml", NULL);
    self->lock = g_strconcat(self->config, ".lock", NULL);
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    assert_true(file_remove_tree(self->dir, NULL));
    g_free(self->dir);
    g_free(self->config);
    g_free(self->lock);
    g_free(self);
    return 0;
}

static void put(const Fixture *self, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
}

static void expect_file(const Fixture *self, const char *name, const char *want)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    g_autofree char *text = NULL;
    assert_true(file_read(path, 1 << 20, &text, NULL, NULL));
    assert_string_equal(text, want);
}

/* NULL: saved; else the message. */
static char *save(const Fixture *self, const char *name, const char *value)
{
    g_autoptr(GError) error = NULL;
    g_auto(SettingPath) path = { 0 };
    g_autoptr(json_t) json = NULL;
    if (!setting_path_parse(name, &path, &error) ||
        (value && !setting_path_parse_value(&path, value, &json, &error)))
        return g_strdup(error->message);
    const SettingChange change = { (const char *const *)path.parts, json };
    if (settings_save(self->dir, &change, 1, NULL, &error))
        return NULL;
    return g_strdup(error->message);
}

static void expect_saved(const Fixture *self, const char *name, const char *value)
{
    g_autofree char *problem = save(self, name, value);
    if (problem)
        fail_msg("%s: %s", name, problem);
}

static void test_comments_and_unknown_keys_stay(void **state)
{
    Fixture *self = *state; // core-78
    put(self, "config.yml", "# mine\nzz: {q: 1} # unknown\nretry:\n  maxRetries: 3   # enough\n");
    assert_int_equal(chmod(self->config, 0640), 0);
    expect_saved(self, "retry.maxRetries", "7");
    expect_saved(self, "retry.enabled", "off");
    expect_saved(self, "modelRoles.smol", "a/b:high");
    expect_file(self, "config.yml",
                "# mine\nzz: {q: 1} # unknown\nretry:\n  maxRetries: 7   # enough\n"
                "  enabled: false\nmodelRoles:\n  smol: a/b:high\n");
    struct stat info;
    assert_int_equal(stat(self->config, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    expect_saved(self, "modelRoles.smol", NULL);
    expect_saved(self, "retry.enabled", NULL);
    expect_file(self, "config.yml",
                "# mine\nzz: {q: 1} # unknown\nretry:\n  maxRetries: 7   # enough\n");
    assert_false(file_exists(self->lock));
}

static void test_broken_file_is_left_alone(void **state)
{
    static const char *const texts[] = { "retry: [1\n", "- a\n", "retry: 3\n", "a: \xff\n",
                                         "retry:\n  - 1 # one\n" };
    Fixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        put(self, "config.yml", texts[i]);
        g_autofree char *problem = save(self, "retry.maxRetries", "7");
        if (!problem || !str_has_prefix(problem, "settings not saved: ") ||
            !strstr(problem, self->config))
            fail_msg("%s: %s", texts[i], problem);
        expect_file(self, "config.yml", texts[i]);
        assert_false(file_exists(self->lock));
    }
    assert_int_equal(unlink(self->config), 0);
    assert_int_equal(symlink("nowhere/at/all", self->config), 0);
    g_autofree char *problem = save(self, "retry.maxRetries", "7");
    assert_non_null(problem);
}

static void test_values(void **state)
{
    static const struct {
        const char *name, *value, *want;
    } cases[] = {
        { "retry.enabled", "maybe",
          "Invalid boolean value: maybe. Use true/false, yes/no, on/off, or 1/0" },
        { "retry.maxRetries", "x", "Invalid number: x" },
        { "retry.maxRetries", "inf", "Invalid number: inf" },
        { "retry.maxRetries", "", "Invalid number: " },
        { "steeringMode", "some", "Invalid value: some. Valid values: one-at-a-time, all" },
        { "env.pass", "[a", "Invalid array JSON: [a" },
        { "env.pass", "{}", "Invalid array JSON: {}" },
        { "modelRoles", "[]", "Invalid record JSON: []" },
        { "nope.key", "1", "Unknown setting: nope.key" },
        { "retry", "1", "Unknown setting: retry" },
        { "retry.enabled.x", "1", "Unknown setting: retry.enabled.x" },
        { "modelRoles.", "1", "Unknown setting: modelRoles." },
        { "", "1", "Unknown setting: " },
    };
    Fixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *problem = save(self, cases[i].name, cases[i].value);
        if (g_strcmp0(problem, cases[i].want) != 0)
            fail_msg("%s %s: %s", cases[i].name, cases[i].value, problem);
    }
    assert_false(file_exists(self->config)); // core-3
    expect_saved(self, "retry.maxWait", " 1.5 ");
    expect_saved(self, "env.pass", "[\"A\", \"B C\"]");
    expect_saved(self, "gh.knownHosts", "ghe.example.com, b.example");
    expect_saved(self, "shellPath", "/bin/my sh");
    expect_saved(self, "gh.hostPolicy.git.example.com/a", "{\"write\": \"block\"}");
    expect_file(self, "config.yml",
                "retry:\n  maxWait: 1.5\nenv:\n  pass: [A, B C]\n"
                "gh:\n  knownHosts: [ghe.example.com, b.example]\n"
                "  hostPolicy:\n    git.example.com/a:\n      write: block\n"
                "shellPath: /bin/my sh\n");
}

static void put_lock(const Fixture *self, const char *info)
{
    assert_true(file_make_dirs(self->lock, 0700, NULL));
    if (info)
        put(self, "config.yml.lock/info", info);
}

static void test_stale_locks(void **state)
{
    Fixture *self = *state;
    g_autofree char *gone = g_strdup_printf("{\"pid\":%d,\"timestamp\":%" G_GINT64_FORMAT "}",
                                            G_MAXINT32, time_now_ms());
    put_lock(self, gone);
    expect_saved(self, "retry.maxRetries", "1");

    g_autofree char *old = g_strdup_printf("{\"pid\":%d,\"timestamp\":%" G_GINT64_FORMAT "}",
                                           getpid(), time_now_ms() - 11000);
    put_lock(self, old);
    expect_saved(self, "retry.maxRetries", "2");

    put_lock(self, NULL); // a lock that says nothing is given 2 s
    expect_saved(self, "retry.maxRetries", "3");
    expect_file(self, "config.yml", "retry:\n  maxRetries: 3\n");

    // one that is held is waited for, and the wait can be cancelled
    g_autoptr(DirLock) held = NULL;
    assert_true(dir_lock_acquire(self->config, NULL, &held, NULL));
    g_autoptr(Cancel) cancel = cancel_new(NULL);
    cancel_fire(cancel);
    g_autoptr(GError) error = NULL;
    DirLock *second = NULL;
    assert_false(dir_lock_acquire(self->config, cancel, &second, &error));
    assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
    assert_true(file_exists(self->lock));

    // who lost its lock does not release another's
    assert_true(file_remove_tree(self->lock, NULL));
    put_lock(self, "{}"); // perhaps with the same inode
    dir_lock_release(g_steal_pointer(&held));
    assert_true(file_exists(self->lock));
}

static void test_migration_of_files(void **state)
{
    Fixture *self = *state; // core-79
    put(self, "settings.json",
        "{\"queueMode\":\"all\",\"ask\":{\"timeout\":30000},\"x\":{\"w\":[1,{\"z\":null}]}}");
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Settings) settings = settings_load(self->dir, self->dir, warnings);
    assert_int_equal(warnings->len, 0);
    assert_string_equal(settings_get_text(settings, "steeringMode"), "all");
    expect_file(self, "config.yml",
                "ask:\n  timeout: 30\nx:\n  w: [1, {z: null}]\nsteeringMode: all\n");
    g_autofree char *old = g_build_filename(self->dir, "settings.json", NULL);
    g_autofree char *backup = g_strconcat(old, ".bak", NULL);
    assert_false(file_exists(old));
    assert_true(file_exists(backup));

    // never over a config.yml, and never of something broken
    put(self, "settings.json", "{\"queueMode\":\"one-at-a-time\"}");
    g_autoptr(Settings) again = settings_load(self->dir, self->dir, warnings);
    assert_string_equal(settings_get_text(again, "steeringMode"), "all");
    assert_true(file_exists(old));
    assert_int_equal(unlink(self->config), 0);
    put(self, "settings.json", "{\"queueMode\":");
    settings_unref(settings_load(self->dir, self->dir, warnings));
    assert_int_equal(warnings->len, 1);
    assert_non_null(strstr(warnings->pdata[0], "settings.json was not taken over"));
    g_autofree char *problem = save(self, "retry.maxRetries", "1");
    assert_non_null(problem); // else settings.json would never be taken over
    assert_false(file_exists(self->config));
}

static void test_migration_of_fields(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "{\"queueMode\":\"all\"}", "{\"steeringMode\":\"all\"}" },
        { "{\"queueMode\":\"all\",\"steeringMode\":\"x\"}", "{\"steeringMode\":\"x\"}" },
        { "{\"todo\":{\"reminders\":false}}", "{\"todo\":{\"reminders\":{\"enabled\":false}}}" },
        { "{\"todo\":{\"reminders\":{\"max\":1}}}", "{\"todo\":{\"reminders\":{\"max\":1}}}" },
        { "{\"queueMode\":3}", "{\"queueMode\":3}" },
        { "{\"ask\":{\"timeout\":60}}", "{\"ask\":{\"timeout\":60}}" },
        { "{\"ask\":7}", "{\"ask\":7}" },
        { "{\"task\":{\"isolation\":{\"enabled\":true}}}",
          "{\"task\":{\"isolation\":{\"mode\":\"worktree\"}}}" },
        { "{\"task\":{\"isolation\":{\"enabled\":false,\"mode\":\"worktree\"}}}",
          "{\"task\":{\"isolation\":{\"mode\":\"worktree\"}}}" },
        { "{\"statusLine\":{\"leftSegments\":[\"pi\",\"plan_mode\"]}}",
          "{\"statusLine\":{\"leftSegments\":[\"pi\",\"mode\"]}}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) layer = NULL;
        assert_true(json_parse_text(cases[i].in, &layer, NULL));
        settings_migrate_fields(layer);
        g_autofree char *got = json_to_canonical(layer);
        g_autoptr(json_t) want = NULL;
        assert_true(json_parse_text(cases[i].want, &want, NULL));
        if (!json_equal(layer, want))
            fail_msg("%s became %s", cases[i].in, got);
    }
}

static void test_every_key_has_a_group(void **state G_GNUC_UNUSED)
{
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    g_autoptr(json_t) schema = settings_schema();
    for (size_t i = 0; i < count; i++) {
        if (strcmp(setting_group(keys[i].key), "Other") == 0)
            fail_msg("%s: no heading in settings_reference.c", keys[i].key);
        g_auto(GStrv) parts = g_strsplit(keys[i].key, ".", -1);
        const json_t *place = schema;
        for (size_t part = 0; parts[part]; part++)
            place = json_object_get(json_object_get(place, "properties"), parts[part]);
        assert_string_equal(json_get_text(place, "description"), keys[i].help);
    }
}

/* What a mistyped name was meant to be, and whether nothing may run without it. */
static void test_mistyped(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *json, *names, *guard;
    } cases[] = {
        { "{}", "", NULL },
        { "{\"gh\":{\"policy\":{},\"hostPolicy\":{\"a.b\":\"deny\"}}}", "", NULL },
        { "{\"later\":{\"a\":1}}", "later", NULL },
        { "{\"theme\":{\"drak\":\"x\"}}", "theme.drak", NULL },
        { "{\"gh\":{\"hostPolcy\":{\"a.b\":\"deny\"}}}", "gh.hostPolcy",
          "no setting is called gh.hostPolcy; did you mean gh.hostPolicy?" },
        { "{\"hostPolicy\":{\"a.b\":\"deny\"}}", "hostPolicy",
          "no setting is called hostPolicy; did you mean gh.hostPolicy?" },
        { "{\"ghh\":{\"policy\":\"deny\"}}", "ghh.policy",
          "no setting is called ghh.policy; did you mean gh.policy?" },
        { "{\"env\":{\"inheritt\":\"safe\"}}", "env.inheritt",
          "no setting is called env.inheritt; did you mean env.inherit?" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) layer = NULL;
        assert_true(json_parse_text(cases[i].json, &layer, NULL));
        g_autoptr(Settings) settings = settings_new(layer);
        g_autoptr(GPtrArray) names = settings_unknown_keys(settings);
        g_ptr_array_add(names, NULL);
        g_autofree char *joined = g_strjoinv(" ", (char **)names->pdata);
        if (strcmp(joined, cases[i].names) != 0 ||
            g_strcmp0(settings_guard_mistake(settings), cases[i].guard) != 0)
            fail_msg("%s: %s, %s", cases[i].json, joined, settings_guard_mistake(settings));
    }
}

static void test_origin_and_unknown(void **state)
{
    Fixture *self = *state;
    put(self, "config.yml",
        "retry: {maxRetries: 9, maxWait: x, old: 1}\nzz: 1\nmodelRoles: {a: b}\ngrep: 3\n");
    g_autofree char *project = g_build_filename(self->dir, ".kedge", NULL);
    assert_true(file_make_dirs(project, 0700, NULL));
    put(self, ".kedge/settings.json", "{\"steeringMode\":\"all\",\"shellPath\":\"/x\"}"); // core-80
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(Settings) settings = settings_load(self->dir, self->dir, warnings);
    assert_int_equal(settings_origin(settings, "retry.maxRetries"), SETTING_FROM_USER);
    assert_int_equal(settings_origin(settings, "retry.maxWait"), SETTING_FROM_DEFAULT);
    assert_int_equal(settings_origin(settings, "retry.enabled"), SETTING_FROM_DEFAULT);
    assert_int_equal(settings_origin(settings, "steeringMode"), SETTING_FROM_PROJECT);
    assert_int_equal(settings_origin(settings, "shellPath"), SETTING_FROM_DEFAULT);
    assert_int_equal(settings_origin(settings, "modelRoles"), SETTING_FROM_USER);
    assert_int_equal(warnings->len, 3); // grep is no map, maxWait no number, shellPath the user's
    g_autoptr(GPtrArray) unknown = settings_unknown_keys(settings);
    assert_int_equal(unknown->len, 2);
    assert_string_equal(unknown->pdata[0], "retry.old");
    assert_string_equal(unknown->pdata[1], "zz");
    expect_saved(self, "steeringMode", "one-at-a-time"); // the user's file, never the project's
    expect_file(self, ".kedge/settings.json", "{\"steeringMode\":\"all\",\"shellPath\":\"/x\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_comments_and_unknown_keys_stay, setup, teardown),
        cmocka_unit_test(test_mistyped),
        cmocka_unit_test_setup_teardown(test_broken_file_is_left_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(test_values, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stale_locks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_migration_of_files, setup, teardown),
        cmocka_unit_test(test_migration_of_fields),
        cmocka_unit_test(test_every_key_has_a_group),
        cmocka_unit_test_setup_teardown(test_origin_and_unknown, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
