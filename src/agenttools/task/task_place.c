/*
 * Which store a call of the queue works on (task_place.h).
 */
#include "agenttools/task/task_place.h"

#include "agenttools/state.h"
#include "base/env.h"
#include "base/path.h"
#include "base/str.h"

void task_place_clear(TaskPlace *self)
{
    g_clear_pointer(&self->path, g_free);
    g_clear_pointer(&self->url, g_free);
}

const char *task_place_key(const TaskPlace *self)
{
    return self->path ? self->path : self->url;
}

/* "host", "host:5432", "[::1]:5432": a port that is no number is more likely a password. */
static bool is_host(const char *text)
{
    const char *bracket = strrchr(text, ']');
    const char *colon = strchr(bracket ? bracket : text, ':');
    return !strchr(text, '@') && (!colon || colon[1 + strspn(colon + 1, "0123456789")] == '\0');
}

char *task_place_show_url(const char *url)
{
    const char *start = strstr(url, "://");
    g_autofree char *scheme = g_strndup(url, start ? (size_t)(start - url) : 0);
    start = start ? start + strlen("://") : url;
    // the user ends at the last @ of the part before the first slash
    g_autofree char *authority = g_strndup(start, strcspn(start, "/?#"));
    const char *at = strrchr(authority, '@');
    const char *hosts = at ? at + 1 : authority;
    const char *rest = start + strlen(authority);
    g_auto(GStrv) list = g_strsplit(hosts, ",", -1);
    bool is_odd = strchr(rest, '@') != NULL; // then the password may have held a slash
    for (char **host = list; *host; host++)
        is_odd |= !is_host(*host);
    g_autofree char *database = g_strndup(rest, strcspn(rest, "?#"));
    return is_odd ? g_strdup_printf("%s://…", scheme)
                  : g_strdup_printf("%s://%s%s", scheme, hosts, database);
}

/* Opening a store makes files and goes to servers: what a model says does not choose it. */
static bool check_door(const OperationCall *call, GError **error)
{
    if (strcmp(tool_call_via(call->tool_call), "cli") == 0)
        return true;
    return answer_error(error, ANSWER_PERMISSION,
                        answer_hint("Set KEDGE_TASK_DB or agentTools.taskDb where kedge starts"),
                        "The store can be chosen on the command line only");
}

static bool fail_form(GError **error)
{
    return answer_error_field(error, "db",
                              "Validation failed: db must be a path, sqlite:/absolute/path or "
                              "postgres://host/database");
}

static bool is_postgres(const char *text)
{
    return str_has_prefix(text, "postgres://") || str_has_prefix(text, "postgresql://");
}

bool task_place_find(const OperationCall *call, const char *db, TaskPlace *ret_place,
                     GError **error)
{
    if (db && !check_door(call, error))
        return false;
    if (!db)
        db = env_get_raw("KEDGE_TASK_DB");
    if (!db)
        db = settings_get_text(call->settings, "agentTools.taskDb");
    if (!db) {
        g_autofree char *path = state_path();
        ret_place->path = path_absolute(path, call->cwd);
        return true;
    }
    ret_place->is_named = true;
    if (is_postgres(db)) {
        ret_place->url = g_strdup(db);
        return true;
    }
    bool is_url = str_has_prefix(db, "sqlite:");
    const char *path = is_url ? db + strlen("sqlite:") : db;
    if (is_url ? *path != '/' : *path == '\0' || strstr(path, "://"))
        return fail_form(error);
    g_autofree char *expanded = path_expand_home(path);
    ret_place->path = path_absolute(expanded, call->cwd);
    return true;
}

bool task_place_look(const TaskPlace *self, bool *ret_is_there, GError **error)
{
    *ret_is_there = !self->path || g_file_test(self->path, G_FILE_TEST_EXISTS);
    if (*ret_is_there || !self->is_named)
        return true;
    g_autofree char *folder = g_path_get_dirname(self->path);
    if (g_file_test(folder, G_FILE_TEST_IS_DIR))
        return true;
    return answer_error(error, ANSWER_NOT_FOUND, NULL,
                        "The directory of the task store does not exist: %s", folder);
}
