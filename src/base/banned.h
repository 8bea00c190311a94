/*
 * Functions that must not be used, made compile errors. Force-included before every source file.
 *
 * instead of                     use
 * strcpy strcat sprintf gets     g_strdup, GString, g_snprintf
 * strtok                         g_strsplit
 * atoi strtol                    str_parse_int (base/str.h)
 * alloca                         the heap
 * g_str_has_prefix               str_has_prefix (base/str.h): reads to the end in GLib 2.84
 * system popen fork              proc_run (base/proc.h)
 * localtime gmtime               time_to_local, time_to_utc (base/timefmt.h)
 */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define KEDGE_BANNED(name) name##_is_banned_see_base_banned_h

#undef strcpy
#define strcpy(a, b) KEDGE_BANNED(strcpy)
#undef strcat
#define strcat(a, b) KEDGE_BANNED(strcat)
#undef sprintf
#define sprintf(...) KEDGE_BANNED(sprintf)
#undef strtok
#define strtok(a, b) KEDGE_BANNED(strtok)
#undef atoi
#define atoi(a) KEDGE_BANNED(atoi)
#undef strtol
#define strtol(a, b, c) KEDGE_BANNED(strtol)
#undef alloca
#define alloca(a) KEDGE_BANNED(alloca)
#undef g_str_has_prefix
#define g_str_has_prefix(a, b) KEDGE_BANNED(g_str_has_prefix)
#undef gets
#define gets(a) KEDGE_BANNED(gets)
#undef system
#define system(a) KEDGE_BANNED(system)
#undef popen
#define popen(a, b) KEDGE_BANNED(popen)
#undef fork
#define fork() KEDGE_BANNED(fork)
#undef localtime
#define localtime(a) KEDGE_BANNED(localtime)
#undef gmtime
#define gmtime(a) KEDGE_BANNED(gmtime)
