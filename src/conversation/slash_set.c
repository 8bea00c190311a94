/* See slash_set.h. */
#include "conversation/slash_set.h"

#include "base/str.h"
#include "conversation/slash_words.h"

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

typedef struct SlashEntry {
    const SessionCommand *command;
    const char *source;
    bool is_reported; // that an earlier one has its name
} SlashEntry;

struct SlashSet {
    GArray *entries; // of SlashEntry, in the order of their coming
    void (*changed)(void *user_data);
    void *user_data;
    char *held; // the line that slash_set_hold() has held last; NULL: another came since
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
    g_free(self->held);
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

/* The first of that name; NULL: none. */
static const SlashEntry *find_entry(const SlashSet *self, const char *name)
{
    for (guint i = 0; i < self->entries->len; i++) {
        const SlashEntry *entry = entry_at(self, i);
        if (g_str_equal(entry->command->slash, name))
            return entry;
    }
    return NULL;
}

const SessionCommand *slash_set_find(const SlashSet *self, const char *name)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);
    const SlashWord *word = slash_word_find(lower);
    const SlashEntry *entry = find_entry(self, name);
    if (!entry)
        entry = find_entry(self, lower);
    if (!entry && word && word->command)
        entry = find_entry(self, word->command);
    return entry ? entry->command : NULL;
}

/* What is after the slash, up to a blank; caller frees. NULL: that is no name. */
static char *typed_name(const char *line)
{
    size_t size = *line == '/' ? strspn(line + 1, NAME_CHARACTERS) : 0;
    bool is_name = size > 0 && strchr(" \t\n", line[1 + size]);
    return is_name ? g_strndup(line + 1, size) : NULL;
}

const SessionCommand *slash_set_find_typed(const SlashSet *self, const char *line,
                                           const char **ret_argument)
{
    g_autofree char *name = typed_name(line);
    const SessionCommand *command = name ? slash_set_find(self, name) : NULL;
    if (command)
        *ret_argument = line + 1 + strlen(name) + strspn(line + 1 + strlen(name), " \t\n");
    return command;
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

// ---- lines that name none ----

/* The nearest name, of a command or a word; NULL: none is near. */
static const char *nearest_name(const SlashSet *self, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    const SlashWord *word = NULL;
    for (guint i = 0; i < self->entries->len; i++)
        g_ptr_array_add(names, (gpointer)entry_at(self, i)->command->slash);
    for (size_t i = 0; (word = slash_word_at(i)); i++) {
        if (!word->command || find_entry(self, word->command))
            g_ptr_array_add(names, (gpointer)word->word);
    }
    g_ptr_array_add(names, NULL);
    return str_nearest(name, (const char *const *)names->pdata);
}

/* NULL: there is nothing to say. Caller frees. */
static char *why_no_command(const SlashSet *self, const char *name, bool is_alone)
{
    g_autofree char *lower = g_ascii_strdown(name, -1);
    const SlashWord *word = slash_word_find(lower);
    const char *near = nearest_name(self, lower);
    if (word && word->answer)
        return g_strdup_printf("there is no /%s: %s.", name, word->answer);
    if (word)
        return is_alone
                   ? g_strdup_printf("/%s is a command of kedge's own terminal.", word->command)
                   : NULL;
    if (near)
        return g_strdup_printf("there is no /%s: did you mean /%s?", name, near);
    return is_alone ? g_strdup_printf("there is no command /%s.", name) : NULL;
}

char *slash_set_hold(SlashSet *self, const char *line, bool (*has)(const SessionCommand *command))
{
    g_autofree char *before = g_steal_pointer(&self->held), *name = typed_name(line);
    const char *argument = NULL;
    const SessionCommand *command = slash_set_find_typed(self, line, &argument);
    if (!name || g_strcmp0(before, line) == 0 || (command && (!has || has(command))))
        return NULL;
    bool is_alone = line[1 + strlen(name)] == '\0';
    char *text = !command   ? why_no_command(self, name, is_alone)
                 : is_alone ? g_strdup_printf("/%s is a command of kedge's own terminal: %s.",
                                              command->slash, command->summary)
                            : NULL;
    if (text)
        self->held = g_strdup(line);
    return text;
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
