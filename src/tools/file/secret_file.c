/*
 * Judging a new text by the secrets of the one before (secret_file.h).
 */
#include "tools/file/secret_file.h"

#include "base/mask.h"

static size_t count_masks(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, MASK_TEXT))) {
        count++;
        text += strlen(MASK_TEXT);
    }
    return count;
}

bool secret_file_check_masks(const char *before, size_t size, const char *after, GError **error)
{
    if (count_masks(after) <= count_masks(before) || !mask_finds(before, size))
        return true;
    return fail_with(error, KEDGE_ERROR_DENIED,
                     "The text holds " MASK_TEXT ", which stands for a masked secret; refer to it "
                     "by variable name, or leave that line unchanged.");
}
