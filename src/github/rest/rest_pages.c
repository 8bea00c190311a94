/*
 * Lists that come in pages (common §8.3): every page, in the server's order, each item once though
 * pages shift while they are read. A list is whole or an error.
 */
#include "github/rest/rest_private.h"

typedef struct Pages {
    Rest *rest;
    const RestCall *call;
    const char *key; // NULL: the answer itself is the array
    json_t *items;
    GHashTable *seen; // ids, as int64_t
    char *next_url;   // NULL: no more
    int count;        // pages read
    size_t bytes;
    bool has_links; // this server says where the next page is
} Pages;

static void pages_clear(Pages *self)
{
    json_decref(self->items);
    g_hash_table_unref(self->seen);
    g_free(self->next_url);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pages, pages_clear)

static char *page_url(const Pages *self, int number)
{
    const char *path = self->call->path;
    GString *url = g_string_new(self->rest->place.base_url);
    g_string_append_printf(url, "%s%cper_page=%d", path, strchr(path, '?') ? '&' : '?',
                           REST_PAGE_ITEMS);
    if (number > 1)
        g_string_append_printf(url, "&page=%d", number);
    return g_string_free(url, false);
}

/* Does a link's parameter list, up to the comma, hold rel="next"? */
static bool is_next(const char *parameters, size_t length)
{
    g_autofree char *text = g_strndup(parameters, length);
    g_auto(GStrv) parts = g_strsplit(text, ";", -1);
    for (char **part = parts; *part; part++) {
        g_strstrip(*part);
        if (g_ascii_strncasecmp(*part, "rel=", 4) != 0)
            continue;
        g_auto(GStrv) relations = g_strsplit(g_strdelimit(*part + 4, "\"", ' '), " ", -1);
        if (g_strv_contains((const char *const *)relations, "next"))
            return true;
    }
    return false;
}

/* `<URL>; rel="next", <URL>; rel="last"`. Caller frees; NULL: there is no next page. */
static char *next_of_link(const char *link)
{
    const char *open = strchr(link, '<');
    while (open) {
        const char *close = strchr(open, '>');
        if (!close)
            return NULL;
        size_t length = strcspn(close + 1, ",");
        if (is_next(close + 1, length))
            return g_strndup(open + 1, (size_t)(close - open - 1));
        open = strchr(close + 1 + length, '<');
    }
    return NULL;
}

static void add_item(Pages *self, json_t *item)
{
    json_t *id = json_object_get(item, "id");
    if (json_is_integer(id)) {
        int64_t *key = g_new(int64_t, 1);
        *key = json_integer_value(id);
        if (!g_hash_table_add(self->seen, key))
            return;
    }
    json_array_append(self->items, item);
}

/* The page's items; how many there were, doubles included. */
static bool read_items(Pages *self, const HttpResponse *response, size_t *ret_count, GError **error)
{
    g_autoptr(json_t) body = NULL;
    if (!json_parse(response->body, response->body_size, &body, NULL))
        return rest_fail_unreadable(self->call->operation, error);
    json_t *page = self->key ? json_get_array(body, self->key) : body;
    if (!json_is_array(page))
        return rest_fail_unreadable(self->call->operation, error);
    for (size_t i = 0; i < json_array_size(page); i++)
        add_item(self, json_array_get(page, i));
    *ret_count = json_array_size(page);
    return true;
}

/* Sets next_url: what the Link says, or a further number where no server's page had a Link and this
   one was full. */
static bool find_next(Pages *self, const RestRequest *request, const HttpResponse *response,
                      size_t count, GError **error)
{
    g_autofree char *url = g_steal_pointer(&self->next_url);
    const char *link = http_response_header(response, "link");
    self->has_links = self->has_links || link;
    g_autofree char *next = link ? next_of_link(link) : NULL;
    if (next && !rest_place_resolve(url, next, &self->next_url))
        return rest_fail_other(request, response->status, error,
                               "refusing to send the token to another host for the next page");
    if (!self->has_links && count == REST_PAGE_ITEMS)
        self->next_url = page_url(self, self->count + 1);
    return true;
}

static bool read_page(Pages *self, Cancel *cancel, char **ret_moved_to, GError **error)
{
    const RestCall *call = self->call;
    const RestRequest request = {
        .method = "GET",
        .url = self->next_url,
        .operation = call->operation,
        .subject = call->subject ? call->subject : call->path,
    };
    if (self->count >= REST_MAX_PAGES)
        return rest_fail_other(&request, 200, error, "the list has more than %d pages",
                               REST_MAX_PAGES);
    g_auto(HttpResponse) response = { 0 };
    if (!rest_exchange(self->rest, &request, cancel, &response, ret_moved_to, error))
        return false;
    self->count++;
    self->bytes += response.body_size;
    if (self->bytes > REST_MAX_LIST_BYTES)
        return rest_fail_other(&request, response.status, error,
                               "the list is larger than %zu bytes", REST_MAX_LIST_BYTES);
    size_t count = 0;
    return read_items(self, &response, &count, error) &&
           find_next(self, &request, &response, count, error);
}

bool rest_list(Rest *self, const RestCall *call, const char *key, Cancel *cancel,
               json_t **ret_items, char **ret_moved_to, GError **error)
{
    g_auto(Pages) pages = {
        .rest = self,
        .call = call,
        .key = key,
        .items = json_array(),
        .seen = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
    };
    g_autofree char *moved_to = NULL;
    pages.next_url = page_url(&pages, 1);
    while (pages.next_url) {
        bool is_first = pages.count == 0;
        if (!read_page(&pages, cancel, is_first ? &moved_to : NULL, error))
            return false;
    }
    *ret_items = g_steal_pointer(&pages.items);
    if (ret_moved_to)
        *ret_moved_to = g_steal_pointer(&moved_to);
    return true;
}
