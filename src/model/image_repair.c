/* See image_repair.h. */
#include "model/image_repair.h"

#include "base/image.h"
#include "base/str.h"
#include "model/message.h"

#include <string.h>

#define GONE      "its data is gone"
#define DAMAGED   "it is damaged"
#define TOO_LARGE "it is larger than models take"
#define NO_TYPE   "models take PNG, JPEG, GIF and WebP only"

json_t *image_removed(const char *reason)
{
    g_autofree char *text = g_strdup_printf("[image removed: %s]", reason);
    return message_text_block(text);
}

/* Servers refuse what GLib's decoder passes over. */
static bool is_base64(const char *text, size_t size)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t letters = strspn(text, alphabet);
    size_t padding = strspn(text + letters, "=");
    return size % 4 == 0 && padding <= 2 && letters + padding == size;
}

static json_t *with_data(const json_t *block, const char *base64, const char *type)
{
    json_t *copy = json_copy((json_t *)block);
    if (base64)
        json_set_text(copy, "data", base64);
    json_set_text(copy, "mimeType", type);
    return copy;
}

static bool is_too_large(const char *bytes, size_t size, size_t chars, const ImageLimits *limits)
{
    unsigned width = 0, height = 0;
    return chars > limits->base64_chars ||
           (image_dimensions(bytes, size, &width, &height) && MAX(width, height) > limits->side);
}

static json_t *smaller(const json_t *block, const char *bytes, size_t size, const char *type,
                       const ImageLimits *limits)
{
    g_auto(ImageFit) fit = { 0 };
    image_fit(bytes, size, type, &fit);
    if (!fit.data)
        return image_removed(TOO_LARGE);
    g_autofree char *base64 = g_base64_encode((const guchar *)fit.data, fit.size);
    if (is_too_large(fit.data, fit.size, strlen(base64), limits))
        return image_removed(TOO_LARGE);
    return with_data(block, base64, fit.type);
}

json_t *image_repair(json_t *block, const ImageLimits *limits)
{
    const char *data = json_get_text(block, "data");
    if (!data || !*data || str_has_prefix(data, "blob:"))
        return image_removed(GONE);
    size_t chars = strlen(data);
    if (!is_base64(data, chars))
        return image_removed(DAMAGED);
    gsize size = 0;
    g_autofree char *bytes = (char *)g_base64_decode(data, &size);
    const char *type = message_image_type(bytes, size);
    if (!type)
        return image_removed(NO_TYPE);
    if (!image_is_whole(bytes, size))
        return image_removed(DAMAGED);
    if (is_too_large(bytes, size, chars, limits))
        return smaller(block, bytes, size, type, limits);
    bool is_named = g_strcmp0(type, json_get_text(block, "mimeType")) == 0;
    return is_named ? json_incref(block) : with_data(block, NULL, type); // the bytes are believed
}
