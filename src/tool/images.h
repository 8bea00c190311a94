/*
 * What the settings say of images that go to models (agent-core §5.6, images.*). Thread safe.
 */
#pragma once

#include "base/image.h"
#include "tool/settings.h"

/* None is sent (images.blockImages). A project may say so, and not take it back. */
bool images_are_blocked(const Settings *settings);

/* An image as it is sent (images.autoResize): see image_fit(). */
void images_fit(const Settings *settings, const char *data, size_t size, const char *type,
                ImageFit *ret_fit);
