/*
 * Notebooks of a repository, and the text that a model makes of them: the notebook up to the first
 * NUL, then the text. What is shown leads back to cells that show the same.
 */
#include "tools/file/notebook.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text of what a text was made into is stable: made again, it does not change. */
static void check_stable(const char *json, size_t size, const char *text)
{
    g_autofree char *made = NULL, *shown = NULL, *again = NULL, *last = NULL;
    if (!notebook_from_text(json, size, "n", text, &made, NULL))
        return;
    if (!notebook_to_text(made, strlen(made), "n", &shown, NULL) ||
        !notebook_from_text(made, strlen(made), "n", shown, &again, NULL) ||
        !notebook_to_text(again, strlen(again), "n", &last, NULL) || strcmp(shown, last) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t json_size = zero ? (size_t)(zero - data) : size;
    g_autofree char *json = g_memdup2(data, json_size); // of exactly this size
    g_autofree char *text =
        zero ? g_strndup((const char *)zero + 1, size - json_size - 1) : g_strdup("");
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    g_autofree char *shown = NULL;
    check_stable(NULL, 0, valid);
    if (json_size == 0 || !notebook_to_text(json, json_size, "n", &shown, NULL))
        return 0;
    check_stable(json, json_size, shown);
    check_stable(json, json_size, valid);
    return 0;
}
