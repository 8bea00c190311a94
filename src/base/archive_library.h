/*
 * The functions of libarchive that base/archive*.c call. Private to them. Thread safe.
 */
#pragma once

#include "base/error.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct archive; // libarchive's own, never looked into
struct archive_entry;

enum { LIBARCHIVE_EOF = 1, LIBARCHIVE_OK = 0, LIBARCHIVE_WARN = -20 };
enum {
    LIBARCHIVE_FORMAT_BASE_MASK = 0xff0000,
    LIBARCHIVE_FORMAT_TAR = 0x30000,
    LIBARCHIVE_FORMAT_ZIP = 0x50000,
    LIBARCHIVE_FILTER_GZIP = 1,
};

#define LIBARCHIVE_SYMBOLS(X)                                                                      \
    X(read_new, struct archive *, (void))                                                          \
    X(read_free, int, (struct archive *))                                                          \
    X(read_support_filter_gzip, int, (struct archive *))                                           \
    X(read_support_format_tar, int, (struct archive *))                                            \
    X(read_support_format_zip, int, (struct archive *))                                            \
    X(read_support_format_empty, int, (struct archive *))                                          \
    X(read_open_fd, int, (struct archive *, int fd, size_t block))                                 \
    X(read_next_header, int, (struct archive *, struct archive_entry **))                          \
    X(read_data, ssize_t, (struct archive *, void *, size_t))                                      \
    X(read_data_block, int, (struct archive *, const void **, size_t *, int64_t *))                \
    X(read_support_format_raw, int, (struct archive *))                                            \
    X(filter_bytes, int64_t, (struct archive *, int filter))                                       \
    X(filter_code, int, (struct archive *, int filter))                                            \
    X(error_string, const char *, (struct archive *))                                              \
    X(format, int, (struct archive *))                                                             \
    X(write_new, struct archive *, (void))                                                         \
    X(write_free, int, (struct archive *))                                                         \
    X(write_close, int, (struct archive *))                                                        \
    X(write_add_filter_gzip, int, (struct archive *))                                              \
    X(write_set_format_zip, int, (struct archive *))                                               \
    X(write_set_format_pax_restricted, int, (struct archive *))                                    \
    X(write_open_fd, int, (struct archive *, int fd))                                              \
    X(write_header, int, (struct archive *, struct archive_entry *))                               \
    X(write_data, ssize_t, (struct archive *, const void *, size_t))                               \
    X(entry_new, struct archive_entry *, (void))                                                   \
    X(entry_clone, struct archive_entry *, (struct archive_entry *))                               \
    X(entry_sparse_clear, void, (struct archive_entry *))                                          \
    X(entry_free, void, (struct archive_entry *))                                                  \
    X(entry_pathname, const char *, (struct archive_entry *))                                      \
    X(entry_filetype, unsigned, (struct archive_entry *))                                          \
    X(entry_perm, unsigned, (struct archive_entry *))                                              \
    X(entry_size, int64_t, (struct archive_entry *))                                               \
    X(entry_symlink, const char *, (struct archive_entry *))                                       \
    X(entry_hardlink, const char *, (struct archive_entry *))                                      \
    X(entry_is_data_encrypted, int, (struct archive_entry *))                                      \
    X(entry_set_pathname, void, (struct archive_entry *, const char *))                            \
    X(entry_set_filetype, void, (struct archive_entry *, unsigned))                                \
    X(entry_set_perm, void, (struct archive_entry *, unsigned))                                    \
    X(entry_set_size, void, (struct archive_entry *, int64_t))                                     \
    X(entry_set_mtime, void, (struct archive_entry *, time_t, long))

typedef struct Libarchive {
#define LIBARCHIVE_MEMBER(name, result, arguments) result(*name) arguments;
    LIBARCHIVE_SYMBOLS(LIBARCHIVE_MEMBER)
#undef LIBARCHIVE_MEMBER
} Libarchive;

/* FAILED with the name of the package when it is not installed. */
bool libarchive_load(const Libarchive **ret_library, GError **error);

/* libarchive reads names by the thread's locale: UTF-8 until libarchive_leave_locale(). */
locale_t libarchive_enter_locale(void);
void libarchive_leave_locale(locale_t before);
