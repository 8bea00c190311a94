/*
 * Secrets out of text (gh-policy §8.3–8.5).
 */
#include "unit.h"

#include "base/redact.h"
#include "base/secrets.h"

#define HEX40    "0123456789abcdef0123456789abcdef01234567"
#define KEY_HEAD "-----BEGIN OPENSSH PRIVATE KEY-----"
#define KEY_TAIL "-----END OPENSSH PRIVATE KEY-----"

static const struct {
    const char *name, *in, *want;
} shapes[] = {
    { "plain text stays", "gh: Not Found (HTTP 404)", "gh: Not Found (HTTP 404)" },
    { "empty text stays", "", "" },
    { "personal token", "HTTP 401: bad gho_0123456789abcdef", "HTTP 401: bad [REDACTED]" },
    { "no left border", "xghp_0123456789abcdef0123!", "x[REDACTED]!" },
    { "too short for a token", "ghp_0123456789abcde", "ghp_0123456789abcde" },
    { "gh's own mask stays", "Token: gho_****************", "Token: gho_****************" },
    { "fine-grained token", "github_pat_11AAAAAAA0abcdefghijkl_x", "[REDACTED]" },
    { "old installation token", "v1." HEX40, "[REDACTED]" },
    { "a commit id stays", HEX40, HEX40 },
    { "header", "> authorization : token abc def\nnext", "> Authorization: [REDACTED]\nnext" },
    { "proxy header", "Proxy-Authorization=Basic x", "Authorization: [REDACTED]" },
    { "glued to -H", "gh api -HAuthorization: Bearer abc", "gh api -HAuthorization: [REDACTED]" },
    { "a longer word stays", "preauthorization: needed", "preauthorization: needed" },
    { "scheme", "curl Bearer abcdefghijklmnop.q ok", "curl Bearer [REDACTED] ok" },
    { "scheme keeps its case", "BASIC  dXNlcjpwYXNzd29yZA==", "BASIC  [REDACTED]" },
    { "an ordinary word after token", "token expired", "token expired" },
    { "user and password", "https://u:p@github.com/o/r", "https://[REDACTED]@github.com/o/r" },
    { "the last @ counts", "https://github.com@evil@h/x@y", "https://[REDACTED]@h/x@y" },
    { "no user", "https://github.com/o/r@v1", "https://github.com/o/r@v1" },
    { "the account git", "ssh://git@github.com/o/r.git", "ssh://git@github.com/o/r.git" },
    { "the account git, end of text", "ssh://git@h", "ssh://git@h" },
    { "git with a password", "https://git:pw@h/x", "https://[REDACTED]@h/x" },
    { "git with an empty password", "https://git:@h/x", "https://[REDACTED]@h/x" },
    { "git is not all of it", "https://git@pw@h/x", "https://[REDACTED]@h/x" },
    { "git is only the beginning", "https://github_pat@h/x", "https://[REDACTED]@h/x" },
    { "another spelling is a name like any", "https://Git@h/x", "https://[REDACTED]@h/x" },
    { "scp form stays", "git@github.com:o/r.git", "git@github.com:o/r.git" },
    { "parameter", "x?access_token=abc&page=2", "x?access_token=[REDACTED]&page=2" },
    { "parameters, any case", "u?a=1&X-Amz-SIGNATURE=ff#Code=9 end",
      "u?a=1&X-Amz-SIGNATURE=[REDACTED]#Code=[REDACTED] end" },
    { "another parameter stays", "u?keyword=abc&per_page=10", "u?keyword=abc&per_page=10" },
    { "web token", "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-_def.", "jwt [REDACTED]." },
    { "private key", "a\n" KEY_HEAD "\nAAAA\nBBBB\n" KEY_TAIL "\nb", "a\n[REDACTED]\nb" },
    { "private key without end", "a " KEY_HEAD "\nAAAA\nghp", "a [REDACTED]" },
    { "private key with another's end", KEY_HEAD "\n-----END RSA PRIVATE KEY-----\nAAAA",
      "[REDACTED]" },
    { "public key stays", "-----BEGIN PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----" },
    { "bytes that are no text", "\xff gho_0123456789abcdef \xfe", "\xff [REDACTED] \xfe" },
};

static void test_shapes(void **state G_GNUC_UNUSED)
{
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        g_autofree char *got = redact_text(shapes[i].in);
        if (strcmp(got, shapes[i].want) != 0)
            fail_msg("%s: got '%s', want '%s'", shapes[i].name, got, shapes[i].want);
        g_autofree char *again = redact_text(got);
        if (strcmp(again, got) != 0)
            fail_msg("%s: twice gives '%s'", shapes[i].name, again);
    }
}

static void test_known_values(void **state G_GNUC_UNUSED)
{
    secrets_set("GH_ENTERPRISE_TOKEN", "plain-secret");
    secrets_set("GITHUB_TOKEN", "short");
    g_autofree char *got = redact_text("unknown flag: --x=plain-secret, short, plain-secret");
    assert_string_equal(got, "unknown flag: --x=[REDACTED], short, [REDACTED]");
}

/* Megabytes that begin like a secret again and again must not take quadratic time. */
static void test_hostile_sizes(void **state G_GNUC_UNUSED)
{
    static const char *const units[] = { "eyJ",    "://",
                                         "a",      "authorization ",
                                         "?key",   "gh",
                                         "ghp_",   "-----BEGIN PRIVATE KEY----",
                                         "token ", "eyJaaaaaaaaaa." };
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        GString *text = g_string_new(NULL);
        while (text->len < 2 * 1024 * 1024)
            g_string_append(text, units[i]);
        g_string_append(text, " gho_0123456789abcdef");
        g_autofree char *in = g_string_free(text, false);
        g_autofree char *got = redact_text(in);
        if (!g_str_has_suffix(got, "[REDACTED]") || strstr(got, "gho_0123456789abcdef"))
            fail_msg("%s…", units[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_known_values),
        cmocka_unit_test(test_hostile_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
