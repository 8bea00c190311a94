/*
 * Repositories, URLs and hosts that a command line names (gh-policy §3.2). gh sends a token to any
 * host it is given, so an unknown one is a leak and not a matter of taste.
 */
#include "base/str.h"
#include "github/classify/classify_private.h"
#include "github/remote_url.h"

#define SHOWN_MAX_BYTES 200

bool classify_host_is_known(const ClassifyOptions *options, const char *host)
{
    return strcmp(host, "github.com") == 0 ||
           (options->known_hosts != NULL && g_strv_contains(options->known_hosts, host));
}

/* User information before the host is left out: it may be a password. */
static char *unknown_host(const char *host)
{
    const char *at = strrchr(host, '@');
    g_autofree char *shown = str_truncate(at != NULL ? at + 1 : host, SHOWN_MAX_BYTES);
    return g_strdup_printf("host \"%s\" is not a known host; add it to gh.knownHosts", shown);
}

static char *invalid_repository(const char *value)
{
    g_autofree char *shown = str_truncate(value, SHOWN_MAX_BYTES);
    return g_strdup_printf("invalid repository \"%s\"", shown);
}

static bool is_url(const char *value)
{
    return strstr(value, "://") != NULL || str_has_prefix(value, "git@");
}

/* What is wrong with a URL; NULL: nothing. Caller frees. */
static char *check_url(const ClassifyOptions *options, const char *url, bool is_gist)
{
    g_autofree char *host = remote_url_host(url);
    if (!host) {
        const char *start = strstr(url, "://");
        start = start != NULL ? start + strlen("://") : url;
        g_autofree char *authority = g_strndup(start, strcspn(start, "/?#"));
        return unknown_host(authority);
    }
    const char *name = host;
    if (is_gist && str_has_prefix(name, "gist."))
        name += strlen("gist.");
    return classify_host_is_known(options, name) ? NULL : unknown_host(host);
}

/* A repository's name, which may end in "#" and a number. */
static bool is_repo_name(const char *text)
{
    g_autofree char *name = g_strdup(text);
    char *number = strchr(name, '#');
    if (number && number[1] != '\0' && strspn(number + 1, "0123456789") == strlen(number + 1))
        *number = '\0';
    return remote_repo_is_valid(name);
}

static bool is_single_name(const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (!g_ascii_isalnum(*p) && !strchr("._#-", *p))
            return false;
    }
    return *text != '\0';
}

static char *check_repo(const ClassifyOptions *options, const char *value)
{
    if (is_url(value))
        return check_url(options, value, false);
    g_auto(GStrv) parts = g_strsplit(value, "/", 4);
    guint count = g_strv_length(parts);
    if (count <= 1)
        return is_single_name(value) ? NULL : invalid_repository(value);
    if (count == 3 && *parts[0] != '\0') {
        g_autofree char *host = remote_host_normalise(parts[0]);
        if (!host || !classify_host_is_known(options, host))
            return unknown_host(parts[0]);
    }
    bool is_valid = (count == 2 || (count == 3 && *parts[0] != '\0')) &&
                    remote_owner_is_valid(parts[count - 2]) && is_repo_name(parts[count - 1]);
    return is_valid ? NULL : invalid_repository(value);
}

static char *check_if_url(const ClassifyOptions *options, const char *value, bool is_gist)
{
    return is_url(value) ? check_url(options, value, is_gist) : NULL;
}

/* What is wrong with the first bad one of a list; NULL: nothing. Caller frees. */
static char *check_url_list(const ClassifyOptions *options, const char *value)
{
    char *problem = NULL;
    g_auto(GStrv) parts = g_strsplit(value, ",", -1);
    for (char **part = parts; *part && !problem; part++)
        problem = check_if_url(options, *part, false);
    return problem;
}

static void check_value(const ClassifyOptions *options, const CommandNode *node,
                        const CommandRef *ref, const char *value, Verdict *verdict)
{
    if (!value)
        return;
    g_autofree char *problem = NULL;
    if (ref->type == COMMAND_REF_REPO) {
        problem = check_repo(options, value);
    } else if (ref->type == COMMAND_REF_URL) {
        problem = ref->flag != COMMAND_NONE
                      ? check_url_list(options, value)
                      : check_if_url(options, value, command_is_below(node, "gist"));
    } else {
        g_autofree char *host = g_ascii_strdown(value, -1);
        if (!classify_host_is_known(options, host))
            problem = unknown_host(value);
    }
    if (problem)
        verdict_raise(verdict, EFFECT_BLOCKED, problem);
}

/* gh uses the last value of a repository or host, and collects URLs. */
static void check_flag(const ClassifyOptions *options, const CommandArgs *args,
                       const CommandRef *ref, Verdict *verdict)
{
    const char *name = command_flag_name(&command_flags_of(args->node)[ref->flag]);
    if (ref->type != COMMAND_REF_URL) {
        check_value(options, args->node, ref, command_args_last(args, name), verdict);
        return;
    }
    g_autofree const char **values = command_args_values(args, name);
    for (size_t i = 0; values[i]; i++)
        check_value(options, args->node, ref, values[i], verdict);
}

void classify_refs(const ClassifyOptions *options, const CommandArgs *args, Verdict *verdict)
{
    const CommandRef *refs = command_refs_of(args->node);
    for (size_t i = 0; i < args->node->ref_count; i++) {
        if (refs[i].flag != COMMAND_NONE) {
            check_flag(options, args, &refs[i], verdict);
            continue;
        }
        bool is_every = refs[i].position == COMMAND_EVERY;
        size_t first = is_every ? 0 : refs[i].position;
        size_t end = is_every ? command_args_positional_count(args) : first + 1;
        for (size_t position = first; position < end; position++)
            check_value(options, args->node, &refs[i], command_args_positional(args, position),
                        verdict);
    }
}
