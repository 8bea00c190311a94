/*
 * Heads and structure of image files, as far as they are read without decoding them.
 */
#include "base/image.h"
#include "model/message.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autofree char *exact = g_memdup2(data, size);
    unsigned width = 0, height = 0;
    ImageFacts facts = { 0 };
    if (!exact)
        return 0;
    bool is_read = image_dimensions(exact, size, &width, &height);
    image_facts(exact, size, &facts);
    if (facts.width != width || facts.height != height || facts.channels > 4)
        abort();
    if (is_read != (width > 0 && height > 0) || (!is_read && facts.channels > 0))
        abort();
    image_is_whole(exact, size);
    message_image_type(exact, size);
    return 0;
}
