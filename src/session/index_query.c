/*
 * Rows of the index as JSON (index_query.h).
 */
#include "session/index_query.h"

#include "base/path.h"

#define COLUMNS                                                                                    \
    "s.path, s.session_id, s.cwd, s.title, s.created, s.modified, s.messages, s.size, "            \
    "s.first_message, s.summary, s.model, s.cost, s.parent"
#define COLUMN_COUNT 13

static json_t *row_to_json(DbQuery *query)
{
    json_t *session =
        json_make("path:%s id:%s cwd:%s title:%s created:%s modified:%jd messageCount:%jd size:%jd "
                  "firstMessage:%s summary:%s model:%s",
                  db_query_text(query, 0), db_query_text(query, 1), db_query_text(query, 2),
                  db_query_text(query, 3), db_query_text(query, 4),
                  db_query_int(query, 5) / 1000000, db_query_int(query, 6), db_query_int(query, 7),
                  db_query_text(query, 8), db_query_text(query, 9), db_query_text(query, 10));
    const char *cost = db_query_text(query, 11);
    json_add(session, "cost:%p parentSession:%s", json_real(cost ? g_ascii_strtod(cost, NULL) : 0),
             db_query_text(query, 12));
    return session;
}

static char *place_of(const char *cwd)
{
    char *real = cwd ? path_real(cwd) : NULL;
    return real ? real : g_strdup(cwd);
}

static bool read_sessions(DbQuery *query, json_t **ret_sessions, GError **error)
{
    g_autoptr(json_t) sessions = json_array();
    bool has_row = false;
    while (db_query_step(query, &has_row, error)) {
        if (!has_row) {
            *ret_sessions = g_steal_pointer(&sessions);
            return true;
        }
        json_append_take(sessions, row_to_json(query));
    }
    return false;
}

bool index_query_list(Db *db, const char *cwd, int64_t limit, json_t **ret_sessions, GError **error)
{
    g_autofree char *place = place_of(cwd);
    g_autoptr(DbQuery) query = NULL;
    return db_query(db, &query, error,
                    "SELECT " COLUMNS " FROM session s WHERE s.session_id IS NOT NULL"
                    " AND (?1 IS NULL OR s.place = ?1 OR s.cwd IS NULL)"
                    " ORDER BY s.modified DESC, s.path DESC LIMIT ?2",
                    "si", place, limit) &&
           read_sessions(query, ret_sessions, error);
}

bool index_query_opened(Db *db, const PullRef *pull, const char *cwd, json_t **ret_sessions,
                        GError **error)
{
    g_autofree char *place = place_of(cwd);
    g_autoptr(DbQuery) query = NULL;
    return db_query(db, &query, error,
                    "SELECT DISTINCT " COLUMNS " FROM session s JOIN pull p ON p.session = s.id"
                    " WHERE s.session_id IS NOT NULL AND p.number = ?1"
                    " AND (?2 IS NULL OR p.repo = ?2) AND (?3 IS NULL OR p.host = ?3)"
                    " AND (?4 IS NULL OR s.place = ?4)"
                    " ORDER BY s.modified DESC, s.path DESC",
                    "isss", pull->number, pull->repo, pull->host, place) &&
           read_sessions(query, ret_sessions, error);
}

static GPtrArray *words_of(const char *query)
{
    GPtrArray *words = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) word = g_string_new(NULL);
    for (const char *p = query;; p = g_utf8_next_char(p)) {
        gunichar c = *p ? g_utf8_get_char(p) : 0;
        if (c && g_unichar_isalnum(c)) {
            g_string_append_unichar(word, g_unichar_tolower(c));
            continue;
        }
        if (word->len > 0)
            g_ptr_array_add(words, g_strdup(word->str));
        g_string_truncate(word, 0);
        if (!c)
            return words;
    }
}

char *index_query_words(const char *query)
{
    g_autoptr(GPtrArray) words = words_of(query);
    if (words->len == 0)
        return NULL;
    GString *text = g_string_new(NULL);
    for (unsigned i = 0; i < words->len; i++)
        g_string_append_printf(text, "%s\"%s\"*", i > 0 ? " " : "", (char *)words->pdata[i]);
    return g_string_free(text, FALSE);
}

char **index_query_patterns(const char *query)
{
    g_autoptr(GPtrArray) words = words_of(query);
    g_autoptr(GStrvBuilder) patterns = g_strv_builder_new();
    for (unsigned i = 0; i < words->len; i++) {
        g_autofree char *pattern = g_strconcat("%", words->pdata[i], "%", NULL);
        g_strv_builder_add(patterns, pattern); // letters and digits: nothing to escape
    }
    return g_strv_builder_end(patterns);
}

static bool add_hits(DbQuery *query, json_t *hits, GError **error)
{
    bool has_row = false;
    while (db_query_step(query, &has_row, error)) {
        if (!has_row)
            return true;
        json_append_take(hits, json_make("session:%p entryId:%s role:%s timestamp:%s text:%s",
                                         row_to_json(query), db_query_text(query, COLUMN_COUNT),
                                         db_query_text(query, COLUMN_COUNT + 1),
                                         db_query_text(query, COLUMN_COUNT + 2),
                                         db_query_text(query, COLUMN_COUNT + 3)));
    }
    return false;
}

static void add_value(GArray *values, DbValue value)
{
    g_array_append_val(values, value);
}

/* Words inside of others, and languages without spaces: found by looking at every text. */
static bool search_inside(Db *db, const char *words, const char *place, int64_t limit, json_t *hits,
                          GError **error)
{
    g_auto(GStrv) patterns = index_query_patterns(words);
    g_autoptr(GString) sql =
        g_string_new("SELECT " COLUMNS ", m.entry, m.role, m.at, substr(m.text, max(1, "
                     "instr(lower(m.text), ?2) - 60), 200) FROM message m JOIN session s ON s.id = "
                     "m.session WHERE (?1 IS NULL OR s.place = ?1)");
    g_autoptr(GArray) values = g_array_new(FALSE, TRUE, sizeof(DbValue));
    g_autofree char *first = g_strndup(patterns[0] + 1, strlen(patterns[0]) - 2);
    add_value(values, (DbValue) { .type = 's', .text = place });
    add_value(values, (DbValue) { .type = 's', .text = first });
    for (size_t i = 0; patterns[i]; i++) {
        g_string_append(sql, " AND m.text LIKE ?");
        add_value(values, (DbValue) { .type = 's', .text = patterns[i] });
    }
    g_string_append(sql, " ORDER BY m.at DESC LIMIT ?");
    add_value(values, (DbValue) { .type = 'i', .integer = limit });
    g_autoptr(DbQuery) query = NULL;
    return db_query_values(db, &query, error, sql->str, (const DbValue *)(void *)values->data,
                           values->len) &&
           add_hits(query, hits, error);
}

bool index_query_search(Db *db, const char *words, const char *cwd, int64_t limit,
                        json_t **ret_hits, GError **error)
{
    g_autofree char *match = index_query_words(words);
    g_autoptr(json_t) hits = json_array();
    if (match) {
        g_autofree char *place = place_of(cwd);
        g_autoptr(DbQuery) query = NULL;
        if (!db_query(db, &query, error,
                      "SELECT " COLUMNS ", m.entry, m.role, m.at,"
                      " snippet(message_fts, 0, '', '', '…', 24)"
                      " FROM message_fts JOIN message m ON m.id = message_fts.rowid"
                      " JOIN session s ON s.id = m.session"
                      " WHERE message_fts MATCH ? AND (?2 IS NULL OR s.place = ?2)"
                      " ORDER BY m.at DESC LIMIT ?3",
                      "ssi", match, place, limit) ||
            !add_hits(query, hits, error))
            return false;
        if (json_array_size(hits) == 0 && !search_inside(db, words, place, limit, hits, error))
            return false;
    }
    *ret_hits = g_steal_pointer(&hits);
    return true;
}
