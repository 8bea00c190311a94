/*
 * One file from GitHub into a directory of downloads: bounded, checked, and there as a whole or not
 * at all. Blocks; thread safe.
 */
#pragma once

#include "github/rest/rest.h"

typedef struct DownloadSpec { // borrowed
    Rest *rest;
    const char *path, *accept; // as of RestFetch
    const char *operation;     // for error texts
    const char *dir;           // made when it is not there
    const char *name;          // of the file: download_name_problem() has none with it
    const char *digest;        // "sha256:…" as GitHub gives it; NULL: none
    int64_t size;              // that GitHub says it has; -1: unknown
    bool is_size_exact;        // else it only tells what is too large before it is asked for
    int64_t max_bytes;
    void (*progress)(int64_t done_bytes, void *user_data); // on this thread; NULL
    void *user_data;
} DownloadSpec;

typedef struct Download {
    char *path;
    int64_t size;
    char *sha256;     // hexadecimal
    bool is_verified; // against GitHub's digest
} Download;

void download_clear(Download *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Download, download_clear)

/* A file that is there is not touched: DENIED. LIMIT for one that is too large, PROTOCOL for one of
   another size or digest than GitHub says. Nothing is left of a download that fails, however it
   ends. */
bool download_file(const DownloadSpec *spec, Cancel *cancel, Download *ret_download,
                   GError **error);
