/*
 * Date bounds. Calendar arithmetic is time_from_utc()'s: a day that a month does not have rolls
 * over into the next.
 */
#include "github/ops/dates.h"

#include "base/str.h"
#include "base/timefmt.h"
#include "base/utf8.h"

#define MINUTE_S  G_GINT64_CONSTANT(60)
#define HOUR_S    (60 * MINUTE_S)
#define DAY_S     (24 * HOUR_S)
#define WEEK_S    (7 * DAY_S)
#define MAX_YEARS 9999

static bool fail_bound(const char *text, GError **error)
{
    return fail_with(
        error, KEDGE_ERROR_USAGE,
        "invalid date bound: %s. Expected a relative duration like \"3d\", \"12h\", \"2w\", "
        "an ISO date \"YYYY-MM-DD\", or an ISO datetime.",
        text);
}

static bool is_year_in_range(const struct tm *when)
{
    int year = when->tm_year + 1900;
    return year >= 1 && year <= MAX_YEARS;
}

/* `count` units before now, as a UTC date. False outside of the years that GitHub knows. */
static bool date_before(int64_t now_s, int64_t count, int64_t unit_s, int unit_months,
                        char **ret_date)
{
    struct tm when;
    int64_t span_s = 0;
    if (__builtin_mul_overflow(count, unit_s, &span_s) ||
        __builtin_sub_overflow(now_s, span_s, &now_s))
        return false;
    time_t at = (time_t)now_s;
    if (!time_to_utc(at, &when))
        return false;
    if (unit_months > 0) {
        if (count > MAX_YEARS * 12)
            return false;
        when.tm_mon -= (int)count * unit_months;
        at = time_from_utc(&when);
        if (!time_to_utc(at, &when))
            return false;
    }
    if (!is_year_in_range(&when))
        return false;
    *ret_date =
        g_strdup_printf("%04d-%02d-%02d", when.tm_year + 1900, when.tm_mon + 1, when.tm_mday);
    return true;
}

static bool parse_relative(const char *text, int64_t now_s, char **ret_date)
{
    static const struct {
        const char *name;
        int64_t seconds;
        int months;
    } units[] = {
        { "m", MINUTE_S, 0 }, { "h", HOUR_S, 0 }, { "d", DAY_S, 0 },
        { "w", WEEK_S, 0 },   { "mo", 0, 1 },     { "y", 0, 12 },
    };
    size_t digits = strspn(text, "0123456789");
    g_autofree char *number = g_strndup(text, digits);
    g_autofree char *unit = utf8_trim(text + digits);
    int64_t count;
    if (digits == 0 || !str_parse_int(number, &count))
        return false;
    for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
        if (str_equal_nocase(unit, units[i].name))
            return date_before(now_s, count, units[i].seconds, units[i].months, ret_date);
    }
    return false;
}

/* `pattern`: 9 stands for a digit, everything else for itself. Returns what follows, or NULL. */
static const char *match_shape(const char *text, const char *pattern)
{
    for (; *pattern != '\0'; pattern++, text++) {
        if (*pattern == '9' ? !g_ascii_isdigit(*text) : *text != *pattern)
            return NULL;
    }
    return text;
}

static int two_digits(const char *text)
{
    return (text[0] - '0') * 10 + (text[1] - '0');
}

/* "", "Z", "+02:00", "+0200". */
static bool parse_offset(const char *text, bool *ret_is_local, int *ret_offset_s)
{
    *ret_offset_s = 0;
    *ret_is_local = *text == '\0';
    if (*text == '\0' || strcmp(text, "Z") == 0)
        return true;
    if (*text != '+' && *text != '-')
        return false;
    const char *end = match_shape(text + 1, "99:99");
    if (!end)
        end = match_shape(text + 1, "9999");
    if (!end || *end != '\0')
        return false;
    int hours = two_digits(text + 1), minutes = two_digits(end - 2);
    if (hours > 23 || minutes > 59)
        return false;
    *ret_offset_s = (hours * 60 + minutes) * 60 * (*text == '-' ? -1 : 1);
    return true;
}

/* The clock time after "YYYY-MM-DDT"; returns what follows, or NULL. A fraction is dropped. */
static const char *parse_clock(const char *text, struct tm *when)
{
    const char *rest = match_shape(text, "99:99");
    if (!rest)
        return NULL;
    when->tm_hour = two_digits(text);
    when->tm_min = two_digits(text + 3);
    const char *after_seconds = match_shape(rest, ":99");
    if (after_seconds) {
        when->tm_sec = two_digits(rest + 1);
        rest = after_seconds;
        if (*rest == '.') {
            size_t digits = strspn(rest + 1, "0123456789");
            rest = digits > 0 ? rest + 1 + digits : NULL;
        }
    }
    return when->tm_hour <= 23 && when->tm_min <= 59 && when->tm_sec <= 59 ? rest : NULL;
}

static bool parse_datetime(const char *text, char **ret_bound)
{
    const char *clock = match_shape(text, "9999-99-99");
    if (!clock || (*clock != 'T' && *clock != ' '))
        return false;
    int year = two_digits(text) * 100 + two_digits(text + 2);
    int month = two_digits(text + 5), day = two_digits(text + 8);
    if (year < 1 || !g_date_valid_dmy((GDateDay)day, (GDateMonth)month, (GDateYear)year))
        return false;
    struct tm when = {
        .tm_year = year - 1900, .tm_mon = month - 1, .tm_mday = day, .tm_isdst = -1
    };
    const char *rest = parse_clock(clock + 1, &when);
    bool is_local;
    int offset_s;
    if (!rest || !parse_offset(rest, &is_local, &offset_s))
        return false;

    time_t at = (is_local ? time_from_local(&when) : time_from_utc(&when)) - offset_s;
    if (!time_to_utc(at, &when) || !is_year_in_range(&when))
        return false;
    *ret_bound =
        g_strdup_printf("%04d-%02d-%02dT%02d:%02d:%02dZ", when.tm_year + 1900, when.tm_mon + 1,
                        when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec);
    return true;
}

bool dates_parse_bound(const char *text, int64_t now_ms, char **ret_bound, GError **error)
{
    if (str_is_empty(text)) {
        *ret_bound = NULL;
        return true;
    }
    g_autofree char *bound = utf8_trim(text);
    if (*bound == '\0')
        return fail_with(error, KEDGE_ERROR_USAGE, "date bound must not be empty");
    if (parse_relative(bound, now_ms / 1000, ret_bound) || parse_datetime(bound, ret_bound))
        return true;
    const char *rest = match_shape(bound, "9999-99-99");
    if (!rest || *rest != '\0')
        return fail_bound(text, error);
    *ret_bound = g_steal_pointer(&bound); // a date goes on as it is, calendar unchecked
    return true;
}

static bool parse_named(const char *name, const char *text, int64_t now_ms, char **ret_bound,
                        GError **error)
{
    if (dates_parse_bound(text, now_ms, ret_bound, error))
        return true;
    g_prefix_error(error, "%s: ", name);
    return false;
}

bool dates_qualifier(const char *field, const char *since, const char *until, int64_t now_ms,
                     char **ret_qualifier, GError **error)
{
    g_autofree char *from = NULL;
    g_autofree char *to = NULL;
    if (!parse_named("since", since, now_ms, &from, error) ||
        !parse_named("until", until, now_ms, &to, error))
        return false;
    if (from && to)
        *ret_qualifier = g_strdup_printf("%s:%s..%s", field, from, to);
    else if (from)
        *ret_qualifier = g_strdup_printf("%s:>=%s", field, from);
    else
        *ret_qualifier = to != NULL ? g_strdup_printf("%s:<=%s", field, to) : NULL;
    return true;
}
