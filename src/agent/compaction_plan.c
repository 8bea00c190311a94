/* See compaction_plan.h. */
#include "agent/compaction_plan.h"

#include "agent/transcript.h"
#include "model/message.h"
#include "session/session_tree.h"

#define RESERVE_PERCENT 15 // of the window, at least
#define BYTES_PER_TOKEN 4

void compaction_plan_clear(CompactionPlan *self)
{
    json_decref(self->history);
    json_decref(self->turn_prefix);
    g_free(self->first_kept_id);
    g_free(self->previous_summary);
    json_decref(self->previous_details);
    *self = (CompactionPlan) { 0 };
}

// ---- entries ----

typedef enum {
    ENTRY_OTHER, // adds nothing to the conversation
    ENTRY_COMPACTION,
    ENTRY_TURN_START, // a message that a turn begins with
    ENTRY_ANSWER,     // of the model: a cut may be before it
    ENTRY_BOUND,      // a message that stays with the one before it
} EntryKind;

static EntryKind kind_of(const json_t *entry)
{
    static const char *const starts[] = { "user",   "developer",     "bashExecution",
                                          "custom", "branchSummary", "pythonExecution",
                                          NULL };
    const char *summary = json_get_text(entry, "summary");
    if (g_strcmp0(json_get_text(entry, "type"), "compaction") == 0)
        return summary && *summary ? ENTRY_COMPACTION : ENTRY_OTHER;
    g_autoptr(json_t) message = session_entry_message(entry);
    if (!message)
        return ENTRY_OTHER;
    const char *role = message_role(message);
    if (g_str_equal(role, "assistant"))
        return ENTRY_ANSWER;
    return g_strv_contains(starts, role) ? ENTRY_TURN_START : ENTRY_BOUND;
}

typedef struct Walk {
    const GPtrArray *path;
    EntryKind *kinds;
    guint start, cut, turn_start; // indices; [start, cut) goes
} Walk;

static guint index_of(const GPtrArray *path, const char *id, guint end)
{
    for (guint i = 0; id && i < end; i++) {
        if (g_strcmp0(json_get_text(path->pdata[i], "id"), id) == 0)
            return i;
    }
    return end;
}

/* What the previous compaction kept is not in its summary. */
static bool find_start(Walk *self, CompactionPlan *plan, GError **error)
{
    guint last = self->path->len;
    bool has_news = false;
    while (last > 0 && self->kinds[last - 1] != ENTRY_COMPACTION) {
        has_news = has_news || self->kinds[last - 1] != ENTRY_OTHER;
        last--;
    }
    if (last == 0)
        return true;
    if (!has_news)
        return fail_with(error, KEDGE_ERROR_USAGE, "Already compacted");
    const json_t *compaction = self->path->pdata[last - 1];
    self->start = index_of(self->path, json_get_text(compaction, "firstKeptEntryId"), last - 1);
    plan->previous_summary = g_strdup(json_get_text(compaction, "summary"));
    file_lists_strip(plan->previous_summary);
    json_t *details = json_get_object(compaction, "details");
    plan->previous_details = details ? json_incref(details) : NULL;
    return true;
}

static bool may_cut_at(const Walk *self, guint index)
{
    return self->kinds[index] == ENTRY_TURN_START || self->kinds[index] == ENTRY_ANSWER;
}

/* The place that leaves about that many tokens. */
static void find_cut(Walk *self, int64_t keep_tokens)
{
    guint at = self->path->len;
    for (int64_t tokens = 0; at > self->start && tokens < keep_tokens;) {
        at--;
        if (self->kinds[at] == ENTRY_OTHER || self->kinds[at] == ENTRY_COMPACTION)
            continue;
        g_autoptr(json_t) message = session_entry_message(self->path->pdata[at]);
        tokens += transcript_estimate(message);
    }
    guint behind = at;
    while (behind < self->path->len && !may_cut_at(self, behind))
        behind++;
    self->cut = behind;
    if (behind < self->path->len)
        return;
    // nothing but results of one answer: it goes with them
    for (self->cut = at; self->cut > self->start && !may_cut_at(self, self->cut);)
        self->cut--;
}

/* A model change and the like belongs to what comes after it. */
static void pull_back(Walk *self)
{
    while (self->cut > self->start && self->kinds[self->cut - 1] == ENTRY_OTHER)
        self->cut--;
}

static void find_turn_start(Walk *self, guint first_message)
{
    self->turn_start = self->cut;
    if (self->kinds[first_message] == ENTRY_TURN_START)
        return;
    for (guint i = self->cut; i > self->start; i--) {
        if (self->kinds[i - 1] == ENTRY_TURN_START) {
            self->turn_start = i - 1;
            return;
        }
    }
}

static json_t *messages_between(const Walk *self, guint from, guint to)
{
    json_t *messages = json_array();
    for (guint i = from; i < to; i++) {
        if (self->kinds[i] != ENTRY_OTHER && self->kinds[i] != ENTRY_COMPACTION)
            json_append_take(messages, session_entry_message(self->path->pdata[i]));
    }
    return messages;
}

bool compaction_plan(const GPtrArray *path, int64_t keep_tokens, CompactionPlan *ret_plan,
                     GError **error)
{
    g_autofree EntryKind *kinds = g_new(EntryKind, path->len);
    for (guint i = 0; i < path->len; i++)
        kinds[i] = kind_of(path->pdata[i]);
    Walk walk = { .path = path, .kinds = kinds };
    g_auto(CompactionPlan) plan = { 0 };
    if (!find_start(&walk, &plan, error))
        return false;
    find_cut(&walk, keep_tokens);
    guint first_message = walk.cut;
    pull_back(&walk);
    if (walk.cut < path->len)
        find_turn_start(&walk, first_message);
    plan.history = messages_between(&walk, walk.start, walk.turn_start);
    plan.turn_prefix = messages_between(&walk, walk.turn_start, walk.cut);
    if (walk.cut >= path->len ||
        json_array_size(plan.history) + json_array_size(plan.turn_prefix) == 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "Nothing to compact (session too small)");
    plan.first_kept_id = g_strdup(json_get_text(path->pdata[walk.cut], "id"));
    *ret_plan = plan;
    plan = (CompactionPlan) { 0 };
    return true;
}

// ---- amounts ----

int64_t compaction_threshold(const Settings *settings, const Model *model)
{
    int64_t window = model->context_window;
    int64_t tokens = settings_get_int(settings, "compaction.thresholdTokens");
    int64_t percent = settings_get_int(settings, "compaction.thresholdPercent");
    if (tokens > 0)
        return CLAMP(tokens, 1, MAX(window - 1, 1));
    if (percent > 0)
        return window * CLAMP(percent, 1, 99) / 100;
    int64_t reserve = settings_get_int(settings, "compaction.reserveTokens");
    reserve = MAX(reserve, window * RESERVE_PERCENT / 100);
    return window - MIN(reserve, window / 2);
}

int64_t compaction_keep_tokens(const Settings *settings, const Model *model, int64_t measured,
                               int64_t estimated)
{
    int64_t keep = settings_get_int(settings, "compaction.keepRecentTokens");
    int64_t bytes = json_get_int(model->compat, "maxRequestBytes", 0);
    int64_t room =
        bytes > 0 ? MIN(model->context_window, bytes / BYTES_PER_TOKEN) : model->context_window;
    keep = CLAMP(keep, 1, MAX(room / 4, 1));
    if (estimated > 0 && measured > estimated)
        keep = (int64_t)((double)keep * (double)estimated / (double)measured);
    return MAX(keep, 1);
}
