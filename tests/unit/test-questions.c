/*
 * Questions that go out as events: what a choice says, and its answer.
 */
#include "unit.h"

#include "agent/questions.h"
#include "base/mask.h"
#include "base/worker.h"
#include "tool/question_edit.h"

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
        { { .tool = &tool, .title = "Which?", .options = options },
          "{\"method\":\"select\",\"tool\":\"ask\",\"title\":\"Which?\",\"options\":[\"a\",\"b\"],"
          "\"type\":\"question\",\"id\":\"q1\"}" },
        { { .tool = &tool, .title = "Which?", .options = options, .marked = 1 },
          "{\"method\":\"select\",\"tool\":\"ask\",\"title\":\"Which?\",\"options\":[\"a\",\"b\"],"
          "\"marked\":1,\"type\":\"question\",\"id\":\"q1\"}" },
        { { .tool = &tool, .title = "Which?", .options = options, .checks = 1, .is_again = true },
          "{\"method\":\"select\",\"tool\":\"ask\",\"title\":\"Which?\",\"options\":[\"a\",\"b\"],"
          "\"checks\":1,\"again\":true,\"type\":\"question\",\"id\":\"q1\"}" },
        { { .tool = &tool, .title = "What?", .marked = 1 },
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

// ---- what is allowed for the rest of the session ----

typedef struct Approval {
    Questions *questions;
    const char *allowance;
    bool is_approved;
    Worker *worker;
} Approval;

static void ask_approval(void *self_)
{
    static const ToolDef tool = { .name = "gh", .label = "gh" };
    Approval *self = self_;
    g_autoptr(json_t) none = json_object();
    const ToolQuestion question = {
        .tool = &tool,
        .effect = EFFECT_WRITE,
        .summary = "writes",
        .text = "WRITE",
        .allowance = self->allowance,
        .digest = "d1",
        .arguments = none,
    };
    questions_ask(&question, NULL, &self->is_approved, self->questions, NULL);
}

static char *id_of_allowance(Questions *questions, const char *allowance)
{
    g_autoptr(json_t) open = questions_open(questions);
    size_t i = 0;
    json_t *event = NULL;
    json_array_foreach (open, i, event) {
        if (g_strcmp0(json_get_text(event, "allowance"), allowance) == 0)
            return g_strdup(json_get_text(event, "id"));
    }
    return NULL;
}

static void wait_for_count(Questions *questions, size_t count)
{
    for (gint64 i = 0; i < GUARD_MS; i++) {
        g_autoptr(json_t) open = questions_open(questions);
        if (json_array_size(open) == count)
            return;
        g_usleep(1000);
    }
    fail_msg("there are not %zu questions", count);
}

/* The answer for one is that for all that are alike, and for no other. */
static void test_allow(void **state G_GNUC_UNUSED)
{
    static const char *const kinds[] = { "a on h/o/r", "a on h/o/r", "b on h/o/r", NULL };
    g_autoptr(Loop) loop = loop_new();
    EventHub *hub = event_hub_new(loop, nothing, NULL);
    Questions *questions = questions_new(hub, 0);
    g_autoptr(Allowances) allowances = allowances_new();
    Approval approvals[4] = { 0 };
    for (size_t i = 0; i < 4; i++) {
        approvals[i] = (Approval) { .questions = questions, .allowance = kinds[i] };
        approvals[i].worker = worker_start("ask", ask_approval, &approvals[i]);
    }
    wait_for_count(questions, 4);
    g_autofree char *first = id_of_allowance(questions, "a on h/o/r");
    assert_true(questions_allow(questions, first, allowances, NULL));
    wait_for_count(questions, 2);
    g_autofree char *plain = id_of_allowance(questions, NULL);
    assert_true(questions_allow(questions, plain, allowances, NULL)); // yes, this once
    g_autofree char *last = id_of_allowance(questions, "b on h/o/r");
    assert_true(questions_answer(questions, last, false, NULL));
    assert_false(questions_allow(questions, last, allowances, NULL));
    for (size_t i = 0; i < 4; i++) {
        worker_join(approvals[i].worker);
        assert_int_equal(approvals[i].is_approved, g_strcmp0(kinds[i], "b on h/o/r") != 0);
    }
    g_auto(GStrv) list = allowances_list(allowances);
    assert_int_equal(g_strv_length(list), 1);
    assert_string_equal(list[0], "a on h/o/r");
    questions_free(questions);
    event_hub_free(hub);
}

/* An answer that names the call is for that one alone. */
static void test_digest(void **state G_GNUC_UNUSED)
{
    g_autoptr(Loop) loop = loop_new();
    EventHub *hub = event_hub_new(loop, nothing, NULL);
    Questions *questions = questions_new(hub, 0);
    Approval approval = { .questions = questions };
    approval.worker = worker_start("ask", ask_approval, &approval);
    g_autoptr(json_t) open = wait_for_open(questions);
    assert_string_equal(json_get_text(json_array_get(open, 0), "digest"), "d1");
    assert_true(questions_check_digest(questions, "q1", NULL, NULL));
    assert_true(questions_check_digest(questions, "q1", "d1", NULL));
    assert_false(questions_check_digest(questions, "q1", "d2", NULL));
    assert_false(questions_check_digest(questions, "q2", "d1", NULL));
    assert_true(questions_answer(questions, "q1", true, NULL));
    worker_join(approval.worker);
    assert_true(approval.is_approved);
    questions_free(questions);
    event_hub_free(hub);
}

static void test_editable(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *arguments, *text, *edited; // NULL: there is nothing to be changed
    } rows[] = {
        { "{\"op\":\"pr_create\",\"body\":\"one\\ntwo\"}", "one\ntwo",
          "{\"op\":\"pr_create\",\"body\":\"new\"}" },
        { "{\"command\":\"ls\"}", "ls", "{\"command\":\"new\"}" },
        { "{\"args\":[\"issue\",\"comment\",\"--body\",\"x\",\"8\"]}", "x",
          "{\"args\":[\"issue\",\"comment\",\"--body\",\"new\",\"8\"]}" },
        { "{\"args\":[\"api\",\"-f\",\"body=x\"]}", "x",
          "{\"args\":[\"api\",\"-f\",\"body=new\"]}" },
        { "{\"args\":[\"pr\",\"merge\",\"171\"]}", NULL, NULL },
        { "{\"args\":[\"--body\"]}", NULL, NULL },
        { "{\"path\":\"x\"}", NULL, NULL },
        { "{\"body\":7}", NULL, NULL },
        { "{\"body\":\"key " MASK_TEXT "\"}", NULL, NULL }, // the secret would be lost
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(json_t) arguments = NULL;
        assert_true(json_parse_text(rows[i].arguments, &arguments, NULL));
        g_autoptr(json_t) edited = question_edited(arguments, "new");
        g_autofree char *json = edited ? json_to_text(edited) : NULL;
        if (g_strcmp0(question_editable(arguments), rows[i].text) != 0 ||
            g_strcmp0(json, rows[i].edited) != 0)
            fail_msg("%s: '%s', %s", rows[i].arguments, question_editable(arguments), json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_choice),
                                        cmocka_unit_test(test_digest),
                                        cmocka_unit_test(test_editable),
                                        cmocka_unit_test(test_patience),
                                        cmocka_unit_test(test_allow) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
