/*
 * Arguments of a call that no title can say, as the lines of a compact tree (block_private.h):
 * objects are indented, what is short stays on its line.
 */
#include "base/str.h"
#include "tui/view/block_private.h"

enum {
    TREE_LINES = 10,             // when not expanded
    TREE_DEPTH = 8,              // below it a value is one line
    TREE_SHORT_CHARS = 60,       // a value as short as that is one line
    TREE_VALUE_BYTES = 4 * 1024, // of one value that is one line
    TREE_BYTES = 256 * 1024,     // of all
};

/* Short in what it holds, so that its JSON is worth making? */
static bool is_small(const json_t *value, int *budget)
{
    if (json_is_string(value))
        *budget -= (int)MIN(json_string_length(value), (size_t)TREE_SHORT_CHARS);
    *budget -= 2;
    json_each_member (value, key, item) {
        *budget -= (int)MIN(strlen(key), (size_t)TREE_SHORT_CHARS);
        if (*budget < 0 || !is_small(item, budget))
            return false;
    }
    json_each (value, i, item) {
        if (*budget < 0 || !is_small(item, budget))
            return false;
    }
    return *budget >= 0;
}

static bool is_branch(const json_t *value, int depth)
{
    int budget = TREE_SHORT_CHARS;
    bool has_more = json_object_size(value) > 0 || json_array_size(value) > 0;
    return has_more && depth < TREE_DEPTH && !is_small(value, &budget);
}

/* Lines stay lines, below their key. */
static void append_text(GString *out, const json_t *value, int depth)
{
    size_t size = MIN(json_string_length(value), (size_t)TREE_VALUE_BYTES);
    g_autoptr(json_t) start = json_text_n(json_string_value(value), size);
    if (!strchr(json_string_value(start), '\n')) {
        g_autofree char *json = json_to_text(start);
        g_string_append_printf(out, " %s", json);
        return;
    }
    g_auto(GStrv) lines = g_strsplit(json_string_value(start), "\n", -1);
    for (size_t i = 0; lines[i]; i++) {
        if (*lines[i] || lines[i + 1])
            g_string_append_printf(out, "\n%*s%s", (depth + 1) * 2, "", lines[i]);
    }
}

static void append_leaf(GString *out, const json_t *value, int depth)
{
    if (json_is_string(value)) {
        append_text(out, value, depth);
        return;
    }
    g_autofree char *json = json_to_text(value);
    g_autofree char *start = str_truncate(json, TREE_VALUE_BYTES);
    g_string_append_printf(out, " %s", start);
}

static void append_value(GString *out, const json_t *value, int depth);

static void append_item(GString *out, const char *key, const json_t *value, int depth)
{
    g_string_append_printf(out, "%s%*s%s", out->len > 0 ? "\n" : "", depth * 2, "", key);
    if (is_branch(value, depth + 1))
        append_value(out, value, depth + 1);
    else
        append_leaf(out, value, depth);
}

static void append_value(GString *out, const json_t *value, int depth)
{
    json_each_member (value, key, item) {
        if (out->len > TREE_BYTES)
            return;
        g_autofree char *name = block_clean_line(key, TREE_SHORT_CHARS);
        g_autofree char *label = g_strconcat(name, ":", NULL);
        if (depth > 0 || strcmp(key, "_i") != 0)
            append_item(out, label, item, depth);
    }
    json_each (value, i, item) {
        if (out->len > TREE_BYTES)
            return;
        append_item(out, "-", item, depth);
    }
}

void block_tree(const json_t *value, const BlockSpec *spec, GPtrArray *out)
{
    g_autoptr(GString) text = g_string_new(NULL);
    append_value(text, value, 0);
    const LinesSpec lines = {
        .block = spec,
        .style = { .fg = TOKEN_MUTED },
        .max_lines = TREE_LINES,
    };
    block_lines(text->str, text->len, &lines, out);
}
