/*
 * The picker of sessions (agent-core §4.9): this directory's or all, to go on with, to rename, to
 * delete.
 */
#include "tui/control/pick.h"

#include "base/str.h"
#include "base/timefmt.h"
#include "session/session.h"
#include "session/session_index.h"
#include "session/session_remove.h"
#include "tui/control/pick_ask.h"
#include "tui/control/pick_list.h"

enum { MAX_SESSIONS = 5000, HOUR_MS = 3600 * 1000 };

static void open_list(Tui *tui, bool has_all);

/* --- the list */

static void add_session(Tui *tui, GPtrArray *items, const json_t *session, bool has_all)
{
    gint64 age = time_now_ms() - json_get_int(session, "modified", 0);
    g_autofree char *name = session_info_name(session), *when = time_age_text(age);
    g_autofree char *detail =
        g_strdup_printf("%s · %lld messages%s%s", *when ? when : "just now",
                        (long long)json_get_int(session, "messageCount", 0), has_all ? " · " : "",
                        has_all ? json_get_text(session, "cwd") : "");
    const char *path = json_get_text(session, "path");
    const char *current = json_get_text(tui_snapshot(tui), "sessionFile");
    pick_items_add(items, name, detail, path, g_strcmp0(path, current) == 0);
}

static GPtrArray *session_items(Tui *tui, bool has_all)
{
    const SessionPlace *place = &tui->slash.place;
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) sessions = NULL;
    g_autoptr(GError) error = NULL;
    GPtrArray *items = pick_items_new();
    const char *scope = has_all || place->session_dir ? NULL : place->cwd;
    if (!session_index_open(place->agent_dir, place->session_dir, NULL, NULL, NULL, &index,
                            &error) ||
        !session_index_list(index, scope, MAX_SESSIONS, &sessions, &error))
        tui_error(tui, "%s", error->message);
    size_t i = 0;
    json_t *session = NULL;
    json_array_foreach (sessions, i, session)
        add_session(tui, items, session, has_all);
    return items;
}

static void go_on_with(Tui *tui, const char *path)
{
    g_autoptr(GError) error = NULL;
    const char *current = json_get_text(tui_snapshot(tui), "sessionFile");
    if (g_strcmp0(path, current) == 0)
        tui_hint(tui, "That is this session.");
    else if (!agent_session_switch(tui->session, path, "slash:resume", &error))
        tui_error(tui, "%s", error->message);
}

/* --- another name, and none at all */

/* Of a session that nobody has open: else it would be a copy that is named. */
static bool rename_other(const Tui *tui, const char *path, const char *title, GError **error)
{
    g_autoptr(Session) session = NULL;
    if (!session_open(path, tui->slash.place.cwd, &session, NULL, error))
        return false;
    if (g_strcmp0(session_path(session), path) != 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "that session is open in another process");
    session_set_title(session, title, false);
    return session_flush(session, error);
}

static void on_renamed(Tui *tui, const char *path, const char *text)
{
    g_autoptr(GError) error = NULL;
    const char *current = json_get_text(tui_snapshot(tui), "sessionFile");
    bool is_pending = false;
    if (str_is_empty(text))
        return;
    bool is_done = g_strcmp0(path, current) == 0
                       ? agent_session_set_name(tui->session, text, NULL, &is_pending, &error)
                       : rename_other(tui, path, text, &error);
    if (is_done)
        tui_say(tui, "That session is called: %s", text);
    else
        tui_error(tui, "%s", error->message);
}

#define DELETE_IT "Delete it"

static void on_removed(Tui *tui, const char *path, const char *text)
{
    g_autoptr(GError) error = NULL;
    if (g_strcmp0(text, DELETE_IT) != 0)
        return;
    if (session_remove(path, &error))
        tui_say(tui, "The session is deleted.");
    else
        tui_error(tui, "%s", error->message);
}

static void ask_removal(Tui *tui, const PickItem *item)
{
    static const char *const options[] = { "Keep it", DELETE_IT, NULL };
    g_autofree char *title = g_strdup_printf(
        "Delete \"%s\", with what its tools have kept? Nothing brings it back.", item->text);
    pick_ask_option(tui, title, options, item->meant, on_removed);
}

/* --- keys */

static PanelResult on_key(PickList *list, const PickItem *item, Action action, bool has_all)
{
    Tui *tui = pick_list_tui(list);
    if (action == ACTION_LIST_TAB) {
        open_list(tui, !has_all);
    } else if (action == ACTION_LIST_RENAME && item) {
        pick_ask_text(tui, "A name for the session", item->text, item->meant, on_renamed);
    } else if (action == ACTION_LIST_DELETE && item && item->is_current) {
        tui_hint(tui, "That is this session: /drop deletes it and begins a new one.");
        return PANEL_CHANGED;
    } else if (action == ACTION_LIST_DELETE && item) {
        ask_removal(tui, item);
    } else {
        return PANEL_UNUSED;
    }
    return PANEL_DONE;
}

static PanelResult on_key_here(PickList *list, const PickItem *item, KeyPress key G_GNUC_UNUSED,
                               Action action)
{
    return on_key(list, item, action, false);
}

static PanelResult on_key_all(PickList *list, const PickItem *item, KeyPress key G_GNUC_UNUSED,
                              Action action)
{
    return on_key(list, item, action, true);
}

static void open_list(Tui *tui, bool has_all)
{
    const PickSpec spec = {
        .title = has_all ? "Sessions of all directories" : "Sessions of this directory",
        .hint = has_all ? "Enter opens, Ctrl+R renames, Ctrl+D deletes, Tab: this directory"
                        : "Enter opens, Ctrl+R renames, Ctrl+D deletes, Tab: all directories",
        .empty = "There is no session.",
        .keeps_order = true,
        .chosen = go_on_with,
        .key = has_all ? on_key_all : on_key_here,
    };
    pick_list_open(tui, session_items(tui, has_all), 0, &spec);
}

void pick_session(Tui *tui)
{
    open_list(tui, false);
}
