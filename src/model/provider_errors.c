/*
 * What an errorMessage tells: too long a prompt, worth another try, how long to wait.
 */
#include "base/str.h"
#include "model/provider.h"

#include <pthread.h>

// agent-core §2.8
static const char overflow_pattern[] =
    "prompt is too long|input is too long for requested model|exceeds the context window"
    "|input token count.*exceeds the maximum|maximum prompt length is \\d+"
    "|reduce the length of the messages|maximum context length is \\d+ tokens"
    "|exceeds the limit of \\d+|exceeds the available context size"
    "|requested tokens?.*exceed.*context (window|length|size)"
    "|context (window|length|size).*(exceeded|overflow|too small)"
    "|greater than the context length|context window exceeds limit|exceeded model token limit"
    "|context[_ ]length[_ ]exceeded|too many tokens|token limit exceeded|request_too_large"
    "|model_context_window_exceeded|\\b(400|413)\\b.*\\(no body\\)";

// the same, of bytes: a proxy's limit, say; without a status of 413, too
static const char too_large_pattern[] =
    "request_too_large|(payload|entity|body).?too.?large|request size is too large"
    "|(payload|body|content|request) (size|length)( limit)?( \\(\\d+\\))? exceed"
    "|body exceeded [\\d.]+ ?[kmg]i?b limit";
// of an answer 413, which does not say which of both it is
static const char of_tokens_pattern[] = "\\btokens?\\b|\\bcontext\\b|\\btpm\\b";
static const char byte_limit_pattern[] =
    "(?:limit|maximum|max)[^\\d]{0,40}?(\\d[\\d,.]*\\d|\\d) ?(bytes|[kmg]i?b\\b)?"
    "|(?:exceeded|than|over) (\\d[\\d,.]*\\d|\\d) ?(bytes|[kmg]i?b\\b)";

// templates of local servers raise it as a 500, which would not pass
static const char roles_pattern[] =
    "\\b(roles?|messages?|turns?)\\b.{0,60}\\balternat(e|es|ed|ing|ion)\\b"
    "|\\balternat(e|es|ed|ing|ion)\\b.{0,60}\\b(roles?|messages?|turns?|user)\\b"
    "|\\bconsecutive.{0,30}\\b(roles?|messages?|user|assistant)\\b|expected last role";
static const char role_order_pattern[] = // of a request that is invalid
    "\\broles?\\b.{0,80}\\b(after|before|follow\\w*|between|twice|repeat\\w*|order|sequence)\\b";

// agent-core §3.7; then unexpected socket closes, truncated streams, usage limits
static const char retryable_pattern[] =
    "overloaded|provider.?returned.?error|rate.?limit|too many requests|\\b(429|500|502|503|504)\\b"
    "|service.?unavailable|server.?error|internal.?error|network.?error|connection.?error"
    "|connection.?refused|other side closed|fetch failed|upstream.?connect|reset before headers"
    "|socket hang up|timed? out|timeout|terminated|retry delay|stream stall"
    "|socket.*closed|connection.*(closed|reset|lost)|stream envelope error|stream ended "
    "early|stream broke"
    "|usage.?limit|limit_reached|quota.?exceeded|resource.?exhausted";

static const char limit_pattern[] =
    "rate.?limit|too many requests|\\b429\\b|usage.?limit|limit_reached|quota|resource.?exhausted";

// of an answer 400 (Google) or 403; 401 says it by itself
static const char refused_key_pattern[] =
    "api.?key.{0,40}(not valid|invalid|incorrect|expired|revoked|disabled|not found|leaked)"
    "|(invalid|incorrect|expired|revoked|disabled).{0,20}api.?key|authentication_error";

// an end of a wire that is none of those which say that the answer was stopped, or is not to be
// used
static const char odd_end_pattern[] =
    "^(Provider (finish_reason|finishReason)|Anthropic stop_reason): "
    "(?!content.?filter|safety|.*prohibited|blocklist|spii|recitation|malformed|unexpected|.*safety"
    "|model_context|error|abort|cancel|insufficient)";

typedef enum {
    SAYS_OVERFLOW,
    SAYS_TOO_LARGE,
    SAYS_TOKENS,
    SAYS_BYTE_LIMIT,
    SAYS_ROLES,
    SAYS_ROLE_ORDER,
    SAYS_RETRYABLE,
    SAYS_LIMIT,
    SAYS_REFUSED_KEY,
    SAYS_ODD_END,
    SAYS_STATUS,
    SAYS_DELAY,
    SAYS_COUNT,
} Says;

static const char *const patterns[SAYS_COUNT] = {
    [SAYS_OVERFLOW] = overflow_pattern,
    [SAYS_TOO_LARGE] = too_large_pattern,
    [SAYS_TOKENS] = of_tokens_pattern,
    [SAYS_BYTE_LIMIT] = byte_limit_pattern,
    [SAYS_ROLES] = roles_pattern,
    [SAYS_ROLE_ORDER] = role_order_pattern,
    [SAYS_RETRYABLE] = retryable_pattern,
    [SAYS_LIMIT] = limit_pattern,
    [SAYS_REFUSED_KEY] = refused_key_pattern,
    [SAYS_ODD_END] = odd_end_pattern,
    [SAYS_STATUS] = "^HTTP (\\d{3})\\b",
    [SAYS_DELAY] = "\\bretry-after-ms=(\\d{1,12})",
};
static GRegex *regexes[SAYS_COUNT];
static pthread_once_t regex_once = PTHREAD_ONCE_INIT;

static void compile_patterns(void)
{
    GRegexCompileFlags flags = G_REGEX_CASELESS | G_REGEX_OPTIMIZE | G_REGEX_DOTALL;
    for (size_t i = 0; i < SAYS_COUNT; i++)
        regexes[i] = g_regex_new(patterns[i], flags, 0, NULL);
}

/* `ret_info` may be NULL. */
static bool error_says(Says what, const char *text, GMatchInfo **ret_info)
{
    pthread_once(&regex_once, compile_patterns);
    return text && g_regex_match(regexes[what], text, 0, ret_info);
}

static int64_t error_number(Says what, const char *text)
{
    g_autoptr(GMatchInfo) info = NULL;
    int64_t number = 0;
    if (!error_says(what, text, &info))
        return 0;
    g_autofree char *digits = g_match_info_fetch(info, 1);
    return str_parse_int(digits, &number) ? number : 0;
}

bool provider_error_is_overflow(const char *error_message)
{
    // a proxy answers 413 with a page of its own, whose words say little
    return error_number(SAYS_STATUS, error_message) == 413 ||
           error_says(SAYS_OVERFLOW, error_message, NULL) ||
           error_says(SAYS_TOO_LARGE, error_message, NULL);
}

bool provider_error_is_too_large(const char *error_message)
{
    return error_says(SAYS_TOO_LARGE, error_message, NULL) ||
           (error_number(SAYS_STATUS, error_message) == 413 &&
            !error_says(SAYS_TOKENS, error_message, NULL));
}

/* "20 MB", "26214400", "1,048,576 bytes"; units are counted in thousands, which is on the safe
   side. 0: it is none. */
static size_t read_bytes(const char *number, const char *unit)
{
    g_auto(GStrv) parts = g_strsplit(number, ",", -1);
    g_autofree char *digits = g_strjoinv("", parts);
    double bytes = g_ascii_strtod(digits, NULL);
    static const char units[] = "kmg";
    const char *at = unit && *unit ? strchr(units, g_ascii_tolower(*unit)) : NULL;
    for (ptrdiff_t i = at ? at - units : -1; i >= 0; i--)
        bytes *= 1000;
    return bytes >= 1 && bytes < (double)INT32_MAX ? (size_t)bytes : 0;
}

size_t provider_error_byte_limit(const char *error_message)
{
    g_autoptr(GMatchInfo) info = NULL;
    if (!error_says(SAYS_BYTE_LIMIT, error_message, &info))
        return 0;
    g_autofree char *number = g_match_info_fetch(info, 1);
    g_autofree char *unit = g_match_info_fetch(info, 2);
    if (*number)
        return read_bytes(number, unit);
    g_autofree char *other = g_match_info_fetch(info, 3);
    g_autofree char *other_unit = g_match_info_fetch(info, 4);
    return read_bytes(other, other_unit);
}

bool provider_error_is_of_roles(const char *error_message)
{
    int64_t status = error_number(SAYS_STATUS, error_message);
    bool is_invalid = status == 400 || status == 422;
    if ((status > 0 && status < 500 && !is_invalid) || provider_error_is_overflow(error_message))
        return false;
    return error_says(SAYS_ROLES, error_message, NULL) ||
           (is_invalid && error_says(SAYS_ROLE_ORDER, error_message, NULL));
}

bool provider_error_is_limit(const char *error_message)
{
    return error_says(SAYS_LIMIT, error_message, NULL) &&
           !error_says(SAYS_OVERFLOW, error_message, NULL);
}

bool provider_error_is_refused_key(const char *error_message)
{
    int64_t status = error_number(SAYS_STATUS, error_message);
    return status == 401 ||
           ((status == 400 || status == 403) && error_says(SAYS_REFUSED_KEY, error_message, NULL));
}

bool provider_error_is_retryable(const char *error_message)
{
    if (!error_message || provider_error_is_overflow(error_message) ||
        provider_error_is_of_roles(error_message))
        return false;
    int64_t status = error_number(SAYS_STATUS, error_message);
    if (status == 408 || status == 429 || status >= 500)
        return true;
    if (status >= 400) // whatever its text says
        return false;
    return error_says(SAYS_RETRYABLE, error_message, NULL);
}

bool provider_error_is_odd_end(const char *error_message)
{
    return error_says(SAYS_ODD_END, error_message, NULL);
}

int64_t provider_error_retry_after_ms(const char *error_message)
{
    return error_number(SAYS_DELAY, error_message);
}
