/* See archive.h. */
#include "base/archive.h"

#include "base/archive_library.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct Archive {
    const Libarchive *library;
    struct archive *handle;
    Fd fd;
    char *shown;
    Cancel *cancel; // owned
    ArchiveMember member;
    bool is_data_left; // of the current member, in a tar
    uint64_t read_bytes, name_bytes;
    unsigned members;
};

static void member_clear(ArchiveMember *self)
{
    g_clear_pointer(&self->name, g_free);
    g_clear_pointer(&self->target, g_free);
}

void archive_close(Archive *self)
{
    if (!self)
        return;
    if (self->handle)
        self->library->read_free(self->handle);
    member_clear(&self->member);
    fd_close(self->fd);
    cancel_unref(self->cancel);
    g_free(self->shown);
    g_free(self);
}

static bool fail_too_large(uint64_t bytes, const char *sign, GError **error)
{
    g_autofree char *size = str_format_bytes(bytes);
    return fail_with(error, KEDGE_ERROR_LIMIT, "Archive too large: %s%s", sign, size);
}

static bool fail_with_archive(Archive *self, GError **error)
{
    const char *text = self->library->error_string(self->handle);
    return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: %s", self->shown,
                     text ? text : "this is no archive that can be read");
}

bool archive_open(const char *path, const char *shown, Cancel *cancel, Archive **ret_archive,
                  GError **error)
{
    g_autoptr(Archive) self = g_new0(Archive, 1);
    self->fd = -1;
    if (!libarchive_load(&self->library, error))
        return false;
    struct stat info;
    self->fd = file_open_regular(path, 0, &info);
    if (self->fd < 0 && (errno == ENOTSUP || errno == EISDIR))
        return fail_with(error, KEDGE_ERROR_USAGE, "Not a regular file: %s", shown);
    if (self->fd < 0)
        return fail_with_errno(error, errno, "cannot read %s", shown);
    if ((uint64_t)info.st_size > LIMIT_ARCHIVE_BYTES)
        return fail_too_large((uint64_t)info.st_size, "", error);
    self->shown = g_strdup(shown);
    self->cancel = cancel_ref(cancel);
    const Libarchive *library = self->library;
    self->handle = library->read_new();
    library->read_support_filter_gzip(self->handle);
    library->read_support_format_tar(self->handle);
    library->read_support_format_zip(self->handle);
    library->read_support_format_empty(self->handle);
    if (library->read_open_fd(self->handle, self->fd, BLOCK_BYTES) != LIBARCHIVE_OK)
        return fail_with_archive(self, error);
    *ret_archive = g_steal_pointer(&self);
    return true;
}

static bool count_bytes(Archive *self, size_t bytes, GError **error)
{
    self->read_bytes += bytes;
    return self->read_bytes <= LIMIT_ARCHIVE_INFLATED_BYTES ||
           fail_too_large(LIMIT_ARCHIVE_INFLATED_BYTES, "more than ", error);
}

/* A tar is read from end to end; libarchive would pass over a member without looking at limits. */
static bool pass_over(Archive *self, GError **error)
{
    const void *data = NULL;
    size_t size = 0;
    int64_t offset = 0;
    while (self->is_data_left) {
        int status = self->library->read_data_block(self->handle, &data, &size, &offset);
        if (status == LIBARCHIVE_EOF)
            break;
        if (status < LIBARCHIVE_WARN)
            return fail_with_archive(self, error);
        if (!count_bytes(self, size, error) || !cancel_check(self->cancel, error))
            return false;
    }
    self->is_data_left = false;
    return true;
}

static void take_member(Archive *self, struct archive_entry *entry)
{
    const Libarchive *library = self->library;
    const char *name = library->entry_pathname(entry);
    const char *hard = library->entry_hardlink(entry);
    const char *target = hard ? hard : library->entry_symlink(entry);
    mode_t kind = (mode_t)library->entry_filetype(entry) & S_IFMT;
    member_clear(&self->member);
    self->member = (ArchiveMember) {
        .name = utf8_from_bytes(name ? name : "", name ? strlen(name) : 0),
        .kind = target          ? ARCHIVE_MEMBER_LINK
                : S_ISDIR(kind) ? ARCHIVE_MEMBER_DIRECTORY
                : S_ISREG(kind) ? ARCHIVE_MEMBER_FILE
                                : ARCHIVE_MEMBER_OTHER,
        .size = library->entry_size(entry),
        .is_encrypted = library->entry_is_data_encrypted(entry) == 1,
        .target = target ? utf8_from_bytes(target, strlen(target)) : NULL,
    };
}

bool archive_next(Archive *self, bool *ret_has_member, GError **error)
{
    struct archive_entry *entry = NULL;
    if (!cancel_check(self->cancel, error) || !pass_over(self, error))
        return false;
    locale_t before = libarchive_enter_locale();
    int status = self->library->read_next_header(self->handle, &entry);
    *ret_has_member = status != LIBARCHIVE_EOF;
    bool is_good = status == LIBARCHIVE_EOF || status >= LIBARCHIVE_WARN;
    if (is_good && *ret_has_member)
        take_member(self, entry);
    libarchive_leave_locale(before);
    if (!is_good)
        return fail_with_archive(self, error);
    if (!*ret_has_member)
        return true;
    self->is_data_left = (self->library->format(self->handle) & LIBARCHIVE_FORMAT_BASE_MASK) ==
                         LIBARCHIVE_FORMAT_TAR;
    self->name_bytes += strlen(self->member.name);
    if (++self->members > LIMIT_ARCHIVE_MEMBERS || self->name_bytes > LIMIT_ARCHIVE_NAME_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT, "Archive too large: more than %u members",
                         self->members - 1);
    return true;
}

const ArchiveMember *archive_member(const Archive *self)
{
    return &self->member;
}

bool archive_read_member(Archive *self, GString *out, GError **error)
{
    if (self->member.is_encrypted)
        return fail_with(error, KEDGE_ERROR_DENIED, "%s: archive entry '%s' is encrypted",
                         self->shown, self->member.name);
    g_autofree char *block = g_malloc(BLOCK_BYTES);
    g_string_truncate(out, 0);
    self->is_data_left = false;
    for (;;) {
        ssize_t size = self->library->read_data(self->handle, block, BLOCK_BYTES);
        if (size == 0)
            return true;
        if (size < 0)
            return fail_with_archive(self, error);
        if (!count_bytes(self, (size_t)size, error) || !cancel_check(self->cancel, error))
            return false;
        if (out->len + (size_t)size > LIMIT_ARCHIVE_MEMBER_BYTES)
            return fail_too_large(MAX((uint64_t)MAX(self->member.size, 0), out->len + (size_t)size),
                                  "", error);
        g_string_append_len(out, block, size);
    }
}

char *archive_clean_name(const char *name, bool has_backslashes)
{
    g_autofree char *slashed = g_strdup(name);
    if (has_backslashes)
        g_strdelimit(slashed, "\\", '/');
    g_auto(GStrv) parts = g_strsplit(slashed, "/", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; parts[i]; i++) {
        if (strcmp(parts[i], "..") == 0)
            return NULL;
        if (*parts[i] && strcmp(parts[i], ".") != 0)
            g_string_append_printf(out, "%s%s", out->len ? "/" : "", parts[i]);
    }
    return g_strdup(out->str);
}
