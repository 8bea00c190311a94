/*
 * `.env` files (agent-core §0): for variables that are not set yet, from $PWD, the agent directory,
 * the config root and home, in this order. The one in $PWD belongs to the project, so it may only
 * bring provider keys.
 */
#include "base/dirs.h"
#include "base/env.h"
#include "base/file.h"
#include "base/limits.h"
#include "cmd/cmd.h"

static void take_line(char *line, bool is_project)
{
    g_strstrip(line);
    char *equals = strchr(line, '=');
    if (*line == '#' || !equals)
        return;
    *equals = '\0';
    char *name = g_strchomp(line), *value = g_strchug(equals + 1);
    size_t size = strlen(value);
    if (size >= 2 && (*value == '"' || *value == '\'') && value[size - 1] == *value) {
        value[size - 1] = '\0';
        value++;
    }
    if (env_is_name(name) && !env_get_raw(name) && (!is_project || env_is_provider_key(name)))
        g_setenv(name, value, TRUE);
}

static void take_file(const char *dir, bool is_project)
{
    g_autofree char *path = g_build_filename(dir, ".env", NULL);
    g_autofree char *data = NULL;
    if (!file_read(path, LIMIT_CONFIG_FILE_BYTES, &data, NULL, NULL))
        return;
    g_auto(GStrv) lines = g_strsplit(data, "\n", -1);
    for (char **line = lines; *line; line++)
        take_line(*line, is_project);
}

void cmd_load_dotenv(void)
{
    g_autofree char *cwd = g_get_current_dir();
    take_file(cwd, true);
    g_autofree char *agent_dir = dirs_agent();
    take_file(agent_dir, false);
    g_autofree char *root = dirs_config_root();
    take_file(root, false);
    g_autofree char *home = dirs_home();
    take_file(home, false);
}
