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
static void gh_named_add(Named *self, const char *host, const char *repo, bool is_source)
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
    if (is_item || (text && gh_repo_name_parse(text, self->spec->known_hosts, &name, NULL)))
        gh_named_add(self, name.host, name.repo, is_source);
}

/* Is what is there only read from? */
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

/* OWNER/NAME. `name` NULL: the target's. */
static void add_owner(Named *self, const char *owner, const char *name)
{
    const char *slash = self->target->repo != NULL ? strchr(self->target->repo, '/') : NULL;
    if (!name && slash)
        name = slash + 1;
    if (!name || *owner == '\0')
        return;
    g_autofree char *repo = g_strdup_printf("%.200s/%.200s", owner, name);
    gh_named_add(self, NULL, repo, false);
}

/* `--head OWNER:BRANCH` */
static void add_head(Named *self)
{
    const char *head = command_args_last(self->classified->args, "head");
    const char *colon = head != NULL ? strchr(head, ':') : NULL;
    g_autofree char *owner = colon != NULL ? g_strndup(head, (size_t)(colon - head)) : NULL;
    if (owner)
        add_owner(self, owner, NULL);
}

/* `--repos A/B,C`, each time it is given; a name alone is one of `--org`. */
static void add_repos(Named *self)
{
    const CommandArgs *args = self->classified->args;
    const char *org = command_args_last(args, "org");
    g_autofree const char **lists = command_args_values(args, "repos");
    for (size_t i = 0; lists[i]; i++) {
        g_auto(GStrv) names = g_strsplit(lists[i], ",", -1);
        for (char **name = names; *name; name++) {
            g_strstrip(*name);
            if (org && !strchr(*name, '/'))
                add_owner(self, org, *name);
            else
                add_text(self, *name, false);
        }
    }
}

/* Values of a field of `api`, also of one in the endpoint: a server may read it from there. */
static GPtrArray *field_values(const Named *self, const char *name)
{
    static const char *const flags[] = { "raw-field", "field" };
    const CommandArgs *args = self->classified->args;
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *prefix = g_strconcat(name, "=", NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        g_autofree const char **values = command_args_values(args, flags[i]);
        for (size_t k = 0; values[k]; k++) {
            if (str_has_prefix(values[k], prefix))
                g_ptr_array_add(found, g_strdup(values[k] + strlen(prefix)));
        }
    }
    const char *query = strchr(command_args_positional(args, 0), '?');
    g_auto(GStrv) parameters = g_strsplit(query != NULL ? query + 1 : "", "&", -1);
    for (char **parameter = parameters; *parameter; parameter++) {
        char *value = str_has_prefix(*parameter, prefix)
                          ? g_uri_unescape_string(*parameter + strlen(prefix), NULL)
                          : NULL;
        if (value)
            g_ptr_array_add(found, value);
    }
    return found;
}

/* `api R/transfer`: to the new owner, under the old name or a new one. */
static void add_transfer(Named *self)
{
    g_autoptr(GPtrArray) owners = field_values(self, "new_owner");
    g_autoptr(GPtrArray) names = field_values(self, "new_name");
    for (guint i = 0; i < owners->len; i++) {
        add_owner(self, owners->pdata[i], NULL);
        for (guint k = 0; k < names->len; k++)
            add_owner(self, owners->pdata[i], names->pdata[k]);
    }
}

/* What names a repository in another form than the column's. */
static void add_other_forms(Named *self)
{
    const CommandArgs *args = self->classified->args;
    const CommandNode *node = args->node;
    const char *path = self->classified->api_path;
    const char *org = command_is(node, "repo fork") ? command_args_last(args, "org") : NULL;
    if (command_is(node, "pr create"))
        add_head(self);
    if (command_is(node, "secret set") || command_is(node, "variable set"))
        add_repos(self);
    if (org)
        add_owner(self, org, command_args_last(args, "fork-name"));
    if (path && g_str_has_suffix(path, "/transfer"))
        add_transfer(self);
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
