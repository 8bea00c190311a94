/*
 * gh_run_artifacts and gh_release_download through the real tool_call(): what is asked before,
 * where the bytes go and what never happens to them. gh is the stub; the bytes come from a server
 * in this process. Names of files: github/safe/download_name.c.
 */
#include "base/str.h"
#include "rest_fixture.h"

#include "gh_fixture.h"

#include "github/github.h"
#include "github/safe/download_name.h"

#include <sys/stat.h>

#define LISTS                                                                                      \
    "{\"total\":3,\"files\":[{\"id\":71,\"name\":\"logs\",\"size\":5,\"expired\":false,"           \
    "\"expires\":\"2026-08-01T00:00:00Z\",\"digest\":\"" HELLO "\"},{\"id\":72,\"name\":"          \
    "\"old\\u202e\",\"size\":2048,\"expired\":true},{\"id\":73,\"name\":\"huge\",\"size\":"        \
    "999999999999}]}"
#define HELLO   "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
#define WRONG   "sha256:0000000000000000000000000000000000000000000000000000000000000000"
#define RELEASE "{\"tag\":\"v1/../x\",\"files\":[%s]}"
#define LIST_ARGV                                                                                  \
    "api|repos/o/r/actions/runs/5/artifacts?per_page=100|--method|GET|--hostname|github.com|--jq|" \
    "{total: .total_count, files: [.artifacts[]|{id, name, size: .size_in_bytes, expired, "        \
    "expires: .expires_at, digest}]}"

static void test_names(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *problem; // NULL: fine
    } cases[] = {
        { "logs.zip", NULL },
        { "a b (1).tar.gz", NULL },
        { "\xc3\xbc-\xe6\x97\xa5.bin", NULL },
        { "console", NULL },
        { "com", NULL },
        { "", "is empty" },
        { NULL, "is empty" },
        { "..", "begins with" },
        { ".bashrc", "begins with" },
        { "-rf", "begins with" },
        { "~", "begins with" },
        { "../x", "is a path" },
        { "/etc/passwd", "is a path" },
        { "a\\b", "is a path" },
        { "C:x", "has one of" },
        { "a*", "has one of" },
        { "a\nb", "has control" },
        { "a\x1b[2J", "has control" },
        { "a\xe2\x80\xae"
          "gpj.exe",
          "has control" },
        { "a\xff", "has control" },
        { " a", "begins or ends" },
        { "a ", "begins or ends" },
        { "a.", "begins or ends" },
        { "CON", "is that of a device" },
        { "nul.tar.gz", "is that of a device" },
        { "Com1.txt", "is that of a device" },
        { "aux .txt", "is that of a device" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *got = download_name_problem(cases[i].name);
        bool is_right = cases[i].problem ? got && str_has_prefix(got, cases[i].problem) : !got;
        if (!is_right)
            fail_msg("%s: %s", cases[i].name, got);
    }
    g_autofree char *most = g_strnfill(DOWNLOAD_NAME_BYTES, 'x');
    g_autofree char *more = g_strnfill(DOWNLOAD_NAME_BYTES + 1, 'x');
    assert_null(download_name_problem(most));
    assert_non_null(download_name_problem(more));
}

static void test_parts(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *prefix, *text, *want;
    } cases[] = {
        { "release-", "v1.2", "release-v1.2" },
        { "release-", "a/../b", "release-a%2F..%2Fb" },
        { "", "..", "%2E." },
        { "", ".git", "%2Egit" },
        { "x-", "\n", "x-%0A" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *got = download_name_part(cases[i].prefix, cases[i].text);
        if (strcmp(got, cases[i].want) != 0)
            fail_msg("%s: %s", cases[i].text, got);
    }
    g_autofree char *text = g_strnfill(500, 'y');
    g_autofree char *other = g_strconcat(text, "z", NULL);
    g_autofree char *one = download_name_part("", text), *two = download_name_part("", other);
    assert_true(strlen(one) < 100);
    assert_string_not_equal(one, two);
}

// ---- through the gate ----

typedef struct Scene {
    RestFixture *server;
    GhFixture *gh;
    char *dir; // of run 5
} Scene;

static const ToolDoor yes = { .kind = DOOR_DIRECT, .via = "cli", .allow_writes = true };
static const ToolDoor nobody = { .kind = DOOR_DIRECT, .via = "cli", .allow_hint = "--yes" };

static Scene scene_new(const CannedAnswer *answers, size_t count, const char *settings)
{
    g_autofree char *programs = g_strdup(g_getenv("PATH")); // which the stub of gh needs
    Scene self = { .server = rest_fixture_new(answers, count) };
    g_setenv("PATH", programs, true);
    self.gh = gh_fixture_new_with(settings);
    self.gh->tool = &tool_gh_run_artifacts;
    self.gh->door = &yes;
    g_setenv("GITHUB_API_URL", self.server->url, true);
    g_setenv("GH_TOKEN", REST_TOKEN, true);
    self.dir = g_build_filename(self.gh->home, ".kedge", "downloads", "github.com", "o", "r",
                                "run-5", NULL);
    return self;
}

static void scene_clear(Scene *self)
{
    gh_fixture_free(self->gh);
    rest_fixture_free(self->server);
    g_free(self->dir);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scene, scene_clear)

static void expect_in(const char *name, const ToolResult *result, const char *want)
{
    g_autofree char *text = tool_result_text(result);
    if (!strstr(text, want))
        fail_msg("%s: no '%s' in\n%s", name, want, text);
}

/* Nothing but these files, and no half of one. */
static void expect_files(const char *name, const char *dir, const char *want)
{
    g_autoptr(GDir) open = g_dir_open(dir, 0, NULL);
    g_autoptr(GString) got = g_string_new(NULL);
    for (const char *each = open ? g_dir_read_name(open) : NULL; each; each = g_dir_read_name(open))
        g_string_append_printf(got, "%s%s", got->len > 0 ? " " : "", each);
    if (strcmp(got->str, want) != 0)
        fail_msg("%s: files: '%s', want '%s'", name, got->str, want);
}

static void test_list(void **state G_GNUC_UNUSED)
{
    g_auto(Scene) scene = scene_new(NULL, 0, NULL);
    scene.gh->door = &nobody;
    gh_fixture_reply_out(scene.gh, LISTS);
    g_auto(ToolResult) result = gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\"}");
    gh_expect_argv("list", scene.gh, 0, LIST_ARGV);
    gh_expect_text("list", &result,
                   "[gh github.com/o/r read ok 0.3KB]\nArtifacts (3):\n- logs  5B  until "
                   "2026-08-01T00:00:00Z\n- old\\u202e  2.0KB  [not available]\n- huge  931.3GB\n"
                   "Give names to download them.\n");
}

static void test_download(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET /repos/o/r/actions/artifacts/71/zip ",
          .status = 302,
          .headers = "Location: {url}/kept?sig=1\r\n" },
        { .request = "GET /kept?sig=1 ", .body = "hello" },
    };
    g_auto(Scene) scene = scene_new(answers, G_N_ELEMENTS(answers), NULL);
    gh_fixture_reply_out(scene.gh, LISTS);
    g_auto(ToolResult) result =
        gh_fixture_call(scene.gh, "{\"run_id\":\"5\",\"repo\":\"o/r\",\"names\":[\"logs\"]}");
    g_autofree char *path = g_build_filename(scene.dir, "logs.zip", NULL);
    g_autofree char *want = g_strdup_printf(
        "[gh github.com/o/r write confirmed 0.0KB]\n- %s  5B, %s as GitHub says\n", path,
        "sha256 2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9"
        "824");
    gh_expect_text("download", &result, want);
    gh_expect_argv("one name is asked for", scene.gh, 0,
                   "api|repos/o/r/actions/runs/5/artifacts?per_page=100&name=logs|--method|GET|"
                   "--hostname|github.com|--jq|{total: .total_count, files: [.artifacts[]|{id, "
                   "name, size: .size_in_bytes, expired, expires: .expires_at, digest}]}");
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 07777, 0600);
    const json_t *done = json_array_get(json_get_array(result.details, "downloads"), 0);
    assert_true(json_get_bool(done, "verified", false));
    assert_string_equal(json_get_text(done, "path"), path);

    g_autofree char *first = test_server_request(scene.server->server, 1);
    assert_non_null(strstr(first, "Authorization: Bearer " REST_TOKEN));
}

/* A host that is not GitHub's own gets no token, and is not asked over plain http. */
static void test_redirects(void **state G_GNUC_UNUSED)
{
    g_autofree char *elsewhere = NULL;
    static char headers[100];
    const CannedAnswer kept[] = { { .body = "hello" } };
    g_autofree char *programs = g_strdup(g_getenv("PATH"));
    RestFixture *storage = rest_fixture_new(kept, 1);
    g_setenv("PATH", programs, true);
    // the same machine by another name
    elsewhere = g_strdup_printf("http://localhost:%u/kept", storage->server->port);
    g_snprintf(headers, sizeof(headers), "Location: %s\r\n", elsewhere);
    const CannedAnswer answers[] = {
        { .status = 302, .headers = headers },
        { .status = 302, .headers = "Location: http://storage.example/kept\r\n" },
        { .status = 302, .headers = "Location: file:///etc/passwd\r\n" },
        { .status = 302, .headers = "Location: https://user:pw@storage.example/\r\n" },
        { .status = 302 },
        { .status = 302, .headers = "Location: {url}/again\r\n", .times = 99 },
    };
    g_setenv("no_proxy", "127.0.0.1,localhost", true);
    g_auto(Scene) scene = scene_new(answers, G_N_ELEMENTS(answers), NULL);
    static const char *const wants[] = {
        "as GitHub says",
        "refusing to follow a redirect that is not to https",
        "refusing to follow a redirect that is not to https",
        "refusing to follow a redirect that is not to https",
        "not downloaded: GitHub API error (302)",
        "more than 5 redirects",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wants); i++) {
        gh_fixture_reply_out(scene.gh, LISTS);
        g_auto(ToolResult) result =
            gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"logs\"]}");
        expect_in(wants[i], &result, wants[i]);
        assert_true(result.is_error == (i > 0));
        expect_files(wants[i], scene.dir, i > 0 ? "" : "logs.zip");
        g_autofree char *path = g_build_filename(scene.dir, "logs.zip", NULL);
        unlink(path);
    }
    g_autofree char *request = test_server_request(storage->server, 1);
    assert_non_null(request);
    assert_null(strstr(request, "Authorization"));
    assert_null(strstr(request, REST_TOKEN));
    rest_fixture_free(storage);
}

static void test_failures(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *file; // JSON of it
        CannedAnswer answer;
        const char *want;
    } cases[] = {
        { "another digest",
          "{\"id\":1,\"name\":\"a\",\"size\":5,\"digest\":\"" WRONG "\"}",
          { .body = "hello" },
          "its sha256 is 2cf24d" },
        { "fewer bytes",
          "{\"id\":1,\"name\":\"a\",\"size\":9}",
          { .body = "hello" },
          "5 bytes came, and GitHub says that it has 9" },
        { "more bytes than allowed",
          "{\"id\":1,\"name\":\"a\"}",
          { .headers = "X: y\r\n", .make = NULL, .body = NULL, .end = CANNED_KEEP },
          "at most 1.0KB are downloaded (gh.downloads.maxBytes)" },
        { "too large to be asked for",
          "{\"id\":1,\"name\":\"a\",\"size\":1025}",
          { .times = 0 },
          "it has 1.0KB, and at most 1.0KB are downloaded" },
        { "broken off",
          "{\"id\":1,\"name\":\"a\",\"size\":5}",
          { .body = "hell", .end = CANNED_EARLY },
          "not downloaded: " },
        { "gone",
          "{\"id\":1,\"name\":\"a\",\"size\":5}",
          { .status = 404, .body = "{\"message\":\"Not Found\"}" },
          "Not found: a" },
        { "not finished yet",
          "{\"id\":1,\"name\":\"a\",\"size\":5,\"expired\":true}",
          { .times = 0 },
          "GitHub does not have it" },
        { "of another name",
          "{\"id\":1,\"name\":\"b\",\"size\":5}",
          { .times = 0 },
          "there is none of that name" },
    };
    g_autofree char *large = g_strnfill(1025, 'x');
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answer = cases[i].answer;
        if (!answer.body && answer.headers)
            answer.body = large;
        g_auto(Scene) scene = scene_new(&answer, 1, "{\"gh\":{\"downloads\":{\"maxBytes\":1}}}");
        scene.gh->tool = &tool_gh_release_download;
        g_autofree char *list = g_strdup_printf(RELEASE, cases[i].file);
        gh_fixture_reply_out(scene.gh, list);
        g_auto(ToolResult) result =
            gh_fixture_call(scene.gh, "{\"repo\":\"o/r\",\"tag\":\"v1\",\"names\":[\"a\"]}");
        expect_in(cases[i].name, &result, cases[i].want);
        expect_in(cases[i].name, &result,
                  "[gh github.com/o/r write error gh-exit]\nError: 1 of 1 "
                  "were not downloaded.");
        g_autofree char *repo = g_path_get_dirname(scene.dir);
        g_autofree char *dir = g_build_filename(repo, "release-v1%2F..%2Fx", NULL);
        expect_files(cases[i].name, dir, "");
    }
}

static void test_never_overwritten(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .body = "hello" } };
    g_auto(Scene) scene = scene_new(answers, 1, NULL);
    g_autofree char *path = g_build_filename(scene.dir, "logs.zip", NULL);
    assert_int_equal(g_mkdir_with_parents(scene.dir, 0700), 0);
    // a link that leads nowhere is there, too
    assert_int_equal(symlink("/nonexistent/target", path), 0);
    gh_fixture_reply_out(scene.gh, LISTS);
    g_auto(ToolResult) result =
        gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"logs\"]}");
    expect_in("there", &result, "is there already and is not overwritten");
    assert_int_equal(rest_fixture_count(scene.server), 0);
    g_autofree char *target = g_file_read_link(path, NULL);
    assert_string_equal(target, "/nonexistent/target");
}

static Cancel *to_stop;

/* Once the request is there, and never answered. */
static char *stop(const char *request G_GNUC_UNUSED, unsigned number G_GNUC_UNUSED)
{
    cancel_fire(to_stop);
    return g_strdup("");
}

static void test_cancel(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = { { .make = stop, .end = CANNED_STALL } };
    g_auto(Scene) scene = scene_new(answers, 1, NULL);
    to_stop = scene.gh->cancel;
    gh_fixture_reply_out(scene.gh, LISTS);
    g_auto(ToolResult) result =
        gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"logs\"]}");
    assert_true(result.is_error);
    expect_in("stopped", &result, "cancelled]");
    expect_files("stopped", scene.dir, "");
}

// ---- what is asked ----

typedef struct Person {
    bool says_yes;
    char *question;
} Person;

static bool ask(const ToolQuestion *question, Cancel *cancel G_GNUC_UNUSED, bool *ret_approved,
                void *person, GError **error G_GNUC_UNUSED)
{
    Person *self = person;
    self->question = g_strdup(question->text);
    *ret_approved = self->says_yes;
    return true;
}

static void test_question(void **state G_GNUC_UNUSED)
{
    g_auto(Scene) scene = scene_new(NULL, 0, NULL);
    Person person = { 0 };
    const ToolDoor door = { .kind = DOOR_AGENT, .ask = ask, .user_data = &person };
    scene.gh->door = &door;
    g_auto(ToolResult) result =
        gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"logs\",\"b\"]}");
    g_autofree char *want =
        g_strdup_printf("WRITE on github.com/o/r: downloads 2 artifacts of run 5\n  logs\n  b\n  "
                        "to %s, at most 200.0MB each\n  (context: explicit-repo)",
                        scene.dir);
    if (!person.question || !strstr(person.question, want))
        fail_msg("asked\n%s\nwant\n%s", person.question, want);
    g_free(person.question);
    expect_in("declined", &result, "[gh github.com/o/r run write confirm-declined]");
    gh_expect_calls("declined", scene.gh, 0);
}

static void test_refusals(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *settings, *arguments, *want;
        bool is_release;
    } cases[] = {
        { "nobody to ask", NULL, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"a\"]}",
          "[gh github.com/o/r run write confirm-unavailable]", false },
        { "a host that is only read", "{\"gh\":{\"hostPolicy\":{\"github.com\":\"read-only\"}}}",
          "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"a\"]}",
          "Blocked by V1 policy: writes are disabled for github.com", false },
        { "a path", NULL, "{\"repo\":\"o/r\",\"names\":[\"../.bashrc\"]}",
          "Invalid arguments: \"../.bashrc\" is not downloaded: its name is a path.", true },
        { "a dot file", NULL, "{\"repo\":\"o/r\",\"names\":[\".bashrc\"]}",
          "its name begins with a dot", true },
        { "no name", NULL, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"\"]}", "its name is empty",
          false },
        { "no names", NULL, "{\"repo\":\"o/r\",\"names\":[]}", "Invalid arguments: names", true },
        { "too many", NULL,
          "{\"repo\":\"o/r\",\"names\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\","
          "\"10\",\"11\"]}",
          "Invalid arguments: names", true },
        { "no id", NULL, "{\"run_id\":\"5/../6\",\"repo\":\"o/r\"}", "Invalid arguments: run_id",
          false },
        { "an option", NULL, "{\"repo\":\"o/r\",\"tag\":\"-x\"}", "Invalid arguments: tag", true },
        { "no repository", NULL, "{\"run_id\":5}", "no-repo", false },
        { "another host", NULL, "{\"run_id\":5,\"repo\":\"evil.example/o/r\"}",
          "is not a known host", false },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Scene) scene = scene_new(NULL, 0, cases[i].settings);
        scene.gh->door = &nobody;
        if (cases[i].is_release)
            scene.gh->tool = &tool_gh_release_download;
        g_auto(ToolResult) result = gh_fixture_call(scene.gh, cases[i].arguments);
        expect_in(cases[i].name, &result, cases[i].want);
        assert_true(result.is_error);
        gh_expect_calls(cases[i].name, scene.gh, 0);
    }
}

/* What gh says stands there; GITHUB_API_URL is heeded only where it leads to the host that was
   judged, or to this machine. */
static void test_gh_fails(void **state G_GNUC_UNUSED)
{
    g_auto(Scene) scene = scene_new(NULL, 0, NULL);
    gh_fixture_reply(scene.gh, &(GhReply) { .err = "gh: Not Found (HTTP 404)", .status = 1 });
    g_auto(ToolResult) result =
        gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"logs\"]}");
    expect_in("404", &result, "gh: Not Found (HTTP 404)");
    assert_true(result.is_error);

    gh_fixture_reply_out(scene.gh, "[1]");
    g_auto(ToolResult) odd = gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\"}");
    expect_in("no list", &odd, "gh printed no list.");
}

static void test_list_too_long(void **state G_GNUC_UNUSED)
{
    g_auto(Scene) scene = scene_new(NULL, 0, "{\"gh\":{\"maxBytes\":4096}}");
    g_autofree char *filler = g_strnfill(8000, 'x');
    g_autofree char *list =
        g_strdup_printf("{\"total\":1,\"files\":[{\"id\":71,\"name\":\"%s\"}]}", filler);
    gh_fixture_reply_out(scene.gh, list);
    g_auto(ToolResult) result =
        gh_fixture_call(scene.gh, "{\"run_id\":5,\"repo\":\"o/r\",\"names\":[\"logs\"]}");
    expect_in("too long", &result,
              "Error: The list is longer than gh.maxBytes; nothing was downloaded.");
    assert_true(result.is_error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),     cmocka_unit_test(test_parts),
        cmocka_unit_test(test_list),      cmocka_unit_test(test_download),
        cmocka_unit_test(test_redirects), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_cancel),    cmocka_unit_test(test_never_overwritten),
        cmocka_unit_test(test_question),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_gh_fails),  cmocka_unit_test(test_list_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
