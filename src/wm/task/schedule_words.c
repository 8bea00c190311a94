/*
 * Schedules in words (schedule_words.h): a reader that takes one word after the other.
 */
#include "wm/task/schedule_words.h"

#include "base/str.h"

#include <string.h>

#define DAY_MINUTES 1440

typedef struct Words {
    char *const *next; // NULL-terminated
    const char *id;
} Words;

static bool words_take(Words *self, const char *word)
{
    if (g_strcmp0(*self->next, word) != 0)
        return false;
    self->next++;
    return true;
}

static bool is_at_end(const Words *self)
{
    return *self->next == NULL;
}

// `… on weekdays`, or nothing: the day field. NULL: something else follows.
static const char *take_weekdays(Words *self)
{
    if (is_at_end(self))
        return "*";
    return words_take(self, "on") && words_take(self, "weekdays") && is_at_end(self) ? "1-5" : NULL;
}

// 0 is Sunday; -1: no day.
static int day_number(const char *word)
{
    static const char *const days[][5] = {
        { "sun", "sunday" },
        { "mon", "monday" },
        { "tue", "tues", "tuesday" },
        { "wed", "weds", "wednesday" },
        { "thu", "thur", "thurs", "thursday" },
        { "fri", "friday" },
        { "sat", "saturday" },
    };
    for (int day = 0; word && day < (int)G_N_ELEMENTS(days); day++)
        if (g_strv_contains(days[day], word))
            return day;
    return -1;
}

// Up to `max_digits` digits at *at; -1: none.
static int take_digits(const char **at, size_t max_digits)
{
    size_t size = strspn(*at, "0123456789");
    if (size == 0 || size > max_digits)
        return -1;
    int value = 0;
    for (size_t i = 0; i < size; i++)
        value = value * 10 + (*at)[i] - '0';
    *at += size;
    return value;
}

// `14:00`, `2pm`, `2:30pm`, `noon`: minutes of the day; -1: no time.
static int clock_minutes(const char *word)
{
    if (strcmp(word, "midnight") == 0)
        return 0;
    if (strcmp(word, "noon") == 0)
        return 12 * 60;
    const char *at = word;
    int hour = take_digits(&at, 2), minute = 0;
    bool has_minutes = *at == ':';
    if (has_minutes) {
        at++;
        const char *start = at;
        minute = take_digits(&at, 2);
        if (at - start != 2)
            return -1;
    }
    if (hour < 0 || minute < 0 || minute > 59)
        return -1;
    if (*at == '\0')
        return has_minutes && hour <= 23 ? hour * 60 + minute : -1;
    bool is_pm = strcmp(at, "pm") == 0;
    if ((!is_pm && strcmp(at, "am") != 0) || hour < 1 || hour > 12)
        return -1;
    return (hour % 12 + (is_pm ? 12 : 0)) * 60 + minute;
}

// `utc+9`, `utc-05:30`; false: none, or none that there is.
static bool take_offset(Words *self, int *ret_minutes)
{
    const char *word = *self->next;
    if (!word || !str_has_prefix(word, "utc") || !word[3] || !strchr("+-", word[3]))
        return false;
    const char *at = word + 4;
    int hour = take_digits(&at, 2), minute = 0;
    if (*at == ':') {
        at++;
        const char *start = at;
        minute = take_digits(&at, 2);
        if (at - start != 2)
            return false;
    }
    int offset = (hour * 60 + minute) * (word[3] == '-' ? -1 : 1);
    if (*at || hour < 0 || minute < 0 || minute > 59 || offset < -12 * 60 || offset > 14 * 60)
        return false;
    self->next++;
    *ret_minutes = offset;
    return true;
}

typedef struct Clock {
    int minutes; // of the day
    int offset;  // of UTC
    bool has_offset;
} Clock;

static bool take_clock(Words *self, Clock *ret_clock)
{
    Clock clock = { .minutes = is_at_end(self) ? -1 : clock_minutes(*self->next) };
    if (clock.minutes < 0)
        return false;
    self->next++;
    clock.has_offset = take_offset(self, &clock.offset);
    *ret_clock = clock;
    return true;
}

static int in_day(int minutes)
{
    return ((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
}

// Away from the full hours and halves at which everybody else starts (task-engine §2.5).
static int evade_rush(int minutes)
{
    int hour = minutes / 60, minute = minutes % 60;
    if (minute <= 4)
        minute += 5;
    else if (minute >= 55)
        minute -= 5;
    if (hour >= 6 && hour <= 9 && minute >= 27 && minute <= 33)
        minute = 34;
    if (hour >= 14 && hour <= 18 && minute >= 12 && minute <= 18)
        minute = 19;
    if (hour >= 14 && hour <= 18 && minute >= 42 && minute <= 48)
        minute = 49;
    return hour * 60 + minute;
}

// `around T`, `between A and B`, or nothing: the minute of the day. False: none of these.
static bool take_time(Words *self, int *ret_minutes)
{
    Clock from, until;
    if (words_take(self, "around")) {
        if (!take_clock(self, &from))
            return false;
        int start = from.minutes - from.offset - 60;
        *ret_minutes = evade_rush(in_day(start + wm_schedule_spread(self->id, 120)));
        return true;
    }
    if (!words_take(self, "between")) {
        *ret_minutes = wm_schedule_pool_minute(self->id);
        return true;
    }
    if (!take_clock(self, &from) || !words_take(self, "and") || !take_clock(self, &until))
        return false;
    int start = in_day(from.minutes - (from.has_offset ? from.offset : until.offset));
    int end = in_day(until.minutes - until.offset);
    int range = end > start ? end - start : DAY_MINUTES - start + end;
    *ret_minutes = evade_rush(in_day(start + wm_schedule_spread(self->id, range)));
    return true;
}

static char *at_time(int minutes, const char *days)
{
    return g_strdup_printf("%d %d * * %s", minutes % 60, minutes / 60, days);
}

static char *words_daily(Words *self)
{
    int minutes;
    if (!take_time(self, &minutes))
        return NULL;
    const char *days = take_weekdays(self);
    return days ? at_time(minutes, days) : NULL;
}

static char *words_weekly(Words *self)
{
    bool has_day = words_take(self, "on");
    int day = has_day ? day_number(*self->next) : wm_schedule_spread(self->id, 7);
    if (day < 0 || (!has_day && !is_at_end(self)))
        return NULL;
    if (has_day)
        self->next++;
    int minutes;
    if (!take_time(self, &minutes) || !is_at_end(self))
        return NULL;
    const char number[] = { (char)('0' + day), '\0' };
    return at_time(minutes, number);
}

// `bi-weekly` and `tri-weekly`
static char *every_days_at(Words *self, int days)
{
    int minutes = wm_schedule_pool_minute(self->id);
    return is_at_end(self) ? g_strdup_printf("%d %d */%d * *", minutes % 60, minutes / 60, days)
                           : NULL;
}

static char *words_hours(Words *self, int64_t count)
{
    if (count == 24)
        return words_daily(self);
    const char *days = take_weekdays(self);
    if (!days || count < 1 || count > 23)
        return NULL;
    return g_strdup_printf("%d */%d * * %s", wm_schedule_spread(self->id, 50) + 5, (int)count,
                           days);
}

// Steps that a field of cron has: beyond, `*/90` would mean something else than it says.
static char *schedule_words_days(int64_t count)
{
    if (count < 1 || count > 31)
        return NULL;
    return count == 1 ? g_strdup("0 0 * * *") : g_strdup_printf("0 0 */%d * *", (int)count);
}

// `every 3 hours`, `every 3h`, and other units
static char *words_every(Words *self)
{
    static const char *const hour[] = { "h", "hour", "hours", NULL };
    static const char *const minute[] = { "m", "min", "mins", "minute", "minutes", NULL };
    static const char *const day[] = { "d", "day", "days", NULL };
    static const char *const week[] = { "w", "week", "weeks", NULL };
    const char *at = *self->next;
    int64_t count = at ? take_digits(&at, 4) : -1;
    if (count < 0)
        return NULL;
    self->next++;
    const char *unit = *at ? at : *self->next;
    if (!unit)
        return NULL;
    if (!*at)
        self->next++;
    if (g_strv_contains(hour, unit))
        return words_hours(self, count);
    if (!is_at_end(self))
        return NULL;
    if (g_strv_contains(minute, unit))
        return count >= 5 && count <= 59 ? g_strdup_printf("*/%d * * * *", (int)count) : NULL;
    if (g_strv_contains(day, unit))
        return schedule_words_days(count);
    if (g_strv_contains(week, unit))
        return count == 1 ? g_strdup("0 0 * * 0") : schedule_words_days(count * 7);
    return NULL;
}

char *wm_schedule_of_words(char *const *words, const char *id)
{
    Words self = { .next = words, .id = id };
    if (words_take(&self, "daily"))
        return words_daily(&self);
    if (words_take(&self, "weekly"))
        return words_weekly(&self);
    if (words_take(&self, "hourly"))
        return words_hours(&self, 1);
    if (words_take(&self, "bi-weekly"))
        return every_days_at(&self, 14);
    if (words_take(&self, "tri-weekly"))
        return every_days_at(&self, 21);
    return words_take(&self, "every") ? words_every(&self) : NULL;
}
