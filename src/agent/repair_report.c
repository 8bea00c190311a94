/* See repair_report.h. */
#include "agent/repair_report.h"

/* "3 images", "1 result of a tool". */
static void append_count(GString *text, size_t count, const char *one, const char *many)
{
    if (count > 0)
        g_string_append_printf(text, "%s%zu %s", text->len > 0 ? " and " : "", count,
                               count == 1 ? one : many);
}

/* What gives way for the size of requests is not seen by the model: the person is told. */
static void tell_left_out(Conversation *conversation)
{
    LeftOut now = body_cache_left_out(conversation->bodies);
    LeftOut told = conversation->told_left_out;
    if (now.images == told.images && now.results == told.results)
        return;
    conversation->told_left_out = now;
    if (now.images + now.results == 0)
        return;
    g_autoptr(GString) text = g_string_new(NULL);
    append_count(text, now.images, "image", "images");
    append_count(text, now.results, "result of a tool", "results of tools");
    g_string_append_printf(
        text,
        " of this conversation %s left out of requests, with a note in the place, "
        "for the server takes no larger ones.",
        now.images + now.results == 1 ? "is" : "are");
    agent_events_emit_notice(conversation->events, "warning", text->str);
}

/* The ids of what repair_notes_entries() lists. New reference. */
static json_t *ids_of(const json_t *entries)
{
    json_t *ids = json_array();
    json_each (entries, i, entry)
        json_array_append(ids, json_object_get(entry, "id"));
    return ids;
}

void repair_report_tell(Conversation *conversation)
{
    tell_left_out(conversation);
    g_autoptr(RepairNotes) notes = body_cache_repairs(conversation->bodies);
    repair_notes_join(notes, conversation->loaded);
    g_autoptr(json_t) entries = repair_notes_entries(notes, conversation->entry_ids);
    g_autoptr(json_t) rules = repair_notes_rules(notes);
    // a turn without thinking is no damage to the session
    if (json_array_size(entries) == 0 && !json_object_get(rules, "R19"))
        return;
    g_autoptr(json_t) ids = ids_of(entries);
    // which entries, not how often a rule was needed: turns without thinking are counted there, too
    bool is_known = json_equal(ids, conversation->told_repairs);
    json_decref(conversation->told_repairs);
    conversation->told_repairs = json_incref(ids);
    if (is_known)
        return;
    json_t *event = agent_event_new(EVENT_SESSION_REPAIR);
    json_add(event, "rules:%p entries:%p strong:%p", json_incref(rules), json_incref(ids),
             json_null());
    agent_events_emit(conversation->events, event);
}

void repair_report_tell_strong(const Conversation *conversation, const json_t *before,
                               const char *name)
{
    json_t *entries = json_array();
    for (size_t i = 0; i < json_array_size(before) && json_array_size(entries) < REPAIR_LISTED_MAX;
         i++) {
        if (!json_equal(json_array_get(before, i), json_array_get(conversation->messages, i)))
            json_array_append(entries, json_array_get(conversation->entry_ids, i));
    }
    json_t *event = agent_event_new(EVENT_SESSION_REPAIR);
    json_add(event, "rules:%p entries:%p strong:%s", json_object(), entries, name);
    agent_events_emit(conversation->events, event);
}
