/* See new_mode.h. */
#include "tools/file/new_mode.h"

#include "base/dirs.h"
#include "base/path.h"

static bool is_own(ToolContext *context, const char *path)
{
    const Artifacts *artifacts = tool_context_artifacts(context);
    g_autofree char *root = dirs_config_root();
    g_autofree char *agent = dirs_agent();
    return path_is_inside(path, root) || path_is_inside(path, agent) ||
           (artifacts && path_is_inside(path, artifacts_dir(artifacts)));
}

mode_t new_file_mode(ToolContext *context, const char *path)
{
    return is_own(context, path) ? 0600 : 0666;
}

mode_t new_dir_mode(ToolContext *context, const char *path)
{
    return is_own(context, path) ? 0700 : 0777;
}
