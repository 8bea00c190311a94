/*
 * Images for a model that takes none are said, whenever they come (agent/run.c).
 */
#include "unit.h"

#include "session_fixture.h"

#define CALL  "[{\"id\":\"t\",\"name\":\"echo\",\"arguments\":{\"text\":\"x\"}}]"
#define IMAGE "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}"

static void steer_with_image(SessionFixture *self, const json_t *event G_GNUC_UNUSED)
{
    assert_true(session_fixture_command(
        self, "steer", "{\"message\":\"and this\",\"images\":[" IMAGE "," IMAGE "]}", NULL));
}

/* Whenever they come: with a prompt, or while the model works. */
static void test_images_stay_here(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = session_fixture_new(NULL);
    session_fixture_open(self);
    sse_server_add_calls(self->agent->server, CALL);
    sse_server_add_text(self->agent->server, "done");
    self->trigger = "agent_start"; // long before the answer that calls the tool
    self->act = steer_with_image;
    CommandReply reply = { 0 };
    assert_true(session_fixture_command(self, "prompt",
                                        "{\"message\":\"look\",\"images\":[" IMAGE "]}", &reply));
    command_reply_clear(&reply);
    session_fixture_wait(self);
    const char *first = json_get_text(session_fixture_event(self, "notice", 0), "message");
    const char *second = json_get_text(session_fixture_event(self, "notice", 1), "message");
    assert_non_null(strstr(first, "takes no images: 1 of the prompt stays here"));
    assert_non_null(strstr(second, "takes no images: 2 of the prompt stay here"));
    assert_null(session_fixture_event(self, "notice", 2));
    session_fixture_free(self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_images_stay_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
