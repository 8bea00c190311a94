/*
 * One image made fit for a model, whatever an old session or another program has put there
 * (safety §8.1, R16). Pure; thread safe. Its cost is that of decoding the base64, and of scaling
 * where that is needed: callers keep the result.
 */
#pragma once

#include "base/json.h"

typedef struct ImageLimits {
    size_t base64_chars;
    unsigned side; // pixels
} ImageLimits;

/* New reference: the block itself when nothing is wrong with it; a copy whose type is what its
   bytes say, or that is smaller; else a block of text, `[image removed: <reason>]`. */
json_t *image_repair(json_t *block, const ImageLimits *limits);

/* The text block that stands for an image. New reference. */
json_t *image_removed(const char *reason);
