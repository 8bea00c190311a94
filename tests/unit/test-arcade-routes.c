/*
 * What Arcade answers (arcade/routes.h): one test for each group of rows of agent-tools-cli §5.6,
 * through real sockets and a real store.
 */
#include "arcade_fixture.h"

#include "agenttools/emit/run_artifact.h"
#include "agenttools/feedback/edits.h"
#include "base/str.h"

#include <sys/stat.h>

#define ARTIFACT "/api/v1/artifacts/" FIXTURE_DOC
#define OTHER    "22222222-2222-4222-8222-222222222222"
#define THIRD    "33333333-3333-4333-8333-333333333333"

static const json_t *item(const json_t *array, size_t index)
{
    return json_array_get(array, index);
}

static void test_runs(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_add_run(fixture, "R2");
    fixture_run(fixture,
                "INSERT INTO annotation (doc_id, run_id, content, author, status, created_at,"
                " updated_at) VALUES ('" FIXTURE_DOC "', NULL, 'a', 'user', 'open', 1, 1),"
                " ('" FIXTURE_DOC "', 'R1', 'b', 'user', 'open', 1, 1),"
                " ('" FIXTURE_DOC "', 'R1', 'c', 'user', 'resolved', 1, 1)");
    assert_int_equal(fixture_get(fixture, "/api/v1/runs", &reply), 200);
    const json_t *runs = json_get_array(reply.json, "runs");
    assert_int_equal(json_array_size(runs), 2);
    for (size_t i = 0; i < 2; i++) {
        bool is_first = strcmp(json_get_text(item(runs, i), "id"), "R1") == 0;
        assert_int_equal(json_get_int(item(runs, i), "openAnnotations", -1), is_first ? 2 : 0);
    }
    assert_true(json_is_null(json_object_get(reply.json, "nextCursor")));

    assert_int_equal(fixture_get(fixture, "/api/v1/runs?limit=1", &reply), 200);
    assert_int_equal(json_array_size(json_get_array(reply.json, "runs")), 1);
    g_autofree char *first =
        g_strdup(json_get_text(item(json_get_array(reply.json, "runs"), 0), "id"));
    g_autofree char *cursor =
        g_uri_escape_string(json_get_text(reply.json, "nextCursor"), NULL, FALSE);
    g_autofree char *next = g_strconcat("/api/v1/runs?limit=1&cursor=", cursor, NULL);
    assert_int_equal(fixture_get(fixture, next, &reply), 200);
    assert_string_not_equal(json_get_text(item(json_get_array(reply.json, "runs"), 0), "id"),
                            first);

    assert_int_equal(fixture_get(fixture, "/api/v1/runs?q=R2", &reply), 200);
    assert_int_equal(json_array_size(json_get_array(reply.json, "runs")), 1);
    assert_int_equal(fixture_get(fixture, "/api/v1/runs?project=%2Fnowhere", &reply), 200);
    assert_int_equal(json_array_size(json_get_array(reply.json, "runs")), 0);
    assert_int_equal(fixture_get(fixture, "/api/v1/runs?limit=0", &reply), 400);
    assert_int_equal(fixture_get(fixture, "/api/v1/runs?limit=x", &reply), 400);
    assert_int_equal(fixture_get(fixture, "/api/v1/runs?cursor=nonsense", &reply), 400);
}

static void test_run(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_run(fixture, "INSERT INTO event (run_id, type, step, data, created_at) VALUES"
                         " ('R1', 'status_change', 'requirements', '{\"status\":\"running\"}', 1),"
                         " ('R1', 'btw_update', NULL, '{\"message\":\"x\"}', 2)");
    assert_int_equal(fixture_get(fixture, "/api/v1/runs/R1", &reply), 200);
    assert_string_equal(json_get_text(json_get_object(reply.json, "run"), "id"), "R1");
    assert_true(json_array_size(json_get_array(reply.json, "steps")) > 0);
    assert_true(json_is_null(json_object_get(reply.json, "waiting")));
    const json_t *artifact = item(json_get_array(reply.json, "artifacts"), 0);
    assert_string_equal(json_get_text(artifact, "docId"), FIXTURE_DOC);
    assert_string_equal(json_get_text(artifact, "path"), "design.md");
    assert_string_equal(json_get_text(artifact, "type"), "markdown");
    assert_int_equal(fixture_get(fixture, "/api/v1/runs/R9", &reply), 404);
    assert_string_equal(json_get_text(json_get_object(reply.json, "error"), "message"),
                        "Run \"R9\" was not found");

    assert_int_equal(fixture_get(fixture, "/api/v1/runs/R1/events", &reply), 200);
    const json_t *events = json_get_array(reply.json, "events");
    assert_int_equal(json_array_size(events), 2);
    assert_true(json_is_null(json_object_get(reply.json, "nextAfter")));
    int64_t first = json_get_int(item(events, 0), "id", 0);
    g_autofree char *after =
        g_strdup_printf("/api/v1/runs/R1/events?limit=1&after=%" G_GINT64_FORMAT, first);
    assert_int_equal(fixture_get(fixture, after, &reply), 200);
    assert_int_equal(json_get_int(reply.json, "nextAfter", 0), first + 1);
    assert_int_equal(fixture_get(fixture, "/api/v1/runs/R9/events", &reply), 404);
}

static void test_artifact(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_add_artifact(fixture, "R1", OTHER, "data.bin", "a");
    fixture_add_artifact(fixture, "R1", THIRD, "gone.md", NULL);
    g_autofree char *binary = g_build_filename(fixture->project, "data.bin", NULL);
    assert_true(g_file_set_contents(binary, "\xff\x00\x01", 3, NULL));

    g_autofree char *sha = content_sha256(FIXTURE_TEXT, strlen(FIXTURE_TEXT));
    assert_int_equal(fixture_get(fixture, ARTIFACT, &reply), 200);
    assert_string_equal(json_get_text(reply.json, "sha256"), sha);
    assert_int_equal(json_get_int(reply.json, "size", 0), strlen(FIXTURE_TEXT));
    assert_true(json_get_bool(reply.json, "exists", false));
    assert_true(json_get_bool(reply.json, "editable", false));
    assert_false(json_get_bool(reply.json, "isBinary", true));
    assert_int_equal(json_array_size(json_get_array(reply.json, "pendingEdits")), 0);

    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" OTHER, &reply), 200);
    assert_true(json_get_bool(reply.json, "isBinary", false));
    assert_false(json_get_bool(reply.json, "editable", true));
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" OTHER "/content", &reply), 200);
    assert_int_equal(reply.body_size, 3);
    assert_memory_equal(reply.body, "\xff\x00\x01", 3);

    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" THIRD, &reply), 200);
    assert_false(json_get_bool(reply.json, "exists", true));
    assert_false(json_get_bool(reply.json, "editable", true));
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" THIRD "/content", &reply), 404);
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/none", &reply), 404);
}

static void test_large_artifact(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_add_artifact(fixture, "R1", OTHER, "large.md", "a");
    g_autofree char *path = g_build_filename(fixture->project, "large.md", NULL);
    assert_int_equal(truncate(path, LIMIT_EDIT_BYTES + 1), 0);
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" OTHER, &reply), 200);
    assert_true(json_get_bool(reply.json, "isTooLarge", false));
    assert_int_equal(json_get_int(reply.json, "size", 0), LIMIT_EDIT_BYTES + 1);
    assert_true(json_is_null(json_object_get(reply.json, "sha256")));
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" OTHER "/content", &reply), 413);
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" OTHER "/html", &reply), 413);
}

static void test_content(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    assert_int_equal(fixture_get(fixture, ARTIFACT "/content", &reply), 200);
    assert_string_equal(reply.body, FIXTURE_TEXT);
    g_autofree char *etag = header_of(&reply, "ETag");
    g_autofree char *sha = content_sha256(FIXTURE_TEXT, strlen(FIXTURE_TEXT));
    g_autofree char *quoted = g_strdup_printf("\"%s\"", sha);
    assert_string_equal(etag, quoted);
    g_autofree char *type = header_of(&reply, "Content-Type");
    assert_string_equal(type, "text/plain; charset=utf-8");

    ask_reply_clear(&reply);
    g_autofree char *condition = g_strdup_printf("If-None-Match: %s\r\n", etag);
    fixture_ask(fixture, &(Ask) { .path = ARTIFACT "/content", .headers = condition }, &reply);
    assert_int_equal(reply.status, 304);
    assert_int_equal(reply.body_size, 0);

    assert_int_equal(fixture_get(fixture, ARTIFACT "/html", &reply), 200);
    assert_string_equal(json_get_text(reply.json, "sha256"), sha);
    assert_non_null(strstr(json_get_text(reply.json, "html"), "<h1 data-line=\"1-1\""));
    fixture_add_artifact(fixture, "R1", OTHER, "a.c", "int x;\n");
    assert_int_equal(fixture_get(fixture, "/api/v1/artifacts/" OTHER "/html", &reply), 415);
}

/* cli-E-11 */
static void test_outside(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    g_autofree char *design = g_build_filename(fixture->project, "design.md", NULL);
    g_autofree char *secret = g_build_filename(fixture->dir, "x.png", NULL);
    assert_true(g_file_set_contents(secret, "\x89PNG\r\n\x1a\nsecret", -1, NULL));
    static const char *const paths[] = { "..%2Fx.png",    "../x.png",        "%2e%2e/x.png",
                                         "a/../../x.png", "%2Fetc%2Fpasswd", "/etc/passwd" };
    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++) {
        g_autofree char *path = g_strconcat(ARTIFACT "/asset?path=", paths[i], NULL);
        if (fixture_get(fixture, path, &reply) != 403)
            fail_msg("%s: %u %s", paths[i], reply.status, reply.body);
        assert_null(strstr(reply.body, "secret"));
    }
    assert_int_equal(unlink(design), 0);
    assert_int_equal(symlink("/etc/passwd", design), 0);
    static const char *const routes[] = { ARTIFACT, ARTIFACT "/content", ARTIFACT "/html" };
    for (size_t i = 0; i < G_N_ELEMENTS(routes); i++) {
        assert_int_equal(fixture_get(fixture, routes[i], &reply), 403);
        assert_string_equal(error_code_of(&reply), "permission");
        assert_null(strstr(reply.body, "root:x"));
    }
    g_autofree char *link = g_build_filename(fixture->project, "link.png", NULL);
    assert_int_equal(symlink(secret, link), 0);
    assert_int_equal(unlink(design), 0);
    assert_int_equal(fixture_get(fixture, ARTIFACT "/asset?path=link.png", &reply), 403);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(mkfifo(link, 0600), 0);
    assert_int_equal(fixture_get(fixture, ARTIFACT "/asset?path=link.png", &reply), 403);
}

static void test_pictures(void **state)
{
    static const struct {
        const char *path, *content;
        unsigned status;
        const char *type;
    } cases[] = {
        { "img/a.png", "\x89PNG\r\n\x1a\n...", 200, "image/png" },
        { "img/a.jpg", "\xff\xd8\xff...", 200, "image/jpeg" },
        { "img/a.gif", "GIF89a...", 200, "image/gif" },
        { "img/a.webp", "RIFF....WEBPVP8 ", 200, "image/webp" },
        { "img/a.svg", "<svg/>", 200, "text/plain; charset=utf-8" },
        { "img/a%20b.png", "\x89PNG\r\n\x1a\n...", 200, "image/png" },
        { "img/false.png", "<html>", 415, "application/json" },
        { "img/none.png", NULL, 404, "application/json" },
    };
    ArcadeFixture *fixture = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Reply) reply = { 0 };
        g_autofree char *name = g_uri_unescape_string(cases[i].path, NULL);
        g_autofree char *path = g_strconcat(ARTIFACT "/asset?path=", cases[i].path, NULL);
        if (cases[i].content)
            fixture_write(fixture, name, cases[i].content);
        fixture_get(fixture, path, &reply);
        g_autofree char *type = header_of(&reply, "Content-Type");
        if (reply.status != cases[i].status || g_strcmp0(type, cases[i].type) != 0)
            fail_msg("%s: got %u %s", cases[i].path, reply.status, type);
    }
    g_auto(Reply) reply = { 0 };
    assert_int_equal(fixture_get(fixture, ARTIFACT "/asset", &reply), 400);
}

static char *if_match(const char *content)
{
    g_autofree char *sha = content_sha256(content, strlen(content));
    return g_strdup_printf("If-Match: \"%s\"\r\n", sha);
}

/* Body of a save or a suggestion. Caller frees. */
static char *edit_body(const char *base, const char *content)
{
    g_autoptr(json_t) body = json_object();
    json_set_text(body, "base", base);
    json_set_text(body, "content", content);
    json_set_text(body, "runId", "R1");
    return json_to_text(body);
}

static unsigned put(ArcadeFixture *fixture, const char *base, const char *content, Reply *reply)
{
    g_autofree char *condition = if_match(base);
    g_autofree char *body = edit_body(base, content);
    return fixture_send(fixture, "PUT", ARTIFACT "/content", condition, body, reply);
}

/* cli-E-13 */
static void test_save(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    g_autofree char *body = edit_body(FIXTURE_TEXT, "# New\n");
    g_autofree char *other = if_match("something else");
    assert_int_equal(fixture_send(fixture, "PUT", ARTIFACT "/content", NULL, body, &reply), 428);
    assert_int_equal(
        fixture_send(fixture, "PUT", ARTIFACT "/content", "If-Match: abc\r\n", body, &reply), 400);
    assert_int_equal(fixture_send(fixture, "PUT", ARTIFACT "/content", other, body, &reply), 400);
    assert_int_equal(
        fixture_send(fixture, "PUT", ARTIFACT "/content", other, "{\"content\": 1}", &reply), 400);
    assert_int_equal(put(fixture, "# Quite another\n", "# New\n", &reply), 412);
    g_autofree char *sha = content_sha256(FIXTURE_TEXT, strlen(FIXTURE_TEXT));
    assert_string_equal(json_get_text(json_get_object(reply.json, "error"), "sha256"), sha);
    assert_true(json_array_size(json_get_path(reply.json, "error.conflicts")) > 0);
    assert_string_equal(error_code_of(&reply), "precondition_failed");
    g_autofree char *unchanged = fixture_read(fixture, "design.md");
    assert_string_equal(unchanged, FIXTURE_TEXT);

    assert_int_equal(put(fixture, FIXTURE_TEXT, "# New\n", &reply), 200);
    g_autofree char *new_sha = content_sha256("# New\n", 6);
    assert_string_equal(json_get_text(reply.json, "sha256"), new_sha);
    assert_null(json_object_get(reply.json, "merged"));
    int64_t edit_id = json_get_int(reply.json, "editId", 0);
    assert_true(edit_id > 0);
    g_autofree char *changed = fixture_read(fixture, "design.md");
    assert_string_equal(changed, "# New\n");

    g_autofree char *edit = g_strdup_printf("/api/v1/edits/%" G_GINT64_FORMAT, edit_id);
    assert_int_equal(fixture_get(fixture, edit, &reply), 200);
    assert_string_equal(json_get_text(reply.json, "mode"), "direct");
    assert_non_null(strstr(json_get_text(reply.json, "patch"), "+# New"));
    assert_int_equal(fixture_get(fixture, ARTIFACT, &reply), 200);
    assert_int_equal(json_array_size(json_get_array(reply.json, "pendingEdits")), 1);
}

/* A base and a new text of nearly 5 MiB each. */
static void test_save_large(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    g_autoptr(GString) base = g_string_new(NULL);
    for (unsigned line = 0; base->len < 5 * 1024 * 1024 - 200; line++)
        g_string_append_printf(base, "%0100u\n", line);
    fixture_write(fixture, "design.md", base->str);
    g_autofree char *content = g_strconcat(base->str, "and one more\n", NULL);
    assert_int_equal(put(fixture, base->str, content, &reply), 200);
    g_autofree char *sha = content_sha256(content, strlen(content));
    assert_string_equal(json_get_text(reply.json, "sha256"), sha);
    assert_int_equal(fixture_get(fixture, ARTIFACT, &reply), 200);
    assert_string_equal(json_get_text(reply.json, "sha256"), sha);
}

/* cli-E-21 */
static void test_save_merged(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_write(fixture, "design.md", "1\r\n2\r\n3\r\n4\r\nfour\r\n5\r\n");
    assert_int_equal(put(fixture, "1\r\n2\r\n3\r\n4\r\n5\r\n", "1\nTWO\n3\n4\n5\n", &reply), 200);
    assert_true(json_get_bool(reply.json, "merged", false));
    assert_string_equal(json_get_text(reply.json, "content"), "1\nTWO\n3\n4\nfour\n5\n");
    g_autofree char *lines = json_to_text(json_get_array(reply.json, "fromElsewhere"));
    assert_string_equal(lines, "[[5,5]]");
    g_autofree char *text = fixture_read(fixture, "design.md");
    assert_string_equal(text, "1\r\nTWO\r\n3\r\n4\r\nfour\r\n5\r\n");
    g_autofree char *sha = content_sha256(text, strlen(text));
    assert_string_equal(json_get_text(reply.json, "sha256"), sha);

    assert_int_equal(put(fixture, "1\n2\n3\n4\n5\n", "1\nzwei\n3\n4\n5\n", &reply), 412);
    g_autofree char *conflicts = json_to_text(json_get_path(reply.json, "error.conflicts"));
    assert_string_equal(conflicts, "[[2,2]]");
    g_autofree char *kept = fixture_read(fixture, "design.md");
    assert_string_equal(kept, text);
}

/* cli-E-07 */
static void test_save_keeps_the_form(void **state)
{
    static const struct {
        const char *name, *before, *content, *after;
    } cases[] = {
        { "CR LF", "a\r\nb\r\n", "a\nc\n", "a\r\nc\r\n" },
        { "CR LF sent", "a\r\nb\r\n", "a\r\nc\r\n", "a\r\nc\r\n" },
        { "no last newline", "a\nb", "x\nb\n", "x\nb" },
        { "byte-order mark",
          "\xef\xbb\xbf"
          "a\n",
          "b\n",
          "\xef\xbb\xbf"
          "b\n" },
    };
    ArcadeFixture *fixture = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Reply) reply = { 0 };
        fixture_write(fixture, "design.md", cases[i].before);
        unsigned status = put(fixture, cases[i].before, cases[i].content, &reply);
        g_autofree char *after = fixture_read(fixture, "design.md");
        if (status != 200 || g_strcmp0(after, cases[i].after) != 0)
            fail_msg("%s: %u, '%s'", cases[i].name, status, after);
    }
}

/* Path of a new suggestion. Caller frees. */
static char *suggest(ArcadeFixture *fixture, const char *base, const char *content)
{
    g_auto(Reply) reply = { 0 };
    g_autofree char *body = edit_body(base, content);
    assert_int_equal(fixture_send(fixture, "POST", ARTIFACT "/suggestions", NULL, body, &reply),
                     201);
    assert_string_equal(json_get_text(reply.json, "mode"), "suggested");
    assert_string_equal(json_get_text(reply.json, "status"), "pending");
    return g_strdup_printf("/api/v1/edits/%" G_GINT64_FORMAT,
                           json_get_int(reply.json, "editId", 0));
}

static void test_suggest(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    g_autofree char *edit = suggest(fixture, FIXTURE_TEXT, "# Better\n");
    g_autofree char *text = fixture_read(fixture, "design.md");
    assert_string_equal(text, FIXTURE_TEXT);
    assert_int_equal(fixture_send(fixture, "DELETE", edit, NULL, "", &reply), 200);
    assert_string_not_equal(json_get_text(reply.json, "status"), "pending");
    assert_int_equal(fixture_send(fixture, "POST", ARTIFACT "/suggestions", NULL,
                                  "{\"content\": \"x\", \"runId\": \"R1\"}", &reply),
                     400);
    assert_int_equal(fixture_get(fixture, "/api/v1/edits/999", &reply), 404);
    assert_int_equal(fixture_get(fixture, "/api/v1/edits/x", &reply), 404);
}

/* cli-E-20 */
static void test_accept(void **state)
{
    static const char run[] = "{\"runId\": \"R1\"}";
    static const struct {
        const char *name, *base, *suggestion, *file;
        unsigned status;
        const char *want, *conflicts;
    } cases[] = {
        { "unchanged", "1\n2\n3\n4\n", "1\nX\n3\n4\n", "1\n2\n3\n4\n", 200, "1\nX\n3\n4\n", NULL },
        { "changed far away", "1\n2\n3\n4\n", "1\nX\n3\n4\n", "1\n2\n3\nfour\n", 200,
          "1\nX\n3\nfour\n", NULL },
        { "the same line", "1\n2\n3\n4\n", "1\nX\n3\n4\n", "1\ntwo\n3\n4\n", 409, "1\ntwo\n3\n4\n",
          "[[2,2]]" },
    };
    ArcadeFixture *fixture = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_auto(Reply) reply = { 0 };
        fixture_write(fixture, "design.md", cases[i].base);
        g_autofree char *edit = suggest(fixture, cases[i].base, cases[i].suggestion);
        g_autofree char *accept = g_strconcat(edit, "/accept", NULL);
        fixture_write(fixture, "design.md", cases[i].file);
        assert_int_equal(fixture_send(fixture, "POST", accept, NULL, "{}", &reply), 400);
        unsigned status = fixture_send(fixture, "POST", accept, NULL, run, &reply);
        g_autofree char *text = fixture_read(fixture, "design.md");
        g_autofree char *sha = content_sha256(text, strlen(text));
        g_autofree char *conflicts = json_to_text(json_get_path(reply.json, "error.conflicts"));
        if (status != cases[i].status || strcmp(text, cases[i].want) != 0)
            fail_msg("%s: %u, '%s'", cases[i].name, status, text);
        if (status == 200)
            assert_string_equal(json_get_text(reply.json, "sha256"), sha);
        else
            assert_string_equal(conflicts, cases[i].conflicts);
        // once is enough; what conflicts is pending still
        assert_int_equal(fixture_send(fixture, "POST", accept, NULL, run, &reply), 409);
    }
    g_auto(Reply) reply = { 0 };
    fixture_write(fixture, "design.md", FIXTURE_TEXT);
    assert_int_equal(put(fixture, FIXTURE_TEXT, "# New\n", &reply), 200);
    g_autofree char *direct = g_strdup_printf("/api/v1/edits/%" G_GINT64_FORMAT "/accept",
                                              json_get_int(reply.json, "editId", 0));
    assert_int_equal(fixture_send(fixture, "POST", direct, NULL, run, &reply), 409);
}

/* {docId, runId, anchor over "before", content} → its id */
static int64_t annotate(ArcadeFixture *fixture, Reply *reply)
{
    static const char body[] =
        "{\"docId\": \"" FIXTURE_DOC "\", \"runId\": \"R1\", \"content\": \"Really?\", \"anchor\":"
        " {\"type\": \"text-selection\", \"startOffset\": 18, \"endOffset\": 24, \"selectedText\":"
        " \"before\", \"contextBefore\": \"runs \", \"contextAfter\": \" init\"}}";
    assert_int_equal(fixture_send(fixture, "POST", "/api/v1/annotations", NULL, body, reply), 201);
    return json_get_int(reply->json, "id", 0);
}

static void test_annotations(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    int64_t id = annotate(fixture, &reply);
    assert_true(id > 0);
    assert_string_equal(json_get_text(reply.json, "author"), "user");
    assert_int_equal(json_get_int(reply.json, "line", 0), 3);
    g_autofree char *path = g_strdup_printf("/api/v1/annotations/%" G_GINT64_FORMAT, id);
    g_autofree char *replies = g_strconcat(path, "/replies", NULL);

    assert_int_equal(
        fixture_send(fixture, "POST", replies, NULL, "{\"content\": \"Yes.\"}", &reply), 201);
    int64_t reply_id = json_get_int(reply.json, "replyId", 0);
    assert_int_equal(
        json_array_size(json_get_array(json_get_object(reply.json, "annotation"), "replies")), 1);
    assert_int_equal(
        fixture_send(fixture, "PATCH", path, NULL, "{\"status\": \"resolved\"}", &reply), 200);
    assert_string_equal(json_get_text(reply.json, "status"), "resolved");
    assert_int_equal(fixture_send(fixture, "PATCH", path, NULL, "{\"content\": \"New\"}", &reply),
                     200);
    assert_string_equal(json_get_text(reply.json, "content"), "New");

    assert_int_equal(fixture_get(fixture, "/api/v1/annotations?runId=R1&status=open", &reply), 200);
    assert_int_equal(json_array_size(json_get_array(reply.json, "annotations")), 0);
    assert_int_equal(fixture_get(fixture, "/api/v1/annotations?docId=" FIXTURE_DOC, &reply), 200);
    assert_int_equal(json_array_size(json_get_array(reply.json, "annotations")), 1);

    g_autofree char *reply_path =
        g_strdup_printf("/api/v1/annotations/%" G_GINT64_FORMAT, reply_id);
    assert_int_equal(fixture_send(fixture, "DELETE", reply_path, NULL, "", &reply), 200);
    assert_int_equal(fixture_send(fixture, "DELETE", path, NULL, "", &reply), 200);
    assert_int_equal(fixture_send(fixture, "DELETE", path, NULL, "", &reply), 404);
}

static void test_answer(void **state)
{
    static const char answer[] = "/api/v1/runs/R1/answer";
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_run(fixture, "INSERT INTO event (id, run_id, type, data, created_at) VALUES (900, 'R1',"
                         " 'waiting_for_user', '{\"prompt\": \"Go on?\"}', 1)");
    fixture_run(fixture, "UPDATE run SET waiting_event = 900, status = 'waiting' WHERE id = 'R1'");
    assert_int_equal(fixture_get(fixture, "/api/v1/runs/R1", &reply), 200);
    const json_t *waiting = json_object_get(reply.json, "waiting");
    assert_int_equal(json_get_int(waiting, "eventId", 0), 900);
    assert_string_equal(json_get_text(waiting, "prompt"), "Go on?");
    assert_true(json_is_null(json_object_get(waiting, "answer")));

    assert_int_equal(fixture_send(fixture, "POST", answer, NULL,
                                  "{\"eventId\": 899, \"content\": \"Yes\"}", &reply),
                     409);
    assert_int_equal(fixture_send(fixture, "POST", answer, NULL,
                                  "{\"eventId\": 900, \"content\": \" \"}", &reply),
                     400);
    assert_int_equal(fixture_send(fixture, "POST", answer, NULL,
                                  "{\"eventId\": 900, \"content\": \"Yes.\"}", &reply),
                     201);
    assert_int_equal(json_get_int(reply.json, "answerTo", 0), 900);
    assert_true(json_is_null(json_object_get(reply.json, "docId")));
    assert_int_equal(fixture_get(fixture, "/api/v1/runs/R1", &reply), 200);
    waiting = json_object_get(reply.json, "waiting");
    assert_string_equal(json_get_text(json_get_object(waiting, "answer"), "content"), "Yes.");
    assert_string_equal(json_get_text(json_get_object(reply.json, "run"), "status"), "waiting");

    fixture_run(fixture, "UPDATE run SET waiting_event = NULL, status = 'running' WHERE id = 'R1'");
    assert_int_equal(fixture_send(fixture, "POST", answer, NULL,
                                  "{\"eventId\": 900, \"content\": \"Late.\"}", &reply),
                     409);
}

static void test_annotation_refused(void **state)
{
    ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    static const struct {
        const char *name, *body;
        unsigned status;
    } cases[] = {
        { "no content", "{\"docId\": \"" FIXTURE_DOC "\"}", 400 },
        { "blank", "{\"docId\": \"" FIXTURE_DOC "\", \"content\": \" \"}", 400 },
        { "unknown field", "{\"docId\": \"" FIXTURE_DOC "\", \"content\": \"a\", \"autor\": \"x\"}",
          400 },
        { "an author",
          "{\"docId\": \"" FIXTURE_DOC "\", \"content\": \"a\", \"author\": \"agent\"}", 400 },
        { "bad anchor",
          "{\"docId\": \"" FIXTURE_DOC "\", \"content\": \"a\", \"anchor\": {\"type\": \"x\"}}",
          400 },
        { "neither document nor run", "{\"content\": \"a\"}", 400 },
        { "no such document", "{\"docId\": \"none\", \"content\": \"a\"}", 404 },
        { "no such run", "{\"docId\": \"" FIXTURE_DOC "\", \"runId\": \"R9\", \"content\": \"a\"}",
          404 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        unsigned status =
            fixture_send(fixture, "POST", "/api/v1/annotations", NULL, cases[i].body, &reply);
        if (status != cases[i].status)
            fail_msg("%s: %u %s", cases[i].name, status, reply.body);
    }
    assert_int_equal(fixture_get(fixture, "/api/v1/annotations", &reply), 400);
    assert_int_equal(fixture_get(fixture, "/api/v1/annotations?runId=R9", &reply), 404);
    assert_int_equal(fixture_get(fixture, "/api/v1/annotations?runId=R1&status=x", &reply), 400);

    // what an agent said is not the person's to change
    fixture_run(fixture, "INSERT INTO annotation (id, doc_id, run_id, content, author, created_at,"
                         " updated_at) VALUES (70, '" FIXTURE_DOC "', 'R1', 'a', 'agent', 1, 1)");
    assert_int_equal(fixture_send(fixture, "DELETE", "/api/v1/annotations/70", NULL, "", &reply),
                     403);
    assert_int_equal(fixture_send(fixture, "PATCH", "/api/v1/annotations/70", NULL,
                                  "{\"content\": \"b\"}", &reply),
                     403);
    assert_int_equal(fixture_send(fixture, "PATCH", "/api/v1/annotations/70", NULL,
                                  "{\"status\": \"resolved\"}", &reply),
                     200);
    assert_int_equal(fixture_send(fixture, "PATCH", "/api/v1/annotations/70", NULL, "{}", &reply),
                     400);
}

static void test_keep_alive(void **state)
{
    const ArcadeFixture *fixture = *state;
    int fd = fixture_connect(fixture, "127.0.0.1");
    g_autofree char *request = g_strdup_printf(
        "GET /api/v1/runs/%%7Bx HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n\r\n",
        arcade_port(fixture->arcade), arcade_token(fixture->arcade));
    for (int i = 0; i < 3; i++) {
        socket_send(fd, request);
        g_autofree char *answer = socket_read_until(fd, "was not found\"}}");
        assert_true(str_has_prefix(answer, "HTTP/1.1 404 "));
    }
    close(fd);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, arcade_setup, arcade_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_runs),           EACH(test_run),        EACH(test_artifact),
        EACH(test_large_artifact), EACH(test_content),    EACH(test_outside),
        EACH(test_pictures),       EACH(test_save),       EACH(test_save_keeps_the_form),
        EACH(test_save_merged),    EACH(test_accept),     EACH(test_suggest),
        EACH(test_annotations),    EACH(test_answer),     EACH(test_annotation_refused),
        EACH(test_keep_alive),     EACH(test_save_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
