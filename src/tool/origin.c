/* See origin.h. */
#include "tool/origin.h"

void origin_clear(Origin *self)
{
    g_free(self->url);
    g_free(self->host);
    g_free(self->repo);
    g_free(self->author);
    *self = (Origin) { 0 };
}

static void origin_take(Origin *self, const Origin *now)
{
    origin_clear(self);
    *self = *now;
}

void origin_set(Origin *self, OriginKind kind, const char *url)
{
    const Origin now = { .kind = kind, .url = g_strdup(url) };
    origin_take(self, &now);
}

void origin_set_github(Origin *self, const GithubMark *mark)
{
    g_autoptr(json_t) named = github_mark_to_json(mark);
    const Origin now = {
        .kind = ORIGIN_GITHUB,
        .url = g_strdup(json_get_text(named, "url")),
        .host = g_strdup(mark->host),
        .repo = g_strdup(mark->repo),
        .author = g_steal_pointer(&self->author),
    };
    origin_take(self, &now);
}

void origin_set_author(Origin *self, const json_t *item)
{
    const char *login = json_get_text(json_get_object(item, "author"), "login");
    if (!login)
        return;
    g_free(self->author);
    self->author = g_strdup(login);
}

void origin_copy(Origin *self, const Origin *from)
{
    const Origin now = {
        .kind = from->kind,
        .url = g_strdup(from->url),
        .host = g_strdup(from->host),
        .repo = g_strdup(from->repo),
        .author = g_strdup(from->author),
    };
    origin_take(self, &now);
}
