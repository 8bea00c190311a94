/*
 * Finding gh, and asking it once for its version.
 */
#include "github/safe/gh_program.h"

#include "base/utf8.h"
#include "github/classify/gh_kind.h"
#include "github/gh_env.h"
#include "github/gh_process.h"
#include "tool/settings_keys.h"

#include <pthread.h>
#include <sys/stat.h>

#define VERSION_PREFIX "gh version "
#define NO_NUMBER      "DEV" // as a gh built from its sources calls itself
#define PART_DIGITS    6
#define SHOWN_CHARS    200 // of what gh says instead of its version

static const GhVersion newest = { { G_MAXUINT, G_MAXUINT, G_MAXUINT } };

typedef struct Stamp { // what tells one executable from another
    dev_t device;
    ino_t inode;
    struct timespec changed;
    off_t size;
} Stamp;

/* The executable asked last. One is enough: a process seldom sees two. */
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static char *cached_path;
static Stamp cached_stamp;
static char *cached_text;

int gh_version_compare(GhVersion a, GhVersion b)
{
    for (size_t i = 0; i < G_N_ELEMENTS(a.part); i++) {
        if (a.part[i] != b.part[i])
            return a.part[i] < b.part[i] ? -1 : 1;
    }
    return 0;
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

void gh_program_clear(GhProgram *self)
{
    g_free(self->path);
    g_free(self->version_text);
    *self = (GhProgram) { 0 };
}

static Stamp stamp_of(const char *path)
{
    Stamp stamp;
    memset(&stamp, 0, sizeof stamp); // compared as bytes
    struct stat info;
    if (stat(path, &info) == 0) {
        stamp.device = info.st_dev;
        stamp.inode = info.st_ino;
        stamp.changed = info.st_mtim;
        stamp.size = info.st_size;
    }
    return stamp;
}

static char *cache_get(const char *path, const Stamp *stamp)
{
    pthread_mutex_lock(&cache_lock);
    bool is_same =
        g_strcmp0(cached_path, path) == 0 && memcmp(&cached_stamp, stamp, sizeof *stamp) == 0;
    char *text = is_same ? g_strdup(cached_text) : NULL;
    pthread_mutex_unlock(&cache_lock);
    return text;
}

static void cache_put(const char *path, const Stamp *stamp, const char *text)
{
    pthread_mutex_lock(&cache_lock);
    g_free(cached_path);
    g_free(cached_text);
    cached_path = g_strdup(path);
    cached_text = g_strdup(text);
    cached_stamp = *stamp;
    pthread_mutex_unlock(&cache_lock);
}

char *gh_program_minimum(const Settings *settings)
{
    static const char key[] = "gh.minVersion";
    g_autoptr(json_t) fallback = NULL;
    json_parse_text(setting_key_find(key)->default_json, &fallback, NULL);
    const char *own = json_string_value(settings_user_json(settings, key));
    const char *project = json_string_value(settings_project_json(settings, key));
    GhVersion least, raised;
    if (!own || !gh_version_parse(own, &least)) {
        own = json_string_value(fallback);
        gh_version_parse(own, &least);
    }
    if (!project || !gh_version_parse(project, &raised) || gh_version_compare(raised, least) < 0)
        return g_strdup(own);
    return g_strdup(project);
}

/* "2.92.0" of "gh version 2.92.0 (2026-05-01)"; what development builds say instead. */
static char *version_of_line(const char *output)
{
    bool is_usual = g_str_has_prefix(output, VERSION_PREFIX);
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

static bool find_version(const char *path, Cancel *cancel, char **ret_text, GError **error)
{
    Stamp stamp = stamp_of(path);
    *ret_text = cache_get(path, &stamp);
    if (*ret_text)
        return true;
    if (!ask_version(path, cancel, ret_text, error))
        return false;
    cache_put(path, &stamp, *ret_text);
    return true;
}

bool gh_program_find(const Settings *settings, const char *cwd, const char *workspace,
                     Cancel *cancel, GhProgram *ret_program, GError **error)
{
    g_auto(GhProgram) program = { .path = gh_env_find_executable(settings, cwd, workspace) };
    if (!program.path) {
        const GhFacts facts = { .executable = settings_get_text(settings, "gh.executable") };
        return fail_with_kind(error, GH_KIND_NO_EXECUTABLE, &facts);
    }

    g_autofree char *minimum = gh_program_minimum(settings);
    GhFacts facts = { .minimum = minimum };
    g_autoptr(GError) failed = NULL;
    if (!find_version(program.path, cancel, &program.version_text, &failed)) {
        if (!error_is(failed, KEDGE_ERROR_CANCELLED)) {
            facts.reason = failed->message;
            return fail_with_kind(error, GH_KIND_VERSION, &facts);
        }
        return pass_error(error, &failed);
    }
    GhVersion least;
    if (!gh_version_parse(program.version_text, &program.version))
        program.version = newest;
    if (gh_version_parse(minimum, &least) && gh_version_compare(program.version, least) < 0) {
        facts.version = program.version_text;
        return fail_with_kind(error, GH_KIND_VERSION, &facts);
    }
    *ret_program = program;
    program = (GhProgram) { 0 };
    return true;
}
