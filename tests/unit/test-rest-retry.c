/*
 * github/rest/rest_exchange.c and rest_limit.c: what is sent again after an outage or a rate limit,
 * what never is, and how long is waited (common §8.3).
 */
#include "rest_fixture.h"

#include "base/timefmt.h"

static const RestCall get_call = { .method = "GET",
                                   .path = "/repos/o/r/pulls/42",
                                   .operation = "fetch-comments",
                                   .subject = "o/r pull request 42" };
static const RestCall post_call = { .method = "POST",
                                    .path = "/repos/o/r/pulls/42/reviews",
                                    .operation = "submit-review",
                                    .subject = "o/r pull request 42" };

static void assert_retry_waits(const RestFixture *fixture, guint count)
{
    assert_int_equal(fixture->sleeps->len, count);
    for (guint i = 0; i < count; i++) {
        int64_t wait = g_array_index(fixture->sleeps, int64_t, i), base = (int64_t)1000 << i;
        assert_in_range(wait, base * 8 / 10, base * 12 / 10);
    }
}

/* common §8.3: what goes out again after an outage, and how it ends when that does not help. */
static void test_retries(void **state G_GNUC_UNUSED)
{
    static const struct {
        const char *name, *method;
        bool is_repeatable;
        CannedAnswer answer;
        unsigned requests;
        RestErrorCode code;
        const char *text; // {host} is the server
    } cases[] = {
        { "GET 502",
          "GET",
          false,
          { .status = 502 },
          4,
          REST_ERROR_UNAVAILABLE,
          "GitHub is unavailable (502) during op" },
        { "PUT 500",
          "PUT",
          false,
          { .status = 500 },
          4,
          REST_ERROR_UNAVAILABLE,
          "GitHub is unavailable (500) during op" },
        { "PATCH 503", "PATCH", false, { .status = 503 }, 4, REST_ERROR_UNAVAILABLE, NULL },
        { "DELETE 504", "DELETE", false, { .status = 504 }, 4, REST_ERROR_UNAVAILABLE, NULL },
        { "GET 501",
          "GET",
          false,
          { .status = 501 },
          1,
          REST_ERROR_UNAVAILABLE,
          "GitHub is unavailable (501) during op" },
        { "POST 502",
          "POST",
          false,
          { .status = 502 },
          1,
          REST_ERROR_UNKNOWN_OUTCOME,
          "GitHub is unavailable (502) during op" },
        { "repeatable POST 502", "POST", true, { .status = 502 }, 4, REST_ERROR_UNAVAILABLE, NULL },
        { "GET dropped",
          "GET",
          false,
          { .end = CANNED_DROP },
          4,
          REST_ERROR_UNAVAILABLE,
          "Could not reach {host} during op: Empty reply from server" },
        { "GET early end",
          "GET",
          false,
          { .body = "{}", .end = CANNED_EARLY },
          4,
          REST_ERROR_UNAVAILABLE,
          NULL },
        { "POST dropped",
          "POST",
          false,
          { .end = CANNED_DROP },
          1,
          REST_ERROR_UNKNOWN_OUTCOME,
          "Could not reach {host} during op: Empty reply from server" },
        { "POST early end",
          "POST",
          false,
          { .body = "{}", .end = CANNED_EARLY },
          1,
          REST_ERROR_UNKNOWN_OUTCOME,
          NULL },
        { "GET garbage",
          "GET",
          false,
          { .body = "what?\r\n\r\n", .end = CANNED_RAW },
          1,
          REST_ERROR_UNREADABLE,
          "GitHub sent an unreadable answer during op" },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        CannedAnswer answer = cases[i].answer;
        answer.times = 10;
        g_autoptr(RestFixture) fixture = rest_fixture_new(&answer, 1);
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        const RestCall call = { .method = cases[i].method,
                                .path = "/x",
                                .operation = "op",
                                .is_repeatable = cases[i].is_repeatable };
        g_autofree char *host = g_strdup_printf("127.0.0.1:%u", fixture->server->port);
        g_autoptr(GString) text = g_string_new(cases[i].text);
        g_string_replace(text, "{host}", host, 0);
        g_autoptr(GError) error G_GNUC_UNUSED = rest_fixture_error(
            cases[i].name, rest, &call, cases[i].code, cases[i].text ? text->str : NULL);
        if (rest_fixture_count(fixture) != cases[i].requests)
            fail_msg("%s: %u requests", cases[i].name, rest_fixture_count(fixture));
        assert_retry_waits(fixture, cases[i].requests - 1);
    }
}

/* cli-B-31, first half. */
static void test_retry_helps(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .status = 502, .times = 2 },
        { .body = "{\"id\":1}" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_auto(RestAnswer) answer = { 0 };
    assert_true(rest_call(rest, &get_call, NULL, &answer, NULL));
    assert_int_equal(json_get_int(answer.body, "id", 0), 1);
    assert_retry_waits(fixture, 2);
}

/* Nothing was sent, so that even a POST may try again. */
static void test_nobody_there(void **state G_GNUC_UNUSED)
{
    g_autoptr(RestFixture) fixture = rest_fixture_new(NULL, 0);
    g_setenv("GITHUB_API_URL", "http://127.0.0.1:1", true);
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_autoptr(GError) error =
        rest_fixture_error("refused", rest, &post_call, REST_ERROR_UNAVAILABLE, NULL);
    assert_non_null(strstr(error->message, "Could not reach 127.0.0.1:1 during submit-review: "));
    assert_retry_waits(fixture, 3);
}

/* libcurl repeats by itself what it sent over a kept connection that was closed: not a POST. */
static void test_kept_connection_is_closed(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET ", .body = "{}" },
        { .request = "POST ", .end = CANNED_DROP, .times = 5 },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_auto(RestAnswer) answer = { 0 };
    assert_true(rest_call(rest, &get_call, NULL, &answer, NULL));
    g_autoptr(GError) error G_GNUC_UNUSED =
        rest_fixture_error("POST", rest, &post_call, REST_ERROR_UNKNOWN_OUTCOME, NULL);
    assert_int_equal(rest_fixture_count(fixture), 2);
}

typedef struct LimitCase {
    const char *name;
    CannedAnswer answer;
    unsigned times;        // that it is given; then 200
    const char *max_wait;  // KEDGE_GITHUB_MAX_WAIT; NULL: 60
    const char *waits;     // "1 1 1"
    int64_t retry_after_s; // of the failure; 0: it succeeds
} LimitCase;

static void check_limit(const LimitCase *limit)
{
    CannedAnswer answers[] = { limit->answer, { .body = "{}" } };
    answers[0].times = limit->times;
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    if (limit->max_wait)
        g_setenv("KEDGE_GITHUB_MAX_WAIT", limit->max_wait, true);
    g_autoptr(Rest) rest = rest_fixture_open(fixture);
    g_auto(RestAnswer) answer = { 0 };
    g_autoptr(GError) error = NULL;
    bool is_done = rest_call(rest, &post_call, NULL, &answer, &error);
    g_autofree char *waits = rest_fixture_waits(fixture);
    if (strcmp(waits, limit->waits) != 0)
        fail_msg("%s: waits '%s'", limit->name, waits);
    if (is_done != (limit->retry_after_s == 0))
        fail_msg("%s: %s", limit->name, is_done ? "succeeds" : error->message);
    if (is_done)
        return;
    assert_true(g_error_matches(error, REST_ERROR, REST_ERROR_RATE_LIMIT));
    g_autofree char *text = g_strdup_printf(
        "Rate limit exceeded - retry after %" G_GINT64_FORMAT " seconds", limit->retry_after_s);
    assert_string_equal(error->message, text);
    assert_int_equal(rest_error_failure(error)->retry_after_s, limit->retry_after_s);
}

static void test_limits(void **state G_GNUC_UNUSED)
{
    const CannedAnswer after_1 = { .status = 429, .headers = "Retry-After: 1\r\n" };
    const CannedAnswer after_90 = { .status = 403, .headers = "Retry-After: 90\r\n" };
    const LimitCase cases[] = {
        { "cli-B-30", after_1, 4, NULL, "1 1 1", 1 },
        { "three are waited for", after_1, 3, NULL, "1 1 1", 0 },
        { "too long", after_90, 1, NULL, "", 90 },
        { "a longer wait is allowed", after_90, 1, "90", "90", 0 },
        { "never", after_1, 1, "0", "", 1 },
        { "0 is a second", { .status = 403, .headers = "Retry-After: 0\r\n" }, 1, NULL, "1", 0 },
        { "secondary, in words",
          { .status = 403, .body = "{\"message\":\"You have exceeded a secondary rate limit\"}" },
          1,
          NULL,
          "60",
          0 },
        { "abuse",
          { .status = 403, .body = "{\"message\":\"Abuse detection mechanism\"}" },
          1,
          "59",
          "",
          60 },
        { "429 without a word", { .status = 429 }, 1, NULL, "60", 0 },
        { "a date is no number",
          { .status = 429, .headers = "Retry-After: Wed, 01 Jan\r\n" },
          1,
          NULL,
          "60",
          0 },
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check_limit(&cases[i]);
}

/* cli-B-29 */
static void test_quota(void **state G_GNUC_UNUSED)
{
    static const struct {
        int64_t reset_in;
        bool is_waited;
    } cases[] = { { 2, true }, { -100, true }, { 3600, false } };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *headers = g_strdup_printf(
            "x-ratelimit-remaining: 0\r\nx-ratelimit-reset: %" G_GINT64_FORMAT "\r\n",
            time_now_ms() / 1000 + cases[i].reset_in);
        const CannedAnswer answers[] = {
            { .status = 403, .headers = headers, .body = "{\"message\":\"Forbidden\"}" },
            { .body = "{}" },
        };
        g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
        g_autoptr(Rest) rest = rest_fixture_open(fixture);
        g_auto(RestAnswer) answer = { 0 };
        g_autoptr(GError) error = NULL;
        assert_int_equal(rest_call(rest, &get_call, NULL, &answer, &error), cases[i].is_waited);
        assert_int_equal(fixture->sleeps->len, cases[i].is_waited ? 1 : 0);
        if (cases[i].is_waited)
            assert_in_range(g_array_index(fixture->sleeps, int64_t, 0), 1000, 3000);
        else
            assert_in_range(rest_error_failure(error)->retry_after_s, 3598, 3602);
    }
}

/* No wait goes beyond the time that the caller has. */
static void test_deadline(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET ", .status = 429, .headers = "Retry-After: 30\r\n" },
        { .request = "POST ", .status = 429, .headers = "Retry-After: 5\r\n" },
        { .request = "POST ", .body = "{}" },
    };
    g_autoptr(RestFixture) fixture = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    const RestOptions options = {
        .max_wait_s = 60, .timeout_ms = 20 * 1000, .sleep = rest_fixture_sleep, .user_data = fixture
    };
    g_autoptr(Rest) rest = NULL;
    assert_true(rest_new(&options, NULL, &rest, NULL));
    g_autoptr(GError) error G_GNUC_UNUSED =
        rest_fixture_error("30 s", rest, &get_call, REST_ERROR_RATE_LIMIT,
                           "Rate limit exceeded - retry after 30 seconds");
    g_autoptr(Rest) other = NULL; // which knows nothing of that limit
    assert_true(rest_new(&options, NULL, &other, NULL));
    g_auto(RestAnswer) answer = { 0 };
    assert_true(rest_call(other, &post_call, NULL, &answer, NULL));
}

static void *fire_later(void *cancel)
{
    g_usleep(50 * 1000);
    cancel_fire(cancel);
    return NULL;
}

/* A wait ends with the token, and so does a server that says nothing. */
static void test_cancel(void **state G_GNUC_UNUSED)
{
    static const CannedAnswer answers[] = {
        { .request = "GET ", .status = 429, .headers = "Retry-After: 50\r\n" },
        { .request = "POST ", .end = CANNED_STALL },
    };
    g_autoptr(RestFixture) fixture G_GNUC_UNUSED = rest_fixture_new(answers, G_N_ELEMENTS(answers));
    const RestOptions options = { .max_wait_s = 60 }; // waits for real
    g_autoptr(Rest) rest = NULL;
    assert_true(rest_new(&options, NULL, &rest, NULL));
    const RestCall *const calls[] = { &get_call, &post_call };
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        g_autoptr(Cancel) cancel = cancel_new(NULL);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, fire_later, cancel), 0);
        g_auto(RestAnswer) answer = { 0 };
        g_autoptr(GError) error = NULL;
        assert_false(rest_call(rest, calls[i], cancel, &answer, &error));
        assert_true(error_is(error, KEDGE_ERROR_CANCELLED));
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retries),      cmocka_unit_test(test_retry_helps),
        cmocka_unit_test(test_nobody_there), cmocka_unit_test(test_kept_connection_is_closed),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_quota),
        cmocka_unit_test(test_deadline),     cmocka_unit_test(test_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
