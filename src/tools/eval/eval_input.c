/* See eval_input.h. */
#include "tools/eval/eval_input.h"

#include "base/str.h"

#include <math.h>
#include <string.h>

#define MAX_TIMEOUT_MS 1e9
#define WHITE          " \t\r\n\v\f"

const char *eval_language_name(EvalLanguage self)
{
    return self == EVAL_PYTHON ? "python" : "js";
}

const char *eval_language_title(EvalLanguage self)
{
    return self == EVAL_PYTHON ? "Python" : "JavaScript";
}

EvalLanguage eval_language_parse(const char *name)
{
    static const struct {
        const char *name;
        EvalLanguage language;
    } names[] = {
        { "py", EVAL_PYTHON }, { "python", EVAL_PYTHON }, { "ipy", EVAL_PYTHON },
        { "js", EVAL_JS },     { "javascript", EVAL_JS }, { "ipython", EVAL_PYTHON },
        { "ts", EVAL_JS },     { "typescript", EVAL_JS },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
        if (g_ascii_strcasecmp(names[i].name, name) == 0)
            return names[i].language;
    return EVAL_UNKNOWN;
}

EvalCell *eval_cell_new(const char *code, const char *title)
{
    EvalCell *self = g_new0(EvalCell, 1);
    self->code = g_strdup(code);
    self->title = title && *title ? g_strdup(title) : NULL;
    return self;
}

void eval_cell_free(EvalCell *self)
{
    if (!self)
        return;
    g_free(self->code);
    g_free(self->title);
    g_free(self);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EvalCell, eval_cell_free)

// ---- headers ----

/* "20", "20s", "500ms", "2m". A bare one needs its unit: else it is a word of the title. */
static bool parse_duration(const char *text, bool needs_unit, int64_t *ret_ms)
{
    char *end = NULL;
    if (!g_ascii_isdigit(*text))
        return false;
    double value = g_ascii_strtod(text, &end);
    double unit = strcmp(end, "ms") == 0        ? 1
                  : strcmp(end, "m") == 0       ? 60000
                  : strcmp(end, "s") == 0       ? 1000
                  : *end == '\0' && !needs_unit ? 1000
                                                : 0;
    if (unit <= 0 || !isfinite(value))
        return false;
    *ret_ms = (int64_t)CLAMP(value * unit, 1, MAX_TIMEOUT_MS);
    return true;
}

static bool parse_bool(const char *text, bool *ret_value)
{
    static const char *const yes[] = { "true", "1", "yes", "on", NULL };
    static const char *const no[] = { "false", "0", "no", "off", NULL };
    g_autofree char *lower = g_ascii_strdown(text, -1);
    *ret_value = g_strv_contains(yes, lower);
    return *ret_value || g_strv_contains(no, lower);
}

typedef struct Token {
    char *name;  // before the colon, in lower case; the whole word without one
    char *word;  // as it is written, without quotes
    char *value; // behind the colon, without quotes; NULL: no colon
} Token;

static void token_clear(Token *self)
{
    g_free(self->name);
    g_free(self->word);
    g_free(self->value);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Token, token_clear)

/* The next word, in which quotes keep blanks. Returns what follows. */
static const char *next_token(const char *at, Token *ret_token)
{
    g_autoptr(GString) word = g_string_new(NULL);
    gssize colon = -1;
    char quote = '\0';
    for (; *at && (quote || !strchr(WHITE, *at)); at++) {
        if (*at == quote)
            quote = '\0';
        else if (!quote && (*at == '"' || *at == '\''))
            quote = *at;
        else if (!quote && *at == ':' && colon < 0) {
            colon = (gssize)word->len;
            g_string_append_c(word, ':');
        } else
            g_string_append_c(word, *at);
    }
    g_autofree char *name = g_strndup(word->str, colon < 0 ? word->len : (size_t)colon);
    ret_token->name = g_ascii_strdown(name, -1);
    ret_token->value = colon < 0 ? NULL : g_strdup(word->str + colon + 1);
    ret_token->word = g_string_free(g_steal_pointer(&word), FALSE);
    return at;
}

static void add_title(EvalCell *cell, const char *word)
{
    char *joined = cell->title ? g_strconcat(cell->title, " ", word, NULL) : g_strdup(word);
    g_free(cell->title);
    cell->title = joined;
}

static bool take_timeout(EvalCell *cell, const Token *token, unsigned line, GError **error)
{
    return parse_duration(token->value, false, &cell->timeout_ms) ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "Eval line %u: invalid duration `%s`; use a number with optional ms, s, or m "
                     "units.",
                     line, token->value);
}

static bool take_reset(EvalCell *cell, const Token *token, unsigned line, GError **error)
{
    cell->resets = true;
    return !token->value || parse_bool(token->value, &cell->resets) ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "Eval line %u: invalid rst value `%s`; use true or false.", line,
                     token->value);
}

static bool take_token(EvalCell *cell, const Token *token, unsigned line, GError **error)
{
    static const char *const times[] = { "t", "timeout", "duration", "time", NULL };
    static const char *const titles[] = { "id", "title", "name", "cell", "file", "label", NULL };
    EvalLanguage language = eval_language_parse(token->name);
    if (language != EVAL_UNKNOWN && cell->language == EVAL_UNKNOWN) {
        cell->language = language;
        if (token->value && *token->value)
            add_title(cell, token->value);
        return true;
    }
    if (strcmp(token->name, "rst") == 0 || strcmp(token->name, "reset") == 0)
        return take_reset(cell, token, line, error);
    if (token->value && g_strv_contains(times, token->name))
        return take_timeout(cell, token, line, error);
    if (!token->value && parse_duration(token->word, true, &cell->timeout_ms))
        return true;
    add_title(cell,
              token->value && g_strv_contains(titles, token->name) ? token->value : token->word);
    return true;
}

typedef enum { LINE_CODE, LINE_CELL, LINE_END, LINE_ABORT } LineKind;

/* *ret_rest is what follows the word. */
static LineKind line_kind(const char *line, const char **ret_rest)
{
    static const struct {
        const char *word;
        LineKind kind;
    } words[] = { { "Cell", LINE_CELL }, { "End", LINE_END }, { "Abort", LINE_ABORT } };
    size_t stars = strspn(line, "*");
    if (stars < 2)
        return LINE_CODE;
    const char *at = line + stars + strspn(line + stars, " \t");
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        size_t size = strlen(words[i].word);
        if (g_ascii_strncasecmp(at, words[i].word, size) != 0 || g_ascii_isalnum(at[size]) ||
            at[size] == '_' || at[size] == '(' || at[size] == '.')
            continue;
        *ret_rest = at + size;
        return words[i].kind;
    }
    return LINE_CODE;
}

static EvalCell *parse_header(const char *rest, unsigned line, GError **error)
{
    g_autofree char *attributes = g_strstrip(g_strdup(rest));
    size_t size = strlen(attributes);
    while (size > 0 && attributes[size - 1] == '*') // "*** Cell py ***"
        attributes[--size] = '\0';
    g_autoptr(EvalCell) cell = eval_cell_new("", NULL);
    for (const char *at = attributes; *(at += strspn(at, WHITE)) != '\0';) {
        g_auto(Token) token = { 0 };
        at = next_token(at, &token);
        if (!take_token(cell, &token, line, error))
            return NULL;
    }
    return g_steal_pointer(&cell);
}

// ---- the whole text ----

/* Without ```lang and ``` around it. */
static EvalCell *parse_bare(const char *text)
{
    g_autofree char *body = g_strstrip(g_strdup(text));
    EvalCell *cell = eval_cell_new(text, NULL);
    const char *newline = strchr(body, '\n');
    if (!str_has_prefix(body, "```") || !newline || !g_str_has_suffix(newline, "\n```"))
        return cell;
    g_autofree char *tag = g_strstrip(g_strndup(body + 3, (size_t)(newline - body) - 3));
    cell->language = eval_language_parse(tag);
    size_t size = strlen(newline) - strlen("\n```");
    g_free(cell->code);
    cell->code = size > 0 ? g_strndup(newline + 1, size - 1) : g_strdup("");
    return cell;
}

typedef struct Reader {
    GPtrArray *cells;
    EvalCell *open; // borrowed from `cells`; NULL: what comes belongs to none
    GString *code;
    bool is_cut;
} Reader;

static void close_cell(Reader *self)
{
    if (self->open) {
        while (self->code->len > 0 && self->code->str[self->code->len - 1] == '\n')
            g_string_truncate(self->code, self->code->len - 1);
        g_free(self->open->code);
        self->open->code = g_strdup(self->code->str);
    }
    self->open = NULL;
    g_string_truncate(self->code, 0);
}

static bool open_cell(Reader *self, const char *rest, unsigned line, GError **error)
{
    close_cell(self);
    if (self->cells->len == EVAL_MAX_CELLS)
        return fail_with(error, KEDGE_ERROR_USAGE, "Eval line %u: more than %d cells", line,
                         EVAL_MAX_CELLS);
    self->open = parse_header(rest, line, error);
    if (self->open)
        g_ptr_array_add(self->cells, self->open);
    return self->open != NULL;
}

static bool take_line(Reader *self, const char *text, unsigned line, GError **error)
{
    const char *rest = NULL;
    switch (line_kind(text, &rest)) {
    case LINE_CELL:
        return open_cell(self, rest, line, error);
    case LINE_END:
        close_cell(self);
        return true;
    case LINE_ABORT:
        if (self->open)
            g_ptr_array_remove_index(self->cells, self->cells->len - 1);
        self->open = NULL;
        self->is_cut = true;
        return true;
    case LINE_CODE:
        break;
    }
    if (self->open) {
        g_string_append(self->code, text);
        g_string_append_c(self->code, '\n');
    } else if (self->cells->len == 0 && text[strspn(text, " \t\r")] != '\0') {
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Eval line %u: code in front of the first *** Cell header", line);
    }
    return true;
}

static bool has_header(char **lines)
{
    const char *rest = NULL;
    for (; *lines; lines++)
        if (line_kind(*lines, &rest) != LINE_CODE)
            return true;
    return false;
}

bool eval_input_parse(const char *text, GPtrArray **ret_cells, bool *ret_is_cut, GError **error)
{
    g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func((GDestroyNotify)eval_cell_free);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    *ret_is_cut = false;
    if (!has_header(lines)) {
        g_ptr_array_add(cells, parse_bare(text));
        *ret_cells = g_steal_pointer(&cells);
        return true;
    }
    g_autoptr(GString) code = g_string_new(NULL);
    Reader reader = { .cells = cells, .code = code };
    for (unsigned i = 0; lines[i] && !reader.is_cut; i++)
        if (!take_line(&reader, lines[i], i + 1, error))
            return false;
    close_cell(&reader);
    *ret_is_cut = reader.is_cut;
    *ret_cells = g_steal_pointer(&cells);
    return true;
}

// ---- the language ----

static const char js_marks[] =
    "^\\s*(?:const|let|var)\\s|^\\s*(?:async\\s+)?function\\b|^\\s*import\\b.*\\bfrom\\s*['\"]|"
    "^\\s*export\\s|\\brequire\\(|\\bconsole\\.\\w|=>|;[ \\t]*$";
static const char python_marks[] =
    "^\\s*def\\s|^\\s*from\\s+\\S+\\s+import\\s|^\\s*import\\s+[\\w.]+(?:\\s+as\\s+\\w+)?"
    "(?:\\s*,.*)?\\s*$|^\\s*class\\s+\\w+.*:\\s*$|\\bprint\\(|^\\s*elif\\b|^\\s*with\\s.*:\\s*$|"
    "^\\s*@\\w";

static bool has_marks(const char *pattern, const char *code)
{
    return g_regex_match_simple(pattern, code, G_REGEX_MULTILINE, 0);
}

EvalLanguage eval_sniff(const char *code)
{
    const char *line_end = strchrnul(code, '\n');
    g_autofree char *first = g_strndup(code, (size_t)(line_end - code));
    if (str_has_prefix(first, "#!"))
        return strstr(first, "python")                         ? EVAL_PYTHON
               : strstr(first, "node") || strstr(first, "bun") ? EVAL_JS
                                                               : EVAL_UNKNOWN;
    bool is_js = has_marks(js_marks, code);
    bool is_python = has_marks(python_marks, code);
    if (is_js == is_python)
        return EVAL_UNKNOWN;
    return is_js ? EVAL_JS : EVAL_PYTHON;
}
