/*
 * Importing a session: which program's it is, its lines, and our file (import.h).
 */
#include "session/import.h"

#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/mask.h"
#include "base/str.h"
#include "session/entry.h"
#include "session/import_builder.h"
#include "session/persist.h"
#include "session/session_find.h"
#include "session/session_private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define ID_MAX_CHARS     64
#define FIND_DEPTH       5 // ~/.codex/sessions/2026/03/04/rollout-….jsonl
#define FIND_MAX_FILES   100000
#define DETECT_MAX_LINES 50

void import_result_clear(ImportResult *self)
{
    g_clear_pointer(&self->path, g_free);
    g_clear_pointer(&self->id, g_free);
}

/* The objects of a file, line by line; what is none is left out. */
static bool read_lines(const char *file, GPtrArray *lines, gint64 *ret_modified_ms, GError **error)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(file, 0, &info);
    if (fd < 0)
        return file_fail_open(file, error);
    *ret_modified_ms = (gint64)info.st_mtim.tv_sec * 1000;
    g_autoptr(GString) text = g_string_new(NULL);
    if (!fd_read_all(fd, LIMIT_IMPORT_BYTES + 1, file, text, error))
        return false;
    if (text->len > LIMIT_IMPORT_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "%s is larger than %zu MiB", file,
                         LIMIT_IMPORT_BYTES / MIB);
    for (size_t start = 0; start < text->len;) {
        const char *newline = memchr(text->str + start, '\n', text->len - start);
        size_t size = newline ? (size_t)(newline - text->str) - start : text->len - start;
        g_autoptr(json_t) line = NULL;
        if (size > 0 && json_parse(text->str + start, size, &line, NULL) && json_is_object(line))
            g_ptr_array_add(lines, g_steal_pointer(&line));
        start += size + 1;
    }
    return true;
}

static bool read_session(const char *file, ImportBuilder *builder, GError **error)
{
    g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(json_free);
    gint64 modified_ms = 0;
    if (!read_lines(file, lines, &modified_ms, error))
        return false;
    for (unsigned i = 0; i < MIN(lines->len, DETECT_MAX_LINES); i++) {
        if (import_is_codex(lines->pdata[i])) {
            import_builder_init(builder, "openai", "openai-responses", modified_ms);
            import_read_codex(builder, lines);
            return true;
        }
        if (import_is_claude(lines->pdata[i])) {
            import_builder_init(builder, "anthropic", "anthropic-messages", modified_ms);
            import_read_claude(builder, lines);
            return true;
        }
    }
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "no session of Claude Code or Codex: %s", file);
}

/* An id becomes part of a file name. */
static bool is_good_id(const char *id)
{
    size_t size = id ? strspn(id, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "-") : 0;
    return size > 0 && id[size] == '\0' && size <= ID_MAX_CHARS;
}

static json_t *make_header(const ImportBuilder *builder, const char *cwd)
{
    json_t *header = entry_new_header(builder->cwd ? builder->cwd : cwd, NULL);
    if (is_good_id(builder->id))
        json_set_text(header, "id", builder->id);
    json_add(header, "timestamp:%s title:%s titleSource:%s", builder->started, builder->title,
             builder->title ? "auto" : NULL);
    return header;
}

static void append_line(GString *out, json_t *entry)
{
    g_autoptr(json_t) stored = persist_entry(entry);
    g_autofree char *text = json_to_text(stored);
    g_autofree char *masked = mask_text(text);
    g_string_append_printf(out, "%s\n", masked);
}

/* Links the entries into a chain, with where they came from in front. */
static char *import_builder_render(const ImportBuilder *builder, json_t *header, const char *file)
{
    GString *out = g_string_new(NULL);
    append_line(out, header);
    g_autoptr(GHashTable) index = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    json_t *origin = entry_new(index, "custom", NULL);
    json_t *data = json_make("file:%s program:%s", file,
                             strcmp(builder->provider, "openai") == 0 ? "codex" : "claude");
    json_add(origin, "customType:%s data:%p timestamp:%s", "kedge.import", data,
             json_get_text(header, "timestamp"));
    append_line(out, origin);
    g_autofree char *parent = g_strdup(entry_id(origin));
    g_hash_table_insert(index, g_strdup(parent), origin);
    for (unsigned i = 0; i < builder->entries->len; i++) {
        json_t *entry = builder->entries->pdata[i];
        g_autofree char *id = entry_new_id(index);
        json_add(entry, "id:%s parentId:%s", id, parent);
        append_line(out, entry);
        g_hash_table_insert(index, g_strdup(id), entry);
        g_free(parent);
        parent = g_steal_pointer(&id);
    }
    json_decref(origin);
    return g_string_free(out, FALSE);
}

bool session_import(const char *file, const char *sessions_root, const char *cwd,
                    ImportResult *ret_result, GError **error)
{
    g_auto(ImportBuilder) builder = { 0 };
    if (!read_session(file, &builder, error))
        return false;
    if (builder.messages == 0)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "a session without messages: %s", file);
    g_autoptr(json_t) header = make_header(&builder, cwd);
    g_autofree char *dir = session_dir_for_cwd(sessions_root, json_get_text(header, "cwd"));
    g_autofree char *path = session_path_for_header(dir, header);
    bool was_there = file_exists(path);
    if (!was_there) {
        g_autofree char *text = import_builder_render(&builder, header, file);
        if (!file_make_dirs(dir, 0700, error) ||
            !file_write_atomic(path, text, strlen(text), 0600, error))
            return false;
    }
    *ret_result = (ImportResult) {
        .path = g_steal_pointer(&path),
        .id = g_strdup(json_get_text(header, "id")),
        .messages = builder.messages,
        .was_there = was_there,
    };
    return true;
}

static void find_below(const char *dir, int depth, GPtrArray *files)
{
    g_autoptr(GDir) open = g_dir_open(dir, 0, NULL);
    const char *name = NULL;
    while (open && files->len < FIND_MAX_FILES && (name = g_dir_read_name(open))) {
        g_autofree char *path = g_build_filename(dir, name, NULL);
        if (g_str_has_suffix(name, ".jsonl") && !str_has_prefix(name, "agent-"))
            g_ptr_array_add(files, g_steal_pointer(&path));
        else if (depth > 1 && file_is_directory(path))
            find_below(path, depth - 1, files);
    }
}

/* A Codex file is of the directory that its first line names. */
static bool is_codex_of(const char *file, const char *cwd)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(file, 0, &info);
    g_autoptr(GString) text = g_string_new(NULL);
    if (fd < 0 || !fd_read_all(fd, MIB, file, text, NULL))
        return false;
    g_autoptr(json_t) line = NULL;
    size_t size = strcspn(text->str, "\n");
    return json_parse(text->str, size, &line, NULL) &&
           g_strcmp0(json_get_text(json_get_object(line, "payload"), "cwd"), cwd) == 0;
}

GPtrArray *session_import_find(const char *home, const char *source, const char *cwd)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    if (strcmp(source, "claude") == 0) {
        g_autofree char *name = cwd ? g_strdup(cwd) : NULL;
        for (char *p = name; p && *p; p++)
            *p = g_ascii_isalnum(*p) ? *p : '-';
        g_autofree char *dir = g_build_filename(home, ".claude", "projects", name, NULL);
        find_below(dir, name ? 1 : 2, files);
    } else {
        g_autofree char *dir = g_build_filename(home, ".codex", "sessions", NULL);
        find_below(dir, FIND_DEPTH, files);
        for (unsigned i = files->len; cwd && i-- > 0;)
            if (!is_codex_of(files->pdata[i], cwd))
                g_ptr_array_remove_index(files, i);
    }
    g_ptr_array_sort(files, str_compare);
    return files;
}
