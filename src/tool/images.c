/*
 * Images as the settings want them (images.h).
 */
#include "tool/images.h"

bool images_are_blocked(const Settings *settings)
{
    return json_is_true(settings_user_json(settings, "images.blockImages")) ||
           json_is_true(settings_project_json(settings, "images.blockImages"));
}

void images_fit(const Settings *settings, const char *data, size_t size, const char *type,
                ImageFit *ret_fit)
{
    if (settings_get_bool(settings, "images.autoResize"))
        image_fit(data, size, type, ret_fit);
    else
        image_keep(data, size, type, ret_fit);
}
