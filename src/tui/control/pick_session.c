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
#include "tui/control/background_save.h"
#include "tui/control/pick_ask.h"
#include "tui/control/pick_list.h"

enum { MAX_SESSIONS = 5000, HOUR_MS = 3600 * 1000 };

static void open_list(Tui *tui, bool has_all);

/* At the start nothing else is there to go on with. */
static void pick_again(Tui *tui)
{
    if (tui->picks_session)
        open_list(tui, false);
}

static void end_picking(Tui *tui)
{
    if (tui->picks_session)
        tui_end(tui, 0);
}

// ---- the list ----

typedef struct Wanted {
    char *agent_dir, *session_dir, *scope; // the last two may be NULL
    char *current;                         // the session that is open; NULL: it has no file
    bool has_all;
} Wanted;

static void wanted_free(void *self_)
{
    Wanted *self = self_;
    g_free(self->agent_dir);
    g_free(self->session_dir);
    g_free(self->scope);
    g_free(self->current);
    g_free(self);
}

static void add_session(const Wanted *wanted, GPtrArray *items, const json_t *session)
{
    gint64 age = time_now_ms() - json_get_int(session, "modified", 0);
    g_autofree char *name = session_info_name(session), *when = time_age_text(age);
    g_autofree char *detail = g_strdup_printf("%s · %lld messages%s%s", *when ? when : "just now",
                                              (long long)json_get_int(session, "messageCount", 0),
                                              wanted->has_all ? " · " : "",
                                              wanted->has_all ? json_get_text(session, "cwd") : "");
    const char *path = json_get_text(session, "path");
    pick_items_add(items, name, detail, path, g_strcmp0(path, wanted->current) == 0);
}

/* On a worker: the index may have to be made. */
static GPtrArray *session_items(void *wanted_, Cancel *cancel, GError **error)
{
    const Wanted *wanted = wanted_;
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) sessions = NULL;
    if (!session_index_open(wanted->agent_dir, wanted->session_dir, NULL, NULL, cancel, &index,
                            error) ||
        !session_index_list(index, wanted->scope, MAX_SESSIONS, &sessions, error))
        return NULL;
    GPtrArray *items = pick_items_new();
    json_each (sessions, i, session)
        add_session(wanted, items, session);
    return items;
}

static void go_on_with(Tui *tui, const char *path)
{
    g_autoptr(GError) error = NULL;
    const char *current = json_get_text(tui_snapshot(tui), "sessionFile");
    if (g_strcmp0(path, current) == 0) {
        tui_hint(tui, "That is this session.");
    } else if (agent_session_switch(tui->run->session, path, "slash:resume", &error)) {
        tui->picks_session = false;
    } else {
        tui_error(tui, "%s", error->message);
        pick_again(tui);
    }
}

// ---- another name, and none at all ----

typedef struct Change { // of another session
    char *path, *cwd;
    char *title;   // NULL: it is removed
    GError *error; // of the worker
} Change;

static void change_free(void *self_)
{
    Change *self = self_;
    g_free(self->path);
    g_free(self->cwd);
    g_free(self->title);
    g_clear_error(&self->error);
    g_free(self);
}

/* Of a session that no one has open: else it would be a copy that is named. */
static bool rename_other(const Change *change, GError **error)
{
    g_autoptr(Session) session = NULL;
    if (!session_open(change->path, change->cwd, &session, NULL, error))
        return false;
    if (g_strcmp0(session_path(session), change->path) != 0)
        return fail_with(error, KEDGE_ERROR_USAGE, "that session is open in another process");
    session_set_title(session, change->title, false);
    return session_flush(session, error);
}

/* On a worker. */
static void make_change(void *self_, Cancel *cancel G_GNUC_UNUSED)
{
    Change *self = self_;
    if (self->title)
        rename_other(self, &self->error);
    else
        session_remove(self->path, &self->error);
}

static void on_changed(Tui *tui, void *self_)
{
    const Change *self = self_;
    if (self->error)
        tui_error(tui, "%s", self->error->message);
    else if (self->title)
        tui_say(tui, "That session is called: %s", self->title);
    else
        tui_say(tui, "The session is deleted; " SESSION_TRASH_HINT ".");
    pick_again(tui);
}

static void change_other(Tui *tui, const char *path, const char *title)
{
    Change *change = g_new0(Change, 1);
    change->path = g_strdup(path);
    change->cwd = g_strdup(tui->slash.place.cwd);
    change->title = g_strdup(title);
    later_do(tui, make_change, on_changed, change, change_free);
}

static void on_renamed(Tui *tui, const char *path, const char *text)
{
    g_autoptr(GError) error = NULL;
    const char *current = json_get_text(tui_snapshot(tui), "sessionFile");
    bool is_pending = false;
    if (str_is_empty(text))
        pick_again(tui);
    else if (g_strcmp0(path, current) != 0)
        change_other(tui, path, text);
    else if (agent_session_set_name(tui->run->session, text, NULL, &is_pending, &error))
        tui_say(tui, "That session is called: %s", text);
    else
        tui_error(tui, "%s", error->message);
}

#define DELETE_IT "Delete it"

static void on_removed(Tui *tui, const char *path, const char *text)
{
    if (g_strcmp0(text, DELETE_IT) == 0)
        change_other(tui, path, NULL);
    else
        pick_again(tui);
}

static void ask_removal(Tui *tui, const PickItem *item)
{
    static const char *const options[] = { "Keep it", DELETE_IT, NULL };
    g_autofree char *title = g_strdup_printf(
        "Delete \"%s\", with what its tools have kept? (" SESSION_TRASH_HINT ")", item->text);
    pick_ask_option(tui, title, options, item->meant, on_removed);
}

// ---- keys ----

static PanelResult on_key(PickList *list, const PickItem *item, Action action, bool has_all)
{
    Tui *tui = pick_list_tui(list);
    if (action == ACTION_LIST_TAB) {
        open_list(tui, !has_all);
    } else if (action == ACTION_LIST_RENAME && item) {
        pick_ask_text(tui, "A name for the session", item->text, item->meant, on_renamed);
    } else if (action == ACTION_LIST_DELETE && item && item->is_current) {
        tui_hint(tui, "That is this session: /drop deletes it, and begins a new one.");
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
        .cancelled = end_picking,
        .key = has_all ? on_key_all : on_key_here,
    };
    const SessionPlace *place = &tui->slash.place;
    Wanted *wanted = g_new0(Wanted, 1);
    wanted->agent_dir = g_strdup(place->agent_dir);
    wanted->session_dir = g_strdup(place->session_dir);
    wanted->scope = has_all || place->session_dir ? NULL : g_strdup(place->cwd);
    wanted->current = g_strdup(json_get_text(tui_snapshot(tui), "sessionFile"));
    wanted->has_all = has_all;
    pick_list_open_later(tui, &spec, session_items, wanted, wanted_free);
}

void pick_session(Tui *tui)
{
    open_list(tui, false);
}
