/*
 * Finding conflict blocks, and the numbers of a conversation (conflict.h).
 */
#include "base/limits.h"
#include "base/lock.h"
#include "base/str.h"
#include "tool/context.h"
#include "tools/conflict/conflict_private.h"
#include "tools/file/tool_file.h"

#include <stdint.h>

enum { MARKER_SIZE = 7, MAX_RECORDED = 10000 };

static void conflict_block_free(void *block_)
{
    ConflictBlock *block = block_;
    g_free(block->ours_label);
    g_free(block->base_label);
    g_free(block->theirs_label);
    g_free(block);
}

/* Seven of `marker`, alone or with a blank and a label. Caller frees the label. */
static bool is_marker(const char *line, char marker, char **ret_label)
{
    for (int i = 0; i < MARKER_SIZE; i++)
        if (line[i] != marker)
            return false;
    g_autofree char *rest = g_strchomp(g_strdup(line + MARKER_SIZE));
    if (*rest && *rest != ' ')
        return false;
    g_strstrip(rest);
    g_free(*ret_label);
    *ret_label = *rest ? g_utf8_make_valid(rest, -1) : NULL;
    return true;
}

static bool is_middle(const char *line)
{
    return str_has_prefix(line, "=======") &&
           (strcmp(line + MARKER_SIZE, "") == 0 || strcmp(line + MARKER_SIZE, "\r") == 0);
}

GPtrArray *conflict_blocks(char **lines)
{
    GPtrArray *blocks = g_ptr_array_new_with_free_func(conflict_block_free);
    ConflictBlock *open = NULL;
    for (int64_t i = 0; lines[i]; i++) {
        char *label = NULL;
        if (is_marker(lines[i], '<', &label)) {
            if (open)
                conflict_block_free(open);
            open = g_new0(ConflictBlock, 1);
            open->start = i + 1;
            open->ours_label = label;
        } else if (open && !open->base && !open->middle &&
                   is_marker(lines[i], '|', &open->base_label)) {
            open->base = i + 1;
        } else if (open && !open->middle && is_middle(lines[i])) {
            open->middle = i + 1;
        } else if (open && open->middle && is_marker(lines[i], '>', &open->theirs_label)) {
            open->end = i + 1;
            g_ptr_array_add(blocks, open);
            open = NULL;
        }
    }
    if (open)
        conflict_block_free(open);
    return blocks;
}

typedef struct Registry {
    pthread_mutex_t lock;
    GPtrArray *conflicts; // of Conflict *
    int64_t last_id;
    size_t bytes;
} Registry;

void conflict_free(void *conflict_)
{
    Conflict *conflict = conflict_;
    g_free(conflict->path);
    g_free(conflict->shown);
    g_free(conflict->text);
    g_free(conflict);
}

static void *registry_create(void)
{
    Registry *self = g_new0(Registry, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->conflicts = g_ptr_array_new_with_free_func(conflict_free);
    return self;
}

static void registry_destroy(void *self_)
{
    Registry *self = self_;
    g_ptr_array_unref(self->conflicts);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

static Registry *registry_of(ToolCall *call)
{
    return tool_context_state(tool_call_context(call), "conflicts", registry_create,
                              registry_destroy);
}

static Conflict *find_locked(Registry *self, const char *path, int64_t start, int64_t id)
{
    for (guint i = 0; i < self->conflicts->len; i++) {
        Conflict *conflict = self->conflicts->pdata[i];
        if (path ? conflict->start == start && strcmp(conflict->path, path) == 0
                 : conflict->id == id)
            return conflict;
    }
    return NULL;
}

int64_t conflict_record(ToolCall *call, const char *path, const char *shown, int64_t start,
                        int64_t end, const char *text)
{
    Registry *self = registry_of(call);
    HOLD_LOCK(&self->lock);
    Conflict *conflict = find_locked(self, path, start, 0);
    size_t before = conflict ? strlen(conflict->text) : 0;
    bool has_room = self->bytes - before + strlen(text) <= LIMIT_CONFLICT_BYTES &&
                    (conflict || self->conflicts->len < MAX_RECORDED);
    if (has_room && !conflict) {
        conflict = g_new0(Conflict, 1);
        conflict->id = ++self->last_id;
        conflict->path = g_strdup(path);
        conflict->shown = g_strdup(shown);
        conflict->start = start;
        g_ptr_array_add(self->conflicts, conflict);
    }
    if (has_room) {
        g_free(conflict->text);
        conflict->text = g_strdup(text);
        conflict->end = end;
        self->bytes += strlen(text) - before;
    }
    return has_room ? conflict->id : 0;
}

static Conflict *copy_of(const Conflict *conflict)
{
    Conflict *copy = g_memdup2(conflict, sizeof(*conflict));
    copy->path = g_strdup(conflict->path);
    copy->shown = g_strdup(conflict->shown);
    copy->text = g_strdup(conflict->text);
    return copy;
}

Conflict *conflict_find(ToolCall *call, int64_t id)
{
    Registry *self = registry_of(call);
    HOLD_LOCK(&self->lock);
    const Conflict *found = find_locked(self, NULL, 0, id);
    return found ? copy_of(found) : NULL;
}

static int compare_places(const void *a, const void *b)
{
    const Conflict *left = *(Conflict *const *)a, *right = *(Conflict *const *)b;
    int paths = strcmp(left->path, right->path);
    return paths ? paths : (left->start > right->start) - (left->start < right->start);
}

GPtrArray *conflict_all(ToolCall *call)
{
    Registry *self = registry_of(call);
    GPtrArray *all = g_ptr_array_new_with_free_func(conflict_free);
    pthread_mutex_lock(&self->lock);
    for (guint i = 0; i < self->conflicts->len; i++)
        g_ptr_array_add(all, copy_of(self->conflicts->pdata[i]));
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_sort(all, compare_places);
    return all;
}

void conflict_forget(ToolCall *call, const Conflict *conflict, int64_t moved)
{
    Registry *self = registry_of(call);
    HOLD_LOCK(&self->lock);
    Conflict *gone = find_locked(self, NULL, 0, conflict->id);
    for (guint i = 0; gone && i < self->conflicts->len; i++) {
        Conflict *other = self->conflicts->pdata[i];
        if (strcmp(other->path, gone->path) == 0 && other->start > gone->start) {
            other->start += moved;
            other->end += moved;
        }
    }
    if (gone) {
        self->bytes -= strlen(gone->text);
        g_ptr_array_remove(self->conflicts, gone);
    }
}

void conflict_file_clear(ConflictFile *self)
{
    g_clear_pointer(&self->lines, g_strfreev);
}

bool conflict_file_read(const char *path, const char *shown, ConflictFile *ret_file, GError **error)
{
    g_auto(Fd) fd = -1;
    struct stat info;
    g_autoptr(GString) data = g_string_new(NULL);
    if (!tool_file_open(path, shown, &fd, &info, error) ||
        !fd_read_all(fd, LIMIT_CONFLICT_SCAN_BYTES, shown, data, error))
        return false;
    ret_file->is_cut = (uint64_t)info.st_size > data->len;
    // a file with NUL bytes ends there, for what is looked for here
    ret_file->lines = g_strsplit(data->str, "\n", -1);
    return true;
}

char *conflict_lines_text(char **lines, int64_t first, int64_t last)
{
    GString *out = g_string_new(NULL);
    for (int64_t i = first - 1; i < last; i++)
        g_string_append_printf(out, "%s\n", lines[i]);
    return g_string_free(out, FALSE);
}

int64_t conflict_locate(char **lines, const Conflict *conflict)
{
    g_autoptr(GPtrArray) blocks = conflict_blocks(lines);
    int64_t nearest = 0;
    for (guint i = 0; i < blocks->len; i++) {
        const ConflictBlock *block = blocks->pdata[i];
        g_autofree char *text = conflict_lines_text(lines, block->start, block->end);
        bool is_nearer =
            !nearest || ABS(block->start - conflict->start) < ABS(nearest - conflict->start);
        if (is_nearer && strcmp(text, conflict->text) == 0)
            nearest = block->start;
    }
    return nearest;
}
