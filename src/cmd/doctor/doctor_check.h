/*
 * What the checks of `kedge doctor` share. Private to doctor*.c. One thread.
 */
#pragma once

#include "base/json.h"
#include "tool/settings.h"

typedef enum {
    HEALTH_OK,
    HEALTH_WARNING, // kedge works, with something less
    HEALTH_MISSING, // without it kedge does not do what it is for
} HealthStatus;

typedef struct Health {
    const Settings *settings;
    const char *cwd;
    json_t *checks; // array of {id, status, text, recovery?}
    unsigned missing, warnings;
} Health;

/* `recovery`: the command that mends it; NULL: nothing to be done. Both texts become one line each,
   without secrets and control characters. */
void health_add(Health *self, const char *id, HealthStatus status, const char *recovery,
                const char *text, ...) G_GNUC_PRINTF(5, 6);
/* With the home directory as ~. Caller frees. */
char *health_path(const char *path);
/* How a package is installed here. Caller frees. */
char *health_install(const char *package);

void health_check_model(Health *self);    // models.yml, the model, where its key comes from
void health_check_terminal(Health *self); // TERM, size, colours
void health_check_programs(Health *self); // starts each with its flag for the version
void health_check_libraries(Health *self);
/* Of `warnings`, those of reading the settings. */
void health_check_settings(Health *self, const GPtrArray *warnings);
void health_check_files(Health *self); // keys, themes, sessions, disk, databases, locks
