/*
 * The canned model server (sse_server.h).
 */
#include "sse_server.h"

#include "base/fd.h"
#include "base/worker.h"

#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>

#define REQUEST_MAX_BYTES (16 * 1024 * 1024)

typedef struct Reply {
    int status;
    char *body;
    bool hangs;
} Reply;

struct SseServer {
    int listener;
    int stop_fds[2]; // readable when the server shall stop
    int port;
    int prompt_tokens, completion_tokens;
    Worker *worker;
    pthread_mutex_t lock; // guards what follows
    GQueue replies;
    GPtrArray *requests; // json_t *
    SseDemands demands;
};

static void reply_free(gpointer data)
{
    Reply *self = data;
    g_free(self->body);
    g_free(self);
}

/* Waits for bytes; false when the server stops. */
static bool wait_readable(SseServer *self, int fd)
{
    struct pollfd fds[2] = { { .fd = fd, .events = POLLIN },
                             { .fd = self->stop_fds[0], .events = POLLIN } };
    return poll(fds, 2, -1) > 0 && fds[1].revents == 0;
}

/* One HTTP request; its body as JSON. NULL when the client went away. */
static json_t *read_request(SseServer *self, int fd, size_t *ret_size)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (;;) {
        const char *end = strstr(text->str, "\r\n\r\n");
        if (end) {
            size_t head = (size_t)(end - text->str) + 4;
            g_autofree char *lower = g_ascii_strdown(text->str, (gssize)head);
            const char *length = strstr(lower, "content-length:");
            size_t size = length ? (size_t)g_ascii_strtoull(length + 15, NULL, 10) : 0;
            json_t *body = NULL;
            *ret_size = size;
            if (text->len >= head + size)
                return json_parse(text->str + head, size, &body, NULL) ? body : json_null();
        }
        char piece[65536];
        ssize_t got = wait_readable(self, fd) ? read(fd, piece, sizeof piece) : 0;
        if (got <= 0 || text->len > REQUEST_MAX_BYTES)
            return NULL;
        g_string_append_len(text, piece, got);
    }
}

static Reply *reply_new(int status, const char *body)
{
    Reply *reply = g_new0(Reply, 1);
    reply->status = status;
    reply->body = g_strdup(body);
    return reply;
}

static bool goes_by_turns(const json_t *request)
{
    const char *last = "assistant";
    size_t i;
    json_t *message;
    json_array_foreach (json_get_array(request, "messages"), i, message) {
        const char *role = json_get_text(message, "role");
        if (g_str_equal(role, "system") || g_str_equal(role, "tool") ||
            json_object_get(message, "tool_calls"))
            continue;
        if (g_str_equal(role, last))
            return false;
        last = role;
    }
    return true;
}

/* NULL: nothing is wrong with the request. */
static Reply *refuse(const SseDemands *demands, const json_t *request, size_t size)
{
    if (demands->max_bytes > 0 && size > demands->max_bytes)
        return reply_new(413, "<html><head><title>413 Request Entity Too Large</title></head>"
                              "<body><center>nginx</center></body></html>");
    if (demands->by_turns_status > 0 && !goes_by_turns(request))
        return reply_new(demands->by_turns_status,
                         "{\"error\":{\"message\":\"Conversation roles must alternate "
                         "user/assistant/user/assistant/...\"}}");
    return NULL;
}

static Reply *next_reply(SseServer *self, json_t *request, size_t size)
{
    pthread_mutex_lock(&self->lock);
    g_ptr_array_add(self->requests, request);
    Reply *reply = refuse(&self->demands, request, size);
    if (!reply)
        reply = g_queue_pop_head(&self->replies);
    pthread_mutex_unlock(&self->lock);
    return reply ? reply : reply_new(400, "{\"error\":{\"message\":\"no answer left\"}}");
}

static void serve(SseServer *self, int fd)
{
    size_t size = 0;
    json_t *request = read_request(self, fd, &size);
    if (!request)
        return;
    Reply *reply = next_reply(self, request, size);
    const char *type = reply->status == 200 ? "text/event-stream" : "application/json";
    g_autofree char *head = g_strdup_printf(
        "HTTP/1.1 %d X\r\ncontent-type: %s\r\nconnection: close\r\n\r\n", reply->status, type);
    if (fd_write_all(fd, head, strlen(head), "head", NULL) &&
        fd_write_all(fd, reply->body, strlen(reply->body), "body", NULL) && reply->hangs) {
        char byte;
        if (wait_readable(self, fd) && read(fd, &byte, 1) > 0)
            g_error("a request while an answer hangs");
    }
    reply_free(reply);
}

static void server_work(void *data)
{
    SseServer *self = data;
    while (wait_readable(self, self->listener)) {
        g_auto(Fd) fd = accept4(self->listener, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            serve(self, fd);
    }
}

SseServer *sse_server_new(void)
{
    SseServer *self = g_new0(SseServer, 1);
    self->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof address;
    bool is_bound = bind(self->listener, (struct sockaddr *)&address, size) == 0 &&
                    listen(self->listener, 16) == 0 &&
                    getsockname(self->listener, (struct sockaddr *)&address, &size) == 0 &&
                    fd_pipe(self->stop_fds, NULL);
    g_assert(is_bound);
    self->port = ntohs(address.sin_port);
    self->prompt_tokens = 10;
    self->completion_tokens = 5;
    pthread_mutex_init(&self->lock, NULL);
    g_queue_init(&self->replies);
    self->requests = g_ptr_array_new_with_free_func((GDestroyNotify)json_decref);
    self->worker = worker_start("sse-server", server_work, self);
    return self;
}

void sse_server_free(SseServer *self)
{
    fd_close(self->stop_fds[1]); // its reader becomes readable
    worker_join(self->worker);
    fd_close(self->stop_fds[0]);
    fd_close(self->listener);
    g_queue_clear_full(&self->replies, reply_free);
    g_ptr_array_unref(self->requests);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

int sse_server_port(const SseServer *self)
{
    return self->port;
}

void sse_server_set_demands(SseServer *self, SseDemands demands)
{
    pthread_mutex_lock(&self->lock);
    self->demands = demands;
    pthread_mutex_unlock(&self->lock);
}

void sse_server_set_usage(SseServer *self, int prompt_tokens, int completion_tokens)
{
    self->prompt_tokens = prompt_tokens;
    self->completion_tokens = completion_tokens;
}

static void add_reply(SseServer *self, int status, GString *body, bool hangs)
{
    Reply *reply = g_new0(Reply, 1);
    reply->status = status;
    reply->body = g_string_free(body, FALSE);
    reply->hangs = hangs;
    pthread_mutex_lock(&self->lock);
    g_queue_push_tail(&self->replies, reply);
    pthread_mutex_unlock(&self->lock);
}

/* Takes `delta`. */
static void append_chunk(GString *body, json_t *delta, const char *finish_reason)
{
    json_t *choice = json_object();
    json_set_int(choice, "index", 0);
    json_set_take(choice, "delta", delta);
    json_set_take(choice, "finish_reason", json_text(finish_reason));
    json_t *choices = json_array();
    json_append_take(choices, choice);
    g_autoptr(json_t) chunk = json_object();
    json_set_text(chunk, "id", "chat-1");
    json_set_take(chunk, "choices", choices);
    g_autofree char *text = json_to_text(chunk);
    g_string_append_printf(body, "data: %s\n\n", text);
}

static void append_end(const SseServer *self, GString *body, const char *finish_reason)
{
    append_chunk(body, json_object(), finish_reason);
    g_string_append_printf(body,
                           "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":%d,"
                           "\"completion_tokens\":%d}}\n\ndata: [DONE]\n\n",
                           self->prompt_tokens, self->completion_tokens);
}

/* In two pieces, so that there is more than one update. */
static void append_text(GString *body, const char *text)
{
    size_t half = strlen(text) / 2;
    g_autofree char *first = g_strndup(text, half);
    const char *const pieces[] = { first, text + half };
    for (size_t i = 0; i < G_N_ELEMENTS(pieces); i++) {
        json_t *delta = json_object();
        json_set_text(delta, "content", pieces[i]);
        append_chunk(body, delta, NULL);
    }
}

void sse_server_add_text_ending(SseServer *self, const char *text, const char *finish_reason)
{
    GString *body = g_string_new(NULL);
    append_text(body, text);
    append_end(self, body, finish_reason);
    add_reply(self, 200, body, false);
}

void sse_server_add_text(SseServer *self, const char *text)
{
    sse_server_add_text_ending(self, text, "stop");
}

void sse_server_add_hanging(SseServer *self, const char *text)
{
    GString *body = g_string_new(NULL);
    append_text(body, text);
    add_reply(self, 200, body, true);
}

void sse_server_add_error(SseServer *self, int status, const char *message)
{
    GString *body = g_string_new(NULL);
    g_string_append_printf(body, "{\"error\":{\"message\":\"%s\"}}", message);
    add_reply(self, status, body, false);
}

void sse_server_add_calls_ending(SseServer *self, const char *calls_text, const char *finish_reason)
{
    g_autoptr(json_t) calls = NULL;
    if (!json_parse_text(calls_text, &calls, NULL))
        g_error("bad calls: %s", calls_text);
    GString *body = g_string_new(NULL);
    size_t i;
    json_t *call;
    json_array_foreach (calls, i, call) {
        json_t *arguments = json_object_get(call, "arguments");
        g_autofree char *text = json_is_string(arguments) ? g_strdup(json_string_value(arguments))
                                                          : json_to_text(arguments);
        json_t *function = json_object();
        json_set_text(function, "name", json_get_text(call, "name"));
        json_set_text(function, "arguments", text);
        json_t *sent = json_object();
        json_set_int(sent, "index", (gint64)i);
        json_set_text(sent, "id", json_get_text(call, "id"));
        json_set_take(sent, "function", function);
        json_t *list = json_array();
        json_append_take(list, sent);
        json_t *delta = json_object();
        json_set_take(delta, "tool_calls", list);
        append_chunk(body, delta, NULL);
    }
    if (finish_reason)
        append_end(self, body, finish_reason);
    add_reply(self, 200, body, false);
}

void sse_server_add_calls(SseServer *self, const char *calls)
{
    sse_server_add_calls_ending(self, calls, "tool_calls");
}

size_t sse_server_request_count(SseServer *self)
{
    pthread_mutex_lock(&self->lock);
    size_t count = self->requests->len;
    pthread_mutex_unlock(&self->lock);
    return count;
}

const json_t *sse_server_request(SseServer *self, size_t index)
{
    pthread_mutex_lock(&self->lock);
    const json_t *request = index < self->requests->len ? self->requests->pdata[index] : NULL;
    pthread_mutex_unlock(&self->lock);
    return request;
}

static void append_message(GString *out, const json_t *message)
{
    const char *role = json_get_text(message, "role");
    const json_t *content = json_object_get(message, "content");
    if (g_str_equal(role, "system"))
        return;
    g_string_append_printf(out, "%s%s:", out->len ? " " : "", role);
    if (json_is_string(content))
        g_string_append(out, json_string_value(content));
    size_t i;
    json_t *block;
    json_array_foreach (content, i, block) {
        const char *text = json_get_text(block, "text");
        g_string_append(out, text ? text : "[]");
    }
    g_string_append_printf(out, "%s", json_object_get(message, "tool_calls") ? "[calls]" : "");
}

char *sse_server_conversation(SseServer *self, size_t index)
{
    GString *out = g_string_new(NULL);
    size_t i;
    json_t *message;
    json_array_foreach (json_get_array(sse_server_request(self, index), "messages"), i, message) {
        append_message(out, message);
    }
    return g_string_free(out, FALSE);
}
