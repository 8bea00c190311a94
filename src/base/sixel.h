/*
 * Pixels as the sixel graphics of DEC's terminals, by libsixel, which is opened with dlopen() when
 * the first picture needs it. Thread safe.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `rgb`: three bytes a pixel, row by row. *ret_text: the whole sequence, from ESC P to its end;
   belongs to the caller (g_free). False: libsixel is not there, or it needs more than
   `max_bytes`. */
bool sixel_encode_rgb(unsigned char *rgb, int width, int height, size_t max_bytes, char **ret_text,
                      size_t *ret_size);
