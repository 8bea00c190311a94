/* See loop_guard.h. */
#include "agent/loop_guard.h"

#include "base/str.h"
#include "tool/call.h"

#include <pthread.h>

#define WINDOW          32
#define NOTE_AT         2 // the same call with the same result
#define STOP_AT         4
#define CYCLE_MAX       4  // calls in turn
#define SAME_CALL_MAX   20 // of the window, whatever came of them
#define ERRORS_NOTE_AT  5
#define ERRORS_STOP_AT  8
#define FAILED_STOP_AT  24 // answers, whatever the reasons
#define REFUSALS_MAX    64 // remembered; the newest
#define REFUSED_STOP_AT 3

typedef struct Seen {
    guint64 call, outcome, tool;
    unsigned answer; // that it came with
} Seen;

typedef struct ErrorRow { // the same tool has failed for the same reason and nothing came between
    guint64 tool, outcome;
    size_t answers; // so many: what fails beside each other has been seen by no model yet
    unsigned answer;
} ErrorRow;

typedef struct Refusal {
    GPtrArray *actions; // of JudgedAction *
    size_t answers;     // that had such a call: the model has seen each one's refusal
    unsigned answer;    // the newest
} Refusal;

struct LoopGuard {
    Seen seen[WINDOW]; // the newest is the last
    size_t count;
    ErrorRow errors;
    ErrorRow failed; // of whatever tools, for whatever reasons
    char *stop_text;

    pthread_mutex_t lock; // guards what follows, which calls on their threads ask for
    unsigned answer;
    GPtrArray *refusals; // of Refusal *, the newest last
};

static void free_refusal(gpointer refusal)
{
    g_ptr_array_unref(((Refusal *)refusal)->actions);
    g_free(refusal);
}

LoopGuard *loop_guard_new(void)
{
    LoopGuard *self = g_new0(LoopGuard, 1);
    self->refusals = g_ptr_array_new_with_free_func(free_refusal);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void loop_guard_free(LoopGuard *self)
{
    if (!self)
        return;
    g_ptr_array_unref(self->refusals);
    pthread_mutex_destroy(&self->lock);
    g_free(self->stop_text);
    g_free(self);
}

void loop_guard_reset(LoopGuard *self)
{
    self->count = 0;
    self->errors = self->failed = (ErrorRow) { 0 };
    g_clear_pointer(&self->stop_text, g_free);
    pthread_mutex_lock(&self->lock);
    g_ptr_array_set_size(self->refusals, 0);
    pthread_mutex_unlock(&self->lock);
}

const char *loop_guard_stop_text(const LoopGuard *self)
{
    return self->stop_text;
}

void loop_guard_next_answer(LoopGuard *self)
{
    pthread_mutex_lock(&self->lock);
    self->answer++;
    pthread_mutex_unlock(&self->lock);
}

// ---- what is compared ----

static guint64 hash_bytes(guint64 hash, const char *text, const char *end)
{
    for (; text < end; text++)
        hash = (hash ^ (guchar)*text) * G_GUINT64_CONSTANT(1099511628211); // FNV-1a
    return hash;
}

static guint64 hash_text(guint64 hash, const char *text)
{
    return hash_bytes(hash, text, text + strlen(text));
}

#define HASH_START G_GUINT64_CONSTANT(14695981039346656037)
#define DIGITS     "0123456789"

/* Each of these returns where it ends what begins at `text`; NULL: nothing of the kind does. */

static const char *behind_time(const char *text)
{
    const char *start = text + strspn(text, DIGITS), *end = start;
    while (*end == ':' && strspn(end + 1, DIGITS) == 2)
        end += strlen(":00");
    if (end == start)
        return NULL;
    return *end == '.' ? end + 1 + strspn(end + 1, DIGITS) : end;
}

/* A duration or a share. */
static const char *behind_amount(const char *text)
{
    static const char *const units[] = { "ms", "s", "min", "%" };
    const char *end = text + strspn(text, DIGITS);
    if (*end == '.')
        end += 1 + strspn(end + 1, DIGITS);
    end += *end == ' ';
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        const char *behind = end + strlen(units[i]);
        if (str_has_prefix(end, units[i]) && !g_ascii_isalnum(*behind) && *behind != '_')
            return behind;
    }
    return NULL;
}

static const char *behind_address(const char *text)
{
    size_t digits = str_has_prefix(text, "0x") ? strspn(text + 2, DIGITS "abcdefABCDEF") : 0;
    return digits > 0 ? text + 2 + digits : NULL;
}

static const char *behind_process_id(const char *text)
{
    if (g_ascii_strncasecmp(text, "pid", 3) != 0)
        return NULL;
    const char *id = text + 3 + strspn(text + 3, " :=[#");
    size_t digits = strspn(id, DIGITS);
    return digits > 0 ? id + digits : NULL;
}

static const char *behind_temp_name(const char *text)
{
    const char *name = str_has_prefix(text, "/tmp/") ? text + strlen("/tmp/") : NULL;
    size_t size = name ? strcspn(name, "/:,;()<>[]'\"` \t\r\n") : 0;
    return size > 0 ? name + size : NULL;
}

/* Of what is another text each time though it says the same (times, durations, shares, process ids,
   addresses, temporary names). A bare number says something. `before` is the character before. */
static const char *behind_noise(const char *text, char before)
{
    const char *end = behind_address(text);
    if (!end)
        end = behind_temp_name(text);
    bool is_in_word = g_ascii_isalnum(before) || before == '_';
    if (!end && g_ascii_isdigit(*text) && (!is_in_word || before == 'T')) // of a date and time
        end = behind_time(text);
    if (end || is_in_word)
        return end;
    return g_ascii_isdigit(*text) ? behind_amount(text) : behind_process_id(text);
}

/* Arguments that a refusal quotes are no reason. */
static guint64 hash_outcome(const char *text)
{
    guint64 hash = HASH_START;
    const char *quoted = strstr(text, CALL_TEXT_RECEIVED);
    for (char before = '\0'; *text && text != quoted;) {
        const char *end = behind_noise(text, before);
        if (end) {
            hash = hash_text(hash, "#");
        } else {
            end = text + MAX(strspn(text, DIGITS), 1);
            hash = hash_bytes(hash, text, end);
        }
        before = end[-1];
        text = end;
    }
    return hash;
}

static guint64 hash_call(const char *tool, const json_t *arguments)
{
    g_autoptr(json_t) copy = json_is_object(arguments) ? json_copy((json_t *)arguments) : NULL;
    json_object_del(copy, "_i");
    json_object_del(copy, "description");
    g_autofree char *text = copy ? json_to_canonical(copy) : g_strdup("");
    return hash_text(hash_text(hash_text(HASH_START, tool), "\n"), text);
}

/* What waits says the same again and again; what fails has waited for nothing. */
static bool is_exempt(const char *tool, const json_t *arguments, bool is_error)
{
    if (is_error)
        return false;
    static const char *const waiting[] = { "ask", "job", "irc", NULL };
    const char *op = json_get_text(arguments, "op");
    return g_strv_contains(waiting, tool) || g_strcmp0(op, "run_watch") == 0;
}

// ---- what is found ----

static const Seen *loop_guard_back(const LoopGuard *self, size_t steps)
{
    return &self->seen[self->count - 1 - steps];
}

static bool is_same(const Seen *one, const Seen *other)
{
    return one->call == other->call && one->outcome == other->outcome;
}

/* How often the last `period` calls came in a row. */
static size_t loop_guard_repetitions(const LoopGuard *self, size_t period)
{
    size_t same = 0;
    while (same + period < self->count &&
           is_same(loop_guard_back(self, same), loop_guard_back(self, same + period)))
        same++;
    return same / period + 1;
}

/* Bash says "(no output)" for a command that says nothing. */
static bool has_reason(const char *text)
{
    return text[strspn(text, " \t\r\n")] && !str_has_prefix(text, "(no output)");
}

static void count_answer(ErrorRow *row, unsigned answer)
{
    row->answers += row->answers == 0 || row->answer != answer;
    row->answer = answer;
}

static void count_error(LoopGuard *self, const Seen *seen, bool is_error, bool has_said_why)
{
    ErrorRow *row = &self->errors;
    is_error = is_error && has_said_why;
    if (!is_error || row->tool != seen->tool || row->outcome != seen->outcome)
        *row = (ErrorRow) { .tool = seen->tool, .outcome = seen->outcome };
    if (is_error)
        count_answer(row, seen->answer);
}

/* Reasons that come by turns are in no row of one reason. A call that fails without a word, as a
   search does that finds nothing, counts neither way. */
static void count_failure(LoopGuard *self, const Seen *seen, bool is_error, bool has_said_why)
{
    if (!is_error)
        self->failed = (ErrorRow) { 0 };
    else if (has_said_why)
        count_answer(&self->failed, seen->answer);
}

static size_t same_calls(const LoopGuard *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->count; i++)
        count += loop_guard_back(self, i)->call == loop_guard_back(self, 0)->call;
    return count;
}

static void loop_guard_stop(LoopGuard *self, char *text)
{
    if (self->stop_text)
        g_free(text);
    else
        self->stop_text = text;
}

static void look_for_loops(LoopGuard *self, const char *tool)
{
    for (size_t period = 1; period <= CYCLE_MAX; period++) {
        if (loop_guard_repetitions(self, period) < STOP_AT)
            continue;
        loop_guard_stop(
            self, period == 1
                      ? g_strdup_printf("Stopped: the same call of %s had the same result %d times",
                                        tool, STOP_AT)
                      : g_strdup_printf("Stopped: the same %zu calls had the same results %d times",
                                        period, STOP_AT));
        return;
    }
    if (same_calls(self) > SAME_CALL_MAX)
        loop_guard_stop(
            self, g_strdup_printf("Stopped: %zu of the last %zu calls were the same call of %s",
                                  same_calls(self), self->count, tool));
    if (self->errors.answers >= ERRORS_STOP_AT)
        loop_guard_stop(self,
                        g_strdup_printf("Stopped: %s failed %d times in a row for the same reason",
                                        tool, ERRORS_STOP_AT));
    if (self->failed.answers >= FAILED_STOP_AT)
        loop_guard_stop(self,
                        g_strdup_printf("Stopped: all calls of %d answers in a row have failed",
                                        FAILED_STOP_AT));
}

static char *loop_guard_note(const LoopGuard *self, const char *tool)
{
    size_t times = loop_guard_repetitions(self, 1) - 1;
    if (times + 1 >= NOTE_AT)
        return g_strdup_printf("[This is the same call with the same result as %zu time%s before.]",
                               times, times == 1 ? "" : "s");
    size_t errors = self->errors.answers;
    if (errors < ERRORS_NOTE_AT)
        return NULL;
    return g_strdup_printf("[%s has failed for the same reason %zu times in a row.]", tool, errors);
}

static bool is_of_this_answer(const LoopGuard *self, const Seen *seen)
{
    for (size_t i = 0; i < self->count && loop_guard_back(self, i)->answer == self->answer; i++) {
        if (loop_guard_back(self, i)->call == seen->call)
            return true;
    }
    return false;
}

char *loop_guard_see(LoopGuard *self, const char *tool, const json_t *arguments, const char *text,
                     bool is_error)
{
    const Seen seen = {
        .call = hash_call(tool, arguments),
        .outcome = hash_outcome(text),
        .tool = hash_text(HASH_START, tool),
        .answer = self->answer,
    };
    if (is_exempt(tool, arguments, is_error) || is_of_this_answer(self, &seen))
        return NULL;
    if (self->count == WINDOW) {
        memmove(self->seen, self->seen + 1, sizeof self->seen - sizeof self->seen[0]);
        self->count--;
    }
    self->seen[self->count++] = seen;
    count_error(self, &seen, is_error, has_reason(text));
    count_failure(self, &seen, is_error, has_reason(text));
    look_for_loops(self, tool);
    return loop_guard_note(self, tool);
}

// ---- what was refused ----

/* The first of `ones` that is so like one of `others`. */
static const JudgedAction *like_action(const GPtrArray *others, const GPtrArray *ones,
                                       Likeness likeness)
{
    for (guint i = 0; i < ones->len; i++) {
        for (guint k = 0; k < others->len; k++) {
            if (judged_action_compare(ones->pdata[i], others->pdata[k]) == likeness)
                return ones->pdata[i];
        }
    }
    return NULL;
}

/* What is refused beside it in the same answer is no second try. */
static bool is_told(const LoopGuard *self, const Refusal *refusal)
{
    return refusal->answers > 1 || refusal->answer != self->answer;
}

static Refusal *find_refusal_locked(const LoopGuard *self, const GPtrArray *actions,
                                    Likeness likeness, bool only_told)
{
    for (guint i = self->refusals->len; i > 0; i--) {
        Refusal *refusal = self->refusals->pdata[i - 1];
        if (like_action(refusal->actions, actions, likeness) &&
            (!only_told || is_told(self, refusal)))
            return refusal;
    }
    return NULL;
}

Likeness loop_guard_was_refused(LoopGuard *self, const GPtrArray *actions, char **ret_earlier)
{
    Likeness likeness = LIKENESS_NONE;
    pthread_mutex_lock(&self->lock);
    const Refusal *possible = find_refusal_locked(self, actions, LIKENESS_POSSIBLE, true);
    if (find_refusal_locked(self, actions, LIKENESS_SAME, true)) {
        likeness = LIKENESS_SAME;
    } else if (possible) {
        likeness = LIKENESS_POSSIBLE;
        *ret_earlier =
            judged_action_text(like_action(actions, possible->actions, LIKENESS_POSSIBLE));
    }
    pthread_mutex_unlock(&self->lock);
    return likeness;
}

static void add_refusal_locked(LoopGuard *self, const GPtrArray *actions)
{
    if (self->refusals->len == REFUSALS_MAX)
        g_ptr_array_remove_index(self->refusals, 0);
    Refusal *refusal = g_new0(Refusal, 1);
    *refusal = (Refusal) { g_ptr_array_ref((GPtrArray *)actions), 1, self->answer };
    g_ptr_array_add(self->refusals, refusal);
}

/* In how many answers it was refused, this one among them. */
static size_t count_refusal_locked(LoopGuard *self, const GPtrArray *actions, char **ret_what)
{
    Refusal *refusal = find_refusal_locked(self, actions, LIKENESS_SAME, false);
    if (!refusal) {
        add_refusal_locked(self, actions);
        return 1;
    }
    *ret_what = judged_action_text(like_action(refusal->actions, actions, LIKENESS_SAME));
    refusal->answers += refusal->answer != self->answer;
    refusal->answer = self->answer;
    return refusal->answers;
}

char *loop_guard_see_refusal(LoopGuard *self, const GPtrArray *actions)
{
    g_autofree char *what = NULL;
    pthread_mutex_lock(&self->lock);
    size_t times = count_refusal_locked(self, actions, &what);
    pthread_mutex_unlock(&self->lock);
    if (times < 2)
        return NULL;
    if (times >= REFUSED_STOP_AT)
        loop_guard_stop(self, g_strdup_printf("Stopped: %s was refused, and tried again %zu times",
                                              what, times - 1));
    return g_strdup_printf("[The refusal of this is final: %s. Another spelling changes nothing: "
                           "go on without it, or say what is needed.]",
                           what);
}
