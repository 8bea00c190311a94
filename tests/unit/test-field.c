/*
 * base/field.c, field_schema.c, field_argv.c, field_reference.c: decoding, problems, schema, flags,
 * help, reference page.
 */
#include "base/str.h"
#include "unit.h"

#include "base/field.h"
#include "base/field_reference.h"

typedef struct Args {
    const char *path;
    int64_t line;
    double timeout;
    bool is_raw;
    const char *mode;
    const json_t *labels;
    const json_t *prs;
    const json_t *edits;
    const json_t *env;
    const json_t *data;
    bool has_line;
} Args;

static const char *const modes[] = { "fast", "slow", NULL };

static const FieldDef edit_fields[] = {
    { "old_text", FIELD_STRING, .is_required = true },
    { "new_text", FIELD_STRING, .is_required = true },
    { "all", FIELD_BOOLEAN, .default_text = "true" },
    { 0 },
};

static const FieldDef fields[] = {
    { "path", FIELD_STRING, offsetof(Args, path), .is_required = true, .help = "File to read",
      .short_flag = 'p', .value_name = "FILE" },
    { "line", FIELD_INTEGER, offsetof(Args, line), .has_offset = offsetof(Args, has_line),
      .default_text = "1" },
    { "timeout", FIELD_NUMBER, offsetof(Args, timeout) },
    { "isRaw", FIELD_BOOLEAN, offsetof(Args, is_raw) },
    { "mode", FIELD_ENUM, offsetof(Args, mode), .values = modes, .default_text = "\"fast\"" },
    { "labels", FIELD_STRING_LIST, offsetof(Args, labels) },
    { "prs", FIELD_STRING_OR_LIST, offsetof(Args, prs) },
    { "edits", FIELD_OBJECT_LIST, offsetof(Args, edits), .item_fields = edit_fields,
      .min_items = 1 },
    { "env", FIELD_STRING_MAP, offsetof(Args, env) },
    { "data", FIELD_JSON, offsetof(Args, data) },
    { 0 },
};

// Decodes `text`; the accepted arguments as text, or the problems.
static char *decode(const char *text, FieldMode mode, Args *args)
{
    g_autoptr(json_t) value = NULL;
    if (!json_parse_text(text, &value, NULL))
        fail_msg("not JSON: %s", text);
    g_autofree char *before = json_to_text(value);

    memset(args, 0, sizeof(*args));
    json_t *arguments = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    bool is_good = field_decode(fields, value, mode, args, &arguments, problems);
    g_autofree char *after = json_to_text(value);
    assert_string_equal(after, before); // the caller's JSON is left alone
    if (!is_good) {
        assert_null(arguments);
        return field_problems_text(problems);
    }
    assert_int_equal(problems->len, 0);
    char *got = json_to_text(arguments);
    json_decref(arguments);
    memset(args, 0, offsetof(Args, line)); // what it borrowed is gone
    return got;
}

typedef struct DecodeCase {
    const char *name, *in, *lenient, *exact; // NULL: the same as lenient
} DecodeCase;

#define DEFAULTS ",\"line\":1,\"mode\":\"fast\""

static void test_decode(void **state)
{
    static const DecodeCase cases[] = {
        { "least", "{\"path\":\"a\"}", "{\"path\":\"a\"" DEFAULTS "}", NULL },
        { "agent-core §3.3: required", "{}", "  - path: must have required property 'path'\n",
          NULL },
        { "required null is a type problem", "{\"path\":null}", "  - path: must be string\n",
          NULL },
        { "null for optional is absent", "{\"path\":\"a\",\"line\":null,\"edits\":null}",
          "{\"path\":\"a\"" DEFAULTS "}", NULL },
        { "the word null too", "{\"path\":\"a\",\"line\":\"null\"}", "{\"path\":\"a\"" DEFAULTS "}",
          "  - line: must be integer\n" },
        { "a required string may say null", "{\"path\":\"null\"}",
          "{\"path\":\"null\"" DEFAULTS "}", NULL },
        { "an unknown null is absent", "{\"path\":\"a\",\"x\":null}",
          "{\"path\":\"a\"" DEFAULTS "}", NULL },
        { "unknown, near", "{\"path\":\"a\",\"lines\":3}",
          "  - lines: unknown field; did you mean \"line\"?\n", NULL },
        { "unknown, far", "{\"path\":\"a\",\"xyz\":3}", "  - xyz: unknown field\n", NULL },
        { "required first, then table order, then unknown", "{\"zz\":1,\"timeout\":[],\"line\":{}}",
          "  - path: must have required property 'path'\n  - line: must be integer\n"
          "  - timeout: must be number\n  - zz: unknown field\n",
          NULL },
        { "tools-1.1: string for a number", "{\"path\":\"a\",\"line\":\"5\",\"timeout\":\"2.5\"}",
          "{\"path\":\"a\",\"line\":5,\"timeout\":2.5,\"mode\":\"fast\"}",
          "  - line: must be integer\n  - timeout: must be number\n" },
        { "string for a boolean", "{\"path\":\"a\",\"isRaw\":\"true\"}",
          "{\"path\":\"a\",\"isRaw\":true" DEFAULTS "}", "  - isRaw: must be boolean\n" },
        { "no guessing", "{\"path\":\"a\",\"isRaw\":\"yes\",\"line\":\"five\"}",
          "  - line: must be integer\n  - isRaw: must be boolean\n", NULL },
        { "number for a string", "{\"path\":12}", "{\"path\":\"12\"" DEFAULTS "}",
          "  - path: must be string\n" },
        { "boolean for a string", "{\"path\":true}", "{\"path\":\"true\"" DEFAULTS "}",
          "  - path: must be string\n" },
        { "object for a string", "{\"path\":{}}", "  - path: must be string\n", NULL },
        { "whole double is an integer", "{\"path\":\"a\",\"line\":7.0}",
          "{\"path\":\"a\",\"line\":7.0,\"mode\":\"fast\"}", NULL },
        { "half is not", "{\"path\":\"a\",\"line\":7.5}", "  - line: must be integer\n", NULL },
        { "nor what does not fit", "{\"path\":\"a\",\"line\":1e300}", "  - line: must be integer\n",
          NULL },
        { "integer is a number", "{\"path\":\"a\",\"timeout\":3}",
          "{\"path\":\"a\",\"timeout\":3" DEFAULTS "}", NULL },
        { "enum", "{\"path\":\"a\",\"mode\":\"quick\"}", "  - mode: must be one of: fast, slow\n",
          NULL },
        { "enum of another type", "{\"path\":\"a\",\"mode\":[]}",
          "  - mode: must be one of: fast, slow\n", NULL },
        { "JSON in a string", "{\"path\":\"a\",\"labels\":\"[\\\"x\\\", \\\"y\\\"]\"}",
          "{\"path\":\"a\",\"labels\":[\"x\",\"y\"]" DEFAULTS "}", "  - labels: must be array\n" },
        { "JSON in JSON in a string", "{\"path\":\"a\",\"labels\":\"\\\"[\\\\\\\"x\\\\\\\"]\\\"\"}",
          "{\"path\":\"a\",\"labels\":[\"x\"]" DEFAULTS "}", "  - labels: must be array\n" },
        { "bare value for a list", "{\"path\":\"a\",\"labels\":\"bug\"}",
          "{\"path\":\"a\",\"labels\":[\"bug\"]" DEFAULTS "}", "  - labels: must be array\n" },
        { "numbers in a list of strings", "{\"path\":\"a\",\"labels\":[1,\"b\"]}",
          "{\"path\":\"a\",\"labels\":[\"1\",\"b\"]" DEFAULTS "}",
          "  - labels.0: must be string\n" },
        { "null in a list", "{\"path\":\"a\",\"labels\":[null]}", "  - labels.0: must be string\n",
          NULL },
        { "string or list: string", "{\"path\":\"a\",\"prs\":\"12\"}",
          "{\"path\":\"a\",\"prs\":[\"12\"]" DEFAULTS "}", NULL },
        { "string or list: list", "{\"path\":\"a\",\"prs\":[\"1\",\"2\"]}",
          "{\"path\":\"a\",\"prs\":[\"1\",\"2\"]" DEFAULTS "}", NULL },
        { "string or list: number", "{\"path\":\"a\",\"prs\":12}",
          "{\"path\":\"a\",\"prs\":[\"12\"]" DEFAULTS "}", "  - prs: must be string or array\n" },
        { "items with defaults",
          "{\"path\":\"a\",\"edits\":[{\"old_text\":\"x\",\"new_text\":\"\"}]}",
          "{\"path\":\"a\",\"edits\":[{\"old_text\":\"x\",\"new_text\":\"\",\"all\":true}]" DEFAULTS
          "}",
          NULL },
        { "paths of items", "{\"path\":\"a\",\"edits\":[{\"old_text\":[],\"newText\":\"\"},3]}",
          "  - edits.0.new_text: must have required property 'new_text'\n"
          "  - edits.0.old_text: must be string\n"
          "  - edits.0.newText: unknown field; did you mean \"new_text\"?\n"
          "  - edits.1: must be object\n",
          NULL },
        { "one object for a list",
          "{\"path\":\"a\",\"edits\":{\"old_text\":\"x\",\"new_text\":\"y\",\"all\":\"false\"}}",
          "{\"path\":\"a\",\"edits\":[{\"old_text\":\"x\",\"new_text\":\"y\",\"all\":false}"
          "]" DEFAULTS "}",
          "  - edits: must be array\n" },
        { "items as JSON text",
          "{\"path\":\"a\",\"edits\":[\"{\\\"old_text\\\":\\\"x\\\",\\\"new_text\\\":\\\"y\\\"}\"]"
          "}",
          "{\"path\":\"a\",\"edits\":[{\"old_text\":\"x\",\"new_text\":\"y\",\"all\":true}"
          "]" DEFAULTS "}",
          "  - edits.0: must be object\n" },
        { "least number of items", "{\"path\":\"a\",\"edits\":[]}",
          "  - edits: must NOT have fewer than 1 items\n", NULL },
        { "map", "{\"path\":\"a\",\"env\":{\"K\":\"v\"}}",
          "{\"path\":\"a\",\"env\":{\"K\":\"v\"}" DEFAULTS "}", NULL },
        { "map of numbers", "{\"path\":\"a\",\"env\":{\"K\":1}}",
          "{\"path\":\"a\",\"env\":{\"K\":\"1\"}" DEFAULTS "}", "  - env.K: must be string\n" },
        { "map in a string", "{\"path\":\"a\",\"env\":\"{\\\"K\\\":\\\"v\\\"}\"}",
          "{\"path\":\"a\",\"env\":{\"K\":\"v\"}" DEFAULTS "}", "  - env: must be object\n" },
        { "any JSON", "{\"path\":\"a\",\"data\":[1,{\"x\":null}]}",
          "{\"path\":\"a\",\"data\":[1,{\"x\":null}]" DEFAULTS "}", NULL },
        { "arguments as text", "\"{\\\"path\\\":\\\"a\\\"}\"", "{\"path\":\"a\"" DEFAULTS "}",
          "  - (arguments): must be object\n" },
        { "null", "null", "  - path: must have required property 'path'\n", NULL },
        { "no object", "[]", "  - (arguments): must be object\n", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        Args args;
        g_autofree char *lenient = decode(cases[i].in, FIELD_LENIENT, &args);
        if (strcmp(lenient, cases[i].lenient) != 0) {
            // The order of keys is the table's, defaults last: compare as values.
            g_autoptr(json_t) a = NULL, b = NULL;
            if (!json_parse_text(lenient, &a, NULL) ||
                !json_parse_text(cases[i].lenient, &b, NULL) || !json_equal(a, b))
                fail_msg("%s, lenient: got %s", cases[i].name, lenient);
        }
        const char *want = cases[i].exact != NULL ? cases[i].exact : cases[i].lenient;
        g_autofree char *exact = decode(cases[i].in, FIELD_EXACT, &args);
        if (strcmp(exact, want) != 0) {
            g_autoptr(json_t) a = NULL, b = NULL;
            if (!json_parse_text(exact, &a, NULL) || !json_parse_text(want, &b, NULL) ||
                !json_equal(a, b))
                fail_msg("%s, exact: got %s", cases[i].name, exact);
        }
    }
}

static void test_struct(void **state)
{
    g_autoptr(json_t) value = NULL;
    assert_true(json_parse_text("{\"path\":\"a/b\",\"line\":9007199254740993,\"timeout\":2,"
                                "\"isRaw\":true,\"mode\":\"slow\",\"labels\":[\"x\"],\"prs\":\"7\","
                                "\"edits\":[{\"old_text\":\"o\",\"new_text\":\"n\"}],"
                                "\"env\":{\"K\":\"v\"},\"data\":3}",
                                &value, NULL));
    Args args = { 0 };
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    assert_true(field_decode(fields, value, FIELD_EXACT, &args, &arguments, problems));
    g_clear_pointer(&value, json_decref); // everything is borrowed from `arguments`
    assert_string_equal(args.path, "a/b");
    assert_int_equal(args.line, 9007199254740993);
    assert_true(args.has_line);
    assert_true(args.timeout == 2.0);
    assert_true(args.is_raw);
    assert_string_equal(args.mode, "slow");
    assert_string_equal(json_string_value(json_array_get(args.labels, 0)), "x");
    assert_string_equal(json_string_value(json_array_get(args.prs, 0)), "7");
    assert_true(json_get_bool(json_array_get(args.edits, 0), "all", false));
    assert_string_equal(json_get_text(args.env, "K"), "v");
    assert_int_equal(json_integer_value(args.data), 3);
}

static void test_struct_defaults(void **state)
{
    static const FieldDef optional[] = {
        { "line", FIELD_INTEGER, offsetof(Args, line), .has_offset = offsetof(Args, has_line),
          .default_text = "4" },
        { "mode", FIELD_ENUM, offsetof(Args, mode), .values = modes, .default_text = "\"slow\"" },
        { "labels", FIELD_STRING_LIST, offsetof(Args, labels) },
        { 0 },
    };
    Args args = { 0 };
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    assert_true(field_decode(optional, NULL, FIELD_EXACT, &args, &arguments, problems));
    assert_int_equal(args.line, 4);
    assert_false(args.has_line); // a default is not given
    assert_string_equal(args.mode, "slow");
    assert_null(args.labels);
    assert_null(args.path);
}

static void test_problems_are_bounded(void **state)
{
    g_autoptr(json_t) value = json_object();
    for (int i = 0; i < 5000; i++) {
        g_autofree char *key = g_strdup_printf("unknown-%d", i);
        json_set_int(value, key, i);
    }
    g_autofree char *huge = g_strnfill(100000, 'k');
    json_set_int(value, huge, 1);
    Args args = { 0 };
    json_t *arguments = NULL;
    g_autoptr(GPtrArray) problems = field_problems_new();
    assert_false(field_decode(fields, value, FIELD_LENIENT, &args, &arguments, problems));
    g_autofree char *text = field_problems_text(problems);
    assert_true(strlen(text) < 4096);
    assert_non_null(strstr(text, "  - path: must have required property 'path'\n"));
    assert_true(g_str_has_suffix(text, "  - …: 4952 more problems\n"));
}

// The table and the schema of github-tool §1.1 and §1.2.
static void test_github_schema(void **state)
{
    static const char *const ops[] = {
        "repo_view",     "pr_create",  "pr_checkout", "pr_push",
        "search_issues", "search_prs", "search_code", "search_commits",
        "search_repos",  "run_watch",  NULL
    };
    static const char *const dates[] = { "created", "updated", NULL };
    static const FieldDef github[] = {
        { "op", FIELD_ENUM, .is_required = true, .values = ops },
        { "repo", FIELD_STRING, .help = "owner/repo" },
        { "branch", FIELD_STRING },
        { "pr", FIELD_STRING_OR_LIST, .help = "PR number, URL or branch; array = batch" },
        { "forceWithLease", FIELD_BOOLEAN },
        { "reviewer", FIELD_STRING_LIST },
        { "dateField", FIELD_ENUM, .values = dates, .default_text = "\"created\"" },
        { "limit", FIELD_NUMBER, .default_text = "10" },
        { "secret", FIELD_STRING, .is_hidden = true },
        { 0 },
    };
    g_autoptr(json_t) schema = field_schema(github);
    g_autofree char *got = json_to_text(schema);
    assert_string_equal(
        got,
        "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"op\"],\"properties\":{"
        "\"op\":{\"type\":\"string\",\"enum\":[\"repo_view\",\"pr_create\",\"pr_checkout\","
        "\"pr_push\",\"search_issues\",\"search_prs\",\"search_code\",\"search_commits\","
        "\"search_repos\",\"run_watch\"]},"
        "\"repo\":{\"type\":\"string\",\"description\":\"owner/repo\"},"
        "\"branch\":{\"type\":\"string\"},"
        "\"pr\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":{\"type\":"
        "\"string\"}}],\"description\":\"PR number, URL or branch; array = batch\"},"
        "\"forceWithLease\":{\"type\":\"boolean\"},"
        "\"reviewer\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
        "\"dateField\":{\"type\":\"string\",\"enum\":[\"created\",\"updated\"],\"default\":"
        "\"created\"},"
        "\"limit\":{\"type\":\"number\",\"default\":10}}}");
}

static void test_schema_of_other_types(void **state)
{
    static const FieldDef others[] = {
        { "edits", FIELD_OBJECT_LIST, .item_fields = edit_fields, .min_items = 1 },
        { "env", FIELD_STRING_MAP, .help = "Variables" },
        { "data", FIELD_JSON },
        { "line", FIELD_INTEGER },
        { "rows", FIELD_OBJECT_LIST },
        { 0 },
    };
    g_autoptr(json_t) schema = field_schema(others);
    g_autofree char *got = json_to_text(schema);
    assert_string_equal(
        got, "{\"type\":\"object\",\"additionalProperties\":false,\"properties\":{"
             "\"edits\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
             "\"additionalProperties\":false,\"required\":[\"old_text\",\"new_text\"],"
             "\"properties\":{\"old_text\":{\"type\":\"string\"},\"new_text\":{\"type\":"
             "\"string\"},\"all\":{\"type\":\"boolean\",\"default\":true}}},\"minItems\":1},"
             "\"env\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"},"
             "\"description\":\"Variables\"},"
             "\"data\":{},\"line\":{\"type\":\"integer\"},"
             "\"rows\":{\"type\":\"array\",\"items\":{\"type\":\"object\"}}}}");
}

static const char *const recencies[] = { "day", "week", "month", "year", NULL };

static const FieldDef flags[] = {
    { "model", FIELD_STRING, .short_flag = 'm', .help = "Model selector" },
    { "print", FIELD_BOOLEAN, .short_flag = 'p', .help = "Run the prompt and exit" },
    { "resume", FIELD_STRING, .short_flag = 'r', .value_name = "ID", .is_value_optional = true },
    { "limit", FIELD_NUMBER },
    { "maxTurns", FIELD_INTEGER },
    { "forceWithLease", FIELD_BOOLEAN },
    { "noSession", FIELD_BOOLEAN },
    { "draft", FIELD_BOOLEAN, .default_text = "true" },
    { "old_text", FIELD_STRING },
    { "label", FIELD_STRING_LIST },
    { "recency", FIELD_ENUM, .values = recencies },
    { "env", FIELD_STRING_MAP },
    { "edits", FIELD_OBJECT_LIST },
    { "data", FIELD_JSON },
    { "secret", FIELD_STRING, .is_hidden = true },
    { 0 },
};

// Words of `line` are separated by '|'. Gives "JSON words unknown", or the error's message.
static char *read_argv(const char *line, bool has_unknown)
{
    g_auto(GStrv) argv = g_strsplit(line, "|", -1);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GPtrArray) unknown = g_ptr_array_new();
    g_autoptr(json_t) arguments = NULL;
    g_autoptr(GError) error = NULL;
    if (!field_from_argv(flags, (int)g_strv_length(argv), argv, &arguments, words,
                         has_unknown ? unknown : NULL, &error)) {
        assert_true(error_is(error, KEDGE_ERROR_USAGE));
        return g_strdup(error->message);
    }
    g_ptr_array_add(words, NULL);
    g_ptr_array_add(unknown, NULL);
    g_autofree char *text = json_to_text(arguments);
    g_autofree char *all_words = g_strjoinv(",", (char **)words->pdata);
    g_autofree char *all_unknown = g_strjoinv(",", (char **)unknown->pdata);
    return g_strdup_printf("%s %s %s", text, all_words, all_unknown);
}

static void test_argv(void **state)
{
    static const struct {
        const char *in, *want;
    } cases[] = {
        { "--model|x|hello|world", "{\"model\":\"x\"} hello,world " },
        { "--model=a=b", "{\"model\":\"a=b\"}  " },
        { "--model=", "{\"model\":\"\"}  " },
        { "-m|x|-p", "{\"model\":\"x\",\"print\":true}  " },
        { "--model|a|--model|b", "{\"model\":\"b\"}  " },
        { "--force-with-lease", "{\"forceWithLease\":true}  " },
        { "--old-text|x", "{\"old_text\":\"x\"}  " },
        { "--limit|-5", "{\"limit\":-5}  " },
        { "--limit|2.5", "{\"limit\":2.5}  " },
        { "--limit=1e3", "{\"limit\":1000.0}  " },
        { "--limit", "--limit needs a value" },
        { "--limit|--model", "--limit needs a value" },
        { "-m|-p", "-m needs a value" },
        { "--limit|x", "--limit: expected a number, got \"x\"" },
        { "--limit|0x10", "--limit: expected a number, got \"0x10\"" },
        { "--limit|inf", "--limit: expected a number, got \"inf\"" },
        { "--limit=", "--limit: expected a number, got \"\"" },
        { "--max-turns|2.5", "--max-turns: expected a number, got \"2.5\"" },
        { "--old-text|- a list item", "{\"old_text\":\"- a list item\"}  " },
        { "--model|-|x", "{\"model\":\"-\"} x " },
        { "--resume", "{\"resume\":\"\"}  " },
        { "--resume|-p", "{\"resume\":\"\",\"print\":true}  " },
        { "-r|abc|x", "{\"resume\":\"abc\"} x " },
        { "--resume=abc", "{\"resume\":\"abc\"}  " },
        { "--draft|x", "{\"draft\":true} x " },
        { "--draft=false", "{\"draft\":false}  " },
        { "--no-draft", "{\"draft\":false}  " },
        { "--draft=maybe", "--draft: expected true or false, got \"maybe\"" },
        { "--no-session", "{\"noSession\":true}  " },
        { "--no-model", "unknown option --no-model" },
        { "--recency|week", "{\"recency\":\"week\"}  " },
        { "--recency|hour",
          "Expected --recency to be one of: day, week, month, year; got \"hour\"" },
        { "--label|a|--label=b,c", "{\"label\":[\"a\",\"b,c\"]}  " },
        { "--env|A=1|--env|B=x=y", "{\"env\":{\"A\":\"1\",\"B\":\"x=y\"}}  " },
        { "--env|A", "--env: expected KEY=VALUE, got \"A\"" },
        { "--data|[1]", "{\"data\":[1]}  " },
        { "--edits|{\"a\":1}|--edits|[{\"b\":2},{\"c\":3}]",
          "{\"edits\":[{\"a\":1},{\"b\":2},{\"c\":3}]}  " },
        { "--secret|x", "{\"secret\":\"x\"}  " },
        { "-|-5|x", "{} -,-5,x " },
        { "--print|--|--model|-p", "{\"print\":true} --model,-p " },
        { "--modl|x", "unknown option --modl; did you mean --model?" },
        { "--zzz=3", "unknown option --zzz" },
        { "-z", "unknown option -z" },
        { "-mp", "unknown option -mp" }, // short flags do not bundle
        { "--secre|x", "unknown option --secre" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = read_argv(cases[i].in, false);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: got %s", cases[i].in, got);
    }
    g_autofree char *unknown = read_argv("--zzz=3|hi|-z|-p", true);
    assert_string_equal(unknown, "{\"print\":true} hi --zzz=3,-z");
    g_autofree char *json_error = read_argv("--data|{", false);
    assert_true(str_has_prefix(json_error, "--data: expected JSON: line 1 "));
}

static void test_argv_without_words(void **state)
{
    char *argv[] = { (char *)"-p", (char *)"x", NULL };
    json_t *arguments = NULL;
    g_autoptr(GError) error = NULL;
    assert_false(field_from_argv(flags, 2, argv, &arguments, NULL, NULL, &error));
    assert_string_equal(error->message, "unexpected argument \"x\"");
    assert_null(arguments);
}

static void test_help(void **state)
{
    static const char *const many[] = { "first_long_value", "second_long_value", "third", NULL };
    static const FieldDef shown[] = {
        { "model", FIELD_STRING, .short_flag = 'm', .help = "Model selector" },
        { "print", FIELD_BOOLEAN, .help = "Run the prompt and exit" },
        { "resume", FIELD_STRING, .value_name = "ID", .is_value_optional = true,
          .help = "Resume a session; without a value the picker opens, and there all the sessions "
                  "of this directory are shown" },
        { "recency", FIELD_ENUM, .values = recencies, .default_text = "\"week\"", .help = "Age" },
        { "op", FIELD_ENUM, .values = many },
        { "aVeryLongNameOfAnOption", FIELD_STRING, .help = "Below" },
        { "label", FIELD_STRING_LIST },
        { "secret", FIELD_STRING, .is_hidden = true, .help = "Never" },
        { 0 },
    };
    g_autoptr(GString) out = g_string_new(NULL);
    field_append_help(shown, out);
    assert_string_equal(
        out->str, "  -m, --model TEXT     Model selector\n"
                  "      --print          Run the prompt and exit\n"
                  "      --resume [ID]    Resume a session; without a value the picker opens, and\n"
                  "                       there all the sessions of this directory are shown\n"
                  "      --recency day|week|month|year\n"
                  "                       Age (default: week)\n"
                  "      --op VALUE       one of: first_long_value, second_long_value, third\n"
                  "      --a-very-long-name-of-an-option TEXT\n"
                  "                       Below\n"
                  "      --label TEXT...\n");
    g_auto(GStrv) lines = g_strsplit(out->str, "\n", -1);
    for (size_t i = 0; lines[i]; i++)
        assert_true(strlen(lines[i]) <= 80);
}

/* The rows of a reference page: nested lists, a bar in a text, a default, what is hidden. */
static void test_reference(void **state G_GNUC_UNUSED)
{
    static const char *const sides[] = { "left", "right", NULL };
    static const FieldDef items[] = {
        { "line", FIELD_INTEGER, .is_required = true, .help = "from|to" },
        { "side", FIELD_ENUM, .values = sides },
        { 0 },
    };
    static const FieldDef shown[] = {
        { "path", FIELD_STRING_OR_LIST, .is_required = true },
        { "notes", FIELD_OBJECT_LIST, .item_fields = items, .help = "Places" },
        { "limit", FIELD_INTEGER, .default_text = "10", .help = "At most" },
        { "secret", FIELD_STRING, .is_hidden = true },
        { 0 },
    };
    static const FieldDef none[] = { { 0 } };
    g_autoptr(GString) out = g_string_new(NULL);
    field_reference_append(out, none);
    field_reference_append(out, shown);
    assert_string_equal(out->str, "\n| field | is | |\n|---|---|---|\n"
                                  "| `path` | string or list of string |  |\n"
                                  "| `notes` (optional) | list of object | Places |\n"
                                  "| `notes[].line` | integer | from\\|to |\n"
                                  "| `notes[].side` (optional) | `left`, `right` |  |\n"
                                  "| `limit` (optional) | integer | At most. Default: `10` |\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode),
        cmocka_unit_test(test_struct),
        cmocka_unit_test(test_struct_defaults),
        cmocka_unit_test(test_problems_are_bounded),
        cmocka_unit_test(test_github_schema),
        cmocka_unit_test(test_schema_of_other_types),
        cmocka_unit_test(test_argv),
        cmocka_unit_test(test_argv_without_words),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
