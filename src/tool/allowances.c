/* See allowances.h. */
#include "tool/allowances.h"

#include "base/lock.h"
#include "base/str.h"

struct Allowances {
    pthread_mutex_t lock; // guards the rest
    GPtrArray *texts;     // of char *
};

Allowances *allowances_new(void)
{
    Allowances *self = g_new0(Allowances, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->texts = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void allowances_free(Allowances *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->texts);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

/* Does the call name another repository, besides its own? Its own may be among those named. */
static bool names_another(const Judgement *judgement)
{
    for (guint i = 0; judgement->others && i < judgement->others->len; i++) {
        const JudgedTarget *other = judgement->others->pdata[i];
        if (!other->host || !other->repo || !str_equal_nocase(other->host, judgement->host) ||
            !str_equal_nocase(other->repo, judgement->repo))
            return true;
    }
    return false;
}

char *allowance_of(const Judgement *judgement)
{
    if (judgement->effect != EFFECT_WRITE || !judgement->kind || !judgement->host ||
        !judgement->repo || names_another(judgement))
        return NULL;
    g_autofree char *host = g_ascii_strdown(judgement->host, -1);
    g_autofree char *repo = g_ascii_strdown(judgement->repo, -1);
    return g_strdup_printf("%s on %s/%s", judgement->kind, host, repo);
}

static bool has_locked(const Allowances *self, const char *allowance)
{
    return g_ptr_array_find_with_equal_func(self->texts, allowance, g_str_equal, NULL);
}

bool allowances_add(Allowances *self, const char *allowance)
{
    HOLD_LOCK(&self->lock);
    bool is_there = has_locked(self, allowance);
    bool has_room = self->texts->len < ALLOWANCES_MAX;
    if (!is_there && has_room)
        g_ptr_array_add(self->texts, g_strdup(allowance));
    return is_there || has_room;
}

bool allowances_have(Allowances *self, const char *allowance)
{
    HOLD_LOCK(&self->lock);
    return has_locked(self, allowance);
}

char **allowances_list(Allowances *self)
{
    GPtrArray *list = g_ptr_array_new();
    pthread_mutex_lock(&self->lock);
    for (guint i = 0; i < self->texts->len; i++)
        g_ptr_array_add(list, g_strdup(self->texts->pdata[i]));
    pthread_mutex_unlock(&self->lock);
    g_ptr_array_add(list, NULL);
    return (char **)g_ptr_array_free(list, FALSE);
}

void allowances_clear(Allowances *self)
{
    HOLD_LOCK(&self->lock);
    g_ptr_array_set_size(self->texts, 0);
}
