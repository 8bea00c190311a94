/*
 * The record of what was applied (apply_record.h): read once, then appended to, a line with one
 * write and a sync.
 */
#include "wm/apply/apply_record.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/timefmt.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RECORD_BYTES (16 * MIB)

typedef struct Line { // as read, or as written since
    json_t *fields;
    bool is_sealed;
} Line;

struct ApplyRecord {
    Fd fd;
    char *path;
    GArray *lines; // of Line, in order
    char *start;   // NULL: no one knows
    bool is_rerun;
    char *(*seal)(const void *user_data, const char *text);
    const void *user_data;
};

static void line_clear(void *line)
{
    json_decref(((Line *)line)->fields);
}

void apply_record_free(ApplyRecord *self)
{
    if (!self)
        return;
    fd_close(self->fd);
    g_free(self->path);
    g_free(self->start);
    g_array_unref(self->lines);
    g_free(self);
}

/* Of all fields but itself. Caller frees. */
static char *seal_of(const ApplyRecord *self, const json_t *fields)
{
    g_autoptr(json_t) rest = json_copy((json_t *)fields);
    json_object_del(rest, "seal");
    g_autofree char *text = json_to_canonical(rest);
    return self->seal(self->user_data, text);
}

static void read_line(ApplyRecord *self, const char *text, size_t size)
{
    Line line = { 0 };
    if (!json_parse(text, size, &line.fields, NULL))
        return; // one that was being written
    if (!json_is_object(line.fields)) {
        line_clear(&line);
        return;
    }
    g_autofree char *seal = seal_of(self, line.fields);
    line.is_sealed = g_strcmp0(json_get_text(line.fields, "seal"), seal) == 0;
    g_array_append_val(self->lines, line);
}

static bool read_lines(ApplyRecord *self, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    if (!fd_read_all(self->fd, MAX_RECORD_BYTES, self->path, text, error))
        return false;
    for (const char *at = text->str; at < text->str + text->len;) {
        size_t size = strcspn(at, "\n");
        read_line(self, at, size);
        at += size + 1;
    }
    bool is_torn = text->len > 0 && text->str[text->len - 1] != '\n';
    return !is_torn || fd_write_all(self->fd, "\n", 1, self->path, error);
}

bool apply_record_open(const char *run_dir, char *(*seal)(const void *user_data, const char *text),
                       const void *user_data, ApplyRecord **ret_record, GError **error)
{
    g_autoptr(ApplyRecord) self = g_new0(ApplyRecord, 1);
    self->seal = seal;
    self->user_data = user_data;
    self->path = g_build_filename(run_dir, APPLY_RECORD_NAME, NULL);
    self->lines = g_array_new(false, false, sizeof(Line));
    g_array_set_clear_func(self->lines, line_clear);
    // non-blocking: to open a FIFO would wait
    int flags = O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    self->fd = open(self->path, flags, 0600);
    struct stat info;
    if (self->fd < 0 || fstat(self->fd, &info) != 0)
        return fail_with_errno(error, errno, "cannot record what is written in %s", self->path);
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1)
        return fail_with(error, KEDGE_ERROR_DENIED, "refusing %s: it is no file of its own",
                         self->path);
    if (info.st_size > (off_t)MAX_RECORD_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "refusing %s: it is larger than %zu bytes",
                         self->path, MAX_RECORD_BYTES);
    if (!read_lines(self, error))
        return false;
    *ret_record = g_steal_pointer(&self);
    return true;
}

void apply_record_set_start(ApplyRecord *self, const char *since, bool is_rerun)
{
    g_free(self->start);
    self->start = g_strdup(since);
    self->is_rerun = is_rerun;
}

static bool is_of(const Line *line, int64_t index, const char *hash)
{
    return json_get_int(line->fields, "item", INT64_MIN) == index &&
           g_strcmp0(json_get_text(line->fields, "hash"), hash) == 0;
}

static bool line_says(const Line *line, const char *state)
{
    return g_strcmp0(json_get_text(line->fields, "state"), state) == 0;
}

/* The last line of an item in this state; NULL. */
static const Line *apply_record_find(const ApplyRecord *self, int64_t index, const char *hash,
                                     const char *state)
{
    for (guint i = self->lines->len; i > 0; i--) {
        const Line *line = &g_array_index(self->lines, Line, i - 1);
        if (line->is_sealed && is_of(line, index, hash) && line_says(line, state))
            return line;
    }
    return NULL;
}

ApplyState apply_record_state(const ApplyRecord *self, int64_t index, const char *hash)
{
    ApplyState state = self->is_rerun ? APPLY_OPEN : APPLY_NEW;
    for (guint i = 0; i < self->lines->len; i++) {
        const Line *line = &g_array_index(self->lines, Line, i);
        if (!is_of(line, index, hash))
            continue;
        if (line->is_sealed && line_says(line, "done"))
            return APPLY_DONE;
        // a line that no one vouches for makes nothing certain, and a failure that is vouched for
        // says that no step is in doubt
        state = line->is_sealed && line_says(line, "failed") ? APPLY_NEW : APPLY_OPEN;
    }
    return state;
}

const json_t *apply_record_result(const ApplyRecord *self, int64_t index, const char *hash)
{
    const Line *line = apply_record_find(self, index, hash, "done");
    return line ? json_get_object(line->fields, "result") : NULL;
}

const json_t *apply_record_step(const ApplyRecord *self, int64_t index, const char *hash,
                                const char *step)
{
    for (guint i = 0; i < self->lines->len; i++) {
        const Line *line = &g_array_index(self->lines, Line, i);
        if (line->is_sealed && is_of(line, index, hash) && line_says(line, "step") &&
            g_strcmp0(json_get_text(line->fields, "step"), step) == 0)
            return json_get_object(line->fields, "result");
    }
    return NULL;
}

char *apply_record_since(const ApplyRecord *self, int64_t index, const char *hash)
{
    for (guint i = 0; i < self->lines->len; i++) { // the first beginning counts
        const Line *line = &g_array_index(self->lines, Line, i);
        int64_t at = json_get_int(line->fields, "at", 0);
        if (line->is_sealed && is_of(line, index, hash) && line_says(line, "begin"))
            return time_format_iso_seconds(at - APPLY_CLOCKS_DIFFER_MS);
    }
    return g_strdup(self->start ? self->start : "");
}

bool apply_record_has_id(const ApplyRecord *self, int64_t id)
{
    for (guint i = 0; i < self->lines->len; i++) {
        const Line *line = &g_array_index(self->lines, Line, i);
        const json_t *result = json_get_object(line->fields, "result");
        if (line->is_sealed && result && json_get_int(result, "id", 0) == id)
            return true;
    }
    return false;
}

/* Takes `fields`. */
static bool add_line(ApplyRecord *self, json_t *fields, GError **error)
{
    Line line = { .fields = fields, .is_sealed = true };
    g_autofree char *seal = seal_of(self, fields);
    json_set_text(fields, "seal", seal);
    g_autofree char *text = json_to_text(fields);
    g_autofree char *whole = g_strconcat(text, "\n", NULL);
    g_array_append_val(self->lines, line);
    if (!fd_write_all(self->fd, whole, strlen(whole), self->path, error))
        return false;
    if (fdatasync(self->fd) != 0)
        return fail_with_errno(error, errno, "cannot record what is written in %s", self->path);
    return true;
}

static json_t *new_line(int64_t index, const char *hash, const char *state)
{
    return json_make("item:%jd hash:%s state:%s at:%jd", index, hash, state, time_now_ms());
}

bool apply_record_begin(ApplyRecord *self, int64_t index, const char *hash, const char *kind,
                        GError **error)
{
    json_t *fields = new_line(index, hash, "begin");
    json_set_text(fields, "kind", kind);
    return add_line(self, fields, error);
}

bool apply_record_add_step(ApplyRecord *self, int64_t index, const char *hash, const char *step,
                           const json_t *result, GError **error)
{
    json_t *fields = new_line(index, hash, "step");
    json_set_text(fields, "step", step);
    json_object_set(fields, "result", (json_t *)result);
    return add_line(self, fields, error);
}

bool apply_record_end(ApplyRecord *self, int64_t index, const char *hash, bool is_done,
                      const json_t *result, GError **error)
{
    json_t *fields = new_line(index, hash, is_done ? "done" : "failed");
    if (result)
        json_object_set(fields, "result", (json_t *)result);
    return add_line(self, fields, error);
}
