/* See image_file.h. */
#include "tools/read/image_file.h"

#include "base/fd.h"
#include "base/limits.h"
#include "base/str.h"
#include "model/message.h"
#include "tool/images.h"
#include "tool/tool_set.h"
#include "tool/vision.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOO_LARGE "Image file too large: %s exceeds 20.0MB limit."

G_STATIC_ASSERT(LIMIT_IMAGE_FILE_BYTES == 20 * MIB); // as TOO_LARGE says

/* Of a file that is too large no more than that is read: *ret_size is then above the limit. */
static bool read_whole(int fd, const char *shown, GString *data, uint64_t *ret_size, GError **error)
{
    struct stat info;
    if (fstat(fd, &info) < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return fail_with_errno(error, errno, "cannot read %s", shown);
    bool is_large = (uint64_t)info.st_size > LIMIT_IMAGE_FILE_BYTES;
    if (!is_large && !fd_read_all(fd, LIMIT_IMAGE_FILE_BYTES + 1, shown, data, error))
        return false;
    *ret_size = MAX((uint64_t)info.st_size, data->len);
    return true;
}

/* Whoever gets the answer can ask about the image instead. */
static bool has_inspector(ToolCall *call)
{
    const ToolSet *tools = tool_call_tools(call);
    return tools && tool_set_find(tools, "inspect_image") &&
           vision_is_offered(tool_call_context(call));
}

/* Caller frees. */
static char *facts_text(const GString *data, const char *type, const char *shown)
{
    static const char *const alphas[] = {
        [IMAGE_ALPHA_UNKNOWN] = "unknown",
        [IMAGE_ALPHA_NO] = "no",
        [IMAGE_ALPHA_YES] = "yes",
    };
    ImageFacts facts = { 0 };
    image_facts(data->str, data->len, &facts);
    g_autofree char *bytes = str_format_bytes(data->len);
    g_autofree char *sides =
        facts.width > 0 ? g_strdup_printf("%ux%u", facts.width, facts.height) : g_strdup("unknown");
    g_autofree char *channels =
        facts.channels > 0 ? g_strdup_printf("%u", facts.channels) : g_strdup("unknown");
    return g_strdup_printf("Image metadata:\n- MIME: %s\n- Bytes: %zu (%s)\n- Dimensions: %s\n"
                           "- Channels: %s\n- Alpha: %s\n\nIf you want to analyze the image, call "
                           "inspect_image with path=\"%s\" and a question describing what to "
                           "inspect and the desired output format.",
                           type, data->len, bytes, sides, channels, alphas[facts.alpha], shown);
}

static void show_image(ToolCall *call, const GString *data, const char *type, ToolResult *result)
{
    g_auto(ImageFit) image = { 0 };
    images_fit(tool_call_settings(call), data->str, data->len, type, &image);
    g_autofree char *text = g_strdup_printf("Read image file [%s]%s%s", type,
                                            image.note ? "\n" : "", image.note ? image.note : "");
    tool_result_add_text(result, text);
    if (!image.data)
        return;
    g_autofree char *base64 = g_base64_encode((const guchar *)image.data, image.size);
    tool_result_add_image(result, base64, image.type);
}

bool image_file_show(ToolCall *call, int fd, const char *type, const char *shown,
                     ToolResult *result, GError **error)
{
    g_autoptr(GString) data = g_string_new(NULL);
    uint64_t size = 0;
    if (!read_whole(fd, shown, data, &size, error))
        return false;
    g_autofree char *text = NULL;
    if (size > LIMIT_IMAGE_FILE_BYTES) {
        g_autofree char *bytes = str_format_bytes(size);
        text = g_strdup_printf(TOO_LARGE, bytes);
    } else if (has_inspector(call)) {
        text = facts_text(data, type, shown);
    }
    if (text)
        tool_result_add_text(result, text);
    else
        show_image(call, data, type, result);
    return true;
}

bool image_file_load(ToolCall *call, int fd, const char *shown, ImageFit *ret_image, GError **error)
{
    g_autoptr(GString) data = g_string_new(NULL);
    uint64_t size = 0;
    if (!read_whole(fd, shown, data, &size, error))
        return false;
    if (size > LIMIT_IMAGE_FILE_BYTES) {
        g_autofree char *bytes = str_format_bytes(size);
        return fail_with(error, KEDGE_ERROR_USAGE, TOO_LARGE, bytes);
    }
    const char *type = message_image_type(data->str, data->len);
    if (!type)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "inspect_image only supports PNG, JPEG, GIF, and WEBP files detected by "
                         "file content.");
    if (!image_is_whole(data->str, data->len))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "%s is damaged, or not all of the image is there", shown);
    g_auto(ImageFit) image = { 0 };
    images_fit(tool_call_settings(call), data->str, data->len, type, &image);
    if (!image.data)
        return fail_with(error, KEDGE_ERROR_USAGE, "%s cannot be sent: %s", shown,
                         image.note ? image.note : type);
    *ret_image = image;
    image = (ImageFit) { 0 };
    return true;
}
