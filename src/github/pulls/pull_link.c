/* See pull_link.h. */
#include "github/pulls/pull_link.h"

#include "github/gh.h"

#define PAGE_ENTRIES 100
#define MAX_PAGES    100 // a server that never ends its list must not keep us

void pull_link_clear(PullLink *self)
{
    g_free(self->owner);
    g_free(self->repo);
    *self = (PullLink) { 0 };
}

/* "api [--hostname HOST]". */
static GStrvBuilder *begin_argv(const PullGh *self)
{
    GStrvBuilder *argv = g_strv_builder_new();
    g_strv_builder_add(argv, "api");
    if (self->ref.host)
        g_strv_builder_add_many(argv, "--hostname", self->ref.host, NULL);
    return argv;
}

static bool ask(const PullGh *self, GStrvBuilder *builder, json_type wanted, json_t **ret_value,
                GError **error)
{
    g_auto(GStrv) argv = g_strv_builder_end(builder);
    const GhSpec spec = { .argv = (const char *const *)argv, .has_explicit_repo = true };
    return gh_json(self->call, &spec, wanted, ret_value, error);
}

bool pull_gh_list(const PullGh *self, const char *path,
                  bool (*has_them)(const json_t *items, const void *user_data),
                  const void *user_data, json_t **ret_items, GError **error)
{
    g_autoptr(json_t) items = json_array();
    g_autofree char *whole = g_strconcat("/repos/", self->ref.slug, path, NULL);
    size_t entries = PAGE_ENTRIES;
    for (int page = 1; page <= MAX_PAGES && entries >= PAGE_ENTRIES; page++) {
        g_autofree char *number = g_strdup_printf("page=%d", page);
        g_autoptr(GStrvBuilder) argv = begin_argv(self);
        g_strv_builder_add_many(argv, "--method", "GET", whole, "-F", "per_page=100", "-F", number,
                                NULL);
        g_autoptr(json_t) part = NULL;
        if (!ask(self, argv, JSON_ARRAY, &part, error))
            return false;
        entries = json_array_size(part);
        json_array_extend(items, part);
        if (has_them && has_them(items, user_data))
            break;
    }
    *ret_items = g_steal_pointer(&items);
    return true;
}

static bool gh_query(void *data, const char *query, const json_t *variables, json_t **ret_data,
                     GError **error)
{
    const PullGh *self = data;
    g_autoptr(GStrvBuilder) argv = begin_argv(self);
    g_autofree char *text = g_strconcat("query=", query, NULL);
    g_strv_builder_add_many(argv, "graphql", "-f", text, NULL);
    json_each_member (variables, name, value) {
        bool is_text = json_is_string(value);
        g_autofree char *field =
            is_text ? g_strconcat(name, "=", json_string_value(value), NULL)
                    : g_strdup_printf("%s=%" JSON_INTEGER_FORMAT, name, json_integer_value(value));
        g_strv_builder_add_many(argv, is_text ? "-f" : "-F", field, NULL);
    }
    g_autoptr(json_t) answer = NULL;
    if (!ask(self, argv, JSON_OBJECT, &answer, error))
        return false;
    json_t *found = json_get_object(answer, "data");
    *ret_data = found ? json_incref(found) : json_object();
    return true;
}

void pull_gh_init(PullGh *self, ToolCall *call, const char *repo)
{
    *self = (PullGh) { .call = call };
    bool is_reference = repo_ref_parse(repo, &self->ref);
    g_assert(is_reference);
    const char *slash = strchr(self->ref.slug, '/');
    self->link = (PullLink) {
        .owner = g_strndup(self->ref.slug, (size_t)(slash - self->ref.slug)),
        .repo = g_strdup(slash + 1),
        .query = gh_query,
        .data = self,
    };
}

void pull_gh_clear(PullGh *self)
{
    pull_link_clear(&self->link);
    repo_ref_clear(&self->ref);
}
