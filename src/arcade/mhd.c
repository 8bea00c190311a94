/* See mhd.h. */
#include "arcade/mhd.h"

#include "base/library.h"

#include <pthread.h>

#define MHD_LIBRARY "libmicrohttpd.so.12"

// Written once, under mhd_once.
static MhdApi mhd;
static bool is_mhd_loaded;
static pthread_once_t mhd_once = PTHREAD_ONCE_INIT;

static void mhd_load(void)
{
    static const LibrarySymbol symbols[] = {
#define MHD_ROW(name) LIBRARY_SYMBOL(MhdApi, "MHD_", name),
        MHD_SYMBOLS(MHD_ROW)
#undef MHD_ROW
    };
    is_mhd_loaded = library_open(MHD_LIBRARY, symbols, G_N_ELEMENTS(symbols), &mhd, sizeof(mhd));
}

const MhdApi *mhd_api(GError **error)
{
    pthread_once(&mhd_once, mhd_load);
    if (is_mhd_loaded)
        return &mhd;
    fail_with(error, KEDGE_ERROR_NOT_FOUND,
              "Arcade needs " MHD_LIBRARY ", at least 0.9.73 (package libmicrohttpd12)");
    return NULL;
}
