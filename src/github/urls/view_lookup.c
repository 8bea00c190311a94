/*
 * When a kept view is good enough, when it is fetched again, and what is said about its age.
 */
#include "github/urls/view_lookup.h"

#include "base/error.h"
#include "github/credential_key.h"
#include "github/repo_ref.h"
#include "github/urls/view_fetch.h"
#include "github/view_flight.h"

static const char *const kind_names[] = { "issue", "pr", "pr-diff" };

typedef struct Lookup { // `address` and `key` borrow from the rest
    ToolCall *call;
    ViewCache *cache;
    char *host, *repo, *key_repo, *auth_key;
    ViewAddress address;
    ViewKey key;
    int64_t now_ms, soft_ms, hard_ms;
} Lookup;

void view_clear(View *self)
{
    view_row_clear(&self->row);
    g_free(self->note);
    g_free(self->warning);
    g_free(self->problem);
    *self = (View) { 0 };
}

static void lookup_clear(Lookup *self)
{
    g_clear_pointer(&self->host, g_free);
    g_clear_pointer(&self->repo, g_free);
    g_clear_pointer(&self->key_repo, g_free);
    g_clear_pointer(&self->auth_key, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Lookup, lookup_clear)

static int64_t setting_ms(const Settings *settings, const char *key)
{
    return MAX(settings_get_int(settings, key), 0) * 1000;
}

static char *host_of(const char *repo, const Settings *settings)
{
    g_auto(RepoRef) ref = { 0 };
    bool has_host = repo_ref_parse(repo, &ref) && ref.host;
    return has_host ? g_strdup(ref.host) : repo_default_host(settings);
}

/* False: nothing is kept, not even looked for. */
static bool view_lookup_begin(ToolCall *call, const ViewAddress *address, Lookup *self)
{
    const Settings *settings = tool_call_settings(call);
    *self = (Lookup) {
        .call = call,
        .cache = view_cache_of(tool_call_context(call)),
        .address = *address,
        .now_ms = tool_call_now_ms(call),
        .soft_ms = setting_ms(settings, "github.cache.softTtlSec"),
        .hard_ms = setting_ms(settings, "github.cache.hardTtlSec"),
    };
    if (!settings_get_bool(settings, "github.cache.enabled"))
        return false;
    bool is_login = false;
    self->host = host_of(address->repo, settings);
    self->auth_key = credential_key(self->host, &is_login);
    if (!self->auth_key)
        return false;
    self->repo = g_strdup(address->repo);
    self->address.repo = self->repo;
    self->key_repo = view_cache_repo(address->repo, settings);
    self->key = (ViewKey) {
        .auth_key = self->auth_key,
        .repo = self->key_repo,
        .kind = kind_names[address->kind],
        .number = address->number,
        .comments = address->kind == VIEW_DIFF ? 0 : (int64_t)address->comments,
    };
    if (is_login)
        view_cache_note_login(self->cache, self->host, self->auth_key, tool_call_cancel(call));
    view_cache_sweep(self->cache, self->now_ms, self->now_ms - self->hard_ms,
                     tool_call_cancel(call));
    return true;
}

// ---- age ----

static char *describe_age(int64_t age_ms)
{
    int64_t seconds = (MAX(age_ms, 0) + 500) / 1000;
    if (seconds < 60)
        return g_strdup_printf("%" G_GINT64_FORMAT "s ago", seconds);
    if (seconds < 3600)
        return g_strdup_printf("%" G_GINT64_FORMAT "m ago", (seconds + 30) / 60);
    return g_strdup_printf("%" G_GINT64_FORMAT "h ago", (seconds + 1800) / 3600);
}

static int64_t age_of(const Lookup *self, const ViewRow *row)
{
    return self->now_ms - row->fetched_at;
}

static void say_live(View *view, bool is_kept)
{
    view->note = g_strdup(is_kept ? "Fetched live" : "Cache disabled; fetched live");
}

static void say_fresh(const Lookup *self, View *view)
{
    g_autofree char *age = describe_age(age_of(self, &view->row));
    view->note = g_strconcat("Cached: ", age, NULL);
}

static void say_stale(const Lookup *self, View *view)
{
    g_autofree char *age = describe_age(age_of(self, &view->row));
    view->note = g_strdup_printf("WARNING: showing cached content from %s; live refresh failed or "
                                 "is still running",
                                 age);
    if (self->address.kind != VIEW_DIFF)
        view->warning = g_strdup_printf("> WARNING: Live GitHub refresh failed; this %s content "
                                        "is cached and may be stale.",
                                        kind_names[self->address.kind]);
}

// ---- fetching ----

/* GitHub says that it is not there: an answer, not a failure. */
static bool is_not_found(const GError *error)
{
    static const char *const words[] = { "Could not resolve to a", "HTTP 404", "HTTP 410" };
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strstr(error->message, words[i]))
            return true;
    }
    return false;
}

/* Another login may have come while gh was asked: whose answer it is, no one knows then. */
static bool is_same_login(const Lookup *self)
{
    bool is_login = false;
    g_autofree char *now = credential_key(self->host, &is_login);
    return g_strcmp0(now, self->auth_key) == 0;
}

/* What is there no more is forgotten. */
static bool fetch_and_keep(const Lookup *self, ViewRow *ret_row, GError **error)
{
    g_autoptr(GError) failure = NULL;
    Cancel *cancel = tool_call_cancel(self->call);
    if (view_fetch(self->call, &self->address, ret_row, &failure)) {
        ret_row->fetched_at = tool_call_now_ms(self->call);
        if (is_same_login(self))
            view_cache_write(self->cache, &self->key, ret_row, cancel);
        return true;
    }
    if (is_not_found(failure))
        view_cache_drop_item(self->cache, self->key.repo, self->key.number, cancel);
    return pass_error(error, &failure);
}

/* Names the row among the fetches that are under way. Caller frees. */
static char *flight_name(const Lookup *self)
{
    return g_strdup_printf("%s %s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT, self->key.auth_key,
                           self->key.repo, self->key.kind, self->key.number, self->key.comments);
}

/* The answer of somebody who fetched it while this call waited, or one of its own. */
static bool fetch_once(const Lookup *self, int64_t older_than, ViewRow *ret_row, GError **error)
{
    g_autofree char *path = view_cache_path();
    g_autofree char *name = flight_name(self);
    g_auto(ViewFlight) flight = { -1 };
    Cancel *cancel = tool_call_cancel(self->call);
    if (!view_flight_begin(path, name, cancel, &flight, error))
        return false;
    g_auto(ViewRow) row = { 0 };
    if (view_cache_read(self->cache, &self->key, cancel, &row) && row.fetched_at > older_than &&
        age_of(self, &row) <= self->soft_ms) {
        *ret_row = row;
        row = (ViewRow) { 0 };
        return true;
    }
    return fetch_and_keep(self, ret_row, error);
}

static bool lookup_refresh(const Lookup *self, View *view, GError **error)
{
    g_auto(ViewRow) row = { 0 };
    g_autoptr(GError) failure = NULL;
    if (fetch_once(self, view->row.fetched_at, &row, &failure)) {
        view_row_clear(&view->row);
        view->row = row;
        row = (ViewRow) { 0 };
        say_live(view, true);
        return true;
    }
    if (error_is(failure, KEDGE_ERROR_CANCELLED) || is_not_found(failure))
        return pass_error(error, &failure);
    say_stale(self, view);
    return true;
}

// ---- in the background ----

static void refresh_free(void *lookup)
{
    Lookup *self = lookup;
    tool_call_detached_free(self->call);
    lookup_clear(self);
    g_free(self);
}

/* What fails is tried again by the next who reads it. */
static void refresh_work(void *lookup)
{
    const Lookup *self = lookup;
    g_autofree char *path = view_cache_path();
    g_autofree char *name = flight_name(self);
    g_auto(ViewFlight) flight = { -1 };
    g_auto(ViewRow) row = { 0 };
    if (view_flight_try(path, name, &flight))
        fetch_and_keep(self, &row, NULL);
}

/* Takes what `self` holds. */
static void refresh_later(Lookup *self)
{
    ViewWorkers *workers = view_cache_workers(self->cache);
    Lookup *later = g_new(Lookup, 1);
    *later = *self;
    later->call = tool_call_detach(self->call, view_workers_cancel(workers));
    *self = (Lookup) { 0 };
    view_workers_start(workers, refresh_work, later, refresh_free);
}

// ---- the lookup ----

static bool lookup_kept(Lookup *self, View *view, GError **error)
{
    Cancel *cancel = tool_call_cancel(self->call);
    bool is_kept = view_cache_read(self->cache, &self->key, cancel, &view->row);
    if (self->address.is_fresh) {
        view_row_clear(&view->row);
        say_live(view, true);
        return fetch_once(self, self->now_ms, &view->row, error);
    }
    if (is_kept && age_of(self, &view->row) > self->hard_ms) {
        view_cache_drop(self->cache, &self->key, cancel);
        view_row_clear(&view->row);
        is_kept = false;
    }
    if (!is_kept) {
        say_live(view, true);
        return fetch_once(self, 0, &view->row, error);
    }
    if (age_of(self, &view->row) <= self->soft_ms) {
        say_fresh(self, view);
        return true;
    }
    if (self->address.kind != VIEW_DIFF)
        return lookup_refresh(self, view, error);
    say_stale(self, view);
    refresh_later(self);
    return true;
}

static bool view_lookup_run(ToolCall *call, const ViewAddress *address, View *view, GError **error)
{
    g_auto(Lookup) self = { 0 };
    if (!view_lookup_begin(call, address, &self)) {
        say_live(view, false);
        return view_fetch(call, address, &view->row, error);
    }
    ViewCache *cache = self.cache;
    if (!lookup_kept(&self, view, error))
        return false;
    view->problem = view_cache_take_problem(cache);
    return true;
}

bool view_lookup(ToolCall *call, const ViewAddress *address, View *ret_view, GError **error)
{
    g_auto(View) view = { 0 };
    if (!view_lookup_run(call, address, &view, error))
        return false;
    *ret_view = view;
    view = (View) { 0 };
    return true;
}
