/*
 * What may take its time and belongs to no panel, such as saving a setting: on a worker, one piece
 * after the other. What is not done at the end of the program is done then. The loop's thread.
 */
#pragma once

#include "tui/control/tui_state.h"

/* `work` runs on a worker (the token fires at the program's end), then `done` on the loop, unless
   the program has ended by then; `data` is freed with `free_data` in any case. */
void later_do(Tui *self, void (*work)(void *data, Cancel *cancel),
              void (*done)(Tui *tui, void *data), void *data, GDestroyNotify free_data);
void later_end(Tui *self);

/* Saves a setting: parts and value are copied. What goes wrong is said after `what` ("the theme is
   not kept"); when it has gone well `told` is said (NULL: nothing). */
void later_save(Tui *self, const SettingChange *change, const char *what, const char *told);
