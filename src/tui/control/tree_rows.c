/*
 * The lines of a session's tree (tree_rows.h). Only where a shown entry has several shown ones
 * after it do the lines move to the right: a long conversation stays straight.
 */
#include "tui/control/tree_rows.h"

#include "model/message.h"

enum { MAX_INDENT = 8, TEXT_BYTES = 400 };

static const char *const filter_names[TREE_FILTER_COUNT] = {
    "default", "no-tools", "user-only", "labeled-only", "all",
};

const char *tree_filter_name(TreeFilter filter)
{
    return filter_names[filter];
}

TreeFilter tree_filter_parse(const char *name)
{
    for (int filter = 0; filter < TREE_FILTER_COUNT; filter++) {
        if (g_strcmp0(filter_names[filter], name) == 0)
            return filter;
    }
    return TREE_DEFAULT;
}

typedef struct Node {
    const json_t *entry;
    GPtrArray *children; // shown nodes, borrowed
    bool is_shown, is_active;
} Node;

typedef struct Tree {
    const json_t *labels;
    const char *leaf_id;
    GPtrArray *nodes;  // Node *, in the order of the file
    GHashTable *by_id; // borrowed
    GPtrArray *roots;  // shown ones, borrowed
} Tree;

static void node_free(void *node_)
{
    Node *node = node_;
    g_ptr_array_unref(node->children);
    g_free(node);
}

static void line_free(void *line_)
{
    TreeLine *line = line_;
    g_free(line->text);
    g_free(line);
}

static void tree_clear(Tree *self)
{
    g_ptr_array_unref(self->nodes);
    g_ptr_array_unref(self->roots);
    g_hash_table_unref(self->by_id);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tree, tree_clear)

// ---- what is shown ----

static const char *role_of(const json_t *entry)
{
    const char *type = json_get_text(entry, "type");
    if (g_strcmp0(type, "message") == 0)
        return message_role(json_get_object(entry, "message"));
    return type ? type : "";
}

/* An answer that only calls tools says nothing, unless it failed. */
static bool is_only_calls(const json_t *message)
{
    g_autofree char *text = message_text(message);
    return *text == '\0' && !message_error(message);
}

static bool is_hidden_by_default(const Tree *self, const json_t *entry)
{
    static const char *const hidden[] = { "label", "custom", "model_change",
                                          "thinking_level_change", NULL };
    const char *role = role_of(entry);
    if (g_strv_contains(hidden, role))
        return true;
    return g_str_equal(role, "assistant") &&
           g_strcmp0(json_get_text(entry, "id"), self->leaf_id) != 0 &&
           is_only_calls(json_get_object(entry, "message"));
}

static bool is_shown(const Tree *self, const json_t *entry, TreeFilter filter)
{
    const char *role = role_of(entry);
    switch (filter) {
    case TREE_ALL:
        return true;
    case TREE_USER_ONLY:
        return g_str_equal(role, "user");
    case TREE_LABELED_ONLY:
        return json_get_text(self->labels, json_get_text(entry, "id")) != NULL;
    case TREE_NO_TOOLS:
        return !g_str_equal(role, "toolResult") && !is_hidden_by_default(self, entry);
    case TREE_DEFAULT:
    case TREE_FILTER_COUNT:
        break;
    }
    return !is_hidden_by_default(self, entry);
}

// ---- who comes after whom ----

static Node *parent_of(const Tree *self, const Node *node)
{
    const char *id = json_get_text(node->entry, "parentId");
    return id ? g_hash_table_lookup(self->by_id, id) : NULL;
}

/* Bounded by the number of nodes: a file may say that two are each other's parents. */
static Node *shown_parent(const Tree *self, const Node *node)
{
    Node *parent = parent_of(self, node);
    for (guint i = 0; parent && !parent->is_shown && i < self->nodes->len; i++)
        parent = parent_of(self, parent);
    return parent && parent->is_shown ? parent : NULL;
}

static void add_nodes(Tree *self, const json_t *entries, TreeFilter filter)
{
    json_each (entries, i, entry) {
        const char *id = json_get_text(entry, "id");
        if (!id || g_hash_table_contains(self->by_id, id))
            continue;
        Node *node = g_new0(Node, 1);
        node->entry = entry;
        node->children = g_ptr_array_new();
        node->is_shown = is_shown(self, entry, filter);
        g_ptr_array_add(self->nodes, node);
        g_hash_table_insert(self->by_id, (char *)id, node);
    }
}

static void mark_active(Tree *self)
{
    Node *node = self->leaf_id ? g_hash_table_lookup(self->by_id, self->leaf_id) : NULL;
    while (node && !node->is_active) {
        node->is_active = true;
        node = parent_of(self, node);
    }
}

static void tree_join(Tree *self)
{
    for (guint i = 0; i < self->nodes->len; i++) {
        Node *node = self->nodes->pdata[i];
        Node *parent = node->is_shown ? shown_parent(self, node) : NULL;
        if (node->is_shown && parent != node)
            g_ptr_array_add(parent ? parent->children : self->roots, node);
    }
}

// ---- lines ----

static char *text_of_message(const json_t *message)
{
    const char *const keys[] = { "command", "code", "toolName" };
    const char *instead = message_error(message);
    g_autofree char *text = message_text(message);
    for (size_t i = 0; i < G_N_ELEMENTS(keys) && !instead; i++)
        instead = json_get_text(message, keys[i]);
    return g_strndup(*text || !instead ? text : instead, TEXT_BYTES);
}

static char *text_of(const json_t *entry)
{
    const char *const keys[] = { "summary", "content", "label", "model", "thinkingLevel", "mode" };
    const json_t *message = json_get_object(entry, "message");
    if (message)
        return text_of_message(message);
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        const char *text = json_get_text(entry, keys[i]);
        if (text)
            return g_strndup(text, TEXT_BYTES);
    }
    return g_strdup("");
}

static void add_line(const Tree *self, const Node *node, int indent, GPtrArray *out)
{
    const char *id = json_get_text(node->entry, "id"), *label = json_get_text(self->labels, id);
    g_autofree char *text = text_of(node->entry);
    g_autofree char *end = g_utf8_make_valid(text, -1);
    TreeLine *line = g_new0(TreeLine, 1);
    line->entry_id = id;
    line->is_active = node->is_active;
    line->is_leaf = g_strcmp0(id, self->leaf_id) == 0;
    line->text = g_strdup_printf("%*s%s%s%s%s%s: %s", MIN(indent, MAX_INDENT) * 2, "",
                                 node->is_active ? "• " : "  ", label ? "[" : "",
                                 label ? label : "", label ? "] " : "", role_of(node->entry), end);
    g_ptr_array_add(out, line);
}

typedef struct Place {
    const Node *node;
    int indent;
} Place;

/* After what is there already, the first child on top of the stack. */
static void push_all(GArray *stack, const GPtrArray *nodes, int indent)
{
    for (guint i = nodes->len; i > 0; i--) {
        const Place place = { nodes->pdata[i - 1], indent };
        g_array_append_val(stack, place);
    }
}

GPtrArray *tree_lines(const json_t *tree, TreeFilter filter)
{
    g_auto(Tree) self = {
        .labels = json_get_object(tree, "labels"),
        .leaf_id = json_get_text(tree, "leafId"),
        .nodes = g_ptr_array_new_with_free_func(node_free),
        .by_id = g_hash_table_new(g_str_hash, g_str_equal),
        .roots = g_ptr_array_new(),
    };
    GPtrArray *lines = g_ptr_array_new_with_free_func(line_free);
    g_autoptr(GArray) stack = g_array_new(false, false, sizeof(Place));
    add_nodes(&self, json_get_array(tree, "entries"), filter);
    mark_active(&self);
    tree_join(&self);
    push_all(stack, self.roots, 0);
    while (stack->len > 0) {
        const Place place = g_array_index(stack, Place, stack->len - 1);
        g_array_set_size(stack, stack->len - 1);
        add_line(&self, place.node, place.indent, lines);
        push_all(stack, place.node->children,
                 place.indent + (place.node->children->len > 1 ? 1 : 0));
    }
    return lines;
}
