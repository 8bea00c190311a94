/*
 * Lists of the settings that hold in some folders only (agent-core §5.1): beside texts they may
 * have items such as {pathPrefix: ~/work, models: [mock/m1]}.
 */
#pragma once

#include "base/json.h"

/* The texts of `list` (may be NULL) that hold in `cwd`, in order: a new array. What is neither a
   text nor such an item is left out. */
json_t *settings_list_in(const json_t *list, const char *cwd);
