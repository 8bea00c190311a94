/* See task_source.h. */
#include "wm/task/task_source.h"

#include "base/env.h"
#include "base/str.h"
#include "wm/task/task.h"

#include <string.h>

#define RAW_BASE    "https://raw.githubusercontent.com"
#define DEFAULT_REF "main"
#define SUFFIX      ".md"
#define ANY_NAME    "task.md" // of a text that has none yet

void wm_source_clear(WmSource *self)
{
    g_free(self->text);
    g_free(self->owner);
    g_free(self->repo);
    g_free(self->ref);
    g_free(self->path);
    *self = (WmSource) { 0 };
}

static bool has_suffix(const char *text)
{
    size_t size = strlen(text), suffix = strlen(SUFFIX);
    return size >= suffix && str_equal_nocase(text + size - suffix, SUFFIX);
}

static bool is_url(const char *text)
{
    return str_has_prefix(text, "https://") || str_has_prefix(text, "http://");
}

/* One of the steps of `path` is "." or "..": in an address it leads to another repository. */
static bool leads_elsewhere(const char *path)
{
    g_auto(GStrv) steps = g_strsplit(path, "/", -1);
    return g_strv_contains((const char *const *)steps, "..") ||
           g_strv_contains((const char *const *)steps, ".");
}

/* owner/repo/path[@ref], nothing of it empty, no step upwards. */
static bool split_repository(const char *text, WmSource *self)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", 3);
    if (g_strv_length(parts) != 3)
        return false;
    char *at = strrchr(parts[2], '@');
    if (at)
        *at = '\0';
    if (parts[0][0] == '\0' || parts[1][0] == '\0' || parts[2][0] == '\0' || (at && !at[1]))
        return false;
    if (leads_elsewhere(text) || leads_elsewhere(parts[2]) || (at && leads_elsewhere(at + 1)))
        return false;
    self->kind = WM_FROM_REPOSITORY;
    self->owner = g_strdup(parts[0]);
    self->repo = g_strdup(parts[1]);
    self->path = g_strdup(parts[2]);
    self->ref = at ? g_strdup(at + 1) : NULL;
    return true;
}

bool wm_source_of_argument(const char *argument, WmSource *ret_source, GError **error)
{
    g_autofree char *text = g_strstrip(g_strdup(argument));
    WmSource source = { .kind = WM_FROM_FILE };
    if (*text == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "cannot derive a task name from \"\"");
    if (is_url(text))
        source.kind = WM_FROM_URL;
    else if (*text != '/' && *text != '.')
        split_repository(text, &source);
    source.text = g_steal_pointer(&text);
    *ret_source = source;
    return true;
}

bool wm_source_of_task(const char *text, WmSource *ret_source)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    WmSource source = { .kind = WM_FROM_URL };
    if (!is_url(trimmed) && !split_repository(trimmed, &source))
        return false;
    source.text = g_steal_pointer(&trimmed);
    *ret_source = source;
    return true;
}

/* The path of a URL without query and fragment. NULL: it has none, or is no URL. Caller frees. */
static char *url_path(const char *url)
{
    g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL);
    return uri ? g_strdup(g_uri_get_path(uri)) : NULL;
}

bool wm_source_file_name(const WmSource *self, char **ret_name, GError **error)
{
    g_autofree char *path = self->kind == WM_FROM_URL          ? url_path(self->text)
                            : self->kind == WM_FROM_REPOSITORY ? g_strdup(self->path)
                                                               : g_strdup(self->text);
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *segment = slash ? slash + 1 : path;
    g_autofree char *name = !segment                    ? NULL
                            : self->kind == WM_FROM_URL ? g_uri_unescape_string(segment, "")
                                                        : g_strdup(segment);
    if (name && has_suffix(name))
        name[strlen(name) - strlen(SUFFIX)] = '\0';
    if (!name || strstr(name, "..") || !wm_task_name_is_valid(name))
        return fail_with(error, KEDGE_ERROR_FAILED, "cannot derive a task name from \"%s\"",
                         self->text);
    *ret_name = g_strconcat(name, SUFFIX, NULL);
    return true;
}

char *wm_source_raw_url(const WmSource *self, const char *path)
{
    const char *given = env_get_raw("KEDGE_RAW_BASE_URL");
    g_autofree char *base = g_strdup(given ? given : RAW_BASE);
    while (g_str_has_suffix(base, "/"))
        base[strlen(base) - 1] = '\0';
    g_autofree char *owner = g_uri_escape_string(self->owner, NULL, FALSE);
    g_autofree char *repo = g_uri_escape_string(self->repo, NULL, FALSE);
    g_autofree char *ref = g_uri_escape_string(self->ref ? self->ref : DEFAULT_REF, "/", FALSE);
    g_autofree char *file = g_uri_escape_string(path, "/", FALSE);
    return g_strjoin("/", base, owner, repo, ref, file, NULL);
}

char *wm_source_record(const WmSource *self, const char *path)
{
    return g_strconcat(self->owner, "/", self->repo, "/", path, self->ref ? "@" : "",
                       self->ref ? self->ref : "", NULL);
}

/* Without what wm_task_parse() says before the reason. */
static bool task_source_parse(const char *text, size_t size, WmTask **ret_task, GError **error)
{
    g_autoptr(GError) problem = NULL;
    if (wm_task_parse(text, size, ANY_NAME, NULL, ret_task, &problem))
        return true;
    const char *reason = problem->message;
    static const char *const heads[] = { ANY_NAME ": ", "yaml frontmatter: " };
    for (size_t i = 0; i < G_N_ELEMENTS(heads); i++)
        reason += str_has_prefix(reason, heads[i]) ? strlen(heads[i]) : 0;
    return fail_with(error, problem->code, "%s", reason);
}

bool wm_source_check(const char *text, size_t size, bool *ret_is_split, bool *ret_has_source,
                     GError **error)
{
    g_autofree char *yaml = NULL, *body = NULL;
    g_autoptr(WmTask) task = NULL;
    *ret_is_split = false;
    if (memchr(text, '\0', size))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "not a text");
    if (!wm_task_split(text, size, &yaml, &body, error))
        return false;
    *ret_is_split = true;
    if (!task_source_parse(text, size, &task, error))
        return false;
    if (ret_has_source)
        *ret_has_source = json_object_get(task->front, "source") != NULL;
    return true;
}

bool wm_source_insert(const char *text, const char *source, char **ret_text, GError **error)
{
    g_autoptr(WmTask) old = NULL, task = NULL;
    if (!task_source_parse(text, strlen(text), &old, error))
        return false;
    if (json_object_get(old->front, "source")) {
        *ret_text = g_strdup(text);
        return true;
    }
    size_t first = strcspn(text, "\n");
    const char *end = first > 0 && text[first - 1] == '\r' ? "\r\n" : "\n";
    g_autoptr(json_t) value = json_text(source);
    g_autofree char *quoted = json_to_text(value), *head = g_strndup(text, first + 1);
    g_autofree char *made = g_strconcat(head, "source: ", quoted, end, text + first + 1, NULL);
    // in a frontmatter that is indented, or one map in braces, a line more is another text
    json_object_set(old->front, "source", value);
    if (!task_source_parse(made, strlen(made), &task, NULL) || !json_equal(old->front, task->front))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "no line source: %s can be added to its frontmatter; add it by hand",
                         quoted);
    *ret_text = g_steal_pointer(&made);
    return true;
}
