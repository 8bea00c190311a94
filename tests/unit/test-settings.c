/*
 * Settings: layers, scopes, broken files (agent-core §5.1, common §3).
 */
#include "unit.h"

#include "base/file.h"
#include "tool/settings.h"
#include "tool/settings_keys.h"
#include "tool/settings_scope.h"

#include <sys/stat.h>
#include <unistd.h>

typedef struct Fixture {
    char *root;
    GPtrArray *warnings;
} Fixture;

static int setup(void **state)
{
    Fixture *self = g_new0(Fixture, 1);
    self->root = g_dir_make_tmp("kedge-settings-XXXXXX", NULL);
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *project = g_build_filename(self->root, "w", ".kedge", NULL);
    g_autofree char *agent = g_build_filename(self->root, "agent", NULL);
    assert_true(file_make_dirs(project, 0700, NULL) && file_make_dirs(agent, 0700, NULL));
    *state = self;
    return 0;
}

static int teardown(void **state)
{
    Fixture *self = *state;
    assert_true(file_remove_tree(self->root, NULL));
    g_ptr_array_unref(self->warnings);
    g_free(self->root);
    g_free(self);
    return 0;
}

static void put(const Fixture *self, const char *name, const char *text)
{
    g_autofree char *path = g_build_filename(self->root, name, NULL);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
}

#define USER "agent/config.yml"
#define YML  "w/.kedge/config.yml"
#define JSON "w/.kedge/settings.json"

static Settings *load(Fixture *self)
{
    g_autofree char *agent = g_build_filename(self->root, "agent", NULL);
    g_autofree char *cwd = g_build_filename(self->root, "w", NULL);
    return settings_load(agent, cwd, self->warnings);
}

static const char *warning(const Fixture *self)
{
    if (self->warnings->len != 1)
        fail_msg("%u warnings", self->warnings->len);
    return self->warnings->pdata[0];
}

static void test_no_files_are_defaults(void **state)
{
    g_autoptr(Settings) settings = load(*state);
    assert_true(settings_get_bool(settings, "grep.enabled"));
    assert_int_equal(settings_get_int(settings, "read.defaultLimit"), 500);
    assert_true(settings_get_number(settings, "edit.fuzzyThreshold") == 0.95);
    assert_string_equal(settings_get_text(settings, "gh.defaultHost"), "github.com");
    assert_null(settings_get_text(settings, "shellPath"));
    assert_null(settings_get_json(settings, "bashInterceptor.patterns"));
    assert_int_equal(json_object_size(settings_get_json(settings, "modelRoles")), 0);
    assert_null(settings_user_json(settings, "gh.policy"));
    assert_int_equal(((Fixture *)*state)->warnings->len, 0);
}

static void test_layers(void **state)
{
    Fixture *self = *state; // core-80: the project's settings.json overrides the global file
    put(self, USER,
        "read: {defaultLimit: 10}\nedit: {modelVariants: {a: patch, b: patch}}\n"
        "grep: {contextBefore: 7, contextAfter: 8}\n");
    put(self, JSON,
        "{\"read\":{\"defaultLimit\":20},\"edit\":{\"modelVariants\":{\"b\":\"replace\"}},"
        "\"grep\":{\"contextBefore\":2}}");
    put(self, YML, "grep: {contextBefore: 3}\n");
    g_autoptr(Settings) settings = load(self);
    assert_int_equal(settings_get_int(settings, "read.defaultLimit"), 20);
    assert_int_equal(settings_get_int(settings, "grep.contextBefore"), 3);
    assert_int_equal(settings_get_int(settings, "grep.contextAfter"), 8);
    const json_t *variants = settings_get_json(settings, "edit.modelVariants"); // maps merge
    assert_string_equal(json_get_text(variants, "a"), "patch");
    assert_string_equal(json_get_text(variants, "b"), "replace");
    assert_int_equal(json_integer_value(settings_user_json(settings, "read.defaultLimit")), 10);
    assert_int_equal(json_integer_value(settings_project_json(settings, "read.defaultLimit")), 20);
    assert_int_equal(self->warnings->len, 0);
}

/* gh-5.2: what policy.c makes of it is not called ignored. */
static void test_policy_profile(void **state)
{
    Fixture *self = *state;
    put(self, USER, "gh: {policy: read-only}\n");
    g_autoptr(Settings) settings = load(self);
    assert_int_equal(self->warnings->len, 0);
    assert_string_equal(json_string_value(settings_user_json(settings, "gh.policy")), "read-only");
}

static void test_project_cannot_set_what_guards_the_user(void **state)
{
    static const struct {
        const char *name, *text, *key, *warning;
    } cases[] = {
        { "env.pass", "env: {pass: [MY_TOKEN]}\n", "env.pass", "ignored setting env.pass" },
        { "gh.executable", "gh: {executable: ./gh}\n", "gh.executable",
          "ignored setting gh.executable" },
        { "gh.knownHosts", "gh: {knownHosts: [evil.example]}\n", "gh.knownHosts", "gh.knownHosts" },
        { "gh.trustGhLogins", "gh: {trustGhLogins: false}\n", "gh.trustGhLogins",
          "gh.trustGhLogins" },
        { "gh.defaultHost", "gh: {defaultHost: evil.example}\n", "gh.defaultHost",
          "gh.defaultHost" },
        { "shellPath", "shellPath: ./sh\n", "shellPath", "shellPath" },
        { "modelRoles before trust", "modelRoles: {default: their/model}\n", "modelRoles",
          "ignored setting modelRoles: the repository is not trusted" },
        { "the user's rules off", "ttsr: {enabled: false}\n", "ttsr.enabled",
          "ignored setting ttsr.enabled: the repository is not trusted" },
        { "the user's rules only told", "ttsr: {interruptMode: never}\n", "ttsr.interruptMode",
          "ignored setting ttsr.interruptMode" },
        { "what a rule dropped", "ttsr: {contextMode: keep}\n", "ttsr.contextMode",
          "ignored setting ttsr.contextMode" },
        { "the loop guard off", "loop: {enabled: false}\n", "loop.enabled",
          "ignored setting loop.enabled" },
        { "images to a model of another provider", "inspect_image: {enabled: true}\n",
          "inspect_image.enabled",
          "ignored setting inspect_image.enabled: the repository is not trusted" },
        { "a scalar over a map", "gh: 1\n", "gh.executable", "setting gh: must be a map" },
        { "a list over a map", "env: [x]\n", "env.pass", "setting env: must be a map" },
        { "not even with null", "gh: {executable: null}\n", "gh.executable", "gh.executable" },
    };
    Fixture *self = *state;
    put(self, USER,
        "env: {pass: [MINE]}\nshellPath: /bin/mine\nmodelRoles: {default: my/model}\n"
        "gh: {executable: mine, knownHosts: [mine], trustGhLogins: true, defaultHost: mine}\n");
    g_autoptr(Settings) alone = load(self);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put(self, YML, cases[i].text);
        g_ptr_array_set_size(self->warnings, 0);
        g_autoptr(Settings) settings = load(self);
        if (!strstr(warning(self), cases[i].warning) || !strstr(warning(self), "config.yml"))
            fail_msg("%s: %s", cases[i].name, warning(self));
        const char *text = settings_get_text(settings, cases[i].key);
        const json_t *json = settings_get_json(settings, cases[i].key);
        if (g_strcmp0(text, settings_get_text(alone, cases[i].key)) != 0 ||
            !json_equal((json_t *)json, (json_t *)settings_get_json(alone, cases[i].key)))
            fail_msg("%s: the user's own value is gone", cases[i].name);
        assert_null(settings_project_json(settings, cases[i].key));
        assert_int_not_equal(settings_origin(settings, cases[i].key), SETTING_FROM_PROJECT);
    }
}

/* common-S07 */
static void test_files_of_others(void **state)
{
    Fixture *self = *state;
    put(self, YML, "read: {defaultLimit: 7}\n");
    g_autofree char *dir = g_build_filename(self->root, "w", ".kedge", NULL);
    g_autofree char *path = g_build_filename(dir, "config.yml", NULL);
    assert_int_equal(chmod(dir, 0777), 0);
    g_ptr_array_set_size(self->warnings, 0);
    g_autoptr(Settings) open_to_all = load(self);
    assert_int_equal(settings_get_int(open_to_all, "read.defaultLimit"), 500);
    assert_non_null(strstr(warning(self), "not read, everybody can write to its directory: "));
    assert_int_equal(chmod(dir, 0700), 0);
    if (geteuid() != 0 || chown(path, 1002, (gid_t)-1) != 0)
        return; // only root can give a file away
    g_ptr_array_set_size(self->warnings, 0);
    g_autoptr(Settings) anothers = load(self);
    assert_int_equal(settings_get_int(anothers, "read.defaultLimit"), 500);
    assert_non_null(strstr(warning(self), "not read, it belongs to uid 1002: "));
}

static void test_project_policy_stays_apart(void **state)
{
    Fixture *self = *state;
    put(self, USER, "gh: {policy: {write: block}}\n");
    put(self, YML, "gh: {policy: {write: auto}}\n");
    g_autoptr(Settings) settings = load(self);
    assert_string_equal(json_get_text(settings_user_json(settings, "gh.policy"), "write"), "block");
    assert_string_equal(json_get_text(settings_project_json(settings, "gh.policy"), "write"),
                        "auto");
    assert_int_equal(self->warnings->len, 0);
}

static void test_broken_files_count_as_empty(void **state)
{
    static const struct {
        const char *name, *file, *text, *warning;
    } cases[] = {
        { "broken YAML", USER, "read: [1\n", USER },
        { "a list", USER, "- read\n", "settings must be a map" },
        { "a word", YML, "hello\n", "settings must be a map" },
        { "duplicate keys", YML, "a: 1\na: 2\n", YML },
        { "broken JSON", JSON, "{\"read\":", JSON },
        { "not UTF-8", USER, "read: \xff\xfe\n", USER },
    };
    Fixture *self = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        put(self, cases[i].file, cases[i].text);
        g_ptr_array_set_size(self->warnings, 0);
        g_autoptr(Settings) settings = load(self);
        if (self->warnings->len != 1 || !strstr(self->warnings->pdata[0], cases[i].warning))
            fail_msg("%s: %u warnings, first: %s", cases[i].name, self->warnings->len,
                     self->warnings->len ? (char *)self->warnings->pdata[0] : "-");
        assert_int_equal(settings_get_int(settings, "read.defaultLimit"), 500);
        put(self, cases[i].file, g_str_has_suffix(cases[i].file, "json") ? "{}" : "# nothing\n");
    }
    // an unusable file does not take the other layers with it, and nobody has to listen
    put(self, USER, "read: {defaultLimit: 9}\n");
    put(self, JSON, "[");
    g_autofree char *agent = g_build_filename(self->root, "agent", NULL);
    g_autofree char *cwd = g_build_filename(self->root, "w", NULL);
    g_autoptr(Settings) settings = settings_load(agent, cwd, NULL);
    assert_int_equal(settings_get_int(settings, "read.defaultLimit"), 9);
}

static void test_wrong_types_give_the_default(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) overrides = json_object();
    json_set_take(overrides, "read", json_pack("{s:s}", "defaultLimit", "many"));
    json_set_take(overrides, "grep", json_pack("{s:i}", "enabled", 0));
    json_set_take(overrides, "edit", json_pack("{s:f}", "fuzzyThreshold", 0.5));
    json_set_text(overrides, "interruptMode", "never");
    json_set_take(overrides, "modelRoles", json_array());
    json_set_take(overrides, "tools", json_pack("{s:f}", "maxTimeout", 1e300));
    g_autoptr(Settings) settings = settings_new(overrides);
    assert_int_equal(settings_get_int(settings, "read.defaultLimit"), 500);
    assert_true(settings_get_bool(settings, "grep.enabled"));
    assert_string_equal(settings_get_text(settings, "interruptMode"), "immediate");
    assert_true(settings_get_number(settings, "edit.fuzzyThreshold") == 0.5);
    assert_int_equal(json_object_size(settings_get_json(settings, "modelRoles")), 0);
    assert_true(settings_get_int(settings, "tools.maxTimeout") > 1000000);
}

static void test_table(void **state G_GNUC_UNUSED)
{
    g_autoptr(Settings) settings = settings_new(NULL);
    size_t count = 0;
    const SettingKey *keys = setting_keys_all(&count);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(setting_key_find(keys[i].key), &keys[i]); // no doubles
        const json_t *value = settings_get_json(settings, keys[i].key);
        if (strcmp(keys[i].default_json, "null") != 0 && !value)
            fail_msg("%s: the default does not fit its type", keys[i].key);
    }
    assert_null(setting_key_find("no.such"));
}

static void test_reload(void **state)
{
    Fixture *self = *state;
    g_autofree char *agent = g_build_filename(self->root, "agent", NULL);
    g_autofree char *work = g_build_filename(self->root, "w", NULL);
    put(self, "agent/config.yml", "retry: {maxRetries: 1}\ngh: {policy: {write: block}}\n");
    g_autoptr(Settings) loaded = settings_load(agent, work, self->warnings);
    g_autoptr(json_t) changes = json_pack("{s:{s:i}}", "grep", "contextAfter", 9);
    g_autoptr(Settings) first = settings_with(loaded, changes);
    assert_false(settings_have_changed(first));

    // what guards the user stays; what others have chosen for this run, too
    put(self, "agent/config.yml",
        "retry: {maxRetries: 22}\ngh: {policy: {write: allow}}\nenv: {pass: [SECRET]}\n"
        "grep: {contextAfter: 1}\n");
    put(self, "w/.kedge/config.yml", "steeringMode: all\n");
    assert_true(settings_have_changed(first));
    g_autoptr(Settings) second = settings_reload(first, self->warnings);
    assert_false(settings_have_changed(second));
    assert_int_equal(settings_get_int(second, "retry.maxRetries"), 22);
    assert_string_equal(settings_get_text(second, "steeringMode"), "all");
    assert_int_equal(settings_get_int(second, "grep.contextAfter"), 9);
    assert_string_equal(json_get_text(settings_get_json(second, "gh.policy"), "write"), "block");
    assert_int_equal(json_array_size(settings_get_json(second, "env.pass")), 0);
    assert_int_equal(settings_get_int(first, "retry.maxRetries"), 1);
    assert_int_equal(self->warnings->len, 0);

    // a broken file changes nothing, whichever it is, and is told of once
    put(self, "w/.kedge/config.yml", "steeringMode: [\n");
    put(self, "agent/config.yml", "retry: {maxRetries: 5}\n");
    g_autoptr(Settings) third = settings_reload(second, self->warnings);
    assert_int_equal(self->warnings->len, 1);
    assert_false(settings_have_changed(third));
    assert_int_equal(settings_get_int(third, "retry.maxRetries"), 22);
    assert_string_equal(settings_get_text(third, "steeringMode"), "all");

    // gone files are defaults again, but for what guards
    g_autofree char *user = g_build_filename(agent, "config.yml", NULL);
    g_autofree char *project = g_build_filename(work, ".kedge", "config.yml", NULL);
    assert_int_equal(unlink(user), 0);
    assert_int_equal(unlink(project), 0);
    g_autoptr(Settings) last = settings_reload(third, self->warnings);
    assert_int_equal(settings_get_int(last, "retry.maxRetries"), 3);
    assert_string_equal(settings_get_text(last, "steeringMode"), "one-at-a-time");
    assert_string_equal(json_get_text(settings_get_json(last, "gh.policy"), "write"), "block");
    g_autoptr(Settings) of_no_file = settings_new(NULL);
    assert_false(settings_have_changed(of_no_file));
}

/* Items of a list that hold in some folders only (agent-core §5.1). */
static void test_lists_of_folders(void **state)
{
    Fixture *self = *state;
    static const struct {
        const char *list, *want;
    } cases[] = {
        { "['a','b']", "a b" },
        { "['a',{'pathPrefix':'/ROOT/w','models':['b','c']},'d']", "a b c d" },
        { "[{'path':'/ROOT/w/sub','values':['b']}]", "b" },
        { "[{'paths':['/elsewhere','/ROOT'],'items':['b']}]", "b" },
        { "[{'pathPrefixes':['/ROOT/link'],'providers':['b']}]", "b" },
        { "[{'pathPrefix':'/ROOT/w/su','models':['b']}]", "" },
        { "[{'pathPrefix':'/ROOT/w/sub/deeper','models':['b']}]", "" },
        { "[{'pathPrefix':'','models':['b']},{'models':['c']},{'path':'/ROOT'}]", "" },
        { "[1,null,['a'],{'path':7,'models':['b']},{'paths':[['/ROOT']],'models':['b']},"
          "{'path':'/ROOT','models':'b','values':[2,'c']}]",
          "c" },
        { "{'a':1}", "" },
    };
    g_autofree char *cwd = g_build_filename(self->root, "w", "sub", NULL);
    g_autofree char *link = g_build_filename(self->root, "link", NULL);
    assert_true(file_make_dirs(cwd, 0700, NULL));
    assert_int_equal(symlink("w", link), 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) quoted = g_strsplit(cases[i].list, "'", -1);
        g_autofree char *text = g_strjoinv("\"", quoted);
        g_auto(GStrv) rooted = g_strsplit(text, "/ROOT", -1);
        g_autofree char *json = g_strjoinv(self->root, rooted);
        g_autoptr(json_t) list = json_loads(json, 0, NULL);
        assert_non_null(list);
        g_autoptr(json_t) found = settings_list_in(list, cwd);
        g_autoptr(GString) out = g_string_new(NULL);
        for (size_t k = 0; k < json_array_size(found); k++)
            g_string_append_printf(out, "%s%s", k > 0 ? " " : "",
                                   json_string_value(json_array_get(found, k)));
        if (strcmp(out->str, cases[i].want) != 0)
            fail_msg("%s: \"%s\", not \"%s\"", json, out->str, cases[i].want);
    }
    g_autoptr(json_t) none = settings_list_in(NULL, cwd);
    assert_int_equal(json_array_size(none), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_no_files_are_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_policy_profile, setup, teardown),
        cmocka_unit_test_setup_teardown(test_project_cannot_set_what_guards_the_user, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_project_policy_stays_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_of_others, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken_files_count_as_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reload, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lists_of_folders, setup, teardown),
        cmocka_unit_test(test_wrong_types_give_the_default),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
