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
    "|payload too large|entity too large|model_context_window_exceeded|\\b(400|413)\\b.*\\(no "
    "body\\)";

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

static GRegex *limit_regex;
static GRegex *refused_key_regex;
static GRegex *overflow_regex;
static GRegex *retryable_regex;
static GRegex *status_regex;
static GRegex *delay_regex;
static pthread_once_t regex_once = PTHREAD_ONCE_INIT;

static void compile(void)
{
    GRegexCompileFlags flags = G_REGEX_CASELESS | G_REGEX_OPTIMIZE | G_REGEX_DOTALL;
    overflow_regex = g_regex_new(overflow_pattern, flags, 0, NULL);
    retryable_regex = g_regex_new(retryable_pattern, flags, 0, NULL);
    limit_regex = g_regex_new(limit_pattern, flags, 0, NULL);
    refused_key_regex = g_regex_new(refused_key_pattern, flags, 0, NULL);
    status_regex = g_regex_new("^HTTP (\\d{3})\\b", 0, 0, NULL);
    delay_regex = g_regex_new("\\bretry-after-ms=(\\d{1,12})", 0, 0, NULL);
}

static bool matches(GRegex *const *regex, const char *text)
{
    pthread_once(&regex_once, compile);
    return text && g_regex_match(*regex, text, 0, NULL);
}

static int64_t match_number(GRegex *const *regex, const char *text)
{
    pthread_once(&regex_once, compile);
    g_autoptr(GMatchInfo) info = NULL;
    int64_t number = 0;
    if (!text || !g_regex_match(*regex, text, 0, &info))
        return 0;
    g_autofree char *digits = g_match_info_fetch(info, 1);
    return str_parse_int(digits, &number) ? number : 0;
}

bool provider_error_is_overflow(const char *error_message)
{
    // a proxy answers 413 with a page of its own, whose words say little
    return match_number(&status_regex, error_message) == 413 ||
           matches(&overflow_regex, error_message);
}

bool provider_error_is_limit(const char *error_message)
{
    return matches(&limit_regex, error_message) && !matches(&overflow_regex, error_message);
}

bool provider_error_is_refused_key(const char *error_message)
{
    int64_t status = match_number(&status_regex, error_message);
    return status == 401 ||
           ((status == 400 || status == 403) && matches(&refused_key_regex, error_message));
}

bool provider_error_is_retryable(const char *error_message)
{
    if (!error_message || provider_error_is_overflow(error_message))
        return false;
    int64_t status = match_number(&status_regex, error_message);
    if (status == 408 || status == 429 || status >= 500)
        return true;
    if (status >= 400) // whatever its text says
        return false;
    return matches(&retryable_regex, error_message);
}

int64_t provider_error_retry_after_ms(const char *error_message)
{
    return match_number(&delay_regex, error_message);
}
