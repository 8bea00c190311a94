/* See repair_notes.h. */
#include "model/repair_notes.h"

typedef struct Note {
    RepairRule rule;
    unsigned count;
    size_t message;
} Note;

struct RepairNotes {
    GArray *notes; // of Note
};

static const char *const texts[] = {
    [REPAIR_NO_MESSAGE] = "what is no message was left out",
    [REPAIR_CHARACTERS] = "control characters were removed, and what was no text was replaced",
    [REPAIR_BLOCK] = "content of an unknown kind was left out",
    [REPAIR_EMPTY] = "empty text was left out, or got a word in its place",
    [REPAIR_ARGUMENTS] = "arguments of a call were made an object",
    [REPAIR_TOOL_NAME] = "a tool's name was made one that servers take",
    [REPAIR_CALL_ID] = "the id of a call was made one that the server takes",
    [REPAIR_DOUBLE_ID] = "a call had the id of another one",
    [REPAIR_LOST_RESULT] = "a result without a call was left out",
    [REPAIR_MOVED_RESULT] = "a result was moved to its call",
    [REPAIR_MISSING_RESULT] = "a call without a result got one",
    [REPAIR_BROKEN_ANSWER] = "an answer that broke off before it said anything was left out",
    [REPAIR_THINKING] = "thinking that the server cannot take back became text, or was left out",
    [REPAIR_THINKING_OFF] = "the request goes without thinking",
    [REPAIR_REASONING] = "reasoning that was lost is not named any more",
    [REPAIR_IMAGE] = "an image was replaced or made smaller",
    [REPAIR_ERROR_IMAGE] = "an image in a failed result was replaced",
    [REPAIR_ROLES] = "a word of the user was put where the server wants one",
    [REPAIR_STUB_TOOLS] = "tools of earlier calls were named",
    [REPAIR_SIZE] = "what is old was left out, that the request fits",
    [REPAIR_RESULT_NAME] = "a result got the name of its call",
    [REPAIR_TREE] = "what the session's tree does not lead to was left out",
    [REPAIR_FENCE] = "an open fence was closed",
    [REPAIR_SECRET] = "a known key was masked",
};

RepairNotes *repair_notes_new(void)
{
    RepairNotes *self = g_new0(RepairNotes, 1);
    self->notes = g_array_new(FALSE, FALSE, sizeof(Note));
    return self;
}

void repair_notes_free(RepairNotes *self)
{
    if (!self)
        return;
    g_array_unref(self->notes);
    g_free(self);
}

/* The notes of one message stand together. */
static Note *find_of_message(RepairNotes *self, RepairRule rule, size_t message)
{
    for (guint i = self->notes->len; i > 0; i--) {
        Note *note = &g_array_index(self->notes, Note, i - 1);
        if (note->message != message)
            return NULL;
        if (note->rule == rule)
            return note;
    }
    return NULL;
}

void repair_notes_add(RepairNotes *self, RepairRule rule, size_t message)
{
    if (!self)
        return;
    Note *known = find_of_message(self, rule, message);
    const Note note = { .rule = rule, .count = 1, .message = message };
    if (known)
        known->count++;
    else
        g_array_append_val(self->notes, note);
}

void repair_notes_join(RepairNotes *self, const RepairNotes *other)
{
    g_array_append_vals(self->notes, other->notes->data, other->notes->len);
}

size_t repair_notes_position(const RepairNotes *self)
{
    return self->notes->len;
}

void repair_notes_rewind(RepairNotes *self, size_t position)
{
    g_assert(position <= self->notes->len);
    g_array_set_size(self->notes, (guint)position);
}

/* "R11" of {"R11":2} counts so many more. */
static void count_rule(json_t *rules, const Note *note)
{
    g_autofree char *name = g_strdup_printf("R%02d", note->rule);
    json_set_int(rules, name, json_get_int(rules, name, 0) + note->count);
}

static int compare_rules(const void *a_, const void *b_)
{
    const Note *a = a_, *b = b_;
    return (int)a->rule - (int)b->rule;
}

static int compare_places(const void *a_, const void *b_)
{
    const Note *a = a_, *b = b_;
    if (a->message == b->message)
        return compare_rules(a, b);
    return a->message < b->message ? -1 : 1;
}

json_t *repair_notes_rules(const RepairNotes *self)
{
    g_autoptr(GArray) sorted = g_array_copy(self->notes);
    g_array_sort(sorted, compare_rules);
    json_t *rules = json_object();
    for (guint i = 0; i < sorted->len; i++)
        count_rule(rules, &g_array_index(sorted, Note, i));
    return rules;
}

json_t *repair_notes_entries(const RepairNotes *self, const json_t *ids)
{
    g_autoptr(GArray) sorted = g_array_copy(self->notes);
    g_array_sort(sorted, compare_places);
    json_t *entries = json_array();
    json_t *rules = NULL; // of the newest entry
    for (guint i = 0; i < sorted->len; i++) {
        const Note *note = &g_array_index(sorted, Note, i);
        const char *id = json_string_value(json_array_get(ids, note->message));
        bool is_new = i == 0 || g_array_index(sorted, Note, i - 1).message != note->message;
        if (is_new && (!id || json_array_size(entries) == REPAIR_LISTED_MAX))
            break;
        if (is_new) {
            rules = json_object();
            json_append_take(entries, json_pack("{s:s, s:o}", "id", id, "rules", rules));
        }
        count_rule(rules, note);
    }
    return entries;
}

const char *repair_rule_text(const char *name)
{
    for (size_t i = 1; i < G_N_ELEMENTS(texts); i++) {
        g_autofree char *own = g_strdup_printf("R%02zu", i);
        if (texts[i] && g_str_equal(own, name))
            return texts[i];
    }
    return NULL;
}
