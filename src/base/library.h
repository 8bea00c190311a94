/*
 * Libraries that are opened on first use with dlopen(): linking them would cost every start their
 * loading, and would need them where their feature is not used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct LibrarySymbol {
    const char *name;
    size_t offset; // of the function pointer in the caller's table
} LibrarySymbol;

/* A row for `member` of the struct `Table`, whose symbol is prefix + member. */
#define LIBRARY_SYMBOL(Table, prefix, member)                                                      \
    {                                                                                              \
        prefix #member, offsetof(Table, member)                                                    \
    }

/* Opens `file` ("libcurl.so.4") for the rest of the process and fills `table`, a struct of function
   pointers only, of which each has its row. False, with `table` untouched, when there is no such
   library or a symbol is missing in it. Call it once: under pthread_once(). */
bool library_open(const char *file, const LibrarySymbol *symbols, size_t count, void *table,
                  size_t table_bytes);
