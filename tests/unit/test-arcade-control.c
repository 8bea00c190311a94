/*
 * One server per database: arcade.json, whose process it is, starting, reusing, replacing, ending
 * (arcade/control.h, record.h, probe.h). Rows of agent-tools-cli §10.
 */
#include "arcade_fixture.h"

#include "arcade/control.h"
#include "arcade/guard.h"
#include "arcade/probe.h"
#include "arcade/record.h"
#include "base/file.h"
#include "base/proc.h"
#include "base/str.h"
#include "http_server.h"

#include <sys/stat.h>

static const char some_token[] = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

typedef struct Place { // a state directory with nothing in it
    char *dir, *database, *record;
} Place;

static int place_setup(void **state)
{
    Place *self = g_new0(Place, 1);
    self->dir = g_dir_make_tmp("kedge-control-XXXXXX", NULL);
    self->database = g_build_filename(self->dir, "agent-tools.db", NULL);
    self->record = record_path(self->database);
    *state = self;
    return 0;
}

static int place_teardown(void **state)
{
    Place *self = *state;
    file_remove_tree(self->dir, NULL);
    g_free(self->dir);
    g_free(self->database);
    g_free(self->record);
    g_free(self);
    return 0;
}

static ControlWish wish_of(const Place *place)
{
    return (ControlWish) { .database = place->database, .cwd = place->dir, .has_port = true };
}

static void start(const ControlWish *wish, ControlServer *server)
{
    g_autoptr(GError) error = NULL;
    if (!control_start(wish, NULL, server, &error))
        fail_msg("%s", error->message);
}

static void test_start_and_end(void **state)
{
    const Place *place = *state;
    const ControlWish wish = wish_of(place);
    g_auto(ArcadeRecord) record = { 0 };
    g_auto(ControlStatus) status = { 0 };
    {
        g_auto(ControlServer) server = { 0 };
        start(&wish, &server);
        assert_int_equal(server.kind, CONTROL_STARTED);
        assert_true(record_read(place->record, &record));
        assert_int_equal(record.pid, getpid());
        assert_int_equal(record.port, server.port);
        assert_string_equal(record.token, server.token);
        assert_string_equal(record.version, KEDGE_VERSION);
        assert_true(process_is_alive(&record));
        struct stat st;
        assert_int_equal(stat(place->record, &st), 0);
        assert_int_equal(st.st_mode & 0777, 0600);
        control_status(place->database, &status);
        assert_int_equal(status.state, CONTROL_RUNS);
        assert_int_equal(status.port, server.port);

        ControlWish again = wish;
        again.port = 1; // whatever port is asked for: there is one server
        g_auto(ControlServer) second = { 0 };
        start(&again, &second);
        assert_int_equal(second.kind, CONTROL_REUSED);
        assert_int_equal(second.port, server.port);
        assert_string_equal(second.token, server.token);
        assert_null(second.arcade);
    }
    assert_false(file_exists(place->record));
    control_status_clear(&status);
    control_status(place->database, &status);
    assert_int_equal(status.state, CONTROL_NONE);
    assert_true(control_stop(place->database, NULL, &status, NULL));
    assert_int_equal(status.state, CONTROL_NONE);
}

static void write_record(const Place *place, int64_t pid, int64_t started, unsigned port)
{
    const ArcadeRecord record = {
        .pid = pid,
        .started = started,
        .port = port,
        .version = (char *)"0.0.1",
        .token = (char *)some_token,
    };
    assert_true(record_write(place->record, &record, NULL));
}

/* A process that is not the server has got its number. */
static void test_stale(void **state)
{
    const Place *place = *state;
    const ControlWish wish = wish_of(place);
    int64_t started = 0;
    assert_true(process_started(getpid(), &started));
    write_record(place, getpid(), started - 1, 1);
    g_auto(ControlStatus) status = { 0 };
    control_status(place->database, &status);
    assert_int_equal(status.state, CONTROL_NONE);
    g_auto(ControlServer) server = { 0 };
    start(&wish, &server);
    assert_int_equal(server.kind, CONTROL_REPLACED);
    assert_string_equal(server.reason, "stale pid");
    assert_string_equal(server.token, some_token); // open pages go on
}

/* A child in the server's place, which does not care for SIGTERM. */
static void start_child(ProcChild *child)
{
    static const char *const argv[] = { "sh", "-c", "trap '' TERM; echo; sleep 60", NULL };
    g_autoptr(GError) error = NULL;
    if (!proc_start(&(ProcChildSpec) { .argv = argv }, child, &error))
        fail_msg("%s", error->message);
    char byte;
    assert_int_equal(read(child->output_fd, &byte, 1), 1); // the trap is set
}

typedef struct Fake { // a server of another version
    TestServer *server;
    const char *version;
} Fake;

static bool answer_as(TestServer *server, int fd, const char *request, unsigned number)
{
    const Fake *fake = server->data;
    bool is_health = str_has_prefix(request, "GET /api/v1/health ");
    bool is_trusted = strstr(request, some_token) != NULL;
    g_autofree char *health =
        g_strdup_printf("{\"ok\":true,\"app\":\"kedge-arcade\",\"version\":\"%s\"}", fake->version);
    g_autofree char *answer =
        g_strdup_printf("HTTP/1.1 %s\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n%s",
                        is_health || is_trusted ? "200 OK" : "401 No",
                        is_health ? strlen(health) : (size_t)2, is_health ? health : "{}");
    test_send_text(fd, answer);
    return false;
}

/* cli-E-18: an older kedge is replaced, and its process ended, the stubborn one as well. */
static void test_older_is_replaced(void **state)
{
    const Place *place = *state;
    const ControlWish wish = wish_of(place);
    Fake fake = { .version = "0.0.1" };
    fake.server = test_server_start(answer_as, &fake);
    ProcChild child = { 0 };
    start_child(&child);
    int64_t started = 0;
    assert_true(process_started(child.pid, &started));
    write_record(place, child.pid, started, fake.server->port);
    g_auto(ControlServer) server = { 0 };
    start(&wish, &server);
    assert_int_equal(server.kind, CONTROL_REPLACED);
    assert_string_equal(server.reason, "version mismatch");
    assert_false(process_started(child.pid, &started));
    proc_child_end(&child, 0);
    test_server_stop(fake.server);
}

/* Its process lives, and nobody answers. */
static void test_hanging_is_replaced(void **state)
{
    const Place *place = *state;
    const ControlWish wish = wish_of(place);
    static const char *const argv[] = { "sleep", "60", NULL };
    ProcChild child = { 0 };
    assert_true(proc_start(&(ProcChildSpec) { .argv = argv }, &child, NULL));
    int64_t started = 0;
    assert_true(process_started(child.pid, &started));
    write_record(place, child.pid, started, 1);
    g_auto(ControlStatus) status = { 0 };
    control_status(place->database, &status);
    assert_int_equal(status.state, CONTROL_HANGS);
    g_auto(ControlServer) server = { 0 };
    start(&wish, &server);
    assert_int_equal(server.kind, CONTROL_REPLACED);
    assert_string_equal(server.reason, "unhealthy server");
    proc_child_end(&child, 0);
}

/* cli-E-18: the port is another program's. */
static void test_foreign_port(void **state)
{
    const Place *place = *state;
    ControlWish wish = wish_of(place);
    Fake fake = { .version = KEDGE_VERSION };
    fake.server = test_server_start(answer_as, &fake);
    wish.port = fake.server->port;
    g_auto(ControlServer) server = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(control_start(&wish, NULL, &server, &error));
    g_autofree char *want = g_strdup_printf("Port %u is in use by the Arcade of another database.\n"
                                            "Use a different port or stop the process occupying "
                                            "port %u.",
                                            wish.port, wish.port);
    assert_string_equal(error->message, want);
    assert_false(file_exists(place->record));
    test_server_stop(fake.server);
}

static void test_records(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"pid\": 1, \"started\": 1, \"port\": 80, \"token\": \"x\"}",
        "{\"pid\": 10, \"started\": 1, \"port\": 80, \"token\": \"x\"}",
        "{\"pid\": 10, \"started\": 1, \"port\": 99999, \"token\": "
        "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}",
        "{\"pid\": -10, \"started\": 1, \"port\": 80, \"token\": "
        "\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\"}",
    };
    const Place *place = *state;
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_auto(ArcadeRecord) record = { 0 };
        assert_true(g_file_set_contents(place->record, bad[i], -1, NULL));
        if (record_read(place->record, &record))
            fail_msg("taken: %s", bad[i]);
    }
    write_record(place, 10, 5, 80);
    record_remove(place->record, 10, 6);
    assert_true(file_exists(place->record)); // another's
    record_remove(place->record, 10, 5);
    assert_false(file_exists(place->record));
}

static void test_another_database_beside(void **state)
{
    const Place *place = *state;
    const ControlWish wish = wish_of(place);
    g_auto(ControlServer) server = { 0 };
    start(&wish, &server);
    g_autofree char *other = g_build_filename(place->dir, "other.db", NULL);
    const ControlWish second = { .database = other, .cwd = place->dir, .has_port = true };
    g_auto(ControlServer) refused = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(control_start(&second, NULL, &refused, &error));
    assert_non_null(strstr(error->message, "agent-tools.db"));
}

static void test_probe(void **state)
{
    ArcadeFixture *fixture = *state;
    unsigned port = arcade_port(fixture->arcade);
    g_autofree char *version = NULL;
    assert_true(probe_is_arcade(port, &version));
    assert_string_equal(version, KEDGE_VERSION);
    assert_true(probe_takes_token(port, arcade_token(fixture->arcade)));
    assert_false(probe_takes_token(port, some_token));
    fixture_stop(fixture);
    assert_false(probe_is_arcade(port, NULL));
    fixture_start(fixture, NULL, 0);
}

static void test_new_database_errors(void **state)
{
    const Place *place = *state;
    ControlWish wish = wish_of(place);
    wish.database = "/dev/null/x/agent-tools.db";
    g_auto(ControlServer) server = { 0 };
    g_autoptr(GError) error = NULL;
    assert_false(control_start(&wish, NULL, &server, &error));
    assert_non_null(error);
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, place_setup, place_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_start_and_end),
        EACH(test_stale),
        EACH(test_older_is_replaced),
        EACH(test_hanging_is_replaced),
        EACH(test_foreign_port),
        EACH(test_records),
        EACH(test_another_database_beside),
        EACH(test_new_database_errors),
        cmocka_unit_test_setup_teardown(test_probe, arcade_setup, arcade_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
