/*
 * A hash of token variables and gh's hosts.yml.
 */
#include "github/credential_key.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/secrets.h"
#include "github/gh_env.h"

#include <string.h>

#define HASH_DIGITS 32

/* "<length>:<name>:<value>"; every part but the first behind a "|". */
static void append_part(GString *text, const char *name, const char *value)
{
    g_string_append_printf(text, "%s%zu:%s:%s", text->len > 0 ? "|" : "",
                           strlen(name) + 1 + strlen(value), name, value);
}

char *credential_key(const char *host, bool *ret_is_login)
{
    static const char *const names[] = { "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN",
                                         "GITHUB_ENTERPRISE_TOKEN" };
    g_autoptr(GString) text = g_string_new(NULL);
    append_part(text, "host", host);
    bool has_token = false;
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        const char *token = secrets_get(names[i]);
        if (token)
            append_part(text, names[i], token);
        has_token = has_token || token;
    }
    g_autofree char *path = gh_env_hosts_file();
    g_autofree char *hosts = NULL;
    bool has_login = file_read(path, LIMIT_CONFIG_FILE_BYTES, &hosts, NULL, NULL);
    if (has_login)
        append_part(text, "hosts", hosts);
    g_autofree char *sum =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text->str, text->len);
    explicit_bzero(text->str, text->len);
    if (!has_token && !has_login)
        return NULL;
    *ret_is_login = !has_token;
    return g_strdup_printf("%s:%.*s", host, HASH_DIGITS, sum);
}
