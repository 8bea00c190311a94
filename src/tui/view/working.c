/* See working.h. */
#include "tui/view/working.h"

#include "tui/text/clean.h"
#include "tui/text/width.h"

#define SPINNER_STEPS  4
#define MIN_DEED_CELLS 10 // of what is being done, however narrow
#define MAX_SECONDS    (100 * 3600 - 1)

/* "12s", "3m05s", "1h02m"; seconds that have begun count. Caller frees. */
static char *seconds_text(gint64 ms)
{
    int seconds = (int)CLAMP(ms / 1000, 0, MAX_SECONDS), minutes = seconds / 60;
    if (minutes >= 60)
        return g_strdup_printf("%dh%02dm", minutes / 60, minutes % 60);
    return minutes > 0 ? g_strdup_printf("%dm%02ds", minutes, seconds % 60)
                       : g_strdup_printf("%ds", seconds);
}

static char *retry_text(const WorkingFacts *facts)
{
    g_autofree char *wait = seconds_text(facts->wait_ms + 999);
    if (!facts->has_motion)
        return g_strdup_printf("Retrying (%d/%d)…", facts->attempt, facts->max_attempts);
    return g_strdup_printf("Retrying (%d/%d) in %s…", facts->attempt, facts->max_attempts, wait);
}

/* What is being done. Caller frees. */
static char *deed_text(const WorkingFacts *facts)
{
    if (facts->is_stopping)
        return g_strdup("Stopping…");
    switch (facts->kind) {
    case WORKING_ON:
        break;
    case WORKING_COMMAND:
        return g_strdup("Running…");
    case WORKING_RETRY:
        return retry_text(facts);
    case WORKING_COMPACTION:
        return g_strdup("Auto-compacting…");
    case WORKING_SUMMARY:
        return g_strdup("Summarizing…");
    }
    g_autofree char *intent = facts->intent ? clean_line(facts->intent, G_MAXINT) : NULL;
    return intent && *intent ? g_strconcat(intent, "…", NULL) : g_strdup("Working…");
}

/* Which key ends it, and how long it has been on. Caller frees. */
static char *rest_text(const WorkingFacts *facts)
{
    bool is_run = facts->kind == WORKING_ON || facts->kind == WORKING_COMMAND;
    const char *key = facts->is_stopping ? "" : is_run ? " (esc to interrupt)" : " (esc to cancel)";
    g_autofree char *elapsed = seconds_text(facts->elapsed_ms);
    bool has_time = facts->has_motion && facts->elapsed_ms >= 1000;
    return g_strconcat(key, has_time ? " " : "", has_time ? elapsed : "", NULL);
}

Row *working_row(const WorkingFacts *facts, const Theme *theme, int step, int width)
{
    const Symbol turning = SYMBOL_SPINNER_0 + (Symbol)((unsigned)step % SPINNER_STEPS);
    const char *mark = theme_symbol(theme, facts->has_motion ? turning : SYMBOL_ACTIVE);
    g_autofree char *text = deed_text(facts), *rest = rest_text(facts);
    g_autoptr(RowBuilder) builder = row_builder_new();
    width = MAX(width, 0);
    row_builder_add(builder, mark, -1, (Style) { .fg = TOKEN_ACCENT }, NULL);
    row_builder_add(builder, " ", -1, (Style) { 0 }, NULL);
    int room = width - row_builder_cells(builder) - text_cells(rest, strlen(rest));
    g_autoptr(Row) deed = row_of(text, (Style) { .fg = TOKEN_TEXT });
    g_autoptr(Row) shown = row_cut(deed, MAX(room, MIN(deed->cells, MIN_DEED_CELLS)));
    row_builder_add_row(builder, shown);
    row_builder_add(builder, rest, -1, (Style) { .fg = TOKEN_DIM }, NULL);
    g_autoptr(Row) row = row_builder_take(builder);
    return row_cut(row, width);
}
