/*
 * What the checks of `kedge doctor` share. Private to doctor*.c. One thread.
 */
#pragma once

#include "base/check_list.h"
#include "tool/settings.h"

typedef struct Health {
    const Settings *settings;
    const char *cwd;
    CheckList list; // bad: kedge does not do what it is for; warning: it works, with something less
} Health;

void health_check_model(Health *self); // models.yml, the model, where its key comes from
void health_check_ancestors(
    Health *self);                        // who started us, and what they have in their environment
void health_check_terminal(Health *self); // TERM, size, colours
void health_check_programs(Health *self); // starts each with its flag for the version
void health_check_libraries(Health *self);
/* Of `warnings`, those of reading the settings. */
void health_check_settings(Health *self, const GPtrArray *warnings);
void health_check_files(Health *self); // keys, themes, sessions, disk, databases, locks
