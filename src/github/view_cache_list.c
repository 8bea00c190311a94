/*
 * What a person does with the cache: list it, remove it.
 */
#include "github/view_cache.h"

#include "base/file.h"

#include <errno.h>
#include <unistd.h>

static void listing_free(void *data)
{
    ViewListing *self = data;
    g_free(self->repo);
    g_free(self->kind);
    g_free(self->source_url);
    g_free(self);
}

static ViewListing *read_listing(DbQuery *query)
{
    ViewListing *row = g_new0(ViewListing, 1);
    row->repo = g_strdup(db_query_text(query, 0));
    row->kind = g_strdup(db_query_text(query, 1));
    row->number = db_query_int(query, 2);
    row->comments = db_query_int(query, 3);
    row->fetched_at = db_query_int(query, 4);
    row->bytes = db_query_int(query, 5);
    row->source_url = g_strdup(db_query_text(query, 6));
    return row;
}

bool view_cache_list(Cancel *cancel, GPtrArray **ret_list, GError **error)
{
    g_autofree char *path = view_cache_path();
    g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(listing_free);
    if (!file_exists(path)) {
        *ret_list = g_steal_pointer(&list);
        return true;
    }
    g_autoptr(Db) db = NULL;
    g_autoptr(DbQuery) query = NULL;
    if (!view_cache_open(path, cancel, &db, error) ||
        !db_query(db, &query, error,
                  "SELECT repo, kind, number, include_comments, fetched_at, "
                  "length(CAST(payload AS BLOB)) + length(CAST(rendered AS BLOB)), source_url "
                  "FROM github_view_cache ORDER BY fetched_at DESC",
                  ""))
        return false;
    bool is_good = true;
    while (db_query_more(query, &is_good, error))
        g_ptr_array_add(list, read_listing(query));
    if (!is_good)
        return false;
    *ret_list = g_steal_pointer(&list);
    return true;
}

static bool empty_tables(const char *path, Cancel *cancel, GError **error)
{
    g_autoptr(Db) db = NULL;
    return view_cache_open(path, cancel, &db, error) &&
           db_exec(db, "DELETE FROM github_view_cache; DELETE FROM github_view_login; VACUUM",
                   error);
}

static bool remove_files(const char *path, GError **error)
{
    static const char *const endings[] = { "", "-wal", "-shm", ".lock" };
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        g_autofree char *name = g_strconcat(path, endings[i], NULL);
        if (unlink(name) != 0 && errno != ENOENT)
            return fail_with_errno(error, errno, "%s: cannot remove the cache", name);
    }
    return true;
}

bool view_cache_clear(Cancel *cancel, GError **error)
{
    g_autofree char *path = view_cache_path();
    g_autoptr(GError) problem = NULL;
    if (!file_exists(path) || empty_tables(path, cancel, &problem))
        return true;
    if (error_is(problem, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &problem);
    return remove_files(path, error); // broken, or of a newer kedge: that is what it is asked for
}
