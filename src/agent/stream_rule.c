/*
 * Rule files, their scopes and conditions (stream_rule.h).
 */
#include "agent/stream_rule.h"

#include "base/glob.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/yaml.h"

#include <string.h>
#include <time.h>

#define FRONT_MATTER  "---\n"
#define TOKENS_MAX    64 // conditions or scopes of one rule
#define PATTERN_BYTES 4096
#define EVERYTHING    ".*"
#define ANY_TOOL      "tool"
#define ANY_TOOL_CALL "toolcall"
// steps from one place, depth of nesting, KiB; a pattern can lower them, not raise them
#define PATTERN_LIMITS "(*LIMIT_MATCH=10000)(*LIMIT_DEPTH=1000)(*LIMIT_HEAP=2000)"

typedef struct RuleScope {
    StreamKind kind;
    char *tool;   // NULL: any
    GRegex *glob; // NULL: any path
} RuleScope;

static void scope_free(gpointer data)
{
    RuleScope *self = data;
    g_free(self->tool);
    g_clear_pointer(&self->glob, g_regex_unref);
    g_free(self);
}

static void regex_free(gpointer regex)
{
    g_regex_unref(regex);
}

void stream_rule_free(StreamRule *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->conditions);
    g_ptr_array_unref(self->scopes);
    g_ptr_array_unref(self->globs);
    g_free(self->name);
    g_free(self->path);
    g_free(self->body);
    g_free(self);
}

static void stream_rule_warn(const StreamRule *self, GPtrArray *warnings, const char *what,
                             const char *token)
{
    g_ptr_array_add(warnings, g_strdup_printf("rule %s: %s: %s", self->path, what, token));
}

// ---- lists in the front matter ----

/* At commas outside brackets and quotes. */
static void split_tokens(const char *text, GPtrArray *tokens)
{
    g_autoptr(GString) token = g_string_new(NULL);
    int depth = 0;
    char quote = '\0';
    for (; *text; text++) {
        if (quote)
            quote = *text == quote ? '\0' : quote;
        else if (strchr("\"'", *text))
            quote = *text;
        else if (strchr("([{", *text))
            depth++;
        else if (strchr(")]}", *text))
            depth--;
        if (*text == ',' && depth <= 0 && !quote) {
            g_ptr_array_add(tokens, utf8_trim(token->str));
            g_string_truncate(token, 0);
        } else {
            g_string_append_c(token, *text);
        }
    }
    g_ptr_array_add(tokens, utf8_trim(token->str));
}

/* The texts of a string or a list, trimmed, each once. */
static GPtrArray *tokens_of(const json_t *value, bool is_split)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new_with_free_func(g_free);
    if (json_is_string(value) && is_split)
        split_tokens(json_string_value(value), all);
    else if (json_is_string(value))
        g_ptr_array_add(all, utf8_trim(json_string_value(value)));
    json_each (value, i, item) {
        if (json_is_string(item))
            g_ptr_array_add(all, utf8_trim(json_string_value(item)));
    }
    GPtrArray *tokens = g_ptr_array_new_with_free_func(g_free);
    for (guint at = 0; at < all->len && tokens->len < TOKENS_MAX; at++) {
        const char *token = all->pdata[at];
        if (*token && !g_ptr_array_find_with_equal_func(tokens, token, g_str_equal, NULL))
            g_ptr_array_add(tokens, g_strdup(token));
    }
    return tokens;
}

// ---- conditions and scopes ----

static void add_scope(StreamRule *self, StreamKind kind, const char *tool, GRegex *glob)
{
    RuleScope *scope = g_new0(RuleScope, 1);
    *scope = (RuleScope) { .kind = kind, .tool = g_strdup(tool), .glob = glob };
    g_ptr_array_add(self->scopes, scope);
}

/* `*.c`, `src/x*`: a condition that is a file's name. */
static bool is_file_glob(const char *token)
{
    if (strpbrk(token, "\\^$+|()") || !strpbrk(token, "?*[]{}"))
        return false;
    bool is_ending = str_has_prefix(token, "*.") && token[2] && !strpbrk(token, " \t\n");
    return strchr(token, '/') || is_ending;
}

static void add_file_condition(StreamRule *self, const char *token, GPtrArray *warnings)
{
    GRegex *glob = NULL;
    if (!glob_compile(token, &glob, NULL)) {
        stream_rule_warn(self, warnings, "this condition is no usable glob", token);
        return;
    }
    add_scope(self, STREAM_TOOL, "edit", g_regex_ref(glob));
    add_scope(self, STREAM_TOOL, "write", glob);
}

static void add_condition(StreamRule *self, const char *pattern, GPtrArray *warnings)
{
    g_autofree char *limited = g_strconcat(PATTERN_LIMITS, pattern, NULL);
    GRegex *regex =
        strlen(pattern) <= PATTERN_BYTES ? g_regex_new(limited, G_REGEX_MULTILINE, 0, NULL) : NULL;
    if (regex)
        g_ptr_array_add(self->conditions, regex);
    else
        stream_rule_warn(self, warnings, "this condition is no usable regular expression", pattern);
}

static void read_conditions(StreamRule *self, const json_t *matter, GPtrArray *warnings)
{
    static const char *const keys[] = { "condition", "ttsr_trigger", "ttsrTrigger" };
    const json_t *value = NULL;
    for (size_t i = 0; !value && i < G_N_ELEMENTS(keys); i++)
        value = json_object_get(matter, keys[i]);
    g_autoptr(GPtrArray) tokens = tokens_of(value, false);
    bool has_pattern = false;
    for (guint i = 0; i < tokens->len; i++) {
        bool is_glob = is_file_glob(tokens->pdata[i]);
        has_pattern = has_pattern || !is_glob;
        if (is_glob)
            add_file_condition(self, tokens->pdata[i], warnings);
        else
            add_condition(self, tokens->pdata[i], warnings);
    }
    if (!has_pattern && self->scopes->len > 0)
        add_condition(self, EVERYTHING, warnings);
}

static bool is_tool_name(const char *name)
{
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return size > 0 && name[size] == '\0';
}

/* `tool:edit(*.c)` and its shorter forms. */
static bool add_scope_token(StreamRule *self, const char *token)
{
    if (strcmp(token, "text") == 0 || strcmp(token, "thinking") == 0) {
        add_scope(self, *token == 't' && token[1] == 'e' ? STREAM_TEXT : STREAM_THINKING, NULL,
                  NULL);
        return true;
    }
    const char *at = str_has_prefix(token, ANY_TOOL ":") ? token + strlen(ANY_TOOL ":") : token;
    bool is_named = at != token;
    size_t size = strcspn(at, "(");
    g_autofree char *name = g_strndup(at, size);
    bool is_any = !is_named && (strcmp(name, ANY_TOOL) == 0 || strcmp(name, ANY_TOOL_CALL) == 0);
    GRegex *glob = NULL;
    if (at[size]) {
        size_t rest = strlen(at + size);
        g_autofree char *text = rest > 2 ? g_strndup(at + size + 1, rest - 2) : NULL;
        if (!text || at[size + rest - 1] != ')' || !glob_compile(text, &glob, NULL))
            return false;
    }
    if (!is_any && !is_tool_name(name)) {
        g_clear_pointer(&glob, g_regex_unref);
        return false;
    }
    add_scope(self, STREAM_TOOL, is_any ? NULL : name, glob);
    return true;
}

/* False: there is a list, and nothing of it can be understood. */
static bool read_scopes(StreamRule *self, const json_t *matter, GPtrArray *warnings)
{
    g_autoptr(GPtrArray) tokens = tokens_of(json_object_get(matter, "scope"), true);
    bool has_valid = tokens->len == 0;
    for (guint i = 0; i < tokens->len; i++) {
        bool is_valid = add_scope_token(self, tokens->pdata[i]);
        has_valid = has_valid || is_valid;
        if (!is_valid)
            stream_rule_warn(self, warnings, "this scope is none", tokens->pdata[i]);
    }
    if (self->scopes->len == 0) {
        add_scope(self, STREAM_TEXT, NULL, NULL);
        add_scope(self, STREAM_TOOL, NULL, NULL);
    }
    return has_valid;
}

static void read_globs(StreamRule *self, const json_t *matter, GPtrArray *warnings)
{
    g_autoptr(GPtrArray) tokens = tokens_of(json_object_get(matter, "globs"), true);
    for (guint i = 0; i < tokens->len; i++) {
        GRegex *glob = NULL;
        if (glob_compile(tokens->pdata[i], &glob, NULL))
            g_ptr_array_add(self->globs, glob);
        else
            stream_rule_warn(self, warnings, "this is no usable glob", tokens->pdata[i]);
    }
}

InterruptMode interrupt_mode_parse(const char *name)
{
    static const char *const names[] = { [INTERRUPT_ALWAYS] = "always",
                                         [INTERRUPT_NEVER] = "never",
                                         [INTERRUPT_PROSE_ONLY] = "prose-only",
                                         [INTERRUPT_TOOL_ONLY] = "tool-only" };
    for (size_t i = INTERRUPT_ALWAYS; name && i < G_N_ELEMENTS(names); i++) {
        if (strcmp(name, names[i]) == 0)
            return (InterruptMode)i;
    }
    return INTERRUPT_AS_SET;
}

static InterruptMode read_mode(const json_t *matter)
{
    const char *mode = json_get_text(matter, "interruptMode");
    return interrupt_mode_parse(mode ? mode : json_get_text(matter, "interrupt-mode"));
}

/* The front matter, and where the body begins; NULL: there is none. New reference. */
static json_t *read_front_matter(const char *path, const char *text, const char **ret_body,
                                 GPtrArray *warnings)
{
    const char *end = str_has_prefix(text, FRONT_MATTER) ? strstr(text, "\n---") : NULL;
    if (!end)
        return NULL;
    const char *start = text + strlen(FRONT_MATTER);
    g_autoptr(GError) error = NULL;
    json_t *matter = NULL;
    size_t size = end > start ? (size_t)(end + 1 - start) : 0;
    if (!yaml_parse(start, size, path, &matter, &error))
        g_ptr_array_add(warnings, g_strdup(error->message));
    const char *line = strchr(end + 1, '\n');
    *ret_body = line ? line + 1 : "";
    return matter;
}

static char *rule_name(const char *path)
{
    char *name = g_path_get_basename(path);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    return name;
}

StreamRule *stream_rule_parse(const char *path, const char *text, GPtrArray *warnings)
{
    const char *body = "";
    g_autoptr(json_t) matter = read_front_matter(path, text, &body, warnings);
    if (!json_is_object(matter))
        return NULL;
    g_autoptr(StreamRule) self = g_new0(StreamRule, 1);
    self->name = rule_name(path);
    self->path = g_strdup(path);
    self->body = utf8_trim(body);
    self->conditions = g_ptr_array_new_with_free_func(regex_free);
    self->scopes = g_ptr_array_new_with_free_func(scope_free);
    self->globs = g_ptr_array_new_with_free_func(regex_free);
    self->mode = read_mode(matter);
    read_conditions(self, matter, warnings);
    if (self->conditions->len == 0 || *self->body == '\0')
        return NULL;
    read_globs(self, matter, warnings);
    return read_scopes(self, matter, warnings) ? g_steal_pointer(&self) : NULL;
}

// ---- matching ----

static bool is_of(const RuleScope *scope, StreamKind kind, const char *tool)
{
    return scope->kind == kind && (!scope->tool || g_strcmp0(scope->tool, tool) == 0);
}

bool stream_rule_looks_at(const StreamRule *self, StreamKind kind, const char *tool)
{
    if (self->globs->len > 0 && kind != STREAM_TOOL)
        return false; // text and thinking have no path
    for (guint i = 0; i < self->scopes->len; i++) {
        if (is_of(self->scopes->pdata[i], kind, tool))
            return true;
    }
    return false;
}

/* The whole path, or its last part. */
static bool has_path(const GRegex *glob, const GPtrArray *paths)
{
    for (guint i = 0; i < paths->len; i++) {
        const char *path = paths->pdata[i];
        g_autofree char *base = g_path_get_basename(path);
        if (g_regex_match(glob, path, 0, NULL) || g_regex_match(glob, base, 0, NULL))
            return true;
    }
    return false;
}

bool stream_rule_covers(const StreamRule *self, StreamKind kind, const char *tool,
                        const GPtrArray *paths)
{
    bool is_global = self->globs->len == 0;
    for (guint i = 0; i < self->globs->len && !is_global; i++)
        is_global = has_path(self->globs->pdata[i], paths);
    for (guint i = 0; i < self->scopes->len && is_global; i++) {
        const RuleScope *scope = self->scopes->pdata[i];
        if (is_of(scope, kind, tool) && (!scope->glob || has_path(scope->glob, paths)))
            return true;
    }
    return false;
}

static int64_t cpu_ns(void)
{
    struct timespec now = { 0 };
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

bool stream_rule_matches(const StreamRule *self, const GString *text, size_t from, size_t end,
                         int64_t *budget_ns, bool *ret_matches, GError **error)
{
    *ret_matches = false;
    for (guint i = 0; i < self->conditions->len && !*ret_matches; i++) {
        if (*budget_ns <= 0)
            return fail_with(error, KEDGE_ERROR_LIMIT, "rule %s: no time is left", self->path);
        g_autoptr(GError) problem = NULL;
        int64_t begun = cpu_ns();
        *ret_matches = g_regex_match_full(self->conditions->pdata[i], text->str, (gssize)end,
                                          (int)from, 0, NULL, &problem);
        *budget_ns -= cpu_ns() - begun;
        if (problem)
            return fail_with(error, KEDGE_ERROR_LIMIT, "%s", problem->message);
    }
    return true;
}
