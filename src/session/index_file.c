/*
 * Lines of a session file into rows (index_file.h).
 *
 * Most bytes of a session are results of tools: their lines are counted and not parsed, but for
 * those of calls that open a pull request.
 */
#include "session/index_file.h"

#include "base/json_reader.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/utf8.h"
#include "model/message.h"
#include "session/line_file.h"
#include "session/opened_pull.h"

#define TEXT_MAX_BYTES    (64 * 1024) // of a message, for the search
#define FIRST_MAX_CHARS   500
#define RESULT_SEEN_BYTES 400 // where `"role":"toolResult"` is in a line of ours

typedef struct Reader {
    Db *db;
    int64_t id;
    bool is_first; // the next line is the header
    bool is_foreign;
    int64_t messages;
    double cost;
    char *first_message, *summary, *model;
    GHashTable *opening; // ids of calls that open a pull request, whose results are to come
} Reader;

static void reader_clear(Reader *self)
{
    g_clear_pointer(&self->first_message, g_free);
    g_clear_pointer(&self->summary, g_free);
    g_clear_pointer(&self->model, g_free);
    g_clear_pointer(&self->opening, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Reader, reader_clear)

static bool take_header(Reader *self, const json_t *header, GError **error)
{
    const char *id = json_get_text(header, "id");
    self->is_foreign = g_strcmp0(json_get_text(header, "type"), "session") != 0 || !id;
    if (self->is_foreign)
        return true;
    const char *cwd = json_get_text(header, "cwd");
    g_autofree char *place = cwd ? path_real(cwd) : NULL;
    return db_run(self->db, error,
                  "UPDATE session SET session_id = ?, cwd = ?, place = ?, title = ?, created = ?,"
                  " parent = ? WHERE id = ?",
                  "ssssssi", id, cwd, place ? place : cwd, json_get_text(header, "title"),
                  json_get_text(header, "timestamp"), json_get_text(header, "parentSession"),
                  self->id);
}

static bool add_text(Reader *self, const json_t *entry, const json_t *message, const char *role,
                     GError **error)
{
    g_autofree char *whole = message_text(message);
    if (*whole == '\0')
        return true;
    if (!self->first_message && strcmp(role, "user") == 0)
        self->first_message = utf8_ellipsize(whole, FIRST_MAX_CHARS);
    g_autofree char *text = utf8_from_bytes(whole, MIN(strlen(whole), TEXT_MAX_BYTES));
    return db_run(self->db, error,
                  "INSERT INTO message (session, entry, role, at, text) VALUES (?, ?, ?, ?, ?)",
                  "issss", self->id, json_get_text(entry, "id"), role,
                  json_get_text(entry, "timestamp"), text) &&
           db_run(self->db, error, "INSERT INTO message_fts(rowid, text) VALUES (?, ?)", "is",
                  db_last_id(self->db), text);
}

// ---- pull requests that were opened ----

static bool note_calls(Reader *self, const json_t *message, GError **error)
{
    g_autoptr(json_t) calls = message_tool_calls(message);
    json_each (calls, i, call) {
        const char *id = json_get_text(call, "id");
        if (!id || !opened_pull_is_call(call))
            continue;
        g_hash_table_add(self->opening, g_strdup(id));
        if (!db_run(self->db, error, "INSERT INTO pull (session, call) VALUES (?, ?)", "is",
                    self->id, id))
            return false;
    }
    return true;
}

static bool add_pull(Reader *self, const char *call, const char *text, GError **error)
{
    g_auto(PullRef) pull = { 0 };
    if (!opened_pull_in_text(text, &pull))
        return true;
    return db_run(self->db, error,
                  "INSERT INTO pull (session, call, host, repo, number) VALUES (?, ?, ?, ?, ?)",
                  "isssi", self->id, call, pull.host, pull.repo, pull.number);
}

static bool take_result(Reader *self, const char *line, size_t size, GError **error)
{
    g_autoptr(json_t) entry = NULL;
    if (!json_parse(line, size, &entry, NULL))
        return true;
    const json_t *message = json_get_object(entry, "message");
    const char *call = json_get_text(message, "toolCallId");
    if (!call || !g_hash_table_remove(self->opening, call))
        return true;
    if (!db_run(self->db, error, "DELETE FROM pull WHERE session = ? AND call = ?", "is", self->id,
                call))
        return false;
    g_autofree char *text = message_text(message);
    return json_get_bool(message, "isError", false) || add_pull(self, call, text, error);
}

/* What a person ran. */
static bool take_command(Reader *self, const json_t *message, GError **error)
{
    const char *command = json_get_text(message, "command");
    const char *output = json_get_text(message, "output");
    return !command || !output || !opened_pull_is_command(command) ||
           add_pull(self, NULL, output, error);
}

static bool load_opening(Reader *self, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    self->opening = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    if (!db_query(self->db, &query, error,
                  "SELECT call FROM pull WHERE session = ? AND number IS NULL", "i", self->id))
        return false;
    bool has_row = false;
    while (db_query_step(query, &has_row, error)) {
        if (!has_row)
            return true;
        g_hash_table_add(self->opening, g_strdup(db_query_text(query, 0)));
    }
    return false;
}

// ---- lines ----

static bool take_message(Reader *self, const json_t *entry, GError **error)
{
    const json_t *message = json_get_object(entry, "message");
    const char *role = message_role(message);
    self->messages++;
    if (strcmp(role, "assistant") == 0) {
        const json_t *usage = json_get_object(message, "usage");
        self->cost += json_get_number(json_get_object(usage, "cost"), "total", 0);
        const char *model = json_get_text(message, "model");
        if (model) {
            g_free(self->model);
            self->model = g_strdup(model);
        }
        if (!note_calls(self, message, error))
            return false;
    } else if (strcmp(role, "bashExecution") == 0) {
        return take_command(self, message, error);
    } else if (strcmp(role, "user") != 0) {
        return true;
    }
    return add_text(self, entry, message, role, error);
}

static bool is_tool_result(const char *line, size_t size)
{
    static const char mark[] = "\"role\":\"toolResult\"";
    return memmem(line, MIN(size, RESULT_SEEN_BYTES), mark, sizeof mark - 1) != NULL;
}

static bool take_line(Reader *self, const char *line, size_t size, GError **error)
{
    if (size == 0 || self->is_foreign)
        return true;
    if (!self->is_first && is_tool_result(line, size)) {
        self->messages++;
        return g_hash_table_size(self->opening) == 0 || take_result(self, line, size, error);
    }
    g_autoptr(json_t) value = json_parse_line(line, size);
    if (!value) {
        self->is_foreign = self->is_first;
        return true; // a torn line in the middle
    }
    if (self->is_first) {
        self->is_first = false;
        return take_header(self, value, error);
    }
    const char *type = json_get_text(value, "type");
    if (g_strcmp0(type, "message") == 0)
        return take_message(self, value, error);
    const char *summary = json_get_text(value, "shortSummary");
    if (g_strcmp0(type, "compaction") == 0 && summary) {
        g_free(self->summary);
        self->summary = utf8_ellipsize(summary, FIRST_MAX_CHARS);
    }
    return true;
}

static bool save_sums(const Reader *self, GError **error)
{
    g_autofree char *cost = g_strdup_printf("%.6f", self->cost);
    return db_run(self->db, error,
                  "UPDATE session SET messages = messages + ?, cost = cast(coalesce(cost, 0) + ? "
                  "AS TEXT), model = coalesce(?, model), first_message = coalesce(first_message, "
                  "?), summary = coalesce(?, summary) WHERE id = ?",
                  "issssi", self->messages, cost, self->model, self->first_message, self->summary,
                  self->id);
}

bool index_file_read(Db *db, int64_t id, int fd, int64_t *read, Cancel *cancel, GError **error)
{
    g_auto(Reader) reader = { .db = db, .id = id, .is_first = *read == 0 };
    if (!load_opening(&reader, error))
        return false;
    g_auto(LineReader) line = { .fd = fd, .at = *read, .max_bytes = LIMIT_SESSION_LINE_BYTES };
    while (!reader.is_foreign && line_reader_next(&line)) {
        if (!line.has_end || !line.line || line.next_at > (off_t)LIMIT_SESSION_FILE_BYTES)
            break; // what cannot be read is left out
        if (!take_line(&reader, line.line, line.size, error) || !cancel_check(cancel, error))
            return false;
        *read = line.next_at;
    }
    return save_sums(&reader, error);
}
