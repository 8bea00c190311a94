/*
 * The state machine itself: what may follow what, in which order, on which path.
 */
#include "agenttools/emit/workflow.h"

static void state_free(WorkflowState *state)
{
    g_free(state->id);
    g_free(state->label);
    g_free(state);
}

static void edge_clear(WorkflowEdge *edge)
{
    g_free(edge->label);
}

Workflow *workflow_new(const char *name, const char *source)
{
    Workflow *self = g_new0(Workflow, 1);
    self->name = g_strdup(name);
    self->source = g_strdup(source);
    self->states = g_ptr_array_new_with_free_func((GDestroyNotify)state_free);
    self->edges = g_array_new(false, true, sizeof(WorkflowEdge));
    g_array_set_clear_func(self->edges, (GDestroyNotify)edge_clear);
    self->initial = g_array_new(false, false, sizeof(unsigned));
    self->warnings = g_ptr_array_new_with_free_func(g_free);
    return self;
}

void workflow_free(Workflow *self)
{
    if (!self)
        return;
    g_free(self->name);
    g_free(self->source);
    g_ptr_array_unref(self->states);
    g_array_unref(self->edges);
    g_array_unref(self->initial);
    g_ptr_array_unref(self->warnings);
    g_free(self);
}

bool workflow_name_is_valid(const char *name)
{
    if (!g_ascii_isalnum(name[0]) && name[0] != '_')
        return false;
    size_t length =
        strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return name[length] == '\0' && length <= LIMIT_WORKFLOW_NAME;
}

unsigned workflow_state(const Workflow *self, const char *id)
{
    for (unsigned i = 0; id && i < self->states->len; i++)
        if (strcmp(workflow_state_at(self, i)->id, id) == 0)
            return i;
    return WORKFLOW_NONE;
}

const WorkflowState *workflow_state_at(const Workflow *self, unsigned index)
{
    g_assert(index < self->states->len);
    return g_ptr_array_index(self->states, index);
}

static const WorkflowEdge *edge_at(const Workflow *self, unsigned index)
{
    return &g_array_index(self->edges, WorkflowEdge, index);
}

bool workflow_has_edge(const Workflow *self, unsigned from, unsigned to)
{
    for (unsigned i = 0; i < self->edges->len; i++)
        if (edge_at(self, i)->from == from && edge_at(self, i)->to == to)
            return true;
    return false;
}

bool workflow_has_terminal(const Workflow *self)
{
    for (unsigned i = 0; i < self->states->len; i++)
        if (workflow_state_at(self, i)->is_terminal)
            return true;
    return false;
}

static void append_once(GArray *indexes, unsigned index)
{
    for (unsigned i = 0; i < indexes->len; i++)
        if (g_array_index(indexes, unsigned, i) == index)
            return;
    g_array_append_val(indexes, index);
}

/* What follows `from`, each state once, in file order. */
static GArray *workflow_followers(const Workflow *self, unsigned from)
{
    GArray *found = g_array_new(false, false, sizeof(unsigned));
    if (from == WORKFLOW_NONE)
        g_array_append_vals(found, self->initial->data, self->initial->len);
    for (unsigned i = 0; i < self->edges->len; i++)
        if (edge_at(self, i)->from == from)
            append_once(found, edge_at(self, i)->to);
    return found;
}

static json_t *ids_of(const Workflow *self, const GArray *indexes)
{
    json_t *ids = json_array();
    for (unsigned i = 0; i < indexes->len; i++)
        json_append_take(
            ids, json_text(workflow_state_at(self, g_array_index(indexes, unsigned, i))->id));
    return ids;
}

json_t *workflow_next(const Workflow *self, unsigned from)
{
    g_autoptr(GArray) next = workflow_followers(self, from);
    return ids_of(self, next);
}

/* Breadth first from what follows `from`. `ret_before` (as long as there are states) gets the state
   through which each was reached: itself when it follows `from`, WORKFLOW_NONE when never. */
static GArray *workflow_search(const Workflow *self, unsigned from, unsigned *ret_before)
{
    for (unsigned i = 0; i < self->states->len; i++)
        ret_before[i] = WORKFLOW_NONE;
    GArray *queue = workflow_followers(self, from);
    for (unsigned i = 0; i < queue->len; i++) {
        unsigned first = g_array_index(queue, unsigned, i);
        ret_before[first] = first;
    }
    for (unsigned at = 0; at < queue->len; at++) {
        unsigned state = g_array_index(queue, unsigned, at);
        g_autoptr(GArray) next = workflow_followers(self, state);
        for (unsigned i = 0; i < next->len; i++) {
            unsigned follower = g_array_index(next, unsigned, i);
            if (ret_before[follower] != WORKFLOW_NONE)
                continue;
            ret_before[follower] = state;
            g_array_append_val(queue, follower);
        }
    }
    return queue;
}

GArray *workflow_order(const Workflow *self)
{
    g_autofree unsigned *before = g_new(unsigned, self->states->len + 1);
    return workflow_search(self, WORKFLOW_NONE, before);
}

GArray *workflow_path(const Workflow *self, unsigned from, unsigned to)
{
    g_autofree unsigned *before = g_new(unsigned, self->states->len + 1);
    g_array_unref(workflow_search(self, from, before));
    if (before[to] == WORKFLOW_NONE)
        return NULL;
    GArray *path = g_array_new(false, false, sizeof(unsigned));
    for (unsigned at = to; before[at] != at; at = before[at])
        g_array_prepend_val(path, before[at]);
    return path;
}

json_t *workflow_to_json(const Workflow *self)
{
    json_t *value = json_make("name:%s source:%s", self->name, self->source);

    json_t *states = json_array();
    for (unsigned i = 0; i < self->states->len; i++) {
        const WorkflowState *state = workflow_state_at(self, i);
        json_append_take(states, json_make("id:%s label:%s? initial:%i terminal:%i", state->id,
                                           state->label, state->is_initial, state->is_terminal));
    }
    json_set_take(value, "states", states);

    json_t *transitions = json_array();
    for (unsigned i = 0; i < self->edges->len; i++) {
        const WorkflowEdge *edge = edge_at(self, i);
        json_append_take(transitions,
                         json_make("from:%s to:%s label:%s?",
                                   workflow_state_at(self, edge->from)->id,
                                   workflow_state_at(self, edge->to)->id, edge->label));
    }
    json_set_take(value, "transitions", transitions);

    g_autoptr(GArray) order = workflow_order(self);
    json_set_take(value, "order", ids_of(self, order));
    return value;
}
