/* See usage_db.h. */
#include "session/usage_db.h"

#include "base/file.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/timefmt.h"
#include "model/usage.h"
#include "session/file_mark.h"
#include "session/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_DEPTH       4   // of folders below the sessions: a session's own are one deeper
#define FILES_AT_ONCE   500 // in one transaction
#define MAX_NAME_BYTES  200 // of a provider or a model
#define OTHER_USAGE     "kedge.usage" // custom entries (agent/usage_notes.h)
#define MAX_DURATION_MS (INT64_C(24) * 60 * 60 * 1000)

/* Never changed once released: a new version is a new text at the end. */
static const char *const migrations[] = {
    "CREATE TABLE file (path TEXT PRIMARY KEY, inode INTEGER, bytes INTEGER NOT NULL,"
    " size INTEGER NOT NULL, mtime INTEGER NOT NULL, folder TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE request (entry TEXT NOT NULL, at INTEGER NOT NULL, day TEXT NOT NULL,"
    " folder TEXT NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, failed INTEGER NOT NULL,"
    " input INTEGER NOT NULL, output INTEGER NOT NULL, cache_read INTEGER NOT NULL,"
    " cache_write INTEGER NOT NULL, cost REAL NOT NULL, duration INTEGER, ttft INTEGER,"
    " PRIMARY KEY (entry, at)) WITHOUT ROWID;"
    "CREATE INDEX request_by_time ON request(at);",
    "ALTER TABLE file ADD COLUMN header TEXT;" // file_mark.h
    "UPDATE file SET mtime = 0;",              // all are read again
    NULL,
};

static void remove_all(const char *path)
{
    static const char *const suffixes[] = { "", "-wal", "-shm" };
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        g_autofree char *name = g_strconcat(path, suffixes[i], NULL);
        unlink(name);
    }
}

bool usage_db_open(const char *path, Cancel *cancel, Db **ret_db, GError **error)
{
    g_autoptr(GError) cause = NULL;
    if (db_open(path, migrations, cancel, ret_db, NULL, &cause))
        return true;
    if (error_is(cause, KEDGE_ERROR_PROTOCOL)) {
        remove_all(path);
        return db_open(path, migrations, cancel, ret_db, NULL, error);
    }
    return pass_error(error, &cause);
}

typedef struct Reading { // of one file
    Db *db;
    const char *path;
    char *folder;    // of the header
    char *header;    // its mark
    int64_t read_to; // behind the last complete line
    int64_t *new_requests;
} Reading;

static int64_t time_of(const json_t *entry, const json_t *message)
{
    int64_t at = json_get_int(message, "timestamp", 0);
    const char *text = json_get_text(entry, "timestamp");
    if (at > 0 || !text)
        return at;
    g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(text, NULL);
    return time ? g_date_time_to_unix(time) * 1000 + g_date_time_get_microsecond(time) / 1000 : 0;
}

static char *name_in(const json_t *message, const char *key)
{
    const char *text = json_get_text(message, key);
    return g_utf8_substring(text ? text : "unknown", 0,
                            MIN(MAX_NAME_BYTES, g_utf8_strlen(text ? text : "unknown", -1)));
}

/* A time span from outside; NULL when it is none. */
static const int64_t *span_in(const json_t *message, const char *key, int64_t *value)
{
    *value = json_get_int(message, key, -1);
    return *value >= 0 && *value <= MAX_DURATION_MS ? value : NULL;
}

static char *day_of(int64_t at_ms)
{
    struct tm parts;
    if (!time_to_local((time_t)(at_ms / 1000), &parts))
        return g_strdup("unknown");
    return g_strdup_printf("%04d-%02d-%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

static bool store_request(Reading *self, const json_t *entry, const json_t *message, GError **error)
{
    const json_t *usage = json_get_object(message, "usage");
    const json_t *costs = json_get_object(usage, "cost");
    double cost = json_number_value(json_object_get(costs, "total"));
    int64_t at = time_of(entry, message), duration, ttft;
    const char *id = json_get_text(entry, "id");
    g_autofree char *place = g_strdup_printf("%s:%" G_GINT64_FORMAT, self->path, self->read_to);
    g_autofree char *provider = name_in(message, "provider");
    g_autofree char *model = name_in(message, "model");
    g_autofree char *day = day_of(at);
    bool has_failed = g_strcmp0(json_get_text(message, "stopReason"), "error") == 0;
    bool is_good =
        db_run(self->db, error,
               "INSERT OR IGNORE INTO request (entry, at, day, folder, provider, model, failed,"
               " input, output, cache_read, cache_write, cost, duration, ttft)"
               " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
               "sissssiiiiidII", id ? id : place, at, day, self->folder, provider, model,
               (int64_t)has_failed, usage_count(usage, "input", 0), usage_count(usage, "output", 0),
               usage_count(usage, "cacheRead", 0), usage_count(usage, "cacheWrite", 0),
               cost > 0 && cost < 1e9 ? cost : 0.0, span_in(message, "duration", &duration),
               span_in(message, "ttft", &ttft));
    *self->new_requests += is_good ? db_changes(self->db) : 0;
    return is_good;
}

/* Most lines are no answers, and are not parsed. */
static bool may_count(const char *line, size_t size, bool is_first)
{
    return is_first || memmem(line, size, OTHER_USAGE, strlen(OTHER_USAGE)) ||
           (memmem(line, size, "\"assistant\"", strlen("\"assistant\"")) &&
            memmem(line, size, "\"usage\"", strlen("\"usage\"")));
}

/* What has the usage of a request, borrowed: an answer, or what a request for a name or a summary
   took. NULL: the entry has none. */
static const json_t *answer_in(const json_t *entry, const char *type)
{
    const json_t *message = json_get_object(entry, "message");
    bool is_message = g_strcmp0(type, "message") == 0;
    if (is_message && g_strcmp0(json_get_text(message, "role"), "assistant") == 0)
        return message;
    bool is_other = g_strcmp0(type, "custom") == 0 &&
                    g_strcmp0(json_get_text(entry, "customType"), OTHER_USAGE) == 0;
    return is_other ? json_get_object(entry, "data") : NULL;
}

static bool take_line(Reading *self, const char *line, size_t size, GError **error)
{
    if (!may_count(line, size, self->read_to == 0))
        return true;
    g_autoptr(json_t) entry = json_parse_line(line, size);
    const char *type = entry ? json_get_text(entry, "type") : NULL;
    if (g_strcmp0(type, "session") == 0 && json_get_text(entry, "cwd")) {
        g_free(self->folder);
        self->folder = g_strdup(json_get_text(entry, "cwd"));
    }
    const json_t *answer = answer_in(entry, type);
    return !json_get_object(answer, "usage") || store_request(self, entry, answer, error);
}

static bool read_lines(Reading *self, int fd, GError **error)
{
    g_auto(LineReader)
        line = { .fd = fd, .at = self->read_to, .max_bytes = LIMIT_SESSION_LINE_BYTES };
    while (line_reader_next(&line) && line.has_end) {
        if (line.line && !take_line(self, line.line, line.size, error))
            return false;
        self->read_to = line.next_at;
    }
    return line.problem == 0 || fail_with_errno(error, line.problem, "cannot read %s", self->path);
}

typedef struct Sync {
    Db *db;
    Cancel *cancel;
    UsageSync counts;
    int64_t in_transaction; // files
} Sync;

/* Where to go on in a file that may be known; false with *ret_is_same when nothing is new in it. */
static bool find_place(Sync *self, const char *path, int fd, const struct stat *st,
                       Reading *reading, bool *ret_is_same, GError **error)
{
    g_autoptr(DbQuery) query = NULL;
    bool is_known = false;
    int64_t mtime = (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000;
    if (!db_query(self->db, &query, error,
                  "SELECT inode, bytes, size, mtime, folder, header FROM file WHERE path = ?", "s",
                  path) ||
        !db_query_step(query, &is_known, error))
        return false;
    *ret_is_same =
        is_known && db_query_int(query, 2) == st->st_size && db_query_int(query, 3) == mtime;
    if (*ret_is_same)
        return true;
    reading->header = file_mark_of_header(fd);
    bool has_grown =
        is_known && db_query_int(query, 0) == (int64_t)st->st_ino &&
        db_query_int(query, 2) <= st->st_size &&
        file_mark_goes_on(fd, db_query_text(query, 5), reading->header, db_query_int(query, 1));
    reading->read_to = has_grown ? db_query_int(query, 1) : 0;
    reading->folder = g_strdup(has_grown ? db_query_text(query, 4) : "unknown");
    return true;
}

static bool sync_lines(Sync *self, const char *path, int fd, const struct stat *st, GError **error)
{
    int64_t before = self->counts.new_requests;
    Reading reading = { .db = self->db, .path = path, .new_requests = &self->counts.new_requests };
    bool is_same = false;
    bool is_good = find_place(self, path, fd, st, &reading, &is_same, error);
    g_autofree char *first_folder = reading.folder;
    g_autofree char *header = reading.header;
    if (!is_good || is_same)
        return is_good;
    reading.folder = g_strdup(first_folder);
    is_good = read_lines(&reading, fd, error);
    self->counts.read_files += self->counts.new_requests > before;
    is_good = is_good &&
              db_run(self->db, error,
                     "INSERT OR REPLACE INTO file (path, inode, bytes, size, mtime, folder, header)"
                     " VALUES (?, ?, ?, ?, ?, ?, ?)",
                     "siiiiss", path, (int64_t)st->st_ino, reading.read_to, (int64_t)st->st_size,
                     (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000,
                     reading.folder, header);
    g_free(reading.folder);
    return is_good;
}

/* A file that cannot be read is counted; only what is wrong with the database ends the whole. */
static bool sync_file(Sync *self, int folder, const char *name, const char *path, GError **error)
{
    struct stat st;
    int fd = file_open_regular_at(folder, name, O_NOFOLLOW, &st);
    bool is_readable = fd >= 0;
    self->counts.all_files++;
    self->counts.unreadable_files += !is_readable;
    bool is_good = !is_readable || sync_lines(self, path, fd, &st, error);
    if (fd >= 0)
        close(fd);
    if (is_good && ++self->in_transaction % FILES_AT_ONCE == 0)
        is_good = db_exec(self->db, "COMMIT", error) && db_exec(self->db, "BEGIN IMMEDIATE", error);
    return is_good && cancel_check(self->cancel, error);
}

static bool sync_folder(Sync *self, const char *path, unsigned depth, GError **error)
{
    g_autoptr(GDir) folder = g_dir_open(path, 0, NULL);
    int fd = folder ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) : -1;
    bool is_good = true;
    for (const char *name; fd >= 0 && is_good && (name = g_dir_read_name(folder));) {
        g_autofree char *inner = g_build_filename(path, name, NULL);
        struct stat st;
        if (g_str_has_suffix(name, ".jsonl"))
            is_good = sync_file(self, fd, name, inner, error);
        else if (depth < MAX_DEPTH && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                 S_ISDIR(st.st_mode))
            is_good = sync_folder(self, inner, depth + 1, error);
    }
    if (fd >= 0)
        close(fd);
    return is_good;
}

bool usage_db_sync(Db *db, const char *sessions_root, Cancel *cancel, UsageSync *ret_sync,
                   GError **error)
{
    Sync sync = { .db = db, .cancel = cancel };
    if (!db_exec(db, "BEGIN IMMEDIATE", error))
        return false;
    if (!sync_folder(&sync, sessions_root, 0, error)) {
        db_exec(db, "ROLLBACK", NULL);
        return false;
    }
    *ret_sync = sync.counts;
    return db_exec(db, "COMMIT", error);
}

#define SUMS                                                                                       \
    "count(*), sum(failed), sum(input), sum(output), sum(cache_read), sum(cache_write),"           \
    " sum(cost), avg(duration), avg(ttft),"                                                        \
    " sum(CASE WHEN duration > 0 THEN output END) * 1000.0 / sum(CASE WHEN duration > 0 THEN "     \
    "duration END)"

static double usage_db_share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static double number_at(DbQuery *query, int column)
{
    const char *text = db_query_text(query, column);
    return text ? g_ascii_strtod(text, NULL) : 0;
}

/* A row of SUMS from `column` on, into `group`. */
static void add_sums(json_t *group, DbQuery *query, int column)
{
    static const char *const counts[] = { "totalRequests",        "failedRequests",
                                          "totalInputTokens",     "totalOutputTokens",
                                          "totalCacheReadTokens", "totalCacheWriteTokens" };
    int64_t values[G_N_ELEMENTS(counts)];
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        values[i] = db_query_int(query, column + (int)i);
        json_set_int(group, counts[i], values[i]);
    }
    column += (int)G_N_ELEMENTS(counts);
    json_object_set_new(group, "errorRate", json_real(usage_db_share(values[1], values[0])));
    json_object_set_new(group, "cacheRate",
                        json_real(usage_db_share(values[4], values[2] + values[4] + values[5])));
    json_object_set_new(group, "totalCost", json_real(number_at(query, column)));
    json_object_set_new(group, "avgDuration", json_real(number_at(query, column + 1)));
    json_object_set_new(group, "avgTtft", json_real(number_at(query, column + 2)));
    json_object_set_new(group, "avgTokensPerSecond", json_real(number_at(query, column + 3)));
}

/* `keys` are the columns that `sql` has before SUMS. */
static bool report_groups(Db *db, const char *sql, const char *const *keys, int64_t since_ms,
                          json_t **ret_groups, GError **error)
{
    g_autoptr(json_t) groups = json_array();
    g_autoptr(DbQuery) query = NULL;
    bool has_row = false;
    if (!db_query(db, &query, error, sql, "i", since_ms))
        return false;
    for (;;) {
        if (!db_query_step(query, &has_row, error))
            return false;
        if (!has_row)
            break;
        json_t *group = json_object();
        int column = 0;
        for (; keys[column]; column++)
            json_set_text(group, keys[column], db_query_text(query, column));
        add_sums(group, query, column);
        json_append_take(groups, group);
    }
    *ret_groups = g_steal_pointer(&groups);
    return true;
}

bool usage_db_report(Db *db, int64_t since_ms, json_t **ret_report, GError **error)
{
    static const struct {
        const char *name, *sql, *keys[4];
    } parts[] = {
        { "byModel",
          "SELECT provider, model, " SUMS " FROM request WHERE at >= ? GROUP BY provider, model"
          " ORDER BY sum(cost) DESC, count(*) DESC, provider, model",
          { "provider", "model" } },
        { "byDay",
          "SELECT day, " SUMS " FROM request WHERE at >= ? GROUP BY day ORDER BY day",
          { "day" } },
        { "byFolder",
          "SELECT folder, " SUMS " FROM request WHERE at >= ? GROUP BY folder"
          " ORDER BY sum(cost) DESC, count(*) DESC, folder",
          { "folder" } },
        { "byDayAndModel",
          "SELECT day, provider, model, " SUMS " FROM request WHERE at >= ?"
          " GROUP BY day, provider, model ORDER BY day, provider, model",
          { "day", "provider", "model" } },
    };
    static const char *const none[] = { NULL };
    g_autoptr(json_t) report = json_object(), overall = NULL;
    if (!report_groups(db, "SELECT " SUMS " FROM request WHERE at >= ?", none, since_ms, &overall,
                       error))
        return false;
    json_object_set(report, "overall", json_array_get(overall, 0));
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        json_t *groups = NULL;
        if (!report_groups(db, parts[i].sql, parts[i].keys, since_ms, &groups, error))
            return false;
        json_object_set_new(report, parts[i].name, groups);
    }
    *ret_report = g_steal_pointer(&report);
    return true;
}
