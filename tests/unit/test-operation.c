/*
 * agenttools/operation.c, answer.c, input.c: the envelope of every outcome, time limits, JSON
 * input.
 */
#include "operation_fixture.h"

#include "agenttools/input.h"

typedef struct ProbeArgs {
    const char *what;
    int64_t sleep_ms;
} ProbeArgs;

static const FieldDef probe_fields[] = {
    { "what", FIELD_STRING, offsetof(ProbeArgs, what), .is_required = true, .refuses_blank = true },
    { "sleepMs", FIELD_INTEGER, offsetof(ProbeArgs, sleep_ms) },
    { 0 },
};

static const FieldDef probe_output[] = { { "value", FIELD_JSON, .help = "What was wanted" },
                                         { 0 } };

static bool probe_run(OperationCall *call, const void *args_, Answer *answer, GError **error)
{
    const ProbeArgs *args = args_;
    if (strcmp(args->what, "null") == 0)
        answer_set_data(answer, json_null());
    if (strcmp(args->what, "two") == 0) {
        answer_set_data(answer, json_integer(1));
        answer_fail(answer, ANSWER_CONFLICT, answer_hint("look"), "First %s", "problem");
        answer_fail(answer, ANSWER_IO, NULL,
                    "Second problem ghp_abcdefghijklmnopqrstuvwxyz0123456789");
        answer_warn(answer, "Careful");
    }
    if (strcmp(args->what, "gone") == 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "no such thing");
    if (strcmp(args->what, "lost") == 0)
        return answer_error(error, ANSWER_LEASE_LOST, NULL, "Lease lost");
    return args->sleep_ms == 0 || cancel_sleep(call->cancel, args->sleep_ms, error);
}

static const OperationDef probe = {
    .tool = { .name = "probe",
              .label = "Probe",
              .summary = "Answer as told",
              .fields = probe_fields,
              .args_size = sizeof(ProbeArgs),
              .effect = EFFECT_READ,
              .flags = OPERATION_FLAGS,
              OPERATION_HOOKS },
    .module = "probe-module",
    .output = probe_output,
    .timeout_ms = 50,
    .run = probe_run,
};

static void test_envelopes(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "null is an answer", "{'what':'null'}",
          "{\"success\":true,\"tool\":\"probe-module\",\"data\":null}" },
        { "no data is null", "{'what':'x'}",
          "{\"success\":true,\"tool\":\"probe-module\",\"data\":null}" },
        { "several errors, data kept, secrets gone", "{'what':'two'}",
          "{\"success\":false,\"tool\":\"probe-module\",\"data\":1,\"errors\":[\"First problem\","
          "\"Second problem [REDACTED]\"],\"error_details\":[{\"code\":\"conflict\",\"message\":"
          "\"First problem\",\"hint\":\"look\"},{\"code\":\"io\",\"message\":\"Second problem "
          "[REDACTED]\"}],\"warnings\":[\"Careful\"]}" },
        { "an error of a lower layer", "{'what':'gone'}",
          "{\"success\":false,\"tool\":\"probe-module\",\"errors\":[\"no such thing\"],"
          "\"error_details\":[{\"code\":\"not_found\",\"message\":\"no such thing\"}]}" },
        { "an error with a code", "{'what':'lost'}",
          "{\"success\":false,\"tool\":\"probe-module\",\"errors\":[\"Lease lost\"],"
          "\"error_details\":[{\"code\":\"lease_lost\",\"message\":\"Lease lost\"}]}" },
        { "its time is over", "{'what':'x','sleepMs':10000}",
          "{\"success\":false,\"tool\":\"probe-module\",\"errors\":[\"Timed out after 50 ms\"],"
          "\"error_details\":[{\"code\":\"timeout\",\"message\":\"Timed out after 50 ms\","
          "\"retryable\":true}]}" },
        { "a problem of the arguments, an unknown field besides", "{'wat':'x'}",
          "{\"success\":false,\"tool\":\"probe-module\",\"errors\":[\"Validation failed: what is "
          "required and must be a non-empty string\"],\"error_details\":[{\"code\":\"validation\","
          "\"message\":\"Validation failed: what is required and must be a non-empty string\","
          "\"field\":\"what\"}],\"warnings\":[\"Unknown field \\\"wat\\\" ignored (did you mean "
          "\\\"what\\\"?)\"]}" },
    };
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) envelope = operation_call(fixture, &probe, json_of(cases[i].in));
        g_autofree char *got = answer_text(envelope, true);
        assert_text(cases[i].name, got, cases[i].want);
    }
}

static void test_strict_and_read_only(void **state G_GNUC_UNUSED)
{
    g_autoptr(ToolFixture) fixture = tool_fixture_new(NULL, false);
    g_autoptr(json_t) arguments = json_of("{'what':'x','zebra':1}");
    const ToolDoor strict = { .kind = DOOR_TYPED, .is_strict = true };
    const ToolCallSpec spec = {
        .tool = &probe.tool,
        .arguments = arguments,
        .context = fixture->context,
        .door = &strict,
    };
    g_auto(ToolResult) result = { 0 };
    tool_call(&spec, &result);
    const json_t *envelope = operation_envelope(&result);
    assert_string_equal(json_string_value(json_array_get(json_get_array(envelope, "errors"), 0)),
                        "Validation failed: Unknown field \"zebra\"");

    OperationDef writer = probe;
    writer.tool.effect = EFFECT_WRITE;
    const ToolDoor reads = { .kind = DOOR_DIRECT, .is_read_only = true };
    g_autoptr(json_t) good = json_of("{'what':'x'}");
    const ToolCallSpec refused_spec = {
        .tool = &writer.tool,
        .arguments = good,
        .context = fixture->context,
        .door = &reads,
    };
    g_auto(ToolResult) refused = { 0 };
    tool_call(&refused_spec, &refused);
    assert_true(refused.is_error);
    envelope = operation_envelope(&refused);
    const json_t *detail = json_array_get(json_get_array(envelope, "error_details"), 0);
    assert_string_equal(json_get_text(detail, "code"), "permission");
    assert_non_null(strstr(json_get_text(detail, "message"), "only reads"));
}

static void test_text(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) value = json_object();
    json_set_text(value, "a", "/é\x1b[0m \xc2\x9b \x7f \"1e5\"");
    json_set_take(value, "b", json_real(1e20));
    json_set_take(value, "c", json_real(-2.5e-7));
    json_set_int(value, "d", G_MAXINT64);
    g_autofree char *text = answer_text(value, true);
    assert_string_equal(text, "{\"a\":\"/é\\u001B[0m \\u009B \\u007F \\\"1e5\\\"\",\"b\":"
                              "100000000000000000000.0,\"c\":-0.00000025,\"d\":"
                              "9223372036854775807}");
}

static void test_json_input(void **state G_GNUC_UNUSED)
{
    g_autofree char *deep = g_strnfill(65, '[');
    g_autofree char *too_deep = g_strconcat("{\"a\":\n", deep, NULL);
    const struct {
        const char *name, *in, *want, *code;
    } cases[] = {
        { "cli-A-02: empty", "", "No input provided", "no_input" },
        { "cli-A-02: blank", " \n\t", "No input provided", "no_input" },
        { "cli-A-03", "{\"owner\":",
          "Invalid JSON input: unexpected end of input at line 1, column 10", "invalid_json" },
        { "cut in a string", "{\"owner\":\"a\n",
          "Invalid JSON input: unexpected '\"a' at line 1, column 10", "invalid_json" },
        { "cli-A-04: array", "[]", "Invalid JSON input: expected an object, got an array", NULL },
        { "cli-A-04: string", "\"x\"", "Invalid JSON input: expected an object, got a string",
          NULL },
        { "cli-A-04: number", "1", "Invalid JSON input: expected an object, got a number", NULL },
        { "cli-A-04: two", "{} {}", "Invalid JSON input: unexpected '{' at line 1, column 4",
          NULL },
        { "cli-A-04: bytes", "\xff\xfe", "Invalid JSON input: not valid UTF-8 at byte 1", NULL },
        { "a brace too many", "{\n\"a\": 1,\n      \"b\": }",
          "Invalid JSON input: unexpected '}' at line 3, column 12", NULL },
        { "cli-A-08", "{\"owner\":\"a\",\"owner\":\"b\"}",
          "Invalid JSON input: duplicate key \"owner\" at line 1, column 14", NULL },
        { "cli-A-11: depth", too_deep,
          "Invalid JSON input: nesting is deeper than 64 levels at line 2", NULL },
        { "a byte-order mark", "\xef\xbb\xbf{}", NULL, NULL },
        { "brackets in strings do not nest", "{\"a\":\"[[[[\\\"[[\"}", NULL, NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) object = NULL;
        g_autoptr(GError) error = NULL;
        bool is_good = agent_input_parse(cases[i].in, strlen(cases[i].in), &object, &error);
        if (is_good != (cases[i].want == NULL))
            fail_msg("%s: %s", cases[i].name, is_good ? "does not fail" : error->message);
        if (!is_good)
            assert_text(cases[i].name, error->message, cases[i].want);
    }
    g_autofree char *huge = g_strnfill(LIMIT_AGENT_INPUT_BYTES + 1, ' ');
    g_autoptr(json_t) object = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(agent_input_parse(huge, LIMIT_AGENT_INPUT_BYTES + 1, &object, &error));
    assert_string_equal(error->message, "Input too large: the limit is 8388608 bytes"); // cli-A-11
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_envelopes),
        cmocka_unit_test(test_strict_and_read_only),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_json_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
