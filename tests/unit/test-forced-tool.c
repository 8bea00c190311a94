/*
 * A tool that the answer is to call, as each wire says it.
 */
#include "model_fixture.h"

#include "model/provider.h"

static const struct {
    const char *name;
    ModelApi api;
    const char *compat;        // quoted with '; NULL: none
    const char *member, *want; // of the body; want NULL: it is not there
} cases[] = {
    { "Anthropic", MODEL_API_ANTHROPIC_MESSAGES, NULL, "tool_choice",
      "{'type':'tool','name':'read'}" },
    { "Anthropic does not think before it", MODEL_API_ANTHROPIC_MESSAGES, NULL, "thinking", NULL },
    { "Chat Completions", MODEL_API_OPENAI_COMPLETIONS, NULL, "tool_choice",
      "{'type':'function','function':{'name':'read'}}" },
    { "a server that knows no choice", MODEL_API_OPENAI_COMPLETIONS, "{'supportsToolChoice':false}",
      "tool_choice", NULL },
    { "one that does not think before it", MODEL_API_OPENAI_COMPLETIONS,
      "{'disableReasoningOnForcedToolChoice':true}", "reasoning_effort", NULL },
    { "Responses", MODEL_API_OPENAI_RESPONSES, NULL, "tool_choice",
      "{'type':'function','name':'read'}" },
    { "Gemini", MODEL_API_GOOGLE_GENERATIVE_AI, NULL, "toolConfig",
      "{'functionCallingConfig':{'mode':'ANY','allowedFunctionNames':['read']}}" },
};

static json_t *body_with(ModelApi api, const char *compat, const char *forced_tool)
{
    g_autoptr(Model) model = test_model(api);
    g_autoptr(json_t) messages = json_of("[{'role':'user','content':'go'}]");
    g_autoptr(json_t) tools =
        json_of("[{'name':'read','description':'','parameters':{'type':'object'}}]");
    model->is_reasoning = true;
    if (compat)
        model->compat = json_of(compat);
    const ProviderRequest request = {
        .model = model,
        .messages = messages,
        .tools = tools,
        .forced_tool = forced_tool,
        .thinking = THINKING_HIGH,
    };
    return body_of(&request);
}

static void test_wires(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) body = body_with(cases[i].api, cases[i].compat, "read");
        const json_t *got = json_object_get(body, cases[i].member);
        if (cases[i].want)
            assert_json(cases[i].name, got, cases[i].want);
        else if (got)
            fail_msg("%s: %s is there", cases[i].name, cases[i].member);
    }
}

static void test_none(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) body = body_with(cases[i].api, cases[i].compat, NULL);
        assert_null(json_object_get(body, "tool_choice"));
        assert_null(json_object_get(body, "toolConfig"));
    }
    g_autoptr(json_t) body = body_with(MODEL_API_ANTHROPIC_MESSAGES, NULL, NULL);
    assert_non_null(json_object_get(body, "thinking"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wires),
        cmocka_unit_test(test_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
