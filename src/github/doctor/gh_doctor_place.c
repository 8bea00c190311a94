/*
 * What gh would act on from this directory (gh_doctor_check.h).
 */
#include "github/doctor/gh_doctor_check.h"

#include "base/path.h"

#include "github/classify/gh_kind.h"
#include "github/remote_url.h"
#include "github/safe/gh_context.h"

#define REPO_HINT "pass repo as [HOST/]OWNER/REPO"

static void read_clone(Doctor *self)
{
    g_autoptr(GError) error = NULL;
    if (!gh_clone_read(NULL, self->cwd.path, self->settings, tool_call_cancel(self->call),
                       &self->clone, &error))
        self->clone = NULL;
}

void doctor_check_cwd(Doctor *self)
{
    const GhCwdSpec spec = { .settings = self->settings, .workspace = tool_call_cwd(self->call) };
    g_autoptr(GError) error = NULL;
    if (!gh_cwd_open(&spec, &self->cwd, &error)) {
        check_list_add(
            &self->list, "cwd", CHECK_BAD,
            error->code == GH_KIND_REMOTE_CWD
                ? "work in a local clone"
                : "work below the home directory, or add the directory to gh.allowedRoots",
            "%s", error->message);
        return;
    }
    read_clone(self);
    g_autofree char *shown = path_shorten_home(self->cwd.path);
    if (self->clone && self->clone->is_clone)
        check_list_add(&self->list, "cwd", CHECK_GOOD, NULL, "%s", shown);
    else
        check_list_add(&self->list, "cwd", CHECK_WARNING, REPO_HINT, "not a git directory");
}

void doctor_check_repo(Doctor *self)
{
    if (!self->clone) {
        check_list_add(&self->list, "repo", CHECK_SKIPPED, NULL, "needs a usable directory");
        return;
    }
    g_autofree char *configured =
        remote_host_normalise(settings_get_text(self->settings, "gh.defaultHost"));
    const GhContextSpec spec = {
        .known_hosts = (const char *const *)self->known_hosts,
        .default_host = configured != NULL ? configured : "github.com",
        .clone = self->clone,
    };
    g_auto(GhContext) context = { 0 };
    g_autoptr(GError) error = NULL;
    if (!gh_context_resolve(&spec, &context, &error))
        check_list_add(&self->list, "repo", CHECK_WARNING, REPO_HINT, "%s", error->message);
    else if (!context.repo)
        check_list_add(&self->list, "repo", CHECK_WARNING, REPO_HINT, "no repository; host %s (%s)",
                       context.host, gh_source_name(context.source));
    else
        check_list_add(&self->list, "repo", CHECK_GOOD, NULL, "%s/%s (%s)", context.host,
                       context.repo, gh_source_name(context.source));
}

static void append_remote(GString *out, const GhRemote *remote)
{
    g_string_append_printf(out, "%s%s: %s", out->len > 0 ? ", " : "", remote->name,
                           remote->host != NULL ? remote->host : "no GitHub host");
}

void doctor_check_remotes(Doctor *self)
{
    if (!self->clone || !self->clone->is_clone) {
        check_list_add(&self->list, "remotes", CHECK_SKIPPED, NULL, "needs a git directory");
        return;
    }
    const GPtrArray *remotes = self->clone->remotes;
    g_autoptr(GString) known = g_string_new(NULL);
    g_autoptr(GString) unknown = g_string_new(NULL);
    g_autoptr(GString) aliases = g_string_new(NULL);
    for (unsigned i = 0; i < remotes->len; i++) {
        const GhRemote *remote = remotes->pdata[i];
        append_remote(remote->is_known ? known : unknown, remote);
        if (remote->is_alias)
            append_remote(aliases, remote);
    }
    if (unknown->len > 0)
        check_list_add(&self->list, "remotes", known->len > 0 ? CHECK_WARNING : CHECK_BAD,
                       "if it is your GitHub, add its host to gh.knownHosts",
                       "unknown host: %s%s%s", unknown->str, known->len > 0 ? "; known: " : "",
                       known->str);
    else if (aliases->len > 0)
        check_list_add(&self->list, "remotes", CHECK_WARNING, NULL,
                       "%s; found through an SSH alias: %s", known->str, aliases->str);
    else
        check_list_add(&self->list, "remotes", CHECK_GOOD, NULL, "%s",
                       known->len > 0 ? known->str : "none");
}
