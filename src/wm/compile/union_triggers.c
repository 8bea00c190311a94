/*
 * The union of triggers (union.h). A value of a task gets into the workflow only when it can be
 * nothing but what it should be: the rest is left out with a warning.
 */
#include "wm/compile/union_triggers.h"

#include "base/str.h"
#include "wm/task/task.h"

#include <string.h>

#define MAX_TYPE_BYTES 100
#define ANY_TYPE       "*"
#define WORKFLOW_RUN   "workflow_run"

/* Those that GitHub knows: one that it does not know makes it refuse the whole workflow. */
#define PULL_REQUEST_TYPES                                                                         \
    "assigned unassigned labeled unlabeled opened edited closed reopened synchronize "             \
    "converted_to_draft locked unlocked enqueued dequeued milestoned demilestoned "                \
    "ready_for_review review_requested review_request_removed auto_merge_enabled "                 \
    "auto_merge_disabled stacked"

typedef struct EventDef {
    const char *name;
    const char *types; // "created edited"; NULL: it takes none; "*": any
} EventDef;

static const EventDef event_table[] = {
    // in the order of the workflow
    { "issues", "opened edited deleted transferred pinned unpinned closed reopened assigned "
                "unassigned labeled unlabeled locked unlocked milestoned demilestoned field_added "
                "field_removed typed untyped" },
    { "issue_comment", "created edited deleted" },
    { "pull_request", PULL_REQUEST_TYPES },
    { "pull_request_target", PULL_REQUEST_TYPES },
    { "pull_request_review", "submitted edited dismissed" },
    { "pull_request_review_comment", "created edited deleted" },
    { "check_run", "completed created rerequested requested_action" },
    { "check_suite", "completed" },
    { "create", NULL },
    { "delete", NULL },
    { "deployment_status", NULL },
    { "discussion", "created edited deleted transferred pinned unpinned labeled unlabeled locked "
                    "unlocked category_changed answered unanswered" },
    { "discussion_comment", "created edited deleted" },
    { "fork", NULL },
    { "label", "created edited deleted" },
    { "milestone", "created closed opened edited deleted" },
    { "push", NULL },
    { "release", "published unpublished created edited deleted prereleased released" },
    { "repository_dispatch", ANY_TYPE },
    { "status", NULL },
    { "watch", "started" },
    { WORKFLOW_RUN, "requested completed in_progress" },
};
#define EVENTS G_N_ELEMENTS(event_table)

typedef struct CommandEvent { // of slash_command.events
    const char *name, *event, *types;
} CommandEvent;

static const CommandEvent command_events[] = {
    { "issue_comment", "issue_comment", "created" },
    { "pull_request_comment", "issue_comment", "created" },
    { "pull_request_review_comment", "pull_request_review_comment", "created" },
    { "issues", "issues", "opened edited reopened" },
    { "pull_request", "pull_request", "opened edited reopened" },
    { "discussion", "discussion", "created edited" },
    { "discussion_comment", "discussion_comment", "created" },
};

static const CommandEvent label_events[] = {
    { "issues", "issues", "labeled" },
    { "pull_request", "pull_request", "labeled" },
    { "discussion", "discussion", "labeled" },
};

typedef struct Union {
    GTree *types[EVENTS]; // names; NULL: not asked for
    bool is_wild[EVENTS]; // of every kind
    GTree *workflows;     // names of other workflows whose runs start tasks; NULL: none
    GPtrArray *warnings;
} Union;

static void union_clear(Union *self)
{
    for (size_t i = 0; i < EVENTS; i++)
        g_clear_pointer(&self->types[i], g_tree_unref);
    g_clear_pointer(&self->workflows, g_tree_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Union, union_clear)

static size_t find_event(const char *name)
{
    for (size_t i = 0; i < EVENTS; i++)
        if (strcmp(event_table[i].name, name) == 0)
            return i;
    return EVENTS;
}

static int compare_names(const void *a, const void *b, void *user_data G_GNUC_UNUSED)
{
    return strcmp(a, b);
}

static void add_name(GTree **names, const char *name)
{
    if (!*names)
        *names = g_tree_new_full(compare_names, NULL, g_free, NULL);
    g_tree_insert(*names, g_strdup(name), NULL);
}

static void add_type(Union *self, size_t event, const char *type)
{
    add_name(&self->types[event], type);
}

static bool has_word(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (at[size] == ' ' || at[size] == '\0'))
            return true;
    return false;
}

static bool is_type(const EventDef *event, const char *text)
{
    bool is_free = strcmp(event->types, ANY_TYPE) == 0;
    const char *set = is_free ? G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS "_.-" : G_CSET_a_2_z "_";
    size_t size = strspn(text, set);
    return size > 0 && size <= MAX_TYPE_BYTES && text[size] == '\0' &&
           (is_free || has_word(event->types, text));
}

static void warn_type(Union *self, const EventDef *event, const char *type)
{
    g_autoptr(json_t) value = json_text(type);
    g_autofree char *quoted = json_to_text(value);
    g_auto(GStrv) known = g_strsplit(event->types, " ", -1);
    g_autofree char *hint = str_did_you_mean(type, (const char *const *)known);
    wm_note(self->warnings, WM_KEY("on", event->name, "types"),
            "on.%s.types: %s is not an activity type that GitHub knows%s; not added to "
            "wm-agent.yml",
            event->name, quoted, hint);
}

static void add_event(Union *self, size_t event, const json_t *options)
{
    const EventDef *def = &event_table[event];
    const json_t *types = json_object_get(options, "types");
    if (json_array_size(types) == 0 || !def->types) {
        self->is_wild[event] = true;
        return;
    }
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach (types, index, item) {
        const char *type = json_string_value(item);
        if (type && is_type(def, type))
            add_type(self, event, type);
        else if (type)
            warn_type(self, def, type);
    }
}

static void add_words(Union *self, const CommandEvent *each)
{
    size_t event = find_event(each->event);
    g_auto(GStrv) types = g_strsplit(each->types, " ", -1);
    for (char **type = types; *type; type++)
        add_type(self, event, *type);
}

/* The normal form names all events that a command listens to. */
static void add_command(Union *self, const json_t *options, const CommandEvent *rows, size_t count)
{
    size_t index = 0;
    json_t *item = NULL;
    json_array_foreach (json_object_get(options, "events"), index, item) {
        for (size_t i = 0; i < count; i++)
            if (g_strcmp0(json_string_value(item), rows[i].name) == 0)
                add_words(self, &rows[i]);
    }
}

/* The one filter that GitHub asks for itself: which workflows. Without it GitHub refuses the file,
   and no task would start any more. */
static bool add_workflows(Union *self, const json_t *options)
{
    const json_t *names = json_get_array(options, "workflows");
    size_t index = 0;
    json_t *name = NULL;
    json_array_foreach (names, index, name)
        add_name(&self->workflows, json_string_value(name));
    if (!names)
        wm_note(self->warnings, WM_KEY("on", WORKFLOW_RUN),
                "on." WORKFLOW_RUN ": no workflows, and GitHub wants to know which; not added to "
                "wm-agent.yml");
    return names != NULL;
}

static void add_task(Union *self, const WmTask *task)
{
    guint first = wm_notes_count(self->warnings);
    const char *key = NULL;
    json_t *options = NULL;
    json_object_foreach (task->on, key, options) {
        size_t event = find_event(key);
        if (strcmp(key, WORKFLOW_RUN) == 0 && !add_workflows(self, options))
            continue;
        if (event < EVENTS)
            add_event(self, event, options);
        else if (strcmp(key, "slash_command") == 0)
            add_command(self, options, command_events, G_N_ELEMENTS(command_events));
        else if (strcmp(key, "label_command") == 0)
            add_command(self, options, label_events, G_N_ELEMENTS(label_events));
    }
    wm_notes_set_path(self->warnings, first, task->path);
}

static gboolean append_name(void *name, void *value G_GNUC_UNUSED, void *list)
{
    json_append_take(list, json_text(name));
    return FALSE;
}

static json_t *crons_of(const GPtrArray *tasks, GPtrArray *warnings)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    json_t *crons = json_array();
    for (unsigned i = 0; i < tasks->len; i++) {
        bool is_any = false;
        g_autoptr(GPtrArray) own = wm_task_crons(g_ptr_array_index(tasks, i), warnings, &is_any);
        for (unsigned k = 0; k < own->len; k++) {
            const char *cron = g_ptr_array_index(own, k);
            if (g_hash_table_add(seen, g_strdup(cron)))
                json_append_take(crons, json_text(cron));
        }
    }
    return crons;
}

static json_t *list_names(GTree *names)
{
    json_t *list = json_array();
    g_tree_foreach(names, append_name, list);
    return list;
}

json_t *wm_union(const GPtrArray *tasks, GPtrArray *warnings)
{
    g_auto(Union) self = { .warnings = warnings };
    for (unsigned i = 0; i < tasks->len; i++)
        add_task(&self, g_ptr_array_index(tasks, i));
    json_t *all = json_object();
    for (size_t i = 0; i < EVENTS; i++) {
        if (!self.types[i] && !self.is_wild[i])
            continue;
        json_t *options = json_object();
        if (!self.is_wild[i])
            json_set_take(options, "types", list_names(self.types[i]));
        if (strcmp(event_table[i].name, WORKFLOW_RUN) == 0)
            json_set_take(options, "workflows", list_names(self.workflows));
        json_set_take(all, event_table[i].name, options);
    }
    g_autoptr(json_t) crons = crons_of(tasks, warnings);
    if (json_array_size(crons) > 0)
        json_object_set(all, "schedule", crons);
    return all;
}
