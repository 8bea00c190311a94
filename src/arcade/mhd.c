/*
 * Opening libmicrohttpd (mhd.h).
 */
#include "arcade/mhd.h"

#include <dlfcn.h>
#include <pthread.h>

#define MHD_LIBRARY "libmicrohttpd.so.12"

// Written once, under mhd_once.
static MhdApi mhd;
static bool is_mhd_loaded;
static pthread_once_t mhd_once = PTHREAD_ONCE_INIT;

static void mhd_load(void)
{
    static const struct {
        const char *name;
        size_t offset;
    } symbols[] = {
#define MHD_ROW(name) { "MHD_" #name, offsetof(MhdApi, name) },
        MHD_SYMBOLS(MHD_ROW)
#undef MHD_ROW
    };
    void *library = dlopen(MHD_LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return;
    for (size_t i = 0; i < G_N_ELEMENTS(symbols); i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol)
            return;
        // ISO C knows no conversion from object to function pointers
        memcpy((char *)&mhd + symbols[i].offset, &symbol, sizeof(symbol));
    }
    is_mhd_loaded = true;
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
