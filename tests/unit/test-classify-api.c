/*
 * `gh api` (gh-policy §4), and the rows of the threat model (gh-policy §14) that concern it.
 */
#include "unit.h"

#include "github/classify/classify.h"

static const char *const known_hosts[] = { "github.com", "ghe.example.com", "acme.ghe.com", NULL };
static const ClassifyOptions options = { .known_hosts = known_hosts, .gh_version = "2.92.0" };

typedef struct Case {
    const char *name;
    const char *args; // behind `api`, separated by "|"
    Effect effect;
} Case;

static void classify_text(const char *args, Classified *ret_classified)
{
    g_autofree char *whole = g_strconcat("api|", args, NULL);
    g_auto(GStrv) argv = g_strsplit(whole, "|", -1);
    assert_true(classify_argv((const char *const *)argv, &options, ret_classified, NULL));
}

static void check_cases(const Case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_auto(Classified) got = { 0 };
        classify_text(cases[i].args, &got);
        if (got.effect != cases[i].effect)
            fail_msg("%s: api %s: got %s: %s", cases[i].name, cases[i].args,
                     effect_name(got.effect), got.reason);
    }
}

static void test_flags(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "plain GET", "user", EFFECT_READ },
        { "gh-14-10 file", "x|--input|f.json", EFFECT_BLOCKED },
        { "gh-14-10 standard input", "x|--input|-", EFFECT_BLOCKED },
        { "gh-14-10 empty", "x|--input=", EFFECT_BLOCKED },
        { "gh-14-10 -F", "x|-F|k=@~/.ssh/id_rsa", EFFECT_BLOCKED },
        { "gh-14-10 glued", "x|-Fk=@f", EFFECT_BLOCKED },
        { "gh-14-10 nested key", "x|--field=a[b][]=@-", EFFECT_BLOCKED },
        { "gh-14-10 cluster", "x|-iFk=@f", EFFECT_BLOCKED },
        { "only after the first =", "x|-F|a=b=@f", EFFECT_WRITE },
        { "raw field", "x|-f|k=@f", EFFECT_WRITE },
        { "pages", "x|--paginate", EFFECT_BLOCKED },
        { "pages taken back", "x|--paginate|--paginate=false", EFFECT_READ },
        { "gh-14-18 override", "x|-H|X-HTTP-Method-Override: DELETE", EFFECT_BLOCKED },
        { "gh-14-18 other spelling", "x|-H| x-http-method :PUT", EFFECT_BLOCKED },
        { "gh-14-18 other name", "x|--header=X-Method-Override:PUT", EFFECT_BLOCKED },
        { "gh-14-18 underscores", "x|-H|X_HTTP_Method_Override: PUT", EFFECT_BLOCKED },
        { "gh-14-28 underscores", "x|-H|proxy_authorization: x", EFFECT_BLOCKED },
        { "gh-14-28 authorization", "x|-HAuthorization: token t", EFFECT_BLOCKED },
        { "gh-14-28 proxy", "x|-H|Proxy-Authorization: x", EFFECT_BLOCKED },
        { "gh-14-28 cookie", "x|-H|COOKIE:x", EFFECT_BLOCKED },
        { "gh-14-28 otp", "x|-H|X-GitHub-OTP: 1", EFFECT_BLOCKED },
        { "gh-14-28 host", "x|-H|Host: evil", EFFECT_BLOCKED },
        { "gh-14-21 header with a line break", "x|-H|A: b\r\nAuthorization: c", EFFECT_BLOCKED },
        { "other header", "x|-H|Accept: a", EFFECT_READ },
        { "header without colon", "x|-H|Accept", EFFECT_UNKNOWN },
        { "every header counts", "x|-H|Host: e|-H|Accept: a", EFFECT_BLOCKED },
        { "gh-14-12 hostname", "x|--hostname|evil.example", EFFECT_BLOCKED },
        { "known hostname", "x|--hostname|ghe.example.com", EFFECT_READ },
        { "gh-14-8 jq", "x|-q|env", EFFECT_BLOCKED },
        { "gh-14-9 template", "x|-t|{{env}}", EFFECT_READ },
        { "without effect", "x|--cache|1h|-i|--silent|--verbose|--slurp|-p|nebula", EFFECT_READ },
        { "two endpoints", "x|y", EFFECT_UNKNOWN },
        { "a second one does not lower", "x|y|-X|DELETE", EFFECT_DESTRUCTIVE },
        { "unknown flag", "x|--frob", EFFECT_UNKNOWN },
        { "help", "x|-X|DELETE|--help", EFFECT_READ },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
    g_auto(Classified) none = { 0 };
    assert_true(classify_argv((const char *const[]) { "api", NULL }, &options, &none, NULL));
    assert_int_equal(none.effect, EFFECT_UNKNOWN);
    assert_null(none.api_path);
}

static void test_endpoints(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "leading slash", "/repos/o/r", EFFECT_READ },
        { "query", "repos/o/r?x=..%2f..", EFFECT_READ },
        { "gh-14-20 dots", "repos/o/r/../../user", EFFECT_BLOCKED },
        { "gh-14-20 one dot", "repos/./o/r", EFFECT_BLOCKED },
        { "gh-14-20 at the end", "repos/o/..", EFFECT_BLOCKED },
        { "gh-14-20 encoded", "repos/o/r/%2e%2E/user", EFFECT_BLOCKED },
        { "gh-14-20 encoded twice", "repos/o/r/%252e%252e/user", EFFECT_BLOCKED },
        { "gh-14-20 encoded slash", "repos/o/r%2f..%2fuser", EFFECT_BLOCKED },
        { "gh-14-20 encoded backslash", "repos/o%5cr", EFFECT_BLOCKED },
        { "gh-14-20 encoded NUL", "repos/o%00/r", EFFECT_BLOCKED },
        { "gh-14-20 backslash", "repos\\o", EFFECT_BLOCKED },
        { "gh-14-20 other host", "//evil.example/x", EFFECT_BLOCKED },
        { "gh-14-20 fragment", "repos/o/r#x", EFFECT_BLOCKED },
        { "gh-14-20 blank", "repos/o/r x", EFFECT_BLOCKED },
        { "gh-14-20 no-break space", "repos/o/r\u00a0x", EFFECT_BLOCKED },
        { "dots inside a name", "repos/o/r/compare/a...b", EFFECT_READ },
        { "a bare %", "repos/o/r/contents/100%", EFFECT_READ },
        { "API of github.com", "https://api.github.com/repos/o/r", EFFECT_READ },
        { "with its port", "https://api.github.com:443/repos/o/r", EFFECT_READ },
        { "case of the host", "https://API.GitHub.com/user", EFFECT_READ },
        { "uploads", "https://uploads.github.com/repos/o/r/releases/1/assets|-X|POST",
          EFFECT_WRITE },
        { "tenant", "https://api.acme.ghe.com/user", EFFECT_READ },
        { "server", "https://ghe.example.com/api/v3/user", EFFECT_READ },
        { "gh-14-12 http", "http://api.github.com/user", EFFECT_BLOCKED },
        { "gh-14-12 other scheme", "HTTPS://api.github.com/user", EFFECT_BLOCKED },
        { "gh-14-12 user information", "https://api.github.com@evil.example/user", EFFECT_BLOCKED },
        { "gh-14-12 user information of a known host", "https://u@api.github.com/user",
          EFFECT_BLOCKED },
        { "gh-14-12 port", "https://api.github.com:8443/user", EFFECT_BLOCKED },
        { "gh-14-12 web host", "https://github.com/user", EFFECT_BLOCKED },
        { "gh-14-12 web host of a tenant", "https://acme.ghe.com/api/v3/user", EFFECT_BLOCKED },
        { "gh-14-12 other tenant", "https://api.other.ghe.com/user", EFFECT_BLOCKED },
        { "gh-14-12 server, another path", "https://ghe.example.com/o/r", EFFECT_BLOCKED },
        { "gh-14-12 server, path by prefix", "https://ghe.example.com/api/v3x/user",
          EFFECT_BLOCKED },
        { "gh-14-12 server, dots", "https://ghe.example.com/api/v3/../../x", EFFECT_BLOCKED },
        { "gh-14-12 unknown server", "https://evil.example/api/v3/user", EFFECT_BLOCKED },
        { "gh-14-12 no path", "https://api.github.com", EFFECT_BLOCKED },
        { "gh-14-12 inside", "x?u=https://evil.example/", EFFECT_BLOCKED },
        { "gh-14-13 suffix", "https://api.github.com.evil.example/user", EFFECT_BLOCKED },
        { "gh-14-13 trailing dot", "https://api.github.com./user", EFFECT_BLOCKED },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

static void test_methods(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "GET", "x|-X|GET", EFFECT_READ },
        { "gh-14-18 lower case", "x|-X|get", EFFECT_READ },
        { "HEAD", "x|-X|HEAD", EFFECT_READ },
        { "gh-14-18 empty", "x|-X|", EFFECT_WRITE },
        { "gh-14-4 glued", "x|-XDELETE", EFFECT_DESTRUCTIVE },
        { "gh-14-4 glued =", "x|-X=delete", EFFECT_DESTRUCTIVE },
        { "gh-14-4 cluster", "x|-iXDELETE", EFFECT_DESTRUCTIVE },
        { "gh-14-4 only =", "x|-X=", EFFECT_WRITE },
        { "long", "x|--method=DELETE", EFFECT_DESTRUCTIVE },
        { "gh-14-3 the last one wins", "x|-XDELETE|-X|GET", EFFECT_READ },
        { "gh-14-3 the last one wins", "x|-X|GET|--method|DELETE", EFFECT_DESTRUCTIVE },
        { "PUT", "x|-X|PUT", EFFECT_WRITE },
        { "OPTIONS", "x|-X|OPTIONS", EFFECT_WRITE },
        { "field", "x|-f|a=b", EFFECT_WRITE },
        { "field without =", "x|-F|a[]", EFFECT_WRITE },
        { "GET with fields", "x|-X|GET|-f|a=b", EFFECT_READ },
        { "visibility", "repos/o/r|-X|PATCH|-f|visibility=public", EFFECT_DESTRUCTIVE },
        { "private", "/repos/o/r/|-X|patch|-F|private=false", EFFECT_DESTRUCTIVE },
        { "POST stands for PATCH", "repos/o/r|-F|private=false", EFFECT_DESTRUCTIVE },
        { "in the query part", "repos/o/r?a=1&private=false|-X|PATCH", EFFECT_DESTRUCTIVE },
        { "in the query part, encoded", "repos/o/r?%76isibility=public|-X|PATCH",
          EFFECT_DESTRUCTIVE },
        { "by number", "repositories/1|-X|PATCH|-F|private=false", EFFECT_DESTRUCTIVE },
        { "full URL", "https://ghe.example.com/api/v3/repos/o/r|-X|PATCH|-F|private=0",
          EFFECT_DESTRUCTIVE },
        { "encoded", "repos/o/r/%74ransfer|-f|new_owner=x", EFFECT_DESTRUCTIVE },
        { "query part", "repos/o/r?x=1|-X|PATCH|-F|private=false", EFFECT_DESTRUCTIVE },
        { "doubled slash", "repos//o/r/transfer|-f|new_owner=x", EFFECT_DESTRUCTIVE },
        { "other key", "repos/o/r|-X|PATCH|-f|description=private", EFFECT_WRITE },
        { "other path", "repos/o/r/issues|-X|PATCH|-f|private=1", EFFECT_WRITE },
        { "read", "repos/o/r|-X|GET|-f|private=1", EFFECT_READ },
        { "transfer", "repos/o/r/transfer|-f|new_owner=x", EFFECT_DESTRUCTIVE },
        { "force", "repos/o/r/git/refs/heads/main|-X|PATCH|-f|sha=1|-F|force=true",
          EFFECT_DESTRUCTIVE },
        { "no force", "repos/o/r/git/refs/heads/main|-X|PATCH|-f|sha=1", EFFECT_WRITE },
        { "new ref", "repos/o/r/git/refs|-f|force=1", EFFECT_WRITE },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

#define QUERY    "-f|query={viewer{login}}"
#define MUTATION "-f|query=mutation{closeIssue(input:{a:1}){b}}"
#define DELETION "-f|query=mutation{deleteIssue(input:{a:1}){b}}"

static void test_graphql(void **state G_GNUC_UNUSED)
{
    static const Case cases[] = {
        { "query", "graphql|" QUERY, EFFECT_READ },
        { "typed field", "graphql|-F|query={a}", EFFECT_READ },
        { "mutation", "graphql|" MUTATION, EFFECT_WRITE },
        { "deletion", "graphql|" DELETION, EFFECT_DESTRUCTIVE },
        { "broken", "graphql|-f|query={", EFFECT_UNKNOWN },
        { "empty", "graphql|-f|query=", EFFECT_UNKNOWN },
        { "no document", "graphql", EFFECT_READ },
        { "no document, HEAD", "graphql|-X|HEAD", EFFECT_READ },
        { "no document, POST", "graphql|-X|POST", EFFECT_UNKNOWN },
        { "fields, no document", "graphql|-f|x=y", EFFECT_UNKNOWN },
        { "fields, no document, GET", "graphql|-X|GET|-f|x=y", EFFECT_UNKNOWN },
        { "nested key is no document", "graphql|-f|query[]={a}", EFFECT_UNKNOWN },
        { "gh-14-19 second document", "graphql|" QUERY "|" MUTATION, EFFECT_WRITE },
        { "gh-14-19 first document", "graphql|" DELETION "|" QUERY, EFFECT_DESTRUCTIVE },
        { "gh-14-19 operation name", "graphql|-f|operationName=A|-f|query=query A{a} mutation B{b}",
          EFFECT_WRITE },
        { "gh-14-19 comment", "graphql|-f|query=#{a}\nmutation{b}", EFFECT_WRITE },
        { "gh-14-19 in a comment", "graphql|-f|query={a}#mutation{b}", EFFECT_READ },
        { "gh-14-19 in a string", "graphql|-f|query={a(b:\"} mutation {\")}", EFFECT_READ },
        { "gh-14-19 slash", "/graphql|" MUTATION, EFFECT_WRITE },
        { "gh-14-19 slash, deletion", "/graphql|" DELETION, EFFECT_DESTRUCTIVE },
        { "gh-14-19 case", "GraphQL/|" DELETION, EFFECT_DESTRUCTIVE },
        { "gh-14-19 encoded", "%67raphql|" DELETION, EFFECT_DESTRUCTIVE },
        { "gh-14-19 full URL", "https://api.github.com/graphql|" DELETION, EFFECT_DESTRUCTIVE },
        { "gh-14-19 full URL of a server", "https://ghe.example.com/api/graphql|" DELETION,
          EFFECT_DESTRUCTIVE },
        { "full URL of a server, query", "https://ghe.example.com/api/graphql|" QUERY,
          EFFECT_READ },
        { "server, path by prefix", "https://ghe.example.com/api/graphqlx|" QUERY, EFFECT_BLOCKED },
        { "gh-14-19 document in the URL", "graphql?query=mutation{b}|" QUERY, EFFECT_UNKNOWN },
        { "other parameter", "graphql?x=query|" QUERY, EFFECT_READ },
        { "PUT", "graphql|-X|PUT|" QUERY, EFFECT_WRITE },
        { "DELETE", "graphql|-X|DELETE|" QUERY, EFFECT_DESTRUCTIVE },
        { "GET", "graphql|-X|GET|" MUTATION, EFFECT_WRITE },
        { "visibility is no rule here", "graphql|-f|visibility=x|" QUERY, EFFECT_READ },
        { "file", "graphql|-F|query=@f", EFFECT_BLOCKED },
    };
    check_cases(cases, G_N_ELEMENTS(cases));
}

/* What the context, the header and the audit log take from it. */
static void test_descriptions(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *args, *command, *method, *path, *host;
        bool is_graphql;
    } cases[] = {
        { "/repos/o/r/?x=1", "api GET", "GET", "repos/o/r", NULL, false },
        { "repos/o/r|-X|delete", "api DELETE", "DELETE", "repos/o/r", NULL, false },
        { "a%20b|-f|c=d", "api POST", "POST", "a b", NULL, false },
        { "x|-X|A B", "api", "A B", "x", NULL, false },
        { "https://ghe.example.com/api/v3/user", "api GET", "GET", "user", "ghe.example.com",
          false },
        { "https://API.github.com:443/user", "api GET", "GET", "user", "api.github.com", false },
        { "https://evil.example/user", "api GET", "GET", NULL, NULL, false },
        { "a/../b", "api GET", "GET", NULL, NULL, false },
        { "graphql|" QUERY, "api graphql query", "POST", "graphql", NULL, true },
        { "graphql|" MUTATION, "api graphql mutation", "POST", "graphql", NULL, true },
        { "/graphql|" QUERY "|" DELETION, "api graphql delete mutation", "POST", "graphql", NULL,
          true },
        { "graphql|-f|query={", "api graphql", "POST", "graphql", NULL, true },
        { "graphql", "api graphql", "GET", "graphql", NULL, true },
        { "graphql|-X|DELETE", "api DELETE", "DELETE", "graphql", NULL, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Classified) got = { 0 };
        classify_text(cases[i].args, &got);
        if (strcmp(got.command, cases[i].command) != 0 ||
            strcmp(got.api_method, cases[i].method) != 0 ||
            g_strcmp0(got.api_path, cases[i].path) != 0 ||
            g_strcmp0(got.api_host, cases[i].host) != 0 || got.is_graphql != cases[i].is_graphql)
            fail_msg("%s: '%s' %s %s %s", cases[i].args, got.command, got.api_method, got.api_path,
                     got.api_host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),        cmocka_unit_test(test_endpoints),
        cmocka_unit_test(test_methods),      cmocka_unit_test(test_graphql),
        cmocka_unit_test(test_descriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
