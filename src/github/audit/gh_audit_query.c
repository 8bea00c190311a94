/*
 * The query goes through the files of the days in question, line by line, and keeps no more than
 * the lines that will be handed on.
 */
#include "github/audit/gh_audit_query.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/str.h"
#include "github/audit/gh_audit.h"

#include <fcntl.h>
#include <regex.h>

#define MS_PER_DAY G_GINT64_CONSTANT(86400000)
#define MAX_AMOUNT 100000 // of "N weeks ago"
#define MAX_ERROR  200

/* The items of a line after its time, in their order. */
typedef enum {
    ITEM_HOST,
    ITEM_REPO,
    ITEM_CLASS,
    ITEM_POLICY,
    ITEM_EXIT,
    ITEM_DURATION,
    ITEM_BYTES,
    ITEM_TOOL,
    ITEM_CMD,
    ITEM_REF,
    ITEM_KIND,
    ITEM_TRUNC,
    ITEM_VIA,
    ITEM_ID,
    ITEM_COUNT,
} Item;

static const char *const item_names[ITEM_COUNT] = {
    "host", "repo", "class", "policy", "exit",  "duration", "bytes",
    "tool", "cmd",  "ref",   "kind",   "trunc", "via",      "id",
};

typedef struct Parsed {
    char **words; // owns the texts
    int64_t at;
    const char *values[ITEM_COUNT];
} Parsed;

static void parsed_clear(Parsed *self)
{
    g_strfreev(self->words);
    *self = (Parsed) { 0 };
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parsed, parsed_clear)

typedef struct Query {
    const char *dir;
    const GhAuditFilter *filter;
    const regex_t *grep; // NULL: any line
    void (*on_match)(struct Query *self, const char *line, const Parsed *parsed);
    size_t skipped;
    GQueue lines;       // char *, the newest; of gh_audit_query()
    GHashTable *counts; // value → guint64 *; of gh_audit_count()
    Item field;
} Query;

static int64_t limit_of(const GhAuditFilter *filter)
{
    return filter->limit > 0 ? filter->limit : GH_AUDIT_DEFAULT_LIMIT;
}

static bool parse_line_time(const char *text, int64_t *ret_at)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_iso8601(text, NULL);
    if (!time)
        return false;
    *ret_at = g_date_time_to_unix(time) * 1000;
    return true;
}

static bool parse_line(const char *line, Parsed *ret_parsed)
{
    g_auto(Parsed) parsed = { .words = g_strsplit(line, " ", ITEM_COUNT + 2) };
    if (g_strv_length(parsed.words) != ITEM_COUNT + 1 ||
        !parse_line_time(parsed.words[0], &parsed.at))
        return false;
    for (size_t i = 0; i < ITEM_COUNT; i++) {
        const char *word = parsed.words[i + 1];
        size_t length = strlen(item_names[i]);
        if (strncmp(word, item_names[i], length) != 0 || word[length] != '=')
            return false;
        parsed.values[i] = word + length + 1;
    }
    *ret_parsed = parsed;
    parsed = (Parsed) { 0 };
    return true;
}

static bool gh_audit_query_fits(const char *wanted, const char *value)
{
    return wanted == NULL || strcmp(wanted, value) == 0;
}

static bool fits_start(const char *wanted, const char *value)
{
    if (!wanted || !g_str_has_suffix(wanted, "*"))
        return gh_audit_query_fits(wanted, value);
    return strncmp(wanted, value, strlen(wanted) - 1) == 0;
}

static bool is_match(const Query *self, const char *line, const Parsed *parsed)
{
    const GhAuditFilter *filter = self->filter;
    return parsed->at >= filter->since && (filter->until == 0 || parsed->at <= filter->until) &&
           fits_start(filter->host, parsed->values[ITEM_HOST]) &&
           fits_start(filter->repo, parsed->values[ITEM_REPO]) &&
           fits_start(filter->cmd, parsed->values[ITEM_CMD]) &&
           gh_audit_query_fits(filter->class_name, parsed->values[ITEM_CLASS]) &&
           gh_audit_query_fits(filter->policy, parsed->values[ITEM_POLICY]) &&
           gh_audit_query_fits(filter->kind, parsed->values[ITEM_KIND]) &&
           gh_audit_query_fits(filter->ref, parsed->values[ITEM_REF]) &&
           gh_audit_query_fits(filter->tool, parsed->values[ITEM_TOOL]) &&
           (self->grep == NULL || regexec(self->grep, line, 0, NULL, 0) == 0);
}

static void take_line(Query *self, const char *line)
{
    g_auto(Parsed) parsed = { 0 };
    if (!parse_line(line, &parsed))
        self->skipped++;
    else if (is_match(self, line, &parsed))
        self->on_match(self, line, &parsed);
}

static void read_file(Query *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->dir, name, NULL);
    struct stat info;
    int fd = file_open_regular(path, O_NOFOLLOW, &info);
    FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (!file) {
        fd_close(fd);
        return;
    }
    char line[GH_AUDIT_LINE_BYTES + 1];
    bool is_inside = false; // of a line that is too long
    while (fgets(line, sizeof line, file)) {
        char *end = strchr(line, '\n');
        bool was_inside = is_inside;
        is_inside = end == NULL && !feof(file);
        if (end)
            *end = '\0';
        if (is_inside && !was_inside)
            self->skipped++;
        else if (!is_inside && !was_inside)
            take_line(self, line);
    }
    fclose(file);
}

/* The files whose day can hold a match; a day more at either end, since the zone may have changed.
 */
static GPtrArray *find_files(const Query *self)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(self->dir, 0, NULL);
    if (!dir)
        return names;
    const GhAuditFilter *filter = self->filter;
    g_autofree char *first = gh_audit_date(filter->since - MS_PER_DAY);
    g_autofree char *last = filter->until > 0 ? gh_audit_date(filter->until + MS_PER_DAY) : NULL;
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *date = gh_audit_date_of_name(name);
        if (date && (filter->since <= 0 || strcmp(date, first) >= 0) &&
            (!last || strcmp(date, last) <= 0))
            g_ptr_array_add(names, g_strdup(name));
    }
    g_dir_close(dir);
    g_ptr_array_sort(names, str_compare);
    return names;
}

static void read_files(Query *self)
{
    g_autoptr(GPtrArray) names = find_files(self);
    for (guint i = 0; i < names->len; i++)
        read_file(self, names->pdata[i]);
}

/* Goes through the log with the filter's regular expression, if it has one. */
static bool query_run(Query *self, size_t *ret_skipped, GError **error)
{
    const char *pattern = self->filter->grep;
    regex_t grep;
    if (pattern) {
        int failed = regcomp(&grep, pattern, REG_EXTENDED | REG_NOSUB);
        if (failed != 0) {
            char text[MAX_ERROR];
            regerror(failed, &grep, text, sizeof text);
            return fail_with(error, KEDGE_ERROR_USAGE, "invalid regular expression \"%s\": %s",
                             pattern, text);
        }
        self->grep = &grep;
    }
    read_files(self);
    if (pattern)
        regfree(&grep);
    if (ret_skipped)
        *ret_skipped = self->skipped;
    return true;
}

static void keep_line(Query *self, const char *line, const Parsed *parsed G_GNUC_UNUSED)
{
    g_queue_push_tail(&self->lines, g_strdup(line));
    if (self->lines.length > (guint64)limit_of(self->filter))
        g_free(g_queue_pop_head(&self->lines));
}

bool gh_audit_query(const char *dir, const GhAuditFilter *filter, GhAuditFunc on_line,
                    void *user_data, size_t *ret_skipped, GError **error)
{
    Query query = { .dir = dir, .filter = filter, .on_match = keep_line };
    if (!query_run(&query, ret_skipped, error))
        return false;
    for (char *line; (line = g_queue_pop_head(&query.lines));) {
        on_line(line, user_data);
        g_free(line);
    }
    return true;
}

static void count_line(Query *self, const char *line G_GNUC_UNUSED, const Parsed *parsed)
{
    const char *value = parsed->values[self->field];
    guint64 *count = g_hash_table_lookup(self->counts, value);
    if (!count) {
        count = g_new0(guint64, 1);
        g_hash_table_insert(self->counts, g_strdup(value), count);
    }
    (*count)++;
}

static int compare_counts(const void *a, const void *b, void *counts)
{
    const char *left = *(const char *const *)a, *right = *(const char *const *)b;
    guint64 left_count = *(guint64 *)g_hash_table_lookup(counts, left);
    guint64 right_count = *(guint64 *)g_hash_table_lookup(counts, right);
    if (left_count != right_count)
        return left_count < right_count ? 1 : -1;
    return strcmp(left, right);
}

static bool find_item(const char *name, Item *ret_item)
{
    for (Item item = 0; item < ITEM_COUNT; item++) {
        if (strcmp(item_names[item], name) == 0) {
            *ret_item = item;
            return true;
        }
    }
    return false;
}

bool gh_audit_count(const char *dir, const GhAuditFilter *filter, const char *field,
                    GhAuditCountFunc on_count, void *user_data, size_t *ret_skipped, GError **error)
{
    Query query = { .dir = dir, .filter = filter, .on_match = count_line };
    if (!find_item(field, &query.field))
        return fail_with(error, KEDGE_ERROR_USAGE, "audit lines have no field \"%s\"", field);
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    query.counts = counts;
    if (!query_run(&query, ret_skipped, error))
        return false;

    guint length;
    g_autofree const char **values = (const char **)g_hash_table_get_keys_as_array(counts, &length);
    g_qsort_with_data(values, (int)length, sizeof *values, compare_counts, counts);
    for (guint i = 0; i < length && i < (guint64)limit_of(filter); i++)
        on_count(values[i], *(guint64 *)g_hash_table_lookup(counts, values[i]), user_data);
    return true;
}

static json_t *item_to_json(Item item, const char *value)
{
    if (strcmp(value, "-") == 0)
        return json_null();
    switch (item) {
    case ITEM_EXIT:
    case ITEM_DURATION: // "128ms"
    case ITEM_BYTES:
        return json_integer(g_ascii_strtoll(value, NULL, 10));
    case ITEM_TRUNC:
        return json_boolean(strcmp(value, "1") == 0);
    default:
        return json_text(value);
    }
}

json_t *gh_audit_line_to_json(const char *line)
{
    g_auto(Parsed) parsed = { 0 };
    if (!parse_line(line, &parsed))
        return NULL;
    json_t *object = json_make("time:%s", parsed.words[0]);
    for (Item item = 0; item < ITEM_COUNT; item++)
        json_set_take(object, item_names[item], item_to_json(item, parsed.values[item]));
    return object;
}

/* "90m", "2w". */
static bool parse_ago(const char *text, int64_t now, int64_t *ret_at)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {
        { 'm', 60 * 1000 },
        { 'h', 60 * 60 * 1000 },
        { 'd', MS_PER_DAY },
        { 'w', 7 * MS_PER_DAY },
    };
    size_t digits = strspn(text, "0123456789");
    g_autofree char *number = g_strndup(text, digits);
    int64_t amount;
    if (!str_parse_int(number, &amount) || amount > MAX_AMOUNT || strlen(text) != digits + 1)
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (units[i].unit == text[digits]) {
            *ret_at = now - amount * units[i].ms;
            return true;
        }
    }
    return false;
}

static bool parse_day(const char *text, bool is_end, int64_t *ret_at)
{
    g_autofree char *name = g_strconcat(text, ".log", NULL);
    g_autofree char *date = gh_audit_date_of_name(name);
    if (!date)
        return false;
    g_autoptr(GTimeZone) zone = g_time_zone_new_local();
    g_autofree char *midnight = g_strconcat(date, "T00:00:00", NULL);
    g_autoptr(GDateTime) start = g_date_time_new_from_iso8601(midnight, zone);
    g_autoptr(GDateTime) next = start != NULL ? g_date_time_add_days(start, 1) : NULL;
    if (!next)
        return false;
    *ret_at = is_end ? g_date_time_to_unix(next) * 1000 - 1 : g_date_time_to_unix(start) * 1000;
    return true;
}

bool gh_audit_parse_time(const char *text, int64_t now, bool is_end, int64_t *ret_at,
                         GError **error)
{
    if (parse_ago(text, now, ret_at) || parse_day(text, is_end, ret_at) ||
        parse_line_time(text, ret_at))
        return true;
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "invalid time \"%s\": use YYYY-MM-DD, an RFC 3339 time, or Nm, Nh, Nd, Nw",
                     text);
}
