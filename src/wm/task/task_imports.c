/*
 * What a task imports (task_imports.h). The nearest wins: the task before its imports, a file
 * before those that it imports, an earlier one before a later one. A key is taken whole, so that no
 * import adds to what a task lists.
 */
#include "wm/task/task_imports.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"
#include "wm/task/template.h"

#include <string.h>

#define WM_DIR         ".wm"
#define GITHUB_DIR     ".github"
#define GH_AW_DIR      GITHUB_DIR "/workflows"
#define VIRTUAL_ROOT   "/root"
#define MAX_PATH_BYTES ((size_t)1024)
#define SHOWN_CHARS    200

typedef struct Importer {
    const char *root;
    const GPtrArray *fresh;
    WmTask *task;
    GPtrArray *open;  // of const char *: paths of the files that are being read, outermost first
    GHashTable *seen; // of real paths; owned keys
    GString *body;
    size_t bytes; // read so far
} Importer;

static void importer_clear(Importer *self)
{
    g_ptr_array_unref(self->open);
    g_hash_table_unref(self->seen);
    g_string_free(self->body, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Importer, importer_clear)

static bool read_imports(Importer *self, const WmTask *of, const char *text, GError **error);
static bool inline_body(Importer *self, const WmTask *of, char **ret_body, GError **error);

// ---- which file ----

static bool is_below(const char *path, const char *dir)
{
    size_t size = strlen(dir);
    return strncmp(path, dir, size) == 0 && path[size] == '/' && path[size + 1];
}

static bool check_form(const char *import, GError **error)
{
    if (!*import || strlen(import) > MAX_PATH_BYTES)
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "expected a path of 1 to %zu bytes",
                         MAX_PATH_BYTES);
    for (const char *at = import; *at; at = g_utf8_next_char(at))
        if (g_unichar_iscntrl(g_utf8_get_char(at)))
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "no control characters in a path");
    if (strchr(import, '@') || strstr(import, "://"))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "only files of this repository are imported; copy it first (kedge wm add "
                         "writes it to " WM_TASKS_DIR "/) and import the copy");
    if (*import == '/' || *import == '~')
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "not an absolute path, but one from the importing file's directory");
    return true;
}

/* Below the root, in .wm/ or `dir`. */
static bool import_path(const char *importer, const char *import, const char *other_dir,
                        char **ret_path, GError **error)
{
    if (!check_form(import, error))
        return false;
    bool is_from_root = is_below(import, WM_DIR) || is_below(import, GITHUB_DIR);
    g_autofree char *dir = g_path_get_dirname(importer);
    g_autofree char *base = g_build_filename(VIRTUAL_ROOT, is_from_root ? NULL : dir, NULL);
    g_autofree char *whole = path_absolute(import, base);
    if (!is_below(whole, VIRTUAL_ROOT))
        return fail_with(error, KEDGE_ERROR_DENIED, "leads out of the repository");
    const char *path = whole + strlen(VIRTUAL_ROOT "/");
    if (!is_below(path, WM_DIR) && !is_below(path, other_dir))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s is not in " WM_DIR "/ or %s/, which is all that the job that writes "
                         "has; move it there",
                         path, other_dir);
    *ret_path = g_strdup(path);
    return true;
}

bool wm_import_path(const char *importer, const char *import, char **ret_path, GError **error)
{
    return import_path(importer, import, GH_AW_DIR, ret_path, error);
}

/* Where `path` really is: in the same two directories, whatever links there are. */
static bool find_file(const Importer *self, const char *path, const char *other_dir,
                      char **ret_real, GError **error)
{
    const char *const dirs[] = { WM_DIR, other_dir };
    if (wm_fresh_find(self->fresh, path)) {
        *ret_real = g_strdup(path);
        return true;
    }
    g_autofree char *whole = g_build_filename(self->root, path, NULL);
    g_autofree char *real = path_real(whole), *root = path_real(self->root);
    if (!real || !root)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "no such file: %s", path);
    for (size_t i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_autofree char *dir = g_build_filename(root, dirs[i], NULL);
        if (path_is_inside(real, dir)) {
            *ret_real = g_steal_pointer(&real);
            return true;
        }
    }
    return fail_with(error, KEDGE_ERROR_DENIED, "%s: a symlink leads out of " WM_DIR "/ and %s/",
                     path, other_dir);
}

static bool check_bounds(const Importer *self, const char *path, GError **error)
{
    for (unsigned i = 0; i < self->open->len; i++) {
        if (strcmp(self->open->pdata[i], path) != 0)
            continue;
        g_autoptr(GString) way = g_string_new(NULL);
        for (unsigned j = i; j < self->open->len; j++)
            g_string_append_printf(way, "%s → ", (const char *)self->open->pdata[j]);
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "files import one another: %s%s", way->str,
                         path);
    }
    if (self->open->len > WM_MAX_IMPORT_DEPTH)
        return fail_with(error, KEDGE_ERROR_LIMIT, "imports nest more than %d deep",
                         WM_MAX_IMPORT_DEPTH);
    return true;
}

// ---- what is in it ----

static char *with_dashes(const char *key)
{
    return g_strdelimit(g_strdup(key), "_", '-');
}

static bool has_key(const json_t *map, const char *wanted)
{
    g_autofree char *name = with_dashes(wanted);
    json_each_member (map, key, value) {
        g_autofree char *other = with_dashes(key);
        if (strcmp(name, other) == 0)
            return true;
    }
    return false;
}

/* A value that is no map is taken, or stays, whole; `null` is an empty map. */
static void task_imports_merge(json_t *front, const char *name, const json_t *more)
{
    json_t *own = json_object_get(front, name);
    if (!more || json_is_null(more) || (own && !json_is_null(own) && !json_is_object(own)))
        return;
    if (!json_is_object(own)) {
        json_set_take(front, name, json_copy((json_t *)more));
        return;
    }
    own = json_copy(own); // an alias in the frontmatter may be the same map
    json_set_take(front, name, own);
    json_each_member (more, key, value)
        if (!has_key(own, key)) // in neither spelling
            json_object_set(own, key, value);
}

/* Under the one spelling, so that there is one to add to. */
static void settle_outputs(json_t *front)
{
    json_t *other = json_object_get(front, "safe_outputs");
    if (other && !json_object_get(front, "safe-outputs"))
        json_object_set(front, "safe-outputs", other);
    json_object_del(front, "safe_outputs");
}

static void note_unused(Importer *self, const WmTask *imported)
{
    static const char *const known[] = {
        "tools",  "safe-outputs", "safe_outputs", "imports", "name", "description",
        "source", "metadata",     "labels",       "emoji",   NULL
    };
    g_autoptr(GString) found = g_string_new(NULL);
    json_each_member (imported->front, key, value)
        if (!g_strv_contains(known, key))
            g_string_append_printf(found, "%s%s", found->len > 0 ? ", " : "", key);
    if (found->len > 0)
        g_ptr_array_add(
            self->task->import_notes,
            g_strdup_printf("not taken from the import %s: %s", imported->path, found->str));
}

static void add_body(Importer *self, const char *body)
{
    if (*body)
        g_string_append_printf(self->body, "%s%s", self->body->len > 0 ? "\n\n" : "", body);
}

/* A file without frontmatter is all body. */
static bool task_imports_parse(const char *text, size_t size, const char *path, WmTask **ret_task,
                               GError **error)
{
    g_autofree char *valid = utf8_from_bytes(text, size);
    const char *start = valid + utf8_bom_size(valid, strlen(valid));
    while (g_ascii_isspace(*start))
        start++;
    if (str_has_prefix(start, "---"))
        return wm_task_parse(text, size, path, NULL, ret_task, error);
    g_autofree char *whole = g_strconcat("---\n---\n", start, NULL);
    return wm_task_parse(whole, strlen(whole), path, NULL, ret_task, error);
}

/* As file_read() does. */
static bool text_take(const char *text, size_t max_bytes, char **ret_text, size_t *ret_size,
                      GError **error)
{
    size_t size = strlen(text);
    if (size > max_bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT, "larger than %zu bytes", max_bytes);
    *ret_text = g_strdup(text);
    *ret_size = size;
    return true;
}

/* What is left of the bytes that all files of a task may have together. */
static bool read_text(Importer *self, const char *path, const char *real, char **ret_text,
                      size_t *ret_size, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (self->task->imported->len >= WM_MAX_IMPORTS)
        return fail_with(error, KEDGE_ERROR_LIMIT, "more than %d files are imported",
                         WM_MAX_IMPORTS);
    const char *fresh = wm_fresh_find(self->fresh, path);
    if (fresh ? text_take(fresh, WM_MAX_TASK_BYTES - self->bytes, ret_text, ret_size, &problem)
              : file_read(real, WM_MAX_TASK_BYTES - self->bytes, ret_text, ret_size, &problem)) {
        self->bytes += *ret_size;
        g_ptr_array_add(self->task->imported, g_strdup(path));
        return true;
    }
    if (error_is(problem, KEDGE_ERROR_LIMIT))
        return fail_with(error, KEDGE_ERROR_LIMIT, "imports are larger than %zu bytes together",
                         WM_MAX_TASK_BYTES);
    return fail_with(error, problem->code, "%s cannot be read: %s", path, problem->message);
}

/* With its tools and outputs, and its own imports; *ret_body NULL: it is there already. */
static bool read_file(Importer *self, const char *path, char **ret_body, GError **error)
{
    g_autofree char *real = NULL, *text = NULL;
    g_autoptr(WmTask) imported = NULL;
    size_t size = 0;
    if (!check_bounds(self, path, error) || !find_file(self, path, GH_AW_DIR, &real, error))
        return false;
    if (!g_hash_table_add(self->seen, g_strdup(real)))
        return true;
    if (!read_text(self, path, real, &text, &size, error) ||
        !task_imports_parse(text, size, path, &imported, error))
        return false;
    settle_outputs(imported->front);
    task_imports_merge(self->task->front, "tools", json_object_get(imported->front, "tools"));
    task_imports_merge(self->task->front, "safe-outputs",
                       json_object_get(imported->front, "safe-outputs"));
    note_unused(self, imported);
    return read_imports(self, imported, text, error) &&
           inline_body(self, imported, ret_body, error);
}

// ---- what bodies name ----

/* The file of a runtime import: beside the importing one, or below .github/. NULL: there is none.
   Only the agent's job reads it. */
static bool find_runtime(const Importer *self, const char *importer, const char *file,
                         char **ret_path, char **ret_real, GError **error)
{
    g_autofree char *other = g_strconcat(GITHUB_DIR "/", file, NULL);
    const char *const names[] = { file, other };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = NULL;
        g_autoptr(GError) problem = NULL;
        if (import_path(importer, names[i], GITHUB_DIR, &path, &problem) &&
            find_file(self, path, GITHUB_DIR, ret_real, &problem)) {
            *ret_path = g_steal_pointer(&path);
            return true;
        }
        if (!error_is(problem, KEDGE_ERROR_NOT_FOUND))
            return pass_error(error, &problem);
    }
    return true;
}

static bool read_runtime(Importer *self, const char *importer, const char *file, char **ret_text,
                         GError **error)
{
    g_autofree char *path = NULL, *real = NULL, *text = NULL;
    g_autoptr(WmTask) imported = NULL;
    size_t size = 0;
    if (!find_runtime(self, importer, file, &path, &real, error))
        return false;
    return !path ||
           (check_bounds(self, path, error) && read_text(self, path, real, &text, &size, error) &&
            task_imports_parse(text, size, path, &imported, error) &&
            inline_body(self, imported, ret_text, error));
}

/* *ret_text NULL: there is no such file, which may be so. */
static bool read_named(Importer *self, const char *importer, const WmTemplateImport *import,
                       char **ret_text, GError **error)
{
    g_autofree char *path = NULL, *text = NULL;
    g_autoptr(GError) problem = NULL;
    bool is_read = import->is_runtime
                       ? read_runtime(self, importer, import->file, &text, &problem)
                       : import_path(importer, import->file, GH_AW_DIR, &path, &problem) &&
                             read_file(self, path, &text, &problem);
    if (!is_read && !(import->is_optional && error_is(problem, KEDGE_ERROR_NOT_FOUND))) {
        g_prefix_error(&problem, "{{#%s %s}}: ", import->is_runtime ? "runtime-import" : "import",
                       import->file);
        return pass_error(error, &problem);
    }
    *ret_text = is_read && !import->is_runtime && !text ? g_strdup("") : g_steal_pointer(&text);
    return true;
}

typedef struct Inlining { // of the body of an imported file
    Importer *importer;
    const WmTask *of;
    GString *out;
    const char *copied;
} Inlining;

static bool inline_one(const WmTemplateImport *import, void *user_data, GError **error)
{
    Inlining *self = user_data;
    g_autofree char *text = NULL;
    if (!read_named(self->importer, self->of->path, import, &text, error))
        return false;
    if (!text && !import->is_optional)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s: no such file: %s", self->of->path,
                         import->file);
    g_string_append_len(self->out, self->copied, (gssize)(import->start - self->copied));
    g_string_append(self->out, text ? text : "");
    self->copied = import->end;
    return true;
}

/* The body of `of` with the texts of the files that it names. */
static bool inline_body(Importer *self, const WmTask *of, char **ret_body, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    Inlining inlining = { .importer = self, .of = of, .out = out, .copied = of->body };
    g_ptr_array_add(self->open, of->path);
    if (!wm_template_imports(of->body, inline_one, &inlining, error))
        return false;
    g_ptr_array_set_size(self->open, (int)self->open->len - 1);
    g_string_append(out, inlining.copied);
    *ret_body = g_string_free(g_steal_pointer(&out), FALSE);
    return true;
}

/* Of the task's own body, whose places keep their lines. */
static bool keep_one(const WmTemplateImport *import, void *user_data, GError **error)
{
    Importer *self = user_data;
    WmTask *task = self->task;
    g_autofree char *text = NULL;
    if (json_object_get(task->inlined, import->file))
        return true;
    if (!read_named(self, task->path, import, &text, error))
        return false;
    json_set_take(task->inlined, import->file, text ? json_text(text) : json_null());
    return true;
}

// ---- which are listed ----

static bool is_edge(char c)
{
    return c == '\0' || strchr(" \t\r\n,:-[]{}'\"#", c) != NULL;
}

static bool has_word(const char *line, size_t size, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; length > 0 && i + length <= size; i++)
        if (memcmp(line + i, word, length) == 0 && (i == 0 || is_edge(line[i - 1])) &&
            (i + length == size || is_edge(line[i + length])))
            return true;
    return false;
}

/* Of the file; that of the key where the path is written in a way that is not seen here. */
static int line_of(const char *text, const char *import)
{
    int first = 0, number = 1;
    for (const char *line = text; line; number++) {
        const char *end = strchr(line, '\n');
        size_t size = end ? (size_t)(end - line) : strlen(line);
        if (first == 0 && has_word(line, size, "imports"))
            first = number;
        if (first > 0 && has_word(line, size, import))
            return number;
        if (number > 1 && size >= 3 && memcmp(line, "---", 3) == 0)
            break;
        line = end ? end + 1 : NULL;
    }
    return MAX(first, 1);
}

/* NULL: it is none. Borrowed. */
static const char *path_of(const json_t *entry)
{
    const json_t *path = json_is_object(entry) && json_object_size(entry) == 1
                             ? json_object_get(entry, "path")
                             : entry;
    return json_string_value(path);
}

static bool read_entry(Importer *self, const WmTask *of, const char *text, const json_t *entry,
                       GError **error)
{
    g_autofree char *path = NULL, *body = NULL;
    const char *import = path_of(entry);
    if (!import)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "line %d: imports: expected a list of paths, without inputs",
                         line_of(text, ""));
    if (wm_import_path(of->path, import, &path, error) && read_file(self, path, &body, error)) {
        add_body(self, body ? body : "");
        return true;
    }
    g_autofree char *shown = utf8_ellipsize(import, SHOWN_CHARS);
    g_autoptr(json_t) value = json_text(shown);
    g_autofree char *quoted = json_to_text(value); // one line, whatever it is
    g_prefix_error(error, "line %d: imports %s: ", line_of(text, import), quoted);
    return false;
}

static bool read_imports(Importer *self, const WmTask *of, const char *text, GError **error)
{
    const json_t *imports = json_object_get(of->front, "imports");
    if (!imports || json_is_null(imports))
        return true;
    g_ptr_array_add(self->open, of->path);
    if (!json_is_array(imports) && !read_entry(self, of, text, imports, error))
        return false;
    json_each (imports, index, entry)
        if (!read_entry(self, of, text, entry, error))
            return false;
    g_ptr_array_set_size(self->open, (int)self->open->len - 1);
    return true;
}

static bool read_named_files(Importer *self, GError **error)
{
    g_ptr_array_add(self->open, self->task->path);
    bool is_read = wm_template_imports(self->task->body, keep_one, self, error);
    g_ptr_array_set_size(self->open, 0);
    return is_read;
}

static bool import_all(WmTask *task, const char *text, const char *root, const GPtrArray *fresh,
                       GError **error)
{
    g_auto(Importer) self = {
        .root = root,
        .fresh = fresh,
        .task = task,
        .open = g_ptr_array_new(),
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .body = g_string_new(NULL),
    };
    task->imported = g_ptr_array_new_with_free_func(g_free);
    task->import_notes = g_ptr_array_new_with_free_func(g_free);
    task->inlined = json_object();
    settle_outputs(task->front);
    if (!read_imports(&self, task, text, error) || !read_named_files(&self, error)) {
        g_autofree char *file = g_path_get_basename(task->path);
        g_prefix_error(error, "%s: ", file);
        return false;
    }
    add_body(&self, task->body);
    g_free(task->body);
    task->body = g_strdup(self.body->str);
    return true;
}

bool wm_task_import(WmTask *task, const char *text, size_t size, const char *root,
                    const GPtrArray *fresh, GError **error)
{
    const json_t *imports = json_object_get(task->front, "imports");
    if ((!imports || json_is_null(imports)) && !strstr(task->body, "{{#"))
        return true;
    g_autofree char *valid = utf8_from_bytes(text, size);
    return import_all(task, valid, root, fresh, error);
}

static bool add_name(const WmTemplateImport *import, void *names, GError **error G_GNUC_UNUSED)
{
    g_ptr_array_add(names, g_strdup(import->file));
    return true;
}

GPtrArray *wm_import_names(const char *text, size_t size, const char *path)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(WmTask) task = NULL;
    if (!task_imports_parse(text, size, path, &task, NULL))
        return names;
    const json_t *imports = json_object_get(task->front, "imports");
    if (path_of(imports))
        g_ptr_array_add(names, g_strdup(path_of(imports)));
    json_each (imports, index, entry)
        if (path_of(entry))
            g_ptr_array_add(names, g_strdup(path_of(entry)));
    wm_template_imports(task->body, add_name, names, NULL);
    return names;
}
