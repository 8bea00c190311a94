/*
 * Escapes what models write and ripgrep refuses (stray braces, stray parentheses), and knows the
 * names of file types (agent-tools §3.8).
 */
#include "tools/search/grep_search.h"

/* `{3}`, `{3,}`, `{3,5}` after something. */
static bool is_quantifier(const char *brace)
{
    const char *p = brace + 1;
    if (!g_ascii_isdigit(*p))
        return false;
    while (g_ascii_isdigit(*p))
        p++;
    if (*p == ',')
        p++;
    while (g_ascii_isdigit(*p))
        p++;
    return *p == '}';
}

/* `\x{…}`, `\p{…}`, `\u{…}`: the brace belongs to the escape. */
static size_t braced_escape(const char *backslash)
{
    if (!backslash[1] || !strchr("xuUpP", backslash[1]) || backslash[2] != '{')
        return 0;
    const char *close = strchr(backslash, '}');
    return close ? (size_t)(close - backslash) + 1 : 0;
}

typedef bool (*EscapeFunc)(const char *at, const char *start);

/* Copies the pattern; outside classes and escapes, puts a backslash before what `needs_escape`
 * names. */
static char *escape_where(const char *pattern, EscapeFunc needs_escape)
{
    GString *out = g_string_new(NULL);
    bool is_in_class = false;
    for (const char *p = pattern; *p;) {
        size_t size = 1;
        if (*p == '\\') {
            size = braced_escape(p);
            size = size ? size : p[1] ? 2 : 1;
        } else if (*p == '[' && !is_in_class) {
            is_in_class = true;
            size = p[1] == ']' ? 2 : p[1] == '^' && p[2] == ']' ? 3 : 1;
        } else if (*p == ']') {
            is_in_class = false;
        } else if (!is_in_class && needs_escape(p, pattern)) {
            g_string_append_c(out, '\\');
        }
        g_string_append_len(out, p, (gssize)size);
        p += size;
    }
    return g_string_free(out, FALSE);
}

static bool closes_quantifier(const char *at, const char *start)
{
    for (const char *p = at - 1; p >= start; p--) {
        if (*p == '{')
            return p > start && is_quantifier(p);
        if (!g_ascii_isdigit(*p) && *p != ',')
            return false;
    }
    return false;
}

static bool is_stray_brace(const char *at, const char *start)
{
    if (*at == '{')
        return at == start || !is_quantifier(at);
    return *at == '}' && !closes_quantifier(at, start);
}

/* A brace that means itself, or the dollar in front of one: `${name}` of shells and templates. */
static bool is_literal(const char *at, const char *start)
{
    return is_stray_brace(at, start) || (at[0] == '$' && at[1] == '{' && !is_quantifier(at + 1));
}

static bool is_parenthesis(const char *at, const char *start)
{
    return *at == '(' || *at == ')';
}

char *grep_pattern_fix_braces(const char *pattern)
{
    return escape_where(pattern, is_literal);
}

char *grep_pattern_escape_parentheses(const char *pattern)
{
    return escape_where(pattern, is_parenthesis);
}

/* `\|`, `\(`, `\)`, `\+` and `\?`, which grep reads as operators, without their backslashes. */
static char *pattern_as_grep(const char *pattern)
{
    GString *out = g_string_new(NULL);
    bool has_any = false;
    for (const char *p = pattern; *p; p++) {
        bool is_operator = *p == '\\' && p[1] && strchr("|()+?", p[1]);
        has_any = has_any || (is_operator && p[1] == '|');
        if (!is_operator)
            g_string_append_c(out, *p);
        if (*p == '\\' && p[1])
            g_string_append_c(out, *++p);
    }
    return g_string_free(out, !has_any);
}

char *grep_pattern_other(const char *pattern, unsigned way)
{
    if (way == 0)
        return pattern_as_grep(pattern);
    bool is_meant = strpbrk(pattern, "\\|") || strstr(pattern, ".*") || strstr(pattern, ".+");
    return !is_meant && strpbrk(pattern, "[](){}*+?^$") ? g_regex_escape_string(pattern, -1) : NULL;
}

const char *grep_type_globs(const char *type)
{
    static const struct {
        const char *name, *globs;
    } types[] = {
        { "c", "*.c,*.h" },
        { "cpp", "*.cc,*.cpp,*.cxx,*.hh,*.hpp,*.hxx,*.h,*.inl" },
        { "cs", "*.cs" },
        { "css", "*.css,*.scss,*.sass,*.less" },
        { "go", "*.go" },
        { "h", "*.h,*.hh,*.hpp,*.hxx" },
        { "html", "*.html,*.htm,*.xhtml" },
        { "java", "*.java" },
        { "js", "*.js,*.jsx,*.mjs,*.cjs" },
        { "json", "*.json,*.jsonl" },
        { "kotlin", "*.kt,*.kts" },
        { "lua", "*.lua" },
        { "md", "*.md,*.markdown,*.mdx" },
        { "php", "*.php" },
        { "py", "*.py,*.pyi" },
        { "rb", "*.rb,*.rake,*.gemspec,Gemfile,Rakefile" },
        { "rust", "*.rs" },
        { "scala", "*.scala,*.sbt" },
        { "sh", "*.sh,*.bash,*.zsh,*.ksh" },
        { "sql", "*.sql" },
        { "swift", "*.swift" },
        { "toml", "*.toml,Cargo.lock" },
        { "ts", "*.ts,*.tsx,*.mts,*.cts" },
        { "xml", "*.xml,*.xsd,*.xsl,*.svg" },
        { "yaml", "*.yaml,*.yml" },
        { "zig", "*.zig" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].globs;
    return NULL;
}
