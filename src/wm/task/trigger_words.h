/*
 * Triggers that are written as one text, `on: /deploy`, `on: daily` (task-engine §2.4), and lists
 * of texts under `on:`. Pure.
 */
#pragma once

#include "wm/task/triggers.h"

/* Appends a text, trimmed. False: `item` (NULL too) is no text, or an empty one. */
bool wm_trigger_add_text(json_t *list, const json_t *item);
/* A text or a list as array of trimmed texts, without what is empty or none. New reference. */
json_t *wm_trigger_list(const json_t *value);
/* The map that `text` (trimmed, no trigger's key) stands for; NULL: none. New reference. */
json_t *wm_trigger_of_words(const char *text, const char *id);
