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
