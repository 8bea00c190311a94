/*
 * Compression in memory (compress.h): zlib's two functions for whole buffers.
 */
#include "base/compress.h"

#include "base/library.h"

#include <glib.h>
#include <pthread.h>

#define ZLIB_LIBRARY "libz.so.1"
#define FAST_LEVEL   1
#define ZLIB_OK      0

typedef struct Zlib {
    unsigned long (*bound)(unsigned long size); // compressBound
    int (*compress)(unsigned char *to, unsigned long *to_size, const unsigned char *from,
                    unsigned long from_size, int level); // compress2
    int (*restore)(unsigned char *to, unsigned long *to_size, const unsigned char *from,
                   unsigned long from_size); // uncompress
} Zlib;

// Written once, under load_once.
static Zlib zlib;
static bool is_loaded;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const LibrarySymbol symbols[] = {
        { "compressBound", offsetof(Zlib, bound) },
        { "compress2", offsetof(Zlib, compress) },
        { "uncompress", offsetof(Zlib, restore) },
    };
    is_loaded = library_open(ZLIB_LIBRARY, symbols, G_N_ELEMENTS(symbols), &zlib, sizeof(zlib));
}

char *compress_bytes(const char *bytes, size_t size, size_t *ret_size)
{
    pthread_once(&load_once, load);
    if (!is_loaded || size == 0)
        return NULL;
    unsigned long packed_size = zlib.bound(size);
    g_autofree char *packed = g_malloc(packed_size);
    if (zlib.compress((unsigned char *)packed, &packed_size, (const unsigned char *)bytes, size,
                      FAST_LEVEL) != ZLIB_OK ||
        packed_size >= size)
        return NULL;
    *ret_size = packed_size;
    return g_memdup2(packed, packed_size); // the rest of the buffer goes back
}

bool compress_restore(const char *packed, size_t packed_size, char *bytes, size_t size)
{
    pthread_once(&load_once, load);
    unsigned long restored = size;
    return is_loaded &&
           zlib.restore((unsigned char *)bytes, &restored, (const unsigned char *)packed,
                        packed_size) == ZLIB_OK &&
           restored == size;
}
