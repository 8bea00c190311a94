/*
 * Changes to a command line (gh_argv.h). All of them are made before the command is judged for the
 * last time, so what is approved is what runs.
 */
#include "github/safe/gh_argv.h"

#include "github/classify/gh_kind.h"

#include <pthread.h>

typedef struct Expansion {
    const GhContext *context;
    const char *branch;
    const char *missing; // the first name without a value; NULL: none
    bool is_nested;      // a value looks like a placeholder itself, and gh would replace it
} Expansion;

static GRegex *placeholders; // written once, by compile_placeholders()
static pthread_once_t placeholders_once = PTHREAD_ONCE_INIT;

static void compile_placeholders(void)
{
    placeholders =
        g_regex_new("\\{(owner|repo|branch)\\}|:(owner|repo|branch)\\b", G_REGEX_RAW, 0, NULL);
    g_assert(placeholders != NULL);
}

static gboolean replace_placeholder(const GMatchInfo *match, GString *out, void *data)
{
    Expansion *self = data;
    g_autofree char *whole = g_match_info_fetch(match, 0);
    const char *value = NULL;
    const char *slash = self->context->repo != NULL ? strchr(self->context->repo, '/') : NULL;
    if (strstr(whole, "branch"))
        value = self->branch;
    else if (slash && strstr(whole, "repo"))
        value = slash + 1;
    else if (slash)
        value = self->context->repo;
    if (!value) {
        self->missing = strstr(whole, "branch") != NULL ? "branch" : "repository";
        return true; // stop
    }
    bool is_owner = value == self->context->repo;
    g_string_append_len(out, value, is_owner ? slash - value : (gssize)strlen(value));
    return false;
}

/* The text with placeholders replaced from `start` on; NULL: there are none. Caller frees. */
static char *expand_text(Expansion *self, const char *text, size_t start)
{
    pthread_once(&placeholders_once, compile_placeholders);
    if (!g_regex_match(placeholders, text + start, 0, NULL))
        return NULL;
    g_autofree char *tail =
        g_regex_replace_eval(placeholders, text + start, -1, 0, 0, replace_placeholder, self, NULL);
    if (!tail)
        return NULL;
    self->is_nested = self->is_nested || g_regex_match(placeholders, tail, 0, NULL);
    return g_strdup_printf("%.*s%s", (int)start, text, tail);
}

/* Where in its element the text begins in which gh would look; SIZE_MAX: nowhere. Of a field
   KEY=VALUE that is the value. */
static size_t expandable_from(const CommandArg *item)
{
    if (!item->value)
        return SIZE_MAX;
    if (item->kind == ARG_POSITIONAL)
        return item->value_offset;
    if (item->kind != ARG_FLAG || strcmp(item->name, "field") != 0)
        return SIZE_MAX;
    const char *equals = strchr(item->value, '=');
    return equals != NULL ? item->value_offset + (size_t)(equals + 1 - item->value) : SIZE_MAX;
}

bool gh_argv_expand(const Classified *classified, const GhContextSpec *spec, char ***ret_argv,
                    GError **error)
{
    *ret_argv = NULL;
    if (!command_is(classified->node, "api"))
        return true;
    const CommandArgs *args = classified->args;
    GhContextSpec asked = *spec;
    const char *hostname = command_args_last(args, "hostname");
    if (hostname && classified->effect != EFFECT_BLOCKED)
        asked.hostname = hostname;
    g_auto(GhContext) context = { 0 };
    if (!gh_context_resolve(&asked, &context, error))
        return false;

    Expansion expansion = { .context = &context, .branch = spec->clone->branch };
    g_auto(GStrv) argv = g_strdupv(args->argv);
    bool is_changed = false;
    for (size_t i = 0; i < args->count; i++) {
        const CommandArg *item = &args->items[i];
        size_t start = expandable_from(item);
        char **element = &argv[item->value_index];
        char *text = start != SIZE_MAX ? expand_text(&expansion, *element, start) : NULL;
        if (!text)
            continue;
        g_free(*element);
        *element = text;
        is_changed = true;
    }
    if (g_strcmp0(expansion.missing, "repository") == 0)
        return fail_with_kind(error, GH_KIND_NO_REPO, &(GhFacts) { 0 });
    if (expansion.missing)
        return fail_with_kind(error, GH_KIND_INVALID_ARGS,
                              &(GhFacts) { .reason = "no branch is checked out for {branch}" });
    if (expansion.is_nested)
        return fail_with_kind(error, GH_KIND_INVALID_ARGS,
                              &(GhFacts) { .reason = "the branch is named like a placeholder" });
    if (is_changed)
        *ret_argv = g_steal_pointer(&argv);
    return true;
}

static bool lacks_hostname(const Classified *classified, bool has_hostname)
{
    return has_hostname && gh_target_takes_hostname(classified) &&
           !command_args_has(classified->args, "hostname");
}

static char *target_name(const GhTarget *target)
{
    return g_strconcat(target->context.host, "/", target->context.repo, NULL);
}

static bool lacks_positional(const Classified *classified, const GhTarget *target)
{
    return gh_target_is_positional(classified) && target->context.repo != NULL &&
           classified->args->error == NULL && !classified->args->is_help &&
           command_args_positional_count(classified->args) == 0;
}

void gh_argv_complete(const Classified *classified, const GhTarget *target, bool has_hostname,
                      char ***ret_argv)
{
    *ret_argv = NULL;
    bool needs_hostname = lacks_hostname(classified, has_hostname);
    bool needs_positional = lacks_positional(classified, target);
    if (!needs_hostname && !needs_positional)
        return;
    g_autoptr(GStrvBuilder) argv = g_strv_builder_new();
    char *const *words = classified->args->argv;
    for (size_t i = 0; words[i]; i++) {
        g_strv_builder_add(argv, words[i]);
        if (needs_hostname && i + 1 == classified->words_end)
            g_strv_builder_add_many(argv, "--hostname", target->context.host, NULL);
    }
    if (needs_positional) {
        g_autofree char *name = target_name(target);
        g_strv_builder_add(argv, name);
    }
    *ret_argv = g_strv_builder_end(argv);
}

bool gh_argv_is_complete(const Classified *before, const Classified *completed,
                         const GhTarget *target, bool has_hostname)
{
    if (lacks_hostname(before, has_hostname) &&
        g_strcmp0(command_args_last(completed->args, "hostname"), target->context.host) != 0)
        return false;
    if (!lacks_positional(before, target))
        return true;
    g_autofree char *name = target_name(target);
    return g_strcmp0(command_args_positional(completed->args, 0), name) == 0;
}
