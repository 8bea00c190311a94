/*
 * Tools that a workflow task leaves its agent (wm_tools.h).
 */
#include "wm/apply/wm_tools.h"

#include "base/env.h"
#include "tool/hook.h"
#include "wm/apply/emit.h"

#include <string.h>

#define MAX_PREFIXES 200

// whoever has one of them has a shell
static const char *const shells[] = { "bash", "eval", "recipe", "ssh", NULL };
static const char *const editors[] = { "edit", "write", "ast_edit", NULL };

struct WmTools {
    bool has_no_shell, has_no_editor, has_no_github;
    GPtrArray *prefixes; // of char *, NULL-terminated; NULL: any command
    GPtrArray *hooks;
    ToolHook limit;
    ContextTables tables;
};

typedef enum { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE } Quote;

static void add_part(GPtrArray *parts, const char *start, const char *end)
{
    char *part = g_strstrip(g_strndup(start, (gsize)(end - start)));
    if (*part)
        g_ptr_array_add(parts, part);
    else
        g_free(part);
}

/* At the beginning of a word it hides the rest of the line, and quotes in that. */
static bool is_comment(const char *text, const char *at)
{
    return *at == '#' && (at == text || strchr(" \t\r\n;&|", at[-1]));
}

/* The commands of a shell's text, as they are written; NULL when it runs or opens something that is
   not seen here, or when shells differ about where a quote ends. */
static GPtrArray *split_commands(const char *text)
{
    g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
    Quote quote = QUOTE_NONE;
    const char *start = text, *at = text;
    for (; *at; at++) {
        if (quote == QUOTE_SINGLE) {
            if (*at == '\\')
                return NULL;
            quote = *at == '\'' ? QUOTE_NONE : quote;
        } else if (*at == '\\') {
            if (!*++at)
                return NULL;
        } else if (*at == '`' || (*at == '$' && at[1] && strchr("({['\"", at[1]))) {
            return NULL;
        } else if (*at == '"') {
            quote = quote == QUOTE_DOUBLE ? QUOTE_NONE : QUOTE_DOUBLE;
        } else if (quote == QUOTE_DOUBLE) {
            continue;
        } else if (*at == '\'') {
            quote = QUOTE_SINGLE;
        } else if (strchr("(){}<>", *at) || is_comment(text, at)) {
            return NULL;
        } else if (strchr(";&|\n\r", *at)) {
            add_part(parts, start, at);
            start = at + 1;
        }
    }
    add_part(parts, start, at);
    return quote == QUOTE_NONE ? g_steal_pointer(&parts) : NULL;
}

static bool is_allowed_part(const char *const *prefixes, const char *part)
{
    for (; *prefixes; prefixes++) {
        size_t size = strlen(*prefixes);
        if (strncmp(part, *prefixes, size) == 0 && (!part[size] || g_ascii_isspace(part[size])))
            return true;
    }
    return false;
}

bool wm_tools_allow_command(const char *const *prefixes, const char *command, GError **error)
{
    g_autofree char *allowed = g_strjoinv(", ", (char **)prefixes);
    g_autoptr(GPtrArray) parts = split_commands(command);
    if (!parts)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "this task allows these commands: %s; none with substitutions, groups, "
                         "redirections, comments or open quotes",
                         allowed);
    for (unsigned i = 0; i < parts->len; i++)
        if (!is_allowed_part(prefixes, parts->pdata[i]))
            return fail_with(error, KEDGE_ERROR_DENIED,
                             "this task allows these commands: %s; not: %s", allowed,
                             (char *)parts->pdata[i]);
    return true;
}

static bool check_call(ToolCall *call, const json_t *arguments, json_t **ret_changed,
                       void *user_data, GError **error)
{
    const WmTools *self = user_data;
    const char *command = json_get_text(arguments, "command");
    if (strcmp(tool_call_tool(call)->name, "bash") != 0 || !command)
        return true;
    // a variable can make a program run another one
    if (json_object_size(json_get_object(arguments, "env")) > 0)
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "this task limits commands; leave out the argument env");
    return wm_tools_allow_command((const char *const *)self->prefixes->pdata, command, error);
}

/* "git status", also as "git status *" and "git status:*". NULL: any command. */
static char *prefix_of(const char *written)
{
    g_autofree char *prefix = g_strstrip(g_strdup(written));
    if (g_str_has_suffix(prefix, ":*") || g_str_has_suffix(prefix, " *"))
        prefix[strlen(prefix) - 2] = '\0';
    g_strchomp(prefix);
    return g_str_equal(prefix, "*") ? NULL : g_steal_pointer(&prefix);
}

/* Of a list; entries that are no texts allow nothing. */
static GPtrArray *prefixes_of(const json_t *list)
{
    g_autoptr(GPtrArray) prefixes = g_ptr_array_new_with_free_func(g_free);
    for (size_t i = 0; i < MIN(json_array_size(list), MAX_PREFIXES); i++) {
        const char *written = json_string_value(json_array_get(list, i));
        char *prefix = written ? prefix_of(written) : g_strdup("");
        if (!prefix)
            return NULL;
        if (*prefix)
            g_ptr_array_add(prefixes, prefix);
        else
            g_free(prefix);
    }
    g_ptr_array_add(prefixes, NULL);
    return g_steal_pointer(&prefixes);
}

static bool is_off(const json_t *tools, const char *name)
{
    return json_is_false(json_object_get(tools, name));
}

static void arrange_hooks(WmTools *self, const ContextTables *base)
{
    self->limit = (ToolHook) {
        .name = "the commands of a task",
        .before = check_call,
        .user_data = self,
    };
    self->hooks = g_ptr_array_new();
    for (size_t i = 0; base && base->hooks && base->hooks[i]; i++)
        g_ptr_array_add(self->hooks, (void *)base->hooks[i]);
    if (self->prefixes)
        g_ptr_array_add(self->hooks, &self->limit);
    g_ptr_array_add(self->hooks, NULL);
    self->tables = (ContextTables) {
        .hooks = (const ToolHook *const *)self->hooks->pdata,
        .schemes = base ? base->schemes : NULL,
        .repos = base ? base->repos : NULL,
    };
}

WmTools *wm_tools_new(const ContextTables *base)
{
    const char *text = env_get_raw("WM_TASK_TOOLS");
    g_autoptr(json_t) tools = NULL;
    if (!text || !env_get_raw("KEDGE_WM_RUN_ID") || !json_parse_text(text, &tools, NULL) ||
        !json_is_object(tools))
        return NULL; // a text says nothing that could be kept
    WmTools *self = g_new0(WmTools, 1);
    const json_t *commands = json_get_array(tools, "bash");
    self->prefixes = commands ? prefixes_of(commands) : NULL;
    self->has_no_shell = is_off(tools, "bash") || (commands && json_array_size(commands) == 0);
    self->has_no_editor = is_off(tools, "edit");
    self->has_no_github = is_off(tools, "github");
    arrange_hooks(self, base);
    return self;
}

void wm_tools_free(WmTools *self)
{
    if (!self)
        return;
    if (self->prefixes)
        g_ptr_array_unref(self->prefixes);
    g_ptr_array_unref(self->hooks);
    g_free(self);
}

static bool wm_tools_stays(const ToolDef *tool, void *user_data)
{
    const WmTools *self = user_data;
    bool is_shell = g_strv_contains(shells, tool->name);
    if (is_shell && (self->has_no_shell || (self->prefixes && strcmp(tool->name, "bash") != 0)))
        return false;
    if (self->has_no_editor && g_strv_contains(editors, tool->name))
        return false;
    return !self->has_no_github || !(tool->flags & (TOOL_GITHUB | TOOL_GH));
}

ToolSet *wm_tools_filter(const WmTools *self, const ToolSet *tools)
{
    return self ? tool_set_filter(tools, wm_tools_stays, (void *)self) : tool_set_ref(tools);
}

ToolSet *wm_tools_of_run(const WmTools *self, const ToolSet *tools, const Settings *settings)
{
    g_autoptr(ToolSet) kept = wm_tools_filter(self, tools);
    g_autoptr(DynamicTool) emit = wm_emit_tool_new();
    ToolSet *more = NULL;
    if (!emit || !tool_set_add(kept, &emit, 1, settings, &more, NULL))
        return g_steal_pointer(&kept);
    return more;
}

const ContextTables *wm_tools_tables(const WmTools *self)
{
    return &self->tables;
}
