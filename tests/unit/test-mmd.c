/*
 * Tests of the native Mermaid validator: the corpora, and what a verdict must always be.
 */
#include "long_text.h"
#include "mmd_fixture.h"

#include "base/utf8.h"

/* Every text gets a complete verdict with places inside of it. */
static void check_verdict(const char *name, const char *text)
{
    g_auto(MmdVerdict) verdict = { 0 };
    mmd_check_text(text, &verdict);
    size_t line_count = 1;
    for (const char *c = text; *c != '\0'; c++)
        line_count += *c == '\n' || (*c == '\r' && c[1] != '\n');
    if (verdict.errors->len > 5)
        fail_msg("%s: %u errors", name, verdict.errors->len);
    for (unsigned i = 0; i < verdict.errors->len; i++) {
        const MmdError *error = g_ptr_array_index(verdict.errors, i);
        bool is_inside = error->line >= 1 && error->line <= line_count && error->column >= 1 &&
                         error->opened_line <= error->line;
        bool is_text = error->message != NULL && *error->message != '\0' &&
                       g_utf8_validate(error->message, -1, NULL) &&
                       strpbrk(error->message, "\n\x01\x02") == NULL &&
                       (error->hint == NULL || g_utf8_validate(error->hint, -1, NULL));
        if (!is_inside || !is_text)
            fail_msg("%s: %zu:%zu (opened in line %zu) of %zu lines: %s\n%s", name, error->line,
                     error->column, error->opened_line, line_count, error->message, text);
    }
}

static void test_valid(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) rows = mmd_corpus("valid");
    assert_int_equal(rows->len, 60);
    for (unsigned i = 0; i < rows->len; i++) {
        const MmdRow *row = g_ptr_array_index(rows, i);
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(row->text, &verdict);
        const MmdError *error = mmd_first_error(&verdict);
        if (error)
            fail_msg("%s:%zu:%zu: %s", row->fields[0], error->line, error->column, error->message);
        assert_string_equal(verdict.type, row->fields[1]);
        assert_true(verdict.is_full);
    }
}

/* `text` must be refused as the row says. */
static void check_refused(const MmdRow *row, const char *text)
{
    g_auto(MmdVerdict) verdict = { 0 };
    mmd_check_text(text, &verdict);
    const MmdError *error = mmd_first_error(&verdict);
    if (!error)
        fail_msg("%s: accepted", row->fields[0]);
    const char *type = verdict.type != NULL ? verdict.type : "none";
    guint64 first = g_ascii_strtoull(row->fields[4], NULL, 10);
    guint64 last = g_ascii_strtoull(row->fields[5], NULL, 10);
    if (strcmp(type, row->fields[1]) != 0 ||
        strcmp(mmd_class_name(error->class), row->fields[2]) != 0 || error->line < first ||
        error->line > last)
        fail_msg("%s: %s, %s, line %zu: %s", row->fields[0], type, mmd_class_name(error->class),
                 error->line, error->message);
}

static void test_invalid(void **state G_GNUC_UNUSED)
{
    g_autoptr(GPtrArray) rows = mmd_corpus("invalid");
    assert_int_equal(rows->len, 60);
    for (unsigned i = 0; i < rows->len; i++) {
        const MmdRow *row = g_ptr_array_index(rows, i);
        check_refused(row, row->text);
    }
}

/* Every line of a file of snippets has the verdict of the real parser. */
static void check_snippets(const char *name, size_t count)
{
    g_autoptr(json_t) probes = mmd_data_lines(name);
    assert_int_equal(json_array_size(probes), count);
    size_t index;
    const json_t *probe;
    json_array_foreach (probes, index, probe) {
        g_auto(MmdVerdict) verdict = { 0 };
        const char *text = json_get_text(probe, "text");
        mmd_check_text(text, &verdict);
        bool is_valid = verdict.errors->len == 0;
        if (is_valid != json_get_bool(probe, "valid", false))
            fail_msg("%s, line %zu: %s\n%s", name, index + 1,
                     is_valid ? "accepted" : mmd_first_error(&verdict)->message, text);
        const char *type = json_get_text(probe, "diagramType");
        if (is_valid && g_strcmp0(verdict.type, type) != 0)
            fail_msg("%s, line %zu: %s, want %s", name, index + 1, verdict.type, type);
    }
}

static void test_probes(void **state G_GNUC_UNUSED)
{
    check_snippets("probes.jsonl", 530);
}

static void test_snippets(void **state G_GNUC_UNUSED)
{
    check_snippets("snippets.jsonl", 960);
}

static void test_document_lines(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *text, *message;
        size_t line, column, opened_line;
    } cases[] = {
        { "front matter, directive and comments",
          "---\ntitle: x\n---\n%%{init: {\n  'theme': 'dark'}}%%\n%% c\nflowchart TD\n"
          "    %% c\n\n    A -> B\n",
          "expected a link or the end of the line, found '-> B'", 10, 7, 0 },
        { "columns count characters", "flowchart TD\nA[\"é日😀\"] B",
          "expected a link or the end of the line, found 'B'", 2, 10, 0 },
        { "a directive on the line of the error", "%%{init: {}}%% flowchart XY",
          "expected a direction (TB, TD, BT, LR or RL) or the end of the line, found 'XY'", 1, 26,
          0 },
        { "unfinished: the last line that is not blank", "flowchart TD\n\n  A -->\n\n\n",
          "expected a node after the link, found the end of the diagram", 3, 8, 0 },
        { "an open bracket names its place", "flowchart TD\nA -->|x\nB\n",
          "expected '|' to close the label, found the end of the diagram", 3, 2, 2 },
        { "lone CR ends a line", "pie\r\"A\" : 1\r\"B\" : x\r", "expected a number, found 'x'", 3,
          7, 0 },
        { "entities are shown as they were written", "flowchart TD\nA B#quot;x",
          "expected a link or the end of the line, found 'B#quot;x'", 2, 3, 0 },
        { "front matter that is not YAML", "---\na: b\nc: [\n---\npie\n", NULL, 3, 1, 0 },
        { "an open directive", "pie\n\"A\" : x\n%%{init: {\n", "expected a number, found 'x'", 2, 7,
          0 },
        { "an open directive before everything", "\n%%{init: {\npie\n",
          "the directive is not closed, so there is no diagram", 2, 1, 0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(cases[i].text, &verdict);
        const MmdError *error = mmd_first_error(&verdict);
        if (!error)
            fail_msg("%s: accepted", cases[i].name);
        bool is_same = cases[i].message == NULL || strcmp(error->message, cases[i].message) == 0;
        if (!is_same || error->line != cases[i].line || error->column != cases[i].column ||
            error->opened_line != cases[i].opened_line)
            fail_msg("%s: %zu:%zu (opened in line %zu): %s", cases[i].name, error->line,
                     error->column, error->opened_line, error->message);
    }

    g_autofree char *text = mmd_data_text("invalid/any-i06-error-after-comments.mmd");
    g_auto(MmdVerdict) verdict = { 0 };
    mmd_check_text(text, &verdict);
    assert_int_equal(mmd_first_error(&verdict)->line, 9);
}

static char *with_crlf(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    return g_strjoinv("\r\n", lines);
}

static void test_crlf(void **state G_GNUC_UNUSED)
{
    static const char *const kinds[] = { "valid", "invalid" };
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GPtrArray) rows = mmd_corpus(kinds[k]);
        for (unsigned i = 0; i < rows->len; i++) {
            const MmdRow *row = g_ptr_array_index(rows, i);
            g_autofree char *text = with_crlf(row->text);
            g_auto(MmdVerdict) plain = { 0 }, verdict = { 0 };
            mmd_check_text(row->text, &plain);
            mmd_check_text(text, &verdict);
            assert_int_equal(verdict.errors->len, plain.errors->len);
            for (unsigned e = 0; e < plain.errors->len; e++) {
                const MmdError *want = g_ptr_array_index(plain.errors, e);
                const MmdError *got = g_ptr_array_index(verdict.errors, e);
                assert_string_equal(got->message, want->message);
                assert_int_equal(got->line, want->line);
                assert_int_equal(got->column, want->column);
            }
        }
    }
}

static void test_headers(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *type; // NULL: unknown
        bool is_full;
    } cases[] = {
        { "C4Context\ntitle x", "c4", false },
        { "C4Deployment\n", "c4", false },
        { "requirementDiagram\n", "requirement", false },
        { "kanban\n", "kanban", false },
        { "sankey-beta\n", "sankey", false },
        { "packet\n", "packet", false },
        { "radar-beta\n", "radar", false },
        { "block-beta\n", "block", false },
        { "treeView-beta\n", "treeView", false },
        { "architecture-beta\n", "architecture", false },
        { "xychart-beta\n", "xychart", false },
        { "treemap-beta\n", "treemap", false },
        { "info", "info", false },
        { "eventmodeling\n", "eventmodeling", false },
        { "ishikawa-beta\n", "ishikawa", false },
        { "venn-beta\n", "venn", false },
        { "usecase-beta\n", "usecase", false },
        { "wardley-beta\n", "wardley", false },
        { "railroad-ebnf-beta\n", "railroad", false },
        { "cynefin-beta\n", "cynefin", false },
        { "swimlane-beta\n", "swimlane", false },
        { "agentflow-beta\n", "agentflow", false },
        { "flowchart-elk TD\nA-->B", "flowchart-elk", true },
        { "graph TD\nA-->B", "flowchart-v2", true },
        { "classDiagram-v2\nclass A", "classDiagram", true },
        { "stateDiagram\nA --> B", "stateDiagram", true },
        { "  \n\n   pie", "pie", true },
        { "\xef\xbb\xbfpie", "pie", true },
        { "zenuml\n", NULL, false },
        { "Pie\n", NULL, false },
        { "flow\n", NULL, false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(cases[i].text, &verdict);
        bool is_right = g_strcmp0(verdict.type, cases[i].type) == 0 &&
                        verdict.is_full == cases[i].is_full &&
                        (verdict.errors->len == 0) == (cases[i].type != NULL);
        if (!is_right)
            fail_msg("%s: %s, %u errors", cases[i].text, verdict.type, verdict.errors->len);
    }
}

static void test_hints(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text, *hint;
    } cases[] = {
        { "flowchart TD\nA --> B[Call foo(bar)]",
          "Put the whole label in double quotes: B[\"Call foo(bar)\"]; write #quot; for a quote" },
        { "flowchart TD\nA{Say \"hi\" now}",
          "Put the whole label in double quotes: A{\"Say #quot;hi#quot; now\"}; write #quot; for a "
          "quote" },
        { "flowchart TD\nA -->|f(x)| B",
          "Put the whole label in double quotes: |\"f(x)\"|; write #quot; for a quote" },
        { "flowchart TD\nA --> end", "\"end\" is a keyword in flowcharts; write End or [\"end\"]" },
        { "flowchart TD\nA -> B", "use -->" },
        { "flowchart TD\nA->B", "use -->" },
        { "stateDiagram-v2\nA -> B", "use -->" },
        { "flowchart TD\nA --> B %% note", "Comments must be on their own line" },
        { "erDiagram\nA ||--|| B : x %% note", "Comments must be on their own line" },
        { "flowchart TD\nsubgraph one\nA", "subgraph opened at line 2 is not closed" },
        { "flowchart TD\nA\nend", "no open block to close" },
        { "sequenceDiagram\nA->>B: x\nend", "no open block to close" },
        { "```mermaid\npie\n```", "Remove the Markdown fence" },
        { "sequenceDiagram\nA->>B: x\n```", "Remove the Markdown fence" },
        { "Here it is:\npie\n\"A\" : 1", "The first line must be the diagram type" },
        { "pie\nDogs : 10", "Write \"Dogs\" : 10" },
        { "gitGraph\ncommit\ncheckout develop", "Add: branch develop" },
        { "flowchrt TD\nA", "write flowchart" },
        { "sequencediagram\nA->>B: x", "write sequenceDiagram" },
        { "flowchart TD\nA[C4Container]", "Write it in another way, such as 'C4 Container'" },
        { "flowchart TD\nA <-- B", "use <-->, or --> from the other node" },
        { "mindmap\n\n  root", "Remove the blank line before this one" },
        { "flowchart TD\nA@{ shape: diamnd }", "write shape: diamond" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(cases[i].text, &verdict);
        const MmdError *error = mmd_first_error(&verdict);
        if (!error || g_strcmp0(error->hint, cases[i].hint) != 0)
            fail_msg("%s: %s", cases[i].text, error != NULL ? error->hint : "accepted");
    }
}

/* As mermaid 11.17 has it: an icon without a name and a class without one are read as nothing. */
static void test_mindmap_corners(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *text;
        bool is_valid;
    } cases[] = {
        { "mindmap\nA\n  ::icon()\n  B\n", true },
        { "mindmap\nA\n ::icon()B\n", true },
        { "mindmap\nA\n ::icon() B\n", false },
        { "mindmap\nA\n ::icon() %% c\n  B", true },
        { "mindmap\nA\n ::icon()::icon(x)\n", true },
        { "mindmap\nA\n ::icon()\n\n B", true },
        { "mindmap\n ::icon()\nA\nB", false }, // two roots
        { "mindmap\nA\n:::\n  B", true },
        { "mindmap\nA\n  :::\nB", true }, // the line end goes with it: B stands below A
        { "mindmap\nA\n  :::\n  B", false },
        { "mindmap\nA\n:::", true },
        { "mindmap\nA\n::icon(x)y\n", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(MmdVerdict) verdict = { 0 };
        mmd_check_text(cases[i].text, &verdict);
        if ((verdict.errors->len == 0) != cases[i].is_valid)
            fail_msg("%s: %s", cases[i].text, cases[i].is_valid ? "refused" : "accepted");
    }
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    g_autoptr(GString) text = g_string_new("flowchart TD\n");
    while (text->len < 49000)
        g_string_append(text, "A[some text]\n");
    g_auto(MmdVerdict) small = { 0 }, large = { 0 }, crowded = { 0 };
    mmd_check_text(text->str, &small);
    assert_false(small.is_too_large);
    while (text->len < 51000)
        g_string_append(text, "A[some text]\n");
    mmd_check_text(text->str, &large);
    assert_true(large.is_too_large);
    assert_int_equal(large.errors->len, 0); // only a warning

    g_string_assign(text, "flowchart TD\n");
    for (int i = 0; i < 501; i++)
        g_string_append(text, "A-->B\n");
    mmd_check_text(text->str, &crowded);
    assert_int_equal(mmd_first_error(&crowded)->class, MMD_SEMANTIC);
    assert_int_equal(mmd_first_error(&crowded)->line, 502);
}

#define LONG_INPUT_BYTES OF_LONG_TEXT(400 * KIB)

/* Inputs on which a careless scanner takes time that grows with the square of their length. */
static void test_long_inputs(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *head, *part;
    } cases[] = {
        { "flowchart TD\n", " " },
        { "flowchart TD\nA", "a@" },
        { "flowchart TD\nA -- ", "x " },
        { "flowchart TD\nA -- ", "\n" },
        { "flowchart TD\n", "direction " },
        { "flowchart TD\n", "subgraph a\n" },
        { "flowchart TD\nA[", "(" },
        { "flowchart TD\n", "A-->B[" },
        { "pie\n", "%%{" },
        { "pie\n", "<a " },
        { "pie\n", "\n" },
        { "---\n", "---\n" },
        { "mindmap\n a\n", "\n" },
        { "mindmap\n a\n", "  b\n" },
        { "gantt\n", "a:b;" },
        { "journey\n", "%%" },
        { "timeline\n", ": " },
        { "quadrantChart\n", "x-axis " },
        { "quadrantChart\n", "  " },
        { "gitGraph\n", "commit \"a\"\n" },
        { "sequenceDiagram\n", "loop\n" },
        { "sequenceDiagram\n", "A->>B: x;" },
        { "classDiagram\n", "class A {\n" },
        { "classDiagram\n", "A --> B\n" },
        { "stateDiagram\n", "state A {\n" },
        { "stateDiagram\n", "A --> B\n" },
        { "erDiagram\n", "A {\n" },
        { "erDiagram\n", "A ||--|| B : c " },
        { "", "%%\n" },
        { "", "```" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) text = g_string_new(cases[i].head);
        while (text->len < (size_t)rounds_of(LONG_INPUT_BYTES))
            g_string_append(text, cases[i].part);
        check_verdict(cases[i].head, text->str);
    }
}

static void test_prefixes(void **state G_GNUC_UNUSED)
{
    static const char *const kinds[] = { "valid", "invalid" };
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GPtrArray) rows = mmd_corpus(kinds[k]);
        for (unsigned i = 0; i < rows->len; i++) {
            const MmdRow *row = g_ptr_array_index(rows, i);
            for (size_t size = 0; size <= strlen(row->text); size++) {
                g_autofree char *prefix = utf8_from_bytes(row->text, size);
                check_verdict(row->fields[0], prefix);
            }
        }
    }
}

/* A piece of `text` with one byte changed, taken out, put in, or another piece put in. */
static char *edited(GRand *rand, const char *text)
{
    static const char marks[] = "()[]{}<>|\"'`:;,.-=~#&%@!/\\*+_ \n\tox1";
    g_autoptr(GString) bytes = g_string_new(text);
    int edits = g_rand_int_range(rand, 1, 4);
    for (int i = 0; i < edits && bytes->len > 0; i++) {
        gssize at = g_rand_int_range(rand, 0, (int)bytes->len);
        char mark = marks[g_rand_int_range(rand, 0, (int)strlen(marks))];
        switch (g_rand_int_range(rand, 0, 5)) {
        case 0:
            bytes->str[at] = mark;
            break;
        case 1:
            bytes->str[at] = (char)g_rand_int_range(rand, 1, 256);
            break;
        case 2:
            g_string_erase(bytes, at, 1);
            break;
        case 3:
            g_string_insert_c(bytes, at, mark);
            break;
        default: {
            gssize from = g_rand_int_range(rand, 0, (int)bytes->len);
            g_autofree char *piece = g_strndup(bytes->str + from, 12);
            g_string_insert(bytes, at, piece);
        }
        }
    }
    return utf8_from_bytes(bytes->str, bytes->len);
}

static void test_random_edits(void **state G_GNUC_UNUSED)
{
    static const char *const kinds[] = { "valid", "invalid" };
    g_autoptr(GRand) rand = g_rand_new_with_seed(20240117);
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        g_autoptr(GPtrArray) rows = mmd_corpus(kinds[k]);
        for (unsigned i = 0; i < rows->len; i++) {
            const MmdRow *row = g_ptr_array_index(rows, i);
            for (int n = 0; n < rounds_of(100); n++) {
                g_autofree char *text = edited(rand, row->text);
                check_verdict(row->fields[0], text);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        { "cli-H-01", test_valid, NULL, NULL, NULL },
        { "cli-H-02", test_invalid, NULL, NULL, NULL },
        { "cli-H-03", test_probes, NULL, NULL, NULL },
        { "cli-H-03: snippets of our own", test_snippets, NULL, NULL, NULL },
        { "cli-H-08", test_document_lines, NULL, NULL, NULL },
        { "cli-H-09", test_crlf, NULL, NULL, NULL },
        { "cli-H-10: headers", test_headers, NULL, NULL, NULL },
        { "cli-8.8: hints", test_hints, NULL, NULL, NULL },
        { "cli-8.7: mindmaps, icons and classes without a name", test_mindmap_corners, NULL, NULL,
          NULL },
        { "cli-8.3: limits", test_limits, NULL, NULL, NULL },
        { "cli-H-11: long inputs", test_long_inputs, NULL, NULL, NULL },
        { "cli-H-13: prefixes", test_prefixes, NULL, NULL, NULL },
        { "cli-H-13: random edits", test_random_edits, NULL, NULL, NULL },
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
