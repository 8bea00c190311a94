/* See repo_record.h. */
#include "agent/repo_record.h"

#include "session/session_tree.h"

#define CUSTOM_TYPE "kedge.reads"

/* What an entry says was read; NULL: it is another one. Borrowed. */
static const json_t *read_in(const json_t *entry)
{
    if (g_strcmp0(json_get_text(entry, "customType"), CUSTOM_TYPE) != 0)
        return NULL;
    return json_get_array(json_get_object(entry, "data"), "repositories");
}

static void add_path(const Session *session, RepoReads *reads)
{
    g_autoptr(GPtrArray) entries = session_path_of_type(session, "custom");
    for (guint i = 0; i < entries->len; i++) {
        size_t j;
        json_t *name;
        json_array_foreach (read_in(entries->pdata[i]), j, name) {
            if (json_is_string(name))
                repo_reads_add_name(reads, json_string_value(name));
        }
    }
}

void repo_record_restore(const Session *session, RepoReads *reads)
{
    repo_reads_clear(reads);
    add_path(session, reads);
}

void repo_record_append(Session *session, RepoReads *reads)
{
    g_auto(GStrv) names = repo_reads_names(reads);
    g_autoptr(RepoReads) there = repo_reads_new(NULL);
    add_path(session, there);
    g_auto(GStrv) noted = repo_reads_names(there);
    g_autoptr(json_t) list = json_array();
    for (char **name = names; *name; name++) {
        if (!g_strv_contains((const char *const *)noted, *name))
            json_append_take(list, json_text(*name));
    }
    if (json_array_size(list) == 0)
        return;
    json_t *fields =
        json_pack("{s:s, s:{s:O}}", "customType", CUSTOM_TYPE, "data", "repositories", list);
    session_append_fields(session, "custom", fields);
}
