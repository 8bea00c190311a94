/*
 * The file of hosts and what a machine says of itself: whatever is in them, a host holds nothing
 * that ssh would read as more than a name, and a command is worded so that its directory stays one
 * word.
 */
#include "base/limits.h"
#include "tools/ssh/ssh_facts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_word(const char *text)
{
    if (!text || !*text || *text == '-' || strpbrk(text, " \t\r\n'\"`$;&|<>(){}*?!#~/"))
        abort();
}

static void check_host(const SshHost *host)
{
    check_word(host->name);
    check_word(host->address);
    if (host->user)
        check_word(host->user);
    if (host->key_path && (*host->key_path != '/' || strpbrk(host->key_path, "%$\n")))
        abort();
    if (host->description && strpbrk(host->description, "\n\r\x1b"))
        abort();
    if (host->port < 0 || host->port > 65535)
        abort();
    g_autofree char *target = ssh_host_target(host);
    check_word(target);
}

/* Inside quotes all the time but where a quote is written. */
static void check_posix(const char *cwd)
{
    static const SshFacts facts = { .os = SSH_OS_LINUX, .shell = SSH_SHELL_SH };
    g_autofree char *text = NULL;
    if (!ssh_facts_word(&facts, "true", cwd, &text, NULL))
        return;
    if (!g_str_has_suffix(text, " || exit 1; true"))
        abort();
    g_auto(GStrv) argv = NULL;
    g_autofree char *command = g_strndup(text, strlen(text) - strlen(" || exit 1; true"));
    int count = 0;
    if (!g_shell_parse_argv(command, &count, &argv, NULL) || (count != 3 && count != 1))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *raw = g_strndup((const char *)data, size);
    g_autofree char *text = g_utf8_make_valid(raw, -1);
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) hosts = ssh_hosts_parse(text, "hosts", warnings);
    if (hosts->len > LIMIT_SSH_HOSTS)
        abort();
    for (guint i = 0; i < hosts->len; i++)
        check_host(hosts->pdata[i]);
    SshFacts facts = ssh_facts_parse(text);
    ssh_os_name(facts.os);
    ssh_shell_name(&facts);
    ssh_facts_parse_system(text);
    check_posix(text);
    return 0;
}
