/*
 * Live updates (arcade/stream.h, hub.h, watch.h, feed.h; agent-tools-cli §5.7), through real
 * sockets.
 */
#include "arcade_fixture.h"

#include "agenttools/emit/run_artifact.h"
#include "arcade/feed.h"
#include "arcade/stream.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <sys/socket.h>

#define OTHER "22222222-2222-4222-8222-222222222222"

/* `last_id` NULL: a client that was never here. The text that came first, in *ret_text. */
static int open_stream(ArcadeFixture *fixture, const char *query, const char *last_id,
                       char **ret_text)
{
    int fd = fixture_connect(fixture, "127.0.0.1");
    assert_true(fd >= 0);
    g_autofree char *id =
        last_id ? g_strdup_printf("Last-Event-ID: %s\r\n", last_id) : g_strdup("");
    g_autofree char *request = g_strdup_printf(
        "GET /api/v1/stream%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAuthorization: Bearer %s\r\n%s\r\n",
        query, arcade_port(fixture->arcade), arcade_token(fixture->arcade), id);
    socket_send(fd, request);
    char *text = socket_read_until(fd, "\nid: ");
    if (ret_text)
        *ret_text = text;
    else
        g_free(text);
    return fd;
}

static void say(ArcadeFixture *fixture, const char *type, const char *run_id, const char *doc_id,
                const char *word)
{
    g_autoptr(json_t) data = json_object();
    json_set_text(data, "word", word);
    assert_true(feed_append(fixture->db, type, run_id, doc_id, data, time_now_ms(), NULL));
}

static int64_t last_id(ArcadeFixture *fixture)
{
    int64_t id = 0;
    assert_true(feed_last_id(fixture->db, &id, NULL));
    return id;
}

static void test_events(void **state)
{
    ArcadeFixture *fixture = *state;
    g_autofree char *head = NULL;
    say(fixture, "run", "R1", NULL, "before");
    int fd = open_stream(fixture, "", NULL, &head);
    assert_true(str_has_prefix(head, "HTTP/1.1 200 "));
    assert_non_null(strstr(head, "\r\nContent-Type: text/event-stream\r\n"));
    assert_non_null(strstr(head, "\r\nCache-Control: no-store\r\n"));
    g_autofree char *place = g_strdup_printf("\nid: %" G_GINT64_FORMAT "\n\n", last_id(fixture));
    assert_non_null(strstr(head, place)); // where a client that saw nothing may go on

    say(fixture, "event", "R1", NULL, "one");
    say(fixture, "annotation", "R1", FIXTURE_DOC, "two");
    g_autofree char *text = socket_read_until(fd, "\"word\":\"two\"");
    g_autofree char *want = g_strdup_printf(
        "id: %" G_GINT64_FORMAT "\nevent: event\ndata: {\"word\":\"one\",\"runId\":\"R1\"}\n\n",
        last_id(fixture) - 1);
    if (!strstr(text, want))
        fail_msg("no '%s' in '%s'", want, text);
    assert_non_null(strstr(text, "event: annotation\ndata: {\"word\":\"two\",\"runId\":\"R1\","
                                 "\"docId\":\"" FIXTURE_DOC "\"}"));
    assert_null(strstr(text, "before"));
    close(fd);
}

static void test_of_one_run(void **state)
{
    ArcadeFixture *fixture = *state;
    fixture_add_run(fixture, "R2");
    fixture_add_artifact(fixture, "R2", OTHER, "other.md", "x");
    int fd = open_stream(fixture, "?runId=R1", NULL, NULL);
    say(fixture, "event", "R2", NULL, "of-R2");
    say(fixture, "annotation", NULL, OTHER, "of-other");
    say(fixture, "annotation", "R2", FIXTURE_DOC, "of-R2-on-shared");
    say(fixture, "annotation", NULL, FIXTURE_DOC, "of-design");
    say(fixture, "artifact", "R2", FIXTURE_DOC, "by-R2");
    say(fixture, "event", "R1", NULL, "last");
    g_autofree char *text = socket_read_until(fd, "\"last\"");
    assert_non_null(strstr(text, "of-design"));
    assert_non_null(strstr(text, "by-R2"));
    assert_null(strstr(text, "of-R2"));
    assert_null(strstr(text, "of-other"));
    close(fd);
}

/* Another program writes the file: said with its new hash, and once. */
static void test_file_changes(void **state)
{
    ArcadeFixture *fixture = *state;
    int fd = open_stream(fixture, "?runId=R1", NULL, NULL);
    fixture_write(fixture, "design.md", "# Changed\n");
    g_autofree char *sha = content_sha256("# Changed\n", 10);
    g_autofree char *text = socket_read_until(fd, sha);
    g_autofree char *want = g_strdup_printf(
        "event: artifact\ndata: {\"docId\":\"" FIXTURE_DOC "\",\"sha256\":\"%s\"", sha);
    if (!strstr(text, want))
        fail_msg("no '%s' in '%s'", want, text);
    g_autofree char *path = g_build_filename(fixture->project, "design.md", NULL);
    assert_int_equal(unlink(path), 0);
    g_autofree char *gone = socket_read_until(fd, "\"sha256\":null");
    assert_non_null(strstr(gone, "event: artifact"));
    say(fixture, "event", "R1", NULL, "last");
    g_autofree char *rest = socket_read_until(fd, "\"last\"");
    assert_null(strstr(rest, "artifact"));
    close(fd);
}

/* What changed while no server ran is said to the next stream. */
static void test_file_changed_meanwhile(void **state)
{
    ArcadeFixture *fixture = *state;
    g_autofree char *before = g_strdup_printf("%" G_GINT64_FORMAT, last_id(fixture));
    fixture_stop(fixture);
    fixture_write(fixture, "design.md", "# Meanwhile\n");
    fixture_start(fixture, NULL, 0);
    // the watcher may be quicker than the stream: a client that was here before hears it in any
    // case
    g_autofree char *head = NULL;
    int fd = open_stream(fixture, "", before, &head);
    g_autofree char *sha = content_sha256("# Meanwhile\n", 12);
    if (!strstr(head, sha)) {
        g_autofree char *text = socket_read_until(fd, sha);
        assert_non_null(strstr(text, sha));
    }
    close(fd);
}

/* A document that is registered while somebody listens is watched too. */
static void test_new_artifact(void **state)
{
    ArcadeFixture *fixture = *state;
    int fd = open_stream(fixture, "", NULL, NULL);
    fixture_add_artifact(fixture, "R1", OTHER, "deep/new.md", "first\n");
    say(fixture, "artifact", "R1", OTHER, "registered");
    g_autofree char *registered G_GNUC_UNUSED = socket_read_until(fd, "registered");
    fixture_write(fixture, "deep/new.md", "second\n");
    g_autofree char *sha = content_sha256("second\n", 7);
    g_autofree char *text = socket_read_until(fd, sha);
    assert_non_null(strstr(text, sha));
    close(fd);
}

/* cli-E-16, the server's part: the same page goes on with a server that took its place. */
static void test_resumes_after_restart(void **state)
{
    ArcadeFixture *fixture = *state;
    int fd = open_stream(fixture, "", NULL, NULL);
    say(fixture, "event", "R1", NULL, "first");
    g_autofree char *before = socket_read_until(fd, "\"first\"");
    assert_non_null(strstr(before, "\"first\""));
    g_autofree char *seen = g_strdup_printf("%" G_GINT64_FORMAT, last_id(fixture));
    g_autofree char *token = g_strdup(arcade_token(fixture->arcade));
    unsigned port = arcade_port(fixture->arcade);
    fixture_stop(fixture);
    assert_true(socket_is_closed(fd, 5000));
    close(fd);
    say(fixture, "event", "R1", NULL, "second");
    say(fixture, "event", "R1", NULL, "third");
    fixture_start(fixture, token, port);
    g_autofree char *resumed = NULL;
    fd = open_stream(fixture, "", seen, &resumed);
    say(fixture, "event", "R1", NULL, "fourth");
    g_autofree char *rest = socket_read_until(fd, "\"fourth\"");
    g_autofree char *after = g_strconcat(resumed, rest, NULL);
    const char *second = strstr(after, "\"second\""), *third = strstr(after, "\"third\"");
    assert_true(second && third && second < third && third < strstr(after, "\"fourth\""));
    assert_null(strstr(after, "\"first\""));
    assert_null(strstr(after, "reset"));
    close(fd);
}

static void test_reset(void **state)
{
    ArcadeFixture *fixture = *state;
    say(fixture, "event", "R1", NULL, "a");
    say(fixture, "event", "R1", NULL, "b");
    say(fixture, "event", "R1", NULL, "c");
    int64_t last = last_id(fixture);
    g_autofree char *oldest =
        g_strdup_printf("DELETE FROM feed WHERE id < %" G_GINT64_FORMAT, last);
    fixture_run(fixture, oldest);
    const struct {
        const char *name;
        int64_t seen;
        bool is_reset;
    } cases[] = {
        { "what is left begins after it", last - 1, false },
        { "nothing is new", last, false },
        { "a row is gone", last - 2, true },
        { "of another database", last + 1, true },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        bool reaches = false;
        assert_true(feed_reaches(fixture->db, cases[i].seen, &reaches, NULL));
        if (reaches == cases[i].is_reset)
            fail_msg("%s: %d", cases[i].name, reaches);
        g_autofree char *id = g_strdup_printf("%" G_GINT64_FORMAT, cases[i].seen);
        g_autofree char *text = NULL;
        close(open_stream(fixture, "", id, &text));
        if ((strstr(text, "event: reset\ndata: {}\nid: ") != NULL) != cases[i].is_reset)
            fail_msg("%s: %s", cases[i].name, text);
    }
    g_autofree char *text = NULL;
    close(open_stream(fixture, "", "x", &text));
    assert_non_null(strstr(text, "event: reset"));
}

static void test_comments(void **state)
{
    ArcadeFixture *fixture = *state;
    int fd = open_stream(fixture, "", NULL, NULL);
    g_autofree char *text = socket_read_until(fd, ": still here\nid: ");
    assert_non_null(strstr(text, ": still here\nid: "));
    close(fd);
}

/* The 33rd is refused; one that ends makes room. */
static void test_limit(void **state)
{
    ArcadeFixture *fixture = *state;
    int fds[STREAM_MAX];
    for (size_t i = 0; i < STREAM_MAX; i++)
        fds[i] = open_stream(fixture, "", NULL, NULL);
    g_auto(Reply) reply = { 0 };
    assert_int_equal(fixture_get(fixture, "/api/v1/stream", &reply), 429);
    close(fds[0]);
    bool has_room = false;
    for (int tries = 0; tries < 100 && !has_room; tries++) {
        g_autofree char *text = NULL;
        int fd = open_stream(fixture, "", NULL, &text);
        has_room = str_has_prefix(text, "HTTP/1.1 200 ");
        fds[0] = fd;
        if (!has_room) {
            close(fd);
            g_usleep(20000);
        }
    }
    assert_true(has_room);
    for (size_t i = 0; i < STREAM_MAX; i++)
        close(fds[i]);
}

static void test_stream_needs_token(void **state)
{
    const ArcadeFixture *fixture = *state;
    g_auto(Reply) reply = { 0 };
    fixture_ask(fixture, &(Ask) { .path = "/api/v1/stream", .token = "" }, &reply);
    assert_int_equal(reply.status, 401);
    ask_reply_clear(&reply);
    fixture_ask(fixture, &(Ask) { .method = "HEAD", .path = "/api/v1/stream" }, &reply);
    assert_int_equal(reply.status, 405);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, arcade_setup, arcade_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_events),       EACH(test_of_one_run),
        EACH(test_file_changes), EACH(test_file_changed_meanwhile),
        EACH(test_new_artifact), EACH(test_resumes_after_restart),
        EACH(test_reset),        EACH(test_comments),
        EACH(test_limit),        EACH(test_stream_needs_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
