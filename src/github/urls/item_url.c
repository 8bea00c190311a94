/*
 * Taking the addresses of GitHub items apart, by the numbered rules of github-tool §7.2.
 */
#include "github/urls/item_url.h"

#include "base/str.h"
#include "github/repo_ref.h"
#include "github/text.h"

#include <glib.h>
#include <string.h>

// ---- the query: form-encoded, the first of a key's values counts ----

/* "+" is a blank; what does not decode stays as it is. Caller frees. */
static char *form_decode(const char *text, size_t length)
{
    g_autofree char *plain = g_strndup(text, length);
    g_strdelimit(plain, "+", ' ');
    char *decoded = g_uri_unescape_string(plain, NULL);
    return decoded ? decoded : g_steal_pointer(&plain);
}

/* char * → char *. `query` is without its "?". */
static GHashTable *form_query_parse(const char *query)
{
    GHashTable *values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    g_auto(GStrv) pairs = g_strsplit(query, "&", -1);
    for (char **pair = pairs; *pair; pair++) {
        size_t length = strcspn(*pair, "=");
        const char *value = (*pair)[length] == '=' ? *pair + length + 1 : "";
        g_autofree char *key = form_decode(*pair, length);
        if (*key && !g_hash_table_contains(values, key))
            g_hash_table_insert(values, g_steal_pointer(&key), form_decode(value, strlen(value)));
    }
    return values;
}

/* A copy of the value; NULL when missing or empty. Caller frees. */
static char *form_query_take(GHashTable *query, const char *key)
{
    const char *value = g_hash_table_lookup(query, key);
    return value && *value ? g_strdup(value) : NULL;
}

// ---- the address ----

#define URL_MAX_BYTES 4096
#define LIMIT_DEFAULT 30
#define LIMIT_MAX     100

typedef struct Parts {
    const char *scheme;
    char *authority;
    GPtrArray *path; // of char *, undecoded
    GHashTable *query;
    bool is_shifted;  // the authority was a host
    const char *host; // of `held`
    GPtrArray *held;  // what left authority and path
} Parts;

static void parts_clear(Parts *self)
{
    g_clear_pointer(&self->authority, g_free);
    g_clear_pointer(&self->path, g_ptr_array_unref);
    g_clear_pointer(&self->query, g_hash_table_unref);
    g_clear_pointer(&self->held, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Parts, parts_clear)

static const char *const scheme_names[] = { "issue", "pr", "run" };

void item_url_clear(ItemUrl *self)
{
    g_free(self->repo);
    g_free(self->file);
    g_free(self->author);
    g_free(self->label);
    g_free(self->commit);
    *self = (ItemUrl) { 0 };
}

const char *item_scheme_name(ItemScheme scheme)
{
    return scheme_names[scheme];
}

/* False when `url` has another scheme. */
static bool item_scheme_of(const char *url, ItemScheme *ret_scheme)
{
    for (size_t i = 0; i < G_N_ELEMENTS(scheme_names); i++) {
        size_t length = strlen(scheme_names[i]);
        if (g_ascii_strncasecmp(url, scheme_names[i], length) == 0 &&
            str_has_prefix(url + length, "://")) {
            *ret_scheme = (ItemScheme)i;
            return true;
        }
    }
    return false;
}

// ---- authority, path, query ----

static bool is_safe_segment(const char *segment)
{
    g_autofree char *decoded = g_uri_unescape_string(segment, NULL);
    return decoded && *decoded && strcmp(decoded, ".") != 0 && strcmp(decoded, "..") != 0;
}

static bool fail_unsafe(const Parts *parts, GError **error)
{
    return fail_with(error, KEDGE_ERROR_USAGE, "Invalid %s:// URL: empty or unsafe path segment",
                     parts->scheme);
}

/* github-tool §7.2 rule 1. */
static bool split_path(const char *path, Parts *parts, GError **error)
{
    path += *path == '/' ? 1 : 0;
    if (*path == '\0')
        return true;
    g_auto(GStrv) segments = g_strsplit(path, "/", -1);
    for (char **segment = segments; *segment; segment++) {
        if (!is_safe_segment(*segment))
            return fail_unsafe(parts, error);
        g_ptr_array_add(parts->path, g_strdup(*segment));
    }
    return true;
}

/* Takes the first segment for the authority, which was a host. */
static void parts_shift(Parts *parts)
{
    parts->is_shifted = true;
    parts->host = parts->authority;
    g_ptr_array_add(parts->held, parts->authority);
    parts->authority = g_ptr_array_steal_index(parts->path, 0);
}

/* github-tool §7.2 rule 2. */
static bool take_host(Parts *parts, GError **error)
{
    char **path = (char **)parts->path->pdata;
    unsigned count = parts->path->len;
    int64_t number;
    if (strchr(parts->authority, '.')) {
        if (count < 2)
            return fail_with(error, KEDGE_ERROR_USAGE,
                             "Invalid %s:// URL. Expected %s://<host>/<owner>/<repo> or "
                             "%s://<host>/<owner>/<repo>/<number>",
                             parts->scheme, parts->scheme, parts->scheme);
        parts_shift(parts);
    } else if (count >= 3 && text_parse_posint(path[2], &number) &&
               !text_parse_posint(path[1], &number)) {
        parts_shift(parts);
    }
    return true;
}

static bool item_url_split(const char *rest, Parts *parts, GError **error)
{
    size_t length = strcspn(rest, "/?#");
    g_autofree char *raw = g_strndup(rest, length);
    parts->authority = g_uri_unescape_string(raw, NULL);
    if (!parts->authority)
        parts->authority = g_steal_pointer(&raw);
    if (strchr(parts->authority, '/'))
        return fail_unsafe(parts, error);
    parts->path = g_ptr_array_new_with_free_func(g_free);
    parts->held = g_ptr_array_new_with_free_func(g_free);

    rest += length;
    length = strcspn(rest, "?#");
    g_autofree char *path = g_strndup(rest, length);
    rest += length;
    g_autofree char *query = *rest == '?' ? g_strndup(rest + 1, strcspn(rest + 1, "#")) : NULL;
    parts->query = form_query_parse(query ? query : "");
    return split_path(path, parts, error) && take_host(parts, error);
}

// ---- what they mean ----

static bool is_current(const char *text, const ItemUrl *url)
{
    return url->scheme == ITEM_PR && strcmp(text, "current") == 0;
}

static bool read_number(const char *text, ItemUrl *url, GError **error)
{
    url->is_current = is_current(text, url);
    if (!url->is_current && !text_parse_posint(text, &url->number))
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid %s:// number: %s",
                         item_scheme_name(url->scheme), text);
    url->view = url->scheme == ITEM_RUN ? ITEM_RUN_ONE : ITEM_SINGLE;
    return true;
}

/* github-tool §7.2 rule 11. */
static bool read_part(const char *text, ItemUrl *url, GError **error)
{
    url->view = strcmp(text, "all") == 0 ? ITEM_PATCH : ITEM_FILE;
    if (url->view == ITEM_FILE && !text_parse_posint(text, &url->part))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid pr:// diff sub-path '%s'. Use 'all' or a 1-indexed file number.",
                         text);
    return true;
}

static bool read_job(char *const *tail, unsigned count, ItemUrl *url, GError **error)
{
    if (count != 2 || strcmp(tail[0], "job") != 0 || !text_parse_posint(tail[1], &url->part))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid run:// URL. Expected run://<id>, run://<owner>/<repo>/<id>, or "
                         "one of these with /job/<job id>");
    url->view = ITEM_RUN_JOB;
    return true;
}

/* github-tool §7.2 rules 9 and 11, with what this program has besides: checks and jobs. */
static bool check_tail(char *const *tail, unsigned count, const ItemUrl *url, GError **error)
{
    if (url->scheme == ITEM_ISSUE)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid issue:// URL. Issue views do not have a diff; use "
                         "pr://<owner>/<repo>/<n>/diff for pull requests.");
    if (url->scheme == ITEM_RUN || (strcmp(tail[0], "checks") == 0 && count == 1))
        return true;
    if (strcmp(tail[0], "diff") != 0 || count > 2)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid pr:// URL. Expected pr://<n>, pr://<n>/diff, pr://<n>/diff/all, "
                         "or pr://<n>/diff/<i>");
    return true;
}

static bool read_item(const char *number, char *const *tail, unsigned count, ItemUrl *url,
                      GError **error)
{
    if ((count > 0 && !check_tail(tail, count, url, error)) || !read_number(number, url, error))
        return false;
    if (count == 0)
        return true;
    if (url->scheme == ITEM_RUN)
        return read_job(tail, count, url, error);
    url->view = strcmp(tail[0], "checks") == 0 ? ITEM_CHECKS : ITEM_DIFF;
    return count == 1 || read_part(tail[1], url, error);
}

/* "OWNER/NAME", with the host before it where the address has one. Caller frees. */
static char *repo_of(const Parts *parts, const char *name)
{
    return g_strconcat(parts->host ? parts->host : "", parts->host ? "/" : "", parts->authority,
                       "/", name, NULL);
}

static bool is_part_of_number(const Parts *parts, const ItemUrl *url)
{
    static const char *const of_pr[] = { "diff", "checks", NULL };
    static const char *const of_run[] = { "job", NULL };
    int64_t number;
    bool is_number =
        text_parse_posint(parts->authority, &number) || is_current(parts->authority, url);
    return is_number &&
           g_strv_contains(url->scheme == ITEM_RUN ? of_run : of_pr, parts->path->pdata[0]);
}

/* A number with one word after it is an item with a part that there is not, not a repository. */
static bool fail_part(const Parts *parts, const char *part, GError **error)
{
    bool is_pr = strcmp(parts->scheme, "pr") == 0;
    return fail_with(error, KEDGE_ERROR_USAGE, "Invalid %s:// URL. Number %s has no part '%s'%s",
                     parts->scheme, parts->authority, part,
                     is_pr ? ". Expected pr://<n>, pr://<n>?comments (review threads), "
                             "pr://<n>/diff, pr://<n>/diff/all, pr://<n>/diff/<i> or "
                             "pr://<n>/checks"
                           : "");
}

/* github-tool §7.2 rules 3 to 8. */
static bool read_parts(const Parts *parts, ItemUrl *url, GError **error)
{
    char *const *path = (char *const *)parts->path->pdata;
    unsigned count = parts->path->len;
    if (*parts->authority == '\0' && count == 0)
        return true;
    if (*parts->authority == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid %s:// URL. Expected %s://, %s://<number>, %s://<owner>/<repo>, "
                         "or %s://<owner>/<repo>/<number>",
                         parts->scheme, parts->scheme, parts->scheme, parts->scheme, parts->scheme);
    if (!parts->is_shifted && count == 0)
        return read_item(parts->authority, NULL, 0, url, error);
    if (!parts->is_shifted && is_part_of_number(parts, url))
        return read_item(parts->authority, path, count, url, error);
    int64_t number = 0;
    if (!parts->is_shifted && count == 1 && text_parse_posint(parts->authority, &number))
        return fail_part(parts, path[0], error);
    url->repo = repo_of(parts, path[0]);
    return count == 1 || read_item(path[1], path + 2, count - 2, url, error);
}

// ---- repository and query ----

static bool check_repo(const ItemUrl *url, const Settings *settings, GError **error)
{
    if (!url->repo)
        return true;
    g_auto(RepoRef) ref = { 0 };
    if (!repo_ref_parse(url->repo, &ref))
        return fail_with(error, KEDGE_ERROR_USAGE, "invalid repo: %s. Expected owner/repo.",
                         url->repo);
    if (ref.host && !repo_host_is_known(ref.host, settings))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "host \"%s\" is not a known host; add it to gh.knownHosts", ref.host);
    return true;
}

static bool read_list_query(GHashTable *query, ItemUrl *url, GError **error)
{
    static const char *const states[] = { "open", "closed", "merged", "all" };
    const char *state = g_hash_table_lookup(query, "state");
    url->state = state ? NULL : states[0];
    for (size_t i = 0; state && i < G_N_ELEMENTS(states); i++) {
        bool is_for_all = url->scheme == ITEM_PR || strcmp(states[i], "merged") != 0;
        if (is_for_all && strcmp(state, states[i]) == 0)
            url->state = states[i];
    }
    const char *name = item_scheme_name(url->scheme);
    if (!url->state)
        return fail_with(
            error, KEDGE_ERROR_USAGE, "Invalid %s:// list state '%s'. Expected one of: %s.", name,
            state, url->scheme == ITEM_PR ? "open, closed, merged, all" : "open, closed, all");
    const char *limit = g_hash_table_lookup(query, "limit");
    url->limit = LIMIT_DEFAULT;
    if (limit && !text_parse_posint(limit, &url->limit))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid %s:// list limit '%s'. Expected a positive integer (max %d).",
                         name, limit, LIMIT_MAX);
    url->limit = MIN(url->limit, LIMIT_MAX);
    url->author = form_query_take(query, "author");
    url->label = form_query_take(query, "label");
    return true;
}

static bool is_commit_name(const char *text)
{
    size_t length = strlen(text);
    return length >= 7 && length <= 64 && strspn(text, "0123456789abcdefABCDEF") == length;
}

/* NULL: not given. What is asked about one file is what reviewers said there; it is threads that
   have lines. */
static ItemComments read_comments(const char *value, const ItemUrl *url)
{
    if (!value)
        return url->file ? COMMENTS_THREADS : COMMENTS_FLAT;
    if (strcmp(value, "0") == 0 || str_equal_nocase(value, "false"))
        return COMMENTS_OFF;
    bool is_grouped = *value == '\0' || strcmp(value, "threads") == 0 || url->line > 0;
    return url->scheme == ITEM_PR && is_grouped ? COMMENTS_THREADS : COMMENTS_FLAT;
}

/* Which review comments of a pull request. */
static bool read_place(GHashTable *query, ItemUrl *url, GError **error)
{
    url->file = form_query_take(query, "file");
    g_autofree char *line = form_query_take(query, "line");
    if (!line)
        return true;
    if (!text_parse_posint(line, &url->line))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid pr:// line '%s'. Expected a positive integer.", line);
    return url->file || fail_with(error, KEDGE_ERROR_USAGE,
                                  "Invalid pr:// line '%s'. Expected file=<path> with it.", line);
}

/* "?name", "?name=1"; not "?name=0". */
static bool is_switched_on(const char *value)
{
    return value && strcmp(value, "0") != 0 && !str_equal_nocase(value, "false");
}

static bool read_query(GHashTable *query, ItemUrl *url, GError **error)
{
    if (url->view == ITEM_LIST && url->scheme == ITEM_RUN)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid run:// URL. Expected run://<id> or run://<owner>/<repo>/<id>");
    if (url->view != ITEM_LIST) {
        bool is_pr = url->scheme == ITEM_PR && url->view == ITEM_SINGLE;
        if (is_pr && !read_place(query, url, error))
            return false;
        url->is_fresh = is_switched_on(g_hash_table_lookup(query, "fresh"));
        url->comments = read_comments(g_hash_table_lookup(query, "comments"), url);
        return true;
    }
    url->commit = url->scheme == ITEM_PR ? form_query_take(query, "commit") : NULL;
    if (url->commit && !is_commit_name(url->commit))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid pr:// commit '%s'. Expected the commit id, or its first 7 "
                         "digits or more.",
                         url->commit);
    return read_list_query(query, url, error);
}

bool item_url_parse(const char *url, const Settings *settings, ItemUrl *ret_url, GError **error)
{
    g_auto(ItemUrl) parsed = { 0 };
    if (!item_scheme_of(url, &parsed.scheme) || strlen(url) > URL_MAX_BYTES)
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid URL: %.200s", url);
    g_auto(Parts) parts = { .scheme = item_scheme_name(parsed.scheme) };
    if (!item_url_split(strstr(url, "://") + strlen("://"), &parts, error) ||
        !read_parts(&parts, &parsed, error) || !check_repo(&parsed, settings, error) ||
        !read_query(parts.query, &parsed, error))
        return false;
    *ret_url = parsed;
    parsed = (ItemUrl) { 0 };
    return true;
}
