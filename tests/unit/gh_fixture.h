/*
 * Scaffolding for tests of the `github` tool: a private directory tree with a stub `gh` first on
 * PATH, a clock that stands at 2026-05-31T06:30:00Z and moves only when the tool sleeps, TZ=UTC,
 * settings with gh.knownHosts = [ghe.example.com, ghe], and calls through the real tool_call().
 *
 * The stub logs each call (arguments, environment, process id, the file of --body-file or --input)
 * and answers with the first reply that matches. One
 * fixture at a time: it sets environment variables of the process.
 */
#pragma once

#include "tool/call.h"

typedef struct GhReply {
    const char *match;     // shell pattern over the arguments joined with blanks; NULL: any call
    const char *out, *err; // NULL: nothing
    int status;
    int sleep_s;      // before answering
    bool is_repeated; // answers any number of calls; else one
} GhReply;

typedef struct GhUpdate { // one tool_call_update()
    char *text;
    json_t *details; // NULL when there were none
} GhUpdate;

typedef struct GhFixture GhFixture;
struct GhFixture {
    char *dir;  // everything is below; removed in the end
    char *cwd;  // <dir>/work, an empty directory outside of any repository
    char *bin;  // <dir>/bin, where the stub is
    char *home; // <dir>/home
    char *temp; // <dir>/tmp, TMPDIR
    Settings *settings;
    const ToolDef *tool;  // NULL: tool_github
    const ToolDoor *door; // NULL: an agent's own session
    ToolContext *context; // of all calls: gh_fixture_converse(); NULL: each has its own
    Cancel *cancel;       // of the calls; fired tokens are replaced by gh_fixture_renew_cancel()
    int64_t now_ms;
    GArray *sleeps;     // int64_t milliseconds, in order
    GPtrArray *updates; // GhUpdate *
    /* Called instead of sleeping, after the duration was recorded and the clock moved; may be NULL.
     */
    void (*on_sleep)(GhFixture *self, int64_t duration_ms);
    void *user_data; // for on_sleep
    unsigned next_reply;
    char *
        artifacts_dir; // of the calls; NULL unless a test sets it: a conversation without a session
};

GhFixture *gh_fixture_new(void);
/* `settings_json`: overrides instead of the known hosts above; "" or NULL for the usual ones. */
GhFixture *gh_fixture_new_with(const char *settings_json);
void gh_fixture_free(GhFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GhFixture, gh_fixture_free)

/* Replies are tried in the order in which they were added. */
void gh_fixture_reply(GhFixture *self, const GhReply *reply);
void gh_fixture_reply_out(GhFixture *self, const char *out); // any call, exit 0
/* Makes the directory a clone without commits, whose only remote has this URL; NULL: it is none. */
#define GH_FIXTURE_ORIGIN "https://github.com/harbor/tidepool.git"
void gh_fixture_set_origin(GhFixture *self, const char *url);

/* What `gh --version` says, 2.92.0 unless set before the first call; it is not among the calls
   below. From 2.97 on the stub is as strict as that gh: what holds escape sequences is printed with
   --allow-escape-sequences alone, which an older one does not know. */
void gh_fixture_set_version(GhFixture *self, const char *version);

/* `arguments` is JSON text of the `github` tool's arguments. */
ToolResult gh_fixture_call(GhFixture *self, const char *arguments);
ToolResult gh_fixture_call_in(GhFixture *self, const char *cwd, const char *arguments);
/* From now on the calls are those of one conversation, in the fixture's directory. */
void gh_fixture_converse(GhFixture *self);
void gh_fixture_renew_cancel(GhFixture *self);

/* What the stub saw. Numbers count from 0 in order of start. Callers free. */
unsigned gh_fixture_call_count(const GhFixture *self);
char *gh_fixture_argv(const GhFixture *self, unsigned number); // elements joined with "|"
char **gh_fixture_environment(const GhFixture *self, unsigned number);
char *gh_fixture_body(const GhFixture *self,
                      unsigned number); // "<mode>\n<bytes>" of that file, or NULL
int64_t gh_fixture_pid(const GhFixture *self, unsigned number);
/* Forgets calls and replies. */
void gh_fixture_reset(GhFixture *self);

/* These fail the test, naming the case. */
void gh_expect_text(const char *name, const ToolResult *result, const char *want);
void gh_expect_error(const char *name, const ToolResult *result, const char *want);
void gh_expect_argv(const char *name, const GhFixture *self, unsigned number, const char *want);
void gh_expect_calls(const char *name, const GhFixture *self, unsigned want);
