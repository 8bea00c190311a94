/* See notebook.h. */
#include "tools/file/notebook.h"

#include "base/file.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"

#define MARKER     "# %% ["
#define MAX_INDENT 8

bool notebook_is(const char *path)
{
    g_autofree char *lower = g_ascii_strdown(path, -1);
    return g_str_has_suffix(lower, ".ipynb");
}

static bool is_cell_type(const char *type)
{
    static const char *const types[] = { "code", "markdown", "raw", NULL };
    return type && g_strv_contains(types, type);
}

static bool is_source(const json_t *source)
{
    size_t i = 0;
    const json_t *line = NULL;
    if (json_is_string(source))
        return true;
    json_array_foreach (source, i, line)
        if (!json_is_string(line))
            return false;
    return json_is_array(source);
}

static bool notebook_parse(const char *json, size_t size, const char *shown, json_t **ret_notebook,
                           GError **error)
{
    g_autoptr(json_t) notebook = NULL;
    g_autoptr(GError) problem = NULL;
    if (!json_parse(json, size, &notebook, &problem)) {
        if (g_error_matches(problem, KEDGE_ERROR, KEDGE_ERROR_LIMIT))
            return fail_with(error, KEDGE_ERROR_LIMIT,
                             "Notebook too large: %s: %s; append :raw to read it as text", shown,
                             problem->message);
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "Invalid JSON in notebook: %s", shown);
    }
    const json_t *cells = json_get_array(notebook, "cells");
    if (!cells)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "Invalid notebook structure (missing cells array): %s", shown);
    size_t i = 0;
    const json_t *cell = NULL;
    json_array_foreach (cells, i, cell)
        if (!is_cell_type(json_get_text(cell, "cell_type")) ||
            !is_source(json_object_get(cell, "source")))
            return fail_with(error, KEDGE_ERROR_PROTOCOL, "Invalid notebook cell %zu in %s", i,
                             shown);
    *ret_notebook = g_steal_pointer(&notebook);
    return true;
}

static void append_source(const json_t *source, GString *out)
{
    size_t i = 0;
    const json_t *line = NULL;
    if (json_is_string(source))
        g_string_append(out, json_string_value(source));
    json_array_foreach (source, i, line)
        g_string_append(out, json_string_value(line));
}

bool notebook_to_text(const char *json, size_t size, const char *shown, char **ret_text,
                      GError **error)
{
    g_autoptr(json_t) notebook = NULL;
    if (!notebook_parse(json, size, shown, &notebook, error))
        return false;
    g_autoptr(GString) out = g_string_new(NULL);
    size_t i = 0;
    const json_t *cell = NULL;
    json_array_foreach (json_get_array(notebook, "cells"), i, cell) {
        g_autoptr(GString) source = g_string_new(NULL);
        append_source(json_object_get(cell, "source"), source);
        g_string_append_printf(out, "%s%s%s] cell:%zu%s%s", i > 0 ? "\n" : "", MARKER,
                               json_get_text(cell, "cell_type"), i, source->len ? "\n" : "",
                               source->str);
    }
    *ret_text = g_strdup(out->str);
    return true;
}

typedef struct Marker {
    const char *type; // static
    int64_t index;    // -1: none that can be used
} Marker;

/* Is the line a marker? */
static bool parse_marker(const char *line, Marker *ret_marker)
{
    static const char *const types[] = { "code", "markdown", "raw" };
    if (!str_has_prefix(line, MARKER))
        return false;
    line += strlen(MARKER);
    *ret_marker = (Marker) { NULL, -1 };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (str_has_prefix(line, types[i]) && line[strlen(types[i])] == ']')
            ret_marker->type = types[i];
    if (!ret_marker->type)
        return false;
    g_autofree char *rest = g_strstrip(g_strdup(line + strlen(ret_marker->type) + 1));
    if (str_has_prefix(rest, "cell:")) {
        char *end = NULL;
        guint64 index = g_ascii_strtoull(rest + 5, &end, 10);
        bool is_number = g_ascii_isdigit(rest[5]) && *end == '\0' && index <= G_MAXINT32;
        ret_marker->index = is_number ? (int64_t)index : -1;
        return true;
    }
    return *rest == '\0';
}

/* A line that would be read as a marker can be shown, but not told from one in what comes back. */
static bool check_sources(const json_t *cells, const char *shown, GError **error)
{
    size_t i = 0;
    const json_t *cell = NULL;
    json_array_foreach (cells, i, cell) {
        g_autoptr(GString) source = g_string_new(NULL);
        append_source(json_object_get(cell, "source"), source);
        g_auto(GStrv) lines = g_strsplit(source->str, "\n", -1);
        Marker marker = { NULL, -1 };
        for (size_t line = 0; lines[line]; line++)
            if (parse_marker(lines[line], &marker))
                return fail_with(error, KEDGE_ERROR_USAGE,
                                 "Cell %zu of %s holds a line that looks like a cell marker; "
                                 "change the file with a program",
                                 i, shown);
    }
    return true;
}

static json_t *source_lines(const char *source)
{
    json_t *lines = json_array();
    while (*source) {
        const char *newline = strchr(source, '\n');
        size_t size = newline ? (size_t)(newline + 1 - source) : strlen(source);
        json_append_take(lines, json_text_n(source, size));
        source += size;
    }
    return lines;
}

/* A new cell of that type, with the id that newer formats ask for. */
static json_t *new_cell(const char *type, bool has_ids)
{
    json_t *cell = json_object();
    json_set_text(cell, "cell_type", type);
    if (has_ids) {
        g_autofree char *id = g_uuid_string_random();
        id[8] = '\0';
        json_set_text(cell, "id", id);
    }
    json_set_take(cell, "metadata", json_object());
    return cell;
}

static void set_type(json_t *cell, const char *type)
{
    json_set_text(cell, "cell_type", type);
    if (strcmp(type, "code") == 0) {
        json_object_del(cell, "attachments");
        if (!json_object_get(cell, "outputs"))
            json_set_take(cell, "outputs", json_array());
        if (!json_object_get(cell, "execution_count"))
            json_set_take(cell, "execution_count", json_null());
    } else {
        json_object_del(cell, "outputs");
        json_object_del(cell, "execution_count");
    }
}

/* What does not change stays as it is written, a string or an array. */
static void set_source(json_t *cell, const char *source)
{
    const json_t *old = json_object_get(cell, "source");
    g_autoptr(GString) before = g_string_new(NULL);
    append_source(old, before);
    if (!old || strcmp(before->str, source) != 0)
        json_set_take(cell, "source", source_lines(source));
}

typedef struct Building {
    const json_t *old; // cells
    GHashTable *used;  // indices of `old`
    json_t *cells;
    bool has_ids;
} Building;

static void add_cell(Building *self, const Marker *marker, const GString *source)
{
    bool is_kept = marker->index >= 0 && (size_t)marker->index < json_array_size(self->old) &&
                   g_hash_table_add(self->used, GINT_TO_POINTER((int)marker->index));
    json_t *cell = is_kept ? json_incref(json_array_get(self->old, (size_t)marker->index))
                           : new_cell(marker->type, self->has_ids);
    set_type(cell, marker->type);
    // the LF in front of the next marker is none of the cell
    g_autofree char *text = g_strndup(source->str, source->len ? source->len - 1 : 0);
    set_source(cell, text);
    json_append_take(self->cells, cell);
}

static bool building_build(Building *self, const char *text, const char *shown, GError **error)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) source = g_string_new(NULL);
    Marker marker = { NULL, -1 }, next;
    for (size_t i = 0; lines[i]; i++) {
        if (!parse_marker(lines[i], &next)) {
            if (!marker.type && *text)
                return fail_with(error, KEDGE_ERROR_USAGE,
                                 "Invalid notebook editable representation for %s: expected first "
                                 "line to be \"# %%%% [code] cell:0\", \"# %%%% [markdown] "
                                 "cell:0\", or \"# %%%% [raw] cell:0\".",
                                 shown);
            g_string_append_printf(source, "%s\n", lines[i]);
            continue;
        }
        if (marker.type)
            add_cell(self, &marker, source);
        marker = next;
        g_string_truncate(source, 0);
    }
    if (marker.type)
        add_cell(self, &marker, source);
    return true;
}

static json_t *new_notebook(void)
{
    json_t *notebook = json_object();
    json_set_take(notebook, "cells", json_array());
    json_set_take(notebook, "metadata", json_object());
    json_set_int(notebook, "nbformat", 4);
    json_set_int(notebook, "nbformat_minor", 5);
    return notebook;
}

static bool has_ids(const json_t *notebook)
{
    gint64 major = json_get_int(notebook, "nbformat", 4);
    return major > 4 || (major == 4 && json_get_int(notebook, "nbformat_minor", 0) >= 5);
}

/* How deep the notebook as it is indents its lines; 1 as most programs write them. */
static unsigned blanks_of(const char *json, size_t size)
{
    const char *line = json ? memmem(json, size, "\n ", 2) : NULL;
    unsigned blanks = 0;
    for (const char *p = line; p && ++p < json + size && *p == ' ' && blanks < MAX_INDENT;)
        blanks++;
    return MAX(blanks, 1);
}

bool notebook_from_text(const char *json, size_t size, const char *shown, const char *text,
                        char **ret_json, GError **error)
{
    g_autoptr(json_t) notebook = json ? NULL : new_notebook();
    if (json && (!notebook_parse(json, size, shown, &notebook, error) ||
                 !check_sources(json_get_array(notebook, "cells"), shown, error)))
        return false;
    g_autoptr(GHashTable) used = g_hash_table_new(NULL, NULL);
    g_autoptr(json_t) cells = json_array();
    Building building = { json_get_array(notebook, "cells"), used, cells, has_ids(notebook) };
    if (!building_build(&building, text, shown, error))
        return false;
    json_object_set(notebook, "cells", cells);
    g_autofree char *out = json_to_indented(notebook, blanks_of(json, size));
    bool has_newline = !json || (size > 0 && json[size - 1] == '\n');
    *ret_json = g_strconcat(out, has_newline ? "\n" : "", NULL);
    return true;
}

bool notebook_file_from_text(const char *path, const char *shown, const char *text, char **ret_json,
                             GError **error)
{
    g_autofree char *json = NULL;
    size_t size = 0;
    if (file_exists(path) && !file_read(path, LIMIT_JSON_BYTES, &json, &size, error))
        return false;
    // an empty file is a notebook that has not begun
    return notebook_from_text(size > 0 ? json : NULL, size, shown, text, ret_json, error);
}

bool notebook_is_json(const char *content)
{
    g_autoptr(json_t) notebook = NULL;
    return notebook_parse(content, strlen(content), "", &notebook, NULL);
}
