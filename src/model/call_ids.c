/* See call_ids.h. */
#include "model/call_ids.h"

#include "model/message.h"
#include "model/wire.h"

#include <inttypes.h>

struct CallIds {
    GHashTable *used; // id, owned → the number to try next behind it when it comes again
    int64_t count;    // of calls so far
};

CallIds *call_ids_new(void)
{
    CallIds *self = g_new0(CallIds, 1);
    self->used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return self;
}

void call_ids_free(CallIds *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->used);
    g_free(self);
}

char *call_ids_take(CallIds *self, const char *id)
{
    self->count++;
    g_autofree char *base =
        id && *id ? g_strdup(id) : g_strdup_printf("call_%" PRId64, self->count);
    char *taken = g_strdup(base);
    guint number = GPOINTER_TO_UINT(g_hash_table_lookup(self->used, base));
    while (g_hash_table_contains(self->used, taken)) {
        g_free(taken);
        taken = g_strdup_printf("%s_%u", base, number++);
        g_hash_table_insert(self->used, g_strdup(base), GUINT_TO_POINTER(number));
    }
    g_hash_table_insert(self->used, g_strdup(taken), GUINT_TO_POINTER(2));
    return taken;
}

// ---- a conversation that exists ----

typedef struct Renaming { // of the calls of one assistant message
    char *from, *to;
} Renaming;

static void renaming_clear(void *renaming_)
{
    Renaming *renaming = renaming_;
    g_free(renaming->from);
    g_free(renaming->to);
}

static bool has_string_id(const json_t *object, const char *key, const char *id)
{
    const char *have = json_get_text(object, key);
    return strcmp(have ? have : "", id) == 0;
}

/* New reference. The old and new ids of all calls are left in `renamings`. */
static json_t *adopt_answer(CallIds *self, json_t *message, size_t place, GArray *renamings,
                            RepairNotes *notes)
{
    g_array_set_size(renamings, 0);
    json_t *content = json_get_array(message, "content");
    json_t *copy = NULL;
    json_each (content, i, block) {
        if (!wire_block_is(block, "toolCall"))
            continue;
        const char *id = json_get_text(block, "id");
        Renaming renaming = { g_strdup(id ? id : ""), call_ids_take(self, id) };
        g_array_append_val(renamings, renaming);
        if (id && strcmp(renaming.from, renaming.to) == 0)
            continue;
        repair_notes_add(notes, id && *id ? REPAIR_DOUBLE_ID : REPAIR_CALL_ID, place);
        if (!copy) {
            copy = json_copy(message);
            json_set_take(copy, "content", json_copy(content));
        }
        json_t *renamed = json_copy(block);
        json_set_text(renamed, "id", renaming.to);
        json_array_set_new(json_get_array(copy, "content"), i, renamed);
    }
    return copy ? copy : json_incref(message);
}

/* New reference. The first call of that id that has no result yet is the one it answers. */
static json_t *adopt_result(json_t *message, GArray *renamings)
{
    for (guint i = 0; i < renamings->len; i++) {
        const Renaming *renaming = &g_array_index(renamings, Renaming, i);
        if (!has_string_id(message, "toolCallId", renaming->from))
            continue;
        json_t *adopted = json_incref(message);
        if (strcmp(renaming->from, renaming->to) != 0) {
            json_decref(adopted);
            adopted = json_copy(message);
            json_set_text(adopted, "toolCallId", renaming->to);
        }
        g_array_remove_index(renamings, i);
        return adopted;
    }
    return json_incref(message);
}

json_t *call_ids_adopt(CallIds *self, const json_t *messages, RepairNotes *notes)
{
    g_autoptr(GArray) renamings = g_array_new(FALSE, FALSE, sizeof(Renaming));
    g_array_set_clear_func(renamings, renaming_clear);
    json_t *adopted = json_array();
    json_each (messages, i, message) {
        const char *role = message_role(message);
        json_t *taken = NULL;
        if (strcmp(role, "assistant") == 0)
            taken = adopt_answer(self, message, i, renamings, notes);
        else if (strcmp(role, "toolResult") == 0)
            taken = adopt_result(message, renamings);
        json_append_take(adopted, taken ? taken : json_incref(message));
    }
    return adopted;
}
