/*
 * Making what is kept in memory smaller, with zlib, which is opened on first use. Thread safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Fast rather than small. NULL: there is no zlib here, or nothing would be gained. Caller frees. */
char *compress_bytes(const char *bytes, size_t size, size_t *ret_size);

/* What compress_bytes() made of `size` bytes back into `bytes`. False: it is not that. */
bool compress_restore(const char *packed, size_t packed_size, char *bytes, size_t size);
