/* See repair_memory.h. */
#include "agent/repair_memory.h"

#include "base/utf8.h"
#include "session/session_tree.h"

#define CUSTOM_TYPE       "kedge.repair"
#define PROBLEM_MAX_CHARS 500
#define LOOKED_AT_MAX     1000 // the newest of such entries on a path

static const char *const names[] = { [STRONG_BY_WORDS] = "S1", [STRONG_TEXT] = "S2" };

const char *repair_memory_name(StrongRepair how)
{
    return names[how];
}

void repair_memory_note(Session *session, StrongRepair how, const char *problem, const char *up_to)
{
    g_autofree char *words = utf8_ellipsize(problem, PROBLEM_MAX_CHARS);
    json_t *data = json_make("strong:%s problem:%s upTo:%s", names[how], words, up_to);
    session_append_fields(session, "custom", json_make("customType:%s data:%p", CUSTOM_TYPE, data));
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

typedef struct Remembered {
    const json_t *data; // borrowed
    StrongRepair how;
    size_t behind; // messages of the path after its upTo; all when that is not there
} Remembered;

/* Newest first, without those that a newer one makes needless: it holds for at least as much of the
   conversation. So they are few, however many the path has. */
static GArray *find_remembered(const GPtrArray *path)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(Remembered));
    unsigned reach = 0;
    unsigned looked_at = 0;
    for (guint i = path->len; i > 0 && reach != REPAIR_REACH_ALL && looked_at < LOOKED_AT_MAX;
         i--) {
        Remembered one = { .behind = G_MAXSIZE };
        one.data = data_of(path->pdata[i - 1], &one.how);
        if (!one.data)
            continue;
        looked_at++;
        unsigned own = repair_strong_reach(one.how, json_get_text(one.data, "problem"));
        if ((own & ~reach) != 0)
            g_array_append_val(found, one);
        reach |= own;
    }
    return found;
}

/* In one walk for all of them. */
static void count_behind(const GPtrArray *path, GArray *remembered)
{
    size_t behind = 0;
    guint missing = remembered->len;
    for (guint i = path->len; i > 0 && missing > 0; i--) {
        const json_t *entry = path->pdata[i - 1];
        const char *id = json_get_text(entry, "id");
        for (guint j = 0; j < remembered->len; j++) {
            Remembered *one = &g_array_index(remembered, Remembered, j);
            if (one->behind == G_MAXSIZE && g_strcmp0(json_get_text(one->data, "upTo"), id) == 0) {
                one->behind = behind;
                missing--;
            }
        }
        g_autoptr(json_t) message = session_entry_message(entry);
        bool is_summary = g_strcmp0(json_get_text(entry, "type"), "compaction") == 0;
        behind += message && !is_summary; // a summary comes before what was kept
    }
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

json_t *repair_memory_apply(const GPtrArray *path, json_t *messages)
{
    g_autoptr(GArray) remembered = find_remembered(path);
    count_behind(path, remembered);
    size_t size = json_array_size(messages);
    for (guint i = remembered->len; i > 0; i--) {
        const Remembered *one = &g_array_index(remembered, Remembered, i - 1);
        if (one->behind < size)
            messages = repair_first(messages, size - one->behind, one->how,
                                    json_get_text(one->data, "problem"));
    }
    return messages;
}
