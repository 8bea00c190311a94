/*
 * What else shapes a call: environment, policy, gh's own configuration, git, the audit log
 * (gh_doctor_check.h).
 */
#include "base/str.h"
#include "github/doctor/gh_doctor_check.h"

#include "base/path.h"

#include "base/file.h"
#include "base/secrets.h"
#include "github/audit/gh_audit.h"
#include "github/git.h"
#include "github/safe/gh_aliases.h"
#include "tool/policy.h"

#include <errno.h>
#include <sys/stat.h>

void doctor_check_env_set(Doctor *self)
{
    check_list_add(&self->list, "env-set", CHECK_GOOD, NULL,
                   "GH_PROMPT_DISABLED GH_PAGER PAGER NO_COLOR GH_NO_UPDATE_NOTIFIER "
                   "GH_NO_EXTENSION_UPDATE_NOTIFIER GH_SPINNER_DISABLED");
}

void doctor_check_env_external(Doctor *self)
{
    static const struct {
        const char *name;
        bool has_value; // that is no secret, and says what gh would act on
    } variables[] = {
        { "GH_HOST", true },
        { "GH_REPO", true },
        { "GH_TOKEN", false },
        { "GITHUB_TOKEN", false },
        { "GH_ENTERPRISE_TOKEN", false },
        { "GITHUB_ENTERPRISE_TOKEN", false },
        { "GH_PAGER", false },
        { "PAGER", false },
        { "GH_DEBUG", false },
        { "DEBUG", false },
        { "GH_FORCE_TTY", false },
        { "CLICOLOR_FORCE", false },
        { "GH_PATH", false },
        { "GH_CONFIG_DIR", false },
    };
    g_autoptr(GString) set = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(variables); i++) {
        const char *value = secrets_get(variables[i].name);
        if (!value)
            continue;
        g_string_append_printf(set, "%s%s", set->len > 0 ? " " : "", variables[i].name);
        if (variables[i].has_value)
            g_string_append_printf(set, "=%s", value);
    }
    if (set->len > 0)
        check_list_add(&self->list, "env-external", CHECK_WARNING, NULL, "%s", set->str);
    else
        check_list_add(&self->list, "env-external", CHECK_GOOD, NULL, "none");
}

/* What the policy looks at of the gh tools. */
static const ToolDef any_gh_tool = { .name = "gh", .flags = TOOL_GITHUB | TOOL_GH };

static const Effect shown_effects[] = { EFFECT_READ, EFFECT_WRITE, EFFECT_DESTRUCTIVE,
                                        EFFECT_UNKNOWN };

/* A repository that no pattern can mean: what holds for its host in general. */
static Judgement judgement_for(const char *host, Effect effect)
{
    return (Judgement) { .effect = effect, .host = (char *)host, .repo = (char *)"-/-" };
}

static PolicyAction action_for(const Doctor *self, const char *host, Effect effect)
{
    const Judgement judgement = judgement_for(host, effect);
    g_autofree char *reason = NULL;
    return policy_decide(self->settings, DOOR_DIRECT, &any_gh_tool, &judgement, &reason);
}

/* "read auto, write confirm, …". Caller frees. */
static char *class_table(const Doctor *self, const char *host)
{
    static const char *const actions[] = { "auto", "confirm", "block" };
    GString *out = g_string_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(shown_effects); i++)
        g_string_append_printf(out, "%s%s %s", i > 0 ? ", " : "", effect_name(shown_effects[i]),
                               actions[action_for(self, host, shown_effects[i])]);
    return g_string_free(out, false);
}

/* Hosts with the same table stand together. Caller frees. */
static char *class_tables(const Doctor *self)
{
    g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free); // of each table
    for (char **host = self->known_hosts; *host; host++) {
        g_autofree char *table = class_table(self, *host);
        unsigned at = 0;
        if (g_ptr_array_find_with_equal_func(tables, table, g_str_equal, &at)) {
            g_autofree char *before = hosts->pdata[at];
            hosts->pdata[at] = g_strconcat(before, " ", *host, NULL);
        } else {
            g_ptr_array_add(tables, g_steal_pointer(&table));
            g_ptr_array_add(hosts, g_strdup(*host));
        }
    }
    GString *out = g_string_new(NULL);
    for (unsigned i = 0; i < tables->len; i++)
        g_string_append_printf(out, "%s%s: %s", i > 0 ? "; " : "", (char *)hosts->pdata[i],
                               (char *)tables->pdata[i]);
    return g_string_free(out, false);
}

static bool is_project_ignored(const Doctor *self)
{
    for (char **host = self->known_hosts; *host; host++)
        for (size_t i = 0; i < G_N_ELEMENTS(shown_effects); i++) {
            const Judgement judgement = judgement_for(*host, shown_effects[i]);
            if (policy_ignores_project(self->settings, DOOR_DIRECT, &any_gh_tool, &judgement))
                return true;
        }
    return false;
}

static bool is_write_unasked(const Doctor *self)
{
    for (char **host = self->known_hosts; *host; host++)
        if (action_for(self, *host, EFFECT_WRITE) == ACTION_ALLOW)
            return true;
    return false;
}

void doctor_check_policy(Doctor *self)
{
    g_autofree char *mistake = policy_mistake(self->settings);
    g_autofree char *tables = class_tables(self);
    if (mistake)
        check_list_add(&self->list, "policy", CHECK_BAD,
                       "correct gh.policy or gh.hostPolicy; until then what they name is blocked",
                       "%s", mistake);
    else if (is_project_ignored(self))
        check_list_add(&self->list, "policy", CHECK_WARNING,
                       "a project can only be stricter than your own settings",
                       "%s; a looser setting of the project is ignored", tables);
    else if (is_write_unasked(self))
        check_list_add(&self->list, "policy", CHECK_WARNING, "remove `write: auto` to be asked",
                       "%s; writes run without a question", tables);
    else
        check_list_add(&self->list, "policy", CHECK_GOOD, NULL, "%s", tables);
}

void doctor_check_aliases(Doctor *self)
{
    g_autoptr(json_t) aliases = gh_aliases_load();
    g_autoptr(GString) shell = g_string_new(NULL);
    g_autoptr(GString) others = g_string_new(NULL);
    json_each_member (aliases, name, expansion) {
        GString *list = gh_alias_is_shell(json_string_value(expansion)) ? shell : others;
        g_string_append_printf(list, "%s%s", list->len > 0 ? " " : "", name);
    }
    if (shell->len > 0)
        check_list_add(&self->list, "aliases", CHECK_WARNING,
                       "they run a shell, so the gh tools refuse them", "shell aliases: %s",
                       shell->str);
    else
        check_list_add(&self->list, "aliases", CHECK_GOOD, NULL, "%s",
                       others->len > 0 ? others->str : "none");
}

void doctor_check_extensions(Doctor *self)
{
    g_auto(GStrv) names = gh_extensions_list();
    g_autofree char *list = g_strjoinv(" ", names);
    if (*list != '\0')
        check_list_add(&self->list, "extensions", CHECK_WARNING, "the gh tools refuse them",
                       "installed: %s", list);
    else
        check_list_add(&self->list, "extensions", CHECK_GOOD, NULL, "none");
}

void doctor_check_git(Doctor *self)
{
    g_autofree char *output = NULL;
    g_autoptr(GError) error = NULL;
    if (git_must("/", (const char *const[]) { "--version", NULL }, DOCTOR_CHECK_S * 1000,
                 tool_call_cancel(self->call), &output, &error)) {
        const char *prefix = "git version ";
        check_list_add(&self->list, "git", CHECK_GOOD, NULL, "%s",
                       str_has_prefix(output, prefix) ? output + strlen(prefix) : output);
    } else {
        check_list_add(&self->list, "git", CHECK_WARNING,
                       "install git; without it no repository is found", "%s", error->message);
    }
}

/* What speaks against a file or directory of the log; NULL: nothing. Caller frees. */
static char *privacy_problem(const char *path, mode_t type)
{
    struct stat info;
    if (lstat(path, &info) != 0)
        return errno == ENOENT ? NULL : g_strdup(g_strerror(errno));
    if ((info.st_mode & S_IFMT) != type)
        return g_strdup(type == S_IFDIR ? "is no directory" : "is no regular file");
    if (info.st_uid != geteuid())
        return g_strdup("belongs to another user");
    if ((info.st_mode & 077) != 0)
        return g_strdup_printf("has mode %04o, others can get at it", info.st_mode & 07777);
    return access(path, W_OK) != 0 ? g_strdup("is not writable") : NULL;
}

/* The directory itself, or the nearest one above it, in which it would be made. */
static bool can_be_made(const char *dir)
{
    g_autofree char *at = g_strdup(dir);
    while (!file_exists(at)) {
        char *parent = g_path_get_dirname(at);
        g_free(at);
        at = parent;
    }
    return file_is_directory(at) && access(at, W_OK | X_OK) == 0;
}

void doctor_check_audit(Doctor *self)
{
    g_autofree char *dir = gh_audit_dir();
    g_autofree char *shown = path_shorten_home(dir);
    if (!settings_get_bool(self->settings, "gh.audit.enabled")) {
        check_list_add(&self->list, "audit", CHECK_WARNING, "set gh.audit.enabled to true",
                       "disabled");
        return;
    }
    g_autofree char *date = gh_audit_date(tool_call_now_ms(self->call));
    g_autofree char *name = g_strconcat(date, ".log", NULL);
    g_autofree char *file = g_build_filename(dir, name, NULL);
    g_autofree char *dir_problem = privacy_problem(dir, S_IFDIR);
    g_autofree char *file_problem = dir_problem == NULL ? privacy_problem(file, S_IFREG) : NULL;
    if (dir_problem) {
        g_autofree char *recovery =
            g_strdup_printf("make it a directory of yours alone: chmod 700 %s", shown);
        check_list_add(&self->list, "audit", CHECK_BAD, recovery, "%s %s", shown, dir_problem);
    } else if (file_problem) {
        g_autofree char *recovery =
            g_strdup_printf("make it a file of yours alone: chmod 600 %s/%s", shown, name);
        check_list_add(&self->list, "audit", CHECK_BAD, recovery, "%s/%s %s", shown, name,
                       file_problem);
    } else if (!can_be_made(dir)) {
        check_list_add(&self->list, "audit", CHECK_BAD, "make the directory above it writable",
                       "%s cannot be made", shown);
    } else if (!file_exists(dir)) {
        check_list_add(&self->list, "audit", CHECK_GOOD, NULL, "%s, made with the first call",
                       shown);
    } else {
        check_list_add(&self->list, "audit", CHECK_GOOD, NULL, "%s (0700)", shown);
    }
}
