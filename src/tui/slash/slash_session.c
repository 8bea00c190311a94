/*
 * Slash commands that lead to another session, or write this one (slash.h).
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include "base/file.h"
#include "base/path.h"
#include "base/timefmt.h"
#include "base/utf8.h"
#include "export/export.h"
#include "session/session_index.h"

enum { LISTED_SESSIONS = 20, LISTED_MESSAGES = 20, LISTED_CHARS = 70 };

static void list_row(SlashDoor *door, const char *meant, const char *text)
{
    g_autofree char *line = g_strdelimit(g_strdup(text ? text : ""), "\n\r\t", ' ');
    g_autofree char *shown = utf8_ellipsize(line, LISTED_CHARS);
    json_append_take(door->listed, json_text(meant));
    slash_say(door, "%zu. %s", json_array_size(door->listed), shown);
}

/* With a prompt it is on, whatever it was. */
SLASH(plan)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    bool was_on = g_strcmp0(json_get_text(state, "mode"), "plan") == 0;
    bool is_wanted = *argument || !was_on;
    json_t *arguments = json_make("enabled:%i prompt:%s", is_wanted, *argument ? argument : NULL);
    if (!slash_command(door, "set_plan_mode", arguments, SLASH_ID "plan", error))
        return false;
    if (is_wanted && !was_on)
        slash_say(door, "Plan mode is on: the model reads, and writes nothing but its plan. /plan "
                        "turns it off.");
    else if (!is_wanted)
        slash_say(door, "Plan mode is off; /plan goes on with it.");
    return true;
}

// ---- /resume ----

static void list_session(SlashDoor *door, const json_t *session)
{
    g_autofree char *name = session_info_name(session);
    g_autofree char *age = time_age_text(time_now_ms() - json_get_int(session, "modified", 0));
    g_autofree char *text = g_strdup_printf("%s (%s, %lld messages)", name, *age ? age : "just now",
                                            (long long)json_get_int(session, "messageCount", 0));
    list_row(door, json_get_text(session, "path"), text);
}

static bool list_sessions(SlashDoor *door, GError **error)
{
    g_autoptr(SessionIndex) index = NULL;
    g_autoptr(json_t) sessions = NULL, state = agent_session_state(door->session);
    const char *current = json_get_text(state, "sessionFile");
    const char *scope = door->place.session_dir ? NULL : door->place.cwd;
    if (!session_index_open(door->place.agent_dir, door->place.session_dir, NULL, NULL, NULL,
                            &index, error) ||
        !session_index_list(index, scope, LISTED_SESSIONS + 1, &sessions, error))
        return false;
    slash_list(door, "resume");
    json_each (sessions, i, session) {
        if (g_strcmp0(json_get_text(session, "path"), current) != 0)
            list_session(door, session);
    }
    slash_say(door, json_array_size(door->listed) > 0
                        ? "/resume NUMBER goes on with one."
                        : "There is no earlier session of this directory.");
    return true;
}

SLASH(resume)
{
    if (!*argument)
        return slash_show(door, SLASH_LIST_SESSIONS) || list_sessions(door, error);
    g_autofree char *path = NULL, *cwd = NULL;
    bool is_elsewhere = false;
    const char *meant = NULL;
    if (!slash_listed(door, "resume", argument, &meant, error) ||
        !session_find(&door->place, meant, &path, &is_elsewhere, &cwd, error))
        return false;
    if (is_elsewhere)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "that session belongs to %s; start kedge there, or with --fork",
                         cwd ? cwd : "another directory");
    return slash_command(door, "switch_session", json_pack("{s:s}", "sessionPath", path),
                         SLASH_ID "resume", error);
}

// ---- /branch ----

static bool list_messages(SlashDoor *door, GError **error)
{
    g_autoptr(json_t) points = agent_session_branch_points(door->session, error);
    if (!points)
        return false;
    slash_list(door, "branch");
    size_t count = json_array_size(points);
    for (size_t i = count > LISTED_MESSAGES ? count - LISTED_MESSAGES : 0; i < count; i++) {
        const json_t *point = json_array_get(points, i);
        list_row(door, json_get_text(point, "entryId"), json_get_text(point, "text"));
    }
    slash_say(door, count > 0 ? "/branch NUMBER goes on from before that message."
                              : "There is no message yet.");
    return true;
}

SLASH(branch)
{
    if (!*argument)
        return slash_show(door, SLASH_LIST_MESSAGES) || list_messages(door, error);
    const char *meant = NULL;
    return slash_listed(door, "branch", argument, &meant, error) &&
           slash_command(door, "branch", json_pack("{s:s}", "entryId", meant), SLASH_ID "branch",
                         error);
}

// ---- /export ----

/* On the worker: a long session takes its time. */
static bool write_page(Aside *aside G_GNUC_UNUSED, const char *text, json_t **ret_data,
                       GError **error)
{
    g_autoptr(json_t) page = NULL;
    if (!json_parse_text(text, &page, error))
        return false;
    const char *target = json_get_text(page, "target");
    if (!export_file(json_get_text(page, "path"), json_get_text(page, "prompt"),
                     json_get_array(page, "tools"), target, error))
        return false;
    g_autofree char *quoted = g_shell_quote(target);
    g_autofree char *said =
        json_get_bool(page, "isShared", false)
            ? g_strdup_printf(
                  "The session is a page now: %s\nLook through it first, since everything that was "
                  "said and read is in it. kedge does not publish it; this makes a secret gist of "
                  "it, which anyone with its address can read:\n  gh gist create %s",
                  target, quoted)
            : g_strdup_printf("Exported to: %s", target);
    *ret_data = json_object();
    json_set_text(*ret_data, "shown", said);
    return true;
}

/* The page that is to be shared: with the artifacts of the session, away from the work tree, whose
   next commit would take it. Caller frees. */
static char *shared_page(const char *session, GError **error)
{
    g_autofree char *dir = g_strndup(session, strlen(session) - strlen(".jsonl"));
    return file_make_dirs(dir, 0700, error) ? g_build_filename(dir, "kedge-session.html", NULL)
                                            : NULL;
}

/* Of the file as it is: what a run that is on has not written yet is not in it. "" for the usual
   name. */
static bool begin_page(SlashDoor *door, const char *name, bool is_shared, GError **error)
{
    g_autoptr(json_t) state = agent_session_state(door->session), page = json_object();
    const char *path = json_get_text(state, "sessionFile");
    if (!path)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "this session is in memory only; there is no "
                         "file to export");
    if (agent_session_is_idle(door->session) && !agent_session_flush(door->session, error))
        return false;
    g_autofree char *file = is_shared ? shared_page(path, error)
                            : *name   ? path_expand_home(name)
                                      : export_default_name(path);
    if (!file)
        return false;
    g_autofree char *target = path_absolute(file, door->place.cwd);
    g_autofree char *prompt = agent_session_system_prompt(door->session);
    json_add(page, "path:%s target:%s prompt:%s", path, target, prompt);
    json_object_set(page, "tools", json_get_array(state, "dumpTools"));
    json_set_bool(page, "isShared", is_shared);
    g_autofree char *text = json_to_text(page);
    return agent_session_aside(door->session, write_page, text,
                               is_shared ? SLASH_ID "share" : SLASH_ID "export", error);
}

SLASH(export)
{
    return begin_page(door, argument, false, error);
}

/* kedge itself publishes nothing: who may read a gist is not for it to decide. */
SLASH(share)
{
    return begin_page(door, "", true, error);
}

// ---- what has ended ----

static void say_branch(SlashDoor *door, const char *text)
{
    bool is_shown = text && !door->edit;
    slash_say(door, "This is a new session, up to before that message%s%s", is_shown ? ": " : ".",
              is_shown ? text : "");
}

static void say_success(SlashDoor *door, const char *name, const json_t *data)
{
    static const char *const elsewhere[] = { "new",    "drop",    "move", "resume",
                                             "branch", "handoff", NULL };
    const SessionCommand *command = slash_set_find(session_slash_set(door->session), name);
    if (command && command->done)
        slash_say(door, "%s", command->done);
    else if (g_str_equal(name, "handoff"))
        slash_say(door, json_is_object(data) ? "New session started with handoff context"
                                             : "Stopped; this is the same session.");
    else if (g_str_equal(name, "rename"))
        slash_say_name(door);
    else if (g_str_equal(name, "branch"))
        say_branch(door, json_get_text(data, "text"));
    else if (door->choose && json_get_object(data, "choose") &&
             door->choose(json_get_object(data, "choose"), door->user_data))
        return;
    else if (json_get_text(data, "shown"))
        slash_say(door, "%s", json_get_text(data, "shown"));
    if (g_strv_contains(elsewhere, name))
        slash_loop_stop(door);
    if (g_str_equal(name, "resume") || g_str_equal(name, "branch") || g_str_equal(name, "tree"))
        door->replay(!g_str_equal(name, "resume"), door->user_data);
    const char *text = json_get_text(data, g_str_equal(name, "tree") ? "editorText" : "text");
    if (text && door->edit)
        door->edit(text, door->user_data);
}

static void slash_door_fail(SlashDoor *door, const char *problem)
{
    g_autofree char *said = slash_for_people(problem);
    if (door->fail)
        door->fail(said, door->user_data);
    else
        slash_say(door, "Error: %s", said);
}

void slash_door_clear(SlashDoor *door)
{
    g_clear_pointer(&door->listed, json_decref);
    g_clear_pointer(&door->context_files, g_free);
    g_clear_pointer(&door->dropped, g_free);
    g_clear_pointer(&door->moved, json_decref);
    g_clear_pointer(&door->loop, slash_loop_free);
}

/* What is said from now on is the result of that command, however long it took; NULL: no more. */
static void head_result(SlashDoor *door, const char *name)
{
    g_autofree char *command = name ? g_strconcat("/", name, NULL) : NULL;
    if (door->heading)
        door->heading(command, door->user_data);
}

bool slash_end(SlashDoor *door, const json_t *event)
{
    const char *id = json_get_text(event, "id"), *problem = json_get_text(event, "error");
    slash_loop_note(door, event);
    if (!id || !str_has_prefix(id, SLASH_ID))
        return false;
    head_result(door, id + strlen(SLASH_ID));
    if (g_str_equal(id, SLASH_ID "drop"))
        slash_drop_end(door, !problem);
    if (g_str_equal(id, SLASH_ID "move"))
        slash_move_end(door, !problem);
    if (problem && !g_str_equal(id, SLASH_ID "compact")) // which its own event has told
        slash_door_fail(door, problem);
    else if (!problem)
        say_success(door, id + strlen(SLASH_ID), json_object_get(event, "data"));
    head_result(door, NULL);
    return true;
}
