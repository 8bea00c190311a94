/*
 * mmd_yaml.h. The YAML of the real parser does not mind how the lines within brackets and quotes
 * are indented; ours does, so a text that it refuses gets a second try with those lines indented.
 */
#include "agenttools/mermaid/mmd_yaml.h"

#include "base/yaml.h"

#define FAR_IN "                    "

/* Caller frees. */
static char *indent_continued_lines(const char *text)
{
    g_autoptr(GString) indented = g_string_new(NULL);
    unsigned depth = 0;
    char quote = '\0', before = '\n';
    for (const char *at = text; *at != '\0'; at++) {
        bool may_open = before != '\0' && strchr(" \t\n:,[{", before) != NULL;
        g_string_append_c(indented, *at);
        if (*at == '\n' && (depth > 0 || quote != '\0'))
            g_string_append(indented, FAR_IN);
        else if (quote != '\0')
            quote = *at == quote && before != '\\' ? '\0' : quote;
        else if ((*at == '"' || *at == '\'') && may_open)
            quote = *at;
        else if (*at == '[' || *at == '{')
            depth += depth > 0 || may_open;
        else if (*at == ']' || *at == '}')
            depth -= depth > 0;
        before = *at;
    }
    return g_string_free(g_steal_pointer(&indented), FALSE);
}

bool mmd_yaml_parse(const char *text, json_t **ret_value, char **ret_reason, size_t *ret_line)
{
    g_autoptr(GError) error = NULL;
    if (yaml_parse(text, strlen(text), "yaml", ret_value, &error))
        return true;
    g_autofree char *indented = indent_continued_lines(text);
    if (yaml_parse(indented, strlen(indented), "yaml", ret_value, NULL))
        return true;

    // "yaml: yaml: line N: reason"
    const char *line = strstr(error->message, "line ");
    const char *reason = line != NULL ? strstr(line, ": ") : NULL;
    *ret_line = line != NULL ? (size_t)g_ascii_strtoull(line + strlen("line "), NULL, 10) : 1;
    *ret_reason = g_strdup(reason != NULL ? reason + strlen(": ") : error->message);
    return false;
}
