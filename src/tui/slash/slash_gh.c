/*
 * Slash commands for GitHub (slash.h): lists, and the state of gh; what CI says is in slash_ci.c,
 * reviews are in slash_review.c. All of it through the tools of the conversation, on a worker; what
 * they may only read is all that they do.
 */
#include "base/str.h"
#include "tui/slash/slash_private.h"

#include "base/timefmt.h"
#include "model/message.h"

#define MAX_NUMBER_DIGITS 10
#define FOUND_ITEMS       20  // of a search
#define LISTED_ITEMS      100 // to choose from

json_t *slash_shown(char *text)
{
    json_t *data = json_make("shown:%s", text);
    g_free(text);
    return data;
}

const char *slash_number(const char *argument)
{
    const char *digits = argument + (*argument == '#');
    size_t length = strspn(digits, "0123456789");
    bool is_number = length > 0 && length <= MAX_NUMBER_DIGITS && !digits[length] && *digits != '0';
    return is_number ? digits : NULL;
}

bool slash_read_url(Aside *aside, char *url_, char **ret_text, GError **error)
{
    g_autofree char *url = url_;
    return aside_call(aside, "read", json_pack("{s:s}", "path", url), ret_text, NULL, error);
}

json_t *slash_call_gh(Aside *aside, const char *tool, json_t *arguments, json_type type,
                      GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(json_t) details = NULL;
    if (!aside_call(aside, tool, arguments, &text, &details, error))
        return NULL;
    const char *output = json_get_text(details, "output");
    json_t *found = NULL;
    if (output && json_parse_text(output, &found, NULL) && json_typeof(found) == type)
        return found;
    json_decref(found);
    fail_with(error, KEDGE_ERROR_PROTOCOL, "what gh printed cannot be read: %s", text);
    return NULL;
}

// ---- /issues, /prs ----

typedef struct ListKind {
    const char *command, *title, *scheme, *op, *states[5];
    const char *tool, *fields; // that lists for a door with a selector
    AsideFunc list, look_up;
    const char *opening; // of a message to the model, with the number
} ListKind;

static bool list_issues(Aside *aside, const char *filter, json_t **ret_data, GError **error);
static bool list_prs(Aside *aside, const char *filter, json_t **ret_data, GError **error);
static bool look_up_issues(Aside *aside, const char *filter, json_t **ret_data, GError **error);
static bool look_up_prs(Aside *aside, const char *filter, json_t **ret_data, GError **error);

static const ListKind issues = {
    .command = "issues",
    .title = "Issues",
    .scheme = "issue",
    .op = "search_issues",
    .states = { "open", "closed", "all" },
    .tool = "gh_issue_list",
    .fields = "number,title,state,author,labels,updatedAt",
    .list = list_issues,
    .look_up = look_up_issues,
    .opening = "Read issue://%s, and say in short what it asks for and what that would take.",
};
static const ListKind prs = {
    .command = "prs",
    .title = "Pull requests",
    .scheme = "pr",
    .op = "search_prs",
    .states = { "open", "closed", "merged", "all" },
    .tool = "gh_pr_list",
    .fields = "number,title,state,author,labels,updatedAt,isDraft",
    .list = list_prs,
    .look_up = look_up_prs,
    .opening = "Read pr://%s and its threads, pr://%s?comments, and say in short what it changes, "
               "what reviewers want, and what is left to do.",
};

static bool is_state(const ListKind *kind, const char *filter)
{
    return *filter == '\0' || g_strv_contains(kind->states, filter);
}

/* Words of a search, among what is open unless they say more of that. Caller frees. */
static char *query_of(const char *filter)
{
    bool has_state = strstr(filter, "is:") || strstr(filter, "state:");
    return g_strconcat(has_state ? "" : "is:open ", filter, NULL);
}

/* New reference. */
static json_t *search_of(const ListKind *kind, const char *filter)
{
    g_autofree char *query = query_of(filter);
    return json_pack("{s:s, s:s, s:i}", "op", kind->op, "query", query, "limit", FOUND_ITEMS);
}

static bool aside_list(Aside *aside, const ListKind *kind, const char *filter, json_t **ret_data,
                       GError **error)
{
    g_autofree char *text = NULL;
    bool is_read =
        is_state(kind, filter)
            ? slash_read_url(
                  aside, g_strdup_printf("%s://?state=%s", kind->scheme, *filter ? filter : "open"),
                  &text, error)
            : aside_call(aside, "github", search_of(kind, filter), &text, NULL, error);
    if (!is_read)
        return false;
    char *advice = strstr(text, "\n---\n"); // to models
    if (advice)
        *advice = '\0';
    *ret_data =
        slash_shown(g_strdup_printf("%s\n/%s NUMBER opens one.", g_strchomp(text), kind->command));
    return true;
}

static bool list_issues(Aside *aside, const char *filter, json_t **ret_data, GError **error)
{
    return aside_list(aside, &issues, filter, ret_data, error);
}

static bool list_prs(Aside *aside, const char *filter, json_t **ret_data, GError **error)
{
    return aside_list(aside, &prs, filter, ret_data, error);
}

/* "mara-v · draft · bug, area: clock · 3d ago" */
static char *slash_gh_about(const json_t *found)
{
    g_autoptr(GString) out = g_string_new(NULL);
    const char *author = json_get_text(json_get_object(found, "author"), "login");
    const char *state = json_get_text(found, "state");
    const char *updated_at = json_get_text(found, "updatedAt");
    g_autoptr(GDateTime) updated =
        updated_at ? g_date_time_new_from_iso8601(updated_at, NULL) : NULL;
    g_string_append(out, author ? author : "?");
    if (json_get_bool(found, "isDraft", false))
        g_string_append(out, " · draft");
    if (state && g_ascii_strcasecmp(state, "open") != 0) {
        g_autofree char *word = g_ascii_strdown(state, -1);
        g_string_append_printf(out, " · %s", word);
    }
    json_each (json_get_array(found, "labels"), i, label) {
        const char *name = json_get_text(label, "name");
        g_string_append_printf(out, "%s%s", i == 0 ? " · " : ", ", name ? name : "?");
    }
    if (updated) {
        g_autofree char *age = time_age_text(time_now_ms() - g_date_time_to_unix(updated) * 1000);
        g_string_append_printf(out, " · %s", *age ? age : "just now");
    }
    return g_string_free(g_steal_pointer(&out), false);
}

/* An entry of SlashDoor.choose, and a line for a door that cannot show it now. */
static void add_found(const ListKind *kind, const json_t *found, json_t *items, GString *text)
{
    gint64 number = json_get_int(found, "number", 0);
    const char *title = json_get_text(found, "title");
    g_autofree char *name = g_strdup_printf("#%" G_GINT64_FORMAT " %s", number, title ? title : "");
    g_autofree char *detail = slash_gh_about(found);
    g_autofree char *meant = g_strdup_printf("/%s %" G_GINT64_FORMAT, kind->command, number);
    json_append_take(items, json_make("text:%s detail:%s meant:%s", name, detail, meant));
    g_string_append_printf(text, "\n%s\n  %s", name, detail);
}

/* Where the tool cannot say which repository is meant, or gives an error, what all doors have. */
static bool look_up(Aside *aside, const ListKind *kind, const char *filter, json_t **ret_data,
                    GError **error)
{
    const char *state = !is_state(kind, filter) ? "all" : *filter ? filter : "open";
    json_t *arguments =
        json_pack("{s:s, s:s, s:i}", "state", state, "fields", kind->fields, "limit", LISTED_ITEMS);
    g_autofree char *query = query_of(filter);
    if (!is_state(kind, filter))
        json_set_text(arguments, "search", query);
    g_autoptr(json_t) found = slash_call_gh(aside, kind->tool, arguments, JSON_ARRAY, NULL);
    if (json_array_size(found) == 0)
        return kind->list(aside, filter, ret_data, error);
    g_autofree char *title = g_strdup_printf("%s (%s)", kind->title, *filter ? filter : "open");
    g_autoptr(GString) text = g_string_new(title);
    json_t *items = json_array();
    json_each (found, i, one)
        add_found(kind, one, items, text);
    g_string_append_printf(text, "\n/%s NUMBER opens one.", kind->command);
    *ret_data = slash_shown(g_strdup(text->str));
    json_set_take(*ret_data, "choose", json_pack("{s:s, s:o}", "title", title, "items", items));
    return true;
}

static bool look_up_issues(Aside *aside, const char *filter, json_t **ret_data, GError **error)
{
    return look_up(aside, &issues, filter, ret_data, error);
}

static bool look_up_prs(Aside *aside, const char *filter, json_t **ret_data, GError **error)
{
    return look_up(aside, &prs, filter, ret_data, error);
}

static bool slash_door_send(SlashDoor *door, const char *text, GError **error)
{
    g_autoptr(json_t) message = message_user(text);
    bool is_pending = false;
    if (!agent_session_prompt(door->session, message, "followUp", SLASH_PROMPT_ID, &is_pending,
                              error))
        return false;
    if (!door->edit) // else the message is shown as any other
        slash_say(door, "%s: %s", is_pending ? "Sent" : "To be sent after this run", text);
    return true;
}

/* Where the person can write on, they say what is wanted of it. */
static bool open_item(SlashDoor *door, const ListKind *kind, const char *number, GError **error)
{
    if (door->edit) {
        g_autofree char *begun = g_strdup_printf("Read %s://%s and ", kind->scheme, number);
        door->edit(begun, door->user_data);
        return true;
    }
    g_auto(GStrv) parts = g_strsplit(kind->opening, "%s", -1);
    g_autofree char *text = g_strjoinv(number, parts);
    return slash_door_send(door, text, error);
}

static bool list_or_open(SlashDoor *door, const ListKind *kind, const char *argument,
                         const char *id, GError **error)
{
    const char *number = slash_number(argument);
    return number ? open_item(door, kind, number, error)
                  : agent_session_aside(door->session, door->choose ? kind->look_up : kind->list,
                                        argument, id, error);
}

SLASH(issues)
{
    return list_or_open(door, &issues, argument, SLASH_ID "issues", error);
}

SLASH(prs)
{
    return list_or_open(door, &prs, argument, SLASH_ID "prs", error);
}

// ---- /pr ----

/* The person has asked for it: no one is asked again. */
static bool check_out(Aside *aside, const char *number, json_t **ret_data, GError **error)
{
    g_autofree char *text = NULL;
    json_t *arguments = json_pack("{s:s, s:s}", "op", "pr_checkout", "pr", number);
    if (!aside_do(aside, "github", arguments, &text, NULL, error))
        return false;
    *ret_data = slash_shown(g_steal_pointer(&text));
    return true;
}

SLASH(pr)
{
    static const char verb[] = "checkout";
    bool is_checkout = str_has_prefix(argument, verb) && argument[strlen(verb)] == ' ';
    const char *rest = is_checkout ? argument + strlen(verb) : "";
    const char *number = slash_number(rest + strspn(rest, " "));
    if (!number)
        return fail_with(error, KEDGE_ERROR_USAGE,
                         "/pr takes checkout and the number of a pull request, not \"%s\"; /prs "
                         "lists them",
                         argument);
    return agent_session_aside(door->session, check_out, number, SLASH_ID "pr", error);
}

// ---- /gh ----

/* Tools whose texts are for people. */
static bool show_tool(Aside *aside, const char *tool, json_t **ret_data, GError **error)
{
    g_autofree char *text = NULL;
    if (!aside_call(aside, tool, json_object(), &text, NULL, error))
        return false;
    *ret_data = slash_shown(g_steal_pointer(&text));
    return true;
}

SLASH(gh)
{
    bool is_doctor = g_str_equal(argument, "doctor");
    if (is_doctor || g_str_equal(argument, "last-error"))
        return agent_session_aside(door->session, show_tool,
                                   is_doctor ? "gh_doctor" : "gh_last_error", SLASH_ID "gh", error);
    return fail_with(error, KEDGE_ERROR_USAGE, "/gh takes doctor or last-error, not \"%s\"",
                     argument);
}
