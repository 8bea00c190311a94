/* See ssh_facts.h. */
#include "tools/ssh/ssh_facts.h"

#include "base/dirs.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/str.h"

#define VERSION      2
#define DIR_MODE     0700
#define FILE_MODE    0600
#define FIELDS       3
#define HOME_DIR     "remote-host"
#define WINDOWS_NAME "Windows_NT"

const char ssh_probe_shell[] =
    "echo \"$OSTYPE|$SHELL|$BASH_VERSION\" 2>/dev/null || echo \"%OS%|%COMSPEC%|\"";
const char ssh_probe_system[] = "uname -s";
const char ssh_compat_mark[] = "KEDGE_SHELL_OK";
const char ssh_probe_bash[] = "bash -lc \"echo KEDGE_SHELL_OK\"";
const char ssh_probe_sh[] = "sh -lc \"echo KEDGE_SHELL_OK\"";

static const char *const os_names[] = { "unknown", "linux", "macos", "windows" };
static const char *const shell_names[] = { "unknown", "sh", "bash", "zsh", "cmd", "powershell" };

const char *ssh_os_name(SshOs os)
{
    return os_names[os];
}

const char *ssh_shell_name(const SshFacts *self)
{
    return shell_names[self->is_compat ? self->compat_shell : self->shell];
}

static unsigned find_word(const char *const *words, size_t count, const char *word)
{
    for (unsigned i = 0; word && i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

static SshOs os_of(const char *ostype)
{
    static const struct {
        const char *prefix;
        SshOs os;
    } rows[] = {
        { "linux", SSH_OS_LINUX },   { "Linux", SSH_OS_LINUX },        { "darwin", SSH_OS_MACOS },
        { "Darwin", SSH_OS_MACOS },  { "msys", SSH_OS_WINDOWS },       { "cygwin", SSH_OS_WINDOWS },
        { "MSYS", SSH_OS_WINDOWS },  { "MINGW", SSH_OS_WINDOWS },      { "CYGWIN", SSH_OS_WINDOWS },
        { "win32", SSH_OS_WINDOWS }, { WINDOWS_NAME, SSH_OS_WINDOWS },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (str_has_prefix(ostype, rows[i].prefix))
            return rows[i].os;
    return SSH_OS_UNKNOWN;
}

static SshShell shell_of(const char *path)
{
    static const struct {
        const char *name;
        SshShell shell;
    } rows[] = {
        { "bash", SSH_SHELL_BASH },
        { "zsh", SSH_SHELL_ZSH },
        { "sh", SSH_SHELL_SH },
        { "dash", SSH_SHELL_SH },
        { "ash", SSH_SHELL_SH },
        { "ksh", SSH_SHELL_SH },
        { "cmd.exe", SSH_SHELL_CMD },
        { "powershell.exe", SSH_SHELL_POWERSHELL },
        { "pwsh.exe", SSH_SHELL_POWERSHELL },
        { "pwsh", SSH_SHELL_POWERSHELL },
    };
    const char *slash = strrchr(path, '/'), *backslash = strrchr(path, '\\');
    const char *name = MAX(slash, backslash) ? MAX(slash, backslash) + 1 : path;
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (g_ascii_strcasecmp(name, rows[i].name) == 0)
            return rows[i].shell;
    return SSH_SHELL_UNKNOWN;
}

/* The last line that has the form, since what a start file prints comes before it. */
static char **find_fields(const char *output)
{
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
    for (unsigned i = g_strv_length(lines); i > 0; i--) {
        char *line = g_strstrip(lines[i - 1]);
        size_t length = strlen(line);
        if (length >= 2 && line[0] == '"' && line[length - 1] == '"') {
            line[length - 1] = '\0';
            line++;
        }
        char **fields = g_strsplit(line, "|", -1);
        if (g_strv_length(fields) == FIELDS)
            return fields;
        g_strfreev(fields);
    }
    return NULL;
}

SshFacts ssh_facts_parse(const char *output)
{
    SshFacts facts = { 0 };
    g_auto(GStrv) fields = find_fields(output);
    // an old PowerShell does not know `||`; a new one does, and none of the variables
    bool is_refused = strstr(output, "ParserError") || strstr(output, "not a valid statement");
    bool is_bare = fields && !*fields[0] && !*fields[1] && !*fields[2];
    if (is_refused || is_bare) {
        facts.shell = SSH_SHELL_POWERSHELL;
        facts.os = is_refused ? SSH_OS_WINDOWS : SSH_OS_UNKNOWN;
        return facts;
    }
    if (!fields)
        return facts;
    facts.os = os_of(fields[0]);
    facts.shell = g_ascii_isdigit(*fields[2]) ? SSH_SHELL_BASH : shell_of(fields[1]);
    return facts;
}

SshOs ssh_facts_parse_system(const char *output)
{
    g_auto(GStrv) lines = g_strsplit(output, "\n", -1);
    for (unsigned i = g_strv_length(lines); i > 0; i--) {
        SshOs os = os_of(g_strstrip(lines[i - 1]));
        if (os != SSH_OS_UNKNOWN)
            return os;
    }
    return SSH_OS_UNKNOWN;
}

static char *facts_path(const SshHost *host)
{
    g_autofree char *root = dirs_config_root();
    g_autofree char *file = g_strconcat(host->name, ".json", NULL); // a name has no slash
    return g_build_filename(root, HOME_DIR, file, NULL);
}

bool ssh_facts_load(const SshHost *host, SshFacts *ret_facts)
{
    g_autofree char *path = facts_path(host);
    g_autofree char *target = ssh_host_target(host);
    g_autoptr(json_t) root = NULL;
    if (!json_read_file(path, &root, NULL) || json_get_int(root, "version", 0) != VERSION ||
        g_strcmp0(json_get_text(root, "target"), target) != 0)
        return false;
    SshFacts facts = {
        .os = find_word(os_names, G_N_ELEMENTS(os_names), json_get_text(root, "os")),
        .shell = find_word(shell_names, G_N_ELEMENTS(shell_names), json_get_text(root, "shell")),
        .compat_shell = find_word(shell_names, SSH_SHELL_ZSH, json_get_text(root, "compatShell")),
    };
    facts.is_compat = facts.os == SSH_OS_WINDOWS && facts.compat_shell != SSH_SHELL_UNKNOWN &&
                      !host->has_no_compat;
    if (facts.os == SSH_OS_UNKNOWN)
        return false;
    *ret_facts = facts;
    return true;
}

void ssh_facts_store(const SshHost *host, const SshFacts *self)
{
    g_autofree char *path = facts_path(host);
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *target = ssh_host_target(host);
    g_autoptr(json_t) root = json_make("version:%d target:%s os:%s shell:%s", VERSION, target,
                                       os_names[self->os], shell_names[self->shell]);
    if (self->compat_shell != SSH_SHELL_UNKNOWN)
        json_set_text(root, "compatShell", shell_names[self->compat_shell]);
    json_set_bool(root, "compatEnabled", self->is_compat);
    g_autofree char *text = json_to_pretty(root);
    if (file_make_dirs(dir, DIR_MODE, NULL))
        (void)file_write_atomic(path, text, strlen(text), FILE_MODE, NULL); // else asked again
}

static char *quote_with(const char *text, const char *quote_inside)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    g_autofree char *joined = g_strjoinv(quote_inside, parts);
    return g_strconcat("'", joined, "'", NULL);
}

/* A command that cannot enter its directory must not run elsewhere: `cd D && a; b` would run b. */
static char *word_posix(const char *command, const char *cwd)
{
    if (!cwd)
        return g_strdup(command);
    const char *below = str_has_prefix(cwd, "~/") ? cwd + 2 : NULL;
    g_autofree char *quoted = quote_with(below ? below : cwd, "'\\''");
    if (strcmp(cwd, "~") == 0 || (below && !*below))
        return g_strconcat("cd || exit 1; ", command, NULL);
    return g_strconcat("cd -- ", below ? "~/" : "", quoted, " || exit 1; ", command, NULL);
}

static bool word_windows(const SshFacts *self, const char *command, const char *cwd,
                         char **ret_text, GError **error)
{
    bool is_cmd = self->shell == SSH_SHELL_CMD;
    // cmd has no way to write these inside its quotes
    if (cwd && is_cmd && strpbrk(cwd, "\"%!\n\r"))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "cwd must not hold quotes, %%, ! and line breaks on a host with cmd: %s",
                         cwd);
    if (!cwd) {
        *ret_text = g_strdup(command);
    } else if (is_cmd) {
        *ret_text = g_strconcat("cd /d \"", cwd, "\" || exit 1 & ", command, NULL);
    } else {
        g_autofree char *quoted = quote_with(cwd, "''");
        *ret_text = g_strconcat("Set-Location -ErrorAction Stop -LiteralPath ", quoted, "; ",
                                command, NULL);
    }
    return true;
}

bool ssh_facts_word(const SshFacts *self, const char *command, const char *cwd, char **ret_text,
                    GError **error)
{
    if (strlen(command) > LIMIT_SSH_COMMAND_BYTES)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "the command has %zu bytes, more than %zu; put it into a file on the host",
                         strlen(command), LIMIT_SSH_COMMAND_BYTES);
    if (cwd && (!*cwd || strlen(cwd) > LIMIT_SSH_TEXT_BYTES))
        return fail_with(error, KEDGE_ERROR_USAGE, "cwd is empty or longer than %zu bytes",
                         LIMIT_SSH_TEXT_BYTES);
    if (!self->is_compat && (self->shell == SSH_SHELL_CMD || self->shell == SSH_SHELL_POWERSHELL))
        return word_windows(self, command, cwd, ret_text, error);
    g_autofree char *text = word_posix(command, cwd);
    if (!self->is_compat) {
        *ret_text = g_steal_pointer(&text);
        return true;
    }
    g_autofree char *quoted = quote_with(text, "'\\''");
    *ret_text = g_strconcat(shell_names[self->compat_shell], " -c ", quoted, NULL);
    return true;
}
