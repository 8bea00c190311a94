/* See input.h. */
#include "cmd/cli/input.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "model/message.h"
#include "tool/images.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

enum { STDIN_QUIET_MS = 2000 };

/* A pipe that somebody left open looks like a program that hangs. */
static void say_when_waiting(void)
{
    struct stat info;
    bool is_stream =
        fstat(STDIN_FILENO, &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    if (is_stream && poll(&input, 1, STDIN_QUIET_MS) == 0)
        log_text("Waiting for standard input. End it, or start with </dev/null.");
}

bool input_read_stdin(size_t max_bytes, char **ret_text, GError **error)
{
    g_autoptr(GString) data = g_string_new(NULL);
    say_when_waiting();
    if (!fd_read_all(STDIN_FILENO, max_bytes + 1, "standard input", data, error))
        return false;
    if (data->len > max_bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT, "standard input is larger than %zu MiB",
                         max_bytes / MIB);
    *ret_text = utf8_from_bytes(data->str, data->len);
    return true;
}

void initial_input_clear(InitialInput *self)
{
    g_clear_pointer(&self->message, json_decref);
    g_clear_pointer(&self->prompts, g_ptr_array_unref);
}

bool initial_input_has_prompt(const InitialInput *self)
{
    return self->message || self->prompts->len > 0;
}

typedef struct Parts {
    GString *text;  // the <file> texts
    json_t *images; // blocks
    const Settings *settings;
    GPtrArray *warnings;
} Parts;

static void skip_file(Parts *parts, const char *path, guint64 size)
{
    g_autofree char *shown = str_format_bytes(size);
    g_ptr_array_add(parts->warnings,
                    g_strdup_printf("Skipping file contents (too large: %s): %s", shown, path));
    g_string_append_printf(parts->text, "<file name=\"%s\">(skipped: too large, %s)</file>\n", path,
                           shown);
}

/* A pipe, as of @<(command), has no size before it is read; more than is taken is one byte more. */
static bool read_pipe(const char *path, char **ret_data, size_t *ret_size, GError **error)
{
    g_auto(Fd) fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    g_autoptr(GString) data = g_string_new(NULL);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot read %s", path);
    if (!fd_read_all(fd, LIMIT_AT_IMAGE_BYTES + 1, path, data, error))
        return false;
    *ret_size = data->len;
    *ret_data = g_string_free(g_steal_pointer(&data), FALSE);
    return true;
}

static bool add_file(Parts *parts, const char *argument, const char *cwd, GError **error)
{
    g_autofree char *expanded = path_expand_home(argument);
    g_autofree char *path = path_absolute(expanded, cwd);
    struct stat info;
    if (stat(path, &info) < 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "File not found: %s", path);
    bool is_pipe = S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
    if (info.st_size == 0 && !is_pipe)
        return true;
    if ((guint64)info.st_size > LIMIT_AT_IMAGE_BYTES) {
        skip_file(parts, path, (guint64)info.st_size);
        return true;
    }
    g_autofree char *data = NULL;
    size_t size = 0;
    if (is_pipe ? !read_pipe(path, &data, &size, error)
                : !file_read(path, LIMIT_AT_IMAGE_BYTES, &data, &size, error))
        return false;
    const char *type = message_image_type(data, size);
    if (size > LIMIT_AT_IMAGE_BYTES) {
        skip_file(parts, path, size);
    } else if (type) {
        g_auto(ImageFit) image = { 0 };
        images_fit(parts->settings, data, size, type, &image);
        g_string_append_printf(parts->text, "<file name=\"%s\">%s</file>\n", path,
                               image.note ? image.note : "");
        if (!image.data) {
            g_ptr_array_add(parts->warnings, g_strdup_printf("%s: %s", path, image.note));
            return true;
        }
        g_autofree char *base64 = g_base64_encode((const guchar *)image.data, image.size);
        json_append_take(parts->images, message_image_block(base64, image.type));
    } else if (size > LIMIT_AT_TEXT_BYTES) {
        skip_file(parts, path, size);
    } else {
        g_autofree char *text = utf8_from_bytes(data, size);
        g_string_append_printf(parts->text, "<file name=\"%s\">\n%s\n</file>\n", path, text);
    }
    return true;
}

/* stdin, file texts and the first message become one message (agent-core §1.4). */
static json_t *first_message(const Parts *parts, const char *stdin_text, GPtrArray *prompts)
{
    bool has_stdin = stdin_text && !utf8_is_blank(stdin_text);
    if (!has_stdin && parts->text->len == 0 && json_array_size(parts->images) == 0)
        return NULL;
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append(text, parts->text->str);
    if (prompts->len > 0) {
        g_autofree char *word = g_ptr_array_steal_index(prompts, 0);
        g_string_append(text, word);
    }
    if (has_stdin) {
        if (text->len > 0)
            g_string_prepend_c(text, '\n');
        g_string_prepend(text, stdin_text);
    }
    json_t *content = json_array();
    json_append_take(content, message_text_block(text->str));
    json_array_extend(content, parts->images);
    return message_user_blocks(content);
}

bool input_build(const GPtrArray *words, const char *stdin_text, const char *cwd,
                 const Settings *settings, GPtrArray *warnings, InitialInput *ret_input,
                 GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(json_t) images = json_array();
    g_autoptr(GPtrArray) prompts = g_ptr_array_new_with_free_func(g_free);
    Parts parts = { .text = text, .images = images, .settings = settings, .warnings = warnings };
    for (unsigned i = 0; i < words->len; i++) {
        const char *word = words->pdata[i];
        if (utf8_is_blank(word))
            continue;
        if (word[0] != '@')
            g_ptr_array_add(prompts, g_strdup(word));
        else if (!add_file(&parts, word + 1, cwd, error))
            return false;
    }
    ret_input->message = first_message(&parts, stdin_text, prompts);
    ret_input->prompts = g_steal_pointer(&prompts);
    return true;
}
