/*
 * Preparing a command for the shell (bash_command.h).
 */
#include "tools/shell/bash_command.h"

#include "base/str.h"
#include "tool/settings_keys.h"

#define CD_PATTERN "^cd\\s+((?:[^&\\\\]|\\\\.)+?)\\s*&&\\s*"

typedef struct InterceptRule {
    const char *pattern, *flags, *tool, *message; // borrowed
} InterceptRule;

static const InterceptRule default_rules[] = {
    { "^\\s*(cat|head|tail|less|more)\\s+", NULL, "read",
      "Use the `read` tool instead of cat/head/tail. It provides better context and handles binary "
      "files." },
    { "^\\s*(grep|rg|ripgrep|ag|ack)\\s+", NULL, "grep",
      "Use the `grep` tool instead of grep/rg. It respects .gitignore and provides structured "
      "output." },
    { "^\\s*(find|fd|locate)\\s+.*(-name|-iname|-type|--type|-glob)", NULL, "find",
      "Use the `find` tool instead of find/fd. It respects .gitignore and is faster for glob "
      "patterns." },
    { "^\\s*sed\\s+(-i|--in-place)", NULL, "edit",
      "Use the `edit` tool instead of sed -i. It provides diff preview and fuzzy matching." },
    { "^\\s*perl\\s+.*-[pn]?i", NULL, "edit",
      "Use the `edit` tool instead of perl -i. It provides diff preview and fuzzy matching." },
    { "^\\s*awk\\s+.*-i\\s+inplace", NULL, "edit",
      "Use the `edit` tool instead of awk -i inplace. It provides diff preview and fuzzy "
      "matching." },
    { "^\\s*(echo|printf|cat\\s*<<)\\s+.*[^|]>\\s*\\S", NULL, "write",
      "Use the `write` tool instead of echo/cat redirection. It handles encoding and provides "
      "confirmation." },
};

/* Without one pair of quotes around it; a backslash before a blank stays for workspace_path(). */
static char *plain_dir(const char *text)
{
    g_autofree char *dir = g_strstrip(g_strdup(text));
    size_t size = strlen(dir);
    bool is_quoted = size >= 2 && (*dir == '"' || *dir == '\'') && dir[size - 1] == *dir;
    return is_quoted ? g_strndup(dir + 1, size - 2) : g_steal_pointer(&dir);
}

bool bash_split_cd(const char *command, char **ret_dir, char **ret_rest)
{
    if (!str_has_prefix(command, "cd"))
        return false;
    g_autoptr(GRegex) regex = g_regex_new(CD_PATTERN, G_REGEX_DOTALL, 0, NULL);
    g_autoptr(GMatchInfo) match = NULL;
    int end = 0;
    if (!g_regex_match(regex, command, 0, &match) || !g_match_info_fetch_pos(match, 0, NULL, &end))
        return false;

    g_autofree char *asked = g_match_info_fetch(match, 1);
    g_autofree char *dir = plain_dir(asked);
    // `cd a; make && make test`, `cd "$DIR" && …`, `cd - && …` are the shell's to understand
    if (strpbrk(dir, "$`*?[]{}|;<>()!#\n\"'") || *dir == '-' || *dir == '\0')
        return false;
    if (dir[strspn(dir, "/")] == '\0') // `/` is the workspace for a tool, not for a shell
        return false;
    *ret_dir = g_steal_pointer(&dir);
    *ret_rest = g_strdup(command + end);
    return true;
}

/* Tools with a switch in the settings are there when it is on, all others always. */
static bool is_tool_available(const Settings *settings, const char *tool)
{
    g_autofree char *key = g_strconcat(tool, ".enabled", NULL);
    return !setting_key_find(key) || settings_get_bool(settings, key);
}

static GRegexCompileFlags regex_flags(const char *flags)
{
    GRegexCompileFlags result = 0;
    for (; flags && *flags; flags++) {
        if (*flags == 'i')
            result |= G_REGEX_CASELESS;
        else if (*flags == 'm')
            result |= G_REGEX_MULTILINE;
        else if (*flags == 's')
            result |= G_REGEX_DOTALL;
    }
    return result;
}

static bool check_rule(const Settings *settings, const InterceptRule *rule, const char *original,
                       const char *stripped, GError **error)
{
    if (!rule->pattern || !rule->tool || !rule->message || !is_tool_available(settings, rule->tool))
        return true;
    g_autoptr(GRegex) regex = g_regex_new(rule->pattern, regex_flags(rule->flags), 0, NULL);
    if (!regex)
        return true; // a rule that is no pattern is skipped
    g_autofree char *trimmed = g_strstrip(g_strdup(original));
    if (!g_regex_match(regex, trimmed, 0, NULL) && !g_regex_match(regex, stripped, 0, NULL))
        return true;
    return fail_with(error, KEDGE_ERROR_FAILED, "Blocked: %s\n\nOriginal command: %s",
                     rule->message, original);
}

bool bash_check_intercept(const Settings *settings, const char *original, const char *stripped,
                          GError **error)
{
    if (!settings_get_bool(settings, "bashInterceptor.enabled"))
        return true;
    const json_t *own = settings_get_json(settings, "bashInterceptor.patterns");
    if (!json_is_array(own)) {
        for (size_t i = 0; i < G_N_ELEMENTS(default_rules); i++) {
            if (!check_rule(settings, &default_rules[i], original, stripped, error))
                return false;
        }
        return true;
    }
    size_t i = 0;
    json_t *value = NULL;
    json_array_foreach (own, i, value) {
        const InterceptRule rule = {
            .pattern = json_get_text(value, "pattern"),
            .flags = json_get_text(value, "flags"),
            .tool = json_get_text(value, "tool"),
            .message = json_get_text(value, "message"),
        };
        if (!check_rule(settings, &rule, original, stripped, error))
            return false;
    }
    return true;
}
