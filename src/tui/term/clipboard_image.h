/*
 * The picture in the clipboard, by a program of this machine: wl-paste, xclip or pngpaste. Blocks;
 * for a worker. Thread safe.
 */
#pragma once

#include "base/cancel.h"
#include "tui/term/caps.h"

enum { LIMIT_CLIPBOARD_IMAGE_BYTES = 32 * 1024 * 1024 };

/* The file; *ret_data is the caller's. NOT_FOUND: there is none, or nothing to ask; the message
   says what to do. `env` NULL: the process's. */
bool clipboard_read_image(const TermCaps *caps, EnvFunc env, Cancel *cancel, char **ret_data,
                          size_t *ret_size, GError **error);
