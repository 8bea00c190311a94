/*
 * What has to be known of a file before a tool writes it: where writing it really ends, and whether
 * something else comes of it than text in a project (common §4.5). There are files that other
 * programs run later, unasked: hooks, workflows, settings of editors and agents, start-up files,
 * kedge's own directory. A link of the repository that leads out of it hides which file is meant.
 *
 * The one list of such files. The gate asks before a call writes one (gate.c); what was not judged
 * is not written (write_guard_pass()). Looks at the file system; thread safe.
 */
#pragma once

#include "tool/tool.h"

typedef enum {
    GUARD_NONE,    // it is written like any other file
    GUARD_PROJECT, // a person is asked, or a flag of theirs answers; may be allowed for a session
    GUARD_PERSON,  // a person is asked each time: what it holds could loosen all other rules
} GuardLevel;

typedef struct WriteGuard {
    char *path;     // as it was named, absolute
    char *real;     // where its links end
    bool leads_out; // by a link of the workspace, to a place outside of it
    GuardLevel level;
    char *why; // "git runs it, or is led by it"; NULL: GUARD_NONE
} WriteGuard;

void write_guard_free(WriteGuard *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WriteGuard, write_guard_free)

/* The places of such files as they are now, for the files of one call. The context outlives it. */
typedef struct WriteSurvey WriteSurvey;

WriteSurvey *write_survey_new(ToolContext *context);
void write_survey_free(WriteSurvey *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WriteSurvey, write_survey_free)

/* `path` is absolute. `is_name`: the name itself is removed or moved, so a link there is not
   followed. */
WriteGuard *write_guard_look(WriteSurvey *survey, const char *path, bool is_name);

/* Where a path of the workspace leads when it leaves it by a link; NULL: it does not. Caller
   frees. */
char *write_guard_leads_out(const char *path, const char *cwd);

/* The same of the files that a call's arguments name, "/etc/hosts, /etc/motd". Caller frees. */
char *write_guard_leads_of(const json_t *arguments, const char *cwd);

/* "notes.md leads to /home/u/.bashrc: a shell runs it when it starts". Caller frees. */
char *write_guard_text(const WriteGuard *self, const char *cwd);

/* Right before a call writes, moves or deletes `path`: the file that its links lead to by now, for
   file_write_exact(). DENIED when that is one that has to be asked about, and was not: it has
   become another one since the call was judged. Caller frees. */
bool write_guard_pass(const ToolCall *call, const char *path, bool is_name, char **ret_real,
                      GError **error);
