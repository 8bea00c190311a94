/* Kinds of events: each name is found again, and what is no name of one is unknown. */
#include "unit.h"

#include "agent/event_kind.h"

static void test_names(void **state G_GNUC_UNUSED)
{
    const char *before = "";
    for (int kind = EVENT_UNKNOWN + 1; kind <= EVENT_TURN_START; kind++) {
        g_autoptr(json_t) event = agent_event_new((EventKind)kind);
        const char *name = event_kind_name((EventKind)kind);
        if (!name || strcmp(before, name) >= 0)
            fail_msg("%s does not come after %s", name, before);
        assert_string_equal(json_get_text(event, "type"), name);
        assert_int_equal(event_kind(event), kind);
        before = name;
    }
}

static void test_unknown(void **state G_GNUC_UNUSED)
{
    static const char *const texts[] = {
        "{}",
        "{\"type\":7}",
        "{\"type\":\"\"}",
        "{\"type\":\"agent\"}",
        "{\"type\":\"agent_end2\"}",
        "{\"type\":\"zzz\"}",
        "{\"type\":\"host_tool_call\"}",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(json_t) event = json_loads(texts[i], 0, NULL);
        assert_int_equal(event_kind(event), EVENT_UNKNOWN);
    }
    assert_int_equal(event_kind(NULL), EVENT_UNKNOWN);
    assert_null(event_kind_name(EVENT_UNKNOWN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
