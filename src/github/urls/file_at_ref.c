/*
 * gh://OWNER/REPO/PATH@REF: a file or directory of a repository as it is on a branch, a tag or a
 * commit, without a checkout (github-tool §8 rule 8). Without @REF: on the default branch.
 */
#include "base/str.h"
#include "base/utf8.h"
#include "github/gh.h"
#include "github/github.h"
#include "github/repo_ref.h"
#include "github/text.h"
#include "github/urls/item_repo.h"

#define USAGE_TEXT                                                                                 \
    "Invalid gh:// URL. Expected gh://<owner>/<repo>/<path>@<ref> or "                             \
    "gh://<host>/<owner>/<repo>/<path>@<ref>"
#define URL_MAX_BYTES 4096

typedef struct FileUrl {
    RepoRef repo;
    char *path; // "" for the root
    char *ref;  // NULL: the default branch
} FileUrl;

static void file_url_clear(FileUrl *self)
{
    repo_ref_clear(&self->repo);
    g_clear_pointer(&self->path, g_free);
    g_clear_pointer(&self->ref, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(FileUrl, file_url_clear)

/* The @ of a ref; one at the start of a name (`@types`) is part of it. */
static char *find_ref(char *path)
{
    for (char *at = strchr(path, '@'); at; at = strchr(at + 1, '@')) {
        if (at > path && at[-1] != '/')
            return at;
    }
    return NULL;
}

static bool is_safe_path(const char *path)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    for (char **part = parts; *part; part++) {
        if ((**part == '\0' && *path != '\0') || strcmp(*part, ".") == 0 ||
            strcmp(*part, "..") == 0)
            return false;
    }
    return g_utf8_validate(path, -1, NULL);
}

/* "[HOST/]OWNER/REPO" at the start of `text`, and what comes behind it. */
static bool take_repo(const char *text, RepoRef *ret_repo, const char **ret_rest)
{
    bool has_host = memchr(text, '.', strcspn(text, "/")) != NULL;
    const char *end = text;
    for (int i = 0; i < (has_host ? 3 : 2); i++) {
        end += *end == '/' ? 1 : 0;
        end += strcspn(end, "/");
    }
    g_autofree char *name = g_strndup(text, (size_t)(end - text));
    char *ref = find_ref(name); // of the root: gh://owner/repo@v1
    size_t length = ref ? (size_t)(ref - name) : strlen(name);
    name[length] = '\0';
    *ret_rest = text + length;
    return repo_ref_parse(name, ret_repo);
}

static bool file_at_ref_parse(const char *url, const Settings *settings, FileUrl *self,
                              GError **error)
{
    const char *rest = NULL;
    const char *text = url + strlen("gh://");
    if (strlen(url) > URL_MAX_BYTES || !take_repo(text, &self->repo, &rest))
        return fail_with(error, KEDGE_ERROR_USAGE, USAGE_TEXT);
    if (self->repo.host && !repo_host_is_known(self->repo.host, settings))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "host \"%s\" is not a known host; add it to gh.knownHosts",
                         self->repo.host);
    g_autofree char *raw = g_strdup(rest + (*rest == '/' ? 1 : 0));
    char *ref = *rest == '@' ? raw : find_ref(raw);
    if (ref) {
        self->ref = g_uri_unescape_string(ref + 1, NULL);
        *ref = '\0';
    }
    self->path = g_uri_unescape_string(raw, NULL);
    if (!self->path || !is_safe_path(self->path) || (ref && str_is_empty(self->ref)))
        return fail_with(error, KEDGE_ERROR_USAGE, USAGE_TEXT);
    return true;
}

/* The endpoint; every byte that means something in a URL is encoded. Caller frees. */
static char *endpoint_of(const FileUrl *url)
{
    g_autoptr(GString) out = g_string_new(NULL);
    g_string_append_printf(out, "repos/%s/contents", url->repo.slug);
    g_auto(GStrv) parts = g_strsplit(url->path, "/", -1);
    for (char **part = parts; *part; part++) {
        g_autofree char *encoded = text_percent_encode(*part);
        g_string_append_printf(out, "/%s", encoded);
    }
    if (url->ref) {
        g_autofree char *ref = text_percent_encode(url->ref);
        g_string_append_printf(out, "?ref=%s", ref);
    }
    return g_strdup(out->str);
}

static char **argv_of(const FileUrl *url, const char *accept)
{
    g_autofree char *endpoint = endpoint_of(url);
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    g_strv_builder_add(argv, "api");
    if (url->repo.host)
        g_strv_builder_add_many(argv, "--hostname", url->repo.host, NULL);
    g_strv_builder_add_many(argv, "--method", "GET", "-H", accept, endpoint, NULL);
    return g_strv_builder_end(argv);
}

static char *list_directory(const json_t *entries, const FileUrl *url)
{
    g_autoptr(GString) out = g_string_new(NULL);
    json_each (entries, i, entry) {
        g_autofree char *name = text_one_line(json_get_text(entry, "name"));
        bool is_dir = g_strcmp0(json_get_text(entry, "type"), "dir") == 0;
        g_string_append_printf(out, "%s%s\n", name, is_dir ? "/" : "");
    }
    if (out->len == 0)
        g_string_append(out, "(empty)\n");
    return g_strdup(out->str);
}

/* GitHub sends files of up to 1 MB this way, larger ones only as they are. */
static bool file_at_ref_decode(ToolCall *call, const FileUrl *url, const json_t *file,
                               char **ret_text, GError **error)
{
    if (g_strcmp0(json_get_text(file, "encoding"), "base64") != 0) {
        g_auto(GStrv) argv = argv_of(url, "Accept: application/vnd.github.raw+json");
        const GhSpec spec = {
            .argv = (const char *const *)argv,
            .has_explicit_repo = true,
            .is_untrimmed = true,
            .is_raw = true,
        };
        return gh_text(call, &spec, ret_text, error);
    }
    gsize size = 0;
    g_autofree guchar *data = g_base64_decode(json_get_text(file, "content") ?: "", &size);
    if (memchr(data, '\0', size))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "%s is a binary file of %zu bytes", url->path,
                         size);
    *ret_text = utf8_from_bytes((const char *)data, size);
    return true;
}

static bool read_entry(ToolCall *call, const FileUrl *url, const json_t *answer, char **ret_text,
                       GError **error)
{
    if (json_is_array(answer)) {
        *ret_text = list_directory(answer, url);
        return true;
    }
    const char *type = json_get_text(answer, "type");
    if (g_strcmp0(type, "file") == 0)
        return file_at_ref_decode(call, url, answer, ret_text, error);
    const char *target = json_get_text(answer, "target");
    return fail_with(error, KEDGE_ERROR_FAILED, "%s is a %s%s%s, and no file", url->path,
                     type ? type : "thing of unknown kind", target ? " to " : "",
                     target ? target : "");
}

static bool file_at_ref_fetch(ToolCall *call, const FileUrl *url, char **ret_text, GError **error)
{
    g_auto(GStrv) argv = argv_of(url, "Accept: application/vnd.github+json");
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    g_autofree char *output = NULL;
    g_autoptr(json_t) answer = NULL;
    if (!gh_text(call, &spec, &output, error))
        return false;
    if (!json_parse_text(output, &answer, NULL))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "GitHub CLI returned invalid JSON output.");
    return read_entry(call, url, answer, ret_text, error);
}

static bool file_at_ref_resolve(ToolCall *call, const InternalUrl *internal,
                                UrlResource *ret_resource, GError **error)
{
    g_auto(FileUrl) url = { 0 };
    char *text = NULL;
    if (!file_at_ref_parse(internal->text, tool_call_settings(call), &url, error))
        return false;
    g_autoptr(GError) failure = NULL;
    if (!file_at_ref_fetch(call, &url, &text, &failure)) {
        if (!error_is(failure, KEDGE_ERROR_CANCELLED))
            g_prefix_error(&failure, "gh:// resolution failed: ");
        return pass_error(error, &failure);
    }
    url_resource_set_text(ret_resource, text, "text/plain");
    g_autofree char *repo = url.repo.host ? g_strconcat(url.repo.host, "/", url.repo.slug, NULL)
                                          : g_strdup(url.repo.slug);
    item_set_github(call, repo, GITHUB_REPOSITORY, 0, ret_resource);
    g_autofree char *note =
        g_strdup_printf("%s of %s at %s", *url.path ? url.path : "The root", url.repo.slug,
                        url.ref ? url.ref : "its default branch");
    url_resource_add_note(ret_resource, note);
    return true;
}

static bool file_at_ref_judge(ToolCall *call, const InternalUrl *internal, Judgement *ret_judgement,
                              GError **error G_GNUC_UNUSED)
{
    g_auto(FileUrl) url = { 0 };
    ret_judgement->effect = EFFECT_READ;
    ret_judgement->is_github = true;
    if (file_at_ref_parse(internal->text, tool_call_settings(call), &url, NULL)) {
        ret_judgement->host = g_strdup(url.repo.host);
        ret_judgement->repo = g_strdup(url.repo.slug);
    }
    return true;
}

const UrlScheme url_gh = {
    .name = "gh", .is_remote = true, .judge = file_at_ref_judge, .resolve = file_at_ref_resolve
};
