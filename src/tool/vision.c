/* See vision.h. */
#include "tool/vision.h"

#include "tool/context.h"

typedef struct Offer { // does not change once calls run
    VisionFunc answer; // NULL: no one does
    void *user_data;
} Offer;

static void *offer_new(void)
{
    return g_new0(Offer, 1);
}

static Offer *offer_of(ToolContext *context)
{
    return tool_context_state(context, "vision", offer_new, g_free);
}

void vision_answer_clear(VisionAnswer *self)
{
    g_clear_pointer(&self->text, g_free);
    g_clear_pointer(&self->model, g_free);
}

void vision_offer(ToolContext *context, VisionFunc answer, void *user_data)
{
    *offer_of(context) = (Offer) { answer, user_data };
}

bool vision_is_offered(ToolContext *context)
{
    return offer_of(context)->answer != NULL;
}

bool vision_ask(ToolContext *context, const VisionQuestion *question, Cancel *cancel,
                VisionAnswer *ret_answer, GError **error)
{
    const Offer *offer = offer_of(context);
    if (!offer->answer)
        return fail_with(error, KEDGE_ERROR_NOT_FOUND, VISION_NOBODY);
    return offer->answer(question, cancel, ret_answer, offer->user_data, error);
}
