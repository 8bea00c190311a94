/* See repo_flow.h. */
#include "tool/repo_flow.h"

#include "base/env.h"
#include "base/str.h"
#include "tool/call_private.h"
#include "tool/context.h"

typedef struct Place { // a repository as it is compared
    char *host, *repo; // repo NULL: not known
} Place;

static void place_free(void *data)
{
    Place *self = data;
    g_free(self->host);
    g_free(self->repo);
    g_free(self);
}

static char *host_or_default(const ToolCall *call, const char *host)
{
    if (!host)
        host = env_get_raw("GH_HOST");
    if (!host)
        host = settings_get_text(tool_context_settings(call->spec->context), "gh.defaultHost");
    return g_ascii_strdown(host, -1);
}

/* Without a repository it is about that of the directory, unless it is a command line of gh, which
   then is about something else: a gist, GraphQL. */
static Place *place_new(ToolCall *call, const char *host, const char *repo)
{
    Place *self = g_new0(Place, 1);
    const RepoLookup *lookup = tool_context_repo_lookup(call->spec->context);
    bool may_be_home = !repo && lookup && !(call->spec->tool->flags & TOOL_GH);
    if (!may_be_home || !lookup->home(call, &self->host, &self->repo)) {
        self->host = host_or_default(call, host);
        self->repo = g_strdup(repo);
    }
    return self;
}

static bool is_github(const ToolCall *call, const Judgement *judgement)
{
    return judgement->is_github || (call->spec->tool->flags & TOOL_GITHUB);
}

// ---- what was read ----

void tool_call_note_read(ToolCall *call, const char *host, const char *repo)
{
    call->has_noted_reads = true;
    if (!repo)
        return;
    g_autofree char *on = host_or_default(call, host);
    repo_reads_add(tool_context_repo_reads(call->spec->context), on, repo);
}

/* Repositories that it named besides its own, where it only took from them. */
static bool note_others(ToolCall *call, const Judgement *judgement)
{
    bool is_any = false;
    for (guint i = 0; judgement->others && i < judgement->others->len; i++) {
        const JudgedTarget *other = judgement->others->pdata[i];
        if (other->effect != EFFECT_READ || !other->repo)
            continue;
        tool_call_note_read(call, other->host, other->repo);
        is_any = true;
    }
    return is_any;
}

void repo_flow_note(ToolCall *call, const ToolResult *result)
{
    const Judgement *judgement = call->outcome->judgement;
    if (!judgement)
        return;
    bool has_more_to_say = !call->has_noted_reads;
    bool is_any = note_others(call, judgement);
    if (!has_more_to_say || judgement->effect != EFFECT_READ || !is_github(call, judgement))
        return;
    const Origin *origin = &result->origin;
    bool is_named = origin->kind == ORIGIN_GITHUB && origin->repo;
    const char *repo = is_named ? origin->repo : judgement->repo;
    const char *host = is_named ? origin->host : judgement->host;
    // gh has its repository from its context; one without is of a search, or of GraphQL
    bool is_of_many = !repo && (call->spec->tool->flags & TOOL_GH);
    if (is_of_many && is_any)
        return;
    g_autofree char *on = host_or_default(call, host);
    RepoReads *reads = tool_context_repo_reads(call->spec->context);
    if (repo || is_of_many) {
        repo_reads_add(reads, on, repo);
        return;
    }
    Place *home = place_new(call, host, NULL);
    repo_reads_add(reads, home->host, home->repo);
    place_free(home);
}

// ---- what is written ----

static void add_place(ToolCall *call, GPtrArray *places, const char *host, const char *repo)
{
    g_ptr_array_add(places, place_new(call, host, repo));
}

/* Of Place *; empty: it writes to no repository of GitHub. */
static GPtrArray *places_written(ToolCall *call, const Judgement *judgement)
{
    GPtrArray *places = g_ptr_array_new_with_free_func(place_free);
    bool is_write = judgement->is_order || judgement->effect != EFFECT_READ;
    if (!is_write || judgement->stays_here)
        return places;
    if (judgement->is_order || is_github(call, judgement))
        add_place(call, places, judgement->host, judgement->repo);
    for (guint i = 0; is_github(call, judgement) && judgement->others && i < judgement->others->len;
         i++) {
        const JudgedTarget *other = judgement->others->pdata[i];
        if (other->effect != EFFECT_READ)
            add_place(call, places, other->host, other->repo);
    }
    for (guint i = 0; judgement->command && judgement->actions && i < judgement->actions->len;
         i++) {
        const JudgedAction *action = judgement->actions->pdata[i];
        add_place(call, places, action->host, action->repo);
    }
    return places;
}

/* gh.publicRepos: what its person has said may go anywhere. */
static bool is_declared_public(const ToolCall *call, const RepoRead *read)
{
    size_t i;
    const json_t *item;
    json_array_foreach (
        settings_get_json(tool_context_settings(call->spec->context), "gh.publicRepos"), i, item) {
        const char *name = json_string_value(item);
        if (!name)
            continue;
        g_autofree char *full = g_strconcat(read->host, "/", read->repo, NULL);
        g_autofree char *owner = g_strndup(read->repo, strcspn(read->repo, "/"));
        g_autofree char *all = g_strconcat(owner, "/*", NULL);
        g_autofree char *all_there = g_strconcat(read->host, "/", all, NULL);
        const char *const forms[] = { read->repo, full, all, all_there };
        for (size_t k = 0; k < G_N_ELEMENTS(forms); k++) {
            if (str_equal_nocase(name, forms[k]))
                return true;
        }
    }
    return false;
}

static bool is_public(ToolCall *call, const RepoRead *read)
{
    ToolContext *context = call->spec->context;
    const RepoLookup *lookup = tool_context_repo_lookup(context);
    if (!read->repo)
        return false;
    if (read->visibility != REPO_NOT_KNOWN || is_declared_public(call, read))
        return read->visibility != REPO_PRIVATE;
    RepoVisibility found = lookup ? lookup->look(call, read->host, read->repo) : REPO_NOT_KNOWN;
    repo_reads_set_visibility(tool_context_repo_reads(context), read->host, read->repo, found);
    return found == REPO_PUBLIC;
}

static bool is_same(const Place *place, const RepoRead *read)
{
    return place->repo && read->repo && str_equal_nocase(place->host, read->host) &&
           str_equal_nocase(place->repo, read->repo);
}

/* The first place that is not the one that was read; NULL: there is none. */
static const Place *another_place(const GPtrArray *places, const RepoRead *read)
{
    for (guint i = 0; i < places->len; i++) {
        if (!is_same(places->pdata[i], read))
            return places->pdata[i];
    }
    return NULL;
}

/* What this very call takes from, too: a fork, or a shell that has one command's text from another.
 */
static void add_own_reads(const ToolCall *call, const Judgement *judgement, GPtrArray *reads)
{
    for (guint i = 0; judgement->others && i < judgement->others->len; i++) {
        const JudgedTarget *other = judgement->others->pdata[i];
        if (other->effect != EFFECT_READ || !other->repo)
            continue;
        RepoRead *read = g_new0(RepoRead, 1);
        read->host = host_or_default(call, other->host);
        read->repo = g_strdup(other->repo);
        g_ptr_array_add(reads, read);
    }
}

bool repo_flow_needs_person(ToolCall *call, const Judgement *judgement, char **ret_reason,
                            char **ret_repos)
{
    if (call->spec->door->kind == DOOR_TYPED) // a typed command is its own consent
        return false;
    g_autoptr(GPtrArray) reads = repo_reads_list(tool_context_repo_reads(call->spec->context));
    add_own_reads(call, judgement, reads);
    if (reads->len == 0)
        return false;
    g_autoptr(GPtrArray) places = places_written(call, judgement);
    g_autoptr(GString) repos = g_string_new(NULL);
    const char *to = NULL;
    for (guint i = 0; i < reads->len && places->len > 0; i++) {
        const RepoRead *read = reads->pdata[i];
        const Place *place = another_place(places, read);
        if (!place || is_public(call, read))
            continue;
        g_autofree char *any = g_strconcat("repositories of ", read->host, NULL);
        g_string_append_printf(repos, "%s%s", repos->len > 0 ? ", " : "",
                               read->repo ? read->repo : any);
        to = place->repo ? place->repo : to ? to : "another place";
    }
    if (!to)
        return false;
    *ret_reason = g_strdup_printf("this conversation has read %s, which %s not known to be public, "
                                  "and this writes to %s",
                                  repos->str, strchr(repos->str, ',') ? "are" : "is", to);
    *ret_repos = g_string_free(g_steal_pointer(&repos), FALSE);
    return true;
}
