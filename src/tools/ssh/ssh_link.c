/*
 * Connections of the ssh tool (ssh_link.h).
 *
 * A master is `ssh -M -N` in the foreground, in a process group that a small shell leads. ssh
 * closes every descriptor that it inherits, so another shell beside it waits for the end of a pipe
 * that only we hold, and then ends the group.
 */
#include "tools/ssh/ssh_link.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/limits.h"
#include "base/lock.h"
#include "base/proc.h"
#include "base/str.h"
#include "base/timefmt.h"
#include "tool/sink.h"

#include <errno.h>
#include <sys/stat.h>

#define DIR_MODE         0700
#define SOCKET_PATH_MAX  88 // ssh adds 17 bytes while it makes one, and the kernel takes 107
#define POLL_MS          20 // between looks at the socket that is to appear
#define QUEUE_MS         20
#define END_GRACE_MS     1000
#define SAID_MAX_BYTES   (8 * KIB) // of what ssh says while it connects, in memory
#define SHOWN_MAX_BYTES  ((size_t)2000)
#define PROBE_MS         10000
#define PROBE_MAX_BYTES  (4 * KIB)
#define CONNECT_OPTION   "ConnectTimeout=20"
#define SHORT_DIR        "/tmp/kedge-ssh-XXXXXX"
#define SHORT_DIR_PREFIX "/tmp/kedge-ssh-"

struct SshLink {
    SshHost *host;
    bool is_busy;     // guarded by the lock of SshLinks; what follows belongs to who set it
    char *socket;     // NULL until the first connection; then it stays
    ProcChild master; // pid 0 or less: none
    bool has_facts;
    SshFacts facts;
};

struct SshLinks {
    pthread_mutex_t lock;
    GPtrArray *links; // of SshLink
    char *dir;        // of the sockets; NULL: not made yet
};

/* It stays as long as both of its children, so that they are not left to init. */
static const char watching_master[] =
    "exec 3<&0 </dev/null\n"
    "{\n"
    "  exec >/dev/null 2>&1\n"
    "  read -r nothing <&3\n"
    "  trap '' TERM\n"
    "  kill -s TERM 0\n"
    "  sleep 1\n"
    "  rm -f -- \"$1\"\n"
    "  case $1 in " SHORT_DIR_PREFIX "*) rmdir -- \"${1%/*}\" ;; esac\n"
    "  kill -s KILL 0\n"
    "} &\n"
    "watcher=$!\n"
    "trap : TERM\n"
    "shift\n"
    "\"$@\" 3<&-\n"
    "status=$?\n"
    "exec >/dev/null 2>&1\n"
    "kill $watcher\n"
    "wait $watcher\n"
    "exit $status\n";

SshLinks *ssh_links_new(void)
{
    SshLinks *self = g_new0(SshLinks, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->links = g_ptr_array_new();
    return self;
}

static void end_master(SshLink *self)
{
    proc_child_end(&self->master, END_GRACE_MS);
    if (self->socket)
        unlink(self->socket);
}

void ssh_links_free(SshLinks *self)
{
    if (!self)
        return;
    for (guint i = 0; i < self->links->len; i++) {
        SshLink *link = self->links->pdata[i];
        end_master(link);
        ssh_host_free(link->host);
        g_free(link->socket);
        g_free(link);
    }
    if (self->dir && str_has_prefix(self->dir, SHORT_DIR_PREFIX))
        rmdir(self->dir);
    g_ptr_array_unref(self->links);
    pthread_mutex_destroy(&self->lock);
    g_free(self->dir);
    g_free(self);
}

static void *links_create(void)
{
    return ssh_links_new();
}

static void links_destroy(void *links)
{
    ssh_links_free(links);
}

SshLinks *ssh_links_of(ToolContext *context)
{
    return tool_context_state(context, "ssh", links_create, links_destroy);
}

// ---- where the sockets are ----

static bool is_private(const char *dir)
{
    struct stat info;
    return lstat(dir, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & 077) == 0;
}

/* ssh replaces %-marks in the path of a socket; then, and where it would be too long, another
   directory has to do. */
static bool make_dir(char **ret_dir, GError **error)
{
    g_autofree char *root = dirs_config_root();
    g_autofree char *dir = g_build_filename(root, "ssh-control", NULL);
    if (strlen(dir) + strlen("/0123456789abcdef.sock") > SOCKET_PATH_MAX ||
        strpbrk(dir, "%$\"' \t\n")) {
        g_autofree char *other = g_strdup(SHORT_DIR);
        if (!g_mkdtemp(other))
            return fail_with_errno(error, errno, "cannot make a directory %s", SHORT_DIR);
        *ret_dir = g_steal_pointer(&other);
        return true;
    }
    if (!file_make_dirs(dir, DIR_MODE, error))
        return false;
    if (!is_private(dir))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "%s must be a directory of yours that no one else can enter: chmod 700",
                         dir);
    *ret_dir = g_steal_pointer(&dir);
    return true;
}

static bool make_socket_path(SshLinks *self, char **ret_path, GError **error)
{
    HOLD_LOCK(&self->lock);
    bool is_made = self->dir != NULL || make_dir(&self->dir, error);
    if (is_made)
        *ret_path = g_strdup_printf("%s/%08x%08x.sock", self->dir, g_random_int(), g_random_int());
    return is_made;
}

// ---- what ssh is told ----

static void add_words(GPtrArray *argv, const char *const *words)
{
    for (; *words; words++)
        g_ptr_array_add(argv, g_strdup(*words));
}

static void add_option(GPtrArray *argv, const char *flag, char *value)
{
    g_ptr_array_add(argv, g_strdup(flag));
    g_ptr_array_add(argv, value);
}

/* Nothing is asked, forwarded or run besides, whatever ssh_config says. */
static void add_common(GPtrArray *argv, const SshLink *self)
{
    static const char *const options[] = {
        "-T",
        "-x",
        "-a",
        "-o",
        "BatchMode=yes",
        "-o",
        "StrictHostKeyChecking=yes",
        "-o",
        "ClearAllForwardings=yes",
        "-o",
        "Tunnel=no",
        "-o",
        "PermitLocalCommand=no",
        "-o",
        "RemoteCommand=none",
        "-o",
        "ControlPersist=no",
        "-o",
        "ServerAliveInterval=15",
        "-o",
        "ServerAliveCountMax=3",
        "-o",
        CONNECT_OPTION,
        NULL,
    };
    const SshHost *host = self->host;
    add_words(argv, options);
    add_option(argv, "-o", g_strconcat("ControlPath=", self->socket, NULL));
    if (host->port > 0)
        add_option(argv, "-p", g_strdup_printf("%d", host->port));
    if (host->key_path)
        add_option(argv, "-i", g_strdup(host->key_path));
    if (host->user)
        add_option(argv, "-l", g_strdup(host->user));
    g_ptr_array_add(argv, g_strdup("--"));
    g_ptr_array_add(argv, g_strdup(host->address));
}

static char **finish_argv(GPtrArray *argv)
{
    g_ptr_array_add(argv, NULL);
    return (char **)g_ptr_array_free(argv, FALSE);
}

char **ssh_link_argv(const SshLink *self, const char *command)
{
    GPtrArray *argv = g_ptr_array_new();
    add_words(argv, (const char *const[]) { "ssh", "-n", "-o", "ControlMaster=no", NULL });
    add_common(argv, self);
    g_ptr_array_add(argv, g_strdup(command));
    return finish_argv(argv);
}

static char **master_argv(const SshLink *self)
{
    GPtrArray *argv = g_ptr_array_new();
    add_words(argv, (const char *const[]) { "sh", "-c", watching_master, "sh", self->socket, "ssh",
                                            "-M", "-N", NULL });
    add_common(argv, self);
    return finish_argv(argv);
}

char **ssh_link_environment(void)
{
    // a window that asks for a passphrase is a question, too
    return g_environ_setenv(env_for_child(NULL), "SSH_ASKPASS_REQUIRE", "never", TRUE);
}

// ---- connecting ----

static bool check_key_file(const SshHost *host, GError **error)
{
    struct stat info;
    if (!host->key_path)
        return true;
    if (stat(host->key_path, &info) < 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "SSH key not found: %s", host->key_path);
    if (!S_ISREG(info.st_mode))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "SSH key is not a file: %s", host->key_path);
    if (info.st_mode & 077)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "SSH key permissions must be 600 or stricter: %s", host->key_path);
    return true;
}

/* A person connects once by hand: they see the fingerprint, and ssh remembers the key. */
static char *by_hand(const SshHost *host)
{
    g_autoptr(GString) text = g_string_new("ssh");
    if (host->port > 0)
        g_string_append_printf(text, " -p %d", host->port);
    g_string_append_printf(text, " %s%s%s", host->user ? host->user : "", host->user ? "@" : "",
                           host->address);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* What ssh said, as text that can be shown. */
static char *ssh_link_shown(const GString *said)
{
    g_autoptr(OutputSink) sink = output_sink_new(NULL, "ssh", SHOWN_MAX_BYTES);
    output_sink_push(sink, said->str, said->len);
    return g_strstrip(g_strdup(output_sink_text(sink)));
}

static bool fail_connect(const SshHost *host, const GString *said, GError **error)
{
    g_autofree char *text = ssh_link_shown(said);
    g_autofree char *target = ssh_host_target(host);
    g_autofree char *hand = by_hand(host);
    if (strstr(text, "REMOTE HOST IDENTIFICATION HAS CHANGED"))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "The key of the SSH host %s (%s) is not the one that is known: it was set "
                         "up again, or someone is between. Nothing was sent. When its owner "
                         "confirms the new key, the user removes the old one (`ssh-keygen -R`) and "
                         "connects once by hand: %s\n%s",
                         host->name, target, hand, text);
    if (strstr(text, "Host key verification failed") || strstr(text, "host key is known for"))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "The key of the SSH host %s (%s) is not known yet. The user connects once "
                         "by hand and compares the fingerprint: %s\n%s",
                         host->name, target, hand, text);
    if (strstr(text, "Permission denied ("))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "The SSH host %s (%s) does not let us in. There is no one to type a "
                         "password or passphrase: name a key in ssh.json, or load one with "
                         "ssh-add.\n%s",
                         host->name, target, text);
    return fail_with(error, KEDGE_ERROR_FAILED, "Failed to start SSH master for %s%s%s", target,
                     *text ? ": " : "", text);
}

/* Takes what ssh says; its first bytes are kept. */
static void read_said(ProcChild *master, GString *said)
{
    char buffer[4096];
    ssize_t count = read(master->output_fd, buffer, sizeof(buffer));
    if (count > 0)
        g_string_append_len(said, buffer, (gssize)MIN((size_t)count, SAID_MAX_BYTES - said->len));
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
        fd_close(fd_steal(&master->output_fd));
}

static bool has_exited(const SshLink *self)
{
    struct pollfd exited = { .fd = self->master.pidfd, .events = POLLIN };
    return self->master.pid <= 0 || poll(&exited, 1, 0) != 0;
}

/* The socket appears when the other machine has let us in. */
static bool wait_for_socket(SshLink *self, int64_t deadline_ms, Cancel *cancel, GError **error)
{
    g_autoptr(GString) said = g_string_new(NULL);
    ProcChild *master = &self->master;
    while (!file_exists(self->socket)) {
        if (!cancel_check(cancel, error))
            return false;
        if (time_monotonic_ms() >= deadline_ms) {
            g_autofree char *target = ssh_host_target(self->host);
            return fail_with(error, KEDGE_ERROR_TIMEOUT,
                             "The SSH host %s (%s) did not answer in time", self->host->name,
                             target);
        }
        if (has_exited(self)) {
            while (master->output_fd >= 0 && said->len < SAID_MAX_BYTES) {
                struct pollfd more = { .fd = master->output_fd, .events = POLLIN };
                if (poll(&more, 1, 0) <= 0)
                    break;
                read_said(master, said);
            }
            return fail_connect(self->host, said, error);
        }
        struct pollfd fds[] = {
            { .fd = master->output_fd, .events = POLLIN },
            { .fd = master->pidfd, .events = POLLIN },
        };
        cancel_poll(cancel, fds, G_N_ELEMENTS(fds), POLL_MS);
        if (fds[0].revents)
            read_said(master, said);
    }
    return true;
}

static bool start_master(SshLinks *self, SshLink *link, int64_t deadline_ms, Cancel *cancel,
                         GError **error)
{
    g_autofree char *program = proc_find_program("ssh");
    if (!program)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "ssh binary not found on PATH");
    if (!check_key_file(link->host, error) ||
        (!link->socket && !make_socket_path(self, &link->socket, error)))
        return false;
    g_auto(GStrv) argv = master_argv(link);
    g_auto(GStrv) env = ssh_link_environment();
    const ProcChildSpec spec = {
        .argv = (const char *const *)argv,
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_TOOL,
        .has_input = true,
    };
    if (!proc_start(&spec, &link->master, error)) {
        link->master.pid = 0;
        return false;
    }
    return fd_set_nonblocking(link->master.output_fd, error) &&
           wait_for_socket(link, deadline_ms, cancel, error);
}

// ---- what kind of machine it is ----

/* What `command` prints there; NULL: it could not be asked. Caller frees. */
static char *ssh_link_ask(const SshLink *self, const char *command, int64_t deadline_ms,
                          Cancel *cancel)
{
    int64_t left = MIN(deadline_ms - time_monotonic_ms(), PROBE_MS);
    if (left <= 0)
        return NULL;
    g_auto(GStrv) argv = ssh_link_argv(self, command);
    g_auto(GStrv) env = ssh_link_environment();
    const ProcSpec spec = {
        .argv = (const char *const *)argv,
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_TOOL,
        .timeout_ms = left,
        .max_output_bytes = PROBE_MAX_BYTES,
    };
    g_auto(ProcResult) result = { 0 };
    return proc_run(&spec, cancel, &result, NULL) ? g_steal_pointer(&result.output) : NULL;
}

static bool has_shell(const SshLink *self, const char *probe, int64_t deadline_ms, Cancel *cancel)
{
    g_autofree char *said = ssh_link_ask(self, probe, deadline_ms, cancel);
    return said && strstr(said, ssh_compat_mark);
}

static void find_facts(SshLink *self, int64_t deadline_ms, Cancel *cancel)
{
    g_autofree char *said = ssh_link_ask(self, ssh_probe_shell, deadline_ms, cancel);
    if (!said)
        return;
    SshFacts facts = ssh_facts_parse(said);
    if (facts.os == SSH_OS_UNKNOWN) {
        g_autofree char *system = ssh_link_ask(self, ssh_probe_system, deadline_ms, cancel);
        facts.os = system ? ssh_facts_parse_system(system) : SSH_OS_UNKNOWN;
        if (system && facts.os == SSH_OS_UNKNOWN && facts.shell == SSH_SHELL_POWERSHELL)
            facts.os = SSH_OS_WINDOWS;
    }
    bool is_plain_windows = facts.os == SSH_OS_WINDOWS &&
                            (facts.shell == SSH_SHELL_CMD || facts.shell == SSH_SHELL_POWERSHELL);
    if (is_plain_windows && !self->host->has_no_compat) {
        facts.compat_shell = has_shell(self, ssh_probe_bash, deadline_ms, cancel) ? SSH_SHELL_BASH
                             : has_shell(self, ssh_probe_sh, deadline_ms, cancel)
                                 ? SSH_SHELL_SH
                                 : SSH_SHELL_UNKNOWN;
        facts.is_compat = facts.compat_shell != SSH_SHELL_UNKNOWN;
    }
    self->facts = facts;
    self->has_facts = facts.os != SSH_OS_UNKNOWN;
    if (self->has_facts && !cancel_has_fired(cancel))
        ssh_facts_store(self->host, &facts);
}

// ---- taking one ----

/* An entry that was edited meanwhile is another host. */
static bool is_same(const SshHost *a, const SshHost *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->address, b->address) == 0 &&
           g_strcmp0(a->user, b->user) == 0 && g_strcmp0(a->key_path, b->key_path) == 0 &&
           a->port == b->port && a->has_no_compat == b->has_no_compat;
}

static SshLink *find_or_add_locked(SshLinks *self, const SshHost *host)
{
    for (guint i = 0; i < self->links->len; i++) {
        SshLink *link = self->links->pdata[i];
        if (is_same(link->host, host))
            return link;
    }
    SshLink *link = g_new0(SshLink, 1);
    link->host = ssh_host_copy(host);
    g_ptr_array_add(self->links, link);
    return link;
}

static bool ssh_links_claim(SshLinks *self, const SshHost *host, Cancel *cancel, SshLink **ret_link,
                            GError **error)
{
    for (;;) {
        pthread_mutex_lock(&self->lock);
        SshLink *link = find_or_add_locked(self, host);
        bool is_free = !link->is_busy;
        link->is_busy = true;
        pthread_mutex_unlock(&self->lock);
        *ret_link = link;
        if (is_free)
            return true;
        if (!cancel_sleep(cancel, QUEUE_MS, error))
            return false;
    }
}

static void ssh_links_release(SshLinks *self, SshLink *link)
{
    HOLD_LOCK(&self->lock);
    link->is_busy = false;
}

/* What a master prints later must not fill its pipe. */
static void discard_said(SshLink *self)
{
    g_autoptr(GString) said = g_string_new(NULL);
    struct pollfd more = { .fd = self->master.output_fd, .events = POLLIN };
    for (int i = 0; i < 16 && self->master.output_fd >= 0 && poll(&more, 1, 0) > 0; i++) {
        g_string_truncate(said, 0);
        read_said(&self->master, said);
    }
}

static bool ensure_master(SshLinks *self, SshLink *link, int64_t deadline_ms, Cancel *cancel,
                          GError **error)
{
    if (!has_exited(link) && file_exists(link->socket)) {
        discard_said(link);
        return cancel_check(cancel, error);
    }
    end_master(link);
    if (start_master(self, link, deadline_ms, cancel, error))
        return true;
    end_master(link);
    return false;
}

bool ssh_links_connect(SshLinks *self, const SshHost *host, int64_t deadline_ms, Cancel *cancel,
                       SshLink **ret_link, SshFacts *ret_facts, GError **error)
{
    SshLink *link = NULL;
    if (!ssh_links_claim(self, host, cancel, &link, error))
        return false;
    bool is_connected = ensure_master(self, link, deadline_ms, cancel, error);
    if (is_connected && !link->has_facts)
        link->has_facts = ssh_facts_load(host, &link->facts);
    if (is_connected && !link->has_facts)
        find_facts(link, deadline_ms, cancel);
    *ret_facts = link->facts;
    *ret_link = link;
    ssh_links_release(self, link);
    return is_connected;
}

bool ssh_links_has_lost(SshLinks *self, SshLink *link)
{
    HOLD_LOCK(&self->lock);
    return !link->is_busy && has_exited(link);
}
