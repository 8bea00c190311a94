/* See validate_lines.h. */
#include "wm/compile/validate_lines.h"

#include "base/file.h"
#include "base/yaml.h"
#include "wm/task/task.h"

#include <string.h>

#define EXPRESSION "expression \""

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

/* Line of the first `text` in the body. 0: not there. */
static int wm_lines_of_body(const WmLines *self, const char *text)
{
    const char *at = self->body ? strstr(self->body, text) : NULL;
    return at ? self->before_body + count_lines(self->body, at) + 1 : 0;
}

// What is between `start` and the next quote.
static char *up_to_quote(const char *start)
{
    return g_strndup(start, strcspn(start, "\""));
}

static int line_of_text(const WmLines *self, const char *text)
{
    if (g_str_has_prefix(text, EXPRESSION)) {
        g_autofree char *expression = up_to_quote(text + strlen(EXPRESSION));
        return wm_lines_of_body(self, expression);
    }
    if (g_str_has_prefix(text, "unsupported gh-aw template directive"))
        return wm_lines_of_body(self, "{{#");
    if (g_str_has_prefix(text, "unknown engine "))
        return wm_lines_of_key(self, "engine");
    size_t size = strcspn(text, ": ");
    g_autofree char *address = g_strndup(text, size);
    const char *rest = text + size;
    if (!g_str_has_prefix(rest, ": \""))
        return wm_lines_of_key(self, address);
    g_autofree char *child = up_to_quote(rest + strlen(": \""));
    g_autofree char *whole = g_strconcat(address, ".", child, NULL);
    return wm_lines_of_key(self, whole);
}

char *wm_lines_put(const WmLines *self, const char *path, const char *text)
{
    int line = line_of_text(self, text);
    return line > 0 ? g_strdup_printf("%s: line %d: %s", path, line, text)
                    : g_strdup_printf("%s: %s", path, text);
}
