/*
 * A conversation object for unit tests, on the canned server and the tools of agent_fixture.h, with
 * a listener that keeps its events and can act when one of them comes.
 */
#pragma once

#include "agent_fixture.h"
#include "conversation/session_commands.h"

typedef struct SessionFixture {
    AgentFixture *agent; // server, tools, directories; its own agent is not used
    Loop *loop;
    AgentSessionOptions options; // to be changed before the session is opened
    AgentSession *session;
    json_t *events; // array, of a listener to deltas and control events
    AgentOutcome outcome;
    GError *error;
    // when the event of this type comes for the first time, `act` is called with the fixture
    const char *trigger;
    void (*act)(struct SessionFixture *self, const json_t *event);
} SessionFixture;

SessionFixture *session_fixture_new(const char *settings);
void session_fixture_free(SessionFixture *self);

void session_fixture_open(SessionFixture *self);

/* Runs a command with arguments as JSON text (NULL: none); false and self->error when it fails. */
bool session_fixture_command(SessionFixture *self, const char *name, const char *arguments,
                             CommandReply *ret_reply);
/* A prompt and the wait for its end. */
bool session_fixture_prompt(SessionFixture *self, const char *text);
/* Until nothing is pending. */
void session_fixture_wait(SessionFixture *self);
/* Runs a person's command (options.run_shell), which lasts until the file that it names is there.
 */
bool session_fixture_shell(ToolContext *context, const char *command, const UserShellWatch *watch,
                           Cancel *cancel, UserShellResult *ret_result, GError **error);
/* Runs the loop until the trigger has come. */
void session_fixture_run_to(SessionFixture *self, const char *trigger);

/* Event number `index` of one type, or NULL; borrowed. */
const json_t *session_fixture_event(const SessionFixture *self, const char *type, size_t index);
