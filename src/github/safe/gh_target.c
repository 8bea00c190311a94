/*
 * The target of a call (gh_target.h). What the words name comes first; a second name that
 * contradicts the first is refused, because gh's own order between them differs from command to
 * command.
 */
#include "github/safe/gh_target.h"

#include "base/str.h"
#include "github/classify/gh_kind.h"
#include "github/remote_url.h"

void gh_target_clear(GhTarget *self)
{
    gh_context_clear(&self->context);
    g_clear_pointer(&self->env_host, g_free);
    g_clear_pointer(&self->env_repo, g_free);
}

static bool fail_args(const char *reason, GError **error)
{
    return fail_with_kind(error, GH_KIND_INVALID_ARGS, &(GhFacts) { .reason = reason });
}

static bool is_one_of(const CommandNode *node, const char *const *paths)
{
    return g_strv_contains(paths, command_path(node));
}

bool gh_target_is_positional(const Classified *classified)
{
    static const char *const paths[] = { "repo view",    "repo edit",      "repo fork",
                                         "repo archive", "repo unarchive", NULL };
    return classified->node != NULL && is_one_of(classified->node, paths);
}

bool gh_target_takes_hostname(const Classified *classified)
{
    const CommandNode *node = classified->node;
    return command_is(node, "api") || command_is(node, "auth status") ||
           (node != NULL && command_is_below(node, "attestation") &&
            command_flag_by_name(node, "hostname", strlen("hostname")) != NULL);
}

static bool has_repo_flag(const CommandNode *node)
{
    return command_flag_by_name(node, "repo", strlen("repo")) != NULL;
}

/* For these -R is a qualifier, a filter, or at least never taken from the environment. */
static bool is_repo_flag_private(const CommandNode *node)
{
    return command_is_below(node, "search") || command_is_below(node, "codespace") ||
           command_is_below(node, "codespace ports") || command_is_below(node, "attestation");
}

/* `secret list --org x` is about an organization, `secret list --user` about a person. */
static bool is_about_owner(const CommandArgs *args)
{
    return !str_is_empty(command_args_last(args, "org")) || command_args_is_true(args, "user");
}

/* Does the command act on the repository of the context when its words name none? */
static bool acts_on_context(const Classified *classified)
{
    const CommandNode *node = classified->node;
    if (!node || classified->has_unknown_word || is_about_owner(classified->args))
        return false;
    if (gh_target_is_positional(classified))
        return command_args_positional_count(classified->args) == 0;
    return has_repo_flag(node) && !is_repo_flag_private(node);
}

typedef struct Named { // by the words of the command line
    GhRepoName repo;
    char *host; // without a repository, or beside one
} Named;

static void named_clear(Named *self)
{
    gh_repo_name_clear(&self->repo);
    g_clear_pointer(&self->host, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Named, named_clear)

static bool is_same_repo(const GhRepoName *a, const GhRepoName *b)
{
    return str_equal_nocase(a->repo, b->repo) &&
           (a->host == NULL || b->host == NULL || strcmp(a->host, b->host) == 0);
}

/* Takes over what `name` holds. */
static bool named_add(Named *self, GhRepoName *name, GError **error)
{
    if (self->repo.repo && !is_same_repo(&self->repo, name))
        return fail_args("args name two repositories", error);
    if (!self->repo.repo || (!self->repo.host && name->host)) {
        gh_repo_name_clear(&self->repo);
        self->repo = *name;
        *name = (GhRepoName) { 0 };
    }
    return true;
}

/* https://HOST/OWNER/REPO/pull/5, or issues, or discussions: what gh takes a repository from. */
static bool parse_item_url(const char *url, const char *const *known_hosts, GhRepoName *ret_name)
{
    static const char *const kinds[] = { "pull", "issues", "discussions", NULL };
    const char *start = strstr(url, "://");
    g_auto(GStrv) parts = g_strsplit(start != NULL ? start + strlen("://") : "", "/", 5);
    if (g_strv_length(parts) != 5 || !g_strv_contains(kinds, parts[3]))
        return false;
    g_autofree char *plain = g_strdup_printf("https://%s/%s/%s", parts[0], parts[1], parts[2]);
    return gh_repo_name_parse(plain, known_hosts, ret_name, NULL);
}

static bool add_url(const GhContextSpec *spec, const CommandNode *node, const char *value,
                    Named *named, GError **error)
{
    g_auto(GhRepoName) name = { 0 };
    if (!value || command_is_below(node, "gist") ||
        !parse_item_url(value, spec->known_hosts, &name))
        return true;
    return named_add(named, &name, error);
}

/* A value that is no reference, or one to an unknown host, has made the call blocked already. */
static bool add_repo(const GhContextSpec *spec, const char *value, Named *named, GError **error)
{
    g_auto(GhRepoName) name = { 0 };
    if (!value || !gh_repo_name_parse(value, spec->known_hosts, &name, NULL))
        return true;
    return named_add(named, &name, error);
}

static bool add_ref(const GhContextSpec *spec, const CommandArgs *args, const CommandRef *ref,
                    Named *named, GError **error)
{
    const CommandNode *node = args->node;
    if (ref->flag != COMMAND_NONE) { // the others name a source or a destination
        const char *name = command_flag_name(&command_flags_of(node)[ref->flag]);
        bool is_target = ref->type == COMMAND_REF_REPO && strcmp(name, "repo") == 0;
        return !is_target || add_repo(spec, command_args_last(args, "repo"), named, error);
    }
    if (ref->type == COMMAND_REF_REPO) {
        bool is_target = ref->position == 0 && !has_repo_flag(node);
        return !is_target || add_repo(spec, command_args_positional(args, 0), named, error);
    }
    size_t first = ref->position == COMMAND_EVERY ? 0 : ref->position;
    size_t last = ref->position == COMMAND_EVERY ? command_args_positional_count(args) : first + 1;
    for (size_t i = first; i < last; i++) {
        if (!add_url(spec, node, command_args_positional(args, i), named, error))
            return false;
    }
    return true;
}

/* `repos/OWNER/REPO…` of gh api. */
static bool add_api_path(const GhContextSpec *spec, const Classified *classified, Named *named,
                         GError **error)
{
    if (!classified->api_path)
        return true;
    g_auto(GStrv) all = g_strsplit(classified->api_path, "/", -1);
    const char *segments[3] = { 0 };
    guint count = 0;
    for (char **segment = all; *segment && count < 3; segment++) {
        if (**segment != '\0')
            segments[count++] = *segment;
    }
    if (count < 3 || !str_equal_nocase(segments[0], "repos"))
        return true;
    g_autofree char *repo = g_strconcat(segments[1], "/", segments[2], NULL);
    return add_repo(spec, repo, named, error);
}

/* api.github.com is github.com to people and policies. */
static char *host_of_api(const char *api_host)
{
    if (strcmp(api_host, "uploads.github.com") == 0 || strcmp(api_host, "api.github.com") == 0)
        return g_strdup("github.com");
    bool is_tenant = str_has_prefix(api_host, "api.") && g_str_has_suffix(api_host, ".ghe.com");
    return g_strdup(is_tenant ? api_host + strlen("api.") : api_host);
}

/* The host of a gist's URL. */
static char *host_of_gist(const GhContextSpec *spec, const CommandArgs *args)
{
    const char *value = command_args_positional(args, 0);
    g_autofree char *host = value != NULL ? remote_url_host(value) : NULL;
    const char *name = host;
    if (name && str_has_prefix(name, "gist."))
        name += strlen("gist.");
    return name != NULL && g_strv_contains(spec->known_hosts, name) ? g_strdup(name) : NULL;
}

static bool read_words(const GhContextSpec *spec, const Classified *classified, Named *named,
                       GError **error)
{
    const CommandNode *node = classified->node;
    if (!node || classified->has_unknown_word)
        return true;
    const CommandArgs *args = classified->args;
    const CommandRef *refs = command_refs_of(node);
    for (size_t i = 0; i < node->ref_count; i++) {
        if (!add_ref(spec, args, &refs[i], named, error))
            return false;
    }
    if (!add_api_path(spec, classified, named, error))
        return false;
    if (classified->api_host)
        named->host = host_of_api(classified->api_host);
    else if (command_is_below(node, "gist"))
        named->host = host_of_gist(spec, args);
    return true;
}

/* The last --hostname; its host is known, or the call is blocked already. */
static const char *hostname_of(const Classified *classified)
{
    return gh_target_takes_hostname(classified) ? command_args_last(classified->args, "hostname")
                                                : NULL;
}

/* The repository argument and the words must not contradict each other: neither may win in silence.
 */
static bool check_argument(const GhContextSpec *spec, const Named *named, const char *hostname,
                           GError **error)
{
    if (!spec->repo)
        return true;
    g_auto(GhRepoName) name = { 0 };
    if (!gh_repo_name_parse(spec->repo, spec->known_hosts, &name, error))
        return false;
    if (named->repo.repo && !is_same_repo(&named->repo, &name))
        return fail_args("args already name a repository", error);
    const char *host = named->host != NULL ? named->host : hostname;
    if (host && name.host && !str_equal_nocase(host, name.host))
        return fail_args("args already name a host", error);
    return true;
}

static void take_named(Named *named, GhContext *context, GhTarget *target)
{
    bool has_repo = named->repo.repo != NULL;
    char *host = has_repo && named->repo.host != NULL ? g_strdup(named->repo.host)
                                                      : g_steal_pointer(&named->host);
    target->context = (GhContext) {
        .host = host != NULL ? host : g_strdup(context->host),
        .repo = g_steal_pointer(&named->repo.repo),
        .source = has_repo ? GH_SOURCE_EXPLICIT_REPO : GH_SOURCE_EXPLICIT_HOST,
    };
}

static void set_environment(const Classified *classified, GhTarget *target)
{
    const GhContext *context = &target->context;
    const CommandNode *node = classified->node;
    if (!command_is(node, "auth status"))
        target->env_host = g_strdup(context->host);
    bool takes_repo = acts_on_context(classified) && has_repo_flag(node) &&
                      !command_args_has(classified->args, "repo");
    if (takes_repo && context->repo)
        target->env_repo = g_strconcat(context->host, "/", context->repo, NULL);
}

bool gh_target_resolve(const GhContextSpec *spec, const Classified *classified,
                       GhTarget *ret_target, GError **error)
{
    g_auto(Named) named = { 0 };
    g_auto(GhContext) context = { 0 };
    GhContextSpec asked = *spec;
    const char *hostname = hostname_of(classified);
    if (hostname && classified->effect != EFFECT_BLOCKED)
        asked.hostname = hostname;
    if (!read_words(spec, classified, &named, error) ||
        !check_argument(spec, &named, asked.hostname == hostname ? hostname : NULL, error) ||
        !gh_context_resolve(&asked, &context, error))
        return false;

    bool is_named = named.repo.repo != NULL || named.host != NULL;
    if (is_named)
        take_named(&named, &context, ret_target);
    else
        ret_target->context = (GhContext) {
            .host = g_strdup(context.host),
            .repo = acts_on_context(classified) ? g_strdup(context.repo) : NULL,
            .source = context.source,
        };
    set_environment(classified, ret_target);
    return true;
}
