/*
 * Run workflows: the state machines that `emit` checks events against (agent-tools-cli §4.3). Each
 * is a Mermaid stateDiagram-v2 in a file of the project or the user, or built in.
 *
 * A Workflow is constant once made. Functions that read files block; all are thread safe.
 */
#pragma once

#include "base/json.h"

#define WORKFLOW_UNKNOWN      "unknown" // recorded, never checked
#define WORKFLOW_NONE         G_MAXUINT // no state
#define LIMIT_WORKFLOW_BYTES  ((size_t)1024 * 1024)
#define LIMIT_WORKFLOW_STATES 1000
#define LIMIT_WORKFLOW_EDGES  10000
#define LIMIT_WORKFLOW_NAME   128 // characters; of states too

typedef struct WorkflowState {
    char *id;
    char *label; // NULL: none
    bool is_initial, is_terminal;
    unsigned line; // where it is first named
} WorkflowState;

typedef struct WorkflowEdge {
    unsigned from, to; // indexes of states
    char *label;       // NULL: none
} WorkflowEdge;

typedef struct Workflow {
    char *name;
    char *source;        // path, or "built-in"
    GPtrArray *states;   // WorkflowState *, in file order
    GArray *edges;       // WorkflowEdge, in file order
    GArray *initial;     // unsigned, in file order
    GPtrArray *warnings; // char *
} Workflow;

Workflow *workflow_new(const char *name, const char *source); // empty, for the parser
void workflow_free(Workflow *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Workflow, workflow_free)

/* Reads a diagram. `first_line` is the number of its first line in the file. VALIDATION errors
   (answer.h) with the texts of agent-tools-cli §4.3; `source` and `line` are in their details. */
bool workflow_parse(const char *name, const char *source, const char *text, unsigned first_line,
                    Workflow **ret_workflow, GError **error);
/* The diagram of a Markdown file: the first mermaid fence of its section STATE-MACHINE, when that
   holds a stateDiagram-v2. NULL: there is none. Caller frees. (workflow_section.c) */
char *workflow_section(const char *markdown, unsigned *ret_first_line);

typedef struct WorkflowPlaces { // where definitions are looked for; borrowed
    const char *root;           // the .rp1 directory
    const char *project;        // holds .kedge/skills, .claude/skills
} WorkflowPlaces;

bool workflow_name_is_valid(const char *name);
/* In the order of agent-tools-cli §4.3. VALIDATION for a bad name, or a definition that is wrong.
   Without one `ret_workflow` gets NULL. */
bool workflow_find(const char *name, const WorkflowPlaces *places, Workflow **ret_workflow,
                   GError **error);
/* NOT_FOUND `No state machine found for workflow …`. False. */
bool workflow_fail_not_found(const char *name, const WorkflowPlaces *places, GError **error);
/* Names that workflow_find() knows, sorted, built-ins first. NULL-terminated; caller frees. */
char **workflow_names(const WorkflowPlaces *places);

/* The diagram of a built-in; NULL when there is none of that name. */
const char *workflow_builtin(const char *name);
const char *workflow_builtin_name(size_t index); // NULL at the end

/* An index, or WORKFLOW_NONE. */
unsigned workflow_state(const Workflow *self, const char *id);
const WorkflowState *workflow_state_at(const Workflow *self, unsigned index);
bool workflow_has_edge(const Workflow *self, unsigned from, unsigned to);
bool workflow_has_terminal(const Workflow *self);
/* Ids of the targets of a state's edges, in file order; of WORKFLOW_NONE those of the initial
   states. New reference. */
json_t *workflow_next(const Workflow *self, unsigned from);
/* States reachable from the initial ones, breadth first. unsigned. Caller unrefs. */
GArray *workflow_order(const Workflow *self);
/* The states between `from` (WORKFLOW_NONE: before the initial ones) and `to` on a shortest path,
   both left out; NULL when `to` cannot be reached. unsigned. Caller unrefs. */
GArray *workflow_path(const Workflow *self, unsigned from, unsigned to);

/* {name, source, states: [{id, label, initial, terminal}], transitions: [{from, to, label}],
   order: […]}. New reference. */
json_t *workflow_to_json(const Workflow *self);
