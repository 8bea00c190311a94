/*
 * The numbered output files beside a session. The directory itself is the record of which ids are
 * taken: it is scanned once, when the first id is wanted, and the counter goes on from there.
 */
#include "session/artifacts.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>

#define ARTIFACT_LISTED_MAX 100 // ids named in the "not found" text

struct Artifacts {
    char *dir;
    pthread_mutex_t lock; // guards what follows
    bool is_scanned;
    int64_t next_id;
};

Artifacts *artifacts_new(const char *dir)
{
    Artifacts *self = g_new0(Artifacts, 1);
    self->dir = g_strdup(dir);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void artifacts_free(Artifacts *self)
{
    if (!self)
        return;
    pthread_mutex_destroy(&self->lock);
    g_free(self->dir);
    g_free(self);
}

const char *artifacts_dir(const Artifacts *self)
{
    return self->dir;
}

/* The id of a file `<id>.<anything>.log`, or -1. */
static int64_t artifact_id_of_name(const char *name)
{
    const char *dot = strchr(name, '.');
    if (!dot || dot == name || !g_str_has_suffix(dot + 1, ".log"))
        return -1;
    for (const char *p = name; p < dot; p++)
        if (!g_ascii_isdigit(*p))
            return -1;

    g_autofree char *digits = g_strndup(name, (size_t)(dot - name));
    int64_t id = 0;
    return str_parse_int(digits, &id) && id < INT64_MAX ? id : -1;
}

/* Calls are rare and the directory small, so every lookup reads it again: other agents write there
 * too. */
static GArray *artifacts_list(const char *dir_path)
{
    GArray *ids = g_array_new(FALSE, FALSE, sizeof(int64_t));
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    if (!dir)
        return ids;

    const char *name;
    while ((name = g_dir_read_name(dir))) {
        int64_t id = artifact_id_of_name(name);
        if (id >= 0)
            g_array_append_val(ids, id);
    }
    return ids;
}

static int64_t artifacts_take_id(Artifacts *self)
{
    HOLD_LOCK(&self->lock);
    if (!self->is_scanned) {
        g_autoptr(GArray) ids = artifacts_list(self->dir);
        for (guint i = 0; i < ids->len; i++)
            self->next_id = MAX(self->next_id, g_array_index(ids, int64_t, i) + 1);
        self->is_scanned = true;
    }
    return self->next_id++;
}

bool artifacts_allocate(Artifacts *self, const char *tool, char **ret_path, char **ret_id,
                        GError **error)
{
    if (!file_make_dirs(self->dir, 0700, error))
        return false;

    int64_t id = artifacts_take_id(self);
    g_autofree char *tool_name = g_strdup(str_is_empty(tool) ? "tool" : tool);
    g_strcanon(tool_name, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_-", '_');
    *ret_path = g_strdup_printf("%s/%" G_GINT64_FORMAT ".%s.log", self->dir, id, tool_name);
    *ret_id = g_strdup_printf("%" G_GINT64_FORMAT, id);
    return true;
}

bool artifacts_save(Artifacts *self, const char *tool, const char *data, size_t size, char **ret_id,
                    GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *id = NULL;
    if (!artifacts_allocate(self, tool, &path, &id, error))
        return false;

    g_auto(Fd) fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot create %s", path);
    if (!fd_write_all(fd, data, size, path, error)) {
        unlink(path);
        return false;
    }
    *ret_id = g_steal_pointer(&id);
    return true;
}

static int compare_ids(gconstpointer a, gconstpointer b)
{
    int64_t left = *(const int64_t *)a;
    int64_t right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static char *artifacts_available_text(const char *dir_path)
{
    g_autoptr(GArray) ids = artifacts_list(dir_path);
    if (ids->len == 0)
        return g_strdup("none");

    g_array_sort(ids, compare_ids);
    GString *text = g_string_new(NULL);
    guint first = ids->len > ARTIFACT_LISTED_MAX ? ids->len - ARTIFACT_LISTED_MAX : 0;
    if (first > 0)
        g_string_append(text, "…, ");
    for (guint i = first; i < ids->len; i++)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i > first ? ", " : "",
                               g_array_index(ids, int64_t, i));
    return g_string_free(text, FALSE);
}

/* The path of the file whose name starts with `<id>.`, or NULL. */
static char *artifacts_path_of_id(const char *dir_path, int64_t id)
{
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    if (!dir)
        return NULL;

    const char *name;
    while ((name = g_dir_read_name(dir)))
        if (artifact_id_of_name(name) == id)
            return g_build_filename(dir_path, name, NULL);
    return NULL;
}

bool artifacts_find(Artifacts *self, const char *id, char **ret_path, GError **error)
{
    if (str_is_empty(id))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "artifact:// URL requires a numeric ID: artifact://0");
    int64_t number = 0;
    if (!g_ascii_isdigit(id[0]) || !str_parse_int(id, &number))
        return fail_with(error, KEDGE_ERROR_USAGE, "artifact:// ID must be numeric, got: %s", id);
    if (!self)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "No session - artifacts unavailable");

    char *path = artifacts_path_of_id(self->dir, number);
    if (!path) {
        g_autofree char *available = artifacts_available_text(self->dir);
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Artifact %s not found. Available: %s", id,
                         available);
    }
    *ret_path = path;
    return true;
}
