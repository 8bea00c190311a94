/*
 * The tree of a session as lines (agent-core §7.9): which entries are shown, and where they stand.
 * Pure.
 */
#pragma once

#include "base/json.h"

typedef enum { // setting treeFilterMode
    TREE_DEFAULT,
    TREE_NO_TOOLS,
    TREE_USER_ONLY,
    TREE_LABELED_ONLY,
    TREE_ALL,
    TREE_FILTER_COUNT,
} TreeFilter;

const char *tree_filter_name(TreeFilter filter);
TreeFilter tree_filter_parse(const char *name); // TREE_DEFAULT when it is none

typedef struct TreeLine {
    const char *entry_id; // borrowed from the tree
    char *text;           // "│ user: what for?", as it came
    bool is_active;       // on the way to the leaf
    bool is_leaf;
} TreeLine;

/* `tree` is {"leafId","entries","labels"}, borrowed as long as the lines are; their order is that
   of the branches, the older ones first. Of TreeLine *. Caller unrefs. */
GPtrArray *tree_lines(const json_t *tree, TreeFilter filter);
