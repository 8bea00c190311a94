/*
 * The class that the classifier has come to so far (classify_private.h).
 */
#include "github/classify/classify_private.h"

int classify_rank(Effect effect)
{
    static const int ranks[] = {
        [EFFECT_READ] = 0,        [EFFECT_WRITE] = 1,   [EFFECT_UNKNOWN] = 2,
        [EFFECT_DESTRUCTIVE] = 3, [EFFECT_BLOCKED] = 4,
    };
    return ranks[effect];
}

void verdict_set(Verdict *self, Effect effect, const char *reason)
{
    char *copy = g_strdup(reason);
    g_free(self->reason);
    *self = (Verdict) { effect, copy };
}

void verdict_raise(Verdict *self, Effect effect, const char *reason)
{
    if (classify_rank(effect) > classify_rank(self->effect))
        verdict_set(self, effect, reason);
}
