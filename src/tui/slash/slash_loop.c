/*
 * /loop: a message is sent again after each run, so and so often or so long (slash.h).
 */
#include "tui/slash/slash_private.h"

#include "base/timefmt.h"
#include "model/message.h"

enum { MAX_RUNS = 1000, MAX_HOURS = 24 };

struct SlashLoop {
    size_t known;            // user messages when it was asked for: the next one is repeated
    char *text;              // that; NULL: it has not come yet
    unsigned runs, max_runs; // 0: no limit
    gint64 until;            // by time_monotonic_ms(); 0: no limit
    bool is_paused;
};

void slash_loop_free(SlashLoop *self)
{
    if (!self)
        return;
    g_free(self->text);
    g_free(self);
}

/* "5", "90s", "10m", "2h". */
static bool parse(const char *argument, SlashLoop *loop, GError **error)
{
    char *unit = NULL;
    guint64 number = g_ascii_strtoull(argument, &unit, 10);
    guint64 seconds = g_str_equal(unit, "s")   ? 1
                      : g_str_equal(unit, "m") ? 60
                      : g_str_equal(unit, "h") ? 3600
                                               : 0;
    bool is_number = g_ascii_isdigit(*argument) && number > 0;
    if (is_number && !*unit && number <= MAX_RUNS)
        loop->max_runs = (unsigned)number;
    else if (is_number && seconds > 0 && number <= MAX_HOURS * 3600 / seconds)
        loop->until = time_monotonic_ms() + (gint64)(number * seconds * 1000);
    else
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/loop takes a number of runs up to %d, a time like 90s, 10m or 2h up to "
                         "%dh, or off, not \"%s\"",
                         MAX_RUNS, MAX_HOURS, argument);
    return true;
}

/* The text of the user message at `index`; NULL: there is none. Caller frees. */
static char *find_message(SlashDoor *door, size_t index, size_t *ret_count)
{
    g_autoptr(json_t) messages = agent_session_messages(door->session);
    char *text = NULL;
    size_t count = 0;
    json_each (messages, i, message) {
        if (!g_str_equal(message_role(message), "user"))
            continue;
        if (count++ == index)
            text = message_text(message);
    }
    *ret_count = count;
    return text;
}

static bool send(SlashDoor *door, GError **error)
{
    bool is_pending = false;
    g_autoptr(json_t) message = message_user(door->loop->text);
    door->loop->is_paused = false;
    slash_say(door, "Once more: %s", door->loop->text);
    return agent_session_prompt(door->session, message, "followUp", SLASH_PROMPT_ID, &is_pending,
                                error);
}

void slash_loop_stop(SlashDoor *door)
{
    if (door->loop)
        slash_say(door, "The loop has ended after %u runs.", door->loop->runs);
    g_clear_pointer(&door->loop, slash_loop_free);
}

SLASH(loop)
{
    if (g_str_equal(argument, "off")) {
        if (!door->loop)
            slash_say(door, "There is no loop.");
        slash_loop_stop(door);
        return true;
    }
    if (!*argument && door->loop && door->loop->is_paused)
        return send(door, error);
    SlashLoop *loop = g_new0(SlashLoop, 1);
    if (*argument && !parse(argument, loop, error)) {
        slash_loop_free(loop);
        return false;
    }
    g_free(find_message(door, SIZE_MAX, &loop->known));
    slash_loop_free(door->loop);
    door->loop = loop;
    g_autofree char *what = loop->max_runs > 0 ? g_strdup_printf(", %u runs in all", loop->max_runs)
                            : loop->until > 0  ? g_strdup_printf(", for %s", argument)
                                               : g_strdup("");
    slash_say(door,
              "Your next message is sent again after each run%s. Ctrl+C pauses that, /loop off "
              "ends it.",
              what);
    return true;
}

void slash_loop_note(SlashDoor *door, const json_t *event)
{
    SlashLoop *loop = door->loop;
    const char *command = json_get_text(event, "command");
    const char *end = json_get_text(json_get_object(event, "data"), "end");
    size_t count = 0;
    if (!loop || g_strcmp0(command, "prompt") != 0 || !agent_session_is_idle(door->session))
        return;
    if (!loop->text)
        loop->text = find_message(door, loop->known, &count);
    if (!loop->text)
        return;
    loop->runs++;
    bool is_over = (loop->max_runs > 0 && loop->runs >= loop->max_runs) ||
                   (loop->until > 0 && time_monotonic_ms() >= loop->until);
    g_autoptr(GError) error = NULL;
    if (is_over) {
        slash_loop_stop(door);
    } else if (g_strcmp0(end, "done") != 0 || !send(door, &error)) {
        loop->is_paused = true;
        slash_say(door, "The loop is paused. /loop goes on with it, /loop off ends it.");
    }
}
