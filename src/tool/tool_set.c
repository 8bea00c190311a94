/*
 * Sets of tools: finding and choosing them (tool_set.h).
 */
#include "tool/tool_set.h"

#include "base/str.h"
#include "tool/tool_discovery.h"
#include "tool/tool_name.h"

typedef struct Entry {
    const ToolDef *def;
    DynamicTool *owner;  // a reference; NULL for a static definition
    const ToolDef *base; // of which `def` is a form
    bool waits;          // until it is found
} Entry;

struct ToolSet {
    int ref_count;            // atomic
    GArray *entries;          // of Entry
    const Settings *settings; // a reference; NULL: of none
};

static const struct {
    const char *name, *implied; // a list with `name` has `implied` behind it
} implications[] = {
    { "grep", "ast_grep" },
    { "edit", "ast_edit" },
    { "bash", "recipe" },
    { "ast_edit", "resolve" }, // behind "edit": resolve comes with what can show a preview
};

static const struct {
    const char *name, *needed; // one that is found brings the other along
} companions[] = {
    { "ast_edit", "resolve" },
    { "checkpoint", "rewind" },
};

static void entry_clear(void *data)
{
    Entry *entry = data;
    dynamic_tool_unref(entry->owner);
}

static ToolSet *set_new(const Settings *settings)
{
    ToolSet *self = g_new0(ToolSet, 1);
    self->settings = settings ? settings_ref((Settings *)settings) : NULL;
    self->ref_count = 1;
    self->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    g_array_set_clear_func(self->entries, entry_clear);
    return self;
}

static const Entry *entry_at(const ToolSet *self, size_t index)
{
    return &g_array_index(self->entries, Entry, index);
}

static void tool_set_append(ToolSet *self, const Entry *entry)
{
    Entry copy = *entry;
    if (copy.owner)
        dynamic_tool_ref(copy.owner);
    g_array_append_val(self->entries, copy);
}

ToolSet *tool_set_new(const ToolDef *const *table)
{
    ToolSet *self = set_new(NULL);
    for (; table && *table; table++)
        tool_set_append(self, &(Entry) { *table, NULL, *table, false });
    return self;
}

ToolSet *tool_set_ref(const ToolSet *self)
{
    ToolSet *shared = (ToolSet *)self;
    g_atomic_int_inc(&shared->ref_count);
    return shared;
}

void tool_set_unref(ToolSet *self)
{
    if (!self || !g_atomic_int_dec_and_test(&self->ref_count))
        return;
    g_array_unref(self->entries);
    settings_unref((Settings *)self->settings);
    g_free(self);
}

const Settings *tool_set_settings(const ToolSet *self)
{
    return self->settings;
}

size_t tool_set_count(const ToolSet *self)
{
    return self->entries->len;
}

const ToolDef *tool_set_at(const ToolSet *self, size_t index)
{
    return entry_at(self, index)->def;
}

/* Any case, as people type them; what a model calls is told apart by tool_set_find(). */
static const Entry *find_entry(const ToolSet *self, const char *name, bool ignores_case)
{
    const char *wanted = tool_name_canonical(name);
    for (size_t i = 0; i < self->entries->len; i++) {
        const char *each = entry_at(self, i)->def->name;
        if ((ignores_case ? g_ascii_strcasecmp(each, wanted) : strcmp(each, wanted)) == 0)
            return entry_at(self, i);
    }
    return NULL;
}

const ToolDef *tool_set_find(const ToolSet *self, const char *name)
{
    const Entry *entry = find_entry(self, name, false);
    return entry ? entry->def : NULL;
}

const char *tool_set_nearest(const ToolSet *self, const char *name)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < self->entries->len; i++)
        g_ptr_array_add(names, (void *)entry_at(self, i)->def->name);
    g_ptr_array_add(names, NULL);
    return str_nearest(name, (const char *const *)names->pdata);
}

static bool tool_set_all(const ToolDef *tool G_GNUC_UNUSED, void *user_data G_GNUC_UNUSED)
{
    return true;
}

bool tool_set_add(const ToolSet *self, DynamicTool *const *tools, size_t count,
                  const Settings *settings, ToolSet **ret_set, GError **error)
{
    g_autoptr(ToolSet) set = tool_set_filter(self, tool_set_all, NULL);
    for (size_t i = 0; i < count; i++) {
        const ToolDef *def = dynamic_tool_def(tools[i]);
        if (find_entry(set, def->name, true) || tool_name_canonical(def->name) != def->name)
            return fail_with(error, KEDGE_ERROR_USAGE, "there is a tool \"%s\" already", def->name);
        bool waits = settings && tool_discovery_hides(settings, def, true);
        tool_set_append(set, &(Entry) { def, tools[i], def, waits });
    }
    *ret_set = g_steal_pointer(&set);
    return true;
}

ToolSet *tool_set_filter(const ToolSet *self, bool (*keeps)(const ToolDef *tool, void *user_data),
                         void *user_data)
{
    ToolSet *set = set_new(self->settings);
    for (size_t i = 0; i < self->entries->len; i++)
        if (keeps(entry_at(self, i)->def, user_data))
            tool_set_append(set, entry_at(self, i));
    return set;
}

bool tool_is_available(const ToolDef *tool, const Settings *settings)
{
    return (!tool->setting || settings_get_bool(settings, tool->setting)) &&
           (!tool->is_available || tool->is_available(settings));
}

static void append_variant(ToolSet *self, const Entry *entry, const Settings *settings,
                           const char *model_id)
{
    Entry form = *entry;
    form.def = form.base->variant ? form.base->variant(settings, model_id) : form.base;
    tool_set_append(self, &form);
}

ToolSet *tool_set_for_model(const ToolSet *self, const Settings *settings, const char *model_id)
{
    ToolSet *set = set_new(settings);
    for (size_t i = 0; i < self->entries->len; i++)
        append_variant(set, entry_at(self, i), settings, model_id);
    return set;
}

ToolSet *tool_set_for_any_project(const ToolSet *self)
{
    ToolSet *set = set_new(NULL);
    for (size_t i = 0; i < self->entries->len; i++)
        tool_set_append(set, entry_at(self, i));
    return set;
}

/* As one that somebody named, or as one of all there are. */
static void append_once(ToolSet *selected, const Entry *entry, const Settings *settings,
                        bool is_named)
{
    if (!entry || !tool_is_available(entry->def, settings) ||
        tool_set_find(selected, entry->def->name))
        return;
    Entry chosen = *entry;
    chosen.waits = !is_named && tool_discovery_hides(settings, entry->def, entry->owner != NULL);
    append_variant(selected, &chosen, settings, NULL);
}

/* What comes with others; and what finds those that wait, perhaps only those of a host to come. */
static void append_implied(const ToolSet *self, const Settings *settings, ToolSet *selected,
                           bool is_named)
{
    for (size_t i = 0; i < G_N_ELEMENTS(implications); i++)
        if (tool_set_find(selected, implications[i].name))
            append_once(selected, find_entry(self, implications[i].implied, false), settings,
                        is_named);
    append_once(selected, find_entry(self, TOOL_SEARCH, false), settings, is_named);
}

ToolSet *tool_set_select(const ToolSet *self, const Settings *settings, const char *const *names,
                         GPtrArray *unknown)
{
    ToolSet *selected = set_new(settings);
    bool wants_all = !names || !names[0];
    for (size_t i = 0; wants_all && i < self->entries->len; i++) {
        const Entry *entry = entry_at(self, i);
        if (!(entry->def->flags & TOOL_HIDDEN))
            append_once(selected, entry, settings, false);
    }
    for (; !wants_all && *names; names++) {
        g_autofree char *trimmed = g_strstrip(g_ascii_strdown(*names, -1));
        if (*trimmed == '\0')
            continue;
        const Entry *entry = find_entry(self, trimmed, true);
        if (!entry && unknown)
            g_ptr_array_add(unknown, g_strdup(trimmed));
        append_once(selected, entry, settings, true);
    }
    append_implied(self, settings, selected, !wants_all);
    return selected;
}

// ---- waiting ----

ToolSet *tool_set_waiting(const ToolSet *self)
{
    ToolSet *set = set_new(self->settings);
    if (!tool_set_find(self, TOOL_SEARCH))
        return set;
    for (size_t i = 0; i < self->entries->len; i++)
        if (entry_at(self, i)->waits)
            tool_set_append(set, entry_at(self, i));
    return set;
}

/* With the one that it needs right behind it: what is found later comes behind both. */
static void append_offered(ToolSet *offered, const Entry *entry, const ToolSet *waiting)
{
    if (!entry || tool_set_find(offered, entry->def->name))
        return;
    tool_set_append(offered, entry);
    for (size_t i = 0; i < G_N_ELEMENTS(companions); i++)
        if (strcmp(companions[i].name, entry->def->name) == 0)
            append_offered(offered, find_entry(waiting, companions[i].needed, false), waiting);
}

ToolSet *tool_set_offered(const ToolSet *self, const char *const *found)
{
    g_autoptr(ToolSet) waiting = tool_set_waiting(self);
    bool has_more = tool_set_count(waiting) > 0;
    ToolSet *offered = set_new(self->settings);
    for (size_t i = 0; i < self->entries->len; i++) {
        const Entry *entry = entry_at(self, i);
        bool is_left_out = has_more ? entry->waits : strcmp(entry->def->name, TOOL_SEARCH) == 0;
        if (!is_left_out) // where nothing waits there is nothing to search for
            append_offered(offered, entry, waiting);
    }
    for (; found && *found; found++)
        append_offered(offered, find_entry(waiting, *found, false), waiting);
    return offered;
}

json_t *tool_schema(const ToolDef *tool)
{
    return tool->schema ? json_deep_copy(tool->schema) : field_schema(tool->fields);
}

char *tool_description(const ToolDef *tool, const ToolSet *offered)
{
    if (tool->describe)
        return tool->describe(offered);
    return g_strdup(tool->description ? tool->description : tool->summary);
}

json_t *tool_describe(const ToolDef *tool, const ToolSet *offered)
{
    g_autofree char *description = tool_description(tool, offered);
    return json_make("name:%s description:%s parameters:%p", tool->name, description,
                     tool_schema(tool));
}
