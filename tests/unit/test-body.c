/*
 * model/body.c: the bytes of earlier messages stay the same, and are made once.
 */
#include "model_fixture.h"

#define TURNS 5

static const ModelApi apis[] = { MODEL_API_ANTHROPIC_MESSAGES, MODEL_API_OPENAI_COMPLETIONS,
                                 MODEL_API_OPENAI_RESPONSES, MODEL_API_GOOGLE_GENERATIVE_AI };

static void add_turn(json_t *messages, const Model *model, int turn)
{
    g_autofree char *text = g_strdup_printf(
        "[{'role':'user','content':'question %d \u00e9'},"
        "{'role':'assistant','api':'%s','provider':'mock','model':'m1','content':["
        "{'type':'thinking','thinking':'hm','thinkingSignature':'AAAA'},"
        "{'type':'toolCall','id':'call_0','name':'read','arguments':{'b':%d,'a':1.5}},"
        "{'type':'toolCall','id':'call_%d','name':'read','arguments':{}}]},"
        "{'role':'toolResult','toolCallId':'call_0','content':'one'},"
        "{'role':'toolResult','toolCallId':'call_%d','content':["
        "{'type':'image','data':'AA','mimeType':'image/png'}]}]",
        turn, model_api_name(model->api), turn, turn + 1, turn + 1);
    g_autoptr(json_t) more = json_of(text);
    json_array_extend(messages, more);
}

static char *without_markers(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, ",\"cache_control\":{\"type\":\"ephemeral\"}", -1);
    return g_strjoinv("", parts);
}

/* core-116 */
static void test_stable(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) tools =
        json_of("[{'name':'read','description':'R','parameters':{'type':'object'}}]");
    const char *const system[] = { "base", "project", NULL };
    for (size_t i = 0; i < G_N_ELEMENTS(apis); i++) {
        g_autoptr(Model) model = test_model(apis[i]);
        model->is_reasoning = true;
        g_autoptr(json_t) messages = json_array();
        g_autoptr(BodyCache) bodies = body_cache_new();
        ProviderRequest request = { .model = model,
                                    .messages = messages,
                                    .tools = tools,
                                    .system_blocks = system,
                                    .session_id = "s",
                                    .bodies = bodies };
        g_autofree char *before = NULL;
        for (int turn = 0; turn < TURNS; turn++) {
            add_turn(messages, model, turn);
            request.thinking = turn % 2 ? THINKING_HIGH : THINKING_OFF;
            size_t size;
            g_autofree char *text = body_make(&request, &size);
            assert_int_equal(body_cache_written(bodies), json_array_size(messages));

            ProviderRequest alone = request;
            alone.bodies = NULL;
            g_autofree char *anew = body_make(&alone, &size);
            assert_string_equal(text, anew); // the cache changes nothing

            g_autofree char *plain = without_markers(text);
            char *end = strrchr(plain, ']'); // of the messages: nothing behind them has a list
            assert_non_null(end);
            if (before && !g_str_has_prefix(plain, before))
                fail_msg("%s: request %d\n%s\nbegins otherwise than\n%s",
                         model_api_name(model->api), turn, plain, before);
            *end = '\0';
            g_free(before);
            before = g_steal_pointer(&plain);
        }
    }
}

static void test_changes(void **state G_GNUC_UNUSED)
{
    g_autoptr(Model) model = test_model(MODEL_API_ANTHROPIC_MESSAGES);
    g_autoptr(Model) other = test_model(MODEL_API_OPENAI_COMPLETIONS);
    g_autoptr(json_t) messages = json_array();
    for (int turn = 0; turn < TURNS; turn++)
        add_turn(messages, model, turn);
    g_autoptr(BodyCache) bodies = body_cache_new();
    ProviderRequest request = { .model = model, .messages = messages, .bodies = bodies };
    size_t size;
    g_free(body_make(&request, &size));
    size_t all = json_array_size(messages);
    assert_int_equal(body_cache_written(bodies), all);

    // a message is replaced, as pruning does: it and what follows is made anew
    json_t *pruned = json_of("{'role':'toolResult','toolCallId':'call_3','content':'gone'}");
    json_array_set_new(messages, 11, pruned);
    g_autofree char *after = body_make(&request, &size);
    assert_non_null(strstr(after, "gone"));
    assert_int_equal(body_cache_written(bodies), all + all - 9);
    ProviderRequest alone = request;
    alone.bodies = NULL;
    g_autofree char *anew = body_make(&alone, &size);
    assert_string_equal(after, anew);

    // another model is sent other texts
    request.model = other;
    alone.model = other;
    g_autofree char *chat = body_make(&request, &size);
    g_autofree char *chat_anew = body_make(&alone, &size);
    assert_string_equal(chat, chat_anew);

    // a history that became shorter
    while (json_array_size(messages) > 3)
        json_array_remove(messages, json_array_size(messages) - 1);
    g_autofree char *shorter = body_make(&request, &size);
    g_autofree char *shorter_anew = body_make(&alone, &size);
    assert_string_equal(shorter, shorter_anew);
    json_array_clear(messages);
    g_autofree char *empty = body_make(&request, &size);
    assert_non_null(strstr(empty, "\"messages\":[]"));
}

int main(void)
{
    clean_environment();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
