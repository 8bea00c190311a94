/*
 * Running the entries of a call (patch_call.h): all of it is worked out before anything is written.
 */
#include "tools/edit/patch_call.h"

#include "tools/edit/edit_mode.h"
#include "tools/edit/patch_plan.h"
#include "tools/file/plan_target.h"

#define MAX_SUMMARY_FILES 8 // named to a person who judges

typedef struct Group { // entries that belong together
    PatchPlan *plan;
    GError *problem;
    guint culprit; // the entry that failed
} Group;

typedef struct Run {
    const GPtrArray *entries; // PatchEntry *
    guint *group_of;          // of each entry
    GPtrArray *groups;        // Group *
    PatchDone *done;          // of each entry
    PatchBudget budget;
} Run;

static void group_destroy(void *data)
{
    Group *self = data;
    patch_plan_free(self->plan);
    g_clear_error(&self->problem);
    g_free(self);
}

static void run_clear(Run *self)
{
    for (guint i = 0; i < self->entries->len; i++)
        patch_done_clear(&self->done[i]);
    g_free(self->done);
    g_free(self->group_of);
    g_ptr_array_unref(self->groups);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Run, run_clear)

static const PatchEntry *entry_at(const GPtrArray *entries, guint index)
{
    return entries->pdata[index];
}

static void entries_destroy(void *data)
{
    g_ptr_array_unref(data);
}

void patch_call_judge(ToolCall *call, GPtrArray *entries, Judgement *judgement)
{
    g_autoptr(GString) summary = g_string_new(NULL);
    for (guint i = 0; i < entries->len; i++) {
        const PatchEntry *entry = entry_at(entries, i);
        const char *verb = entry->op == PATCH_CREATE   ? "creates"
                           : entry->op == PATCH_DELETE ? "deletes"
                           : entry->rename             ? "moves"
                                                       : "edits";
        bool is_name = entry->op == PATCH_DELETE || entry->rename;
        plan_target_judge(tool_call_context(call), entry->path, is_name, judgement);
        if (entry->rename)
            plan_target_judge(tool_call_context(call), entry->rename, true, judgement);
        if (i < MAX_SUMMARY_FILES)
            g_string_append_printf(summary, "%s%s %s%s%s", i > 0 ? ", " : "", verb, entry->path,
                                   entry->rename ? " to " : "", entry->rename ? entry->rename : "");
    }
    if (entries->len > MAX_SUMMARY_FILES)
        g_string_append_printf(summary, " and %u more", entries->len - MAX_SUMMARY_FILES);
    judgement->effect = EFFECT_WRITE;
    judgement->summary = g_strdup(summary->str);
    tool_call_prepare(call, entries, entries_destroy);
}

static guint root_of(const guint *parents, guint index)
{
    while (parents[index] != index)
        index = parents[index];
    return index;
}

static void patch_call_join(guint *parents, GHashTable *owners, guint index, const char *asked,
                            const char *cwd)
{
    char *key = patch_plan_key(asked, cwd);
    void *owner = NULL;
    if (g_hash_table_lookup_extended(owners, key, NULL, &owner)) {
        guint a = root_of(parents, index), b = root_of(parents, GPOINTER_TO_UINT(owner));
        parents[MAX(a, b)] = MIN(a, b);
    }
    g_hash_table_replace(owners, key, GUINT_TO_POINTER(index));
}

/* For each entry the first that belongs to it, by way of any file. Caller frees. */
static guint *connect_entries(const GPtrArray *entries, const char *cwd)
{
    guint *parents = g_new(guint, entries->len);
    g_autoptr(GHashTable) owners = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (guint i = 0; i < entries->len; i++) {
        parents[i] = i;
        patch_call_join(parents, owners, i, entry_at(entries, i)->path, cwd);
        if (entry_at(entries, i)->rename)
            patch_call_join(parents, owners, i, entry_at(entries, i)->rename, cwd);
    }
    for (guint i = 0; i < entries->len; i++)
        parents[i] = root_of(parents, i);
    return parents;
}

/* `firsts`: for each entry the first of its group; NULL: all are one. */
static void make_groups(Run *self, ToolCall *call, bool is_fuzzy, const guint *firsts)
{
    for (guint i = 0; i < self->entries->len; i++) {
        guint first = firsts ? firsts[i] : 0;
        if (first == i) {
            Group *group = g_new0(Group, 1);
            group->plan = patch_plan_new(call, is_fuzzy, &self->budget);
            group->culprit = i;
            self->group_of[i] = self->groups->len;
            g_ptr_array_add(self->groups, group);
        } else {
            self->group_of[i] = self->group_of[first];
        }
    }
}

static Group *group_of(const Run *self, guint index)
{
    return self->groups->pdata[self->group_of[index]];
}

/* Works everything out, for as long as the person lets it: nothing is written yet. `ret_failures`:
   groups that cannot be made. */
static bool plan_all(Run *self, ToolCall *call, guint *ret_failures, GError **error)
{
    guint failures = 0;
    for (guint i = 0; i < self->entries->len; i++) {
        Group *group = group_of(self, i);
        if (!cancel_check(tool_call_user_cancel(call), error))
            return false;
        if (!group->problem && !patch_plan_add(group->plan, entry_at(self->entries, i),
                                               &self->done[i], &group->problem))
            group->culprit = i;
    }
    for (guint i = 0; i < self->groups->len; i++) {
        Group *group = self->groups->pdata[i];
        failures += group->problem || !patch_plan_prepare(group->plan, &group->problem);
    }
    *ret_failures = failures;
    return true;
}

static bool fail_broken_off(const GError *problem, const GString *done, const GString *left,
                            GError **error)
{
    return fail_with(error, KEDGE_ERROR_IO, "%s\nDone before that: %s\nNot done: %s",
                     problem->message, done->len > 0 ? done->str : "nothing", left->str);
}

/* Writes the groups that can be made. One that is broken off ends the call if they belong
   together. */
static bool carry_out(Run *self, bool is_atomic, GError **error)
{
    g_autoptr(GString) done = g_string_new(NULL);
    g_autoptr(GString) left = g_string_new(NULL);
    g_autoptr(GError) problem = NULL;
    for (guint i = 0; i < self->groups->len; i++) {
        Group *group = self->groups->pdata[i];
        if (group->problem)
            continue;
        if (problem) {
            patch_plan_list(group->plan, left);
            continue;
        }
        if (patch_plan_carry_out(group->plan, done, left, &problem) || is_atomic)
            continue;
        fail_broken_off(problem, done, left, &group->problem);
        g_clear_error(&problem);
        g_string_truncate(left, 0);
    }
    return !problem || fail_broken_off(problem, done, left, error);
}

static void append_line(GString *text, const char *line)
{
    g_string_append_printf(text, "%s%s", text->len > 0 ? "\n" : "", line);
}

/* What is said of an entry of a group that failed. */
static char *failure_of(const Run *self, guint index)
{
    const Group *group = group_of(self, index);
    const char *path = entry_at(self->entries, index)->path;
    if (group->culprit == index)
        return g_strdup_printf("Error editing %s: %s", path, group->problem->message);
    return g_strdup_printf("Error editing %s: left as it was, because of %s", path,
                           entry_at(self->entries, group->culprit)->path);
}

static json_t *file_details(const Run *self, guint index)
{
    json_t *file = json_make("path:%s", entry_at(self->entries, index)->path);
    if (group_of(self, index)->problem)
        json_set_bool(file, "isError", true);
    else
        json_object_update(file, self->done[index].details);
    return file;
}

/* The diffs of all entries one behind the other, and the first line of the first that has any. */
static void join_details(const Run *self, json_t *details)
{
    g_autoptr(GString) diffs = g_string_new(NULL);
    for (guint i = 0; i < self->entries->len; i++) {
        if (group_of(self, i)->problem)
            continue;
        const json_t *done = self->done[i].details;
        const char *diff = json_get_text(done, "diff");
        json_t *first = json_object_get(done, "firstChangedLine");
        if (diff && *diff)
            append_line(diffs, diff);
        if (first && !json_object_get(details, "firstChangedLine"))
            json_set_take(details, "firstChangedLine", json_incref(first));
    }
    json_set_text(details, "diff", diffs->str);
}

static void add_details(const Run *self, bool has_files, json_t *details)
{
    if (self->entries->len == 1) {
        json_object_update(details, self->done[0].details);
        return;
    }
    join_details(self, details);
    if (!has_files)
        return;
    json_t *files = json_array();
    for (guint i = 0; i < self->entries->len; i++)
        json_append_take(files, file_details(self, i));
    json_set_take(details, "perFileResults", files);
}

static void run_tell(const Run *self, bool has_files, ToolResult *result)
{
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < self->entries->len; i++) {
        bool is_failed = group_of(self, i)->problem != NULL;
        g_autofree char *line = is_failed ? failure_of(self, i) : g_strdup(self->done[i].text);
        append_line(text, line);
        result->is_error = result->is_error || is_failed;
    }
    add_details(self, has_files, tool_result_details(result));
    tool_result_add_text(result, text->str);
}

static void run_init(Run *self, const GPtrArray *entries)
{
    self->entries = entries;
    self->group_of = g_new0(guint, entries->len);
    self->groups = g_ptr_array_new_with_free_func(group_destroy);
    self->done = g_new0(PatchDone, entries->len);
    self->budget = patch_budget_full();
}

/* Nothing is made. The only problem of a single entry needs no words around it. */
static bool fail_all(const Run *self, bool has_files, GError **error)
{
    guint count = self->entries->len;
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < self->groups->len; i++) {
        const Group *group = self->groups->pdata[i];
        if (!group->problem)
            continue;
        if (count == 1) {
            g_propagate_error(error, g_error_copy(group->problem));
            return false;
        }
        if (has_files)
            g_string_append_printf(
                text, "Error editing %s: ", entry_at(self->entries, group->culprit)->path);
        else
            g_string_append_printf(text, "Edit %u of %u: ", group->culprit + 1, count);
        g_string_append_printf(text, "%s\n", group->problem->message);
    }
    return fail_with(error, KEDGE_ERROR_FAILED, "%sNone of the %u %s was made.", text->str, count,
                     has_files ? "changes" : "edits");
}

bool patch_call_run(ToolCall *call, bool has_files, ToolResult *result, GError **error)
{
    g_auto(Run) run = { 0 };
    const Settings *settings = tool_call_settings(call);
    bool is_fuzzy = false, is_atomic = !has_files || settings_get_bool(settings, "edit.atomic");
    guint failures = 0;
    run_init(&run, tool_call_prepared(call));
    if (!edit_mode_is_fuzzy(settings, &is_fuzzy, error))
        return false;
    g_autofree guint *firsts = has_files ? connect_entries(run.entries, tool_call_cwd(call)) : NULL;
    make_groups(&run, call, is_fuzzy, firsts);
    if (!plan_all(&run, call, &failures, error))
        return false;
    if (failures > 0 && (is_atomic || failures == run.groups->len))
        return fail_all(&run, has_files, error);
    if (!carry_out(&run, is_atomic, error))
        return false;
    run_tell(&run, has_files, result);
    return true;
}
