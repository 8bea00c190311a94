/*
 * Checking a session file line by line, then its tree (session_check.h).
 */
#include "session/session_check.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "session/entry.h"
#include "session/line_file.h"
#include "session/persist.h"
#include "session/session_read.h"

#include <errno.h>
#include <fcntl.h>

#define PROBLEMS_MAX 200

typedef struct Checker {
    GPtrArray *problems;
    GHashTable *lines;   // id → line number
    GHashTable *parents; // id → parent id, or NULL
    size_t hidden;       // problems beyond the maximum
    int64_t version;
    bool has_header;
} Checker;

G_GNUC_PRINTF(2, 3) static void say(Checker *self, const char *format, ...)
{
    if (self->problems->len >= PROBLEMS_MAX) {
        self->hidden++;
        return;
    }
    va_list args;
    va_start(args, format);
    g_ptr_array_add(self->problems, g_strdup_vprintf(format, args));
    va_end(args);
}

static void check_entry(Checker *self, const json_t *entry, int line)
{
    const char *id = entry_id(entry);
    if (!json_get_text(entry, "type")) {
        say(self, "line %d: an entry without a type, left out", line);
        return;
    }
    if (self->version < 2)
        return; // those have no ids
    if (*id == '\0') {
        say(self, "line %d: an entry without an id, gets one", line);
        return;
    }
    int first = GPOINTER_TO_INT(g_hash_table_lookup(self->lines, id));
    if (first)
        say(self, "line %d: the id %s is that of line %d, too", line, id, first);
    g_hash_table_insert(self->lines, g_strdup(id), GINT_TO_POINTER(line));
    const char *parent = json_get_text(entry, "parentId");
    g_hash_table_insert(self->parents, g_strdup(id), g_strdup(parent));
    if (parent && strcmp(parent, id) == 0)
        say(self, "line %d: entry %s is its own parent, taken as a root", line, id);
    else if (parent && !g_hash_table_contains(self->lines, parent))
        say(self, "line %d: the parent %s of %s is not there before it", line, parent, id);
}

static void check_line(Checker *self, const char *text, size_t size, int line)
{
    g_autoptr(json_t) value = NULL;
    if (size == 0)
        return;
    if (!text || !json_parse(text, size, &value, NULL) || !json_is_object(value)) {
        say(self, "line %d: no JSON object, left out", line);
        return;
    }
    if (self->has_header) {
        check_entry(self, value, line);
        return;
    }
    self->has_header = strcmp(entry_type(value), "session") == 0 && json_get_text(value, "id");
    self->version = json_get_int(value, "version", 1);
    if (self->has_header && line > 1)
        say(self, "line %d: the header is not the first line", line);
    if (self->has_header && self->version > SESSION_VERSION)
        say(self, "format version %" G_GINT64_FORMAT " is newer than this program's %d",
            self->version, SESSION_VERSION);
}

static bool check_lines(Checker *self, const char *path, GError **error)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0)
        return file_fail_open(path, error);
    g_auto(LineReader) reader = { .fd = fd, .max_bytes = LIMIT_SESSION_LINE_BYTES };
    for (int line = 1; line_reader_next(&reader); line++) {
        check_line(self, reader.line, reader.size, line);
        if (!reader.has_end)
            say(self, "line %d: the last line has no end, a write was cut", line);
    }
    return reader.problem == 0 || fail_with_errno(error, reader.problem, "cannot read %s", path);
}

static void check_cycles(Checker *self)
{
    GHashTableIter iter;
    void *id = NULL;
    void *parent = NULL;
    g_autoptr(GHashTable) good = g_hash_table_new(g_str_hash, g_str_equal);
    g_hash_table_iter_init(&iter, self->parents);
    while (g_hash_table_iter_next(&iter, &id, &parent)) {
        g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
        const char *at = id;
        while (at && !g_hash_table_contains(good, at) && g_hash_table_add(seen, (void *)at))
            at = g_hash_table_lookup(self->parents, at);
        bool is_cycle = at && !g_hash_table_contains(good, at);
        const char *next = is_cycle ? g_hash_table_lookup(self->parents, at) : NULL;
        if (is_cycle && g_strcmp0(next, at) != 0)
            say(self, "entry %s is its own ancestor: the walk to the root stops there", at);
        GHashTableIter walked;
        void *each = NULL;
        g_hash_table_iter_init(&walked, seen);
        while (g_hash_table_iter_next(&walked, &each, NULL))
            g_hash_table_add(good, each);
    }
}

/* Calls on the way to the leaf that nothing answered: the request gets an answer made up. */
static void check_calls(Checker *self, const SessionCopy *copy)
{
    g_autoptr(GPtrArray) path = session_copy_path(copy);
    g_autoptr(GHashTable) open = g_hash_table_new(g_str_hash, g_str_equal);
    for (unsigned i = 0; i < path->len; i++) {
        const json_t *message = json_get_object(path->pdata[i], "message");
        const char *answered = json_get_text(message, "toolCallId");
        if (answered)
            g_hash_table_remove(open, answered);
        const json_t *blocks = json_get_array(message, "content");
        json_each (blocks, index, block) {
            const char *id = json_get_text(block, "id");
            if (id && g_strcmp0(json_get_text(block, "type"), "toolCall") == 0)
                g_hash_table_insert(open, (void *)id, path->pdata[i]);
        }
    }
    GHashTableIter iter;
    void *call = NULL;
    void *entry = NULL;
    g_hash_table_iter_init(&iter, open);
    while (g_hash_table_iter_next(&iter, &call, &entry))
        say(self, "entry %s: the call %s has no result", entry_id(entry), (char *)call);
}

/* References that session_read() could not replace are still there. */
static void check_blobs(Checker *self, const char *id, const json_t *value)
{
    json_each (value, index, item)
        check_blobs(self, id, item);
    const char *text = json_get_text(value, "textBlob");
    const char *data = json_get_text(value, "data");
    if (text && str_has_prefix(text, PERSIST_BLOB_PREFIX))
        say(self, "entry %s: the long text %s is missing", id, text);
    if (data && str_has_prefix(data, PERSIST_BLOB_PREFIX))
        say(self, "entry %s: the image %s is missing", id, data);
    json_each_member (value, key, member)
        check_blobs(self, id, member);
}

static void check_entries(Checker *self, const SessionCopy *copy)
{
    json_each (copy->entries, index, entry) {
        check_blobs(self, entry_id(entry), json_object_get(entry, "content"));
        check_blobs(self, entry_id(entry),
                    json_object_get(json_get_object(entry, "message"), "content"));
    }
}

SessionHealth session_check(const char *path, GPtrArray *problems)
{
    g_autoptr(GHashTable) lines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GHashTable) parents = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    Checker checker = { .problems = problems, .lines = lines, .parents = parents };
    g_autoptr(GError) error = NULL;
    g_auto(SessionCopy) copy = { 0 };
    if (!check_lines(&checker, path, &error) || !session_read(path, &copy, &error)) {
        g_ptr_array_add(problems, g_strdup(error->message));
        return SESSION_NOT_USABLE;
    }
    check_cycles(&checker);
    check_calls(&checker, &copy);
    check_entries(&checker, &copy);
    if (checker.hidden > 0)
        g_ptr_array_add(problems, g_strdup_printf("… and %zu more", checker.hidden));
    return problems->len > 0 ? SESSION_REPAIRED : SESSION_CLEAN;
}
