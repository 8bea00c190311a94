/*
 * Files with images, for who shows or sends them (agent-tools §3.1.10, §3.23): PNG, JPEG, GIF and
 * WebP by their content, of LIMIT_IMAGE_FILE_BYTES at most. `fd` is borrowed and read from the
 * start; `shown` names the file in messages. Thread safe.
 */
#pragma once

#include "base/image.h"
#include "tool/tool.h"

/* What read shows of a file that begins like `type`: the image, or where inspect_image is offered
   what is known of it. */
bool image_file_show(ToolCall *call, int fd, const char *type, const char *shown,
                     ToolResult *result, GError **error);

/* The image as it is to be sent; `ret_image->data` is there. USAGE: no image, one that is too
   large, or damaged. */
bool image_file_load(ToolCall *call, int fd, const char *shown, ImageFit *ret_image,
                     GError **error);
