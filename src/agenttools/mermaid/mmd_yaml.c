/*
 * YAML in diagrams (mmd_yaml.h): read as everywhere, and the message taken apart.
 */
#include "agenttools/mermaid/mmd_yaml.h"

#include "base/yaml.h"

bool mmd_yaml_parse(const char *text, json_t **ret_value, char **ret_reason, size_t *ret_line)
{
    g_autoptr(GError) error = NULL;
    if (yaml_parse(text, strlen(text), "yaml", ret_value, &error))
        return true;
    // "yaml: yaml: line N: reason"
    const char *line = strstr(error->message, "line ");
    const char *reason = line != NULL ? strstr(line, ": ") : NULL;
    *ret_line = line != NULL ? (size_t)g_ascii_strtoull(line + strlen("line "), NULL, 10) : 1;
    *ret_reason = g_strdup(reason != NULL ? reason + strlen(": ") : error->message);
    return false;
}
