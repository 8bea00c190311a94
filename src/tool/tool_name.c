/* See tool_name.h. */
#include "tool/tool_name.h"

#include <glib.h>
#include <string.h>

static const struct {
    const char *alias, *name;
} aliases[] = {
    { "search", "grep" },
    { "glob", "find" },
    { "python", "eval" },
    { "todo", "todo_write" },
};

const char *tool_name_canonical(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(aliases); i++)
        if (strcmp(aliases[i].alias, name) == 0)
            return aliases[i].name;
    return name;
}
