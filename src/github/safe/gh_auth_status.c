/*
 * Both forms become the same list (gh_auth_status.h).
 */
#include "github/safe/gh_auth_status.h"

#include "base/str.h"

#define WORKS   "Logged in to "
#define REFUSED "Failed to log in to "
#define TIMEOUT "Timeout trying to log in to "
#define ACTIVE  "- Active account: "
#define MISSING "Missing required token scopes: "

static void login_free(void *data)
{
    GhLogin *self = data;
    g_free(self->login);
    g_free(self->source);
    g_free(self->missing_scopes);
    g_free(self);
}

static GPtrArray *list_new(void)
{
    return g_ptr_array_new_with_free_func(login_free);
}

/* "HOST account LOGIN (SOURCE)" or "HOST using token (SOURCE)"; NULL: about another host. */
static GhLogin *login_parse(const char *text, const char *host, GhLoginState state)
{
    size_t length = strlen(host);
    if (g_ascii_strncasecmp(text, host, length) != 0 || text[length] != ' ')
        return NULL;
    GhLogin *self = g_new0(GhLogin, 1);
    self->state = state;
    const char *rest = text + length + 1;
    if (str_has_prefix(rest, "account ")) {
        const char *name = rest + strlen("account ");
        self->login = g_strndup(name, strcspn(name, " ("));
    }
    const char *open = strchr(rest, '('); // no login holds one
    const char *close = strrchr(rest, ')');
    if (open && close && close > open)
        self->source = g_strndup(open + 1, (size_t)(close - open) - 1);
    return self;
}

/* The login that a line begins; NULL: it begins none. */
static GhLogin *login_of_line(const char *line, const char *host)
{
    static const struct {
        const char *begin;
        GhLoginState state;
    } forms[] = {
        { WORKS, GH_LOGIN_WORKS },
        { REFUSED, GH_LOGIN_REFUSED },
        { TIMEOUT, GH_LOGIN_TIMEOUT },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(forms); i++) {
        const char *found = strstr(line, forms[i].begin);
        if (found)
            return login_parse(found + strlen(forms[i].begin), host, forms[i].state);
    }
    return NULL;
}

/* Without quotes and blanks around it: `'read:org', 'repo'` → `read:org, repo`. */
static char *scopes_of(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, "'", -1);
    return g_strstrip(g_strjoinv("", parts));
}

static void add_detail(GhLogin *self, const char *line)
{
    const char *active = strstr(line, ACTIVE);
    const char *missing = strstr(line, MISSING);
    if (active)
        self->is_active = str_has_prefix(active + strlen(ACTIVE), "true");
    if (missing && !self->missing_scopes)
        self->missing_scopes = scopes_of(missing + strlen(MISSING));
}

GPtrArray *gh_auth_status_read_text(const char *text, const char *host)
{
    GPtrArray *logins = list_new();
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        GhLogin *begun = login_of_line(*line, host);
        if (begun)
            g_ptr_array_add(logins, begun);
        else if (logins->len > 0)
            add_detail(logins->pdata[logins->len - 1], *line);
    }
    return logins;
}

static bool has_scope(char *const *scopes, const char *const *wanted)
{
    for (; *scopes; scopes++) {
        if (g_strv_contains(wanted, g_strstrip(*scopes)))
            return true;
    }
    return false;
}

/* What gh's older text says itself. A token without scopes at all is of a kind that has none. */
static char *missing_scopes(const char *text)
{
    static const char *const repo[] = { "repo", NULL };
    static const char *const org[] = { "read:org", "write:org", "admin:org", NULL };
    if (str_is_empty(text))
        return NULL;
    g_auto(GStrv) scopes = g_strsplit(text, ",", -1);
    bool has_repo = has_scope(scopes, repo), has_org = has_scope(scopes, org);
    if (has_repo && has_org)
        return NULL;
    return g_strconcat(has_repo ? "" : "repo", has_repo || has_org ? "" : ", ",
                       has_org ? "" : "read:org", NULL);
}

static GhLogin *login_of_json(const json_t *entry)
{
    const char *state = json_get_text(entry, "state");
    GhLogin *self = g_new0(GhLogin, 1);
    self->state = g_strcmp0(state, "success") == 0   ? GH_LOGIN_WORKS
                  : g_strcmp0(state, "timeout") == 0 ? GH_LOGIN_TIMEOUT
                                                     : GH_LOGIN_REFUSED;
    const char *login = json_get_text(entry, "login");
    self->login = str_is_empty(login) ? NULL : g_strdup(login);
    self->source = g_strdup(json_get_text(entry, "tokenSource"));
    self->is_active = json_get_bool(entry, "active", false);
    if (self->state == GH_LOGIN_WORKS)
        self->missing_scopes = missing_scopes(json_get_text(entry, "scopes"));
    return self;
}

GPtrArray *gh_auth_status_read_json(const char *text, const char *host)
{
    g_autoptr(json_t) value = NULL;
    if (!json_parse_text(text, &value, NULL) || !json_get_object(value, "hosts"))
        return NULL;
    GPtrArray *logins = list_new();
    size_t i;
    json_t *entry;
    json_array_foreach (json_get_array(json_get_object(value, "hosts"), host), i, entry)
        g_ptr_array_add(logins, login_of_json(entry));
    return logins;
}

const GhLogin *gh_auth_status_active(const GPtrArray *logins)
{
    for (unsigned i = 0; i < logins->len; i++) {
        const GhLogin *login = logins->pdata[i];
        if (login->is_active)
            return login;
    }
    return logins->len > 0 ? logins->pdata[0] : NULL;
}

bool gh_login_is_from_environment(const GhLogin *self)
{
    static const char *const names[] = { "GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN",
                                         "GITHUB_ENTERPRISE_TOKEN", NULL };
    return self->source != NULL && g_strv_contains(names, self->source);
}
