/*
 * What an item is about: its number, or the temporary id of what an earlier item makes (item.h,
 * task-engine §6.5). Pure. Errors have no kind before them.
 */
#pragma once

#include "wm/apply/item.h"

/* `temporary_id` of `raw` into the item's fields, in lower case; an error when it is none, or
   taken. */
bool wm_item_set_temporary_id(const WmItemScope *scope, const json_t *raw, WmItem *item,
                              GError **error);
/* `#tmp_1` in title, body and comment become `#42`, where the number is known. */
void wm_item_link_ids(const WmItemScope *scope, json_t *fields);
/* `target` in the fields, the number and the temporary id, as the policy allows. */
bool wm_item_set_target(const WmItemScope *scope, const json_t *raw, WmItem *item, GError **error);
/* Does the policy let an item name any number? */
bool wm_target_is_free(const WmHandler *handler);
