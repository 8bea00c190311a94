/*
 * An issue, a pull request or its diff, from the cache or from gh (github-tool §7.8).
 */
#pragma once

#include "github/urls/item_url.h"
#include "github/view_cache.h"

typedef enum {
    VIEW_ISSUE,
    VIEW_PR,
    VIEW_DIFF,
} ViewKind;

typedef struct ViewAddress { // borrowed
    ViewKind kind;
    const char *repo; // [HOST/]OWNER/REPO; never NULL
    int64_t number;
    ItemComments comments;
    bool is_fresh; // what is kept does not do
} ViewAddress;

typedef struct View {
    ViewRow row;
    char *note;    // how fresh it is, for the reader
    char *warning; // before the text of an issue or a pull request; NULL: none
    char *problem; // of the cache; NULL: none
} View;

void view_clear(View *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(View, view_clear)

/* Blocks; errors are gh's own. */
bool view_lookup(ToolCall *call, const ViewAddress *address, View *ret_view, GError **error);
