/*
 * The session and the model of a run: new, continued, resumed or forked; and what the flags, the
 * session and the settings say about model and thinking level (agent-core §1.6, §2.10, §4.9).
 */
#pragma once

#include "model/registry.h"
#include "session/session.h"
#include "tool/settings.h"

typedef struct LaunchWanted { // what a person or a program says of them; all borrowed
    bool is_continue, no_session;
    const char *session, *fork, *from_pr; // at most one
    const char *session_dir;
    const char *model, *provider, *api_key, *thinking;
    const char *models; // patterns of what is cycled through, with commas
    const char *smol, *slow, *plan;
} LaunchWanted;

typedef struct LaunchPlace { // all borrowed
    const LaunchWanted *wanted;
    const Settings *settings;
    ModelRegistry *registry;
    const char *agent_dir, *cwd;
    char **ret_notice; // takes what a person should know about the session; NULL: it is printed
    bool may_lack_key; // a model may be chosen later: until then a prompt says what is missing
} LaunchPlace;

typedef struct LaunchSession {
    Session *session;
    const Model *model; // borrowed from the registry
    ThinkingLevel thinking;
    GArray *scope; // of ModelChoice, to cycle through; NULL: all that can be used
} LaunchSession;

void launch_session_clear(LaunchSession *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(LaunchSession, launch_session_clear)

/* Errors are whole texts for standard error: NOT_FOUND, USAGE. Other notices are printed there. */
bool launch_session_open(const LaunchPlace *place, LaunchSession *ret_session, GError **error);

/* What the settings say of providers in that folder. Before the registry is used. */
void launch_session_arrange(const Settings *settings, const char *cwd, ModelRegistry *registry);
/* That, and the roles of the settings and of --smol, --slow and --plan; before anything is
   selected. NOT_FOUND as of --model. */
bool launch_session_set_roles(const LaunchWanted *wanted, const Settings *settings, const char *cwd,
                              ModelRegistry *registry, GError **error);

/* `--fallback-model`: *settings becomes one in which the models of `list` stand in for one that
   fails. NOT_FOUND as of --model; one without a key is warned of. */
bool launch_session_add_fallbacks(const char *list, ModelRegistry *registry, Settings **settings,
                                  GError **error);
