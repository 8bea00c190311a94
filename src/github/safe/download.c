/*
 * Downloads (download.h). The file has no name until all of it is there and right, so a process
 * that is killed leaves nothing behind.
 */
#include "github/safe/download.h"

#include "base/file.h"
#include "base/file_draft.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>

#define DIR_MODE  0700
#define FILE_MODE 0600
#define SHA256    "sha256:"

typedef struct Sink { // where the pieces go
    const DownloadSpec *spec;
    const char *path;
    int fd;
    GChecksum *sum;
    int64_t size;
} Sink;

void download_clear(Download *self)
{
    g_free(self->path);
    g_free(self->sha256);
    *self = (Download) { 0 };
}

static bool take(const char *data, size_t size, void *sink, GError **error)
{
    Sink *self = sink;
    if (!fd_write_all(self->fd, data, size, self->path, error))
        return false;
    g_checksum_update(self->sum, (const guchar *)data, (gssize)size);
    self->size += (int64_t)size;
    if (self->spec->progress)
        self->spec->progress(self->size, self->spec->user_data);
    return true;
}

static bool fail_exists(const char *path, GError **error)
{
    return fail_with(
        error, KEDGE_ERROR_DENIED,
        "%s is there already and is not overwritten; move it away to download it again", path);
}

static bool fail_too_large(const DownloadSpec *spec, int64_t size, GError **error)
{
    g_autofree char *most = str_format_bytes((uint64_t)spec->max_bytes);
    g_autofree char *has = size >= 0 ? str_format_bytes((uint64_t)size) : g_strdup("more");
    return fail_with(error, KEDGE_ERROR_LIMIT,
                     "it has %s, and at most %s are downloaded (gh.downloads.maxBytes)", has, most);
}

static bool check_before(const DownloadSpec *spec, const char *path, GError **error)
{
    if (spec->size > spec->max_bytes)
        return fail_too_large(spec, spec->size, error);
    if (file_exists(path))
        return fail_exists(path, error);
    return file_make_dirs(spec->dir, DIR_MODE, error);
}

static bool fetch(const DownloadSpec *spec, Sink *sink, Cancel *cancel, GError **error)
{
    const RestFetch request = {
        .path = spec->path,
        .accept = spec->accept,
        .operation = spec->operation,
        .subject = spec->name,
        .max_bytes = (size_t)spec->max_bytes,
        .take = take,
        .user_data = sink,
    };
    g_autoptr(GError) failed = NULL;
    if (rest_fetch(spec->rest, &request, cancel, &failed))
        return true;
    if (error_is(failed, KEDGE_ERROR_LIMIT))
        return fail_too_large(spec, -1, error);
    return pass_error(error, &failed);
}

/* Is it what GitHub says it is? A digest of another kind counts as none. */
static bool check_content(const DownloadSpec *spec, const Sink *sink, Download *download,
                          GError **error)
{
    download->sha256 = g_strdup(g_checksum_get_string(sink->sum));
    if (spec->is_size_exact && spec->size >= 0 && spec->size != sink->size)
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "%" G_GINT64_FORMAT
                         " bytes came, and GitHub says that it has %" G_GINT64_FORMAT
                         "; it was thrown away",
                         sink->size, spec->size);
    if (!spec->digest || g_ascii_strncasecmp(spec->digest, SHA256, strlen(SHA256)) != 0)
        return true;
    const char *want = spec->digest + strlen(SHA256);
    if (!str_equal_nocase(want, download->sha256))
        return fail_with(error, KEDGE_ERROR_PROTOCOL,
                         "its sha256 is %s, and GitHub says %.80s; it was thrown away",
                         download->sha256, want);
    download->is_verified = true;
    return true;
}

static bool put_in_place(FileDraft *draft, const char *path, GError **error)
{
    if (fsync(draft->fd) == 0 && file_draft_claim(draft)) {
        file_sync_directory_of(path);
        return true;
    }
    if (errno == EEXIST)
        return fail_exists(path, error);
    return fail_with(error, KEDGE_ERROR_IO, "cannot write %s: %s", path, g_strerror(errno));
}

bool download_file(const DownloadSpec *spec, Cancel *cancel, Download *ret_download, GError **error)
{
    g_autofree char *path = g_build_filename(spec->dir, spec->name, NULL);
    if (!check_before(spec, path, error))
        return false;
    g_auto(FileDraft) draft = FILE_DRAFT_INIT(path);
    if (!file_draft_open(&draft, O_WRONLY, FILE_MODE))
        return fail_with(error, KEDGE_ERROR_IO, "cannot write in %s: %s", spec->dir,
                         g_strerror(errno));
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    Sink sink = { .spec = spec, .path = path, .fd = draft.fd, .sum = sum };
    g_auto(Download) download = { 0 };
    if (!fetch(spec, &sink, cancel, error) || !check_content(spec, &sink, &download, error) ||
        !cancel_check(cancel, error) || !put_in_place(&draft, path, error))
        return false;
    download.path = g_steal_pointer(&path);
    download.size = sink.size;
    *ret_download = download;
    download = (Download) { 0 };
    return true;
}
