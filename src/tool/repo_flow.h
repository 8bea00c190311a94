/*
 * Private text on its way into another place (common §4.6): a call that writes to a repository of
 * GitHub after its conversation has read another one that is not known to be public needs a person,
 * at every door, and no flag answers for them.
 *
 * Who wrote each text is not known yet: this is the whole of it. For the gate only.
 */
#pragma once

#include "tool/call.h"
#include "tool/repo_reads.h"

/* What the room of GitHub knows and this one does not; inside a call, before it has its permit. */
typedef struct RepoLookup {
    /* Host and repository that a call is about which names none: those of the directory. False: not
       known. Asks git, no server. */
    bool (*home)(ToolCall *call, char **ret_host, char **ret_repo);
    /* Asks the server. */
    RepoVisibility (*look)(ToolCall *call, const char *host, const char *repo);
} RepoLookup;

/* A call that reads from GitHub has run: notes what it read. */
void repo_flow_note(ToolCall *call, const ToolResult *result);

/* True: a person has to say yes. *ret_reason says why, *ret_repos which were read; caller frees
 * both. */
bool repo_flow_needs_person(ToolCall *call, const Judgement *judgement, char **ret_reason,
                            char **ret_repos);
