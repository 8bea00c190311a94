/* See ssh_hosts.h. */
#include "tools/ssh/ssh_hosts.h"

#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/json_reader.h"
#include "base/limits.h"
#include "base/own_file.h"
#include "base/path.h"
#include "base/str.h"
#include "base/utf8.h"

#define PROVIDER          "SSH Config"
#define MAX_PORT          65535
#define MAX_NAME_BYTES    64
#define DESCRIPTION_CHARS 200

SshHost *ssh_host_copy(const SshHost *self)
{
    SshHost *copy = g_new0(SshHost, 1);
    *copy = (SshHost) {
        .name = g_strdup(self->name),
        .address = g_strdup(self->address),
        .user = g_strdup(self->user),
        .key_path = g_strdup(self->key_path),
        .description = g_strdup(self->description),
        .port = self->port,
        .has_no_compat = self->has_no_compat,
    };
    return copy;
}

void ssh_host_free(SshHost *self)
{
    if (!self)
        return;
    g_free(self->name);
    g_free(self->address);
    g_free(self->user);
    g_free(self->key_path);
    g_free(self->description);
    g_free(self);
}

static void host_free(void *host)
{
    ssh_host_free(host);
}

char *ssh_host_target(const SshHost *self)
{
    g_autofree char *port = self->port > 0 ? g_strdup_printf(":%d", self->port) : NULL;
    return g_strconcat(self->user ? self->user : "", self->user ? "@" : "", self->address,
                       port ? port : "", NULL);
}

/* The letters, digits and `others` only, beginning with no "-". */
static bool is_plain(const char *text, const char *others)
{
    if (*text == '\0' || *text == '-')
        return false;
    for (; *text; text++)
        if (!g_ascii_isalnum(*text) && !strchr(others, *text))
            return false;
    return true;
}

/* A string of the file, with ~ and ${VAR} replaced; NULL: it is not there or not one. */
static char *text_of(const json_t *item, const char *key, const char *other_key)
{
    const char *text = json_get_text(item, key);
    if (!text && other_key)
        text = json_get_text(item, other_key);
    if (!text)
        return NULL;
    g_autofree char *expanded = env_expand(text);
    return str_truncate(expanded, LIMIT_SSH_TEXT_BYTES);
}

/* ssh replaces %-marks and ${…} in a path of its own accord. */
static bool check_key(SshHost *host, char **ret_problem)
{
    if (!host->key_path)
        return true;
    g_autofree char *path = path_expand_home(host->key_path);
    bool is_usable = g_path_is_absolute(path) && !strpbrk(path, "%$\"\n\r");
    if (!is_usable)
        *ret_problem = g_strdup_printf("keyPath \"%s\" must be an absolute path, or one below ~, "
                                       "without %%, $, quotes and line breaks",
                                       host->key_path);
    g_free(host->key_path);
    host->key_path = g_steal_pointer(&path);
    return is_usable;
}

static bool check_port(SshHost *host, const json_t *port, char **ret_problem)
{
    int64_t number = json_is_integer(port) ? json_integer_value(port) : 0;
    bool is_number = json_is_integer(port) ||
                     (json_is_string(port) && str_parse_int(json_string_value(port), &number));
    if (!port || json_is_null(port))
        return true;
    if (!is_number || number < 1 || number > MAX_PORT) {
        *ret_problem = g_strdup_printf("port must be a number from 1 to %d", MAX_PORT);
        return false;
    }
    host->port = (int)number;
    return true;
}

static void take_description(SshHost *host, const json_t *item)
{
    g_autofree char *text = text_of(item, "description", NULL);
    if (!text)
        return;
    for (char *c = text; *c; c++)
        if (g_ascii_iscntrl(*c))
            *c = ' ';
    host->description = utf8_ellipsize(text, DESCRIPTION_CHARS);
}

SshHost *ssh_host_parse(const char *name, const json_t *item, char **ret_problem)
{
    g_autoptr(SshHost) host = g_new0(SshHost, 1);
    host->name = g_strdup(name);
    host->address = text_of(item, "host", NULL);
    host->user = text_of(item, "username", "user");
    host->key_path = text_of(item, "keyPath", "key");
    host->has_no_compat = !json_get_bool(item, "compat", true);
    take_description(host, item);
    if (*name == '\0')
        *ret_problem = g_strdup("Missing name");
    else if (strlen(name) > MAX_NAME_BYTES || !g_ascii_isalnum(*name) || !is_plain(name, "._-"))
        *ret_problem = g_strdup_printf("a name is up to %d letters, digits and . _ -, not \"%s\"",
                                       MAX_NAME_BYTES, name);
    else if (str_is_empty(host->address))
        *ret_problem = g_strdup("Missing host");
    else if (!is_plain(host->address, "._-:"))
        *ret_problem = g_strdup_printf("host \"%s\" is no host name or address", host->address);
    else if (host->user && !is_plain(host->user, "._-@+\\"))
        *ret_problem = g_strdup_printf("username \"%s\" is none", host->user);
    else if (check_key(host, ret_problem) &&
             check_port(host, json_object_get(item, "port"), ret_problem))
        return g_steal_pointer(&host);
    return NULL;
}

static void ssh_hosts_warn(GPtrArray *warnings, char *text)
{
    if (warnings)
        g_ptr_array_add(warnings, text);
    else
        g_free(text);
}

GPtrArray *ssh_hosts_parse(const char *text, const char *path, GPtrArray *warnings)
{
    GPtrArray *hosts = g_ptr_array_new_with_free_func(host_free);
    g_autoptr(json_t) root = NULL;
    g_autoptr(GError) error = NULL;
    if (!json_parse_json5(text, &root, &error)) {
        ssh_hosts_warn(warnings, g_strdup_printf("[" PROVIDER "] Failed to parse %s: %s", path,
                                                 error->message));
        return hosts;
    }
    json_each_member (json_get_object(root, "hosts"), name, item) {
        g_autofree char *problem = NULL;
        SshHost *host = NULL;
        if (hosts->len == LIMIT_SSH_HOSTS)
            problem = g_strdup_printf("there are more than %d hosts", LIMIT_SSH_HOSTS);
        else
            host = ssh_host_parse(name, item, &problem);
        if (host)
            g_ptr_array_add(hosts, host);
        else
            ssh_hosts_warn(warnings,
                           g_strdup_printf("[" PROVIDER "] Invalid item at %s: %s", path, problem));
        if (hosts->len == LIMIT_SSH_HOSTS && !host)
            break;
    }
    return hosts;
}

char *ssh_hosts_path(void)
{
    g_autofree char *dir = dirs_agent();
    return g_build_filename(dir, "ssh.json", NULL);
}

GPtrArray *ssh_hosts_load(GPtrArray *warnings)
{
    g_autofree char *path = ssh_hosts_path();
    g_autofree char *text = NULL;
    g_autoptr(GError) error = NULL;
    if (own_file_read(path, LIMIT_CONFIG_FILE_BYTES, &text, NULL, &error))
        return ssh_hosts_parse(text, path, warnings);
    if (!error_is(error, KEDGE_ERROR_NOT_FOUND))
        ssh_hosts_warn(warnings,
                       g_strdup_printf("[" PROVIDER "] Failed to load: %s", error->message));
    return g_ptr_array_new_with_free_func(host_free);
}

const SshHost *ssh_hosts_find(const GPtrArray *hosts, const char *name)
{
    for (guint i = 0; i < hosts->len; i++) {
        const SshHost *host = hosts->pdata[i];
        if (strcmp(host->name, name) == 0)
            return host;
    }
    return NULL;
}

char *ssh_hosts_of_project(const char *cwd)
{
    static const char *const names[] = { ".kedge/ssh.json", "ssh.json", ".ssh.json" };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_build_filename(cwd, names[i], NULL);
        if (file_exists(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}
