/*
 * The fixture of the tests of src/arcade (arcade_fixture.h).
 */
#include "arcade_fixture.h"

#include "agenttools/emit/run_artifact.h"
#include "base/file.h"
#include "base/str.h"
#include "base/timefmt.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#define READ_MS 40000 // for a server that hangs: five megabytes take a while under ThreadSanitizer

void fixture_run(ArcadeFixture *self, const char *sql)
{
    g_autoptr(GError) error = NULL;
    if (!db_exec(self->db, sql, &error))
        fail_msg("%s: %s", sql, error->message);
}

void fixture_add_run(ArcadeFixture *self, const char *run_id)
{
    g_autoptr(GError) error = NULL;
    int64_t now = time_now_ms();
    if (!db_run(self->db, &error,
                "INSERT INTO run (id, workflow, project_path, root_path, work_root, name,"
                " created_at, updated_at) VALUES (?1, 'build', ?2, ?2, ?2, 'a run', ?3, ?3)",
                "ssi", run_id, self->project, now))
        fail_msg("%s", error->message);
}

void fixture_write(const ArcadeFixture *self, const char *path, const char *content)
{
    g_autofree char *file = g_build_filename(self->project, path, NULL);
    g_autofree char *directory = g_path_get_dirname(file);
    assert_true(file_make_dirs(directory, 0755, NULL));
    assert_true(file_write_atomic(file, content, strlen(content), 0644, NULL));
}

char *fixture_read(const ArcadeFixture *self, const char *path)
{
    g_autofree char *file = g_build_filename(self->project, path, NULL);
    char *content = NULL;
    return file_read(file, 1024 * 1024, &content, NULL, NULL) ? content : NULL;
}

void fixture_add_artifact(ArcadeFixture *self, const char *run_id, const char *doc_id,
                          const char *path, const char *content)
{
    g_autofree char *sha = content ? content_sha256(content, strlen(content)) : NULL;
    g_autoptr(GError) error = NULL;
    int64_t now = time_now_ms();
    if (content)
        fixture_write(self, path, content);
    const char *type = g_str_has_suffix(path, ".md") ? "markdown" : "code";
    if (!db_run(self->db, &error,
                "INSERT OR IGNORE INTO artifact (doc_id, project_path, storage_root, root_path,"
                " path, type, sha256, created_at, updated_at)"
                " VALUES (?1, ?2, 'project', ?2, ?3, ?4, ?5, ?6, ?6)",
                "sssssi", doc_id, self->project, path, type, sha, now) ||
        !db_run(self->db, &error,
                "INSERT INTO run_artifact (run_id, doc_id, step, created_at)"
                " VALUES (?, ?, 'design', ?)",
                "ssi", run_id, doc_id, now))
        fail_msg("%s", error->message);
}

void fixture_start(ArcadeFixture *self, const char *token, unsigned port)
{
    const ArcadeSpec spec = {
        .database = self->database,
        .cwd = self->project,
        .token = token,
        .port = port,
        .idle_seconds = 2,
        .first_request_ms = 1500,
        .comment_ms = 500,
    };
    g_autoptr(GError) error = NULL;
    if (!arcade_start(&spec, &self->arcade, &error))
        fail_msg("%s", error->message);
}

void fixture_stop(ArcadeFixture *self)
{
    g_clear_pointer(&self->arcade, arcade_stop);
}

int arcade_setup(void **state)
{
    ArcadeFixture *self = g_new0(ArcadeFixture, 1);
    g_autofree char *made = g_dir_make_tmp("kedge-arcade-XXXXXX", NULL);
    self->dir = realpath(made, NULL);
    self->project = g_build_filename(self->dir, "project", NULL);
    self->database = g_build_filename(self->dir, "state", "agent-tools.db", NULL);
    assert_true(file_make_dirs(self->project, 0755, NULL));
    assert_true(state_open(self->database, NULL, &self->db, NULL, NULL));
    fixture_add_run(self, FIXTURE_RUN);
    fixture_add_artifact(self, FIXTURE_RUN, FIXTURE_DOC, "design.md", FIXTURE_TEXT);
    fixture_start(self, NULL, 0);
    *state = self;
    return 0;
}

int arcade_teardown(void **state)
{
    ArcadeFixture *self = *state;
    fixture_stop(self);
    db_close(self->db);
    file_remove_tree(self->dir, NULL);
    free(self->dir);
    g_free(self->project);
    g_free(self->database);
    g_free(self);
    return 0;
}

void ask_reply_clear(Reply *self)
{
    g_clear_pointer(&self->head, g_free);
    g_clear_pointer(&self->body, g_free);
    g_clear_pointer(&self->json, json_decref);
}

int fixture_connect(const ArcadeFixture *self, const char *address)
{
    struct sockaddr_in ipv4 = { .sin_family = AF_INET,
                                .sin_port = htons((uint16_t)arcade_port(self->arcade)) };
    struct sockaddr_in6 ipv6 = { .sin6_family = AF_INET6, .sin6_port = ipv4.sin_port };
    bool is_ipv4 = inet_pton(AF_INET, address, &ipv4.sin_addr) == 1;
    assert_true(is_ipv4 || inet_pton(AF_INET6, address, &ipv6.sin6_addr) == 1);
    int fd = socket(is_ipv4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr *target =
        is_ipv4 ? (const struct sockaddr *)&ipv4 : (const struct sockaddr *)&ipv6;
    socklen_t size = is_ipv4 ? sizeof(ipv4) : sizeof(ipv6);
    if (fd >= 0 && connect(fd, target, size) == 0)
        return fd;
    close(fd);
    return -1;
}

/* What the server does not want any more is no failure of the test. */
static void send_bytes(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(fd, data, size, MSG_NOSIGNAL);
        if (sent <= 0)
            return;
        data += sent;
        size -= (size_t)sent;
    }
}

void socket_send(int fd, const char *text)
{
    send_bytes(fd, text, strlen(text));
}

static bool wait_readable(int fd, gint64 deadline)
{
    struct pollfd readable = { .fd = fd, .events = POLLIN };
    gint64 left = deadline - time_monotonic_ms();
    return left > 0 && poll(&readable, 1, (int)left) > 0;
}

static GString *read_all(int fd, const char *needle)
{
    GString *text = g_string_new(NULL);
    gint64 deadline = time_monotonic_ms() + READ_MS;
    while (!(needle && strstr(text->str, needle)) && wait_readable(fd, deadline)) {
        char buffer[8192];
        ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
        if (got <= 0)
            break;
        g_string_append_len(text, buffer, got);
    }
    return text;
}

char *socket_read_until(int fd, const char *needle)
{
    return g_string_free(read_all(fd, needle), FALSE);
}

bool socket_is_closed(int fd, int timeout_ms)
{
    gint64 deadline = time_monotonic_ms() + timeout_ms;
    while (wait_readable(fd, deadline)) {
        char buffer[4096];
        if (recv(fd, buffer, sizeof(buffer), 0) <= 0)
            return true;
    }
    return false;
}

static char *request_text(const ArcadeFixture *self, const Ask *ask)
{
    GString *text = g_string_new(NULL);
    const char *method = ask->method ? ask->method : ask->body ? "POST" : "GET";
    g_string_printf(text, "%s %s HTTP/1.1\r\nConnection: close\r\n", method, ask->path);
    if (!ask->host)
        g_string_append_printf(text, "Host: 127.0.0.1:%u\r\n", arcade_port(self->arcade));
    else if (ask->host[0])
        g_string_append_printf(text, "Host: %s\r\n", ask->host);
    const char *token = ask->token ? ask->token : arcade_token(self->arcade);
    if (token[0])
        g_string_append_printf(text, "Authorization: Bearer %s\r\n", token);
    const char *type = ask->type ? ask->type : "application/json";
    if (ask->body && type[0])
        g_string_append_printf(text, "Content-Type: %s\r\n", type);
    if (ask->body)
        g_string_append_printf(text, "Content-Length: %zu\r\n", strlen(ask->body));
    g_string_append_printf(text, "%s\r\n%s", ask->headers ? ask->headers : "",
                           ask->body ? ask->body : "");
    return g_string_free(text, FALSE);
}

void fixture_ask(const ArcadeFixture *self, const Ask *ask, Reply *ret_reply)
{
    int fd = fixture_connect(self, "127.0.0.1");
    assert_true(fd >= 0);
    g_autofree char *request = request_text(self, ask);
    socket_send(fd, request);
    g_autoptr(GString) answer = read_all(fd, NULL);
    close(fd);
    const char *end = strstr(answer->str, "\r\n\r\n");
    if (!end || !str_has_prefix(answer->str, "HTTP/1."))
        fail_msg("%s: no answer: '%s'", ask->path, answer->str);
    size_t head_size = (size_t)(end + 4 - answer->str);
    ret_reply->status = (unsigned)g_ascii_strtoull(answer->str + 9, NULL, 10);
    ret_reply->head = g_strndup(answer->str, head_size);
    ret_reply->body_size = answer->len - head_size;
    ret_reply->body = g_malloc0(ret_reply->body_size + 1);
    memcpy(ret_reply->body, answer->str + head_size, ret_reply->body_size);
    ret_reply->json = NULL;
    bool is_json = strstr(ret_reply->head, "\r\nContent-Type: application/json\r\n") != NULL;
    if (is_json && ret_reply->body_size > 0) // HEAD has none
        assert_true(json_parse(ret_reply->body, ret_reply->body_size, &ret_reply->json, NULL));
}

unsigned fixture_get(const ArcadeFixture *self, const char *path, Reply *ret_reply)
{
    ask_reply_clear(ret_reply);
    fixture_ask(self, &(Ask) { .path = path }, ret_reply);
    return ret_reply->status;
}

unsigned fixture_send(const ArcadeFixture *self, const char *method, const char *path,
                      const char *headers, const char *body, Reply *ret_reply)
{
    ask_reply_clear(ret_reply);
    const Ask ask = { .method = method, .path = path, .headers = headers, .body = body };
    fixture_ask(self, &ask, ret_reply);
    return ret_reply->status;
}

char *header_of(const Reply *reply, const char *name)
{
    g_autofree char *begin = g_strdup_printf("\r\n%s: ", name);
    const char *at = strstr(reply->head, begin);
    at = at ? at + strlen(begin) : NULL;
    return at ? g_strndup(at, strcspn(at, "\r")) : NULL;
}

const char *error_code_of(const Reply *reply)
{
    return json_get_text(json_get_object(reply->json, "error"), "code");
}
