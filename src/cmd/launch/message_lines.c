/* See message_lines.h. */
#include "cmd/launch/message_lines.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "model/message.h"

#include <errno.h>
#include <unistd.h>

#define READ_BYTES ((size_t)64 * 1024)

struct MessageLines {
    int fd;
    GString *data;  // read, and not handed on yet
    size_t scanned; // of data: no newline there
    unsigned line;  // number of the line that was read last
    bool is_over;
};

MessageLines *message_lines_new(int fd)
{
    MessageLines *self = g_new0(MessageLines, 1);
    self->fd = fd;
    self->data = g_string_new(NULL);
    return self;
}

void message_lines_free(MessageLines *self)
{
    if (!self)
        return;
    g_string_free(self->data, TRUE);
    g_free(self);
}

// ---- lines ----

static bool read_more(MessageLines *self, Cancel *cancel, GError **error)
{
    struct pollfd input = { .fd = self->fd, .events = POLLIN };
    char piece[READ_BYTES];
    while (cancel_poll(cancel, &input, 1, -1) < 0 && errno == EINTR)
        ;
    if (!cancel_check(cancel, error))
        return false;
    ssize_t size = read(self->fd, piece, sizeof piece);
    if (size < 0 && (errno == EINTR || errno == EAGAIN))
        return true;
    if (size < 0)
        return fail_with_errno(error, errno, "cannot read standard input");
    self->is_over = size == 0;
    g_string_append_len(self->data, piece, size);
    return true;
}

/* The next line without its end; what follows the last LF is one, too. *ret_line NULL at the end;
   caller frees. */
static bool next_line(MessageLines *self, Cancel *cancel, GString **ret_line, GError **error)
{
    const char *newline = NULL;
    while (!newline) {
        newline = memchr(self->data->str + self->scanned, '\n', self->data->len - self->scanned);
        size_t size = newline ? (size_t)(newline - self->data->str) : self->data->len;
        if (size > LIMIT_RPC_LINE_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT,
                             "standard input, line %u: the line is larger than %zu MiB",
                             self->line + 1, LIMIT_RPC_LINE_BYTES / MIB);
        self->scanned = size;
        if (!newline && self->is_over)
            break;
        if (!newline && !read_more(self, cancel, error))
            return false;
    }
    bool has_line = newline || self->data->len > 0;
    *ret_line = has_line ? g_string_new_len(self->data->str, (gssize)self->scanned) : NULL;
    g_string_erase(self->data, 0, (gssize)self->scanned + (newline ? 1 : 0));
    self->scanned = 0;
    self->line += has_line;
    return true;
}

// ---- messages ----

static bool add_image(json_t *content, const json_t *block)
{
    const json_t *source = json_get_object(block, "source"); // as a provider's own API has it
    const char *data = json_get_text(source ? source : block, "data");
    const char *type = json_get_text(source ? source : block, source ? "media_type" : "mimeType");
    if (!data || !type)
        return false;
    json_append_take(content, message_image_block(data, type));
    return true;
}

static bool add_block(json_t *content, const json_t *block)
{
    const char *type = json_get_text(block, "type");
    const char *text = json_get_text(block, "text");
    if (g_strcmp0(type, "image") == 0)
        return add_image(content, block);
    if (g_strcmp0(type, "text") != 0 || !text)
        return false;
    json_append_take(content, message_text_block(text));
    return true;
}

/* {"message":"…","images":[…]}: false when it is no such prompt. */
static bool add_prompt(json_t *content, const json_t *value)
{
    const char *text = json_get_text(value, "message");
    if (!text)
        return false;
    json_append_take(content, message_text_block(text));
    json_each (json_get_array(value, "images"), i, image) {
        if (!add_image(content, image))
            return false;
    }
    return true;
}

/* {"role":"user","content":"…" or [blocks]} */
static bool add_message(json_t *content, const json_t *value)
{
    const json_t *wrapped = json_get_object(value, "message");
    const json_t *message = wrapped ? wrapped : value;
    if (strcmp(message_role(message), "user") != 0)
        return false;
    g_autoptr(json_t) blocks = message_blocks(message);
    json_each (blocks, i, block) {
        if (!add_block(content, block))
            return false;
    }
    return true;
}

static bool is_blank(const json_t *content)
{
    g_autofree char *text = message_blocks_text(content);
    bool has_image = false;
    json_each (content, i, block)
        has_image = has_image || g_strcmp0(json_get_text(block, "type"), "image") == 0;
    return !has_image && utf8_is_blank(text);
}

/* New reference; NULL with *ret_problem, constant. */
static json_t *message_of(const json_t *value, const char **ret_problem)
{
    g_autoptr(json_t) content = json_array();
    bool is_message = false;
    if (json_is_string(value)) {
        json_append_take(content, message_text_block(json_string_value(value)));
        is_message = true;
    } else if (json_is_object(value)) {
        is_message = add_prompt(content, value) || add_message(content, value);
    }
    *ret_problem = !is_message ? "expected a text, {\"message\":\"…\"} or {\"role\":\"user\","
                                 "\"content\":…}"
                               : "the message is blank";
    if (!is_message || is_blank(content))
        return NULL;
    return message_user_blocks(g_steal_pointer(&content));
}

bool message_lines_next(MessageLines *self, Cancel *cancel, json_t **ret_message, GError **error)
{
    *ret_message = NULL;
    while (true) {
        GString *taken = NULL;
        if (!next_line(self, cancel, &taken, error))
            return false;
        if (!taken)
            return true;
        g_autoptr(GString) line = taken;
        g_autoptr(json_t) value = NULL;
        if (utf8_is_blank(line->str))
            continue;
        if (!json_parse(line->str, line->len, &value, error)) {
            g_prefix_error(error, "standard input, line %u: ", self->line);
            return false;
        }
        const char *problem = NULL;
        *ret_message = message_of(value, &problem);
        if (!*ret_message)
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "standard input, line %u: %s", self->line,
                             problem);
        return true;
    }
}
