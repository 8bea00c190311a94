/*
 * The rules of agent-tools-cli §4.4. The same rules hold for the run's own steps and for those of
 * an agent's unit; a Track is where the one or the other stands.
 */
#include "agenttools/emit/transition.h"

#include "agenttools/answer.h"
#include "base/str.h"

typedef enum { MOVE_NEVER, MOVE_ALWAYS, MOVE_SELF } Move; // MOVE_SELF: by a self-transition only

/* agent-tools-cli §4.4 rule 5: [from][to]. */
static const Move same_step_moves[STEP_STATUSES][STEP_STATUSES] = {
    [STEP_NOT_STARTED] = { MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS,
                           MOVE_ALWAYS },
    [STEP_RUNNING] = { MOVE_NEVER, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_NEVER },
    [STEP_WAITING] = { MOVE_NEVER, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_ALWAYS, MOVE_NEVER },
    [STEP_FAILED] = { MOVE_NEVER, MOVE_ALWAYS, MOVE_NEVER, MOVE_NEVER, MOVE_ALWAYS, MOVE_NEVER },
    [STEP_COMPLETED] = { MOVE_NEVER, MOVE_SELF, MOVE_NEVER, MOVE_ALWAYS, MOVE_NEVER, MOVE_NEVER },
    [STEP_SKIPPED] = { MOVE_NEVER, MOVE_ALWAYS, MOVE_NEVER, MOVE_NEVER, MOVE_NEVER, MOVE_ALWAYS },
};

typedef struct Track {
    const Workflow *machine;
    const char *prefix;       // "task-builder:"; "" for the run's own steps
    const char *unit;         // of an agent; NULL
    const StepState *current; // NULL: nothing yet
    unsigned at;              // its state; WORKFLOW_NONE: nothing yet, or not in the machine
    unsigned to;
} Track;

void transition_clear(Transition *self)
{
    g_clear_pointer(&self->before, g_array_unref);
    g_clear_pointer(&self->completed_steps, json_decref);
    g_clear_pointer(&self->skipped_steps, json_decref);
}

static void planned_clear(PlannedEvent *planned)
{
    g_free(planned->step);
}

static void transition_init(Transition *self)
{
    self->before = g_array_new(false, false, sizeof(PlannedEvent));
    g_array_set_clear_func(self->before, (GDestroyNotify)planned_clear);
    self->completed_steps = json_array();
    self->skipped_steps = json_array();
}

static void transition_plan(Transition *self, const char *prefix, const char *id, StepStatus status)
{
    const PlannedEvent planned = { g_strconcat(prefix, id, NULL), status };
    json_append_take(status == STEP_SKIPPED ? self->skipped_steps : self->completed_steps,
                     json_text(planned.step));
    g_array_append_val(self->before, planned);
}

/* "a, b", or "(none)". Caller frees. */
static char *transition_join(const json_t *ids)
{
    GString *text = g_string_new(NULL);
    json_each (ids, index, id)
        g_string_append_printf(text, "%s%s", index > 0 ? ", " : "", json_string_value(id));
    if (text->len == 0)
        g_string_append(text, "(none)");
    return g_string_free(text, FALSE);
}

static const char *id_of(const Workflow *machine, unsigned index)
{
    return workflow_state_at(machine, index)->id;
}

// ---- refusals ----

/* agent-tools-cli §4.4 rule 3. */
static bool fail_unknown_step(const Workflow *machine, const char *id, unsigned at, GError **error)
{
    g_autoptr(GPtrArray) ids = g_ptr_array_new();
    for (unsigned i = 0; i < machine->states->len; i++)
        g_ptr_array_add(ids, (void *)id_of(machine, i));
    g_ptr_array_add(ids, NULL);
    g_autofree char *all = g_strjoinv(", ", (char **)ids->pdata);
    GString *text = g_string_new(NULL);
    g_string_printf(text,
                    "step \"%s\" is not a valid state in the \"%s\" state machine. "
                    "Valid states: [%s].",
                    id, machine->name, all);
    json_t *details =
        json_make("hint:%s to:%s", str_nearest(id, (const char *const *)ids->pdata), id);
    if (at != WORKFLOW_NONE) {
        json_t *next = workflow_next(machine, at);
        g_autofree char *joined = json_array_size(next) > 0 ? transition_join(next) : g_strdup("");
        const char *current = id_of(machine, at);
        g_string_append_printf(text, " Current state: \"%s\". Valid transitions from \"%s\": [%s].",
                               current, current, joined);
        json_set_text(details, "from", current);
        json_set_take(details, "validNextStates", next);
    }
    g_autofree char *message = g_string_free(text, FALSE);
    return answer_error(error, ANSWER_INVALID_TRANSITION, details, "%s", message);
}

/* agent-tools-cli §4.4 rules 4 and 6. */
static bool fail_no_way(const Track *track, GError **error)
{
    const char *to = id_of(track->machine, track->to);
    json_t *next = workflow_next(track->machine, track->at);
    g_autofree char *joined = transition_join(next);
    const char *from = track->at != WORKFLOW_NONE ? id_of(track->machine, track->at) : NULL;
    json_t *details = json_make("from:%s to:%s validNextStates:%p", from, to, next);
    if (!from)
        return answer_error(error, ANSWER_INVALID_TRANSITION, details,
                            "Invalid initial state '%s'. Runs of \"%s\" start in: %s", to,
                            track->machine->name, joined);
    return answer_error(error, ANSWER_INVALID_TRANSITION, details,
                        "Invalid transition from '%s' to '%s'. Valid next states: %s", from, to,
                        joined);
}

/* agent-tools-cli §4.4 rule 5, for a step or a unit of it; `what` names it. */
static bool check_same_step(const Workflow *machine, unsigned state, const char *what,
                            StepStatus from, StepStatus to, GError **error)
{
    Move move = same_step_moves[from][to];
    if (move == MOVE_ALWAYS || (move == MOVE_SELF && workflow_has_edge(machine, state, state)))
        return true;
    return answer_error(error, ANSWER_INVALID_TRANSITION,
                        json_make("from:%s to:%s", step_status_names[from], step_status_names[to]),
                        "%s is %s and cannot become %s", what, step_status_names[from],
                        step_status_names[to]);
}

bool transition_check_open(const RunState *run, GError **error)
{
    if (run->ended_at == 0)
        return true;
    return answer_error(error, ANSWER_INVALID_STATE, json_make("status:%s", run->status),
                        "Run \"%s\" is already terminal (%s)", run->id, run->status);
}

// ---- the rules ----

/* agent-tools-cli §4.4 rule 7: the steps in between that have no event. False when there is no way
 * at all. */
static bool plan_skips(const RunState *run, const Track *track, Transition *transition)
{
    g_autoptr(GArray) path = workflow_path(track->machine, track->at, track->to);
    if (!path)
        return false;
    for (unsigned i = 0; i < path->len; i++) {
        const char *id = id_of(track->machine, g_array_index(path, unsigned, i));
        g_autofree char *step = g_strconcat(track->prefix, id, NULL);
        if (!run_state_step(run, step, track->unit))
            transition_plan(transition, track->prefix, id, STEP_SKIPPED);
    }
    return true;
}

/* agent-tools-cli §4.4 rules 4, 6 and 7: from one state to another. */
static bool check_move(const RunState *run, const Track *track, bool allows_skip,
                       Transition *transition, GError **error)
{
    bool is_open = track->current && (track->current->status == STEP_RUNNING ||
                                      track->current->status == STEP_WAITING);
    if (track->at != WORKFLOW_NONE && is_open)
        transition_plan(transition, track->prefix, id_of(track->machine, track->at),
                        STEP_COMPLETED);

    bool is_direct = track->at == WORKFLOW_NONE
                         ? workflow_state_at(track->machine, track->to)->is_initial
                         : workflow_has_edge(track->machine, track->at, track->to);
    return is_direct || (allows_skip && plan_skips(run, track, transition)) ||
           fail_no_way(track, error);
}

/* agent-tools-cli §4.4 rules 3 to 7 on one track; `id` is the state's name in its machine. */
static bool check_track(const RunState *run, const StatusChange *change, Track *track,
                        const char *id, Transition *transition, GError **error)
{
    const char *current = track->current ? track->current->step + strlen(track->prefix) : NULL;
    track->at = workflow_state(track->machine, current);
    track->to = workflow_state(track->machine, id);
    if (track->to == WORKFLOW_NONE)
        return fail_unknown_step(track->machine, id, track->at, error);
    if (track->at != track->to)
        return check_move(run, track, change->allows_skip, transition, error);
    g_autofree char *what = g_strdup_printf("Step '%s'", change->step);
    return check_same_step(track->machine, track->to, what, track->current->status, change->status,
                           error);
}

/* agent-tools-cli §4.4 rule 1. */
static bool check_agent(const RunState *run, const StatusChange *change, Transition *transition,
                        GError **error)
{
    size_t length = step_agent_length(change->step);
    g_autofree char *agent = g_strndup(change->step, length);
    g_autofree char *prefix = g_strndup(change->step, length + 1);
    Track track = {
        .machine = change->agent,
        .prefix = prefix,
        .unit = change->unit,
        .current = run_state_of_agent(run, agent, change->unit),
    };
    return check_track(run, change, &track, change->step + length + 1, transition, error);
}

/* agent-tools-cli §4.4 rule 9. */
static bool check_unit(const RunState *run, const StatusChange *change, GError **error)
{
    unsigned state = workflow_state(change->machine, change->step);
    if (state == WORKFLOW_NONE)
        return fail_unknown_step(change->machine, change->step,
                                 workflow_state(change->machine, run->current_step), error);
    if (!run_state_step(run, change->step, NULL)) {
        return answer_error(error, ANSWER_INVALID_TRANSITION, json_make("step:%s", change->step),
                            "Step '%s' has not been entered; its unit '%s' cannot change",
                            change->step, change->unit);
    }
    const StepState *known = run_state_step(run, change->step, change->unit);
    g_autofree char *what = g_strdup_printf("Unit '%s' of step '%s'", change->unit, change->step);
    return check_same_step(change->machine, state, what, known ? known->status : STEP_NOT_STARTED,
                           change->status, error);
}

static bool run_state_check(const RunState *run, const StatusChange *change, Transition *transition,
                            GError **error)
{
    if (step_agent_length(change->step) > 0)
        return change->agent == NULL || check_agent(run, change, transition, error);
    if (!change->machine)
        return true;
    if (change->unit)
        return check_unit(run, change, error);
    Track track = {
        .machine = change->machine,
        .prefix = "",
        .current = run->current_step ? run_state_step(run, run->current_step, NULL) : NULL,
    };
    return check_track(run, change, &track, change->step, transition, error);
}

bool transition_check(const RunState *run, const StatusChange *change, Transition *ret_transition,
                      GError **error)
{
    g_auto(Transition) transition = { 0 };
    transition_init(&transition);
    if (!transition_check_open(run, error) || !run_state_check(run, change, &transition, error))
        return false;
    *ret_transition = transition;
    transition = (Transition) { 0 };
    return true;
}
