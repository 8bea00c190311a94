/*
 * Loading session files. A line that cannot be used is skipped; nothing in a file makes loading
 * fail, since a half-written line is what a crash leaves.
 */
#include "session/session_load.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "session/entry.h"
#include "session/persist.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define HEADER_MAX_BYTES (64 * 1024)
#define FILE_MAX_ENTRIES 10000000

void session_file_clear(SessionFile *self)
{
    json_decref(self->header);
    entry_list_free(self->entries);
    *self = (SessionFile) { 0 };
}

typedef struct Loader {
    SessionFile *file;
    LineFile *source;
    bool wants_values;
    bool has_first_line; // the first usable line was seen
    bool is_mended;      // the present one
} Loader;

static bool is_header(const json_t *value)
{
    return g_str_equal(entry_type(value), "session") && json_get_text(value, "id");
}

/* An entry without an id follows the one before it, so that it stays on the path. */
static void give_id(Loader *self, json_t *entry)
{
    EntryList *entries = self->file->entries;
    size_t count = entry_list_count(entries);
    const EntryHead *before = count > 0 ? entry_list_at(entries, count - 1) : NULL;
    g_autofree char *id = entry_list_new_id(entries);
    json_add(entry, "id:%s parentId:%s?", id, before ? before->id : NULL);
}

static void rename_hook_message(json_t *entry)
{
    json_t *message = json_get_object(entry, "message");
    const char *role = json_get_text(message, "role");
    if (role && g_str_equal(role, "hookMessage"))
        json_set_text(message, "role", "custom");
}

static void take_entry(Loader *self, json_t *entry, const LineReader *line)
{
    SessionFile *file = self->file;
    if (!json_get_text(entry, "type") || entry_list_count(file->entries) >= FILE_MAX_ENTRIES ||
        g_str_equal(entry_type(entry), "session"))
        return;
    bool is_given_id = file->version < 2 || *entry_id(entry) == '\0';
    if (is_given_id)
        give_id(self, entry);
    if (file->version < 3)
        rename_hook_message(entry);
    if (memmem(line->line, line->size, PERSIST_BLOB_PREFIX, strlen(PERSIST_BLOB_PREFIX)))
        persist_resolve_blobs(entry, &file->missing_blobs);

    const LinePlace place = { self->source, line->at, line->size };
    bool is_own = self->wants_values || is_given_id || file->version < SESSION_VERSION;
    const EntryHead *head =
        is_own ? entry_list_add(file->entries, json_incref(entry)) // it is not as the line says
               : entry_list_add_line(file->entries, json_incref(entry), &place);
    if (self->is_mended)
        entry_list_set_mended(file->entries, head);
}

static void take_line(Loader *self, const LineReader *line)
{
    if (line->size == 0 || !line->line)
        return;
    g_autoptr(json_t) value = json_parse_plain(line->line, line->size);
    self->is_mended = false;
    if (!value)
        json_parse_mended(line->line, line->size, &value, &self->is_mended, NULL);
    if (!json_is_object(value))
        return;

    SessionFile *file = self->file;
    if (self->has_first_line) {
        if (file->header)
            take_entry(self, value, line);
        return;
    }
    self->has_first_line = true;
    if (is_header(value)) {
        file->header = json_incref(value);
        file->version = MAX(json_get_int(value, "version", 1), 1);
    }
}

static bool read_lines(Loader *self, const char *path, GError **error)
{
    g_auto(LineReader)
        line = { .fd = line_file_fd(self->source), .max_bytes = LIMIT_SESSION_LINE_BYTES };
    while (line_reader_next(&line)) {
        if (line.next_at > (off_t)LIMIT_SESSION_FILE_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s: session file over %zu MiB", path,
                             LIMIT_SESSION_FILE_BYTES / MIB);
        take_line(self, &line); // the last one may have been written whole but for its LF
        self->file->has_bytes = true;
    }
    errno = line.problem;
    return errno == 0 || fail_with_errno(error, errno, "cannot read %s", path);
}

/* Version 1 counts lines, the header being line 0; entries have ids now. */
static void migrate_compactions(const SessionFile *file)
{
    size_t count = entry_list_count(file->entries);
    for (size_t i = 0; i < count; i++) {
        g_autoptr(json_t) entry = entry_list_read(file->entries, entry_list_at(file->entries, i));
        const json_t *line = json_object_get(entry, "firstKeptEntryIndex");
        if (!g_str_equal(entry_type(entry), "compaction") || !json_is_integer(line))
            continue;
        json_int_t number = json_integer_value(line);
        if (number >= 1 && (guint64)number <= count) {
            size_t kept = (size_t)number - 1;
            json_set_text(entry, "firstKeptEntryId", entry_list_at(file->entries, kept)->id);
        }
        json_object_del(entry, "firstKeptEntryIndex");
    }
}

bool session_file_load(LineFile *source, const char *path, bool wants_values, SessionFile *ret_file,
                       GError **error)
{
    g_auto(SessionFile) file = { .entries = entry_list_new() };
    Loader loader = { .file = &file, .source = source, .wants_values = wants_values };
    if (!read_lines(&loader, path, error))
        return false;

    if (file.header && file.version < SESSION_VERSION) {
        if (file.version < 2)
            migrate_compactions(&file);
        json_set_int(file.header, "version", SESSION_VERSION);
        file.is_migrated = true;
    }
    *ret_file = file;
    file = (SessionFile) { 0 };
    return true;
}

/* The ids of an answer's calls. */
static void collect_calls(const json_t *message, GHashTable *calls)
{
    g_hash_table_remove_all(calls);
    json_each (json_get_array(message, "content"), i, block) {
        const char *type = json_get_text(block, "type");
        const char *id = json_get_text(block, "id");
        if (type && id && g_str_equal(type, "toolCall"))
            g_hash_table_add(calls, g_strdup(id));
    }
}

/* How many of the first `end` entries there are up to where a turn was completed, in [from, end);
   0: in none of them. `from` is an answer, or the beginning. */
static size_t completed_between(EntryList *entries, size_t from, size_t end)
{
    g_autoptr(GHashTable) calls = // without a result
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    bool is_asked = false; // what came last is not yet answered
    size_t completed = 0;
    for (size_t i = from; i < end; i++) {
        const EntryHead *head = entry_list_at(entries, i);
        g_autoptr(json_t) entry = *head->role ? entry_list_read(entries, head) : NULL;
        const json_t *message = json_get_object(entry, "message");
        const char *call = json_get_text(message, "toolCallId");
        if (g_str_equal(head->role, "assistant"))
            collect_calls(message, calls);
        else if (g_str_equal(head->role, "toolResult"))
            g_hash_table_remove(calls, call ? call : "");
        else if (*head->role)
            is_asked = true;
        if (!is_asked && g_hash_table_size(calls) == 0)
            completed = i + 1;
    }
    return completed;
}

/* Backwards, from one answer to the one before: the last completed turn is near the end. */
void session_file_keep_completed(SessionFile *self)
{
    size_t end = entry_list_count(self->entries), kept = 0;
    for (size_t from = end; from > 0 && kept == 0;) {
        from--;
        bool is_answer = g_str_equal(entry_list_at(self->entries, from)->role, "assistant");
        if (!is_answer && from > 0)
            continue;
        kept = completed_between(self->entries, from, end);
        end = from;
    }
    entry_list_cut(self->entries, kept);
}

json_t *session_file_header(const char *path)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, 0, &info);
    if (fd < 0)
        return NULL;

    g_autofree char *buffer = g_malloc(HEADER_MAX_BYTES);
    size_t size = 0;
    while (size < HEADER_MAX_BYTES) {
        ssize_t got = read(fd, buffer + size, HEADER_MAX_BYTES - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (size_t)got;
        if (memchr(buffer + size - got, '\n', (size_t)got))
            break;
    }
    const char *newline = memchr(buffer, '\n', size);
    g_autoptr(json_t) value = NULL;
    if (!json_parse(buffer, newline ? (size_t)(newline - buffer) : size, &value, NULL) ||
        !is_header(value))
        return NULL;
    return g_steal_pointer(&value);
}
