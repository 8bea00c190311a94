/*
 * The directories of common §3, from the environment at the time of the call.
 */
#include "base/dirs.h"

#include "base/env.h"
#include "base/path.h"

char *dirs_config_root(void)
{
    g_autofree char *home = dirs_home();
    const char *name = env_get("CONFIG_DIR");
    return g_build_filename(home, name != NULL ? name : ".kedge", NULL);
}

char *dirs_agent(void)
{
    const char *replacement = env_get("AGENT_DIR");
    if (replacement) {
        g_autofree char *expanded = path_expand_home(replacement);
        return g_canonicalize_filename(expanded, NULL);
    }
    g_autofree char *root = dirs_config_root();
    return g_build_filename(root, "agent", NULL);
}

char *dirs_cache(void)
{
    g_autofree char *root = dirs_config_root();
    return g_build_filename(root, "cache", NULL);
}

char *dirs_worktrees(void)
{
    const char *replacement = env_get_raw("KEDGE_WORKTREE_DIR");
    if (!replacement)
        replacement = env_get_raw("OMP_WORKTREE_DIR");
    if (replacement) {
        g_autofree char *expanded = path_expand_home(replacement);
        if (g_path_is_absolute(expanded))
            return path_absolute(expanded, "/");
    }
    g_autofree char *root = dirs_config_root();
    return g_build_filename(root, "wt", NULL);
}

const char *dirs_temp(void)
{
    const char *directory = env_get_raw("TMPDIR");
    return directory != NULL && g_path_is_absolute(directory) ? directory : "/tmp";
}
