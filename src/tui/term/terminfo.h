/*
 * What the system's descriptions of terminals (terminfo) say of one, by libtinfo, which is opened
 * when nothing else says how many colours there are. Thread safe.
 */
#pragma once

/* 0: it has none; 1 << 24: any. -1: there is no description, or no library. */
int terminfo_colours(const char *term);
