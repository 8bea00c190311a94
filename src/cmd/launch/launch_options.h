/*
 * The flags of `kedge` itself (agent-core §1.3), as one field table.
 */
#pragma once

#include "base/field.h"
#include "conversation/launch_session.h"

typedef struct LaunchOptions { // strings are borrowed from `kept`
    bool is_print, is_plain, is_continue, has_resume, has_session, no_session, no_tools, no_title,
        fail_on_error, full_updates, waits_on_eof;
    bool allow_writes, allow_home, verbose, has_list_models, has_thinking, lists_all, lists_json;
    const char *mode, *resume, *session, *fork, *session_dir, *model, *provider, *thinking,
        *api_key, *smol, *slow, *plan, *models, *fallback_model, *from_pr, *input_format;
    const char *system_prompt, *append_system_prompt, *tools, *list_models, *cwd, *json_schema,
        *export_from;
    int64_t max_turns;
    double max_cost;
    json_t *kept;
    GPtrArray *words; // messages and @files, in order
} LaunchOptions;

extern const FieldDef launch_fields[];

void launch_options_clear(LaunchOptions *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LaunchOptions, launch_options_clear)

bool launch_options_is_rpc(const LaunchOptions *self);
/* `--input-format json` */
bool launch_options_takes_lines(const LaunchOptions *self);
/* What they say of session and model; borrowed from them. */
LaunchWanted launch_options_wanted(const LaunchOptions *self);
/* A session that a person sees the name of may be named by a model. */
bool launch_options_wants_title(const LaunchOptions *self);

/* USAGE errors say which flag; of one that is not known also the nearest name. */
bool launch_options_parse(int argc, char *const *argv, LaunchOptions *ret_options, GError **error);
