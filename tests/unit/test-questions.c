/*
 * Questions that go out as events: what a choice says, and its answer.
 */
#include "unit.h"

#include "agent/questions.h"
#include "base/worker.h"

#define GUARD_MS (60 * 1000)

typedef struct Asker {
    Questions *questions;
    ToolChoice choice;
    ChoiceEnd end;
    char *text;
} Asker;

static void ask(void *self_)
{
    Asker *self = self_;
    questions_choose(&self->choice, NULL, &self->end, &self->text, self->questions, NULL);
}

/* The one that is open, when it is. */
static json_t *wait_for_open(Questions *questions)
{
    for (gint64 i = 0; i < GUARD_MS; i++) {
        json_t *open = questions_open(questions);
        if (json_array_size(open) > 0)
            return open;
        json_decref(open);
        g_usleep(1000);
    }
    fail_msg("no question was asked");
    return NULL;
}

static void nothing(void *data G_GNUC_UNUSED)
{
}

static void test_choice(void **state G_GNUC_UNUSED)
{
    static const ToolDef tool = { .name = "ask", .label = "Ask" };
    static const char *const options[] = { "a", "b", NULL };
    static const struct {
        ToolChoice choice;
        const char *event;
    } cases[] = {
        { { &tool, "Which?", options, 0, 0 },
          "{\"method\":\"select\",\"tool\":\"ask\",\"title\":\"Which?\",\"options\":[\"a\",\"b\"],"
          "\"type\":\"question\",\"id\":\"q1\"}" },
        { { &tool, "Which?", options, 1, 0 },
          "{\"method\":\"select\",\"tool\":\"ask\",\"title\":\"Which?\",\"options\":[\"a\",\"b\"],"
          "\"marked\":1,\"type\":\"question\",\"id\":\"q1\"}" },
        { { &tool, "What?", NULL, 1, 0 },
          "{\"method\":\"editor\",\"tool\":\"ask\",\"title\":\"What?\",\"type\":\"question\","
          "\"id\":\"q1\"}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(Loop) loop = loop_new();
        EventHub *hub = event_hub_new(loop, nothing, NULL);
        Questions *questions = questions_new(hub, 0);
        Asker asker = { .questions = questions, .choice = cases[i].choice };
        Worker *worker = worker_start("ask", ask, &asker);
        g_autoptr(json_t) open = wait_for_open(questions);
        g_autofree char *event = json_to_text(json_array_get(open, 0));
        assert_string_equal(event, cases[i].event);
        assert_true(questions_answer_text(questions, "q1", "b", false, NULL));
        worker_join(worker);
        assert_int_equal(asker.end, CHOICE_MADE);
        assert_string_equal(asker.text, "b");
        g_free(asker.text);
        questions_free(questions);
        event_hub_free(hub);
    }
}

/* ask.timeout is for those who do not say that the person needs time. */
static void test_patience(void **state G_GNUC_UNUSED)
{
    static const ToolDef tool = { .name = "ask", .label = "Ask" };
    for (int is_patient = 0; is_patient < 2; is_patient++) {
        g_autoptr(Loop) loop = loop_new();
        EventHub *hub = event_hub_new(loop, nothing, NULL);
        Questions *questions = questions_new(hub, GUARD_MS);
        Asker asker = { .questions = questions,
                        .choice = { .tool = &tool, .title = "?", .is_patient = is_patient } };
        Worker *worker = worker_start("ask", ask, &asker);
        g_autoptr(json_t) open = wait_for_open(questions);
        assert_int_equal(json_get_int(json_array_get(open, 0), "timeout", 0),
                         is_patient ? 0 : GUARD_MS);
        assert_true(questions_answer_text(questions, "q1", NULL, false, NULL));
        worker_join(worker);
        assert_int_equal(asker.end, CHOICE_CANCELLED);
        questions_free(questions);
        event_hub_free(hub);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_choice),
                                        cmocka_unit_test(test_patience) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
