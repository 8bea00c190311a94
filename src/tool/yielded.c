/* See yielded.h. */
#include "tool/yielded.h"

#include "tool/context.h"

#include <stdatomic.h>

typedef struct Yielded {
    atomic_bool is_done;
    atomic_uint misfits;
} Yielded;

static void *yielded_new(void)
{
    return g_new0(Yielded, 1);
}

static Yielded *yielded_of(ToolContext *context)
{
    return tool_context_state(context, "yield", yielded_new, g_free);
}

void yielded_reset(ToolContext *context)
{
    atomic_store(&yielded_of(context)->is_done, false);
}

void yielded_set_done(ToolContext *context)
{
    atomic_store(&yielded_of(context)->is_done, true);
}

bool yielded_is_done(ToolContext *context)
{
    return atomic_load(&yielded_of(context)->is_done);
}

unsigned yielded_count_misfit(ToolContext *context)
{
    return atomic_fetch_add(&yielded_of(context)->misfits, 1);
}
