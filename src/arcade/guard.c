/* See guard.h. */
#include "arcade/guard.h"

#include "arcade/reply.h"
#include "base/lock.h"
#include "base/str.h"

#include <errno.h>
#include <sys/random.h>

#define FAILURE_WINDOW_MS 1000

struct Guard {
    char *token;
    char *hosts[4]; // of Host, NULL-terminated
    pthread_mutex_t lock;
    gint64 failed_at[GUARD_FAILURES_A_SECOND]; // ring of the last; guarded by lock
    unsigned next;
};

static bool make_token(char **ret_token, GError **error)
{
    unsigned char bytes[GUARD_TOKEN_DIGITS / 2];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return fail_with_errno(error, errno, "no random numbers");
    GString *token = g_string_sized_new(GUARD_TOKEN_DIGITS);
    for (size_t i = 0; i < sizeof(bytes); i++)
        g_string_append_printf(token, "%02x", bytes[i]);
    *ret_token = g_string_free(token, FALSE);
    return true;
}

bool guard_is_token(const char *text)
{
    return text && strlen(text) == GUARD_TOKEN_DIGITS &&
           strspn(text, "0123456789abcdef") == GUARD_TOKEN_DIGITS;
}

bool guard_new(unsigned port, const char *token, Guard **ret_guard, GError **error)
{
    char *made = NULL;
    if (!token && !make_token(&made, error))
        return false;
    Guard *self = g_new0(Guard, 1);
    self->token = made ? made : g_strdup(token);
    self->hosts[0] = g_strdup_printf("127.0.0.1:%u", port);
    self->hosts[1] = g_strdup_printf("localhost:%u", port);
    self->hosts[2] = g_strdup_printf("[::1]:%u", port);
    for (size_t i = 0; i < GUARD_FAILURES_A_SECOND; i++)
        self->failed_at[i] = -FAILURE_WINDOW_MS;
    pthread_mutex_init(&self->lock, NULL);
    *ret_guard = self;
    return true;
}

void guard_free(Guard *self)
{
    if (!self)
        return;
    for (char **host = self->hosts; *host; host++)
        g_free(*host);
    pthread_mutex_destroy(&self->lock);
    g_free(self->token);
    g_free(self);
}

const char *guard_token(const Guard *self)
{
    return self->token;
}

char *guard_prove(const Guard *self, const char *nonce)
{
    if (strlen(nonce) != GUARD_NONCE_DIGITS ||
        strspn(nonce, "0123456789abcdef") != GUARD_NONCE_DIGITS)
        return NULL;
    return g_compute_hmac_for_string(G_CHECKSUM_SHA256, (const guchar *)self->token,
                                     strlen(self->token), nonce, -1);
}

static bool is_own_host(const Guard *self, const char *host)
{
    for (char *const *own = self->hosts; *own; own++)
        if (str_equal_nocase(host, *own))
            return true;
    return false;
}

bool guard_check_source(const Guard *self, const GuardHeaders *headers, GError **error)
{
    static const char scheme[] = "http://";
    if (!headers->host || !is_own_host(self, headers->host))
        return reply_fail(error, 403, "Host must be 127.0.0.1, localhost or [::1] with the port");
    const char *origin = headers->origin;
    if (origin && !(str_has_prefix(origin, scheme) && is_own_host(self, origin + strlen(scheme))))
        return reply_fail(error, 403, "Requests from other origins are refused");
    const char *site = headers->sec_fetch_site;
    bool is_navigation = headers->is_page && g_strcmp0(headers->sec_fetch_mode, "navigate") == 0 &&
                         g_strcmp0(headers->sec_fetch_dest, "document") == 0;
    if (site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0 && !is_navigation)
        return reply_fail(error, 403, "Requests from other sites are refused");
    return true;
}

/* In a time that does not tell how much of it was right. */
static bool is_same_secret(const char *given, const char *secret)
{
    if (strlen(given) != GUARD_TOKEN_DIGITS)
        return false;
    unsigned char difference = 0;
    for (size_t i = 0; i < GUARD_TOKEN_DIGITS; i++)
        difference |= (unsigned char)(given[i] ^ secret[i]);
    return difference == 0;
}

/* False when there were too many within the last second. */
static bool count_failure(Guard *self, gint64 now_ms)
{
    HOLD_LOCK(&self->lock);
    gint64 *oldest = &self->failed_at[self->next];
    bool is_slow = now_ms - *oldest >= FAILURE_WINDOW_MS;
    if (is_slow) {
        *oldest = now_ms;
        self->next = (self->next + 1) % GUARD_FAILURES_A_SECOND;
    }
    return is_slow;
}

bool guard_is_right(const Guard *self, const char *authorization)
{
    static const char scheme[] = "Bearer ";
    return authorization && g_ascii_strncasecmp(authorization, scheme, strlen(scheme)) == 0 &&
           is_same_secret(authorization + strlen(scheme), self->token);
}

bool guard_check_token(Guard *self, const char *authorization, gint64 now_ms, GError **error)
{
    if (!authorization)
        return reply_fail(error, 401,
                          "A token is needed: open the link that \"kedge arcade\" printed");
    if (guard_is_right(self, authorization))
        return true;
    if (!count_failure(self, now_ms))
        return reply_fail(error, 429, "Too many wrong tokens: try again in a second");
    return reply_fail(error, 401,
                      "The token is wrong: open the link that \"kedge arcade\" printed");
}
