/* See own_program.h. */
#include "base/own_program.h"

#include "base/path.h"
#include "base/proc.h"
#include "base/str.h"

#define ASK_MS    5000
#define ASK_BYTES 256

/* Packagers and package managers add to the name. */
static bool is_kedge(const char *path)
{
    g_autofree char *name = g_path_get_basename(path);
    const char *bare = *name == '.' ? name + 1 : name;
    return str_has_prefix(bare, "kedge") || str_has_prefix(bare, "gh-wm");
}

static bool is_same_version(const char *path)
{
    const ProcSpec spec = {
        .argv = (const char *const[]) { path, "--version", NULL },
        .profile = PROC_PROFILE_TOOL,
        .timeout_ms = ASK_MS,
        .max_output_bytes = ASK_BYTES,
    };
    g_auto(ProcResult) result = { 0 };
    return proc_run(&spec, NULL, &result, NULL) &&
           strcmp(result.output, "kedge/" KEDGE_VERSION "\n") == 0;
}

char *own_program_find(void)
{
    g_autofree char *self = path_of_program();
    if (is_kedge(self))
        return g_steal_pointer(&self);
    g_autofree char *found = proc_find_program("kedge");
    return found && is_same_version(found) ? g_steal_pointer(&found) : NULL;
}
