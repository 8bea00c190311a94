/*
 * Checking the request of a stored conversation (request_check.h).
 */
#include "agent/request_check.h"

#include "agent/conversation.h"
#include "base/visible.h"
#include "model/provider.h"
#include "model/repair_notes.h"
#include "session/entry.h"

#define PROMPT "Continue."

static bool names_its_model(const json_t *message)
{
    return g_strcmp0(json_get_text(message, "role"), "assistant") == 0 &&
           json_get_text(message, "provider") && json_get_text(message, "model") &&
           json_get_text(message, "api");
}

const json_t *request_check_last_answer(const SessionCopy *copy)
{
    g_autoptr(GPtrArray) path = session_copy_path(copy);
    for (guint i = path->len; i > 0; i--) {
        const json_t *message = json_get_object(path->pdata[i - 1], "message");
        if (names_its_model(message))
            return message;
    }
    return NULL;
}

/* The copy's entries are values, which do not show what their lines were. */
static void note_mended(const SessionCopy *copy, const SessionContext *saved, RepairNotes *notes)
{
    json_each (saved->entry_ids, place, id) {
        json_each (copy->mended, i, mended) {
            if (json_equal(id, mended))
                repair_notes_add(notes, REPAIR_CHARACTERS, place);
        }
    }
}

json_t *request_check(const SessionCopy *copy, const Model *model, const ThinkingLevel *level)
{
    ThinkingLevel thinking = THINKING_OFF;
    g_auto(SessionContext) saved = { 0 };
    g_autoptr(GPtrArray) path = session_copy_path(copy);
    g_autoptr(CallIds) ids = call_ids_new();
    g_autoptr(RepairNotes) notes = repair_notes_new();
    session_context_build(copy->entries, copy->leaf ? entry_id(copy->leaf) : "", &saved);
    note_mended(copy, &saved, notes);
    g_autoptr(json_t) messages = conversation_take_over(&saved, path, ids, NULL, notes);
    json_append_take(messages, json_pack("{s:s, s:s}", "role", "user", "content", PROMPT));
    thinking_level_parse(saved.thinking_level, &thinking);
    g_autoptr(json_t) tools = json_pack("[{s:s, s:s, s:{s:s}}]", "name", "read", "description", "",
                                        "parameters", "type", "object");
    g_autoptr(BodyCache) bodies = body_cache_new();
    const ProviderRequest request = {
        .model = model,
        .messages = messages,
        .tools = tools,
        .thinking = model_clamp_thinking(model, level ? *level : thinking),
        .bodies = bodies,
    };
    size_t size = 0;
    g_free(body_make(&request, &size));
    g_autoptr(RepairNotes) made = body_cache_repairs(bodies);
    repair_notes_join(notes, made);
    return json_make("rules:%p entries:%p", repair_notes_rules(notes),
                     repair_notes_entries(notes, saved.entry_ids));
}

void request_check_append(GString *out, const json_t *report)
{
    g_autofree char *title = g_strdup_printf(
        "  request to %s (%s):", json_get_text(report, "target"), json_get_text(report, "api"));
    visible_append(out, title);
    json_each_member (json_get_object(report, "rules"), name, value)
        g_string_append_printf(out, "\n    %s, %" JSON_INTEGER_FORMAT " ×: %s", name,
                               json_integer_value(value), repair_rule_text(name));
    json_each (json_get_array(report, "entries"), i, value) {
        g_string_append(out, "\n    entry ");
        visible_append(out, json_get_text(value, "id"));
        const char *separator = ": ";
        json_each_member (json_get_object(value, "rules"), name, count) {
            g_string_append_printf(out, "%s%s", separator, name);
            separator = ", ";
        }
    }
    g_string_append_c(out, '\n');
}
