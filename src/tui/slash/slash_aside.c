/*
 * Slash commands beside the conversation (slash.h): a question that it does not keep, background
 * jobs, the service tier, what was allowed, and how everything stands.
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include "base/file.h"
#include "base/timefmt.h"
#include "session/session_remove.h"

#include <sys/stat.h>
#include <sys/utsname.h>

// ---- /btw ----

static bool slash_aside_ask(Aside *aside, const char *question, json_t **ret_data, GError **error)
{
    g_autofree char *text = NULL;
    if (!aside_ask(aside, question, &text, error))
        return false;
    *ret_data = slash_shown(g_strdup_printf("/btw %s\n\n%s", question, text));
    return true;
}

SLASH(btw)
{
    if (*argument == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "/btw takes a question after it");
    return agent_session_aside(door->session, slash_aside_ask, argument, SLASH_ID "btw", error);
}

// ---- /jobs ----

static bool list_jobs(SlashDoor *door, GError **error)
{
    g_autoptr(json_t) jobs = agent_session_background_jobs(door->session, error);
    if (!jobs)
        return false;
    slash_list(door, "jobs");
    json_each (jobs, i, job) {
        gint64 began = json_get_int(job, "startedAt", 0);
        g_autofree char *age = time_age_text(time_now_ms() - began);
        json_append_take(door->listed, json_text(json_get_text(job, "id")));
        slash_say(door, "%zu. %s, %s, begun %s: %s", i + 1, json_get_text(job, "id"),
                  json_get_text(job, "status"), *age ? age : "just now",
                  json_get_text(job, "label"));
    }
    slash_say(door, json_array_size(jobs) > 0 ? "/jobs cancel NUMBER or ID ends one."
                                              : "There are no background jobs.");
    return true;
}

SLASH(jobs)
{
    static const char verb[] = "cancel";
    if (*argument == '\0')
        return list_jobs(door, error);
    const char *rest = argument + strlen(verb);
    if (!str_has_prefix(argument, verb) || *rest != ' ')
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/jobs takes nothing, or cancel and a job, not \"%s\"", argument);
    const char *meant = NULL;
    if (!slash_listed(door, "jobs", rest + strspn(rest, " "), &meant, error) ||
        !agent_session_cancel_background(door->session, meant, error))
        return false;
    slash_say(door, "The background job %s is being ended.", meant);
    return true;
}

// ---- /permissions ----

SLASH(permissions)
{
    bool is_reset = g_str_equal(argument, "reset");
    if (*argument && !is_reset)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/permissions takes nothing, or reset, not \"%s\"", argument);
    g_auto(GStrv) allowed = agent_session_allowances(door->session);
    if (is_reset)
        agent_session_forget_allowances(door->session);
    if (!*allowed)
        slash_say(door, "Nothing was allowed for the rest of this session.");
    for (char **line = allowed; *line; line++)
        slash_say(door, "%s: %s", is_reset ? "No longer allowed" : "Allowed for this session",
                  *line);
    if (*allowed && !is_reset)
        slash_say(door, "/permissions reset takes that back.");
    return true;
}

// ---- /fast ----

SLASH(fast)
{
    bool is_on = g_str_equal(argument, "on"), is_off = g_str_equal(argument, "off");
    if (!is_on && !is_off && *argument && !g_str_equal(argument, "status"))
        return fail_with(error, KEDGE_ERROR_USAGE, "/fast takes on, off or status, not \"%s\"",
                         argument);
    if (!is_on && !is_off) {
        const char *tier = agent_session_service_tier(door->session);
        slash_say(door,
                  "Service tier: %s. /fast on asks providers that have tiers (OpenAI) for "
                  "the one called priority, which costs more; /fast off asks for none.",
                  tier);
        return true;
    }
    if (!agent_session_set_service_tier(door->session, is_on ? "priority" : "none", error))
        return false;
    slash_say(door, "Saved as the setting serviceTier: %s. It counts from the next message on.",
              is_on ? "priority" : "none");
    return true;
}

// ---- /drop ----

/* "Keep it" is what an Enter too many takes. */
static void ask_drop(SlashDoor *door)
{
    g_autoptr(json_t) list =
        json_pack("{s:s, s:[{s:s, s:s, s:s}, {s:s, s:s, s:s}]}", "title", "Delete this session?",
                  "items", "text", "Keep it", "detail", "", "meant", "", "text", "Delete it",
                  "detail", SESSION_TRASH_HINT, "meant", "/drop yes");
    if (!door->choose || !door->choose(list, door->user_data))
        slash_say(door, "/drop yes deletes this session: " SESSION_TRASH_HINT ".");
}

SLASH(drop)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    if (!*argument) {
        ask_drop(door);
        return true;
    }
    if (!g_str_equal(argument, "yes"))
        return fail_with(error, KEDGE_ERROR_USAGE, "/drop asks first; /drop yes deletes at once");
    if (!slash_command(door, "new_session", NULL, SLASH_ID "drop", error))
        return false;
    g_free(door->dropped);
    door->dropped = g_strdup(json_get_text(state, "sessionFile"));
    return true;
}

void slash_drop_end(SlashDoor *door, bool is_done)
{
    g_autofree char *path = g_steal_pointer(&door->dropped);
    g_autoptr(GError) error = NULL;
    if (!is_done)
        return;
    if (!path || !file_exists(path))
        slash_say(door, "Nothing of the old session was stored. A new session has begun.");
    else if (session_remove(path, &error))
        slash_say(door,
                  "Deleted: %s. A new session has begun. For %d days, `kedge sessions restore` "
                  "brings the old one back.",
                  path, SESSION_TRASH_DAYS);
    else
        slash_say(door, "A new session has begun, but the old one stays: %s", error->message);
}

// ---- /debug ----

static void say_file(SlashDoor *door, const char *what, const char *path)
{
    struct stat facts;
    if (path && stat(path, &facts) == 0)
        slash_say(door, "%s: %s, %lld bytes", what, path, (long long)facts.st_size);
    else
        slash_say(door, "%s: %s", what, path ? "not there" : "none");
}

SLASH(debug)
{
    struct utsname machine = { 0 };
    uname(&machine);
    g_autoptr(json_t) state = agent_session_state(door->session);
    const json_t *model = json_get_object(state, "model");
    g_autofree char *config = g_build_filename(door->place.agent_dir, "config.yml", NULL);
    const char *terminal = g_getenv("TERM");
    slash_say(door, "kedge " KEDGE_VERSION ", GLib %u.%u.%u, jansson %s, %s %s on %s",
              glib_major_version, glib_minor_version, glib_micro_version, jansson_version_str(),
              machine.sysname, machine.release, machine.machine);
    slash_say(door, "Directory: %s", door->place.cwd);
    slash_say(door, "Agent directory: %s", door->place.agent_dir);
    say_file(door, "Settings", config);
    say_file(door, "Session", json_get_text(state, "sessionFile"));
    slash_say(door, "Model: %s/%s, API %s", json_get_text(model, "provider"),
              json_get_text(model, "id"), json_get_text(model, "api"));
    slash_say(door, "Messages: %lld, waiting: %lld, tools: %zu",
              (long long)json_get_int(state, "messageCount", 0),
              (long long)json_get_int(state, "queuedMessageCount", 0),
              json_array_size(json_get_array(state, "dumpTools")));
    slash_say(door, "TERM: %s", terminal ? terminal : "not set");
    return true;
}
