/*
 * Writing an archive again with one member changed (archive.h).
 */
#include "base/archive.h"
#include "base/archive_library.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 64 * 1024, NEW_MODE = 0644, ZIP_END_BYTES = 22 };

typedef struct Rewrite {
    const Libarchive *library;
    const char *shown;
    Cancel *cancel;
    struct archive *from; // NULL: the archive is new
    struct archive *to;
    const char *member, *content;
    size_t size;
    uint64_t copied_bytes;
    struct archive_entry *old; // the member that is replaced, owned; NULL: there is none
    bool is_zip, is_gzip;      // what is written
    int64_t end;               // of a tar, after which nothing may follow
} Rewrite;

static void rewrite_clear(Rewrite *self)
{
    if (self->old)
        self->library->entry_free(self->old);
    if (self->from)
        self->library->read_free(self->from);
    if (self->to)
        self->library->write_free(self->to);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rewrite, rewrite_clear)

static bool fail_with_handle(const Rewrite *self, struct archive *handle, GError **error)
{
    const char *text = self->library->error_string(handle);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: %s", self->shown,
                     text ? text : "the archive cannot be rewritten");
}

static bool copy_data(Rewrite *self, GError **error)
{
    g_autofree char *block = g_malloc(BLOCK_BYTES);
    for (;;) {
        ssize_t size = self->library->read_data(self->from, block, BLOCK_BYTES);
        if (size == 0)
            return true;
        if (size < 0)
            return fail_with_handle(self, self->from, error);
        self->copied_bytes += (uint64_t)size;
        if (self->copied_bytes > LIMIT_ARCHIVE_INFLATED_BYTES) {
            g_autofree char *limit = str_format_bytes(LIMIT_ARCHIVE_INFLATED_BYTES);
            return fail_with(error, KEDGE_ERROR_LIMIT, "Archive too large: more than %s", limit);
        }
        if (!cancel_check(self->cancel, error))
            return false;
        if (self->library->write_data(self->to, block, (size_t)size) != size)
            return fail_with_handle(self, self->to, error);
    }
}

static bool is_member(const Rewrite *self, const char *name)
{
    g_autofree char *clean = name ? archive_clean_name(name, false) : NULL;
    return g_strcmp0(clean, self->member) == 0 && *self->member;
}

/* What the new member takes over: owner, mode and the like, when it was a file. */
static bool take_old(Rewrite *self, struct archive_entry *entry, GError **error)
{
    const Libarchive *library = self->library;
    if (S_ISDIR(library->entry_filetype(entry)))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Archive write path must target a file, not a directory");
    g_clear_pointer(&self->old, library->entry_free);
    if (S_ISREG(library->entry_filetype(entry)) && !library->entry_hardlink(entry) &&
        library->entry_is_data_encrypted(entry) != 1)
        self->old = library->entry_clone(entry);
    return true;
}

static bool copy_member(Rewrite *self, struct archive_entry *entry, GError **error)
{
    const Libarchive *library = self->library;
    const char *name = library->entry_pathname(entry);
    const char *hard = library->entry_hardlink(entry);
    if (!name) // libarchive would crash when it writes it
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s: an archive entry has no name that can be read, so the archive cannot "
                         "be rewritten",
                         self->shown);
    if (is_member(self, name))
        return take_old(self, entry, error);
    if (hard && is_member(self, hard))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s: archive entry '%s' is a hard link to '%s' and would change or be "
                         "lost with it",
                         self->shown, name, self->member);
    if (library->entry_is_data_encrypted(entry) == 1)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s: archive entry '%s' is encrypted, so the archive cannot be "
                         "rewritten",
                         self->shown, name);
    return library->write_header(self->to, entry) >= LIBARCHIVE_WARN
               ? copy_data(self, error)
               : fail_with_handle(self, self->to, error);
}

static bool next_member(Rewrite *self, struct archive_entry **ret_entry, GError **error)
{
    *ret_entry = NULL;
    int status = self->library->read_next_header(self->from, ret_entry);
    if (status == LIBARCHIVE_EOF)
        *ret_entry = NULL;
    else if (status < LIBARCHIVE_WARN)
        return fail_with_handle(self, self->from, error);
    return cancel_check(self->cancel, error);
}

static bool open_target(Rewrite *self, int fd, GError **error)
{
    const Libarchive *library = self->library;
    self->to = library->write_new();
    if (self->is_zip)
        library->write_set_format_zip(self->to);
    else
        library->write_set_format_pax_restricted(self->to);
    if (self->is_gzip)
        library->write_add_filter_gzip(self->to);
    return library->write_open_fd(self->to, fd) == LIBARCHIVE_OK ||
           fail_with_handle(self, self->to, error);
}

/* All members but the one that changes, in the format that the archive has, whatever its name. */
static bool copy_members(Rewrite *self, int to_fd, GError **error)
{
    const Libarchive *library = self->library;
    struct archive_entry *entry = NULL;
    if (!next_member(self, &entry, error))
        return false;
    int format = library->format(self->from) & LIBARCHIVE_FORMAT_BASE_MASK;
    bool is_tar = format == LIBARCHIVE_FORMAT_TAR;
    if (is_tar || format == LIBARCHIVE_FORMAT_ZIP) { // else it is empty
        self->is_zip = !is_tar;
        self->is_gzip = library->filter_code(self->from, 0) == LIBARCHIVE_FILTER_GZIP;
    }
    if (!open_target(self, to_fd, error))
        return false;
    while (entry)
        if (!copy_member(self, entry, error) || !next_member(self, &entry, error))
            return false;
    self->end = is_tar ? library->filter_bytes(self->from, 0) : -1;
    return true;
}

static bool add_member(Rewrite *self, GError **error)
{
    const Libarchive *library = self->library;
    struct archive_entry *entry = self->old ? g_steal_pointer(&self->old) : library->entry_new();
    if (!library->entry_pathname(entry)) {
        library->entry_set_pathname(entry, self->member);
        library->entry_set_filetype(entry, S_IFREG);
        library->entry_set_perm(entry, NEW_MODE);
    }
    library->entry_sparse_clear(entry);
    library->entry_set_size(entry, (int64_t)self->size);
    library->entry_set_mtime(entry, g_get_real_time() / G_USEC_PER_SEC, 0);
    bool is_good = library->write_header(self->to, entry) >= LIBARCHIVE_WARN;
    library->entry_free(entry);
    if (is_good && self->size > 0)
        is_good = library->write_data(self->to, self->content, self->size) == (ssize_t)self->size;
    return is_good || fail_with_handle(self, self->to, error);
}

static bool open_source(Rewrite *self, int fd, GError **error)
{
    const Libarchive *library = self->library;
    struct stat info;
    if (fstat(fd, &info) == 0 && (uint64_t)info.st_size > LIMIT_ARCHIVE_BYTES) {
        g_autofree char *size = str_format_bytes((uint64_t)info.st_size);
        return fail_with(error, KEDGE_ERROR_LIMIT, "Archive too large: %s", size);
    }
    self->from = library->read_new();
    library->read_support_filter_gzip(self->from);
    library->read_support_format_tar(self->from);
    library->read_support_format_zip(self->from);
    library->read_support_format_empty(self->from);
    return library->read_open_fd(self->from, fd, BLOCK_BYTES) == LIBARCHIVE_OK ||
           fail_with_handle(self, self->from, error);
}

/* Another archive may follow the end of a tar; some programs read on there. */
static bool check_nothing_follows(Rewrite *self, int fd, GError **error)
{
    const Libarchive *library = self->library;
    g_autofree char *block = g_malloc(BLOCK_BYTES);
    struct archive_entry *entry = NULL;
    int64_t at = 0;
    if (self->end < 0)
        return true;
    library->read_free(g_steal_pointer(&self->from));
    self->from = library->read_new();
    library->read_support_filter_gzip(self->from);
    library->read_support_format_raw(self->from);
    if (lseek(fd, 0, SEEK_SET) < 0 ||
        library->read_open_fd(self->from, fd, BLOCK_BYTES) != LIBARCHIVE_OK ||
        library->read_next_header(self->from, &entry) < LIBARCHIVE_WARN)
        return fail_with_handle(self, self->from, error);
    for (;;) {
        ssize_t size = library->read_data(self->from, block, BLOCK_BYTES);
        if (size <= 0)
            return size == 0 || fail_with_handle(self, self->from, error);
        for (ssize_t i = MAX(0, self->end - at); i < size; i++)
            if (block[i] != 0)
                return fail_with(error, KEDGE_ERROR_DENIED,
                                 "%s: something follows the end of the archive (another archive?) "
                                 "and would be lost",
                                 self->shown);
        at += size;
        if ((uint64_t)at > LIMIT_ARCHIVE_INFLATED_BYTES)
            return fail_with(error, KEDGE_ERROR_LIMIT, "Archive too large: %s", self->shown);
        if (!cancel_check(self->cancel, error))
            return false;
    }
}

/* A zip is refused when it holds more than members: a program before them, a comment behind. */
static bool check_zip_edges(const Rewrite *self, int fd, GError **error)
{
    char begin[4] = { 0 }, end[ZIP_END_BYTES] = { 0 };
    struct stat info;
    if (!self->is_zip || self->end >= 0 || fstat(fd, &info) < 0 || info.st_size == 0)
        return true;
    bool is_plain = pread(fd, begin, sizeof(begin), 0) == sizeof(begin) &&
                    (memcmp(begin, "PK\3\4", 4) == 0 || memcmp(begin, "PK\5\6", 4) == 0) &&
                    pread(fd, end, sizeof(end), info.st_size - ZIP_END_BYTES) == sizeof(end) &&
                    memcmp(end, "PK\5\6", 4) == 0;
    return is_plain || fail_with(error, KEDGE_ERROR_DENIED,
                                 "%s: the zip file has a comment, or something comes before or "
                                 "after it, which would be lost",
                                 self->shown);
}

static bool rewrite_rewrite(Rewrite *self, const char *path, int from_fd, int to_fd, GError **error)
{
    g_autofree char *lower = g_ascii_strdown(path, -1);
    self->is_zip = g_str_has_suffix(lower, ".zip");
    self->is_gzip = g_str_has_suffix(lower, "gz");
    bool is_good = from_fd < 0
                       ? open_target(self, to_fd, error)
                       : open_source(self, from_fd, error) && copy_members(self, to_fd, error) &&
                             check_zip_edges(self, from_fd, error) &&
                             check_nothing_follows(self, from_fd, error);
    return is_good && add_member(self, error) &&
           (self->library->write_close(self->to) == LIBARCHIVE_OK ||
            fail_with_handle(self, self->to, error));
}

/* A file without a name: a large archive is not held in memory. */
static int open_nameless(void)
{
    int fd = open(g_get_tmp_dir(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    return fd >= 0 ? fd : memfd_create("archive", MFD_CLOEXEC);
}

static bool take_place(const char *path, const char *shown, int fd, GError **error)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return fail_with_errno(error, errno, "cannot write %s", shown);
    size_t size = (size_t)info.st_size;
    void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
        return fail_with_errno(error, errno, "cannot write %s", shown);
    bool is_good = file_replace(path, data, size, 0666, error);
    munmap(data, size);
    return is_good;
}

bool archive_put(const char *path, const char *shown, const char *member, const char *content,
                 size_t size, Cancel *cancel, GError **error)
{
    g_auto(Rewrite) self = { .shown = shown,
                             .cancel = cancel,
                             .member = member,
                             .content = content,
                             .size = size,
                             .end = -1 };
    if (!libarchive_load(&self.library, error))
        return false;
    struct stat info;
    g_auto(Fd) from = file_open_regular(path, 0, &info);
    if (from < 0 && errno != ENOENT)
        return file_fail_open(shown, error);
    g_auto(Fd) to = open_nameless();
    if (to < 0)
        return fail_with_errno(error, errno, "cannot write %s", shown);
    locale_t before = libarchive_enter_locale();
    bool is_good = rewrite_rewrite(&self, path, from, to, error);
    libarchive_leave_locale(before);
    return is_good && take_place(path, shown, to, error);
}
