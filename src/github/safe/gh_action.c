/*
 * Actions of gh (gh_action.h). An issue and a pull request of one number are one thing to GitHub.
 */
#include "github/safe/gh_action.h"

#include "base/str.h"

typedef struct Action {
    char *verb, *target, *repo; // NULL: not said
} Action;

static void action_clear(Action *self)
{
    g_free(self->verb);
    g_free(self->target);
    g_free(self->repo);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Action, action_clear)

/* The value of a field of `api`; NULL: it has none. Caller frees. */
static char *api_field(const CommandArgs *args, const char *name)
{
    static const char *const flags[] = { "raw-field", "field" };
    g_autofree char *prefix = g_strconcat(name, "=", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        g_autofree const char **values = command_args_values(args, flags[i]);
        for (size_t k = 0; values[k]; k++) {
            if (str_has_prefix(values[k], prefix))
                return g_strdup(values[k] + strlen(prefix));
        }
    }
    return NULL;
}

/* Does `path` have this form? A star is one part of it, two at the end are all that is left.
 *ret_target is what stands for it; caller frees. */
static bool match_path(const char *path, const char *form, char **ret_target)
{
    g_auto(GStrv) parts = g_strsplit(path, "/", -1);
    g_auto(GStrv) wanted = g_strsplit(form, "/", -1);
    g_autofree char *target = NULL;
    size_t i = 0;
    for (; parts[i] && wanted[i]; i++) {
        if (strcmp(wanted[i], "**") == 0) {
            *ret_target = g_strjoinv("/", parts + i);
            return true;
        }
        if (strcmp(wanted[i], "*") != 0 && !str_equal_nocase(wanted[i], parts[i]))
            return false;
        if (*wanted[i] == '*') {
            g_free(target);
            target = g_strdup(parts[i]);
        }
    }
    if (parts[i] || wanted[i])
        return false;
    *ret_target = g_steal_pointer(&target);
    return true;
}

typedef struct Endpoint { // below repos/OWNER/REPO
    const char *method, *form, *verb;
    const char *field; // that is the target; NULL: the star is
} Endpoint;

static const Endpoint endpoints[] = {
    { "PUT", "pulls/*/merge", "pr merge", NULL },
    { "POST", "pulls", "pr create", NULL },
    { "PATCH", "pulls/*", "edit", NULL },
    { "POST", "pulls/*/reviews", "pr review", NULL },
    { "POST", "pulls/*/comments", "pr review comment", NULL },
    { "POST", "issues", "issue create", "title" },
    { "PATCH", "issues/*", "edit", NULL },
    { "POST", "issues/*/comments", "comment", NULL },
    { "PATCH", "git/refs/heads/**", GH_ACTION_PUSH, NULL },
    { "POST", "git/refs", GH_ACTION_PUSH, "ref" },
    { "DELETE", "git/refs/heads/**", "branch delete", NULL },
    { "DELETE", "", "repo delete", NULL },
    { "POST", "labels", "label create", "name" },
    { "DELETE", "labels/*", "label delete", NULL },
    { "POST", "releases", "release create", "tag_name" },
    { "DELETE", "actions/runs/*", "run delete", NULL },
    { "POST", "actions/runs/*/cancel", "run cancel", NULL },
    { "POST", "actions/runs/*/rerun", "run rerun", NULL },
    { "POST", "actions/workflows/*/dispatches", "workflow run", NULL },
};

static const char *without_prefix(const char *text, const char *prefix)
{
    return str_has_prefix(text, prefix) ? text + strlen(prefix) : text;
}

/* A change of the state has a command of its own. */
static void see_state(const CommandArgs *args, Action *action)
{
    g_autofree char *state = api_field(args, "state");
    if (strcmp(action->verb, "edit") != 0 || !state)
        return;
    g_free(action->verb);
    action->verb = g_strdup(strcmp(state, "closed") == 0 ? "close" : "reopen");
}

static bool known_endpoint(const Classified *classified, const char *below, Action *action)
{
    for (size_t i = 0; i < G_N_ELEMENTS(endpoints); i++) {
        const Endpoint *row = &endpoints[i];
        g_autofree char *target = NULL;
        if (g_strcmp0(classified->api_method, row->method) != 0 ||
            !match_path(below, row->form, &target))
            continue;
        g_autofree char *field =
            row->field != NULL ? api_field(classified->args, row->field) : NULL;
        const char *named = row->field != NULL ? field : target;
        action->verb = g_strdup(row->verb);
        action->target = g_strdup(named != NULL ? without_prefix(named, "refs/heads/") : NULL);
        see_state(classified->args, action);
        return true;
    }
    return false;
}

static void read_api(const Classified *classified, Action *action)
{
    const char *path = classified->api_path;
    g_auto(GStrv) parts = g_strsplit(path, "/", 4);
    bool is_of_repo = g_strv_length(parts) >= 3 && str_equal_nocase(parts[0], "repos");
    if (is_of_repo)
        action->repo = g_strconcat(parts[1], "/", parts[2], NULL);
    const char *below = is_of_repo && parts[3] != NULL ? parts[3] : "";
    if (is_of_repo && known_endpoint(classified, below, action))
        return;
    action->verb = g_strconcat("api ", classified->api_method, NULL);
    action->target = g_ascii_strdown(path, -1);
}

/* Number, tag or name: the last part of a URL, without a mark in front. Caller frees. */
static char *plain_target(const char *word)
{
    const char *slash = strstr(word, "://") != NULL ? strrchr(word, '/') : NULL;
    return g_strdup(without_prefix(slash != NULL ? slash + 1 : word, "#"));
}

static const char *plain_verb(const char *command)
{
    static const char *const shared[] = { "close", "comment", "edit", "reopen" };
    for (size_t i = 0; i < G_N_ELEMENTS(shared); i++) {
        const char *word = strchr(command, ' ');
        bool is_item = str_has_prefix(command, "pr ") || str_has_prefix(command, "issue ");
        if (is_item && strcmp(word + 1, shared[i]) == 0)
            return shared[i];
    }
    return command;
}

static void read_command(const Classified *classified, Action *action)
{
    const CommandArgs *args = classified->args;
    const char *command = classified->command;
    const char *word = command_args_positional(args, 0);
    action->verb = g_strdup(plain_verb(command));
    if (str_has_prefix(command, "repo ") && word) {
        action->repo = g_strdup(strchr(word, '/') != NULL ? word : NULL);
        return;
    }
    if (!word && strcmp(command, "issue create") == 0)
        word = command_args_last(args, "title");
    action->target = word != NULL ? plain_target(word) : NULL;
}

void gh_action_add(const Classified *classified, const char *host, const char *repo,
                   Judgement *judgement)
{
    g_auto(Action) action = { 0 };
    bool is_named = classified->node != NULL && !classified->has_unknown_word;
    if (is_named && !classified->is_graphql && classified->api_path && classified->api_method) {
        read_api(classified, &action);
    } else if (is_named && !classified->is_graphql && strcmp(classified->command, "-") != 0) {
        read_command(classified, &action);
    } else { // what it does is not known: only the same words are the same
        action.verb = g_strdup(classified->command);
        action.target = g_strjoinv(" ", classified->args->argv);
    }
    judgement_add_action(judgement, action.verb, action.target, host,
                         repo != NULL ? repo : action.repo);
}
