/*
 * Files whose secrets must not be lost on the way back from a model, which sees a mask in their
 * place (safety §7.4). Thread safe.
 */
#pragma once

#include "base/error.h"

/* DENIED when `after`, the new content of the file, holds more masks than `before` and `before`
   holds a known secret: a mask that a model copied would replace the value. */
bool secret_file_check_masks(const char *before, size_t size, const char *after, GError **error);
