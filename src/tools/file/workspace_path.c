/*
 * Path rules shared by the tools (workspace_path.h).
 */
#include "tools/file/workspace_path.h"

#include "base/file.h"
#include "base/path.h"
#include "base/str.h"
#include "tool/context.h"
#include "tools/file/file_walk.h"
#include "tools/file/tool_file.h"

enum { SUFFIX_TIMEOUT_MS = 5000 };

/* Surrounding blanks and one pair of quotes away; `\ ` is a blank. */
char *workspace_clean(const char *asked)
{
    g_autofree char *text = g_strstrip(g_strdup(asked));
    size_t size = strlen(text);
    bool is_quoted = size >= 2 && (*text == '"' || *text == '\'') && text[size - 1] == *text;
    g_autofree char *inner = is_quoted ? g_strndup(text + 1, size - 2) : g_strdup(text);
    g_auto(GStrv) parts = g_strsplit(inner, "\\ ", -1);
    return g_strjoinv(" ", parts);
}

static bool is_unicode_blank(gunichar c)
{
    return c == 0xa0 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f || c == 0x3000;
}

static char *plain_blanks(const char *text)
{
    GString *out = g_string_new(NULL);
    for (const char *p = text; *p; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        g_string_append_unichar(out, is_unicode_blank(c) ? ' ' : c);
    }
    return g_string_free(out, FALSE);
}

static char *workspace_path_absolute(const char *text, const char *cwd)
{
    if (strcmp(text, "/") == 0)
        return g_strdup(cwd);
    g_autofree char *expanded = path_expand_home(text);
    return path_absolute(expanded, cwd);
}

typedef char *(*RespellFunc)(const char *text);

/* U+202F before AM and PM, as macOS names its screenshots. */
static char *respell_time(const char *text)
{
    g_auto(GStrv) morning = g_strsplit(text, " AM", -1);
    g_autofree char *half = g_strjoinv("\u202fAM", morning);
    g_auto(GStrv) evening = g_strsplit(half, " PM", -1);
    return g_strjoinv("\u202fPM", evening);
}

static char *respell_decomposed(const char *text)
{
    return g_utf8_normalize(text, -1, G_NORMALIZE_NFD);
}

static char *respell_quote(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    return g_strjoinv("\u2019", parts);
}

static char *respell_decomposed_quote(const char *text)
{
    g_autofree char *decomposed = respell_decomposed(text);
    return respell_quote(decomposed);
}

/* The file that `text` means when a person or a system spelled its name otherwise; NULL: none. */
static char *find_respelled(const char *text, const char *cwd)
{
    static const RespellFunc spellings[] = { plain_blanks, respell_time, respell_decomposed,
                                             respell_quote, respell_decomposed_quote };
    for (size_t i = 0; i < G_N_ELEMENTS(spellings); i++) {
        g_autofree char *respelled = spellings[i](text);
        g_autofree char *path = workspace_path_absolute(respelled, cwd);
        if (file_exists(path))
            return g_steal_pointer(&path);
    }
    return NULL;
}

/* Is `asked`, letter by letter, a file below `cwd`, or one that could be made in a folder there?
   Only then are "@types/x", "~/x" and "file:/x" names of that folder. */
static bool can_be_literal(const char *asked, const char *cwd)
{
    g_autofree char *path = path_absolute(asked, cwd);
    if (file_exists(path))
        return true;
    size_t size = strcspn(asked, "/");
    g_autofree char *first = g_strndup(asked, size);
    g_autofree char *folder = path_absolute(first, cwd);
    return asked[size] == '/' && file_is_directory(folder);
}

/* What is meant by a name that nothing has: leniently read, if that leads to something. */
static char *lenient_path(const char *asked, const char *cwd)
{
    g_autofree char *text = workspace_clean(asked);
    g_autofree char *literal = workspace_path_absolute(text, cwd);
    if (text[0] == '@' && !can_be_literal(text, cwd))
        return workspace_path_absolute(text + 1, cwd);
    if (file_exists(literal) || !g_utf8_validate(text, -1, NULL))
        return g_steal_pointer(&literal);
    char *respelled = find_respelled(text, cwd);
    return respelled ? respelled : g_steal_pointer(&literal);
}

char *workspace_path(const char *asked, const char *cwd)
{
    bool is_special = strchr("@~", asked[0]) || g_ascii_strncasecmp(asked, "file:", 5) == 0;
    if (*asked && is_special && can_be_literal(asked, cwd))
        return path_absolute(asked, cwd);
    if (g_ascii_strncasecmp(asked, "file://", 7) == 0) {
        char *path = g_filename_from_uri(asked, NULL, NULL);
        if (path)
            return path;
    }
    g_autofree char *raw = workspace_path_absolute(asked, cwd);
    return asked[0] != '@' && file_exists(raw) ? g_steal_pointer(&raw) : lenient_path(asked, cwd);
}

bool workspace_may_replace(const char *asked, const char *path, const char *cwd, GError **error)
{
    g_autofree char *meant = workspace_path(asked, cwd); // a URL, or a plan, is elsewhere
    g_autofree char *named = workspace_path_absolute(asked, cwd);
    g_autofree char *literal = path_absolute(asked, cwd);
    g_autofree char *url = g_filename_from_uri(asked, NULL, NULL);
    if (strcmp(meant, path) != 0 || strcmp(named, path) == 0 || strcmp(literal, path) == 0 ||
        g_strcmp0(url, path) == 0 || !file_exists(path))
        return true;
    g_autofree char *shown = path_display(path, cwd);
    return fail_with(error, KEDGE_ERROR_USAGE,
                     "There is no %s, and %s is not replaced under another name. Write to \"%s\" "
                     "if you mean that file, or to \"./%s\" for a new one.",
                     asked, shown, shown, asked);
}

size_t workspace_scheme_length(const char *text)
{
    return g_ascii_strncasecmp(text, "file://", 7) == 0 ? 0 : internal_url_scheme_length(text);
}

/* The file behind a URL that may be written to. */
static bool url_target(ToolContext *context, const char *text, char **ret_path, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    const UrlScheme *scheme = NULL;
    if (!internal_url_parse(text, &url, error))
        return false;
    bool is_web = strcmp(url->scheme, "http") == 0 || strcmp(url->scheme, "https") == 0;
    if (!is_web) {
        g_clear_pointer(&url, internal_url_free);
        if (!internal_url_open(context, text, &url, &scheme, error))
            return false;
    }
    if (!scheme || !scheme->is_writable)
        return fail_with(error, KEDGE_ERROR_USAGE, "Cannot write %s: %s:// is read-only.", text,
                         url->scheme);
    return scheme->locate(context, url, ret_path, error);
}

/* `local:/x` and `artifact:`, where nothing of that name exists: a slip, of which a folder named
   like a scheme would come. */
static bool is_misspelled_url(ToolContext *context, const char *text, const char *path)
{
    size_t length = strcspn(text, ":/");
    if (text[length] != ':' || (text[length + 1] != '/' && text[length + 1] != '\0'))
        return false;
    g_autofree char *name = g_ascii_strdown(text, (gssize)length);
    return internal_url_scheme(context, name) && !file_exists(path);
}

bool workspace_target(ToolContext *context, const char *asked, char **ret_path, char **ret_shown,
                      GError **error)
{
    const char *cwd = tool_context_cwd(context);
    g_autofree char *cleaned = workspace_clean(asked);
    g_autofree char *path = NULL;
    bool is_url = workspace_scheme_length(cleaned) > 0;
    if (!is_url)
        path = workspace_path(asked, cwd);
    else if (!url_target(context, cleaned, &path, error))
        return false;
    if (!is_url && is_misspelled_url(context, cleaned, path))
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid URL: %s (it begins with %.*s://)",
                         cleaned, (int)strcspn(cleaned, ":"), cleaned);
    g_autofree char *shown = path_display(path, cwd);
    if (!tool_file_check_target(path, shown, error))
        return false;
    *ret_path = g_steal_pointer(&path);
    *ret_shown = g_steal_pointer(&shown);
    return true;
}

typedef struct SuffixMatch {
    char *suffix; // "/" and what was asked
    char *found;
    unsigned count;
} SuffixMatch;

static bool take_match(const char *path, FileWalkKind kind, void *user_data)
{
    SuffixMatch *match = user_data;
    bool is_whole = strcmp(path, match->suffix + 1) == 0;
    bool is_readable = kind == FILE_WALK_FILE || kind == FILE_WALK_DIRECTORY;
    if (!is_readable || (!is_whole && !g_str_has_suffix(path, match->suffix)))
        return true;
    match->count++;
    g_free(match->found);
    match->found = g_strdup(path);
    return match->count < 2;
}

char *workspace_suffix_match(const char *asked, const char *cwd, Cancel *cancel)
{
    g_autofree char *text = workspace_clean(asked);
    char *relative = str_has_prefix(text, "./") ? text + 2 : text;
    for (size_t size = strlen(relative); size > 0 && relative[size - 1] == '/'; size--)
        relative[size - 1] = '\0';
    if (*relative == '/' || *relative == '~' || *relative == '\0' || strstr(relative, ".."))
        return NULL;
    g_autofree char *suffix = g_strconcat("/", relative, NULL);
    SuffixMatch match = { .suffix = suffix };
    const FileWalk search = { .dir = cwd, .cwd = cwd, .timeout_ms = SUFFIX_TIMEOUT_MS };
    bool is_complete = file_walk(&search, cancel, take_match, &match, NULL);
    g_autofree char *found = match.found;
    return is_complete && match.count == 1 ? path_absolute(found, cwd) : NULL;
}
