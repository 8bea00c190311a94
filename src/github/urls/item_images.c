/*
 * Images of issues and pull requests (item_images.h).
 */
#include "github/urls/item_images.h"

#include "base/image.h"
#include "base/limits.h"
#include "base/str.h"
#include "github/rest/rest.h"
#include "model/message.h"
#include "tool/context.h"
#include "tool/images.h"

#define SHOWN           4
#define IMAGE_BYTES     ((size_t)10 * MIB) // of one
#define ALL_BYTES       ((size_t)20 * MIB) // of all that are fetched for one text
#define FETCH_MS        (20 * 1000)
#define MAX_URL_BYTES   2048
#define MAX_NAME_BYTES  1000
#define MAX_TAG_BYTES   4096
#define PUBLIC_GITHUB   "github.com"
#define PLAIN_CHARS     G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "/._-"
#define URL_END         " \t\r\n)>\"'"
#define OPENING_OF_LINK "]("

// ---- which are GitHub's ----

/* /user-attachments/assets/ID, /OWNER/REPO/assets/1/ID, /storage/user/1/files/ID: nothing that
   could be another page. */
static bool is_attachment_path(const char *path)
{
    if (strspn(path, PLAIN_CHARS) != strlen(path) || strstr(path, "..") || strstr(path, "//"))
        return false;
    g_auto(GStrv) parts = g_strsplit(path, "/", 0); // the first one is empty
    unsigned count = g_strv_length(parts);
    if (count < 4 || *parts[count - 1] == '\0')
        return false;
    bool is_new = strcmp(parts[1], "user-attachments") == 0 && strcmp(parts[2], "assets") == 0;
    bool is_old = count == 6 && strcmp(parts[3], "assets") == 0;
    bool is_enterprise = strcmp(parts[1], "storage") == 0 && strcmp(parts[2], "user") == 0;
    return is_new || is_old || is_enterprise;
}

static bool is_public_host(const char *name, const char *host)
{
    if (!str_equal_nocase(host, PUBLIC_GITHUB))
        return str_has_prefix(name, "media.") && str_equal_nocase(name + strlen("media."), host);
    return str_equal_nocase(name, "user-images.githubusercontent.com") ||
           str_equal_nocase(name, "private-user-images.githubusercontent.com");
}

static bool is_at_origin(const char *url, const char *origin)
{
    size_t length = origin ? strlen(origin) : 0;
    return length > 0 && strncmp(url, origin, length) == 0 && url[length] == '/';
}

AttachmentKind item_image_kind(const char *url, const char *host, const char *origin)
{
    if (strlen(url) > MAX_URL_BYTES)
        return ATTACHMENT_NONE;
    if (is_at_origin(url, origin))
        return is_attachment_path(url + strlen(origin)) ? ATTACHMENT_PRIVATE : ATTACHMENT_NONE;
    g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_ENCODED, NULL);
    const char *name = uri ? g_uri_get_host(uri) : NULL;
    if (str_is_empty(name) || strcmp(g_uri_get_scheme(uri), "https") != 0 ||
        g_uri_get_port(uri) > 0 || g_uri_get_userinfo(uri) || g_uri_get_fragment(uri))
        return ATTACHMENT_NONE;
    if (is_public_host(name, host))
        return ATTACHMENT_PUBLIC;
    bool is_own = str_equal_nocase(name, host) && !g_uri_get_query(uri) &&
                  is_attachment_path(g_uri_get_path(uri));
    return is_own ? ATTACHMENT_PRIVATE : ATTACHMENT_NONE;
}

// ---- finding them ----

static bool is_known(const GPtrArray *found, const char *url)
{
    for (unsigned i = 0; i < found->len; i++) {
        if (strcmp(found->pdata[i], url) == 0)
            return true;
    }
    return false;
}

/* The address that begins at `text`. */
static void add_url(GPtrArray *found, const char *text)
{
    if (*text == '<')
        text++;
    size_t length = strcspn(text, URL_END);
    if (length == 0 || length > MAX_URL_BYTES || found->len >= ITEM_IMAGES_MAX)
        return;
    g_autofree char *raw = g_strndup(text, length);
    g_auto(GStrv) parts = g_strsplit(raw, "&amp;", -1);
    g_autofree char *url = g_strjoinv("&", parts);
    if (!is_known(found, url))
        g_ptr_array_add(found, g_steal_pointer(&url));
}

/* Behind "![": what the image is called ends in the same line. */
static const char *end_of_name(const char *text)
{
    const char *end = text + strnlen(text, MAX_NAME_BYTES);
    for (unsigned depth = 1; text < end && *text != '\n'; text++) {
        if (*text == '[')
            depth++;
        else if (*text == ']' && --depth == 0)
            return text;
    }
    return NULL;
}

/* The value of src of the tag whose name ends at `tag`; NULL: it has none. */
static const char *source_of(const char *tag)
{
    const char *end = tag + strnlen(tag, MAX_TAG_BYTES);
    for (const char *at = tag; end - at > 5 && *at != '>'; at++) {
        bool is_src = g_ascii_isspace(at[0]) && g_ascii_strncasecmp(at + 1, "src=", 4) == 0;
        if (is_src)
            return at + 5 + (at[5] == '"' || at[5] == '\'');
    }
    return NULL;
}

GPtrArray *item_images_find(const char *markdown)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    for (const char *at = markdown; *at != '\0' && found->len < ITEM_IMAGES_MAX; at++) {
        const char *url = NULL;
        if (at[0] == '!' && at[1] == '[') {
            const char *end = end_of_name(at + 2);
            bool is_link = end && str_has_prefix(end, OPENING_OF_LINK);
            url = is_link ? end + strlen(OPENING_OF_LINK) : NULL;
        } else if (g_ascii_strncasecmp(at, "<img", 4) == 0 && g_ascii_isspace(at[4])) {
            url = source_of(at + 4);
        }
        if (url)
            add_url(found, url + strspn(url, " "));
    }
    return found;
}

// ---- showing them ----

typedef struct Show {
    ToolCall *call;
    ToolResult *result;
    const char *host, *repo;
    GPtrArray *urls; // of those that are shown
    unsigned more;   // that are not
    Rest *rest;
    size_t bytes;
} Show;

static void show_clear(Show *self)
{
    g_clear_pointer(&self->urls, g_ptr_array_unref);
    rest_free(self->rest);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Show, show_clear)

static bool item_images_take(const char *data, size_t size, void *image,
                             GError **error G_GNUC_UNUSED)
{
    g_string_append_len(image, data, (gssize)size); // bounded by max_bytes
    return true;
}

static bool open_rest(Show *self, GError **error)
{
    const RestOptions options = {
        .host = self->host,
        .repo = self->repo,
        .honours_api_url = true,
        .uses_login = true,
        .cwd = tool_call_cwd(self->call),
        .max_wait_s = 0,
        .settings = tool_call_settings(self->call),
        .context = tool_call_context(self->call),
    };
    return rest_new(&options, tool_call_cancel(self->call), &self->rest, error);
}

static bool show_fetch(Show *self, const char *url, GString *image, GError **error)
{
    const RestFetch request = {
        .url = url,
        .accept = "image/*",
        .operation = "fetching an image",
        .subject = url,
        .max_bytes = MIN(IMAGE_BYTES, ALL_BYTES - MIN(self->bytes, ALL_BYTES)),
        .timeout_ms = FETCH_MS,
        .take = item_images_take,
        .user_data = image,
    };
    if (request.max_bytes == 0)
        return fail_with(error, KEDGE_ERROR_LIMIT, "those before it are large enough");
    return rest_fetch(self->rest, &request, tool_call_cancel(self->call), error);
}

/* By its content; what a server calls it counts for nothing. */
static bool show_fit(const Show *self, const GString *image, ImageFit *ret_fit, GError **error)
{
    const char *type = message_image_type(image->str, image->len);
    if (!type || !image_is_whole(image->str, image->len))
        return fail_with(error, KEDGE_ERROR_PROTOCOL, "what came is no image, or not all of it");
    images_fit(tool_call_settings(self->call), image->str, image->len, type, ret_fit);
    return ret_fit->data || fail_with(error, KEDGE_ERROR_PROTOCOL, "%s",
                                      ret_fit->note ? ret_fit->note : "it cannot be shown");
}

static bool show_one(Show *self, unsigned number, GError **error)
{
    const char *url = self->urls->pdata[number];
    g_autoptr(GString) data = g_string_new(NULL);
    g_auto(ImageFit) image = { 0 };
    g_autoptr(GError) failed = NULL;
    bool is_shown = show_fetch(self, url, data, &failed) && show_fit(self, data, &image, &failed);
    if (!is_shown && error_is(failed, KEDGE_ERROR_CANCELLED))
        return pass_error(error, &failed);
    self->bytes += data->len;
    const char *note = is_shown ? image.note : failed->message;
    g_autofree char *text =
        g_strdup_printf("Image %u of %u: %s%s%s%s", number + 1, self->urls->len, url,
                        is_shown ? "" : " is not shown", note ? ": " : "", note ? note : "");
    tool_result_add_text(self->result, text);
    if (is_shown) {
        g_autofree char *base64 = g_base64_encode((const guchar *)image.data, image.size);
        tool_result_add_image(self->result, base64, image.type);
    }
    return true;
}

static void show_choose(Show *self, const char *markdown, const char *origin)
{
    g_autoptr(GPtrArray) found = item_images_find(markdown);
    self->urls = g_ptr_array_new_with_free_func(g_free);
    for (unsigned i = 0; i < found->len; i++) {
        if (item_image_kind(found->pdata[i], self->host, origin) == ATTACHMENT_NONE)
            continue;
        if (self->urls->len < SHOWN)
            g_ptr_array_add(self->urls, g_strdup(found->pdata[i]));
        else
            self->more++;
    }
}

static bool show_all(Show *self, GError **error)
{
    g_autoptr(GError) failed = NULL;
    if (!open_rest(self, &failed)) {
        g_autofree char *note =
            g_strdup_printf("%u images are not shown: %s", self->urls->len, failed->message);
        tool_result_add_note(self->result, note);
        return cancel_check(tool_call_cancel(self->call), error);
    }
    for (unsigned i = 0; i < self->urls->len; i++) {
        if (!show_one(self, i, error))
            return false;
    }
    return true;
}

bool item_images_show(ToolCall *call, const UrlResource *resource, ToolResult *result,
                      GError **error)
{
    const char *host = json_get_text(resource->github, "host");
    if (!host || !resource->content)
        return true;
    g_autofree char *origin = rest_local_origin();
    const char *repo = json_get_text(resource->github, "repository");
    g_auto(Show) self = { .call = call, .result = result, .host = host, .repo = repo };
    show_choose(&self, resource->content, origin);
    if (self.urls->len == 0)
        return true;
    if (!tool_context_sees_images(tool_call_context(call))) {
        g_autofree char *note = g_strdup_printf(
            "%u attached image%s not shown: the reader of this takes no images",
            self.urls->len + self.more, self.urls->len + self.more == 1 ? " is" : "s are");
        tool_result_add_note(result, note);
        return true;
    }
    if (!show_all(&self, error))
        return false;
    if (self.more > 0) {
        g_autofree char *note = g_strdup_printf("%u more images are not shown", self.more);
        tool_result_add_note(result, note);
    }
    return true;
}
