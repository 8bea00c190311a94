"""The sources of harbor/tidepool, the C program in the forge's default seed.

It prints tide tables, builds with `make` and any C compiler, and has one real
bug: clock_add() in src/clock.c lets 24:00 through at midnight (`>` where `>=`
belongs). `make test` shows it and passes once that line is mended. Used by
seed.py, which cuts these files into commits; nothing here is run by the forge.
"""

README = """\
# tidepool

Tide tables for small harbours.

    $ make
    $ ./tidepool 03:10
    high 03:10
    low  09:22
    high 15:35
    low  21:47

The argument is the time of the day's first high water; a second one says how
many tides to print. A tide takes 12 hours and 25 minutes, low water lies in the
middle.

Run the tests with `make test`.
"""

MAKEFILE = """\
CC ?= cc
CFLAGS ?= -O1 -g
CFLAGS += -std=c11 -Wall -Wextra -Werror

all: tidepool

tidepool: src/main.c src/tide.c src/clock.c src/tide.h src/clock.h
	$(CC) $(CFLAGS) -o $@ src/main.c src/tide.c src/clock.c

test: tests/test_clock
	./tests/test_clock

tests/test_clock: tests/test_clock.c src/clock.c src/clock.h
	$(CC) $(CFLAGS) -Isrc -o $@ tests/test_clock.c src/clock.c

clean:
	rm -f tidepool tests/test_clock

.PHONY: all test clean
"""

CLOCK_H = """\
/* Times of day as minutes since midnight: 0 (00:00) to 1439 (23:59). */
#ifndef TIDEPOOL_CLOCK_H
#define TIDEPOOL_CLOCK_H

enum { MINUTES_PER_DAY = 24 * 60 };

/* "HH:MM" to minutes, or -1 when the text is not a time of day. */
int clock_parse(const char *text);

/* Writes "HH:MM" and a NUL into `out`. */
void clock_format(int clock, char out[6]);

/* `minutes` (0 to one day) after `clock`, wrapping at midnight. */
int clock_add(int clock, int minutes);

#endif
"""

CLOCK_C = """\
#include "clock.h"

#include <stdio.h>

int clock_parse(const char *text)
{
    int hours, minutes;
    char rest;

    if (sscanf(text, "%2d:%2d%c", &hours, &minutes, &rest) != 2)
        return -1;
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59)
        return -1;
    return hours * 60 + minutes;
}

void clock_format(int clock, char out[6])
{
    int hours = clock / 60 % 100;
    int minutes = clock % 60;

    out[0] = (char)('0' + hours / 10);
    out[1] = (char)('0' + hours % 10);
    out[2] = ':';
    out[3] = (char)('0' + minutes / 10);
    out[4] = (char)('0' + minutes % 10);
    out[5] = '\\0';
}

int clock_add(int clock, int minutes)
{
    int sum = clock + minutes;

    if (sum > MINUTES_PER_DAY)
        sum -= MINUTES_PER_DAY;
    return sum;
}
"""

BUG_PATH = "src/clock.c"
BUG_LINE = "    if (sum > MINUTES_PER_DAY)\n"
FIXED_LINE = "    if (sum >= MINUTES_PER_DAY)\n"

TIDE_H = """\
/* High and low waters of a day. */
#ifndef TIDEPOOL_TIDE_H
#define TIDEPOOL_TIDE_H

#include <stdio.h>

/* Prints `count` tides to `out`, the first one a high water at `first_high`. */
void tide_print(FILE *out, int first_high, int count);

#endif
"""

TIDE_C = """\
#include "tide.h"

#include "clock.h"

enum { TIDE_MINUTES = 12 * 60 + 25 };

void tide_print(FILE *out, int first_high, int count)
{
    int clock = first_high;

    for (int i = 0; i < count; i++) {
        char text[6];
        clock_format(clock, text);
        fprintf(out, "%s %s\\n", i % 2 == 0 ? "high" : "low ", text);
        clock = clock_add(clock, i % 2 == 0 ? TIDE_MINUTES / 2 : TIDE_MINUTES - TIDE_MINUTES / 2);
    }
}
"""

MAIN_C_FIRST = """\
#include "tide.h"

int main(void)
{
    tide_print(stdout, 3 * 60 + 10, 4);
    return 0;
}
"""

MAIN_C = """\
#include "clock.h"
#include "tide.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int first_high = argc > 1 ? clock_parse(argv[1]) : -1;
    int count = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 4;

    if (first_high < 0 || count < 1 || count > 1000) {
        fprintf(stderr, "usage: tidepool HH:MM [COUNT]\\n");
        return 2;
    }
    tide_print(stdout, first_high, count);
    return 0;
}
"""

TEST_CLOCK_FIRST = """\
#include "clock.h"

#include <stdio.h>
#include <string.h>

static int failures;

static void check_add(const char *start, int minutes, const char *want)
{
    char got[6];

    clock_format(clock_add(clock_parse(start), minutes), got);
    if (strcmp(got, want) != 0) {
        printf("FAIL clock_add(%s, %d): got %s, want %s\\n", start, minutes, got, want);
        failures++;
    }
}

static void check_parse(const char *text, int want)
{
    int got = clock_parse(text);

    if (got != want) {
        printf("FAIL clock_parse(\\"%s\\"): got %d, want %d\\n", text, got, want);
        failures++;
    }
}

int main(void)
{
    check_parse("00:00", 0);
    check_parse("23:59", 1439);
    check_parse("24:00", -1);
    check_parse("noon", -1);
    check_add("03:10", 372, "09:22");
    check_add("23:59", 2, "00:01");
    if (failures == 0)
        printf("ok\\n");
    return failures != 0;
}
"""

MIDNIGHT_CHECK = '    check_add("17:48", 372, "00:00");\n'
TEST_CLOCK = TEST_CLOCK_FIRST.replace("    if (failures == 0)\n", MIDNIGHT_CHECK + "    if (failures == 0)\n")

CI_YML = """\
name: ci
on: [push, pull_request]
jobs:
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: make test
"""

GITIGNORE = "/tidepool\n/tests/test_clock\n"

MOON_H = """\
/* The age of the moon in days, 0 (new) to 29. */
#ifndef TIDEPOOL_MOON_H
#define TIDEPOOL_MOON_H

int moon_age(int year, int month, int day);

#endif
"""

MOON_C = """\
#include "moon.h"

/* Conway's rule; good to a day between 1900 and 2100. */
int moon_age(int year, int month, int day)
{
    int r = year % 100 % 19;

    if (r > 9)
        r -= 19;
    r = r * 11 % 30 + month + day;
    if (month < 3)
        r += 2;
    r -= year < 2000 ? 4 : 8;
    return (r % 30 + 30) % 30;
}
"""

# What `make test` says in the Actions log of the commit that has the bug.
FAILED_TEST_LOG = [
    "##[group]Run make test",
    "\x1b[36;1mmake test\x1b[0m",
    "shell: /usr/bin/bash -e {0}",
    "##[endgroup]",
    "cc -O1 -g -std=c11 -Wall -Wextra -Werror -Isrc -o tests/test_clock tests/test_clock.c src/clock.c",
    "./tests/test_clock",
    "FAIL clock_add(17:48, 372): got 24:00, want 00:00",
    "make: *** [Makefile:11: test] Error 1",
    "##[error]Process completed with exit code 2.",
]
