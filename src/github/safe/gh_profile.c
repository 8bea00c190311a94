/*
 * gh.profile as a few bits, so that a project's value and the user's can be combined
 * (gh_profile.h).
 */
#include "github/safe/gh_profile.h"

#define GENERAL  (1u << GH_TOOL_GENERAL)
#define WRAPPERS (1u << GH_TOOL_WRAPPER)
#define REVIEW   (1u << GH_TOOL_REVIEW)
#define ALL      (GENERAL | WRAPPERS | REVIEW)

static const struct {
    const char *name;
    unsigned tools;
} profiles[] = {
    { "full", ALL },
    { "general", GENERAL },
    { "read-only", WRAPPERS },
    { "off", 0 },
};

/* A value that no one knows offers nothing: a typing error in a guard must not open it. */
static unsigned tools_of(const json_t *value, unsigned fallback)
{
    if (!value || json_is_null(value))
        return fallback;
    const char *name = json_string_value(value);
    for (size_t i = 0; name && i < G_N_ELEMENTS(profiles); i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return profiles[i].tools;
    }
    return 0;
}

GhToolKind gh_profile_kind(const ToolDef *tool)
{
    if (strcmp(tool->name, "gh") == 0)
        return GH_TOOL_GENERAL;
    return strcmp(tool->name, "gh_review") == 0 ? GH_TOOL_REVIEW : GH_TOOL_WRAPPER;
}

bool gh_profile_offers(const Settings *settings, GhDoor door, GhToolKind kind)
{
    unsigned usual = door == GH_DOOR_OWN_SESSION ? GENERAL : ALL;
    unsigned tools = tools_of(settings_user_json(settings, "gh.profile"), usual) &
                     tools_of(settings_project_json(settings, "gh.profile"), ALL);
    return (tools & (1u << kind)) != 0;
}
