/*
 * Remote URLs (gh-policy §1.4): every accepted form of the table there, and every refused one.
 */
#include "unit.h"

#include "github/remote_url.h"

static void check(const char *url, const char *host, const char *owner, const char *repo)
{
    g_auto(RemoteUrl) got = { 0 };
    bool is_parsed = remote_url_parse(url, &got);
    if (is_parsed != (host != NULL) || g_strcmp0(got.host, host) != 0 ||
        g_strcmp0(got.owner, owner) != 0 || g_strcmp0(got.repo, repo) != 0)
        fail_msg("%s: got %s %s %s", url, got.host, got.owner, got.repo);
}

static void test_accepted(void **state G_GNUC_UNUSED)
{
    static const char *const github[] = {
        // all are github.com o r
        "git@github.com:o/r.git",
        "git@github.com:o/r",
        "github.com:o/r",
        "o_r.g@github.com:o/r",
        "ssh://git@github.com/o/r.git",
        "ssh://github.com:22/o/r",
        "ssh://git@ssh.github.com:443/o/r.git",
        "git@ssh.github.com:o/r",
        "git+ssh://git@github.com/o/r",
        "git+https://github.com/o/r",
        "https://github.com/o/r.git",
        "http://github.com/o/r",
        "git://github.com/o/r",
        "https://user:token@github.com/o/r.git",
        "https://user@evil.example:x@github.com/o/r",
        "https://github.com:443/o/r",
        "https://github.com:65535/o/r",
        "https://www.github.com/o/r",
        "git@www.github.com:o/r",
        "https://GitHub.COM/o/r",
        "git@github.com:/o/r.git",
        "git@github.com:/o/r/",
        "https://github.com/o/r/",
        "https://github.com/o/r.git/",
        "https://github.com//o/r//",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(github); i++)
        check(github[i], "github.com", "o", "r");

    check("https://ghe.example.com:8443/o/r", "ghe.example.com", "o", "r");
    check("acme@acme.ghe.com:o/r.git", "acme.ghe.com", "o", "r");
    check("https://acme.ghe.com/o/r", "acme.ghe.com", "o", "r");
    check("https://localhost/O_1-x/R.x_-", "localhost", "O_1-x", "R.x_-");
    check("https://h/o/r.git.git", "h", "o", "r.git");
    check("https://h/o/r.GIT", "h", "o", "r.GIT");
    check("https://h/o/.github", "h", "o", ".github");
    check("https://h/o/...", "h", "o", "...");
}

/* gh-14-12, gh-14-13: parsed as what they are, so that they do not match a known host. */
static void test_look_alikes(void **state G_GNUC_UNUSED)
{
    check("https://github.com@evil.example/o/r", "evil.example", "o", "r");
    check("https://github.com:x@evil.example/o/r", "evil.example", "o", "r");
    check("https://github.com.evil.example/o/r", "github.com.evil.example", "o", "r");
    check("https://evil-github.com/o/r", "evil-github.com", "o", "r");
    check("https://xn--gthub-n4a.com/o/r", "xn--gthub-n4a.com", "o", "r");
    check("https://www.www.github.com/o/r", "www.github.com", "o", "r");
    check("https://ssh.github.com.evil.example/o/r", "ssh.github.com.evil.example", "o", "r");
    check("git@github.com@evil.example:o/r", "evil.example", "o", "r");
}

static void test_refused(void **state G_GNUC_UNUSED)
{
    static const char *const urls[] = {
        "",
        "o/r",
        "../r",
        "/o/r",
        "./a:b/c",
        "C:\\x",
        "file:///x",
        "file:///o/r",
        "ftp://github.com/o/r",
        "HTTPS://github.com/o/r",
        "ssh+git://github.com/o/r",
        "://github.com/o/r",
        "ext::sh -c x",
        "ext::https://github.com/o/r",
        "https::https://github.com/o/r",
        "https://github.com",
        "https://github.com/",
        "https://github.com/o",
        "https://github.com/o/",
        "https://github.com/o/.git",
        "https://github.com//r",
        "https://github.com/o//r",
        "https://github.com/o/r/tree/main",
        "https://github.com/o/r?x=1",
        "https://github.com/o/r#x",
        "https://github.com?/o/r",
        "https://gist.github.com/abc.git",
        "https:///o/r",
        "https://@/o/r",
        "https://u@/o/r",
        "ssh://git@github.com:o/r",
        "ssh://git@github.com:/o/r",
        "https://github.com:0/o/r",
        "https://github.com:65536/o/r",
        "https://github.com:22x/o/r",
        "https://github.com:-1/o/r",
        "https://github.com:1:2/o/r",
        "git@github.com:22:o/r",
        "git@:o/r",
        "git@github.com://o/r",
        ":o/r",
        "https://[::1]/o/r",
        "git@[::1]:o/r",
        "https://github.com./o/r",
        "https://.github.com/o/r",
        "https://git..hub.com/o/r",
        "https://git_hub.com/o/r",
        "https://-github.com/o/r",
        "https://github-.com/o/r",
        "https://www./o/r",
        "https://github.com\\@evil.example/o/r",
        "https://github.com/o\\r/x",
        "https://github.com/o/r%2e",
        "https://github%2ecom/o/r",
        "https://git hub.com/o/r",
        " https://github.com/o/r",
        "https://github.com/o/r\n",
        "https://github.com/o/r\x7f",
        "https://g\xd1\x96thub.com/o/r",
        "https://github.com/o/\xc3\xa9",
        "https://github.com/-o/r",
        "https://github.com/_o/r",
        "https://github.com/o.x/r",
        "https://github.com/~o/r",
        "https://github.com/o/.",
        "https://github.com/o/..",
        "https://github.com/../r",
        "https://github.com/o/r~",
        "https://github.com/o/..git",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(urls); i++)
        check(urls[i], NULL, NULL, NULL);
    RemoteUrl untouched = { .host = NULL };
    assert_false(remote_url_parse(NULL, &untouched));
}

static void test_lengths(void **state G_GNUC_UNUSED)
{
    g_autofree char *name = g_strnfill(100, 'a');
    g_autofree char *most = g_strdup_printf("https://h/%s/%s", name, name);
    check(most, "h", name, name);
    g_autofree char *owner = g_strdup_printf("https://h/%sa/r", name);
    check(owner, NULL, NULL, NULL);
    g_autofree char *repo = g_strdup_printf("https://h/o/%sa", name);
    check(repo, NULL, NULL, NULL);

    g_autofree char *slashes = g_strnfill(2048 - strlen("https://h/o/r"), '/');
    g_autofree char *fits = g_strconcat("https://h/o/r", slashes, NULL);
    check(fits, "h", "o", "r");
    g_autofree char *over = g_strconcat(fits, "/", NULL);
    check(over, NULL, NULL, NULL);
}

static void test_alias(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *host; // NULL: none
    } cases[] = {
        { "git@work:o/r", "work" },
        { "Git_Hub.2:o/r.git", "Git_Hub.2" },
        { "ssh://git@my_alias:22/o/r", "my_alias" },
        { "git+ssh://work/o/r", "work" },
        { "https://work/o/r", NULL },
        { "git@-oProxyCommand=x:o/r", NULL },
        { "git@-x:o/r", NULL },
        { "git@.x:o/r", NULL },
        { "git@w$x:o/r", NULL },
        { "git@work:o", NULL },
        { "git@work:o/r%20", NULL },
        { "/work:o/r", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(RemoteUrl) got = { 0 };
        bool is_parsed = remote_url_parse_alias(cases[i].url, &got);
        if (is_parsed != (cases[i].host != NULL) || g_strcmp0(got.host, cases[i].host) != 0 ||
            (is_parsed && (strcmp(got.owner, "o") != 0 || strcmp(got.repo, "r") != 0)))
            fail_msg("%s: got %s", cases[i].url, got.host);
    }
}

static void test_host(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *url, *host;
    } cases[] = {
        { "https://github.com/o/r/pull/5?x=%20#y", "github.com" },
        { "https://www.GitHub.com", "github.com" },
        { "https://github.com?x", "github.com" },
        { "https://github.com#@evil.example", "github.com" },
        { "https://evil.example#@github.com/o/r", "evil.example" },
        { "https://u:p@h:8443/x", "h" },
        { "git@h:anything at all", "h" },
        { "https://github.com\\@evil.example/", NULL },
        { "https://git%2ehub.com/", NULL },
        { "javascript://github.com/", NULL },
        { "git@github.com/o/r", NULL },
        { "o/r", NULL },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *host = remote_url_host(cases[i].url);
        if (g_strcmp0(host, cases[i].host) != 0)
            fail_msg("%s: got %s", cases[i].url, host);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_look_alikes),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_alias),    cmocka_unit_test(test_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
