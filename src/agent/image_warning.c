/*
 * Images that a model does not get (image_warning.h).
 */
#include "agent/image_warning.h"

#include "model/message.h"
#include "model/model_roles.h"

static size_t count_images(const json_t *message)
{
    size_t count = 0;
    json_each (json_get_array(message, "content"), i, block)
        count += g_strcmp0(json_get_text(block, "type"), "image") == 0;
    return count;
}

char *image_warning_text(const ModelRegistry *registry, const Model *model, bool is_blocked,
                         const json_t *message)
{
    bool goes_out = model->accepts_images && !is_blocked;
    size_t count =
        goes_out || strcmp(message_role(message), "user") != 0 ? 0 : count_images(message);
    if (count == 0)
        return NULL;
    if (is_blocked)
        return g_strdup_printf("images.blockImages is set: %zu of the prompt stay%s here", count,
                               count == 1 ? "s" : "");
    ModelChoice other = { 0 };
    model_role_choose(registry, MODEL_ROLE_VISION, model, &other);
    bool has_other = other.model && other.model->accepts_images;
    return g_strdup_printf("%s/%s takes no images: %zu of the prompt stay%s here%s%s%s%s%s",
                           model->provider, model->id, count, count == 1 ? "s" : "",
                           has_other ? "; --model " : "", has_other ? other.model->provider : "",
                           has_other ? "/" : "", has_other ? other.model->id : "",
                           has_other ? " takes them" : "");
}
