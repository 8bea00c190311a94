/*
 * What a tool says of a call before it runs: the effect, and what it is about (tool.h).
 */
#include "tool/tool.h"

#include "base/str.h"

const char *effect_name(Effect effect)
{
    static const char *const names[] = { "read", "write", "destructive", "blocked", "unknown" };
    return names[effect];
}

void judged_target_free(JudgedTarget *self)
{
    if (!self)
        return;
    g_free(self->host);
    g_free(self->repo);
    g_free(self);
}

static void free_action(gpointer action)
{
    JudgedAction *self = action;
    g_free(self->verb);
    g_free(self->target);
    g_free(self->host);
    g_free(self->repo);
    g_free(self);
}

void judgement_add_action(Judgement *self, const char *verb, const char *target, const char *host,
                          const char *repo)
{
    if (!self->actions)
        self->actions = g_ptr_array_new_with_free_func(free_action);
    JudgedAction *action = g_new0(JudgedAction, 1);
    *action = (JudgedAction) { g_strdup(verb), g_strdup(target), g_strdup(host), g_strdup(repo) };
    g_ptr_array_add(self->actions, action);
}

static void free_write(gpointer write)
{
    g_free(((JudgedWrite *)write)->path);
    g_free(write);
}

void judgement_add_write(Judgement *self, const char *path, bool is_name)
{
    if (!self->writes)
        self->writes = g_ptr_array_new_with_free_func(free_write);
    JudgedWrite *write = g_new0(JudgedWrite, 1);
    *write = (JudgedWrite) { g_strdup(path), is_name };
    g_ptr_array_add(self->writes, write);
}

static bool may_be_same(const char *a, const char *b)
{
    return !a || !b || str_equal_nocase(a, b);
}

Likeness judged_action_compare(const JudgedAction *a, const JudgedAction *b)
{
    if (strcmp(a->verb, b->verb) != 0 || !may_be_same(a->repo, b->repo) ||
        !may_be_same(a->host, b->host))
        return LIKENESS_NONE;
    if (!a->target || !b->target)
        return LIKENESS_POSSIBLE;
    return strcmp(a->target, b->target) == 0 ? LIKENESS_SAME : LIKENESS_NONE;
}

char *judged_action_text(const JudgedAction *self)
{
    return g_strconcat(self->verb, self->target ? " " : "", self->target ? self->target : "",
                       self->repo ? " in " : "", self->repo ? self->repo : "", NULL);
}

void judgement_clear(Judgement *self)
{
    g_clear_pointer(&self->actions, g_ptr_array_unref);
    g_clear_pointer(&self->writes, g_ptr_array_unref);
    g_clear_pointer(&self->others, g_ptr_array_unref);
    g_clear_pointer(&self->summary, g_free);
    g_clear_pointer(&self->command, g_free);
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
    g_clear_pointer(&self->kind, g_free);
    g_clear_pointer(&self->question, g_free);
}
