#include <stdio.h> // yes: line
/* yes: block */
static const char *s = "no // no /* no */ \" // no";
static char c = '"', d = '\''; // yes: behind characters
#define CONTINUED 1 // yes: goes on \
   to the next line
int q = 1'000'000; // yes: digit separators
int divide = 4 / 2; /* yes */ int e = 1; /* yes: of
two lines */
