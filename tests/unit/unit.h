/*
 * What every unit test includes: cmocka in its required order, and GLib.
 */
#pragma once

// cmocka.h needs these before it
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <glib.h>
#include <stdbool.h>

/* Of so many rounds of what a test makes up, or such a size: a fifth, and with ROUNDS in the
   environment the whole, as .ci/run has it once. */
static inline int rounds_of(int whole)
{
    return g_getenv("ROUNDS") ? whole : (whole + 4) / 5;
}
