/* See archive_library.h. */
#include "base/archive_library.h"

#include "base/library.h"

#include <pthread.h>

#define LIBARCHIVE "libarchive.so.13"

// Written once, under load_once.
static Libarchive library;
static bool is_loaded;
static locale_t utf8_locale;
static pthread_once_t load_once = PTHREAD_ONCE_INIT;

static void load(void)
{
    static const LibrarySymbol symbols[] = {
#define LIBARCHIVE_ROW(name, result, arguments) LIBRARY_SYMBOL(Libarchive, "archive_", name),
        LIBARCHIVE_SYMBOLS(LIBARCHIVE_ROW)
#undef LIBARCHIVE_ROW
    };
    is_loaded = library_open(LIBARCHIVE, symbols, G_N_ELEMENTS(symbols), &library, sizeof(library));
    utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
}

bool libarchive_load(const Libarchive **ret_library, GError **error)
{
    pthread_once(&load_once, load);
    if (!is_loaded)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "archives need " LIBARCHIVE
                         ", which is not installed (package libarchive13)");
    *ret_library = &library;
    return true;
}

locale_t libarchive_enter_locale(void)
{
    return utf8_locale ? uselocale(utf8_locale) : (locale_t)0;
}

void libarchive_leave_locale(locale_t before)
{
    if (before)
        uselocale(before);
}
