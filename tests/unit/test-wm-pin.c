/*
 * cmd/wm/wm_pin.c: what a fresh configuration is pinned to (task-engine §3.6).
 */
#include "unit.h"

#include "base/yaml.h"
#include "cmd/wm/wm_pin.h"
#include "wm/compile/starters.h"

#define SHA "0123456789abcdef0123456789abcdef01234567"

static void test_builds(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *build, *commit, *version;
    } rows[] = {
        { "", NULL, NULL },
        { "main", NULL, NULL },
        { SHA, SHA, NULL },
        { SHA " v1.2.0", SHA, "v1.2.0" },
        { SHA " v1.2.0-rc1", SHA, NULL }, // another version than this kedge says it is
        { SHA "0 v1.2.0", NULL, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_auto(WmPin) pin = { 0 };
        wm_pin_parse(rows[i].build, "1.2.0", &pin);
        if (g_strcmp0(pin.commit, rows[i].commit) != 0 ||
            g_strcmp0(pin.version, rows[i].version) != 0)
            fail_msg("\"%s\": %s, %s", rows[i].build, pin.commit, pin.version);
    }
}

/* The starter configuration with a pin says what it said, and where it is called. */
static void test_starter(void **state G_GNUC_UNUSED)
{
    const WmPin pin = { .commit = (char *)SHA, .version = (char *)"v1.2.0" }, none = { 0 };
    g_autofree char *text = NULL, *same = NULL;
    g_autoptr(json_t) value = NULL, plain = NULL;
    assert_true(wm_pin_text(&pin, wm_starters[0].text, &text, NULL));
    assert_true(yaml_parse(text, strlen(text), "config", &value, NULL));
    assert_true(
        yaml_parse(wm_starters[0].text, strlen(wm_starters[0].text), "config", &plain, NULL));
    assert_string_equal(json_string_value(json_get_path(value, "workflow.reusable_ref")), SHA);
    assert_string_equal(json_string_value(json_get_path(value, "workflow.kedge_version")),
                        "v1.2.0");
    json_object_del(json_object_get(value, "workflow"), "reusable_ref");
    json_object_del(json_object_get(value, "workflow"), "kedge_version");
    assert_true(json_equal(value, plain));
    assert_non_null(strstr(text, "# pre_steps:")); // comments stay
    assert_true(wm_pin_text(&none, wm_starters[0].text, &same, NULL));
    assert_string_equal(same, wm_starters[0].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builds),
        cmocka_unit_test(test_starter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
