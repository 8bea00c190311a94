/*
 * Planning and carrying out (patch_plan.h).
 *
 * The steps stand in the order of the entries, but a file is written once: with all that the call
 * makes of it, at the step of the first entry that changes it, before any move.
 */
#include "tools/edit/patch_plan.h"

#include "base/file.h"
#include "base/limits.h"
#include "base/path.h"
#include "tool/write_guard.h"
#include "tools/edit/edit_target.h"
#include "tools/edit/patch_apply.h"
#include "tools/edit/patch_text.h"
#include "tools/file/diff.h"
#include "tools/file/generated.h"
#include "tools/file/plan_target.h"
#include "tools/file/seen_files.h"
#include "tools/file/workspace_path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h> // renameat2()
#include <unistd.h>

typedef enum { STEP_WRITE, STEP_DELETE, STEP_MOVE } StepKind;

typedef struct Step {
    StepKind kind;
    bool is_dropped;    // there is no need for it
    EditTarget *target; // borrowed; of STEP_WRITE
    char *path, *shown; // what it is done to
    char *to, *to_shown;
    bool is_checked;  // of STEP_DELETE: it must be as it was,
    struct stat read; // like this
} Step;

typedef struct Spot {   // what the plan has put at a path
    EditTarget *target; // borrowed; NULL: nothing is there any more
    Step *write;        // borrowed; that writes it; NULL: nothing of it has changed
    bool is_moved;      // it came from somewhere else
} Spot;

struct PatchPlan {
    ToolCall *call;
    bool is_fuzzy;
    GPtrArray *targets; // EditTarget *
    GPtrArray *steps;   // Step *
    GHashTable *spots;  // patch_plan_key() → Spot *
    PatchBudget *budget;
};

static void target_destroy(void *data)
{
    edit_target_free(data);
}

static void step_destroy(void *data)
{
    Step *self = data;
    g_free(self->path);
    g_free(self->shown);
    g_free(self->to);
    g_free(self->to_shown);
    g_free(self);
}

PatchBudget patch_budget_full(void)
{
    return (PatchBudget) { .bytes = LIMIT_TOOL_FILE_BYTES, .steps = PATCH_MAX_STEPS };
}

PatchPlan *patch_plan_new(ToolCall *call, bool is_fuzzy, PatchBudget *budget)
{
    PatchPlan *self = g_new0(PatchPlan, 1);
    self->call = call;
    self->is_fuzzy = is_fuzzy;
    self->budget = budget;
    self->targets = g_ptr_array_new_with_free_func(target_destroy);
    self->steps = g_ptr_array_new_with_free_func(step_destroy);
    self->spots = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    return self;
}

void patch_plan_free(PatchPlan *self)
{
    if (!self)
        return;
    g_hash_table_unref(self->spots);
    g_ptr_array_unref(self->steps);
    g_ptr_array_unref(self->targets);
    g_free(self);
}

void patch_done_clear(PatchDone *self)
{
    g_clear_pointer(&self->text, g_free);
    g_clear_pointer(&self->details, json_decref);
}

/* `path` with the links of its directory resolved; those of its last part, too, if `follows`. */
static char *key_of(const char *path, bool follows)
{
    char *whole = follows ? path_real(path) : NULL;
    if (whole)
        return whole;
    g_autofree char *dir = g_path_get_dirname(path);
    g_autofree char *name = g_path_get_basename(path);
    g_autofree char *real = path_real(dir);
    return g_build_filename(real ? real : dir, name, NULL);
}

char *patch_plan_key(const char *asked, const char *cwd)
{
    g_autofree char *path = workspace_path(asked, cwd);
    return key_of(path, true);
}

static Step *add_step(PatchPlan *self, StepKind kind, const char *path, const char *shown)
{
    Step *step = g_new0(Step, 1);
    step->kind = kind;
    step->path = g_strdup(path);
    step->shown = g_strdup(shown);
    g_ptr_array_add(self->steps, step);
    return step;
}

/* `follows`: at what the links of the path lead to on disk. */
static Spot *put_spot(PatchPlan *self, const char *path, bool follows, EditTarget *target)
{
    Spot *spot = g_new0(Spot, 1);
    spot->target = target;
    g_hash_table_replace(self->spots, key_of(path, follows), spot);
    return spot;
}

/* What the plan has put at the path itself stands before what a link there leads to on disk. NULL:
   the plan has nothing to do with it yet. */
static Spot *find_spot(const PatchPlan *self, const char *path, bool follows)
{
    g_autofree char *key = key_of(path, false);
    Spot *spot = g_hash_table_lookup(self->spots, key);
    if (spot || !follows)
        return spot;
    g_autofree char *real = key_of(path, true);
    return g_hash_table_lookup(self->spots, real);
}

/* A path as it will be when the steps so far are carried out. */
typedef struct Place {
    char *path, *shown;
    Spot *spot;
} Place;

static void place_clear(Place *self)
{
    g_free(self->path);
    g_free(self->shown);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Place, place_clear)

static bool place_of(const PatchPlan *self, const char *asked, bool follows, Place *ret_place,
                     GError **error)
{
    ToolContext *context = tool_call_context(self->call);
    if (!plan_target(context, asked, &ret_place->path, &ret_place->shown, error))
        return false;
    ret_place->spot = find_spot(self, ret_place->path, follows);
    return true;
}

static bool is_there(const Place *place)
{
    return place->spot ? place->spot->target != NULL : file_exists(place->path);
}

static bool fail_missing(const Place *place, GError **error)
{
    return fail_with(error, KEDGE_ERROR_NOT_FOUND, "File not found: %s", place->shown);
}

/* A file that is not there, or by then no longer is. */
static EditTarget *new_target(const Place *place)
{
    EditTarget *target = g_new0(EditTarget, 1);
    target->path = g_strdup(place->path);
    target->shown = g_strdup(place->shown);
    target->text = g_strdup("");
    return target;
}

/* The file that an entry changes: as the plan has left it, or from disk. */
static bool open_target(PatchPlan *self, const char *asked, bool may_create, Place *place,
                        GError **error)
{
    if (!place_of(self, asked, true, place, error))
        return false;
    if (place->spot && place->spot->target)
        return true;
    EditTarget *target = NULL;
    if (place->spot && !may_create)
        return fail_missing(place, error);
    if (place->spot)
        target = new_target(place);
    else if (!edit_target_open(self->call, asked, may_create, &target, error))
        return false;
    g_ptr_array_add(self->targets, target);
    size_t size = strlen(target->text);
    if (size > self->budget->bytes)
        return fail_with(error, KEDGE_ERROR_LIMIT,
                         "the files of this call hold more than %zu MiB: make several calls",
                         LIMIT_TOOL_FILE_BYTES / MIB);
    self->budget->bytes -= size;
    place->spot = put_spot(self, place->path, !place->spot, target);
    return true;
}

static Step *add_write(PatchPlan *self, EditTarget *target)
{
    Step *step = add_step(self, STEP_WRITE, target->path, target->shown);
    step->target = target;
    return step;
}

/* Takes `text`; `newlines` as edit_target_take_text() has them. */
static void change_text(PatchPlan *self, const Place *place, char *text, const GArray *newlines)
{
    Spot *spot = place->spot;
    edit_target_take_text(spot->target, text, newlines);
    if (!spot->write)
        spot->write = add_write(self, spot->target);
    spot->write->is_dropped = false;
}

static void patch_done_describe(PatchDone *done, const char *op, const char *before,
                                const char *after)
{
    done->details = json_object();
    edit_add_details(done->details, op, before, after, diff_ranges);
}

/* The place that a file moves to: nothing may be there. */
static bool find_free(const PatchPlan *self, const Place *from, const char *asked, Place *ret_to,
                      GError **error)
{
    if (!place_of(self, asked, false, ret_to, error))
        return false;
    g_autofree char *from_key = key_of(from->path, false);
    g_autofree char *to_key = key_of(ret_to->path, false);
    if (strcmp(from_key, to_key) == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "rename path is the same as source path");
    if (g_file_test(from->path, G_FILE_TEST_IS_SYMLINK))
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "Cannot move %s: it is a symbolic link. Edit the file that it leads to.",
                         from->shown);
    return !is_there(ret_to) ||
           fail_with(error, KEDGE_ERROR_FAILED,
                     "Cannot move %s to %s: %s already exists. Delete it first, or choose another "
                     "name.",
                     from->shown, ret_to->shown, ret_to->shown);
}

static void move_spot(PatchPlan *self, const Place *from, const Place *to)
{
    EditTarget *target = from->spot->target;
    Step *write = from->spot->write;
    if (!write) { // what changes later is written here, where its path still holds
        write = add_write(self, target);
        write->is_dropped = true;
    }
    Step *step = add_step(self, STEP_MOVE, from->path, from->shown);
    step->to = g_strdup(to->path);
    step->to_shown = g_strdup(to->shown);
    put_spot(self, from->path, false, NULL);
    Spot *spot = put_spot(self, to->path, false, target);
    spot->write = write;
    spot->is_moved = true;
}

static bool plan_update(PatchPlan *self, const PatchEntry *entry, PatchDone *done, GError **error)
{
    g_auto(Place) from = { 0 };
    g_auto(Place) to = { 0 };
    if (!entry->text || !*entry->text)
        return fail_with(error, KEDGE_ERROR_USAGE, "Update operation requires diff (hunks)");
    if (!open_target(self, entry->path, false, &from, error) ||
        (entry->rename && !find_free(self, &from, entry->rename, &to, error)))
        return false;
    char *after = NULL;
    const char *text = from.spot->target->text;
    g_autoptr(GArray) newlines = edit_newlines_new();
    if (!patch_apply(text, entry->text, from.shown, self->is_fuzzy, &self->budget->steps, &after,
                     newlines, error))
        return false;
    bool is_changed = strcmp(text, after) != 0;
    patch_done_describe(done, "update", text, after);
    if (is_changed)
        change_text(self, &from, after, newlines);
    else
        g_free(after);
    if (entry->rename) {
        move_spot(self, &from, &to);
        json_set_text(done->details, "move", to.shown);
        done->text = g_strdup_printf("Updated and moved %s to %s", from.shown, to.shown);
    } else {
        done->text = is_changed ? g_strdup_printf("Updated %s", from.shown)
                                : g_strdup_printf("Edits to %s resulted in no changes being made.",
                                                  from.shown);
    }
    return true;
}

static bool plan_create(PatchPlan *self, const PatchEntry *entry, PatchDone *done, GError **error)
{
    g_auto(Place) place = { 0 };
    if (!entry->text)
        return fail_with(error, KEDGE_ERROR_USAGE, "Create operation requires diff (file content)");
    if (entry->rename)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "A file that is created cannot be renamed: create %s", entry->rename);
    if (!open_target(self, entry->path, true, &place, error) ||
        !workspace_may_replace(entry->path, place.path, tool_call_cwd(self->call), error))
        return false;
    EditTarget *target = place.spot->target;
    if (target->before && !seen_files_check_replaced(self->call, place.path, place.shown, error))
        return false;
    if (target->before) { // what goes is shown
        patch_done_describe(done, "update", target->text, entry->text);
        done->text = g_strdup_printf("Replaced all of %s", place.shown);
    } else {
        patch_done_describe(done, "create", "", "");
        done->text = g_strdup_printf("Created %s", place.shown);
    }
    // the whole of it is new, its line ends too
    target->has_bom = false;
    target->has_crlf = false;
    g_clear_pointer(&target->ends, g_byte_array_unref);
    change_text(self, &place, g_strdup(entry->text), NULL);
    return true;
}

static void add_delete(PatchPlan *self, const Place *place)
{
    Step *step = add_step(self, STEP_DELETE, place->path, place->shown);
    if (place->spot) {
        step->is_checked = !place->spot->is_moved;
        step->read = place->spot->target->read;
    } else { // of a link only the name goes
        step->is_checked = lstat(place->path, &step->read) == 0 && !S_ISLNK(step->read.st_mode);
    }
}

static bool plan_delete(PatchPlan *self, const PatchEntry *entry, PatchDone *done, GError **error)
{
    g_auto(Place) place = { 0 };
    if (entry->rename)
        return fail_with(error, KEDGE_ERROR_USAGE, "A file cannot be deleted and renamed at once");
    if (!place_of(self, entry->path, false, &place, error))
        return false;
    if (!is_there(&place))
        return fail_missing(&place, error);
    if (!workspace_may_replace(entry->path, place.path, tool_call_cwd(self->call), error))
        return false;
    Spot *spot = place.spot;
    if (!spot &&
        (!generated_check_file(tool_call_settings(self->call), place.path, place.shown, error) ||
         !seen_files_check(self->call, place.path, place.shown, error)))
        return false;
    bool is_on_disk = !spot || spot->is_moved || spot->target->before;
    if (spot && spot->write && !spot->is_moved)
        spot->write->is_dropped = true;
    if (is_on_disk)
        add_delete(self, &place);
    put_spot(self, place.path, false, NULL);
    patch_done_describe(done, "delete", "", "");
    done->text = g_strdup_printf("Deleted %s", place.shown);
    return true;
}

bool patch_plan_add(PatchPlan *self, const PatchEntry *entry, PatchDone *ret_done, GError **error)
{
    g_auto(PatchDone) done = { 0 };
    ToolContext *context = tool_call_context(self->call);
    if ((entry->rename && !plan_target_check_rename(context, error)) ||
        (entry->op == PATCH_DELETE && !plan_target_check_delete(context, error)))
        return false;
    bool is_planned = entry->op == PATCH_CREATE   ? plan_create(self, entry, &done, error)
                      : entry->op == PATCH_DELETE ? plan_delete(self, entry, &done, error)
                                                  : plan_update(self, entry, &done, error);
    if (!is_planned)
        return false;
    ret_done->text = g_steal_pointer(&done.text);
    ret_done->details = g_steal_pointer(&done.details);
    return true;
}

static Step *step_at(const PatchPlan *self, guint index)
{
    return self->steps->pdata[index];
}

bool patch_plan_prepare(PatchPlan *self, GError **error)
{
    for (guint i = 0; i < self->steps->len; i++) {
        const Step *step = step_at(self, i);
        if (!step->is_dropped && step->kind == STEP_WRITE &&
            !edit_target_prepare(step->target, error))
            return false;
    }
    return true;
}

static const char *const verbs[][2] = {
    // done, and not done
    [STEP_WRITE] = { "wrote", "write" },
    [STEP_DELETE] = { "deleted", "delete" },
    [STEP_MOVE] = { "moved", "move" },
};

static void append_step(GString *out, const Step *step, bool is_done)
{
    const char *separator = out->len > 0 ? ", " : "";
    g_string_append_printf(out, "%s%s %s%s%s", separator, verbs[step->kind][!is_done], step->shown,
                           step->to ? " to " : "", step->to ? step->to_shown : "");
}

/* For a file system that has no rename that keeps what is there. */
static bool move_by_link(const char *from, const char *to)
{
    if (link(from, to) < 0)
        return false;
    if (unlink(from) == 0)
        return true;
    int number = errno;
    unlink(to); // it stays where it was
    errno = number;
    return false;
}

/* Overwrites nothing; makes the directories that the new path needs. */
static bool move_file(const ToolCall *call, const Step *step, GError **error)
{
    g_autofree char *from = NULL;
    g_autofree char *to = NULL;
    if (!write_guard_pass(call, step->path, true, &from, error) ||
        !write_guard_pass(call, step->to, true, &to, error))
        return false;
    g_autofree char *dir = g_path_get_dirname(to);
    if (!file_make_dirs(dir, 0777, error))
        return false;
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ||
        ((errno == EINVAL || errno == ENOSYS) && move_by_link(from, to)))
        return true;
    if (errno == EEXIST)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "cannot move %s to %s: something has come to be there meanwhile",
                         step->shown, step->to_shown);
    return fail_with_errno(error, errno, "cannot move %s to %s", step->shown, step->to_shown);
}

/* The file or link itself; one that is gone already is deleted. */
static bool delete_file(const ToolCall *call, const Step *step, GError **error)
{
    g_autofree char *real = NULL;
    if ((step->is_checked &&
         !edit_target_check_unchanged(step->path, step->shown, &step->read, error)) ||
        !write_guard_pass(call, step->path, true, &real, error))
        return false;
    return unlink(real) == 0 || errno == ENOENT ||
           fail_with_errno(error, errno, "cannot delete %s", step->shown);
}

static bool carry_out_step(PatchPlan *self, const Step *step, GError **error)
{
    if (step->kind == STEP_WRITE)
        return edit_target_write(self->call, step->target, error);
    if (step->kind == STEP_DELETE)
        return delete_file(self->call, step, error);
    if (!move_file(self->call, step, error))
        return false;
    seen_files_note(self->call, step->to);
    return true;
}

bool patch_plan_carry_out(PatchPlan *self, GString *done, GString *left, GError **error)
{
    bool is_broken_off = false;
    for (guint i = 0; i < self->steps->len; i++) {
        const Step *step = step_at(self, i);
        if (step->is_dropped)
            continue;
        is_broken_off = is_broken_off || !carry_out_step(self, step, error);
        append_step(is_broken_off ? left : done, step, !is_broken_off);
    }
    return !is_broken_off;
}

void patch_plan_list(const PatchPlan *self, GString *left)
{
    for (guint i = 0; i < self->steps->len; i++)
        if (!step_at(self, i)->is_dropped)
            append_step(left, step_at(self, i), false);
}
