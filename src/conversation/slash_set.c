/* See slash_set.h. */
#include "conversation/slash_set.h"

#include "base/str.h"

typedef struct SlashEntry {
    const SessionCommand *command;
    const char *source;
    bool is_reported; // that an earlier one has its name
} SlashEntry;

struct SlashSet {
    GArray *entries; // of SlashEntry, in the order of their coming
    void (*changed)(void *user_data);
    void *user_data;
};

SlashSet *slash_set_new(void)
{
    SlashSet *self = g_new0(SlashSet, 1);
    self->entries = g_array_new(false, false, sizeof(SlashEntry));
    return self;
}

void slash_set_free(SlashSet *self)
{
    if (!self)
        return;
    g_array_unref(self->entries);
    g_free(self);
}

static SlashEntry *entry_at(const SlashSet *self, size_t index)
{
    return &g_array_index(self->entries, SlashEntry, index);
}

static void note_change(const SlashSet *self)
{
    if (self->changed)
        self->changed(self->user_data);
}

void slash_set_add(SlashSet *self, const char *source, const SessionCommand *commands)
{
    for (const SessionCommand *command = commands; command->name || command->slash; command++) {
        const SlashEntry entry = { command, source, false };
        if (command->slash)
            g_array_append_val(self->entries, entry);
    }
    note_change(self);
}

bool slash_set_remove(SlashSet *self, const char *source, const char *name)
{
    guint before = self->entries->len;
    for (guint i = before; i-- > 0;) {
        const SlashEntry *entry = entry_at(self, i);
        bool is_meant = !name || g_str_equal(entry->command->slash, name);
        if (is_meant && g_str_equal(entry->source, source))
            g_array_remove_index(self->entries, i);
    }
    if (self->entries->len < before)
        note_change(self);
    return self->entries->len < before;
}

bool slash_set_has_source(const SlashSet *self, const char *source)
{
    for (guint i = 0; i < self->entries->len; i++) {
        if (g_str_equal(entry_at(self, i)->source, source))
            return true;
    }
    return false;
}

/* The first of that name, then of that alias; NULL: none. */
static const SlashEntry *find_entry(const SlashSet *self, const char *name)
{
    const SlashEntry *found = NULL;
    for (guint i = 0; i < self->entries->len; i++) {
        const SlashEntry *entry = entry_at(self, i);
        if (g_str_equal(entry->command->slash, name))
            return entry;
        if (!found && g_strcmp0(entry->command->alias, name) == 0)
            found = entry;
    }
    return found;
}

const SessionCommand *slash_set_find(const SlashSet *self, const char *name)
{
    const SlashEntry *entry = find_entry(self, name);
    return entry ? entry->command : NULL;
}

bool slash_set_at(const SlashSet *self, size_t index, const SessionCommand **ret_command,
                  const char **ret_source)
{
    for (guint i = 0; i < self->entries->len; i++) {
        const SlashEntry *entry = entry_at(self, i);
        if (find_entry(self, entry->command->slash) != entry || index-- > 0)
            continue;
        *ret_command = entry->command;
        if (ret_source)
            *ret_source = entry->source;
        return true;
    }
    return false;
}

const char *slash_set_nearest(const SlashSet *self, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < self->entries->len; i++)
        g_ptr_array_add(names, (gpointer)entry_at(self, i)->command->slash);
    g_ptr_array_add(names, NULL);
    return str_nearest(name, (const char *const *)names->pdata);
}

char *slash_set_take_clash(SlashSet *self)
{
    for (guint i = 0; i < self->entries->len; i++) {
        SlashEntry *entry = entry_at(self, i);
        const char *name = entry->command->slash;
        const SlashEntry *first = find_entry(self, name);
        if (first == entry || entry->is_reported)
            continue;
        entry->is_reported = true;
        return g_strdup_printf("/%s is the command of %s; the one of %s is not used", name,
                               first->source, entry->source);
    }
    return NULL;
}

void slash_set_watch(SlashSet *self, void (*changed)(void *user_data), void *user_data)
{
    self->changed = changed;
    self->user_data = user_data;
}
