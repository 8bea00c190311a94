/*
 * The page: its files are part of the program (tools/embed makes a source file of src/arcade/page).
 *
 * The shell is served at every address of a page. The other files are below /assets/HASH/, where
 * HASH is that of all of them, so that they may be kept for ever and refer to each other by their
 * names; in the shell, @assets@ stands for /assets/HASH. Constant; thread safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct Asset {
    const char *name;
    const char *content_type;
    const unsigned char *data;
    size_t size;
} Asset;

extern const char asset_hash[];   // made by tools/embed
extern const Asset asset_files[]; // ends with one without a name

const Asset *assets_page(void);
const Asset *assets_frame(void); // the script of the frame in which mermaid draws
const Asset *assets_find(const char *hash, const char *name); // NULL: none; the shell is not found
