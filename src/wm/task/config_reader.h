/*
 * Values of a configuration by their dotted names, with the one error text that a wrong type gets
 * (task-engine §2.2). Private to config.c.
 */
#pragma once

#include "base/json.h"
#include "wm/task/notes.h"

typedef struct ConfigReader {
    const json_t *root;
    GPtrArray *problems; // notes; what is read after one is its default
} ConfigReader;

/* Each takes a dotted name ("workflow.runs_on"); absent and null are the default. */
char *config_text(ConfigReader *self, const char *name, const char *fallback); // caller frees
int64_t config_int(ConfigReader *self, const char *name, int64_t fallback);
double config_number(ConfigReader *self, const char *name, double fallback);
bool config_bool(ConfigReader *self, const char *name, bool fallback);
bool config_is_given(ConfigReader *self, const char *name);
/* Trimmed texts, empty ones dropped; a single text is a list of one when `allows_text`. New
   references. */
json_t *config_texts(ConfigReader *self, const char *name, bool allows_text);
json_t *config_maps(ConfigReader *self, const char *name);
/* Borrowed; NULL when absent. */
const json_t *config_value(ConfigReader *self, const char *name);
/* A problem: `<name>: <text>`. */
void config_fail(ConfigReader *self, const char *name, const char *text);
