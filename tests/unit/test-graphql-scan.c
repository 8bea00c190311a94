/*
 * GraphQL documents, as far as their effect goes (gh-policy §4.4).
 */
#include "long_text.h"
#include "unit.h"

#include "github/graphql_scan.h"

static const char *const names[] = { "read", "write", "delete", "invalid" };

static void test_documents(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *document;
        GraphqlKind kind;
    } cases[] = {
        // definitions
        { "{a}", GRAPHQL_READ },
        { "query {a}", GRAPHQL_READ },
        { "query Q($x: In = {a: [1, {b: \"}\"}]}) @d(x: {y: 1}) { a(b: $x) { c } }", GRAPHQL_READ },
        { "mutation{a}", GRAPHQL_WRITE },
        { "subscription S { a }", GRAPHQL_WRITE },
        { "fragment F on T { a } query { ...F ... on U @include(if: true) { b } }", GRAPHQL_READ },
        { "{a} mutation M {b}", GRAPHQL_WRITE },
        { "query mutation { subscription }", GRAPHQL_READ },
        { "\xef\xbb\xbf , \t\r\n{a}\xef\xbb\xbf", GRAPHQL_READ },
        { "fragment F on T { a }", GRAPHQL_INVALID },
        { "", GRAPHQL_INVALID },
        { " # only a comment", GRAPHQL_INVALID },
        { "mutant {a}", GRAPHQL_INVALID },
        { "Query {a}", GRAPHQL_INVALID },
        { "type T { a: Int }", GRAPHQL_INVALID },
        { "(a)", GRAPHQL_INVALID },
        { "\"x\" {a}", GRAPHQL_INVALID },
        { "{a} b", GRAPHQL_INVALID },
        { "query", GRAPHQL_INVALID },
        { "query Q($x: Int)", GRAPHQL_INVALID },
        // brackets
        { "{a", GRAPHQL_INVALID },
        { "{a}}", GRAPHQL_INVALID },
        { "{a(}", GRAPHQL_INVALID },
        { "{a(])}", GRAPHQL_INVALID },
        { "{a)}", GRAPHQL_INVALID },
        { "query Q) {a}", GRAPHQL_INVALID },
        { "{a([{(x)}])}", GRAPHQL_READ },
        // deletions
        { "mutation{deleteIssue(input:{}){a}}", GRAPHQL_DELETE },
        { "mutation{x: deleteIssue # why\n , (input:{}){a}}", GRAPHQL_DELETE },
        { "mutation{ delete (a:1) }", GRAPHQL_DELETE },
        { "mutation{deleteIssue}", GRAPHQL_WRITE },
        { "mutation{deleteIssue{a}}", GRAPHQL_WRITE },
        { "mutation{deleteX: closeIssue(a:1)}", GRAPHQL_WRITE },
        { "mutation{undelete(a:1)}", GRAPHQL_WRITE },
        { "mutation{DeleteIssue(a:1)}", GRAPHQL_WRITE },
        { "mutation{a(b:\"deleteIssue(\")}", GRAPHQL_WRITE },
        { "mutation{a} query{deleteIssue(a:1)}", GRAPHQL_DELETE },
        { "{deleteIssue(a:1)}", GRAPHQL_READ },
        { "mutation{a(b:1deleteIssue(c:2))}", GRAPHQL_DELETE },
        // strings and comments
        { "{a(b:\"\\\"} mutation {\")}", GRAPHQL_READ },
        { "{a(b:\"\\\\\")} mutation {c}", GRAPHQL_WRITE },
        { "{a(b:\"\")}", GRAPHQL_READ },
        { "{a(b:\"x)}", GRAPHQL_INVALID },
        { "{a(b:\"x\n\")}", GRAPHQL_INVALID },
        { "{a(b:\"x\\\n\")}", GRAPHQL_INVALID },
        { "{a(b:\"x\\", GRAPHQL_INVALID },
        { "{a(b:\"\"\"} mutation { \" \"\" \n \\\"\"\" x\"\"\")}", GRAPHQL_READ },
        { "{a(b:\"\"\"\"\"\")} mutation{b}", GRAPHQL_WRITE },
        { "{a(b:\"\"\"\\\"\"\" \"\"\")}", GRAPHQL_READ },
        { "{a(b:\"\"\"x\\\"\"\")}", GRAPHQL_INVALID },
        { "{a(b:\"\"\"x\"\")}", GRAPHQL_INVALID },
        { "{a} # mutation {b}", GRAPHQL_READ },
        { "{a} # x\r\nmutation {b}", GRAPHQL_WRITE },
        { "{a(b:\"#\")} mutation {c}", GRAPHQL_WRITE },
        { "{a(b:\"\xc3\xa9\")} # \xc3\xa9", GRAPHQL_READ },
        // gh-14-19: where servers disagree, a mutation could hide
        { "{a} # x\rmutation {b}", GRAPHQL_INVALID },
        { "{a(x:1 #\r,y:\"\"\"\n)} mutation {b} #\"\"\")}", GRAPHQL_INVALID },
        { "{a(b:\"\"\"\\\"\"\"\"\"\")}", GRAPHQL_INVALID },
        { "{a(b:[\"\"\"\\\"\"\"\" \"])} mutation {c} # \"\"\"])}", GRAPHQL_INVALID },
        { "{a(b:[\"\"\"x\"\"\"\"\"\" \"])} mutation {c} # \"\"\"])}", GRAPHQL_INVALID },
        { "{a(b:\"\"\"x\\\\\"\"\")} mutation {c} # \"\"\")}", GRAPHQL_INVALID },
        { "{a(b:\"\"\" \"\"x\\\\ \"\"\")}", GRAPHQL_READ },
        // other tokens
        { "{a(b:-1.5e+3,c:0,d:1E9,e:-0)}", GRAPHQL_READ },
        { "{a(b:1.)}", GRAPHQL_INVALID },
        { "{a(b:-)}", GRAPHQL_INVALID },
        { "{a(b:+1)}", GRAPHQL_INVALID },
        { "{a..b}", GRAPHQL_INVALID },
        { "{a|b & c = !$d: @e}", GRAPHQL_READ },
        { "{a;b}", GRAPHQL_INVALID },
        { "{\xc3\xa9}", GRAPHQL_INVALID },
        { "{a\f}", GRAPHQL_INVALID },
        { "{'a'}", GRAPHQL_INVALID },
        { "{a\xc2\xa0}", GRAPHQL_INVALID },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GraphqlKind kind = graphql_scan(cases[i].document);
        if (kind != cases[i].kind)
            fail_msg("%s: got %s, want %s", cases[i].document, names[kind], names[cases[i].kind]);
    }
}

/* 100 KB and more of what could tempt a scanner to look again from the start: all must end, and be
 * right. */
static void test_large_documents(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *before, *repeated, *behind;
        GraphqlKind kind;
    } cases[] = {
        { "{", "a(b:{c:1}) ", "}", GRAPHQL_READ },
        { "{a", "{a", "", GRAPHQL_INVALID },
        { "{a(b:", "[", "", GRAPHQL_INVALID },
        { "{a(b:\"\"\"", "\\\"\"\" ", "\"\"\")}", GRAPHQL_READ },
        { "{a(b:\"\"\"", "\"\" ", "", GRAPHQL_INVALID },
        { "{a(b:\"", "\\\"", "\")}", GRAPHQL_READ },
        { "mutation{", "delete\n#(\n", "(a:1)}", GRAPHQL_DELETE },
        { "", "query Q{a}\xef\xbb\xbf#\n", "mutation{b}", GRAPHQL_WRITE },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GString) document = g_string_new(cases[i].before);
        while (document->len < OF_LONG_TEXT(200 * 1000))
            g_string_append(document, cases[i].repeated);
        g_string_append(document, cases[i].behind);
        GraphqlKind kind = graphql_scan(document->str);
        if (kind != cases[i].kind)
            fail_msg("%s%s…: got %s", cases[i].before, cases[i].repeated, names[kind]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_documents),
        cmocka_unit_test(test_large_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
