/*
 * What a tool says of a call before it runs: the effect, and what it is about (tool.h).
 */
#include "tool/tool.h"

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

void judgement_clear(Judgement *self)
{
    g_clear_pointer(&self->others, g_ptr_array_unref);
    g_clear_pointer(&self->summary, g_free);
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
    g_clear_pointer(&self->question, g_free);
}
