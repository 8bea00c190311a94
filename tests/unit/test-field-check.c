/*
 * base/field_check.c, field_facts.c: problems as sentences, unknown fields, facts in the schema,
 * raw flags.
 */
#include "unit.h"

#include "base/field.h"

typedef struct Args {
    const char *owner, *body, *event;
    int64_t number, limit, priority;
    const json_t *comments, *ids, *target, *names, *payload, *data, *result;
    bool is_draft;
} Args;

static const char *const events[] = { "APPROVE", "COMMENT", NULL };

static const FieldDef comment_fields[] = {
    { "path", FIELD_STRING, .is_required = true, .refuses_blank = true },
    { "line", FIELD_INTEGER, .is_required = true, .min = 1 },
    { "side", FIELD_STRING, .default_text = "\"RIGHT\"" },
    { 0 },
};

static const FieldDef fields[] = {
    { "owner", FIELD_STRING, offsetof(Args, owner), .is_required = true, .refuses_blank = true },
    { "number", FIELD_INTEGER, offsetof(Args, number), .is_required = true, .min = 1 },
    { "event", FIELD_ENUM, offsetof(Args, event), .is_required = true, .values = events },
    { "body", FIELD_STRING, offsetof(Args, body), .max_chars = 5 },
    { "limit", FIELD_INTEGER, offsetof(Args, limit), .min = 1 },
    { "priority", FIELD_INTEGER, offsetof(Args, priority), .min = -100, .max = 100 },
    { "comments", FIELD_OBJECT_LIST, offsetof(Args, comments), .item_fields = comment_fields,
      .max_items = 2 },
    { "ids", FIELD_INTEGER_LIST, offsetof(Args, ids), .min = 1, .flag = "depends-on" },
    { "target", FIELD_OBJECT, offsetof(Args, target), .item_fields = comment_fields },
    { "names", FIELD_STRING_OR_LIST, offsetof(Args, names) },
    { "isDraft", FIELD_BOOLEAN, offsetof(Args, is_draft) },
    { "payload", FIELD_JSON, offsetof(Args, payload), .problem = "Payload must be valid JSON" },
    { "data", FIELD_OBJECT, offsetof(Args, data), .problem = "--data must be an object" },
    { "result", FIELD_JSON, offsetof(Args, result), .is_json_or_text = true },
    { 0 },
};

static const FieldDef worded[] = {
    { "id", FIELD_INTEGER, 0, .is_required = true, .min = 1, .missing = "ID is required",
      .problem = "Invalid ID: '{value}'" },
    { 0 },
};

// Problems, then unknown fields after "?", joined by "|".
static char *check(const FieldDef *table, const char *text)
{
    g_autofree char *proper = g_strdelimit(g_strdup(text), "'", '"');
    g_autoptr(json_t) value = NULL;
    if (!json_parse_text(proper, &value, NULL))
        fail_msg("not JSON: %s", text);
    Args args = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    g_autoptr(GPtrArray) unknown = field_problems_new();
    bool is_good = field_check(table, value, &args, &kept, problems, unknown);
    assert_int_equal(is_good, problems->len == 0);
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < problems->len; i++)
        g_string_append_printf(out, "%s%s", out->len > 0 ? "|" : "",
                               ((FieldProblem *)problems->pdata[i])->text);
    for (unsigned i = 0; i < unknown->len; i++)
        g_string_append_printf(out, "?%s", ((FieldProblem *)unknown->pdata[i])->text);
    return g_string_free(out, FALSE);
}

#define GOOD "'owner':'o','number':4,'event':'COMMENT'"

static void test_sentences(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *in, *want;
    } cases[] = {
        { "cli-A-05: table order", "{}",
          "owner is required and must be a non-empty string|number is required and must be a "
          "positive integer|event must be one of: APPROVE, COMMENT" },
        { "cli-A-06: text", "{'owner':'o','event':'COMMENT','number':'42'}",
          "number is required and must be a positive integer" },
        { "cli-A-06: zero", "{'owner':'o','event':'COMMENT','number':0}",
          "number is required and must be a positive integer" },
        { "cli-A-06: fraction", "{'owner':'o','event':'COMMENT','number':1.5}",
          "number is required and must be a positive integer" },
        { "cli-A-06: true", "{'owner':'o','event':'COMMENT','number':true}",
          "number is required and must be a positive integer" },
        { "cli-A-06: null", "{'owner':'o','event':'COMMENT','number':null}",
          "number is required and must be a positive integer" },
        { "cli-A-06: a whole double", "{'owner':'o','event':'COMMENT','number':42.0}", "" },
        { "blank", "{'owner':' ','number':1,'event':'COMMENT'}",
          "owner is required and must be a non-empty string" },
        { "optional integer", "{" GOOD ",'limit':0}", "limit must be a positive integer" },
        { "range", "{" GOOD ",'priority':101}", "priority must be an integer from -100 to 100" },
        { "enum", "{'owner':'o','number':1,'event':'x'}",
          "event must be one of: APPROVE, COMMENT" },
        { "too long", "{" GOOD ",'body':'123456'}", "body is too long: 6 characters (limit 5)" },
        { "characters, not bytes", "{" GOOD ",'body':'ééééé'}", "" },
        { "wrong type of a list", "{" GOOD ",'comments':{}}", "comments must be an array" },
        { "path of an item", "{" GOOD ",'comments':[{'path':'a','line':1},{'path':'a','line':-1}]}",
          "comments[1].line is required and must be a positive integer" },
        { "item of another type", "{" GOOD ",'comments':[7]}", "comments[0] must be an object" },
        { "too many items", "{" GOOD ",'comments':[{},{},{}]}",
          "comments has too many items: 3 (limit 2)" },
        { "cli-A-07: unknown in an item", "{" GOOD ",'comments':[{'path':'a','line':1,'lin':2}]}",
          "?Unknown field \"lin\" ignored (did you mean \"line\"?)" },
        { "unknown with nothing near", "{" GOOD ",'zebra':1}", "?Unknown field \"zebra\" ignored" },
        { "an unknown null is nothing", "{" GOOD ",'zebra':null}", "" },
        { "integers", "{" GOOD ",'ids':[1,'2']}", "ids[1] must be a positive integer" },
        { "nested object", "{" GOOD ",'target':{'path':''}}",
          "target.path is required and must be a non-empty string|target.line is required and must "
          "be a positive integer" },
        { "one string for a list", "{" GOOD ",'names':'a'}", "" },
        { "its items", "{" GOOD ",'names':['a',1]}", "names[1] must be a string" },
        { "boolean", "{" GOOD ",'isDraft':'yes'}", "isDraft must be a boolean" },
        { "own words", "{" GOOD ",'data':[1]}", "--data must be an object" },
        { "not an object", "[1]",
          "the input must be an object|owner is required and must be a non-empty string|number is "
          "required and must be a positive integer|event must be one of: APPROVE, COMMENT" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = check(fields, cases[i].in);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s:\n got  %s\n want %s", cases[i].name, got, cases[i].want);
    }
    g_autofree char *missing = check(worded, "{}");
    assert_string_equal(missing, "ID is required");
    g_autofree char *wrong = check(worded, "{'id':'x'}");
    assert_string_equal(wrong, "Invalid ID: 'x'");
    g_autofree char *negative = check(worded, "{'id':-3}");
    assert_string_equal(negative, "Invalid ID: '-3'");
}

static void test_decoded_values(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) value = NULL;
    assert_true(
        json_parse_text("{\"owner\":\"o\",\"number\":9007199254740993,\"event\":\"COMMENT\","
                        "\"names\":\"n\",\"comments\":[{\"path\":\"p\",\"line\":2}]}",
                        &value, NULL));
    Args args = { 0 };
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) problems = g_ptr_array_new();
    g_autoptr(GPtrArray) unknown = g_ptr_array_new();
    assert_true(field_check(fields, value, &args, &kept, problems, unknown));
    assert_int_equal(args.number, 9007199254740993);
    assert_int_equal(json_array_size(args.names), 1);
    assert_string_equal(json_get_text(json_array_get(args.comments, 0), "side"), "RIGHT");
}

static void test_raw_flags(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *words, *want;
    } cases[] = {
        { "a number", "--number 7", "{\"number\":7}" },
        { "no number: for the check to word", "--number x", "{\"number\":\"x\"}" },
        { "a list with commas, by its short name", "--depends-on 1,2 --depends-on x",
          "{\"ids\":[1,2,\"x\"]}" },
        { "by its long name", "--ids 3", "{\"ids\":[3]}" },
        { "JSON", "--payload {\"a\":1}", "{\"payload\":{\"a\":1}}" },
        { "JSON of another kind", "--payload 5", "{\"payload\":5}" },
        { "no JSON", "--payload {", "Payload must be valid JSON" },
        { "no JSON for an object", "--data {", "--data must be valid JSON" },
        { "text that may be JSON", "--result 5", "{\"result\":\"5\"}" },
        { "and is", "--result [5]", "{\"result\":[5]}" },
        { "repeated", "--names a --names b", "{\"names\":[\"a\",\"b\"]}" },
        { "any value of an enum", "--event zzz", "{\"event\":\"zzz\"}" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(GStrv) argv = g_strsplit(cases[i].words, " ", -1);
        g_autoptr(json_t) arguments = NULL;
        g_autoptr(GError) error = NULL;
        bool is_good = field_from_argv_raw(fields, (int)g_strv_length(argv), argv, &arguments, NULL,
                                           NULL, &error);
        g_autofree char *got = is_good ? json_to_text(arguments) : g_strdup(error->message);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].name, got, cases[i].want);
    }
}

static void test_schema_facts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *path, *want;
    } cases[] = {
        { "properties.owner", "{\"type\":\"string\",\"pattern\":\"\\\\S\"}" },
        { "properties.number", "{\"type\":\"integer\",\"minimum\":1}" },
        { "properties.priority", "{\"type\":\"integer\",\"minimum\":-100,\"maximum\":100}" },
        { "properties.body", "{\"type\":\"string\",\"maxLength\":5}" },
        { "properties.ids", "{\"type\":\"array\",\"items\":{\"type\":\"integer\",\"minimum\":1}}" },
        { "properties.comments.maxItems", "2" },
        { "properties.payload", "{}" },
        { "required", "[\"owner\",\"number\",\"event\"]" },
    };
    g_autoptr(json_t) schema = field_schema(fields);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = json_to_text(json_get_path(schema, cases[i].path));
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s, want %s", cases[i].path, got, cases[i].want);
    }
    g_autoptr(json_t) output = field_output_schema(fields);
    g_autofree char *body = json_to_text(json_get_path(output, "properties.body.type"));
    assert_string_equal(body, "[\"string\",\"null\"]");
    assert_null(json_get_path(output, "additionalProperties"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_decoded_values),
        cmocka_unit_test(test_raw_flags),
        cmocka_unit_test(test_schema_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
