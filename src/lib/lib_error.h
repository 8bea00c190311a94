/*
 * Errors as the callers of libkedge get them (kedge.h).
 */
#pragma once

#include "base/error.h"
#include "lib/kedge.h"

/* The code of `error` (taken); *ret_error (may be NULL) gets it. */
kedge_code lib_fail(GError *error, kedge_error **ret_error);
