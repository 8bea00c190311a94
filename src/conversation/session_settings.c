/*
 * Settings that change while a conversation goes on (agent-core §5.1): a file that a person has
 * edited, or another program, counts from the next piece of work on. What a door has chosen stays,
 * unless the file now says something else than before.
 */
#include "conversation/agent_session_private.h"

static bool is_same_text(const Settings *before, const Settings *now, const char *key)
{
    return g_strcmp0(settings_get_text(before, key), settings_get_text(now, key)) == 0;
}

static void take_choices(AgentSession *self, const Settings *before, const Settings *now)
{
    if (!is_same_text(before, now, "steeringMode"))
        message_queue_set_mode(self->steering, settings_get_text(now, "steeringMode"));
    if (!is_same_text(before, now, "followUpMode"))
        message_queue_set_mode(self->follow_ups, settings_get_text(now, "followUpMode"));
    if (!is_same_text(before, now, "interruptMode"))
        run_controls_set_interrupts(
            self->controls, g_strcmp0(settings_get_text(now, "interruptMode"), "wait") != 0);
    bool retries = settings_get_bool(now, "retry.enabled");
    if (retries != settings_get_bool(before, "retry.enabled"))
        run_controls_set_retries(self->controls, retries);
}

bool agent_session_take_settings(AgentSession *self)
{
    if (!settings_have_changed(self->settings))
        return false;
    g_autoptr(GPtrArray) warnings = g_ptr_array_new_with_free_func(g_free);
    Settings *before = self->settings;
    g_ptr_array_add(self->old_settings, before);
    self->settings = settings_reload(before, warnings);
    take_choices(self, before, self->settings);
    g_clear_pointer(&self->saved_tier, g_free);
    engine_take_settings(&self->engine, self->settings);
    for (unsigned i = 0; i < warnings->len; i++)
        event_hub_publish_notice(self->hub, "warning", warnings->pdata[i]);
    return true;
}
