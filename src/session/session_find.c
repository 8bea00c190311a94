/*
 * Session directories, lookup by recency and by id, and the breadcrumb that remembers which session
 * a terminal was in.
 */
#include "session/session_find.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "session/session_load.h"

#include <sys/stat.h>

#define BREADCRUMB_MAX_BYTES (64 * 1024)
#define CANDIDATES_SHOWN     20

/* Links resolved where possible: the same directory always gets the same name. */
static char *real_or_same(const char *path)
{
    char *real = path_real(path);
    return real ? real : path_absolute(path, NULL);
}

/* What follows `dir` in `path`, "" for itself; NULL when outside. Borrowed from `path`. */
static const char *part_below(const char *path, const char *dir)
{
    if (g_str_equal(dir, "/") || !path_is_inside(path, dir))
        return NULL;
    const char *rest = path + strlen(dir);
    return *rest == '/' ? rest + 1 : rest;
}

char *session_dir_for_cwd(const char *sessions_root, const char *cwd)
{
    g_autofree char *home_text = dirs_home();
    g_autofree char *home = real_or_same(home_text);
    g_autofree char *temp = real_or_same(dirs_temp());
    g_autofree char *real = real_or_same(cwd);

    g_autofree char *name = NULL;
    const char *below = part_below(real, home);
    if (below) {
        name = g_strconcat("-", below, NULL);
    } else if ((below = part_below(real, temp))) {
        name = *below ? g_strconcat("-tmp-", below, NULL) : g_strdup("-tmp");
    } else {
        name = g_strconcat("--", real + 1, "--", NULL);
    }
    g_strdelimit(name, "/\\:", '-');
    return g_build_filename(sessions_root, name, NULL);
}

static char *sessions_root_of(const SessionPlace *place)
{
    return g_build_filename(place->agent_dir, "sessions", NULL);
}

char *session_place_dir(const SessionPlace *place)
{
    if (place->session_dir)
        return path_absolute(place->session_dir, place->cwd);
    g_autofree char *root = sessions_root_of(place);
    return session_dir_for_cwd(root, place->cwd);
}

typedef struct Candidate {
    char *path;
    gint64 modified_at; // nanoseconds, for order only
} Candidate;

static void candidate_free(gpointer data)
{
    Candidate *self = data;
    g_free(self->path);
    g_free(self);
}

static gint newest_first(gconstpointer a, gconstpointer b)
{
    const Candidate *left = *(Candidate *const *)a;
    const Candidate *right = *(Candidate *const *)b;
    if (left->modified_at != right->modified_at)
        return left->modified_at < right->modified_at ? 1 : -1;
    return strcmp(right->path, left->path); // names begin with the time
}

static void add_candidates(GPtrArray *list, const char *dir_path)
{
    g_autoptr(GDir) dir = g_dir_open(dir_path, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        if (!g_str_has_suffix(name, ".jsonl") || name[0] == '.')
            continue;
        g_autofree char *path = g_build_filename(dir_path, name, NULL);
        struct stat info;
        if (stat(path, &info) < 0 || !S_ISREG(info.st_mode))
            continue;
        Candidate *candidate = g_new0(Candidate, 1);
        candidate->path = g_steal_pointer(&path);
        candidate->modified_at =
            (gint64)info.st_mtim.tv_sec * G_GINT64_CONSTANT(1000000000) + info.st_mtim.tv_nsec;
        g_ptr_array_add(list, candidate);
    }
}

static GPtrArray *sessions_in(const char *dir)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(candidate_free);
    add_candidates(list, dir);
    g_ptr_array_sort(list, newest_first);
    return list;
}

static GPtrArray *sessions_below(const char *root)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(candidate_free);
    g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
    const char *name;
    while (dir && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(root, name, NULL);
        add_candidates(list, path);
    }
    g_ptr_array_sort(list, newest_first);
    return list;
}

/* Two directories can share an encoded name: the header decides. One without a cwd belongs to all.
 */
static bool is_of_cwd(const json_t *header, const char *cwd)
{
    const char *recorded = json_get_text(header, "cwd");
    if (!recorded || g_str_equal(recorded, cwd))
        return true;
    g_autofree char *left = real_or_same(recorded);
    g_autofree char *right = real_or_same(cwd);
    return g_str_equal(left, right);
}

/* What this terminal is called; NULL when it has no name. Caller frees. */
static char *terminal_id(void)
{
    static const struct {
        const char *prefix, *variable;
    } emulators[] = {
        { "kitty-", "KITTY_WINDOW_ID" },
        { "tmux-", "TMUX_PANE" },
        { "apple-", "TERM_SESSION_ID" },
        { "wt-", "WT_SESSION" },
    };

    char device[256];
    char *id = NULL;
    for (int fd = 0; fd <= 2 && !id; fd++)
        if (ttyname_r(fd, device, sizeof device) == 0)
            id = g_strdup(str_has_prefix(device, "/dev/") ? device + 5 : device);
    for (size_t i = 0; i < G_N_ELEMENTS(emulators) && !id; i++)
        if (env_get_raw(emulators[i].variable))
            id = g_strconcat(emulators[i].prefix, env_get_raw(emulators[i].variable), NULL);
    if (id) {
        g_strcanon(id, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_%.-", '-');
        if (id[0] == '.')
            id[0] = '-';
    }
    return id;
}

static char *breadcrumb_path(const SessionPlace *place)
{
    g_autofree char *id = terminal_id();
    return id ? g_build_filename(place->agent_dir, "terminal-sessions", id, NULL) : NULL;
}

void session_write_breadcrumb(const SessionPlace *place, const char *session_path)
{
    g_autofree char *path = breadcrumb_path(place);
    if (!path || !session_path)
        return;
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *text = g_strdup_printf("%s\n%s\n", place->cwd, session_path);
    if (file_make_dirs(dir, 0700, NULL))
        file_write_volatile(path, text, strlen(text), 0600, NULL); // best effort (agent-core §4.9)
}

/* The session of this terminal, when it is one of this place and still there. Caller frees. */
static char *session_of_breadcrumb(const SessionPlace *place)
{
    g_autofree char *path = breadcrumb_path(place);
    g_autofree char *text = NULL;
    if (!path || !file_read(path, BREADCRUMB_MAX_BYTES, &text, NULL, NULL))
        return NULL;
    g_auto(GStrv) lines = g_strsplit(text, "\n", 3);
    if (g_strv_length(lines) < 2 || !g_str_equal(lines[0], place->cwd) || !file_exists(lines[1]))
        return NULL;

    g_autofree char *dir = session_place_dir(place);
    g_autoptr(json_t) header = session_file_header(lines[1]);
    if (!header || (place->session_dir && !path_is_inside(lines[1], dir)))
        return NULL;
    return g_strdup(lines[1]);
}

char *session_find_recent(const SessionPlace *place)
{
    char *remembered = session_of_breadcrumb(place);
    if (remembered)
        return remembered;

    g_autofree char *dir = session_place_dir(place);
    g_autoptr(GPtrArray) list = sessions_in(dir);
    for (guint i = 0; i < list->len; i++) {
        const Candidate *candidate = list->pdata[i];
        g_autoptr(json_t) header = session_file_header(candidate->path);
        if (header && is_of_cwd(header, place->cwd))
            return g_strdup(candidate->path);
    }
    return NULL;
}

static bool has_prefix_nocase(const char *text, const char *prefix)
{
    return text && g_ascii_strncasecmp(text, prefix, strlen(prefix)) == 0;
}

/* Matches the session id, the file's base name, and the id part of it. */
static bool is_match(const char *path, const json_t *header, const char *value)
{
    g_autofree char *name = g_path_get_basename(path);
    const char *underscore = strchr(name, '_');
    return has_prefix_nocase(json_get_text(header, "id"), value) ||
           has_prefix_nocase(name, value) ||
           (underscore && has_prefix_nocase(underscore + 1, value));
}

/* All that fit, the newest first, of all projects or of --session-dir. */
static GPtrArray *matches_of(const SessionPlace *place, const char *value)
{
    g_autofree char *root = sessions_root_of(place);
    g_autofree char *dir = session_place_dir(place);
    g_autoptr(GPtrArray) all = place->session_dir ? sessions_in(dir) : sessions_below(root);
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < all->len; i++) {
        const Candidate *candidate = all->pdata[i];
        g_autoptr(json_t) header = session_file_header(candidate->path);
        if (header && is_match(candidate->path, header, value))
            g_ptr_array_add(paths, g_strdup(candidate->path));
    }
    return paths;
}

typedef struct Found {
    char *path;
    char *cwd;
    bool is_elsewhere;
} Found;

static bool search_list(const GPtrArray *list, const SessionPlace *place, const char *value,
                        bool only_here, Found *ret_found)
{
    for (guint i = 0; i < list->len; i++) {
        const Candidate *candidate = list->pdata[i];
        g_autoptr(json_t) header = session_file_header(candidate->path);
        if (!header || !is_match(candidate->path, header, value))
            continue;
        bool is_here = is_of_cwd(header, place->cwd);
        if (only_here && !is_here)
            continue;
        const char *cwd = json_get_text(header, "cwd");
        *ret_found = (Found) {
            .path = g_strdup(candidate->path),
            .cwd = g_strdup(cwd ? cwd : ""),
            .is_elsewhere = !is_here,
        };
        return true;
    }
    return false;
}

static bool search_place(const SessionPlace *place, const char *value, Found *ret_found)
{
    g_autofree char *dir = session_place_dir(place);
    g_autoptr(GPtrArray) here = sessions_in(dir);
    if (search_list(here, place, value, true, ret_found))
        return true;
    if (place->session_dir)
        return search_list(here, place, value, false, ret_found);

    g_autofree char *root = sessions_root_of(place);
    g_autoptr(GPtrArray) all = sessions_below(root);
    return search_list(all, place, value, false, ret_found);
}

/* What a person names must be there and be a session: nothing is made or changed by a wrong name.
 */
static bool check_session_file(const char *path, GError **error)
{
    struct stat info;
    if (stat(path, &info) < 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Session file not found: %s", path);
    g_autoptr(json_t) header = session_file_header(path);
    if (!header)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Not a session file: %s", path);
    return true;
}

static bool is_path(const char *value)
{
    return strchr(value, '/') || strchr(value, '\\') || g_str_has_suffix(value, ".jsonl");
}

bool session_find(const SessionPlace *place, const char *value, char **ret_path,
                  bool *ret_is_elsewhere, char **ret_cwd, GError **error)
{
    Found found = { 0 };
    if (is_path(value)) {
        g_autofree char *expanded = path_expand_home(value);
        g_autofree char *path = path_absolute(expanded, place->cwd);
        if (!check_session_file(path, error))
            return false;
        found.path = g_steal_pointer(&path);
        found.cwd = g_strdup(place->cwd);
    } else if (str_is_empty(value) || !search_place(place, value, &found)) {
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Session \"%s\" not found.", value);
    }
    *ret_path = found.path;
    *ret_is_elsewhere = found.is_elsewhere;
    *ret_cwd = found.cwd;
    return true;
}

static bool fail_ambiguous(const char *value, const GPtrArray *paths, GError **error)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (guint i = 0; i < MIN(paths->len, CANDIDATES_SHOWN); i++)
        g_string_append_printf(list, "\n  %s", (const char *)paths->pdata[i]);
    if (paths->len > CANDIDATES_SHOWN)
        g_string_append_printf(list, "\n  … and %u more", paths->len - CANDIDATES_SHOWN);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "\"%s\" can be one of %u sessions, name more of the id, or the path:%s", value,
                     paths->len, list->str);
}

bool session_find_only(const SessionPlace *place, const char *value, char **ret_path,
                       GError **error)
{
    if (!is_path(value) && !str_is_empty(value)) {
        g_autoptr(GPtrArray) paths = matches_of(place, value);
        if (paths->len > 1)
            return fail_ambiguous(value, paths, error);
    }
    g_autofree char *cwd = NULL;
    bool is_elsewhere = false;
    return session_find(place, value, ret_path, &is_elsewhere, &cwd, error);
}
