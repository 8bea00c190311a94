/*
 * The rows of the live area's parts (layout.h).
 */
#include "tui/control/layout.h"

#include <glib.h>

typedef struct Step {
    LivePart part;
    int least;
} Step;

static const Step steps[] = {
    { PART_LIST, 3 },    { PART_WATCH, 1 },  { PART_TODO, 1 },    { PART_PENDING, 1 },
    { PART_BLOCKS, 0 },  { PART_EDITOR, 1 }, { PART_WATCH, 0 },   { PART_TODO, 0 },
    { PART_PENDING, 0 }, { PART_STATUS, 0 }, { PART_WORKING, 0 }, { PART_RULE, 0 },
    { PART_LIST, 0 },
};
/* With a question everything else gives way before it does. */
static const Step panel_steps[] = {
    { PART_WATCH, 1 },   { PART_TODO, 1 },  { PART_PENDING, 1 }, { PART_BLOCKS, 0 },
    { PART_EDITOR, 1 },  { PART_WATCH, 0 }, { PART_TODO, 0 },    { PART_PENDING, 0 },
    { PART_WORKING, 0 }, { PART_RULE, 0 },  { PART_STATUS, 0 },  { PART_LIST, 1 },
};

static int total(const LiveLayout *self)
{
    int rows = 0;
    for (int part = 0; part < PART_COUNT; part++)
        rows += self->rows[part];
    return rows;
}

void layout_fit(LiveLayout *self, int room, bool has_panel)
{
    const Step *order = has_panel ? panel_steps : steps;
    size_t count = has_panel ? G_N_ELEMENTS(panel_steps) : G_N_ELEMENTS(steps);
    for (size_t i = 0; i < count; i++) {
        int over = total(self) - room;
        int spare = self->rows[order[i].part] - order[i].least;
        if (over > 0 && spare > 0)
            self->rows[order[i].part] -= MIN(over, spare);
    }
}
