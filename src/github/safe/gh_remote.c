/*
 * Remotes (gh_remote.h). Only an SSH host that is not known is looked up further: first in the
 * user's settings, then with `ssh -G`, which reads the user's ssh configuration and connects to
 * nothing.
 */
#include "github/safe/gh_remote.h"

#include "base/proc.h"
#include "base/str.h"
#include "github/gh_env.h"
#include "github/remote_url.h"
#include "github/repo_ref.h"

#define SSH_TIMEOUT_MS (2 * 1000)
#define SSH_MAX_BYTES  ((size_t)64 * 1024)
#define SSH_HOST_LINE  "hostname "

void gh_remote_free(GhRemote *self)
{
    if (!self)
        return;
    g_free(self->name);
    g_free(self->host);
    g_free(self->repo);
    g_free(self->resolved);
    g_free(self);
}

/* The `hostname` that ssh would connect to; NULL: ssh cannot tell. */
static char *ask_ssh(const char *alias, Cancel *cancel)
{
    g_autofree char *program = proc_find_program("ssh");
    if (!program)
        return NULL;
    g_auto(GStrv) env = gh_env_new_for(NULL, NULL);
    const ProcSpec spec = {
        .argv = (const char *const[]) { program, "-G", "--", alias, NULL },
        .cwd = "/",
        .env = (const char *const *)env,
        .profile = PROC_PROFILE_TOOL,
        .timeout_ms = SSH_TIMEOUT_MS,
        .max_output_bytes = SSH_MAX_BYTES,
        .keep = PROC_KEEP_HEAD,
        .has_own_stderr = true,
    };
    g_auto(ProcResult) result = { 0 };
    if (!proc_run(&spec, cancel, &result, NULL) || result.exit_status != 0)
        return NULL;
    g_auto(GStrv) lines = g_strsplit(result.output, "\n", -1);
    for (char **line = lines; *line; line++) {
        if (str_has_prefix(*line, SSH_HOST_LINE))
            return g_strdup(g_strstrip(*line + strlen(SSH_HOST_LINE)));
    }
    return NULL;
}

/* The known host that an alias stands for, in its normal form; NULL: none. remote_url_parse_alias()
   lets no alias begin with "-". */
static char *resolve_alias(const char *alias, const Settings *settings, Cancel *cancel)
{
    const char *configured = json_get_text(settings_get_json(settings, "gh.sshAliases"), alias);
    g_autofree char *asked = NULL;
    if (!configured && settings_get_bool(settings, "gh.sshConfig"))
        asked = ask_ssh(alias, cancel);
    const char *real = configured != NULL ? configured : asked;
    g_autofree char *host = real != NULL ? remote_host_normalise(real) : NULL;
    return host != NULL && repo_host_is_listed(host, settings) ? g_steal_pointer(&host) : NULL;
}

GhRemote *gh_remote_new(const char *name, const char *url, const Settings *settings, Cancel *cancel)
{
    GhRemote *self = g_new0(GhRemote, 1);
    self->name = g_strdup(name);
    g_auto(RemoteUrl) plain = { 0 };
    g_auto(RemoteUrl) aliased = { 0 };
    const RemoteUrl *found = remote_url_parse(url, &plain) ? &plain : NULL;
    self->host = found != NULL ? g_strdup(plain.host) : NULL;
    self->is_known = found != NULL && repo_host_is_listed(plain.host, settings);
    if (!self->is_known && remote_url_parse_alias(url, &aliased)) {
        char *host = resolve_alias(aliased.host, settings, cancel);
        self->is_known = self->is_alias = host != NULL;
        g_free(self->host);
        self->host = host != NULL ? host : g_strdup(aliased.host);
        found = &aliased;
    }
    if (found)
        self->repo = g_strconcat(found->owner, "/", found->repo, NULL);
    return self;
}

char *gh_remote_resolve(const GhRemote *remote, const char *value)
{
    if (!remote || !remote->repo)
        return NULL;
    if (strcmp(value, "base") == 0)
        return g_strdup(remote->repo);
    g_auto(GStrv) parts = g_strsplit(value, "/", 3);
    bool is_repo = g_strv_length(parts) == 2 && remote_owner_is_valid(parts[0]) &&
                   remote_repo_is_valid(parts[1]);
    return is_repo ? g_strdup(value) : NULL;
}
