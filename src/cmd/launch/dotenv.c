/*
 * `.env` files (agent-core §0): for variables that are not set yet, from the agent directory, the
 * config root and home, in this order. The one in $PWD belongs to the project: nothing of it counts
 * before a person can say that the repository is trusted (common §3).
 */
#include "base/dirs.h"
#include "base/env.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/own_file.h"
#include "base/secrets.h"
#include "cmd/cli/cmd.h"

/* "NAME=value", quotes around the value taken away; NULL when the line sets nothing. */
static const char *split_line(char *line, const char **ret_value)
{
    g_strstrip(line);
    char *equals = strchr(line, '=');
    if (*line == '#' || !equals)
        return NULL;
    *equals = '\0';
    const char *name = g_strchomp(line);
    char *value = g_strchug(equals + 1);
    size_t size = strlen(value);
    if (size >= 2 && (*value == '"' || *value == '\'') && value[size - 1] == *value) {
        value[size - 1] = '\0';
        value++;
    }
    *ret_value = value;
    return env_is_name(name) ? name : NULL;
}

static void take_variable(const char *name, const char *value)
{
    if (secrets_get(name))
        return;
    if (secret_kind(name) != SECRET_NONE)
        secrets_set(name, value);
    else
        g_setenv(name, value, TRUE);
}

/* The lines of DIR/.env; NULL when there is none. Caller frees with g_strfreev(). */
static char **read_lines(const char *dir, char **ret_path)
{
    *ret_path = g_build_filename(dir, ".env", NULL);
    g_autofree char *data = NULL;
    g_autoptr(GError) error = NULL;
    if (!own_file_read(*ret_path, LIMIT_CONFIG_FILE_BYTES, &data, NULL, &error)) {
        if (error_is(error, KEDGE_ERROR_DENIED))
            log_warning("%s", error->message);
        return NULL;
    }
    char **lines = g_strsplit(data, "\n", -1);
    explicit_bzero(data, strlen(data));
    return lines;
}

static void take_file(const char *dir)
{
    g_autofree char *path = NULL;
    g_auto(GStrv) lines = read_lines(dir, &path);
    for (char **line = lines; line && *line; line++) {
        const char *value = NULL;
        const char *name = split_line(*line, &value);
        if (name)
            take_variable(name, value);
    }
}

/* Names the keys that were not taken. */
static void look_at_project(const char *dir)
{
    g_autofree char *path = NULL;
    g_auto(GStrv) lines = read_lines(dir, &path);
    g_autoptr(GString) names = g_string_new(NULL);
    for (char **line = lines; line && *line; line++) {
        const char *value = NULL;
        const char *name = split_line(*line, &value);
        if (name && *value && secret_is_provider_key(name))
            g_string_append_printf(names, "%s%s", names->len ? ", " : "", name);
    }
    if (names->len > 0)
        log_warning("%s: not used, the repository is not trusted: %s", path, names->str);
}

void cmd_load_dotenv(void)
{
    g_autofree char *cwd = g_get_current_dir();
    g_autofree char *agent_dir = dirs_agent();
    take_file(agent_dir);
    g_autofree char *root = dirs_config_root();
    take_file(root);
    g_autofree char *home = dirs_home();
    take_file(home);
    if (strcmp(cwd, home) != 0 && strcmp(cwd, root) != 0 && strcmp(cwd, agent_dir) != 0)
        look_at_project(cwd);
}
