/* See setup.h. */
#include "agent/setup.h"

#include "base/lock.h"

#define INTENT_HELP "Why, in a few words"

/* `_i` comes first, so that the model says what it is about before it does it. What it is for is
   said once, at the first tool: a request carries all of them. */
static void add_intent_property(json_t *description, bool is_first)
{
    json_t *parameters = json_get_object(description, "parameters");
    json_t *old = json_get_object(parameters, "properties");
    json_t *intent = json_make("type:%s", "string");
    if (is_first)
        json_set_text(intent, "description", INTENT_HELP);
    json_t *properties = json_object();
    json_set_take(properties, SETUP_INTENT_FIELD, intent);
    json_object_update(properties, old);
    json_set_take(parameters, "properties", properties);
}

/* What servers keep of a request ends where the next one differs, and tools stand at its beginning.
   So what is found comes after what was there, in the order in which it was found, also when the
   session is opened again; each tool is described as one among all of them, whether found or not,
   and the system prompt names only those that are offered from the start. */
static json_t *describe_tools(const TurnSetup *self, const ToolSet *offered)
{
    json_t *list = json_array();
    for (size_t i = 0; i < tool_set_count(offered); i++) {
        const ToolDef *tool = tool_set_at(offered, i);
        json_t *known = json_array_get(self->tool_list, i); // as it was told, whatever has changed
        if (g_strcmp0(json_get_text(known, "name"), tool->name) == 0) {
            json_array_append(list, known);
            continue;
        }
        json_t *description = tool_describe(tool, self->tools);
        if (self->has_intent_tracing)
            add_intent_property(description, i == 0);
        json_append_take(list, description);
    }
    return list;
}

static json_t *tool_list_locked(TurnSetup *self)
{
    unsigned version = self->found ? found_tools_version(self->found) : 0;
    if (self->tool_list && version == self->found_version)
        return self->tool_list;
    g_auto(GStrv) found = self->found ? found_tools_names(self->found, &version) : NULL;
    g_autoptr(ToolSet) offered = tool_set_offered(self->tools, (const char *const *)found);
    json_t *list = describe_tools(self, offered);
    json_decref(self->tool_list);
    self->tool_list = list;
    self->found_version = version;
    return self->tool_list;
}

json_t *turn_setup_tool_list(TurnSetup *self)
{
    HOLD_LOCK(&self->lock);
    return json_incref(tool_list_locked(self));
}

static ToolSet *tools_for(const TurnSetupSpec *spec)
{
    if (!spec->tools)
        return tool_set_new(NULL);
    return spec->settings ? tool_set_for_model(spec->tools, spec->settings, spec->model->id)
                          : tool_set_ref(spec->tools);
}

TurnSetup *turn_setup_new(const TurnSetupSpec *spec)
{
    TurnSetup *self = g_new0(TurnSetup, 1);
    self->references = 1;
    self->model = spec->model;
    self->is_model_named = spec->is_model_named;
    self->in_place_of = spec->in_place_of;
    self->thinking = model_clamp_thinking(spec->model, spec->thinking);
    self->has_intent_tracing = spec->has_intent_tracing;
    self->settings = spec->settings ? settings_ref((Settings *)spec->settings) : NULL;
    self->tools = tools_for(spec);
    self->offered = tool_set_offered(self->tools, NULL);
    self->found = spec->found ? found_tools_ref(spec->found) : NULL;

    pthread_mutex_init(&self->lock, NULL);
    self->has_prompt = spec->prompt != NULL;
    if (spec->prompt)
        self->prompt = *spec->prompt;
    self->prompt.tools = self->offered;
    if (spec->prompt_of) {
        pthread_mutex_lock(&spec->prompt_of->lock);
        self->system_blocks = g_strdupv(spec->prompt_of->system_blocks);
        pthread_mutex_unlock(&spec->prompt_of->lock);
    }
    return self;
}

const char *const *turn_setup_system_blocks(TurnSetup *self, GPtrArray *warnings,
                                            GString *context_note)
{
    PromptOptions prompt = self->prompt;
    prompt.context_note = context_note;
    HOLD_LOCK(&self->lock);
    if (!self->system_blocks && self->has_prompt)
        self->system_blocks = prompt_build(&prompt, warnings);
    const char *const *blocks = (const char *const *)self->system_blocks;
    return blocks;
}

json_t *turn_setup_system_json(TurnSetup *self)
{
    json_t *list = json_array();
    const char *const *blocks = turn_setup_system_blocks(self, NULL, NULL);
    for (size_t i = 0; blocks && blocks[i]; i++)
        json_append_take(list, json_text(blocks[i]));
    return list;
}

json_t *turn_setup_state(TurnSetup *self)
{
    return json_make("model:%p thinkingLevel:%s dumpTools:%p", model_to_json(self->model),
                     thinking_level_name(self->thinking), turn_setup_tool_list(self));
}

TurnSetup *turn_setup_ref(TurnSetup *self)
{
    g_atomic_int_inc(&self->references);
    return self;
}

void turn_setup_unref(TurnSetup *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->references))
        return;
    tool_set_unref(self->tools);
    tool_set_unref(self->offered);
    found_tools_unref(self->found);
    settings_unref(self->settings);
    g_strfreev(self->system_blocks);
    pthread_mutex_destroy(&self->lock);
    json_decref(self->tool_list);
    g_free(self);
}

struct SetupSlot {
    pthread_mutex_t lock; // guards the rest
    TurnSetup *setup;
    char *forced_tool; // NULL: none
};

SetupSlot *setup_slot_new(TurnSetup *setup)
{
    SetupSlot *self = g_new0(SetupSlot, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->setup = setup;
    return self;
}

void setup_slot_free(SetupSlot *self)
{
    if (!self)
        return;
    turn_setup_unref(self->setup);
    g_free(self->forced_tool);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

void setup_slot_force_tool(SetupSlot *self, const char *tool)
{
    HOLD_LOCK(&self->lock);
    g_free(self->forced_tool);
    self->forced_tool = g_strdup(tool);
}

char *setup_slot_take_forced(SetupSlot *self)
{
    HOLD_LOCK(&self->lock);
    return g_steal_pointer(&self->forced_tool);
}

void setup_slot_set(SetupSlot *self, TurnSetup *setup)
{
    pthread_mutex_lock(&self->lock);
    TurnSetup *old = self->setup;
    self->setup = setup;
    pthread_mutex_unlock(&self->lock);
    turn_setup_unref(old);
}

TurnSetup *setup_slot_get(SetupSlot *self)
{
    HOLD_LOCK(&self->lock);
    return turn_setup_ref(self->setup);
}
