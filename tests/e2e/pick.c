/*
 * What tests in sh ask of JSON and of the test servers. A program of its own, because a test asks a
 * hundred times, and an interpreter takes twenty times as long to start. What it can: USAGE below.
 */
#include "base/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char USAGE[] =
    "pick PATH [FROM]               one value, such as 0.body.messages.-1.role; '' is all of it\n"
    "pick --rows KEYS PATH [FROM]   of each item of a list a line with its KEYS; object: names\n"
    "pick --ask METHOD URL [FROM]   the body of a server's answer; exit 1 without success\n"
    "pick --lines FILE              exit 1 unless it is whole lines with a JSON object each\n"
    "pick --session [--answered] [--torn] FILE…   exit 1, and what is wrong with the sessions\n"
    "pick --shape WIRE FILE         the shape of a request's conversation\n"
    "\n"
    "FROM is a file, a URL of a test server, - or nothing for stdin. JSON lines are a list, so\n"
    "-1.type is of the last line. A string is printed as it is, anything else as compact JSON\n"
    "with its keys in order. [KEY=VALUE] picks the first item of a list whose KEY prints as\n"
    "VALUE, [KEY!=VALUE] all others; # is how many there are. Nothing there: exit 1; in a row -.\n"
    "\n"
    "A session is whole when it is a version 3 header, then entries of one JSON line each with\n"
    "an id of 8 hex digits and the id of an earlier entry as parent. --answered: and every tool\n"
    "call has its one result. --torn: the last line may be cut, as kill -9 leaves it.\n"
    "\n"
    "A shape has u for a person's words, a the assistant's, a(2) with so many calls, r(2) so\n"
    "many results. What is of one kind in a row is one, since some wires merge it; the system's\n"
    "words are left out.";

#define FORMAT (JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
#define ACCEPT (JSON_DECODE_ANY | JSON_ALLOW_NUL)

/* Nothing is freed before the end, which LeakSanitizer would look for. */
static G_NORETURN void end(int status)
{
    fflush(stdout);
    _exit(status);
}

static G_NORETURN void fail(const char *format, ...) G_GNUC_PRINTF(1, 2);
static void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    end(1);
}

// ---- reading ----

static GString *read_descriptor(int fd)
{
    GString *text = g_string_new(NULL);
    char part[65536];
    ssize_t size;
    while ((size = read(fd, part, sizeof(part))) > 0)
        g_string_append_len(text, part, size);
    return text;
}

static void write_all(int fd, const char *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(fd, data + done, size - done);
        if (written < 0)
            fail("write: %s", g_strerror(errno));
        done += (size_t)written;
    }
}

/* The body of a test server's answer. HTTP/1.0, so that it ends with the connection. */
static GString *ask_server(const char *method, const char *url, const GString *body,
                           bool *ret_is_success)
{
    char *path = NULL;
    unsigned long port = strtoul(url + strlen("http://127.0.0.1:"), &path, 10);
    if (!str_has_prefix(url, "http://127.0.0.1:") || *path != '/')
        fail("no URL of a test server: %s", url);
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        fail("%s: %s", url, g_strerror(errno));
    g_autofree char *head =
        g_strdup_printf("%s %s HTTP/1.0\r\nHost: 127.0.0.1:%lu\r\nContent-Length: %zu\r\n\r\n",
                        method, path, port, body ? body->len : 0);
    write_all(fd, head, strlen(head));
    if (body)
        write_all(fd, body->str, body->len);
    GString *answer = read_descriptor(fd);
    close(fd);
    const char *end = strstr(answer->str, "\r\n\r\n");
    if (!end)
        fail("%s: no answer", url);
    *ret_is_success = answer->len > 12 && answer->str[9] == '2';
    g_string_erase(answer, 0, end + 4 - answer->str);
    return answer;
}

static GString *read_from(const char *from)
{
    bool is_success = false;
    if (from && str_has_prefix(from, "http://"))
        return ask_server("GET", from, NULL, &is_success);
    FILE *file = from && strcmp(from, "-") != 0 ? fopen(from, "re") : stdin;
    if (!file)
        fail("%s: %s", from, g_strerror(errno));
    return read_descriptor(fileno(file));
}

static json_t *parse(const GString *text)
{
    json_error_t error;
    json_t *value = json_loadb(text->str, text->len, ACCEPT, &error);
    if (value)
        return value;
    value = json_array();
    for (const char *at = text->str, *end = at + text->len; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = stop ? (size_t)(stop - at) : (size_t)(end - at);
        if (strspn(at, " \t\r") < size) {
            json_t *line = json_loadb(at, size, ACCEPT, &error);
            if (!line)
                fail("%s: %.200s", error.text, at);
            json_array_append_new(value, line);
        }
        at += size + 1;
    }
    return value;
}

// ---- one value ----

/* As it is printed. */
static char *show(const json_t *value)
{
    if (json_is_string(value))
        return g_strndup(json_string_value(value), json_string_length(value));
    return json_dumps(value, FORMAT);
}

static bool has_value(const json_t *item, const char *key, const char *value)
{
    const json_t *found = json_object_get(item, key);
    g_autofree char *text = found ? show(found) : NULL;
    return g_strcmp0(text, value) == 0;
}

/* `test` is KEY=VALUE or KEY!=VALUE. */
static json_t *choose(const json_t *list, const char *test)
{
    const char *equals = strchr(test, '=');
    if (!equals)
        return NULL;
    bool is_not = equals > test && equals[-1] == '!';
    g_autofree char *key = g_strndup(test, (gsize)(equals - test - is_not));
    json_t *others = json_array();
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        bool is_equal = has_value(item, key, equals + 1);
        if (is_equal && !is_not)
            return item;
        if (!is_equal)
            json_array_append(others, item);
    }
    return is_not ? others : NULL;
}

static json_t *step_into(json_t *value, const char *step)
{
    if (strcmp(step, "#") == 0)
        return json_is_string(value)   ? json_integer(g_utf8_strlen(json_string_value(value), -1))
               : json_is_object(value) ? json_integer((json_int_t)json_object_size(value))
               : json_is_array(value)  ? json_integer((json_int_t)json_array_size(value))
                                       : NULL;
    if (json_is_object(value))
        return json_object_get(value, step);
    char *end = NULL;
    json_int_t index = g_ascii_strtoll(step, &end, 10);
    if (!json_is_array(value) || *end != '\0')
        return NULL;
    return json_array_get(value,
                          (size_t)(index < 0 ? index + (json_int_t)json_array_size(value) : index));
}

/* NULL: there is nothing. A value in brackets may hold dots, but no bracket. */
static json_t *find(json_t *value, const char *path)
{
    while (*path != '\0' && value) {
        size_t size = *path == '[' ? strcspn(path, "]") : strcspn(path, ".[");
        g_autofree char *step = g_strndup(path + (*path == '['), size - (*path == '['));
        if (size > 0)
            value = *path == '[' ? choose(value, step) : step_into(value, step);
        path += size + (path[size] == ']' || path[size] == '.');
    }
    return value;
}

static void print(const json_t *value, char end)
{
    if (json_is_string(value)) {
        fwrite(json_string_value(value), 1, json_string_length(value), stdout);
    } else {
        g_autofree char *text = json_dumps(value, FORMAT);
        fputs(text, stdout);
    }
    fputc(end, stdout);
}

static json_t *find_in(const char *path, const char *from)
{
    json_t *found = find(parse(read_from(from)), path);
    if (!found)
        fail("nothing at %s", path);
    return found;
}

static void print_rows(const char *keys, json_t *list)
{
    const char *key;
    json_t *value;
    json_object_foreach (list, key, value)
        puts(key);
    g_auto(GStrv) names = g_strsplit(keys, " ", -1);
    json_t *absent = json_string("-");
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *item = json_array_get(list, i);
        if (!*names)
            print(item, '\n');
        for (unsigned k = 0; names[k]; k++) {
            const json_t *field = find(item, names[k]);
            print(field ? field : absent, names[k + 1] ? ' ' : '\n');
        }
    }
}

// ---- sessions ----

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* Keeps the calls that have no result yet. */
static void check_message(const char *name, const json_t *message, GHashTable *calls)
{
    if (strcmp(text_of(message, "role"), "toolResult") == 0 &&
        !g_hash_table_remove(calls, text_of(message, "toolCallId")))
        fail("%s: a result of no call, or a second one: %s", name, json_dumps(message, FORMAT));
    if (strcmp(text_of(message, "role"), "assistant") != 0)
        return;
    size_t i;
    const json_t *block;
    json_array_foreach (json_object_get(message, "content"), i, block) {
        if (strcmp(text_of(block, "type"), "toolCall") == 0 &&
            !g_hash_table_add(calls, (char *)text_of(block, "id")))
            fail("%s: two calls are %s", name, text_of(block, "id"));
    }
}

static void check_entry(const char *name, const json_t *entry, GHashTable *seen, GHashTable *calls)
{
    const char *id = text_of(entry, "id"), *time = text_of(entry, "timestamp");
    const json_t *parent = json_object_get(entry, "parentId");
    if (!g_regex_match_simple("\\A[0-9a-f]{8}\\z", id, 0, 0))
        fail("%s: an id is '%s'", name, id);
    if (!json_is_null(parent) && !g_hash_table_contains(seen, text_of(entry, "parentId")))
        fail("%s: %s has no parent", name, id);
    if (!g_hash_table_add(seen, (char *)id))
        fail("%s: two entries are %s", name, id);
    if (!g_regex_match_simple("\\A\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z\\z", time, 0,
                              0))
        fail("%s: a timestamp is '%s'", name, time);
    check_message(name, json_object_get(entry, "message"), calls);
}

static void check_session(const char *name, bool is_answered, bool is_torn)
{
    GString *text = read_from(name);
    if (strlen(text->str) != text->len)
        fail("%s: a NUL", name);
    if (text->len == 0 || (text->str[text->len - 1] != '\n' && !is_torn))
        fail("%s: empty, or the last line has no end", name);
    char *last = strrchr(text->str, '\n');
    if (!last)
        fail("%s: no whole line", name);
    *last = '\0'; // what is torn is not looked at
    g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
    GHashTable *seen = g_hash_table_new(g_str_hash, g_str_equal),
               *calls = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned i = 0; lines[i]; i++) {
        json_error_t error;
        json_t *entry = json_loads(lines[i], ACCEPT, &error);
        if (!entry)
            fail("%s: %s: %.200s", name, error.text, lines[i]);
        if (i > 0)
            check_entry(name, entry, seen, calls);
        else if (strcmp(text_of(entry, "type"), "session") != 0 ||
                 !has_value(entry, "version", "3"))
            fail("%s: header is %s", name, lines[i]);
    }
    GHashTableIter at;
    void *call;
    g_hash_table_iter_init(&at, calls);
    if (is_answered && g_hash_table_iter_next(&at, &call, NULL))
        fail("%s: no result of %s", name, (char *)call);
}

// ---- the shape of a conversation ----

typedef struct Shape {
    GString *text;
    char kind; // of the part that is being counted; 0: there is none yet
    int64_t count;
} Shape;

static void shape_end_part(Shape *self)
{
    if (self->kind != 0)
        g_string_append_printf(self->text, "%s%c", self->text->len > 0 ? " " : "", self->kind);
    if (self->kind != 0 && self->count > 0)
        g_string_append_printf(self->text, "(%" G_GINT64_FORMAT ")", self->count);
}

static void shape_add_part(Shape *self, char kind, int64_t count)
{
    if (kind == self->kind) {
        self->count += count;
        return;
    }
    shape_end_part(self);
    self->kind = kind;
    self->count = count;
}

/* One message of `size` blocks. */
static void shape_add(Shape *self, const char *role, int64_t calls, int64_t results, int64_t size)
{
    if (results > 0)
        shape_add_part(self, 'r', results);
    if (calls > 0 || strcmp(role, "assistant") == 0)
        shape_add_part(self, 'a', calls);
    else if (strcmp(role, "user") == 0 && results < size)
        shape_add_part(self, 'u', 0);
}

/* How many items of a list have this key, and with a value this value. */
static int64_t count_with(const json_t *list, const char *key, const char *value)
{
    int64_t count = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *found = json_object_get(json_array_get(list, i), key);
        count += found && (!value || g_strcmp0(json_string_value(found), value) == 0);
    }
    return count;
}

static void shape_of_anthropic(Shape *self, const json_t *message)
{
    const json_t *blocks = json_object_get(message, "content");
    shape_add(self, text_of(message, "role"), count_with(blocks, "type", "tool_use"),
              count_with(blocks, "type", "tool_result"), (int64_t)json_array_size(blocks));
}

static void shape_of_chat(Shape *self, const json_t *message)
{
    const char *role = text_of(message, "role");
    if (strcmp(role, "system") != 0)
        shape_add(self, strcmp(role, "developer") == 0 ? "user" : role,
                  (int64_t)json_array_size(json_object_get(message, "tool_calls")),
                  strcmp(role, "tool") == 0, 1);
}

static void shape_of_responses(Shape *self, const json_t *item)
{
    const char *kind = text_of(item, "type"), *role = text_of(item, "role");
    bool is_message = *kind == '\0' || strcmp(kind, "message") == 0;
    if (is_message && self->kind == 0 && strcmp(role, "developer") == 0)
        return;
    if (is_message)
        shape_add(self, strcmp(role, "assistant") == 0 ? "assistant" : "user", 0, 0, 1);
    else
        shape_add(self, strcmp(kind, "reasoning") == 0 ? "assistant" : "",
                  strcmp(kind, "function_call") == 0, strcmp(kind, "function_call_output") == 0, 1);
}

static void shape_of_gemini(Shape *self, const json_t *content)
{
    const json_t *found = json_object_get(content, "parts");
    shape_add(self, strcmp(text_of(content, "role"), "model") == 0 ? "assistant" : "user",
              count_with(found, "functionCall", NULL), count_with(found, "functionResponse", NULL),
              (int64_t)json_array_size(found));
}

static void print_shape(const char *wire, const char *from)
{
    static const struct {
        const char *wire, *messages;
        void (*add)(Shape *self, const json_t *message);
    } wires[] = {
        { "anthropic", "messages", shape_of_anthropic },
        { "chat", "messages", shape_of_chat },
        { "responses", "input", shape_of_responses },
        { "gemini", "contents", shape_of_gemini },
    };
    Shape shape = { .text = g_string_new(NULL) };
    for (size_t w = 0; w < G_N_ELEMENTS(wires); w++) {
        size_t i;
        json_t *message;
        if (strcmp(wires[w].wire, wire) == 0)
            json_array_foreach (find_in(wires[w].messages, from), i, message)
                wires[w].add(&shape, message);
    }
    shape_end_part(&shape);
    puts(shape.text->str);
}

// ---- the program ----

static void check_sessions(char **words)
{
    bool is_answered = false, is_torn = false;
    for (; *words; words++) {
        if (strcmp(*words, "--answered") == 0)
            is_answered = true;
        else if (strcmp(*words, "--torn") == 0)
            is_torn = true;
        else
            check_session(*words, is_answered, is_torn);
    }
}

static void check_lines(const char *name)
{
    const GString *text = read_from(name);
    const json_t *lines = parse(text);
    if (text->len == 0 || text->str[text->len - 1] != '\n')
        fail("the last line has no end");
    if (json_is_object(lines)) // there is one line
        return;
    for (size_t i = 0; i < json_array_size(lines); i++) {
        if (!json_is_object(json_array_get(lines, i)))
            fail("line %zu is no object", i + 1);
    }
}

/* Returns the exit status. */
static int print_answer(const char *method, const char *url, const char *from)
{
    bool is_success = false;
    const GString *answer = ask_server(method, url, from ? read_from(from) : NULL, &is_success);
    fwrite(answer->str, 1, answer->len, stdout);
    return is_success ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "--";
    if (strcmp(first, "--session") == 0)
        check_sessions(argv + 2);
    else if (strcmp(first, "--ask") == 0 && argc >= 4)
        end(print_answer(argv[2], argv[3], argv[4]));
    else if (strcmp(first, "--lines") == 0 && argc == 3)
        check_lines(argv[2]);
    else if (strcmp(first, "--shape") == 0 && argc == 4)
        print_shape(argv[2], argv[3]);
    else if (strcmp(first, "--rows") == 0 && argc >= 4)
        print_rows(argv[2], find_in(argv[3], argv[4]));
    else if (!str_has_prefix(first, "--"))
        print(find_in(first, argc > 2 ? argv[2] : NULL), '\n');
    else
        fail("%s", USAGE);
    end(0);
}
