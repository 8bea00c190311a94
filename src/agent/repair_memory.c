/*
 * Remembered repairs (repair_memory.h).
 */
#include "agent/repair_memory.h"

#include "base/utf8.h"
#include "session/session_tree.h"

#define CUSTOM_TYPE       "kedge.repair"
#define PROBLEM_MAX_CHARS 500

static const char *const names[] = { [STRONG_BY_WORDS] = "S1", [STRONG_TEXT] = "S2" };

const char *repair_memory_name(StrongRepair how)
{
    return names[how];
}

void repair_memory_note(Session *session, StrongRepair how, const char *problem, const char *up_to)
{
    g_autofree char *words = utf8_ellipsize(problem, PROBLEM_MAX_CHARS);
    json_t *data = json_object();
    json_set_text(data, "strong", names[how]);
    json_set_text(data, "problem", words);
    json_set_text(data, "upTo", up_to);
    json_t *fields = json_object();
    json_set_text(fields, "customType", CUSTOM_TYPE);
    json_set_take(fields, "data", data);
    session_append_fields(session, "custom", fields);
}

/* The data of such an entry, borrowed; NULL: it is another one, or says too little. */
static const json_t *data_of(const json_t *entry, StrongRepair *ret_how)
{
    const json_t *data = json_get_object(entry, "data");
    const char *name = json_get_text(data, "strong");
    if (g_strcmp0(json_get_text(entry, "type"), "custom") != 0 ||
        g_strcmp0(json_get_text(entry, "customType"), CUSTOM_TYPE) != 0 ||
        !json_get_text(data, "problem") || !json_get_text(data, "upTo"))
        return NULL;
    *ret_how = g_strcmp0(name, names[STRONG_TEXT]) == 0 ? STRONG_TEXT : STRONG_BY_WORDS;
    return data;
}

/* How many messages of the path come behind that entry; all of them when it is not there. */
static size_t messages_behind(const GPtrArray *path, const char *entry_id)
{
    size_t behind = 0;
    for (guint i = path->len; i > 0; i--) {
        const json_t *entry = path->pdata[i - 1];
        if (g_strcmp0(json_get_text(entry, "id"), entry_id) == 0)
            return behind;
        g_autoptr(json_t) message = session_entry_message(entry);
        bool is_summary = g_strcmp0(json_get_text(entry, "type"), "compaction") == 0;
        behind += message && !is_summary; // a summary stands before what was kept
    }
    return G_MAXSIZE;
}

/* The first `count` messages in that form, the others as they are. Takes the reference. */
static json_t *repair_first(json_t *messages, size_t count, StrongRepair how, const char *problem)
{
    g_autoptr(json_t) all = messages;
    g_autoptr(json_t) first = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append(first, json_array_get(all, i));
    json_t *out = repair_strongly(first, how, problem);
    for (size_t i = count; i < json_array_size(all); i++)
        json_array_append(out, json_array_get(all, i));
    return out;
}

json_t *repair_memory_apply(const Session *session, json_t *messages)
{
    g_autoptr(GPtrArray) path = session_path_to(session, NULL);
    for (guint i = 0; i < path->len; i++) {
        StrongRepair how = STRONG_BY_WORDS;
        const json_t *data = data_of(path->pdata[i], &how);
        if (!data)
            continue;
        size_t behind = messages_behind(path, json_get_text(data, "upTo"));
        size_t size = json_array_size(messages);
        if (behind < size)
            messages = repair_first(messages, size - behind, how, json_get_text(data, "problem"));
    }
    return messages;
}
