/*
 * base/json_schema.c: what is checked of arguments that a stranger's schema describes.
 */
#include "unit.h"

#include "base/json_schema.h"

/* JSON written with ' for ". New reference. */
static json_t *json_of(const char *text)
{
    g_autofree char *proper = g_strdelimit(g_strdup(text), "'", '"');
    json_t *value = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_text(proper, &value, &error))
        fail_msg("%s: %s", text, error->message);
    return value;
}

#define SCHEMA                                                                                     \
    "{'type':'object','required':['path'],'properties':{'path':{'type':'string'},"                 \
    "'count':{'type':'integer'},'both':{'type':['integer','null']},"                               \
    "'mode':{'type':'string','enum':['a','b']},'list':{'type':'array','items':"                    \
    "{'type':'object','required':['x'],'properties':{'x':{'type':'number'}},"                      \
    "'additionalProperties':false}},'numbers':{'type':'array','items':{'type':'integer'}}}}"

static const struct {
    const char *name, *schema, *arguments;
    const char *want;     // JSON of what is accepted; NULL: refused
    const char *problems; // of a refusal
} cases[] = {
    { "required", SCHEMA, "{'count':2}", NULL, "  - path: must have required property 'path'\n" },
    { "types", SCHEMA, "{'path':'a','count':'x','mode':'c'}", NULL,
      "  - count: must be integer\n  - mode: must be one of: ['a','b']\n" },
    { "nested", SCHEMA, "{'path':'a','list':[{'x':1},{'y':2}]}", NULL,
      "  - list.1.x: must have required property 'x'\n  - list.1.y: unknown field\n" },
    { "no object", SCHEMA, "[1]", NULL, "  - (arguments): must be object\n" },
    { "required null", SCHEMA, "{'path':null}", NULL, "  - path: must be string\n" },
    { "coercion", SCHEMA, "{'path':5,'count':'5','numbers':'[1,\\\"2\\\"]'}",
      "{'path':'5','count':5,'numbers':[1,2]}", NULL },
    { "a bare item for a list", SCHEMA, "{'path':'a','numbers':7,'list':{'x':'1.5'}}",
      "{'path':'a','numbers':[7],'list':[{'x':1.5}]}", NULL },
    { "optional nulls go, wanted ones stay", SCHEMA, "{'path':'a','count':null,'both':null}",
      "{'path':'a','both':null}", NULL },
    { "unknown ones stay where the schema does not refuse them", SCHEMA, "{'path':'a','z':[1]}",
      "{'path':'a','z':[1]}", NULL },
    { "and go nowhere where it does", "{'type':'object','additionalProperties':false}", "{'z':1}",
      NULL, "  - z: unknown field\n" },
    { "nothing is an empty object", "{'type':'object'}", "null", "{}", NULL },
    { "what is not checked here",
      "{'type':'object','properties':{'a':{'anyOf':[{'type':'string'}],"
      "'pattern':'^x'},'b':{'$ref':'#/x'},'c':{'type':'zebra'}}}",
      "{'a':1,'b':2,'c':3}", "{'a':1,'b':2,'c':3}", NULL },
    { "a schema of wrong shapes says nothing",
      "{'type':'object','required':[1,{}],'properties':{'a':3,'b':{'type':5,'items':1,'enum':2}}}",
      "{'a':1,'b':[2]}", "{'a':1,'b':[2]}", NULL },
};

static void test_check(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(json_t) schema = json_of(cases[i].schema);
        g_autoptr(json_t) arguments = json_of(cases[i].arguments);
        g_autoptr(json_t) got = NULL;
        g_autoptr(GPtrArray) problems = field_problems_new();
        bool is_good = json_schema_check(schema, arguments, FIELD_LENIENT, &got, problems);
        g_autofree char *shown = g_strdelimit(field_problems_text(problems), "\"", '\'');
        if (is_good != (cases[i].want != NULL))
            fail_msg("%s: %s", cases[i].name, shown);
        if (!is_good)
            assert_string_equal(shown, cases[i].problems);
        g_autoptr(json_t) want = is_good ? json_of(cases[i].want) : NULL;
        if (is_good && !json_equal(got, want))
            fail_msg("%s: got %s", cases[i].name, json_to_text(got));
    }
}

static void test_exact(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) schema = json_of(SCHEMA);
    g_autoptr(json_t) arguments = json_of("{'path':'a','count':'5'}");
    g_autoptr(json_t) got = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    assert_false(json_schema_check(schema, arguments, FIELD_EXACT, &got, problems));
    g_autofree char *text = field_problems_text(problems);
    assert_string_equal(text, "  - count: must be integer\n");
}

static void test_many_problems(void **state G_GNUC_UNUSED)
{
    g_autoptr(json_t) schema = json_of("{'type':'object','additionalProperties':false}");
    g_autoptr(json_t) arguments = json_object();
    for (int i = 0; i < 60; i++) {
        g_autofree char *name = g_strdup_printf("n%d", i);
        json_set_int(arguments, name, 1);
    }
    g_autoptr(json_t) got = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    assert_false(json_schema_check(schema, arguments, FIELD_LENIENT, &got, problems));
    g_autofree char *text = field_problems_text(problems);
    assert_true(g_str_has_suffix(text, "  - …: 10 more problems\n"));
}

static void test_usable(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *schema, *problem; // NULL: usable
    } schemas[] = {
        { "{'type':'object'}", NULL },
        { SCHEMA, NULL },
        { "[]", "the schema of its arguments is no object" },
        { "{'type':'string'}", "the schema of its arguments has not the type \"object\"" },
        { "{'type':'object','properties':[]}", "\"properties\" of its schema is no object" },
        { "{'type':'object','required':{}}", "\"required\" of its schema is no array" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(schemas); i++) {
        g_autoptr(json_t) schema = json_of(schemas[i].schema);
        g_autoptr(GError) error = NULL;
        assert_int_equal(json_schema_is_of_object(schema, &error), schemas[i].problem == NULL);
        if (error)
            assert_string_equal(error->message, schemas[i].problem);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_many_problems),
        cmocka_unit_test(test_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
