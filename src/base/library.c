/*
 * Opening a library and finding its symbols (library.h).
 */
#include "base/library.h"

#include <dlfcn.h>
#include <glib.h>
#include <string.h>

bool library_open(const char *file, const LibrarySymbol *symbols, size_t count, void *table,
                  size_t table_bytes)
{
    g_assert(table_bytes == count * sizeof(void *)); // no pointer is left without a symbol
    void *library = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!library)
        return false;
    g_autofree char *found = g_malloc0(table_bytes);
    for (size_t i = 0; i < count; i++) {
        void *symbol = dlsym(library, symbols[i].name);
        if (!symbol) {
            dlclose(library);
            return false;
        }
        // ISO C knows no conversion from object to function pointers
        memcpy(found + symbols[i].offset, &symbol, sizeof(symbol));
    }
    memcpy(table, found, table_bytes);
    return true;
}
