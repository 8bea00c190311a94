/*
 * Writing the audit log. Its files are opened again for each line: another process may have deleted
 * or replaced them, and midnight needs no timer.
 */
#include "github/audit/gh_audit.h"

#include "base/dirs.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/timefmt.h"
#include "github/audit/gh_header.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define DIR_MODE    0700
#define FILE_MODE   0600
#define OTHERS_BITS 0077
#define MS_PER_DAY  G_GINT64_CONSTANT(86400000)
#define SUFFIX      ".log"
#define DATE_BYTES  10 // YYYY-MM-DD

// the longest value of each item; together with the names they stay below GH_AUDIT_LINE_BYTES
#define HOST_BYTES  253
#define REPO_BYTES  201
#define WORD_BYTES  32
#define NAME_BYTES  64
#define DIGIT_BYTES 20

char *gh_audit_dir(void)
{
    g_autofree char *agent = dirs_agent();
    return g_build_filename(agent, "gh-audit", NULL);
}

char *gh_audit_new_id(void)
{
    return g_strdup_printf("%08x", g_random_int());
}

static struct tm local_time(int64_t at)
{
    time_t second = (time_t)(at / 1000);
    struct tm parts = { 0 };
    time_to_local(second, &parts);
    return parts;
}

char *gh_audit_date(int64_t at)
{
    struct tm parts = local_time(at);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return g_strdup(text);
}

char *gh_audit_date_of_name(const char *name)
{
    static const char form[] = "0000-00-00";
    if (strlen(name) != DATE_BYTES + strlen(SUFFIX) || strcmp(name + DATE_BYTES, SUFFIX) != 0)
        return NULL;
    for (size_t i = 0; i < DATE_BYTES; i++) {
        if (form[i] == '0' ? !g_ascii_isdigit(name[i]) : name[i] != form[i])
            return NULL;
    }
    return g_strndup(name, DATE_BYTES);
}

static void append_item(GString *text, const char *name, const char *value, size_t max_bytes)
{
    g_autofree char *word = gh_plain_word(value, max_bytes);
    g_string_append_printf(text, " %s=%s", name, word);
}

static void append_command(GString *text, const char *command)
{
    g_autofree char *dotted = g_strdelimit(g_strdup(command != NULL ? command : ""), " ", '.');
    append_item(text, "cmd", dotted, NAME_BYTES);
}

/* A number only: anything else may be a branch, a search, a name. */
static const char *number_or_null(const char *ref)
{
    size_t digits = ref != NULL ? strspn(ref, "0123456789") : 0;
    return digits > 0 && digits <= DIGIT_BYTES && ref[digits] == '\0' ? ref : NULL;
}

char *gh_audit_format(const GhAuditLine *line)
{
    struct tm parts = local_time(line->at);
    char time_text[40], exit_text[16] = "-";
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%S%z", &parts);
    if (line->exit_status >= 0)
        g_snprintf(exit_text, sizeof exit_text, "%d", line->exit_status);

    GString *text = g_string_new(time_text);
    append_item(text, "host", line->host, HOST_BYTES);
    append_item(text, "repo", line->repo, REPO_BYTES);
    append_item(text, "class", line->class_name, WORD_BYTES);
    append_item(text, "policy", line->policy, WORD_BYTES);
    g_string_append_printf(text, " exit=%s duration=%" G_GINT64_FORMAT "ms bytes=%zu", exit_text,
                           (gint64)line->duration_ms, line->bytes);
    append_item(text, "tool", line->tool, NAME_BYTES);
    append_command(text, line->command);
    append_item(text, "ref", number_or_null(line->ref), DIGIT_BYTES);
    append_item(text, "kind", line->kind, WORD_BYTES);
    g_string_append_printf(text, " trunc=%d", line->is_truncated);
    append_item(text, "via", line->via, WORD_BYTES);
    append_item(text, "id", line->id, WORD_BYTES);
    g_string_append_c(text, '\n');
    g_assert(text->len < GH_AUDIT_LINE_BYTES);
    return g_string_free(text, false);
}

/* Ours alone; what others can read or write is taken from them. */
static bool make_private(int fd, mode_t mode, const char *path, GError **error)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return fail_with_errno(error, errno, "cannot use %s", path);
    if (info.st_uid != geteuid())
        return fail_with(error, KEDGE_ERROR_DENIED, "%s belongs to another user", path);
    if ((info.st_mode & OTHERS_BITS) != 0 && fchmod(fd, mode) != 0)
        return fail_with_errno(error, errno, "cannot make %s private", path);
    return true;
}

bool gh_audit_open_dir(const char *dir, int *ret_fd, GError **error)
{
    if (!file_make_dirs(dir, DIR_MODE, error))
        return false;
    g_auto(Fd) fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot open %s", dir);
    if (!make_private(fd, DIR_MODE, dir, error))
        return false;
    *ret_fd = fd_steal(&fd);
    return true;
}

static void delete_older(int dir_fd, const char *oldest_kept)
{
    int fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    if (!list) {
        fd_close(fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(list));) {
        g_autofree char *date = gh_audit_date_of_name(entry->d_name);
        if (date && strcmp(date, oldest_kept) < 0)
            unlinkat(dir_fd, entry->d_name, 0);
    }
    closedir(list);
}

static bool open_file(int dir_fd, const char *name, int *ret_fd, bool *ret_is_new, GError **error)
{
    const int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    g_auto(Fd) fd = openat(dir_fd, name, flags | O_EXCL, FILE_MODE);
    *ret_is_new = fd >= 0;
    if (fd < 0 && errno == EEXIST)
        fd = openat(dir_fd, name, flags, FILE_MODE);
    struct stat info;
    if (fd < 0 || fstat(fd, &info) != 0)
        return fail_with_errno(error, errno, "cannot open %s", name);
    if (!S_ISREG(info.st_mode))
        return fail_with(error, KEDGE_ERROR_IO, "%s is no regular file", name);
    if (!make_private(fd, FILE_MODE, name, error))
        return false;
    *ret_fd = fd_steal(&fd);
    return true;
}

bool gh_audit_append(const char *dir, const GhAuditLine *line, int64_t keep_days, GError **error)
{
    g_auto(Fd) dir_fd = -1;
    if (!gh_audit_open_dir(dir, &dir_fd, error))
        return false;
    g_autofree char *date = gh_audit_date(line->at);
    g_autofree char *name = g_strconcat(date, SUFFIX, NULL);
    g_auto(Fd) fd = -1;
    bool is_new;
    if (!open_file(dir_fd, name, &fd, &is_new, error))
        return false;
    if (is_new && keep_days > 0) {
        int64_t kept_ms = MIN(keep_days, G_MAXINT32) * MS_PER_DAY;
        g_autofree char *oldest_kept = gh_audit_date(line->at - kept_ms);
        delete_older(dir_fd, oldest_kept);
    }

    g_autofree char *text = gh_audit_format(line);
    size_t size = strlen(text);
    ssize_t written = write(fd, text, size);
    if (written < 0)
        return fail_with_errno(error, errno, "cannot write %s/%s", dir, name);
    if ((size_t)written < size) // going on would mix with the lines of others
        return fail_with(error, KEDGE_ERROR_IO, "cannot write %s/%s: disk full", dir, name);
    return true;
}
