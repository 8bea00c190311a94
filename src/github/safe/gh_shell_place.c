/* See gh_shell_place.h. */
#include "github/safe/gh_shell_place.h"

#include "base/dirs.h"
#include "base/path.h"
#include "base/str.h"
#include "github/safe/gh_call_context.h"

#include <string.h>

void shell_place_init(ShellPlace *self, ToolCall *call, const char *cwd)
{
    *self = (ShellPlace) { .call = call };
    if (call)
        self->dir = cwd ? path_absolute(cwd, tool_call_cwd(call)) : g_strdup(tool_call_cwd(call));
    self->has_moved = cwd != NULL;
}

void shell_place_clear(ShellPlace *self)
{
    g_clear_pointer(&self->dir, g_free);
}

/* Caller frees; NULL: not known. */
static char *folder_below(const char *dir, const char *folder)
{
    if (!dir || !*folder || strpbrk(folder, "$`*?[{") || strcmp(folder, "-") == 0)
        return NULL;
    g_autofree char *home = str_has_prefix(folder, "~") ? dirs_home() : NULL;
    if (home && folder[1] != '/' && folder[1] != '\0')
        return NULL; // somebody else's
    g_autofree char *whole = home ? g_strconcat(home, folder + 1, NULL) : g_strdup(folder);
    return path_absolute(whole, dir);
}

void shell_place_move(ShellPlace *self, char *const *words)
{
    while (*words && **words == '-' && (*words)[1] != '\0')
        words++;
    char *to = folder_below(self->dir, *words ? *words : "~");
    g_free(self->dir);
    self->dir = to;
    self->has_moved = true;
}

bool shell_place_repo(const ShellPlace *self, const char *folder, char **ret_host, char **ret_repo)
{
    g_autofree char *dir = folder ? folder_below(self->dir, folder) : g_strdup(self->dir);
    g_auto(GhContext) context = { 0 };
    if (!self->call || !dir || !gh_call_at(self->call, dir, &context, NULL))
        return false;
    *ret_host = g_steal_pointer(&context.host);
    *ret_repo = g_steal_pointer(&context.repo);
    return true;
}
