/*
 * Debug records: made from what the call knows, shown from JSON alone, since most are read back
 * from a file.
 */
#include "github/audit/gh_record.h"

#include "base/cancel.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/redact.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "github/audit/gh_audit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#define ERROR_BYTES  400
#define LAST_FILE    "last.json"
#define LAST_MODE    0600
#define LOCK_TRIES   50
#define LOCK_WAIT_MS 20

static void set_masked(json_t *object, const char *key, const char *text,
                       const char *const *secrets, size_t max_bytes)
{
    g_autofree char *masked = text != NULL ? redact_text_with(text, secrets) : NULL;
    g_autofree char *cut = masked != NULL ? str_truncate(masked, max_bytes) : NULL;
    json_set_take(object, key, json_text(cut));
}

static void set_first_line(json_t *object, const char *key, const char *text,
                           const char *const *secrets)
{
    g_autofree char *line = text != NULL ? g_strndup(text, strcspn(text, "\r\n")) : NULL;
    set_masked(object, key, line, secrets, G_MAXSIZE / 2);
}

static void set_list(json_t *object, const char *key, const char *const *list)
{
    json_t *array = json_array();
    for (; list && *list; list++)
        json_append_take(array, json_text(*list));
    json_set_take(object, key, array);
}

static char *signal_name(int number)
{
    const char *name = number > 0 ? sigabbrev_np(number) : NULL;
    return name != NULL ? g_strconcat("SIG", name, NULL) : NULL;
}

/* What `argv` alone does not say, so that the call can be repeated. */
static json_t *environment_of(const GhRecord *record)
{
    if (!record->set_host && !record->set_repo)
        return NULL;
    return json_make("GH_HOST:%s GH_REPO:%s", record->set_host, record->set_repo);
}

json_t *gh_record_to_json(const GhRecord *record)
{
    g_autofree char *time = time_format_iso(record->at);
    g_autofree char *cwd = record->cwd ? path_shorten_home(record->cwd) : NULL;
    g_autofree char *signal_text = signal_name(record->signal);
    const char *errors = record->error_output != NULL ? record->error_output : "";
    json_t *object =
        json_make("id:%s? time:%s? tool:%s? via:%s? host:%s? repo:%s? source:%s?", record->id, time,
                  record->tool, record->via, record->host, record->repo, record->source);
    set_masked(object, "cwd", cwd, record->secrets, G_MAXSIZE / 2);
    set_list(object, "argv", record->argv);
    json_add(object, "command:%s? classification:%s?", record->command, record->class_name);
    set_first_line(object, "reason", record->reason, record->secrets);
    json_add(object,
             "policy:%s? confirmed:%i exit_code:%p signal:%s? duration_ms:%jd bytes_captured:%jd "
             "truncated:%i error_kind:%s?",
             record->policy, record->is_confirmed,
             record->exit_status >= 0 ? json_integer(record->exit_status) : json_null(),
             signal_text, record->duration_ms, (gint64)record->captured_bytes, record->is_truncated,
             gh_kind_name(record->kind));
    set_first_line(object, "message", record->message, record->secrets);
    set_masked(object, "stderr", errors, record->secrets, ERROR_BYTES);
    set_list(object, "normalized", record->normalized);
    json_add(object, "gh_version:%s? env:%p", record->gh_version, environment_of(record));
    return object;
}

static const char *text_of(const json_t *record, const char *key)
{
    const char *text = json_get_text(record, key);
    return text != NULL ? text : "-";
}

static char *list_text(const json_t *list)
{
    return list != NULL ? json_to_text(list) : g_strdup("[]");
}

static char **argv_of(const json_t *record)
{
    g_autoptr(GStrvBuilder) list = g_strv_builder_new();
    json_each (json_get_array(record, "argv"), i, element) {
        if (json_is_string(element))
            g_strv_builder_add(list, json_string_value(element));
    }
    return g_strv_builder_end(list);
}

static bool has_error(const json_t *record)
{
    const char *kind = json_get_text(record, "error_kind");
    return kind != NULL && strcmp(kind, gh_kind_name(GH_KIND_TRUNCATED)) != 0;
}

static void append_error(GString *text, const json_t *record)
{
    const char *errors = json_get_text(record, "stderr");
    g_autofree char *trimmed = g_strstrip(g_strdup(errors != NULL ? errors : ""));
    GString *line = g_string_new(trimmed);
    g_string_replace(line, "\n", " ⏎ ", 0);
    g_string_append_printf(text, "Message: %s\nStderr: %s\n", text_of(record, "message"),
                           line->str);
    g_string_free(line, true);
}

char *gh_record_to_text(const json_t *record)
{
    g_auto(GStrv) argv = argv_of(record);
    g_autofree char *argv_text = list_text(json_get_array(record, "argv"));
    g_autofree char *exit_text =
        json_is_integer(json_object_get(record, "exit_code"))
            ? g_strdup_printf("%d", (int)json_get_int(record, "exit_code", 0))
            : g_strdup("-");
    const char *kind = json_get_text(record, "error_kind");

    GString *text = g_string_new(NULL);
    static const char *const lines[][2] = {
        { "Host", "host" },
        { "Repo", "repo" },
        { "Source", "source" },
        { "CWD", "cwd" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        g_string_append_printf(text, "%s: %s\n", lines[i][0], text_of(record, lines[i][1]));
    g_string_append_printf(text, "Argv: %s\n", argv_text);
    g_string_append_printf(text, "Classification: %s\n", text_of(record, "classification"));
    g_string_append_printf(text, "Policy: %s\n", text_of(record, "policy"));
    g_string_append_printf(text, "Exit code: %s\n", exit_text);
    g_string_append_printf(text, "Duration: %" G_GINT64_FORMAT " ms\n",
                           json_get_int(record, "duration_ms", 0));
    g_string_append_printf(text, "Bytes captured: %" G_GINT64_FORMAT "\n",
                           json_get_int(record, "bytes_captured", 0));
    g_string_append_printf(text, "Truncated: %s\n",
                           json_get_bool(record, "truncated", false) ? "yes" : "no");
    g_string_append_printf(text, "Error kind: %s\n", kind != NULL ? kind : "none");
    if (has_error(record))
        append_error(text, record);

    if (!argv[0]) // it never came to one command of gh
        return g_string_free(text, false);
    const json_t *env = json_get_object(record, "env");
    g_autofree char *command = gh_reproduce_command(
        (const char *const *)argv, json_get_text(env, "GH_HOST"), json_get_text(env, "GH_REPO"));
    g_string_append_printf(
        text, "\nReproduce:\n  GH_PROMPT_DISABLED=1 GH_PAGER=cat NO_COLOR=1 \\\n  %s", command);
    return g_string_free(text, false);
}

/* One name, so that nothing else is changed with it. */
static bool is_own_file(const struct stat *info)
{
    return S_ISREG(info->st_mode) && info->st_uid == geteuid() && info->st_nlink == 1;
}

/* True with an empty `out` when there is no file of ours. */
static bool read_own_file(const char *path, GString *out, GError **error)
{
    struct stat info;
    g_auto(Fd) fd = file_open_regular(path, O_NOFOLLOW, &info);
    if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENOTSUP || errno == EISDIR))
        return true;
    if (fd < 0)
        return fail_with_errno(error, errno, "cannot read %s", path);
    return !is_own_file(&info) || fd_read_all(fd, LIMIT_CONFIG_FILE_BYTES, path, out, error);
}

bool gh_record_load(const char *dir, json_t **ret_records, GError **error)
{
    g_autofree char *path = g_build_filename(dir, LAST_FILE, NULL);
    g_autoptr(GString) text = g_string_new(NULL);
    g_autoptr(json_t) records = NULL;
    if (!read_own_file(path, text, error))
        return false;
    if (text->len > 0 && !json_parse(text->str, text->len, &records, error)) {
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    *ret_records = json_is_array(records) ? g_steal_pointer(&records) : json_array();
    return true;
}

/* Makes room for a file of ours: nothing is written through a link that somebody put there. */
static bool remove_foreign(int dir_fd, const char *path, GError **error)
{
    struct stat info;
    if (fstatat(dir_fd, LAST_FILE, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT || fail_with_errno(error, errno, "cannot write %s", path);
    if (is_own_file(&info) || unlinkat(dir_fd, LAST_FILE, 0) == 0)
        return true;
    return fail_with_errno(error, errno, "cannot replace %s", path);
}

/* Processes and threads that store at the same time take turns. One that waits too long goes on: a
   record may then be lost, but no call hangs on it. */
static void lock_dir(int dir_fd)
{
    for (int i = 0; i < LOCK_TRIES && flock(dir_fd, LOCK_EX | LOCK_NB) != 0; i++) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return;
        cancel_sleep(NULL, LOCK_WAIT_MS, NULL);
    }
}

/* Without the oldest records when they are too many for a file that can be read again. */
static char *text_that_fits(json_t *records)
{
    for (;;) {
        char *text = json_to_text(records);
        if (strlen(text) < LIMIT_CONFIG_FILE_BYTES || json_array_size(records) == 1)
            return text;
        g_free(text);
        json_array_remove(records, json_array_size(records) - 1);
    }
}

bool gh_record_store(const char *dir, const json_t *record, GError **error)
{
    g_auto(Fd) dir_fd = -1; // closing it ends the lock
    if (!gh_audit_open_dir(dir, &dir_fd, error))
        return false;
    lock_dir(dir_fd);

    g_autoptr(json_t) old = NULL;
    if (!gh_record_load(dir, &old, NULL)) // broken: begun again
        old = json_array();
    g_autoptr(json_t) records = json_array();
    json_append_take(records, json_deep_copy(record));
    json_each (old, i, item) {
        if (json_array_size(records) < GH_RECORD_KEPT)
            json_array_append(records, item);
    }
    g_autofree char *path = g_build_filename(dir, LAST_FILE, NULL);
    g_autofree char *text = text_that_fits(records);
    if (!remove_foreign(dir_fd, path, error))
        return false;
    // the mode of an existing file would be kept
    if (fchmodat(dir_fd, LAST_FILE, LAST_MODE, 0) != 0 && errno != ENOENT)
        return fail_with_errno(error, errno, "cannot make %s private", path);
    return file_write_atomic(path, text, strlen(text), LAST_MODE, error);
}
