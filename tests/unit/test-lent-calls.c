/*
 * tool/lent_calls.c: a question of a command that outlives the call it began in ends with the call.
 */
#include "tool_fixture.h"

#include "base/worker.h"
#include "tool/lent_calls.h"

#include <stdatomic.h>

static struct {
    ToolFixture *fixture;
    atomic_bool is_open, is_over; // the question
    bool is_refused;
} asking;

static bool ask_for_ever(const ToolQuestion *question G_GNUC_UNUSED, Cancel *cancel,
                         bool *ret_approved G_GNUC_UNUSED, void *user_data G_GNUC_UNUSED,
                         GError **error)
{
    atomic_store(&asking.is_open, true);
    while (cancel_sleep(cancel, 1000, error))
        continue;
    atomic_store(&asking.is_over, true);
    return false;
}

static const FieldDef no_fields[] = { { 0 } };

static bool nothing_run(ToolCall *call G_GNUC_UNUSED, const void *args G_GNUC_UNUSED,
                        ToolResult *result G_GNUC_UNUSED, GError **error G_GNUC_UNUSED)
{
    return true;
}

static const ToolDef tool_asked = { .name = "asked",
                                    .summary = "Asks",
                                    .effect = EFFECT_DESTRUCTIVE,
                                    .fields = no_fields,
                                    .run = nothing_run };

static void command_work(void *data G_GNUC_UNUSED)
{
    g_autoptr(json_t) arguments = json_object();
    g_autoptr(Cancel) cancel = cancel_new(NULL); // of nobody: only the call can end the question
    g_auto(ToolResult) result = { 0 };
    lent_calls_make(asking.fixture->context, &tool_asked, arguments, cancel, NULL, &result);
    asking.is_refused = result.is_error;
}

/* A command begins, is in the middle of its question, and the call ends. */
static bool lender_run(ToolCall *call, const void *args G_GNUC_UNUSED, ToolResult *result,
                       GError **error G_GNUC_UNUSED)
{
    lent_calls_begin(call);
    Worker *worker = worker_start("command", command_work, NULL);
    while (!atomic_load(&asking.is_open))
        g_usleep(100);
    lent_calls_end(call, result);
    assert_true(atomic_load(&asking.is_over));
    worker_join(worker);
    tool_result_add_text(result, "done");
    return true;
}

static const ToolDef tool_lender = { .name = "lender",
                                     .summary = "Runs a command",
                                     .effect = EFFECT_READ,
                                     .fields = no_fields,
                                     .run = lender_run };

static void test_question_ends_with_the_call(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(json_t) arguments = json_object();
    const ToolDoor door = { .kind = DOOR_AGENT, .ask = ask_for_ever };
    const ToolCallSpec spec = {
        .tool = &tool_lender, .arguments = arguments, .context = fixture->context, .door = &door
    };
    g_auto(ToolResult) result = { 0 };
    asking.fixture = fixture;
    tool_call(&spec, &result);
    g_autofree char *text = tool_result_text(&result);
    assert_string_equal(text, "done");
    assert_true(asking.is_refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_question_ends_with_the_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
