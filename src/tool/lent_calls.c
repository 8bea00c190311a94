/* See lent_calls.h. */
#include "tool/lent_calls.h"

#include "base/lock.h"
#include "base/timefmt.h"
#include "tool/call_private.h"

#define STATE_KEY "lent-calls"

typedef struct LentCalls {
    pthread_mutex_t lock;
    pthread_cond_t has_asked; // a question was closed
    GPtrArray *lent;          // of ToolCall *: those whose commands run in front of them
    ToolDoor door;            // of the last one
    GPtrArray *refused;       // what was, since the first of `lent` began; NULL: nothing
    GPtrArray *asking;        // of LentCall *: those whose question is open
    unsigned count;
    int64_t asked_ms, asking_since;
} LentCalls;

typedef struct LentCall { // one that a command makes
    LentCalls *owner;
    const ToolCall *lender; // NULL: of a call that has ended
    ToolDoor door, asked;   // what the call sees, and the lender's
    Cancel *question;       // while it is open
    void *user_data;
} LentCall;

static void *lent_calls_create(void)
{
    LentCalls *self = g_new0(LentCalls, 1);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->has_asked, NULL);
    self->lent = g_ptr_array_new();
    self->asking = g_ptr_array_new();
    self->door = (ToolDoor) { .kind = DOOR_AGENT, .is_read_only = true, .serves_model = true };
    return self;
}

static void lent_calls_destroy(void *data)
{
    LentCalls *self = data;
    pthread_cond_destroy(&self->has_asked);
    pthread_mutex_destroy(&self->lock);
    g_ptr_array_unref(self->asking);
    g_clear_pointer(&self->refused, g_ptr_array_unref);
    g_ptr_array_unref(self->lent);
    g_free(self);
}

static LentCalls *lent_calls_of(ToolContext *context)
{
    return tool_context_state(context, STATE_KEY, lent_calls_create, lent_calls_destroy);
}

void lent_calls_begin(ToolCall *call)
{
    LentCalls *self = lent_calls_of(call->spec->context);
    HOLD_LOCK(&self->lock);
    if (self->lent->len == 0)
        g_clear_pointer(&self->refused, g_ptr_array_unref);
    g_ptr_array_add(self->lent, call);
    self->door = *call->spec->door;
}

/* What a command in the background still asks is asked by a door that may go with the call. */
static void end_questions_locked(LentCalls *self, const ToolCall *lender)
{
    for (guint i = 0; i < self->asking->len; i++) {
        const LentCall *lent = self->asking->pdata[i];
        if (lent->lender == lender) {
            cancel_fire(lent->question);
            pthread_cond_wait(&self->has_asked, &self->lock);
            i = (guint)-1; // another array, perhaps
        }
    }
}

void lent_calls_end(ToolCall *call, ToolResult *result)
{
    LentCalls *self = lent_calls_of(call->spec->context);
    HOLD_LOCK(&self->lock);
    g_ptr_array_remove(self->lent, call);
    end_questions_locked(self, call);
    if (!result->refused)
        result->refused = g_steal_pointer(&self->refused);
    self->door.ask = NULL;
    self->door.choose = NULL;
    if (self->lent->len > 0) {
        const ToolCall *last = self->lent->pdata[self->lent->len - 1];
        self->door = *last->spec->door;
    }
}

/* What was refused to the model is refused to its commands, too. */
static Likeness lent_call_was_refused(const GPtrArray *actions, char **ret_earlier, void *data)
{
    LentCalls *self = ((LentCall *)data)->owner;
    HOLD_LOCK(&self->lock);
    for (guint i = self->lent->len; i > 0; i--) {
        const ToolCallSpec *spec = ((ToolCall *)self->lent->pdata[i - 1])->spec;
        if (spec->was_refused)
            return spec->was_refused(actions, ret_earlier, spec->user_data);
    }
    return LIKENESS_NONE;
}

/* False: its lender has ended. */
static bool begin_question(LentCall *self, Cancel *cancel)
{
    LentCalls *owner = self->owner;
    HOLD_LOCK(&owner->lock);
    if (!g_ptr_array_find(owner->lent, self->lender, NULL))
        return false;
    self->question = cancel_new(cancel);
    if (owner->asking->len == 0)
        owner->asking_since = time_monotonic_ms();
    g_ptr_array_add(owner->asking, self);
    return true;
}

static void end_question(LentCall *self)
{
    LentCalls *owner = self->owner;
    HOLD_LOCK(&owner->lock);
    g_ptr_array_remove(owner->asking, self);
    if (owner->asking->len == 0)
        owner->asked_ms += time_monotonic_ms() - owner->asking_since;
    g_clear_pointer(&self->question, cancel_unref);
    pthread_cond_broadcast(&owner->has_asked);
}

static bool lent_call_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                          void *data, GError **error)
{
    LentCall *self = data;
    if (!begin_question(self, cancel))
        return fail_with(error, KEDGE_ERROR_CANCELLED, "the call of the command has ended");
    bool is_asked =
        self->asked.ask(question, self->question, ret_approved, self->asked.user_data, error);
    end_question(self);
    return is_asked;
}

void lent_calls_make(ToolContext *context, const ToolDef *tool, const json_t *arguments,
                     Cancel *cancel, void *user_data, ToolResult *ret_result)
{
    LentCalls *self = lent_calls_of(context);
    LentCall lent = { .owner = self, .user_data = user_data };
    pthread_mutex_lock(&self->lock);
    lent.asked = self->door;
    lent.lender = self->lent->len > 0 ? self->lent->pdata[self->lent->len - 1] : NULL;
    g_autofree char *id = g_strdup_printf("command/%u", ++self->count);
    pthread_mutex_unlock(&self->lock);
    lent.door = lent.asked;
    lent.door.ask = lent.asked.ask ? lent_call_ask : NULL;
    lent.door.choose = NULL;
    lent.door.wants_whole_text = true;
    lent.door.user_data = &lent;
    const ToolCallSpec spec = {
        .tool = tool,
        .call_id = id,
        .arguments = arguments,
        .context = context,
        .door = &lent.door,
        .cancel = cancel,
        .was_refused = lent_call_was_refused,
        .user_data = &lent,
    };
    tool_call(&spec, ret_result);
    HOLD_LOCK(&self->lock);
    if (ret_result->refused && !self->refused && self->lent->len > 0)
        self->refused = g_ptr_array_ref(ret_result->refused);
}

void *lent_calls_user_data(const ToolCall *call)
{
    return ((LentCall *)call->spec->user_data)->user_data;
}

int64_t lent_calls_asked_ms(ToolContext *context)
{
    if (!context)
        return 0;
    LentCalls *self = lent_calls_of(context);
    HOLD_LOCK(&self->lock);
    return self->asked_ms + (self->asking->len > 0 ? time_monotonic_ms() - self->asking_since : 0);
}
