/*
 * Internal URLs (internal_url.h): parsing, and finding the scheme.
 */
#include "tool/internal_url.h"

#include "base/limits.h"
#include "base/str.h"
#include "tool/call_private.h"

#define SCHEME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-"

void internal_url_free(InternalUrl *self)
{
    if (!self)
        return;
    g_free(self->text);
    g_free(self->scheme);
    g_free(self->host);
    g_free(self->raw_host);
    g_free(self->raw_path);
    g_free(self->query);
    g_free(self->hash);
    g_free(self);
}

size_t internal_url_scheme_length(const char *text)
{
    size_t length = strspn(text, SCHEME_CHARS);
    return g_ascii_isalpha(*text) && str_has_prefix(text + length, "://") ? length : 0;
}

/* Percent-decoded; a copy when that gives no text. Caller frees. */
static char *internal_url_decode(const char *text)
{
    char *decoded = g_uri_unescape_string(text, NULL); // NULL for bad encoding, and for %00
    if (decoded && g_utf8_validate(decoded, -1, NULL))
        return decoded;
    g_free(decoded);
    return g_strdup(text);
}

/* Cuts `text` at the first of `marks` and returns what comes behind that, as a copy; NULL: none. */
static char *cut_at(char *text, char mark)
{
    char *at = strchr(text, mark);
    if (!at)
        return NULL;
    *at = '\0';
    return g_strdup(at + 1);
}

bool internal_url_parse(const char *text, InternalUrl **ret_url, GError **error)
{
    size_t size = strlen(text);
    if (size > LIMIT_URL_BYTES)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Invalid URL: %.60s… is %zu bytes long, and may be %zu", text, size,
                         LIMIT_URL_BYTES);
    size_t scheme_length = internal_url_scheme_length(text);
    if (scheme_length == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Invalid URL: %s", text);

    g_autoptr(InternalUrl) url = g_new0(InternalUrl, 1);
    url->text = g_strdup(text);
    url->scheme = g_ascii_strdown(text, (gssize)scheme_length);
    g_autofree char *rest = g_strdup(text + scheme_length + strlen("://"));
    url->hash = cut_at(rest, '#');
    url->query = cut_at(rest, '?');
    size_t host_length = strcspn(rest, "/");
    url->host = g_strndup(rest, host_length);
    url->raw_host = internal_url_decode(url->host);
    url->raw_path = g_strdup(rest + host_length);
    *ret_url = g_steal_pointer(&url);
    return true;
}

bool internal_url_goes_up(const char *raw_path)
{
    g_autofree char *path = internal_url_decode(raw_path);
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    return g_strv_contains((const char *const *)parts, "..");
}

bool internal_url_relative_path(const InternalUrl *url, const char *path, char **ret_path,
                                GError **error)
{
    if (url->query || url->hash)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%s:// URLs have no query or fragment: %s (a name with ? or # is written "
                         "with %%3F or %%23)",
                         url->scheme, url->text);
    g_autofree char *decoded = internal_url_decode(path + (*path == '/'));
    if (*decoded == '/')
        return fail_with(error, KEDGE_ERROR_USAGE, "Absolute paths are not allowed in %s:// URLs",
                         url->scheme);
    if (internal_url_goes_up(path))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Path traversal (..) is not allowed in %s:// URLs", url->scheme);
    *ret_path = g_steal_pointer(&decoded);
    return true;
}

bool internal_url_whole_path(const InternalUrl *url, char **ret_path, GError **error)
{
    bool is_absolute = *url->host == '\0' && strlen(url->raw_path) > 1;
    g_autofree char *path = g_strconcat(is_absolute ? "/" : "", url->host, url->raw_path, NULL);
    return internal_url_relative_path(url, path, ret_path, error);
}

void url_resource_clear(UrlResource *self)
{
    g_clear_pointer(&self->content, g_free);
    g_clear_pointer(&self->source_path, g_free);
    g_clear_pointer(&self->github, json_decref);
    origin_clear(&self->origin);
    g_clear_pointer(&self->notes, g_ptr_array_unref);
}

void url_resource_add_note(UrlResource *self, const char *text)
{
    if (!self->notes)
        self->notes = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(self->notes, g_strdup(text));
}

void url_resource_set_text(UrlResource *self, char *text, const char *content_type)
{
    g_free(self->content);
    self->content = text;
    self->size = strlen(text);
    self->content_type = content_type;
}

static bool has_name(const UrlScheme *scheme, const char *name)
{
    return strcmp(scheme->name, name) == 0 ||
           (scheme->aliases && g_strv_contains(scheme->aliases, name));
}

const UrlScheme *internal_url_scheme(const ToolContext *context, const char *name)
{
    const GPtrArray *schemes = tool_context_schemes(context);
    for (unsigned i = schemes->len; i > 0; i--) { // the last of a name counts
        const UrlScheme *scheme = schemes->pdata[i - 1];
        if (has_name(scheme, name))
            return scheme;
    }
    return NULL;
}

/* "docs://, artifact://": what a model can try instead. Caller frees. */
static char *list_schemes(const ToolContext *context)
{
    const GPtrArray *schemes = tool_context_schemes(context);
    GString *list = g_string_new(NULL);
    for (unsigned i = 0; i < schemes->len; i++) {
        const UrlScheme *scheme = schemes->pdata[i];
        if (internal_url_scheme(context, scheme->name) == scheme)
            g_string_append_printf(list, "%s%s://", list->len > 0 ? ", " : "", scheme->name);
    }
    if (list->len == 0)
        g_string_append(list, "none");
    return g_string_free(list, FALSE);
}

bool internal_url_open(const ToolContext *context, const char *text, InternalUrl **ret_url,
                       const UrlScheme **ret_scheme, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    if (!internal_url_parse(text, &url, error))
        return false;
    const UrlScheme *scheme = internal_url_scheme(context, url->scheme);
    if (!scheme) {
        g_autofree char *supported = list_schemes(context);
        return fail_with(error, KEDGE_ERROR_USAGE, "Unknown protocol: %s://\nSupported: %s",
                         url->scheme, supported);
    }
    *ret_url = g_steal_pointer(&url);
    *ret_scheme = scheme;
    return true;
}

bool internal_url_judge(ToolCall *call, const char *text, Judgement *ret_judgement, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    const UrlScheme *scheme = NULL;
    ret_judgement->effect = EFFECT_READ;
    if (!internal_url_open(tool_call_context(call), text, &url, &scheme, NULL))
        return true;
    if (scheme->is_remote)
        call->cancel = call->spec->cancel;
    return !scheme->judge || scheme->judge(call, url, ret_judgement, error);
}

/* Before a part of it is chosen: what hides something may begin above that. */
static void see_resource(ToolCall *call, UrlResource *resource)
{
    bool is_markdown = g_strcmp0(resource->content_type, "text/markdown") == 0;
    g_autofree char *text = resource->content;
    resource->content = NULL;
    url_resource_set_text(
        resource, tool_call_seen_text(call, text, is_markdown ? HIDDEN_IN_LINE : HIDDEN_IN_CODE),
        resource->content_type);
}

bool internal_url_resolve(ToolCall *call, const char *text, UrlResource *ret_resource,
                          GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    const UrlScheme *scheme = NULL;
    ToolContext *context = tool_call_context(call);
    if (!internal_url_open(context, text, &url, &scheme, error))
        return false;
    g_auto(UrlResource) resource = { .is_immutable = scheme->is_immutable };
    bool is_found = scheme->resolve ? scheme->resolve(call, url, &resource, error)
                                    : scheme->locate(context, url, &resource.source_path, error);
    if (!is_found)
        return false;
    if (resource.origin.kind == ORIGIN_GITHUB && resource.content)
        see_resource(call, &resource);
    *ret_resource = resource;
    resource = (UrlResource) { 0 };
    return true;
}

bool internal_url_illustrate(ToolCall *call, const char *text, const UrlResource *resource,
                             ToolResult *result, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    const UrlScheme *scheme = NULL;
    return !internal_url_open(tool_call_context(call), text, &url, &scheme, NULL) ||
           !scheme->illustrate || scheme->illustrate(call, url, resource, result, error);
}
