/*
 * `kedge ssh`: the hosts of the ssh tool (agent-tools §9.4), in ssh.json of the agent directory.
 */
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/own_file.h"
#include "cmd/cli/commands.h"
#include "tools/ssh/ssh_hosts.h"

typedef struct AddOptions {
    const char *user, *key, *description;
    int64_t port;
    bool has_no_compat;
} AddOptions;

static const FieldDef add_options[] = {
    { "user", FIELD_STRING, offsetof(AddOptions, user), .value_name = "NAME",
      .help = "Login name; default: what ssh takes" },
    { "port", FIELD_INTEGER, offsetof(AddOptions, port), .value_name = "N",
      .help = "Port; default: what ssh takes" },
    { "key", FIELD_STRING, offsetof(AddOptions, key), .value_name = "PATH",
      .help = "Private key; default: what ssh takes" },
    { "description", FIELD_STRING, offsetof(AddOptions, description), .value_name = "TEXT",
      .help = "What the model reads about it" },
    { "noCompat", FIELD_BOOLEAN, offsetof(AddOptions, has_no_compat),
      .help = "On Windows: the host's own shell, also when it has a bash or sh" },
    { 0 },
};

static const FieldDef no_options[] = { { 0 } };

/* Exactly `count` words; `kept` holds them. */
static bool read_words(const FieldDef *fields, int argc, char *const *argv, void *options,
                       json_t **ret_kept, GPtrArray *words, unsigned count, const char *usage,
                       GError **error)
{
    if (!cmd_decode_options(fields, argc, argv, options, ret_kept, words, error))
        return false;
    return words->len == count || fail_with(error, KEDGE_ERROR_USAGE, "usage: kedge %s", usage);
}

// ---- the file; comments in it do not survive a change ----

static bool file_open(char **ret_path, DirLock **ret_lock, json_t **ret_root, GError **error)
{
    g_autofree char *path = ssh_hosts_path();
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *text = NULL;
    g_autoptr(GError) problem = NULL;
    g_autoptr(DirLock) lock = NULL;
    g_autoptr(json_t) root = NULL;
    if (!file_make_dirs(dir, 0700, error) || !dir_lock_acquire(path, NULL, &lock, error))
        return false;
    if (!own_file_read(path, LIMIT_CONFIG_FILE_BYTES, &text, NULL, &problem)) {
        if (!error_is(problem, KEDGE_ERROR_NOT_FOUND))
            return pass_error(error, &problem);
        root = json_object();
    } else if (!json_parse_json5(text, &root, error)) {
        g_prefix_error(error, "%s: ", path);
        return false;
    }
    if (!json_is_object(root))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s: not an object", path);
    if (!json_get_object(root, "hosts"))
        json_set_take(root, "hosts", json_object());
    *ret_path = g_steal_pointer(&path);
    *ret_lock = g_steal_pointer(&lock);
    *ret_root = g_steal_pointer(&root);
    return true;
}

static bool file_save(const char *path, const json_t *root, GError **error)
{
    g_autofree char *text = json_to_pretty(root);
    g_autofree char *whole = g_strconcat(text, "\n", NULL);
    return file_write_atomic(path, whole, strlen(whole), 0600, error);
}

// ---- the subcommands ----

static json_t *entry_of(const char *address, const AddOptions *given)
{
    json_t *entry = json_make("host:%s username:%s", address, given->user);
    if (given->port != 0)
        json_set_int(entry, "port", given->port);
    json_add(entry, "keyPath:%s description:%s", given->key, given->description);
    if (given->has_no_compat)
        json_set_bool(entry, "compat", false);
    return entry;
}

static bool ssh_add(const char *name, json_t *entry, GError **error)
{
    g_autofree char *problem = NULL;
    g_autofree char *path = NULL;
    g_autoptr(SshHost) host = ssh_host_parse(name, entry, &problem);
    g_autoptr(DirLock) lock = NULL;
    g_autoptr(json_t) root = NULL;
    if (!host)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s", problem);
    if (!file_open(&path, &lock, &root, error))
        return false;
    json_t *hosts = json_get_object(root, "hosts");
    if (json_object_get(hosts, name))
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "there is a host \"%s\" already; `kedge ssh remove %s` removes it", name,
                         name);
    if (json_object_size(hosts) >= LIMIT_SSH_HOSTS)
        return fail_with(error, KEDGE_ERROR_LIMIT, "there are %d hosts, as many as can be",
                         LIMIT_SSH_HOSTS);
    json_object_set(hosts, name, entry);
    return file_save(path, root, error);
}

static int add_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    AddOptions given = { 0 };
    if (!read_words(add_options, argc, argv, &given, &kept, words, 2,
                    "ssh add NAME HOST [--user NAME] [--port N] [--key PATH]", &error))
        return cmd_fail(error);
    g_autoptr(json_t) entry = entry_of(words->pdata[1], &given);
    if (!ssh_add(words->pdata[0], entry, &error))
        return cmd_fail(error);
    log_text("Added %s. kedge never asks for passwords: connect once by hand, so that ssh knows "
             "the key of the host.",
             (const char *)words->pdata[0]);
    return EXIT_OK;
}

static bool remove_host(const char *name, GError **error)
{
    g_autofree char *path = NULL;
    g_autoptr(DirLock) lock = NULL;
    g_autoptr(json_t) root = NULL;
    if (!file_open(&path, &lock, &root, error))
        return false;
    if (json_object_del(json_get_object(root, "hosts"), name) != 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "there is no host \"%s\" in %s", name, path);
    return file_save(path, root, error);
}

static int remove_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    char nothing = 0;
    if (!read_words(no_options, argc, argv, &nothing, &kept, words, 1, "ssh remove NAME", &error) ||
        !remove_host(words->pdata[0], &error))
        return cmd_fail(error);
    return EXIT_OK;
}

static int list_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(json_t) kept = NULL;
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    char nothing = 0;
    if (!read_words(no_options, argc, argv, &nothing, &kept, words, 0, "ssh list", &error))
        return cmd_fail(error);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) hosts = ssh_hosts_load(warnings);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < hosts->len; i++) {
        const SshHost *host = hosts->pdata[i];
        g_autofree char *target = ssh_host_target(host);
        g_string_append_printf(text, "%s  %s", host->name, target);
        if (host->key_path)
            g_string_append_printf(text, "  %s", host->key_path);
        if (host->description)
            g_string_append_printf(text, "  %s", host->description);
        g_string_append_c(text, '\n');
    }
    cmd_print_warnings(warnings);
    return cmd_print(text->str) ? EXIT_OK : EXIT_FAILED;
}

static const Command command_add = {
    .name = "ssh add",
    .summary = "Add a host",
    .usage = "[options] NAME HOST",
    .options = add_options,
    .help = "HOST is a name, an address, or a Host of your ssh_config. NAME is what a model calls "
            "it.",
    .run = add_run,
};

static const Command command_list = {
    .name = "ssh list",
    .summary = "Print the hosts",
    .usage = "",
    .options = no_options,
    .help = "One a line: name, where it is, key, description.",
    .run = list_run,
};

static const Command command_remove = {
    .name = "ssh remove",
    .summary = "Remove a host",
    .usage = "NAME",
    .options = no_options,
    .run = remove_run,
};

static const Command *const subcommands[] = { &command_add, &command_list, &command_remove, NULL };

static int ssh_run(const CommandEnv *env G_GNUC_UNUSED, int argc, char *const *argv)
{
    static const char *const names[] = { "add", "list", "remove", NULL };
    if (argc > 0)
        return cmd_unknown_subcommand("ssh", argv[0], names);
    log_text("usage: kedge ssh add|list|remove …; `kedge ssh --help` explains them");
    return EXIT_USAGE;
}

const Command command_ssh = {
    .name = "ssh",
    .summary = "Hosts on which the ssh tool may run commands",
    .usage = "add|list|remove …",
    .help = "The hosts are in ssh.json of the agent directory. A model is offered the ssh tool "
            "when\n"
            "there is one. The system's ssh connects, with your ssh_config, and never asks.",
    .subcommands = subcommands,
    .run = ssh_run,
};
