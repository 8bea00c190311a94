/*
 * Policy (policy.h): the table of common §4.2, made stricter by gh.policy and
 * gh.hostPolicy.
 */
#include "tool/policy.h"

#include "base/env.h"
#include "base/str.h"

/* Effect → action, for one source of rules. -1: the source says nothing. */
typedef struct Rules {
    int action[EFFECT_UNKNOWN + 1];
} Rules;

static const Rules no_rules = { { -1, -1, -1, -1, -1 } };

static PolicyAction default_action(DoorKind door, Effect effect)
{
    // read, write, destructive, blocked, unknown
    static const PolicyAction agent[] = { ACTION_ALLOW, ACTION_ALLOW, ACTION_ASK, ACTION_REFUSE,
                                          ACTION_ASK };
    static const PolicyAction direct[] = { ACTION_ALLOW, ACTION_ASK, ACTION_ASK, ACTION_REFUSE,
                                           ACTION_ASK };
    switch (door) {
    case DOOR_AGENT:
        return agent[effect];
    case DOOR_DIRECT:
        return direct[effect];
    case DOOR_TYPED:
        return effect == EFFECT_BLOCKED ? ACTION_REFUSE : ACTION_ALLOW;
    }
    return ACTION_REFUSE;
}

static int action_parse(const char *word)
{
    if (g_strcmp0(word, "auto") == 0)
        return ACTION_ALLOW;
    if (g_strcmp0(word, "confirm") == 0)
        return ACTION_ASK;
    if (g_strcmp0(word, "block") == 0)
        return ACTION_REFUSE;
    return -1;
}

static const Rules deny = { { ACTION_REFUSE, ACTION_REFUSE, ACTION_REFUSE, -1, ACTION_REFUSE } };

static const Rules *profile_find(const char *name)
{
    static const struct {
        const char *name;
        Rules rules;
    } profiles[] = {
        // read, write, destructive, blocked, unknown
        { "default", { { ACTION_ALLOW, ACTION_ASK, ACTION_REFUSE, -1, ACTION_ASK } } },
        { "read-only", { { ACTION_ALLOW, ACTION_REFUSE, ACTION_REFUSE, -1, ACTION_REFUSE } } },
        { "ask", { { ACTION_ASK, ACTION_ASK, ACTION_REFUSE, -1, ACTION_ASK } } },
        { "deny", { { ACTION_REFUSE, ACTION_REFUSE, ACTION_REFUSE, -1, ACTION_REFUSE } } },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(profiles); i++)
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i].rules;
    return NULL;
}

static int effect_parse(const char *name)
{
    for (Effect effect = EFFECT_READ; effect <= EFFECT_UNKNOWN; effect++)
        if (strcmp(effect_name(effect), name) == 0)
            return (int)effect;
    return -1;
}

/* A profile name or a map of classes (gh-policy §5.2). What cannot be understood is refused: a
   typing error in a guard must not open it. */
static Rules rules_parse(const json_t *value)
{
    if (!value || json_is_null(value))
        return no_rules;
    const Rules *profile = json_is_string(value) ? profile_find(json_string_value(value)) : NULL;
    if (profile)
        return *profile;
    if (!json_is_object(value))
        return deny;

    Rules rules = no_rules;
    json_each_member (value, name, word) {
        int effect = effect_parse(name);
        if (effect < 0)
            return deny;
        int action = action_parse(json_string_value(word));
        rules.action[effect] = action >= 0 ? action : (int)ACTION_REFUSE;
    }
    return rules;
}

typedef struct Target {
    char *host;       // lower case
    const char *repo; // OWNER/REPO; NULL: not known
} Target;

static void target_clear(Target *self)
{
    g_free(self->host);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Target, target_clear)

/* Lower case, without www.; GitHub's name for ssh over port 443 is GitHub. Caller frees. */
static char *host_alike(const char *host)
{
    g_autofree char *lower = g_ascii_strdown(host, -1);
    const char *name = str_has_prefix(lower, "www.") ? lower + strlen("www.") : lower;
    return g_strdup(strcmp(name, "ssh.github.com") == 0 ? "github.com" : name);
}

/* Names of one repository: without case, a slash at the end, and `.git`. */
static bool is_same_name(const char *a, const char *b)
{
    const char *names[] = { a, b };
    size_t lengths[2];
    for (size_t i = 0; i < 2; i++) {
        size_t length = strlen(names[i]);
        length -= length > 0 && names[i][length - 1] == '/';
        bool has_git = length > 4 && g_ascii_strncasecmp(names[i] + length - 4, ".git", 4) == 0;
        lengths[i] = has_git ? length - 4 : length;
    }
    return lengths[0] == lengths[1] && g_ascii_strncasecmp(a, b, lengths[0]) == 0;
}

static Target target_of(const Settings *settings, const Judgement *judgement)
{
    const char *host = judgement->host;
    if (!host)
        host = env_get_raw("GH_HOST");
    if (!host)
        host = settings_get_text(settings, "gh.defaultHost");
    const char *repo = judgement->repo && strchr(judgement->repo, '/') ? judgement->repo : NULL;
    return (Target) { .host = host_alike(host), .repo = repo };
}

/* `*`, `*.SUFFIX`, HOST, HOST/OWNER/REPO, HOST/OWNER/ *; and HOST/OWNER, which can only mean the
 * last. */
static bool is_pattern(const char *pattern)
{
    if (strcmp(pattern, "*") == 0)
        return true;
    if (str_has_prefix(pattern, "*."))
        return pattern[2] && !strpbrk(pattern + 2, "*/: ");
    g_auto(GStrv) parts = g_strsplit(pattern, "/", -1);
    unsigned count = g_strv_length(parts);
    if (count < 1 || count > 3)
        return false;
    for (unsigned i = 0; i < count; i++)
        if (!*parts[i] || strpbrk(parts[i], " ") ||
            (strchr(parts[i], '*') && (i < 2 || strcmp(parts[i], "*") != 0)))
            return false;
    return true;
}

enum { RANK_ANY = 1, RANK_SUFFIX = 2, RANK_HOST = 10000, RANK_OWNER, RANK_REPO };

/* How specific a pattern that matches is; 0 when it does not match. */
static unsigned pattern_rank(const char *pattern, const Target *target)
{
    if (strcmp(pattern, "*") == 0)
        return RANK_ANY;
    if (str_has_prefix(pattern, "*.")) {
        g_autofree char *suffix = g_ascii_strdown(pattern + 1, -1);
        unsigned length = (unsigned)MIN(strlen(suffix), RANK_HOST - RANK_SUFFIX - 1);
        return g_str_has_suffix(target->host, suffix) ? RANK_SUFFIX + length : 0;
    }
    g_auto(GStrv) parts = g_strsplit(pattern, "/", 3);
    g_autofree char *host = host_alike(parts[0]);
    if (strcmp(host, target->host) != 0)
        return 0;
    if (!parts[1])
        return RANK_HOST;
    g_auto(GStrv) repo = g_strsplit(target->repo ? target->repo : "", "/", 2);
    if (g_strv_length(repo) != 2 || g_ascii_strcasecmp(parts[1], repo[0]) != 0)
        return 0;
    if (!parts[2] || strcmp(parts[2], "*") == 0)
        return RANK_OWNER;
    return is_same_name(parts[2], repo[1]) ? RANK_REPO : 0;
}

static bool is_for_repo_of(const char *pattern, const char *host)
{
    size_t length = strlen(host);
    return g_ascii_strncasecmp(pattern, host, length) == 0 && pattern[length] == '/';
}

typedef enum {  // what of a target brought an action
    BY_HOST,    // its host, or nothing that is said about hosts
    BY_REPO,    // a pattern for its repository, or the repository's owner
    BY_ABSENCE, // it has no repository: the strictest pattern of its host's
} SaidBy;

typedef struct Said { // by one layer of settings about an effect and a target
    int action;       // -1: nothing
    SaidBy by;
} Said;

/* The most specific pattern that matches; `general` when it does not name the effect, and when none
   matches. With a repository that is not known the call could be about any: the strictest of its
   host's counts, so that leaving the name out is no way around one. */
static Said host_action(const json_t *host_policy, const Target *target, Effect effect, int general)
{
    unsigned best_rank = 0;
    int best = general, strictest_repo = -1;
    json_each_member (host_policy, pattern, value) {
        if (!is_pattern(pattern))
            return (Said) { .action = ACTION_REFUSE };
        int named = rules_parse(value).action[effect];
        int action = named >= 0 ? named : general;
        unsigned rank = pattern_rank(pattern, target);
        if (rank > best_rank || (rank > 0 && rank == best_rank && action > best)) {
            best = action;
            best_rank = rank;
        }
        if (!target->repo && is_for_repo_of(pattern, target->host))
            strictest_repo = MAX(strictest_repo, action);
    }
    if (strictest_repo > best)
        return (Said) { .action = strictest_repo, .by = BY_ABSENCE };
    return (Said) { .action = best, .by = best_rank >= RANK_OWNER ? BY_REPO : BY_HOST };
}

/* What one layer of settings says explicitly about this effect and target. */
static Said layer_action(const json_t *policy, const json_t *host_policy, const Target *target,
                         Effect effect)
{
    int general = rules_parse(policy).action[effect];
    bool is_usable = !host_policy || json_is_null(host_policy) || json_is_object(host_policy);
    return is_usable ? host_action(host_policy, target, effect, general)
                     : (Said) { .action = ACTION_REFUSE };
}

/* gh and gh_*, through every door (gh-policy §5.1). */
static PolicyAction gh_default_action(Effect effect)
{
    // read, write, destructive, blocked, unknown
    static const PolicyAction row[] = { ACTION_ALLOW, ACTION_ASK, ACTION_REFUSE, ACTION_REFUSE,
                                        ACTION_ASK };
    return row[effect];
}

/* What a user's setting may make of an effect of gh (gh-policy §5.1, "allowed settings"): what is
   not allowed counts as the default. */
static PolicyAction gh_user_action(Effect effect, int action)
{
    bool is_too_loose =
        effect == EFFECT_BLOCKED ||
        (action == ACTION_ALLOW && (effect == EFFECT_DESTRUCTIVE || effect == EFFECT_UNKNOWN));
    return is_too_loose ? gh_default_action(effect) : (PolicyAction)action;
}

static PolicyAction github_action(const Settings *settings, const ToolDef *tool,
                                  const Judgement *judgement, PolicyAction action, SaidBy *ret_by)
{
    g_auto(Target) target = target_of(settings, judgement);
    Said user =
        layer_action(settings_user_json(settings, "gh.policy"),
                     settings_user_json(settings, "gh.hostPolicy"), &target, judgement->effect);
    Said project =
        layer_action(settings_project_json(settings, "gh.policy"),
                     settings_project_json(settings, "gh.hostPolicy"), &target, judgement->effect);
    *ret_by = user.action >= project.action ? user.by : project.by;
    if (settings_guard_mistake(settings))
        return ACTION_REFUSE;
    if ((tool->flags & TOOL_GH) && user.action >= 0) {
        action = gh_user_action(judgement->effect, user.action);
        user.action = -1;
    }
    int strictest = MAX(user.action, project.action);
    return strictest > (int)action ? (PolicyAction)strictest : action;
}

/* What a refusal names. Caller frees. */
static char *where_of(const Settings *settings, const Judgement *judgement, SaidBy by)
{
    g_auto(Target) target = target_of(settings, judgement);
    if (by == BY_REPO && target.repo)
        return g_strconcat(target.host, "/", target.repo, NULL);
    return g_strconcat(target.host, by == BY_ABSENCE ? " without a repository" : NULL, NULL);
}

/* The strictest action for the call's own target (*ret_own: that one's alone) and for every other
   that it names. *ret_where says which brought it; caller frees. */
static PolicyAction every_action(const Settings *settings, const ToolDef *tool,
                                 const Judgement *judgement, PolicyAction by_table,
                                 PolicyAction *ret_own, char **ret_where)
{
    SaidBy by;
    PolicyAction action = github_action(settings, tool, judgement, by_table, &by);
    *ret_own = action;
    *ret_where = where_of(settings, judgement, by);
    for (guint i = 0; judgement->others && i < judgement->others->len; i++) {
        const JudgedTarget *other = g_ptr_array_index(judgement->others, i);
        const Judgement judged = { .effect = other->effect,
                                   .host = other->host,
                                   .repo = other->repo };
        SaidBy other_by;
        PolicyAction found =
            github_action(settings, tool, &judged, gh_default_action(other->effect), &other_by);
        bool is_clearer = found == action && by == BY_ABSENCE && other_by == BY_REPO;
        if (found < action || (found == action && !is_clearer))
            continue;
        action = found;
        by = other_by;
        g_free(*ret_where);
        *ret_where = where_of(settings, &judged, other->repo ? BY_REPO : other_by);
    }
    return action;
}

/* What in one value of rules cannot be understood; NULL: nothing. Caller frees. */
static char *rules_mistake(const char *where, const json_t *value)
{
    if (!value || json_is_null(value))
        return NULL;
    if (json_is_string(value) && !profile_find(json_string_value(value)))
        return g_strdup_printf("%s: no profile is called \"%s\"", where, json_string_value(value));
    if (!json_is_string(value) && !json_is_object(value))
        return g_strdup_printf("%s: must be a profile or a map of effects", where);
    json_each_member (value, name, word) {
        if (effect_parse(name) < 0)
            return g_strdup_printf("%s: no effect is called \"%s\"", where, name);
        if (action_parse(json_string_value(word)) < 0)
            return g_strdup_printf("%s: the action for %s must be auto, confirm or block", where,
                                   name);
    }
    return NULL;
}

static char *host_policy_mistake(const json_t *host_policy)
{
    if (host_policy && !json_is_null(host_policy) && !json_is_object(host_policy))
        return g_strdup("gh.hostPolicy: must be a map of patterns");
    json_each_member (host_policy, pattern, value) {
        if (!is_pattern(pattern))
            return g_strdup_printf("gh.hostPolicy: \"%s\" is no pattern", pattern);
        g_autofree char *where = g_strdup_printf("gh.hostPolicy for %s", pattern);
        char *mistake = rules_mistake(where, value);
        if (mistake)
            return mistake;
    }
    return NULL;
}

char *policy_mistake(const Settings *settings)
{
    const json_t *policies[] = { settings_user_json(settings, "gh.policy"),
                                 settings_project_json(settings, "gh.policy") };
    const json_t *host_policies[] = { settings_user_json(settings, "gh.hostPolicy"),
                                      settings_project_json(settings, "gh.hostPolicy") };
    char *mistake = g_strdup(settings_guard_mistake(settings));
    for (size_t i = 0; i < G_N_ELEMENTS(policies) && !mistake; i++) {
        mistake = rules_mistake("gh.policy", policies[i]);
        if (!mistake)
            mistake = host_policy_mistake(host_policies[i]);
    }
    return mistake;
}

/* Why the settings refuse: a mistake in them, when there is one, is what the user has to know. */
static char *refusal_reason(const Settings *settings, Effect effect, const char *where)
{
    g_autofree char *mistake = policy_mistake(settings);
    bool is_plural = effect == EFFECT_READ || effect == EFFECT_WRITE;
    return g_strdup_printf("%s%s are disabled for %s by gh.policy or gh.hostPolicy%s%s%s",
                           effect_name(effect), is_plural ? "s" : " calls", where,
                           mistake ? " (" : "", mistake ? mistake : "", mistake ? ")" : "");
}

/* What holds for gh anywhere, whatever is said about hosts. */
static PolicyAction user_action(const Settings *settings, const ToolDef *tool, Effect effect,
                                PolicyAction by_table)
{
    int user = rules_parse(settings_user_json(settings, "gh.policy")).action[effect];
    return (tool->flags & TOOL_GH) && user >= 0 ? gh_user_action(effect, user) : by_table;
}

PolicyAction policy_decide(const Settings *settings, DoorKind door, const ToolDef *tool,
                           const Judgement *judgement, char **ret_reason)
{
    Effect effect = judgement->effect;
    PolicyAction by_table =
        tool->flags & TOOL_GH ? gh_default_action(effect) : default_action(door, effect);
    PolicyAction action = by_table;
    PolicyAction own = by_table;
    g_autofree char *where = NULL;
    if ((tool->flags & TOOL_GITHUB) || judgement->is_github)
        action = every_action(settings, tool, judgement, action, &own, &where);

    // the table refuses what destroys, but the user's settings may let somebody be asked
    PolicyAction mildest = MIN(MIN(by_table, own), user_action(settings, tool, effect, by_table));
    if (action > mildest && action == ACTION_REFUSE)
        *ret_reason = refusal_reason(settings, effect, where);
    else if (action == ACTION_REFUSE)
        *ret_reason = g_strdup_printf("%s calls are never run", effect_name(effect));
    else if (action == ACTION_ASK)
        *ret_reason = g_strdup_printf("a call of effect %s needs approval", effect_name(effect));
    return action;
}

bool policy_lets_pass(const Settings *settings, Effect effect, const char *host, const char *repo,
                      char **ret_reason)
{
    static const ToolDef no_tool = { .name = "a request" };
    const Judgement judgement = { .effect = effect, .host = (char *)host, .repo = (char *)repo };
    SaidBy by;
    if (github_action(settings, &no_tool, &judgement, ACTION_ALLOW, &by) != ACTION_REFUSE)
        return true;
    g_autofree char *where = where_of(settings, &judgement, by);
    *ret_reason = refusal_reason(settings, effect, where);
    return false;
}

bool policy_ignores_project(const Settings *settings, DoorKind door, const ToolDef *tool,
                            const Judgement *judgement)
{
    g_auto(Target) target = target_of(settings, judgement);
    Said said =
        layer_action(settings_project_json(settings, "gh.policy"),
                     settings_project_json(settings, "gh.hostPolicy"), &target, judgement->effect);
    int project = said.action;
    g_autofree char *reason = NULL;
    return project >= 0 && project < (int)policy_decide(settings, door, tool, judgement, &reason);
}
