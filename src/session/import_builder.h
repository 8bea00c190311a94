/*
 * A session that is being made of another program's lines. Internal to session.
 */
#pragma once

#include "base/json.h"

typedef struct ImportBuilder {
    char *id, *cwd, *started, *title, *model;
    const char *provider, *api;
    GPtrArray *entries; // json_t *: without links yet
    GHashTable *open;   // key → borrowed assistant message that later blocks of the key join
    GHashTable *tools;  // call id → tool name
    size_t messages;
    gint64 now_ms; // time of the line that was read last
} ImportBuilder;

/* `modified_ms`: of the file, for lines without a time. */
void import_builder_init(ImportBuilder *self, const char *provider, const char *api,
                         gint64 modified_ms);
void import_builder_clear(ImportBuilder *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ImportBuilder, import_builder_clear)

/* Sets *field once, to a text that is no NULL. */
void import_set_once(char **field, const char *text);

/* The time of a line; the first is that of the session. NULL: as the line before. */
void import_set_time(ImportBuilder *self, const char *at);

/* Block lists are taken; empty ones add nothing. `at`: the line's time as text, may be NULL. */
void import_add_user(ImportBuilder *self, json_t *blocks, const char *at);
void import_add_result(ImportBuilder *self, const char *call_id, json_t *blocks, bool is_error,
                       const char *at);
void import_add_summary(ImportBuilder *self, const char *text, const char *at);

/* Adds a block (taken) to the assistant message of `key`, which is made when there is none. */
void import_add_block(ImportBuilder *self, const char *key, json_t *block, const char *at);
/* Replaces the usage of that message; the object has the counts of the family's Usage. */
void import_set_usage(ImportBuilder *self, const char *key, int64_t input, int64_t output,
                      int64_t cache_read, int64_t cache_write);

json_t *import_thinking(const char *text, const char *signature);
json_t *import_call(const char *id, const char *name, const json_t *arguments);

/* One line each, for import.c: the first gives what the file is known by. */
bool import_is_claude(const json_t *line);
bool import_is_codex(const json_t *line);
void import_read_claude(ImportBuilder *self, const GPtrArray *lines);
void import_read_codex(ImportBuilder *self, const GPtrArray *lines);
