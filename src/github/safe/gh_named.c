/*
 * The places of a command line that can name a repository are the table's column `refs`; a few more
 * have names of another form.
 */
#include "github/safe/gh_named.h"

#include "base/str.h"

typedef struct Named {
    const Classified *classified;
    const GhContextSpec *spec;
    const GhContext *target;
    GPtrArray *list;
} Named;

/* `repo` NULL: a host alone. Takes neither. */
static void add(Named *self, const char *host, const char *repo, bool is_source)
{
    JudgedTarget *named = g_new0(JudgedTarget, 1);
    named->effect = is_source ? EFFECT_READ : self->classified->effect;
    named->host = g_strdup(host != NULL ? host : self->target->host);
    named->repo = g_strdup(repo);
    g_ptr_array_add(self->list, named);
}

/* The repository of a URL of something in it: https://HOST/OWNER/REPO/issues/5. */
static bool parse_item_url(const char *text, const char *const *known_hosts, GhRepoName *ret_name)
{
    g_auto(GStrv) parts = g_strsplit(text, "/", 6); // "https:", "", host, owner, repo, rest
    if (g_strv_length(parts) < 5)
        return false;
    g_autofree char *name = g_strjoin("/", parts[2], parts[3], parts[4], NULL);
    return gh_repo_name_parse(name, known_hosts, ret_name, NULL);
}

static void add_text(Named *self, const char *text, bool is_source)
{
    g_auto(GhRepoName) name = { 0 };
    bool is_item = text != NULL && strstr(text, "://") != NULL &&
                   parse_item_url(text, self->spec->known_hosts, &name);
    if (is_item || (text != NULL && gh_repo_name_parse(text, self->spec->known_hosts, &name, NULL)))
        add(self, name.host, name.repo, is_source);
}

/* Is what stands there only read from? */
static bool is_source(const CommandNode *node, const CommandRef *ref, const char *flag)
{
    if (command_is(node, "label clone") || command_is(node, "repo fork"))
        return ref->flag == COMMAND_NONE;
    return (command_is(node, "repo sync") && g_strcmp0(flag, "source") == 0) ||
           (command_is(node, "repo create") && g_strcmp0(flag, "template") == 0);
}

static void add_ref(Named *self, const CommandRef *ref)
{
    const CommandArgs *args = self->classified->args;
    const CommandNode *node = args->node;
    if (ref->type == COMMAND_REF_HOST)
        return; // the target's host is it
    if (ref->flag != COMMAND_NONE) {
        const char *flag = command_flag_name(&command_flags_of(node)[ref->flag]);
        add_text(self, command_args_last(args, flag), is_source(node, ref, flag));
        return;
    }
    bool is_every = ref->position == COMMAND_EVERY;
    size_t end = is_every ? command_args_positional_count(args) : (size_t)ref->position + 1;
    for (size_t i = is_every ? 0 : ref->position; i < end; i++)
        add_text(self, command_args_positional(args, i), is_source(node, ref, NULL));
}

/* OWNER/<the target's name>. */
static void add_owner(Named *self, const char *owner, size_t length)
{
    const char *slash = self->target->repo != NULL ? strchr(self->target->repo, '/') : NULL;
    if (slash == NULL || length == 0)
        return;
    g_autofree char *repo = g_strdup_printf("%.*s%s", (int)MIN(length, 200), owner, slash);
    add(self, NULL, repo, false);
}

/* `--head OWNER:BRANCH`, `--repos A/B,C/D`, the new owner of `api …/transfer`. */
static void add_other_forms(Named *self)
{
    const CommandArgs *args = self->classified->args;
    const CommandNode *node = args->node;
    const char *head = command_is(node, "pr create") ? command_args_last(args, "head") : NULL;
    const char *colon = head != NULL ? strchr(head, ':') : NULL;
    if (colon != NULL)
        add_owner(self, head, (size_t)(colon - head));
    bool has_list = command_is(node, "secret set") || command_is(node, "variable set");
    const char *list = has_list ? command_args_last(args, "repos") : NULL;
    g_auto(GStrv) names = g_strsplit(list != NULL ? list : "", ",", -1);
    for (char **name = names; *name != NULL; name++)
        add_text(self, g_strstrip(*name), false);
    const char *path = self->classified->api_path;
    if (path == NULL || !g_str_has_suffix(path, "/transfer"))
        return;
    static const char *const flags[] = { "raw-field", "field" };
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        g_autofree const char **values = command_args_values(args, flags[i]);
        for (size_t k = 0; values[k] != NULL; k++) {
            if (g_str_has_prefix(values[k], "new_owner="))
                add_owner(self, values[k] + strlen("new_owner="),
                          strlen(values[k] + strlen("new_owner=")));
        }
    }
}

GPtrArray *gh_named_targets(const Classified *classified, const GhContextSpec *spec,
                            const GhContext *target)
{
    Named self = {
        .classified = classified,
        .spec = spec,
        .target = target,
        .list = g_ptr_array_new_with_free_func((GDestroyNotify)judged_target_free),
    };
    const CommandNode *node = classified->args->node;
    for (size_t i = 0; i < node->ref_count; i++)
        add_ref(&self, &command_refs_of(node)[i]);
    add_other_forms(&self);
    return self.list;
}
