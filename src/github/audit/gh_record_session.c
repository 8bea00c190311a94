/*
 * Reading the records out of a session file: a line that cannot be read is another's affair.
 */
#include "github/audit/gh_record_session.h"

#include "base/file.h"
#include "base/limits.h"
#include "github/audit/gh_audit.h"
#include "github/audit/gh_record.h"

#define MARK "\"classification\"" // no line without it has a record

/* The record that an entry holds: of the result of a call, or by itself. NULL: none. Borrowed. */
static json_t *record_of(const json_t *entry)
{
    bool is_custom = g_strcmp0(json_get_text(entry, "customType"), "gh-call") == 0;
    json_t *record = is_custom ? json_get_object(entry, "data")
                               : json_get_object(json_get_object(entry, "message"), "details");
    bool is_record = json_get_text(record, "tool") != NULL &&
                     json_get_text(record, "time") != NULL &&
                     json_object_get(record, "classification") != NULL;
    return is_record ? record : NULL;
}

bool gh_record_load_session(const char *path, json_t **ret_records, GError **error)
{
    g_autofree char *data = NULL;
    size_t size = 0;
    if (!file_read(path, LIMIT_SESSION_FILE_BYTES, &data, &size, error))
        return false;
    json_t *records = json_array();
    const char *end = data + size;
    while (end > data && json_array_size(records) < GH_RECORD_KEPT) { // from the last line up
        const char *line = end;
        while (line > data && line[-1] != '\n')
            line--;
        size_t length = (size_t)(end - line);
        end = line > data ? line - 1 : data;
        g_autoptr(json_t) entry = NULL;
        if (g_strstr_len(line, (gssize)length, MARK) && json_parse(line, length, &entry, NULL) &&
            record_of(entry))
            json_append_take(records, json_incref(record_of(entry)));
    }
    *ret_records = records;
    return true;
}

static bool is_newer(const json_t *a, const json_t *b)
{
    return g_strcmp0(json_get_text(a, "time"), json_get_text(b, "time")) >= 0;
}

json_t *gh_record_merge(const json_t *a, const json_t *b)
{
    json_t *merged = json_array();
    size_t i = 0, k = 0;
    while (i < json_array_size(a) || k < json_array_size(b)) {
        json_t *left = json_array_get(a, i), *right = json_array_get(b, k);
        bool is_left = right == NULL || (left != NULL && is_newer(left, right));
        json_append_take(merged, json_incref(is_left ? left : right));
        i += is_left;
        k += !is_left;
    }
    return merged;
}

bool gh_record_load_all(const char *session, json_t **ret_records, GError **error)
{
    g_autofree char *dir = gh_audit_dir();
    g_autoptr(json_t) inside = NULL;
    g_autoptr(json_t) outside = NULL;
    if (session && file_exists(session) && !gh_record_load_session(session, &inside, error))
        return false;
    if (!gh_record_load(dir, &outside, error))
        return false;
    json_t *records = gh_record_merge(inside, outside);
    while (json_array_size(records) > GH_RECORD_KEPT)
        json_array_remove(records, GH_RECORD_KEPT);
    *ret_records = records;
    return true;
}
