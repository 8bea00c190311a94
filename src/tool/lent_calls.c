/* See lent_calls.h. */
#include "tool/lent_calls.h"

#include "base/lock.h"
#include "base/timefmt.h"
#include "tool/call_private.h"

#define STATE_KEY "lent-calls"

typedef struct LentCalls {
    pthread_mutex_t lock;
    GPtrArray *lent;    // of ToolCall *: those whose commands run in front of them
    ToolDoor door;      // of the last one
    GPtrArray *refused; // what was, since the first of `lent` began; NULL: nothing
    unsigned count;
    unsigned asking; // questions that are open
    int64_t asked_ms, asking_since;
} LentCalls;

typedef struct LentCall { // one that a command makes
    LentCalls *owner;
    ToolDoor door, lender; // what the call sees, and whose it is
    void *user_data;
} LentCall;

static void *lent_calls_create(void)
{
    LentCalls *self = g_new0(LentCalls, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->lent = g_ptr_array_new();
    self->door = (ToolDoor) { .kind = DOOR_AGENT, .is_read_only = true, .serves_model = true };
    return self;
}

static void lent_calls_destroy(void *data)
{
    LentCalls *self = data;
    pthread_mutex_destroy(&self->lock);
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

void lent_calls_end(ToolCall *call, ToolResult *result)
{
    LentCalls *self = lent_calls_of(call->spec->context);
    HOLD_LOCK(&self->lock);
    g_ptr_array_remove(self->lent, call);
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

static void note_asking(LentCalls *self, bool begins)
{
    HOLD_LOCK(&self->lock);
    int64_t now = time_monotonic_ms();
    if (begins && self->asking++ == 0)
        self->asking_since = now;
    if (!begins && --self->asking == 0)
        self->asked_ms += now - self->asking_since;
}

static bool lent_call_ask(const ToolQuestion *question, Cancel *cancel, bool *ret_approved,
                          void *data, GError **error)
{
    LentCall *self = data;
    note_asking(self->owner, true);
    bool is_asked = self->lender.ask(question, cancel, ret_approved, self->lender.user_data, error);
    note_asking(self->owner, false);
    return is_asked;
}

void lent_calls_make(ToolContext *context, const ToolDef *tool, const json_t *arguments,
                     Cancel *cancel, void *user_data, ToolResult *ret_result)
{
    LentCalls *self = lent_calls_of(context);
    LentCall lent = { .owner = self, .user_data = user_data };
    pthread_mutex_lock(&self->lock);
    lent.lender = self->door;
    g_autofree char *id = g_strdup_printf("command/%u", ++self->count);
    pthread_mutex_unlock(&self->lock);
    lent.door = lent.lender;
    lent.door.ask = lent.lender.ask ? lent_call_ask : NULL;
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
    return self->asked_ms + (self->asking > 0 ? time_monotonic_ms() - self->asking_since : 0);
}
