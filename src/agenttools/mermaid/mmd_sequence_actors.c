/*
 * Who takes part in a sequence diagram: boxes, activations, creation and destruction.
 */
#include "agenttools/mermaid/mmd_sequence.h"

typedef struct Actor {
    int active;
    bool takes_part; // false: only (de)activated so far
    unsigned box;    // 0: none
} Actor;

void mmd_sequence_actors_init(SeqActors *self)
{
    *self = (SeqActors) {
        .by_name = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
    };
}

void mmd_sequence_actors_clear(SeqActors *self)
{
    g_hash_table_unref(self->by_name);
    g_free(self->created);
    g_free(self->destroyed);
    g_free(self->problem);
    g_free(self->hint);
    *self = (SeqActors) { 0 };
}

/* Keeps the first problem. Takes ownership of both texts; `hint` may be NULL. */
static void set_problem(SeqActors *self, const char *at, char *problem, char *hint)
{
    if (self->problem != NULL) {
        g_free(problem);
        g_free(hint);
        return;
    }
    self->problem_at = at;
    self->problem = problem;
    self->hint = hint;
}

static Actor *find_or_add_actor(SeqActors *self, const char *start, const char *stop)
{
    g_autofree char *name = g_strndup(start, (size_t)(stop - start));
    Actor *actor = g_hash_table_lookup(self->by_name, name);
    if (actor == NULL) {
        actor = g_new0(Actor, 1);
        g_hash_table_insert(self->by_name, g_steal_pointer(&name), actor);
    }
    return actor;
}

void mmd_sequence_see_actor(SeqActors *self, const char *start, const char *stop)
{
    Actor *actor = find_or_add_actor(self, start, stop);
    actor->takes_part = true;
    if (self->box == 0)
        return;
    if (actor->box != 0 && actor->box != self->box) {
        g_autofree char *name = mmd_excerpt(start, stop);
        set_problem(self, start, g_strdup_printf("'%s' stands in another box already", name), NULL);
    }
    if (actor->box == 0)
        actor->box = self->box;
}

void mmd_sequence_see_created(SeqActors *self, const char *start, const char *stop)
{
    if (find_or_add_actor(self, start, stop)->takes_part) {
        g_autofree char *name = mmd_excerpt(start, stop);
        set_problem(
            self, start, g_strdup_printf("'%s' cannot be created: it takes part already", name),
            g_strdup_printf("Give it another name: create participant %s2 as %s", name, name));
    }
    mmd_sequence_see_actor(self, start, stop);
    g_free(self->created);
    self->created = g_strndup(start, (size_t)(stop - start));
}

void mmd_sequence_see_destroyed(SeqActors *self, const char *start, const char *stop)
{
    g_free(self->destroyed);
    self->destroyed = g_strndup(start, (size_t)(stop - start));
}

void mmd_sequence_see_activation(SeqActors *self, const char *start, const char *stop, int by)
{
    Actor *actor = find_or_add_actor(self, start, stop);
    if (by < 0 && actor->active < 1) {
        g_autofree char *name = mmd_excerpt(start, stop);
        set_problem(self, start,
                    g_strdup_printf("'%s' is not active, so it cannot be deactivated", name),
                    g_strdup_printf("Add before it: activate %s", name));
    }
    actor->active += by;
}

static bool is_token(const MmdToken *token, const char *name)
{
    size_t size = (size_t)(token->stop - token->start);
    return strlen(name) == size && memcmp(name, token->start, size) == 0;
}

void mmd_sequence_see_message(SeqActors *self, const MmdToken *from, const MmdToken *to)
{
    const char *awaited = self->created != NULL ? self->created : self->destroyed;
    if (awaited == NULL)
        return;
    g_autofree char *name = mmd_excerpt(awaited, awaited + strlen(awaited));
    bool is_from = is_token(from, awaited), is_to = is_token(to, awaited);
    if (self->created != NULL) {
        if (!is_to)
            set_problem(self, to->start,
                        g_strdup_printf("the first message after 'create' must go to '%s'", name),
                        NULL);
        g_clear_pointer(&self->created, g_free);
    } else {
        if (!is_from && !is_to)
            set_problem(self, from->start,
                        g_strdup_printf("the first message after 'destroy' must come from or go "
                                        "to '%s'",
                                        name),
                        NULL);
        g_clear_pointer(&self->destroyed, g_free);
    }
}
