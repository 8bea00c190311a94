/* See sqlite_select.h. */
#include "tools/database/sqlite_select.h"

#include "base/str.h"

#define ANY_SQL "use '?q=SELECT ...' for raw SQL"

enum { DEFAULT_LIMIT = 20, MAX_LIMIT = 500 };

void sqlite_select_clear(SqliteSelect *self)
{
    g_clear_pointer(&self->table, g_free);
    g_clear_pointer(&self->key, g_free);
    g_clear_pointer(&self->query, g_free);
    g_clear_pointer(&self->order, g_free);
    g_clear_pointer(&self->where, g_free);
}

/* `+` is a blank, %XX a byte; a % that is no such thing is itself. Caller frees. */
static char *sqlite_select_decode(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *at = text; *at; at++) {
        if (*at == '%' && g_ascii_isxdigit(at[1]) && g_ascii_isxdigit(at[2])) {
            int byte = g_ascii_xdigit_value(at[1]) * 16 + g_ascii_xdigit_value(at[2]);
            g_string_append_c(out, (char)(byte ? byte : ' '));
            at += 2;
        } else {
            g_string_append_c(out, *at == '+' ? ' ' : *at);
        }
    }
    char *valid = g_utf8_make_valid(out->str, (gssize)out->len);
    g_string_free(out, TRUE);
    return valid;
}

/* What ends a quoted text that begins at `at`: its position, or the end of the text. */
static const char *skip_quoted(const char *at)
{
    char end = *at == '[' ? ']' : *at;
    const char *found = strchr(at + 1, end);
    return found ? found : at + strlen(at) - 1;
}

static bool is_forbidden_word(const char *word, size_t size)
{
    static const char *const words[] = { "LIMIT",  "OFFSET", "UNION",  "INTERSECT",
                                         "EXCEPT", "ATTACH", "DETACH", "PRAGMA" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        if (strlen(words[i]) == size && g_ascii_strncasecmp(word, words[i], size) == 0)
            return true;
    return false;
}

static bool is_word_byte(char c)
{
    return g_ascii_isalnum(c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

bool sqlite_check_where(const char *where, GError **error)
{
    for (const char *at = where; *at; at++) {
        if (strchr("'\"`[", *at)) {
            at = skip_quoted(at);
        } else if (*at == ';' || str_has_prefix(at, "--") || str_has_prefix(at, "/*") ||
                   str_has_prefix(at, "*/")) {
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "SQLite 'where' clause must not contain comments or statement "
                             "terminators; " ANY_SQL);
        } else if (is_word_byte(*at)) {
            size_t size = 1;
            while (is_word_byte(at[size]))
                size++;
            if (is_forbidden_word(at, size))
                return fail_with(error, KEDGE_ERROR_USAGE,
                                 "SQLite 'where' clause must not contain "
                                 "LIMIT/OFFSET/UNION/INTERSECT/EXCEPT/ATTACH/DETACH/"
                                 "PRAGMA; " ANY_SQL);
            at += size - 1;
        }
    }
    return true;
}

static bool set_number(const char *name, const char *value, int64_t least, int64_t *number,
                       GError **error)
{
    if (str_parse_int(value, number) && *number >= least)
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE, "SQLite %s must be a %s integer; got '%s'", name,
                     least > 0 ? "positive" : "non-negative", value);
}

static bool set_order(SqliteSelect *self, const char *value, GError **error)
{
    const char *colon = strrchr(value, ':');
    bool is_ascending = colon && g_ascii_strcasecmp(colon + 1, "asc") == 0;
    self->is_descending = colon && g_ascii_strcasecmp(colon + 1, "desc") == 0;
    if (colon && !is_ascending && !self->is_descending)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "SQLite order direction must be 'asc' or 'desc'; got '%s'", colon + 1);
    g_free(self->order);
    self->order = colon ? g_strndup(value, (size_t)(colon - value)) : g_strdup(value);
    return true;
}

static bool set_parameter(SqliteSelect *self, const char *name, const char *value, GError **error)
{
    if (strcmp(name, "limit") == 0)
        return set_number(name, value, 1, &self->limit, error);
    if (strcmp(name, "offset") == 0)
        return set_number(name, value, 0, &self->offset, error);
    if (strcmp(name, "order") == 0)
        return set_order(self, value, error);
    if (strcmp(name, "where") == 0) {
        g_autofree char *trimmed = g_strstrip(g_strdup(value));
        if (!sqlite_check_where(trimmed, error))
            return false;
        g_free(self->where);
        self->where = *trimmed ? g_steal_pointer(&trimmed) : NULL;
        return true;
    }
    if (strcmp(name, "q") != 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Unsupported SQLite query parameter '%s'", name);
    g_free(self->query);
    self->query = g_strstrip(g_strdup(value));
    return *self->query ||
           fail_with(error, KEDGE_ERROR_USAGE, "SQLite query parameter 'q' cannot be empty");
}

static bool parse_parameters(const char *text, SqliteSelect *self, guint *ret_count, GError **error)
{
    // SQL of its own is the rest of the path: it holds what it holds
    if (str_has_prefix(text, "q=")) {
        g_autofree char *value = sqlite_select_decode(text + 2);
        *ret_count = 1;
        return set_parameter(self, "q", value, error);
    }
    g_auto(GStrv) parts = g_strsplit(text, "&", -1);
    *ret_count = 0;
    for (size_t i = 0; parts[i]; i++) {
        if (!*parts[i])
            continue;
        char *equals = strchr(parts[i], '=');
        g_autofree char *value = sqlite_select_decode(equals ? equals + 1 : "");
        if (equals)
            *equals = '\0';
        g_autofree char *name = sqlite_select_decode(parts[i]);
        if (!set_parameter(self, name, value, error))
            return false;
        *ret_count += 1;
    }
    return true;
}

static bool check_parts(SqliteSelect *self, bool has_table, guint parameters, GError **error)
{
    const char *problem = NULL;
    if (self->query && (has_table || parameters > 1))
        problem = "SQLite raw queries cannot be combined with table selectors or pagination";
    else if (has_table && !*self->table)
        problem = "SQLite selectors must include a table name";
    else if (parameters > 0 && !has_table && !self->query)
        problem = "SQLite query parameters require a table selector or q=SELECT...";
    else if (parameters > 0 && self->key)
        problem = "SQLite row lookups cannot be combined with query parameters";
    return !problem || fail_with(error, KEDGE_ERROR_USAGE, "%s", problem);
}

bool sqlite_select_parse(const char *rest, SqliteSelect *ret_select, GError **error)
{
    g_auto(SqliteSelect) select = { .limit = DEFAULT_LIMIT };
    const char *question = strchr(rest, '?');
    g_autofree char *path = question ? g_strndup(rest, (size_t)(question - rest)) : g_strdup(rest);
    bool has_table = *path == ':';
    if (has_table) {
        char *colon = strchr(path + 1, ':');
        if (colon && colon[1])
            select.key = g_strdup(colon + 1);
        if (colon)
            *colon = '\0';
        select.table = g_strdup(path + 1);
    }
    guint parameters = 0;
    if (question && !parse_parameters(question + 1, &select, &parameters, error))
        return false;
    if (!check_parts(&select, has_table, parameters, error))
        return false;
    select.limit = MIN(select.limit, MAX_LIMIT);
    select.kind = select.query      ? SQLITE_SELECT_QUERY
                  : !has_table      ? SQLITE_SELECT_TABLES
                  : select.key      ? SQLITE_SELECT_ROW
                  : parameters == 0 ? SQLITE_SELECT_TABLE
                                    : SQLITE_SELECT_PAGE;
    *ret_select = select;
    select = (SqliteSelect) { 0 };
    return true;
}
