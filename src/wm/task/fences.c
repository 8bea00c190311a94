/* See fences.h. */
#include "wm/task/fences.h"

#include "base/str.h"

#include <string.h>

#define FENCE "```"

static bool is_fence_line(const char *line)
{
    return str_has_prefix(line + strspn(line, " \t\r\v\f"), FENCE);
}

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* From the beginning of a line on. */
static void find_fence(WmFences *self, const char *line)
{
    self->fence = NULL;
    while (*line && !is_fence_line(line))
        line = next_line(line);
    if (!*line)
        return;
    self->fence = line;
    do
        line = next_line(line);
    while (*line && !is_fence_line(line));
    self->fence_end = *line ? next_line(line) : line;
}

WmFences wm_fences_begin(const char *text)
{
    WmFences self = { .at = text, .end = text + strlen(text) };
    find_fence(&self, text);
    return self;
}

const char *wm_fences_find(WmFences *self, const char *what)
{
    for (;;) {
        const char *found = strstr(self->at, what);
        if (!found)
            return NULL;
        while (self->fence && self->fence_end <= found)
            find_fence(self, self->fence_end);
        if (!self->fence || found < self->fence)
            return found;
        self->at = self->fence_end;
    }
}

WmNotePlace wm_fences_place(const WmFences *self, const char *at)
{
    return (WmNotePlace) { .before_end = (size_t)(self->end - at) };
}
