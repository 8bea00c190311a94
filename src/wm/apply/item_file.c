/*
 * The file of items: read with all that an agent can have left in it, appended to by many processes
 * at once (item.h, task-engine §6.1, §6.4).
 */
#include "wm/apply/item.h"

#include "base/fd.h"
#include "base/timefmt.h"
#include "wm/task/wm_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#define LOCK_TIMEOUT_MS 30000
#define LOCK_POLL_US    2000
#define MAX_SKIPS_TOLD  20 // of lines, one by one

typedef struct Reading {
    const char *path;
    json_t *items;
    bool is_quiet;
    unsigned skipped;
} Reading;

static void skip_line(Reading *self, size_t line)
{
    self->skipped++;
    if (self->is_quiet || self->skipped > MAX_SKIPS_TOLD)
        return;
    g_autofree char *number = g_strdup_printf("%zu", line);
    wm_log(WM_WARN, "wm: safe-output jsonl: skip malformed line", "path", self->path, "line",
           number, NULL);
}

/* One more than may be: that there are too many is then known, and no more memory is needed. */
static bool is_full(const Reading *self)
{
    return json_array_size(self->items) > WM_MAX_ITEMS;
}

/* False for what is no item. */
static bool add_item(Reading *self, json_t *item)
{
    const json_t *noop = json_object_get(item, "noop");
    if (!json_is_object(item))
        return false;
    if (!json_object_get(item, "type") && json_is_object(noop)) {
        json_t *plain = json_deep_copy(noop);
        json_set_text(plain, "type", wm_kind_table[WM_NOOP].type);
        json_append_take(self->items, plain);
        return true;
    }
    json_append_take(self->items, json_incref(item));
    return true;
}

static void add_line(Reading *self, const char *text, size_t size, size_t line)
{
    g_autoptr(json_t) value = NULL;
    if (size > WM_MAX_ITEM_BYTES || !json_parse(text, size, &value, NULL)) {
        skip_line(self, line);
        return;
    }
    const json_t *envelope = json_get_array(value, "items");
    if (!envelope || json_object_get(value, "type")) {
        if (!add_item(self, value))
            skip_line(self, line);
        return;
    }
    for (size_t i = 0; i < json_array_size(envelope) && !is_full(self); i++)
        if (!add_item(self, json_array_get(envelope, i)))
            skip_line(self, line);
}

static bool is_blank_line(const char *text, size_t size)
{
    while (size > 0 && g_ascii_isspace(text[size - 1]))
        size--;
    return size == 0;
}

/* New reference: all items of a whole file. */
static json_t *item_file_parse(const char *path, const char *data, size_t size, bool is_quiet)
{
    Reading reading = { .path = path, .items = json_array(), .is_quiet = is_quiet };
    const char *end = data + size;
    size_t line = 1;
    for (const char *at = data; at < end && !is_full(&reading); line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop)
            stop = end;
        if (!is_blank_line(at, (size_t)(stop - at)))
            add_line(&reading, at, (size_t)(stop - at), line);
        at = stop + 1;
    }
    if (!is_quiet && reading.skipped > MAX_SKIPS_TOLD) {
        g_autofree char *count = g_strdup_printf("%u", reading.skipped);
        wm_log(WM_WARN, "wm: safe-output jsonl: skipped malformed lines", "path", path, "lines",
               count, NULL);
    }
    return reading.items;
}

/* A regular file, never through a link at the end of the path. *ret_fd -1: there is none. */
static bool open_output(const char *path, int flags, int *ret_fd, GError **error)
{
    // non-blocking, because opening a FIFO would wait for its other end
    g_auto(Fd) fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0600);
    struct stat info;
    if (fd < 0 && errno == ENOENT && !(flags & O_CREAT)) {
        *ret_fd = -1;
        return true;
    }
    if (fd < 0 && (errno == ELOOP || errno == EMLINK))
        return fail_with(error, KEDGE_ERROR_FAILED, "%s: refused, it is a symbolic link", path);
    if (fd < 0 || fstat(fd, &info) < 0)
        return fail_with_errno(error, errno, "cannot open %s", path);
    if (!S_ISREG(info.st_mode))
        return fail_with(error, KEDGE_ERROR_FAILED, "%s: refused, it is no regular file", path);
    *ret_fd = fd_steal(&fd);
    return true;
}

static bool read_open(int fd, const char *path, GString *data, GError **error)
{
    if (!fd_read_all(fd, WM_MAX_OUTPUT_BYTES + 1, path, data, error))
        return false;
    if (data->len > WM_MAX_OUTPUT_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s is larger than %zu bytes", path,
                         WM_MAX_OUTPUT_BYTES);
    return true;
}

bool wm_items_read(const char *path, json_t **ret_items, GError **error)
{
    g_auto(Fd) fd = -1;
    g_autoptr(GString) data = g_string_new(NULL);
    if (!open_output(path, O_RDONLY, &fd, error) || (fd >= 0 && !read_open(fd, path, data, error)))
        return false;
    json_t *items = item_file_parse(path, data->str, data->len, false);
    if (json_array_size(items) > WM_MAX_ITEMS) {
        json_array_remove(items, WM_MAX_ITEMS);
        g_autofree char *limit = g_strdup_printf("%d", WM_MAX_ITEMS);
        wm_log(WM_WARN, "wm: safe-output jsonl: too many items, the rest is skipped", "path", path,
               "limit", limit, NULL);
    }
    *ret_items = items;
    return true;
}

char *wm_item_line(const json_t *item)
{
    static const struct {
        char character;
        const char *escape;
    } escapes[] = { { '<', "\\u003c" }, { '>', "\\u003e" }, { '&', "\\u0026" } };
    g_autofree char *text = json_to_canonical(item);
    GString *line = g_string_new(NULL);
    for (const char *at = text; *at; at++) { // these stand in strings only
        const char *escape = NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(escapes); i++)
            if (escapes[i].character == *at)
                escape = escapes[i].escape;
        if (escape)
            g_string_append(line, escape);
        else
            g_string_append_c(line, *at);
    }
    return g_string_free(line, FALSE);
}

/* Of the file, which others append to for moments only. */
static bool lock_output(int fd, const char *path, GError **error)
{
    gint64 deadline = time_monotonic_ms() + LOCK_TIMEOUT_MS;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return fail_with_errno(error, errno, "cannot lock %s", path);
        if (time_monotonic_ms() > deadline)
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "cannot lock %s: another process holds it for more than %d s", path,
                             LOCK_TIMEOUT_MS / 1000);
        g_usleep(LOCK_POLL_US);
    }
    return true;
}

/* Whole or not at all: after a write that fails the file has its old size again. */
static bool item_file_append(int fd, const char *path, const GString *data, const char *line,
                             GError **error)
{
    // the agent, or an emit of it, may have been killed in the middle of a line
    bool is_torn = data->len > 0 && data->str[data->len - 1] != '\n';
    g_autofree char *whole = g_strconcat(is_torn ? "\n" : "", line, "\n", NULL);
    if (data->len + strlen(whole) > WM_MAX_OUTPUT_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s would be larger than %zu bytes", path,
                         WM_MAX_OUTPUT_BYTES);
    if (fd_write_all(fd, whole, strlen(whole), path, error))
        return true;
    if (ftruncate(fd, (off_t)data->len) < 0)
        g_prefix_error(error, "half a line was written: ");
    return false;
}

/* The temporary ids of the items, each with 0. New reference. */
static json_t *ids_of(const json_t *items)
{
    json_t *ids = json_object();
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        const char *given = json_get_text(item, "temporary_id");
        bool has_id = given && wm_kind_of(json_get_text(item, "type")) < WM_KINDS;
        g_autofree char *id = has_id ? wm_temporary_id(given) : NULL;
        if (id)
            json_set_int(ids, id, 0);
    }
    return ids;
}

static bool check_room(const WmPolicy *policy, WmKind kind, const json_t *items, GError **error)
{
    const WmHandler *handler = &policy->handlers[kind];
    const char *type = wm_kind_table[kind].type;
    int64_t count = 0;
    if (!handler->is_enabled)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "kind \"%s\" not permitted by safe-outputs:", type);
    for (size_t i = 0; i < json_array_size(items); i++)
        if (wm_kind_of(json_get_text(json_array_get(items, i), "type")) == kind)
            count++;
    if (handler->max > 0 && count >= handler->max)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "policy: max %" G_GINT64_FORMAT " for %s exceeded", handler->max, type);
    if (json_array_size(items) >= WM_MAX_ITEMS)
        return fail_with(error, KEDGE_ERROR_LIMIT, "too many items (limit %d)", WM_MAX_ITEMS);
    return true;
}

static bool append_locked(int fd, const char *path, const WmItemScope *scope, const json_t *raw,
                          GError **error)
{
    g_autoptr(GString) data = g_string_new(NULL);
    if (!read_open(fd, path, data, error))
        return false;
    g_autoptr(json_t) items = item_file_parse(path, data->str, data->len, true),
                      ids = ids_of(items);
    WmItemScope with_ids = *scope;
    with_ids.made = ids;
    g_auto(WmItem) item = { 0 };
    if (!check_room(scope->policy, wm_kind_of(json_get_text(raw, "type")), items, error) ||
        !wm_item_check(&with_ids, raw, &item, error))
        return false;
    g_autofree char *line = wm_item_line(item.fields);
    if (strlen(line) > WM_MAX_ITEM_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "item too large (%zu bytes; limit %zu)",
                         strlen(line), WM_MAX_ITEM_BYTES);
    return item_file_append(fd, path, data, line, error);
}

bool wm_items_append(const char *path, const WmItemScope *scope, const json_t *raw, GError **error)
{
    const char *type = json_get_text(raw, "type");
    if (!type)
        return fail_with(error, KEDGE_ERROR_USAGE, "item: the field \"type\" is missing");
    if (wm_kind_of(type) == WM_KINDS)
        return fail_with(error, KEDGE_ERROR_USAGE, "item: unknown type \"%s\"", type);
    g_auto(Fd) fd = -1;
    return open_output(path, O_RDWR | O_CREAT | O_APPEND, &fd, error) &&
           lock_output(fd, path, error) && append_locked(fd, path, scope, raw, error);
}
