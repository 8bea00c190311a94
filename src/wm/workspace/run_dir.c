/*
 * The directory of a run (run_dir.h): where it is, what it is called, its meta.json, and which old
 * ones are removed.
 */
#include "wm/workspace/run_dir.h"

#include "base/env.h"
#include "base/file.h"
#include "base/file_draft.h"
#include "base/hidden.h"
#include "base/path.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "wm/workspace/run_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>

#define RUNS_DIR        ".wm/runs"
#define DIR_MODE        0700
#define MAX_SLUG_BYTES  ((size_t)48)
#define MAX_ID_TRIES    16
#define MAX_META_BYTES  ((size_t)64 * 1024)
#define MAX_FILE_BYTES  ((size_t)32 * 1024 * 1024) // of a JSON file that is read
#define MAX_ENTRIES     100000                     // of a directory of runs, that are looked at
#define MAX_AGE_SECONDS (7 * 24 * 60 * 60)

static void close_dir(DIR *dir)
{
    closedir(dir);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DIR, close_dir)

void wm_run_dir_clear(WmRunDir *self)
{
    g_clear_pointer(&self->id, g_free);
    g_clear_pointer(&self->path, g_free);
    g_clear_pointer(&self->task_name, g_free);
    g_clear_pointer(&self->event_name, g_free);
    g_clear_pointer(&self->started_at, g_free);
}

// ---- names ----

static bool is_slug_letter(gunichar letter)
{
    return letter < 128 ? g_ascii_isalnum((char)letter) : g_unichar_isalpha(letter);
}

char *wm_slug(const char *task_name)
{
    g_autofree char *valid = utf8_from_bytes(task_name, strlen(task_name));
    g_autoptr(GString) slug = g_string_new(NULL);
    bool is_gap = false; // a dash is due before the next letter
    for (const char *at = valid; *at; at = g_utf8_next_char(at)) {
        gunichar letter = g_utf8_get_char(at);
        if (letter == '-' || letter == '_' || g_unichar_isspace(letter)) {
            is_gap = slug->len > 0;
        } else if (is_slug_letter(letter)) {
            if (is_gap)
                g_string_append_c(slug, '-');
            is_gap = false;
            g_string_append_unichar(slug, letter < 128 ? (gunichar)g_ascii_tolower((char)letter)
                                                       : letter);
        }
    }
    g_string_truncate(slug, utf8_boundary_before(slug->str, slug->len, MAX_SLUG_BYTES));
    while (slug->len > 0 && slug->str[slug->len - 1] == '-')
        g_string_truncate(slug, slug->len - 1);
    return g_strdup(slug->len > 0 ? slug->str : "task");
}

/* 12.052, 3.004, 0: seconds, without zeros at the end. */
static void append_seconds(GString *out, int64_t milliseconds)
{
    g_string_append_printf(out, "%" G_GINT64_FORMAT, milliseconds / 1000);
    if (milliseconds % 1000 != 0) {
        g_string_append_printf(out, ".%03d", (int)(milliseconds % 1000));
        while (out->str[out->len - 1] == '0')
            g_string_truncate(out, out->len - 1);
    }
    g_string_append_c(out, 's');
}

char *wm_duration_text(int64_t milliseconds)
{
    milliseconds = MAX(milliseconds, 0);
    if (milliseconds > 0 && milliseconds < 1000)
        return g_strdup_printf("%" G_GINT64_FORMAT "ms", milliseconds);
    GString *out = g_string_new(NULL);
    int64_t minutes = milliseconds / 60000;
    if (minutes >= 60)
        g_string_append_printf(out, "%" G_GINT64_FORMAT "h", minutes / 60);
    if (minutes > 0)
        g_string_append_printf(out, "%" G_GINT64_FORMAT "m", minutes % 60);
    append_seconds(out, milliseconds % 60000);
    return g_string_free(out, FALSE);
}

// ---- files ----

bool wm_run_dir_write_json(const WmRunDir *self, const char *name, const json_t *value,
                           GError **error)
{
    g_autofree char *text = json_to_pretty(value);
    g_autofree char *escaped = run_file_escape(text);
    g_autofree char *line = g_strconcat(escaped, "\n", NULL);
    return run_file_write(self->path, name, line, strlen(line), error);
}

static bool read_json(const char *path, const char *name, size_t max_bytes, json_t **ret_value,
                      GError **error)
{
    g_autofree char *text = NULL;
    size_t size = 0;
    if (!run_file_read(path, name, max_bytes, &text, &size, error))
        return false;
    return json_parse(text, size, ret_value, error);
}

bool wm_run_dir_read_json(const WmRunDir *self, const char *name, json_t **ret_value,
                          GError **error)
{
    return read_json(self->path, name, MAX_FILE_BYTES, ret_value, error);
}

bool wm_run_dir_set_phase(const WmRunDir *self, const char *phase, bool is_success, GError **error)
{
    g_autoptr(json_t) meta = json_object();
    json_set_text(meta, "run_id", self->id);
    json_set_text(meta, "task_name", self->task_name);
    json_set_text(meta, "event_name", self->event_name);
    json_set_text(meta, "started_at", self->started_at);
    json_set_text(meta, "phase", phase);
    json_set_bool(meta, "success", is_success);
    return wm_run_dir_write_json(self, "meta.json", meta, error);
}

// ---- old ones ----

/* The meta.json of a directory that is one of a run: it says its own name. NULL: it is none. */
static json_t *read_meta(const char *path, const char *id)
{
    json_t *meta = NULL;
    if (!read_json(path, "meta.json", MAX_META_BYTES, &meta, NULL))
        return NULL;
    if (g_strcmp0(json_get_text(meta, "run_id"), id) == 0)
        return meta;
    json_decref(meta);
    return NULL;
}

static void prune_entry(const char *path, const char *id, time_t now)
{
    struct stat info;
    if (lstat(path, &info) < 0 || !S_ISDIR(info.st_mode) || now - info.st_mtime <= MAX_AGE_SECONDS)
        return;
    g_autoptr(json_t) meta = read_meta(path, id);
    if (meta)
        file_remove_tree(path, NULL);
}

/* Errors are not reported: the next run tries again. */
static void run_dir_prune(const char *base)
{
    g_autoptr(DIR) dir = opendir(base);
    time_t now = (time_t)(time_now_ms() / 1000);
    for (int i = 0; dir && i < MAX_ENTRIES; i++) {
        const struct dirent *entry = readdir(dir);
        if (!entry)
            return;
        if (entry->d_name[0] == '.')
            continue;
        g_autofree char *path = g_build_filename(base, entry->d_name, NULL);
        prune_entry(path, entry->d_name, now);
    }
}

// ---- where it is ----

/* A directory that is inside of `real_root` whatever links are on the way; made if absent. */
static bool make_inside(const char *real_root, const char *path, GError **error)
{
    if (mkdir(path, DIR_MODE) < 0 && errno != EEXIST)
        return fail_with_errno(error, errno, "cannot make directory %s", path);
    g_autofree char *real = path_real(path);
    if (!real)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s is a link that leads nowhere", path);
    if (!path_is_inside(real, real_root))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s leads out of the repository, to %s: nothing is written there", path,
                         real);
    if (!file_is_directory(real))
        return fail_with(error, KEDGE_ERROR_IO, "%s is not a directory", path);
    return true;
}

/* Runs are never committed, or the next run would find the work tree changed and an agent could
   commit its own prompt. The directory says so itself: what init's .wm/.gitignore says is gone as
   soon as an agent checks out a commit that is older. */
static void keep_out_of_git(const char *base)
{
    g_autofree char *own = g_build_filename(base, ".gitignore", NULL);
    g_auto(FileDraft) draft = FILE_DRAFT_INIT(own);
    // it appears with its content: another run may ask for changes at this moment
    if (!file_exists(own) && file_draft_open(&draft, O_WRONLY, 0600) &&
        fd_write_all(draft.fd, "*\n", 2, own, NULL))
        file_draft_claim(&draft);
}

static bool make_base(const char *root, char **ret_base, GError **error)
{
    g_autofree char *real_root = path_real(root);
    if (!real_root)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "no directory %s", root);
    g_autofree char *above = g_build_filename(real_root, ".wm", NULL);
    g_autofree char *base = g_build_filename(real_root, RUNS_DIR, NULL);
    const char *given = env_get_raw("WM_RUN_DIR");
    if (!given) {
        if (!make_inside(real_root, above, error) || !make_inside(real_root, base, error))
            return false;
        keep_out_of_git(base);
        run_dir_prune(base);
        *ret_base = g_build_filename(root, RUNS_DIR, NULL);
        return true;
    }
    g_autofree char *here = g_get_current_dir(), *wanted = path_absolute(given, here);
    if (!file_make_dirs(wanted, DIR_MODE, error))
        return false;
    g_autofree char *real_base = path_real(base);
    if (real_base && path_is_inside(real_base, real_root))
        run_dir_prune(base);
    g_autofree char *real_wanted = path_real(wanted);
    if (real_wanted && path_is_inside(real_wanted, real_root))
        keep_out_of_git(wanted);
    run_dir_prune(wanted);
    *ret_base = g_steal_pointer(&wanted);
    return true;
}

static char *make_id(const char *task_name, gint64 now_ms)
{
    uint32_t unique = 0;
    if (getrandom(&unique, sizeof unique, 0) != (ssize_t)sizeof unique)
        unique = g_random_int();
    g_autofree char *slug = wm_slug(task_name);
    struct tm at;
    if (!time_to_utc((time_t)(now_ms / 1000), &at))
        memset(&at, 0, sizeof at);
    return g_strdup_printf("%s-%04d%02d%02dT%02d%02d%02d-%08x", slug, at.tm_year + 1900,
                           at.tm_mon + 1, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec, unique);
}

/* Makes a directory that no other run has. */
static bool make_own(const char *base, const char *task_name, gint64 now_ms, WmRunDir *ret_dir,
                     GError **error)
{
    for (int i = 0; i < MAX_ID_TRIES; i++) {
        g_autofree char *id = make_id(task_name, now_ms);
        g_autofree char *path = g_build_filename(base, id, NULL);
        if (mkdir(path, DIR_MODE) == 0) {
            ret_dir->id = g_steal_pointer(&id);
            ret_dir->path = g_steal_pointer(&path);
            return true;
        }
        if (errno != EEXIST)
            return fail_with_errno(error, errno, "cannot make directory %s", path);
    }
    return fail_with(error, KEDGE_ERROR_IO, "cannot make a directory for the run in %s", base);
}

bool wm_run_dir_make(const char *root, const char *task_name, const WmEvent *event,
                     WmRunDir *ret_dir, GError **error)
{
    g_autofree char *base = NULL;
    gint64 now_ms = time_now_ms();
    g_auto(WmRunDir) dir = { 0 };
    if (!make_base(root, &base, error) || !make_own(base, task_name, now_ms, &dir, error))
        return false;
    dir.task_name = g_strdup(task_name);
    dir.event_name = g_strdup(event->name);
    dir.started_at = time_format_iso_seconds(now_ms);
    HiddenCount hidden = { 0 };
    g_autoptr(json_t) seen = hidden_remove_json(event->payload, &hidden); // the agent reads it
    // compact: indentation would make a nested payload many times larger
    g_autofree char *payload = json_to_text(seen);
    if (!wm_run_dir_set_phase(&dir, "activation", false, error) ||
        !run_file_write(dir.path, "event.json", payload, strlen(payload), error)) {
        file_remove_tree(dir.path, NULL); // nothing has happened in it
        return false;
    }
    *ret_dir = dir;
    memset(&dir, 0, sizeof dir);
    return true;
}

// ---- those that are there ----

bool wm_run_dir_open(const char *path, WmRunDir *ret_dir, GError **error)
{
    g_autoptr(json_t) meta = NULL;
    g_autofree char *text = NULL;
    size_t size = 0;
    if (!run_file_read(path, "meta.json", MAX_META_BYTES, &text, &size, error)) {
        g_prefix_error(error, "read meta.json: ");
        return false;
    }
    if (!json_parse(text, size, &meta, error)) {
        g_prefix_error(error, "parse meta.json: ");
        return false;
    }
    if (!json_is_object(meta))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "parse meta.json: no object");
    const char *task = json_get_text(meta, "task_name");
    const char *event = json_get_text(meta, "event_name");
    const char *started = json_get_text(meta, "started_at");
    ret_dir->id = g_path_get_basename(path); // whatever it calls itself
    ret_dir->path = g_strdup(path);
    ret_dir->task_name = g_strdup(task ? task : "");
    ret_dir->event_name = g_strdup(event ? event : "");
    ret_dir->started_at = g_strdup(started ? started : "");
    return true;
}

bool wm_run_dir_lock(const WmRunDir *self, Fd *ret_lock, GError **error)
{
    g_auto(Fd) fd = open(self->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot open %s", self->path);
    if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s: another process applies the outputs of this run", self->path);
    *ret_lock = fd_steal(&fd); // without locks on this file system it goes on
    return true;
}

typedef struct Newest {
    char *path;
    struct timespec at;
} Newest;

/* Later; of two that are as late the one whose name is greater, so that the order of reading does
   not matter. */
static bool is_newer(const Newest *best, const struct stat *meta, const char *path)
{
    if (!best->path || meta->st_mtim.tv_sec != best->at.tv_sec)
        return !best->path || meta->st_mtim.tv_sec > best->at.tv_sec;
    if (meta->st_mtim.tv_nsec != best->at.tv_nsec)
        return meta->st_mtim.tv_nsec > best->at.tv_nsec;
    return strcmp(path, best->path) > 0;
}

static void newest_consider(Newest *best, const char *path, const char *task_name)
{
    struct stat info, meta_info;
    g_autofree char *meta_path = g_build_filename(path, "meta.json", NULL);
    if (lstat(path, &info) < 0 || !S_ISDIR(info.st_mode) || lstat(meta_path, &meta_info) < 0 ||
        !is_newer(best, &meta_info, path))
        return;
    g_autoptr(json_t) meta = NULL;
    if (!read_json(path, "meta.json", MAX_META_BYTES, &meta, NULL) ||
        g_strcmp0(json_get_text(meta, "task_name"), task_name) != 0)
        return;
    g_free(best->path);
    best->path = g_strdup(path);
    best->at = meta_info.st_mtim;
}

bool wm_run_dir_newest(const char *root, const char *task_name, char **ret_path, GError **error)
{
    g_autofree char *base = g_build_filename(root, RUNS_DIR, NULL);
    g_autofree char *real_root = path_real(root), *real = path_real(base);
    if (!real_root || !real || !file_is_directory(real))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "find run dir: missing %s", base);
    if (!path_is_inside(real, real_root))
        return fail_with(error, KEDGE_ERROR_DENIED, "find run dir: %s leads out of the repository",
                         base);
    Newest best = { 0 };
    g_autoptr(DIR) dir = opendir(base);
    const struct dirent *entry = NULL;
    for (int i = 0; dir && i < MAX_ENTRIES && (entry = readdir(dir)); i++) {
        g_autofree char *path = g_build_filename(base, entry->d_name, NULL);
        if (entry->d_name[0] != '.')
            newest_consider(&best, path, task_name);
    }
    if (!best.path)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "find run dir: no run for task \"%s\" under %s", task_name, base);
    *ret_path = best.path;
    return true;
}
