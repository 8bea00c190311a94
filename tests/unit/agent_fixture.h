/*
 * An agent for unit tests: the canned model server, a session in a temporary directory, a few tools
 * whose runs are noted, and the events that came.
 */
#pragma once

#include "agent/agent.h"
#include "sse_server.h"

#define ECHO_OF_GITHUB 9999 // with this count an echo is about a pull request

typedef struct AgentFixture {
    char *root, *dir;
    SseServer *server;
    HttpClient *http;
    ModelRegistry *registry;
    ToolContext *context;
    ToolSet *tools;
    Session *session;
    Cancel *cancel;
    Agent *agent;
    AgentOptions options; // setup, queues and budget are made with the agent
    TurnSetupSpec setup;
    int64_t max_turns;
    double max_cost;
    MessageQueue *steering, *follow_ups;
    AgentOutcome outcome;
    GError *error;
    json_t *events; // array
    GString *runs;  // what tools noted, under a lock
    int chatter;    // atomic: updates of chatty{} so far
    int is_quiet;   // atomic: ends chatty{}
} AgentFixture;

/* The tools: echo{text,count?} (shared), pair{} (shared: waits until two run at once), alone{text}
   (exclusive), steer{text} (exclusive: steers), hang{} (shared: until cancelled), firm{} (shared,
   not abortable, 200 ms), noisy{} (shared: two updates), chatty{} (shared: updates without end,
   until is_quiet), fire{} (exclusive: cancels the prompt), risky{text} (destructive: as echo),
   stage{} (a preview) and resolve{} (drops it). */

/* `settings` is JSON text or NULL. The agent is made with the first prompt, from `options`. */
AgentFixture *agent_fixture_new(const char *settings);
void agent_fixture_free(AgentFixture *self);

/* Before the first prompt. */
void agent_fixture_make_agent(AgentFixture *self);
/* From any thread. */
void agent_fixture_push(MessageQueue *queue, const char *text);

/* A tool noted this; from any thread. */
bool agent_fixture_has_run(AgentFixture *self, const char *text);

bool agent_fixture_prompt(AgentFixture *self, const char *text);

/* The types of the events so far, message_update left out, roles added: "agent_start turn_start
   message_start:user …"; messages' text is not shown. Caller frees. */
char *agent_fixture_events(const AgentFixture *self);
/* Event number `index` of one type; borrowed; NULL: there are not so many. */
const json_t *agent_fixture_event(const AgentFixture *self, const char *type, size_t index);
/* The tool results so far: "t1:text t2!:text" in order of their events, `!` for errors. Caller
 * frees. */
char *agent_fixture_results(const AgentFixture *self);
