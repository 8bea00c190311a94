/*
 * Internal URLs in a command (url_paths.h): one pass over it that knows quotes, substitutions and
 * here-documents, and nothing else of the shell's language.
 */
#include "tools/url/url_paths.h"

#include "base/file.h"
#include "base/str.h"

#define WORD_BEGINS_AFTER " \t\n=;&|<>(`@"
#define WORD_ENDS_AT      " \t\n;&|<>()"
#define WORD_GOES_ON_WITH "\"'`$*?[{}" // and is for the shell to put together
#define PLAIN_PATH_CHARS  G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/._-+@%=:, "

enum { ANSI_QUOTE = 'A' }; // $'…' on the stack

static const char *const schemes[] = { "skill",  "agent", "artifact", "plan",
                                       "memory", "rule",  "local",    NULL };

typedef struct Scan {
    ToolContext *context;
    const char *start, *at;
    GString *out;
    GString *inside;      // the open quotes and parentheses, the innermost last
    GPtrArray *documents; // of char *: ends of here-documents whose text begins at the next line
} Scan;

static void scan_clear(Scan *self)
{
    g_ptr_array_unref(self->documents);
    g_string_free(self->inside, TRUE);
    if (self->out)
        g_string_free(self->out, TRUE);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Scan, scan_clear)

/* How much of `text` is "local://" or the like, or "local:/"; 0: no URL begins here. */
static size_t scheme_length(const char *text)
{
    for (size_t i = 0; schemes[i]; i++) {
        size_t size = strlen(schemes[i]);
        if (strncmp(text, schemes[i], size) != 0)
            continue;
        if (str_has_prefix(text + size, "://"))
            return size + strlen("://");
        if (strcmp(schemes[i], "local") == 0 && str_has_prefix(text + size, ":/"))
            return size + strlen(":/");
    }
    return 0;
}

/* "local:/x" as "local://x". Caller frees. */
static char *with_two_slashes(const char *url)
{
    size_t length = scheme_length(url);
    if (strncmp(url + length - 2, "//", 2) == 0)
        return g_strdup(url);
    return g_strconcat("local://", url + length, NULL);
}

/* What bash says of a URL that has no path. */
static bool fail_unresolved(const InternalUrl *url, const char *reason, GError **error)
{
    if (strcmp(url->scheme, "skill") != 0)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         "Failed to resolve %s:// URL in bash command: %s\n%s", url->scheme,
                         url->text, reason);
    if (internal_url_goes_up(url->raw_path))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Path traversal is not allowed in skill:// URLs");
    g_auto(GStrv) lines = g_strsplit(reason, "\n", -1);
    g_autofree char *joined = g_strjoinv(". ", lines);
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "%s", joined);
}

/* How much of a path no shell acts on, quoted or not. */
static size_t plain_length(const char *path)
{
    size_t size = 0;
    while (path[size] &&
           ((unsigned char)path[size] >= 0x80 || strchr(PLAIN_PATH_CHARS, path[size])))
        size++;
    return size;
}

/* Whoever gave a file its name must not write a part of the command with it: where the scan is
   wrong about what is quoted, the quotes around the path are the wrong way round. */
static bool check_path(const char *url, const char *path, GError **error)
{
    char odd[] = { path[plain_length(path)], '\0' };
    g_autofree char *shown = g_strescape(odd, NULL);
    return *odd == '\0' ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "%s cannot be used in a command: a shell may act on the \"%s\" in its path. "
                     "Give it in `env`, and use \"$NAME\".",
                     url, shown);
}

/* The path of a URL; that of one that may be written gets its folder. Caller frees. */
static bool path_of(ToolContext *context, const char *text, char **ret_path, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    g_autoptr(GError) reason = NULL;
    g_autofree char *path = NULL;
    const UrlScheme *scheme = NULL;
    if (!internal_url_open(context, text, &url, &scheme, error))
        return false;
    if (!scheme->locate)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%s:// URL resolved without a filesystem path and cannot be used in bash: "
                         "%s",
                         url->scheme, text);
    if (!scheme->locate(context, url, &path, &reason))
        return fail_unresolved(url, reason->message, error);
    g_autofree char *folder = g_path_get_dirname(path);
    if (scheme->is_writable && !file_make_dirs(folder, 0700, error))
        return false;
    *ret_path = g_steal_pointer(&path);
    return true;
}

static bool is_writable(ToolContext *context, const char *url)
{
    g_autofree char *name = g_strndup(url, strcspn(url, ":"));
    const UrlScheme *scheme = internal_url_scheme(context, name);
    return scheme && scheme->is_writable;
}

/* The URL that makes up the whole of a quoted text, up to `quote`; NULL: there is none. Its length
   is that of what is there. Caller frees. */
static char *quoted_url(const char *text, char quote, size_t *ret_length)
{
    size_t scheme = scheme_length(text);
    const char *end = scheme > 0 ? strchr(text + scheme, quote) : NULL;
    if (!end || end == text + scheme)
        return NULL;
    g_autofree char *inner = g_strndup(text, (size_t)(end - text));
    if (strpbrk(inner, quote == '"' ? "$`\\\n" : "\n"))
        return NULL;
    *ret_length = strlen(inner);
    return with_two_slashes(inner);
}

/* A word without quotes that begins with a URL: as much of it as means itself. Caller frees. */
static char *bare_url(const char *text, size_t *ret_length)
{
    size_t scheme = scheme_length(text);
    if (scheme == 0)
        return NULL;
    GString *url = g_string_new_len(text, (gssize)scheme);
    const char *p = text + scheme;
    for (; *p && !strchr(WORD_ENDS_AT WORD_GOES_ON_WITH, *p); p++) {
        if (*p == '\\' && p[1])
            p++;
        g_string_append_c(url, *p);
    }
    *ret_length = (size_t)(p - text);
    g_autofree char *given = g_string_free(url, FALSE);
    return with_two_slashes(given);
}

/* At a quote: a URL in it takes the quotes' place. *ret_taken: it was one. */
static bool take_quoted(Scan *self, bool *ret_taken, GError **error)
{
    size_t length = 0;
    g_autofree char *url = quoted_url(self->at + 1, *self->at, &length);
    *ret_taken = url != NULL;
    if (!url)
        return true;
    g_autofree char *path = NULL;
    if (!path_of(self->context, url, &path, error) || !check_path(url, path, error))
        return false;
    g_autofree char *quoted = g_shell_quote(path);
    g_string_append(self->out, quoted);
    self->at += length + 2;
    return true;
}

/* At a quote within other quotes, as in python3 -c "open('local://x')". What is no URL of a file
   there is text of whoever reads it. */
static bool take_nested(Scan *self)
{
    size_t length = 0;
    g_autofree char *url = quoted_url(self->at + 1, *self->at, &length);
    g_autofree char *path = NULL;
    if (!url || !path_of(self->context, url, &path, NULL) || path[plain_length(path)] != '\0')
        return false;
    g_string_append_printf(self->out, "%c%s%c", *self->at, path, *self->at);
    self->at += length + 2;
    return true;
}

static bool take_bare(Scan *self, bool *ret_taken, GError **error)
{
    size_t length = 0;
    bool is_begin = self->at == self->start || strchr(WORD_BEGINS_AFTER, self->at[-1]);
    g_autofree char *url = is_begin ? bare_url(self->at, &length) : NULL;
    char next = url ? self->at[length] : '\0';
    bool is_part = next && strchr(WORD_GOES_ON_WITH, next);
    *ret_taken = url && (is_writable(self->context, url) || !is_part) &&
                 (is_part || strcmp(url, "local://") == 0 || !g_str_has_suffix(url, "://"));
    if (!*ret_taken)
        return true;
    g_autofree char *path = NULL;
    if (!path_of(self->context, url, &path, error) || !check_path(url, path, error))
        return false;
    bool is_folder = is_part && g_str_has_suffix(url, "/");
    g_autofree char *whole = g_strconcat(path, is_folder ? "/" : "", NULL);
    g_autofree char *quoted = g_shell_quote(whole);
    g_string_append(self->out, quoted);
    self->at += length;
    return true;
}

static void scan_copy(Scan *self, size_t count)
{
    size_t size = strnlen(self->at, count);
    g_string_append_len(self->out, self->at, (gssize)size);
    self->at += size;
}

static char scan_innermost(const Scan *self)
{
    return self->inside->len > 0 ? self->inside->str[self->inside->len - 1] : '(';
}

static void open_level(Scan *self, char level)
{
    g_string_append_c(self->inside, level);
}

static void close_level(Scan *self)
{
    if (self->inside->len > 0)
        g_string_truncate(self->inside, self->inside->len - 1);
}

/* At `<<`: what ends the document. */
static void take_document_start(Scan *self)
{
    const char *p = self->at + 2;
    bool strips_tabs = *p == '-';
    p += strips_tabs;
    p += strspn(p, " \t");
    GString *end = g_string_new(strips_tabs ? "-" : " ");
    for (; *p && !strchr(WORD_ENDS_AT, *p); p++)
        if (!strchr("\"'\\", *p))
            g_string_append_c(end, *p);
    if (end->len > 1)
        g_ptr_array_add(self->documents, g_string_free(end, FALSE));
    else
        g_string_free(end, TRUE);
    scan_copy(self, (size_t)(p - self->at));
}

/* Where the document that begins at `text` is over; NULL: nowhere, so it is none. */
static const char *document_end(const char *text, const char *end)
{
    while (text && *text) {
        const char *line = text + (*end == '-' ? strspn(text, "\t") : 0);
        size_t size = strcspn(line, "\n");
        const char *behind = line[size] ? line + size + 1 : line + size;
        if (size == strlen(end + 1) && strncmp(line, end + 1, size) == 0)
            return behind;
        text = behind;
    }
    return NULL;
}

/* At the end of a line: the documents that begin behind it are copied. */
static void take_documents(Scan *self)
{
    scan_copy(self, 1);
    for (unsigned i = 0; i < self->documents->len; i++) {
        const char *behind = document_end(self->at, self->documents->pdata[i]);
        if (behind)
            scan_copy(self, (size_t)(behind - self->at));
    }
    g_ptr_array_set_size(self->documents, 0);
}

/* A comment, which may hold half a pair of quotes. */
static bool is_comment(const Scan *self)
{
    return *self->at == '#' &&
           (self->at == self->start || strchr(WORD_ENDS_AT "`", self->at[-1]) != NULL);
}

/* Inside quotes of any kind. */
static void step_quoted(Scan *self, char level)
{
    char c = *self->at;
    bool is_end = level == ANSI_QUOTE ? c == '\'' : c == level;
    bool is_other_quote = (level == '"' && c == '\'') || (level == '\'' && c == '"');
    if (is_other_quote && take_nested(self))
        return;
    if (c == '\\' && level != '\'') {
        scan_copy(self, 2);
    } else if (level == '"' && str_has_prefix(self->at, "$(")) {
        open_level(self, '(');
        scan_copy(self, 2);
    } else {
        if (is_end)
            close_level(self);
        scan_copy(self, 1);
    }
}

static bool step_plain(Scan *self, GError **error)
{
    char c = *self->at;
    bool is_taken = false;
    if (!take_bare(self, &is_taken, error))
        return false;
    if (!is_taken && (c == '"' || c == '\'') && !take_quoted(self, &is_taken, error))
        return false;
    if (is_taken)
        return true;
    if (is_comment(self))
        scan_copy(self, strcspn(self->at, "\n"));
    else if (c == '<' && str_has_prefix(self->at, "<<<"))
        scan_copy(self, 3);
    else if (c == '<' && str_has_prefix(self->at, "<<"))
        take_document_start(self);
    else if (c == '\n')
        take_documents(self);
    else if (str_has_prefix(self->at, "$'")) {
        open_level(self, ANSI_QUOTE);
        scan_copy(self, 2);
    } else {
        if (c == '"' || c == '\'' || c == '(')
            open_level(self, c);
        else if (c == ')')
            close_level(self);
        scan_copy(self, c == '\\' ? 2 : 1);
    }
    return true;
}

bool url_paths_in_command(ToolContext *context, const char *command, char **ret_command,
                          GError **error)
{
    if (!strstr(command, ":/")) {
        *ret_command = g_strdup(command);
        return true;
    }
    g_auto(Scan) scan = {
        .context = context,
        .start = command,
        .at = command,
        .out = g_string_new(NULL),
        .inside = g_string_new(NULL),
        .documents = g_ptr_array_new_with_free_func(g_free),
    };
    while (*scan.at) {
        char level = scan_innermost(&scan);
        if (level != '(')
            step_quoted(&scan, level);
        else if (!step_plain(&scan, error))
            return false;
    }
    *ret_command = g_string_free(g_steal_pointer(&scan.out), FALSE);
    return true;
}

bool url_paths_in_value(ToolContext *context, const char *value, char **ret_value, GError **error)
{
    if (scheme_length(value) == 0 || strpbrk(value, " \t\n")) {
        *ret_value = g_strdup(value);
        return true;
    }
    g_autofree char *url = with_two_slashes(value);
    return path_of(context, url, ret_value, error);
}

bool url_paths_in_values(ToolContext *context, const json_t *values, json_t **ret_values,
                         GError **error)
{
    g_autoptr(json_t) changed = values ? json_object() : NULL;
    json_each_member (values, name, value) {
        const char *text = json_string_value(value);
        g_autofree char *path = NULL;
        if (!text)
            json_set_take(changed, name, json_incref(value));
        else if (url_paths_in_value(context, text, &path, error))
            json_set_text(changed, name, path);
        else
            return false;
    }
    *ret_values = g_steal_pointer(&changed);
    return true;
}
