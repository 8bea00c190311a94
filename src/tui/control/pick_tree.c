/*
 * The navigator of a session's tree (agent-core §7.9): where to go on, labels, filters.
 */
#include "tui/control/pick.h"

#include "base/str.h"
#include "tui/control/pick_ask.h"
#include "tui/control/pick_list.h"

// ---- going there ----

static void go(Tui *tui, const char *entry_id, bool wants_summary, const char *instructions)
{
    g_autoptr(GError) error = NULL;
    if (!agent_session_navigate(tui->run->session, entry_id, wants_summary, instructions,
                                "slash:tree", &error))
        tui_error(tui, "%s", error->message);
    else if (wants_summary)
        tui_note_summary(tui);
}

static void on_instructions(Tui *tui, const char *entry_id, const char *text)
{
    if (str_is_empty(text))
        pick_tree(tui);
    else
        go(tui, entry_id, true, text);
}

static void on_summary(Tui *tui, const char *entry_id, const char *text)
{
    if (!text)
        pick_tree(tui);
    else if (g_str_equal(text, "Summarize with custom prompt"))
        pick_ask_text(tui, "What the summary is to keep", NULL, entry_id, on_instructions);
    else
        go(tui, entry_id, g_str_equal(text, "Summarize"), NULL);
}

static void ask_summary(Tui *tui, const char *entry_id)
{
    static const char *const options[] = { "No summary", "Summarize",
                                           "Summarize with custom prompt", NULL };
    pick_ask_option(tui, "What becomes of the branch that is left?", options, entry_id, on_summary);
}

static void on_chosen(Tui *tui, const char *entry_id)
{
    g_autoptr(json_t) tree = agent_session_tree(tui->run->session, NULL);
    if (g_strcmp0(json_get_text(tree, "leafId"), entry_id) == 0)
        tui_hint(tui, "Already at this point");
    else if (agent_session_wants_summaries(tui->run->session))
        ask_summary(tui, entry_id);
    else
        go(tui, entry_id, false, NULL);
}

// ---- labels ----

static void on_label(Tui *tui, const char *entry_id, const char *text)
{
    g_autoptr(GError) error = NULL;
    if (text && !agent_session_set_label(tui->run->session, entry_id, text, "label", &error))
        tui_error(tui, "%s", error->message);
    pick_tree(tui);
}

// ---- the list ----

/* `ret_nearest`: where the leaf is, or what is shown before it. */
static GPtrArray *tree_items(Tui *tui, TreeFilter filter, size_t *ret_nearest)
{
    g_autoptr(json_t) tree = agent_session_tree(tui->run->session, NULL);
    g_autoptr(GPtrArray) lines = tree_lines(tree, filter);
    GPtrArray *items = pick_items_new();
    *ret_nearest = 0;
    for (guint i = 0; i < lines->len; i++) {
        const TreeLine *line = lines->pdata[i];
        if (line->is_active)
            *ret_nearest = i;
        pick_items_add(items, line->text, NULL, line->entry_id, line->is_leaf);
    }
    return items;
}

static void show_filter(PickList *list, TreeFilter filter)
{
    Tui *tui = pick_list_tui(list);
    g_autofree char *title = g_strdup_printf("Tree (%s)", tree_filter_name(filter));
    size_t nearest = 0;
    tui_set_tree_filter(tui, filter);
    GPtrArray *items = tree_items(tui, filter, &nearest);
    pick_list_set(list, items, nearest);
    pick_list_set_title(list, title);
}

static bool is_filter_key(KeyPress key, TreeFilter *ret_filter)
{
    static const char letters[TREE_FILTER_COUNT] = { 'd', 't', 'u', 'l', 'a' };
    for (int filter = 0; key.mods == MOD_ALT && filter < TREE_FILTER_COUNT; filter++) {
        if (key.code == (uint32_t)letters[filter]) {
            *ret_filter = filter;
            return true;
        }
    }
    return false;
}

static PanelResult on_key(PickList *list, const PickItem *item, KeyPress key, Action action)
{
    Tui *tui = pick_list_tui(list);
    TreeFilter filter = tui->panels->tree_filter;
    if (action == ACTION_TREE_LABEL && item) {
        pick_ask_text(tui, "A label for that point (empty: none)", NULL, item->meant, on_label);
        return PANEL_DONE;
    }
    if (action == ACTION_TREE_FILTER_NEXT)
        filter = (filter + 1) % TREE_FILTER_COUNT;
    else if (action == ACTION_TREE_FILTER_PREVIOUS)
        filter = (filter + TREE_FILTER_COUNT - 1) % TREE_FILTER_COUNT;
    else if (!is_filter_key(key, &filter))
        return PANEL_UNUSED;
    show_filter(list, filter);
    return PANEL_CHANGED;
}

void pick_tree(Tui *tui)
{
    static const PickSpec spec = {
        .title = "Tree",
        .hint = "Enter goes there, Shift+L labels, Ctrl+O shows other entries, Esc leaves",
        .empty = "There is nothing yet.",
        .keeps_order = true,
        .is_tall = true,
        .chosen = on_chosen,
        .key = on_key,
    };
    size_t nearest = 0;
    GPtrArray *items = tree_items(tui, tui->panels->tree_filter, &nearest);
    pick_list_open(tui, items, nearest, &spec);
}
