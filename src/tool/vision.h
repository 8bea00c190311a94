/*
 * Asking a model about an image (agent-tools §3.23): what the tool inspect_image has from the owner
 * of the conversation, who has the models, their keys and the budget. Where there is no
 * conversation, no one answers.
 *
 * Thread safe.
 */
#pragma once

#include "tool/tool.h"

typedef struct VisionQuestion { // all borrowed
    const char *text;
    const char *base64, *mime_type; // the image as it is to be sent
} VisionQuestion;

typedef struct VisionAnswer {
    char *text;  // not blank; at most LIMIT_MODEL_TEXT_BYTES
    char *model; // who gave it: "provider/id"
} VisionAnswer;

void vision_answer_clear(VisionAnswer *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(VisionAnswer, vision_answer_clear)

/* Blocks; on any thread. The errors' messages are for the model that asked. */
typedef bool (*VisionFunc)(const VisionQuestion *question, Cancel *cancel, VisionAnswer *ret_answer,
                           void *user_data, GError **error);

/* By the owner, before the first call; `user_data` is there as long as calls run. */
void vision_offer(ToolContext *context, VisionFunc answer, void *user_data);

#define VISION_NOBODY "No models available for inspect_image."

bool vision_is_offered(ToolContext *context);
/* NOT_FOUND (VISION_NOBODY) where no one answers; else as who does. */
bool vision_ask(ToolContext *context, const VisionQuestion *question, Cancel *cancel,
                VisionAnswer *ret_answer, GError **error);
