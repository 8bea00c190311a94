/*
 * Images for a model that takes none, or that may not get any (images.blockImages): the model reads
 * that there was one, and the person must know, too (agent-core §2.2).
 */
#pragma once

#include "model/registry.h"

/* What the person is told before `model` gets this message; NULL: nothing. Caller frees. */
char *image_warning_text(const ModelRegistry *registry, const Model *model, bool is_blocked,
                         const json_t *message);
