/* See validate_lines.h. */
#include "wm/compile/validate_lines.h"

#include "base/file.h"
#include "base/yaml.h"
#include "wm/task/task.h"

#include <string.h>

struct WmLines {
    YamlTree tree;
    int before;      // lines of the file before the YAML
    char *body;      // NULL: none
    int before_body; // lines of the file before it
};

static int count_lines(const char *start, const char *end)
{
    int count = 0;
    for (const char *at = start; at < end; at++)
        count += *at == '\n';
    return count;
}

static bool read_tree(const char *yaml, size_t size, YamlTree *ret_tree)
{
    g_autoptr(json_t) value = NULL;
    return yaml_parse_tree(yaml, size, NULL, ret_tree, &value, NULL);
}

static void read_parts(WmLines *self, const char *text, size_t size)
{
    g_autofree char *yaml = NULL, *body = NULL;
    if (!wm_task_split(text, size, &yaml, &body, NULL))
        return;
    const char *yaml_at = strstr(text, yaml);
    const char *body_at = yaml_at ? strstr(yaml_at + strlen(yaml), body) : NULL;
    if (!body_at || !read_tree(yaml, strlen(yaml), &self->tree))
        return;
    self->before = count_lines(text, yaml_at);
    self->before_body = count_lines(text, body_at);
    self->body = g_steal_pointer(&body);
}

WmLines *wm_lines_new(const char *root, const char *path)
{
    WmLines *self = g_new0(WmLines, 1);
    g_autofree char *file = g_build_filename(root, path, NULL);
    g_autofree char *text = NULL;
    size_t size = 0;
    if (!file_read(file, WM_MAX_TASK_BYTES, &text, &size, NULL) ||
        !g_utf8_validate(text, (gssize)size, NULL))
        return self;
    if (g_str_has_suffix(path, ".yml"))
        read_tree(text, size, &self->tree);
    else
        read_parts(self, text, size);
    return self;
}

void wm_lines_free(WmLines *self)
{
    if (!self)
        return;
    yaml_tree_clear(&self->tree);
    g_free(self->body);
    g_free(self);
}

static const YamlNode *find_key(const YamlNode *map, const char *key)
{
    if (!map || map->kind != YAML_MAP)
        return NULL;
    g_autofree char *wanted = g_strdelimit(g_strdup(key), "_", '-');
    yaml_map_foreach (map, node) {
        g_autofree char *name = g_strdelimit(g_strdup(node->text), "_", '-');
        if (strcmp(name, wanted) == 0)
            return node;
    }
    return NULL;
}

/* Line (from 1) of a key by its address, "on.issues.types"; of the nearest map around it when the
   rest has no line of its own. `-` and `_` are the same. 0: not there. */
static int wm_lines_of_key(const WmLines *self, const char *address)
{
    g_auto(GStrv) keys = g_strsplit(address, ".", -1);
    const YamlNode *map = yaml_tree_root(&self->tree);
    int line = 0;
    for (char **key = keys; *key; key++) {
        const YamlNode *node = find_key(map, *key);
        if (!node)
            break;
        line = self->before + node->line;
        map = node + 1;
    }
    return line;
}

/* Of a place in the body; it is the last part of the task's, after those of imports. */
static int wm_lines_of_body(const WmLines *self, size_t before_end)
{
    size_t size = self->body ? strlen(self->body) : 0;
    if (before_end > size)
        return 0;
    return self->before_body + count_lines(self->body, self->body + size - before_end) + 1;
}

int wm_lines_of(const WmLines *self, const WmNote *note)
{
    if (note->before_end > 0)
        return wm_lines_of_body(self, note->before_end);
    return note->key ? wm_lines_of_key(self, note->key) : 0;
}
