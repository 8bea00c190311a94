/*
 * A model with more room takes over a conversation that is too long for the chosen one, in the
 * place of compacting it; never one that cannot be asked or that the person does not want to be
 * asked.
 */
#include "unit.h"

#include "base/file.h"
#include "session_fixture.h"

#define OVERFLOW "This model's maximum context length is 10000 tokens"

/* A conversation with lab/small, which has room for 10000 tokens and names `target`. */
static SessionFixture *fixture_new(const char *target, const char *settings)
{
    SessionFixture *self = session_fixture_new(settings);
    g_autofree char *path = g_build_filename(self->agent->root, "models.yml", NULL);
    g_autofree char *text =
        g_strdup_printf("providers:\n"
                        "  lab:\n"
                        "    baseUrl: http://127.0.0.1:%1$d/v1\n"
                        "    api: openai-completions\n"
                        "    auth: none\n"
                        "    models:\n"
                        "      - id: coder\n"
                        "      - {id: small, contextWindow: 10000, contextPromotionTarget: %2$s}\n"
                        "      - {id: same, contextWindow: 10000}\n"
                        "      - {id: little-more, contextWindow: 10100}\n"
                        "      - {id: large, contextWindow: 30000}\n"
                        "  groq:\n"
                        "    baseUrl: http://127.0.0.1:%1$d/v1\n"
                        "    api: openai-completions\n"
                        "    models: [{id: large, contextWindow: 30000}]\n"
                        "  unwanted:\n"
                        "    baseUrl: http://127.0.0.1:%1$d/v1\n"
                        "    api: openai-completions\n"
                        "    auth: none\n"
                        "    models: [{id: large, contextWindow: 30000}]\n",
                        sse_server_port(self->agent->server), target);
    assert_true(file_write_atomic(path, text, strlen(text), 0600, NULL));
    session_fixture_open(self);
    g_autoptr(json_t) unwanted = json_pack("[s]", "unwanted");
    model_registry_arrange(self->options.registry, unwanted, NULL);
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"small\"}", NULL));
    return self;
}

/* A prompt of about 1000 tokens, and its answer. */
static void talk(SessionFixture *self)
{
    g_autofree char *filler = g_strnfill(4000, 'x');
    sse_server_add_text(self->agent->server, "fine");
    assert_true(session_fixture_prompt(self, filler));
}

static void talk_long(SessionFixture *self)
{
    for (int i = 0; i < 4; i++)
        talk(self);
}

static const char *model_asked(SessionFixture *self, size_t index)
{
    return json_get_text(sse_server_request(self->agent->server, index), "model");
}

static void assert_told(SessionFixture *self)
{
    assert_null(session_fixture_event(self, "compaction_start", 0));
    const json_t *notice = session_fixture_event(self, "notice", 0);
    assert_non_null(notice);
    assert_string_equal(
        json_get_text(notice, "message"),
        "The context of lab/small is full: lab/large goes on, with room for 30000 tokens");
    assert_null(session_fixture_event(self, "notice", 1));
}

/* The request is made again, with all of the conversation, by the larger model. */
static void test_overflow(void **state G_GNUC_UNUSED)
{
    static const char *const targets[] = { "lab/large", "large" };
    for (size_t i = 0; i < G_N_ELEMENTS(targets); i++) {
        SessionFixture *self = fixture_new(targets[i], NULL);
        talk_long(self);
        sse_server_add_error(self->agent->server, 400, OVERFLOW);
        sse_server_add_text(self->agent->server, "got it");
        assert_true(session_fixture_prompt(self, "and now"));
        assert_int_equal(self->outcome.end, AGENT_DONE);
        assert_told(self);
        assert_string_equal(model_asked(self, 4), "small");
        assert_string_equal(model_asked(self, 5), "large");
        g_autofree char *refused = sse_server_conversation(self->agent->server, 4);
        g_autofree char *told = sse_server_conversation(self->agent->server, 5);
        assert_string_equal(told, refused);
        session_fixture_free(self);
    }
}

/* In the middle of a run; it stays while the conversation is long, and leaves when it is not. */
static void test_threshold(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = fixture_new("lab/large", NULL);
    SseServer *server = self->agent->server;
    talk_long(self);
    sse_server_set_usage(server, 8990, 10);
    sse_server_add_calls(server,
                         "[{\"id\":\"t1\",\"name\":\"echo\",\"arguments\":{\"text\":\"hi\"}}]");
    sse_server_add_text(server, "all done");
    assert_true(session_fixture_prompt(self, "go"));
    assert_told(self);
    assert_string_equal(model_asked(self, 4), "small");
    assert_string_equal(model_asked(self, 5), "large");

    sse_server_set_usage(server, 100, 10);
    sse_server_add_text(server, "still here");
    assert_true(session_fixture_prompt(self, "more"));
    assert_string_equal(model_asked(self, 6), "large");
    sse_server_add_text(server, "back again");
    assert_true(session_fixture_prompt(self, "less"));
    assert_string_equal(model_asked(self, 7), "small");
    assert_told(self);
    session_fixture_free(self);
}

/* An answer that had no room left is gone on with. */
static void test_cut(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = fixture_new("lab/large", NULL);
    talk_long(self);
    sse_server_set_usage(self->agent->server, 8990, 10);
    sse_server_add_text_ending(self->agent->server, "and so", "length");
    sse_server_add_text(self->agent->server, "on");
    assert_true(session_fixture_prompt(self, "go"));
    assert_told(self);
    assert_string_equal(model_asked(self, 5), "large");
    g_autofree char *told = sse_server_conversation(self->agent->server, 5);
    assert_non_null(strstr(told, "Go on where it stopped."));
    session_fixture_free(self);
}

/* What the person chooses in between is chosen. */
static void test_owner_chooses(void **state G_GNUC_UNUSED)
{
    SessionFixture *self = fixture_new("lab/large", NULL);
    sse_server_set_usage(self->agent->server, 8990, 10);
    talk(self);
    assert_told(self);
    assert_true(session_fixture_command(self, "set_model",
                                        "{\"provider\":\"lab\",\"modelId\":\"coder\"}", NULL));
    sse_server_set_usage(self->agent->server, 100, 10);
    for (size_t i = 1; i < 3; i++) {
        talk(self);
        assert_string_equal(model_asked(self, i), "coder");
    }
    session_fixture_free(self);
}

/* Compaction is what makes room then. */
static void test_not(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *target, *settings;
    } rows[] = {
        { "lab/large", "{\"contextPromotion\":{\"enabled\":false}}" },
        { "groq/large", NULL },     // no key
        { "unwanted/large", NULL }, // disabledProviders
        { "lab/nobody", NULL },
        { "lab/same", NULL },
        { "lab/small", NULL },
        { "lab/little-more", NULL }, // full at once
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        SessionFixture *self = fixture_new(rows[i].target, rows[i].settings);
        talk_long(self);
        sse_server_set_usage(self->agent->server, 8990, 10);
        sse_server_add_text(self->agent->server, "fine");
        sse_server_add_text(self->agent->server, "the summary");
        sse_server_add_text(self->agent->server, "in short");
        assert_true(session_fixture_prompt(self, "go"));
        assert_null(session_fixture_event(self, "notice", 0));
        assert_non_null(session_fixture_event(self, "compaction_end", 0));
        for (size_t k = 0; k < sse_server_request_count(self->agent->server); k++)
            assert_string_equal(model_asked(self, k), "small");
        session_fixture_free(self);
    }
}

int main(void)
{
    g_unsetenv("GROQ_API_KEY");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overflow), cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_cut),      cmocka_unit_test(test_owner_chooses),
        cmocka_unit_test(test_not),
    };
    return cmocka_run_group_tests_name("promotion", tests, NULL, NULL);
}
