/*
 * `${{ }}` in a task's body, and the text of an event as it is shown to an agent (task-engine
 * §5.4). Rows: task-X02 to task-X11, task-X14.
 */
#include "long_text.h"
#include "wm_notes_fixture.h"

#include "wm/task/template.h"

static WmEvent event_of(const char *payload)
{
    WmEvent event = { .name = g_strdup("issues") };
    assert_true(json_parse_text(payload, &event.payload, NULL));
    return event;
}

static void event_end(WmEvent *event)
{
    g_free(event->name);
    json_decref(event->payload);
}

static char *expand(const char *text, const char *payload, bool is_lenient, char **ret_error)
{
    WmEvent event = event_of(payload);
    g_auto(WmSanitized) sanitized = { 0 };
    wm_event_sanitize(&event, &sanitized);
    const WmScope scope = { .task_name = "fix", .event = &event, .sanitized = &sanitized };
    char *out = NULL;
    g_autoptr(GError) error = NULL;
    bool ok = wm_expressions_expand(text, &scope, is_lenient, &out, &error);
    assert_true(ok == (out != NULL) && ok == (error == NULL));
    *ret_error = error ? g_strdup(error->message) : NULL;
    event_end(&event);
    return out;
}

#define ISSUE "{\"issue\":{\"number\":42,\"title\":\"Hi\",\"body\":\"There\"}}"

static void test_expand(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *payload, *expected;
    } cases[] = {
        { "task-X02", "Issue #${{ github.event.issue.number }}: ${{ wm.sanitized.text }}", ISSUE,
          "Issue #42: Hi\n\nThere" },
        { "task-X03", "${{ github.event.issue.number || github.event.pull_request.number }}",
          "{\"pull_request\":{\"number\":7}}", "7" },
        { "task-X04", "a\n```yaml\n${{ secrets.A }}\n```\nb `${{ wm.task_name }}`", "{}",
          "a\n```yaml\n${{ secrets.A }}\n```\nb `fix`" },
        { "task-X04 indented and unclosed", "${{ wm.task_name }}\n  ```\n${{ wm.task_name }}", "{}",
          "fix\n  ```\n${{ wm.task_name }}" },
        { "task-X04 between two fences", "```\n${{a}}\n```\n${{wm.task_name}}\n```\n${{a}}\n```\n",
          "{}", "```\n${{a}}\n```\nfix\n```\n${{a}}\n```\n" },
        { "task-X06 inside of a fence", "```\n{{#if x}}\n```", "{}", "```\n{{#if x}}\n```" },
        { "task-X07", "${{ wm.sanitized.body }} ${{ github.event.issue.title }}",
          "{\"issue\":{\"title\":\"}}${{ wm.task_name }}\",\"body\":\"${{ github.actor }}\"}}",
          "${{ github.actor }} }}${{ wm.task_name }}" },
        { "task-X08", "${{ github.event.issue.labels }}",
          "{\"issue\":{\"labels\":[{\"name\":\"a b\"},1.5,null]}}",
          "[{\"name\":\"a b\"},1.5,null]" },
        { "task-X10", "${{ github.event.inputs.t || 'none' }}", "{\"inputs\":{}}", "none" },
        { "task-X10 given", "${{ github.event.inputs.t || 'none' }}", "{\"inputs\":{\"t\":\"x\"}}",
          "x" },
        { "a quote in a literal, bars in one", "${{ 'it''s a||b' }}", "{}", "it's a||b" },
        { "false, 0 and blank do not count",
          "${{ github.event.a || github.event.b || github.event.c || 'd' }}",
          "{\"a\":false,\"b\":0,\"c\":\"  \"}", "d" },
        { "nothing counts", "<${{ github.event.a || github.event.b }}>", "{}", "<>" },
        { "alone they are values", "${{ github.event.a }} ${{ github.event.b }}",
          "{\"a\":false,\"b\":0}", "false 0" },
        { "numbers", "${{ github.event.a }} ${{ github.event.b }} ${{ github.event.c }}",
          "{\"a\":3.0,\"b\":2.5,\"c\":9007199254740993}", "3 2.5 9007199254740993" },
        { "names of any case, paths as they are", "${{ WM.Task_Name }}${{ GitHub.Event.aB-c.ü }}",
          "{\"aB-c\":{\"ü\":\"!\"}}", "fix!" },
        { "what is missing is empty", "<${{ github.event.no.such.thing }}>", "{\"no\":null}",
          "<>" },
        { "without an end it is text", "${{ wm.task_name }} ${{ wm.task_name", "{}",
          "fix ${{ wm.task_name" },
        { "no expression", "$ {{ }} }} ${ {", "{}", "$ {{ }} }} ${ {" },
        { "gh-aw's names", "${{ steps.sanitized.outputs.title }}", ISSUE, "Hi" },
        { "gh-aw's names of today",
          "${{ needs.activation.outputs.title }}, ${{needs.activation.outputs.body}}: "
          "${{ needs.activation.outputs.text }}",
          ISSUE, "Hi, There: Hi\n\nThere" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *error = NULL;
        g_autofree char *got = expand(cases[i].text, cases[i].payload, false, &error);
        if (g_strcmp0(got, cases[i].expected) != 0)
            fail_msg("%s: got '%s' (%s)", cases[i].name, got, error);
    }
}

static void check_body(const char *body, GPtrArray *problems, GPtrArray *hints)
{
    const WmTask task = { .body = (char *)body };
    wm_template_check(&task, problems, hints);
}

/* Blocks and names that gh-aw has, in a task with its frontmatter. */
static void test_template(void **state G_GNUC_UNUSED)
{
    static const char front[] =
        "{\"env\":{\"REPO\":\"${{ vars.REPO || github.event.a }}\",\"AGAIN\":\"${{ env.REPO }}\"},"
        "\"on\":{\"workflow_dispatch\":{\"inputs\":{\"size\":{\"default\":3}}}}}";
    static const struct {
        const char *name, *body, *payload, *expected;
    } cases[] = {
        { "a block that holds", "a{{#if github.event.a}}b{{/if}}c", "{\"a\":1}", "abc" },
        { "one that does not", "a{{#if github.event.a}}b{{/if}}c", "{\"a\":0}", "ac" },
        { "in braces, and with lines of their own",
          "a\n{{#if ${{ github.event.a }}}}\nb\n  {{else}}\nc\n{{/if}}\nd", "{}", "a\nc\nd" },
        { "in one another",
          "{{#if github.event.a}}1{{#if github.event.b }}2{{else}}3{{/if}}{{else}}4{{#if "
          "'x'}}5{{/if}}{{/if}}",
          "{\"a\":true}", "13" },
        { "what is left out is not looked at",
          "{{#if github.event.b}}${{ github.event.a.b }}{{/if}}", "{\"a\":\"text\"}", "" },
        { "nor what is inserted", "${{ github.event.a }}", "{\"a\":\"{{#if 'x'}}y{{/if}}\"}",
          "{{#if 'x'}}y{{/if}}" },
        { "in a fence it is code", "```\n{{#if x}}\n```\n{{ x }} {{else}}", "{}",
          "```\n{{#if x}}\n```\n{{ x }} {{else}}" },
        { "inputs and their defaults", "${{ inputs.size }} ${{ inputs.other || 'none' }}", "{}",
          "3 none" },
        { "inputs that are given", "${{ inputs.size }}", "{\"inputs\":{\"size\":\"4\"}}", "4" },
        { "the task's own env", "<${{ env.REPO }}>", "{\"a\":\"o/r\"}", "<o/r>" },
        { "which is no way around", "${{ env.AGAIN }}", "{}", "${{ env.REPO }}" },
        { "what other jobs had to say", "<${{ needs.a.outputs.b }}${{ steps.c.outputs.d }}>", "{}",
          "<>" },
        { "a file", "a {{#runtime-import? x.md}}{{#runtime-import? y.md}} b", "{}", "a X b" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WmTask task = { .body = (char *)cases[i].body };
        WmEvent event = event_of(cases[i].payload);
        g_auto(WmSanitized) sanitized = { 0 };
        wm_event_sanitize(&event, &sanitized);
        assert_true(json_parse_text(front, &task.front, NULL));
        task.inlined = json_pack("{s:s, s:n}", "x.md", "X", "y.md");
        const WmScope scope = { .event = &event,
                                .sanitized = &sanitized,
                                .names = { .front = task.front } };
        g_autofree char *got = NULL;
        g_autoptr(GError) error = NULL;
        if (!wm_template_expand(&task, &scope, false, &got, &error) ||
            strcmp(got, cases[i].expected) != 0)
            fail_msg("%s: got '%s' (%s)", cases[i].name, got, error ? error->message : "");
        json_decref(task.front);
        json_decref(task.inlined);
        event_end(&event);
    }
}

/* Time that grows with the square of a body's size would be minutes here. */
static void test_many_blocks(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < OF_LONG_TEXT(60000); i++)
        g_string_append(text, "{{#if {{#if");
    g_autoptr(GPtrArray) problems = wm_notes_new();
    check_body(text->str, problems, NULL);
    assert_true(problems->len > 0);
}

static void test_variables(void **state G_GNUC_UNUSED)
{
    g_setenv("GITHUB_REPOSITORY", "o/r", TRUE);
    g_setenv("WM_RESOLVED_TASKS_JSON", "[\"fix\"]", TRUE);
    g_setenv("WM_HAS_TASKS", "true", TRUE);
    g_unsetenv("GITHUB_SHA");
    g_unsetenv("GITHUB_EVENT_NAME");
    g_autofree char *error = NULL;
    g_autofree char *got =
        expand("${{ github.repository }} <${{ github.sha }}> ${{ needs.resolve.outputs.tasks }} "
               "${{ needs.resolve.outputs.has_tasks }} ${{ github.event_name }}",
               "{}", false, &error);
    assert_string_equal(got, "o/r <> [\"fix\"] true issues");
}

static void test_expand_fails(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *payload, *expected;
    } cases[] = {
        { "task-X09", "a ${{ github.event.action.x }}", "{\"action\":\"opened\"}",
          "expand \"github.event.action.x\": github.event path \"action.x\": not an object at "
          "segment \"x\"" },
        { "a list is no object", "${{ github.event.a.0 }}", "{\"a\":[1]}",
          "expand \"github.event.a.0\": github.event path \"a.0\": not an object at segment "
          "\"0\"" },
        { "secrets", "${{ secrets.A }}", "{}",
          "expand \"secrets.A\": secrets.* is not allowed in task body (gh-aw policy)" },
        { "every atom counts", "${{ wm.task_name || foo }}", "{}",
          "expand \"wm.task_name || foo\": unsupported root (allowed: wm.*, github.*, "
          "steps.sanitized.outputs.*, needs.resolve.outputs.*)" },
        { "empty", "${{ }}", "{}", "expand \"\": empty ${{ }} expression" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *error = NULL, *none = NULL, *kept = NULL, *no_error = NULL;
        none = expand(cases[i].text, cases[i].payload, false, &error);
        if (none || g_strcmp0(error, cases[i].expected) != 0)
            fail_msg("%s: got '%s' (%s)", cases[i].name, none, error);
        kept = expand(cases[i].text, cases[i].payload, true, &no_error);
        if (g_strcmp0(kept, cases[i].text) != 0)
            fail_msg("%s, lenient: got '%s'", cases[i].name, kept);
    }
}

/* A payload may be large and named often. */
static void test_expand_is_bounded(void **state G_GNUC_UNUSED)
{
    g_autofree char *value = g_strnfill(1024 * 1024, 'v');
    g_autofree char *payload = g_strdup_printf("{\"a\":\"%s\"}", value);
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < 20; i++)
        g_string_append(text, "${{ github.event.a }}");
    g_autofree char *error = NULL;
    g_autofree char *got = expand(text->str, payload, false, &error);
    assert_null(got);
    assert_non_null(strstr(error, "would be larger than 16777216 bytes"));
}

/* Time that grows with the square of a body's size would be minutes here. */
static void test_many_fences(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (unsigned i = 0; i < OF_LONG_TEXT(120000); i++)
        g_string_append(text, "```\n```\n");
    g_string_append(text, "${{ wm.task_name }}");
    g_autofree char *error = NULL;
    g_autofree char *got = expand(text->str, "{}", false, &error);
    assert_true(g_str_has_suffix(got, "```\nfix"));
}

static void test_check(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *body;
        const char *problems[3]; // NULL: no more
    } cases[] = {
        { "task-X05 env",
          "${{ env.X }}",
          { "expression \"env.X\": env.* is not allowed in task body, but for names of the task's "
            "own "
            "env:" } },
        { "task-X05 vars and secrets",
          "${{ vars.X }} ${{ github.x || Secrets.Y }}",
          { "expression \"vars.X\": vars.* is not allowed in task body (gh-aw policy)",
            "expression \"github.x || Secrets.Y\": secrets.* is not allowed in task body (gh-aw "
            "policy)" } },
        { "task-X05 toJSON",
          "${{ toJSON(github) }}",
          { "expression \"toJSON(github)\": toJSON/fromJSON are not allowed in task body (gh-aw "
            "policy)" } },
        { "task-X05 matrix",
          "${{ matrix.a }}",
          { "expression \"matrix.a\": matrix.* is not available in task expansion" } },
        { "task-X05 github.event",
          "${{ github.event }}",
          { "expression \"github.event\": unsupported github.* path" } },
        { "task-X05 foo",
          "${{ foo }}",
          { "expression \"foo\": unsupported root (allowed: wm.*, github.*, "
            "steps.sanitized.outputs.*, needs.resolve.outputs.*)" } },
        { "task-X05 empty", "${{ }}", { "empty ${{ }} expression" } },
        { "wm", "${{ wm.other }}", { "expression \"wm.other\": unsupported wm.* path" } },
        { "a path with a hole",
          "${{ github.event.a..b }}",
          { "expression \"github.event.a..b\": unsupported github.* path" } },
        { "an index",
          "${{ github.event.a[0] }}",
          { "expression \"github.event.a[0]\": unsupported github.* path" } },
        { "an open quote",
          "${{ 'a }}",
          { "expression \"'a\": unsupported root (allowed: wm.*, github.*, "
            "steps.sanitized.outputs.*, needs.resolve.outputs.*)" } },
        { "task-X06",
          "{{#if x}}",
          { "unsupported gh-aw template directive {{#...}} in task body; use ${{ }} expressions "
            "only or remove Handlebars-style blocks" } },
        { "a block that has no end", "{{#if github.actor}}", { "{{#if …}} without {{/if}}" } },
        { "an end that has no block", "a {{/if}}", { "{{/if}} without {{#if …}}" } },
        { "a block of something else",
          "{{#each github.event.a}}",
          { "unsupported gh-aw template directive {{#...}} in task body; use ${{ }} expressions "
            "only or remove Handlebars-style blocks" } },
        { "a condition in braces, once",
          "{{#if ${{ foo }} }}{{/if}}",
          { "expression \"foo\": unsupported root (allowed: wm.*, github.*, "
            "steps.sanitized.outputs.*, needs.resolve.outputs.*)" } },
        { "a file that is not there",
          "{{#import? a.md}} {{#import b.md}}",
          { "b.md: no such file in .wm/ or .github/" } },
        { "blocks are well",
          "{{#if github.actor}}a{{else}}{{#if inputs.b}}b{{/if}}{{/if}} {{x}}",
          { NULL } },
        { "task-X06 in a fence", "```\n{{#if x}} ${{ foo }}\n```", { NULL } },
        { "all is well",
          "${{ github.actor }} ${{ github.event.issue.title || 'x' }} ${{ wm.sanitized.body }}",
          { NULL } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GPtrArray) problems = wm_notes_new();
        g_autoptr(GPtrArray) hints = wm_notes_new();
        check_body(cases[i].body, problems, hints);
        for (unsigned p = 0; p < problems->len || cases[i].problems[p]; p++)
            if (p >= problems->len || g_strcmp0(text_of(problems, p), cases[i].problems[p]) != 0)
                fail_msg("%s: got '%s'", cases[i].name,
                         p < problems->len ? text_of(problems, p) : "nothing");
        assert_int_equal(hints->len, 0);
    }
    g_autoptr(GPtrArray) problems = wm_notes_new();
    g_autoptr(GPtrArray) hints = wm_notes_new();
    check_body("${{ steps.sanitized.outputs.text }}", problems, hints);
    assert_int_equal(problems->len, 0);
    assert_int_equal(hints->len, 1);
    assert_non_null(strstr(text_of(hints, 0), "prefer wm.sanitized.*"));
}

static void test_sanitize(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *payload, *title, *body, *text;
    } cases[] = {
        { "task-X11",
          "{\"comment\":{\"body\":\" /fix it \"},\"issue\":{\"title\":\"T\",\"body\":\"B\"}}", "T",
          "/fix it", "/fix it" },
        { "task-X11 of a pull request",
          "{\"comment\":{\"body\":\"c\"},\"pull_request\":{\"title\":\"P\",\"body\":\"B\"}}", "P",
          "c", "c" },
        { "an issue", ISSUE, "Hi", "There", "Hi\n\nThere" },
        { "a pull request without a text", "{\"pull_request\":{\"title\":\"P\",\"body\":null}}",
          "P", "", "P" },
        { "a body alone", "{\"issue\":{\"title\":\" \",\"body\":\"B\"}}", "", "B", "B" },
        { "neither", "{\"action\":\"x\"}", "", "", "" },
        { "wrong types", "{\"issue\":[1],\"pull_request\":{\"title\":3,\"body\":{}}}", "", "", "" },
        { "task-X14", "{\"issue\":{\"title\":\"r\\u001b[31med \\u0007\\u009b1mx\",\"body\":\"\"}}",
          "red x", "", "red x" },
        { "lines and tabs stay", "{\"issue\":{\"title\":\"a\\tb\",\"body\":\"\\r\\nc\\r\\nd\\n\"}}",
          "a\tb", "c\nd", "a\tb\n\nc\nd" },
        { "comments go",
          "{\"issue\":{\"title\":\"a<!-- x\\ny -->b\",\"body\":\"<!-- <!-- --> c -->\"}}", "ab",
          "c -->", "ab\n\nc -->" },
        { "nor does one appear",
          "{\"issue\":{\"title\":\"<!<!-- a -->-- b -->c\",\"body\":\"<!-- open\"}}", "c", "",
          "c" },
        { "the shortest comments", "{\"issue\":{\"title\":\"a<!---->b<!-->\",\"body\":\"\"}}", "ab",
          "", "ab" },
        { "what is code is seen", "{\"issue\":{\"title\":\"t\",\"body\":\"`<!-- a -->` <!-- b\"}}",
          "t", "`<!-- a -->`", "t\n\n`<!-- a -->`" },
        { "hidden characters",
          "{\"issue\":{\"title\":\"a\\udb40\\udc41\\u202e\",\"body\":\"\\u200bb\"}}", "a", "b",
          "a\n\nb" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WmEvent event = event_of(cases[i].payload);
        g_auto(WmSanitized) got = { 0 };
        wm_event_sanitize(&event, &got);
        event_end(&event);
        if (!g_str_equal(got.title, cases[i].title) || !g_str_equal(got.body, cases[i].body) ||
            !g_str_equal(got.text, cases[i].text))
            fail_msg("%s: got '%s', '%s', '%s'", cases[i].name, got.title, got.body, got.text);
    }
}

static void check_cut(char *body, size_t kept)
{
    WmEvent event = { .payload = json_pack("{s:{s:s,s:s}}", "issue", "title", "t", "body", body) };
    g_auto(WmSanitized) got = { 0 };
    wm_event_sanitize(&event, &got);
    json_decref(event.payload);
    assert_int_equal(strlen(got.body), kept + strlen("\n[truncated]"));
    assert_true(g_str_has_suffix(got.body, "\n[truncated]"));
    assert_true(g_utf8_validate(got.body, -1, NULL));
    assert_true(strlen(got.text) <= 524288 + strlen("\n[truncated]"));
}

static void test_sanitize_is_bounded(void **state G_GNUC_UNUSED)
{
    g_autofree char *bytes = g_strnfill(600000, 'b');
    check_cut(bytes, 524288);
    g_autoptr(GString) wide = g_string_new("b");
    while (wide->len < 600000)
        g_string_append(wide, "\xc3\xa9");
    check_cut(wide->str, 524287);
    g_autoptr(GString) lines = g_string_new(NULL);
    for (unsigned i = 0; i < 70000; i++)
        g_string_append(lines, "x\n");
    check_cut(lines->str, 65536 * 2 - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expand),       cmocka_unit_test(test_variables),
        cmocka_unit_test(test_template),     cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_expand_fails), cmocka_unit_test(test_expand_is_bounded),
        cmocka_unit_test(test_many_fences),  cmocka_unit_test(test_check),
        cmocka_unit_test(test_sanitize),     cmocka_unit_test(test_sanitize_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
