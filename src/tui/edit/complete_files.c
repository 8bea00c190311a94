/*
 * Lists of files (complete_files.h): one block of names, each with its NUL.
 */
#include "tui/edit/complete_files.h"

#include "base/fd.h"
#include "base/git.h"
#include "base/path.h"
#include "base/str.h"
#include "tui/edit/fuzzy.h"
#include "tui/text/clean.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { GIT_TIMEOUT_MS = 30 * 1000, NAMES_PER_LOOK = 256 };

struct FileList {
    gint ref_count;
    GString *names;
    size_t count;
};

typedef struct Match {
    const char *name; // in the list
    int score;
} Match;

FileList *file_list_ref(FileList *self)
{
    g_atomic_int_inc(&self->ref_count);
    return self;
}

void file_list_unref(FileList *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    g_string_free(self->names, TRUE);
    g_free(self);
}

size_t file_list_count(const FileList *self)
{
    return self->count;
}

static FileList *list_new(void)
{
    FileList *self = g_new0(FileList, 1);
    self->ref_count = 1;
    self->names = g_string_new(NULL);
    return self;
}

/* Can it be shown and written between quotes? */
static bool is_good_name(const char *name)
{
    bool is_plain = *name != '\0';
    for (const char *p = name; *p != '\0'; p++) {
        unsigned char byte = (unsigned char)*p;
        if (byte < 0x20 || byte == 0x7f || byte == '"')
            return false;
        is_plain = is_plain && byte < 0x80;
    }
    if (is_plain || *name == '\0')
        return is_plain;
    if (!g_utf8_validate(name, -1, NULL))
        return false;
    g_autofree char *clean = clean_text(name, 1);
    return strcmp(clean, name) == 0;
}

static bool add_name(FileList *self, const char *name, size_t size)
{
    if (self->names->len + size + 1 > LIMIT_FILE_LIST_BYTES)
        return false;
    g_string_append_len(self->names, name, (gssize)size);
    g_string_append_c(self->names, '\0');
    self->count++;
    return true;
}

// ---- by git ----

/* The directories of `name` that are not those of the name before it. */
static void add_directories(FileList *self, GHashTable *seen, const char *name, const char *before)
{
    size_t common = 0;
    while (name[common] != '\0' && name[common] == before[common])
        common++;
    for (const char *slash = strchr(name, '/'); slash && slash[1] != '\0';
         slash = strchr(slash + 1, '/')) {
        size_t size = (size_t)(slash - name) + 1;
        if (size <= common)
            continue;
        char *directory = g_strndup(name, size);
        if (g_hash_table_add(seen, directory))
            add_name(self, directory, size);
    }
}

/* Takes the names of `output`, a file that has several entries once. */
static FileList *list_of(const GitResult *output, Cancel *cancel)
{
    g_autoptr(FileList) self = list_new();
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    const char *before = "", *end = output->output + output->output_size;
    size_t looked = 0;
    for (const char *name = output->output; name < end; name += strlen(name) + 1) {
        if (looked++ % NAMES_PER_LOOK == 0 && cancel_has_fired(cancel))
            return NULL;
        if (strcmp(name, before) == 0 || !is_good_name(name))
            continue;
        add_directories(self, seen, name, before);
        if (!add_name(self, name, strlen(name)))
            break;
        before = name;
    }
    return g_steal_pointer(&self);
}

/* NULL: that is no repository, or git cannot tell. */
static FileList *read_git(const char *cwd, Cancel *cancel)
{
    const GitSpec spec = {
        .dir = cwd,
        .args = (const char *const[]) { "ls-files", "-co", "--exclude-standard", "-z", "--", NULL },
        .timeout_ms = GIT_TIMEOUT_MS,
        .max_output_bytes = LIMIT_FILE_LIST_BYTES,
        .is_bytes = true,
    };
    g_auto(GitResult) result = { 0 };
    if (!git_start(&spec, cancel, &result, NULL) || result.exit_status != 0)
        return NULL;
    return list_of(&result, cancel);
}

// ---- by a walk ----

typedef struct Walk {
    FileList *list;
    const char *cwd;
    Cancel *cancel;
    GQueue directories; // of char *, relative, with "/"; the nearest first
} Walk;

static int depth_of(const char *name)
{
    int depth = 0;
    for (; (name = strchr(name, '/')); name++)
        depth++;
    return depth;
}

static DIR *open_directory(const char *path, int flags)
{
    g_auto(Fd) fd = open(path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC | flags);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (directory)
        fd_steal(&fd);
    return directory;
}

static bool is_directory(DIR *directory, const struct dirent *entry, int flags)
{
    struct stat status;
    if (entry->d_type == DT_DIR)
        return true;
    if (entry->d_type != DT_UNKNOWN && (entry->d_type != DT_LNK || flags == AT_SYMLINK_NOFOLLOW))
        return false;
    return fstatat(dirfd(directory), entry->d_name, &status, flags) == 0 && S_ISDIR(status.st_mode);
}

static void walk_directory(Walk *self, const char *name)
{
    g_autofree char *path = g_build_filename(self->cwd, name, NULL);
    DIR *directory = open_directory(path, *name ? O_NOFOLLOW : 0);
    if (!directory)
        return;
    const struct dirent *entry;
    while (self->list->count < WALK_MAX_FILES && !cancel_has_fired(self->cancel) &&
           (entry = readdir(directory))) {
        if (entry->d_name[0] == '.' || !is_good_name(entry->d_name))
            continue;
        bool is_below = is_directory(directory, entry, AT_SYMLINK_NOFOLLOW);
        g_autofree char *inner = g_strconcat(name, entry->d_name, is_below ? "/" : NULL, NULL);
        if (!add_name(self->list, inner, strlen(inner)))
            break;
        if (is_below && depth_of(inner) < WALK_MAX_DEPTH)
            g_queue_push_tail(&self->directories, g_steal_pointer(&inner));
    }
    closedir(directory);
}

static FileList *read_walk(const char *cwd, Cancel *cancel)
{
    g_autoptr(FileList) list = list_new();
    Walk walk = { .list = list, .cwd = cwd, .cancel = cancel, .directories = G_QUEUE_INIT };
    walk_directory(&walk, "");
    for (char *name; (name = g_queue_pop_head(&walk.directories)); g_free(name))
        walk_directory(&walk, name);
    return cancel_has_fired(cancel) ? NULL : g_steal_pointer(&list);
}

FileList *file_list_read(const char *cwd, Cancel *cancel)
{
    FileList *list = read_git(cwd, cancel);
    if (list || cancel_has_fired(cancel))
        return list;
    return read_walk(cwd, cancel);
}

// ---- the best of them ----

/* Is `a` to stand before `b`? */
static bool is_better(const Match *a, const Match *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return strcmp(a->name, b->name) < 0;
}

/* `best` stays sorted and short. */
static void keep_best(GArray *best, const Match *match)
{
    guint low = 0, high = best->len;
    if (high == FILE_MATCHES_MAX && !is_better(match, &g_array_index(best, Match, high - 1)))
        return;
    while (low < high) {
        guint middle = low + (high - low) / 2;
        if (is_better(match, &g_array_index(best, Match, middle)))
            high = middle;
        else
            low = middle + 1;
    }
    g_array_insert_val(best, low, *match);
    if (best->len > FILE_MATCHES_MAX)
        g_array_set_size(best, FILE_MATCHES_MAX);
}

GPtrArray *file_list_match(const FileList *self, const char *query, Cancel *cancel)
{
    g_autoptr(GArray) best = g_array_new(FALSE, FALSE, sizeof(Match));
    const char *end = self->names->str + self->names->len;
    size_t looked = 0;
    for (const char *name = self->names->str; name < end; name += strlen(name) + 1) {
        if (looked++ % NAMES_PER_LOOK == 0 && cancel_has_fired(cancel))
            break;
        Match match = { .name = name };
        if (*query == '\0')
            match.score = -depth_of(name);
        else if (!fuzzy_match(query, name, &match.score))
            continue;
        keep_best(best, &match);
    }
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < best->len; i++)
        g_ptr_array_add(names, g_strdup(g_array_index(best, Match, i).name));
    return names;
}

// ---- one directory ----

static bool begins_with(const char *name, const char *typed)
{
    if (str_has_prefix(name, typed))
        return true;
    if (!g_utf8_validate(name, -1, NULL))
        return false;
    g_autofree char *small_typed = g_utf8_strdown(typed, -1);
    g_autofree char *small_name = g_utf8_strdown(name, -1);
    return strcmp(small_typed, typed) == 0 && str_has_prefix(small_name, typed);
}

GPtrArray *paths_match(const char *cwd, const char *typed, Cancel *cancel)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    const char *slash = strrchr(typed, '/'), *part = slash ? slash + 1 : typed;
    g_autofree char *outer = g_strndup(typed, (gsize)(part - typed));
    g_autofree char *expanded = path_expand_home(outer);
    g_autofree char *path = path_absolute(*expanded ? expanded : ".", cwd);
    DIR *directory = open_directory(path, 0);
    if (!directory)
        return names;
    const struct dirent *entry;
    for (int i = 0;
         i < PATH_ENTRIES_MAX && !cancel_has_fired(cancel) && (entry = readdir(directory)); i++) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            (name[0] == '.' && part[0] != '.') || !is_good_name(name) || !begins_with(name, part))
            continue;
        bool is_below = is_directory(directory, entry, 0);
        g_ptr_array_add(names, g_strconcat(outer, name, is_below ? "/" : NULL, NULL));
    }
    closedir(directory);
    g_ptr_array_sort(names, str_compare);
    if (names->len > FILE_MATCHES_MAX)
        g_ptr_array_set_size(names, FILE_MATCHES_MAX);
    return names;
}
