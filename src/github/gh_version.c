/*
 * Asking gh for its version, once for each executable. What is kept is one small JSON file; a
 * script, or a program of another name that only stands in for gh, chooses its gh anew each time
 * and is asked once in a process.
 */
#include "github/gh_version.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh_process.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION_PREFIX "gh version "
#define NO_NUMBER      "DEV" // as a gh built from its sources calls itself
#define PART_DIGITS    6
#define SHOWN_CHARS    200 // of what gh says instead of its version
#define KEPT_FILE      "gh-version.json"
#define KEPT_BYTES     (16 * KIB)
#define NS_PER_S       (1000 * 1000 * 1000)

static const GhVersion newest = { { G_MAXUINT, G_MAXUINT, G_MAXUINT } };
static const GhVersion first_raw_flag = { { 2, 97, 0 } };

int gh_version_compare(GhVersion a, GhVersion b)
{
    for (size_t i = 0; i < G_N_ELEMENTS(a.part); i++) {
        if (a.part[i] != b.part[i])
            return a.part[i] < b.part[i] ? -1 : 1;
    }
    return 0;
}

bool gh_version_has_raw_flag(GhVersion version)
{
    return gh_version_compare(version, first_raw_flag) >= 0;
}

bool gh_version_parse(const char *text, GhVersion *ret_version)
{
    GhVersion version = { 0 };
    const char *at = text + strcspn(text, "0123456789");
    size_t count = 0;
    for (; count < G_N_ELEMENTS(version.part); count++) {
        size_t digits = strspn(at, "0123456789");
        if (digits == 0 || digits > PART_DIGITS)
            break;
        version.part[count] = (unsigned)g_ascii_strtoull(at, NULL, 10);
        at += digits;
        if (*at != '.') {
            count++;
            break;
        }
        at++;
    }
    if (count < 2)
        return false;
    *ret_version = version;
    return true;
}

// ---- what is kept ----

typedef struct Stamp { // what tells one executable from another
    int64_t device, inode, changed_ns, size;
} Stamp;

/* The last executable asked that is not to be kept in a file. */
static pthread_mutex_t memory_lock = PTHREAD_MUTEX_INITIALIZER;
static char *memory_path;
static Stamp memory_stamp;
static char *memory_text;

static Stamp stamp_of(const char *path)
{
    Stamp stamp = { 0 };
    struct stat info;
    if (stat(path, &info) == 0) {
        stamp.device = (int64_t)info.st_dev;
        stamp.inode = (int64_t)info.st_ino;
        stamp.changed_ns = (int64_t)info.st_mtim.tv_sec * NS_PER_S + info.st_mtim.tv_nsec;
        stamp.size = info.st_size;
    }
    return stamp;
}

static bool stamp_is_equal(const Stamp *a, const Stamp *b)
{
    return a->device == b->device && a->inode == b->inode && a->changed_ns == b->changed_ns &&
           a->size == b->size;
}

static bool is_gh_itself(const char *path)
{
    static const char magic[] = { 0x7f, 'E', 'L', 'F' };
    char head[sizeof magic];
    char *resolved = realpath(path, NULL);
    g_autofree char *name = resolved ? g_path_get_basename(resolved) : NULL;
    free(resolved);
    if (g_strcmp0(name, "gh") != 0)
        return false;
    struct stat info;
    int fd = file_open_regular(path, 0, &info);
    bool is_program =
        fd >= 0 && read(fd, head, sizeof head) == sizeof head && !memcmp(head, magic, sizeof head);
    if (fd >= 0)
        close(fd);
    return is_program;
}

static char *kept_path(void)
{
    g_autofree char *dir = dirs_cache();
    return g_build_filename(dir, KEPT_FILE, NULL);
}

/* NULL when nothing is kept of this one. Caller frees. */
static char *kept_get(const char *path, const Stamp *stamp)
{
    g_autofree char *file = kept_path();
    g_autofree char *data = NULL;
    g_autoptr(json_t) kept = NULL;
    GhVersion version;
    if (!file_read(file, KEPT_BYTES, &data, NULL, NULL) || !json_parse_text(data, &kept, NULL))
        return NULL;
    const Stamp kept_stamp = {
        .device = json_get_int(kept, "device", -1),
        .inode = json_get_int(kept, "inode", -1),
        .changed_ns = json_get_int(kept, "changedNs", -1),
        .size = json_get_int(kept, "size", -1),
    };
    const char *text = json_get_text(kept, "version");
    bool is_right = g_strcmp0(json_get_text(kept, "path"), path) == 0 &&
                    stamp_is_equal(&kept_stamp, stamp) && text &&
                    (gh_version_parse(text, &version) || strcmp(text, NO_NUMBER) == 0);
    return is_right ? g_strdup(text) : NULL;
}

/* A cache that cannot be written costs time only. The first directory of a person is not made for
   it: kedge doctor changes nothing. */
static void kept_put(const char *path, const Stamp *stamp, const char *text)
{
    g_autoptr(json_t) kept =
        json_make("path:%s device:%jd inode:%jd changedNs:%jd size:%jd version:%s", path,
                  stamp->device, stamp->inode, stamp->changed_ns, stamp->size, text);
    g_autofree char *data = json_to_text(kept);
    g_autofree char *root = dirs_config_root();
    g_autofree char *dir = dirs_cache();
    g_autofree char *file = kept_path();
    if (file_is_directory(root) && file_make_dirs(dir, 0700, NULL))
        file_write_volatile(file, data, strlen(data), 0600, NULL);
}

static char *memory_get(const char *path, const Stamp *stamp)
{
    pthread_mutex_lock(&memory_lock);
    bool is_same = g_strcmp0(memory_path, path) == 0 && stamp_is_equal(&memory_stamp, stamp);
    char *text = is_same ? g_strdup(memory_text) : NULL;
    pthread_mutex_unlock(&memory_lock);
    return text;
}

static void memory_put(const char *path, const Stamp *stamp, const char *text)
{
    pthread_mutex_lock(&memory_lock);
    g_free(memory_path);
    g_free(memory_text);
    memory_path = g_strdup(path);
    memory_text = g_strdup(text);
    memory_stamp = *stamp;
    pthread_mutex_unlock(&memory_lock);
}

// ---- asking ----

/* "2.92.0" of "gh version 2.92.0 (2026-05-01)"; what development builds say instead. */
static char *version_of_line(const char *output)
{
    bool is_usual = str_has_prefix(output, VERSION_PREFIX);
    const char *text = is_usual ? output + strlen(VERSION_PREFIX) : "";
    size_t length = strspn(text, "0123456789.");
    return length > 0 ? g_strndup(text, length) : g_strdup(NO_NUMBER);
}

/* gh's own words, or those of what could not start it: a missing library, a wrong architecture. */
static bool fail_asking(const ProcResult *result, GError **error)
{
    const char *said =
        result->error_output && *result->error_output ? result->error_output : result->output;
    g_autofree char *line = g_strndup(said ? said : "", strcspn(said ? said : "", "\r\n"));
    g_autofree char *shown = utf8_ellipsize(line, SHOWN_CHARS);
    return fail_with(error, KEDGE_ERROR_FAILED, "gh --version exits with status %d%s%s",
                     result->exit_status, *shown ? ": " : "", shown);
}

static bool ask_version(const char *path, Cancel *cancel, char **ret_text, GError **error)
{
    g_auto(ProcResult) result = { 0 };
    if (!gh_process_ask_version(path, cancel, &result, error))
        return false;
    if (result.exit_status != 0)
        return fail_asking(&result, error);
    *ret_text = version_of_line(result.output);
    return true;
}

bool gh_version_of(const char *path, Cancel *cancel, char **ret_text, GhVersion *ret_version,
                   GError **error)
{
    Stamp stamp = stamp_of(path);
    bool is_kept = is_gh_itself(path);
    g_autofree char *text = is_kept ? kept_get(path, &stamp) : memory_get(path, &stamp);
    if (!text) {
        if (!ask_version(path, cancel, &text, error))
            return false;
        (is_kept ? kept_put : memory_put)(path, &stamp, text);
    }
    GhVersion version;
    *ret_version = gh_version_parse(text, &version) ? version : newest;
    *ret_text = g_steal_pointer(&text);
    return true;
}
