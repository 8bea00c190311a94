/*
 * The kernels of a conversation (eval_kernels.h). A thread of its own, begun with the first kernel,
 * ends those that are idle, have died, or do not give in.
 */
#include "tools/eval/eval_kernels.h"

#include "base/env.h"
#include "base/lock.h"
#include "base/timefmt.h"
#include "base/worker.h"
#include "tool/lent_calls.h"
#include "tools/eval/eval_env.h"

#include <string.h>

#define MAX_KERNELS  4
#define MAX_ENTRIES  64 // languages × directories that are remembered
#define MAX_CRASHES  1  // that are made good; then a reset is asked for
#define IDLE_MS      (5 * 60 * 1000)
#define HEARTBEAT_MS 5000
#define QUEUE_MS     10 // between two looks at a kernel that is busy

typedef struct Entry {
    EvalLanguage language;
    char *cwd;
    EvalKernel *kernel; // NULL: none runs
    bool is_busy;       // taken, or being started
    int64_t used_ms;
    unsigned crashes;
    char *note; // what its next taker is told
} Entry;

struct EvalKernels {
    pthread_mutex_t lock;
    pthread_cond_t has_changed;
    GPtrArray *entries; // of Entry, guarded by the lock like all the rest
    Worker *keeper;
    bool is_ending;
};

static void entry_free(void *data)
{
    Entry *self = data;
    eval_kernel_free(self->kernel);
    g_free(self->cwd);
    g_free(self->note);
    g_free(self);
}

static void *state_new(void)
{
    return eval_kernels_new();
}

static void state_free(void *self)
{
    eval_kernels_free(self);
}

EvalKernels *eval_kernels_of(ToolContext *context)
{
    return tool_context_state(context, "eval", state_new, state_free);
}

EvalKernels *eval_kernels_new(void)
{
    EvalKernels *self = g_new0(EvalKernels, 1);
    pthread_mutex_init(&self->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&self->has_changed, &attributes);
    pthread_condattr_destroy(&attributes);
    self->entries = g_ptr_array_new_with_free_func(entry_free);
    return self;
}

void eval_kernels_free(EvalKernels *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    self->is_ending = true;
    pthread_cond_signal(&self->has_changed);
    pthread_mutex_unlock(&self->lock);
    worker_join(self->keeper);
    g_ptr_array_unref(self->entries);
    pthread_cond_destroy(&self->has_changed);
    pthread_mutex_destroy(&self->lock);
    g_free(self);
}

// ---- with the lock held ----

static Entry *entry_at(const EvalKernels *self, unsigned index)
{
    return self->entries->pdata[index];
}

static unsigned count_locked(const EvalKernels *self)
{
    unsigned count = 0;
    for (unsigned i = 0; i < self->entries->len; i++)
        count += entry_at(self, i)->is_busy || entry_at(self, i)->kernel;
    return count;
}

/* The one that was used longest ago, of those with a kernel or of those without; NULL: all are
   busy. */
static Entry *oldest_locked(const EvalKernels *self, bool has_kernel)
{
    Entry *oldest = NULL;
    for (unsigned i = 0; i < self->entries->len; i++) {
        Entry *each = entry_at(self, i);
        if (!each->is_busy && (each->kernel != NULL) == has_kernel &&
            (!oldest || each->used_ms < oldest->used_ms))
            oldest = each;
    }
    return oldest;
}

static Entry *find_locked(EvalKernels *self, EvalLanguage language, const char *cwd)
{
    for (unsigned i = 0; i < self->entries->len; i++) {
        Entry *each = entry_at(self, i);
        if (each->language == language && strcmp(each->cwd, cwd) == 0)
            return each;
    }
    return NULL;
}

static Entry *find_or_add_locked(EvalKernels *self, EvalLanguage language, const char *cwd)
{
    Entry *entry = find_locked(self, language, cwd);
    if (entry)
        return entry;
    Entry *forgotten = self->entries->len >= MAX_ENTRIES ? oldest_locked(self, false) : NULL;
    if (forgotten)
        g_ptr_array_remove(self->entries, forgotten);
    entry = g_new0(Entry, 1);
    entry->language = language;
    entry->cwd = g_strdup(cwd);
    g_ptr_array_add(self->entries, entry);
    return entry;
}

static void set_note(Entry *entry, const char *why)
{
    g_free(entry->note);
    entry->note = g_strdup_printf("The %s kernel %s: variables of earlier cells are gone.",
                                  eval_language_title(entry->language), why);
}

/* Its kernel, which is over; the caller frees it without the lock. */
static EvalKernel *entry_retire(Entry *entry, const char *why)
{
    set_note(entry, why);
    return g_steal_pointer(&entry->kernel);
}

// ---- the keeper ----

static int64_t idle_ms(void)
{
    return env_int("EVAL_IDLE_MS", IDLE_MS);
}

/* NULL: it stays. */
static EvalKernel *look_after(Entry *entry, int64_t now, int64_t idle)
{
    if (entry->is_busy || !entry->kernel)
        return NULL;
    if (eval_kernel_has_exited(entry->kernel)) {
        entry->crashes++;
        return entry_retire(entry, "has ended by itself");
    }
    if (eval_kernel_is_overdue(entry->kernel))
        return entry_retire(entry, "did not stop when it was cancelled and was ended");
    if (now - entry->used_ms >= idle)
        return entry_retire(entry, "was not used for a while and was ended");
    return NULL;
}

static void eval_kernels_keep(void *data)
{
    EvalKernels *self = data;
    const int64_t idle = idle_ms();
    const int64_t beat = CLAMP(idle / 4, 50, HEARTBEAT_MS);
    g_autoptr(GPtrArray) over = g_ptr_array_new();
    pthread_mutex_lock(&self->lock);
    while (!self->is_ending) {
        int64_t now = time_monotonic_ms();
        int64_t wait = beat;
        for (unsigned i = 0; i < self->entries->len; i++) {
            Entry *entry = entry_at(self, i);
            EvalKernel *kernel = look_after(entry, now, idle);
            if (kernel)
                g_ptr_array_add(over, kernel);
            else if (!entry->is_busy && entry->kernel && eval_kernel_is_stopping(entry->kernel))
                wait = MIN(wait, QUEUE_MS * 10);
        }
        if (over->len > 0) {
            pthread_mutex_unlock(&self->lock);
            g_ptr_array_foreach(over, (GFunc)(void (*)(void))eval_kernel_free, NULL);
            g_ptr_array_set_size(over, 0);
            pthread_mutex_lock(&self->lock);
            continue;
        }
        int64_t until_ms = now + wait;
        const struct timespec until = { until_ms / 1000, (until_ms % 1000) * 1000000 };
        if (count_locked(self) > 0)
            pthread_cond_timedwait(&self->has_changed, &self->lock, &until);
        else
            pthread_cond_wait(&self->has_changed, &self->lock);
    }
    pthread_mutex_unlock(&self->lock);
}

// ---- taking and giving back ----

/* The entry, marked busy, when no one else has it. */
static bool eval_kernels_claim(EvalKernels *self, EvalLanguage language, const char *cwd,
                               Cancel *cancel, Entry **ret_entry, GError **error)
{
    for (;;) {
        pthread_mutex_lock(&self->lock);
        Entry *entry = find_or_add_locked(self, language, cwd);
        bool is_free = !entry->is_busy;
        entry->is_busy = true;
        if (!self->keeper)
            self->keeper = worker_start("eval-keeper", eval_kernels_keep, self);
        pthread_cond_signal(&self->has_changed);
        pthread_mutex_unlock(&self->lock);
        *ret_entry = entry;
        if (is_free)
            return true;
        if (!cancel_sleep(cancel, QUEUE_MS, error))
            return false;
    }
}

static void eval_kernels_release(EvalKernels *self, Entry *entry)
{
    HOLD_LOCK(&self->lock);
    entry->is_busy = false;
    entry->used_ms = time_monotonic_ms();
    pthread_cond_signal(&self->has_changed);
}

/* Room for one more. */
static void make_room(EvalKernels *self)
{
    for (;;) {
        pthread_mutex_lock(&self->lock);
        Entry *oldest = count_locked(self) > MAX_KERNELS ? oldest_locked(self, true) : NULL;
        EvalKernel *kernel =
            oldest ? entry_retire(oldest, "was ended in favour of those used more recently") : NULL;
        pthread_mutex_unlock(&self->lock);
        if (!kernel)
            return;
        eval_kernel_free(kernel);
    }
}

/* Behind what its next taker is told already. */
static void add_note(Entry *entry, const char *text)
{
    g_autofree char *before = g_steal_pointer(&entry->note);
    entry->note = before ? g_strdup_printf("%s %s", before, text) : g_strdup(text);
}

static bool eval_kernels_start(ToolContext *context, Entry *entry, Cancel *cancel,
                               EvalKernel **ret_kernel, GError **error)
{
    g_autofree char *passed_over = NULL;
    g_auto(GStrv) programs = eval_interpreters(entry->language, entry->cwd, cancel, &passed_over);
    if (passed_over)
        add_note(entry, passed_over);
    if (!programs[0])
        return fail_with(error, KEDGE_ERROR_NOT_FOUND,
                         entry->language == EVAL_PYTHON
                             ? "Python executable not found on PATH"
                             : "JavaScript backend needs Node.js on PATH");
    for (char **program = programs; *program; program++) {
        g_clear_error(error);
        const CommandDoor *door = tool_context_command_door(context);
        g_auto(GStrv) env = eval_environment(context, *program);
        env = door ? door->environment(context, env) : env;
        const EvalKernelSpec spec = {
            .language = entry->language,
            .program = *program,
            .cwd = entry->cwd,
            .env = (const char *const *)env,
        };
        if (eval_kernel_start(&spec, cancel, ret_kernel, error))
            return true;
        if (cancel_has_fired(cancel))
            return false;
    }
    return false;
}

/* What is still there of the last call; on an entry that is claimed. */
static void look_at_kernel(Entry *entry, Cancel *cancel)
{
    if (!entry->kernel)
        return;
    EvalKernel *over = NULL;
    if (eval_kernel_has_exited(entry->kernel)) {
        entry->crashes++;
        over = entry_retire(entry, "has ended by itself");
    } else if (!eval_kernel_settle(entry->kernel, cancel)) {
        over = entry_retire(entry, "did not stop when it was cancelled and was ended");
    }
    eval_kernel_free(over);
}

static bool ensure_kernel(EvalKernels *self, ToolContext *context, Entry *entry, Cancel *cancel,
                          GError **error)
{
    look_at_kernel(entry, cancel);
    if (entry->kernel)
        return cancel_check(cancel, error);
    if (entry->crashes > MAX_CRASHES)
        return fail_with(error, KEDGE_ERROR_FAILED,
                         "%s kernel restarted too many times in this session; `reset: true` starts "
                         "a new one",
                         eval_language_title(entry->language));
    make_room(self);
    return eval_kernels_start(context, entry, cancel, &entry->kernel, error);
}

bool eval_kernels_take(EvalKernels *self, ToolContext *context, EvalLanguage language,
                       const char *cwd, Cancel *cancel, EvalKernel **ret_kernel, char **ret_note,
                       GError **error)
{
    Entry *entry = NULL;
    if (!eval_kernels_claim(self, language, cwd, cancel, &entry, error))
        return false;
    if (!ensure_kernel(self, context, entry, cancel, error)) {
        eval_kernels_release(self, entry);
        return false;
    }
    *ret_kernel = entry->kernel;
    *ret_note = g_steal_pointer(&entry->note);
    return true;
}

char *eval_kernels_give_back(EvalKernels *self, EvalLanguage language, const char *cwd,
                             const EvalOutcome *outcome)
{
    pthread_mutex_lock(&self->lock);
    Entry *entry = find_locked(self, language, cwd);
    EvalKernel *over = outcome->is_ended ? g_steal_pointer(&entry->kernel) : NULL;
    char *note = NULL;
    if (over) {
        entry->crashes += outcome->end == EVAL_DIED;
        set_note(entry, "has ended");
        note = g_steal_pointer(&entry->note);
    }
    pthread_mutex_unlock(&self->lock);
    eval_kernel_free(over);
    eval_kernels_release(self, entry);
    return note;
}

void eval_kernels_reset(EvalKernels *self, EvalLanguage language, const char *cwd)
{
    pthread_mutex_lock(&self->lock);
    Entry *entry = find_locked(self, language, cwd);
    EvalKernel *kernel = entry && !entry->is_busy ? g_steal_pointer(&entry->kernel) : NULL;
    if (entry && !entry->is_busy) {
        entry->crashes = 0;
        g_clear_pointer(&entry->note, g_free);
    }
    pthread_mutex_unlock(&self->lock);
    eval_kernel_free(kernel);
}

unsigned eval_kernels_count(EvalKernels *self)
{
    HOLD_LOCK(&self->lock);
    return count_locked(self);
}
