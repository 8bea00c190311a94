/*
 * Slash commands about what is kept (slash.h): the changes of the program, what of the session a
 * request needs repaired.
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include "agent/request_check.h"
#include "session/session_check.h"
#include "tui/slash/changelog.h"

// ---- /changelog ----

#define SECTION "\n## "

/* Paragraphs and items as one line each: they are wrapped again. Caller frees. */
static char *unwrapped(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) out = g_string_new(NULL);
    for (size_t i = 0; lines[i]; i++) {
        bool goes_on = i > 0 && *lines[i - 1] && str_has_prefix(lines[i], "  ");
        g_string_append_printf(out, "%s%s",
                               goes_on ? " "
                               : i > 0 ? "\n"
                                       : "",
                               goes_on ? g_strchug(lines[i]) : lines[i]);
    }
    return g_string_free(g_steal_pointer(&out), false);
}

SLASH(changelog)
{
    bool is_full = g_str_equal(argument, "full");
    if (*argument && !is_full)
        return fail_with(error, KEDGE_ERROR_USAGE, "/changelog takes nothing, or full, not \"%s\"",
                         argument);
    const char *first = strstr(CHANGELOG_md, SECTION);
    const char *second = first ? strstr(first + strlen(SECTION), SECTION) : NULL;
    const char *start = first && !is_full ? first + 1 : CHANGELOG_md;
    const char *end = second && !is_full ? second : start + strlen(start);
    g_autofree char *text = g_strchomp(g_strndup(start, (gsize)(end - start)));
    g_autofree char *flowing = unwrapped(text);
    slash_say(door, "%s", flowing);
    if (second && !is_full)
        slash_say(door, "/changelog full has all versions.");
    return true;
}

// ---- /repair ----

static void append_problems(GString *text, const GPtrArray *problems)
{
    for (unsigned i = 0; i < problems->len; i++)
        g_string_append_printf(text, "\n  %s", (const char *)problems->pdata[i]);
}

static json_t *request_report(Aside *aside, const char *path, GError **error)
{
    g_auto(SessionCopy) copy = { 0 };
    const Model *model = aside_model(aside);
    if (!session_read(path, &copy, error))
        return NULL;
    json_t *report = request_check(&copy, model, NULL);
    g_autofree char *name = g_strdup_printf("%s/%s", model->provider, model->id);
    json_add(report, "target:%s api:%s", name, model_api_name(model->api));
    return report;
}

static bool check(Aside *aside, const char *path, json_t **ret_data, GError **error)
{
    g_autoptr(GPtrArray) problems = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GString) text = g_string_new(NULL);
    SessionHealth health = session_check(path, problems);
    g_autoptr(json_t) report =
        health == SESSION_NOT_USABLE ? json_object() : request_report(aside, path, error);
    if (!report)
        return false;
    bool is_sound = problems->len == 0 && json_object_size(json_get_object(report, "rules")) == 0;
    g_string_append(text, is_sound ? "Nothing of this session needs to be repaired."
                                   : "What of this session is put right, or left out, when it is "
                                     "read or sent; its file stays as it is:");
    append_problems(text, problems);
    if (json_object_size(json_get_object(report, "rules")) > 0) {
        g_string_append_c(text, '\n');
        request_check_append(text, report);
    }
    *ret_data = json_object();
    json_set_text(*ret_data, "shown", g_strchomp(text->str));
    return true;
}

SLASH(repair)
{
    g_autoptr(json_t) state = agent_session_state(door->session);
    const char *path = json_get_text(state, "sessionFile");
    if (!path)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "this session is in memory only; there is no file to look at");
    if (agent_session_is_idle(door->session) && !agent_session_flush(door->session, error))
        return false;
    return agent_session_aside(door->session, check, path, SLASH_ID "repair", error);
}
