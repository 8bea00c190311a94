/*
 * inspect_image: another model looks at an image and answers a question about it (agent-tools
 * §3.23). Which one is the conversation's to say (tool/vision.h).
 */
#include "base/file.h"
#include "base/path.h"
#include "base/utf8.h"
#include "tool/images.h"
#include "tool/internal_url.h"
#include "tool/vision.h"
#include "tools/file/tool_file.h"
#include "tools/file/workspace_path.h"
#include "tools/read/image_file.h"
#include "tools/tools.h"

typedef struct InspectArgs {
    const char *path, *question;
} InspectArgs;

static const FieldDef inspect_fields[] = {
    { "path", FIELD_STRING, offsetof(InspectArgs, path), .is_required = true,
      .help = "Image file" },
    { "question", FIELD_STRING, offsetof(InspectArgs, question), .is_required = true,
      .help = "What to look for, and in which form to answer" },
    { 0 },
};

/* The file behind an internal URL; no one is asked for anything. Caller frees. */
static bool locate_url(ToolCall *call, const char *asked, char **ret_path, GError **error)
{
    g_autoptr(InternalUrl) url = NULL;
    const UrlScheme *scheme = NULL;
    ToolContext *context = tool_call_context(call);
    if (!internal_url_open(context, asked, &url, &scheme, error))
        return false;
    if (!scheme->locate)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "inspect_image looks at files, and %s is none: read it", asked);
    return scheme->locate(context, url, ret_path, error);
}

/* Caller frees. */
static bool find_file(ToolCall *call, const char *asked, char **ret_path, GError **error)
{
    g_autofree char *cleaned = workspace_clean(asked);
    g_autofree char *path = NULL;
    if (workspace_scheme_length(cleaned) == 0)
        path = workspace_path(asked, tool_call_cwd(call));
    else if (!locate_url(call, cleaned, &path, error))
        return false;
    if (!file_exists(path))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, "Path '%s' not found", asked);
    *ret_path = g_steal_pointer(&path);
    return true;
}

static bool check_allowed(ToolCall *call, const char *question, GError **error)
{
    if (images_are_blocked(tool_call_settings(call)))
        return fail_with(error, KEDGE_ERROR_DENIED,
                         "Image submission is disabled by settings (images.blockImages=true). "
                         "Disable it to use inspect_image.");
    if (!vision_is_offered(tool_call_context(call)))
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, VISION_NOBODY);
    return !utf8_is_blank(question) ||
           fail_with(error, KEDGE_ERROR_USAGE,
                     "question is empty: say what to look for in the image");
}

/* Where the image was made smaller, its model is told how places in it are to be given. Caller
   frees. */
static char *whole_question(const char *question, const ImageFit *image)
{
    return image->note ? g_strconcat(question, "\n\n", image->note, NULL) : g_strdup(question);
}

static bool inspect_run(ToolCall *call, const void *args_, ToolResult *result, GError **error)
{
    const InspectArgs *args = args_;
    g_autofree char *path = NULL;
    if (!check_allowed(call, args->question, error) || !find_file(call, args->path, &path, error))
        return false;
    g_autofree char *shown = path_display(path, tool_call_cwd(call));
    g_auto(Fd) fd = -1;
    struct stat info;
    g_auto(ImageFit) image = { 0 };
    if (!tool_file_open(path, shown, &fd, &info, error) ||
        !image_file_load(call, fd, shown, &image, error))
        return false;

    g_autofree char *text = whole_question(args->question, &image);
    g_autofree char *base64 = g_base64_encode((const guchar *)image.data, image.size);
    const VisionQuestion question = { text, base64, image.type };
    g_auto(VisionAnswer) answer = { 0 };
    if (!vision_ask(tool_call_context(call), &question, tool_call_cancel(call), &answer, error))
        return false;
    tool_result_add_text(result, answer.text);
    json_t *details = tool_result_details(result);
    json_add(details, "model:%s imagePath:%s mimeType:%s", answer.model, path, image.type);
    return true;
}

const ToolDef tool_inspect_image = {
    .name = "inspect_image",
    .label = "Inspect image",
    .summary = "Ask a model that sees about an image file",
    .description = "Have a model that sees images look at one (PNG, JPEG, GIF, WebP) and answer a "
                   "question about it. It knows nothing of the conversation: say in the question "
                   "what matters, and in which form you want the answer.",
    .effect = EFFECT_READ,
    .flags = TOOL_OPEN_WORLD | TOOL_OF_CONVERSATION | TOOL_DISCOVERABLE,
    .fields = inspect_fields,
    .args_size = sizeof(InspectArgs),
    .setting = "inspect_image.enabled",
    .run = inspect_run,
};
