/* See assets.h. */
#include "arcade/assets.h"

#include <glib.h>

#define PAGE_NAME  "index.html"
#define FRAME_NAME "frame.js"

static const Asset *find(const char *name)
{
    for (const Asset *asset = asset_files; asset->name; asset++)
        if (strcmp(asset->name, name) == 0)
            return asset;
    return NULL;
}

const Asset *assets_page(void)
{
    const Asset *page = find(PAGE_NAME);
    g_assert(page);
    return page;
}

const Asset *assets_frame(void)
{
    const Asset *frame = find(FRAME_NAME);
    g_assert(frame);
    return frame;
}

const Asset *assets_find(const char *hash, const char *name)
{
    bool is_found = strcmp(hash, asset_hash) == 0 && strcmp(name, PAGE_NAME) != 0;
    return is_found ? find(name) : NULL;
}
